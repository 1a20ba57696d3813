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

from collections.abc import Iterable, Iterator

import msgspec

from shoe_bridge.errors import UsageError

MAGIC = "# shoe-bridge capture 1"
FROM_DEVICE, TO_DEVICE, HAPPENED = "<", ">", "!"
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
    """Whether a file that begins so is a capture."""
    return beginning.lstrip(b"\xef\xbb\xbf").startswith(MAGIC.encode())


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
    lines = text.lstrip("\ufeff").split("\n")
    if not lines[0].startswith(MAGIC):
        raise UsageError(f"{name}, line 1: this is no capture, expected {MAGIC!r}")
    header: dict[str, str] = {}
    entries: list[Piece | Happening] = []
    for number, line in enumerate(lines[1:-1], start=2):
        if line.startswith("#"):
            key, separator, value = line[1:].partition(":")
            if separator and not entries:
                header[key.strip()] = value.strip()
        elif line.strip():
            entries.append(_entry(line, f"{name}, line {number}"))
    _check_order(entries, name)
    return Capture(header, tuple(entries))


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


def _check_order(entries: Iterable[Piece | Happening], name: str) -> None:
    last_ns = 0
    for entry in entries:
        if entry.at_ns < last_ns:
            raise UsageError(
                f"{name}: the time {entry.at_ns / _NS_PER_MS:.3f} stands behind a later one: leave the lines "
                "in the order in which they were recorded"
            )
        last_ns = entry.at_ns
