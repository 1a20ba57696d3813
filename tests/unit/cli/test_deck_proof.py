"""`deck proof`: when the deck of a journal's table was last whole, and where what it lacks was seen last."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from shoe_bridge.cli import run_command
from shoe_bridge.cli.deck_proof import DeckReport
from shoe_bridge.errors import JournalError
from shoe_bridge.journal import Journal, JournalReader
from shoe_bridge.rules.games import open_game
from shoe_bridge.runtime.opening import OPENED, Opening, record_body
from shoe_bridge.table.cards import STANDARD_52
from shoe_bridge.table.deck import Deck, Register
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    Event,
    KeyPressed,
    LinkRestored,
)
from shoe_bridge.table.state import Setup

TAGS = tuple(f"E0040150A0{number:06X}" for number in range(52))
CARDS = tuple(STANDARD_52[7 * number % 52] for number in range(52))
REGISTER = Register((Deck("blue", dict(zip(TAGS, CARDS, strict=True))),))
KEYS = ("shuffle", "cut", "end deal", "push", "next hand", "scan", "scan end")
SETUP = Setup("t-7", open_game("holdem"), (1, 2), 2, REGISTER, ("reader-1",), KEYS)
NOON_NS = 1_782_907_200 * 10**9  # 2026-07-01 12:00 UTC


def key(name: str) -> AnyObservation:
    return KeyPressed(name, 0, "keys-1")


def scan(numbers: Iterable[int]) -> list[AnyObservation]:
    numbers = list(numbers)
    laid = [CardArrived("stub", TAGS[number], 8, 9, "reader-1") for number in numbers]
    lifted = [CardDeparted("stub", TAGS[number], 9, 9, "reader-1") for number in numbers]
    return [key("scan"), *laid, key("scan end"), *lifted]


def hand(*places: str) -> list[AnyObservation]:
    laid = [CardArrived(place, TAGS[number], 8, 9, "reader-1") for number, place in enumerate(places)]
    lifted = [CardDeparted(place, TAGS[number], 9, 9, "reader-1") for number, place in enumerate(places)]
    return [key("shuffle"), key("cut"), *laid, key("end deal"), key("push"), *lifted, key("next hand")]


HANDS = [*hand(*["seat 1", "seat 2"] * 2), *hand(*["seat 2", "seat 1"] * 2)]


def written(folder: Path, seen: Iterable[AnyObservation]) -> Path:
    """A journal of one run of that table, a second between two events."""
    ticks = iter(range(10**6))
    journal = Journal.open(
        folder, table="t-7", boot_id="boot-a", now_wall_ns=lambda: NOON_NS + next(ticks) * 10**9
    )
    try:
        journal.append_record(OPENED, 1, record_body(Opening(SETUP, (), "nz-1999", None, {}, False)))
        for seq, each in enumerate([LinkRestored("reader-1", (), 0, 1), *seen], start=1):
            journal.append_record("event", seq, msgspec.json.encode(Event(seq, each)))
    finally:
        journal.close()
    return folder


def line_of(folder: Path, capsys: pytest.CaptureFixture[str], code: int) -> dict[str, Any]:
    assert run_command(["deck", "proof", str(folder), "--json"]) == code
    line: dict[str, Any] = json.loads(capsys.readouterr().out)
    return line


def test_a_deck_that_was_scanned_whole_is_proven(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path / "state", scan(range(52)))
    line = line_of(folder, capsys, 0)
    assert (line["table"], line["deck"], line["cards"], line["unread"]) == ("t-7", "blue", 52, 52)
    assert line["last_proven"]["how"] == "scan"
    assert line["last_proven"]["at"].startswith("2026-07-01T12:")
    assert (line["hands_at_risk"], line["says"]) == ([], "Deck blue is proven.")
    assert {each["last"]["place"] for each in line["unlocated"]} == {"stub"}


def test_hands_since_the_proof_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path / "state", [*scan(range(52)), *HANDS])
    assert run_command(["deck", "proof", str(folder)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("Deck blue was last proven 2 hands ago.\n  hands at risk: 1 to 2\n")
    assert f"{CARDS[0]} is unread, last seen at seat 2 in hand 2 (event " in out


def test_a_missing_card_is_named_with_its_last_sighting(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = written(tmp_path / "state", [*scan(range(52)), *HANDS, *scan(range(1, 52)), *scan(range(1, 52))])
    line = line_of(folder, capsys, 1)
    [missing] = [each for each in line["unlocated"] if each["status"] == "missing"]
    assert missing["card"] == CARDS[0]
    assert (missing["last"]["place"], missing["last"]["hand"]) == ("seat 2", 2)
    assert missing["last"]["at"].startswith("2026-07-01T12:")
    assert (line["hands_at_risk"], line["missing"], line["defects"]) == ([1, 2], 1, ["missing"])
    assert line["unlocated"][0] == missing  # the longest unseen comes first


def test_cards_of_a_live_hand_are_not_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    live = hand("seat 1", "seat 2")[:4]
    folder = written(tmp_path / "state", live)
    assert run_command(["deck", "proof", str(folder)]) == 1
    out = capsys.readouterr().out
    assert "was never proven: 1 hand dealt from it" in out
    assert "not told while the hand is live" in out
    assert not any(card in out for card in STANDARD_52)
    line = line_of(folder, capsys, 1)
    assert (line["is_sealed"], line["unlocated"], line["last_proven"]) == (True, [], None)


def test_a_card_that_was_never_seen_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path / "state", [])
    assert run_command(["deck", "proof", str(folder)]) == 1
    assert "2c is unread and was never seen" in capsys.readouterr().out


def test_a_journal_without_a_run_is_one_sentence(tmp_path: Path) -> None:
    Journal.open(tmp_path / "state", table="t-7", boot_id="boot-a", now_wall_ns=lambda: NOON_NS).close()
    with (
        JournalReader(tmp_path / "state") as reader,
        pytest.raises(JournalError, match="holds no start of a run"),
    ):
        DeckReport(reader)
