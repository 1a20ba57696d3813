from random import Random

import pytest

from protocol.messages import (
    Ack,
    CardDrawn,
    CardUnread,
    ClockSample,
    DealerEntry,
    Heartbeat,
    Hello,
    KeyPressed,
    KeyReleased,
    LightReport,
    PollEmpty,
    Refused,
    TagGone,
    TagSeen,
)
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.tablelink_device import TablelinkDevice
from shoe_bridge.sim.world import World

NINE = "E00401500000000A"
TEN = "E00401500000000B"


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def reader(world: World) -> TablelinkDevice:
    return TablelinkDevice("reader-1", air=Air(world), antennas={1: "seat 1", 2: "seat 2"}, cycle_ms=100)


@pytest.fixture
def box() -> TablelinkDevice:
    return TablelinkDevice("keys-1", keys=3, lamps=1, has_shoe=True)


def of_kind(sent, kind):
    return [message for message, _ in sent if isinstance(message, kind)]


def test_identity_is_fixed_by_the_name() -> None:
    first, second = TablelinkDevice("reader-1"), TablelinkDevice("reader-1")
    assert first.device_id == second.device_id
    assert first.boot_id == second.boot_id
    assert TablelinkDevice("reader-2").device_id != first.device_id
    assert TablelinkDevice("reader-1", device_id="00112233445566FF").device_id == "00112233445566FF"


def test_hello_names_the_device_and_what_it_has(reader, box, tablelink_host) -> None:
    for device, antennas, keys, lamps in ((reader, 2, 0, 0), (box, 0, 3, 1)):
        host = tablelink_host(device)
        host.send("hello_request")
        (hello,) = of_kind(host.run(2), Hello)
        assert (hello.device_id, hello.boot_id) == (device.device_id, device.boot_id)
        assert (hello.antennas, hello.keys, hello.lamps) == (antennas, keys, lamps)
        assert ("antennas" in hello.capabilities) == (antennas > 0)
        assert ("shoe" in hello.capabilities) == (keys > 0)


def test_nothing_but_heartbeats_before_the_host_resumes(reader, world, tablelink_host) -> None:
    world.place(NINE, "seat 1")
    host = tablelink_host(reader)
    kinds = {type(message) for message, _ in host.run(1000)}
    assert kinds == {Heartbeat}
    heartbeats = of_kind(host.run(1000), Heartbeat)
    assert len(heartbeats) == 2
    assert heartbeats[0].boot_id == reader.boot_id


def test_the_first_resume_replays_what_waited(reader, world, tablelink_host) -> None:
    world.place(NINE, "seat 1")
    host = tablelink_host(reader)
    host.run(300)
    replayed = host.connect()
    assert [(type(m), s.is_event, s.is_replay) for m, s in replayed[:1]] == [(TagSeen, True, True)]
    assert replayed[1][0] == Ack("resume", 0)


def test_an_antenna_shows_arrival_stay_departure_and_emptiness(reader, world, tablelink_host) -> None:
    host = tablelink_host(reader)
    host.connect()
    assert {type(m) for m, _ in host.run(100)} == {PollEmpty}
    world.place(NINE, "seat 1")
    arrived = host.run(100)
    (seen,) = of_kind(arrived, TagSeen)
    assert (seen.tag, seen.antenna, seen.tag_type) == (NINE, 1, "iso15693")
    stamps = [s for m, s in arrived if isinstance(m, TagSeen)]
    assert [(s.is_event, s.seq) for s in stamps] == [(True, 1)]
    world.place(TEN, "seat 1")
    both = [(m, s) for m, s in host.run(100) if isinstance(m, TagSeen)]
    assert [(m.tag, s.is_event) for m, s in both] == [(TEN, True), (NINE, False)]
    assert len({s.at_device_ms for _, s in both}) == 1
    world.lift(NINE)
    assert of_kind(host.run(100), TagGone) == []
    assert of_kind(host.run(100), TagGone) == [TagGone(NINE, 1)]
    world.lift(TEN)
    host.run(100)
    last = [m for m, _ in host.run(100) if getattr(m, "antenna", None) == 1]
    assert last == [TagGone(TEN, 1), PollEmpty(1)]


def test_each_cycle_polls_every_antenna_once(reader, tablelink_host) -> None:
    host = tablelink_host(reader)
    host.connect()
    host.run(96)
    polls = [m.antenna for m in of_kind(host.run(1000), PollEmpty)]
    assert polls.count(1) == polls.count(2) == 10
    assert polls[:4] in ([1, 2, 1, 2], [2, 1, 2, 1])


def test_reports_carry_the_number_of_the_newest_event(box, tablelink_host) -> None:
    host = tablelink_host(box)
    host.connect()
    box.enter("sit", 3)
    sent = host.run(600)
    assert [s.seq for m, s in sent if isinstance(m, DealerEntry)] == [1]
    assert {s.seq for m, s in sent if isinstance(m, Heartbeat)} == {1}


def test_keys_pad_and_shoe_speak(box, tablelink_host) -> None:
    host = tablelink_host(box)
    host.connect()
    box.press(2, held_ms=80)
    box.enter("raise", 4, 250)
    box.draw(NINE, "up")
    box.draw(None, "down")
    sent = [(m, s) for m, s in host.run(100) if s.is_event]
    assert [m for m, _ in sent] == [
        KeyPressed(2),
        DealerEntry("raise", 4, 250),
        CardDrawn(tag=NINE, face="up"),
        CardUnread("down"),
        KeyReleased(2),
    ]
    assert [s.seq for _, s in sent] == [1, 2, 3, 4, 5]
    assert sent[-1][1].at_device_ms - sent[0][1].at_device_ms == 80


def test_a_replug_loses_no_event(box, tablelink_host) -> None:
    host = tablelink_host(box)
    host.connect()
    box.enter("sit", 1)
    assert len(of_kind(host.run(10), DealerEntry)) == 1
    box.unplug()
    box.enter("sit", 2)
    box.press(1)
    assert host.run(1000) == []
    box.replug()
    assert of_kind(host.run(200), DealerEntry) == []
    host.send("hello_request")
    (hello,) = of_kind(host.run(2), Hello)
    assert hello.oldest_seq == 1
    host.send("resume", boot_id=hello.boot_id, after_seq=1, nothing_seen=0)
    sent = host.run(2)
    assert [m for m, s in sent if s.is_replay] == [DealerEntry("sit", 2), KeyPressed(1), KeyReleased(1)]
    assert sent[-1][0] == Ack("resume", 0)
    box.enter("sit", 3)
    assert [s.is_replay for m, s in host.run(2) if isinstance(m, DealerEntry)] == [False]


def test_the_ring_holds_24_events_and_counts_what_it_lost(box, tablelink_host) -> None:
    host = tablelink_host(box)
    host.connect()
    for seat in range(1, 31):
        box.enter("sit", seat)
    host.run(2)
    host.send("resume", boot_id=box.boot_id, after_seq=0, nothing_seen=0)
    sent = host.run(2)
    assert [m.number for m in of_kind(sent, DealerEntry)] == list(range(7, 31))
    assert sent[-1][0] == Ack("resume", 1)
    assert of_kind(host.run(600), Heartbeat)[-1].dropped_events == 6


def test_acknowledged_events_are_forgotten(box, tablelink_host) -> None:
    host = tablelink_host(box)
    host.connect()
    for seat in range(1, 5):
        box.enter("sit", seat)
    host.run(2)
    host.send("ack_events", seq=3)
    host.run(2)
    host.send("resume", boot_id=box.boot_id, after_seq=3, nothing_seen=0)
    sent = host.run(2)
    assert [m.number for m in of_kind(sent, DealerEntry)] == [4]
    assert sent[-1][0] == Ack("resume", 0)
    host.send("resume", boot_id=box.boot_id, after_seq=1, nothing_seen=0)
    assert host.run(2)[-1][0] == Ack("resume", 1)


def test_a_reboot_changes_boot_id_clock_and_numbers(reader, world, tablelink_host) -> None:
    host = tablelink_host(reader)
    host.connect()
    world.place(NINE, "seat 1")
    host.run(200)
    before = reader.boot_id
    reader.reboot()
    host.run(150)
    host.send("hello_request")
    (hello,) = of_kind(host.run(2), Hello)
    assert hello.boot_id not in (before, 0)
    host.send("resume", boot_id=before, after_seq=7, nothing_seen=0)
    sent = host.run(2)
    assert [(m.tag, s.seq) for m, s in sent if isinstance(m, TagSeen)] == [(NINE, 1)]
    assert sent[0][1].at_device_ms < 200


def test_a_lamp_shows_what_it_was_told_until_the_promise_runs_out(box, tablelink_host) -> None:
    host = tablelink_host(box)
    light = {"lamp": 1, "pattern": "steady", "red": 0, "green": 255, "blue": 0, "hold_ms": 700}
    host.send("set_light", **light)
    assert of_kind(host.run(2), LightReport) == [LightReport(1, "steady", 0, 255, 0)]
    host.run(400)
    host.send("set_light", **light)
    host.run(500)
    assert box.lamps[1].shown[0] == "steady"
    reports = of_kind(host.run(300), LightReport)
    assert reports[-1].expired
    assert reports[-1].pattern == "flash"
    assert [pattern for _, pattern in box.lamps[1].history] == ["steady", "flash"]


def test_a_lamp_reports_once_a_second_and_refuses_numbers_it_has_not(box, tablelink_host) -> None:
    host = tablelink_host(box)
    assert len(of_kind(host.run(3000), LightReport)) == 3
    host.send("set_light", lamp=2, pattern="dark", red=0, green=0, blue=0, hold_ms=100)
    assert [m.command for m in of_kind(host.run(2), Refused)] == ["set_light"]


def test_a_clock_sample_answers_the_token(box, tablelink_host) -> None:
    host = tablelink_host(box)
    host.send("clock_request", token=77)
    ((sample, stamp),) = [(m, s) for m, s in host.run(2) if isinstance(m, ClockSample)]
    assert sample == ClockSample(77, stamp.at_device_ms)


def test_bytes_of_no_frame_are_dropped(box, tablelink_host) -> None:
    host = tablelink_host(box)
    box.take(b"\x00\x7e\xff\x7e\x03abc", 0)
    host.send("clock_request", token=1)
    assert len(of_kind(host.run(2), ClockSample)) == 1


def test_one_missed_poll_is_no_departure(world, tablelink_host) -> None:
    reader = TablelinkDevice("reader-1", air=Air(world), antennas={1: "seat 1"}, cycle_ms=100)
    host = tablelink_host(reader)
    host.connect()
    world.place(NINE, "seat 1")
    host.run(150)
    world.hide(NINE)
    host.run(100)
    world.reveal(NINE)
    assert [s.is_event for m, s in host.run(100) if isinstance(m, TagSeen)] == [False]


def test_noise_is_the_same_for_the_same_seed(tablelink_host) -> None:
    def play(seed: int) -> bytes:
        world = World()
        reader = TablelinkDevice(
            "reader-1",
            air=Air(world, "poor", Random(seed)),
            antennas={1: "seat 1", 2: "seat 2"},
            cycle_ms=50,
        )
        tablelink_host(reader).connect()
        world.place(NINE, "seat 1")
        return reader.advance(5000)

    assert play(1) == play(1)
    assert play(1) != play(2)
