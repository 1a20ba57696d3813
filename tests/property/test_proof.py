"""The deck over random hands: every card is located or unread at every moment, and a card that is taken away
is unread, then missing, with exactly the hands that were dealt since the last proof."""

import random
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from shoe_bridge.rules.book import open_book
from shoe_bridge.rules.games import open_game
from shoe_bridge.table.cards import STANDARD_52
from shoe_bridge.table.deck import Deck, Register
from shoe_bridge.table.findings import Change, DealTooRegular, DeckAtRisk, DeckDefect
from shoe_bridge.table.fold import Fold
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    Event,
    KeyPressed,
    LinkRestored,
)
from shoe_bridge.table.proof import proof_of
from shoe_bridge.table.state import Setup, TableState

TAGS = tuple(f"E0040150A0{number:06X}" for number in range(52))
REGISTER = Register((Deck("blue", dict(zip(TAGS, STANDARD_52, strict=True))),))
KEYS = ("shuffle", "cut", "end deal", "end bet", "showdown", "push", "next hand", "scan", "scan end")
BOOK = open_book("nz-1999")
PLACES = ("seat 1", "seat 2", "seat 3", "seat 9", "board", "burn", "muck", "stub")
STREETS = (("burn", "board", "board", "board"), ("burn", "board"), ("burn", "board"))
law = settings(max_examples=60, deadline=None, derandomize=True)


class Dealer:
    """A dealer at the fold with a deck of 52, less the cards that were taken away."""

    def __init__(self, seats: tuple[int, ...], seed: int) -> None:
        self.setup = Setup("t", open_game("holdem"), seats, seats[-1], REGISTER, ("reader-1",), KEYS)
        self.fold = Fold(self.setup, BOOK)
        self.state: TableState = self.fold.start()
        self.changes: list[Change] = []
        self.chance = random.Random(seed)
        self.pack = list(TAGS)
        self.clock_ns = 10
        self.take(LinkRestored("reader-1", (), 0, 1))

    def take(self, seen: AnyObservation) -> None:
        self.state, outcome = self.fold.apply(self.state, Event(self.state.last_seq + 1, seen))
        self.changes += outcome.changes
        self.check()

    def check(self) -> None:
        """The law of the deck: every identity is located once or unread, and the count of hands is exact."""
        proof = proof_of(self.state, self.setup)
        lying = {REGISTER.card_of(tag) for tag in self.state.lies}
        assert (proof.located, proof.cards) == (len(lying), 52)
        assert proof.located + proof.unread == 52
        assert list(self.state.watch.sightings) == sorted(STANDARD_52)
        for tag, places in self.state.lies.items():
            last = self.state.watch.sightings[REGISTER.card_of(tag) or ""]
            assert last is not None
            assert last.place == places[0]

    def press(self, *keys: str) -> None:
        for key in keys:
            self.take(KeyPressed(key, self.clock_ns, "keys-1"))

    def lay(self, tag: str, place: str) -> None:
        self.clock_ns += 1000
        self.take(CardArrived(place, tag, self.clock_ns - 10, self.clock_ns, "reader-1"))

    def gather(self) -> None:
        for tag, places in list(self.state.lies.items()):
            for place in places:
                self.take(CardDeparted(place, tag, self.clock_ns, self.clock_ns, "reader-1"))

    def hand(self, streets: int) -> None:
        """One hand with so many streets, from the shuffle to the next hand."""
        self.press("shuffle", "cut")
        self.chance.shuffle(self.pack)
        cards = iter(self.pack)
        for seat in self.state.hand.order * 2:
            self.lay(next(cards), f"seat {seat}")
        self.press("end deal", "end bet")
        for street in STREETS[:streets]:
            for place in street:
                self.lay(next(cards), place)
            self.press("end bet")
        self.press("showdown", "push")
        self.gather()
        self.press("next hand")

    def scan(self) -> None:
        self.press("scan")
        self.chance.shuffle(self.pack)
        for tag in self.pack:
            self.lay(tag, "stub")
        self.press("scan end")
        self.gather()

    def raised(self, kind: type) -> list[Change]:
        return [change for change in self.changes if change.raised and isinstance(change.finding, kind)]


class Course(NamedTuple):
    """So many hands before and after the card is taken away; when the deck is scanned in between."""

    before: int
    after: int
    scan_before: bool


SEATS = st.sets(st.integers(1, 10), min_size=2, max_size=9).map(lambda seats: tuple(sorted(seats)))
COURSES = st.builds(Course, st.integers(0, 3), st.integers(0, 4), st.booleans())


@law
@given(seats=SEATS, seed=st.integers(0, 2**32), course=COURSES, streets=st.integers(0, 3))
def test_a_card_that_is_taken_away_is_unread_then_missing_with_the_hands_at_risk(
    seats: tuple[int, ...], seed: int, course: Course, streets: int
) -> None:
    dealer = Dealer(seats, seed)
    for _ in range(course.before):
        dealer.hand(streets)
    if course.scan_before:
        dealer.scan()
        assert proof_of(dealer.state, dealer.setup).is_proven
    taken = dealer.pack.pop()
    for _ in range(course.after):
        dealer.hand(streets)
    dealer.scan()
    proof = proof_of(dealer.state, dealer.setup)
    assert (proof.unread, proof.missing) == (52, 0)  # it was gathered again: nothing lies anywhere
    assert dealer.raised(DeckDefect) == []
    last = dealer.state.watch.sightings[REGISTER.card_of(taken) or ""]
    first_scan = dealer.state.watch.scan_seq
    dealer.scan()
    [defect] = dealer.raised(DeckDefect)
    assert defect.finding == DeckDefect("missing", REGISTER.card_of(taken))
    seen = () if last is None else (last.seq,)
    assert defect.evidence == (*seen, first_scan, dealer.state.watch.scan_seq)
    proven = course.before if course.scan_before else None
    hands = tuple(range((proven or 0) + 1, course.before + course.after + 1))
    risks = [change.finding for change in dealer.raised(DeckAtRisk)]
    assert risks == ([DeckAtRisk(hands, proven)] if hands else [])
    assert proof_of(dealer.state, dealer.setup).hands_at_risk == hands


@law
@given(
    moves=st.lists(st.tuples(st.integers(0, 51), st.sampled_from(PLACES), st.booleans()), max_size=80),
    keys=st.lists(st.tuples(st.integers(0, 80), st.sampled_from(KEYS)), max_size=8),
)
def test_located_and_unread_are_the_deck_whatever_is_moved(
    moves: list[tuple[int, str, bool]], keys: list[tuple[int, str]]
) -> None:
    dealer = Dealer((1, 2, 3), 0)
    for at, (number, place, is_lifted) in enumerate(moves):
        dealer.press(*(key for when, key in keys if when == at))
        tag = TAGS[number]
        for old in dealer.state.lies.get(tag, ()):
            dealer.take(CardDeparted(old, tag, dealer.clock_ns, dealer.clock_ns, "reader-1"))
        if not is_lifted:
            dealer.lay(tag, place)
    assert not [c for c in dealer.raised(DeckDefect) if c.finding.reason != "missing"]  # type: ignore[attr-defined]


@law
@given(seats=SEATS, seed=st.integers(0, 2**32), hands=st.integers(1, 6), streets=st.integers(0, 3))
def test_honest_hands_say_nothing_of_the_deck(
    seats: tuple[int, ...], seed: int, hands: int, streets: int
) -> None:
    dealer = Dealer(seats, seed)
    dealer.scan()
    for _ in range(hands):
        dealer.hand(streets)
    assert dealer.raised(DeckDefect) + dealer.raised(DeckAtRisk) + dealer.raised(DealTooRegular) == []
    assert proof_of(dealer.state, dealer.setup).hands_at_risk == tuple(range(1, hands + 1))
    assert len(dealer.state.watch.deals) == hands
    dealer.scan()
    assert proof_of(dealer.state, dealer.setup).is_proven
