"""Every documented frame among another device's frames and noise, over four transports: it is read as it is
documented, and nothing is read out of the rest."""

import random
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from protocol.codec import CODECS
from protocol.hid_reports import LAYOUTS, typed
from protocol.messages import (
    CardDrawn,
    CardUnread,
    DealerEntry,
    KeyPressed,
    KeyReleased,
    TagGone,
    TagSeen,
    TypedLine,
)
from protocol.vectors import Vector, vectors_of
from shoe_bridge.link.decoder import DecodedFrame, Decoder, result_lines
from shoe_bridge.link.deframer import Junk

KINDS = list(CODECS)
Results = list[DecodedFrame | Junk]
Steps = Iterator[bytes | None]  # bytes that arrive, or None: the line is quiet
NOISE = {
    "all ones": b"\xff" * 280,
    "all zeros": bytes(280),
    "random bytes": random.Random(1).randbytes(280),
    "start bytes": b"\x7e\xf5\x02\x05\xbb\xa0{[<\x00\x00\xff" * 12,
}
# a line is told from what stands before it by a line end only
BEFORE = {"text_line": b"\n"}
# the same text may be a line of one device and a frame of another
SHARED = {"JSON of another device"}


@cache
def alone(kind: str) -> list[Vector]:
    """The documented frames that need no quiet line to be told, one to a stream."""
    return [vector for vector in vectors_of(kind) if not vector.is_negative and _is_alone(kind, vector)]


def _is_alone(kind: str, vector: Vector) -> bool:
    decoder = Decoder(CODECS[kind])
    return len(vector.expect) == 1 == len(decoder.feed(vector.stream)) and not decoder.pending


@cache
def foreign(kind: str) -> list[bytes]:
    """What devices of other kinds send."""
    return [
        vector.stream
        for other in KINDS
        if other != kind
        for vector in vectors_of(other)
        if vector.stream and not vector.is_negative and vector.name not in SHARED
    ]


def whole(before: bytes, frame: bytes, behind: bytes) -> Steps:
    yield before + frame + behind


def one_byte(before: bytes, frame: bytes, behind: bytes) -> Steps:
    stream = before + frame + behind
    yield from (stream[at : at + 1] for at in range(len(stream)))


def lossy(before: bytes, frame: bytes, behind: bytes) -> Steps:
    """Bytes are lost and bits are wrong, before the frame and behind it."""
    rng = random.Random(len(before) + len(behind))
    damaged = []
    for part in (before[:-1], behind):
        hit = bytearray(part)
        for _ in range(len(part) // 20 + 1):
            at = rng.randrange(len(hit))
            hit[at : at + 1] = b"" if rng.random() < 0.5 else bytes([hit[at] ^ 1 << rng.randrange(8)])
        damaged.append(bytes(hit))
    yield damaged[0] + before[-1:] + frame + damaged[1]


def delayed(before: bytes, frame: bytes, behind: bytes) -> Steps:
    for part in (before, frame, behind):
        yield part
        yield None


TRANSPORTS: list[Callable[[bytes, bytes, bytes], Steps]] = [whole, one_byte, lossy, delayed]


def read(kind: str, steps: Steps) -> Results:
    """What is read, until the line has been quiet for as long as anything is held back."""
    decoder = Decoder(CODECS[kind])
    results: Results = []
    for step in steps:
        results += decoder.idle() if step is None else decoder.feed(step)
    while decoder.pending:
        results += decoder.idle()
    return results


def is_told(result: DecodedFrame | Junk) -> bool:
    """Whether it says something of a table. A text without a meaning says nothing."""
    return isinstance(result, DecodedFrame) and any(not isinstance(m, TypedLine) for m in result.messages)


def is_of(vector: Vector, result: DecodedFrame | Junk) -> bool:
    """Whether it is this frame; zeros around it may be its own or its neighbour's."""
    return result.raw.strip(b"\0") == vector.stream.strip(b"\0")


def said(results: Results) -> list[object]:
    return [_as_lists(line.get("messages")) for line in result_lines(results)]


def _as_lists(value: object) -> object:
    if isinstance(value, dict):
        return {key: _as_lists(member) for key, member in value.items()}
    return [_as_lists(member) for member in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("transport", TRANSPORTS, ids=lambda transport: transport.__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_every_documented_frame_is_read_among_another_device_s(
    kind: str, transport: Callable[[bytes, bytes, bytes], Steps]
) -> None:
    rng = random.Random(f"among others {kind} {transport.__name__}")
    assert len(alone(kind)) >= 20
    for vector in alone(kind):
        before = b"".join(rng.choices(foreign(kind), k=3)) + BEFORE.get(kind, b"")
        behind = b"".join(rng.choices(foreign(kind), k=3))
        results = read(kind, transport(before, vector.stream, behind))
        own = [result for result in results if is_of(vector, result)]
        assert said(own) == [_as_lists(vector.expect[0]["messages"])], vector.name
        assert [result for result in results if is_told(result) and result not in own] == [], vector.name


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("kind", KINDS)
def test_every_documented_frame_is_read_among_noise(kind: str, noise: str) -> None:
    for vector in alone(kind):
        if kind == "hid_keyboard" and noise == "all zeros" and not is_of_boot_reports(vector):
            continue  # zeros are releases of any layout: 9 bytes behind them are not told from 8
        before, behind = NOISE[noise] + BEFORE.get(kind, b""), NOISE[noise][:40]
        for transport in (whole, delayed):
            results = read(kind, transport(before, vector.stream, behind))
            own = [result for result in results if is_of(vector, result)]
            assert said(own) == [_as_lists(vector.expect[0]["messages"])], vector.name
            assert [result for result in results if is_told(result) and result not in own] == []


def is_of_boot_reports(vector: Vector) -> bool:
    return typed(LAYOUTS["boot"], vector.stream) is not None


# what these say is proven by a check in each frame
CHECKED = ("tablelink", "feig_obid", "angel_eye", "pn532", "yrm100", "r2000")
OF_THE_TABLE = (TagSeen, TagGone, CardDrawn, CardUnread, KeyPressed, KeyReleased, DealerEntry)


@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_that_breaks_off_tells_of_nothing_and_costs_no_other(kind: str) -> None:
    """At each of its bytes, and then the line is quiet."""
    good = alone(kind)[0]
    for vector in alone(kind):
        for cut in range(1, len(vector.stream)):
            results = read(kind, iter([vector.stream[:cut], *[None] * cut, good.stream]))
            *others, last = [result for result in results if isinstance(result, DecodedFrame)]
            assert is_of(good, last)
            assert said([last]) == [_as_lists(good.expect[0]["messages"])]
            for frame in others:
                wrong = [message for message in frame.messages if isinstance(message, OF_THE_TABLE)]
                assert not wrong or said([frame]) == [_as_lists(vector.expect[0]["messages"])], vector.name


@pytest.mark.parametrize("kind", CHECKED)
def test_a_frame_with_any_one_bit_wrong_tells_of_no_tag_card_or_key(kind: str) -> None:
    """Each bit of each documented frame; and the frame behind it is there. What a tag holds may look like a
    command or its answer, and is no more than that."""
    good = alone(kind)[-1]
    for vector in alone(kind):
        for bit in range(8 * len(vector.stream)):
            hit = bytearray(vector.stream)
            hit[bit // 8] ^= 1 << bit % 8
            results = read(kind, iter([bytes(hit), None, good.stream]))
            *others, last = [result for result in results if isinstance(result, DecodedFrame)]
            assert is_of(good, last)
            for frame in others:
                wrong = [message for message in frame.messages if isinstance(message, OF_THE_TABLE)]
                assert not wrong or said([frame]) == [_as_lists(vector.expect[0]["messages"])], vector.name
