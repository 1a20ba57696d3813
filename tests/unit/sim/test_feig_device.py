import pytest

from protocol import feig_obid
from protocol.codec import CODECS
from protocol.messages import Ack, DeviceInfo, HostCommand, Message, PollEmpty, Refused, TagSeen
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.sim.feig_device import MOST_RECORDS, FeigDevice
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.world import World

NINE = "E00401500000000A"
TEN = "E00401500000000B"


class Host:
    """Asks a reader and takes its answers apart."""

    def __init__(self, device: FeigDevice) -> None:
        self.device = device
        self.now_ms = 0
        self.decoder = Decoder(CODECS["feig_obid"])

    def ask(self, name: str, *, wait_ms: int = 50, **args: int | str) -> list[Message]:
        self.device.take(feig_obid.encode_command(HostCommand(name, dict(args))), self.now_ms)
        return self.run(wait_ms)

    def run(self, duration_ms: int) -> list[Message]:
        self.now_ms += duration_ms
        results = self.decoder.feed(self.device.advance(self.now_ms))
        return [message for one in results if isinstance(one, DecodedFrame) for message in one.messages]


@pytest.fixture
def world() -> World:
    return World()


def host_of(world: World, mode: str = "inventory", **settings: int) -> Host:
    antennas = {1: "seat 1", 2: "seat 2"}
    return Host(FeigDevice("r", air=Air(world), antennas=antennas, cycle_ms=100, mode=mode, **settings))


def test_it_says_nothing_until_it_is_asked(world: World) -> None:
    world.place(NINE, "seat 1")
    host = host_of(world)
    assert host.run(5_000) == []
    assert host.device.next_due_ms() is None


def test_it_answers_who_it_is(world: World) -> None:
    assert host_of(world).ask("software_version") == [DeviceInfo("3.3.0", "44", "ISC.M02.M8")]


def test_an_inventory_is_of_the_antennas_of_its_mask(world: World) -> None:
    world.place(NINE, "seat 1")
    world.place(TEN, "seat 2")
    host = host_of(world)
    nine, ten = TagSeen(NINE, tag_type="iso15693"), TagSeen(TEN, tag_type="iso15693")
    assert host.ask("inventory", mode=0, antennas=1) == [nine]
    assert host.ask("inventory", mode=0, antennas=2) == [ten]
    assert host.ask("inventory", mode=0, antennas=3) == [nine, ten]
    assert host.ask("inventory", mode=0) == [nine]
    assert host.ask("inventory", mode=0, antennas=4) == [PollEmpty()]


def test_a_long_list_comes_in_parts(world: World) -> None:
    tags = [f"E0040150000000{number:02X}" for number in range(5)]
    for tag in tags:
        world.place(tag, "seat 1")
    host = host_of(world, tags_per_reply=2)
    first = host.ask("inventory", mode=0, antennas=1)
    assert first[-1] == Ack("host_command", 0x94, "more data follows")
    found = [*first[:-1], *host.ask("inventory", mode=0x80, antennas=1)[:-1]]
    found += host.ask("inventory", mode=0x80, antennas=1)
    assert [message.tag for message in found if isinstance(message, TagSeen)] == tags
    assert host.ask("inventory", mode=0x80, antennas=1) == [PollEmpty()]


KINDS = {
    "04010203": "iso14443b",
    "0401020304": "icode_uid",
    "04010203040506": "iso14443a",
    "E004010203040506": "iso15693",
    "04010203040506070809": "iso14443a",
    "300000000000000000000001": "epc_gen2",
}


def test_a_tag_is_of_the_kind_that_its_length_says(world: World) -> None:
    for tag in KINDS:
        world.place(tag, "seat 1")
    seen = host_of(world).ask("inventory", mode=0, antennas=1)
    assert seen == [TagSeen(tag, tag_type=kind) for tag, kind in KINDS.items()]
    kept = host_of(world, "buffered")
    kept.run(150)
    records = kept.ask("read_buffer", sets=8, wait_ms=5)
    assert records == [TagSeen(tag, 1, tag_type=kind) for tag, kind in KINDS.items()]


def test_it_answers_in_the_order_in_which_it_was_asked_also_when_it_is_late(world: World) -> None:
    host = host_of(world)
    host.device.answer_late(400)
    assert host.ask("inventory", mode=0, antennas=1) == []
    assert host.ask("software_version") == []
    assert [type(message) for message in host.run(500)] == [PollEmpty, DeviceInfo]


def test_it_errs_on_request(world: World) -> None:
    host = host_of(world)
    host.device.fail_next(0x83)
    assert host.ask("inventory", mode=0) == [Refused("host_command", 0x83, "RF communication error")]
    host.device.ignore_next(1)
    assert host.ask("inventory", mode=0) == []
    host.device.cut_next(4)
    assert host.ask("inventory", mode=0) == []
    host.decoder = Decoder(CODECS["feig_obid"])
    host.device.put_before_next(b"\x00\x00")
    assert host.ask("inventory", mode=0) == [PollEmpty()]


def test_a_restart_is_deaf_for_a_while(world: World) -> None:
    host = host_of(world)
    assert host.ask("cpu_reset") == [Ack("cpu_reset")]
    assert host.ask("software_version") == []
    host.run(500)
    assert len(host.ask("software_version")) == 1


def test_a_kept_record_is_handed_out_until_it_is_cleared(world: World) -> None:
    world.place(NINE, "seat 2")
    host = host_of(world, "buffered")
    host.run(150)
    record = TagSeen(NINE, 2, tag_type="iso15693")
    assert host.ask("read_buffer", sets=8, wait_ms=5) == [record]
    assert host.ask("read_buffer", sets=8, wait_ms=5) == [record]
    assert host.ask("clear_buffer", wait_ms=5) == [Ack("clear_buffer")]
    empty = [Ack("read_buffer", 0x92, "no valid data")]
    assert host.ask("read_buffer", sets=8, wait_ms=5) == empty
    # recorded anew while it stays, and no more once it is gone
    host.run(400)
    assert host.ask("read_buffer", sets=8, wait_ms=5) == [record]
    world.lift(NINE)
    host.ask("initialise_buffer", wait_ms=5)
    host.run(1_000)
    assert host.ask("read_buffer", sets=8, wait_ms=5) == empty


def test_a_buffer_says_that_there_is_more_or_that_it_lost_some(world: World) -> None:
    world.place(NINE, "seat 1")
    world.place(TEN, "seat 1")
    host = host_of(world, "buffered", valid_ms=1)
    host.run(200)
    assert host.ask("read_buffer", sets=1, wait_ms=5)[-1] == Ack("read_buffer", 0x94, "more data follows")
    host.run(100 * MOST_RECORDS)
    assert host.ask("read_buffer", sets=1_000)[-1] == Ack("read_buffer", 0x93, "data buffer overflow")
    assert host.ask("clear_buffer") == [Ack("clear_buffer")]


def test_inventories_and_buffers_exclude_each_other(world: World) -> None:
    refused = Refused("host_command", 0x82, "command not available")
    assert host_of(world, "buffered").ask("inventory", mode=0) == [refused]
    assert isinstance(host_of(world).ask("read_buffer", sets=1)[0], Refused)


def test_a_notification_comes_again_until_it_is_acknowledged(world: World) -> None:
    world.place(NINE, "seat 1")
    host = host_of(world, "notification", valid_ms=10_000)
    record = TagSeen(NINE, 1, tag_type="iso15693")
    assert host.run(100) == [record]
    assert host.run(1_000) == [record, record]
    assert host.ask("clear_buffer") == [Ack("clear_buffer")]
    assert host.run(3_000) == []


def test_an_unplugged_reader_hears_and_says_nothing(world: World) -> None:
    host = host_of(world)
    host.device.unplug()
    assert host.ask("software_version") == []
    host.device.replug()
    assert len(host.ask("software_version")) == 1
