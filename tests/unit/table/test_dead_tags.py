"""Cards whose tags are dead: what is known of them from hand to hand."""

import pytest
from msgspec.structs import replace
from read_deal import CYCLE_MS, TAGS, ReadTable, ring_model, two_passes

from shoe_bridge.table.dead_tags import chance_of_dead, close_hand
from shoe_bridge.table.deal_model import Certainty
from shoe_bridge.table.deck import Deck, DeckWatch, Register, Sighting, watch_of
from shoe_bridge.table.findings import Equipment
from shoe_bridge.table.following import Following
from shoe_bridge.table.hand import new_hand


def seen_in(*hands: int | None, first: int = 1) -> DeckWatch:
    """Of each card the last hand in which it was seen, None: never; from hand `first` to 20."""
    seen = [None if last is None else Sighting("seat 1", 1, 1, last) for last in hands]
    return DeckWatch({str(number): one for number, one in enumerate(seen)}, runs=((first, 20),))


HALF = (20, 19, 20, 18, 20, 19, 20, 17, 20, 19)  # each hand sees about half of the cards


@pytest.mark.parametrize("last", [3, 1, None])
def test_a_card_unseen_for_far_longer_than_the_others_is_suspected_to_be_dead(last: int | None) -> None:
    assert 0.02 < chance_of_dead(seen_in(*HALF, last), 20, 1e-6) < 1 / 11


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
    assert chance_of_dead(seen_in(*[20] * 10, 15), 20, 1e-6) > 0.05


def after_a_hand(*, hidden: str | None = None) -> ReadTable:
    """A hand was dealt at a table whose tags die often; the next one has begun. The gap about a card that was
    hidden was too long for a seat that was skipped, and it was asked for in vain."""
    model = ring_model()
    table = ReadTable(model=replace(model, sensor=replace(model.sensor, dead=1e-4)))
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


@pytest.mark.parametrize("tags", [{}, {TAGS[0]: "Ah"}])
def test_where_no_deck_is_registered_nothing_is_known_of_its_tags(tags: dict[str, str]) -> None:
    watch = watch_of(Register((Deck("blue", tags),) if tags else ()))
    now = Following(1, asked=("seat 1",), live=("seat 1",))
    closed = close_hand(replace(watch, runs=((1, 1),)), new_hand(1, (1, 2), 2, 2, "over"), now)
    assert chance_of_dead(closed, 1, 1e-6) == 0.0


def test_that_is_forgotten_when_every_card_has_been_seen_since() -> None:
    watch = after_a_hand(hidden=TAGS[5]).state.watch
    now, hand = Following(2), new_hand(2, (1, 2), 2, 2, "over")
    for last_of_one, since in ((None, 1), (0, 1), (1, 0), (2, 0)):
        seen = {card: Sighting("stub", 1, 1, 2) for card in watch.sightings}
        seen["Ah"] = None if last_of_one is None else Sighting("stub", 1, 1, last_of_one)
        assert close_hand(replace(watch, sightings=seen), hand, now).dead_since == since


@pytest.mark.parametrize(
    ("asked", "live", "deaf", "since"),
    [
        (("seat 1",), ("seat 1",), (), 2),
        (("seat 1",), (), (), 0),  # its antenna heard nothing
        (("seat 1",), ("seat 1",), (("seat 1", 0.999999),), 0),
        (("burn",), ("burn",), (), 0),  # a pile too deep to tell
        ((), ("seat 1",), (), 0),
    ],
)
def test_only_an_antenna_that_hears_others_there_tells_of_a_dead_tag(
    asked: tuple[str, ...], live: tuple[str, ...], deaf: tuple[tuple[str, float], ...], since: int
) -> None:
    now = Following(2, asked=asked, live=live, deaf=deaf)
    assert close_hand(seen_in(*HALF), new_hand(2, (1, 2), 2, 2, "over"), now).dead_since == since
