"""One frame of a capture with other names in it: candidates are tried until one decodes to what is wanted."""

import itertools
import re
from collections.abc import Iterable, Iterator

from protocol.angel_eye_layout import CARDS
from protocol.codec import Codec
from protocol.envelopes import LineEnvelope
from protocol.feig_layout import HAS_DATA, NUMBERS
from protocol.messages import CardDrawn, HostCommand, Message, TagSeen, TypedLine, UnknownBody
from shoe_bridge.cli.capture_masks import SHORTEST_TAG
from shoe_bridge.cli.capture_names import Names
from shoe_bridge.cli.capture_seal import behind_body, resealed
from shoe_bridge.cli.capture_typed import KIND as TYPES
from shoe_bridge.cli.capture_typed import retypings
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.link.line_codecs import chatter_beginning

# types whose other fields are as individual as the tag's identity
_TELLTALE = ("iso14443b", "icode_uid", "jewel", "sr176", "srix", "felica", "innovatron")
_ALNUM = re.compile(rb"[0-9A-Za-z]")
_NO_TEXT = re.compile(rb"[^\t\r\n\x20-\x7e]")
_TEXT = frozenset(b"\t\r\n") | frozenset(range(0x20, 0x7F))
_WORD = re.compile(rb"[0-9A-Za-z]{2,3}")
_JSON_TEXT = re.compile(rb'(?<=")[^"]*(?="\s*[,}\]])')
_LONG_HEX = re.compile(rb"(?=[0-9]*[A-Fa-f])[0-9A-Fa-f]{8,}")
_LONGEST_HEAD = 40


class Renamer:
    """Frames of one kind with the pseudonyms of `names`. `blanked` counts the bytes that were blanked."""

    def __init__(self, codec: Codec, names: Names) -> None:
        self.blanked = 0
        self._codec = codec
        self._names = names

    def junk(self, junk: bytes) -> bytes:
        """Bytes of which nobody knows what they hold, blanked; so few that no tag fits in tell nothing."""
        if len(junk) < SHORTEST_TAG or len(set(junk)) == 1:
            return junk
        self.blanked += len(junk)
        if self._codec.kind == TYPES:
            return b"\xff" * len(junk)  # of no report, as it was
        if isinstance(self._codec.envelopes[0], LineEnvelope):
            return _NO_TEXT.sub(b"\xff", _ALNUM.sub(b"x", junk))
        if _TEXT.issuperset(junk):
            return _ALNUM.sub(b"x", junk)
        return bytes(len(junk))

    def frame(self, frame: DecodedFrame) -> bytes | None:
        """The frame with other names; None where there is none that decodes to what it said."""
        wanted = tuple(map(self._names.renamed, frame.messages))
        for candidate in self._candidates(frame, wanted):
            sealed = resealed(self._codec.envelopes, frame.raw, candidate)
            if self._says(sealed, frame, wanted):
                is_blanked = _is_blanked(frame.messages) and self._codec.kind != TYPES
                self.blanked += len(sealed) if is_blanked and sealed != frame.raw else 0
                return sealed
        return None

    def telltale(self, frame: DecodedFrame) -> str | None:
        """What in a frame tells who a tag is besides its identity, and cannot be taken out; None: nothing."""
        if self._codec.kind != "feig_obid":
            return None
        types = {one.tag_type for one in frame.messages if isinstance(one, TagSeen)} & set(_TELLTALE)
        start, _ = behind_body(self._codec.envelopes, frame.raw)
        body = frame.raw[start:]
        if len(body) > 6 and body[1] == NUMBERS["read_buffer"] and body[3] & HAS_DATA:
            return "the content of tags"
        return f"tags of type {', '.join(sorted(map(str, types)))}" if types else None

    def _candidates(self, frame: DecodedFrame, wanted: tuple[Message, ...]) -> Iterable[bytes]:
        """What may take the place of the frame, the likeliest first."""
        raw = frame.raw
        if len(frame.messages) == 1:
            (message,) = frame.messages
            if isinstance(message, CardDrawn) and message.card:
                return self._other_cards(raw, wanted[0])
            if isinstance(message, TypedLine) and message.text in self._names.texts:
                return retypings(raw, message.text, self._names.texts[message.text])
            if isinstance(message, TypedLine):
                return _masked(raw)
            if len(_hex_of(message)) >= 2 * SHORTEST_TAG:
                return itertools.chain(_masked(raw), self._blanked_bodies(raw))
        return (self._names.substituted(raw),)

    def _other_cards(self, raw: bytes, wanted: Message) -> Iterator[bytes]:
        card = wanted.card if isinstance(wanted, CardDrawn) else None
        raw = self._names.substituted(raw)
        if card is None:
            return
        if self._codec.kind == "angel_eye":
            at = raw.rindex(b"\x03") - 1
            for code, value in CARDS.items():
                if value == card:
                    yield raw[:at] + bytes([code]) + raw[at + 1 :]
            return
        suit, ranks = card[1].upper(), ("10", "T") if card[0] == "T" else (card[0],)
        texts = [text for rank in ranks for text in (rank + suit, suit + rank, rank + suit.lower())]
        for found in _WORD.finditer(raw):
            for text in texts:
                yield raw[: found.start()] + text.encode() + raw[found.end() :]

    def _blanked_bodies(self, raw: bytes) -> Iterator[bytes]:
        """All but the first bytes of a body, which say what it is."""
        start, behind = behind_body(self._codec.envelopes, raw)
        end = len(raw) - behind
        for head in range(1, _LONGEST_HEAD):
            for fill in (b"\0", b"0", b"x"):
                kept = min(start + head, end)
                yield raw[:kept] + fill * (end - kept) + raw[end:]

    def _says(self, sealed: bytes, frame: DecodedFrame, wanted: tuple[Message, ...]) -> bool:
        """Whether the bytes are one frame that says what is wanted. One that cannot stand alone is left as it
        is where it names nobody."""
        decoder = Decoder(self._codec)
        results = [*decoder.feed(sealed), *decoder.finish()]
        if len(results) != 1 or not isinstance(results[0], DecodedFrame) or results[0].raw != sealed:
            return sealed == frame.raw and wanted == frame.messages and not _is_blanked(wanted)
        return results[0].stamp == frame.stamp and are_alike(results[0].messages, wanted)


def are_alike(messages: tuple[Message, ...], wanted: tuple[Message, ...]) -> bool:
    """The same messages; one of which only the content was blanked is like it."""
    return len(messages) == len(wanted) and all(map(_is_alike, messages, wanted))


def _is_alike(message: Message, wanted: Message) -> bool:
    if isinstance(message, UnknownBody) and isinstance(wanted, UnknownBody):
        return message.command == wanted.command
    if isinstance(message, HostCommand) and isinstance(wanted, HostCommand):
        return message.command == wanted.command and bool(_hex_of(message)) is bool(_hex_of(wanted))
    if isinstance(message, TypedLine) and isinstance(wanted, TypedLine):
        return len(message.text) == len(wanted.text)
    return message == wanted


def _is_blanked(messages: tuple[Message, ...]) -> bool:
    """Whether the messages hold what nobody can take apart."""
    return any(isinstance(one, TypedLine) or len(_hex_of(one)) >= 2 * SHORTEST_TAG for one in messages)


def _masked(raw: bytes) -> Iterator[bytes]:
    """A text without its words; in JSON only without those that are values, so that it stays JSON. Of chatter
    the known beginning stays."""
    if raw.startswith(b"{"):
        values = _JSON_TEXT.sub(lambda found: b"x" * len(found[0]), raw)
        yield re.sub(rb"\d", b"1", _LONG_HEX.sub(lambda found: b"x" * len(found[0]), values))
    if _TEXT.issuperset(raw):
        text = raw.decode("ascii")
        blank = len(text) - len(text.lstrip())
        kept = blank + len(chatter_beginning(text[blank:]))
        yield raw[:kept] + _ALNUM.sub(b"x", raw[kept:])


def _hex_of(message: Message) -> str:
    """The bytes of a body that nobody knows, or of a command's parameters, as hex."""
    if isinstance(message, UnknownBody):
        return message.hex
    text = message.args.get("hex", "") if isinstance(message, HostCommand) else ""
    return text if isinstance(text, str) else ""
