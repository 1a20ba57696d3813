"""Deframer and codec never raise, on any input: 40,000 cases per device from fixed seeds."""

import random

import pytest

from protocol.checksums import CHECKSUMS, crc16_ibm_3740
from protocol.codec import CODECS, Codec
from protocol.envelopes import (
    Envelope,
    FormsEnvelope,
    FrameEnvelope,
    LineEnvelope,
    MarkedEnvelope,
    ReportsEnvelope,
    first_bytes,
)
from protocol.framing import frame_around, frame_of_text
from protocol.hid_keyboard import encode_text
from protocol.json_text import JsonWalk
from protocol.messages import Decoded, Failure, Message, Reason
from protocol.vectors import vectors_of
from shoe_bridge.link.decoder import DecodedFrame, Decoder, result_lines
from shoe_bridge.link.deframer import Junk
from shoe_bridge.link.frame_starts import FrameStart, start_of

BODY_CASES = 30_000
STREAM_CASES = 10_000
SPICE = [b"\x7e", b"\xf5", b"{", b"}", b'"', b"\\", b'{"type":"uid","uid":"', b"\x00", b"\xff", b"[", b":"]
SPICE += [b"\x00\x00\xff", b"\x00\x00\xff\xff\xff", b"\xd5K", b"\xbb", b"\xbb\x02\x22", b"\xa0", b"\x01\x89"]
SPICE += [b"\x11\x00\xb0\x00\x01\x03", b"\x02\x00\x0f", b"\x06\x00\xb0\x01"]
SPICE += [b"\r", b"\n", b"[UID: ", b"88 ", b"-", b"Card UID: ", bytes(8), b"\0\0\x28\0\0\0\0\0"]
SPICE += [b"\x05", b"\x02", b"\x03", b"[Game]<", b"<", b">", b"Card:"]


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


def form_around(envelope: FormsEnvelope, packet: bytes) -> bytes:
    """The body of a sound frame around `packet`: a random one would seldom get past its own checks."""
    packet = packet[:255] or b"\0"
    return frame_around(envelope.plain, packet)


def bodies(rng: random.Random, kind: str, codec: Codec) -> list[tuple[str, bytes]]:
    """One random body per envelope: noise, or a documented body with a byte changed, cut or added."""
    picked = []
    for envelope in codec.envelopes:
        body = rng.randbytes(rng.randrange(40))
        if rng.random() < 0.7:
            stream = rng.choice(seeds[kind])
            if isinstance(envelope, FormsEnvelope):
                picked.append((envelope.name, form_around(envelope, mutated(rng, stream[5:-2]))))
                continue
            if isinstance(envelope, FrameEnvelope):
                behind_body = CHECKSUMS[envelope.check.name].width + len(envelope.end)
                stream = stream[envelope.body_offset : -behind_body]
            elif isinstance(envelope, MarkedEnvelope) and stream.startswith(envelope.start):
                stream = stream[len(envelope.start) : -envelope.behind_body]
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
    for _ in range(1000):
        body = rng.randbytes(rng.randrange(1, 32))
        if isinstance(envelope, MarkedEnvelope):
            inner = b"".join(envelope.marks[1:-1])
            text = bytes(envelope.text[byte % len(envelope.text)] for byte in body)
            frame = frame_of_text(envelope, b"xy" + inner + text)
        elif isinstance(envelope, LineEnvelope):
            frame = body.translate(None, b"\r\n") + rng.choice((b"\n", b"\r\n"))
        elif isinstance(envelope, ReportsEnvelope):
            layout = rng.choice(envelope.layouts[:2])  # short reports may wait to be told from longer ones
            frame = encode_text("".join(chr(0x20 + byte % 0x5F) for byte in body), layout)
        elif isinstance(envelope, FormsEnvelope):
            frame = frame_around(rng.choice((envelope.plain, *envelope.marked)), body)
        else:
            assert isinstance(envelope, FrameEnvelope)
            frame = frame_around(envelope, body.ljust(4, b"\0"))
        results = Decoder(CODECS[kind]).feed(frame)
        assert [result.raw for result in results] == [frame]
        assert result_lines(results)[0]["type"] in ("frame", "junk")


# bytes that keep beginning frames and never finish one: 256 KiB where they are made for the device, else less
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
    "marks": b"\x05",
    "begun reports": b"\x051D\x81",
    "reports without a check": b"\x051D\x81\x82\x03",
    "open brackets": b"[",
    "begun records": b"[Game]<Card:",
    "endless records": b"[Game]<" + b"x" * 200,
    "zeros": b"\x00",
    "begun starts": b"\x00\x00\xff",
    "packets that wait": b"\x00\x00\xff\xff\x01\xd5",
    "extended packets that wait": b"\x00\x00\xff\xff\xff\x01\x09\xf6",
    "notices that wait": b"\xbb\x02\x22\x01\x00",
    "notices that never end": b"\xbb\x02\x22\x00\x00\x24",
    "tags that wait": b"\xa0\xff",
    "short tags": b"\xa0\x03",
    "standard frames that wait": b"\xff",
    "advanced frames that wait": b"\x02\x1f\xff",
    "replies without a check": b"\x11\x00\xb0\x00\x01\x03",
    "typed without end": b"\0\0\x1e\0\0\0\0\0" + bytes(8),
    "short reports without end": b"\x01\0\x1e\x01\0\x1f",
    "carriage returns": b"\r",
    "mixed": b'\xf5\x0f\x08\xf0\xf7{"a":"\xf5',
}


# where nearly every byte may begin a frame
MADE_FOR = {
    "feig_obid": {
        *("longest waits", "start bytes", "standard frames that wait", "advanced frames that wait"),
        *("replies without a check", "zeros", "tags that wait"),
    },
    "text_line": {"carriage returns", "endless records", "zeros", "mixed"},
    "hid_keyboard": {"typed without end", "short reports without end", "zeros", "notices that never end"},
}


def is_made_for(kind: str, name: str) -> bool:
    if kind in MADE_FOR:
        return name in MADE_FOR[kind]
    return any(ALMOST[name][0] in first_bytes(envelope) for envelope in CODECS[kind].envelopes)


@pytest.mark.parametrize("whole", [True, False], ids=["one chunk", "one-byte chunks"])
@pytest.mark.parametrize("name", ALMOST)
@pytest.mark.parametrize("kind", CODECS)
def test_almost_frames_cost_a_bounded_number_of_checks_per_byte(
    kind: str, name: str, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = (18, 14) if is_made_for(kind, name) else (15, 12)
    size = 1 << sizes[0 if whole else 1]
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

        return start._replace(ask=ask)

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
