"""Everything around the order of the cards: hands, rulings, advice, equipment, alerts, the light."""

import msgspec

from shoe_bridge.table.findings import (
    DealOk,
    DealtOut,
    Equipment,
    ExposedCard,
    HandOver,
    MisdealAdvised,
    OrderError,
    Repairable,
    ReshuffleRequired,
    Restart,
    RuleTextMissing,
    SubstantialAction,
)
from shoe_bridge.table.light_state import LightState
from shoe_bridge.table.observations import (
    AlertOverdue,
    CardArrived,
    Event,
    EventsMissed,
    LinkLost,
    LinkRestored,
)
from shoe_bridge.table.state import TableState

DEAL = ["seat 1", "seat 2", "seat 3", "seat 4"] * 2


def test_one_card_at_two_antennas_is_a_cross_read_and_nothing_else(table):
    t = table("manila3")
    t.deal(*DEAL[:6])
    t.play("6 > seat 3", "6 = seat 2", "6 < seat 3")
    assert t.standing(Equipment) == [Equipment("cross_read", "seat 3", "reader-1")]
    t.deal("seat 3", "seat 4", first=7)
    assert not t.standing(OrderError)
    assert t.state.light is LightState.ALL_WELL


def test_unknown_tag_is_equipment_and_counts_as_a_card(table):
    t = table()
    t.deal(*DEAL)
    t.play("end deal", "end bet", "9 > burn")
    t.take(CardArrived("board", "04AABBCC", 0, 0, "reader-1"))
    assert t.standing(Equipment) == [Equipment("unknown_tag", "board", "reader-1")]
    assert t.standing(DealOk) == [DealOk(8, 1, 1, 10)]


def test_scan_that_misses_a_card_calls_it_unread_until_a_scan_is_complete(table):
    t = table()
    t.play("shuffle", "cut")
    t.deal(*DEAL)
    t.play("end deal", "showdown", "scan", *(f"{n} > stub" for n in range(1, 52)), "scan end")
    assert t.standing(Equipment) == [Equipment("unread_card", "stub")]
    assert t.state.missing == (t.setup.register.card_of(t.tag(52)),)
    t.play("scan", "52 > stub", "scan end")
    assert t.standing(Equipment) == []
    assert t.state.missing == ()


def test_exposed_key_names_the_last_card_and_says_that_no_text_is_held(table):
    t = table()
    t.deal(*DEAL[:3])
    t.play("exposed")
    assert t.standing(ExposedCard) == [ExposedCard(3)]
    assert t.standing(RuleTextMissing) == [RuleTextMissing("single_exposed_card")]
    assert t.state.light is LightState.ATTENTION


def test_exposed_in_the_cut_needs_a_new_shuffle_and_cut(table):
    t = table()
    t.play("shuffle", "cut begin", "exposed")
    assert t.standing(MisdealAdvised) == [MisdealAdvised("19.1(a)")]
    assert t.standing(ReshuffleRequired) == [ReshuffleRequired("19.1(a)")]
    assert t.state.light is LightState.MISDEAL_ADVISED
    t.play("shuffle", "cut")
    assert t.standing(MisdealAdvised, ReshuffleRequired) == []


def test_repair_is_proposed_with_its_moves_and_ends_when_they_are_done(table):
    t = table("manila3", (1, 2, 5), 1)
    t.deal("seat 2", "seat 5", "seat 1", "seat 5", "seat 2", "seat 1", "seat 2", "seat 5", "seat 1", "board")
    assert not t.standing(Repairable)
    t.play("end deal")
    assert t.standing(Repairable) == [Repairable("19.1(c)", ("4 -> seat 2", "5 -> seat 5"))]
    t.play("4 < seat 5", "4 > seat 2", "5 < seat 2", "5 > seat 5")
    assert t.standing(Repairable) == []
    assert t.standing(DealOk) == [DealOk(9, 1, 0, 10)]


def test_cannot_correct_turns_the_proposal_into_misdeal_advice(table):
    t = table()
    t.deal("seat 1", "seat 2", "seat 4", "seat 1", "seat 2", "seat 4")
    t.play("end deal")
    assert [f.rule for f in t.standing(Repairable)] == ["19.1(d)"]
    assert t.state.light is LightState.ATTENTION
    t.play("cannot correct")
    assert t.standing(Repairable) == []
    assert t.standing(MisdealAdvised) == [MisdealAdvised("19.1(d)")]
    assert t.state.light is LightState.MISDEAL_ADVISED


def test_accepted_misdeal_restarts_with_the_same_first_player(table):
    t = table(seats=(2, 4, 5, 6), button=4)
    t.deal("seat 6", "seat 2", "seat 4", "seat 5")
    t.play("supervisor misdeal")
    assert t.standing() == [ReshuffleRequired("19.1"), Restart(5, 4)]
    assert t.state.alerts.open == ()
    t.play("shuffle", "cut")
    t.first_tag = 20
    t.deal("seat 5")
    assert t.standing() == []


def test_play_on_keeps_the_facts_and_quits_advice_and_alert(table):
    t = table()
    t.deal("seat 1", "seat 2", "seat 4", "seat 1", "seat 2", "seat 4")
    t.play("end deal", "cannot correct", "supervisor play on")
    assert t.standing(MisdealAdvised, Repairable) == []
    assert t.standing(DealtOut) == [DealtOut(3, "19.1(d)")]
    assert t.state.light is LightState.ALL_WELL
    assert t.play("end bet", "7 > burn", "8 > board", "9 > board", "10 > board") == []


def test_next_hand_moves_the_button_and_ignores_cards_swept_in(table):
    t = table()
    t.deal(*DEAL)
    t.play("end deal", "showdown", "push", "next hand")
    t.first_tag = 30
    assert t.play("1 > seat 3", "2 > seat 3") == []
    t.play("shuffle", "cut")
    t.first_tag = 10
    assert t.deal("seat 2", "seat 3") == []
    assert (t.state.hand.number, t.state.hand.button) == (2, 1)


def test_alert_left_standing_survives_the_next_hand_until_a_supervisor_rules(table):
    t = table()
    t.deal("seat 2")
    t.play("push", "next hand", "shuffle")
    assert t.state.light is LightState.ATTENTION
    t.play("acknowledge")
    assert t.state.light is LightState.ATTENTION
    t.play("supervisor play on")
    assert t.state.light is LightState.ALL_WELL
    assert [a.what for a in t.alerts] == ["raised", "acknowledged", "closed"]


def test_alert_that_was_put_right_stays_lit_until_it_is_acknowledged(table):
    t = table()
    t.deal("seat 2")
    t.play("1 < seat 2", "1 > seat 1")
    assert t.standing(OrderError) == []
    assert t.state.light is LightState.ATTENTION
    t.play("acknowledge")
    assert t.state.light is LightState.ALL_WELL
    assert [a.what for a in t.alerts] == ["raised", "settled", "closed"]


def test_light_says_not_monitored_until_every_device_has_proven_itself(table):
    t = table()
    t.take(LinkLost("reader-1", ("seat 1",), "unplugged", 0))
    assert t.state.light is LightState.NOT_MONITORED
    assert t.standing() == []
    t.take(LinkRestored("reader-1", ("seat 1",), 0, 0))
    assert t.state.light is LightState.ALL_WELL


def test_link_lost_in_mid_hand_leaves_the_hand_unverified_until_the_next(table):
    t = table()
    t.deal("seat 1", "seat 2")
    t.take(LinkLost("reader-1", ("seat 1",), "unplugged", 0))
    t.take(LinkRestored("reader-1", ("seat 1",), 0, 0))
    assert t.state.unverified == ("reader-1 lost: unplugged",)
    assert t.standing(Equipment) == [Equipment("link_lost", None, "reader-1")]
    assert t.state.light is LightState.ATTENTION
    t.deal(*DEAL[2:], first=3)
    t.play("end deal", "push", "next hand")
    assert t.state.unverified == ()
    assert t.state.light is LightState.ALL_WELL


def test_events_missed_in_mid_hand_are_a_reason_to_doubt_it(table):
    t = table()
    t.deal("seat 1")
    t.take(EventsMissed("reader-1", (), 4, 0))
    assert t.state.unverified == ("reader-1 lost 4 events on the line",)


def test_substantial_action_counts_players_in_turn_once(table):
    t = table("manila3", (1, 2, 3, 4, 5), 5)
    t.play("blind 1", "blind 2")
    t.deal(*["seat 1", "seat 2", "seat 3", "seat 4", "seat 5"] * 3, "board")
    t.play("end deal", "raise 5")
    assert t.standing(SubstantialAction) == [SubstantialAction(0, False)]
    t.play("call 3", "fold 4")
    assert t.standing(SubstantialAction) == [SubstantialAction(2, True)]


def test_last_player_left_wins_and_a_card_after_that_is_told(table):
    t = table(button=2)
    t.play("blind 3", "blind 4")
    t.deal(*["seat 3", "seat 4", "seat 1", "seat 2"] * 2)
    t.play("end deal", "fold 1", "fold 2", "fold 3")
    assert t.standing(HandOver) == [HandOver(4)]
    [change] = [c for c in t.play("9 > burn") if c.raised and type(c.finding).__name__ == "CardAfterEnd"]
    assert change.finding.card == 9


def test_state_travels_as_json_and_folds_on_from_there(table):
    t = table()
    t.deal("seat 1", "seat 3")
    stored = msgspec.json.encode(t.state)
    resumed = msgspec.json.decode(stored, type=TableState)
    assert resumed == t.state
    event = Event(t.state.last_seq + 1, CardArrived("seat 2", t.tag(3), 0, 0, "reader-1"))
    assert t.fold.apply(resumed, event) == t.fold.apply(t.state, event)


def test_alert_that_nobody_deals_with_goes_to_the_floor_once(table):
    t = table()
    t.deal("seat 2")
    t.take(AlertOverdue(1, 40))
    t.take(AlertOverdue(1, 50))
    assert [(a.what, a.alert.level) for a in t.alerts] == [("raised", "dealer"), ("escalated", "floor")]
    t.play("1 < seat 2", "1 > seat 1", "acknowledge")
    assert t.state.alerts.open == ()


def test_settled_alert_is_no_longer_overdue(table):
    t = table()
    t.deal("seat 2")
    t.play("1 < seat 2", "1 > seat 1")
    t.take(AlertOverdue(1, 40))
    assert [a.what for a in t.alerts] == ["raised", "settled"]
