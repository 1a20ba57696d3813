"""How frames are delimited on each device's stream, as data: nothing here looks at a byte.

A binary frame:   start | header with the length field | body | check | end
All counts are whole bytes of the frame, `start`, check and `end` included.
"""

from typing import Literal

import msgspec

Order = Literal["little", "big"]


class LengthRule(msgspec.Struct, frozen=True):
    """Where the length stands and what it counts: frame length = field value + `bias`.

    `complement_offset` is the offset of a copy whose every bit is inverted, where the device sends one;
    `balance_offset` that of a byte which makes the sum of it and the length bytes 0 modulo 256.
    """

    offset: int
    size: int
    order: Order
    bias: int
    complement_offset: int | None = None
    balance_offset: int | None = None


class CheckRule(msgspec.Struct, frozen=True):
    """Checksum `name` of `protocol.checksums` over the bytes from `first` up to the check itself."""

    name: str
    first: int
    order: Order


class FrameEnvelope(msgspec.Struct, frozen=True):
    """Binary frames. The body stands from `body_offset` up to the check; the check ends the frame, or stands
    before the fixed bytes `end`. A length field may lie within the body: then the body has it too. A frame
    without a `start` begins with its length field."""

    name: str
    start: bytes
    length: LengthRule
    body_offset: int
    check: CheckRule
    shortest: int
    longest: int
    idle_gap_ms: int
    end: bytes = b""


class FormsEnvelope(msgspec.Struct, frozen=True):
    """Binary frames of several forms behind one `start`; the bytes behind it, the mark, tell the form.

    `fixed` are whole frames that never differ. `marked` are forms whose own `start` is the common one and
    their mark; a frame with any other mark is `plain`. All marks are of one length. The first `lead` bytes of
    the start may be missing: where a frame ends as the next begins, a lost byte would cost both. The body is
    the whole frame: the codec takes it apart by its mark.
    """

    name: str
    start: bytes
    fixed: tuple[bytes, ...]
    marked: tuple[FrameEnvelope, ...]
    plain: FrameEnvelope
    lead: int
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


class MarkedEnvelope(msgspec.Struct, frozen=True):
    """Frames without a length: texts, each of which goes on until the next of `marks`; the first mark begins
    the frame and the last ends it, or stands before the check.

    A text holds only bytes of `text`, and no mark begins with one of them; it may be empty. `check` is the
    name of a checksum of one byte over all from offset `check_first` up to and with the last mark; it stands
    behind that mark as two upper-case hex digits. The body is what lies between the first mark and the last.
    """

    name: str
    marks: tuple[bytes, ...]
    text: bytes
    shortest: int
    longest: int
    idle_gap_ms: int
    check: str | None = None
    check_first: int = 0

    @property
    def start(self) -> bytes:
        return self.marks[0]

    @property
    def behind_body(self) -> int:
        """Bytes from the end of the body to the end of the frame."""
        return len(self.marks[-1]) + (0 if self.check is None else 2)


class LineEnvelope(msgspec.Struct, frozen=True):
    """Lines of text: any bytes up to LF, CR LF or CR, which belong to the frame and to the body.

    `longest` is twice what the codec takes for a line: what is left of an endless line when its end comes at
    last is then still too long to pass for a whole one. A line that stops for `idle_gap_ms` is dropped whole.
    """

    name: str
    shortest: int
    longest: int
    idle_gap_ms: int

    @property
    def start(self) -> bytes:
        """Any byte begins a line; the first of them stands for all."""
        return b"\n"

    @property
    def firsts(self) -> bytes:
        return bytes(range(0x100))


class ReportsEnvelope(msgspec.Struct, frozen=True):
    """What a keyboard-wedge reader types, as the reports of a USB keyboard one behind the other: from the
    first key up to Enter and its release, or up to a quiet of `idle_gap_ms` where no Enter is typed.

    `layouts` are the names of `protocol.hid_reports.LAYOUTS` that the reports may have, the likeliest first.
    """

    name: str
    layouts: tuple[str, ...]
    shortest: int
    longest: int
    idle_gap_ms: int

    @property
    def start(self) -> bytes:
        return b"\0"

    @property
    def firsts(self) -> bytes:
        """Modifiers of a reader (none, shift) or a report id."""
        return bytes(range(0x10)) + b"\x20\x22"


class FixedEnvelope(msgspec.Struct, frozen=True):
    """Answers of `size` bytes one behind the other, with nothing that tells where one begins: for paths on
    which no byte is lost or made. An answer that stops for `idle_gap_ms` is dropped."""

    name: str
    size: int
    idle_gap_ms: int

    @property
    def start(self) -> bytes:
        return b"\0"

    @property
    def firsts(self) -> bytes:
        return bytes(range(0x100))

    @property
    def shortest(self) -> int:
        return self.size

    @property
    def longest(self) -> int:
        return self.size


Envelope = (
    FrameEnvelope
    | FormsEnvelope
    | TextEnvelope
    | MarkedEnvelope
    | LineEnvelope
    | ReportsEnvelope
    | FixedEnvelope
)


def first_bytes(envelope: Envelope) -> bytes:
    """The bytes with which a frame of `envelope` may begin, each once."""
    if isinstance(envelope, LineEnvelope | ReportsEnvelope | FixedEnvelope):
        return envelope.firsts
    if envelope.start or not isinstance(envelope, FrameEnvelope):
        return envelope.start[:1]
    bias = envelope.length.bias
    return bytes(range(envelope.shortest - bias, min(envelope.longest - bias, 0xFF) + 1))


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

# 00 00 FF | LEN | LCS | packet (LEN bytes) | DCS | 00, LEN + LCS and packet + DCS are 0 modulo 256
PN532_NORMAL = FrameEnvelope(
    name="pn532_normal",
    start=b"\x00\x00\xff",
    length=LengthRule(offset=3, size=1, order="big", bias=7, balance_offset=4),
    body_offset=5,
    check=CheckRule(name="COMPLEMENT-8", first=5, order="big"),
    shortest=8,
    longest=262,
    idle_gap_ms=50,
    end=b"\x00",
)

# 00 00 FF FF FF | LEN BE | LCS | packet (LEN bytes) | DCS | 00
PN532_EXTENDED = FrameEnvelope(
    name="pn532_extended",
    start=b"\x00\x00\xff\xff\xff",
    length=LengthRule(offset=5, size=2, order="big", bias=10, balance_offset=7),
    body_offset=8,
    check=CheckRule(name="COMPLEMENT-8", first=8, order="big"),
    shortest=11,
    longest=275,
    idle_gap_ms=50,
    end=b"\x00",
)

PN532_ACK = b"\x00\x00\xff\x00\xff\x00"
PN532_NACK = b"\x00\x00\xff\xff\x00\x00"

PN532 = FormsEnvelope(
    name="pn532",
    start=b"\x00\x00\xff",
    fixed=(PN532_ACK, PN532_NACK),
    marked=(PN532_EXTENDED,),
    plain=PN532_NORMAL,
    lead=1,
    shortest=5,
    longest=275,
    idle_gap_ms=50,
)

# BB | type | command | length BE | data (length bytes) | sum of type to data | 7E
YRM100 = FrameEnvelope(
    name="yrm100",
    start=b"\xbb",
    length=LengthRule(offset=3, size=2, order="big", bias=7),
    body_offset=1,
    check=CheckRule(name="SUM-8", first=1, order="big"),
    shortest=7,
    longest=263,
    idle_gap_ms=50,
    end=b"\x7e",
)

# A0 | length of all behind it | address | command | data | check: all bytes together are 0 modulo 256
R2000 = FrameEnvelope(
    name="r2000",
    start=b"\xa0",
    length=LengthRule(offset=1, size=1, order="big", bias=2),
    body_offset=2,
    check=CheckRule(name="COMPLEMENT-8", first=0, order="big"),
    shortest=5,
    longest=257,
    idle_gap_ms=50,
)

_PRINTABLE = bytes(range(0x20, 0x7F))
_CODED = _PRINTABLE + bytes(range(0x80, 0x100))

# 05 | sequence, code, data | 03 | XOR of sequence to 03, two hex digits
ANGEL_EYE_REPORT = MarkedEnvelope(
    name="angel_eye_report",
    marks=(b"\x05", b"\x03"),
    text=_CODED,
    shortest=6,
    longest=64,
    idle_gap_ms=100,
    check="XOR-8",
    check_first=1,
)

# 02 | O P, type, data | 03 | XOR of 02 to 03, two hex digits
ANGEL_EYE_COMMAND = MarkedEnvelope(
    name="angel_eye_command",
    marks=(b"\x02", b"\x03"),
    text=_CODED,
    shortest=6,
    longest=64,
    idle_gap_ms=100,
    check="XOR-8",
)

_BEE_TEK_TEXT = bytes(byte for byte in _PRINTABLE if byte not in b"[]<>")

# [ mode ]< what happened >
BEE_TEK_IN_MODE = MarkedEnvelope(
    name="bee_tek_in_mode",
    marks=(b"[", b"]<", b">"),
    text=_BEE_TEK_TEXT,
    shortest=4,
    longest=96,
    idle_gap_ms=100,
)

# < what happened >
BEE_TEK_BARE = MarkedEnvelope(
    name="bee_tek_bare", marks=(b"<", b">"), text=_BEE_TEK_TEXT, shortest=2, longest=96, idle_gap_ms=100
)

# LEN of the whole frame | address, command, [status], data | CRC LE over all before it; no start byte
FEIG_STANDARD = FrameEnvelope(
    name="feig_standard",
    start=b"",
    length=LengthRule(offset=0, size=1, order="big", bias=0),
    body_offset=1,
    check=CheckRule(name="CRC-16/MCRF4XX", first=0, order="little"),
    shortest=5,
    longest=255,
    idle_gap_ms=50,
)

# 02 | length of the whole frame BE | address, command, [status], data | CRC LE over all before it
FEIG_ADVANCED = FrameEnvelope(
    name="feig_advanced",
    start=b"\x02",
    length=LengthRule(offset=1, size=2, order="big", bias=0),
    body_offset=3,
    check=CheckRule(name="CRC-16/MCRF4XX", first=0, order="little"),
    shortest=7,
    longest=8192,
    idle_gap_ms=50,
)

# text | LF, CR LF or CR
TEXT_LINE = LineEnvelope(name="text_line", shortest=1, longest=512, idle_gap_ms=500)

# reports of one size, with or without a report id: see `protocol.hid_reports`
HID_KEYBOARD = ReportsEnvelope(
    name="hid_keyboard",
    layouts=("boot", "boot with id", "short with id", "short"),
    shortest=3,
    longest=1200,
    idle_gap_ms=300,
)
