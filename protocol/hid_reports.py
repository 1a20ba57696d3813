"""Reports of USB keyboards as keyboard-wedge readers send them, and what was typed with them.

boot              modifiers | 0 | key | key | key | key | key | key     8 bytes, the boot keyboard
boot with id      report id | the same                                  9 bytes
short             modifiers | 0 | key                                   3 bytes; 6 with a release behind each
short with id     report id | modifiers | key                           3 bytes

On USB one transfer of the endpoint is one report, or one with a release behind it: see `TRANSFERS`.

A key that is new in a report is a press; one that was there in the report before is still held down. So the
same digit twice needs a report without it in between. Report ids are 1 to 15 and the same in all reports of a
line. Keys stand in the first places, what follows is 0. Readers use no modifier but shift.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

ENTER = 0x28
_KEYPAD_ENTER = 0x58
MODIFIERS = frozenset((0x00, 0x02, 0x20, 0x22))  # none, left shift, right shift, both
MOST_REPORTS = 130
MOST_LEADING_RELEASES = 4
LEAST_WITHOUT_ENTER = 4  # characters in short reports: fewer may be a part of longer reports


class Layout(NamedTuple):
    """Where things stand in a report of `size` bytes: offsets, or None where the report has no such byte."""

    size: int
    report_id: int | None
    modifiers: int
    reserved: int | None
    keys: int


LAYOUTS = {
    "boot": Layout(8, None, 0, 1, 2),
    "boot with id": Layout(9, 0, 1, 2, 3),
    "short with id": Layout(3, 0, 1, None, 2),
    "short": Layout(3, None, 0, 1, 2),
}

# of one layout, in bytes; some readers put a release behind each report
TRANSFERS = {"boot": (8, 16), "boot with id": (9,), "short with id": (3,), "short": (3, 6)}


def _keymap() -> dict[int, tuple[str, str]]:
    """Usage -> the character without and with shift, on the US layout that readers are shipped with."""
    keys = {0x04 + i: (letter, letter.upper()) for i, letter in enumerate("abcdefghijklmnopqrstuvwxyz")}
    rows = [(0x1E, "1234567890", "!@#$%^&*()"), (0x2C, " -=[]\\", " _+{}|"), (0x33, ";'`,./", ':"~<>?')]
    for first, plain, shifted in rows:
        keys |= {first + i: pair for i, pair in enumerate(zip(plain, shifted, strict=True))}
    keys |= {0x54 + i: (sign, sign) for i, sign in enumerate("/*-+")}
    return keys | {0x59 + i: (sign, sign) for i, sign in enumerate("1234567890.")}


KEYMAP = _keymap()
_DIGITS = frozenset(range(0x1E, 0x28))
USAGES = {pair[shift]: (usage, shift) for usage, pair in reversed(KEYMAP.items()) for shift in (1, 0)}


class Typed(NamedTuple):
    """What whole reports typed, and whether Enter closed it."""

    text: str
    is_entered: bool


# of data, from and until: the end of the line that begins there, minus the index up to which bytes must be
# there before it can be told, or None where no such line begins
Ask = Callable[[bytes, int, int], int | None]


@cache
def line_question(layout: Layout) -> Ask:
    """Does a line of reports of this layout begin here? One pass of a compiled expression, however the
    reports are cut."""
    size, has_id = layout.size, layout.report_id is not None
    leading, run, enter, release = _expressions(layout)
    line = re.compile(b"%b(?:(%b)(?:(%b)(%b)?)?)?" % (leading, run, enter, release)).match

    def ask(data: bytes, at: int, stop: int) -> int | None:
        found = line(data, at, stop)
        # the number of the last group that is there: the run of reports with keys, Enter, its release
        there, end = (0, at) if found is None else (found.lastindex or 0, found.end())
        if there < 2:
            return -(end + size) if end + size > stop else None
        entered = end if there == 2 else end - size
        if has_id and _ids(layout, data, at, entered) > 1:
            return None
        if entered + size > stop:
            return -(entered + size)
        return entered if has_id and _ids(layout, data, at, end) > 1 else end

    return ask


def _ids(layout: Layout, data: bytes, at: int, end: int) -> int:
    """How many report ids the reports have; 1 where they have none."""
    return 1 if layout.report_id is None else len(set(data[at + layout.report_id : end : layout.size]))


_KNOWN = b"[" + re.escape(bytes(KEYMAP)) + b"]"
_ENTERS = b"[" + re.escape(bytes((ENTER, _KEYPAD_ENTER))) + b"]"


def _report(layout: Layout, keys: bytes, least: int, first: bytes = b"") -> bytes:
    """An expression for a report with at least so many keys out of `keys`; `first` looks at them before."""
    head = b"[\x01-\x0f]" if layout.report_id is not None else b""
    head += b"[\x00\x02\x20\x22]" + (b"" if layout.reserved is None else b"\x00")
    places = layout.size - layout.keys
    ways = [keys * count + b"\x00" * (places - count) for count in range(least, places + 1)]
    return head + first + b"(?:" + b"|".join(ways) + b")"


def _single(layout: Layout, key: bytes = b"\x00") -> bytes:
    """An expression for a report with that key and no other."""
    head = b"[\x00\x02\x20\x22]" + (b"" if layout.reserved is None else b"\x00")
    return head + key + b"\x00{%d}" % (layout.size - layout.keys - 1)


def _expressions(layout: Layout) -> tuple[bytes, bytes, bytes, bytes]:
    """Up to four releases; a report with a key and all that follow it; a report with Enter; a release."""
    plain, keyed = _report(layout, _KNOWN, 0), _report(layout, _KNOWN, 1)
    release = _report(layout, _KNOWN, 0, b"(?=\x00{%d})" % (layout.size - layout.keys))
    with_enter = _report(layout, b"(?:" + _KNOWN + b"|" + _ENTERS + b")", 1, b"(?=[^\x00]*" + _ENTERS + b")")
    leading = b"(?:%b){0,%d}+" % (release, MOST_LEADING_RELEASES)
    return leading, b"%b(?:%b){0,%d}+" % (keyed, plain, MOST_REPORTS), with_enter, release


def lines_of(layouts: Iterable[Layout]) -> re.Pattern[bytes]:
    """Fits wherever the question of one of the layouts may have an answer: up to Enter, or up to where the
    bytes end before it."""
    ways = []
    for layout in layouts:
        leading, run, enter, _ = _expressions(layout)
        ends = rb"(?s:.{0,%d})\Z" % (layout.size - 1)
        ways.append(b"%b(?:%b(?:%b|%b)|%b)" % (leading, run, enter, ends, ends))
    return re.compile(b"|".join(ways))


def one_by_one(layout: Layout) -> Callable[[bytes], str | None]:
    """What is typed by a line in which one key after the other is pressed and released, up to Enter, as most
    readers do; None where the reports are no such line. `typed` says the same of any line, and looks at each
    report for it. The layout has no report id."""
    key, enter, released = _single(layout, _KNOWN), _single(layout, _ENTERS), _single(layout)
    is_line_of = re.compile(
        b"(?:%b%b){1,%d}%b%b" % (key, released, MOST_REPORTS // 2, enter, released)
    ).fullmatch
    press, keys, modifiers = 2 * layout.size, layout.keys, layout.modifiers
    unshifted, shifted = (
        bytes(ord(KEYMAP[usage][shift]) if usage in KEYMAP else 0 for usage in range(0x100))
        for shift in (0, 1)
    )

    def text(reports: bytes) -> str | None:
        if is_line_of(reports) is None:
            return None
        pressed, held = reports[keys:-press:press], reports[modifiers:-press:press]
        plain = pressed.translate(unshifted).decode("ascii")
        if not held.strip(b"\0"):
            return plain
        return "".join(map(_either, plain, pressed.translate(shifted).decode("ascii"), held))

    return text


def _either(plain: str, shifted: str, modifiers: int) -> str:
    return shifted if modifiers else plain


def typed(layout: Layout, reports: bytes) -> Typed | None:
    """What whole reports of `layout` typed up to the first Enter; None when they are no such reports."""
    text: list[str] = []
    held: bytes = b""
    if len(reports) % layout.size or _ids(layout, reports, 0, len(reports)) > 1:
        return None
    for here in range(0, len(reports), layout.size):
        keys = _keys(layout, reports, here)
        if keys is None:
            return None
        is_shifted = reports[here + layout.modifiers] != 0
        for key in keys:
            if key in held:
                continue
            if key in (ENTER, _KEYPAD_ENTER):
                return Typed("".join(text), True)
            if key not in KEYMAP:
                return None
            text.append(KEYMAP[key][is_shifted])
        held = keys
    return Typed("".join(text), False)


def retyped(layout: Layout, reports: bytes, text: str) -> bytes | None:
    """The same reports, pressed and released in the same places, with the letters and digits that they typed
    put in other ones: the n-th character of `text`, a digit wherever another one was typed, takes the place
    of the n-th. None where they are no reports of `layout`, or typed fewer characters."""
    out = bytearray(reports)
    left = iter(text)
    held: dict[int, int] = {}  # the keys that are down, and those that stand in for them
    for here in range(0, len(reports), layout.size):
        keys = _keys(layout, reports, here)
        if keys is None:
            return None
        down: dict[int, int] = {}
        for place, key in enumerate(keys, start=here + layout.keys):
            if key in held or key not in KEYMAP:
                down[key] = held.get(key, key)
            else:
                character = next(left, None)
                if character is None:
                    return None
                down[key] = USAGES[character][0] if character.isdigit() else key
            out[place] = down[key]
        if keys and all(down[key] in _DIGITS for key in keys):
            out[here + layout.modifiers] = 0
        held = down
    return bytes(out)


def is_line(layout: Layout, found: Typed) -> bool:
    """Whether what was typed is a line, if nothing more comes."""
    if not found.text:
        return False
    return found.is_entered or layout.size >= LAYOUTS["boot"].size or len(found.text) >= LEAST_WITHOUT_ENTER


def _keys(layout: Layout, data: bytes, here: int) -> bytes | None:
    """The keys of one report, None when it is none."""
    if layout.report_id is not None and not 1 <= data[here + layout.report_id] <= 0x0F:
        return None
    if data[here + layout.modifiers] not in MODIFIERS:
        return None
    if layout.reserved is not None and data[here + layout.reserved]:
        return None
    places = data[here + layout.keys : here + layout.size]
    keys = places.rstrip(b"\0")
    return None if 0 in keys else keys


def reports_of(text: str, layout: Layout, report_id: int = 1, *, has_enter: bool = True) -> bytes:
    """The reports that type `text`, each key pressed and released. Raises ValueError on a character that no
    key has."""
    out = bytearray()
    keys = [USAGES.get(character) for character in text]
    if None in keys:
        raise ValueError(f"{text!r} cannot be typed on a US keyboard")
    presses = [pair for pair in keys if pair is not None] + [(ENTER, 0)] * has_enter
    for usage, shift in presses:
        for is_down in (True, False):
            report = bytearray(layout.size)
            if layout.report_id is not None:
                report[layout.report_id] = report_id
            if is_down:
                report[layout.modifiers] = 0x02 * shift
                report[layout.keys] = usage
            out += report
    return bytes(out)
