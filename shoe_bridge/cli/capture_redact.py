"""Pseudonyms for the tags and cards of a capture, so that it can be shared and still decodes.

Each tag becomes a made-up one of the same length, each card another card, each typed text other digits on the
same strokes, always the same one; checksums are computed anew. A frame is only let through if it decodes to
what it said before, with nothing but the names changed. What cannot be taken apart is blanked: bytes that
belong to no frame, what seems to be a frame amid noise, the content of frames that nobody knows, lines of
text that no pattern fits, chatter behind its beginning, what people wrote into the header, addresses. Times,
keys, lamps, faults, results of rounds and the device's own name stay.
"""

import itertools
from collections.abc import Iterator
from typing import TypeGuard

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
from shoe_bridge.link.deframer import Junk

Parts = list[tuple[bytes, bytes]]
_MOST_ROUNDS = 8  # each blanks what seemed to be a frame amid noise; one or two are enough for noise alone


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
        # frames by their direction and place: those that are blanked as junk, and where the others then begin
        self._no_frames: set[tuple[str, int]] = set()
        self._starts: dict[str, dict[int, int]] = {"<": {}, ">": {}}

    def of(self, capture: Capture) -> Capture:
        meanings = list(decoded(capture.pieces, self._codec))
        for message in _messages(meanings):
            self._names.learn(message)
            if isinstance(message, TypedLine) and self._codec.kind == TYPES:
                self._names.learn_text(message.text)
        self._names.seal()
        for _ in range(_MOST_ROUNDS):
            result = self._renamed(capture, meanings)
            lost = self._check(meanings, result)
            if not lost:
                return result
            sound = {key: at_ns for key, at_ns in lost.items() if not self._is_amid_noise(meanings, *key)}
            if sound:
                break
            self._no_frames |= lost.keys()
        at_ns = min((sound or lost).values())
        raise self._refusal(f"the frame at {at_ns / 1e6:.3f} ms would not be the same afterwards")

    def _is_amid_noise(self, meanings: list[Meaning], direction: str, number: int) -> bool:
        """Whether what came right before that frame was none, or is blanked as such."""
        before = _of(meanings, direction)[number - 1] if number else None
        is_blanked = (direction, number - 1) in self._no_frames
        return before is not None and (is_blanked or isinstance(before.result, Junk))

    def _renamed(self, capture: Capture, meanings: list[Meaning]) -> Capture:
        self._renamer.blanked = 0
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
        if self._no_frames:
            says += f" with {counted(len(self._no_frames), 'frame')} amid noise"
        return Capture({**known_header(capture.header), "redacted": says}, tuple(entries))

    def _stream(self, capture: Capture, meanings: list[Meaning], direction: str) -> Iterator[bytes]:
        """The pieces of one direction, each cut where the recorded one was cut."""
        pieces = [piece.data for piece in capture.pieces if piece.direction == direction]
        parts = self._parts(b"".join(pieces), _of(meanings, direction), direction)
        whole = b"".join(new for _, new in parts)
        at, new_at = 0, 0
        for piece in pieces:
            at += len(piece)
            end = _moved(at, parts)
            yield whole[new_at:end]
            new_at = end

    def _parts(self, stream: bytes, meanings: list[Meaning], direction: str) -> Parts:
        """The stream taken apart into frames and what lies between them, each with what takes its place."""
        parts: Parts = []

        def is_frame(numbered: tuple[int, Meaning]) -> bool:
            number, one = numbered
            return isinstance(one.result, DecodedFrame) and (direction, number) not in self._no_frames

        starts = self._starts[direction] = {}
        new_at = 0
        for are_frames, group in itertools.groupby(enumerate(meanings), is_frame):
            if are_frames:
                for number, one in group:
                    starts[number] = new_at
                    parts.append((one.result.raw, self._frame(one)))
                    new_at += len(parts[-1][1])
            else:
                junk = b"".join(one.result.raw for _, one in group)
                parts.append((junk, self._renamer.junk(junk)))
                new_at += len(parts[-1][1])
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

    def _check(self, before: list[Meaning], result: Capture) -> dict[tuple[str, int], int]:
        """The frames are the same ones, and no name is left. Gives those that are not there any more, with
        their times: noise looks like a frame where a quiet ended what seemed to begin before it, and without
        that beginning the quiet ends the frame itself."""
        after = list(decoded(result.pieces, self._codec))
        lost: dict[tuple[str, int], int] = {}
        for direction in "<>":
            old, new = _of(before, direction), _of(after, direction)
            data = b"".join(piece.data for piece in result.pieces if piece.direction == direction)
            if self._names.is_in(data):
                raise self._refusal("a tag stands in it in a place that is not understood")
            lost |= self._lost(old, new, direction)
        return lost

    def _lost(self, old: list[Meaning], new: list[Meaning], direction: str) -> dict[tuple[str, int], int]:
        """The frames of `old` that `new` does not have where they should stand."""
        there, at = dict[int, Meaning](), 0
        for one in new:
            if self._counts(one.result):
                there[at] = one
            at += len(one.result.raw)
        wanted = {
            number: tuple(map(self._names.renamed, result.messages))
            for number in self._starts[direction]
            if self._counts(result := old[number].result)
        }
        if len(there) == len(wanted) and all(map(self._is_same, there.values(), wanted.values())):
            return {}
        lost: dict[tuple[str, int], int] = {}
        for number, messages in wanted.items():
            start = self._starts[direction][number]
            if start not in there or not self._is_same(there.pop(start), messages):
                lost[direction, number] = old[number].at_ns
        if there and not lost:
            at_ms = min(one.at_ns for one in there.values()) / 1e6
            raise self._refusal(f"bytes before {at_ms:.3f} ms would become a frame, which they are not")
        return lost

    def _is_same(self, new: Meaning, wanted: tuple[Message, ...]) -> bool:
        result = new.result
        if not isinstance(result, DecodedFrame):
            return False
        if self._codec.kind == TYPES:
            return result.messages == wanted
        return are_alike(result.messages, wanted)

    def _counts(self, result: DecodedFrame | Junk) -> TypeGuard[DecodedFrame]:
        """Whether it is a frame that says something. Of other kinds than those that type, what is left of a
        blanked text may be a line of its own."""
        if not isinstance(result, DecodedFrame) or not result.messages:
            return False
        return self._codec.kind == TYPES or not isinstance(result.messages[0], TypedLine)

    def _refusal(self, why: str) -> UsageError:
        return UsageError(
            f"{self._name} cannot be redacted: {why}; share what `shoe-bridge doctor` says of the device"
        )


def _of(meanings: list[Meaning], direction: str) -> list[Meaning]:
    return [one for one in meanings if one.direction == direction]


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
