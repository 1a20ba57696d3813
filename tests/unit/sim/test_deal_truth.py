"""True deals: each hand follows the plan but for the one slip that its label names."""

from itertools import islice, pairwise

import pytest

from shoe_bridge.errors import UsageError
from shoe_bridge.sim.deal_truth import (
    CLEAN,
    PACES,
    SLIPS,
    TABLE_SEATS,
    TrueHand,
    hands,
    plan_of,
)

PACE = PACES["typical"]
HANDS = 60


def dealt(slip: str, count: int = HANDS, **options) -> list[TrueHand]:
    return list(islice(hands("truth", PACE, (slip,), **options), count))


def places(hand: TrueHand) -> tuple[str, ...]:
    return tuple(card.place for card in hand.cards)


def part(hand: TrueHand) -> tuple[list[str], list[str]]:
    """Where the cards of the part with the slip went, and where they were due."""
    start, end = hand.part_starts[hand.slip_part], [*hand.part_starts, len(hand.plan)][hand.slip_part + 1]
    return [c.place for c in hand.cards if c.part == hand.slip_part], list(hand.plan[start:end])


def key_ms(hand: TrueHand, key: str) -> list[int]:
    return [deed.at_ms for deed in hand.deeds if deed.what == "key" and deed.name == key]


def test_the_plan_is_two_passes_and_three_streets():
    plan, starts = plan_of(7)
    assert plan[:10] == tuple(f"seat {seat}" for seat in (8, 9, 10, 1, 2, 3, 4, 5, 6, 7))
    assert plan[10:20] == plan[:10]
    assert plan[20:] == ("burn", "board", "board", "board", "burn", "board", "burn", "board")
    assert starts == (0, 20, 24, 26)


def test_a_clean_hand_follows_the_plan():
    for hand in dealt(CLEAN, 12):
        assert places(hand) == hand.plan
        assert hand.slip_card is None
        assert hand.is_clean
        assert len({card.tag for card in hand.cards}) == len(hand.cards)


def test_the_button_moves_on_and_hands_follow_each_other():
    found = dealt(CLEAN, 12)
    assert [hand.button for hand in found] == [10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1]
    for before, hand in pairwise(found):
        assert hand.deeds[0].at_ms == before.ends_ms
    for hand in found:
        assert [deed.at_ms for deed in hand.deeds] == sorted(deed.at_ms for deed in hand.deeds)


def test_cards_of_one_part_follow_at_the_pace():
    for hand in dealt(CLEAN, 12):
        gaps = [b.at_ms - a.at_ms for a, b in pairwise(hand.cards) if a.part == b.part]
        assert min(gaps) >= PACE[0]
        assert max(gaps) <= PACE[1]
        assert len(set(gaps)) > 10


@pytest.mark.parametrize("slip", SLIPS)
def test_the_first_card_out_of_order_is_the_one_named(slip):
    for hand in dealt(slip):
        went, due = part(hand)
        first = next(card.number for card in hand.cards if card.part == hand.slip_part)
        at = len(went) if hand.slip_card is None else hand.slip_card - first
        assert went[:at] == due[:at] or slip == "early"
        if slip == "early":
            assert went == due
        elif slip in ("extra", "stuck", "extra_burn") and at == len(due):
            assert went[-1] == due[-1]  # the last place served twice
        elif at < min(len(went), len(due)):
            assert went[at] != due[at]
        assert hand.cards[-1].part == hand.slip_part


def test_each_slip_does_what_it_says():
    counts = {"skip": -1, "missing_burn": -1, "extra": 1, "stuck": 1, "extra_burn": 1}
    for slip in SLIPS:
        for hand in dealt(slip):
            went, due = part(hand)
            assert len(went) - len(due) == counts.get(slip, 0)
            if slip in ("swap", "turned", "early"):
                assert sorted(went) == sorted(due)
            if slip == "wrong":
                assert sum(a != b for a, b in zip(went, due, strict=True)) == 1
            if slip in ("missing_burn", "extra_burn"):
                assert went.count("burn") == (0 if slip == "missing_burn" else 2)
            together = [b.number for a, b in pairwise(hand.cards) if a.at_ms == b.at_ms]
            if slip != "extra_burn":
                assert together == ([hand.slip_card] if slip == "stuck" else [])


def test_burns_too_many_come_together_or_one_by_one():
    together = [any(a.at_ms == b.at_ms for a, b in pairwise(hand.cards)) for hand in dealt("extra_burn", 100)]
    assert 30 < sum(together) < 70


def test_all_places_of_a_slip_turn_up():
    assert {hand.slip_card for hand in dealt("swap", 400)} == set(range(1, 20))
    assert {hand.slip_part for hand in dealt("early", 60)} == {1, 2, 3}
    assert {hand.slip_card for hand in dealt("turned", 60)} == {1, 1 + TABLE_SEATS}


def test_an_early_street_comes_before_its_round_is_over():
    for hand in dealt("early"):
        cards = [card for card in hand.cards if card.part == hand.slip_part]
        assert len(key_ms(hand, "end bet")) == hand.slip_part - 1
        assert cards[-1].at_ms < hand.judged_ms


def test_the_end_of_the_deal_lies_behind_cards_and_key_and_before_what_follows():
    for slip in (CLEAN, *SLIPS):
        for hand in dealt(slip, 10):
            assert key_ms(hand, "end deal")[0] < hand.judged_ms
            assert hand.cards[-1].at_ms < hand.judged_ms < key_ms(hand, "supervisor play on")[0]


def test_a_shoe_is_drawn_from_in_the_order_of_the_deal():
    for hand in dealt("stuck", has_shoe=True):
        draws = [deed for deed in hand.deeds if deed.what == "draw"]
        assert [deed.name for deed in draws] == [card.tag for card in hand.cards]
        for deed, card in zip(draws, hand.cards, strict=True):
            assert deed.at_ms < card.at_ms


def test_a_reader_that_loses_its_plug_stops_the_deal():
    for hand in dealt(CLEAN, 10, readers=("reader-1", "reader-2"), replug_per_hand=1.0):
        out, back = (deed for deed in hand.deeds if deed.what in ("unplug", "replug"))
        assert (out.what, back.what, out.name) == ("unplug", "replug", back.name)
        assert not [card for card in hand.cards if out.at_ms < card.at_ms < back.at_ms + 2_000]


def test_the_same_seed_deals_the_same_hands():
    assert dealt("wrong", 5) == dealt("wrong", 5)
    other = list(islice(hands("other", PACE, ("wrong",)), 5))
    assert dealt("wrong", 5) != other


def test_an_unknown_slip_is_named():
    with pytest.raises(UsageError, match="'sleep' is no slip: use one of skip"):
        next(hands("truth", PACE, ("sleep",)))
