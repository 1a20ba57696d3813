"""R2000: command numbers, errors and body layouts, with the sources in `spec/r2000.md`.

A layout with `/` and a number at its end exists once for each length of EPC.
"""

from typing import Any

import construct as cs

from protocol.primitives import TagUid, bounded, closed, exact_struct, lower

PUBLIC_ADDRESS = 0xFF
MOST_ANTENNAS = 4
EPC_SIZES = range(2, 63, 2)
EPC_WORDS_SHIFT = 11  # the upper five bits of PC count the EPC's words of two bytes
ANTENNA_BITS = 0x03  # of the first byte of a tag; the six above are the frequency
RSSI_ZERO = 129  # dBm = value - 129

COMMANDS = {
    0x60: "read_gpio",
    0x61: "write_gpio",
    0x62: "set_antenna_detector",
    0x63: "get_antenna_detector",
    0x66: "set_temporary_power",
    0x67: "set_identifier",
    0x68: "get_identifier",
    0x69: "set_link_profile",
    0x6A: "get_link_profile",
    0x70: "reset",
    0x71: "set_baud",
    0x72: "firmware_version",
    0x73: "set_address",
    0x74: "set_work_antenna",
    0x75: "get_work_antenna",
    0x76: "set_power",
    0x77: "get_power",
    0x78: "set_region",
    0x79: "get_region",
    0x7A: "set_beeper",
    0x7B: "get_temperature",
    0x7E: "get_return_loss",
    0x80: "buffered_inventory",
    0x81: "read_memory",
    0x82: "write_memory",
    0x89: "inventory",
    0x8A: "fast_switch_inventory",
    0x8B: "session_inventory",
}
NUMBERS = {name: number for number, name in COMMANDS.items()}
INVENTORIES = ("inventory", "fast_switch_inventory", "session_inventory")

SUCCESS = 0x10
NO_TAG = 0x36
ANTENNA_MISSING = 0x22
STATUSES = {
    0x11: "failed",
    0x20: "the controller restarted",
    0x21: "carrier could not be switched on",
    0x22: "antenna missing",
    0x23: "flash write failed",
    0x24: "flash read failed",
    0x25: "output power could not be set",
    0x31: "inventory failed",
    0x32: "read failed",
    0x33: "write failed",
    0x34: "lock failed",
    0x35: "kill failed",
    0x36: "no tag",
    0x37: "inventory done, access failed",
    0x38: "buffer empty",
    0x40: "access password refused",
    0x41: "wrong parameter",
    0x46: "wrong reader address",
    0x47: "antenna number out of range",
    0x48: "output power out of range",
    0x49: "frequency region out of range",
    0x4A: "baud rate out of range",
    0x52: "PLL did not lock",
    0x53: "radio chip does not answer",
    0x54: "output power not reached",
    0x56: "spectrum regulation",
    0x57: "output power too low",
    0xEE: "return loss could not be measured",
}

_HEAD = ("address" / cs.Int8ub, "command" / cs.Int8ub)
# antennas count from 1 on the case, from 0 on the wire
_ANTENNA = "antenna" / closed(cs.Int8ub, {number - 1: number for number in range(1, MOST_ANTENNAS + 1)})

HOST_BODIES: dict[str, Any] = {
    **{
        name: exact_struct(*_HEAD)
        for name in ("reset", "firmware_version", "get_work_antenna", "get_power", "get_identifier")
    },
    "set_work_antenna": exact_struct(*_HEAD, _ANTENNA),
    "set_power": exact_struct(
        *_HEAD, *(f"antenna_{number}" / bounded(cs.Int8ub, 0, 33) for number in range(1, 5))
    ),
    "inventory": exact_struct(*_HEAD, "repeat" / cs.Int8ub),
    "session_inventory": exact_struct(
        *_HEAD,
        "session" / bounded(cs.Int8ub, 0, 3),
        "target" / bounded(cs.Int8ub, 0, 1),
        "repeat" / cs.Int8ub,
    ),
}
READER_BODIES: dict[str, Any] = {
    "status": exact_struct(*_HEAD, "status" / cs.Int8ub),
    "firmware_version": exact_struct(*_HEAD, "major" / cs.Int8ub, "minor" / cs.Int8ub),
    "antenna_status": exact_struct(*_HEAD, _ANTENNA, "status" / cs.Int8ub),
    "work_antenna": exact_struct(*_HEAD, _ANTENNA),
    "over": exact_struct(*_HEAD, _ANTENNA, "rate" / cs.Int16ub, "reads" / cs.Int32ub),
    "over_fast": exact_struct(*_HEAD, "reads" / cs.Bytes(3), "duration_ms" / cs.Int32ub),
    **{
        f"tag/{size}": exact_struct(
            *_HEAD, "where" / cs.Int8ub, "pc" / cs.Int16ub, "epc" / TagUid(size), "rssi" / cs.Int8ub
        )
        for size in EPC_SIZES
    },
}
HOST = {name: lower(definition) for name, definition in HOST_BODIES.items()}
READER = {name: lower(definition) for name, definition in READER_BODIES.items()}

HEAD_SIZE = 2  # address and command
TAG_AROUND_EPC = HEAD_SIZE + 4
# no reply to these carries more than a status, as far as any source shows
STATUS_ANSWERS = {
    *("set_antenna_detector", "set_temporary_power", "set_identifier", "set_link_profile", "reset"),
    *("set_baud", "set_address", "set_work_antenna", "set_power", "set_region", "set_beeper", "write_gpio"),
}
