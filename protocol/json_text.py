"""Where a JSON object ends in a stream of bytes: one pass, one step per byte, no look-ahead.

The walk follows the grammar of JSON and not only its braces: noise that happens to begin with `{` is refused
at the first byte that JSON cannot have there, so it never holds back what comes after it for long. Numbers
and words are walked as runs of their characters; whether they are well formed is for the codec to say.

A whole object without others in it is found by one compiled expression that follows the same grammar.
"""

import re

_BLANK = b" \t\r\n"
_SCALAR = b"+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
# bytes of a string: no control characters, and nothing that UTF-8 never holds (0xC0, 0xC1, 0xF5 and above)
_TEXT = bytes(b for b in range(0x20, 0xF5) if b not in b'"\\\x7f\xc0\xc1')

# states
(
    _FIRST_KEY,
    _KEY,
    _IN_KEY,
    _KEY_ESCAPE,
    _COLON,
    _VALUE,
    _FIRST_VALUE,
    _IN_TEXT,
    _TEXT_ESCAPE,
    _IN_SCALAR,
    _AFTER,
) = range(11)
# what a byte does beyond moving to a state
_OPEN_OBJECT, _OPEN_ARRAY, _CLOSE_OBJECT, _CLOSE_ARRAY, _COMMA, _REFUSE = range(16, 22)


def _row(*moves: tuple[bytes, int]) -> bytes:
    row = bytearray([_REFUSE]) * 256
    for members, target in moves:
        for byte in members:
            row[byte] = target
    return bytes(row)


def _value_row(blank_to: int, *more: tuple[bytes, int]) -> bytes:
    opens = ((b'"', _IN_TEXT), (b"{", _OPEN_OBJECT), (b"[", _OPEN_ARRAY), (_SCALAR, _IN_SCALAR))
    return _row((_BLANK, blank_to), *opens, *more)


_AFTER_MOVES = ((_BLANK, _AFTER), (b",", _COMMA), (b"}", _CLOSE_OBJECT), (b"]", _CLOSE_ARRAY))
_ESCAPES = b'"\\/bfnrtu'
_ROWS = (
    _row((_BLANK, _FIRST_KEY), (b'"', _IN_KEY), (b"}", _CLOSE_OBJECT)),
    _row((_BLANK, _KEY), (b'"', _IN_KEY)),
    _row((_TEXT, _IN_KEY), (b"\\", _KEY_ESCAPE), (b'"', _COLON)),
    _row((_ESCAPES, _IN_KEY)),
    _row((_BLANK, _COLON), (b":", _VALUE)),
    _value_row(_VALUE),
    _value_row(_FIRST_VALUE, (b"]", _CLOSE_ARRAY)),
    _row((_TEXT, _IN_TEXT), (b"\\", _TEXT_ESCAPE), (b'"', _AFTER)),
    _row((_ESCAPES, _IN_TEXT)),
    _row((_SCALAR, _IN_SCALAR), *_AFTER_MOVES),
    _row(*_AFTER_MOVES),
)


def _any_of(members: bytes) -> bytes:
    return b"[" + re.escape(members) + b"]"


def _flat_object() -> re.Pattern[bytes]:
    """All of an object behind its brace whose members are strings, numbers and words."""
    blank = _any_of(_BLANK) + b"*+"
    string = b'"(?:%b++|\\\\%b)*+"' % (_any_of(_TEXT), _any_of(_ESCAPES))
    member = b"%b%b%b:%b(?:%b|%b++)%b" % (blank, string, blank, blank, string, _any_of(_SCALAR), blank)
    return re.compile(b"(?:%b(?:,%b)*+|%b)}" % (member, member, blank))


_FLAT_OBJECT = _flat_object()


class JsonWalk:
    """Walks one text that began with `{`. `walked` counts its bytes so far, that brace included."""

    __slots__ = ("_deepest", "_is_object", "_state", "walked")

    def __init__(self, deepest: int) -> None:
        self._deepest = deepest
        self._state = _FIRST_KEY
        self._is_object = [True]
        self.walked = 1

    def walk(self, data: bytes, start: int, stop: int) -> int:
        """Walk `data[start:stop]`, the bytes that follow those walked before.

        Returns the index behind the closing brace, 0 when the text goes on, -1 when it is no JSON object.
        """
        if self.walked == 1 and (flat := _FLAT_OBJECT.match(data, start, stop)) is not None:
            return flat.end()
        state, nest = self._state, self._is_object
        row = _ROWS[state]
        for index in range(start, stop):
            move = row[data[index]]
            if move >= _OPEN_OBJECT:
                move = self._turn(move)
                if move < 0:
                    return -1
                if not nest:
                    return index + 1
            if move != state:
                state = move
                row = _ROWS[state]
        self._state = state
        self.walked += stop - start
        return 0

    def _turn(self, move: int) -> int:
        """The state after a comma or a bracket; -1 when it is not allowed here."""
        nest = self._is_object
        if move == _COMMA:
            return _KEY if nest[-1] else _VALUE
        if move in (_OPEN_OBJECT, _OPEN_ARRAY) and len(nest) < self._deepest:
            nest.append(move == _OPEN_OBJECT)
            return _FIRST_KEY if nest[-1] else _FIRST_VALUE
        if move in (_CLOSE_OBJECT, _CLOSE_ARRAY) and nest[-1] is (move == _CLOSE_OBJECT):
            nest.pop()
            return _AFTER
        return -1
