"""Checksums of a frame whose content was changed, computed anew by the rule of its envelope."""

from protocol.checksums import CHECKSUMS, crc16_genibus
from protocol.envelopes import Envelope, FormsEnvelope, FrameEnvelope, MarkedEnvelope

# BB | type | command | length u16 | RSSI | PC u16, EPC | CRC-16 of PC and EPC | sum | 7E
_YRM_NOTICE = b"\xbb\x02\x22"
_YRM_PC_AT, _YRM_BEHIND_EPC = 6, 4


def resealed(envelopes: tuple[Envelope, ...], old: bytes, new: bytes) -> bytes:
    """`new`, which is the sound frame `old` with other content, with the checksums that fit it."""
    if old.startswith(_YRM_NOTICE):
        new = _with_tag_check(old, new)
    for envelope in envelopes:
        if _sealed(envelope, old) == old:
            return _sealed(envelope, new) or new
    return new


def behind_body(envelopes: tuple[Envelope, ...], frame: bytes) -> tuple[int, int]:
    """Where the body of a sound frame begins, and how many bytes stand behind it."""
    for envelope in envelopes:
        form = _form(envelope, frame)
        if form is not None and _sealed(envelope, frame) == frame:
            return form.body_offset, CHECKSUMS[form.check.name].width + len(form.end)
        if isinstance(envelope, MarkedEnvelope) and frame.startswith(envelope.start):
            return len(envelope.start), envelope.behind_body
    return 0, 0


def _form(envelope: Envelope, frame: bytes) -> FrameEnvelope | None:
    if isinstance(envelope, FormsEnvelope):
        return next((form for form in envelope.marked if frame.startswith(form.start)), envelope.plain)
    return envelope if isinstance(envelope, FrameEnvelope) else None


def _sealed(envelope: Envelope, frame: bytes) -> bytes | None:
    """The frame with the checksum of that envelope; None where the envelope has none or it cannot be."""
    form = _form(envelope, frame)
    if form is not None:
        if not frame.startswith(form.start) or len(frame) < form.shortest:
            return None
        checksum = CHECKSUMS[form.check.name]
        at = len(frame) - len(form.end) - checksum.width
        value = checksum.compute(frame[form.check.first : at])
        return frame[:at] + value.to_bytes(checksum.width, form.check.order) + form.end
    if isinstance(envelope, MarkedEnvelope) and envelope.check is not None:
        if not frame.startswith(envelope.start) or len(frame) < envelope.shortest:
            return None
        value = CHECKSUMS[envelope.check].compute(frame[envelope.check_first : -2])
        return frame[:-2] + b"%02X" % value
    return None


def _with_tag_check(old: bytes, new: bytes) -> bytes:
    """The tag's own checksum would tell which tag it was; a wrong one stays a wrong one."""
    parts = slice(_YRM_PC_AT, -_YRM_BEHIND_EPC)
    sent = int.from_bytes(old[-_YRM_BEHIND_EPC:-2], "big")
    value = crc16_genibus(new[parts]) ^ (0 if sent == crc16_genibus(old[parts]) else 0xFFFF)
    return new[:-_YRM_BEHIND_EPC] + value.to_bytes(2, "big") + new[-2:]
