"""Errors of place: reported at the card where they happen, gone when the cards lie as ordered."""

import pytest

from shoe_bridge.table.findings import (
    CountError,
    DealOk,
    DealtOut,
    ExtraBurn,
    ExtraHand,
    MissingBurn,
    OrderError,
    RuleTextMissing,
)

DEAL = ["seat 1", "seat 2", "seat 3", "seat 4"] * 2


def test_clean_deal_is_ok_at_its_end_and_brought_up_to_date(table):
    t = table()
    t.play("shuffle", "cut")
    assert t.deal(*DEAL) == []
    t.play("end deal")
    assert t.standing(DealOk) == [DealOk(8, 0, 0, 8)]
    t.play("end bet", "9 > burn", "10 > board", "11 > board", "12 > board")
    assert t.standing(DealOk) == [DealOk(8, 3, 1, 12)]
    assert not t.standing(OrderError, MissingBurn, ExtraBurn, CountError)


def test_first_wrong_card_is_reported_when_it_lands_and_its_shadow_is_not(table):
    t = table(seats=(1, 2, 3, 5), button=3)
    changes = t.play("shuffle", "cut", "1 > seat 1")
    assert [c.finding for c in changes] == [OrderError(1, "seat 1", "seat 5", "19.1(c)")]
    assert t.deal("seat 2", "seat 3", "seat 5", "seat 1", first=2) == []


def test_second_slip_after_a_shift_is_a_finding_of_its_own(table):
    t = table()
    t.deal("seat 2", "seat 3", "seat 1")
    assert [f.card for f in t.standing(OrderError)] == [1, 3]


def test_two_in_a_row_to_one_seat(table):
    t = table()
    t.deal("seat 1", "seat 2", "seat 3", "seat 4", "seat 1", "seat 2", "seat 2", "seat 3", "seat 4")
    assert t.standing(OrderError) == [OrderError(7, "seat 2", "seat 3", "19.1(c)")]
    t.play("end deal")
    assert t.standing(CountError) == [CountError("seat 2", 3, 2, "19.1(e)")]
    assert not t.standing(DealOk)


def test_card_moved_at_once_withdraws_its_error(table):
    t = table(seats=(2, 3, 4, 6), button=3)
    t.deal("seat 4", "seat 6", "seat 2", "seat 3", "seat 6")
    assert t.standing(OrderError) == [OrderError(5, "seat 6", "seat 4", "19.1(c)")]
    t.play("5 < seat 6", "5 > seat 4")
    assert not t.standing(OrderError)
    t.deal("seat 6", "seat 2", "seat 3", first=6)
    t.play("end deal")
    assert t.standing(DealOk) == [DealOk(8, 0, 0, 8)]


def test_move_seen_at_the_new_place_before_the_old_one_is_clean(table):
    t = table(seats=(2, 3, 4, 6), button=3)
    t.deal("seat 4", "seat 6", "seat 2", "seat 3", "seat 6")
    t.play("5 > seat 4")
    assert t.standing(OrderError)
    t.play("5 < seat 6")
    assert not t.standing(OrderError)


def test_dealt_out_seat_and_short_seat_at_the_end_of_the_deal_only(table):
    t = table()
    t.deal("seat 1", "seat 2", "seat 4", "seat 1", "seat 2", "seat 4")
    assert not t.standing(DealtOut, CountError)
    t.play("end deal")
    assert t.standing(DealtOut) == [DealtOut(3, "19.1(d)")]
    assert not t.standing(CountError)


def test_extra_hand_is_named_once_and_does_not_shift_the_rest(table):
    t = table(seats=(1, 2, 4))
    changes = t.deal("seat 1", "seat 2", "seat 3", "seat 4", "seat 1", "seat 2", "seat 3", "seat 4")
    assert [c.finding for c in changes] == [ExtraHand(3, "19.1(d)")]


def test_button_short_is_repaired_by_the_next_card(table):
    t = table()
    t.deal(*DEAL[:-1])
    t.play("end deal")
    assert t.standing(CountError) == [CountError("seat 4", 1, 2, "19.1(e)")]
    t.play("8 > seat 4")
    assert t.standing(CountError, OrderError) == []
    assert t.standing(DealOk) == [DealOk(8, 0, 0, 8)]


@pytest.mark.parametrize("place", ["board", "burn", "dealer"])
def test_hole_card_that_lands_elsewhere(table, place):
    t = table()
    t.deal("seat 1", "seat 2", place)
    assert t.standing(OrderError) == [OrderError(3, place, "seat 3", "19.1(c)")]


def test_card_too_many_when_none_is_due(table):
    t = table(seats=(2, 4, 5), button=2)
    t.deal(*["seat 4", "seat 5", "seat 2"] * 2, "seat 4")
    assert t.standing(OrderError) == [OrderError(7, "seat 4", "none", "19.1(c)")]


def test_missing_burn_before_the_flop_and_before_the_turn(table):
    t = table()
    t.deal(*DEAL)
    t.play("end deal", "end bet", "9 > board", "10 > board", "11 > board", "end bet", "12 > board")
    assert t.standing(MissingBurn) == [MissingBurn(1), MissingBurn(4)]
    assert t.standing(RuleTextMissing) == [RuleTextMissing("missed_burn")]
    assert not t.standing(DealOk, OrderError)


def test_missing_and_extra_burn_carry_the_rule_where_its_text_is_held(table):
    t = table("manila3")
    t.deal(*["seat 1", "seat 2", "seat 3", "seat 4"] * 3, "burn", "board")
    assert t.standing(ExtraBurn) == [ExtraBurn(1, "15.1(d)")]
    t.play("end deal", "end bet", "15 > board")
    assert t.standing(MissingBurn) == [MissingBurn(2, "15.3(a)")]


def test_two_burns_before_the_turn(table):
    t = table()
    t.deal(*DEAL)
    t.play("end deal", "end bet", "9 > burn", "10 > board", "11 > board", "12 > board")
    t.play("end bet", "13 > burn", "14 > burn")
    assert t.standing(ExtraBurn) == [ExtraBurn(4)]


def test_sixth_community_card(table):
    t = table("manila3", (1, 2, 3), 3)
    t.deal(*["seat 1", "seat 2", "seat 3"] * 3, "board")
    t.play("end deal")
    for n in range(4):
        t.play("end bet", f"{11 + 2 * n} > burn", f"{12 + 2 * n} > board")
    t.play("end bet")
    assert not t.standing(CountError)
    t.play("19 > board")
    assert t.standing(OrderError) == [OrderError(19, "board", "none", "19.1(c)")]
    assert t.standing(CountError) == [CountError("board", 6, 5)]
    assert not t.standing(MissingBurn, DealOk)


def test_card_put_back_on_the_stub_no_longer_counts_and_is_dealt_anew(table):
    t = table()
    t.deal(*DEAL, "seat 1")
    t.play("end deal")
    assert t.standing(CountError)
    t.play("9 < seat 1", "9 > stub")
    assert t.standing(DealOk) == [DealOk(8, 0, 0, 8)]
    t.play("end bet", "9 < stub", "9 > burn")
    assert t.standing(DealOk) == [DealOk(8, 0, 1, 9)]


def test_every_finding_names_the_events_it_rests_on(table):
    t = table(seats=(1, 2, 3, 5), button=3)
    [change] = t.play("1 > seat 1")
    assert change.evidence == (t.state.last_seq,)
    assert (change.profile, change.version, change.hand) == ("nz-1999", "1", 1)
