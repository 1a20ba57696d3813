"""Bytes -> messages: the deframer and the codec of one kind of device in one pass."""

from collections.abc import Iterable
from typing import Any

import msgspec

from protocol.codec import Codec
from protocol.envelopes import FormsEnvelope, FrameEnvelope, MarkedEnvelope
from protocol.messages import Failure, Message, Reason, Stamp
from shoe_bridge.link.deframer import Junk, Scanner


class DecodedFrame(msgspec.Struct, frozen=True, gc=False):
    """One whole frame and what it said; `stamp` where the device numbers its frames. `messages` is empty
    where it only fills the space between two frames."""

    raw: bytes
    messages: tuple[Message, ...]
    stamp: Stamp | None


class _Held(msgspec.Struct, frozen=True):
    scanner: bytes
    counters: dict[str, int]
    filled: int = 0


class Decoder:
    """Takes one device's stream to messages. Never raises on any input.

    A frame whose checksum fits and whose body means nothing becomes a `Junk` of the whole frame. Bytes that
    the device puts between its frames, and nothing but them, become a frame that says nothing.
    """

    def __init__(self, codec: Codec) -> None:
        self._scanner = Scanner[DecodedFrame | Junk](codec.envelopes, self._made, self._is_proof)
        framed = FrameEnvelope | FormsEnvelope
        self._checked = {one.name for one in codec.envelopes if isinstance(one, framed)}
        self._checked |= {
            one.name for one in codec.envelopes if isinstance(one, MarkedEnvelope) and one.check is not None
        }
        self._filler = codec.filler
        self._filled = 0
        self._decode = codec.decode
        self._closes = codec.closes
        self._rejected: dict[str, int] = {}
        self.idle_gap_ms = self._scanner.idle_gap_ms

    @property
    def pending(self) -> int:
        """Bytes held back; while not 0, `idle` is due after `idle_gap_ms` of quiet."""
        return self._scanner.pending

    @property
    def counters(self) -> dict[str, int]:
        """`frames` delimited, bytes dropped by reason (upper case), and under `body_` + reason in lower case
        the frames that were whole and meant nothing."""
        counters = {**self._scanner.counters, **self._rejected}
        if self._filled:
            counters[Reason.IMPLAUSIBLE] -= self._filled
        return counters

    def feed(self, data: bytes) -> list[DecodedFrame | Junk]:
        """Take the next bytes of the stream; give what they complete, in stream order."""
        results = self._scanner.feed(data)
        return self._told(results) if self._filler else results

    def idle(self) -> list[DecodedFrame | Junk]:
        """The line was quiet for the idle gap: see `Scanner.idle`."""
        results = self._scanner.idle()
        return self._told(results) if self._filler else results

    def finish(self) -> list[DecodedFrame | Junk]:
        """The stream has ended: see `Scanner.finish`."""
        results = self._scanner.finish()
        return self._told(results) if self._filler else results

    def snapshot(self) -> bytes:
        """All that decides the further answers, for `restore` in another decoder of the same codec."""
        return msgspec.msgpack.encode(_Held(self._scanner.snapshot(), self._rejected, self._filled))

    def restore(self, snapshot: bytes) -> None:
        """Go on where the snapshot was taken. Raises ValueError on bytes that are no snapshot."""
        try:
            held = msgspec.msgpack.decode(snapshot, type=_Held)
        except msgspec.MsgspecError as error:
            raise ValueError(f"not a snapshot of a decoder: {error}") from error
        self._scanner.restore(held.scanner)
        self._rejected = dict(held.counters)
        self._filled = held.filled

    def _told(self, results: list[DecodedFrame | Junk]) -> list[DecodedFrame | Junk]:
        """The results with what only fills the space between two frames told from junk."""
        return [self._filling(result) if self._is_filling(result) else result for result in results]

    def _is_filling(self, result: DecodedFrame | Junk) -> bool:
        return (
            isinstance(result, Junk)
            and result.reason is Reason.IMPLAUSIBLE
            and not result.raw.strip(self._filler)
        )

    def _filling(self, blank: DecodedFrame | Junk) -> DecodedFrame:
        self._filled += len(blank.raw)
        return DecodedFrame(blank.raw, (), None)

    def _made(self, envelope_name: str, raw: bytes, body: bytes) -> DecodedFrame | Junk:
        decoded = self._decode(envelope_name, body)
        if isinstance(decoded, Failure):
            name = f"body_{decoded.reason.lower()}"
            self._rejected[name] = self._rejected.get(name, 0) + 1
            return Junk(raw, decoded.reason)
        return DecodedFrame(raw, decoded.messages, decoded.stamp)

    def _is_proof(self, envelope_name: str, body: bytes) -> bool:
        """A checksum that fits is proof. A text has none, and texts nest: one inside a begun text proves
        something only if it is a message by itself."""
        if envelope_name in self._checked:
            return True
        if self._closes is not None:
            return self._closes(body)
        return not isinstance(self._decode(envelope_name, body), Failure)


def result_lines(results: Iterable[DecodedFrame | Junk]) -> list[dict[str, Any]]:
    """One line per result as plain values, in the shape that `decode --json` prints.

    `stamp` stands in a line only where the device sent one. What is left pending is `pending_line`.
    """
    lines: list[dict[str, Any]] = []
    for result in results:
        line: dict[str, Any] = {"type": "frame", "hex": result.raw.hex().upper()}
        if isinstance(result, Junk):
            line["type"] = "junk"
            line["reason"] = result.reason.value
        else:
            line["messages"] = [msgspec.to_builtins(message) for message in result.messages]
            if result.stamp is not None:
                line["stamp"] = msgspec.to_builtins(result.stamp)
        lines.append(line)
    return lines


def pending_line(pending: int) -> dict[str, Any]:
    """The line that says how many bytes of a begun frame are left at the end of a stream."""
    return {"type": "pending", "bytes": pending}
