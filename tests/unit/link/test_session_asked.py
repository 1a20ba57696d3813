"""The session with a reader that must be asked: start-up, polls, late answers, retries. No bytes here."""

from collections import Counter
from itertools import pairwise

import pytest

from protocol.messages import (
    Ack,
    DeviceFault,
    DeviceInfo,
    HostCommand,
    Message,
    PollEmpty,
    Refused,
    TagSeen,
)
from shoe_bridge.link.asked_polls import MOST_FRAMES, NO_ANSWER
from shoe_bridge.link.asked_reader import AskedReader
from shoe_bridge.link.asked_session import AskedSession
from shoe_bridge.link.asker import WHOLE, Asker, Failed, Pending, Question, Told, Verdict
from shoe_bridge.link.presence import Presence
from shoe_bridge.link.session import LinkLabel
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    DeviceFaulted,
    LinkLost,
    LinkRestored,
)

MS = 1_000_000
WHO, TUNE, SLEEP = HostCommand("who"), HostCommand("tune"), HostCommand("sleep")
PLACES = ("seat 1", "seat 2")


class Parrot(Asker):
    """A reader of the tests: `look` is answered with tags and an end, `again` continues a long answer."""

    start_up = (
        Question(WHO, DeviceInfo),
        Question(TUNE, "tune"),
        Question(SLEEP, "sleep", is_needed=False),
    )
    keep_alive = Question(WHO, DeviceInfo)
    turns = (1, 2)
    answer_ms = 200

    def begin(self, antenna: int) -> HostCommand:
        return HostCommand("look", {"antenna": antenna})

    def judge(self, antenna: int, asked: HostCommand, messages: tuple[Message, ...]) -> Verdict | None:
        last = messages[-1]
        if isinstance(last, Refused) and last.command == "look":
            return Failed(last.status, last.text or "no reason")
        if isinstance(last, Ack) and last.command == "more":
            return Pending(HostCommand("again"))
        if isinstance(last, Ack) and last.command == "wait":
            return Pending()
        if isinstance(last, Ack) and last.command == "quiet":
            return Pending(over_after_ms=30)
        if isinstance(last, Ack) and last.command == "lost some":
            return Pending(is_gap=True)
        return WHOLE if isinstance(last, TagSeen | PollEmpty) else None

    def unasked(self, messages: tuple[Message, ...]) -> Told | None:
        if isinstance(messages[-1], Ack) and messages[-1].command == "by the way":
            return Told(HostCommand("thanks"))
        return None


class NoisyParrot(Parrot):
    noise_spoils_polls = True


class Desk:
    """A session and its far end; times are the bridge's ms."""

    def __init__(self, asker: Asker | None = None, identity: str | None = None) -> None:
        self.counters: Counter[str] = Counter()
        self.asker = asker or Parrot()
        self.presence = Presence()
        self.reader = AskedReader(
            self.presence,
            "reader-1",
            dict(enumerate(PLACES, start=1)),
            cycle_ms=400,
            gone_after_polls=2,
            is_known_tag=lambda tag: True,
            counters=self.counters,
        )
        self.session = self.new_session(identity)

    def new_session(self, identity: str | None = None) -> AskedSession:
        label = LinkLabel("reader-1", "parrot", PLACES)
        return AskedSession(label, identity, self.counters, self.asker, self.reader, 400)

    def say(self, ms: int, *messages: Message) -> list[AnyObservation]:
        out: list[AnyObservation] = []
        self.session.take(messages, None, ms * MS, out)
        return out

    def tick(self, ms: int) -> list[AnyObservation]:
        out: list[AnyObservation] = []
        self.session.tick(ms * MS, out)
        return out

    def asked(self) -> list[str]:
        names = [" ".join([one.command, *map(str, one.args.values())]) for one in self.session.commands]
        self.session.commands.clear()
        return names

    def due(self) -> int | None:
        due_ns = self.session.next_deadline_ns()
        return None if due_ns is None else due_ns // MS

    def start(self, ms: int = 0, model: str | None = "parrot") -> list[AnyObservation]:
        """Answer the whole start-up conversation, 1 ms each."""
        return [
            *self.say(ms + 1, DeviceInfo(model=model)),
            *self.say(ms + 2, Ack("tune")),
            *self.say(ms + 3, Ack("sleep")),
        ]


def live(asker: Asker | None = None) -> Desk:
    """A desk whose first poll, of antenna 1, was asked at 3 ms."""
    desk = Desk(asker)
    desk.session.opened(0)
    desk.start()
    assert desk.asked() == ["who", "tune", "sleep", "look 1"]
    return desk


# -- the start-up


def test_each_question_waits_for_the_answer_to_the_one_before() -> None:
    desk = Desk()
    assert desk.due() is None
    desk.session.opened(0)
    assert desk.asked() == ["who"]
    assert desk.say(1, Ack("tune")) == []
    assert desk.asked() == []
    desk.say(2, DeviceInfo(firmware="1"))
    assert desk.asked() == ["tune"]
    desk.say(3, Ack("tune"))
    assert desk.asked() == ["sleep"]
    assert not desk.session.is_verified
    assert desk.say(4, Ack("sleep")) == [LinkRestored("reader-1", PLACES, None, 4 * MS)]
    assert desk.session.is_verified
    assert desk.asked() == ["look 1"]


def test_a_question_without_an_answer_is_asked_again_from_the_beginning() -> None:
    desk = Desk()
    desk.session.opened(0)
    desk.say(1, DeviceInfo())
    desk.asked()
    assert desk.due() == 201
    assert desk.tick(200) == []
    assert desk.asked() == []
    desk.tick(201)
    assert desk.asked() == ["who"]


def test_a_question_that_may_stay_unanswered_is_given_up() -> None:
    desk = Desk()
    desk.session.opened(0)
    desk.say(1, DeviceInfo())
    desk.say(2, Ack("tune"))
    desk.asked()
    out = desk.tick(202)
    assert desk.asked() == ["sleep"]
    out += desk.tick(desk.due() or 0)
    assert [type(one) for one in out] == [LinkRestored]


def test_a_refused_question_ends_the_start_up_only_where_it_is_needed() -> None:
    desk = Desk()
    desk.session.opened(0)
    desk.say(1, DeviceInfo())
    desk.say(2, Ack("tune"))
    assert [type(one) for one in desk.say(3, Refused("sleep", 5))] == [LinkRestored]
    desk.session.closed(4 * MS, "unplugged", [])
    desk.session.opened(5 * MS)
    desk.say(6, DeviceInfo())
    assert [type(one) for one in desk.say(7, Refused("tune", 5, "not in tune"))] == [LinkLost]
    assert "refuses the command tune (not in tune)" in (desk.session.refusal or "")
    desk.asked()
    assert desk.due() == 5_007
    desk.tick(5_007)
    assert desk.asked() == ["who"]
    assert [type(one) for one in desk.start(5_007)] == [LinkRestored]
    assert desk.session.refusal is None


def test_a_reader_that_stays_mute_is_lost_once_and_asked_ever_more_rarely_for_ever() -> None:
    desk = Desk()
    desk.session.opened(0)
    out: list[AnyObservation] = []
    assert desk.asked() == ["who"]
    times = []
    for _ in range(40):
        due = desk.due()
        assert due is not None
        out += desk.tick(due)
        times += [due] * len(desk.asked())
    assert out == [LinkLost("reader-1", PLACES, "the device does not answer", 3_000 * MS)]
    assert "does not answer as a parrot device" in (desk.session.refusal or "")
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert gaps[:5] == [500, 1_000, 2_000, 4_000, 5_000]
    assert set(gaps[5:]) == {5_000}
    assert [type(one) for one in desk.start(times[-1])] == [LinkRestored]


def test_bytes_of_another_kind_are_named_in_the_refusal() -> None:
    desk = Desk()
    desk.session.opened(0)
    for ms in range(100, 3_400, 100):
        desk.session.noise(ms * MS)
        desk.tick(ms)
    assert "sends bytes that are not parrot" in (desk.session.refusal or "")


# -- who is it


def test_another_device_is_refused_and_the_right_one_accepted_later() -> None:
    desk = Desk(identity="parrot")
    desk.session.opened(0)
    assert [type(one) for one in desk.say(1, DeviceInfo(model="crow"))] == [LinkLost]
    assert "device crow where parrot is expected" in (desk.session.refusal or "")
    assert desk.say(2, DeviceInfo(model="crow"), TagSeen("E0A")) == []
    desk.say(3, TagSeen("E0A"))
    assert desk.counters["of_another_device"] == 1
    desk.asked()
    assert desk.due() == 5_001
    desk.tick(5_001)
    assert desk.asked() == ["who"]
    assert [type(one) for one in desk.start(5_001)] == [LinkRestored]


def test_the_first_one_to_come_is_held_to_its_name() -> None:
    desk = live()
    desk.session.closed(10 * MS, "unplugged", [])
    desk.session.opened(20 * MS)
    desk.say(21, DeviceInfo(model="crow"))
    assert not desk.session.is_verified
    assert "parrot is expected" in (desk.session.refusal or "")


# -- polls


def test_antennas_are_polled_in_turn_each_once_in_a_cycle() -> None:
    desk = live()
    assert desk.say(20, PollEmpty()) == []
    assert desk.asked() == []
    assert desk.due() == 200
    desk.tick(200)
    assert desk.asked() == ["look 2"]
    assert desk.say(220, TagSeen("E0A", rssi=-40)) == [
        CardArrived("seat 2", "E0A", 3 * MS, 220 * MS, "reader-1", -40)
    ]
    assert desk.due() == 400
    desk.tick(400)
    assert desk.asked() == ["look 1"]


def test_a_reader_slower_than_the_cycle_is_asked_at_once_and_not_faster_afterwards() -> None:
    desk = live()
    desk.say(190, Ack("wait"))
    desk.say(380, Ack("wait"))
    desk.say(450, PollEmpty())
    assert desk.asked() == ["look 2"]
    desk.say(460, PollEmpty())
    assert desk.asked() == []
    assert desk.due() == 650


def test_a_poll_may_take_several_questions() -> None:
    desk = live()
    assert desk.say(10, TagSeen("E0A"), Ack("more")) == []
    assert desk.asked() == ["again"]
    assert desk.say(20, TagSeen("E0B"), Ack("more")) == []
    out = desk.say(30, PollEmpty())
    assert [(type(one), one.tag) for one in out] == [(CardArrived, "E0A"), (CardArrived, "E0B")]
    assert {one.not_after_ns for one in out if isinstance(one, CardArrived)} == {30 * MS}


def test_a_poll_that_breaks_off_shows_what_it_shows_and_proves_nothing_else() -> None:
    desk = live()
    desk.say(10, TagSeen("E0A"))
    desk.tick(200)
    desk.say(210, PollEmpty())
    desk.tick(400)
    assert desk.asked() == ["look 2", "look 1"]
    assert desk.say(410, TagSeen("E0B"), Ack("more")) == []
    assert [(type(one), one.tag) for one in desk.tick(610)] == [(CardArrived, "E0B")]
    for ms in range(1_000, 6_000, 1_000):
        out = desk.start(ms)
        out += desk.say(ms + 10, TagSeen("E0B"), Ack("more"))
        out += desk.tick(ms + 210)
        assert not [one for one in out if isinstance(one, CardDeparted)]


def test_an_error_proves_nothing() -> None:
    desk = live()
    desk.say(10, TagSeen("E0A"))
    for ms in range(200, 2_000, 200):
        desk.tick(ms + 3)
        out = desk.say(ms + 10, Refused("look", 9, "it rains"))
        assert not [one for one in out if isinstance(one, CardDeparted)]
    assert desk.counters["polls_failed"] == 9
    for ms in (2_000, 2_200, 2_400, 2_600):
        desk.tick(ms + 3)
        out = desk.say(ms + 10, PollEmpty())
    assert CardDeparted in {type(one) for one in out} or desk.presence.places_of("E0A") == []


def test_a_poll_may_end_with_quiet() -> None:
    desk = live()
    desk.say(10, TagSeen("E0A"), Ack("quiet"))
    desk.say(25, TagSeen("E0B"), Ack("quiet"))
    assert desk.due() == 55
    assert desk.tick(54) == []
    assert [one.tag for one in desk.tick(55)] == ["E0A", "E0B"]
    assert desk.counters["polls_clean"] == 1
    # told far too late: the host had stopped, and frames of the poll may wait unread
    desk.tick(203)
    desk.say(210, Ack("quiet"))
    desk.tick(1_300)
    assert desk.counters["polls_clean"] == 1
    assert desk.counters["host_stalls"] == 1


def test_a_gap_that_the_reader_admits_spoils_the_poll() -> None:
    desk = live()
    desk.say(10, Ack("lost some"))
    desk.say(11, PollEmpty())
    assert desk.counters["polls_failed"] == 1


@pytest.mark.parametrize(("asker", "is_clean"), [(Parrot(), True), (NoisyParrot(), False)])
def test_dropped_bytes_spoil_a_poll_only_where_a_lost_frame_goes_unnoticed(
    asker: Asker, is_clean: bool
) -> None:
    desk = live(asker)
    desk.session.noise(5 * MS)
    desk.say(10, PollEmpty())
    assert desk.counters["polls_clean"] == is_clean
    # not the next one
    desk.tick(203)
    desk.say(210, PollEmpty())
    assert desk.counters["polls_clean"] == 1 + is_clean


def test_a_poll_that_never_ends_is_ended() -> None:
    desk = live()
    for number in range(MOST_FRAMES):
        desk.say(10 + number, Ack("wait"))
    assert desk.counters["polls_failed"] == 1


# -- late and missing answers


def test_a_late_answer_counts_for_no_antenna() -> None:
    desk = live()
    assert desk.due() == 203
    assert desk.tick(203) == []
    assert desk.asked() == ["who"]
    # the answer to `look 1`, after all
    assert desk.say(210, TagSeen("E0A")) == []
    assert desk.counters["late_answers"] == 1
    assert desk.start(215) == []
    # antenna 1 is asked once again, because it failed for the first time
    assert desk.asked() == ["tune", "sleep", "look 1"]
    desk.say(230, PollEmpty())
    desk.tick(500)
    assert desk.asked() == ["look 2"]
    assert desk.presence.places_of("E0A") == []


def test_an_antenna_that_fails_again_does_not_hold_up_the_others() -> None:
    desk = live()
    polled = []
    ms = 3
    for _ in range(12):
        ms = max(desk.due() or 0, ms) + 1
        desk.tick(ms)
        asked = desk.asked()
        if asked == ["who"]:
            desk.start(ms)
            asked = desk.asked()
        polled += [name for name in asked if name.startswith("look")]
        if polled[-1] == "look 2":
            desk.say(ms + 4, PollEmpty())
    # once again at once, then only when its turn comes
    assert polled[:6] == ["look 1", "look 2", "look 1", "look 2", "look 1", "look 2"]
    assert desk.counters["polls_clean"] >= 3


def test_a_garbled_answer_is_not_waited_for() -> None:
    desk = live()
    desk.session.noise(10 * MS)
    assert desk.due() == 110
    desk.tick(110)
    assert desk.asked() == ["who"]


def test_silence_is_a_lost_link_and_an_answer_brings_it_back() -> None:
    desk = live()
    out: list[AnyObservation] = []
    while not any(isinstance(one, LinkLost) for one in out):
        out += desk.tick(desk.due() or 0)
    (lost,) = [one for one in out if isinstance(one, LinkLost)]
    assert (lost.why, lost.at_mono_ns) == ("the device is silent", 3_003 * MS)
    assert not desk.session.is_verified
    assert [type(one) for one in desk.start(3_100)] == [LinkRestored]


def test_a_lost_link_does_not_move_a_card() -> None:
    desk = live()
    desk.say(10, TagSeen("E0A"))
    for _ in range(30):
        out = desk.tick(desk.due() or 0)
        assert not [one for one in out if isinstance(one, CardDeparted)]
    desk.asked()
    desk.session.closed(60_000 * MS, "unplugged", [])
    desk.session.opened(61_000 * MS)
    desk.start(61_000)
    assert desk.asked()[-1] == "look 2"
    desk.say(61_010, PollEmpty())
    desk.tick(61_400)
    assert desk.say(61_410, TagSeen("E0A")) == []


def test_a_host_that_stalled_does_not_lose_the_reader() -> None:
    desk = live()
    assert desk.tick(20_000) == []
    assert desk.counters["host_stalls"] == 1
    assert desk.say(20_001, TagSeen("E0A")) == [
        CardArrived("seat 1", "E0A", 3 * MS, 20_001 * MS, "reader-1", None)
    ]


def test_a_reader_that_has_nothing_to_do_is_kept_alive() -> None:
    class Idle(Parrot):
        turns = ()

    desk = Desk(Idle())
    desk.session.opened(0)
    desk.start()
    assert desk.asked() == ["who", "tune", "sleep"]
    assert desk.due() == 1_002
    desk.tick(1_002)
    assert desk.asked() == ["who"]
    desk.say(1_005, DeviceInfo())
    assert desk.due() == 2_002
    desk.tick(2_002)
    desk.asked()
    assert desk.due() == 2_202
    desk.tick(2_202)
    assert desk.asked() == ["who"]
    assert desk.session.is_verified


# -- health


def test_an_antenna_that_fails_three_times_running_is_a_fault_until_all_answer() -> None:
    desk = live()
    out: list[AnyObservation] = []
    ms = 10
    for _ in range(8):
        out += desk.say(ms, Refused("look", 9, "it rains"))
        ms += 200
        desk.tick(ms)
    faults = [one for one in out if isinstance(one, DeviceFaulted)]
    assert [(one.code, one.text, one.cleared) for one in faults] == [
        (9, "antenna 1: it rains", False),
        (9, "antenna 2: it rains", False),
    ]
    assert desk.say(ms, PollEmpty()) == []
    ms += 200
    desk.tick(ms)
    (over,) = desk.say(ms, PollEmpty())
    assert isinstance(over, DeviceFaulted)
    assert over.cleared


def test_a_fault_that_is_over_after_a_replug_is_told_to_be_over() -> None:
    desk = live()
    out: list[AnyObservation] = []
    for ms in range(200, 1_400, 200):
        out += desk.say(ms - 1, Refused("look", 9, "it rains"))
        desk.tick(ms)
    assert len([one for one in out if isinstance(one, DeviceFaulted)]) == 2
    desk.session.closed(2_000 * MS, "unplugged", [])
    desk.session.opened(3_000 * MS)
    out = desk.start(3_000)
    for ms in range(3_200, 3_800, 200):
        out += desk.say(ms - 1, PollEmpty())
        desk.tick(ms)
    assert [one.cleared for one in out if isinstance(one, DeviceFaulted)] == [True]


def test_polls_without_answers_are_a_fault_too() -> None:
    desk = live()
    out: list[AnyObservation] = []
    ms = 3
    for _ in range(8):
        ms = max(desk.due() or 0, ms)
        out += desk.tick(ms)
        if "who" in desk.asked():
            desk.start(ms)
            desk.asked()
            ms += 3
    assert {one.code for one in out if isinstance(one, DeviceFaulted)} == {NO_ANSWER}
    assert not [one for one in out if isinstance(one, LinkLost)]


# -- what comes unasked


def test_what_comes_unasked_is_told_counted_or_answered() -> None:
    desk = live()
    desk.say(10, PollEmpty())
    assert desk.say(11, PollEmpty()) == []
    assert desk.counters["unasked"] == 1
    assert [type(one) for one in desk.say(12, DeviceFault(3, "hot"))] == [DeviceFaulted]
    assert [one.tag for one in desk.say(13, TagSeen("E0A", 2), Ack("by the way"))] == ["E0A"]
    assert desk.asked() == ["thanks"]


def test_the_bridge_s_own_words_that_come_back_are_not_an_answer() -> None:
    desk = live()
    assert desk.say(5, HostCommand("look", {"antenna": 1})) == []
    assert desk.counters["echoes"] == 1
    assert desk.due() == 203


# -- life and storage


def test_a_closed_link_is_lost_once_and_deaf() -> None:
    desk = live()
    out: list[AnyObservation] = []
    desk.session.closed(10 * MS, "unplugged", out)
    desk.session.closed(11 * MS, "unplugged", out)
    assert [type(one) for one in out] == [LinkLost]
    assert desk.say(12, TagSeen("E0A")) == []
    assert desk.tick(5_000) == []
    assert desk.due() is None
    assert not desk.session.is_verified


def test_a_snapshot_of_a_clock_that_has_started_anew_holds_up_no_poll() -> None:
    desk = Desk()
    desk.session.opened(9_000_000 * MS)
    desk.start(9_000_000)
    snapshot = desk.session.snapshot()
    desk.session = desk.new_session()
    desk.session.restore(snapshot)
    desk.session.closed(9_000_010 * MS, "the host restarted", [])
    desk.session.opened(20 * MS)
    desk.start(20)
    assert desk.asked()[-1] == "look 1"


def test_going_on_from_a_snapshot_in_mid_poll_is_going_on() -> None:
    desk = live()
    desk.say(10, TagSeen("E0A"), Ack("more"))
    desk.asked()
    snapshot = desk.session.snapshot()
    desk.session = desk.new_session()
    desk.session.restore(snapshot)
    assert desk.session.is_verified
    assert desk.due() == 210
    assert [one.tag for one in desk.say(20, TagSeen("E0B"))] == ["E0A", "E0B"]
