"""Scenario files over antennas that are slow, silent or noisy, so that the deal must be inferred: played as
real frames of two readers, one that reports by itself and one that is asked."""

from functools import cache
from pathlib import Path

import pytest

from shoe_bridge.cli.scenario_run import play
from shoe_bridge.sim.scenario import Scenario, load_scenario
from shoe_bridge.sim.steps import Hide, Replug, Silence, Wait

FOLDER = Path(__file__).parent / "reads"
NAMES = sorted(file.stem for file in FOLDER.glob("*.toml"))
READERS = ("tablelink", "pepper_c1")


@cache
def scenario_of(name: str) -> Scenario:
    return load_scenario(FOLDER / f"{name}.toml")


def test_the_files_are_there_under_their_own_names() -> None:
    assert len(NAMES) >= 14
    assert all(scenario_of(name).id == name for name in NAMES)
    assert all(scenario_of(name).is_order_uncertain for name in NAMES)


def test_each_way_to_disturb_the_readers_is_used() -> None:
    scenarios = [scenario_of(name) for name in NAMES]
    assert {each.noise for each in scenarios} == {"clean", "typical", "poor"}
    assert {each.sensors for each in scenarios} == {"antennas", "shoe+antennas"}
    actions = {type(action) for each in scenarios for action in each.actions}
    assert {Hide, Silence, Replug, Wait} <= actions


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", NAMES)
def test_passes(name: str, reader: str) -> None:
    played = play(scenario_of(name), reader)
    verdict = played.verdict
    assert played.unplayable is None
    assert (verdict.missing, verdict.forbidden, verdict.unsupported, verdict.unchecked) == ((), (), (), ())
    assert verdict.passed


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", NAMES)
def test_the_same_reads_give_the_same_findings(name: str, reader: str) -> None:
    assert play(scenario_of(name), reader).findings == play(scenario_of(name), reader).findings
