"""The tablelink session: who is there, is it alive, are its events in order and complete. No bytes here."""

from collections import Counter

import pytest

from protocol.messages import (
    Ack,
    CardUnread,
    ClockSample,
    Heartbeat,
    Hello,
    HostCommand,
    KeyPressed,
    KeyReleased,
    LightReport,
    Message,
    PollEmpty,
    Refused,
    Stamp,
    TagSeen,
)
from shoe_bridge.link.keys import Keys
from shoe_bridge.link.polled_reader import PolledReader
from shoe_bridge.link.presence import Presence
from shoe_bridge.link.session import LinkLabel
from shoe_bridge.link.tablelink_session import TablelinkSession
from shoe_bridge.link.translate import PolledTranslate
from shoe_bridge.table import observations as seen
from shoe_bridge.table.observations import AnyObservation, EventsMissed, LinkLost, LinkRestored

MS = 1_000_000
DEVICE_ID, OTHER_ID = "0102030405060708", "FF02030405060708"
BOOT = 77
PLACES = ("seat 1", "burn")
AHEAD_MS = 40_000  # the device's clock shows so much more than the bridge's


class Desk:
    """A session and its far end. Times are the bridge's ms; frames arrive the moment that they are sent."""

    def __init__(self, identity: str | None = None) -> None:
        self.counters: Counter[str] = Counter()
        self.presence = Presence()
        reader = PolledReader(
            self.presence,
            "reader-1",
            {1: "seat 1", 2: "burn"},
            cycle_ms=400,
            gone_after_polls=2,
            is_known_tag=lambda tag: tag.startswith("E0"),
            counters=self.counters,
        )
        keys = Keys("reader-1", {1: "shuffle"}, self.counters)
        translate = PolledTranslate("reader-1", reader, keys, self.counters)
        label = LinkLabel("reader-1", "tablelink", PLACES)
        self.session = TablelinkSession(label, identity, self.counters, translate)

    def say(
        self, ms: int, message: Message, seq: int, *, event: bool = False, replay: bool = False, at: int = -1
    ) -> list[AnyObservation]:
        """A frame, stamped `at` (default: now)."""
        out: list[AnyObservation] = []
        stamp = Stamp(seq % 65536, event or replay, replay, (ms if at < 0 else at) + AHEAD_MS)
        self.session.take((message,), stamp, ms * MS, out)
        return out

    def unread(self, ms: int, seq: int, *, replay: bool = False, at: int = -1) -> list[AnyObservation]:
        """An event of which nothing but its order matters."""
        return self.say(ms, CardUnread(), seq, event=True, replay=replay, at=at)

    def tick(self, ms: int) -> list[AnyObservation]:
        out: list[AnyObservation] = []
        self.session.tick(ms * MS, out)
        return out

    def close(self, ms: int, why: str = "unplugged") -> list[AnyObservation]:
        out: list[AnyObservation] = []
        self.session.closed(ms * MS, why, out)
        return out

    def hello(
        self, ms: int, seq: int = 0, *, boot: int = BOOT, oldest: int | None = None, device: str = DEVICE_ID
    ) -> list[AnyObservation]:
        hello = Hello(device, "1.0.0", boot, ("antennas", "keys"), 2, 1, 0, oldest)
        return self.say(ms, hello, seq)

    def asked(self) -> list[HostCommand]:
        commands = list(self.session.commands)
        self.session.commands.clear()
        return commands

    def names(self) -> list[str]:
        return [command.command for command in self.asked()]

    def resumes(self) -> list[tuple[object, object, object]]:
        return [
            (command.args["boot_id"], command.args["after_seq"], command.args["nothing_seen"])
            for command in self.asked()
            if command.command == "resume"
        ]

    def due(self) -> int | None:
        due_ns = self.session.next_deadline_ns()
        return None if due_ns is None else due_ns // MS


def _live(seq: int = 10, identity: str | None = None) -> Desk:
    desk = Desk(identity)
    desk.session.opened(0)
    desk.hello(10, seq)
    desk.say(20, Ack("resume"), seq)
    desk.asked()
    assert desk.session.is_verified
    return desk


def _numbers(out: list[AnyObservation]) -> list[int]:
    """The times of CardUnread observations in ms, which the tests give as the events' names."""
    return [one.at_mono_ns // MS for one in out if isinstance(one, seen.CardUnread)]


# -- who is there


def test_on_opening_it_asks_who_is_there_until_it_is_told() -> None:
    desk = Desk()
    assert desk.due() is None
    desk.session.opened(0)
    assert desk.names() == ["hello_request"]
    assert desk.due() == 500
    assert desk.tick(499) == []
    assert desk.names() == []
    assert desk.tick(500) == []
    assert desk.names() == ["hello_request"]
    assert not desk.session.is_verified


def test_after_the_hello_it_asks_for_all_that_the_device_holds() -> None:
    desk = Desk()
    desk.session.opened(0)
    desk.asked()
    assert desk.hello(10, seq=7, oldest=5) == []
    asked = desk.asked()
    assert asked[0] == HostCommand("resume", {"boot_id": BOOT, "after_seq": 4, "nothing_seen": 1})
    assert asked[1].command == "clock_request"
    assert not desk.session.is_verified


def test_the_first_replay_is_taken_in_order_and_then_the_link_is_restored() -> None:
    desk = Desk()
    desk.session.opened(0)
    desk.hello(100, seq=6, oldest=5)
    assert desk.unread(101, 5, replay=True, at=40) == []
    assert desk.unread(101, 6, replay=True, at=60) == []
    out = desk.say(102, Ack("resume"), 6)
    assert _numbers(out) == [40, 60]
    assert out[-1] == LinkRestored("reader-1", PLACES, 0, 102 * MS)
    assert desk.session.is_verified


def test_a_device_that_holds_no_events_is_restored_as_well() -> None:
    desk = Desk()
    desk.session.opened(0)
    desk.hello(100, seq=6, oldest=None)
    assert desk.resumes() == [(BOOT, 6, 1)]
    assert desk.say(102, Ack("resume"), 6) == [LinkRestored("reader-1", PLACES, 0, 102 * MS)]


def test_another_device_is_refused_by_name_and_nothing_of_it_is_believed() -> None:
    desk = Desk(identity=DEVICE_ID)
    desk.session.opened(0)
    assert desk.hello(10, device=OTHER_ID) == [
        LinkLost("reader-1", PLACES, "another device answers", 10 * MS)
    ]
    refusal = desk.session.refusal
    assert refusal is not None
    assert "reader-1" in refusal
    assert OTHER_ID in refusal
    assert DEVICE_ID in refusal
    assert desk.unread(20, 1) == []
    assert desk.say(30, Heartbeat(BOOT, 1, 1, 0, 0), 1) == []
    assert not desk.session.is_verified
    assert desk.close(40) == []


def test_a_refused_port_is_asked_again_and_the_right_device_is_welcome() -> None:
    desk = Desk(identity=DEVICE_ID)
    desk.session.opened(0)
    desk.hello(10, device=OTHER_ID)
    desk.asked()
    assert desk.due() == 5_010
    assert desk.tick(5_010) == []
    assert desk.names() == ["hello_request"]
    desk.hello(5_020, device=DEVICE_ID)
    out = desk.say(5_030, Ack("resume"), 0)
    assert out == [LinkRestored("reader-1", PLACES, 0, 5_030 * MS)]
    assert desk.session.refusal is None
    assert desk.session.is_verified


def test_without_an_identity_the_first_device_is_the_one_from_then_on() -> None:
    desk = _live()
    desk.close(1_000)
    desk.session.opened(2_000 * MS)
    desk.hello(2_010, device=OTHER_ID, seq=10)
    assert desk.session.refusal is not None


def test_a_port_that_does_not_answer_is_said_in_one_sentence_once() -> None:
    desk = Desk()
    desk.session.opened(0)
    out = [one for ms in range(500, 10_000, 500) for one in desk.tick(ms)]
    assert out == [LinkLost("reader-1", PLACES, "the device does not answer", 3_000 * MS)]
    assert desk.session.refusal is not None
    assert "does not answer as a tablelink device" in desk.session.refusal
    assert desk.close(11_000) == []


def test_a_port_that_sends_something_else_is_said_to_do_so() -> None:
    desk = Desk()
    desk.session.opened(0)
    desk.session.noise(100 * MS)
    desk.tick(3_000)
    assert desk.session.refusal is not None
    assert "bytes that are not tablelink" in desk.session.refusal


def test_frames_before_the_hello_are_counted_and_dropped() -> None:
    desk = Desk()
    desk.session.opened(0)
    assert desk.unread(5, 1) == []
    assert desk.counters["before_hello"] == 1


def test_a_frame_of_a_host_on_the_line_is_counted() -> None:
    desk = _live()
    out: list[AnyObservation] = []
    desk.session.take((HostCommand("hello_request"),), None, 30 * MS, out)
    assert out == []
    assert desk.counters["not_of_a_device"] == 1


# -- the end of a life


def test_closing_tells_the_loss_once() -> None:
    desk = _live()
    assert desk.close(100) == [LinkLost("reader-1", PLACES, "unplugged", 100 * MS)]
    assert desk.close(101) == []
    assert not desk.session.is_verified
    assert desk.due() is None
    assert desk.unread(110, 11) == []


def test_silence_for_three_seconds_loses_the_link_and_a_hello_restores_it() -> None:
    desk = _live()
    desk.say(1_000, Heartbeat(BOOT, 1, 1, 0, 0), 10)
    assert desk.tick(3_999) == []
    desk.asked()
    assert desk.tick(4_000) == [LinkLost("reader-1", PLACES, "the device is silent", 4_000 * MS)]
    assert desk.names() == ["hello_request"]
    assert not desk.session.is_verified
    assert desk.tick(4_500) == []
    assert desk.names() == ["hello_request"]
    desk.hello(5_000, seq=10)
    assert desk.say(5_001, Ack("resume"), 10) == [LinkRestored("reader-1", PLACES, 0, 5_001 * MS)]
    assert desk.close(6_000) == [LinkLost("reader-1", PLACES, "unplugged", 6_000 * MS)]


def test_a_silent_device_that_is_then_unplugged_is_lost_once() -> None:
    desk = _live()
    assert len(desk.tick(3_100)) == 1
    assert desk.close(3_200) == []


def test_any_frame_is_a_sign_of_life() -> None:
    desk = _live()
    for ms in range(1_000, 20_000, 1_000):
        desk.say(ms, PollEmpty(1), 10)
        assert desk.tick(ms + 900) == []
    assert desk.session.is_verified


def test_a_stalled_host_gives_the_device_time_before_it_calls_it_silent() -> None:
    desk = _live()
    assert desk.tick(23_000) == []
    assert desk.counters["host_stalls"] == 1
    assert desk.names() == ["clock_request"]
    assert desk.due() == 23_500
    desk.say(23_001, PollEmpty(1), 10, at=3_000)
    assert desk.tick(23_501) == []
    assert desk.session.is_verified


def test_a_stalled_host_does_not_wait_for_ever() -> None:
    desk = _live()
    assert desk.tick(23_000) == []
    assert [one.why for one in desk.tick(23_500) if isinstance(one, LinkLost)] == ["the device is silent"]


# -- a device that restarts


def test_another_boot_in_the_heartbeat_begins_anew_and_the_loss_cannot_be_known() -> None:
    desk = _live()
    assert desk.say(600, Heartbeat(BOOT + 1, 0, 0, 0, 0), 0) == [
        LinkLost("reader-1", PLACES, "the device restarted", 600 * MS)
    ]
    assert desk.names() == ["hello_request"]
    desk.hello(610, seq=2, boot=BOOT + 1, oldest=1)
    assert desk.resumes() == [(BOOT + 1, 0, 1)]
    desk.unread(611, 1, replay=True, at=605)
    desk.unread(611, 2, replay=True, at=606)
    out = desk.say(612, Ack("resume"), 2)
    assert _numbers(out) == [605, 606]
    assert out[-1] == LinkRestored("reader-1", PLACES, None, 612 * MS)


def test_an_unasked_hello_of_another_boot_begins_anew() -> None:
    desk = _live()
    out = desk.hello(600, seq=0, boot=BOOT + 1)
    assert out == [LinkLost("reader-1", PLACES, "the device restarted", 600 * MS)]
    assert desk.say(610, Ack("resume"), 0) == [LinkRestored("reader-1", PLACES, None, 610 * MS)]


def test_a_second_hello_of_the_same_boot_changes_nothing() -> None:
    desk = _live()
    assert desk.hello(600, seq=10) == []
    assert desk.session.is_verified
    assert desk.names() == []


def test_a_restart_whose_replay_never_ended_leaves_the_loss_unknown() -> None:
    desk = _live()
    desk.hello(600, seq=0, boot=BOOT + 1)
    desk.close(700)
    desk.session.opened(800 * MS)
    desk.hello(810, seq=0, boot=BOOT + 1)
    assert desk.say(820, Ack("resume"), 0) == [LinkRestored("reader-1", PLACES, None, 820 * MS)]


# -- a reconnect


def test_after_a_reconnect_only_what_came_since_is_asked_for() -> None:
    desk = _live(seq=10)
    desk.unread(30, 11)
    desk.close(100)
    desk.session.opened(1_000 * MS)
    desk.hello(1_010, seq=13, oldest=2)
    assert desk.resumes() == [(BOOT, 11, 0)]
    desk.unread(1_011, 12, replay=True, at=500)
    desk.unread(1_011, 13, replay=True, at=600)
    out = desk.say(1_012, Ack("resume"), 13)
    assert _numbers(out) == [500, 600]
    assert out[-1] == LinkRestored("reader-1", PLACES, 0, 1_012 * MS)


def test_events_that_the_ring_has_lost_are_counted() -> None:
    desk = _live(seq=10)
    desk.close(100)
    desk.session.opened(1_000 * MS)
    desk.hello(1_010, seq=40, oldest=39)
    desk.unread(1_011, 39, replay=True, at=500)
    desk.unread(1_011, 40, replay=True, at=600)
    out = desk.say(1_012, Ack("resume", 1), 40)
    assert out[-1] == LinkRestored("reader-1", PLACES, 28, 1_012 * MS)
    assert not [one for one in out if isinstance(one, EventsMissed)]


def test_numbers_that_wrap_are_numbers() -> None:
    desk = _live(seq=65_534)
    assert _numbers(desk.unread(30, 65_535)) == [30]
    assert _numbers(desk.unread(40, 65_536)) == [40]
    desk.close(100)
    desk.session.opened(1_000 * MS)
    desk.hello(1_010, seq=65_538, oldest=65_530)
    assert desk.resumes() == [(BOOT, 0, 0)]
    desk.unread(1_011, 65_537, replay=True, at=500)
    desk.unread(1_011, 65_538, replay=True, at=600)
    assert _numbers(desk.say(1_012, Ack("resume"), 65_538)) == [500, 600]


# -- a gap within a life


def test_a_missing_event_is_asked_for_and_later_ones_wait() -> None:
    desk = _live(seq=10)
    assert desk.unread(50, 12) == []
    assert desk.resumes() == [(BOOT, 10, 0)]
    assert not desk.session.is_verified
    assert desk.unread(60, 13) == []
    for seq, at in ((11, 40), (12, 50), (13, 60)):
        assert desk.unread(70, seq, replay=True, at=at) == []
    assert _numbers(desk.say(71, Ack("resume"), 13)) == [40, 50, 60]
    assert desk.session.is_verified
    assert (desk.counters["gaps"], desk.counters["repeats"]) == (1, 2)


@pytest.mark.parametrize(
    "report",
    [PollEmpty(2), Heartbeat(BOOT, 1, 1, 0, 0), LightReport(1, "steady", 0, 0, 0), ClockSample(5, 9)],
    ids=lambda report: type(report).__name__,
)
def test_any_report_shows_a_lost_event(report: Message) -> None:
    desk = _live(seq=10)
    desk.say(50, report, 11)
    assert desk.resumes() == [(BOOT, 10, 0)]
    desk.unread(60, 11, replay=True, at=40)
    assert _numbers(desk.say(61, Ack("resume"), 11)) == [40]


def test_a_report_that_waited_stands_behind_the_events_before_it() -> None:
    desk = _live(seq=10)
    tag = TagSeen("E0A", 1)
    desk.say(50, PollEmpty(1), 10)
    # TAG_SEEN (11) is lost; the poll after it shows the tag again
    desk.say(850, tag, 11)
    desk.say(860, TagSeen("E0A", 1), 11, replay=True, at=450)
    out = desk.say(861, Ack("resume"), 11)
    assert out == [seen.CardArrived("seat 1", "E0A", 50 * MS, 450 * MS, "reader-1")]


def test_a_gap_that_the_device_cannot_close_is_told_where_it_is() -> None:
    desk = _live(seq=10)
    desk.unread(50, 15)
    desk.unread(60, 14, replay=True, at=45)
    desk.unread(60, 15, replay=True, at=50)
    out = desk.say(61, Ack("resume", 1), 15)
    assert out[0] == EventsMissed("reader-1", PLACES, 3, 61 * MS)
    assert _numbers(out) == [45, 50]
    assert desk.session.is_verified
    assert desk.counters["events_missed"] == 3


def test_a_replay_that_lost_a_frame_on_the_line_is_asked_for_again() -> None:
    desk = _live(seq=10)
    desk.unread(50, 13)
    desk.asked()
    desk.unread(60, 11, replay=True, at=40)
    assert desk.say(61, Ack("resume"), 13) == []
    assert desk.resumes() == [(BOOT, 11, 0)]
    desk.unread(70, 12, replay=True, at=45)
    desk.unread(70, 13, replay=True, at=50)
    assert _numbers(desk.say(71, Ack("resume"), 13)) == [40, 45, 50]


def test_after_four_replays_with_time_between_them_the_loss_is_believed() -> None:
    desk = _live(seq=10)
    desk.unread(50, 12)
    assert desk.say(61, Ack("resume"), 12) == []
    assert len(desk.resumes()) == 2
    # a disturbance may last for a while: no more at once
    assert desk.say(62, Ack("resume"), 12) == []
    assert desk.resumes() == []
    for ms in (561, 1_061):
        assert desk.tick(ms) == []
        assert desk.resumes() == [(BOOT, 10, 0)]
        if ms == 561:
            assert desk.say(ms, Ack("resume"), 12) == []
    out = desk.say(1_062, Ack("resume"), 12)
    assert out[0] == EventsMissed("reader-1", PLACES, 1, 1_062 * MS)
    assert _numbers(out) == [50]


def test_a_replay_that_does_not_come_is_asked_for_again_and_then_given_up() -> None:
    desk = _live(seq=10)
    desk.unread(50, 12)
    desk.asked()
    assert desk.due() == 550
    assert desk.tick(550) == []
    assert desk.resumes() == [(BOOT, 10, 0)]
    desk.say(600, PollEmpty(1), 12)
    assert desk.tick(1_050) == []
    assert desk.resumes() == [(BOOT, 10, 0)]
    assert desk.tick(1_550) == []
    desk.say(1_600, PollEmpty(1), 12)
    out = desk.tick(2_050)
    assert out[0] == EventsMissed("reader-1", PLACES, 1, 2_050 * MS)
    assert desk.session.is_verified


def test_a_refused_replay_is_given_up_at_once() -> None:
    desk = _live(seq=10)
    desk.unread(50, 12)
    out = desk.say(60, Refused("resume", 3), 12)
    assert out[0] == EventsMissed("reader-1", PLACES, 1, 60 * MS)


def test_what_waits_is_bounded() -> None:
    desk = _live(seq=10)
    desk.unread(50, 12)
    out: list[AnyObservation] = []
    for i in range(1_100):
        out += desk.say(60 + i, PollEmpty(1), 12)
    assert [type(one) for one in out if isinstance(one, EventsMissed)] == [EventsMissed]


def test_an_event_told_twice_is_taken_once() -> None:
    desk = _live(seq=10)
    assert len(desk.unread(50, 11)) == 1
    assert desk.unread(60, 11) == []
    assert desk.unread(60, 10) == []
    assert desk.unread(60, 11, replay=True, at=50) == []
    assert desk.counters["repeats"] == 3


def test_a_report_older_than_what_was_taken_is_dropped() -> None:
    desk = _live(seq=10)
    assert desk.say(50, PollEmpty(1), 9) == []
    assert desk.counters["implausible_seq"] == 1


def test_a_stamp_from_more_than_a_second_ago_is_dropped_and_no_sign_of_life() -> None:
    desk = _live(seq=10)
    desk.say(2_000, PollEmpty(1), 10)
    assert desk.unread(2_010, 11, at=900) == []
    assert desk.counters["implausible_clock"] == 1
    # the event is then missing, and asked for
    desk.say(2_020, PollEmpty(2), 11)
    assert desk.resumes() == [(BOOT, 10, 0)]


# -- acknowledging, clock, lamps


def test_events_are_acknowledged_after_half_a_second() -> None:
    desk = _live(seq=10)
    desk.unread(100, 11)
    desk.unread(200, 12)
    assert desk.due() == 600
    desk.tick(599)
    assert desk.asked() == []
    desk.tick(600)
    assert desk.asked() == [HostCommand("ack_events", {"seq": 12})]
    desk.tick(1_200)
    assert desk.asked() == []


def test_sixteen_events_are_acknowledged_at_once() -> None:
    desk = _live(seq=10)
    for i in range(15):
        desk.unread(100 + i, 11 + i)
    assert desk.asked() == []
    desk.unread(120, 26)
    assert desk.asked() == [HostCommand("ack_events", {"seq": 26})]


def test_nothing_is_acknowledged_while_a_gap_is_open() -> None:
    desk = _live(seq=10)
    desk.unread(100, 11)
    desk.unread(110, 13)
    desk.asked()
    desk.tick(605)
    assert desk.names() == []


def test_the_clock_is_asked_for_every_ten_seconds() -> None:
    desk = _live()
    asked = 0
    for ms in range(100, 30_000, 100):
        desk.say(ms, PollEmpty(1), 10)
        desk.tick(ms)
        asked += desk.names().count("clock_request")
    assert asked == 2


def test_lamps_reports_are_kept_for_whoever_asks_and_bounded() -> None:
    desk = _live()
    report = LightReport(1, "steady", 0, 255, 0)
    for ms in range(100, 300):
        desk.say(ms, report, 10)
    assert 0 < len(desk.session.light_reports) <= 64
    assert desk.session.light_reports[-1] == report


def test_a_refused_command_is_counted() -> None:
    desk = _live()
    desk.say(100, Refused("set_light", 1), 10)
    assert desk.counters["refused_commands"] == 1


# -- keys across a loss


def test_a_press_that_spans_a_loss_is_forgotten() -> None:
    desk = _live(seq=10)
    desk.say(100, KeyPressed(1), 11, event=True)
    desk.close(150)
    desk.session.opened(200 * MS)
    desk.hello(210, seq=11)
    desk.say(220, Ack("resume"), 11)
    assert desk.say(300, KeyReleased(1), 12, event=True) == []


def test_a_press_within_a_loss_is_replayed_whole() -> None:
    desk = _live(seq=10)
    desk.close(100)
    desk.session.opened(900 * MS)
    desk.hello(910, seq=12)
    desk.say(911, KeyPressed(1), 11, replay=True, at=300)
    desk.say(911, KeyReleased(1), 12, replay=True, at=380)
    out = desk.say(912, Ack("resume"), 12)
    assert out[0] == seen.KeyPressed("shuffle", 380 * MS, "reader-1")


def test_a_stuck_key_has_a_deadline() -> None:
    desk = _live(seq=10)
    desk.say(100, KeyPressed(1), 11, event=True)
    out: list[AnyObservation] = []
    for ms in range(200, 11_000, 300):
        desk.say(ms, PollEmpty(1), 11)
        out += desk.tick(ms)
    assert [type(one) for one in out] == [seen.DeviceFaulted]


# -- stored


@pytest.mark.parametrize("cut", range(12))
def test_a_snapshot_goes_on_like_the_original(cut: int) -> None:
    story = [
        lambda d: d.session.opened(0) or [],
        lambda d: d.hello(10, seq=11, oldest=11),
        lambda d: d.unread(20, 11, replay=True, at=5),
        lambda d: d.say(21, Ack("resume"), 11),
        lambda d: d.unread(30, 12),
        lambda d: d.unread(50, 14),
        lambda d: d.say(55, PollEmpty(1), 14),
        lambda d: d.tick(551),
        lambda d: d.unread(560, 13, replay=True, at=40),
        lambda d: d.say(561, Ack("resume"), 14),
        lambda d: d.tick(3_600),
        lambda d: d.close(3_700),
    ]
    whole = Desk()
    expected = [(step(whole), whole.asked(), whole.due()) for step in story]
    first, second = Desk(), Desk()
    said = [(step(first), first.asked(), first.due()) for step in story[:cut]]
    second.presence.restore(first.presence.snapshot())
    second.session.restore(first.session.snapshot())
    said += [(step(second), second.asked(), second.due()) for step in story[cut:]]
    assert said == expected
