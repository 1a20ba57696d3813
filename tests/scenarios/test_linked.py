"""The scenario files of linked tables, played as real frames of both readers: each table with its own."""

from pathlib import Path

import msgspec
import pytest

from shoe_bridge.cli.scenario_run import play
from shoe_bridge.sim.scenario import Scenario, load_scenario
from shoe_bridge.sim.sim_table import READERS

FOLDER = Path(__file__).parent / "linked"
NAMES = sorted(file.stem for file in FOLDER.glob("*.toml"))
OF_THE_JACKPOT = ("jackpot", "jackpot_order", "rule_text_missing")


def scenario_of(name: str) -> Scenario:
    return load_scenario(FOLDER / f"{name}.toml")


def test_the_files_are_there_under_their_own_names() -> None:
    assert len(NAMES) >= 5
    assert all(scenario_of(name).id == name for name in NAMES)
    assert all(len(scenario_of(name).tables) > 1 for name in NAMES)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", NAMES)
def test_passes(name: str, reader: str) -> None:
    played = play(scenario_of(name), reader)
    verdict = played.verdict
    assert played.unplayable is None
    assert (verdict.missing, verdict.forbidden, verdict.unsupported, verdict.unchecked) == ((), (), (), ())
    assert verdict.passed


@pytest.mark.parametrize("name", NAMES)
def test_the_names_of_the_tables_and_their_order_in_the_file_decide_nothing(name: str) -> None:
    """Tables are told apart by what happens at them: turned round, the same is concluded."""
    scenario = scenario_of(name)
    turned = msgspec.structs.replace(scenario, tables=dict(reversed(scenario.tables.items())))
    of_jackpot = [
        [finding for finding in play(each).findings if finding["kind"] in OF_THE_JACKPOT]
        for each in (scenario, turned)
    ]
    assert of_jackpot[0] == of_jackpot[1]
    assert of_jackpot[0]
