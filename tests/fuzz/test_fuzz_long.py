"""Ten million bytes through each decoder, from fixed seeds: nothing raises, no byte is lost, little is held.

A run that is led by what it covers, for as long as one likes, is in `coverage_guided.py`.
"""

import random

import pytest

from protocol import hid_keys
from protocol.codec import CODECS
from protocol.vectors import vectors_of
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.link.line_codecs import keypad_codec

ALL = {**CODECS, hid_keys.NAME: keypad_codec("boot")}
BYTES = 10_000_000
BLOCK = 250_000
SPOILT_ONE_IN = 80  # bytes
CUTS = (1, 17, 64, 4096, BLOCK)


def blocks(kind: str, size: int, rng: random.Random) -> list[bytes]:
    """Documented streams in any order with wrong bits in them, and now and then noise, block by block."""
    seeds = [vector.stream for vector in vectors_of(kind) if vector.stream]
    mean = sum(map(len, seeds)) // len(seeds) + 1
    found = []
    for _ in range(size // BLOCK):
        seeds.append(rng.randbytes(rng.randrange(1, 40)))
        block = bytearray(b"".join(rng.choices(seeds, k=2 * BLOCK // mean))[:BLOCK].ljust(BLOCK, b"\0"))
        for _ in range(BLOCK // SPOILT_ONE_IN):
            block[rng.randrange(BLOCK)] ^= 1 << rng.randrange(8)
        found.append(bytes(block))
    return found


@pytest.mark.parametrize("kind", ALL)
def test_a_long_stream(kind: str) -> None:
    rng = random.Random(f"ten million {kind}")
    decoder = Decoder(ALL[kind])
    most = 2 * max(envelope.longest for envelope in ALL[kind].envelopes)
    spoken = frames = 0
    for index, block in enumerate(blocks(kind, BYTES, rng)):
        size = CUTS[index % len(CUTS)]
        # single bytes are the slow way: a part of the block shows what there is to see
        slow = 20_000 if size == 1 else 0
        pieces = [block[at : at + 1] for at in range(slow)]
        pieces += [block[at : at + max(size, 17)] for at in range(slow, BLOCK, max(size, 17))]
        for piece in pieces:
            for result in decoder.feed(piece):
                spoken += len(result.raw)
                frames += isinstance(result, DecodedFrame)
            assert decoder.pending < most
    assert spoken + decoder.pending == BYTES
    assert frames > 10_000
