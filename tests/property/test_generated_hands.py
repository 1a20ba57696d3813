"""Random legal hands of every game: nothing may be concluded of them but that they are legal.

Some hundreds here; `tests/lib/generated_hands.py` deals as many as one likes. Below them stand hands that the
generator has found to be followed wrongly at some time, each cut down to what matters.
"""

from collections import Counter
from random import Random

import msgspec
import pytest
from game_sheets import GAMES, SHEETS, deal_plan
from generated_hands import LAWFUL, table_of_hands
from honest_dealer import Dealer
from played_words import TAGS, Played
from table_habits import any_habits
from watched_table import WatchedTable

from shoe_bridge.table.findings import HandOver, SubstantialAction
from shoe_bridge.table.observations import AnyObservation, CardArrived, CardDeparted, CardDrawn

TABLES, HANDS = 5, 8


@pytest.mark.parametrize("table", range(TABLES))
@pytest.mark.parametrize("game", GAMES)
def test_nothing_is_doubted_about_legal_hands(game: str, table: int) -> None:
    checked = list(table_of_hands(f"suite/{game}/{table}", HANDS, game))
    assert [(each.number, each.wrong) for each in checked if each.wrong] == []
    assert len(checked) == HANDS


def dealt_table(game: str, seed: str, hands: int) -> tuple[Dealer, list[AnyObservation]]:
    dealer = Dealer(rng := Random(seed), game, any_habits(rng))
    for _ in range(hands):
        dealer.hand()
    return dealer, dealer.felt.take()


def test_a_seed_deals_the_same_hands_again() -> None:
    encode = msgspec.json.encode
    first, again = dealt_table("draw", "a", 5)[1], dealt_table("draw", "a", 5)[1]
    assert encode(first) == encode(again)
    assert encode(first) != encode(dealt_table("draw", "b", 5)[1])


def test_the_hands_differ_in_all_that_may_differ() -> None:
    """Of some hundred tables: every number of seats, dead buttons, ends before and at the showdown."""
    met: Counter[str] = Counter()
    for table in range(120):
        game = GAMES[table % len(GAMES)]
        dealer = Dealer(rng := Random(f"variety/{table}"), game, any_habits(rng))
        for _ in range(3):
            before = list(dealer.seated)
            dealer.hand()
            met[f"{len(dealer.order)} seats"] += 1
            met["dead button"] += dealer.button is not None and dealer.button not in dealer.order
            met["all folded"] += len(dealer.left) == 1
            met["showdown"] += len(dealer.left) > 1
            met["came or went"] += before != dealer.seated
        seen = dealer.felt.take()
        lies: Counter[str] = Counter()
        for each in seen:
            if isinstance(each, CardArrived):
                met["at two places"] += lies[each.tag] > 0
                lies[each.tag] += 1
            elif isinstance(each, CardDeparted):
                lies[each.tag] -= 1
            elif isinstance(each, CardDrawn):
                met["shoe"] += 1
    wanted = [f"{seats} seats" for seats in range(2, 11)]
    wanted += ["dead button", "all folded", "showdown", "came or went", "at two places", "shoe"]
    assert {what: met[what] for what in wanted if met[what] < 3} == {}


@pytest.mark.parametrize("game", GAMES)
def test_a_hand_with_a_card_left_out_is_doubted(game: str) -> None:
    """The check is no rubber stamp: whichever card of the initial deal nobody sees, something is said."""
    dealer = Dealer(rng := Random(f"left out/{game}"), game, any_habits(rng))
    dealer.hand()
    seen = dealer.felt.take()
    size = len(deal_plan(SHEETS[game], dealer.order))
    dealt = [number for number, each in enumerate(seen) if isinstance(each, CardArrived)]
    dealt = [number for number in dealt if seen[number].place not in ("stub", "muck")][:size]  # type: ignore[union-attr]
    for number in (dealt[0], dealt[size // 2], dealt[-1]):
        table = WatchedTable(dealer.setup)
        changes = table.take([*seen[:number], *seen[number + 1 :]])
        raised = [change.finding for change in changes if change.raised]
        assert not all(isinstance(finding, LAWFUL) for finding in raised)


# -- hands that were followed wrongly once

HOLDEM_DEAL = ("seat 1", "seat 2", "seat 3", "seat 1", "seat 2", "seat 3")


def test_the_last_player_left_may_give_up_his_cards_too() -> None:
    """Everybody has folded to seat 2, who pushes his cards to the muck and is entered as such."""
    played = Played("holdem", (1, 2), 2).play("shuffle", "cut").deal("seat 1", "seat 2", "seat 1", "seat 2")
    played.play("end deal", "fold 1", "muck 2", "push")
    assert played.doubts() == []
    assert HandOver(2) in played.table.standing()


def test_against_the_dealer_one_player_left_does_not_end_the_hand() -> None:
    played = Played("caribbean_stud", (1, 2), None).play("shuffle", "cut")
    played.deal(*("seat 1", "seat 2", "dealer") * 5).play("end deal", "fold 1", "raise 2", "push")
    assert not any(isinstance(finding, HandOver) for finding in played.raised)


def test_against_the_dealer_the_last_player_may_fold_too() -> None:
    """And his cards are as little a deal as those of the others when they are read on their way."""
    played = Played("caribbean_stud", (1, 2), None).play("shuffle", "cut")
    played.deal(*("seat 1", "seat 2", "dealer") * 5).play("end deal", "fold 1", "fold 2")
    played.play("2 > seat 1", "2 < seat 2", "2 > muck", "2 < seat 1")
    assert played.doubts() == []


def test_in_the_stud_games_any_player_may_act_first() -> None:
    """The lowest card begins, and nobody sees the cards: turns are not followed."""
    played = Played("five_card_stud", (1, 2, 3), None).play("shuffle", "cut")
    played.deal(*("seat 1", "seat 2", "seat 3") * 2).play("end deal", "open 3", "call 1")
    assert SubstantialAction(2, True) in played.table.standing()


def test_the_cards_of_a_flop_may_be_read_in_any_order_after_the_shoe() -> None:
    played = Played("holdem", (1, 2, 3), 3).play("shuffle", "cut").deal(*HOLDEM_DEAL)
    played.play("end deal", "end bet").deal("burn")
    played.take(*(CardDrawn(0, "reader-1", TAGS[card], None, "down") for card in (7, 8, 9)))
    played.play("9 > board", "8 > board", "10 > board")
    assert played.doubts() == []


def test_the_button_may_be_moved_when_the_pot_is_pushed() -> None:
    played = Played("holdem", (1, 2, 3), 3, tracks_button=True).play("shuffle", "cut").deal(*HOLDEM_DEAL)
    played.play("end deal", "fold 1", "fold 2", "push", "button 1", "next hand", "shuffle", "cut")
    played.new_deck().deal("seat 2")
    assert played.doubts() == []


def test_a_player_who_sits_down_before_the_first_hand_may_get_the_button() -> None:
    """16.1(b): the first button is at the dealer's right, before the highest seat of those in the hand."""
    played = Played("holdem", (1, 2), 2, is_first_hand=True, tracks_button=True)
    played.play("sit 7", "button 7", "shuffle", "cut").deal("seat 1", "seat 2", "seat 7")
    assert played.doubts() == []


def test_cards_that_cross_an_antenna_while_they_are_gathered_are_no_deal() -> None:
    played = Played("holdem", (1, 2, 3), 3).play("shuffle", "cut").deal(*HOLDEM_DEAL)
    played.play("end deal", "fold 1", "fold 2", "push", "next hand")
    played.play("1 > seat 2", "1 < seat 1", "1 > burn", "1 < seat 2", "1 > muck", "1 < burn", "1 < muck")
    played.play("shuffle", "cut")
    assert played.doubts() == []


def test_a_discard_is_replaced_before_its_seat_is_known_to_be_empty() -> None:
    """The muck sees it at once; that it has left the seat takes two clean polls, and dealers are quick."""
    played = Played("draw", (1, 2), 2).play("shuffle", "cut").deal(*("seat 1", "seat 2") * 5)
    played.play("end deal", "end bet").deal("burn")
    played.play("1 > muck").deal("seat 1").play("1 < seat 1")
    assert played.doubts() == []


def test_a_folded_card_that_is_read_at_another_seat_on_its_way_is_no_miscount() -> None:
    played = Played("holdem", (1, 2, 3), 3).play("shuffle", "cut").deal(*HOLDEM_DEAL)
    played.play("end deal", "call 1", "fold 2")
    played.play("2 > seat 3", "2 < seat 2", "2 > muck", "2 < seat 3")
    assert played.doubts() == []


def test_a_folded_hand_is_owed_no_cards_of_the_draw() -> None:
    """Its cards go to the muck as discards do; the stub is not too short for all that."""
    played = Played("draw", tuple(range(1, 11)), 10).play("shuffle", "cut")
    played.deal(*[f"seat {seat}" for seat in range(1, 11)] * 5).play("end deal", "end bet").deal("burn")
    played.play("check 1", "fold 2", "2 > muck", "2 < seat 2", "12 > muck", "12 < seat 2")
    assert played.doubts() == []
