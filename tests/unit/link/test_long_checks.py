"""The quick answer for long stretches is the one that goes through them."""

import random

import pytest

from protocol.checksums import CHECKSUMS
from protocol.codec import CODECS
from protocol.envelopes import FEIG_ADVANCED
from protocol.framing import frame_around
from shoe_bridge.link.deframer import Deframer, Frame
from shoe_bridge.link.long_checks import LONG, LongChecks

CRC = CHECKSUMS["CRC-16/MCRF4XX"]


def checks() -> LongChecks:
    assert CRC.mirror is not None
    return LongChecks(CRC.mirror)


@pytest.mark.parametrize("size", [LONG, LONG + 1, 4095, 4096, 4097, 8190])
def test_a_stretch_with_its_check_is_whole_wherever_it_stands_and_no_other_is(size: int) -> None:
    rng, asked = random.Random(size), checks()
    covered = rng.randbytes(size)
    sent = CRC.compute(covered).to_bytes(2, "little")
    for before in (0, 1, 255, 256, 257, 1000):
        data = rng.randbytes(before) + covered + sent + rng.randbytes(300)
        end = before + size + 2
        assert asked.is_whole(data, before, end)
        for start, stop in ((before + 1, end), (before, end - 1), (before, end + 1), (before + 256, end)):
            assert not asked.is_whole(data, start, stop)
        hit = bytearray(data)
        hit[before + rng.randrange(size)] ^= 1 << rng.randrange(8)
        assert not asked.is_whole(bytes(hit), before, end)


def test_it_is_asked_of_one_stream_after_another() -> None:
    rng, asked = random.Random(2), checks()
    for _ in range(20):
        data = rng.randbytes(rng.randrange(2000, 9000))
        data += CRC.compute(data).to_bytes(2, "little")
        assert asked.is_whole(data, 0, len(data))
        assert not asked.is_whole(data, 0, len(data) - 1)


def test_the_longest_frame_is_found_behind_many_false_starts_of_its_length() -> None:
    frame = frame_around(FEIG_ADVANCED, random.Random(3).randbytes(FEIG_ADVANCED.longest - 5))
    false_starts = b"\x02\x1f\xff" * 200
    deframer = Deframer(CODECS["feig_obid"].envelopes)
    results = deframer.feed(false_starts + frame + bytes(9000))
    assert [result.raw for result in results if isinstance(result, Frame)] == [frame]
