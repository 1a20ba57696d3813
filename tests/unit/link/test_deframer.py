import random

import pytest

from protocol.checksums import crc16_ibm_3740
from protocol.codec import CODECS
from protocol.envelopes import (
    FEIG_ADVANCED,
    FEIG_STANDARD,
    PEPPER_F5,
    PEPPER_JSON,
    TABLELINK,
    CheckRule,
    FrameEnvelope,
    LengthRule,
    first_bytes,
)
from protocol.framing import frame_around
from protocol.messages import Reason
from shoe_bridge.link.deframer import Deframer, Frame, Junk

POLL = frame_around(TABLELINK, bytes.fromhex("21 0100 E8030000 05"))
KEY = frame_around(TABLELINK, bytes.fromhex("05 0200 E8030000 01"))
DUMMY = bytes.fromhex("F5 03 00 FC FF 01 D1 F1")
TEXT = b'{"type":"uid","uid":"94D064EB"}'


def tablelink() -> Deframer:
    return Deframer([TABLELINK])


def pepper() -> Deframer:
    return Deframer([PEPPER_F5, PEPPER_JSON])


def frame(raw: bytes) -> Frame:
    return Frame("tablelink", raw, raw[2:-2])


def all_of(deframer: Deframer, data: bytes) -> list[Frame | Junk]:
    return [*deframer.feed(data), *deframer.finish()]


def test_whole_frames_come_out_at_once() -> None:
    deframer = tablelink()
    assert deframer.feed(POLL + KEY) == [frame(POLL), frame(KEY)]
    assert deframer.pending == 0
    assert deframer.counters == {"frames": 2}


def test_nothing_in_gives_nothing_out() -> None:
    deframer = tablelink()
    assert deframer.feed(b"") == deframer.idle() == deframer.finish() == []


def test_a_frame_in_two_chunks_comes_with_the_second() -> None:
    for cut in range(1, len(POLL)):
        deframer = tablelink()
        assert deframer.feed(POLL[:cut]) == []
        assert deframer.pending == cut
        assert deframer.feed(POLL[cut:]) == [frame(POLL)]


def test_pepper_frames_and_texts_share_a_stream() -> None:
    results = pepper().feed(DUMMY + TEXT + DUMMY)
    assert results == [
        Frame("pepper_f5", DUMMY, b"\x01"),
        Frame("pepper_json", TEXT, TEXT),
        Frame("pepper_f5", DUMMY, b"\x01"),
    ]


def test_a_stray_start_byte_does_not_lose_the_frame() -> None:
    assert pepper().feed(b"\xf5" + DUMMY) == [
        Junk(b"\xf5", Reason.BAD_LENGTH),
        Frame("pepper_f5", DUMMY, b"\x01"),
    ]


def test_a_damaged_frame_is_one_junk() -> None:
    damaged = POLL[:-1] + bytes([POLL[-1] ^ 1])
    assert tablelink().feed(damaged + KEY) == [Junk(damaged, Reason.BAD_CHECK), frame(KEY)]


def test_bytes_that_begin_nothing_are_implausible_until_something_failed() -> None:
    deframer = tablelink()
    assert all_of(deframer, b"\x00\x01\x7e\x00\x02\x03") == [
        Junk(b"\x00\x01", Reason.IMPLAUSIBLE),
        Junk(b"\x7e\x00\x02\x03", Reason.BAD_LENGTH),
    ]
    # after a frame the slate is clean
    assert all_of(deframer, POLL + b"\x09") == [frame(POLL), Junk(b"\x09", Reason.IMPLAUSIBLE)]


def test_a_run_is_held_until_its_end_is_known() -> None:
    deframer = tablelink()
    assert deframer.feed(b"\x00\x01") == []
    assert deframer.feed(b"\x02") == []
    assert deframer.pending == 3
    assert deframer.feed(POLL) == [Junk(b"\x00\x01\x02", Reason.IMPLAUSIBLE), frame(POLL)]


def test_a_long_run_is_cut_at_the_longest_frame() -> None:
    results = all_of(tablelink(), b"\x7e\x00" + bytes(98))
    assert [len(junk.raw) for junk in results if isinstance(junk, Junk)] == [36, 36, 28]
    assert {junk.reason for junk in results if isinstance(junk, Junk)} == {Reason.BAD_LENGTH}


@pytest.mark.parametrize(
    ("length", "answer"),
    [
        (0, Reason.BAD_LENGTH),
        (1, None),
        (32, None),
        (33, Reason.TOO_LONG),
        (255, Reason.TOO_LONG),
    ],
)
def test_each_edge_of_the_tablelink_length(length: int, answer: Reason | None) -> None:
    deframer = tablelink()
    results = all_of(deframer, bytes([0x7E, length]))
    assert results == ([] if answer is None else [Junk(bytes([0x7E, length]), answer)])
    assert deframer.pending == (2 if answer is None else 0)
    if answer is None:
        body = bytes(length)
        assert all_of(tablelink(), frame_around(TABLELINK, body)) == [frame(frame_around(TABLELINK, body))]


@pytest.mark.parametrize(
    ("length", "answer"),
    [
        (0, Reason.BAD_LENGTH),
        (2, Reason.BAD_LENGTH),
        (3, None),
        (2063, None),
        (2064, Reason.TOO_LONG),
        (65535, Reason.TOO_LONG),
    ],
)
def test_each_edge_of_the_pepper_length(length: int, answer: Reason | None) -> None:
    field = length.to_bytes(2, "little")
    header = b"\xf5" + field + bytes(byte ^ 0xFF for byte in field)
    deframer = pepper()
    results = deframer.feed(header)
    if answer is None:
        assert results == []
        assert deframer.pending == 5
        raw = frame_around(PEPPER_F5, bytes(length - 2))
        assert raw.startswith(header)
        assert pepper().feed(raw) == [Frame("pepper_f5", raw, bytes(length - 2))]
    else:
        assert deframer.counters[answer] >= 1


def test_the_longest_text_is_taken_and_one_byte_more_is_not() -> None:
    around = len(b'{"a":""}')
    longest = b'{"a":"' + b"x" * (PEPPER_JSON.longest - around) + b'"}'
    assert pepper().feed(longest) == [Frame("pepper_json", longest, longest)]
    results = all_of(pepper(), longest[:6] + b"x" + longest[6:])
    assert [type(result) for result in results] == [Junk, Junk]
    assert {result.reason for result in results if isinstance(result, Junk)} == {Reason.TOO_LONG}


def test_a_frame_cuts_a_begun_text_short() -> None:
    assert pepper().feed(TEXT[:20] + DUMMY) == [
        Junk(TEXT[:20], Reason.IMPLAUSIBLE),
        Frame("pepper_f5", DUMMY, b"\x01"),
    ]


def test_idle_gives_the_good_frame_behind_a_false_start() -> None:
    deframer = tablelink()
    assert deframer.feed(b"\x7e\x20" + POLL) == []
    assert deframer.idle() == [Junk(b"\x7e\x20", Reason.IDLE_EXPIRED), frame(POLL)]
    assert deframer.pending == 0


def test_idle_looks_past_several_false_starts() -> None:
    deframer = tablelink()
    assert deframer.feed(b"\x7e\x20\x7e\x1f\x7e\x1e" + POLL + KEY) == []
    assert deframer.idle() == [
        Junk(b"\x7e\x20\x7e\x1f\x7e\x1e", Reason.IDLE_EXPIRED),
        frame(POLL),
        frame(KEY),
    ]


def test_idle_keeps_a_begun_frame_behind_the_frames_it_gave() -> None:
    deframer = tablelink()
    assert deframer.feed(b"\x7e\x20" + POLL + KEY[:5]) == []
    assert deframer.idle() == [Junk(b"\x7e\x20", Reason.IDLE_EXPIRED), frame(POLL)]
    assert deframer.feed(KEY[5:]) == [frame(KEY)]


def test_idle_keeps_a_later_start_that_may_still_come_true() -> None:
    deframer = tablelink()
    assert deframer.feed(b"\x7e\x20" + KEY[:5]) == []
    assert deframer.idle() == [Junk(b"\x7e\x20", Reason.IDLE_EXPIRED)]
    assert deframer.feed(KEY[5:]) == [frame(KEY)]


def test_idle_ends_a_begun_frame_and_then_a_run() -> None:
    deframer = tablelink()
    assert deframer.feed(POLL[:6]) == []
    assert deframer.idle() == [Junk(POLL[:6], Reason.IDLE_EXPIRED)]
    assert deframer.feed(b"\x01\x02") == []
    assert deframer.idle() == [Junk(b"\x01\x02", Reason.IMPLAUSIBLE)]
    assert deframer.idle() == []


def test_idle_behind_a_begun_text() -> None:
    deframer = pepper()
    assert deframer.feed(b'{"a":' + TEXT) == []
    assert deframer.idle() == [Junk(b'{"a":', Reason.IDLE_EXPIRED), Frame("pepper_json", TEXT, TEXT)]
    assert deframer.feed(b'{"a"') == []
    assert deframer.idle() == [Junk(b'{"a"', Reason.IDLE_EXPIRED)]


def test_the_end_gives_the_good_frame_behind_a_false_start() -> None:
    deframer = pepper()
    false_start = bytes.fromhex("F5 10 00 EF FF")  # says 21 bytes, and its length agrees with its complement
    assert deframer.feed(false_start + DUMMY) == []
    assert deframer.finish() == [Junk(false_start, Reason.IDLE_EXPIRED), Frame("pepper_f5", DUMMY, b"\x01")]
    assert deframer.pending == 0
    assert deframer.finish() == []


def test_the_end_leaves_a_begun_frame_that_nothing_contradicts() -> None:
    deframer = tablelink()
    assert deframer.feed(b"\x7e\x20\x7e\x1f" + POLL + KEY[:5]) == []
    assert deframer.finish() == [Junk(b"\x7e\x20\x7e\x1f", Reason.IDLE_EXPIRED), frame(POLL)]
    assert deframer.pending == 5
    assert deframer.feed(KEY[5:]) == [frame(KEY)]


def test_the_end_keeps_every_cut_frame_and_gives_the_run_before_it() -> None:
    for whole in (POLL, KEY):
        for cut in range(1, len(whole)):
            deframer = tablelink()
            assert all_of(deframer, b"\x09" + whole[:cut]) == [Junk(b"\x09", Reason.IMPLAUSIBLE)]
            assert deframer.pending == cut


def test_every_begun_frame_is_gone_after_as_many_gaps_as_bytes() -> None:
    rng = random.Random(3)
    for _ in range(50):
        deframer = pepper()
        deframer.feed(bytes(rng.choice(b'\xf5{"\x03\x00\xfc\xff a:') for _ in range(60)))
        for _ in range(60):
            deframer.idle()
        assert deframer.pending == 0


@pytest.mark.parametrize("kind", CODECS)
def test_holds_less_than_two_longest_frames(kind: str) -> None:
    envelopes = CODECS[kind].envelopes
    longest = max(envelope.longest for envelope in envelopes)
    rng = random.Random(1)
    deframer = Deframer(envelopes)
    alphabet = b"\x7e\x20\x00\xf5{" + bytes(range(0x22, 0x30))
    for _ in range(400):
        deframer.feed(bytes(rng.choice(alphabet) for _ in range(rng.randrange(60))))
        assert deframer.pending < 2 * longest


def test_counters_count_frames_and_dropped_bytes_by_reason() -> None:
    deframer = tablelink()
    deframer.feed(b"\x00\x00" + POLL + b"\x7e\x00" + b"\x7e\xff" + POLL)
    assert deframer.counters == {"frames": 2, "IMPLAUSIBLE": 2, "BAD_LENGTH": 2, "TOO_LONG": 2}


@pytest.mark.parametrize("begun", [POLL[:7], b"\x00\x7e\x00\x01" + POLL[:3], b"", b"\x01" * 40])
def test_a_snapshot_goes_on_where_it_was_taken(begun: bytes) -> None:
    first, second = tablelink(), tablelink()
    first.feed(POLL + begun)
    second.restore(first.snapshot())
    rest = POLL[7:] + b"\x05" + KEY
    assert second.pending == first.pending
    assert all_of(second, rest) == all_of(first, rest)
    assert second.counters == first.counters


def test_a_snapshot_of_a_begun_text_goes_on() -> None:
    first, second = pepper(), pepper()
    first.feed(TEXT[:12])
    second.feed(b'{"other":')
    second.restore(first.snapshot())
    assert second.feed(TEXT[12:]) == [Frame("pepper_json", TEXT, TEXT)]


@pytest.mark.parametrize("snapshot", [b"", b"\xff", b"\x80", b"no snapshot"])
def test_what_is_no_snapshot_is_refused(snapshot: bytes) -> None:
    with pytest.raises(ValueError, match="not a snapshot"):
        tablelink().restore(snapshot)


def test_a_start_of_several_bytes_waits_for_all_of_them() -> None:
    envelope = FrameEnvelope(
        name="three",
        start=b"\x00\x00\xff",
        length=LengthRule(offset=3, size=1, order="big", bias=6),
        body_offset=4,
        check=CheckRule(name="CRC-16/IBM-3740", first=4, order="big"),
        shortest=7,
        longest=32,
        idle_gap_ms=50,
    )
    raw = frame_around(envelope, b"abc")
    assert raw == b"\x00\x00\xff\x03abc" + crc16_ibm_3740(b"abc").to_bytes(2, "big")
    for cut in range(len(raw)):
        deframer = Deframer([envelope])
        results = deframer.feed(b"\x00\x01\x00" + raw[:cut]) + deframer.feed(raw[cut:])
        assert results == [Junk(b"\x00\x01\x00", Reason.IMPLAUSIBLE), Frame("three", raw, b"abc")]


def test_a_frame_without_a_start_begins_with_its_length() -> None:
    """LEN | body | CRC, between frames of another envelope that has a start byte of its own."""
    frame = frame_around(FEIG_STANDARD, b"\x00\xb0\x01")
    assert first_bytes(FEIG_STANDARD) == bytes(range(5, 256))
    assert first_bytes(FEIG_ADVANCED) == b"\x02"
    other = frame_around(FEIG_ADVANCED, b"\x00\xb0\x01")
    stream = b"\x00\x04" + frame + other + frame
    for cut in range(len(stream)):
        deframer = Deframer([FEIG_STANDARD, FEIG_ADVANCED])
        results = deframer.feed(stream[:cut]) + deframer.feed(stream[cut:])
        assert results == [
            Junk(b"\x00\x04", Reason.IMPLAUSIBLE),
            Frame("feig_standard", frame, b"\x00\xb0\x01"),
            Frame("feig_advanced", other, b"\x00\xb0\x01"),
            Frame("feig_standard", frame, b"\x00\xb0\x01"),
        ]


def test_a_length_that_may_be_another_envelope_s_start_is_refused() -> None:
    with pytest.raises(ValueError, match="first byte of its own"):
        Deframer([FEIG_STANDARD, TABLELINK])


def test_two_envelopes_cannot_begin_alike() -> None:
    with pytest.raises(ValueError, match="first byte of its own"):
        Deframer([TABLELINK, TABLELINK])
    with pytest.raises(ValueError, match="first byte of its own"):
        Deframer([])
