"""YRM100: command numbers, errors and body layouts, with the sources in `spec/yrm100.md`.

A layout with `/` and a number at its end exists once for each length of EPC.
"""

from typing import Any

import construct as cs

from protocol.primitives import TagUid, bounded, closed, exact_struct, lower

COMMAND, ANSWER, NOTICE = 0x00, 0x01, 0x02
ERROR = 0xFF
NO_TAG = 0x15
EPC_SIZES = range(2, 63, 2)
EPC_WORDS_SHIFT = 11  # the upper five bits of PC count the EPC's words of two bytes

COMMANDS = {
    0x03: "module_info",
    0x07: "set_region",
    0x08: "get_region",
    0x0B: "get_select",
    0x0C: "set_select",
    0x12: "select_mode",
    0x22: "inventory",
    0x27: "multi_inventory",
    0x28: "stop_inventory",
    0x39: "read_memory",
    0x49: "write_memory",
    0xAA: "get_channel",
    0xAB: "set_channel",
    0xB6: "set_power",
    0xB7: "get_power",
}
NUMBERS = {name: number for number, name in COMMANDS.items()}
REGIONS = {1: "china_900", 2: "us", 3: "europe", 4: "china_800", 6: "korea"}
INFO_ITEMS = {0: "hardware", 1: "firmware", 2: "maker"}

# an error does not name the command that failed, but tells what kind of thing did
ERRORS = {
    0x09: ("read_memory", "read failed"),
    0x10: ("write_memory", "write failed"),
    0x12: ("kill", "kill failed"),
    0x13: ("lock", "lock failed"),
    0x16: ("access", "access password refused"),
    0x17: ("command", "command not known or its parameters wrong"),
    0x20: ("frequency_hopping", "no free channel"),
}
ANY_ERROR = "command"

_HEAD = ("type" / cs.Int8ub, "command" / cs.Int8ub, "length" / cs.Int16ub)

HOST_BODIES: dict[str, Any] = {
    **{
        name: exact_struct(*_HEAD)
        for name in ("get_region", "inventory", "stop_inventory", "get_power", "get_channel", "get_select")
    },
    "module_info": exact_struct(*_HEAD, "item" / closed(cs.Int8ub, INFO_ITEMS)),
    "set_region": exact_struct(*_HEAD, "region" / closed(cs.Int8ub, REGIONS)),
    "multi_inventory": exact_struct(
        *_HEAD, "reserved" / bounded(cs.Int8ub, 0x22, 0x22), "polls" / cs.Int16ub
    ),
    "set_power": exact_struct(*_HEAD, "centi_dbm" / cs.Int16ub),
}
READER_BODIES: dict[str, Any] = {
    "status": exact_struct(*_HEAD, "status" / cs.Int8ub),
    "power": exact_struct(*_HEAD, "centi_dbm" / cs.Int16ub),
    **{
        f"notice/{size}": exact_struct(
            *_HEAD, "rssi" / cs.Int8sb, "pc" / cs.Int16ub, "epc" / TagUid(size), "crc" / cs.Int16ub
        )
        for size in EPC_SIZES
    },
}
HOST = {name: lower(definition) for name, definition in HOST_BODIES.items()}
READER = {name: lower(definition) for name, definition in READER_BODIES.items()}

HEAD_SIZE = 4  # type, command and length
NOTICE_AROUND_EPC = HEAD_SIZE + 5
FIXED_ARGS = {"multi_inventory": {"reserved": 0x22}}
STATUS_ANSWERS = {"set_region", "stop_inventory", "set_power", "set_channel", "set_select", "select_mode"}
