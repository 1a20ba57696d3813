"""From a body to the whole frame on the wire. The other direction is the deframer's."""

from protocol.checksums import CHECKSUMS
from protocol.envelopes import FrameEnvelope


def frame_around(envelope: FrameEnvelope, body: bytes) -> bytes:
    """The frame of `envelope` that carries `body`. Raises ValueError when the body does not fit in one."""
    checksum = CHECKSUMS[envelope.check.name]
    rule = envelope.length
    size = envelope.body_offset + len(body) + checksum.width
    if not envelope.shortest <= size <= envelope.longest:
        raise ValueError(f"a body of {len(body)} bytes does not fit a {envelope.name} frame")
    frame = bytearray(envelope.body_offset)
    frame[: len(envelope.start)] = envelope.start
    length = (size - rule.bias).to_bytes(rule.size, rule.order)
    frame[rule.offset : rule.offset + rule.size] = length
    if rule.complement_offset is not None:
        frame[rule.complement_offset : rule.complement_offset + rule.size] = bytes(b ^ 0xFF for b in length)
    frame += body
    return bytes(frame) + checksum.compute(bytes(frame[envelope.check.first :])).to_bytes(
        checksum.width, envelope.check.order
    )
