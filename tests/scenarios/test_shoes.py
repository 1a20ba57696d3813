"""Scenarios with a shoe that names its cards beside the antennas: what is concluded stays the same."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from shoe_bridge.cli.scenario_run import Played, play
from shoe_bridge.sim.scenario import Scenario, load_scenario
from shoe_bridge.sim.steps import Deal, Replug

FOLDER = Path(__file__).parent
SHOES = ("angel_eye", "bee_tek")
# whole hands, each kind of error of the deal, the draw and the stud games, a replug, a scan
NAMES = (
    *(
        "S01",
        "S02a",
        "S03a",
        "S04",
        "S05a",
        "S07a",
        "S09",
        "S12",
        "S16a",
        "S20a",
        "S25a",
        "S29a",
        "S30",
        "S35a",
    ),
    *("S40", "S41a", "S41d", "S42", "S46a", "S50a", "S55", "S60"),
)
# a joker, and a card whose tag is in no register: the scenario does not say what is printed on it
NOTHING_PRINTED = {"S41d", "S42"}


def at_a_shoe(name: str, shoe: str) -> Scenario:
    scenario = load_scenario(FOLDER / f"{name}.toml")
    return msgspec.structs.replace(scenario, sensors="shoe+antennas", shoe=shoe)


def standing(played: Played) -> list[dict[str, Any]]:
    """What stands at the end about the deal. How sure it is, and what stood meanwhile, hangs on the moment in
    the polling cycle at which a card lands, and a shoe shifts that."""
    left_out = ("certainty", "probability", "after", "withdrawn_after")
    return [
        {key: value for key, value in finding.items() if key not in left_out}
        for finding in played.findings
        if finding.get("device") != "shoe-1" and finding["withdrawn_after"] is None
    ]


@pytest.mark.parametrize("shoe", SHOES)
@pytest.mark.parametrize("name", NAMES)
def test_a_shoe_beside_the_antennas_changes_no_conclusion(name: str, shoe: str) -> None:
    played = play(at_a_shoe(name, shoe))
    assert played.verdict.passed
    assert standing(played) == standing(play(load_scenario(FOLDER / f"{name}.toml")))
    unread = [finding for finding in played.findings if finding.get("device") == "shoe-1"]
    assert {finding["cause"] for finding in unread} == ({"unread_card"} if name in NOTHING_PRINTED else set())


@pytest.mark.parametrize("shoe", SHOES)
def test_a_shoe_that_loses_its_plug_in_mid_hand_is_an_equipment_finding_and_no_other(shoe: str) -> None:
    scenario = at_a_shoe("S01", shoe)
    deals = [at for at, step in enumerate(scenario.actions, start=1) if isinstance(step, Deal)]
    at = deals[len(deals) // 2]
    actions = [*scenario.actions[:at], Replug("shoe-1"), *scenario.actions[at:]]
    steps = [*scenario.steps[:at], "replug shoe-1", *scenario.steps[at:]]
    played = play(msgspec.structs.replace(scenario, actions=tuple(actions), steps=tuple(steps)))
    lost = [finding for finding in played.findings if finding.get("device") == "shoe-1"]
    assert [(finding["cause"], finding["after"]) for finding in lost] == [("link_lost", at + 1)]
    assert standing(played) == standing(play(load_scenario(FOLDER / "S01.toml")))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_our_own_shoe_beside_the_antennas_passes_every_file(path: Path) -> None:
    """It tells tags and faces: a card that is dealt face up by the procedure is not exposed by it."""
    played = play(msgspec.structs.replace(load_scenario(path), sensors="shoe+antennas"))
    assert played.verdict.passed, played.verdict
