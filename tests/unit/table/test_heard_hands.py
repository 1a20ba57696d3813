"""Whole hands as the antennas told them, from `bench deal --seed 1` at level typical (`heard/`): reads that
came late, or in another order than the cards."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from read_deal import BOOK, KEYS, NS_PER_MS, REGISTER, TAGS, ring_model

from shoe_bridge.rules.games import open_game
from shoe_bridge.table.findings import AnyFinding, CountError, ExtraBurn, OrderError, PrematureCard
from shoe_bridge.table.fold import Fold
from shoe_bridge.table.layout import SEATS
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    CardReadAgain,
    CardStays,
    Event,
    KeyPressed,
    LinkRestored,
    TimePassed,
)
from shoe_bridge.table.state import Setup

HANDS = Path(__file__).with_name("heard")
READER = "reader-1"
START_NS = 10_000 * NS_PER_MS
ERRORS = (OrderError, CountError, ExtraBurn, PrematureCard)


def observations(name: str) -> tuple[int, Iterator[AnyObservation]]:
    """The button of the hand, and what was told of it."""
    lines = (HANDS / f"{name}.txt").read_text().splitlines()[1:]
    return int(lines[0].split()[1]), (told(*line.split(maxsplit=2)) for line in lines[1:])


def told(at_ms: str, what: str, of: str) -> AnyObservation:
    at_ns = START_NS + int(at_ms) * NS_PER_MS
    if what == "key":
        return KeyPressed(of, at_ns, "keys-1")
    number, where, *more = of.split()
    tag, place = TAGS[int(number) - 1], where.replace("s", "seat ") if where[1:].isdigit() else where
    if what == "again":
        return CardReadAgain(place, tag, int(more[0]), at_ns, READER)
    if what == "heard":
        return CardArrived(place, tag, START_NS + int(more[0]) * NS_PER_MS, at_ns, READER)
    if what == "gone":
        return CardDeparted(place, tag, at_ns - 800 * NS_PER_MS, at_ns, READER)
    assert what == "stays"
    return CardStays(place, tag, at_ns, READER)


def certain_errors(name: str) -> list[AnyFinding]:
    """Those of the deal that stand as certain when all was told."""
    button, seen = observations(name)
    seats = tuple(range(1, len(SEATS) + 1))
    setup = Setup("t", open_game("holdem"), seats, button, REGISTER, (READER,), KEYS, model=ring_model())
    fold = Fold(setup, BOOK)
    state, _ = fold.apply(fold.start(), Event(1, LinkRestored(READER, (), 0, 0)))
    for observation in seen:
        at_ns = getattr(observation, "at_mono_ns", None) or getattr(observation, "not_after_ns", 0)
        while state.look_ns is not None and state.look_ns <= at_ns:
            state, _ = fold.apply(state, Event(state.last_seq + 1, TimePassed(max(state.look_ns, 0))))
        state, _ = fold.apply(state, Event(state.last_seq + 1, observation))
    errors = [standing for standing in state.standing if isinstance(standing.finding, ERRORS)]
    return [standing.finding for standing in errors if standing.certainty == "certain"]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        (
            "third_card_late",
            [OrderError(15, "seat 8", "seat 9", "19.1(c)"), CountError("seat 8", 3, 2, "19.1(e)")],
        ),
        ("second_burn_late", [ExtraBurn(4)]),
    ],
)
def test_what_was_done_is_told_for_certain(name: str, wanted: list[AnyFinding]) -> None:
    assert certain_errors(name) == wanted
