"""The short way through the records of a buffer says what the layout says, or nothing."""

import random

import pytest

from protocol import feig_records
from protocol.feig_obid import encode_records
from protocol.feig_records import tags_of_records, walked
from protocol.messages import Failure, TagSeen
from protocol.vectors import vectors_of

VICINITY, TYPE_A = "E0040150A05F02B7", "047BCB51962280"


def bodies() -> list[bytes]:
    """Replies to read_buffer: those of the vectors and some with more tags, antennas and fields."""
    records = [("iso15693", VICINITY, 1), ("iso14443a", TYPE_A, 8), ("iso15693", VICINITY, None)]
    frames = [encode_records(records[:count]) for count in range(4)]
    frames += [encode_records(records[:count], with_rssi=40) for count in (1, 2)]
    frames += [encode_records(records[2:])]
    found = [frame[3:-2] for frame in frames]
    for vector in vectors_of("feig_obid"):
        for line in vector.expect:
            raw = bytes.fromhex(line.get("hex", ""))
            body = raw[3:-2] if raw[:1] == b"\x02" else raw[1:-2]
            if body[1:2] == b"\x22" and len(body) > 3:
                found.append(body)
    return found


def spoilt(body: bytes, rng: random.Random) -> bytes:
    data = bytearray(body)
    for _ in range(rng.randrange(3)):
        at = rng.randrange(3, len(data) + 1)
        choice = rng.randrange(4)
        if choice == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif choice == 1:
            del data[max(at, 4) : at + rng.randrange(3)]
        elif choice == 2:
            data[at:at] = rng.randbytes(rng.randrange(8))
        elif at < len(data):
            data[at] = rng.choice((0, 1, 2, 4, 0x10, 0x20, 0x40, 0x80, 0xFF))
    return bytes(data)


def test_the_short_way_is_the_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, known = random.Random(6), bodies()
    cases = [*known, *(spoilt(rng.choice(known), rng) for _ in range(4000))]
    short = [walked(body) for body in cases]
    monkeypatch.setattr(feig_records, "walked", lambda body: None)
    laid_out = [tags_of_records(body) for body in cases]
    assert [two for one, two in zip(short, laid_out, strict=True) if one is not None] == [
        one for one in short if one is not None
    ]
    assert sum(one is not None for one in short) > 700
    # what it leaves to the layout is mostly wrong
    left = [two for one, two in zip(short, laid_out, strict=True) if one is None]
    assert sum(isinstance(each, Failure) for each in left) > len(left) / 2


def test_plain_records_never_need_the_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feig_records, "RECORDS", None)
    body = encode_records([("iso15693", VICINITY, 3), ("iso14443a", TYPE_A, 1)])[3:-2]
    assert tags_of_records(body) == [
        TagSeen(VICINITY, 3, tag_type="iso15693"),
        TagSeen(TYPE_A, 1, tag_type="iso14443a"),
    ]
    body = encode_records([("iso15693", VICINITY, 3)], with_rssi=40)[3:-2]
    assert tags_of_records(body) == [TagSeen(VICINITY, 3, 40, "iso15693")]
