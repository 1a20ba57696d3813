"""Frames that go from mark to mark: where they end, what ends an attempt, what fills the space between."""

import pytest

from protocol.codec import CODECS
from protocol.envelopes import ANGEL_EYE_REPORT, BEE_TEK_BARE, BEE_TEK_IN_MODE, MarkedEnvelope
from protocol.framing import frame_of_text
from protocol.messages import Reason
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.link.deframer import Deframer, Frame, Junk

ENVELOPES = [ANGEL_EYE_REPORT, BEE_TEK_IN_MODE, BEE_TEK_BARE]
CARD = bytes.fromhex("05314481B8033446")
RECORD = b"[Game]<Card:4S>"


def body_of(envelope: MarkedEnvelope, size: int) -> bytes:
    """A body so long that the frame is `size` bytes."""
    inner = b"".join(envelope.marks[1:-1])
    return inner + b"x" * (size - len(envelope.start) - envelope.behind_body - len(inner))


@pytest.mark.parametrize("envelope", ENVELOPES, ids=lambda envelope: envelope.name)
def test_the_shortest_and_the_longest_are_taken_and_no_other(envelope: MarkedEnvelope) -> None:
    for size in (envelope.shortest, envelope.longest):
        raw = frame_of_text(envelope, body_of(envelope, size))
        assert len(raw) == size
        (frame,) = Deframer([envelope]).feed(raw)
        assert frame == Frame(envelope.name, raw, body_of(envelope, size))
    with pytest.raises(ValueError, match="does not fit"):
        frame_of_text(envelope, body_of(envelope, envelope.longest + 1))


@pytest.mark.parametrize("envelope", ENVELOPES, ids=lambda envelope: envelope.name)
def test_one_byte_more_than_the_longest_is_too_long(envelope: MarkedEnvelope) -> None:
    inner = b"".join(envelope.marks[1:-1])
    text = b"x" * (envelope.longest - len(envelope.start + inner))
    deframer = Deframer([envelope])
    assert deframer.feed(envelope.start + inner + text[:-1]) == []
    assert deframer.pending == envelope.longest - 1
    results = deframer.feed(b"x") + deframer.finish()
    assert {result.reason for result in results if isinstance(result, Junk)} == {Reason.TOO_LONG}
    assert sum(len(result.raw) for result in results) == envelope.longest


def test_less_than_the_shortest_is_no_frame() -> None:
    for raw in (b"\x05\x0330", b"\x051\x0332"):
        results = Deframer([ANGEL_EYE_REPORT]).feed(raw + CARD)
        assert results[:-1] == [Junk(raw, Reason.BAD_LENGTH)]
        assert isinstance(results[-1], Frame)


def test_every_byte_waits_for_the_next_and_then_the_frame_is_there() -> None:
    for raw, envelopes in ((CARD, [ANGEL_EYE_REPORT]), (RECORD, [BEE_TEK_IN_MODE, BEE_TEK_BARE])):
        deframer = Deframer(envelopes)
        for index in range(len(raw) - 1):
            assert deframer.feed(raw[index : index + 1]) == []
            assert deframer.pending == index + 1
        assert [type(result) for result in deframer.feed(raw[-1:])] == [Frame]


def test_a_report_that_breaks_off_costs_no_other() -> None:
    for cut in range(1, len(CARD)):
        results = Deframer([ANGEL_EYE_REPORT]).feed(CARD[:cut] + CARD)
        assert [result.raw for result in results if isinstance(result, Frame)] == [CARD]
        assert b"".join(result.raw for result in results) == CARD[:cut] + CARD


def test_a_record_that_breaks_off_costs_no_other() -> None:
    for cut in range(1, len(RECORD)):
        results = Deframer([BEE_TEK_IN_MODE, BEE_TEK_BARE]).feed(RECORD[:cut] + RECORD)
        assert [result.raw for result in results if isinstance(result, Frame)] == [RECORD]


def test_a_byte_that_no_text_holds_ends_the_attempt_at_once() -> None:
    for byte in (0x00, 0x0A, 0x1F, 0x7F):
        deframer = Deframer([ANGEL_EYE_REPORT])
        deframer.feed(b"\x051D" + bytes([byte]))
        deframer.idle()
        assert deframer.counters == {"frames": 0, Reason.IMPLAUSIBLE: 4}


# -- between the frames


def test_blanks_between_records_are_neither_junk_nor_news() -> None:
    decoder = Decoder(CODECS["bee_tek"])
    results = decoder.feed(b" " + RECORD + b" \r\n ") + decoder.idle()
    assert [result.raw for result in results] == [b" ", RECORD, b" \r\n "]
    assert [len(result.messages) for result in results if isinstance(result, DecodedFrame)] == [0, 1, 0]
    assert decoder.counters == {"frames": 1, Reason.IMPLAUSIBLE: 0}


def test_blanks_among_junk_are_junk() -> None:
    decoder = Decoder(CODECS["bee_tek"])
    results = decoder.feed(b"ab c\r\n" + RECORD)
    assert results[0] == Junk(b"ab c\r\n", Reason.IMPLAUSIBLE)
    assert decoder.counters[Reason.IMPLAUSIBLE] == 6


def test_a_snapshot_knows_how_many_bytes_were_only_filling() -> None:
    first, second = Decoder(CODECS["bee_tek"]), Decoder(CODECS["bee_tek"])
    first.feed(b"  " + RECORD)
    second.restore(first.snapshot())
    second.feed(b"x" + RECORD)
    assert second.counters == {"frames": 2, Reason.IMPLAUSIBLE: 1}


def test_a_device_without_filling_has_blanks_for_junk() -> None:
    (junk,) = Decoder(CODECS["angel_eye"]).feed(b"  " + CARD)[:1]
    assert junk == Junk(b"  ", Reason.IMPLAUSIBLE)
