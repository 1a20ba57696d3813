"""The byte layouts of tablelink bodies and their closed sets. The picture stands in `protocol.tablelink`.

A layout with `/` in its name exists once for each length of tag that the link can carry.
"""

from typing import Any

import construct as cs

from protocol.primitives import TagUid, Value, bounded, closed, device_clock, exact_struct, flag, lower

PROTOCOL_VERSION = 1
REPLAYED = 0x80
ABSENT_RSSI = -128
ABSENT_NUMBER = 0xFF
ABSENT_AMOUNT = 0xFFFFFFFF
MOST_ANTENNAS = 32
MOST_KEYS = 64
MOST_LAMPS = 16
UID_SIZES = (4, 7, 8, 10)

FACES: dict[int, Value] = {0: "down", 1: "up", 255: None}
FAMILIES: dict[int, str | None] = {0: None, 1: "iso14443a", 2: "iso15693", 3: "iso14443b"}
PATTERNS: dict[int, Value] = {0: "dark", 1: "steady", 2: "slow_blink", 3: "fast_blink", 4: "flash"}
ENTRY_WORDS = (
    "sit",
    "leave",
    "button",
    "blind",
    "check",
    "open",
    "call",
    "raise",
    "fold",
    "show",
    "muck",
    "exposed",
    "jackpot_wager",
    "pot",
    "contest",
)
CAPABILITIES = ("antennas", "shoe", "face_sensor", "keys", "lamps", "pad", "rssi")
EVENT_TYPES = {
    "TAG_SEEN": 0x01,
    "TAG_GONE": 0x02,
    "CARD_DRAWN": 0x03,
    "CARD_UNREAD": 0x04,
    "KEY_DOWN": 0x05,
    "KEY_UP": 0x06,
    "ENTRY": 0x07,
    "FAULT": 0x08,
}
REPORT_TYPES = {
    "TAG_STILL": 0x20,
    "POLL_EMPTY": 0x21,
    "HELLO": 0x22,
    "HEARTBEAT": 0x23,
    "LIGHT_REPORT": 0x24,
    "CLOCK_SAMPLE": 0x25,
    "ACK": 0x26,
    "REFUSED": 0x27,
    "REPLAY_DONE": 0x28,
}
HOST_TYPES = {
    "hello_request": 0x40,
    "resume": 0x41,
    "ack_events": 0x42,
    "set_light": 0x43,
    "clock_request": 0x44,
}
REFUSALS = {1: "no such lamp", 2: "value out of range", 3: "not while starting", 4: "busy"}

# The high byte of a fault's code names what failed, the low byte which one of them.
FAULTS = {
    0x01: "antenna {} does not answer",
    0x02: "antenna {} is detuned",
    0x03: "key {} is stuck",
    0x04: "lamp {} draws no current",
    0x05: "face sensor {} is blind",
    0x06: "supply {} is too low",
    0x07: "restarted by its watchdog, cause {}",
    0x08: "memory check {} failed",
}


def _device_body(*fields: Any) -> Any:
    header = ("type" / cs.Int8ub, "seq" / cs.Int16ul, "clock" / device_clock())
    return exact_struct(*header, *fields)


def _tag_type(size: int) -> Any:
    return closed(cs.Int8ub, {size << 4 | family: name for family, name in FAMILIES.items()})


def _tag_body(size: int) -> Any:
    return _device_body(
        "antenna" / bounded(cs.Int8ub, 1, MOST_ANTENNAS),
        "rssi" / cs.Int8sb,
        "tag_type" / _tag_type(size),
        "uid" / TagUid(size),
    )


def _drawn_body(size: int) -> Any:
    return _device_body("face" / closed(cs.Int8ub, FACES), "tag_type" / _tag_type(size), "uid" / TagUid(size))


_LAMP = (
    "lamp" / bounded(cs.Int8ub, 1, MOST_LAMPS),
    "pattern" / closed(cs.Int8ub, PATTERNS),
    "red" / cs.Int8ub,
    "green" / cs.Int8ub,
    "blue" / cs.Int8ub,
)
_KEY = _device_body("key" / bounded(cs.Int8ub, 1, MOST_KEYS))
_ACKED: dict[int, Value] = {number: name for name, number in HOST_TYPES.items() if name != "resume"}
_REFUSABLE: dict[int, Value] = {number: name for name, number in HOST_TYPES.items()}

BODIES: dict[str, Any] = {
    **{f"tag/{size}": _tag_body(size) for size in UID_SIZES},
    **{f"card_drawn/{size}": _drawn_body(size) for size in UID_SIZES},
    "card_unread": _device_body("face" / closed(cs.Int8ub, FACES)),
    "key": _KEY,
    "entry": _device_body(
        "word" / closed(cs.Int8ub, dict(enumerate(ENTRY_WORDS))),
        "number" / cs.Int8ub,
        "amount" / cs.Int32ul,
    ),
    "fault": _device_body("code" / cs.Int16ul, "cleared" / flag()),
    "poll_empty": _device_body("antenna" / bounded(cs.Int8ub, 1, MOST_ANTENNAS)),
    "hello": _device_body(
        "version" / bounded(cs.Int8ub, PROTOCOL_VERSION, PROTOCOL_VERSION),
        "device_id" / TagUid(8),
        "major" / cs.Int8ub,
        "minor" / cs.Int8ub,
        "patch" / cs.Int8ub,
        "boot_id" / cs.Int32ul,
        "capabilities" / cs.Int16ul,
        "antennas" / bounded(cs.Int8ub, 0, MOST_ANTENNAS),
        "keys" / bounded(cs.Int8ub, 0, MOST_KEYS),
        "lamps" / bounded(cs.Int8ub, 0, MOST_LAMPS),
        "holds_events" / flag(),
        "oldest_seq" / cs.Int16ul,
    ),
    "heartbeat": _device_body(
        "boot_id" / cs.Int32ul,
        "uptime_s" / cs.Int32ul,
        "polls" / cs.Int32ul,
        "bad_replies" / cs.Int16ul,
        "dropped_events" / cs.Int16ul,
    ),
    "light_report": _device_body(*_LAMP, "expired" / flag()),
    "clock_sample": _device_body("token" / cs.Int32ul, "at_device_ms" / device_clock()),
    "ack": _device_body("command" / closed(cs.Int8ub, _ACKED), "status" / cs.Int8ub),
    "refused": _device_body("command" / closed(cs.Int8ub, _REFUSABLE), "status" / cs.Int8ub),
    "replay_done": _device_body("status" / flag()),
    "hello_request": exact_struct("type" / cs.Int8ub),
    "resume": exact_struct(
        "type" / cs.Int8ub, "boot_id" / cs.Int32ul, "after_seq" / cs.Int16ul, "nothing_seen" / flag()
    ),
    "ack_events": exact_struct("type" / cs.Int8ub, "seq" / cs.Int16ul),
    "set_light": exact_struct("type" / cs.Int8ub, *_LAMP, "hold_ms" / cs.Int16ul),
    "clock_request": exact_struct("type" / cs.Int8ub, "token" / cs.Int32ul),
}
LOWERED = {name: lower(definition) for name, definition in BODIES.items()}
