"""tablelink: the project's own link to a microcontroller at the table. The whole story: `spec/tablelink.md`.

Frame    7E | LEN | body (LEN bytes) | CRC-16/IBM-3740 over LEN and body, little-endian

Body of the device              Body of the host
0  1  type, bit 7 = replayed    0  1  type
1  2  seq                       1  n  arguments
3  4  clock, ms since boot
7  n  fields

EVENTS carry their own seq and stay in the device's ring for replay:
01 TAG_SEEN  02 TAG_GONE   antenna u8, rssi i8, tag type u8, uid 4/7/8/10
03 CARD_DRAWN              face u8, tag type u8, uid 4/7/8/10
04 CARD_UNREAD             face u8
05 KEY_DOWN  06 KEY_UP     key u8
07 ENTRY                   word u8, number u8, amount u32
08 FAULT                   code u16, cleared u8

REPORTS carry the seq of the newest event and are not kept:
20 TAG_STILL               as TAG_SEEN
21 POLL_EMPTY              antenna u8
22 HELLO                   version u8, device id 8, firmware 3, boot id u32, capabilities u16, antennas u8,
                           keys u8, lamps u8, holds events u8, oldest seq u16
23 HEARTBEAT               boot id u32, uptime s u32, polls u32, bad replies u16, dropped events u16
24 LIGHT_REPORT            lamp u8, pattern u8, red u8, green u8, blue u8, expired u8
25 CLOCK_SAMPLE            token u32, clock u32
26 ACK                     command u8, status u8
27 REFUSED                 command u8, status u8
28 REPLAY_DONE             status u8: 0 all replayed, 1 some lost

HOST:
40 hello_request           -
41 resume                  boot id u32, after seq u16, nothing seen u8
42 ack_events              seq u16
43 set_light               lamp u8, pattern u8, red u8, green u8, blue u8, hold ms u16
44 clock_request           token u32
"""

from collections.abc import Callable
from typing import Any

from protocol.envelopes import TABLELINK
from protocol.messages import (
    Ack,
    CardDrawn,
    CardUnread,
    ClockSample,
    DealerEntry,
    Decoded,
    DeviceFault,
    Failure,
    Heartbeat,
    Hello,
    HostCommand,
    KeyPressed,
    KeyReleased,
    LightReport,
    Message,
    PollEmpty,
    Reason,
    Refused,
    Stamp,
    TagGone,
    TagSeen,
)
from protocol.primitives import HexOf, Lowered
from protocol.tablelink_encode import encode, encode_command
from protocol.tablelink_layout import (
    ABSENT_AMOUNT,
    ABSENT_NUMBER,
    ABSENT_RSSI,
    CAPABILITIES,
    ENTRY_WORDS,
    EVENT_TYPES,
    FAMILIES,
    FAULTS,
    HOST_TYPES,
    LOWERED,
    MOST_ANTENNAS,
    REFUSALS,
    REPLAYED,
    REPORT_TYPES,
    UID_SIZES,
)

__all__ = ["ENTRY_WORDS", "ENVELOPES", "decode", "encode", "encode_command"]

ENVELOPES = (TABLELINK,)

Row = list[Any]
Reader = Callable[[bytes], Decoded | Failure]

_TAGS = {size: LOWERED[f"tag/{size}"] for size in UID_SIZES}
_DRAWN = {size: LOWERED[f"card_drawn/{size}"] for size in UID_SIZES}


# -- fields after the header -> message; None where the values contradict each other


def _card_unread(row: Row) -> Message:
    return CardUnread(face=row[3])


def _key_pressed(row: Row) -> Message:
    return KeyPressed(key=row[3])


def _key_released(row: Row) -> Message:
    return KeyReleased(key=row[3])


def _entry(row: Row) -> Message:
    _, _, _, word, number, amount = row
    return DealerEntry(
        word=word,
        number=None if number == ABSENT_NUMBER else number,
        amount=None if amount == ABSENT_AMOUNT else amount,
    )


def fault_text(code: int) -> str | None:
    """One short phrase for a fault's code; None for a code that this version does not know."""
    text = FAULTS.get(code >> 8)
    return None if text is None else text.format(code & 0xFF)


def _fault(row: Row) -> Message:
    return DeviceFault(code=row[3], text=fault_text(row[3]), cleared=bool(row[4]))


def _poll_empty(row: Row) -> Message:
    return PollEmpty(row[3])


def _hello(row: Row) -> Message | None:
    _, _, _, _, device_id, major, minor, patch, boot_id, bits, antennas, keys, lamps, holds, oldest = row
    if bits >> len(CAPABILITIES) or (oldest and not holds):
        return None
    return Hello(
        device_id=device_id,
        firmware=f"{major}.{minor}.{patch}",
        boot_id=boot_id,
        capabilities=tuple(name for bit, name in enumerate(CAPABILITIES) if bits >> bit & 1),
        antennas=antennas,
        keys=keys,
        lamps=lamps,
        oldest_seq=oldest if holds else None,
    )


def _heartbeat(row: Row) -> Message:
    return Heartbeat(*row[3:])


def _light_report(row: Row) -> Message:
    _, _, _, lamp, pattern, red, green, blue, expired = row
    return LightReport(lamp, pattern, red, green, blue, bool(expired))


def _clock_sample(row: Row) -> Message:
    return ClockSample(token=row[3], at_device_ms=row[4])


def _ack(row: Row) -> Message:
    return Ack(command=row[3], status=row[4])


def _refused(row: Row) -> Message:
    return Refused(command=row[3], status=row[4], text=REFUSALS.get(row[4]))


def _replay_done(row: Row) -> Message:
    return Ack(command="resume", status=row[3])


def _card_drawn(row: Row) -> Message:
    return CardDrawn(tag=row[5], face=row[3])


def _tag_gone(row: Row) -> Message | None:
    # a tag that did not answer has no signal strength
    return TagGone(tag=row[6], antenna=row[3]) if row[4] == ABSENT_RSSI else None


# -- readers: one per type byte


def _fixed(layout: Lowered, make: Callable[[Row], Message | None], is_event: bool) -> Reader:
    def read(body: bytes) -> Decoded | Failure:
        row = layout.parse(body)
        if not isinstance(row, list):
            return Failure(row, f"type 0x{body[0]:02X} of {len(body)} bytes")
        message = make(row)
        if message is None:
            return Failure(Reason.IMPLAUSIBLE, f"type 0x{body[0]:02X} contradicts itself")
        return Decoded((message,), Stamp(row[1], is_event, row[0] >= REPLAYED, row[2]))

    return read


def _sized(
    layouts: dict[int, Lowered], tag_type_at: int, make: Callable[[Row], Message | None], is_event: bool
) -> Reader:
    readers = {size: _fixed(layout, make, is_event) for size, layout in layouts.items()}

    def read(body: bytes) -> Decoded | Failure:
        if len(body) <= tag_type_at:
            return Failure(Reason.TOO_SHORT, f"type 0x{body[0]:02X} of {len(body)} bytes")
        reader = readers.get(body[tag_type_at] >> 4)
        if reader is None:
            return Failure(Reason.IMPLAUSIBLE, f"tag type 0x{body[tag_type_at]:02X}")
        return reader(body)

    return read


def _tag_seen(is_event: bool) -> Reader:
    # Nine of ten frames of a table are these, so the common case goes straight from the wire values to the
    # message. Whatever is not in order goes the long way round, which names the reason.
    shapes = {
        size << 4 | family: (_TAGS[size].size, _TAGS[size].unpack, name)
        for size in UID_SIZES
        for family, name in FAMILIES.items()
    }
    hex_of = HexOf()
    long_way = _sized(_TAGS, 9, lambda row: None, is_event)

    def read(body: bytes) -> Decoded | Failure:
        shape = shapes.get(body[9]) if len(body) > 9 else None
        if shape is None:
            return long_way(body)
        size, unpack, family = shape
        if len(body) != size or not 0 < body[7] <= MOST_ANTENNAS:
            return long_way(body)
        type_byte, seq, clock, antenna, rssi, _, uid = unpack(body)
        seen = TagSeen(hex_of[uid], antenna, None if rssi == ABSENT_RSSI else rssi, family)
        return Decoded((seen,), Stamp(seq, is_event, type_byte >= REPLAYED, clock))

    return read


def _host_command(name: str) -> Reader:
    layout = LOWERED[name]

    def read(body: bytes) -> Decoded | Failure:
        row = layout.parse(body)
        if not isinstance(row, list):
            return Failure(row, f"{name} of {len(body)} bytes")
        return Decoded((HostCommand(name, dict(zip(layout.names[1:], row[1:], strict=True))),))

    return read


_EVENT_READERS: dict[str, Reader] = {
    "TAG_SEEN": _tag_seen(True),
    "TAG_GONE": _sized(_TAGS, 9, _tag_gone, True),
    "CARD_DRAWN": _sized(_DRAWN, 8, _card_drawn, True),
    "CARD_UNREAD": _fixed(LOWERED["card_unread"], _card_unread, True),
    "KEY_DOWN": _fixed(LOWERED["key"], _key_pressed, True),
    "KEY_UP": _fixed(LOWERED["key"], _key_released, True),
    "ENTRY": _fixed(LOWERED["entry"], _entry, True),
    "FAULT": _fixed(LOWERED["fault"], _fault, True),
}
_REPORT_READERS: dict[str, Reader] = {
    "TAG_STILL": _tag_seen(False),
    "POLL_EMPTY": _fixed(LOWERED["poll_empty"], _poll_empty, False),
    "HELLO": _fixed(LOWERED["hello"], _hello, False),
    "HEARTBEAT": _fixed(LOWERED["heartbeat"], _heartbeat, False),
    "LIGHT_REPORT": _fixed(LOWERED["light_report"], _light_report, False),
    "CLOCK_SAMPLE": _fixed(LOWERED["clock_sample"], _clock_sample, False),
    "ACK": _fixed(LOWERED["ack"], _ack, False),
    "REFUSED": _fixed(LOWERED["refused"], _refused, False),
    "REPLAY_DONE": _fixed(LOWERED["replay_done"], _replay_done, False),
}
_READERS: dict[int, Reader] = {
    **{EVENT_TYPES[name]: reader for name, reader in _EVENT_READERS.items()},
    **{EVENT_TYPES[name] | REPLAYED: reader for name, reader in _EVENT_READERS.items()},
    **{REPORT_TYPES[name]: reader for name, reader in _REPORT_READERS.items()},
    **{number: _host_command(name) for name, number in HOST_TYPES.items()},
}


_ENVELOPE = TABLELINK.name


def decode(envelope_name: str, body: bytes) -> Decoded | Failure:
    """The message of one body, with its stamp where the device sent it. Never raises."""
    reader = _READERS.get(body[0]) if body and envelope_name == _ENVELOPE else None
    if reader is None:
        reason = Reason.UNKNOWN_ID if body else Reason.TOO_SHORT
        return Failure(
            reason, f"no body of {envelope_name} begins with {body[:1].hex().upper() or 'nothing'}"
        )
    return reader(body)
