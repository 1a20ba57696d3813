"""A deal that no shuffled deck gives: found from what may be seen, at a rate that is known."""

import random
from math import comb, perm

import pytest

from shoe_bridge.table.cards import STANDARD_52
from shoe_bridge.table.deck import Deck, Register
from shoe_bridge.table.findings import DealTooRegular
from shoe_bridge.table.regularity import (
    FALSE_FLAG_RATE,
    KEPT_DEALS,
    chain_bound,
    least_alike,
    least_links,
    longest_chain,
    most_alike,
    repeat_bound,
)

TAGS = tuple(f"E0040150A0{number:06X}" for number in range(52))
NEW = Register((Deck("new", dict(zip(TAGS, STANDARD_52, strict=True))),))  # tags in turn are a new deck
STREETS = (("burn", "board", "board", "board"), ("burn", "board"), ("burn", "board"))


# -- statistics


@pytest.mark.parametrize(
    ("deal", "places"),
    [
        ("", ()),
        ("9d", (0,)),
        ("2c 3c 4c 5c", (0, 1, 2, 3)),
        ("5c 4c 3c 2c", (0, 1, 2, 3)),
        ("9d 2c 3c 4c Kh", (1, 2, 3)),
        ("2c 3c 2c Ah", (0, 1)),  # up, then down: two chains
        ("Kc Ac 2c", (0, 1)),  # the ace is high
        ("2c 3d 4c", (0,)),
        ("2c -- 4c -- 6c", (0, 2, 4)),  # as far apart as in the deal
        ("2c -- 3c", (0,)),
        ("2c 3c 4c 9h Td 9d 8d 7d", (4, 5, 6, 7)),
    ],
)
def test_longest_chain(deal, places):
    cards = [None if card == "--" else card for card in deal.split()]
    assert longest_chain(cards) == places


@pytest.mark.parametrize(
    ("deal", "earlier", "places"),
    [
        ("2c 3c 4c", "9d Td Jd", ()),
        ("2c 3c 4c", "2c 9d 4c", (0, 2)),
        ("9d 2c 3c 4c", "2c 3c 4c", (1, 2, 3)),  # cut one card higher
        ("3c 4c 5c", "2c 3c 4c 5c", (0, 1, 2)),
        ("2c -- 4c", "2c 3c 4c", (0, 2)),
    ],
)
def test_most_alike(deal, earlier, places):
    split = [[None if card == "--" else card for card in text.split()] for text in (deal, earlier)]
    assert most_alike(*split) == places


# -- thresholds


def test_thresholds_are_the_least_that_keep_the_rate():
    for cards in range(2, 53):
        links, alike = least_links(cards), least_alike(cards)
        if links < cards:
            assert chain_bound(cards, links) <= FALSE_FLAG_RATE
            assert links == 3 or chain_bound(cards, links - 1) > FALSE_FLAG_RATE
        if alike <= cards:
            assert KEPT_DEALS * repeat_bound(cards, alike) <= FALSE_FLAG_RATE
            assert KEPT_DEALS * repeat_bound(cards, alike - 1) > FALSE_FLAG_RATE


def test_thresholds_of_usual_deals():
    assert [least_links(cards) for cards in (5, 8, 28, 52)] == [4, 4, 5, 5]
    assert [least_alike(cards) for cards in (8, 16, 28, 52)] == [6, 8, 9, 12]
    assert least_alike(4) > 52  # four cards alike prove nothing


def test_the_bounds_are_those_of_the_combinatorics():
    # one place for a chain of four cards, four suits, ten lowest ranks, two directions
    assert chain_bound(4, 3) == 80 / perm(52, 4)
    assert chain_bound(13, 13) == 0.0
    assert repeat_bound(28, 9) == (comb(28, 9) + 2 * comb(28, 10)) / perm(52, 9)
    assert repeat_bound(3, 4) == 0.0


def test_the_bounds_hold_for_honest_shuffles_where_they_can_be_counted():
    """At thresholds low enough to be met often, chance meets them as often as the bounds allow. The full
    measure is in the benchmarks."""
    chance, deals, trials = random.Random(11), [], 4000
    chains, alike = 0, 0
    for _ in range(trials):
        deal = chance.sample(STANDARD_52, 28)
        chains += len(longest_chain(deal)) - 1 >= 2
        alike += any(len(most_alike(deal, past)) >= 6 for past in deals)
        deals = [*deals, deal][-2:]
    expected_chains, expected_alike = chain_bound(28, 2) * trials, 2 * repeat_bound(28, 6) * trials
    assert expected_chains == pytest.approx(69, abs=1)
    assert 45 <= chains <= 95
    assert alike <= 4 * expected_alike + 4


# -- at the table


def deal_of(t, numbers, seats=(1, 2, 3, 4), board=True):
    """Deal the cards of these numbers in turn, as a dealer who makes no mistake does."""
    cards = iter(numbers)

    def lay(*places):
        for place in places:
            t.play(f"{next(cards)} > {place}")

    lay(*[f"seat {seat}" for seat in seats] * 2)
    t.play("end deal", "end bet")
    for street in STREETS if board else ():
        lay(*street)
        t.play("end bet")


def found(t):
    return [change for change in t.changes if change.raised and isinstance(change.finding, DealTooRegular)]


def test_a_new_deck_is_found_on_the_board_while_the_hand_goes_on(table):
    t = table(register=NEW)
    deal_of(t, [*(35, 30, 21, 40, 33, 12, 50, 27), *(1, 2, 3, 4, 5, 6, 7, 8)])
    [change] = found(t)
    assert change.finding == DealTooRegular("new_deck_order", 1)
    assert change.seq == t.state.last_seq - 1  # the last card of the board, before the round was closed
    assert len(change.evidence) == 5


def test_hole_cards_say_nothing_before_the_hand_is_over(table):
    t = table(register=NEW)
    deal_of(t, [*range(1, 9), *(30, 21, 40, 33, 12, 50, 27, 45)])
    t.play("showdown")
    assert found(t) == []
    t.play("push")
    assert [change.finding for change in found(t)] == [DealTooRegular("new_deck_order", 1)]
    assert found(t)[0].evidence[-1] == t.state.last_seq


def test_hands_laid_open_are_looked_at_with_the_board(table):
    t = table(register=NEW, seats=(1, 2), button=2)
    # seats 1 and 2 hold cards 1 to 4 of a new deck, the flop begins with two more behind the burn
    deal_of(t, [1, 2, 3, 4, 5, 6, 7, 30, 21, 40, 33, 12], seats=(1, 2))
    t.play("showdown", "show 1")
    assert found(t) == []
    t.play("show 2")
    assert [change.finding.pattern for change in found(t)] == ["new_deck_order"]
    t.play("show 2", "push")
    assert len(found(t)) == 1


def test_a_hand_that_nobody_pushed_is_looked_at_when_the_next_one_begins(table):
    t = table(register=NEW)
    deal_of(t, range(1, 9), board=False)
    t.play("next hand")
    [change] = found(t)
    assert (change.finding.in_hand, change.hand) == (1, 2)
    t.play("next hand")
    assert t.standing(DealTooRegular) == []


def test_a_deal_that_comes_again_is_found_when_it_is_over(table):
    t = table(register=NEW)
    numbers = [(7 * number) % 52 + 1 for number in range(16)]
    deal_of(t, numbers)
    t.play("push", *(f"{number} < {place}" for number in numbers for place in t.state.lies[t.tag(number)]))
    t.play("next hand", "shuffle", "cut")
    deal_of(t, [52, *numbers[:15]], seats=(2, 3, 4, 1))  # the same order, cut one card higher
    assert found(t) == []
    t.play("push")
    [change] = found(t)
    assert change.finding == DealTooRegular("repeat", 2, 1)
    assert len(change.evidence) == 16


def test_only_so_many_deals_are_kept_and_only_of_hands_that_are_over(table):
    t = table(register=NEW)
    chance = random.Random(5)
    for _ in range(KEPT_DEALS + 3):
        numbers = chance.sample(range(1, 53), 8)
        before = t.state.watch.deals
        deal_of(t, numbers, seats=t.state.hand.order, board=False)
        assert t.state.watch.deals == before
        lies = [(number, place) for number in numbers for place in t.state.lies[t.tag(number)]]
        t.play("push", *(f"{number} < {place}" for number, place in lies))
        t.play("next hand", "shuffle", "cut")
    assert [deal.hand for deal in t.state.watch.deals] == list(range(4, KEPT_DEALS + 4))
    assert all(len(deal.cards) == 16 for deal in t.state.watch.deals)
    assert found(t) == []
    assert t.fold.start().watch.deals == ()


def test_a_card_of_no_deck_is_a_gap_and_hands_without_a_register_are_not_kept(table):
    t = table(register=NEW)
    t.play("1 > seat 1")
    t.first_tag = 52  # no such tag is registered
    t.play("push", "next hand")
    assert [deal.cards for deal in t.state.watch.deals] == [STANDARD_52[0]]
    t = table(register=Register(()))
    deal_of(t, range(1, 9), board=False)
    t.play("push", "next hand")
    assert t.state.watch.deals == ()
    assert found(t) == []
