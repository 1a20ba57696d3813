"""Every scenario file, played as real frames through the whole path: all of them pass."""

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from shoe_bridge.cli.scenario_run import Played, play
from shoe_bridge.sim.scenario import Scenario, load_scenario
from shoe_bridge.sim.sim_table import READERS
from shoe_bridge.sim.steps import Deal, Replug

FOLDER = Path(__file__).parent
NAMES = sorted(file.stem for file in FOLDER.glob("*.toml"))


TOURNAMENT = FOLDER / "tda"  # the same games under the rules of tournament poker
TOURNAMENT_NAMES = sorted(file.stem for file in TOURNAMENT.glob("*.toml"))


@cache
def scenario_of(name: str) -> Scenario:
    return load_scenario((TOURNAMENT if name in TOURNAMENT_NAMES else FOLDER) / f"{name}.toml")


def test_the_files_are_there_under_their_own_names() -> None:
    assert len(NAMES) >= 120
    assert len(TOURNAMENT_NAMES) >= 12
    assert all(scenario_of(name).id == name for name in (*NAMES, *TOURNAMENT_NAMES))
    assert {scenario_of(name).profile for name in TOURNAMENT_NAMES} == {"tda"}


# readers with a session of a shape of its own, one that reports by itself and one that is asked, play every
# file; the others play all of the game that the house deals most, and one or two of each other game
EVERY_FILE = ("tablelink", "pepper_c1")
ALSO_BY_OTHERS = {
    "S01",
    "S15a",
    "S15c",
    "S16a",
    "S23a",
    "S26",
    "S28",
    "S29b",
    "S30",
    "S36a",
    "S40",
    "S44a",
    "S59",
}


def cases() -> list[tuple[str, str]]:
    """Files and the readers that play them."""
    names = [*NAMES, *TOURNAMENT_NAMES]
    most = [name for name in names if scenario_of(name).game == "holdem" or name in ALSO_BY_OTHERS]
    return [(name, reader) for reader in READERS for name in (names if reader in EVERY_FILE else most)]


def test_every_reader_plays_every_game() -> None:
    games = {scenario_of(name).game for name in NAMES}
    assert len(games) >= 8
    for reader in READERS:
        assert {scenario_of(name).game for name, each in cases() if each == reader} == games
        assert sum(each == reader for _, each in cases()) > 70


@pytest.mark.parametrize(("name", "reader"), cases())
def test_passes(name: str, reader: str) -> None:
    played = play(scenario_of(name), reader)
    verdict = played.verdict
    assert played.unplayable is None
    assert (verdict.missing, verdict.forbidden, verdict.unsupported) == ((), (), ())
    assert verdict.passed
    assert played.line["passed"] is True


def test_a_kind_that_is_not_known_is_reported_by_its_name() -> None:
    scenario = msgspec.structs.replace(scenario_of("S32a"), expect=({"kind": "dealer_sneezed"},))
    played = play(scenario)
    assert not played.verdict.passed
    assert played.verdict.unsupported == ("dealer_sneezed",)
    line = msgspec.json.decode(msgspec.json.encode(played.line))
    assert (line["passed"], line["unsupported"]) == (False, ["dealer_sneezed"])


# -- a plug pulled in mid-hand

DEVICES = [
    ("tablelink", "reader-1"),
    ("tablelink", "keys-1"),
    ("pepper_c1", "reader-1"),
    ("pepper_c1", "reader-2"),
    ("pepper_c1", "keys-1"),
]


def dealt_over_antennas() -> list[str]:
    """The files in which a card is dealt and readers are there to be unplugged."""
    scenarios = [scenario_of(name) for name in NAMES]
    return [each.id for each in scenarios if "antennas" in each.sensors and deals_of(each)]


def deals_of(scenario: Scenario) -> list[int]:
    return [at for at, step in enumerate(scenario.actions, start=1) if isinstance(step, Deal)]


def replugged(scenario: Scenario, at: int, device: str) -> Scenario:
    """The scenario with `device` unplugged and back after its step `at` (1-based)."""
    actions, steps = list(scenario.actions), list(scenario.steps)
    actions.insert(at, Replug(device))
    steps.insert(at, f"replug {device}")
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


@cache
def undisturbed(name: str, reader: str) -> list[dict[str, Any]]:
    return findings_of(play(scenario_of(name), reader))


@pytest.mark.parametrize(("reader", "device"), DEVICES)
@pytest.mark.parametrize("name", dealt_over_antennas())
def test_a_replug_in_mid_hand_changes_no_conclusion(name: str, reader: str, device: str) -> None:
    """Between two cards, so that nothing is dealt meanwhile: a tablelink device tells late what it has to
    tell, and the cards that a Pepper forgot lie where they lay. No file is an exception to this."""
    scenario = scenario_of(name)
    deals = deals_of(scenario)
    at = deals[len(deals) // 2]
    played = play(replugged(scenario, at, device), reader)
    assert played.unplayable is None
    assert findings_of(played, at) == undisturbed(name, reader)
    notes = [finding for finding in played.findings if finding.get("cause") == "link_lost"]
    assert [(note["device"], note["after"]) for note in notes] == [(device, at + 1)]
