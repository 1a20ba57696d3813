"""Tags and cards as people's firmware writes them -> as this project writes them.

Tags: 4, 7 or 10 bytes (ISO 14443A), 8 bytes (ISO 15693), or 4 bytes and their block check (BCC, the exclusive
or of the four), as hex or decimal, with blanks, colons, dashes or nothing between the bytes.

A first byte of 88 is the cascade tag: the reader stopped at the first level of a longer identity, and only
three bytes of it follow. Cards can share those, so such an identity is refused and not shown as a tag.
"""

import re
from binascii import unhexlify

from protocol.checksums import xor8
from protocol.messages import Failure, Reason

CASCADE_TAG = 0x88
ISO_15693 = 0xE0
TAG_SIZES = (4, 7, 8, 10)
CHECKED_SIZE = 5  # four bytes and their BCC

_BETWEEN = re.compile(r"[ \t:-]+")
_RANKS = {**{rank: rank for rank in "23456789TJQKA"}, "10": "T", "1": "A"}
# P for the German Pik; its Karo and Kreuz both begin with K, so that K names no suit
_SUITS = {"S": "s", "P": "s", "H": "h", "D": "d", "C": "c"}


def tag_of_bytes(raw: bytes) -> str | Failure:
    """The tag whose bytes stand in `raw` as they were printed, or why there is none."""
    if len(raw) == CHECKED_SIZE:
        if xor8(raw[:4]) != raw[4]:
            return Failure(Reason.BAD_CHECK, f"block check {raw[4]:02X} where {xor8(raw[:4]):02X} fits")
        raw = raw[:4]
    if len(raw) not in TAG_SIZES:
        return Failure(Reason.IMPLAUSIBLE, f"an identity of {len(raw)} bytes")
    if not raw.strip(b"\x00") or not raw.strip(b"\xff"):
        return Failure(Reason.IMPLAUSIBLE, "an identity without content")
    if raw[0] == CASCADE_TAG:
        return Failure(Reason.IMPLAUSIBLE, "the cascade tag and a part of a longer identity")
    if len(raw) == 8 and raw[-1] == ISO_15693 != raw[0]:
        raw = raw[::-1]
    return raw.hex().upper()


def tag_of_hex(text: str) -> str | Failure:
    """The tag that stands as hex digits in `text`."""
    try:
        digits = text.encode("ascii").translate(None, b" \t:-")
        if len(digits) % 2:
            return Failure(Reason.IMPLAUSIBLE, "half a byte of hex")
        raw = unhexlify(digits)
    except ValueError:
        return Failure(Reason.IMPLAUSIBLE, f"{text!r} is no hex")
    return tag_of_bytes(raw)


def tag_of_decimals(text: str) -> str | Failure:
    """The tag whose bytes stand in `text` as decimal numbers."""
    numbers = _BETWEEN.split(text.strip())
    if not all(number.isdigit() and len(number) <= 3 and int(number) <= 0xFF for number in numbers):
        return Failure(Reason.IMPLAUSIBLE, f"{text!r} are no bytes")
    return tag_of_bytes(bytes(map(int, numbers)))


def tag_of_integer(text: str, size: int) -> str | Failure:
    """The tag that stands in `text` as one decimal integer of `size` bytes, most significant first."""
    if not text.isdigit() or len(text) > 20 or int(text) >> 8 * size:
        return Failure(Reason.IMPLAUSIBLE, f"{text!r} is no integer of {size} bytes")
    return tag_of_bytes(int(text).to_bytes(size, "big"))


def card_of_text(text: str) -> str | None:
    """The card that `text` names: rank and suit in either order and case, ten as T or 10, ace as A or 1."""
    text = text.strip().upper()
    for rank, suit in ((text[:-1], text[-1:]), (text[1:], text[:1])):
        if rank in _RANKS and suit in _SUITS:
            return _RANKS[rank] + _SUITS[suit]
    return None
