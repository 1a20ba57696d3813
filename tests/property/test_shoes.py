"""Laws of the one-way shoes: each card once, in its order, however its copies and the line fare."""

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.vectors import vectors_of
from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.presence import Presence
from shoe_bridge.sim.angel_eye_shoe import AngelEyeShoe
from shoe_bridge.sim.bee_tek_shoe import BeeTekShoe
from shoe_bridge.sim.faults import FaultyLine, LineFaults
from shoe_bridge.sim.tags import STANDARD_52
from shoe_bridge.table.observations import AnyObservation, CardDrawn, EventsMissed, LinkRestored

MS = 1_000_000
KINDS = ("angel_eye", "bee_tek")
Shoe = AngelEyeShoe | BeeTekShoe


def shoe_of(kind: str) -> Shoe:
    return AngelEyeShoe("shoe-1") if kind == "angel_eye" else BeeTekShoe("shoe-1")


class Line:
    """A shoe and its link; the deadlines of the link come due as time passes."""

    def __init__(self, kind: str) -> None:
        self.shoe = shoe_of(kind)
        self.cable: Shoe | FaultyLine = self.shoe
        self.link = DeviceLink(LinkConfig("shoe-1", kind), Presence(), lambda tag: True)
        self.link.opened(0, 1)
        self.out: list[AnyObservation] = []
        self.now_ms = 0
        self.pass_ms(1_000)

    def pass_ms(self, duration_ms: int) -> None:
        until_ms = self.now_ms + duration_ms
        while self.now_ms < until_ms:
            self.now_ms += 10
            data = self.cable.advance(self.now_ms)
            if data:
                self.out += self.link.take(data, self.now_ms * MS)
            due_ns = self.link.next_deadline_ns()
            if due_ns is not None and due_ns <= self.now_ms * MS:
                self.out += self.link.tick(self.now_ms * MS)

    @property
    def cards(self) -> list[str | None]:
        return [one.card for one in self.out if isinstance(one, CardDrawn)]

    @property
    def missed(self) -> int:
        return sum(one.count for one in self.out if isinstance(one, EventsMissed))


CARDS = st.lists(st.sampled_from(STANDARD_52), max_size=12, unique=True)
FATE = st.sampled_from(["whole", "lost", "garbled"])
FATES = st.lists(FATE, min_size=1, max_size=5).filter(lambda fates: "whole" in fates)


@settings(max_examples=60, deadline=None)
@given(draws=CARDS.flatmap(lambda cards: st.tuples(*(st.tuples(st.just(card), FATES) for card in cards))))
def test_each_card_of_an_angel_eye_comes_once_whatever_becomes_of_its_copies(
    draws: tuple[tuple[str, list[str]], ...],
) -> None:
    line = Line("angel_eye")
    for card, fates in draws:
        line.shoe.spoil_next(*fates)
        line.shoe.draw(card)
        line.pass_ms(500)
    assert line.cards == [card for card, _ in draws]
    assert line.missed == 0


@settings(max_examples=60, deadline=None)
@given(cards=CARDS, lost=st.sets(st.integers(0, 11), max_size=8))
def test_cards_that_are_lost_with_all_copies_are_counted(cards: list[str], lost: set[int]) -> None:
    line = Line("angel_eye")
    is_lost = [index in lost for index in range(len(cards))]
    for card, gone in zip(cards, is_lost, strict=True):
        if gone:
            line.shoe.spoil_next("lost")
        line.shoe.draw(card)
        line.pass_ms(500)
    assert isinstance(line.shoe, AngelEyeShoe)
    line.shoe.report("standby")
    line.pass_ms(500)
    assert line.cards == [card for card, gone in zip(cards, is_lost, strict=True) if not gone]
    assert line.missed == sum(is_lost)


@settings(max_examples=60, deadline=None)
@given(draws=st.lists(st.tuples(st.sampled_from(STANDARD_52), st.booleans(), st.booleans()), max_size=12))
def test_the_records_of_a_bee_tek_keep_their_order_and_a_garbled_one_is_doubt(
    draws: list[tuple[str, bool, bool]],
) -> None:
    line = Line("bee_tek")
    line.shoe.draw("2c")
    line.pass_ms(2_000)
    for card, shares, garbled in draws:
        if garbled:
            line.shoe.spoil_next("garbled")
        elif shares:
            assert isinstance(line.shoe, BeeTekShoe)
            line.shoe.share_blank()
            line.shoe.draw(card)
        line.shoe.draw(card)
        line.pass_ms(2_000)
    told = [
        [card, card] if shares and not garbled else [card] * (not garbled) for card, shares, garbled in draws
    ]
    assert line.cards == ["2c", *(card for cards in told for card in cards)]
    assert line.missed == sum(garbled for _, _, garbled in draws)


def streams(kind: str) -> st.SearchStrategy[bytes]:
    """What a shoe says, what other devices say, and noise."""
    shoe = shoe_of(kind)
    shoe.advance(1_000)
    lines = []
    for card in STANDARD_52[:9]:
        shoe.draw(card)
        lines.append(shoe.advance(shoe.now_ms + 1_000))
    others = [vector.stream for other in ("tablelink", "pepper_c1") for vector in vectors_of(other)]
    own = [vector.stream for vector in vectors_of(kind)]
    piece = st.one_of(
        st.sampled_from(lines), st.sampled_from(others), st.sampled_from(own), st.binary(max_size=20)
    )
    return st.lists(piece, max_size=8).map(b"".join)


STREAMS = {kind: streams(kind) for kind in KINDS}


@settings(max_examples=100, deadline=None)
@given(kind=st.sampled_from(KINDS), data=st.data())
def test_any_cutting_of_a_shoe_s_stream_tells_the_table_the_same(kind: str, data: st.DataObject) -> None:
    stream = data.draw(STREAMS[kind])
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))

    def told(edges: list[int]) -> list[AnyObservation]:
        link = DeviceLink(LinkConfig("shoe-1", kind), Presence(), lambda tag: True)
        link.opened(0, 1)
        out = [one for start, stop in pairwise(edges) for one in link.take(stream[start:stop], 5 * MS)]
        return out + link.tick(10_000 * MS) + link.closed(20_000 * MS, "the end")

    assert told([0, *cuts, len(stream)]) == told([0, len(stream)])


@settings(max_examples=60, deadline=None)
@given(kind=st.sampled_from(KINDS), noise=st.binary(max_size=40), card=st.sampled_from(STANDARD_52))
def test_behind_any_noise_the_next_card_is_told_and_none_is_made(kind: str, noise: bytes, card: str) -> None:
    line = Line(kind)
    line.shoe.noise(noise)
    line.pass_ms(500)
    made = line.cards
    line.shoe.draw(card)
    line.pass_ms(500)
    assert made == []
    assert line.cards == [card]
    assert any(isinstance(one, LinkRestored) for one in line.out)
    assert line.link.sends() == []


@pytest.mark.parametrize("seed", range(4))
def test_over_a_bad_cable_each_card_of_an_angel_eye_is_told_or_counted(seed: int) -> None:
    line = Line("angel_eye")
    cable = FaultyLine(line.shoe, LineFaults(drop=0.02, flip=0.02, delay_ms=40), random.Random(seed))
    cards = [card for _ in range(8) for card in STANDARD_52]
    line.cable = cable
    for card in cards:
        line.shoe.draw(card)
        line.pass_ms(400)
    assert cable.dropped + cable.flipped > 300
    told = iter(cards)
    assert all(card in told for card in line.cards)  # each behind the one before it
    assert 0 < len(cards) - len(line.cards) == line.missed < 30


def test_over_a_bad_cable_a_bee_tek_is_told_in_order_and_its_gaps_are_doubt() -> None:
    line = Line("bee_tek")
    line.cable = FaultyLine(line.shoe, LineFaults(drop=0.005), random.Random(1))
    cards = [card for _ in range(4) for card in STANDARD_52]
    for card in cards:
        line.shoe.draw(card)
        line.pass_ms(1_500)
    told = iter(cards)
    assert all(card in told for card in line.cards)
    lost = len(cards) - len(line.cards)
    assert 0 < lost <= line.missed
