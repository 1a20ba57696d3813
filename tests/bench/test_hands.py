"""Whole hands: events folded per second at ten seats, and hands followed per second beside pokerkit.

    python -m pytest tests/bench/test_hands.py --benchmark-enable -s

The hand is nine-handed hold'em in which everybody calls and checks to the showdown: two blinds, 36 actions,
26 cards laid and gathered again, 10 keys. We follow it from events, and from the bytes of a tablelink device
(each key pressed and released, each tag seen and gone, each antenna polled empty twice); pokerkit plays the
same cards and actions to its showdown in the same run. Targets: 30,000 events/s at ten seats; five times
pokerkit's hands from events, three times from bytes. On a busy machine add
--benchmark-timer=time.process_time.
"""

from collections.abc import Iterator
from random import Random

import pytest
from pokerkit import Automation, NoLimitTexasHoldem, State
from pytest_benchmark.fixture import BenchmarkFixture

from protocol import tablelink
from protocol.messages import (
    Ack,
    DealerEntry,
    Hello,
    KeyPressed,
    KeyReleased,
    Message,
    PollEmpty,
    Stamp,
    TagGone,
    TagSeen,
)
from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.presence import Presence
from shoe_bridge.rules.book import open_book
from shoe_bridge.rules.games import open_game
from shoe_bridge.table import observations as seen
from shoe_bridge.table.cards import STANDARD_52
from shoe_bridge.table.deck import Deck, Register
from shoe_bridge.table.findings import Change, DealOk, SubstantialAction
from shoe_bridge.table.fold import Fold
from shoe_bridge.table.observations import AnyObservation, Event
from shoe_bridge.table.state import Setup, TableState

MS = 1_000_000
STEP_MS = 400
HANDS = 20
PEER_HANDS = 5
TARGET_EVENTS_PER_S, TARGET_FROM_EVENTS, TARGET_FROM_BYTES = 30_000, 5, 3
TAG_OF = {card: f"E0040150A0{number:06X}" for number, card in enumerate(STANDARD_52)}
REGISTER = Register((Deck("blue", {tag: card for card, tag in TAG_OF.items()}),))
KEYS = ("shuffle", "cut", "end deal", "end bet", "showdown", "push", "next hand")
PLACES = (*(f"seat {seat}" for seat in range(1, 11)), "board", "burn")
ANTENNA_OF = {place: number for number, place in enumerate(PLACES, start=1)}
KEY_OF = {key: number for number, key in enumerate(KEYS, start=1)}
CONFIG = LinkConfig(
    "table-1",
    "tablelink",
    {number: place for place, number in ANTENNA_OF.items()},
    {number: key for key, number in KEY_OF.items()},
)
BOARDS = (3, 1, 1)
SMALL_BLIND, BIG_BLIND, STACK = 100, 200, 20_000
PLAYED_BY_ITSELF = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)

# What is done at the table: ("key", name), ("word", word, seat, cents), ("lay", place, tag), ("gather", ...)
Deed = tuple[str, str, int | str | None, int | None]

seconds: dict[str, float] = {}


def order_of(seats: int, button: int) -> list[int]:
    return [(button + step) % seats + 1 for step in range(seats)]


def deeds_of_a_hand(seats: int, button: int, cards: list[str]) -> Iterator[Deed]:
    """Everybody calls and checks; `cards` come off the deck one after the other, burns among them."""
    order, top = order_of(seats, button), iter(cards)
    yield from [("key", "shuffle", None, None), ("key", "cut", None, None)]
    yield from [("word", "blind", order[0], SMALL_BLIND), ("word", "blind", order[1], BIG_BLIND)]
    for seat in order * 2:
        yield "lay", f"seat {seat}", TAG_OF[next(top)], None
    yield "key", "end deal", None, None
    for seat in order[2:] + order[:1]:
        yield "word", "call", seat, SMALL_BLIND if seat == order[0] else BIG_BLIND
    yield "word", "check", order[1], None
    yield "key", "end bet", None, None
    for board in BOARDS:
        for place in ("burn", *["board"] * board):
            yield "lay", place, TAG_OF[next(top)], None
        for seat in order:
            yield "word", "check", seat, None
        yield "key", "end bet", None, None
    for key in ("showdown", "push", "next hand"):
        yield "key", key, None, None
    yield "gather", "", None, None


def observations_of(deeds: Iterator[Deed]) -> Iterator[AnyObservation]:
    at_ns = 0
    laid: list[tuple[str, str]] = []
    for what, name, subject, cents in deeds:
        at_ns += STEP_MS * MS
        if what == "key":
            yield seen.KeyPressed(name, at_ns, "table-1")
        elif what == "word":
            yield seen.DealerEntered(name, int(subject or 0), cents, at_ns, "table-1")
        elif what == "lay":
            laid.append((name, str(subject)))
            yield seen.CardArrived(name, str(subject), at_ns - STEP_MS * MS, at_ns, "table-1", -40)
        else:
            for place, tag in laid:
                yield seen.CardDeparted(place, tag, at_ns - STEP_MS * MS, at_ns, "table-1")
            laid.clear()


class Device:
    """The bytes that a tablelink device sends for what is done at the table."""

    def __init__(self) -> None:
        self._ms, self._seq = 10, 0
        self._laid: list[tuple[str, str]] = []
        self.chunks: list[tuple[int, bytes]] = []
        self._say(Hello("0102030405060708", "1.0.0", 7, ("antennas",), len(PLACES), len(KEYS), 0, None))
        self._say(Ack("resume"))
        self._poll_empty()

    def do(self, deeds: Iterator[Deed]) -> None:
        for what, name, subject, cents in deeds:
            self._ms += STEP_MS
            if what == "key":
                self._event(KeyPressed(KEY_OF[name]))
                self._ms += 100
                self._event(KeyReleased(KEY_OF[name]))
            elif what == "word":
                self._event(DealerEntry(name, int(subject or 0), cents))
            elif what == "lay":
                self._laid.append((name, str(subject)))
                self._event(TagSeen(str(subject), ANTENNA_OF[name], -40, "iso15693"))
            else:
                self._gather()

    def _gather(self) -> None:
        for place, tag in self._laid:
            self._event(TagGone(tag, ANTENNA_OF[place]))
        for _ in range(CONFIG.gone_after_polls):
            self._poll_empty()
        self._laid.clear()

    def _poll_empty(self) -> None:
        self._ms += STEP_MS
        for number in ANTENNA_OF.values():
            self._ms += 1
            self._say(PollEmpty(number))

    def _event(self, message: Message) -> None:
        self._seq += 1
        self._say(message, is_event=True)

    def _say(self, message: Message, is_event: bool = False) -> None:
        frame = tablelink.encode(message, Stamp(self._seq, is_event, False, self._ms))
        self.chunks.append((self._ms * MS, frame))


def shuffled_decks(hands: int) -> list[list[str]]:
    rng = Random(9)
    return [rng.sample(STANDARD_52, len(STANDARD_52)) for _ in range(hands)]


DECKS = shuffled_decks(HANDS)


def button_of(seats: int, hand: int) -> int:
    return (seats - 1 + hand) % seats + 1


def setup_of(seats: int) -> Setup:
    return Setup("t", open_game("holdem"), tuple(range(1, seats + 1)), seats, REGISTER, ("table-1",), KEYS)


def events_of(seats: int) -> list[Event]:
    """All hands, the button moving on after each."""
    told: list[AnyObservation] = [seen.LinkRestored("table-1", (), 0, -1)]
    for number, deck in enumerate(DECKS):
        told += observations_of(deeds_of_a_hand(seats, button_of(seats, number), deck))
    return [Event(seq, observation) for seq, observation in enumerate(told, start=1)]


def chunks_of(seats: int) -> list[tuple[int, bytes]]:
    device = Device()
    for number, deck in enumerate(DECKS):
        device.do(deeds_of_a_hand(seats, button_of(seats, number), deck))
    return device.chunks


def follow_events(setup: Setup, events: list[Event]) -> tuple[TableState, list[Change]]:
    fold = Fold(setup, open_book("nz-1999"))
    state, changes = fold.start(), list[Change]()
    for event in events:
        state, outcome = fold.apply(state, event)
        changes += outcome.changes
    return state, changes


def follow_bytes(setup: Setup, chunks: list[tuple[int, bytes]]) -> tuple[TableState, list[Change]]:
    link = DeviceLink(CONFIG, Presence(), lambda tag: setup.register.card_of(tag) is not None)
    link.opened(0, 1)
    fold = Fold(setup, open_book("nz-1999"))
    state, changes = fold.start(), list[Change]()
    for at_ns, chunk in chunks:
        for observation in link.take(chunk, at_ns):
            state, outcome = fold.apply(state, Event(state.last_seq + 1, observation))
            changes += outcome.changes
    return state, changes


def must_be_followed(state: TableState, changes: list[Change], seats: int) -> None:
    """Every hand was found in order, all have acted in each, and nothing else was said."""
    assert state.hand.number == HANDS + 1
    raised = [change.finding for change in changes if change.raised]
    assert {type(finding) for finding in raised} == {DealOk, SubstantialAction}
    assert raised.count(DealOk(2 * seats, 5, 3, 2 * seats + 8)) == HANDS
    assert raised.count(SubstantialAction(seats, True)) == HANDS
    assert state.alerts.open == ()


def pokerkit_hand(cards: list[str]) -> State:
    """The same nine-handed hand, its cards in the order of `cards`; each player's two at once, as it is
    fastest."""
    state = NoLimitTexasHoldem.create_state(
        PLAYED_BY_ITSELF, True, 0, (SMALL_BLIND, BIG_BLIND), BIG_BLIND, STACK, 9
    )
    for player in range(9):
        state.deal_hole(cards[player] + cards[player + 9])
    top = iter(cards[18:])
    for board in (0, *BOARDS):
        if board:
            state.burn_card(next(top))
            state.deal_board("".join(next(top) for _ in range(board)))
        while state.actor_index is not None:
            state.check_or_call()
    return state


@pytest.fixture(scope="module", autouse=True)
def summary(request: pytest.FixtureRequest) -> Iterator[None]:
    """After the module: the figures, and how they stand beside the peer's."""
    yield
    capture = request.config.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    lines = []
    if "event" in seconds:
        rate = 1 / seconds["event"]
        lines.append(f"ten seats: {rate:,.0f} events/s folded (target {TARGET_EVENTS_PER_S:,})")
    if "pokerkit" in seconds:
        lines.append(f"pokerkit plays {1 / seconds['pokerkit']:,.0f} nine-handed hands/s")
        for name, target in (("events", TARGET_FROM_EVENTS), ("bytes", TARGET_FROM_BYTES)):
            if name in seconds:
                times = seconds["pokerkit"] / seconds[name]
                rate = 1 / seconds[name]
                lines.append(
                    f"followed from {name}: {rate:,.0f} hands/s, {times:.1f} times (target {target})"
                )
    if lines:
        with capture.global_and_fixture_disabled():
            print("\n" + "\n".join(lines))


def note(benchmark: BenchmarkFixture, name: str, count: int) -> None:
    """The best round, because what else runs on the machine only ever adds."""
    if benchmark.stats is not None:
        seconds[name] = benchmark.stats.stats.min / count
        benchmark.extra_info[f"{name}_per_s"] = round(1 / seconds[name])


def test_events_folded_at_ten_seats(benchmark: BenchmarkFixture) -> None:
    events, setup = events_of(10), setup_of(10)
    benchmark.group = "events folded"
    state, changes = benchmark(follow_events, setup, events)
    must_be_followed(state, changes, 10)
    note(benchmark, "event", len(events))


def test_nine_handed_hands_from_events(benchmark: BenchmarkFixture) -> None:
    events, setup = events_of(9), setup_of(9)
    benchmark.group = "nine-handed hands"
    state, changes = benchmark(follow_events, setup, events)
    must_be_followed(state, changes, 9)
    note(benchmark, "events", HANDS)


def test_nine_handed_hands_from_bytes(benchmark: BenchmarkFixture) -> None:
    chunks, setup = chunks_of(9), setup_of(9)
    benchmark.group = "nine-handed hands"
    state, changes = benchmark(follow_bytes, setup, chunks)
    must_be_followed(state, changes, 9)
    assert state.last_seq == len(events_of(9))  # every frame that is an event became one
    note(benchmark, "bytes", HANDS)


def test_pokerkit_plays_them(benchmark: BenchmarkFixture) -> None:
    def run() -> list[State]:
        return [pokerkit_hand(deck) for deck in DECKS[:PEER_HANDS]]

    benchmark.group = "nine-handed hands"
    states = benchmark(run)
    assert all(not state.status for state in states)  # over, the pot pushed
    assert all(sum(state.stacks) == 9 * STACK for state in states)
    note(benchmark, "pokerkit", PEER_HANDS)
