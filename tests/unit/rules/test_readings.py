"""The readings that can be switched: each setting leads to the other conclusion, and to no other."""

import msgspec
import pytest

from shoe_bridge.rules.action import count_action, has_substantial_action
from shoe_bridge.rules.advice import advise
from shoe_bridge.rules.book import Book
from shoe_bridge.rules.games import open_game
from shoe_bridge.rules.profile import Settings
from shoe_bridge.rules.profile_file import open_profile
from shoe_bridge.table.findings import (
    HandDead,
    Jackpot,
    MisdealAdvised,
    MissingBurn,
    NotMisdeal,
    PlayOut,
    PotSplit,
    RefundAll,
    Repairable,
    RuleTextMissing,
)
from shoe_bridge.table.hand import BOARD, Card, Hand, new_hand
from shoe_bridge.table.money import Money

HOLDEM = open_game("holdem")
CLEAN = ["seat 1", "seat 2", "seat 3"] * 2


def hand_of(*places: str, **facts) -> Hand:
    fresh = new_hand(1, (1, 2, 3), 3, 3, "dealt")
    order = [f"seat {seat}" for seat in fresh.order] * 2 + ["none"] * len(places)
    cards = tuple(
        Card(n, f"TAG{n}", place, want, 10 + n, slip=place != want)
        for n, (place, want) in enumerate(zip(places, order, strict=False), start=1)
    )
    settled = {"shuffle_seq": 1, "cut_seq": 2, "first_card_seq": 11, "end_deal_seq": 50}
    return msgspec.structs.replace(fresh, cards=cards, **(settled | facts))


def said(profile, hand: Hand, game=HOLDEM, in_order: bool = False) -> list:
    return [conclusion.finding for conclusion in advise(profile, hand, game, in_order)]


def acted(*actions: tuple[int, str]) -> dict:
    """These actions in turn, by events 60, 61 ..."""
    seats = list(dict.fromkeys(seat for seat, _ in actions))
    return {
        "actions": tuple((seat, word, 60 + n) for n, (seat, word) in enumerate(actions)),
        "acted": tuple((seat, 60 + n) for n, seat in enumerate(seats)),
    }


# -- A1


@pytest.mark.parametrize(
    ("actions", "by_players", "by_actions"),
    [
        ([], False, False),
        ([(1, "raise")], False, False),
        ([(1, "check"), (2, "check")], True, False),
        ([(1, "fold"), (2, "fold")], True, False),
        ([(1, "call"), (2, "fold")], True, True),
        ([(1, "check"), (2, "open")], True, True),
        ([(1, "check"), (2, "check"), (3, "fold")], True, True),
        ([(1, "check"), (1, "check"), (1, "check")], False, True),
    ],
)
def test_a1_players_or_actions(actions, by_players, by_actions):
    hand = hand_of(*CLEAN, **acted(*actions))
    assert has_substantial_action(open_profile("nz-1999").settings, hand) is by_players
    assert has_substantial_action(open_profile("tda").settings, hand) is by_actions
    counted = count_action(open_profile("tda").settings, hand)
    assert (counted.count, counted.is_substantial) == (len(actions), by_actions)
    assert len(counted.evidence) == len(actions)


def test_a1_how_many_and_whether_forced_bets_count(house):
    one = hand_of(*CLEAN, blinds=(1, 2), **acted((3, "call")))
    two = hand_of(*CLEAN, **acted((3, "call"), (1, "call")))
    assert not has_substantial_action(Settings(), one)
    assert has_substantial_action(house("[settings]\nforced_bets_count = true").settings, one)
    assert not has_substantial_action(house("[settings]\naction_players = 3").settings, two)
    assert count_action(Settings(forced_bets_count=True), one).count == 3


# -- A2, A3


def test_a2_a_literal_19_1_f_never_proposes_a_repair(house):
    hand = hand_of(*CLEAN, "seat 1")
    assert said(open_profile("nz-1999"), hand) == [Repairable("19.1(e)", ("7 -> stub",))]
    literal = house("[settings]\ncounts_put_right_first = false")
    assert said(literal, hand) == [MisdealAdvised("19.1(f)")]
    swapped = hand_of("seat 2", "seat 1", *CLEAN[2:])
    assert isinstance(said(literal, swapped)[0], Repairable)


def test_a3_the_only_actor_with_a_wrong_count_is_dead_at_once(house):
    hand = hand_of(*CLEAN, "seat 1", **acted((1, "call")))
    assert said(open_profile("nz-1999"), hand) == [MisdealAdvised("19.1(f)")]
    found = said(house('[settings]\nearly_actor = "dead"'), hand)
    assert found == [HandDead(1, "19.1(f)"), PlayOut("19.1(f)", (2, 3), "0.00")]


# -- A6, A7


def test_a6_a_burn_before_community_card_1(house):
    game = open_game("manila3")
    assert Book(open_profile("nz-1999")).fit(game) == game
    burned = Book(house("[settings]\nburn_before_first_board = true")).fit(game)
    assert [street.burn for street in burned.streets] == [True] * 5
    assert Book(house("[settings]\nburn_before_first_board = true")).fit(HOLDEM) == HOLDEM


def test_a6_the_deal_is_followed_either_way(house, fold_of):
    words = ["seat 1", "seat 2"] * 3
    plain = fold_of(open_profile("nz-1999"), "manila3", (1, 2), 2)
    plain.deal(*words, "board")
    assert plain.kinds() == set()
    burning = fold_of(house("[settings]\nburn_before_first_board = true"), "manila3", (1, 2), 2)
    burning.deal(*words, "burn", "board")
    assert burning.kinds() == set()
    skipped = fold_of(house("[settings]\nburn_before_first_board = true"), "manila3", (1, 2), 2)
    skipped.deal(*words, "board")
    assert MissingBurn(1, "15.1(d)") in skipped.standing()


def test_a7_a_missed_burn_as_dealing_out_of_order(house):
    flop = Card(7, "TAG7", BOARD, BOARD, 70, is_hole=False, fault="missing_burn", street=0)
    early = hand_of(*CLEAN)
    early = msgspec.structs.replace(early, cards=(*early.cards, flop))
    late = msgspec.structs.replace(early, **acted((1, "call"), (2, "call")))
    assert said(open_profile("nz-1999"), early) == []
    other = house("[settings]\nmissed_burn_is_out_of_order = true")
    assert said(other, early) == [MisdealAdvised("19.1(c)")]
    assert said(other, late) == [NotMisdeal("19.1(c)", "substantial_action")]


# -- A15, A16


def test_a15_the_last_player_left_needs_a_showdown(house):
    facts = {"folded": (1, 2), "over_seq": 70, "winner": 3, **acted((1, "call"), (2, "call"))}
    hand = hand_of(*CLEAN, "seat 3", **facts)
    shown = hand_of(*CLEAN, "seat 3", showdown_seq=80, **facts)
    dead = [HandDead(3, "19.1(g)"), RefundAll("19.1(g)")]
    other = house("[settings]\nlast_player_needs_showdown = true")
    assert said(open_profile("nz-1999"), hand) == dead
    assert (said(other, hand), said(other, shown)) == ([], dead)


def test_a16_exposed_cards_found_after_substantial_action(house):
    draw = open_game("draw")
    hand = hand_of(
        *["seat 1", "seat 2", "seat 3"] * 5, exposures=((2, 30), (5, 31)), **acted((1, "call"), (2, "call"))
    )
    assert said(open_profile("nz-1999"), hand, draw, True) == [MisdealAdvised("19.1(i)")]
    other = house('[settings]\nexposed_after_action = "play_out"')
    assert said(other, hand, draw, True) == [
        NotMisdeal("19.1(i)", "substantial_action"),
        PlayOut("19.1(i)"),
    ]


def test_one_card_exposed_twice_is_one_card():
    hand = hand_of(*["seat 1", "seat 2", "seat 3"] * 5, exposures=((2, 30), (2, 31)))
    assert said(open_profile("nz-1999"), hand, open_game("draw"), True) == [NotMisdeal("19.1(i)", "one_card")]


# -- A12


@pytest.mark.parametrize(
    ("lines", "gets", "after"),
    [
        ("", "2000.01", "18000.05"),
        ('[settings]\ncent_fractions = "nearest"', "2000.01", "18000.05"),
        ('[settings]\ncent_fractions = "down"', "2000.00", "18000.04"),
        ('[settings]\ncent_fractions = "up"', "2000.01", "18000.05"),
    ],
)
def test_a12_fractions_of_a_cent(house, lines: str, gets: str, after: str):
    hand, identities = shown_hand({"seat 1": "5d 6d 7d 8d 9d"}, 0)
    hand = msgspec.structs.replace(hand, wagers=(1,), pots=())
    found = Book(house(lines)).settle(
        hand, open_game("caribbean_stud"), Money(pool_cents=20_000_05), identities.get
    )
    assert [conclusion.finding for conclusion in found] == [
        Jackpot({"1": gets}, "0.00", after, has_fraction=True)
    ]


# -- A13, A14


def shown_hand(cards: dict[str, str], cents: int) -> tuple[Hand, dict[str, str]]:
    """A hand laid open: `cards` by place; the tag of a card is the card."""
    laid = [(place, card) for place, held in cards.items() for card in held.split()]
    hand = new_hand(1, (1, 2), 2, 2, "showdown")
    dealt = tuple(Card(n, f"T{card}", place, place, 10 + n) for n, (place, card) in enumerate(laid, start=1))
    hand = msgspec.structs.replace(hand, cards=dealt, showdown_seq=80, pots=((cents, (), 90),))
    return hand, {f"T{card}": card for _, card in laid}


def split(profile, cards: dict[str, str], cents: int = 500, game=HOLDEM) -> list:
    hand, identities = shown_hand(cards, cents)
    found = Book(profile).settle(hand, game, Money(chip_cents=100), identities.get)
    return [conclusion.finding for conclusion in found]


TIED = {"seat 1": "Kh 2s", "seat 2": "Kd 3c", "board": "Ks Qc Jd 9h 7c"}  # seat 1 has the king of hearts
SUITED = {"seat 1": "Kh 5d", "seat 2": "Kd 5s", "board": "Ks Qc 5c 5h 7c"}  # all four hole cards play
BOARD_PLAYS = {"seat 1": "2h 3d", "seat 2": "2d 4s", "board": "As Ks Qs Js Ts"}


def test_a13_rank_or_suit_first(house):
    suit_first = house('[settings]\nodd_chip_order = "suit_first"')
    assert split(open_profile("nz-1999"), SUITED) == [PotSplit(1, {"1": "3.00", "2": "2.00"})]
    assert split(suit_first, SUITED) == [PotSplit(1, {"1": "2.00", "2": "3.00"})]
    assert split(suit_first, TIED) == split(open_profile("nz-1999"), TIED)
    assert split(suit_first, SUITED, 400) == [PotSplit(1, {"1": "2.00", "2": "2.00"})]


def test_a14_the_board_plays(house):
    highest = house('[settings]\nodd_chip_board_plays = "highest_hole_card"')
    assert split(open_profile("nz-1999"), BOARD_PLAYS) == [RuleTextMissing("odd_chip_board_plays")]
    assert split(highest, BOARD_PLAYS) == [PotSplit(1, {"1": "2.00", "2": "3.00"})]
    assert split(highest, TIED) == split(open_profile("nz-1999"), TIED)


def test_nothing_is_divided_anew_where_nothing_was_divided(house):
    profile = house('[settings]\nodd_chip_order = "suit_first"\nodd_chip_board_plays = "highest_hole_card"')
    unknown = {"seat 1": "Kh 2s", "board": "Ks Qc"}
    assert split(profile, unknown) == []
