import pytest

from protocol.checksums import CHECKSUMS
from protocol.codec import CODECS
from protocol.envelopes import PEPPER_F5, TABLELINK, FrameEnvelope
from protocol.framing import frame_around

FRAMES = [
    envelope
    for codec in CODECS.values()
    for envelope in codec.envelopes
    if isinstance(envelope, FrameEnvelope)
]


def test_a_pepper_frame_as_the_vendor_sends_it() -> None:
    assert frame_around(PEPPER_F5, b"\x01").hex(" ").upper() == "F5 03 00 FC FF 01 D1 F1"
    assert frame_around(PEPPER_F5, b"\x03\x00").hex(" ").upper() == "F5 04 00 FB FF 03 00 5C 48"


def test_a_tablelink_frame_covers_its_length_with_the_check() -> None:
    frame = frame_around(TABLELINK, b"\x40")
    assert frame[:3] == b"\x7e\x01\x40"
    assert int.from_bytes(frame[3:], "little") == CHECKSUMS["CRC-16/IBM-3740"].compute(b"\x01\x40")


@pytest.mark.parametrize("envelope", FRAMES, ids=lambda envelope: envelope.name)
def test_the_bounds_of_an_envelope_are_its_frames(envelope: FrameEnvelope) -> None:
    around = envelope.body_offset + CHECKSUMS[envelope.check.name].width + len(envelope.end)
    shortest, longest = envelope.shortest - around, envelope.longest - around
    assert len(frame_around(envelope, bytes(shortest))) == envelope.shortest
    assert len(frame_around(envelope, bytes(longest))) == envelope.longest
    for size in (shortest - 1, longest + 1):
        with pytest.raises(ValueError, match="does not fit"):
            frame_around(envelope, bytes(max(size, 0)) if size >= 0 else b"")
