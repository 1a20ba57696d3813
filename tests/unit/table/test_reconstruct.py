"""What the dealer did, by the model of `deal_model.md`: each step of its table, and each kind of read.

Windows are made by hand. Tags are A, B, C … in the order in which they are given, times are seconds.
"""

import heapq
import math
from typing import Any

import pytest
from msgspec.structs import replace
from read_deal import ring_model, seats

from shoe_bridge.table import reconstruct
from shoe_bridge.table.card_times import Memo
from shoe_bridge.table.deal_model import SENSOR_LEVELS, DealModel
from shoe_bridge.table.next_card import NextCard
from shoe_bridge.table.reconstruct import explain
from shoe_bridge.table.window import Density, Due, Explanation, Heard, Sighting, Stand, Taken, Window

S_NS = 1_000_000_000
CELL_S = 0.025
TYPICAL = ring_model("typical")
CLEAN = ring_model("clean")

Read = tuple[str, float] | tuple[str, float, int]


def plan_for(count: int, streets: int = 1) -> tuple[Due, ...]:
    """Two passes to so many seats, then streets of burn and three, one, one community cards."""
    order = seats(*range(1, count + 1))
    plan = [
        Due(p, run, run == n == 0, order if n == 0 else ()) for run in (0, 1) for n, p in enumerate(order)
    ]
    for run, boards in enumerate((3, 1, 1)[:streets], start=2):
        plan.append(Due("burn", run, True, is_of_pass=False))
        plan += [Due("board", run, is_of_pass=False)] * boards
    return tuple(plan)


def sighting(tag: str, *reads: Read, gone: int = 0) -> Sighting:
    heard = [
        Heard(read[0], round(read[1] * S_NS), n, read[2] if len(read) > 2 else 3, gone if n == 1 else 0)
        for n, read in enumerate(reads, start=1)
    ]
    return Sighting(tag, tuple(heard))


def window_of(*reads: Read, now_s: float, count: int = 4, streets: int = 1) -> Window:
    """One tag per read."""
    sightings = tuple(sighting(chr(65 + n), read) for n, read in enumerate(reads))
    phases = {read[0]: round(read[1] * S_NS) for read in reads}
    return Window(
        plan_for(count, streets),
        sightings=sightings,
        phases=phases,
        now_ns=round(now_s * S_NS),
        deal_size=2 * count,
    )


def behind(window: Window, *served: str, at_s: float) -> Window:
    """With so many cards before it, the last of them at a time that is known."""
    anchor = Density(round(at_s / CELL_S), (1.0,))
    return replace(window, pointer=len(served), served=served, anchor=anchor)


def places(one: Explanation) -> tuple[str, ...]:
    return tuple(card.place for card in one.cards)


def tags(one: Explanation) -> tuple[str | None, ...]:
    return tuple(card.tag for card in one.cards)


def best(window: Window, model: DealModel = TYPICAL) -> Explanation:
    return explain(window, model)[0]


def chance(window: Window, *wanted: str, model: DealModel = TYPICAL) -> float:
    """That the cards went to these places in this order."""
    return math.fsum(one.probability for one in explain(window, model) if places(one) == wanted)


def mean_s(density: Density) -> float:
    mean = math.fsum((density.start + n + 0.5) * CELL_S * m for n, m in enumerate(density.mass))
    return mean / math.fsum(density.mass)


# -- as due, and late


def test_cards_in_order_are_explained_by_no_slip() -> None:
    found = best(window_of(("seat 1", 100.0), ("seat 2", 100.4), ("seat 3", 100.8), now_s=100.9))
    assert (places(found), found.slips, found.pointer) == (seats(1, 2, 3), 0, 3)
    assert found.probability > 0.99
    assert found.stands == (Stand(1), Stand(2), Stand(3))
    assert len(found.times) == 3


def test_a_read_that_came_late_is_put_in_order() -> None:
    window = window_of(("seat 1", 100.0), ("seat 3", 100.7), ("seat 2", 100.8), now_s=100.9)
    found = best(window)
    assert (places(found), tags(found), found.slips) == (seats(1, 2, 3), ("A", "C", "B"), 0)


def test_a_card_that_is_not_heard_yet_lies_where_it_is_due() -> None:
    window = window_of(("seat 1", 100.0), ("seat 3", 100.7), now_s=100.75)
    found = best(window)
    assert (places(found), tags(found)) == (seats(1, 2, 3), ("A", None, "B"))


def test_silence_tells_a_skip_from_a_card_that_is_late() -> None:
    early = window_of(("seat 1", 100.0), ("seat 3", 100.6), now_s=100.65)
    late = replace(early, now_ns=103 * S_NS)
    assert chance(early, *seats(1, 2, 3)) > 0.5 > chance(late, *seats(1, 2, 3))
    found = best(late)
    assert (places(found), found.slips, found.habits) == (seats(1, 3), 1, ("seat 2",))


def test_what_is_not_heard_behind_the_last_card_is_no_part_of_it() -> None:
    for one in explain(window_of(("seat 1", 100.0), now_s=100.4), TYPICAL):
        assert one.cards[-1].tag is not None


# -- the slips of the dealer


def test_another_card_for_the_place_served_last_is_extra() -> None:
    window = window_of(*[(p, 100 + 0.4 * n) for n, p in enumerate(seats(1, 2, 2, 3))], now_s=102.5)
    found = best(window)
    assert (places(found), found.slips, found.pointer) == (seats(1, 2, 2, 3), 1, 3)


def test_two_cards_that_are_one_to_the_hand_are_stuck() -> None:
    """Both are first heard in one poll, though the dealer's pace is slower than the polls."""
    slow = replace(CLEAN, dealer=replace(CLEAN.dealer, pace_ns=(450_000_000, 600_000_000)))
    reads = [("seat 1", 100.0), ("seat 2", 100.5), ("seat 2", 100.5), ("seat 3", 101.0)]
    window = window_of(*reads, now_s=102.5)
    found = best(window, slow)
    assert (places(found), found.slips) == (seats(1, 2, 2, 3), 1)
    assert mean_s(found.times[2]) == pytest.approx(mean_s(found.times[1]), abs=0.02)
    apart = best(window, replace(slow, dealer=replace(slow.dealer, stuck=1e-12)))
    assert (places(apart), apart.slips) == (seats(1, 2, 2, 3), 1)  # then it is an extra card, and later
    assert mean_s(apart.times[2]) > mean_s(apart.times[1]) + 0.03


def test_a_card_at_another_place_is_wrong_and_the_deal_goes_on_behind_it() -> None:
    window = window_of(*[(p, 100 + 0.4 * n) for n, p in enumerate(seats(1, 4, 3, 4))], now_s=103)
    found = best(window)
    assert (places(found), found.slips, found.pointer) == (seats(1, 4, 3, 4), 1, 4)


def test_two_neighbours_served_the_other_way_round_are_a_swap() -> None:
    reads = [("seat 1", 100.0), ("seat 3", 100.8), ("seat 2", 101.7), ("seat 4", 102.1)]
    found = best(window_of(*reads, now_s=103), CLEAN)
    assert (places(found), found.slips, found.pointer) == (seats(1, 3, 2, 4), 1, 4)


def test_in_the_middle_of_a_swap_the_other_place_is_still_due() -> None:
    window = behind(window_of(("seat 4", 100.4), now_s=103.5), *seats(1, 2), at_s=100.0)
    model = replace(CLEAN, dealer=replace(CLEAN.dealer, skip=1e-9, wrong=1e-9))
    found = best(window, model)
    assert (places(found), found.pointer, found.stands) == (("seat 4",), 4, (Stand(4, ("seat 3",)),))


def test_two_places_of_different_runs_are_no_swap() -> None:
    """The last seat of a pass and the first of the next are served in the wrong order: that is two slips."""
    reads = [("seat 3", 100.0), ("seat 1", 100.9), ("seat 4", 101.8)]
    window = behind(window_of(*reads, now_s=103), *seats(1, 2), at_s=99.6)
    model = replace(CLEAN, dealer=replace(CLEAN.dealer, swap=0.9e-1))
    assert all(one.slips == 2 for one in explain(window, model) if places(one) == seats(3, 1, 4))


def test_a_pass_begun_at_another_seat_is_turned() -> None:
    window = window_of(*[(p, 100 + 0.4 * n) for n, p in enumerate(seats(3, 4, 1, 2))], now_s=102.5)
    found = best(window)
    assert (places(found), found.slips) == (seats(3, 4, 1, 2), 1)
    assert [stand.queue for stand in found.stands] == [seats(4, 1, 2), seats(1, 2), seats(2), ()]
    assert found.pointer == 4


def test_a_queue_is_dealt_before_the_plan_goes_on() -> None:
    window = window_of(("seat 1", 101.2), ("seat 2", 101.6), ("seat 1", 102.0), now_s=102.1)
    window = replace(behind(window, *seats(3, 4), at_s=100.8), pointer=4, queue=seats(1, 2))
    found = best(window)
    assert (places(found), found.slips, found.pointer) == (seats(1, 2, 1), 0, 5)


def test_a_seat_that_is_not_in_the_hand_is_dealt_in() -> None:
    window = window_of(*[(p, 100 + 0.4 * n) for n, p in enumerate(seats(1, 2, 7, 3, 4))], now_s=103)
    found = best(window)
    assert (places(found), found.slips, found.habits) == (seats(1, 2, 7, 3, 4), 1, ("seat 7",))
    assert found.pointer == 4


def test_a_seat_dealt_in_fares_the_same_again_at_no_further_slip() -> None:
    window = window_of(*[(p, 100 + 0.4 * n) for n, p in enumerate(seats(1, 2, 3, 4, 7))], now_s=102)
    again = replace(window, habits=("seat 7",))
    assert (best(window).slips, best(again).slips) == (1, 0)
    assert places(best(again)) == seats(1, 2, 3, 4, 7)


def test_a_seat_that_was_skipped_is_likely_to_be_so_again() -> None:
    window = behind(window_of(("seat 3", 100.55), now_s=100.9), *seats(1, 3, 4, 1), at_s=100.0)
    window = replace(window, pointer=5)
    again = replace(window, habits=("seat 2",))
    assert chance(again, "seat 3") > 0.9 > chance(window, "seat 3")
    assert best(again).slips == 0


def test_a_street_before_its_betting_round_was_closed_is_early() -> None:
    window = behind(window_of(("burn", 110.0), now_s=112.0), *seats(1, 2, 3, 4) * 2, at_s=100.0)
    in_time, early = replace(window, streets=1), replace(window, streets=0)
    assert (best(in_time).slips, best(in_time).pointer) == (0, 9)
    assert (best(early).slips, places(best(early))) == (1, ("burn",))
    assert best(replace(window, streets=None)).slips == 0  # nobody tells of betting rounds


def test_a_street_that_is_early_begins_with_its_burn_like_any_other() -> None:
    """Where the board's antenna was polled first: no other slip makes up for the round that is open."""
    served = seats(1, 2, 3, 4) * 2
    early = replace(behind(window_of(("board", 110.0), now_s=110.05), *served, at_s=100.0), streets=0)
    assert chance(early, "burn", "board") > 0.85
    both = window_of(("board", 110.0), ("burn", 110.1), now_s=110.15)
    both = replace(behind(both, *served, at_s=100.0), streets=0)
    assert chance(both, "burn", "board") > 0.95


def test_where_the_dealer_stands_after_each_card_tells_what_he_skipped_by_then() -> None:
    window = behind(
        window_of(("seat 1", 100.4), ("seat 3", 100.8), now_s=103.0), *seats(1, 2, 3, 4), at_s=100.0
    )
    found = best(window)
    assert found.stands == (Stand(6, (), seats(2)), Stand(7, (), seats(2)))
    assert found.habits == seats(2)


def test_a_deal_called_complete_with_a_card_unheard() -> None:
    window = behind(window_of(("seat 3", 100.4), now_s=100.8), *seats(1, 2, 3, 4, 1, 2), at_s=100.0)
    window = replace(window, is_complete=True)
    found = best(window)
    assert (places(found), tags(found), found.pointer) == (seats(3, 4), ("A", None), 8)


def test_a_dealer_who_stopped_short_is_told_by_silence() -> None:
    window = behind(window_of(now_s=110.0), *seats(1, 2, 3, 4, 1, 2), at_s=100.0)
    window = replace(window, is_complete=True)
    found = best(window)
    assert (places(found), found.slips, found.pointer, found.habits) == ((), 1, 8, ())
    assert found.probability > 0.9
    never = replace(TYPICAL, dealer=replace(TYPICAL.dealer, short=1e-12, longest_ns=5 * S_NS))
    assert (best(window, never).slips, best(window, never).habits) == (2, seats(3, 4))
    soon = replace(window, now_ns=round(101.2 * S_NS))
    assert (places(best(soon)), tags(best(soon))) == (seats(3, 4), (None, None))
    assert explain(replace(window, is_complete=False), TYPICAL) == ()  # nothing is asked


def test_a_missing_burn_is_a_skip_of_it() -> None:
    reads = [("board", 110.0), ("board", 110.3), ("board", 110.6)]
    window = behind(window_of(*reads, now_s=113), *seats(1, 2, 3, 4) * 2, at_s=100.0)
    found = best(window)
    assert (places(found), found.slips) == (("board",) * 3, 1)
    assert found.habits == ()  # only a seat has a habit


def test_more_than_two_slips_are_no_explanation() -> None:
    window = window_of(*[(p, 100 + 0.4 * n) for n, p in enumerate(seats(4, 4, 4, 4, 4, 4))], now_s=104)
    assert explain(window, TYPICAL) == ()


# -- what the readers hear


def test_a_neighbour_that_hears_a_card_first_is_no_place_of_it() -> None:
    """Seat 2's antenna hears the card once, then seat 1's own again and again."""
    both = (sighting("A", ("seat 2", 100.0, 1), ("seat 1", 100.35)),)
    window = replace(window_of(("seat 1", 100.35), now_s=101.2), sightings=both)
    found = best(window)
    assert (places(found), found.slips) == (("seat 1",), 0)


def test_a_card_heard_by_a_neighbour_only_may_lie_where_it_is_due() -> None:
    one = (sighting("A", ("seat 2", 100.1, 1)),)
    window = replace(window_of(("seat 2", 100.1), now_s=100.15), sightings=one)
    assert chance(window, "seat 1") > 0.01
    thrice = replace(window, sightings=(sighting("A", ("seat 2", 100.1, 3)),), now_ns=101 * S_NS)
    assert chance(thrice, "seat 1") == 0.0  # three reads are no cross read


def test_a_card_that_is_not_read_again_is_less_likely_to_lie_where_it_was_read() -> None:
    """Where the second read would have been told; a third one says nothing by its absence any more."""
    window = window_of(("seat 2", 100.1), now_s=100.7)

    def chance_of_the_neighbour(reads: int, *retold: str) -> float:
        heard = Heard("seat 2", round(100.1 * S_NS), 1, reads, last_ns=round(100.1 * S_NS))
        return chance(replace(window, sightings=(Sighting("A", (heard,)),), retold=retold), "seat 1")

    untold = chance_of_the_neighbour(1)
    assert chance_of_the_neighbour(1, "seat 1") == untold > 0
    assert chance_of_the_neighbour(1, "seat 2") > 3 * untold
    assert chance_of_the_neighbour(3, "seat 2") == chance_of_the_neighbour(3)


def test_a_card_that_is_gone_from_a_place_is_less_likely_to_lie_there() -> None:
    reads: tuple[Read, Read] = (("seat 2", 100.0, 1), ("seat 1", 100.3, 1))
    window = window_of(("seat 1", 100.3), now_s=100.35)
    stays = replace(window, sightings=(sighting("A", *reads),))
    gone = replace(window, sightings=(sighting("A", *reads, gone=1),))
    assert chance(gone, "seat 2") < chance(stays, "seat 2")


@pytest.mark.parametrize(("served", "slips"), [(4, 0), (5, 1)])
def test_a_seat_that_is_dealt_in_again_lies_clockwise_before_the_one_that_is_due(
    served: int, slips: int
) -> None:
    """Seat 6 lies between seats 4 and 1, and not between seats 1 and 2."""
    order = seats(1, 2, 3, 4, 1, 2, 3, 4)
    window = behind(window_of(("seat 6", 100.0), now_s=100.1), *order[:served], at_s=99.5)
    found = explain(replace(window, habits=("seat 6",)), TYPICAL)
    there = [one for one in found if places(one) == ("seat 6",)]
    assert min(one.slips for one in there) == slips


# -- the next card


@pytest.mark.interpreted
def test_that_the_next_card_is_not_heard_speaks_against_what_it_would_follow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two tags were heard at seat 1, and seat 2 is silent in three polls: a second card at seat 1 would be
    followed by one at seat 2, a card at seat 2 that only seat 1 heard by one at seat 3."""
    window = behind(window_of(("seat 1", 100.0), ("seat 1", 100.4, 1), now_s=100.9), at_s=99.5)
    phases = {**window.phases, "seat 2": round(100.02 * S_NS), "seat 3": round(100.04 * S_NS)}
    window = replace(window, phases=phases)
    with_next = chance(window, "seat 1", "seat 1")
    monkeypatch.setattr(NextCard, "unheard", lambda *_: 1.0)
    assert 0.0 < with_next < chance(window, "seat 1", "seat 1") - 0.02


def test_the_next_card_may_wait_for_a_betting_round() -> None:
    """The last card of the deal is unheard, or was dealt before the one that was read last: the longer the
    silence, the more it speaks for a deal that is over."""
    window = behind(window_of(("seat 2", 101.2, 1), now_s=101.3, count=2), "seat 1", "seat 2", at_s=100.4)

    def over(now_s: float) -> float:
        later = replace(window, now_ns=round(now_s * S_NS))
        return sum(one.probability for one in explain(later, TYPICAL) if one.pointer == 4)

    assert over(101.3) < over(103.0) < over(110.0)


def test_no_silence_leaves_a_window_without_an_explanation() -> None:
    """Longer than any pause: the dealer may have stopped."""
    longest_s = TYPICAL.dealer.longest_ns / S_NS
    for count in (2, 4):
        window = window_of(("seat 1", 100.0), ("seat 2", 100.4), now_s=101 + 3 * longest_s, count=count)
        assert places(best(window)) == ("seat 1", "seat 2")


def test_the_draws_of_a_shoe_tell_that_no_card_was_dealt() -> None:
    reads = window_of(("seat 1", 100.0), ("seat 2", 100.4), now_s=103.0)
    drawn = [replace(one, drawn_ns=one.heard[0].first_ns - S_NS // 10) for one in reads.sightings]
    window = replace(reads, sightings=tuple(drawn), has_shoe=True)
    later = replace(window, now_ns=130 * S_NS)
    assert [one.probability for one in explain(window, TYPICAL)] == [
        one.probability for one in explain(later, TYPICAL)
    ]


def test_cards_deep_in_a_stack_are_missed_more_often() -> None:
    """The second burn is heard two polls late: on top of a stack of two that is nothing strange."""
    reads = [("board", 110.9)]
    served = (*seats(1, 2, 3, 4) * 2, "burn", "board", "board", "board", "burn", "board")
    window = behind(window_of(*reads, now_s=112.5, streets=3), *served, at_s=105.0)
    silent = chance(window, "burn", "board")
    once = behind(window_of(*reads, now_s=112.5, streets=3), *served[:8], "board", *served[9:], at_s=105.0)
    assert silent > chance(once, "burn", "board")


def test_an_antenna_that_was_never_heard_may_be_deaf() -> None:
    """Seat 2 gets two cards that nobody hears, at gaps that leave room for them."""
    quick = replace(TYPICAL, dealer=replace(TYPICAL.dealer, pause=1e-4, pace_ns=(350_000_000, 450_000_000)))
    at_s = [100.0, 100.8, 101.2, 101.6, 102.4, 102.8]
    reads = list(zip(seats(1, 3, 4, 1, 3, 4), at_s, strict=True))
    window = window_of(*reads, now_s=104)
    found = best(window, quick)
    assert (places(found), found.deaf, found.slips) == (seats(1, 2, 3, 4) * 2, ("seat 2",), 0)
    heard_before = replace(window, live=("seat 2",))
    assert "seat 2" not in best(heard_before, quick).deaf


def test_an_antenna_known_to_be_deaf_hears_nothing_and_costs_nothing() -> None:
    window = behind(window_of(("seat 3", 100.8), now_s=104), "seat 1", at_s=100.0)
    window = replace(window, deaf=("seat 2",))
    found = best(window)
    assert (places(found), tags(found)) == (seats(2, 3), (None, "A"))
    assert found.probability > 0.9


def test_a_card_at_a_deaf_antenna_may_be_heard_by_its_neighbour() -> None:
    """Seat 2's antenna may be deaf, or is known to be: the card that seat 3's hears once is seat 2's."""
    window = behind(window_of(("seat 3", 100.5, 1), ("seat 3", 101.0), now_s=101.6), "seat 1", at_s=100.0)
    window = replace(window, live=("seat 1",))
    maybe = {one.deaf for one in explain(window, TYPICAL) if places(one) == seats(2, 3)}
    assert maybe == {(), ("seat 2",)}
    found = best(replace(window, deaf=("seat 2",)))
    assert (places(found), tags(found), found.slips) == (seats(2, 3), ("A", "B"), 0)


def test_the_pace_tells_a_skip_from_an_unheard_card() -> None:
    """One pace after seat 1 there was no time for seat 2; two paces after it there was."""
    quick = replace(TYPICAL, dealer=replace(TYPICAL.dealer, pace_ns=(350_000_000, 450_000_000)))
    near = behind(window_of(("seat 3", 100.42), now_s=100.6), "seat 1", at_s=100.0)
    far = behind(window_of(("seat 3", 100.85), now_s=101.0), "seat 1", at_s=100.0)
    assert chance(far, *seats(2, 3), model=quick) > 0.9
    assert chance(near, "seat 3", model=quick) > 0.9


def test_with_a_shoe_the_draws_give_the_order() -> None:
    """Seat 2 is heard before seat 1, and its card was drawn first."""
    drawn = [
        replace(sighting("A", ("seat 2", 100.6)), drawn_ns=round(100.1 * S_NS)),
        replace(sighting("B", ("seat 1", 100.4)), drawn_ns=round(100.3 * S_NS)),
    ]
    window = replace(window_of(("seat 2", 100.6), ("seat 1", 100.4), now_s=103), sightings=tuple(drawn))
    for one in explain(window, TYPICAL):
        assert tags(one)[:2] == ("A", "B")
    assert places(best(window)) == seats(2, 1)


# -- the answer


@pytest.mark.parametrize("milliseconds", [0, 1, 30, 400])
def test_a_card_drawn_just_now_need_not_lie_anywhere_yet(milliseconds: int) -> None:
    """At the very time of the draw, and later."""
    now_ns = 100 * S_NS
    drawn = (
        Sighting("A", (Heard("seat 1", now_ns - S_NS // 2, 1),), now_ns - S_NS),
        Sighting("B", (), now_ns - milliseconds * 1_000_000),
    )
    window = replace(window_of(now_s=100.0), sightings=drawn, has_shoe=True, live=seats(1, 2))
    found = best(window)
    assert (places(found), tags(found), found.slips) == (seats(1, 2), ("A", "B"), 0)
    assert found.probability > 0.99


@pytest.mark.parametrize("is_complete", [False, True])
def test_probabilities_sum_to_one_the_best_first(is_complete: bool) -> None:
    window = window_of(("seat 1", 100.0), ("seat 3", 100.6), ("seat 2", 101.0), now_s=101.2)
    found = explain(replace(window, is_complete=is_complete), TYPICAL)
    chances = [one.probability for one in found]
    assert math.fsum(chances) == pytest.approx(1)
    assert chances == sorted(chances, reverse=True)
    assert all(one.times == () for one in found[1:])


def test_times_are_those_of_the_cards() -> None:
    found = best(window_of(("seat 1", 100.0), ("seat 2", 100.4), now_s=100.5), CLEAN)
    for density, at_s in zip(found.times, (100.0, 100.4), strict=True):
        assert at_s - 0.4 < mean_s(density) < at_s


def test_a_memo_changes_no_result() -> None:
    """On a window that grows read by read, and on another one in between."""
    memo = Memo()
    reads: list[Read] = [("seat 1", 100.0), ("seat 3", 100.6), ("seat 2", 101.0), ("seat 4", 101.1)]
    for count in range(1, 5):
        window = window_of(*reads[:count], now_s=reads[count - 1][1])
        assert explain(window, TYPICAL, memo) == explain(window, TYPICAL)
        other = behind(window_of(("seat 4", 200.0), now_s=200.5), *seats(1, 2), at_s=199.0)
        assert explain(other, CLEAN, memo) == explain(other, CLEAN)


def test_a_memo_keeps_the_times_of_few_windows() -> None:
    """They are forgotten where there is time for it, and at the latest after some windows."""
    memo = Memo()
    kept = []
    for second in range(20):
        window = behind(
            window_of(("seat 3", 100.5 + second), now_s=100.5 + second), "seat 1", at_s=100.0 + second
        )
        explain(window, TYPICAL, memo)
        kept.append(len(memo.over))
    assert 0 < max(kept) <= 5
    memo.forget()
    assert not memo.over


def test_which_tag_it_is_says_nothing() -> None:
    window = window_of(("seat 1", 100.0), ("seat 3", 100.6), ("seat 2", 101.0), now_s=101.2)
    names = {"A": "Z", "B": "Y", "C": "X"}
    other = replace(
        window, sightings=tuple(replace(one, tag=names[one.tag]) for one in reversed(window.sightings))
    )
    ours = [(one.probability, places(one)) for one in explain(window, TYPICAL)]
    theirs = [(one.probability, places(one)) for one in explain(other, TYPICAL)]
    assert [p for _, p in ours] == [p for _, p in theirs]
    assert [c for c, _ in ours] == pytest.approx([c for c, _ in theirs])
    assert Taken("seat 1", "Z") in best(other).cards


def test_a_search_ends_however_much_could_have_been(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads that fit no deal well: the search stops once it has something to say."""
    steps = 0

    def counted(queue: list[Any]) -> Any:
        nonlocal steps
        steps += 1
        return heapq.heappop(queue)

    monkeypatch.setattr(reconstruct, "heappop", counted)
    reads = [(place, 100 + 0.05 * n) for n, place in enumerate(seats(2, 1, 4, 3, 2, 1, 4, 3))]
    window = window_of(*reads, now_s=104.0)
    poor = replace(TYPICAL, sensor=SENSOR_LEVELS["poor"])
    whole, all_steps = explain(window, poor), steps
    monkeypatch.setattr(reconstruct, "_MOST_STEPS", all_steps // 2)
    steps = 0
    found = explain(window, poor)
    assert places(found[0]) == places(whole[0])
    assert steps < all_steps
    monkeypatch.setattr(reconstruct, "_MOST_STEPS", 0)
    steps = 0
    assert explain(window, poor) == ()
    assert steps == 0


@pytest.mark.interpreted
def test_what_there_was_no_time_for_counts_against_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    window = window_of(("seat 2", 1.0), ("seat 1", 1.3), ("seat 4", 1.8), ("seat 3", 2.0), now_s=2.5)
    whole = explain(window, TYPICAL)
    assert math.fsum(one.probability for one in whole) == pytest.approx(1.0)
    shares = []
    for steps in (200, 20, 8):
        monkeypatch.setattr(reconstruct, "_MOST_STEPS", steps)
        found = explain(window, TYPICAL)
        assert found
        shares.append(math.fsum(one.probability for one in found))
    assert shares[0] == pytest.approx(1.0)
    assert 0.0 < shares[-1] < shares[0]
    assert shares == sorted(shares, reverse=True)
