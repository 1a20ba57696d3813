"""Keys of a USB keypad, macro pad or foot switch: HID keyboards whose keys do something and type nothing.
Sources: `spec/hid_keyboard.md`.

A report names all keys that are down when it is sent, in any order and with gaps; its layouts are those of
`hid_reports`. So a press and a release are told from nothing but two reports, and one that is lost is made
good by the next. Modifiers are passed over. A report with 01, 02 or 03 among its keys (too many keys at once,
the keypad's self-test failed, undefined) says nothing of any.

A key is known by its usage on page 7, and by the name that Linux has for it without `KEY_`, as `evtest` shows
it: `F1`, `KP7`, `A`. One without such a name is written as its usage: `0x85`.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from protocol.envelopes import FixedEnvelope
from protocol.hid_reports import LAYOUTS, Layout
from protocol.messages import Decoded, Failure, HostCommand, KeysDown, Reason

NAME = "hid_keys"
IDLE_GAP_MS = 50  # shorter than a press, so that reports of another size are noticed between two of them
FIRST_KEY, LAST_KEY = 0x04, 0xDF
_TELL_NOTHING = frozenset((0x01, 0x02, 0x03))
_MODIFIER_KEYS = range(0xE0, 0xE8)
_REPORT_IDS = range(1, 0x10)
_USAGE = re.compile(r"0x[0-9A-Fa-f]{2}")


def _names() -> dict[int, str]:
    """Usage -> name, from hid_keyboard[] of Linux drivers/hid/hid-input.c."""
    rows = (
        (0x04, "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z 1 2 3 4 5 6 7 8 9 0"),
        (0x28, "ENTER ESC BACKSPACE TAB SPACE MINUS EQUAL LEFTBRACE RIGHTBRACE BACKSLASH"),
        (0x33, "SEMICOLON APOSTROPHE GRAVE COMMA DOT SLASH CAPSLOCK"),
        (0x3A, "F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 SYSRQ SCROLLLOCK PAUSE"),
        (0x49, "INSERT HOME PAGEUP DELETE END PAGEDOWN RIGHT LEFT DOWN UP NUMLOCK"),
        (0x54, "KPSLASH KPASTERISK KPMINUS KPPLUS KPENTER"),
        (0x59, "KP1 KP2 KP3 KP4 KP5 KP6 KP7 KP8 KP9 KP0 KPDOT 102ND COMPOSE POWER KPEQUAL"),
        (0x68, "F13 F14 F15 F16 F17 F18 F19 F20 F21 F22 F23 F24"),
    )
    return {first + at: name for first, row in rows for at, name in enumerate(row.split())}


NAMES: Mapping[int, str] = MappingProxyType(_names())
_USAGES = {name: usage for usage, name in NAMES.items()}


def name_of(usage: int) -> str:
    """How the key of that usage is written: `F1`, or `0x85` where it has no name."""
    return NAMES.get(usage) or f"0x{usage:02X}"


def usage_of(name: str) -> int | None:
    """The usage of the key that is written so; None where no key is."""
    if _USAGE.fullmatch(name):
        usage = int(name, 16)
        return usage if FIRST_KEY <= usage <= LAST_KEY else None
    return _USAGES.get(name)


Decode = Callable[[str, bytes], Decoded | Failure]


def envelopes_of(layout: str = "boot") -> tuple[FixedEnvelope, ...]:
    """The envelope of reports of one layout. Raises ValueError on a layout that there is not."""
    return (FixedEnvelope(name=NAME, size=_layout(layout).size, idle_gap_ms=IDLE_GAP_MS),)


def decoder_of(layout: str = "boot") -> Decode:
    """The `decode` of a keypad whose reports have that layout. Raises ValueError on one that there is not."""
    return partial(_decode, _layout(layout))


def _decode(layout: Layout, envelope_name: str, body: bytes) -> Decoded | Failure:
    if envelope_name != NAME:
        return Failure(Reason.UNKNOWN_ID, f"no body of {envelope_name}")
    if len(body) != layout.size:
        reason = Reason.TOO_SHORT if len(body) < layout.size else Reason.TRAILING
        return Failure(reason, f"a report of {len(body)} bytes where the layout has {layout.size}")
    if layout.report_id is not None and body[layout.report_id] not in _REPORT_IDS:
        return Failure(Reason.IMPLAUSIBLE, f"report id {body[layout.report_id]:02X}")
    if layout.reserved is not None and body[layout.reserved]:
        return Failure(Reason.IMPLAUSIBLE, f"{body[layout.reserved]:02X} where a report has 00")
    keys = dict.fromkeys(body[layout.keys :])
    if not _TELL_NOTHING.isdisjoint(keys):
        return Decoded((KeysDown(None),))
    if max(keys) > _MODIFIER_KEYS[-1]:
        return Failure(Reason.IMPLAUSIBLE, f"no key has the usage {max(keys):02X}")
    return Decoded((KeysDown(tuple(key for key in keys if FIRST_KEY <= key <= LAST_KEY)),))


def encode_command(command: HostCommand) -> bytes:
    """Raises ValueError: a keypad takes no commands."""
    raise ValueError(f"a hid_keyboard has no command {command.command!r}")


def encode_keys(
    keys: tuple[int, ...], layout: str = "boot", *, modifiers: int = 0, report_id: int = 1
) -> bytes:
    """The report with these usages down; with more of them than it has places, the one that says that they
    are too many."""
    form = _layout(layout)
    report = bytearray(form.size)
    if form.report_id is not None:
        report[form.report_id] = report_id
    report[form.modifiers] = modifiers
    places = form.size - form.keys
    held = bytes(keys) if len(keys) <= places else b"\x01" * places
    report[form.keys : form.keys + len(held)] = held
    return bytes(report)


def _layout(name: str) -> Layout:
    if name not in LAYOUTS:
        raise ValueError(f"there is no layout {name!r} of reports: use one of {', '.join(LAYOUTS)}")
    return LAYOUTS[name]
