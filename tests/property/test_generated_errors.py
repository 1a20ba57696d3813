"""One error at a random place of a random hand: found at its card, settled, and the next hand followed.

Some of each kind here; `tests/lib/generated_errors.py` makes as many as one likes.
"""

import pytest
from deal_oracle import Slip, first_slip, verdict
from game_sheets import SHEETS
from generated_errors import KINDS, one_error
from played_words import Played

from shoe_bridge.table.findings import (
    BurnMoved,
    CardAfterEnd,
    DealOk,
    ExtraBurn,
    MissingBurn,
    OrderError,
    Repairable,
    RuleTextMissing,
)

CASES = 7
HOLDEM, MANILA3 = SHEETS["holdem"], SHEETS["manila3"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_is_found_for_what_it_is(kind: str) -> None:
    found = [one_error(f"suite/{number}", kind) for number in range(CASES)]
    assert [(each.case, each.game, each.wrong) for each in found if each.wrong] == []


def test_a_seed_makes_the_same_error_again() -> None:
    first, again = one_error("suite/1", "swap"), one_error("suite/1", "swap")
    assert first == again
    assert first.events > 0


# -- the oracle, held against deals that were worked out by hand


def places(*seats: int) -> list[str]:
    return [f"seat {seat}" for seat in seats]


def test_oracle_of_a_deal_in_order() -> None:
    dealt = [*places(2, 3, 1, 2, 3, 1, 2, 3, 1), "board"]
    assert first_slip(MANILA3, [2, 3, 1], dealt) is None
    assert verdict(MANILA3, [2, 3, 1], dealt) == ({}, [], [], "19.1(c)", set())


def test_oracle_of_a_player_who_is_dealt_out() -> None:
    dealt = places(1, 2, 4, 1, 2, 4)
    slip = first_slip(HOLDEM, [1, 2, 3, 4], dealt)
    assert slip == Slip(3, {"kind": "order_error", "card": 3, "got": "seat 4", "want": "seat 3"})
    found = verdict(HOLDEM, [1, 2, 3, 4], dealt)
    assert (found.counts, found.dealt_out, found.rule) == ({}, [3], "19.1(d)")
    moves = "3 -> seat 3, 4 -> seat 4, 5 -> seat 1, 6 -> seat 2, next -> seat 3, next -> seat 4"
    assert found.moves == set(moves.split(", "))


def test_oracle_of_three_cards_in_one_hand() -> None:
    dealt = places(1, 2, 3, 4, 1, 2, 2, 3, 4)
    found = verdict(HOLDEM, [1, 2, 3, 4], dealt)
    assert (found.counts, found.rule) == ({"seat 2": (3, 2)}, "19.1(e)")
    assert found.moves == {"7 -> seat 3", "8 -> seat 4", "9 -> stub"}


def test_oracle_of_a_hand_too_many() -> None:
    dealt = places(1, 2, 3, 4, 1, 2, 3, 4)
    assert first_slip(HOLDEM, [1, 2, 4], dealt) == Slip(3, {"kind": "extra_hand", "seat": 3})
    found = verdict(HOLDEM, [1, 2, 4], dealt)
    assert (found.extra_hands, found.rule) == ([3], "19.1(d)")
    moves = "3 -> seat 4, 4 -> seat 1, 5 -> seat 2, 6 -> seat 4, 7 -> stub, 8 -> stub"
    assert found.moves == set(moves.split(", "))


def test_oracle_of_a_short_deal_whose_first_community_card_took_the_last_ones_place() -> None:
    """The community card that closes the deal has its number in the order too (15.1(d))."""
    dealt = [*places(1, 2, 1, 2, 1), "board"]
    slip = first_slip(MANILA3, [1, 2], dealt)
    assert slip == Slip(6, {"kind": "order_error", "card": 6, "got": "board", "want": "seat 2"})
    assert verdict(MANILA3, [1, 2], dealt).moves == {"6 -> seat 2", "next -> board"}


# -- errors that were followed wrongly once


def holdem_to_the_flop() -> Played:
    played = Played("holdem", (1, 2), 2).play("shuffle", "cut").deal(*places(1, 2, 1, 2))
    return played.play("end deal", "end bet")


def test_a_burned_card_may_not_move_while_the_hands_are_shown() -> None:
    played = holdem_to_the_flop().deal("burn", "board", "board", "board").play("end bet", "showdown")
    played.play("5 < burn", "5 > muck")
    assert [finding.card for finding in played.raised if isinstance(finding, BurnMoved)] == [5]


def test_a_card_that_was_no_burn_may_be_taken_from_the_burns_to_its_seat() -> None:
    """Card 2 was laid there by mistake; it is a repair that was proposed."""
    played = Played("holdem", (1, 2), 2).play("shuffle", "cut")
    played.deal("seat 1", "burn", "seat 1", "seat 2").play("end deal", "2 < burn", "2 > seat 2")
    assert played.standing(DealOk) == [DealOk(4, 0, 0, 4)]
    assert not any(isinstance(finding, BurnMoved) for finding in played.raised)


def test_a_card_after_the_end_is_no_early_community_card() -> None:
    played = Played("holdem", (1, 2), 2).play("shuffle", "cut").deal(*places(1, 2, 1, 2))
    played.play("end deal", "fold 1").deal("board")
    assert [finding.card for finding in played.raised if isinstance(finding, CardAfterEnd)] == [5]
    assert played.standing(RuleTextMissing) == []


def test_a_community_card_that_went_astray_counts_when_it_is_put_on_the_board() -> None:
    played = holdem_to_the_flop().deal("burn", "board", "seat 1").play("7 < seat 1", "7 > board")
    played.deal("board").play("end bet").deal("burn", "board")
    assert [type(finding) for finding in played.doubts()] == [OrderError]
    assert played.standing(DealOk) == [DealOk(4, 4, 2, 10)]


def test_the_community_card_of_a_short_deal_is_moved_and_dealt_again() -> None:
    played = Played("manila3", (1, 2), 2).play("shuffle", "cut").deal(*places(1, 2, 1, 2, 1), "board")
    played.play("end deal")
    assert played.standing(Repairable) == [Repairable("19.1(e)", ("6 -> seat 2", "next -> board"))]
    played.play("6 < board", "6 > seat 2").deal("board").play("end bet").deal("burn", "board")
    assert played.standing(DealOk) == [DealOk(6, 2, 1, 9)]


def test_a_card_too_many_takes_the_place_of_the_first_community_card() -> None:
    played = Played("manila2", (1, 2), 2).play("shuffle", "cut").deal(*places(1, 2, 1, 2, 1), "board")
    played.play("end deal")
    assert played.standing(Repairable) == [Repairable("19.1(e)", ("5 -> board", "6 -> stub"))]


def test_a_short_deal_that_is_played_on_is_followed_by_an_ordinary_burn() -> None:
    played = Played("manila3", (1, 2), 2).play("shuffle", "cut").deal(*places(1, 2, 1, 2, 1), "board")
    played.play("end deal", "supervisor play on", "end bet").deal("burn", "board")
    assert not any(isinstance(finding, ExtraBurn) for finding in played.raised)


def test_a_second_burn_before_the_draw_is_a_burn_too_many() -> None:
    played = Played("draw", (1, 2), 2).play("shuffle", "cut").deal(*places(1, 2) * 5)
    played.play("end deal", "end bet").deal("burn", "burn")
    assert [type(finding) for finding in played.doubts()] == [ExtraBurn, RuleTextMissing]


def test_a_draw_without_its_burn_is_no_card_out_of_order() -> None:
    played = Played("draw", (1, 2), 2).play("shuffle", "cut").deal(*places(1, 2) * 5)
    played.play("end deal", "end bet", "1 < seat 1", "1 > muck").deal("seat 1")
    assert [type(finding) for finding in played.doubts()] == [MissingBurn, RuleTextMissing]
