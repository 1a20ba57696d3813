"""FEIG OBID: command numbers, status words, tag types and body layouts, with the sources in
`spec/feig_obid.md`.

A body is what both forms of the frame have in common: address, command, in replies the status, then data.
"""

from typing import Any, NamedTuple

import construct as cs

from protocol.primitives import Lowered, TagUid, bounded, closed, exact_struct, lower, uid_bytes

EVERY_READER = 0xFF  # as the address of a request: whichever reader hears it

COMMANDS = {
    0x22: "read_buffer",
    0x31: "buffer_info",
    0x32: "clear_buffer",
    0x33: "initialise_buffer",
    0x52: "baud_test",
    0x63: "cpu_reset",
    0x65: "software_version",
    0x66: "reader_info",
    0x69: "rf_reset",
    0x6A: "rf_output",
    0x6E: "diagnostic",
    0x72: "output",
    0x80: "read_configuration",
    0x81: "write_configuration",
    0x82: "save_configuration",
    0x83: "reset_configuration",
    0xA0: "login",
    0xB0: "host_command",
}
NUMBERS = {name: number for number, name in COMMANDS.items()}
# what the byte behind a host command's B0 asks for
SUB_COMMANDS = {
    0x01: "inventory",
    0x23: "read_blocks",
    0x24: "write_blocks",
    0x25: "select",
    0x2B: "system_info",
}
SUB_NUMBERS = {name: number for number, name in SUB_COMMANDS.items()}

MODE_NEW = 0x00
MODE_MORE = 0x80
MODE_ANTENNAS = 0x10
MOST_ANTENNAS = 8  # as many as the antenna mask has bits

OK, NO_TAG, RF_WARNING = 0x00, 0x01, 0x84
NO_VALID_DATA, OVERFLOW, MORE_DATA = 0x92, 0x93, 0x94
STATUSES = {
    OK: "ok",
    NO_TAG: "no transponder",
    0x02: "data false",
    0x03: "write error",
    0x04: "address error",
    0x05: "wrong transponder type",
    0x08: "authentication error",
    0x0B: "collision",
    0x0E: "general error",
    0x10: "EEPROM failure",
    0x11: "parameter range",
    0x13: "login request",
    0x14: "login error",
    0x15: "read protection",
    0x16: "write protection",
    **dict.fromkeys(range(0x31, 0x38), "SAM error"),
    0x80: "unknown command",
    0x81: "length error",
    0x82: "command not available",
    0x83: "RF communication error",
    RF_WARNING: "RF warning",
    0x85: "EPC error",
    NO_VALID_DATA: "no valid data",
    OVERFLOW: "data buffer overflow",
    MORE_DATA: "more data follows",
    0x95: "ISO 15693 error",
    0x96: "ISO 14443 error",
    0x97: "crypto processing error",
    0xF1: "hardware warning",
}
CLOSED_STATUS = closed(cs.Int8ub, {status: status for status in STATUSES})

# reader types by number, decimal as in the maker's tables
MODELS = {
    30: "ISC.M01",
    31: "ISC.M02",
    33: "ISC.M02.M8",
    **{number: f"long range {number}" for number in range(40, 46)},
    **{number: f"mid range {number}" for number in range(73, 79)},
    **{number: f"CPR {number}" for number in (*range(80, 90), 111, 114)},
    83: "CPR40",
    **{number: f"UHF {number}" for number in range(91, 95)},
}

TAG_TYPES = {
    0x00: "icode1",
    0x03: "iso15693",
    0x04: "iso14443a",
    0x05: "iso14443b",
    0x06: "icode_epc",
    0x07: "icode_uid",
    0x08: "jewel",
    0x09: "iso18000_3m3",
    0x0A: "sr176",
    0x0B: "srix",
    0x0D: "felica",
    0x10: "innovatron",
    0x84: "epc_gen2",
}
LONG_UID = 0x04  # in the info byte of an ISO 14443A tag: ten bytes
LONGEST_UID = 62  # where its size stands before it


class ReversedUid(TagUid):
    """A tag's identity that stands on the wire least significant byte first."""

    def _decode(self, obj: bytes, context: Any, path: str) -> str:
        return obj[::-1].hex().upper()

    def _encode(self, obj: str, context: Any, path: str) -> bytes:
        return uid_bytes(obj, self.size)[::-1]


class HexBytes(cs.Adapter):  # type: ignore[misc]
    """Bytes <-> upper-case hex, as many as another field says."""

    def _decode(self, obj: bytes, context: Any, path: str) -> str:
        return obj.hex().upper()

    def _encode(self, obj: str, context: Any, path: str) -> bytes:
        return bytes.fromhex(obj)


def _skipped(size: int) -> Any:
    """Bytes that say nothing about who the tag is."""
    return cs.Default(cs.Bytes(size), bytes(size))


def _sized_uid() -> Any:
    return cs.Struct(
        "skipped" / _skipped(1),
        "size" / cs.Rebuild(bounded(cs.Int8ub, 1, LONGEST_UID), lambda this: len(this.uid) // 2),
        "uid" / HexBytes(cs.Bytes(cs.this.size)),
    )


_TAG_DATA = {
    0x00: cs.Struct("skipped" / _skipped(1), "uid" / TagUid(8)),
    0x03: cs.Struct("dsfid" / _skipped(1), "uid" / TagUid(8)),
    0x04: cs.Struct(
        "info" / cs.Rebuild(cs.Int8ub, lambda this: LONG_UID if len(this.uid) == 20 else 0),
        "reserved" / _skipped(1),
        "uid" / cs.IfThenElse(cs.this.info & LONG_UID, TagUid(10), TagUid(7)),
    ),
    0x05: cs.Struct("skipped" / _skipped(5), "uid" / ReversedUid(4)),
    0x06: cs.Struct("uid" / TagUid(8)),
    0x07: cs.Struct("skipped" / _skipped(14), "uid" / TagUid(5)),
    0x08: cs.Struct("skipped" / _skipped(4), "uid" / ReversedUid(4)),
    0x09: _sized_uid(),
    0x0A: cs.Struct("skipped" / _skipped(1), "uid" / ReversedUid(8)),
    0x0B: cs.Struct("skipped" / _skipped(1), "uid" / ReversedUid(8)),
    0x0D: cs.Struct("skipped" / _skipped(1), "uid" / TagUid(8), "pmm" / _skipped(8)),
    0x10: cs.Struct(
        "uid" / TagUid(8),
        "skipped" / _skipped(2),
        "size" / cs.Rebuild(cs.Int8ub, lambda this: len(this.get("data", b""))),
        "data" / cs.Default(cs.Bytes(cs.this.size), b""),
    ),
    0x84: _sized_uid(),
}

_TAG = cs.Struct(
    "tag_type" / closed(cs.Int8ub, TAG_TYPES),
    "of"
    / cs.Switch(lambda this: this.tag_type, {TAG_TYPES[number]: each for number, each in _TAG_DATA.items()}),
)


class TagShape(NamedTuple):
    """A tag of fixed length in an inventory: bytes with its type, and where in them its identity stands."""

    size: int
    uid_at: int
    uid_until: int
    is_reversed: bool


def _fixed_shapes() -> dict[int, TagShape]:
    shapes: dict[int, TagShape] = {}
    for number, definition in _TAG_DATA.items():
        at = 1
        try:
            size = at + definition.sizeof()
        except cs.SizeofError:
            continue  # its length stands within it
        for field in definition.subcons:
            if field.name == "uid":
                is_reversed = isinstance(field.subcon, ReversedUid)
                shapes[number] = TagShape(size, at, at + field.sizeof(), is_reversed)
            at += field.sizeof()
    return shapes


# lists of such tags are taken apart without the layout, which takes thirty times as long
FIXED_TAGS = _fixed_shapes()

# those whose length an own byte tells, the one behind their type or the second behind it
_TYPE_A = {False: TagShape(10, 3, 10, False), True: TagShape(13, 3, 13, False)}
_SIZED_TYPES = frozenset((0x09, 0x84))


def sized_shape(body: bytes, at: int) -> TagShape | None:
    """The shape of the tag at `at` where it is not of fixed length; None where the layout must say it."""
    if len(body) < at + 3:
        return None
    if body[at] == 0x04:
        return _TYPE_A[bool(body[at + 1] & LONG_UID)]
    size = body[at + 2]
    if body[at] not in _SIZED_TYPES or not 1 <= size <= LONGEST_UID:
        return None
    return TagShape(3 + size, 3, 3 + size, False)


# reply to an inventory that found tags
INVENTORY = exact_struct(
    "address" / cs.Int8ub,
    "command" / cs.Const(NUMBERS["host_command"], cs.Int8ub),
    "status" / CLOSED_STATUS,
    "tags" / cs.PrefixedArray(cs.Int8ub, _TAG),
)

# TR-DATA1 and TR-DATA2: which fields the records of a buffer have
HAS_ID, HAS_DATA, HAS_ANTENNAS, HAS_TIME, HAS_DATE, IS_EXTENDED = 0x01, 0x02, 0x10, 0x20, 0x40, 0x80
HAS_INPUTS, HAS_MAC, HAS_SCANNER, HAS_STATISTICS, HAS_ANTENNA_LIST = 0x01, 0x02, 0x04, 0x08, 0x10


def _first(bit: int) -> Any:
    return lambda this: bool(this._root.tr_data1 & bit)


def _second(bit: int) -> Any:
    return lambda this: bool((this._root.tr_data2 or 0) & bit)


_RECORD = exact_struct(
    "tag"
    / cs.If(
        _first(HAS_ID),
        cs.Struct(
            "tag_type" / cs.Int8ub,
            "id_description" / _skipped(1),
            "size" / cs.Rebuild(bounded(cs.Int8ub, 1, LONGEST_UID), lambda this: len(this.uid) // 2),
            "uid" / HexBytes(cs.Bytes(cs.this.size)),
        ),
    ),
    "data"
    / cs.If(
        _first(HAS_DATA),
        cs.Struct(
            "blocks" / cs.Int16ub,
            "block_size" / cs.Int8ub,
            "content" / cs.Bytes(cs.this.blocks * cs.this.block_size),
        ),
    ),
    # hour u8, minute u8, ms of the minute u16; century, year, month, day, zone u8
    "time" / cs.If(_first(HAS_TIME), cs.Bytes(4)),
    "date" / cs.If(_first(HAS_DATE), cs.Bytes(5)),
    "antennas" / cs.If(_first(HAS_ANTENNAS), cs.Int8ub),
    "statistics" / cs.If(_second(HAS_STATISTICS), cs.Bytes(7)),
    "inputs" / cs.If(_second(HAS_INPUTS), cs.Bytes(2)),
    "mac" / cs.If(_second(HAS_MAC), cs.Bytes(6)),
    "antenna_list"
    / cs.If(
        _second(HAS_ANTENNA_LIST),
        cs.PrefixedArray(
            cs.Int8ub,
            cs.Struct(
                "number" / bounded(cs.Int8ub, 1, 255),
                "rssi" / cs.Int8ub,
                "phase" / cs.Default(cs.Int16ub, 0),
                "reserved" / _skipped(2),
            ),
        ),
    ),
)

# reply to read_buffer, and what a reader in notification mode sends by itself
RECORDS = exact_struct(
    "address" / cs.Int8ub,
    "command" / cs.Const(NUMBERS["read_buffer"], cs.Int8ub),
    "status" / CLOSED_STATUS,
    "tr_data1" / cs.Int8ub,
    "tr_data2" / cs.If(lambda this: this.tr_data1 & IS_EXTENDED, cs.Int8ub),
    "records" / cs.PrefixedArray(cs.Int16ub, cs.Prefixed(cs.Int16ub, _RECORD, includelength=True)),
)


def _version(*more: Any) -> Lowered:
    number = NUMBERS["software_version"]
    return lower(
        exact_struct(
            "address" / cs.Int8ub,
            "command" / bounded(cs.Int8ub, number, number),
            "status" / bounded(cs.Int8ub, OK, OK),
            "major" / cs.Int8ub,
            "minor" / cs.Int8ub,
            "patch" / cs.Int8ub,
            "hardware" / cs.Int8ub,
            "reader_type" / cs.Int8ub,
            "tag_types" / cs.Int16ub,
            *more,
        )
    )


VERSION = _version()
# newer firmware adds the sizes of its receive and transmit buffers
LONG_VERSION = _version("receive_buffer" / cs.Int16ub, "transmit_buffer" / cs.Int16ub)


def _request(number: int, *fields: Any) -> Lowered:
    address = "address" / cs.Int8ub
    return lower(exact_struct(address, "command" / bounded(cs.Int8ub, number, number), *fields))


def _inventory(modes: tuple[int, ...], *fields: Any) -> Lowered:
    return _request(
        NUMBERS["host_command"],
        "sub" / bounded(cs.Int8ub, SUB_NUMBERS["inventory"], SUB_NUMBERS["inventory"]),
        "mode" / closed(cs.Int8ub, {mode: mode for mode in modes}),
        *fields,
    )


# requests with a layout of their own; the number at the end is the size of the body where there are two
HOST = {
    **{
        name: _request(NUMBERS[name])
        for name in (
            *("buffer_info", "clear_buffer", "initialise_buffer", "baud_test", "cpu_reset"),
            *("software_version", "rf_reset"),
        )
    },
    "read_buffer": _request(NUMBERS["read_buffer"], "sets" / cs.Int16ub),
    "reader_info": _request(NUMBERS["reader_info"], "mode" / cs.Int8ub),
    "rf_output": _request(NUMBERS["rf_output"], "on" / cs.Int8ub),
    "diagnostic": _request(NUMBERS["diagnostic"], "mode" / cs.Int8ub),
    "inventory": _inventory((MODE_NEW, MODE_MORE)),
    "inventory/5": _inventory((MODE_NEW | MODE_ANTENNAS, MODE_MORE | MODE_ANTENNAS), "antennas" / cs.Int8ub),
}
