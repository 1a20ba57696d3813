"""`sim` at a table whose shoe only speaks: nobody can be waited for to speak to it."""

from pathlib import Path

import pytest

from shoe_bridge.cli.sim_run import SimRun
from shoe_bridge.runtime.config import parse
from shoe_bridge.runtime.decks import save_register
from shoe_bridge.sim.one_way_shoe import OneWayShoe
from shoe_bridge.sim.sim_table import equipment
from shoe_bridge.sim.steps import parse_step
from shoe_bridge.sim.tablelink_device import TablelinkDevice
from shoe_bridge.sim.toml_text import as_toml
from shoe_bridge.table.cards import STANDARD_52
from shoe_bridge.table.deck import Deck, Register


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


def test_the_shoe_and_the_antennas_read_the_tags_of_the_register(tmp_path: Path) -> None:
    registered = {f"04A1B2C3D4E5{number:02X}": card for number, card in enumerate(STANDARD_52)}
    save_register(tmp_path / "decks.toml", Register((Deck("blue", registered),)))
    table = {"id": "t-1", "game": "holdem", "seats": 10, "decks": "decks.toml"}
    config = {"table": table, **equipment(has_shoe=True, shoe="tablelink", reader="pepper_c1")}
    sim = SimRun(parse(as_toml(config), tmp_path / "t.toml"), 7, "none", None, None, lambda report: None)
    shoe = sim._stage.table._shoe
    assert isinstance(shoe, TablelinkDevice)
    drawn: list[str | None] = []
    shoe.draw = lambda tag, face=None: drawn.append(tag)  # type: ignore[method-assign]
    list(sim._stage.perform(parse_step("deal 1 -> seat 1")))
    assert tuple(drawn) == sim._stage.table.world.tags_at("seat 1")
    assert drawn[0] in registered


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
