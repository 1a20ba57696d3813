"""The fold alone: events per second at ten seats, and whole hands per second.

    python -m pytest tests/bench/test_fold.py --benchmark-enable -s

One hand is what a table of ten seats says from the shuffle to the next one: 28 cards laid, the keys pressed,
and 28 cards gathered.
"""

import random
from collections.abc import Iterator

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from shoe_bridge.rules.book import open_book
from shoe_bridge.rules.games import open_game
from shoe_bridge.table.cards import STANDARD_52
from shoe_bridge.table.deck import Deck, Register
from shoe_bridge.table.findings import DealOk
from shoe_bridge.table.fold import Fold
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    Event,
    KeyPressed,
    LinkRestored,
)
from shoe_bridge.table.state import Setup, TableState

HANDS = 20
CHANCE = random.Random(7)
TAGS = tuple(f"E0040150A0{number:06X}" for number in range(52))
REGISTER = Register((Deck("blue", dict(zip(TAGS, STANDARD_52, strict=True))),))
KEYS = ("shuffle", "cut", "end deal", "end bet", "showdown", "push", "next hand")
SETUP = Setup("t", open_game("holdem"), tuple(range(1, 11)), 10, REGISTER, ("reader-1",), KEYS)
STREETS = (("burn", "board", "board", "board"), ("burn", "board"), ("burn", "board"))

figures: list[str] = []


def hand(button: int, chance: random.Random) -> Iterator[AnyObservation]:
    tags = chance.sample(TAGS, len(TAGS))
    places: list[str] = []

    def lay(*more: str) -> Iterator[AnyObservation]:
        for place in more:
            places.append(place)
            yield CardArrived(place, tags[len(places) - 1], 0, 0, "reader-1")

    def press(*keys: str) -> Iterator[AnyObservation]:
        return (KeyPressed(key, 0, "reader-1") for key in keys)

    yield from press("shuffle", "cut")
    yield from lay(*(f"seat {(button + n) % 10 + 1}" for n in range(20)))
    yield from press("end deal", "end bet")
    for street in STREETS:
        yield from lay(*street)
        yield from press("end bet")
    yield from press("showdown", "push", "next hand")
    for place, tag in zip(places, tags, strict=False):
        yield CardDeparted(place, tag, 0, 0, "reader-1")


EVENTS = [
    Event(seq, observation)
    for seq, observation in enumerate(
        [
            LinkRestored("reader-1", (), 0, -1),
            *(each for n in range(HANDS) for each in hand((9 + n) % 10 + 1, CHANCE)),
        ],
        start=1,
    )
]


@pytest.fixture(scope="module", autouse=True)
def summary(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    capture = request.config.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    if figures:
        with capture.global_and_fixture_disabled():
            print("\n" + "\n".join(figures))


def folded() -> tuple[TableState, int]:
    """All hands; the state after them, and how often a deal was found to be in order."""
    fold = Fold(SETUP, open_book("nz-1999"))
    state, in_order = fold.start(), 0
    for event in EVENTS:
        state, outcome = fold.apply(state, event)
        in_order += any(change.raised and isinstance(change.finding, DealOk) for change in outcome.changes)
    return state, in_order


def test_hands_at_ten_seats(benchmark: BenchmarkFixture) -> None:
    benchmark.extra_info |= {"events": len(EVENTS), "hands": HANDS}
    state, in_order = benchmark(folded)
    assert state.hand.number == HANDS + 1
    assert state.alerts.open == ()
    assert in_order == HANDS * 9  # at the end of the deal, and brought up to date with each later card
    if benchmark.stats is not None:
        seconds = benchmark.stats.stats.min
        rates = {"events_per_s": round(len(EVENTS) / seconds), "hands_per_s": round(HANDS / seconds)}
        benchmark.extra_info |= rates
        figures.append(
            f"fold, ten seats: {rates['events_per_s']:,} events/s, {rates['hands_per_s']:,} hands/s, "
            f"{seconds / len(EVENTS) * 1e6:.1f} us an event"
        )
