"""Who acted, whose turn it is, who is left."""

from shoe_bridge.table.findings import CardAfterEnd, HandOver, RuleTextMissing, SubstantialAction


def dealt(table, game="holdem", seats=(1, 2, 3), button=3):
    played = table(game, seats, button)
    played.deal(*[f"seat {seat}" for seat in seats] * 2)
    played.play("end deal")
    return played


def test_an_action_out_of_turn_is_no_action(table):
    played = dealt(table)
    played.play("call 2")
    assert played.standing(SubstantialAction) == [SubstantialAction(0, False)]
    played.play("call 1", "call 2")
    assert played.standing(SubstantialAction) == [SubstantialAction(2, True)]
    assert [(seat, word) for seat, word, _ in played.state.hand.actions] == [(1, "call"), (2, "call")]


def test_every_action_in_turn_is_kept_and_every_player_counted_once(table):
    played = dealt(table, seats=(1, 2), button=2)
    played.play("check 1", "check 2", "end bet", "check 1")
    assert [word for _, word, _ in played.state.hand.actions] == ["check"] * 3
    assert played.standing(SubstantialAction) == [SubstantialAction(2, True)]


def test_where_no_button_lies_turns_are_not_followed(table):
    played = dealt(table, "five_card_stud", button=None)
    played.play("open 3", "fold 1")
    assert played.standing(SubstantialAction) == [SubstantialAction(2, True)]


def test_the_last_player_left_may_give_up_his_cards(table):
    played = dealt(table, seats=(1, 2), button=2)
    played.play("fold 1", "muck 2", "fold 2")
    assert played.standing(HandOver) == [HandOver(2)]


def test_against_the_dealer_one_player_left_ends_nothing(table):
    played = table("caribbean_stud", (1, 2), None)
    played.deal(*["seat 1", "seat 2", "dealer"] * 5)
    played.play("end deal", "fold 1")
    assert played.standing(HandOver) == []


def test_a_card_after_the_end_is_called_that_and_nothing_else(table):
    played = dealt(table, seats=(1, 2), button=2)
    played.play("fold 1")
    played.deal("board", first=5)
    assert played.standing(CardAfterEnd) == [CardAfterEnd(5)]
    assert played.standing(RuleTextMissing) == []
