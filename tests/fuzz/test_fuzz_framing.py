"""Deframer and codec never raise, on any input: 40,000 cases per device from fixed seeds."""

import random

import pytest

from protocol.checksums import crc16_ibm_3740
from protocol.codec import CODECS, Codec
from protocol.envelopes import Envelope, FrameEnvelope
from protocol.framing import frame_around
from protocol.json_text import JsonWalk
from protocol.messages import Decoded, Failure, Message, Reason
from protocol.vectors import vectors_of
from shoe_bridge.link.decoder import DecodedFrame, Decoder, result_lines
from shoe_bridge.link.deframer import Junk
from shoe_bridge.link.frame_starts import FrameStart, start_of

BODY_CASES = 30_000
STREAM_CASES = 10_000
SPICE = [b"\x7e", b"\xf5", b"{", b"}", b'"', b"\\", b'{"type":"uid","uid":"', b"\x00", b"\xff", b"[", b":"]


def seeds_of(kind: str) -> list[bytes]:
    return [vector.stream for vector in vectors_of(kind)]


def mutated(rng: random.Random, stream: bytes) -> bytes:
    data = bytearray(stream)
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(data) + 1)
        choice = rng.randrange(5)
        if choice == 0 and data:
            data[at % len(data)] ^= 1 << rng.randrange(8)
        elif choice == 1:
            del data[at : at + rng.randrange(1, 5)]
        elif choice == 2:
            data[at:at] = rng.choice(SPICE)
        elif choice == 3:
            data[at:at] = rng.randbytes(rng.randrange(1, 12))
        else:
            data += data[:at]
    return bytes(data)


def bodies(rng: random.Random, kind: str, codec: Codec) -> list[tuple[str, bytes]]:
    """One random body per envelope: noise, or a documented body with a byte changed, cut or added."""
    picked = []
    for envelope in codec.envelopes:
        body = rng.randbytes(rng.randrange(40))
        if rng.random() < 0.7:
            stream = rng.choice(seeds[kind])
            if isinstance(envelope, FrameEnvelope):
                stream = stream[envelope.body_offset : -2]
            body = mutated(rng, stream)
        picked.append((envelope.name, body))
    return picked


seeds = {kind: seeds_of(kind) for kind in CODECS}


@pytest.mark.parametrize("kind", CODECS)
def test_any_body_is_a_message_or_a_failure(kind: str) -> None:
    rng = random.Random(f"bodies {kind}")
    codec = CODECS[kind]
    decoded_count = 0
    for _ in range(BODY_CASES // len(codec.envelopes)):
        for name, body in bodies(rng, kind, codec):
            result = codec.decode(name, body)
            if isinstance(result, Decoded):
                decoded_count += 1
                assert all(isinstance(message, Message) for message in result.messages)
            else:
                assert isinstance(result, Failure)
                assert result.reason in Reason
    assert decoded_count > 1000


@pytest.mark.parametrize("kind", CODECS)
def test_any_stream_is_frames_and_junk_with_every_byte_in_one_of_them(kind: str) -> None:
    rng = random.Random(f"streams {kind}")
    for _ in range(STREAM_CASES):
        stream = b"".join(mutated(rng, rng.choice(seeds[kind])) for _ in range(rng.randrange(1, 4)))
        decoder = Decoder(CODECS[kind])
        cut = rng.randrange(len(stream) + 1)
        results = decoder.feed(stream[:cut])
        if rng.random() < 0.2:
            results += decoder.idle()
        results += decoder.feed(stream[cut:])
        results += decoder.finish()
        spoken = b"".join(result.raw for result in results)
        assert stream.startswith(spoken)
        assert len(spoken) + decoder.pending == len(stream)


@pytest.mark.parametrize("kind", CODECS)
def test_whole_frames_around_random_bodies_are_never_dropped_by_the_deframer(kind: str) -> None:
    rng = random.Random(f"frames {kind}")
    envelope = CODECS[kind].envelopes[0]
    assert isinstance(envelope, FrameEnvelope)
    for _ in range(1000):
        frame = frame_around(envelope, rng.randbytes(rng.randrange(1, 32)))
        results = Decoder(CODECS[kind]).feed(frame)
        assert [result.raw for result in results] == [frame]
        assert result_lines(results)[0]["type"] in ("frame", "junk")


# 256 KiB of bytes that keep beginning frames and never finish one
ALMOST = {
    "start bytes": b"\x7e",
    "longest waits": b"\x7e\x20",
    "short waits": b"\x7e\x05\x7e",
    "pepper starts": b"\xf5",
    "pepper longest": b"\xf5\x0f\x08\xf0\xf7",
    "braces": b"{",
    "texts": b'{"a":[',
    "flat text": b'{"a":1,',
    "text members": b'{"b":{},"c":',
    "open strings": b'{"',
    "strings in strings": b'{"{":"',
    "deep, then flat": b'{"a":' * 7 + b'{"b":1' + b',"c":1' * 700,
    "mixed": b'\xf5\x0f\x08\xf0\xf7{"a":"\xf5',
}


@pytest.mark.parametrize("whole", [True, False], ids=["one chunk", "one-byte chunks"])
@pytest.mark.parametrize("name", ALMOST)
@pytest.mark.parametrize("kind", CODECS)
def test_almost_frames_cost_a_bounded_number_of_checks_per_byte(
    kind: str, name: str, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = 1 << (18 if whole else 14)
    stream = (ALMOST[name] * (size // len(ALMOST[name]) + 1))[:size]
    asked = walked = 0

    class CountingWalk(JsonWalk):
        def walk(self, data: bytes, start: int, stop: int) -> int:
            nonlocal walked
            before = self.walked
            end = super().walk(data, start, stop)
            walked += max(self.walked - before, 0)
            return end

    def counting_start(envelope: Envelope) -> FrameStart:
        start = start_of(envelope)

        def ask(data: bytes, at: int, stop: int) -> int | Reason:
            nonlocal asked
            asked += 1
            return start.ask(data, at, stop)

        return FrameStart(start.name, ask, start.body_from, start.body_until, start.forget)

    monkeypatch.setattr("shoe_bridge.link.deframer.start_of", counting_start)
    monkeypatch.setattr("shoe_bridge.link.frame_starts.JsonWalk", CountingWalk)
    decoder = Decoder(CODECS[kind])
    longest = max(envelope.longest for envelope in CODECS[kind].envelopes)
    results: list[DecodedFrame | Junk] = []
    for start in range(0, size, size if whole else 1):
        results += decoder.feed(stream[start : start + (size if whole else 1)])
        assert decoder.pending < 2 * longest
    assert asked <= 2 * size
    assert walked <= 8 * size  # a text may stand in seven others, each of which is too long in the end
    results += decoder.finish()
    assert sum(len(result.raw) for result in results) + decoder.pending == size
    assert crc16_ibm_3740(b"".join(result.raw for result in results)) == crc16_ibm_3740(
        stream[: size - decoder.pending]
    )
