"""Home-made readers that print one line per card: MFRC522, PN5180 and others on Arduino, ESP32 or a Pi.

Line     text, up to 256 printable ASCII characters and tabs | LF, CR LF or CR
No checksum, no sequence number; only its form tells that a line is whole. Sources: `spec/text_line.md`.

    [Channel] 0 [UID: 04 0e 3b d2 28 6b 85]    TagSeen at antenna 0
    0 0 As 12.30 45.60                         CardDrawn for player 0
    154-98-11-133-118                          TagSeen, four bytes and their BCC in decimal

Which lines a device prints is a matter of its program: a preset of `text_presets`, or a pattern of the
house's own configuration. A line that fits none of them is a TypedLine, whose text is kept.
"""

from collections.abc import Callable, Sequence
from functools import partial

from protocol.envelopes import TEXT_LINE
from protocol.line_pattern import DECIMAL_GROUPS, LONGEST_LINE, LinePatterns, line_pattern
from protocol.messages import (
    CardDrawn,
    Decoded,
    Failure,
    HostCommand,
    Message,
    PollEmpty,
    Reason,
    TagGone,
    TagSeen,
    TypedLine,
)
from protocol.tag_text import card_of_text, tag_of_decimals, tag_of_hex, tag_of_integer
from protocol.text_encode import encode_line
from protocol.text_json import MOST_ANTENNA, decode_json
from protocol.text_presets import DEFAULT_PRESET, JSON_PRESETS, PRESETS

__all__ = [
    "ENVELOPES",
    "closes",
    "decode",
    "decoder_of",
    "encode_command",
    "encode_line",
]

ENVELOPES = (TEXT_LINE,)
WHOLE_TAG_DIGITS = 14

Decode = Callable[[str, bytes], Decoded | Failure]


def decoder_of(preset: str | None = None, patterns: Sequence[str] = ()) -> Decode:
    """The `decode` of a device that prints the lines of `preset` or of the house's own `patterns`; of any
    preset where neither is given. Raises ValueError on an unknown preset, a bad pattern, or both at once."""
    if patterns:
        if preset is not None:
            raise ValueError("a device has a preset or a pattern of its own: leave one of the two out")
        return partial(_decode, LinePatterns(map(line_pattern, patterns)), False)
    name = preset or DEFAULT_PRESET
    if name not in PRESETS:
        raise ValueError(f"there is no preset {name!r}: use one of {', '.join(sorted(PRESETS))}")
    return partial(_decode, LinePatterns(PRESETS[name]), name in JSON_PRESETS)


def _decode(patterns: LinePatterns, has_json: bool, envelope_name: str, body: bytes) -> Decoded | Failure:
    if envelope_name != TEXT_LINE.name:
        return Failure(Reason.UNKNOWN_ID, f"no body of {envelope_name}")
    if not body:
        return Failure(Reason.TOO_SHORT, "no line")
    raw = body.rstrip(b"\r\n")
    if len(raw) > LONGEST_LINE:
        return Failure(Reason.TOO_LONG, f"a line of more than {LONGEST_LINE} characters")
    text = raw.decode("latin-1")
    if not text.isascii() or not (text.isprintable() or text.replace("\t", " ").isprintable()):
        return Failure(Reason.IMPLAUSIBLE, "a byte that no text holds")
    line = text.strip()
    if has_json and line.startswith("{"):
        return decode_json(line)
    return _meaning(patterns, line)


def _meaning(patterns: LinePatterns, line: str) -> Decoded | Failure:
    """What the patterns that fit make of the line. Where two of them read two different tags out of it, the
    line is ambiguous."""
    said: list[Message] = []
    failure: Failure | None = None
    for pattern in patterns.may_fit(line):
        groups = pattern.match(line)
        if groups is None:
            continue
        message = _message(groups)
        if isinstance(message, Failure):
            # a check that does not fit says more than that another form does not
            failure = message if failure is None or message.reason is Reason.BAD_CHECK else failure
        elif message not in said:
            said.append(message)
    if len(said) > 1:
        return Failure(Reason.IMPLAUSIBLE, f"{line!r} can be read in two ways: configure the preset")
    if said:
        return Decoded((said[0],))
    return failure or Decoded((TypedLine(line),))


def _message(groups: dict[str, str]) -> Message | Failure:
    antenna = _number(groups["player"] if "player" in groups else groups.get("antenna"))
    rssi = _number(groups["rssi"]) if "rssi" in groups else None
    if isinstance(antenna, Failure) or isinstance(rssi, Failure):
        return Failure(Reason.IMPLAUSIBLE, "a number that no device has")
    if antenna is not None and not 0 <= antenna <= MOST_ANTENNA:
        return Failure(Reason.IMPLAUSIBLE, f"antenna {antenna}")
    if "empty" in groups:
        return PollEmpty(antenna)
    if "card" in groups:
        card = card_of_text(groups["card"])
        if card is None:
            return Failure(Reason.IMPLAUSIBLE, f"card {groups['card']!r}")
        who = "player" if "player" in groups else "reader"
        return CardDrawn(card=card, target=None if antenna is None else f"{who} {antenna}")
    tag = _tag(groups)
    if isinstance(tag, Failure):
        return tag
    if "gone" in groups:
        return TagGone(tag, antenna)
    return TagSeen(tag, antenna, rssi, groups.get("type"), groups.get("name"))


def _number(text: str | None) -> int | Failure | None:
    if text is None:
        return None
    if len(text) <= 6 and text.isdigit():
        return int(text)
    digits = text.strip()
    if len(digits) > 6 or not digits.removeprefix("-").isdigit():
        return Failure(Reason.IMPLAUSIBLE, f"{text!r} is no number")
    return int(digits)


def _tag(groups: dict[str, str]) -> str | Failure:
    if "uid" in groups:
        return tag_of_hex(groups["uid"])
    if "bytes" in groups:
        return tag_of_decimals(groups["bytes"])
    for name, size in DECIMAL_GROUPS.items():
        if name in groups:
            return tag_of_integer(groups[name], size)
    return Failure(Reason.IMPLAUSIBLE, "the line names no tag")


decode: Decode = decoder_of()


def closes(text: bytes, decode: Decode = decode) -> bool:
    """Whether a text at the end of a recording is a whole line though its line end is missing: a bracket or
    brace closes it, a block check proves its identity, or the identity has seven bytes and more. A shorter
    one may be the beginning of a longer one."""
    decoded = decode(TEXT_LINE.name, text)
    if isinstance(decoded, Failure) or text.endswith((b"\r", b"\n")):
        return False
    (message,) = decoded.messages
    if isinstance(message, TypedLine | PollEmpty):
        return False
    if text.rstrip().endswith((b"]", b"}")):
        return True
    if not isinstance(message, TagSeen | TagGone):
        return False
    return len(message.tag) >= WHOLE_TAG_DIGITS or _has_block_check(text.decode("ascii"), message.tag)


def _has_block_check(text: str, tag: str) -> bool:
    """Whether the line is the tag in decimal, whose form always carries the check."""
    line = text.strip()
    if len(tag) != 8 or not line.replace("-", "").isdigit():
        return False
    return line.count("-") == 4 or (line.isdigit() and tag_of_integer(line, 5) == tag)


def encode_command(command: HostCommand) -> bytes:
    """The line of a host command: `clear` of a BeddoFabrik table, whose argument `reader` is -1 for all.
    Raises ValueError on anything else; the other programs listen to nobody."""
    reader = command.args.get("reader")
    if command.command != "clear" or not isinstance(reader, int) or len(command.args) != 1:
        raise ValueError(f"a text_line device has no command {command.command!r} with such arguments")
    return b'{"key":%d}\r\n' % reader
