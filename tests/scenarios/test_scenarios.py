"""Every scenario file, played as real frames of both readers through the whole path.

`PASSING` is the stored list of what the bridge concludes wholly. All other files must be refused for a named
reason: a kind of finding that is not concluded yet, a game or step that cannot be played, or, in
`ADVICE_TO_COME`, a rule about which nothing is advised yet. A file that begins to pass fails here until it is
put on the list.
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
S01 S02a S02b S03a S03b S04 S05a S06 S07a S07b S12 S14 S19 S26 S27 S28 S32a S32b S33a S33c S34a S34b
S35a S35b S41d S43b S44a S44b S45a S46a S46b S46c S47 S48a S48b S49 S50b S52a S52b S53a S54 S56a S56b
S57b S58a
"""
_NEED_NO_MORE_THAN_TODAY = "S01 S12 S27 S32a S32b S34b S41d S43b S49 S57b S58a"
PASSING = _PASSING.split()
MUST_PASS = _NEED_NO_MORE_THAN_TODAY.split()
ADVICE_TO_COME = {"S13a": "19.1(b)", "S20a": "19.1(b)", "S51a": "19.1(b)", "S51b": "19.1(b)"}
OTHERS = sorted({file.stem for file in FOLDER.glob("*.toml")} - set(PASSING))


def scenario_of(name: str) -> Scenario:
    return load_scenario(FOLDER / f"{name}.toml")


def test_the_lists_name_files_that_are_there() -> None:
    names = {file.stem for file in FOLDER.glob("*.toml")}
    assert len(PASSING) == len(set(PASSING))
    assert set(MUST_PASS) <= set(PASSING) <= names
    assert set(ADVICE_TO_COME) <= set(OTHERS)
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
    if name in ADVICE_TO_COME:
        assert {wanted["rule"] for wanted in played.verdict.missing} == {ADVICE_TO_COME[name]}
        assert not played.verdict.forbidden
    else:
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
