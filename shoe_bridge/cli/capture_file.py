"""The file of a capture: what crossed a device's port, with times, as lines of text.

    # shoe-bridge capture 1
    # device: pepper_c1
    # port: /dev/ttyUSB0
    # began: 2026-05-04T17:20:11Z
         0.000 > F5 03 00 FC FF 01 D1 F1
         4.211 < F5 05 00 FA FF 00 01 00 A1 B2
      2010.730 ! it was unplugged or its far side closed

A line has the time since the beginning in ms, then `<` and bytes from the device in hex, `>` and bytes to it,
or `!` and what happened. One line is one read or one write. A line that begins with `#` is the header or a
remark. Every line stands whole in the file as soon as it happened, so that a capture that is cut off can be
read up to its last whole line.
"""

import itertools
from collections.abc import Iterable, Iterator

import msgspec

from shoe_bridge.errors import UsageError

_NAME, _VERSION = "# shoe-bridge capture ", "1"
MAGIC = _NAME + _VERSION
LONGEST_LINE = 1 << 20  # bytes: some times the longest read in hex; more is no line of a capture
FROM_DEVICE, TO_DEVICE, HAPPENED = "<", ">", "!"
_MARK = "\ufeff".encode()  # editors of other systems put it before a text
_NS_PER_MS = 1_000_000


class Piece(msgspec.Struct, frozen=True):
    """One read or write: `direction` is `<` (from the device) or `>` (to it), `at_ns` since the beginning."""

    at_ns: int
    direction: str
    data: bytes


class Happening(msgspec.Struct, frozen=True):
    """Something that befell the port, as a phrase."""

    at_ns: int
    text: str


class Capture(msgspec.Struct, frozen=True):
    """A whole capture: the `header` by name, without the first line, and what happened in order."""

    header: dict[str, str]
    entries: tuple[Piece | Happening, ...]

    @property
    def kind(self) -> str | None:
        return self.header.get("device")

    @property
    def pieces(self) -> list[Piece]:
        return [entry for entry in self.entries if isinstance(entry, Piece)]


def is_capture(beginning: bytes) -> bool:
    """Whether a file that begins so is a capture, of this or of another version."""
    return _without_mark(beginning).startswith(_NAME.encode())


def may_be_capture(beginning: bytes) -> bool:
    """Whether so few bytes may be the beginning of a capture."""
    return _NAME.encode().startswith(_without_mark(beginning)) or _MARK.startswith(beginning)


def _without_mark(beginning: bytes) -> bytes:
    while beginning.startswith(_MARK):
        beginning = beginning.removeprefix(_MARK)
    return beginning


def header_lines(header: dict[str, str]) -> Iterator[str]:
    yield MAGIC
    yield from (f"# {name}: {value}" for name, value in header.items())


def entry_line(entry: Piece | Happening) -> str:
    at = f"{entry.at_ns / _NS_PER_MS:12.3f}"
    if isinstance(entry, Happening):
        return f"{at} {HAPPENED} {' '.join(entry.text.split())}"
    return f"{at} {entry.direction} {entry.data.hex(' ').upper()}"


def text_of(capture: Capture) -> str:
    lines = [*header_lines(capture.header), *map(entry_line, capture.entries)]
    return "\n".join(lines) + "\n"


def read_capture(text: str, name: str) -> Capture:
    """The capture in `text`. UsageError (one sentence with file `name` and line) where it is none. A last
    line without its end was cut off, and is left out."""
    first, *others = text.split("\n")
    lines = CaptureLines([first, *others[:-1]], name)
    return Capture(lines.header, tuple(lines))


def whole_lines(chunks: Iterable[bytes], name: str) -> Iterator[str]:
    """The lines of a capture as its bytes come, without their ends. A last line without its end was cut off,
    and is left out. UsageError where a line does not end."""
    begun, number = b"", 1
    for chunk in chunks:
        *whole, begun = (begun + chunk).split(b"\n")
        yield from (line.decode("utf-8", "replace") for line in whole)
        number += len(whole)
        if len(begun) > LONGEST_LINE:
            raise UsageError(f"{name}, line {number}: it does not end: this is no capture, or it is damaged")


class CaptureLines:
    """A capture line by line: `header` is read at once, the entries while they are asked for, so that one of
    any length needs the memory of one line. UsageError as of `read_capture`."""

    def __init__(self, lines: Iterable[str], name: str) -> None:
        self.header: dict[str, str] = {}
        self._name = name
        self._lines = enumerate(lines, start=1)
        self._first: tuple[int, str] | None = None
        _, magic = next(self._lines, (1, ""))
        _check_magic(magic.lstrip("\ufeff").rstrip(), name)
        for number, line in self._lines:
            key, separator, value = line[1:].partition(":")
            if not line.startswith("#"):
                if not line.strip():
                    continue
                self._first = number, line
                break
            if separator:
                self.header[key.strip()] = value.strip()

    def __iter__(self) -> Iterator[Piece | Happening]:
        last_ns = 0
        first = [] if self._first is None else [self._first]
        for number, line in itertools.chain(first, self._lines):
            if line.startswith("#") or not line.strip():
                continue
            entry = _entry(line, f"{self._name}, line {number}")
            if entry.at_ns < last_ns:
                raise UsageError(
                    f"{self._name}, line {number}: the time {entry.at_ns / _NS_PER_MS:.3f} stands behind a "
                    "later one: leave the lines in the order in which they were recorded"
                )
            last_ns = entry.at_ns
            yield entry


def _check_magic(line: str, name: str) -> None:
    if line == MAGIC:
        return
    version = line.removeprefix(_NAME)
    if version != line:
        raise UsageError(
            f"{name}, line 1: this is a capture of version {version[:20]!r}, and version {_VERSION} is read "
            "here: decode it with the shoe-bridge that recorded it"
        )
    raise UsageError(f"{name}, line 1: this is no capture, expected {MAGIC!r}")


def _entry(line: str, where: str) -> Piece | Happening:
    parts = line.split(maxsplit=2)
    direction = parts[1] if len(parts) > 1 else ""
    try:
        at_ns = round(float(parts[0]) * _NS_PER_MS)
        if not 0 <= at_ns < 1 << 62:
            raise ValueError
        if direction == HAPPENED:
            return Happening(at_ns, parts[2] if len(parts) > 2 else "")
        data = bytes.fromhex(parts[2]) if len(parts) > 2 else b""
    except (ValueError, OverflowError):
        data = b""
    if direction not in (FROM_DEVICE, TO_DEVICE) or not data:
        raise UsageError(f"{where}: expected a time in ms, < or >, and bytes in hex: correct or remove it")
    return Piece(at_ns, direction, data)
