"""The simulated PN532, YRM100 and R2000: what they say, and how they err."""

from collections.abc import Iterator

import pytest

from protocol.codec import CODECS
from protocol.envelopes import PN532_ACK
from protocol.messages import Ack, DeviceInfo, HostCommand, Message, PollEmpty, Refused, TagSeen
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.pn532_device import Pn532Device
from shoe_bridge.sim.uhf_devices import R2000Device, Yrm100Device
from shoe_bridge.sim.world import World

ONE, TWO, THREE = "04000000000001", "04000000000002", "04000000000003"
EPC = "E00401500000000A"
NTAG = "MIFARE Ultralight or NTAG"
RECEIPT = Ack("frame")
LIST = {"most": 2, "type": "iso14443a"}


class Host:
    """Sends commands and takes the answers apart; a byte that is no frame fails the test."""

    def __init__(self, device) -> None:
        self.device = device
        self.now_ms = 0
        self.decoder = Decoder(CODECS[device.kind])

    def send(self, name: str, **args: int | str) -> None:
        self.device.take(CODECS[self.device.kind].encode(HostCommand(name, dict(args))), self.now_ms)

    def run(self, duration_ms: int = 50) -> list[Message]:
        return list(self._messages(duration_ms))

    def _messages(self, duration_ms: int) -> Iterator[Message]:
        self.now_ms += duration_ms
        for result in self.decoder.feed(self.device.advance(self.now_ms)):
            assert isinstance(result, DecodedFrame)
            yield from result.messages

    def ask(self, name: str, **args: int | str) -> list[Message]:
        self.send(name, **args)
        return self.run()


@pytest.mark.parametrize(
    ("device", "command", "args", "heard"),
    [
        (Pn532Device, "list_passive_target", LIST, "04010203040506"),
        (Yrm100Device, "inventory", {}, "E004010203040506"),
        (R2000Device, "inventory", {"repeat": 1}, "E004010203040506"),
    ],
)
def test_a_tag_of_another_kind_does_not_answer(device, command: str, args, heard: str) -> None:
    world = World()
    world.place("04010203040506", "seat 1")
    world.place("E004010203040506", "seat 1")
    host = Host(device("r", air=Air(world), antennas={1: "seat 1"}))
    if device is Pn532Device:
        host.device.take(bytes.fromhex("5555000000"), 0)  # wakes it
    said = host.ask(command, **args)
    assert [one.tag for one in said if isinstance(one, TagSeen)] == [heard]


@pytest.fixture
def world() -> World:
    return World()


def pn532(world: World) -> Host:
    host = Host(Pn532Device("reader-1", air=Air(world), antennas={1: "seat 1"}))
    assert host.ask("wake_up") == [RECEIPT, Ack("sam_configuration")]
    assert host.ask("rf_retries", atr=255, psl=1, passive=2) == [RECEIPT, Ack("rf_configuration")]
    return host


def seen(*tags: str) -> list[Message]:
    return [RECEIPT, *(TagSeen(tag, tag_type=NTAG) for tag in tags)]


def test_a_pn532_sleeps_until_it_is_woken(world: World) -> None:
    host = Host(Pn532Device("reader-1", air=Air(world), antennas={1: "seat 1"}))
    assert host.ask("firmware_version") == []
    host.ask("wake_up")
    assert host.ask("firmware_version") == [RECEIPT, DeviceInfo(firmware="1.6", model="PN532")]


def test_an_empty_antenna_answers_only_with_limited_retries(world: World) -> None:
    host = Host(Pn532Device("reader-1", air=Air(world), antennas={1: "seat 1"}))
    host.ask("wake_up")
    assert host.ask("list_passive_target", **LIST) == [RECEIPT]
    host.ask("rf_retries", atr=255, psl=1, passive=2)
    assert host.ask("list_passive_target", **LIST) == [RECEIPT, PollEmpty()]


def test_a_pn532_lists_two_targets_and_halted_ones_stay_silent_until_the_field_was_off(world: World) -> None:
    host = pn532(world)
    for tag in (ONE, TWO, THREE):
        world.place(tag, "seat 1")
    assert host.ask("list_passive_target", **LIST) == seen(ONE, TWO)
    assert host.ask("list_passive_target", **LIST) == seen(ONE, TWO)
    assert host.ask("deselect", target=0) == [RECEIPT, Ack("deselect")]
    assert host.ask("list_passive_target", **LIST) == seen(THREE)
    host.ask("deselect", target=0)
    assert host.ask("list_passive_target", **LIST) == [RECEIPT, PollEmpty()]
    assert host.ask("rf_field", on=0) == [RECEIPT, Ack("rf_configuration")]
    assert host.ask("list_passive_target", most=1, type="iso14443a") == seen(ONE)


def test_a_pn532_whose_tags_cannot_be_halted_lists_the_same_again(world: World) -> None:
    host = pn532(world)
    host.device.can_halt = False
    for tag in (ONE, TWO, THREE):
        world.place(tag, "seat 1")
    for _ in range(3):
        assert host.ask("list_passive_target", **LIST) == seen(ONE, TWO)
        assert host.ask("deselect", target=0) == [RECEIPT, Ack("deselect")]


def test_a_pn532_refuses_what_it_does_not_know(world: World) -> None:
    host = pn532(world)
    assert host.ask("general_status") == [RECEIPT, Refused("frame", 0x7F, "syntax error")]
    assert host.ask("list_passive_target", most=1, type="jewel") == [
        RECEIPT,
        Refused("frame", 0x7F, "syntax error"),
    ]
    host.device.fail_next_deselect()
    assert host.ask("deselect", target=0) == [RECEIPT, Refused("deselect", 0x27, "not acceptable now")]


def test_a_pn532_forgets_its_settings_with_its_power(world: World) -> None:
    host = pn532(world)
    host.device.unplug()
    assert host.ask("firmware_version") == []
    host.device.replug()
    assert host.ask("firmware_version") == []
    host.ask("wake_up")
    assert host.ask("list_passive_target", **LIST) == [RECEIPT]


def test_commands_are_answered_one_after_the_other(world: World) -> None:
    host = pn532(world)
    host.send("firmware_version")
    host.send("rf_field", on=0)
    firmware = DeviceInfo(firmware="1.6", model="PN532")
    assert host.run() == [RECEIPT, firmware, RECEIPT, Ack("rf_configuration")]


def test_a_reader_errs_when_it_is_told_to(world: World) -> None:
    host = pn532(world)
    host.device.ignore_next(1)
    assert host.ask("firmware_version") == []
    host.device.answer_late(200)
    assert host.ask("firmware_version") == []
    assert len(host.run(200)) == 2
    host.device.put_before_next(b"\x55\x00")
    host.device.cut_next(4)
    host.device.take(CODECS["pn532"].encode(HostCommand("firmware_version")), host.now_ms)
    data = host.device.advance(host.now_ms + 50)
    assert data.startswith(b"\x55\x00" + PN532_ACK[:4] + b"\x00\x00\xff\x06")
    host.now_ms += 50
    host.device.reboot()
    assert host.ask("wake_up") == []
    host.run(500)
    assert host.ask("wake_up") == [RECEIPT, Ack("sam_configuration")]


def test_a_yrm100_sends_a_notice_per_tag_and_says_when_there_is_none(world: World) -> None:
    host = Host(Yrm100Device("reader-1", air=Air(world), antennas={1: "stub"}))
    assert host.ask("module_info", item="hardware") == [DeviceInfo(hardware="M100 26dBm V1.0")]
    assert host.ask("inventory") == [PollEmpty()]
    world.place(EPC, "stub")
    assert host.ask("inventory") == [TagSeen(EPC, rssi=-42, tag_type="epc_gen2")]
    host.device.fail_next(0x20)
    assert host.ask("inventory") == [Refused("frequency_hopping", 0x20, "no free channel")]
    assert host.ask("set_power", centi_dbm=2_000) == [Ack("set_power")]
    assert host.ask("get_region") == [
        Refused("command", 0x17, "command not known or its parameters wrong"),
    ]


def test_a_yrm100_polls_by_itself_until_it_is_stopped(world: World) -> None:
    host = Host(Yrm100Device("reader-1", air=Air(world), antennas={1: "stub"}))
    world.place(EPC, "stub")
    host.send("multi_inventory", polls=1_000)
    assert len(host.run(100)) == 20
    assert Ack("stop_inventory") in host.ask("stop_inventory")
    assert host.run(100) == []


def test_an_r2000_takes_inventory_at_the_antenna_to_which_it_was_sent(world: World) -> None:
    host = Host(R2000Device("reader-1", air=Air(world), antennas={1: "seat 1", 3: "seat 3"}))
    world.place(EPC, "seat 3")
    assert host.ask("firmware_version") == [DeviceInfo(firmware="8.2")]
    assert host.ask("inventory", repeat=1) == [PollEmpty(1)]
    assert host.ask("set_work_antenna", antenna=3) == [Ack("set_work_antenna", 0x10)]
    assert host.ask("inventory", repeat=1) == [
        TagSeen(EPC, 3, -42, "epc_gen2"),
        Ack("inventory", text="1 reads"),
    ]
    host.device.take_off(3)
    assert host.ask("inventory", repeat=1) == [Refused("inventory", 0x22, "antenna missing")]
    host.device.put_back(3)
    assert len(host.ask("inventory", repeat=1)) == 2
    host.ask("set_work_antenna", antenna=2)
    assert host.ask("inventory", repeat=1) == [Refused("inventory", 0x22, "antenna missing")]
    assert host.ask("get_power") == [Refused("get_power", 0x41, "wrong parameter")]
