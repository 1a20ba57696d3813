"""Angel Eye II-EX: report codes, coded bytes and body layouts, with the sources in `spec/angel_eye.md`.

A coded byte has bit 7 set, so that it can never be taken for the end of a frame. Its closed set is written
out from its two parts, the high one in bits 6 to 4 and the low one in bits 3 to 0.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import construct as cs

from protocol.primitives import Value, closed, exact_struct, lower

RANKS = "A23456789TJQK"  # wire values 1 to 13
SUITS = {1: "d", 2: "c", 3: "s", 4: "h"}
NO_SUIT = 0
UNREAD = "unread"
MOST_INDEX = 10

# who the card is for; the three burns are told apart on the wire only
TARGETS = {0: "player", 1: "banker", 2: "burn", 4: "first burn", 5: "counted burn"}
# why a card was drawn while no game was on
OUTSIDE = {0: "locked", 1: "in error", 2: "in setting mode"}

WINNERS = {1: "player", 2: "tie", 4: "banker", 7: "forced quit"}
PAIRS = {0: "", 1: "player pair", 2: "banker pair", 3: "both pairs"}

ERRORS = {
    1: "cannot read",
    2: "overdraw",
    3: "button mishandling",
    4: "reverse run at the exit",
    5: "reverse run midway",
    6: "card code error",
    7: "draw timeout",
}
ERROR_MODE = 0x40

# what the host may send: OP, type, data as two digits
OPERATIONS = {"lock": ("LK", "02"), "unlock": ("LK", "01"), "error_cancel": ("EC", None), "gp": ("GP", "00")}


def coded(highs: Mapping[int, str], lows: Iterable[int]) -> dict[int, Value]:
    """Wire value -> the words of both parts, such as `player 1`."""
    return {0x80 | high << 4 | low: f"{word} {low}" for high, word in highs.items() for low in lows}


CARDS: dict[int, Value] = {
    **{
        0x80 | suit << 4 | rank: RANKS[rank - 1] + letter
        for suit, letter in SUITS.items()
        for rank in range(1, 14)
    },
    **coded({NO_SUIT: UNREAD}, range(14)),
}
RESULTS: dict[int, Value] = {
    0x80 | high << 4 | low: f"{winner}, {pairs}" if pairs else winner
    for high, winner in WINNERS.items()
    for low, pairs in PAIRS.items()
}

_SEQUENCE = "sequence" / closed(cs.Int8ub, {ord("0") + number: number for number in range(1, 10)})
_CODE = "code" / cs.Int8ub
_CARD = "card" / closed(cs.Int8ub, CARDS)
_HEAD = (_SEQUENCE, _CODE)
_BARE = exact_struct(*_HEAD)
_DRAWN = exact_struct(*_HEAD, "target" / closed(cs.Int8ub, coded(TARGETS, range(MOST_INDEX + 1))), _CARD)
_PLAIN = {byte: chr(byte) for byte in range(0x21, 0x7F)}

REPORT_BODIES: dict[str, Any] = {
    "S": _BARE,
    "P": _BARE,
    "C": _BARE,
    "D": _DRAWN,
    "d": exact_struct(*_HEAD, "state" / closed(cs.Int8ub, coded(OUTSIDE, range(16))), _CARD),
    "R": _DRAWN,
    "G": exact_struct(*_HEAD, "result" / closed(cs.Int8ub, RESULTS)),
    "E": exact_struct(
        *_HEAD,
        "error"
        / closed(cs.Int8ub, {0x80 | mode | code: mode | code for mode in (0, ERROR_MODE) for code in ERRORS}),
    ),
    "e": exact_struct(*_HEAD, "error" / closed(cs.Int8ub, {0x80 | code: code for code in ERRORS})),
    "L": exact_struct(*_HEAD, "is_locked" / closed(cs.Int8ub, {0x80: 0, 0x81: 1})),
    "M": exact_struct(*_HEAD, *(f"character_{n}" / closed(cs.Int8ub, _PLAIN) for n in range(6))),
}
REPORTS = {code: lower(definition) for code, definition in REPORT_BODIES.items()}

COMMAND_BODY = exact_struct("operation" / cs.Bytes(2), "type" / cs.Bytes(2), "data" / cs.Bytes(2))
COMMAND = lower(COMMAND_BODY)
