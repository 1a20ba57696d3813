"""NXP PN532: command numbers, target and status tables and packet layouts, sources in `spec/pn532.md`.

A packet is what stands between the length and the check: TFI u8, command u8, parameters.
"""

from typing import Any

import construct as cs

from protocol.primitives import TagUid, Value, bounded, closed, exact_struct, lower

TO_CHIP = 0xD4
FROM_CHIP = 0xD5
SYNTAX_ERROR = 0x7F

MOST_TARGETS = 2
UID_SIZES = (4, 7, 10)
CASCADE_TAG = "88"  # as the first byte of a 4-byte UID: more of the UID follows, the read broke off
ISO14443_4 = 0x20  # this bit of SAK: an ATS stands behind the UID

COMMANDS = {
    0x00: "diagnose",
    0x02: "firmware_version",
    0x04: "general_status",
    0x06: "read_register",
    0x08: "write_register",
    0x0C: "read_gpio",
    0x0E: "write_gpio",
    0x10: "set_baud",
    0x12: "set_parameters",
    0x14: "sam_configuration",
    0x16: "power_down",
    0x32: "rf_configuration",
    0x40: "data_exchange",
    0x42: "communicate_thru",
    0x44: "deselect",
    0x4A: "list_passive_target",
    0x52: "release",
    0x54: "select",
    0x60: "auto_poll",
}
NUMBERS = {name: number for number, name in COMMANDS.items()}

# what `rf_configuration` sets goes by its item, the byte behind the command
RF_ITEMS = {"rf_field": 0x01, "rf_retries": 0x05}

BAUD_RATES: dict[int, Value] = {
    0: 9_600,
    1: 19_200,
    2: 38_400,
    3: 57_600,
    4: 115_200,
    5: 230_400,
    6: 460_800,
    7: 921_600,
    8: 1_288_000,
}
TARGET_TYPES: dict[int, Value] = {
    0: "iso14443a",
    1: "felica_212",
    2: "felica_424",
    3: "iso14443b",
    4: "jewel",
}
SAM_MODES: dict[int, Value] = {1: "normal", 2: "virtual_card", 3: "wired_card", 4: "dual_card"}

# the kinds of target in a reply to `auto_poll` whose data are those of an ISO 14443 A target
AUTO_POLL_TYPE_A = frozenset({0x00, 0x10, 0x20})

TAG_TYPES = {
    0x00: "MIFARE Ultralight or NTAG",
    0x08: "MIFARE Classic 1K",
    0x09: "MIFARE Mini",
    0x18: "MIFARE Classic 4K",
    0x20: "ISO 14443-4",
    0x28: "ISO 14443-4 with MIFARE Classic 1K",
    0x38: "ISO 14443-4 with MIFARE Classic 4K",
    0x88: "MIFARE Classic 1K (Infineon)",
}

STATUS_BITS = 0x3F  # of the status byte; the two above say that more is to come
STATUSES = {
    0x01: "time-out, the target did not answer",
    0x02: "CRC error",
    0x03: "parity error",
    0x04: "wrong bit count during anticollision",
    0x05: "framing error",
    0x06: "abnormal bit collision",
    0x07: "buffer too small",
    0x09: "radio buffer overflow",
    0x0A: "radio field not switched on in time",
    0x0B: "radio protocol error",
    0x0D: "too hot",
    0x0E: "internal buffer overflow",
    0x10: "wrong parameter",
    0x12: "command not supported by the target",
    0x13: "wrong data format",
    0x14: "authentication failed",
    0x23: "wrong UID check byte",
    0x25: "wrong state for this",
    0x26: "not allowed in this configuration",
    0x27: "not acceptable now",
    0x29: "released by its initiator",
    0x2A: "another card than before",
    0x2B: "the card is gone",
    0x2C: "NFCID3 mismatch",
    0x2D: "over-current",
    0x2E: "NAD missing",
}

_TFI = "tfi" / cs.Int8ub
_COMMAND = "command" / cs.Int8ub
_ITEM = "item" / cs.Int8ub
_TARGET = "target" / bounded(cs.Int8ub, 0, MOST_TARGETS)

# a layout with `/` and a number at its end has that many parameter bytes
HOST_BODIES: dict[str, Any] = {
    "firmware_version": exact_struct(_TFI, _COMMAND),
    "general_status": exact_struct(_TFI, _COMMAND),
    "set_baud": exact_struct(_TFI, _COMMAND, "baud" / closed(cs.Int8ub, BAUD_RATES)),
    "sam_configuration": exact_struct(_TFI, _COMMAND, "mode" / closed(cs.Int8ub, SAM_MODES)),
    "sam_configuration/3": exact_struct(
        _TFI,
        _COMMAND,
        "mode" / closed(cs.Int8ub, SAM_MODES),
        "timeout_50ms" / cs.Int8ub,
        "irq" / bounded(cs.Int8ub, 0, 1),
    ),
    "rf_field": exact_struct(_TFI, _COMMAND, _ITEM, "on" / bounded(cs.Int8ub, 0, 3)),
    "rf_retries": exact_struct(
        _TFI, _COMMAND, _ITEM, "atr" / cs.Int8ub, "psl" / cs.Int8ub, "passive" / cs.Int8ub
    ),
    "list_passive_target": exact_struct(
        _TFI,
        _COMMAND,
        "most" / bounded(cs.Int8ub, 1, MOST_TARGETS),
        "type" / closed(cs.Int8ub, TARGET_TYPES),
    ),
    "deselect": exact_struct(_TFI, _COMMAND, _TARGET),
    "release": exact_struct(_TFI, _COMMAND, _TARGET),
    "select": exact_struct(_TFI, _COMMAND, _TARGET),
}

CHIP_BODIES: dict[str, Any] = {
    "done": exact_struct(_TFI, _COMMAND),
    "status": exact_struct(_TFI, _COMMAND, "status" / cs.Int8ub),
    "firmware_version": exact_struct(
        _TFI, _COMMAND, "ic" / cs.Int8ub, "version" / cs.Int8ub, "revision" / cs.Int8ub, "support" / cs.Int8ub
    ),
}

# an ISO 14443 A target in a list, up to its ATS, by the size of its UID
TARGET_BODIES: dict[int, Any] = {
    size: exact_struct(
        "number" / bounded(cs.Int8ub, 1, MOST_TARGETS),
        "atqa" / cs.Int16ub,
        "sak" / cs.Int8ub,
        "size" / bounded(cs.Int8ub, size, size),
        "uid" / TagUid(size),
    )
    for size in UID_SIZES
}
SIZE_AT = 4  # of a target

HOST = {name: lower(definition) for name, definition in HOST_BODIES.items()}
CHIP = {name: lower(definition) for name, definition in CHIP_BODIES.items()}
TARGETS = {size: lower(definition) for size, definition in TARGET_BODIES.items()}
