import json

import pytest

from protocol import pepper_c1
from protocol.codec import CODECS
from protocol.messages import Ack, DeviceInfo, HostCommand, Refused, TagSeen
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.pepper_device import PepperDevice
from shoe_bridge.sim.world import World

NINE = "E00401500000000A"
TEN = "E00401500000000B"


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def board(world: World) -> PepperDevice:
    return PepperDevice("reader-1", air=Air(world), antennas={1: "seat 1", 2: "seat 2"}, cycle_ms=100)


def test_a_tag_repeats_in_every_poll_and_its_going_is_silent(board, world, pepper_host) -> None:
    host = pepper_host(board)
    assert host.run(200) == []
    world.place(NINE, "seat 2")
    seen = host.run(300)
    assert len(seen) == 3
    assert set(seen) == {TagSeen(NINE, 2, tag_type="ICODE SLIX", device_name=board.device_name)}
    world.lift(NINE)
    assert host.run(1000) == []


def test_all_tags_of_a_stack_are_in_one_poll(board, world, pepper_host) -> None:
    world.place(NINE, "seat 1")
    world.place(TEN, "seat 1")
    assert [message.tag for message in pepper_host(board).run(100)] == [NINE, TEN]


def test_it_answers_the_host(board, pepper_host) -> None:
    host = pepper_host(board)
    host.send("dummy")
    host.send("event_format", known=0, format="json")
    host.send("event_format", known=1, format="json")
    host.send("poll_timeout", ms=200)
    assert host.run(10) == [
        Ack("dummy"),
        Ack("polling_setup"),
        Ack("polling_setup"),
        Ack("polling_setup"),
    ]
    host.send("version")
    (info,) = host.run(10)
    assert isinstance(info, DeviceInfo)
    assert info.firmware
    host.send("device_name")
    assert host.run(10) == [DeviceInfo(device_name=board.device_name)]


def test_tag_commands_are_refused_while_it_polls(board, pepper_host) -> None:
    host = pepper_host(board)
    host.send("get_uid", index=0)
    assert [type(message) for message in host.run(10)] == [Refused]


def test_polling_can_be_stopped_and_started(board, world, pepper_host) -> None:
    world.place(NINE, "seat 1")
    host = pepper_host(board)
    host.send("polling", on=0)
    assert host.run(300) == [Ack("polling")]
    host.send("polling", on=1)
    assert len([m for m in host.run(300) if isinstance(m, TagSeen)]) == 3


def test_binary_events_carry_no_antenna(board, world, pepper_host) -> None:
    host = pepper_host(board)
    host.send("event_format", known=0, format="binary")
    host.run(10)
    world.place(NINE, "seat 1")
    assert host.run(100) == [TagSeen(NINE, tag_type="icode")]


def test_pretty_printed_events_mean_the_same(world, pepper_host) -> None:
    plain = PepperDevice("reader-1", air=Air(world), antennas={1: "seat 1"})
    pretty = PepperDevice("reader-1", air=Air(world), antennas={1: "seat 1"}, is_pretty=True)
    world.place(NINE, "seat 1")
    as_plain, as_pretty = plain.advance(400), pretty.advance(400)
    assert b"\n\t" in as_pretty
    assert pepper_host(plain).parse(as_plain) == pepper_host(pretty).parse(as_pretty)


def test_a_reboot_is_deaf_for_a_second_and_then_polls_once_per_cycle(board, world, pepper_host) -> None:
    world.place(NINE, "seat 1")
    host = pepper_host(board)
    host.send("reboot")
    assert host.run(50)[0] == Ack("reboot")
    host.send("dummy")
    assert host.run(900) == []
    host.run(52)
    assert len(host.run(1000)) == 10


def test_unplugged_it_says_nothing_and_hears_nothing(board, world) -> None:
    world.place(NINE, "seat 1")
    board.unplug()
    board.take(b"\xf5", 0)
    assert board.advance(500) == b""
    board.replug()
    assert board.advance(600).count(NINE.encode()) == 1


def test_faults_on_the_stream(board, world) -> None:
    world.place(NINE, "seat 1")
    whole = board.advance(50)
    board.stray_start()
    assert board.advance(150)[:2] == b"\xf5{"
    board.cut_next_event(20)
    assert len(board.advance(250)) == 20
    board.lose_next(5)
    assert board.advance(350)[:10] == whole[5:15]
    assert len(board.advance(450)) == len(whole)


def test_two_boards_have_two_names() -> None:
    assert PepperDevice("reader-1").device_name != PepperDevice("reader-2").device_name
    assert PepperDevice("reader-1", device_name="Pepper_C1-MUX-8FC334").device_name.endswith("8FC334")


@pytest.mark.parametrize(
    ("tag", "name", "family", "sak"),
    [
        ("94D064EB", "MIFARE Classic 1k/Plus 2k", "mifare", 8),
        ("04288E6A581390", "MIFARE Ultralight", "mifare", 0),
        ("E00401500000000A", "ICODE SLIX", "icode", 0),
    ],
)
def test_a_tag_is_called_what_it_is(tag: str, name: str, family: str, sak: int) -> None:
    world = World()
    device = PepperDevice("reader-1", air=Air(world), antennas={1: "board"}, cycle_ms=100)
    world.place(tag, "board")
    event = device.advance(100)
    assert [json.loads(event)[key] for key in ("string", "sak")] == [name, sak]
    device.take(pepper_c1.encode_command(HostCommand("event_format", {"known": 0, "format": "binary"})), 100)
    results = Decoder(CODECS["pepper_c1"]).feed(device.advance(200))
    seen = [one for result in results if isinstance(result, DecodedFrame) for one in result.messages]
    assert TagSeen(tag, tag_type=family) in seen
