"""The parser in a simulated device's firmware: takes the host's bytes apart into bodies.

It is written for a device, which hears one well-behaved host on a short cable: a byte that begins no frame is
dropped, and so is the first byte of a frame whose check fails.
"""

from collections.abc import Iterator

from protocol.checksums import CHECKSUMS
from protocol.envelopes import FrameEnvelope


class HostFrames:
    """Binary frames of one envelope. `dropped` counts the bytes that belonged to no frame."""

    def __init__(self, envelope: FrameEnvelope) -> None:
        self._envelope = envelope
        self._check = CHECKSUMS[envelope.check.name].compute
        self._behind_body = CHECKSUMS[envelope.check.name].width + len(envelope.end)
        self._held = bytearray()
        self.dropped = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Give the bodies that are complete with `data`."""
        held, envelope = self._held, self._envelope
        held += data
        while held:
            size = self._frame_size()
            if size is None:
                return
            if size == 0:
                del held[0]
                self.dropped += 1
                continue
            if len(held) < size:
                return
            frame = bytes(held[:size])
            if not self._is_sound(frame):
                del held[0]
                self.dropped += 1
                continue
            del held[:size]
            yield frame[envelope.body_offset : size - self._behind_body]

    def _frame_size(self) -> int | None:
        """Bytes of the frame that the held bytes begin: None while unknown, 0 when they begin none."""
        held, rule = self._held, self._envelope.length
        if not self._envelope.start.startswith(bytes(held[: len(self._envelope.start)])):
            return 0
        fields = [rule.offset] if rule.complement_offset is None else [rule.offset, rule.complement_offset]
        if len(held) < max(fields) + rule.size:
            return None
        length, *inverted = (int.from_bytes(held[at : at + rule.size], rule.order) for at in fields)
        if inverted and length ^ inverted[0] != (1 << 8 * rule.size) - 1:
            return 0
        if rule.balance_offset is not None:
            if len(held) <= rule.balance_offset:
                return None
            if sum(held[rule.offset : rule.offset + rule.size], held[rule.balance_offset]) & 0xFF:
                return 0
        size = length + rule.bias
        return size if self._envelope.shortest <= size <= self._envelope.longest else 0

    def _is_sound(self, frame: bytes) -> bool:
        check, end = self._envelope.check, self._envelope.end
        check_at, end_at = len(frame) - self._behind_body, len(frame) - len(end)
        sent = int.from_bytes(frame[check_at:end_at], check.order)
        return frame[end_at:] == end and self._check(frame[check.first : check_at]) == sent

    def clear(self) -> None:
        """The device restarted or the line broke: what was begun is forgotten."""
        self._held.clear()
