from typing import Any

import pytest

from protocol.envelopes import TABLELINK
from protocol.messages import (
    Ack,
    CardDrawn,
    CardUnread,
    ClockSample,
    DealerEntry,
    Decoded,
    DeviceFault,
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
    TagGone,
    TagSeen,
    TypedLine,
)
from protocol.tablelink import ENTRY_WORDS, decode, encode, encode_command
from protocol.vectors import vectors_of

EVENT = Stamp(seq=7, is_event=True, is_replay=False, at_device_ms=1000)
REPLAYED = Stamp(seq=7, is_event=True, is_replay=True, at_device_ms=1000)
REPORT = Stamp(seq=7, is_event=False, is_replay=False, at_device_ms=1000)
HELLO = Hello("5342523100000001", "1.4.2", 0x12345678, ("antennas", "rssi"), 8, 0, 0, 25)

EVENTS = [
    TagSeen("E0040150A05F02B7", 4, -40, "iso15693"),
    TagSeen("94D064EB", 32),
    TagGone("04288E6A581390", 1),
    CardDrawn(tag="00112233445566778899", face="up"),
    CardUnread("down"),
    KeyPressed(1),
    KeyReleased(64),
    *[DealerEntry(word) for word in ENTRY_WORDS],
    DealerEntry("raise", 5, 4_294_967_294),
    DeviceFault(0x0103, "antenna 3 does not answer"),
]
REPORTS = [
    TagSeen("E0040150A05F02B7", 4, 127, "iso14443b"),
    PollEmpty(8),
    HELLO,
    Hello("00000000000000AB", "0.0.0", 0),
    Heartbeat(1, 2, 3, 4, 5),
    LightReport(1, "flash", 0, 0, 64, True),
    ClockSample(2**32 - 1, 0),
    Ack("ack_events"),
    Ack("resume", 1),
    Refused("set_light", 1, "no such lamp"),
]
COMMANDS = [
    HostCommand("hello_request"),
    HostCommand("resume", {"boot_id": 1, "after_seq": 2, "nothing_seen": 1}),
    HostCommand("ack_events", {"seq": 65535}),
    HostCommand(
        "set_light", {"lamp": 1, "pattern": "dark", "red": 0, "green": 0, "blue": 0, "hold_ms": 65535}
    ),
    HostCommand("clock_request", {"token": 9}),
]


@pytest.mark.parametrize(
    ("message", "stamp"),
    [*[(m, EVENT) for m in EVENTS], *[(m, REPLAYED) for m in EVENTS], *[(m, REPORT) for m in REPORTS]],
    ids=lambda case: type(case).__name__,
)
def test_what_a_device_says_comes_back(message: Message, stamp: Stamp) -> None:
    assert decode("tablelink", encode(message, stamp)[2:-2]) == Decoded((message,), stamp)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.command)
def test_what_the_host_says_comes_back(command: HostCommand) -> None:
    assert decode("tablelink", encode_command(command)[2:-2]) == Decoded((command,))


def test_a_frame_with_an_8_byte_tag_is_22_bytes() -> None:
    assert len(encode(TagSeen("E0040150A05F02B7", 1, -40, "iso15693"), REPORT)) == 22


def test_the_longest_frame_that_a_device_sends_fits_the_envelope() -> None:
    longest = max(len(encode(message, REPORT)) for message in REPORTS)
    assert longest == len(encode(HELLO, REPORT)) <= TABLELINK.longest


def test_an_event_and_a_report_of_a_tag_differ_in_their_type_only() -> None:
    seen = TagSeen("94D064EB", 1, -40)
    event, replayed, report = (encode(seen, stamp)[2:-2] for stamp in (EVENT, REPLAYED, REPORT))
    assert (event[0], replayed[0], report[0]) == (0x01, 0x81, 0x20)
    assert event[1:] == replayed[1:] == report[1:]


def test_encodes_every_documented_frame_of_a_device_and_of_the_host() -> None:
    encoded = 0
    for vector in vectors_of("tablelink"):
        if vector.is_negative or len(vector.expect) > 1:
            continue
        body = vector.stream[2:-2]
        decoded = decode("tablelink", body)
        assert isinstance(decoded, Decoded)
        (message,) = decoded.messages
        if isinstance(message, HostCommand):
            assert encode_command(message) == vector.stream
        elif not isinstance(message, TagGone | CardDrawn):  # these do not keep the tag's family
            assert decoded.stamp is not None
            assert encode(message, decoded.stamp) == vector.stream, vector.name
        encoded += 1
    assert encoded > 40


@pytest.mark.parametrize(
    ("message", "stamp", "complaint"),
    [
        (TagSeen("94D064EB"), EVENT, "antenna"),
        (TagSeen("94D064EB", 33), EVENT, "antenna"),
        (TagSeen("94D064EB", 1, 128), EVENT, "field"),
        (TagSeen("94D064", 1), EVENT, "no tag of 3 bytes"),
        (TagSeen("94D064EG", 1), EVENT, "hexadecimal"),
        (TagSeen("94D064EB", 1, None, "felica"), EVENT, "tag_type"),
        (TagSeen("94D064EB", 1, device_name="reader"), EVENT, "device_name"),
        (TagGone("94D064EB", 1), REPORT, "no report"),
        (PollEmpty(1), EVENT, "no event"),
        (PollEmpty(1), Stamp(1, False, True, 0), "never replayed"),
        (CardDrawn(card="9d"), EVENT, "card"),
        (CardDrawn(face="up"), EVENT, "without a tag"),
        (CardDrawn(tag="94D064EB", face="side"), EVENT, "face"),
        (KeyPressed(0), EVENT, "key"),
        (DealerEntry("shout"), EVENT, "word"),
        (Hello("00000000000000AB", "1.2", 0), REPORT, "firmware"),
        (Hello("00000000000000AB", "1.2.3", 0, ("wings",)), REPORT, "wings"),
        (Ack("dance"), REPORT, "command"),
        (TypedLine("x"), EVENT, "no frame"),
        (PollEmpty(1), Stamp(65536, False, False, 0), "field"),
    ],
)
def test_what_the_link_cannot_carry_is_refused(message: Message, stamp: Stamp, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        encode(message, stamp)


@pytest.mark.parametrize(
    ("name", "args", "complaint"),
    [
        ("dance", {}, "no command"),
        ("hello_request", {"a": 1}, "no arguments"),
        ("ack_events", {}, "takes seq"),
        ("ack_events", {"seq": 65536}, "field"),
        ("ack_events", {"seq": "many"}, "field"),
        ("resume", {"boot_id": 1, "after_seq": 2, "nothing_seen": 2}, "nothing_seen"),
        (
            "set_light",
            {"lamp": 1, "pattern": "disco", "red": 0, "green": 0, "blue": 0, "hold_ms": 0},
            "pattern",
        ),
    ],
)
def test_a_command_with_bad_arguments_is_refused(name: str, args: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        encode_command(HostCommand(name, args))
