"""One dead reader is one alert: it speaks for what follows from it, and for nothing else.

The table has two readers: reader-1 looks at seats 1 to 3, reader-2 at seat 4, the board and the burns.
"""

import pytest

from shoe_bridge.table import alerts as alerting
from shoe_bridge.table.alerts import Alert, light_for
from shoe_bridge.table.findings import (
    Change,
    CountError,
    DealtOut,
    Equipment,
    ExposedCard,
    MisdealAdvised,
    OrderError,
)
from shoe_bridge.table.light_state import LightState
from shoe_bridge.table.observations import (
    AlertOverdue,
    CardArrived,
    CardUnread,
    DeviceFaulted,
    EventsMissed,
    LinkLost,
    LinkRestored,
)

PLACES = {"reader-1": ("seat 1", "seat 2", "seat 3"), "reader-2": ("seat 4", "board", "burn")}
DEAL = ["seat 1", "seat 2", "seat 3", "seat 4"] * 2
LONG_AFTER_NS = 60_000_000_000


class Readers:
    """A table with both readers seen to; `deal` tells only the cards that a living reader sees."""

    def __init__(self, table) -> None:
        self.t = table()
        self.lost: set[str] = set()
        for name, places in PLACES.items():
            self.t.take(LinkRestored(name, places, None, -1))

    def lose(self, name: str = "reader-1", at_ns: int = LONG_AFTER_NS) -> None:
        self.lost.add(name)
        self.t.take(LinkLost(name, PLACES[name], "the device is silent", at_ns))

    def restore(self, missed: int | None, name: str = "reader-1") -> None:
        self.lost.discard(name)
        self.t.take(LinkRestored(name, PLACES[name], missed, LONG_AFTER_NS))

    def deal(self, places: list[str], first: int = 1) -> None:
        for number, place in enumerate(places, start=first):
            device = next(name for name, own in PLACES.items() if place in own)
            if device not in self.lost:
                self.arrive(number, place, device)

    def deal_half_unseen(self) -> None:
        """The second card of each seat is dealt while reader-1 is lost."""
        self.deal(DEAL[:4])
        self.lose()
        self.deal(DEAL[4:], first=5)

    def arrive(self, number: int, place: str, device: str) -> None:
        self.t.take(CardArrived(place, self.t.tag(number), LONG_AFTER_NS * 2, LONG_AFTER_NS * 2, device))

    @property
    def open(self) -> list[Alert]:
        return list(self.t.state.alerts.open)

    def kinds_in(self, alert: Alert) -> set[str]:
        standing = {number for number, _ in alert.standing}
        return {type(s.finding).__name__ for s in self.t.state.standing if s.number in standing}


@pytest.fixture
def readers(table) -> Readers:
    return Readers(table)


def test_cards_that_a_lost_reader_did_not_see_are_one_alert_with_its_loss(readers):
    readers.deal_half_unseen()
    readers.t.play("end deal", "cannot correct")
    assert readers.t.standing(MisdealAdvised)
    [alert] = readers.open
    assert (alert.cause, alert.severity) == ("equipment: reader-1", "attention")
    assert readers.kinds_in(alert) >= {"Equipment", "CountError", "MisdealAdvised"}
    assert [told.what for told in readers.t.alerts] == ["raised"] + ["amended"] * (len(alert.standing) - 1)
    assert readers.t.alerts[1].why == "order error, in doubt: reader-1 did not see all of this hand"


def test_a_reader_that_was_lost_before_the_deal_is_to_blame_for_all_of_it(readers):
    readers.lose()
    readers.deal(DEAL)
    readers.t.play("end deal")
    assert len(readers.t.standing(DealtOut)) == 3
    assert {alert.cause for alert in readers.open} == {"equipment: reader-1"}
    assert {severity for alert in readers.open for _, severity in alert.standing} == {"attention"}


def test_order_errors_between_seen_places_follow_where_the_seen_cards_are_in_order(table):
    t = table(seats=(1, 2, 3, 4), button=4)
    t.take(LinkRestored("reader-1", ("seat 1",), None, -1))
    t.take(LinkRestored("reader-2", ("seat 2", "seat 3", "seat 4"), None, -1))
    t.take(LinkLost("reader-1", ("seat 1",), "unplugged", LONG_AFTER_NS))
    t.deal("seat 2", "seat 3", "seat 4", "seat 2", "seat 3", "seat 4")
    assert OrderError(4, "seat 2", "seat 4", "19.1(c)") in t.standing(OrderError)
    assert [alert.cause for alert in t.state.alerts.open] == ["equipment: reader-1"]


def test_order_errors_that_no_unseen_card_explains_are_of_the_deal(table):
    t = table(seats=(1, 2, 3, 4), button=4)
    t.take(LinkRestored("reader-1", ("seat 1",), None, -1))
    t.take(LinkRestored("reader-2", ("seat 2", "seat 3", "seat 4"), None, -1))
    t.take(LinkLost("reader-1", ("seat 1",), "unplugged", LONG_AFTER_NS))
    t.deal("seat 2", "seat 3", "seat 2")
    [alert] = [alert for alert in t.state.alerts.open if alert.cause == "deal"]
    [number] = [s.number for s in t.state.standing if s.number in dict(alert.standing)]
    assert t.standing(OrderError)[-1] == OrderError(3, "seat 2", "seat 3", "19.1(c)")
    assert number == t.state.standing[-1].number


def test_a_misdeal_is_advised_where_a_seat_that_was_seen_gives_the_reason(readers):
    readers.deal(DEAL[:4])
    readers.lose()
    readers.t.play("end deal", "cannot correct")
    by_cause = {alert.cause: alert for alert in readers.open}
    assert readers.kinds_in(by_cause["deal"]) == {"CountError", "MisdealAdvised"}
    assert (by_cause["deal"].severity, by_cause["equipment: reader-1"].severity) == ("misdeal", "attention")


def test_a_misdeal_for_want_of_unseen_cards_alone_is_in_doubt(table):
    t = table(seats=(1, 2, 3, 4), button=4)
    t.take(LinkRestored("reader-1", ("seat 3", "seat 4"), None, -1))
    t.deal(*DEAL[:6])
    t.take(LinkLost("reader-1", ("seat 3", "seat 4"), "unplugged", LONG_AFTER_NS))
    t.play("end deal", "cannot correct")
    assert t.standing(MisdealAdvised)
    assert [(alert.cause, alert.severity) for alert in t.state.alerts.open] == [
        ("equipment: reader-1", "attention")
    ]


def test_a_hand_that_begins_without_a_reader_is_unverified(readers):
    readers.lose()
    assert readers.t.state.unverified == ()
    readers.deal(DEAL[:4])
    assert readers.t.state.unverified == ("reader-1 was lost when the hand began",)
    assert readers.t.standing(Equipment) == [Equipment("link_lost", None, "reader-1")]


def test_what_was_seen_throughout_keeps_its_own_alert(table):
    t = table(seats=(1, 2, 3, 4), button=4)
    t.take(LinkRestored("reader-1", ("seat 4", "board", "burn"), None, -1))
    t.take(LinkRestored("reader-2", ("seat 1", "seat 2", "seat 3"), None, -1))
    t.deal("seat 1", "seat 2", "seat 3", "seat 4")
    t.take(LinkLost("reader-1", ("seat 4", "board", "burn"), "unplugged", LONG_AFTER_NS))
    t.deal("seat 1", "seat 3", "seat 3", "seat 3", first=5)
    t.play("end deal")
    by_cause = {alert.cause: alert for alert in t.state.alerts.open}
    assert set(by_cause) == {"equipment: reader-1", "deal"}
    number = next(s.number for s in t.state.standing if s.finding == CountError("seat 3", 4, 2, "19.1(e)"))
    assert number in dict(by_cause["deal"].standing)
    short = next(s.number for s in t.state.standing if s.finding == CountError("seat 4", 1, 2, "19.1(e)"))
    assert short in dict(by_cause["equipment: reader-1"].standing)


def test_the_exposed_card_key_needs_no_antenna(readers):
    readers.deal(DEAL[:4])
    readers.lose()
    readers.t.play("exposed")
    assert readers.t.standing(ExposedCard)
    assert {alert.cause for alert in readers.open} == {"equipment: reader-1", "exposed"}


def test_a_whole_replay_that_explains_all_leaves_only_the_loss(readers):
    readers.deal(DEAL[:3])
    readers.lose("reader-2")
    readers.lose()
    readers.deal(DEAL[3:5], first=4)
    readers.arrive(5, "seat 1", "reader-1")  # each reader tells late, and in its own order
    readers.restore(0)
    assert [alert.cause for alert in readers.open] == ["equipment: reader-2", "equipment: reader-1"]
    assert readers.open[1].follows == ()
    [error] = [s.number for s in readers.t.state.standing if isinstance(s.finding, OrderError)]
    assert readers.open[0].follows == (error,)


def test_what_still_stands_after_a_whole_replay_moves_to_its_own_alert(readers):
    readers.deal_half_unseen()
    readers.t.play("end deal", "cannot correct")
    assert readers.t.state.light is LightState.NOT_MONITORED
    moving = readers.open[0].follows
    assert moving
    readers.restore(0)
    by_cause = {alert.cause: alert for alert in readers.open}
    assert set(by_cause) == {"equipment: reader-1", "deal"}
    assert tuple(number for number, _ in by_cause["deal"].standing) == moving
    assert by_cause["equipment: reader-1"].follows == ()
    assert (by_cause["deal"].severity, readers.t.state.light) == ("misdeal", LightState.MISDEAL_ADVISED)
    assert readers.t.alerts[-1].why == "misdeal advised"
    assert "misdeal advised goes to the alert of deal" in [told.why for told in readers.t.alerts]


@pytest.mark.parametrize("missed", [None, 3])
def test_a_reader_that_cannot_tell_all_leaves_the_hand_in_doubt_until_the_next(readers, missed):
    readers.deal_half_unseen()
    readers.restore(missed)
    readers.t.play("end deal", "cannot correct")
    [alert] = readers.open
    assert (alert.cause, readers.t.state.light) == ("equipment: reader-1", LightState.ATTENTION)
    readers.t.play("supervisor misdeal")
    assert readers.open == []
    readers.t.first_tag = 20
    readers.t.play("shuffle", "cut")
    readers.deal(["seat 2"])
    assert [alert.cause for alert in readers.open] == ["deal"]


def test_a_second_loss_that_is_replayed_does_not_mend_the_first(readers):
    readers.deal_half_unseen()
    readers.restore(None)
    readers.lose()
    readers.restore(0)
    readers.t.play("end deal")
    assert [alert.cause for alert in readers.open] == ["equipment: reader-1"]


def test_events_lost_on_the_line_are_a_gap_too(readers):
    readers.deal(DEAL[:4])
    readers.t.take(EventsMissed("reader-1", PLACES["reader-1"], 3, LONG_AFTER_NS))
    readers.arrive(8, "seat 4", "reader-2")
    readers.t.play("end deal")
    assert [alert.cause for alert in readers.open] == ["equipment: reader-1"]


def test_a_place_that_another_reader_watches_too_is_not_in_doubt(readers):
    readers.t.take(LinkRestored("reader-3", PLACES["reader-1"], None, -1))
    readers.deal(DEAL[:4])
    readers.lose()
    readers.t.play("end deal")
    assert {alert.cause for alert in readers.open} == {"equipment: reader-1", "deal"}
    assert [alert.follows for alert in readers.open] == [(), ()]


def test_all_that_is_wrong_with_one_device_is_one_alert(readers):
    readers.deal(DEAL[:4])
    readers.t.take(DeviceFaulted("reader-1", 2, "antenna", False, 0))
    readers.lose()
    readers.t.take(CardUnread(0, "reader-1"))
    [alert] = readers.open
    assert len(alert.standing) == 3
    assert [told.why for told in readers.t.alerts] == ["device fault", "link lost", "unread card"]
    readers.restore(0)
    readers.t.take(DeviceFaulted("reader-1", 2, "antenna", True, 0))
    assert readers.t.alerts[-1].why == "no longer device fault"
    readers.deal(DEAL[4:], first=5)
    readers.t.play("end deal", "push", "next hand")
    readers.t.take(DeviceFaulted("reader-1", 2, "antenna", False, 0))
    assert len(readers.open) == 1


def test_a_scan_that_misses_cards_while_a_reader_is_lost_is_part_of_its_alert(readers):
    readers.lose()
    readers.t.play("scan", *(f"{n} > stub" for n in range(1, 50)), "scan end")
    assert readers.t.standing(Equipment) == [Equipment("unread_card", "stub")]
    assert [alert.cause for alert in readers.open] == ["equipment: reader-1"]


# -- noticed late


def test_what_came_up_while_a_silent_reader_was_not_yet_missed_joins_its_alert(readers):
    readers.lost.add("reader-1")  # it is dead, and nobody knows
    readers.deal(DEAL[:4])
    assert [alert.cause for alert in readers.open] == ["deal"]
    readers.lose(at_ns=LONG_AFTER_NS * 2 + 3_000_000_000)
    assert [alert.cause for alert in readers.open] == ["equipment: reader-1"]
    assert [(told.what, told.alert.cause) for told in readers.t.alerts] == [
        ("raised", "deal"),
        ("raised", "equipment: reader-1"),
        ("closed", "deal"),
        ("amended", "equipment: reader-1"),
    ]


def test_what_a_reader_saw_before_it_was_lost_keeps_its_alert(readers):
    readers.deal(["seat 2"])
    readers.lose(at_ns=LONG_AFTER_NS * 2 + 1)
    readers.deal(["seat 4"], first=2)
    assert [(alert.cause, readers.kinds_in(alert)) for alert in readers.open] == [
        ("deal", {"OrderError"}),
        ("equipment: reader-1", {"Equipment", "OrderError"}),
    ]


def test_an_alert_that_was_lit_for_long_is_not_put_down_to_a_cable(readers):
    readers.lost.add("reader-1")
    readers.deal(DEAL[:4])
    readers.lose(at_ns=LONG_AFTER_NS * 4)
    assert {alert.cause for alert in readers.open} == {"deal", "equipment: reader-1"}


# -- whose key


def test_the_dealer_cannot_clear_findings_of_the_deal_with_the_alert_of_a_reader(readers):
    readers.deal_half_unseen()
    readers.t.play("end deal", "acknowledge")
    [alert] = readers.open
    assert alert.status == "acknowledged"
    readers.t.play("acknowledge")
    assert readers.open == [alert]
    readers.t.play("supervisor play on")
    assert readers.open[0].follows == ()
    assert readers.t.alerts[-1].why == "play on"
    readers.t.play("acknowledge")
    assert readers.open == []


def test_a_ruling_is_not_undone_when_the_reader_comes_back(readers):
    readers.deal_half_unseen()
    readers.t.play("end deal", "supervisor play on")
    readers.restore(0)
    assert [alert.cause for alert in readers.open] == ["equipment: reader-1"]


def test_findings_of_a_hand_that_ended_wait_for_the_supervisor(readers):
    readers.deal_half_unseen()
    readers.t.play("end deal", "push", "next hand")
    [alert] = readers.open
    assert set(alert.follows) == {number for number, _ in alert.standing}
    readers.t.play("acknowledge")
    assert len(readers.open) == 1
    readers.t.play("supervisor play on")
    assert readers.open == []


def test_an_alert_that_speaks_for_the_deal_goes_to_the_floor(readers):
    readers.deal_half_unseen()
    readers.t.play("end deal")
    readers.t.take(AlertOverdue(1, LONG_AFTER_NS * 3))
    assert [(alert.number, alert.level) for alert in readers.open] == [(1, "floor")]


def told(finding, number: int, certainty: str, *, raised: bool = True) -> Change:
    return Change(raised, number, finding, number * 10, (1,), 1, "nz-1999", "1", certainty)


SWAPPED = OrderError(4, "seat 2", "seat 3", "19.1(c)")


def test_a_finding_that_becomes_certain_stays_in_its_alert_and_makes_it_louder():
    possible, certain = told(SWAPPED, 1, "possible"), told(SWAPPED, 2, "certain")
    alerts, _ = alerting.follow(alerting.Alerts(), possible, False)
    assert light_for(alerts, is_monitored=True) == LightState.ALL_WELL
    alerts, _ = alerting.acknowledge(alerts, 5)
    alerts, changes = alerting.amend(alerts, possible, certain)
    (alert,) = alerts.open
    assert (alert.number, alert.severity, alert.status) == (1, "attention", "raised")
    assert (alert.standing, alert.findings) == (((2, "attention"),), (1, 2))
    assert [(one.what, one.why) for one in changes] == [("amended", "order error is certain now")]
    assert light_for(alerts, is_monitored=True) == LightState.ATTENTION
    alerts, _ = alerting.acknowledge(alerts, 25)
    alerts, _ = alerting.amend(alerts, certain, told(SWAPPED, 3, "probable"))
    assert (alerts.open[0].severity, alerts.open[0].status) == ("attention", "acknowledged")


def test_another_certainty_opens_nothing_that_a_supervisor_ruled_on():
    probable, certain = told(SWAPPED, 1, "probable"), told(SWAPPED, 2, "certain")
    alerts, _ = alerting.follow(alerting.Alerts(), probable, False)
    alerts, _ = alerting.rule(alerts, "play on", 12)
    assert alerting.amend(alerts, probable, certain) == (alerts, ())


def test_advice_that_was_too_doubtful_to_show_is_raised_once_it_is_certain():
    doubtful, certain = (
        told(MisdealAdvised("19.1(c)"), 1, "probable"),
        told(MisdealAdvised("19.1(c)"), 2, "certain"),
    )
    alerts, changes = alerting.follow(alerting.Alerts(), doubtful, False)
    shown = [one.alert.severity for one in changes]
    alerts, _ = alerting.amend(alerts, doubtful, certain)
    assert (shown, alerts.open[0].severity, len(alerts.open)) == (["notice"], "misdeal", 1)


@pytest.mark.parametrize(
    ("was_done", "why"), [(True, "put right"), (False, "a later read explained it otherwise")]
)
def test_what_was_understood_otherwise_was_not_put_right(was_done, why):
    alerts, _ = alerting.follow(alerting.Alerts(), told(SWAPPED, 1, "probable"), False)
    gone = told(SWAPPED, 1, "probable", raised=False)
    alerts, (change,) = alerting.follow(alerts, gone, False, is_put_right=was_done)
    assert (change.what, change.why) == ("settled", why)


def test_a_notice_of_the_deal_ends_with_its_hand_and_an_alert_does_not():
    alerts, _ = alerting.follow(alerting.Alerts(), told(SWAPPED, 1, "probable"), False)
    alerts, _ = alerting.follow(alerts, told(ExposedCard(3), 2, "certain"), False)
    alerts, changes = alerting.begin_hand(alerts, 30)
    assert [(one.alert.cause, one.what) for one in changes] == [("deal", "closed")]
    assert [alert.cause for alert in alerts.open] == ["exposed"]
