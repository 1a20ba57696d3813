"""Where in a TOML text a key stands: tomllib gives values without lines, and people fix files by line.

`key_lines` walks a text that tomllib has already accepted, so it needs no error handling of its own: it only
has to skip values correctly (strings, arrays and inline tables may span lines) and to count the lines.
"""

import tomllib
from typing import Any

KeyPath = tuple[str | int, ...]

_BARE_END = " \t\r\n=.]},#"


def key_lines(text: str) -> dict[KeyPath, int]:
    """KeyPath of each key and table header -> its line (1-based).

    Elements of arrays are numbered: the port of the second `[[device]]` is `("device", 1, "port")`, the third
    element of `seats = [1, 2, 3]` is `("seats", 2)`. The empty path is line 1.
    """
    return _Walk(text).lines


def line_of(lines: dict[KeyPath, int], path: KeyPath) -> int:
    """The line of `path`, or of the nearest thing around it that the text spells out."""
    while path not in lines:
        path = path[:-1]
    return lines[path]


class _Walk:
    """One pass over the text; `pos` only moves forward."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self.line = 1
        self.lines: dict[KeyPath, int] = {(): 1}
        self.array_lengths: dict[KeyPath, int] = {}
        self._walk_document()

    def _walk_document(self) -> None:
        table: KeyPath = ()
        while True:
            self._skip_blank()
            if self.pos >= len(self.text):
                return
            if self.text[self.pos] == "[":
                table = self._header()
            else:
                self._key_value(table)

    def _header(self) -> KeyPath:
        is_array = self.text.startswith("[[", self.pos)
        self._advance(2 if is_array else 1)
        path: KeyPath = ()
        keys = self._dotted_key()
        for depth, key in enumerate(keys):
            path = (*path, key)
            if is_array and depth == len(keys) - 1:
                number = self.array_lengths.get(path, 0)
                self.array_lengths[path] = number + 1
                self.lines.setdefault(path, self.line)
                path = (*path, number)
            elif path in self.array_lengths:
                path = (*path, self.array_lengths[path] - 1)  # [device.x] belongs to the newest [[device]]
        self.lines.setdefault(path, self.line)
        self._advance(2 if is_array else 1)
        return path

    def _key_value(self, table: KeyPath) -> None:
        path = table
        for key in self._dotted_key():
            path = (*path, key)
            self.lines.setdefault(path, self.line)
        self._advance(1)  # "="
        self._value(path)

    def _dotted_key(self) -> list[str]:
        keys = [self._simple_key()]
        while self.text[self.pos] == ".":
            self._advance(1)
            keys.append(self._simple_key())
        return keys

    def _simple_key(self) -> str:
        self._skip_spaces()
        start = self.pos
        if self.text[start] in "\"'":
            self._string()
            key = _unquoted(self.text[start : self.pos])
        else:
            while self.text[self.pos] not in _BARE_END:
                self._advance(1)
            key = self.text[start : self.pos]
        self._skip_spaces()
        return key

    def _value(self, path: KeyPath) -> None:
        self._skip_spaces()
        match self.text[self.pos]:
            case '"' | "'":
                self._string()
            case "[":
                self._array(path)
            case "{":
                self._inline_table(path)
            case _:
                while self.pos < len(self.text) and self.text[self.pos] not in ",]}#\r\n":
                    self._advance(1)

    def _array(self, path: KeyPath) -> None:
        self._advance(1)
        number = 0
        while self._next_element("]"):
            self.lines[(*path, number)] = self.line
            self._value((*path, number))
            number += 1

    def _inline_table(self, path: KeyPath) -> None:
        self._advance(1)
        while self._next_element("}"):
            self._key_value(path)

    def _next_element(self, closing: str) -> bool:
        """Stands before the next element; False once the closing bracket is passed."""
        self._skip_blank()
        if self.text[self.pos] == ",":
            self._advance(1)
            self._skip_blank()
        if self.text[self.pos] == closing:
            self._advance(1)
            return False
        return True

    def _string(self) -> None:
        quote = self.text[self.pos]
        long_quote = quote * 3
        if self.text.startswith(long_quote, self.pos):
            self._advance(3)
            while not self.text.startswith(long_quote, self.pos):
                self._advance(2 if quote == '"' and self.text[self.pos] == "\\" else 1)
            self._advance(3)
            while self.pos < len(self.text) and self.text[self.pos] == quote:
                self._advance(1)  # up to two quotes may stand before the closing three
            return
        self._advance(1)
        while self.text[self.pos] != quote:
            self._advance(2 if quote == '"' and self.text[self.pos] == "\\" else 1)
        self._advance(1)

    def _skip_spaces(self) -> None:
        while self.pos < len(self.text) and self.text[self.pos] in " \t":
            self._advance(1)

    def _skip_blank(self) -> None:
        """Spaces, line ends and comments."""
        while self.pos < len(self.text) and self.text[self.pos] in " \t\r\n#":
            if self.text[self.pos] == "#":
                while self.pos < len(self.text) and self.text[self.pos] != "\n":
                    self._advance(1)
            else:
                self._advance(1)

    def _advance(self, count: int) -> None:
        self.line += self.text.count("\n", self.pos, self.pos + count)
        self.pos += count


def _unquoted(literal: str) -> str:
    parsed: dict[str, Any] = tomllib.loads(f"key = {literal}")
    key: str = parsed["key"]
    return key
