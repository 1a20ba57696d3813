"""From a body to the whole frame on the wire. The other direction is the deframer's."""

from protocol.checksums import CHECKSUMS
from protocol.envelopes import FrameEnvelope, MarkedEnvelope


def frame_around(envelope: FrameEnvelope, body: bytes) -> bytes:
    """The frame of `envelope` that carries `body`. Raises ValueError when the body does not fit in one."""
    checksum = CHECKSUMS[envelope.check.name]
    rule = envelope.length
    size = envelope.body_offset + len(body) + checksum.width + len(envelope.end)
    if not envelope.shortest <= size <= envelope.longest:
        raise ValueError(f"a body of {len(body)} bytes does not fit a {envelope.name} frame")
    frame = bytearray(envelope.body_offset)
    frame[: len(envelope.start)] = envelope.start
    frame += body
    length = (size - rule.bias).to_bytes(rule.size, rule.order)
    frame[rule.offset : rule.offset + rule.size] = length
    if rule.complement_offset is not None:
        frame[rule.complement_offset : rule.complement_offset + rule.size] = bytes(b ^ 0xFF for b in length)
    if rule.balance_offset is not None:
        frame[rule.balance_offset] = -sum(length) & 0xFF
    check = checksum.compute(bytes(frame[envelope.check.first :]))
    return bytes(frame) + check.to_bytes(checksum.width, envelope.check.order) + envelope.end


def frame_of_text(envelope: MarkedEnvelope, body: bytes) -> bytes:
    """The frame of `envelope` that carries `body`, with all marks but the outer ones in it. Raises ValueError
    when the body does not fit in one."""
    if not envelope.shortest <= len(envelope.start) + len(body) + envelope.behind_body <= envelope.longest:
        raise ValueError(f"a body of {len(body)} bytes does not fit a {envelope.name} frame")
    frame = envelope.start + body + envelope.marks[-1]
    if envelope.check is None:
        return frame
    return frame + b"%02X" % CHECKSUMS[envelope.check].compute(frame[envelope.check_first :])
