"""Advice letter by letter: what may be said, on what it rests, and when it no longer holds."""

import msgspec
import pytest

from shoe_bridge.rules.advice import advise
from shoe_bridge.rules.games import open_game
from shoe_bridge.rules.profile_file import open_profile
from shoe_bridge.rules.repair import repair_moves
from shoe_bridge.table.findings import (
    HandDead,
    HandVoid,
    MisdealAdvised,
    NotMisdeal,
    PlayOut,
    RefundAll,
    Repairable,
    ReshuffleRequired,
    RuleTextMissing,
)
from shoe_bridge.table.hand import Card, Hand, new_hand

NZ = open_profile("nz-1999")
HOLDEM = open_game("holdem")
CLEAN = ["seat 1", "seat 2", "seat 3"] * 2


def hand_of(*places: str, game: str = "holdem", ended: bool = True, **facts) -> Hand:
    """Cards 1, 2 ... at these places, card n by event 10 + n; seats 1 to 3, the button at 3."""
    fresh = new_hand(1, (1, 2, 3), 3, 3, "dealt")
    order = [f"seat {seat}" for seat in fresh.order] * open_game(game).passes
    order += ["none"] * len(places)
    cards = tuple(
        Card(n, f"TAG{n}", place, order[n - 1], 10 + n, slip=place != order[n - 1])
        for n, place in enumerate(places, start=1)
    )
    settled = {"shuffle_seq": 1, "cut_seq": 2, "first_card_seq": 11, "end_deal_seq": 50 if ended else None}
    return msgspec.structs.replace(fresh, cards=cards, **(settled | facts))


def said(hand: Hand, game: str = "holdem", in_order: bool = False) -> list:
    found = advise(NZ, hand, open_game(game), in_order)
    assert all(conclusion.evidence and all(conclusion.evidence) for conclusion in found)
    return [conclusion.finding for conclusion in found]


def swapped() -> list[str]:
    return ["seat 2", "seat 1", *CLEAN[2:]]


def test_a_deal_in_order_needs_no_advice():
    assert said(hand_of(*CLEAN), in_order=True) == []


def test_two_cards_that_changed_places_can_be_put_right():
    hand = hand_of(*swapped())
    assert said(hand) == [Repairable("19.1(c)", ("1 -> seat 1", "2 -> seat 2"))]
    [conclusion] = advise(NZ, hand, HOLDEM, False)
    assert conclusion.evidence == (11, 12, 50)


def test_nothing_is_advised_before_the_dealer_called_the_deal_complete():
    assert said(hand_of(*swapped(), ended=False)) == []


@pytest.mark.parametrize(
    "facts",
    [
        {"cannot_correct_seq": 60},
        {"exposures": ((1, 30),)},
        {"acted": ((2, 60),)},  # a seat that the moves touch has acted
    ],
)
def test_what_cannot_be_put_right_is_a_misdeal_before_substantial_action(facts):
    assert said(hand_of(*swapped(), **facts)) == [MisdealAdvised("19.1(c)")]


def test_an_exposed_card_that_stays_where_it_is_does_not_hinder_the_repair():
    assert said(hand_of(*swapped(), exposures=((5, 30),)))[0] == Repairable(
        "19.1(c)", ("1 -> seat 1", "2 -> seat 2")
    )


def test_after_substantial_action_it_is_played_out():
    hand = hand_of(*swapped(), acted=((1, 60), (2, 61)))
    assert said(hand) == [NotMisdeal("19.1(c)", "substantial_action"), PlayOut("19.1(c)")]


def test_the_supervisor_s_word_ends_the_advice():
    assert said(hand_of(*swapped(), play_on_seq=70)) == [PlayOut("19.1(c)")]


def test_a_player_left_out_is_letter_d():
    hand = hand_of("seat 1", "seat 2", "seat 1", "seat 2", cannot_correct_seq=60)
    assert said(hand) == [MisdealAdvised("19.1(d)")]


def test_a_hand_dealt_to_an_empty_seat_is_letter_d_and_its_disposal_is_not_held():
    places = ["seat 1", "seat 2", "seat 3", "seat 5"] * 2
    assert said(hand_of(*places, acted=((1, 60), (2, 61)))) == [
        NotMisdeal("19.1(d)", "substantial_action"),
        PlayOut("19.1(d)"),
        RuleTextMissing("extra_hand_disposal"),
    ]


def test_a_card_too_many_goes_back_and_one_too_few_is_still_to_come():
    assert repair_moves(hand_of(*CLEAN, "seat 1"), HOLDEM) == ("7 -> stub",)
    assert repair_moves(hand_of(*CLEAN[:-1]), HOLDEM) == ("next -> seat 3",)
    assert said(hand_of(*CLEAN, "seat 1")) == [Repairable("19.1(e)", ("7 -> stub",))]


def with_board(hand: Hand, *places: str) -> Hand:
    """The next cards off the deck go to these places as community cards that come with the deal."""
    first = len(hand.cards) + 1
    board = [
        Card(n, f"TAG{n}", place, "board", 10 + n, is_hole=False, street=0)
        for n, place in enumerate(places, start=first)
    ]
    return msgspec.structs.replace(hand, cards=(*hand.cards, *board))


def test_a_community_card_of_the_deal_shifts_with_it():
    game = open_game("manila2")
    short = with_board(hand_of(*CLEAN[:-1], game="manila2"), "board")
    assert repair_moves(short, game) == ("6 -> seat 3", "next -> board")
    long = with_board(hand_of(*CLEAN, "seat 1", game="manila2"), "board")
    assert repair_moves(long, game) == ("7 -> board", "8 -> stub")


def test_a_community_card_alone_is_nothing_to_put_right():
    game = open_game("manila2")
    assert repair_moves(hand_of(*CLEAN, game="manila2"), game) == ()
    assert repair_moves(with_board(hand_of(*CLEAN, game="manila2"), "board"), game) == ()
    assert repair_moves(with_board(hand_of(*CLEAN, game="manila2"), "muck"), game) == ()


BETS = {"bets": ((1, 500), (2, 500), (3, 200))}


def test_a_wrong_count_after_action_is_void_or_dead():
    acted = {"acted": ((1, 60), (2, 61))}
    assert said(hand_of(*CLEAN, "seat 3", **acted, **BETS)) == [
        HandVoid(3, "2.00", "19.1(f)"),
        PlayOut("19.1(f)", (1, 2), "10.00"),
    ]
    assert said(hand_of(*CLEAN, "seat 2", **acted, **BETS)) == [
        HandDead(2, "19.1(f)"),
        PlayOut("19.1(f)", (1, 3), "12.00"),
    ]


def test_an_amount_that_was_not_told_is_no_zero():
    hand = hand_of(*CLEAN, "seat 3", acted=((1, 60), (2, 61)), bets=((1, 500), (3, None)))
    assert said(hand) == [HandVoid(3, None, "19.1(f)"), PlayOut("19.1(f)", (1, 2), None)]


def test_the_last_player_with_a_wrong_count_is_letter_g():
    hand = hand_of(*CLEAN, "seat 3", folded=(1, 2), over_seq=62, winner=3, acted=((1, 60), (2, 61)))
    assert said(hand) == [HandDead(3, "19.1(g)"), RefundAll("19.1(g)")]


def test_a_card_exposed_in_the_cut_is_letter_a():
    hand = msgspec.structs.replace(new_hand(1, (1, 2, 3), 3, 3, "cutting"), exposures=((None, 4),))
    assert said(hand, in_order=True) == [MisdealAdvised("19.1(a)"), ReshuffleRequired("19.1(a)")]


@pytest.mark.parametrize("missing", ["shuffle_seq", "cut_seq"])
def test_no_shuffle_or_no_cut_is_letter_b_until_substantial_action(missing):
    assert said(hand_of(*CLEAN, **{missing: None}), in_order=True) == [MisdealAdvised("19.1(b)")]
    late = hand_of(*CLEAN, **{missing: None}, acted=((1, 60), (2, 61)))
    assert said(late, in_order=True) == [PlayOut("19.1(b)")]
    assert said(hand_of(*CLEAN, **{missing: None}, tracks_shuffle=False), in_order=True) == []


def test_the_poker_letters_are_not_applied_to_another_division():
    assert said(hand_of(*swapped()), game="caribbean_stud") == []
