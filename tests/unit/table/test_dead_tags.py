"""Cards whose tags are dead: what is known of them from hand to hand."""

import pytest
from msgspec.structs import replace
from read_deal import CYCLE_MS, TAGS, ReadTable, ring_model, two_passes

from shoe_bridge.table.dead_tags import chance_of_dead, close_hand
from shoe_bridge.table.deal_model import Certainty, DealModel
from shoe_bridge.table.deck import Deck, DeckWatch, Register, Sighting, watch_of
from shoe_bridge.table.findings import Equipment
from shoe_bridge.table.following import Following
from shoe_bridge.table.hand import Card, Hand, new_hand


def seen_in(*hands: int | None, first: int = 1) -> DeckWatch:
    """Of each card the last hand in which it was seen, None: never; from hand `first` to 20."""
    seen = [None if last is None else Sighting("seat 1", 1, 1, last) for last in hands]
    return DeckWatch({str(number): one for number, one in enumerate(seen)}, runs=((first, 20),))


TYPICAL = ring_model()
HALF = (20, 19, 20, 18, 20, 19, 20, 17, 20, 19)  # each hand sees about half of the cards


@pytest.mark.parametrize("last", [3, 1, None])
def test_a_card_unseen_for_far_longer_than_the_others_is_suspected_to_be_dead(last: int | None) -> None:
    assert 0.2 < 52 * chance_of_dead(seen_in(*HALF, last), 20, 1e-6) < 1


def test_a_card_unseen_for_a_while_is_not() -> None:
    assert chance_of_dead(seen_in(*HALF, 14), 20, 1e-6) == 0.0
    assert chance_of_dead(seen_in(*[20] * 11), 20, 1e-6) == 0.0
    assert chance_of_dead(seen_in(), 20, 1e-6) == 0.0


def test_what_each_hand_sees_is_taken_from_the_other_cards() -> None:
    """Where few cards are dealt, sixteen hands are no long time."""
    few = (20, 17, 12, 19, 8, 15, 18, 11, 5, 16)
    assert chance_of_dead(seen_in(*few, 4), 20, 1e-6) == 0.0


def test_a_card_never_seen_is_unseen_since_the_deck_came() -> None:
    assert chance_of_dead(seen_in(*HALF, None, first=18), 20, 1e-6) == 0.0
    assert chance_of_dead(replace(seen_in(*HALF, None), runs=()), 20, 1e-6) == 0.0


def test_where_every_card_is_seen_in_each_hand_few_hands_are_enough() -> None:
    assert 52 * chance_of_dead(seen_in(*[20] * 10, 15), 20, 1e-6) > 0.5


def after_a_hand(*, hidden: str | None = None) -> ReadTable:
    """A hand was dealt at a table whose tags die often; the next one has begun. The gap about a card that was
    hidden was too long for a seat that was skipped, and it was asked for in vain."""
    table = ReadTable(model=replace(TYPICAL, sensor=replace(TYPICAL.sensor, dead=1e-4)))
    if hidden is not None:
        table.hide(hidden)
    table.lay(*two_passes(table), pace_ms=500)
    table.press("end deal")
    table.run_for(20 * CYCLE_MS)
    assert table.standing(Equipment) == ([Equipment("unread_card", "seat 2")] if hidden else [])
    table.next_hand()
    return table


def chance_of_skip(table: ReadTable) -> float:
    """Nothing is heard at seat 3, the gap being as long as two short ones."""
    table.lay("seat 1", "seat 2", "seat 4", pace_ms=580)
    table.run_for(4 * CYCLE_MS)
    return sum(one.probability for one in table.following.explanations if one.slips)


def test_after_a_card_that_nobody_heard_the_next_one_may_be_dead_too() -> None:
    usual, table = after_a_hand(), after_a_hand(hidden=TAGS[5])
    assert (usual.state.watch.dead_since, usual.state.learned.dead) == (0, 0.0)
    assert (table.state.watch.dead_since, table.state.learned.dead) == (1, pytest.approx(0.5 / 52))
    assert 0.5 < chance_of_skip(table) < Certainty().certain < chance_of_skip(usual)


def hand_of(*places: str) -> Hand:
    """Of cards at these places; nobody heard those whose place has a `?`."""
    cards = []
    for number, place in enumerate(places):
        at = place.removesuffix("?")
        cards.append(Card(number, TAGS[number] if at == place else f"?{number}", at, at, number))
    return replace(new_hand(2, (1, 2), 2, 2, "over"), cards=tuple(cards))


@pytest.mark.parametrize("tags", [{}, {TAGS[0]: "Ah"}])
def test_where_no_deck_is_registered_nothing_is_known_of_its_tags(tags: dict[str, str]) -> None:
    watch = replace(watch_of(Register((Deck("blue", tags),) if tags else ())), runs=((1, 1),))
    closed = close_hand(watch, hand_of("seat 1?"), Following(2, live=("seat 1",)), TYPICAL)
    assert chance_of_dead(closed, 1, 1e-6) == 0.0


def test_that_is_forgotten_when_every_card_has_been_seen_since() -> None:
    watch = after_a_hand(hidden=TAGS[5]).state.watch
    for last_of_one, since in ((None, 1), (0, 1), (1, 0), (2, 0)):
        seen = {card: Sighting("stub", 1, 1, 2) for card in watch.sightings}
        seen["Ah"] = None if last_of_one is None else Sighting("stub", 1, 1, last_of_one)
        told = close_hand(replace(watch, sightings=seen), hand_of(), Following(2), TYPICAL)
        assert told.dead_since == since


POOR = ring_model("poor")


@pytest.mark.parametrize(
    ("model", "places", "since"),
    [
        (TYPICAL, ("seat 1?",), 2),
        (TYPICAL, ("seat 1", "seat 1"), 0),
        (TYPICAL, ("seat 2?",), 0),  # its antenna heard nothing
        (TYPICAL, ("seat 3?",), 0),  # it is deaf
        (TYPICAL, ("seat 1", "seat 1", "seat 1?"), 2),
        (POOR, ("seat 1", "seat 1?"), 2),
        (POOR, ("seat 1", "seat 1", "seat 1?"), 0),  # so deep in a pile one poll in ten hears it
        (POOR, ("board", "board", "board?"), 2),  # there is no pile
    ],
)
def test_a_card_is_dead_where_its_antenna_heard_others_and_would_hardly_have_missed_it(
    model: DealModel, places: tuple[str, ...], since: int
) -> None:
    now = Following(2, live=("seat 1", "seat 3", "board"), deaf=(("seat 3", 0.999999),))
    assert close_hand(seen_in(*HALF), hand_of(*places), now, model).dead_since == since


def test_a_card_that_is_still_open_at_the_end_may_only_be_late() -> None:
    now = Following(2, live=("seat 1",), base=hand_of("seat 1"))
    assert close_hand(seen_in(*HALF), hand_of("seat 1", "seat 1?"), now, TYPICAL).dead_since == 0
