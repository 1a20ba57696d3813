"""One link whole, in bytes: what goes in, what comes out, what is written, what is due."""

import msgspec
import pytest

from protocol import pepper_c1, tablelink
from protocol.messages import (
    Ack,
    CardUnread,
    Heartbeat,
    Hello,
    HostCommand,
    LightReport,
    Message,
    PollEmpty,
    Stamp,
    TagSeen,
)
from shoe_bridge.errors import ConfigError
from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.presence import Presence
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    LinkLost,
    LinkRestored,
)
from shoe_bridge.table.observations import CardUnread as CardUnreadSeen

MS = 1_000_000
DEVICE_ID = "0102030405060708"
TAG = "E004015000000001"
HELLO_REQUEST = tablelink.encode_command(HostCommand("hello_request"))


def _config(**changes: object) -> LinkConfig:
    config = LinkConfig("reader-1", "tablelink", {2: "burn", 1: "seat 1"}, {1: "shuffle"})
    return msgspec.structs.replace(config, **changes)


def _link(**changes: object) -> DeviceLink:
    return DeviceLink(_config(**changes), Presence(), lambda tag: tag.startswith("E0"))


def _frame(ms: int, message: Message, seq: int = 0, event: bool = False) -> bytes:
    return tablelink.encode(message, Stamp(seq, event, False, ms + 9_000))


def _hello(ms: int, seq: int = 0) -> bytes:
    return _frame(ms, Hello(DEVICE_ID, "1.0.0", 7, ("antennas",), 2, 1, 0, None), seq)


def _live(**changes: object) -> DeviceLink:
    link = _link(**changes)
    link.opened(0, 1)
    link.take(_hello(10) + _frame(11, Ack("resume")), 12 * MS)
    link.sends()
    assert link.is_verified
    return link


def test_a_kind_without_a_link_is_a_configuration_error_of_one_sentence() -> None:
    with pytest.raises(ConfigError) as caught:
        _link(kind="abacus")
    assert "reader-1" in str(caught.value)
    assert "tablelink, pepper_c1" in str(caught.value)


def test_places_stand_in_the_order_of_the_antennas_each_once() -> None:
    assert _link(antennas={9: "board", 1: "seat 1", 4: "board"}).places == ("seat 1", "board")


def test_the_life_of_a_link_in_bytes() -> None:
    link = _link()
    assert link.next_deadline_ns() is None
    assert link.sends() == []
    assert link.opened(0, 1) == []
    assert link.sends() == [HELLO_REQUEST]
    assert link.sends() == []
    assert link.take(_hello(10), 10 * MS) == []
    resume = HostCommand("resume", {"boot_id": 7, "after_seq": 0, "nothing_seen": 1})
    clock = HostCommand("clock_request", {"token": 1})
    assert link.sends() == [tablelink.encode_command(resume), tablelink.encode_command(clock)]
    restored = link.take(_frame(11, Ack("resume")), 11 * MS)
    assert restored == [LinkRestored("reader-1", ("seat 1", "burn"), 0, 11 * MS)]
    assert link.take(_frame(100, PollEmpty(1)), 103 * MS) == []
    # read 2 ms late: 100 + the 1 ms that the fastest frame took is its time
    arrived = link.take(_frame(500, TagSeen(TAG, 1, -40, "iso15693"), 1, event=True), 510 * MS)
    assert arrived == [CardArrived("seat 1", TAG, 100 * MS, 500 * MS, "reader-1", -40)]
    lost = link.closed(600 * MS, "unplugged")
    assert lost == [LinkLost("reader-1", ("seat 1", "burn"), "unplugged", 600 * MS)]
    assert link.closed(601 * MS, "unplugged") == []
    assert not link.is_verified
    assert link.next_deadline_ns() is None


def test_bytes_after_the_end_are_counted_and_dropped() -> None:
    link = _live()
    link.closed(100 * MS, "unplugged")
    assert link.take(_frame(110, PollEmpty(1)), 110 * MS) == []
    assert link.tick(5_000 * MS) == []
    assert link.sends() == []
    assert link.counters["bytes_after_close"] == len(_frame(110, PollEmpty(1)))


def test_a_port_that_is_opened_twice_ends_the_life_before() -> None:
    link = _live()
    assert [type(one) for one in link.opened(100 * MS, 2)] == [LinkLost]
    assert link.sends() == [HELLO_REQUEST]
    assert link.counters["reconnects"] == 1


def test_a_false_start_on_a_quiet_line_withholds_no_frame() -> None:
    link = _live()
    assert link.take(b"\x7e\x20" + _frame(20, CardUnread(), 1, event=True), 20 * MS) == []
    assert link.next_deadline_ns() == 70 * MS
    assert link.tick(69 * MS) == []
    assert link.tick(70 * MS) == [CardUnreadSeen(20 * MS, "reader-1")]
    assert link.counters["junk_idle_expired"] == 1


def test_a_frame_withheld_by_a_false_start_is_not_lost_with_the_port() -> None:
    link = _live()
    link.take(b"\x7e\x20" + _frame(20, CardUnread(), 1, event=True), 20 * MS)
    assert [type(one) for one in link.closed(30 * MS, "unplugged")] == [CardUnreadSeen, LinkLost]


def test_half_a_frame_of_the_last_life_does_not_spoil_the_next() -> None:
    link = _live()
    link.take(_frame(20, PollEmpty(1))[:7], 20 * MS)
    link.closed(30 * MS, "unplugged")
    link.opened(40 * MS, 2)
    assert link.take(_hello(50) + _frame(51, Ack("resume")), 52 * MS) != []


def test_junk_is_counted_by_reason() -> None:
    link = _live()
    bad = bytearray(_frame(20, PollEmpty(1)))
    bad[-1] ^= 1
    link.take(b"hello" + bytes(bad) + _frame(30, PollEmpty(2)), 31 * MS)
    assert {name for name in link.counters if name.startswith("junk_")} == {
        "junk_implausible",
        "junk_bad_check",
    }
    assert link.counters["frames"] == 3


def test_another_device_is_refused() -> None:
    link = _link(identity="FFFFFFFFFFFFFFFF")
    link.opened(0, 1)
    assert [type(one) for one in link.take(_hello(10), 10 * MS)] == [LinkLost]
    assert link.refusal is not None
    assert DEVICE_ID in link.refusal
    assert link.take(_frame(20, TagSeen(TAG, 1, None, None), 1, event=True), 20 * MS) == []


def test_a_lamp_is_set_and_reports() -> None:
    link = _live()
    link.set_light(1, "slow_blink", 255, 160, 0, 2_000)
    wanted = {"lamp": 1, "pattern": "slow_blink", "red": 255, "green": 160, "blue": 0, "hold_ms": 2_000}
    assert link.sends() == [tablelink.encode_command(HostCommand("set_light", wanted))]
    report = LightReport(1, "slow_blink", 255, 160, 0)
    assert link.take(_frame(50, report), 50 * MS) == []
    assert link.light_reports() == [report]
    assert link.light_reports() == []


def test_a_lamp_that_cannot_be_is_an_error_at_once() -> None:
    link = _live()
    with pytest.raises(ValueError, match="pattern"):
        link.set_light(1, "sparkle", 0, 0, 0, 100)
    assert link.sends() == []


def test_a_closed_link_queues_nothing() -> None:
    link = _live()
    link.set_light(1, "steady", 0, 0, 0, 100)
    link.closed(50 * MS, "unplugged")
    link.set_light(1, "steady", 0, 0, 0, 100)
    assert link.sends() == []
    link.opened(60 * MS, 2)
    assert link.sends() == [HELLO_REQUEST]


def test_each_tick_at_its_deadline_moves_the_deadline() -> None:
    for kind in ("tablelink", "pepper_c1"):
        link = _link(kind=kind)
        link.opened(0, 1)
        due_ns, ticks = link.next_deadline_ns(), 0
        while due_ns is not None and due_ns < 60_000 * MS:
            link.tick(due_ns)
            link.sends()
            later_ns = link.next_deadline_ns()
            assert later_ns is not None
            assert later_ns > due_ns
            due_ns, ticks = later_ns, ticks + 1
        assert ticks < 200


def test_a_pepper_in_bytes() -> None:
    link = _link(kind="pepper_c1")
    link.opened(0, 1)
    said: list[AnyObservation] = []
    replies = {
        "dummy": pepper_c1.encode_reply("dummy"),
        "version": pepper_c1.encode_reply("version", b"2.04\0"),
        "device_name": pepper_c1.encode_reply("device_name", b"\0\0\0\x06Pepper"),
        "event_format": pepper_c1.encode_reply("polling_setup"),
        "polling": pepper_c1.encode_reply("polling"),
    }
    for name in ("dummy", "version", "device_name", "event_format", "event_format", "polling"):
        assert len(link.sends()) == 1
        said += link.take(replies[name], 10 * MS)
    assert said == [LinkRestored("reader-1", ("seat 1", "burn"), None, 10 * MS)]
    event = pepper_c1.encode_json_event(TAG, 2, "Pepper", 1, "ICODE SLIX", pretty=True)
    arrived = link.take(b"\xf5" + event + replies["dummy"], 500 * MS)
    assert arrived == [CardArrived("burn", TAG, 100 * MS, 500 * MS, "reader-1")]
    due_ns = link.next_deadline_ns()
    assert due_ns == 1_000 * MS
    link.tick(due_ns)
    assert link.sends() == [b"\xf5\x03\x00\xfc\xff\x01\xd1\xf1"]
    assert link.take(replies["dummy"], 1_002 * MS) == [
        CardDeparted("burn", TAG, 500 * MS, 1_002 * MS, "reader-1")
    ]


def test_a_snapshot_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="reader-1"):
        _link().restore(b"\x00not one")


def test_a_restored_link_goes_on_within_a_frame() -> None:
    config = _config()
    presence = Presence()
    link = DeviceLink(config, presence, lambda tag: True)
    link.opened(0, 1)
    link.take(_hello(10) + _frame(11, Ack("resume")), 12 * MS)
    link.sends()
    frame = _frame(100, TagSeen(TAG, 1, None, None), 1, event=True)
    link.take(frame[:9], 100 * MS)
    again = Presence()
    restored = DeviceLink(config, again, lambda tag: True)
    again.restore(presence.snapshot())
    restored.restore(link.snapshot())
    assert restored.next_deadline_ns() == link.next_deadline_ns()
    assert restored.take(frame[9:], 101 * MS) == link.take(frame[9:], 101 * MS) != []
    assert restored.counters == link.counters
    assert restored.is_verified


def test_a_restart_of_the_bridge_goes_on_after_the_last_event() -> None:
    link = _live()
    link.take(_frame(100, CardUnread(), 1, event=True), 101 * MS)
    again = _link()
    again.restore(link.snapshot())
    assert [type(one) for one in again.closed(200 * MS, "the bridge restarted")] == [LinkLost]
    again.opened(300 * MS, 1)
    again.sends()
    again.take(_hello(310, seq=1), 310 * MS)
    resume = HostCommand("resume", {"boot_id": 7, "after_seq": 1, "nothing_seen": 0})
    assert again.sends()[0] == tablelink.encode_command(resume)


def test_a_heartbeat_keeps_the_link() -> None:
    link = _live()
    for ms in range(500, 20_000, 500):
        assert link.take(_frame(ms, Heartbeat(7, ms // 1000, 1, 0, 0)), ms * MS) == []
        assert link.tick(ms * MS) == []
    assert link.is_verified
