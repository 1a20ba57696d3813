"""Tournament rules: what they decide otherwise than the gazette, and what they do not say."""

import msgspec
import pytest

from shoe_bridge.rules.advice import advise
from shoe_bridge.rules.book import open_book
from shoe_bridge.rules.games import game_names, open_game
from shoe_bridge.rules.profile_file import open_profile
from shoe_bridge.table.findings import (
    Conclusion,
    CountError,
    DeckDefect,
    ExtraHand,
    HandDead,
    MisdealAdvised,
    NotMisdeal,
    PlayOut,
    RefundAll,
    Repairable,
    ReshuffleRequired,
    RuleTextMissing,
)
from shoe_bridge.table.hand import Card, new_hand

TDA = open_profile("tda")
FULL = ["seat 1", "seat 2", "seat 3", "seat 4"] * 2


@pytest.fixture
def table(fold_of):
    return fold_of(TDA, "holdem", (1, 2, 3, 4), 4)


@pytest.fixture
def gazette_table(fold_of):
    return fold_of(open_profile("nz-1999"), "holdem", (1, 2, 3, 4), 4)


@pytest.mark.parametrize(
    "places",
    [
        ["seat 2", "seat 1", *FULL[2:]],  # the first card at the wrong seat
        [*FULL[:4], "seat 4", *FULL[4:7]],  # two running to the button
        [*FULL, "seat 1"],  # one card too many
    ],
)
def test_the_same_hand_is_judged_by_either_book(table, gazette_table, places):
    table.deal(*places)
    gazette_table.deal(*places)
    table.play("end deal")
    gazette_table.play("end deal")
    assert any(isinstance(finding, Repairable) for finding in gazette_table.standing())
    assert not any(isinstance(finding, Repairable) for finding in table.standing())


def test_two_running_to_the_button_leave_the_deal_in_order_at_every_card(table):
    for place in [*FULL[:4], "seat 4", *FULL[4:7]]:
        table.deal(place)
        assert table.standing() == []
    table.play("end deal")
    assert table.kinds() == {"deal_ok", "substantial_action"}


def test_two_running_to_another_seat_are_out_of_order(table):
    table.deal(*FULL[:3], "seat 3")
    assert table.kinds() == {"order_error"}


def test_two_running_to_the_button_and_an_error_besides(table):
    table.deal(*FULL[:4], "seat 4", "seat 1", "seat 3")
    assert "order_error" in table.kinds()


def test_three_passes_let_the_button_be_doubled_in_either(fold_of):
    for at in (3, 6):
        dealt = ["seat 1", "seat 2", "seat 3"] * 3
        last = dealt.pop(at + 2)
        followed = fold_of(TDA, "manila3", (1, 2, 3), 3)
        followed.deal(*dealt[:at], last, *dealt[at:])
        assert followed.standing() == []


def test_a_hand_dealt_in_wrongly_is_a_misdeal_until_substantial_action(table):
    table.deal("seat 1", "seat 2", "seat 3", "seat 4", "seat 5", *FULL[4:], "seat 5")
    table.play("end deal")
    rule = "TDA 35-A(3)"
    assert ExtraHand(5, rule) in table.standing()
    assert MisdealAdvised(rule) in table.standing()
    table.play("call 1", "raise 2")
    standing = table.standing()
    assert MisdealAdvised(rule) not in standing
    assert {NotMisdeal(rule, "substantial_action"), PlayOut(rule)} < set(standing)
    assert RuleTextMissing("extra_hand_disposal") in standing


def test_two_cards_too_many_after_substantial_action_are_played_out_and_no_text_says_how(table):
    table.deal(*FULL, "seat 1", "seat 2")
    table.play("end deal")
    assert MisdealAdvised("WSOP extra cards") in table.standing()
    assert CountError("seat 1", 3, 2) in table.standing()
    table.play("call 1", "raise 2")
    assert {PlayOut("WSOP extra cards"), RuleTextMissing("wrong_count")} < set(table.standing())


def test_a_seat_other_than_the_button_that_is_short_is_in_no_text(table):
    table.deal(*FULL[:4], *FULL[5:])
    table.play("end deal")
    assert RuleTextMissing("wrong_count") in table.standing()
    assert "misdeal_advised" not in table.kinds()


def test_a_deal_without_a_shuffle_is_in_no_text(fold_of):
    followed = fold_of(TDA, "holdem", (1, 2), 2)
    followed.state = followed.fold.start()
    followed.deal("seat 1")
    assert followed.standing() == [RuleTextMissing("no_shuffle_or_cut")]
    followed.play("supervisor play on")
    assert followed.standing() == []


def test_a_card_exposed_in_the_cut_is_in_no_text(fold_of):
    followed = fold_of(TDA, "holdem", (1, 2), 2)
    followed.play("shuffle", "cut begin", "exposed")
    assert RuleTextMissing("exposed_in_cut") in followed.standing()


def test_a_misdeal_is_followed_by_an_exact_replay(table):
    table.deal("seat 2")
    table.play("supervisor misdeal")
    assert ReshuffleRequired("TDA 35-C") in table.standing()


@pytest.mark.parametrize(
    ("reason", "acted", "said"),
    [
        ("duplicate", (), [RefundAll("TDA 35-E")]),
        ("missing", (), [RuleTextMissing("missing_card")]),
        ("joker", (), [RuleTextMissing("joker")]),
        ("joker", ((2, 60),), [HandDead(2, "WSOP joker")]),
        ("joker", ((1, 60),), [RuleTextMissing("joker")]),
        ("wrong_count", (), []),
    ],
)
def test_what_is_wrong_with_the_deck(reason, acted, said):
    card = Card(1, "T", "seat 2", "seat 2", 11)
    hand = msgspec.structs.replace(
        new_hand(1, (1, 2, 3), 3, 3, "dealt"),
        cards=(card,),
        defects=(Conclusion(DeckDefect(reason), (11,)),),
        acted=acted,
    )
    found = advise(TDA, hand, open_game("holdem"), True)
    assert [conclusion.finding for conclusion in found] == said


def test_five_boxed_cards_make_no_deck_defective_here():
    assert open_book("tda").boxed_defect == 0
    assert open_book("nz-1999").boxed_defect == 5


@pytest.mark.parametrize("game", game_names())
@pytest.mark.parametrize("profile", ["nz-1999", "tda"])
def test_a_clean_deal_of_every_game_needs_no_word_under_either_book(fold_of, game, profile):
    dealt = open_game(game)
    followed = fold_of(open_profile(profile), game, (1, 2, 5), 5 if dealt.has_button else None)
    places = ["seat 1", "seat 2", "seat 5", *(["dealer"] if dealt.to_dealer else [])] * dealt.passes
    followed.deal(*places, *(["board"] if dealt.with_deal else []))
    followed.play("end deal")
    assert followed.kinds() <= {"deal_ok", "substantial_action"}
    assert "deal_ok" in followed.kinds()
