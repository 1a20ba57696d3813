from typing import Any

import pytest

from protocol import pn532
from protocol.envelopes import PN532, PN532_ACK, PN532_EXTENDED, PN532_NACK
from protocol.framing import frame_around
from protocol.messages import (
    Ack,
    Decoded,
    DeviceInfo,
    Failure,
    HostCommand,
    PollEmpty,
    Reason,
    Refused,
    TagSeen,
)
from protocol.pn532_encode import WAKE_UP, packet_frame
from protocol.pn532_layout import COMMANDS, UID_SIZES

COMMANDS_WITH_ARGS: list[tuple[str, dict[str, Any]]] = [
    ("firmware_version", {}),
    ("general_status", {}),
    ("set_baud", {"baud": 921_600}),
    ("sam_configuration", {"mode": "normal"}),
    ("sam_configuration", {"mode": "normal", "timeout_50ms": 20, "irq": 1}),
    ("rf_field", {"on": 0}),
    ("rf_retries", {"atr": 255, "psl": 1, "passive": 2}),
    ("list_passive_target", {"most": 2, "type": "iso14443a"}),
    ("deselect", {"target": 0}),
    ("release", {"target": 2}),
    ("select", {"target": 1}),
    ("auto_poll", {"polls": 1, "period_150ms": 1, "types": "0010"}),
    ("nack", {}),
]


def meaning_of(frame: bytes) -> Any:
    decoded = pn532.decode(PN532.name, frame)
    assert isinstance(decoded, Decoded)
    (message,) = decoded.messages
    return message


@pytest.mark.parametrize(("name", "args"), COMMANDS_WITH_ARGS)
def test_what_the_host_says_comes_back(name: str, args: dict[str, Any]) -> None:
    command = HostCommand(name, args)
    assert meaning_of(pn532.encode_command(command)) == command


def test_commands_as_others_send_them() -> None:
    def sent(name: str, **args: int | str) -> str:
        return pn532.encode_command(HostCommand(name, args)).hex(" ").upper()

    assert sent("list_passive_target", most=1, type="iso14443a") == "00 00 FF 04 FC D4 4A 01 00 E1 00"
    assert sent("firmware_version") == "00 00 FF 02 FE D4 02 2A 00"
    assert sent("sam_configuration", mode="normal") == "00 00 FF 03 FD D4 14 01 17 00"
    assert sent("rf_retries", atr=255, psl=255, passive=255) == "00 00 FF 06 FA D4 32 05 FF FF FF F8 00"
    assert pn532.encode_command(HostCommand("ack")) == PN532_ACK
    assert pn532.encode_command(HostCommand("nack")) == PN532_NACK


def test_a_wake_up_is_the_preamble_with_a_frame_behind_it() -> None:
    woken = pn532.encode_command(HostCommand("wake_up"))
    assert woken.startswith(WAKE_UP)
    assert WAKE_UP[:2] == b"\x55\x55"
    assert len(WAKE_UP) >= 16
    assert meaning_of(woken.removeprefix(WAKE_UP)) == HostCommand("sam_configuration", {"mode": "normal"})


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("dance", {}),
        ("data_exchange", {}),
        ("firmware_version", {"x": 1}),
        ("wake_up", {"x": 1}),
        ("list_passive_target", {"most": 3, "type": "iso14443a"}),
        ("list_passive_target", {"most": 1, "type": "iso15693"}),
        ("rf_retries", {"passive": 2}),
        ("rf_retries", {"atr": 256, "psl": 1, "passive": 2}),
        ("deselect", {"target": 3}),
        ("set_baud", {"baud": 4}),
        ("sam_configuration", {"mode": "tired"}),
        ("auto_poll", {"polls": 1}),
        ("auto_poll", {"polls": 1, "period_150ms": 1, "types": ""}),
        ("auto_poll", {"polls": 1, "period_150ms": 300, "types": "00"}),
    ],
)
def test_bad_commands_are_refused(name: str, args: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        pn532.encode_command(HostCommand(name, args))


def test_what_a_chip_answers_comes_back() -> None:
    assert meaning_of(pn532.encode_firmware(0x32, 1, 6, 7)) == DeviceInfo(firmware="1.6", model="PN532")
    assert meaning_of(pn532.encode_done("rf_retries")) == Ack("rf_configuration")
    assert meaning_of(pn532.encode_status("deselect")) == Ack("deselect")
    assert meaning_of(pn532.encode_status("deselect", 0x2B)) == Refused("deselect", 0x2B, "the card is gone")
    assert meaning_of(pn532.encode_syntax_error()) == Refused("frame", 0x7F, "syntax error")
    assert meaning_of(pn532.encode_targets([])) == PollEmpty()
    assert meaning_of(PN532_ACK) == Ack("frame")


@pytest.mark.parametrize("size", UID_SIZES)
@pytest.mark.parametrize("ats", [None, b"", b"\x75\x77\x81\x02\x80"])
def test_targets_come_back_alone_and_in_pairs(size: int, ats: bytes | None) -> None:
    first = pn532.TypeATarget("04" + "AB" * (size - 1), 0x20 if ats is not None else 0x00, ats=ats)
    second = pn532.TypeATarget("04" + "CD" * (size - 1))
    name = "ISO 14443-4" if ats is not None else "MIFARE Ultralight or NTAG"
    assert meaning_of(pn532.encode_targets([first])) == TagSeen(first.tag, tag_type=name)
    both = pn532.decode(PN532.name, pn532.encode_targets([first, second]))
    assert isinstance(both, Decoded)
    assert [message.tag for message in both.messages if isinstance(message, TagSeen)] == [
        first.tag,
        second.tag,
    ]


def test_the_size_of_a_uid_stands_in_the_atqa() -> None:
    assert pn532.encode_targets([pn532.TypeATarget("9EB36E66", 0x08)]).hex(" ").upper() == (
        "00 00 FF 0C F4 D5 4B 01 01 00 04 08 04 9E B3 6E 66 A9 00"
    )
    assert pn532.encode_targets([pn532.TypeATarget("047BCB51962280")]).hex(" ").upper() == (
        "00 00 FF 0F F1 D5 4B 01 01 00 44 00 07 04 7B CB 51 96 22 80 C0 00"
    )


def test_what_a_chip_cannot_send_is_refused() -> None:
    with pytest.raises(ValueError, match="no tag"):
        pn532.encode_targets([pn532.TypeATarget("E0040150A05F02B7")])
    with pytest.raises(ValueError, match="holds 2 targets"):
        pn532.encode_targets([pn532.TypeATarget("9EB36E66")] * 3)
    with pytest.raises(ValueError, match="SAK"):
        pn532.encode_targets([pn532.TypeATarget("9EB36E66", ats=b"\x75")])
    with pytest.raises(ValueError, match="no command"):
        pn532.encode_status("dance")


def test_a_packet_too_long_for_a_normal_frame_is_sent_extended() -> None:
    assert packet_frame(b"\xd5\x41" + bytes(253)).startswith(b"\x00\x00\xff\xff\x01\xd5")
    long = packet_frame(b"\xd5\x41" + bytes(254))
    assert long == frame_around(PN532_EXTENDED, b"\xd5\x41" + bytes(254))
    assert long.startswith(b"\x00\x00\xff\xff\xff\x01\x00\xff")
    with pytest.raises(ValueError, match="does not fit"):
        packet_frame(bytes(266))


@pytest.mark.parametrize("extended", [False, True])
def test_both_forms_of_a_frame_mean_the_same_with_and_without_the_first_zero(extended: bool) -> None:
    packet = bytes.fromhex("D54B010100440007047BCB51962280")
    frame = frame_around(PN532_EXTENDED, packet) if extended else packet_frame(packet)
    seen = TagSeen("047BCB51962280", tag_type="MIFARE Ultralight or NTAG")
    assert meaning_of(frame) == meaning_of(frame[1:]) == seen


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", Reason.IMPLAUSIBLE),
        (b"\x00\x00\xff", Reason.IMPLAUSIBLE),
        (b"\xff\x00\xff\x03\xfd\xd5\x4b\x00\xe0\x00", Reason.IMPLAUSIBLE),
        (b"\x00\xff\x03\xfd\xd5\x4b\x00\xe0\x55", Reason.IMPLAUSIBLE),
        (b"\x00\xff\x04\xfc\xd5\x4b\x00\xe0\x00", Reason.TOO_SHORT),
        (b"\x00\xff\x02\xfe\xd5\x4b\x00\xe0\x00", Reason.TRAILING),
        (b"\x00\xff\x03\xfc\xd5\x4b\x00\xe0\x00", Reason.BAD_LENGTH),
        (b"\x00\xff\x03\xfd\xd5\x4b\x00\xe1\x00", Reason.BAD_CHECK),
    ],
)
def test_a_body_from_anywhere_is_held_against_its_own_checks(body: bytes, reason: Reason) -> None:
    failure = pn532.decode(PN532.name, body)
    assert isinstance(failure, Failure)
    assert failure.reason is reason


def test_no_command_is_another_one_s_answer() -> None:
    assert not {number + 1 for number in COMMANDS} & set(COMMANDS)
