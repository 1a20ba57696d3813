"""Every scenario file, played as real frames of both readers through the whole path.

`PASSING` is the stored list of what the bridge concludes wholly. All other files must be refused for a named
reason: a kind of finding that is not concluded yet, or a game or step that cannot be played. A file that
begins to pass fails here until it is put on the list.
"""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from shoe_bridge.cli.scenario_run import Played, play
from shoe_bridge.sim.scenario import Scenario, load_scenario
from shoe_bridge.sim.sim_table import READERS
from shoe_bridge.sim.steps import Deal, Replug

FOLDER = Path(__file__).parent
_PASSING = """
S01 S02a S02b S03a S03b S03c S04 S05a S05b S06 S07a S07b S08 S09 S10 S11a S11b S12 S13a S13b S14 S15a
S15b S15c S16a S16b S17 S18 S19 S20a S20b S23a S23b S26 S27 S28 S29a S29b S30 S31 S32a S32b S33a S33b S33c
S33d S34a S34b S35a S35b S41a S41b S41c S41d S42 S43a S43b S43c S44a S44b S44c S45a S45b S46a S46b S46c
S47 S48a S48b S49 S50a S50b S51a S51b S52a S52b S53a S53b S54 S55 S56a S56b S56c S57a S57b S58a S58b S58c
S59 S60
"""
PASSING = _PASSING.split()
OTHERS = sorted({file.stem for file in FOLDER.glob("*.toml")} - set(PASSING))


def scenario_of(name: str) -> Scenario:
    return load_scenario(FOLDER / f"{name}.toml")


def test_the_lists_name_files_that_are_there() -> None:
    names = {file.stem for file in FOLDER.glob("*.toml")}
    assert len(PASSING) == len(set(PASSING))
    assert set(PASSING) <= names
    assert all(scenario_of(name).id == name for name in names)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", PASSING)
def test_passes(name: str, reader: str) -> None:
    played = play(scenario_of(name), reader)
    verdict = played.verdict
    assert played.unplayable is None
    assert (verdict.missing, verdict.forbidden, verdict.unsupported) == ((), (), ())
    assert verdict.passed
    assert played.line["passed"] is True


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", OTHERS)
def test_others_do_not_pass_and_say_why(name: str, reader: str) -> None:
    played = play(scenario_of(name), reader)
    assert not played.verdict.passed
    assert played.unplayable or played.verdict.unsupported
    line = msgspec.json.decode(msgspec.json.encode(played.line))
    assert line["unsupported"] == list(played.verdict.unsupported)
    assert line["unplayable"] == played.unplayable


# -- a plug pulled in mid-hand


def dealt_over_antennas() -> list[str]:
    """The passing files in which a card is dealt and reader-1 is there to be unplugged."""
    scenarios = [scenario_of(name) for name in PASSING]
    return [each.id for each in scenarios if "antennas" in each.sensors and deals_of(each)]


def deals_of(scenario: Scenario) -> list[int]:
    return [at for at, step in enumerate(scenario.actions, start=1) if isinstance(step, Deal)]


def replugged(scenario: Scenario, at: int) -> Scenario:
    """The scenario with reader-1 unplugged and back after its step `at` (1-based)."""
    actions, steps = list(scenario.actions), list(scenario.steps)
    actions.insert(at, Replug("reader-1"))
    steps.insert(at, "replug reader-1")
    return msgspec.structs.replace(scenario, actions=tuple(actions), steps=tuple(steps))


def findings_of(played: Played, at: int | None = None) -> list[dict[str, Any]]:
    """What was concluded, in the steps of the file without the replug that was put in after step `at`."""

    def step(number: int | None) -> int | None:
        return number if number is None or at is None or number <= at else number - 1

    return [
        {**finding, "after": step(finding["after"]), "withdrawn_after": step(finding["withdrawn_after"])}
        for finding in played.findings
        if finding.get("cause") != "link_lost"
    ]


@pytest.mark.parametrize("name", dealt_over_antennas())
def test_a_replug_in_mid_hand_changes_no_conclusion(name: str) -> None:
    scenario = scenario_of(name)
    deals = deals_of(scenario)
    at = deals[len(deals) // 2]
    played = play(replugged(scenario, at), "tablelink")
    assert findings_of(played, at) == findings_of(play(scenario, "tablelink"))
    assert {"cause": "link_lost", "device": "reader-1", "after": at + 1}.items() <= next(
        finding for finding in played.findings if finding.get("cause") == "link_lost"
    ).items()
