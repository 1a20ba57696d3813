"""What the bytes of a capture mean: each direction is a stream of its own, and the recorded times say where a
line was quiet, just as the live link sees it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from protocol.codec import Codec
from protocol.hid_keys import NAME as KEYPADS
from protocol.messages import Reason
from shoe_bridge.cli.capture_file import FROM_DEVICE, TO_DEVICE, Piece
from shoe_bridge.cli.capture_typed import KIND as TYPES
from shoe_bridge.link.decoder import DecodedFrame, Decoder, result_lines
from shoe_bridge.link.deframer import Junk
from shoe_bridge.link.line_codecs import transfer_question

_NS_PER_MS = 1_000_000
READS, ONE_REPORT = "reads", "one report each"  # in the header: a USB keyboard's pieces are its reports
IsTransfer = Callable[[bytes], bool]


def transfer_question_of(header: Mapping[str, str], kind: str, keys: str | None) -> IsTransfer | None:
    """The question whether a piece is a report, of a capture whose `header` says that each read was one; None
    of another, and of another kind. `keys`: the layout of a keypad's reports."""
    if kind not in (TYPES, KEYPADS) or header.get(READS) != ONE_REPORT:
        return None
    return transfer_question(keys is not None, keys)


class Meaning(msgspec.Struct, frozen=True):
    """One result, its `direction`, and when its last byte crossed the port."""

    at_ns: int
    direction: str
    result: DecodedFrame | Junk


class _Stream:
    """One direction: its decoder, and from when on it has been quiet."""

    def __init__(self, codec: Codec, direction: str, is_transfer: IsTransfer | None) -> None:
        self.decoder = Decoder(codec)
        self._is_transfer = is_transfer
        self._direction = direction
        self._fed_ns = 0
        self._quiet_ns = 0

    def feed(self, piece: Piece) -> list[Meaning]:
        found = self._quiet_until(piece.at_ns)
        if self._is_transfer is not None and not self._is_transfer(piece.data):
            return [*found, Meaning(piece.at_ns, self._direction, Junk(piece.data, Reason.BAD_LENGTH))]
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
    left. `is_transfer`: where each piece of the device was one report, whether it is one, as on the live
    link."""

    def __init__(self, codec: Codec, is_transfer: IsTransfer | None = None) -> None:
        asks = {FROM_DEVICE: is_transfer, TO_DEVICE: None}
        self._streams = {direction: _Stream(codec, direction, ask) for direction, ask in asks.items()}

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
