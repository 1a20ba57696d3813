"""Pseudonyms for the tags and cards of a capture, so that it can be shared and still decodes.

Each tag becomes a made-up one of the same length, each card another card, each typed text other digits on the
same strokes, always the same one; checksums are computed anew. A frame is only let through if it decodes to
what it said before, with nothing but the names changed. What cannot be taken apart is blanked: bytes that
belong to no frame, the content of frames that nobody knows, lines of text that no pattern fits, chatter
behind its beginning, what people wrote into the header, addresses. Times, keys, lamps, faults, results of
rounds and the device's own name stay.
"""

import itertools
from collections.abc import Iterator

from protocol.codec import CODECS, Codec
from protocol.messages import Message, TypedLine
from shoe_bridge.cli.capture_decode import Meaning, decoded
from shoe_bridge.cli.capture_file import Capture, Happening, Piece
from shoe_bridge.cli.capture_frames import Renamer, are_alike
from shoe_bridge.cli.capture_masks import known_header, masked_phrase
from shoe_bridge.cli.capture_names import Names
from shoe_bridge.cli.capture_typed import KIND as TYPES
from shoe_bridge.cli.counted import counted
from shoe_bridge.cli.recorded import check_recorded
from shoe_bridge.errors import UsageError
from shoe_bridge.link.decoder import DecodedFrame

Parts = list[tuple[bytes, bytes]]


def redacted(capture: Capture, name: str, codec: Codec | None = None) -> Capture:
    """The capture with pseudonyms, its times and the order of its pieces kept. UsageError, which calls the
    capture `name`, where something in it cannot be redacted. `codec`: for lines of the house's own."""
    kind = codec.kind if codec is not None else capture.kind
    if kind is None:
        raise UsageError(f"{name} names no kind of device: give it with --device")
    check_recorded(kind)
    # a rule for typed tags adds nothing: the text is what has to go
    if codec is None or kind == TYPES:
        codec = CODECS[kind]
    return _Redaction(codec, name).of(capture)


class _Redaction:
    """One capture being redacted."""

    def __init__(self, codec: Codec, name: str) -> None:
        self._codec = codec
        self._name = name
        self._names = Names()
        self._renamer = Renamer(codec, self._names)

    def of(self, capture: Capture) -> Capture:
        meanings = list(decoded(capture.pieces, self._codec))
        for message in _messages(meanings):
            self._names.learn(message)
            if isinstance(message, TypedLine) and self._codec.kind == TYPES:
                self._names.learn_text(message.text)
        self._names.seal()
        streams = {direction: iter(self._stream(capture, meanings, direction)) for direction in "<>"}
        entries: list[Piece | Happening] = []
        port = capture.header.get("port", "")
        for entry in capture.entries:
            if isinstance(entry, Happening):
                said = masked_phrase(entry.text, port)
                is_named = self._names.is_in(said.encode())
                entries.append(Happening(entry.at_ns, "not kept: it names a tag" if is_named else said))
            elif data := next(streams[entry.direction]):
                entries.append(Piece(entry.at_ns, entry.direction, data))
        names, blanked = self._names, self._renamer.blanked
        named = f"{counted(len(names.tags) + len(names.texts), 'tag')}, {counted(len(names.cards), 'card')}"
        says = f"{named}, {counted(blanked, 'byte')} blanked"
        result = Capture({**known_header(capture.header), "redacted": says}, tuple(entries))
        self._check(meanings, result)
        return result

    def _stream(self, capture: Capture, meanings: list[Meaning], direction: str) -> Iterator[bytes]:
        """The pieces of one direction, each cut where the recorded one was cut."""
        pieces = [piece.data for piece in capture.pieces if piece.direction == direction]
        parts = self._parts(b"".join(pieces), [one for one in meanings if one.direction == direction])
        whole = b"".join(new for _, new in parts)
        at, new_at = 0, 0
        for piece in pieces:
            at += len(piece)
            end = _moved(at, parts)
            yield whole[new_at:end]
            new_at = end

    def _parts(self, stream: bytes, meanings: list[Meaning]) -> Parts:
        """The stream taken apart into frames and what lies between them, each with what takes its place."""
        parts: Parts = []
        for is_frame, group in itertools.groupby(meanings, lambda one: isinstance(one.result, DecodedFrame)):
            if is_frame:
                parts += [(one.result.raw, self._frame(one)) for one in group]
            else:
                junk = b"".join(one.result.raw for one in group)
                parts.append((junk, self._renamer.junk(junk)))
        at = sum(len(old) for old, _ in parts)
        if b"".join(old for old, _ in parts) != stream[:at]:
            raise self._refusal("its bytes cannot be told apart")
        return [*parts, (stream[at:], self._renamer.junk(stream[at:]))]

    def _frame(self, meaning: Meaning) -> bytes:
        frame, at = meaning.result, f"the frame at {meaning.at_ns / 1e6:.3f} ms"
        if not isinstance(frame, DecodedFrame):
            raise TypeError("junk is no frame")
        telltale = self._renamer.telltale(frame)
        if telltale is not None:
            raise self._refusal(f"{at} holds {telltale}, which tells who they are")
        renamed = self._renamer.frame(frame)
        if renamed is None:
            raise self._refusal(f"{at} does not decode with other names")
        return renamed

    def _check(self, before: list[Meaning], result: Capture) -> None:
        """The frames are the same ones, and no name is left."""
        after = list(decoded(result.pieces, self._codec))
        for direction in "<>":
            old, new = self._frames(before, direction), self._frames(after, direction)
            wanted = [tuple(map(self._names.renamed, frame.messages)) for frame in old]
            is_same = len(old) == len(new) and all(
                are_alike(frame.messages, one) for frame, one in zip(new, wanted, strict=True)
            )
            if self._codec.kind == TYPES:
                is_same = [frame.messages for frame in new] == wanted
            data = b"".join(piece.data for piece in result.pieces if piece.direction == direction)
            if not is_same:
                raise self._refusal("its frames would not be the same afterwards")
            if self._names.is_in(data):
                raise self._refusal("a tag stands in it in a place that is not understood")

    def _frames(self, meanings: list[Meaning], direction: str) -> list[DecodedFrame]:
        """The frames that say something. Of other kinds than those that type, what is left of a blanked text
        may be a line of its own."""
        found = [one.result for one in meanings if one.direction == direction]
        frames = [result for result in found if isinstance(result, DecodedFrame) and result.messages]
        if self._codec.kind == TYPES:
            return frames
        return [frame for frame in frames if not isinstance(frame.messages[0], TypedLine)]

    def _refusal(self, why: str) -> UsageError:
        return UsageError(
            f"{self._name} cannot be redacted: {why}; share what `shoe-bridge doctor` says of the device"
        )


def _messages(meanings: list[Meaning]) -> Iterator[Message]:
    for meaning in meanings:
        if isinstance(meaning.result, DecodedFrame):
            yield from meaning.result.messages


def _moved(at: int, parts: Parts) -> int:
    """Where the old offset `at` lies in the new stream; inside a part of another length as near as can be."""
    new_at = 0
    for old, new in parts:
        if at <= len(old):
            return new_at + (len(new) if at == len(old) else min(at, len(new)))
        at -= len(old)
        new_at += len(new)
    return new_at
