"""FEIG OBID, the way out: host requests, and what a reader sends, -> whole frames."""

from collections.abc import Iterable, Sequence
from typing import Any

import construct as cs

from protocol.envelopes import FEIG_ADVANCED, FEIG_STANDARD
from protocol.feig_layout import (
    COMMANDS,
    EVERY_READER,
    HAS_ANTENNA_LIST,
    HAS_ANTENNAS,
    HAS_ID,
    HOST,
    INVENTORY,
    IS_EXTENDED,
    MODE_ANTENNAS,
    MODE_MORE,
    MODE_NEW,
    MORE_DATA,
    NUMBERS,
    OK,
    RECORDS,
    SUB_NUMBERS,
    TAG_TYPES,
    VERSION,
)
from protocol.framing import frame_around
from protocol.messages import HostCommand

_TYPE_NUMBERS = {name: number for number, name in TAG_TYPES.items()}
_ABSENT: dict[str, Any] = dict.fromkeys(
    ("data", "time", "date", "antennas", "statistics", "inputs", "mac", "antenna_list")
)


def _framed(body: bytes, is_advanced: bool) -> bytes:
    """The frame around `body`: a reader uses the form that it was asked in, unless it is too short."""
    fits = FEIG_STANDARD.body_offset + len(body) + 2 <= FEIG_STANDARD.longest
    return frame_around(FEIG_STANDARD if fits and not is_advanced else FEIG_ADVANCED, body)


def encode_command(command: HostCommand) -> bytes:
    """The whole frame of a request to every reader; its arguments are the fields of the layout.

    `inventory` takes `mode` (0x00 new, 0x80 more) and may take `antennas`, a mask with bit 0 for antenna 1.
    Raises ValueError on bad arguments.
    """
    name, args = command.command, dict(command.args)
    layout = HOST.get("inventory/5" if name == "inventory" and "antennas" in args else name)
    if layout is None:
        raise ValueError(f"the FEIG reader has no command {name!r}, or its data are not known")
    fixed: list[int] = [EVERY_READER, NUMBERS["host_command" if name == "inventory" else name]]
    if name == "inventory":
        fixed.append(SUB_NUMBERS[name])
        if args.get("mode") in (MODE_NEW, MODE_MORE) and "antennas" in args:
            args["mode"] = int(args["mode"]) | MODE_ANTENNAS
    names = layout.names[len(fixed) :]
    if set(args) != set(names):
        raise ValueError(f"{name} takes {', '.join(names) or 'no arguments'}")
    return _framed(layout.build(*fixed, *(args[each] for each in names)), is_advanced=False)


def encode_reply(
    command: str, status: int, data: bytes = b"", *, address: int = 0, is_advanced: bool = False
) -> bytes:
    """The reader's reply to `command`, a name of the layout's `COMMANDS`."""
    if command not in COMMANDS.values():
        raise ValueError(f"the FEIG reader has no command {command!r}")
    return _framed(bytes((address, NUMBERS[command], status)) + data, is_advanced)


def encode_version(
    firmware: Sequence[int], hardware: int, reader_type: int, *, tag_types: int = 0, is_advanced: bool = False
) -> bytes:
    """The reader's reply to `software_version`; `firmware` are three numbers."""
    number = NUMBERS["software_version"]
    return _framed(VERSION.build(0, number, OK, *firmware, hardware, reader_type, tag_types), is_advanced)


def encode_inventory(
    tags: Iterable[tuple[str, str]], *, has_more: bool = False, is_advanced: bool = False
) -> bytes:
    """The reader's reply to an inventory that found `tags`: pairs of type name and hex identity."""
    each = [{"tag_type": tag_type, "of": {"uid": tag}} for tag_type, tag in tags]
    return _built(INVENTORY, {"tags": each}, is_advanced, MORE_DATA if has_more else OK)


def encode_records(
    records: Iterable[tuple[str, str, int | None]],
    *,
    status: int = OK,
    with_rssi: int | None = None,
    is_advanced: bool = True,
) -> bytes:
    """The records of a buffer: type name, hex identity, antenna number (1 to 8; None: no antenna in any).

    `with_rssi` puts each antenna into a list with that signal strength instead of into a mask.
    """
    records = list(records)
    has_antennas = any(antenna is not None for _, _, antenna in records)
    as_list = with_rssi is not None
    tr_data1 = HAS_ID | (IS_EXTENDED if as_list else HAS_ANTENNAS if has_antennas else 0)
    entries = []
    for tag_type, tag, antenna in records:
        entry = {**_ABSENT, "tag": {"tag_type": _TYPE_NUMBERS[tag_type], "uid": tag}}
        if as_list:
            entry["antenna_list"] = [{"number": antenna, "rssi": with_rssi}]
        elif has_antennas:
            entry["antennas"] = 0 if antenna is None else 1 << antenna - 1
        entries.append(entry)
    fields = {"tr_data1": tr_data1, "tr_data2": HAS_ANTENNA_LIST if as_list else None, "records": entries}
    return _built(RECORDS, fields, is_advanced, status)


def _built(layout: Any, fields: dict[str, Any], is_advanced: bool, status: int = OK) -> bytes:
    try:
        body = layout.build({"address": 0, "status": status, **fields})
    except (cs.ConstructError, KeyError, TypeError) as error:
        raise ValueError(f"a value does not fit the reader's reply: {error}") from error
    return _framed(body, is_advanced)
