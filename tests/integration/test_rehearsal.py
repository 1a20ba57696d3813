from pathlib import Path
from typing import Any

import pytest

from shoe_bridge.cli.demo_table import ERROR_KINDS, DemoPlan
from shoe_bridge.cli.rehearsal import rehearse
from shoe_bridge.journal import JournalReader
from shoe_bridge.runtime.replay import verify
from shoe_bridge.sim.dealer import DEALT_AGAIN, GAMES

QUIET = ("deal_ok", "substantial_action")


def played(tmp_path: Path, **plan: Any) -> list[dict[str, Any]]:
    return [report for _, report in rehearse(DemoPlan(seed=7, **plan), tmp_path, "test")]


def alarms(reports: list[dict[str, Any]]) -> list[str]:
    return [
        each["kind"]
        for each in reports
        if each["type"] == "finding" and each["raised"] and each["kind"] not in QUIET
    ]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("kind", ERROR_KINDS)
def test_each_kind_of_slip_is_found(tmp_path: Path, game: str, kind: str) -> None:
    reports = played(tmp_path, hands=1, game=game, error=kind)
    assert kind in alarms(reports)
    assert any(each["type"] == "alert" and each["what"] == "raised" for each in reports)
    if kind != "equipment":  # a cross read is known for what it is and lights nothing
        assert {"type": "light", "state": "attention"} in reports
    assert [each for each in reports if each["type"] == "light"][-1]["state"] == "all_well"


def lights(reports: list[dict[str, Any]]) -> list[str]:
    return [each["state"] for each in reports if each["type"] == "light"]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("kind", sorted(DEALT_AGAIN))
def test_what_cannot_be_put_right_is_red_until_the_supervisor_rules(
    tmp_path: Path, game: str, kind: str
) -> None:
    reports = played(tmp_path, hands=1, game=game, error=kind)
    assert lights(reports) == ["all_well", "attention", "misdeal_advised", "all_well"]
    (advised,) = (at for at, each in enumerate(reports) if each.get("state") == "misdeal_advised")
    settled = [each for each in reports[advised:] if each["type"] == "alert"]
    assert settled[-1]["what"] == "closed"
    assert "misdeal_advised" in alarms(reports)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_first_three_hands_show_every_colour(tmp_path: Path, seed: int) -> None:
    reports = [report for _, report in rehearse(DemoPlan(seed=seed), tmp_path, "test")]
    assert set(lights(reports)) == {"all_well", "attention", "misdeal_advised"}
    assert lights(reports)[-1] == "all_well"


@pytest.mark.parametrize("game", GAMES)
def test_clean_hands_raise_nothing(tmp_path: Path, game: str) -> None:
    reports = played(tmp_path, hands=2, game=game, error="none")
    assert alarms(reports) == []
    assert not any(each["type"] == "alert" for each in reports)
    assert [each["state"] for each in reports if each["type"] == "light"] == ["all_well"]
    assert any(each.get("kind") == "deal_ok" for each in reports)


def test_the_same_seed_concludes_the_same_and_the_journal_verifies(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    assert played(first, hands=2) == played(second, hands=2)
    with JournalReader(first / "state") as reader:
        verdict = verify(reader)
    assert verdict.problems == ()
    assert verdict.findings > 0
