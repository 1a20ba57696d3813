"""Frames that close with fixed bytes or come in several forms: each edge of each length field."""

import pytest

from protocol.envelopes import (
    PN532,
    PN532_ACK,
    PN532_EXTENDED,
    PN532_NACK,
    PN532_NORMAL,
    R2000,
    YRM100,
    Envelope,
    FrameEnvelope,
)
from protocol.framing import frame_around
from protocol.messages import Reason
from shoe_bridge.link.deframer import Deframer, Frame, Junk
from shoe_bridge.link.frame_starts import start_of

# the envelope that a stream is read with, and the form of its frames
FORMS: list[tuple[Envelope, FrameEnvelope]] = [
    (PN532, PN532_NORMAL),
    (PN532, PN532_EXTENDED),
    (YRM100, YRM100),
    (R2000, R2000),
]
IDS = ["pn532", "pn532 extended", "yrm100", "r2000"]


def body_of(form: FrameEnvelope, size: int) -> bytes:
    around = len(frame_around(form, bytes(8))) - 8
    return b"\x01" * (size - around)


def results_of(envelope: Envelope, stream: bytes) -> list[Frame | Junk]:
    return Deframer([envelope]).feed(stream)


@pytest.mark.parametrize(("envelope", "form"), FORMS, ids=IDS)
def test_the_shortest_and_the_longest_frame_are_taken_whole(envelope: Envelope, form: FrameEnvelope) -> None:
    for size in (form.shortest, form.longest):
        raw = frame_around(form, body_of(form, size))
        (frame,) = results_of(envelope, raw)
        assert isinstance(frame, Frame)
        assert (len(raw), frame.raw) == (size, raw)
        inner = raw if envelope is PN532 else raw[form.body_offset : size - 1 - len(form.end)]
        assert frame.body == inner


@pytest.mark.parametrize(("envelope", "form"), FORMS, ids=IDS)
def test_a_frame_waits_at_every_byte_and_never_longer_than_it_must(
    envelope: Envelope, form: FrameEnvelope
) -> None:
    raw = frame_around(form, body_of(form, form.shortest + 3))
    ask = start_of(envelope).ask
    for have in range(1, len(raw)):
        answer = ask(raw[:have], 0, have)
        assert isinstance(answer, int)
        assert have < -answer <= len(raw)
    assert ask(raw, 0, len(raw)) == len(raw)
    assert ask(b"\x55" + raw, 1, 1 + len(raw)) == 1 + len(raw)


def with_length(form: FrameEnvelope, raw: bytes, length: int) -> bytes:
    """The frame with another length, which its balance agrees to."""
    rule = form.length
    changed = bytearray(raw)
    field = length.to_bytes(rule.size, rule.order)
    changed[rule.offset : rule.offset + rule.size] = field
    if rule.balance_offset is not None:
        changed[rule.balance_offset] = -sum(field) & 0xFF
    return bytes(changed)


@pytest.mark.parametrize(("envelope", "form"), FORMS, ids=IDS)
def test_a_length_below_the_shortest_and_above_the_longest_is_refused_at_once(
    envelope: Envelope, form: FrameEnvelope
) -> None:
    raw = frame_around(form, body_of(form, form.shortest + 8))
    ask, bias = start_of(envelope).ask, form.length.bias
    assert ask(with_length(form, raw, form.shortest - bias), 0, len(raw)) is not Reason.TOO_LONG
    if form.shortest > bias and form is not PN532_NORMAL:
        # (a normal frame of length 0 is the ACK)
        below = with_length(form, raw, form.shortest - bias - 1)
        assert ask(below, 0, len(raw)) is Reason.BAD_LENGTH
    most = (1 << 8 * form.length.size) - 1
    if most + bias > form.longest:
        above = with_length(form, raw, form.longest - bias + 1)
        assert ask(above, 0, len(raw)) is Reason.TOO_LONG
    waits = ask(with_length(form, raw, form.longest - bias), 0, len(raw))
    assert waits == -form.longest


@pytest.mark.parametrize(("envelope", "form"), FORMS[:3], ids=IDS[:3])
def test_a_frame_must_close_with_its_last_byte(envelope: Envelope, form: FrameEnvelope) -> None:
    raw = frame_around(form, body_of(form, form.shortest + 3))
    assert start_of(envelope).ask(raw[:-1] + b"\x33", 0, len(raw)) is Reason.BAD_LENGTH


@pytest.mark.parametrize("form", [PN532_NORMAL, PN532_EXTENDED])
def test_a_length_that_its_balance_contradicts_is_refused_before_the_rest_is_there(
    form: FrameEnvelope,
) -> None:
    raw = bytearray(frame_around(form, bytes(20)))
    assert form.length.balance_offset is not None
    raw[form.length.balance_offset] ^= 0x10
    header = form.length.balance_offset + 1
    assert start_of(PN532).ask(bytes(raw[:header]), 0, header) is Reason.BAD_LENGTH


@pytest.mark.parametrize("raw", [PN532_ACK, PN532_NACK])
def test_a_fixed_frame_is_taken_with_and_without_its_first_zero(raw: bytes) -> None:
    assert results_of(PN532, raw) == [Frame("pn532", raw, raw)]
    assert results_of(PN532, raw[1:]) == [Frame("pn532", raw[1:], raw[1:])]
    assert results_of(PN532, b"\x00" + raw) == [Junk(b"\x00", Reason.IMPLAUSIBLE), Frame("pn532", raw, raw)]


def test_frames_that_share_their_zeros_are_both_there() -> None:
    reply = frame_around(PN532_NORMAL, b"\xd5\x4b\x00")
    # 00 closes the first, and begins the second where the second has lost its own
    stream = reply + reply[1:] + PN532_ACK[1:] + reply
    assert [result.raw for result in results_of(PN532, stream)] == [
        reply,
        reply[1:],
        PN532_ACK[1:],
        reply,
    ]


def test_an_end_byte_inside_a_frame_ends_nothing() -> None:
    raw = frame_around(YRM100, b"\x02\x22\x00\x00" + b"\x7e\xbb" * 8)
    assert results_of(YRM100, raw + raw) == [Frame("yrm100", raw, raw[1:-2])] * 2


def test_a_length_field_within_the_body_is_filled_in() -> None:
    assert frame_around(YRM100, b"\x00\x22\x00\x00").hex().upper() == "BB00220000227E"
    assert frame_around(YRM100, b"\x00\x22\xff\xff").hex().upper() == "BB00220000227E"
