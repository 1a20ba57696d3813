"""How frames are delimited on each device's stream, as data: nothing here looks at a byte.

A binary frame:   start | header with the length field | body | check
All counts are whole bytes of the frame, `start` and check included.
"""

from typing import Literal

import msgspec

Order = Literal["little", "big"]


class LengthRule(msgspec.Struct, frozen=True):
    """Where the length stands and what it counts: frame length = field value + `bias`.

    `complement_offset` is the offset of a copy whose every bit is inverted, where the device sends one.
    """

    offset: int
    size: int
    order: Order
    bias: int
    complement_offset: int | None = None


class CheckRule(msgspec.Struct, frozen=True):
    """Checksum `name` of `protocol.checksums` over the bytes from `first` up to the check itself."""

    name: str
    first: int
    order: Order


class FrameEnvelope(msgspec.Struct, frozen=True):
    """Binary frames. The body stands from `body_offset` up to the check; the check ends the frame."""

    name: str
    start: bytes
    length: LengthRule
    body_offset: int
    check: CheckRule
    shortest: int
    longest: int
    idle_gap_ms: int


class TextEnvelope(msgspec.Struct, frozen=True):
    """JSON objects as bare text, from `{` to the brace that matches it; the body is the whole text.

    The text may hold line ends and tabs between its tokens. `deepest` bounds the nesting of objects and
    arrays. There is no checksum: what lies between the braces must follow the grammar of JSON.
    """

    name: str
    shortest: int
    longest: int
    deepest: int
    idle_gap_ms: int

    @property
    def start(self) -> bytes:
        return b"{"


Envelope = FrameEnvelope | TextEnvelope

# 7E | LEN | body (LEN bytes) | CRC LE over LEN and body
TABLELINK = FrameEnvelope(
    name="tablelink",
    start=b"\x7e",
    length=LengthRule(offset=1, size=1, order="little", bias=4),
    body_offset=2,
    check=CheckRule(name="CRC-16/IBM-3740", first=1, order="little"),
    shortest=5,
    longest=36,
    idle_gap_ms=50,
)

# F5 | LEN LE | LEN with every bit inverted | payload (LEN - 2 bytes) | CRC LE over the payload
PEPPER_F5 = FrameEnvelope(
    name="pepper_f5",
    start=b"\xf5",
    length=LengthRule(offset=1, size=2, order="little", bias=5, complement_offset=3),
    body_offset=5,
    check=CheckRule(name="CRC-16/IBM-3740", first=5, order="little"),
    shortest=8,
    longest=2068,
    idle_gap_ms=200,
)

PEPPER_JSON = TextEnvelope(name="pepper_json", shortest=2, longest=4096, deepest=8, idle_gap_ms=200)
