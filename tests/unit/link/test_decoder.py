import json

import pytest

from protocol.codec import CODECS
from protocol.envelopes import PEPPER_F5
from protocol.framing import frame_around
from protocol.messages import HostCommand, PollEmpty, Reason, Stamp, TagSeen
from protocol.pepper_c1 import encode_command, encode_json_event
from protocol.tablelink import encode
from shoe_bridge.link.decoder import DecodedFrame, Decoder, pending_line, result_lines
from shoe_bridge.link.deframer import Junk

STAMP = Stamp(seq=3, is_event=False, is_replay=False, at_device_ms=1100)
SEEN = TagSeen("E0040150A05F02B7", 4, -40, "iso15693")
TAG_FRAME = encode(SEEN, STAMP)
# a whole frame whose type does not exist
NO_TYPE = bytes.fromhex("7E 08 00 0100 E8030000 01")


def tablelink() -> Decoder:
    return Decoder(CODECS["tablelink"])


def with_check(frame: bytes) -> bytes:
    from protocol.checksums import crc16_ibm_3740

    return frame + crc16_ibm_3740(frame[1:]).to_bytes(2, "little")


def test_a_frame_gives_its_message_and_stamp() -> None:
    assert tablelink().feed(TAG_FRAME) == [DecodedFrame(TAG_FRAME, (SEEN,), STAMP)]


def test_a_whole_frame_that_means_nothing_is_junk_of_the_whole_frame() -> None:
    decoder = tablelink()
    raw = with_check(NO_TYPE)
    assert decoder.feed(raw + TAG_FRAME) == [
        Junk(raw, Reason.UNKNOWN_ID),
        DecodedFrame(TAG_FRAME, (SEEN,), STAMP),
    ]
    assert decoder.counters == {"frames": 2, "body_unknown_id": 1}


def test_idle_and_finish_decode_too() -> None:
    decoder = tablelink()
    assert decoder.feed(b"\x7e\x20" + TAG_FRAME) == []
    assert decoder.pending == 2 + len(TAG_FRAME)
    assert decoder.idle() == [
        Junk(b"\x7e\x20", Reason.IDLE_EXPIRED),
        DecodedFrame(TAG_FRAME, (SEEN,), STAMP),
    ]
    decoder.feed(b"\x01")
    assert decoder.finish() == [Junk(b"\x01", Reason.IMPLAUSIBLE)]


def test_a_text_in_a_cut_text_is_no_proof_unless_it_is_a_message() -> None:
    member, event = b'{"block":1}', b'{"type":"uid","uid":"94D064EB"}'
    decoder = Decoder(CODECS["pepper_c1"])
    cut = b'{"type":"uid","memory":[' + member + b","
    assert decoder.feed(cut) == decoder.finish() == []
    assert decoder.pending == len(cut)
    # what a begun text holds back may also be the reader's next event, its own end being lost
    assert decoder.feed(event) == []
    results = decoder.finish()
    assert b"".join(result.raw for result in results) == cut + event
    assert results[-1] == DecodedFrame(event, (TagSeen("94D064EB", None),), None)
    assert decoder.pending == 0


def test_an_empty_object_in_a_cut_frame_is_no_proof() -> None:
    frame = frame_around(PEPPER_F5, b"\x00\x05{} and more")
    for cut in range(1, len(frame)):
        decoder = Decoder(CODECS["pepper_c1"])
        assert [*decoder.feed(frame[:cut]), *decoder.finish()] == []
        assert decoder.pending == cut


@pytest.mark.parametrize(
    ("kind", "idle_gap_ms"),
    [("tablelink", 50), ("pepper_c1", 200), ("text_line", 500), ("hid_keyboard", 300)],
)
def test_the_idle_gap_is_the_device_s(kind: str, idle_gap_ms: int) -> None:
    assert Decoder(CODECS[kind]).idle_gap_ms == idle_gap_ms


def test_a_snapshot_goes_on_where_it_was_taken() -> None:
    first, second = tablelink(), tablelink()
    first.feed(with_check(NO_TYPE) + TAG_FRAME[:9])
    second.restore(first.snapshot())
    assert second.feed(TAG_FRAME[9:]) == [DecodedFrame(TAG_FRAME, (SEEN,), STAMP)]
    assert second.counters == {"frames": 2, "body_unknown_id": 1}
    for snapshot in (b"", b"\xff"):
        with pytest.raises(ValueError, match="not a snapshot"):
            second.restore(snapshot)


def test_lines_are_those_that_decode_prints() -> None:
    poll = encode(PollEmpty(5), STAMP)
    lines = result_lines(tablelink().feed(b"\x98\x80" + poll))
    assert json.loads(json.dumps(lines)) == [
        {"type": "junk", "hex": "9880", "reason": "IMPLAUSIBLE"},
        {
            "type": "frame",
            "hex": poll.hex().upper(),
            "messages": [{"kind": "PollEmpty", "antenna": 5}],
            "stamp": {"seq": 3, "is_event": False, "is_replay": False, "at_device_ms": 1100},
        },
    ]
    assert pending_line(4) == {"type": "pending", "bytes": 4}


def test_a_device_that_numbers_no_frames_has_no_stamp_in_its_lines() -> None:
    decoder = Decoder(CODECS["pepper_c1"])
    event = encode_json_event("94D064EB", 1, "mux", 5, "MIFARE Classic", pretty=True)
    lines = result_lines(decoder.feed(encode_command(HostCommand("polling", {"on": 1})) + event))
    assert [set(line) for line in lines] == [{"type", "hex", "messages"}] * 2
    assert lines[0]["messages"] == [{"kind": "HostCommand", "command": "polling", "args": {"on": 1}}]
    assert lines[1]["messages"][0]["antenna"] == 1
