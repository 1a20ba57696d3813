"""What the bytes of a capture mean: each direction is a stream of its own, and the recorded times say where a
line was quiet, just as the live link sees it."""

from collections.abc import Iterator
from typing import Any

import msgspec

from protocol.codec import Codec
from shoe_bridge.cli.capture_file import TO_DEVICE, Piece
from shoe_bridge.link.decoder import DecodedFrame, Decoder, result_lines
from shoe_bridge.link.deframer import Junk

_NS_PER_MS = 1_000_000


class Meaning(msgspec.Struct, frozen=True):
    """One result, its `direction`, and when its last byte crossed the port."""

    at_ns: int
    direction: str
    result: DecodedFrame | Junk


class _Stream:
    """One direction: its decoder, and from when on it has been quiet."""

    def __init__(self, codec: Codec, direction: str) -> None:
        self.decoder = Decoder(codec)
        self._direction = direction
        self._fed_ns = 0
        self._quiet_ns = 0

    def feed(self, piece: Piece) -> list[Meaning]:
        found = self._quiet_until(piece.at_ns)
        self._fed_ns = self._quiet_ns = piece.at_ns
        return found + self._told(self.decoder.feed(piece.data))

    def finish(self) -> list[Meaning]:
        return self._told(self.decoder.finish())

    def _quiet_until(self, at_ns: int) -> list[Meaning]:
        """Each idle gap before `at_ns` has its say, as on the live link."""
        found: list[Meaning] = []
        gap_ns = self.decoder.idle_gap_ms * _NS_PER_MS
        while self.decoder.pending and self._quiet_ns + gap_ns <= at_ns:
            self._quiet_ns += gap_ns
            found += self._told(self.decoder.idle())
        return found

    def _told(self, results: list[DecodedFrame | Junk]) -> list[Meaning]:
        return [Meaning(self._fed_ns, self._direction, result) for result in results]


class CaptureDecoder:
    """Both directions of a capture. `pending` says after `finish` how many bytes of a begun frame the device
    left."""

    def __init__(self, codec: Codec) -> None:
        self._streams = {direction: _Stream(codec, direction) for direction in "<>"}

    def feed(self, piece: Piece) -> list[Meaning]:
        return self._streams[piece.direction].feed(piece)

    def finish(self) -> list[Meaning]:
        return [meaning for stream in self._streams.values() for meaning in stream.finish()]

    @property
    def pending(self) -> int:
        return sum(stream.decoder.pending for stream in self._streams.values())


def decoded(pieces: list[Piece], codec: Codec) -> Iterator[Meaning]:
    """All that the pieces mean, in the order in which it was known."""
    decoder = CaptureDecoder(codec)
    for piece in pieces:
        yield from decoder.feed(piece)
    yield from decoder.finish()


def meaning_lines(meaning: Meaning) -> list[dict[str, Any]]:
    """As `decode --json` prints it, with the time and who sent it."""
    sent_by = "host" if meaning.direction == TO_DEVICE else "device"
    about = {"at_ms": round(meaning.at_ns / _NS_PER_MS, 3), "sent_by": sent_by}
    return [{**line, **about} for line in result_lines([meaning.result])]
