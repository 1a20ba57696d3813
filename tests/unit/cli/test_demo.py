from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shoe_bridge.cli import run_command
from shoe_bridge.cli.demo_show import PlainShow, Tally, done_text, plain_text
from shoe_bridge.cli.demo_table import (
    ERROR_KINDS,
    DemoPlan,
    demo_config,
    demo_hands,
    errors_of,
    simulated_register,
    write_table,
)
from shoe_bridge.errors import UsageError
from shoe_bridge.sim.dealer import DEALT_AGAIN

PORTS = Path("/dev/shoe-bridge")


def test_without_an_error_the_seed_mixes_them() -> None:
    assert sorted(errors_of(None, 1)) == sorted(ERROR_KINDS)
    assert errors_of(None, 1) == errors_of(None, 1)
    assert len({errors_of(None, seed) for seed in range(8)}) > 1
    assert all(errors_of(None, seed)[1] in DEALT_AGAIN for seed in range(30))
    assert not any(errors_of(None, seed)[0] in DEALT_AGAIN for seed in range(30))
    scripts = [hand.error for hand in demo_hands(DemoPlan(seed=3, hands=6))]
    assert [script is None for script in scripts] == [False, True] * 3
    assert len(set(scripts)) == 4


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (DemoPlan(1, error="bad_luck"), "order_error, count_error"),
        (DemoPlan(1, game="bridge"), "holdem, omaha, manila2, manila3"),
        (DemoPlan(1, seats=2), "3 to 10"),
        (DemoPlan(1, seats=11), "3 to 10"),
        (DemoPlan(1, hands=0), "1 or more"),
        (DemoPlan(1, pace_ms=0), "1 to 60000"),
    ],
)
def test_what_cannot_be_played_is_refused_with_the_choice(plan: DemoPlan, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        plan.check()


@pytest.mark.parametrize("seats", range(3, 11))
def test_every_size_of_table_has_a_valid_configuration(tmp_path: Path, seats: int) -> None:
    plan = DemoPlan(seed=seats, seats=seats)
    plan.check()
    config = write_table(plan, tmp_path, PORTS, has_console=True)
    assert config.table.occupied == plan.players
    assert len(plan.players) == seats - 1
    assert config.table.button == plan.players[-1]
    assert [light.kind for light in config.lights] == [
        "tablelink",
        "lcus_relay",
        "adafruit_tower",
        "console",
    ]
    assert config.table.decks == tmp_path / "decks.toml"
    assert config.devices[0].cycle_ms * 2 <= plan.pace_ms


def test_the_deck_is_whole_and_the_key_box_has_all_keys() -> None:
    assert len(simulated_register().cards_in_use()) == 52
    keys = demo_config(DemoPlan(1), PORTS, False)["device"][1]["keys"]
    assert {"shuffle", "end deal", "supervisor misdeal", "acknowledge"} <= set(keys.values())


def test_an_unknown_error_is_one_sentence_and_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["demo", "--error", "bad_luck", "--headless"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.strip().splitlines()) == 1
    assert "order_error" in told.err
    assert "none" in told.err


@pytest.mark.parametrize("make", [lambda path: path.write_text(""), lambda path: path.mkdir()])
def test_a_state_folder_that_holds_something_is_left_alone(
    tmp_path: Path, make: Callable[[Path], object], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "state").mkdir()
    make(tmp_path / "state" / "mine")
    assert run_command(["demo", "--headless", "--state", str(tmp_path / "state")]) == 2
    assert "name a new one for --state" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "state").iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("report", "text"),
    [
        ({"type": "hand", "number": 2, "script": "clean"}, "hand 2: the simulated dealer deals a clean hand"),
        ({"type": "hand", "number": 1, "script": "dealt_out"}, "makes a slip, dealt_out"),
        ({"type": "event", "seq": 3, "kind": "CardArrived", "place": "burn"}, "a card at burn"),
        ({"type": "event", "seq": 3, "kind": "KeyPressed", "key": "cut"}, "key: cut"),
        ({"type": "lamp_seen", "light": "dealer", "pattern": "slow_blink"}, "dealer shows: slow_blink"),
        ({"type": "feed", "event": {"type": "shoe-bridge.alert.raised", "seq": 9}}, "feed 9: shoe-bridge.al"),
        ({"type": "light", "state": "attention"}, "light: ATTENTION"),
    ],
)
def test_plain_lines(report: dict[str, Any], text: str) -> None:
    assert text in (plain_text(report) or "")


@pytest.mark.parametrize(
    "report", [{"type": "event", "kind": "CardDeparted", "place": "seat 1"}, {"type": "later"}]
)
def test_what_is_for_programs_only_has_no_plain_line(report: dict[str, Any]) -> None:
    assert plain_text(report) is None


@pytest.mark.parametrize(
    ("verified", "words"), [(True, "is verified"), (False, "does NOT verify"), (None, "stopped early")]
)
def test_the_last_line_says_whether_the_journal_stands(verified: bool | None, words: str) -> None:
    counts = {"hands": 3, "findings": 4, "alerts": 1, "feed_events": 9}
    text = done_text({"type": "done", **counts, "verified": verified})
    assert text.startswith("done: 3 hands, 4 findings, 1 alert, 9 feed events; ")
    assert text.endswith(words) or words in text


def test_plain_lines_fall_silent_at_the_end_and_are_not_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    show = PlainShow()
    light = {"type": "light", "state": "attention"}
    show(light)
    show(light)
    show.end()
    show({"type": "light", "state": "not_monitored"})
    counts = {"hands": 1, "findings": 0, "alerts": 0, "feed_events": 0}
    show({"type": "done", **counts, "verified": True})
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["light", "done"]


def test_the_tally_counts_what_was_raised() -> None:
    tally = Tally()
    for report in (
        {"type": "finding", "raised": True, "kind": "deal_ok"},
        {"type": "finding", "raised": True, "kind": "order_error"},
        {"type": "finding", "raised": False, "kind": "order_error"},
        {"type": "alert", "what": "raised"},
        {"type": "alert", "what": "amended"},
        {"type": "feed", "event": {}},
        {"type": "hand", "number": 1, "script": "clean"},
    ):
        tally.take(report)
    assert tally.counts == {"findings": 2, "alerts": 1, "feed_events": 1, "hands": 1}
    assert tally.alarms == {"order_error": 1}
    assert tally.last_change == 7
