"""Pepper C1: command numbers, tag types, errors and payload layouts, with the sources in `spec/pepper_c1.md`.

A layout with `/` and a number at its end exists once for each length of tag.
"""

from typing import Any

import construct as cs

from protocol.primitives import TagUid, Value, bounded, closed, exact_struct, flag, lower

MOST_ANTENNAS = 8
UID_SIZES = range(4, 11)

ACK = 0x00
ASYNC = 0xFE
ERROR = 0xFF

FAMILY_MIFARE = 0x01
FAMILY_ICODE = 0x10

COMMANDS = {
    0x01: "dummy",
    0x02: "tag_count",
    0x03: "get_uid",
    0x04: "activate",
    0x05: "halt",
    0x06: "polling",
    0x0A: "reboot",
    0x0B: "version",
    0x0E: "gpio",
    0x0F: "select_antenna",
    0x13: "protocol_configuration",
    0x14: "led",
    0x16: "polling_setup",
    0x90: "icode_inventory_start",
    0x91: "icode_inventory_next",
    0x92: "icode_stay_quiet",
    0x93: "icode_read_block",
    0x94: "icode_write_block",
}
NUMBERS = {name: number for number, name in COMMANDS.items()}

# what the host asks by a sub-command -> the command and the number of the sub-command
SUB_COMMANDS = {
    "poll_timeout": ("polling_setup", 0x03),
    "event_format": ("polling_setup", 0x06),
    "device_name": ("protocol_configuration", 0x00),
}

TAG_TYPES = {
    0x01: "MIFARE Ultralight",
    0x02: "MIFARE Ultralight C",
    0x03: "MIFARE Classic",
    0x04: "MIFARE Classic 1K",
    0x05: "MIFARE Classic 4K",
    **dict.fromkeys(range(0x06, 0x0D), "MIFARE Plus"),
    0x0D: "MIFARE DESFire",
    0x0F: "JCOP",
    0x10: "MIFARE Mini",
    0x21: "ICODE SLI",
    0x22: "ICODE SLI-S",
    0x23: "ICODE SLI-L",
    0x24: "ICODE SLIX",
    0x25: "ICODE SLIX-S",
    0x26: "ICODE SLIX-L",
    0x27: "ICODE SLIX2",
    0x28: "ICODE DNA",
}

EVENT_FORMATS: dict[int, Value] = {0: "none", 1: "binary", 2: "plain_text", 3: "json", 4: "custom"}

ERRORS = {
    0x01: "no reply",
    0x02: "CRC or parity error",
    0x03: "collision",
    0x04: "overflow",
    0x05: "framing error",
    0x06: "protocol error",
    0x07: "authentication failed",
    0x08: "read or write failed",
    0x09: "too hot",
    0x0A: "radio field error",
    0x0B: "reader chip does not answer",
    0x0C: "wrong length",
    0x0D: "out of resources",
    0x20: "invalid data",
    0x21: "wrong parameter",
    0x24: "not supported",
    0x25: "conditions not met",
    0x26: "wrong key",
    0x7F: "internal error",
    0xF0: "not authorised",
}
ERROR_LAYERS = {0x15: "ICODE layer error", 0x19: "DESFire layer error"}


def error_text(error: int) -> str | None:
    """One short phrase for the error number of a refusal; None for one that is not in the tables."""
    return ERRORS.get(error) or ERROR_LAYERS.get(error >> 8)


_COMMAND = "command" / cs.Int8ub
_SUB = "sub" / cs.Int8ub

HOST_BODIES: dict[str, Any] = {
    **{name: exact_struct(_COMMAND) for name in ("dummy", "tag_count", "halt", "reboot", "version")},
    "get_uid": exact_struct(_COMMAND, "index" / cs.Int8ub),
    "activate": exact_struct(_COMMAND, "index" / cs.Int8ub),
    "polling": exact_struct(_COMMAND, "on" / flag()),
    "select_antenna": exact_struct(_COMMAND, "antenna" / bounded(cs.Int8ub, 1, MOST_ANTENNAS)),
    "led": exact_struct(
        _COMMAND, "red" / cs.Int8ub, "green" / cs.Int8ub, "blue" / cs.Int8ub, "timeout_ms" / cs.Int16ul
    ),
    "poll_timeout": exact_struct(_COMMAND, _SUB, "ms" / cs.Int16ul),
    # on the wire 00 means the tags in the reader's own list and 01 all others
    "event_format": exact_struct(
        _COMMAND, _SUB, "known" / closed(cs.Int8ub, {0: 1, 1: 0}), "format" / closed(cs.Int8ub, EVENT_FORMATS)
    ),
    "device_name": exact_struct(_COMMAND, _SUB),
}

_REPLY = ("marker" / cs.Int8ub, _COMMAND)

READER_BODIES: dict[str, Any] = {
    "done": exact_struct(*_REPLY),
    "tag_count": exact_struct(*_REPLY, "count" / cs.Int8ub),
    "refused": exact_struct(*_REPLY, "error" / cs.Int16ul),
    **{
        f"get_uid/{size}": exact_struct(
            *_REPLY, "tag_type" / cs.Int8ub, "parameter" / cs.Int8ub, "uid" / TagUid(size)
        )
        for size in UID_SIZES
    },
    **{
        f"uid_event/{size}": exact_struct(
            "marker" / cs.Int8ub,
            "first" / cs.Int8ub,
            "family" / cs.Int8ub,
            "second" / cs.Int8ub,
            "uid" / TagUid(size),
        )
        for size in UID_SIZES
    },
}

HOST = {name: lower(definition) for name, definition in HOST_BODIES.items()}
READER = {name: lower(definition) for name, definition in READER_BODIES.items()}
