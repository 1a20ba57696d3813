"""`sim` at a table whose shoe only speaks: nobody can be waited for to speak to it."""

from pathlib import Path

import pytest

from shoe_bridge.cli.sim_run import SimRun
from shoe_bridge.runtime.config import parse
from shoe_bridge.sim.one_way_shoe import OneWayShoe
from shoe_bridge.sim.sim_table import equipment
from shoe_bridge.sim.tablelink_device import TablelinkDevice
from shoe_bridge.sim.toml_text import as_toml


def run_with(shoe: str | None) -> SimRun:
    table = {"id": "t-1", "game": "holdem", "seats": 10}
    config = {"table": table, **equipment(has_shoe=shoe is not None, shoe=shoe or "tablelink")}
    return SimRun(parse(as_toml(config), Path("table.toml")), 7, "none", None, None, lambda report: None)


@pytest.mark.parametrize("shoe", ["angel_eye", "bee_tek"])
def test_the_dealer_waits_for_no_word_to_a_one_way_shoe(shoe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_with(shoe)
    for each in run._heard:
        if not isinstance(each.device, OneWayShoe):
            each.take(b"\x00", 0)
    assert not all(each.has_heard for each in run._heard)
    monkeypatch.setattr(run._stop, "wait", lambda timeout: False)
    assert run._wait_for_bridge()


def test_without_such_a_shoe_the_lamp_says_when_the_bridge_is_armed() -> None:
    assert run_with("bee_tek")._is_lamp_armed()
    run = run_with("tablelink")
    lamp = next(each.device for each in run._heard if each.name == "keys-1")
    assert isinstance(lamp, TablelinkDevice)
    assert run._is_lamp_armed() is (lamp.lamps[1].shown[0] != "flash")


@pytest.mark.parametrize("shoe", ["tablelink", "angel_eye", "bee_tek"])
def test_the_cards_come_out_of_the_shoe_that_the_table_has(shoe: str) -> None:
    assert run_with(shoe)._stage._has_shoe
    assert not run_with(None)._stage._has_shoe
