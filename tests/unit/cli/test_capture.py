"""Captures: the file, what its bytes mean, and the pseudonyms that let it be shared."""

import json
from pathlib import Path
from typing import Any

import pytest

from protocol.codec import CODECS
from protocol.hid_keyboard import encode_text
from protocol.hid_reports import LAYOUTS
from protocol.messages import CardDrawn, HostCommand, TagSeen, TypedLine
from protocol.tablelink import encode_command
from shoe_bridge.cli import run_command
from shoe_bridge.cli.capture_decode import decoded
from shoe_bridge.cli.capture_file import (
    MAGIC,
    Capture,
    Happening,
    Piece,
    is_capture,
    read_capture,
    text_of,
)
from shoe_bridge.cli.capture_names import Names
from shoe_bridge.cli.capture_redact import redacted
from shoe_bridge.errors import UsageError
from shoe_bridge.link.decoder import DecodedFrame

VECTORS = Path(__file__).parents[3] / "protocol" / "vectors"
MS = 1_000_000


def vectors(kind: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (VECTORS / f"{kind}.jsonl").read_text().splitlines()]


def good_frames(kind: str) -> list[bytes]:
    """Every documented frame of the kind that a device sends and that stands alone."""
    frames = []
    for vector in vectors(kind):
        (first, *rest) = vector["expect"] or [{"type": "none"}]
        if not rest and first["type"] == "frame" and first["hex"] == vector["hex"]:
            frames.append(bytes.fromhex(vector["hex"]))
    # a line without its end stands only at the end of a recording
    return [frame for frame in frames if kind != "text_line" or frame.endswith(b"\n")]


def capture_of(kind: str, *pieces: bytes, gap_ms: int = 1_000) -> Capture:
    entries = tuple(Piece(number * gap_ms * MS, "<", piece) for number, piece in enumerate(pieces))
    return Capture({"device": kind, "port": "/dev/ttyUSB0"}, entries)


def frames_of(capture: Capture) -> list[DecodedFrame]:
    codec = CODECS[capture.kind or ""]
    results = [meaning.result for meaning in decoded(capture.pieces, codec)]
    return [result for result in results if isinstance(result, DecodedFrame) and result.messages]


def stream(capture: Capture) -> bytes:
    return b"".join(piece.data for piece in capture.pieces)


# -- the file


def test_a_capture_is_read_as_it_was_written() -> None:
    capture = Capture(
        {"device": "tablelink", "port": "/dev/ttyACM0", "began": "2026-05-04T17:20:11Z"},
        (Piece(0, ">", b"\x7e\x01"), Piece(4_211_000, "<", b"\xff"), Happening(9 * MS, "it was unplugged")),
    )
    text = text_of(capture)
    assert text.splitlines()[:2] == [MAGIC, "# device: tablelink"]
    assert "       4.211 < FF" in text
    assert is_capture(text.encode())
    assert read_capture(text, "x") == capture


def test_a_capture_that_was_cut_off_is_read_up_to_its_last_whole_line() -> None:
    text = text_of(capture_of("pn532", b"\x01\x02", b"\x03\x04"))
    assert read_capture(text[:-3], "x").pieces == [Piece(0, "<", b"\x01\x02")]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("0.0 < 0", "line 2: expected a time in ms"),
        ("0.0 < ", "line 2"),
        ("x < 00", "line 2"),
        ("-1 < 00", "line 2"),
        ("nan < 00", "line 2"),
        ("0.0 = 00", "line 2"),
        ("0.0", "line 2"),
        ("5 < 00\n4 < 00", "stands behind a later one"),
    ],
)
def test_a_damaged_capture_is_one_sentence_with_the_line(line: str, words: str) -> None:
    with pytest.raises(UsageError, match="x") as told:
        read_capture(f"{MAGIC}\n{line}\n", "x")
    assert words in str(told.value)


def test_remarks_may_be_added_by_hand() -> None:
    text = f"{MAGIC}\n# device: pn532\n1.0 < 00\n# here: I moved the card\n\n2.0 < 01\n"
    capture = read_capture(text, "x")
    assert (capture.header, len(capture.pieces)) == ({"device": "pn532"}, 2)


# -- decode


@pytest.mark.parametrize("kind", sorted(CODECS))
def test_a_capture_decodes_to_what_its_bytes_decode_to(kind: str) -> None:
    frames = good_frames(kind)
    assert frames
    assert [frame.raw for frame in frames_of(capture_of(kind, *frames))] == frames


def test_a_quiet_line_drops_a_begun_frame_as_on_the_live_link() -> None:
    whole = good_frames("tablelink")[0]
    begun = b"\x7e\x20"
    assert [one.raw for one in frames_of(capture_of("tablelink", begun, whole))] == [whole]


def test_decode_shows_both_directions_with_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = encode_command(HostCommand("hello_request"))
    seen = good_frames("tablelink")[0]
    capture = Capture(
        {"device": "tablelink"},
        (Piece(0, ">", asked), Piece(4_500_000, "<", seen), Happening(5 * MS, "gone")),
    )
    file = tmp_path / "a.capture"
    file.write_text(text_of(capture))
    assert run_command(["decode", str(file), "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["type"], line.get("sent_by"), line["at_ms"]) for line in lines] == [
        ("frame", "host", 0.0),
        ("frame", "device", 4.5),
        ("happened", None, 5.0),
    ]
    assert lines[0]["messages"][0]["command"] == "hello_request"
    assert lines[1]["hex"] == seen.hex().upper()
    assert run_command(["decode", str(file)]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[:3] == ["4.500", "<", "frame"]


def test_decode_takes_another_kind_than_the_capture_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.capture"
    file.write_text(text_of(capture_of("feig_obid", good_frames("tablelink")[0])))
    assert run_command(["decode", "--device", "tablelink", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["type"] == "frame"


@pytest.mark.parametrize(
    ("text", "more", "words"),
    [
        (f"{MAGIC}\n0.0 < 00\n", [], "name the kind of the device with --device"),
        (f"{MAGIC}\n# device: abacus\n", [], "'abacus' is no kind of device"),
        ("plain bytes", ["--device", "pn532", "--redact", "x.capture"], "only a capture can be redacted"),
        ("plain bytes", [], "name the kind of the device with --device"),
    ],
)
def test_decode_refuses_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, more: list[str], words: str
) -> None:
    file = tmp_path / "a"
    file.write_text(text)
    assert run_command(["decode", str(file), *more]) == 2
    assert words in capsys.readouterr().err


# -- pseudonyms


def test_a_tag_has_one_pseudonym_of_its_length_and_it_tells_only_the_order() -> None:
    names = Names()
    for tag in ("E00401505A000001", "04A1B2C3", "E00401505A000001", "E00401505A000002"):
        names.learn(TagSeen(tag))
    assert names.tags == {
        "E00401505A000001": "E004000000000001",
        "04A1B2C3": "04000002",
        "E00401505A000002": "E004000000000003",
    }
    names.learn(CardDrawn(card="9d"))
    names.learn(CardDrawn(card="Kh"))
    names.learn(CardDrawn(card="9d"))
    assert names.cards == {"9d": "As", "Kh": "2s"}


@pytest.mark.parametrize("kind", sorted(CODECS))
def test_every_documented_frame_still_decodes_and_names_nothing(kind: str) -> None:
    """All frames that can be redacted, one behind the other: the same kinds of messages, other names."""
    kept = []
    for frame in good_frames(kind):
        try:
            redacted(capture_of(kind, frame), "x")
        except UsageError:
            continue
        kept.append(frame)
    assert len(kept) >= 0.8 * len(good_frames(kind))
    before = capture_of(kind, *kept)
    after = redacted(before, "x")
    assert [piece.at_ns for piece in after.pieces] == [piece.at_ns for piece in before.pieces]
    old = [message for frame in frames_of(before) for message in frame.messages]
    new = [message for frame in frames_of(after) for message in frame.messages]
    assert [type(message) for message in new] == [type(message) for message in old]
    tags = {message.tag for message in old if isinstance(message, TagSeen)}
    assert not tags & {message.tag for message in new if isinstance(message, TagSeen)}
    data = stream(after)
    for tag in tags:
        one = bytes.fromhex(tag)
        for form in (one, one[::-1], tag.encode(), tag.lower().encode(), one.hex(" ").encode()):
            assert form not in data, tag
    drawn = [
        (a.card, b.card)
        for a, b in zip(old, new, strict=True)
        if isinstance(a, CardDrawn) and isinstance(b, CardDrawn) and a.card
    ]
    assert len(set(drawn)) == len({a for a, _ in drawn}) == len({b for _, b in drawn})


def test_the_check_byte_of_the_air_interface_does_not_give_a_tag_away() -> None:
    """A UHF notice carries the tag's own checksum, which alone would tell one card of 52."""
    frame = next(
        bytes.fromhex(vector["hex"])
        for vector in vectors("yrm100")
        if vector["expect"][0].get("messages", [{}])[0].get("kind") == "TagSeen"
    )
    after = stream(redacted(capture_of("yrm100", frame), "x"))
    assert after[-4:-2] != frame[-4:-2]


def test_what_belongs_to_no_frame_is_blanked() -> None:
    whole = good_frames("tablelink")[0]
    torn = bytes.fromhex("E00401505A0B0C0D") + b"\x01\x02\x03"
    after = redacted(capture_of("tablelink", whole, torn, whole), "x")
    assert b"\xe0\x04\x01\x50" not in stream(after)
    assert "11 bytes blanked" in after.header["redacted"]
    assert len(frames_of(after)) == 2
    assert after.header["port"] == "redacted"


# the quiet before the last piece ends what seems to begin with C5, and so a frame from 76 on comes to light
AMID_NOISE = """\
EA18793B4D4E4727081D8A3BC5C2E1B32F6476AEB2D2C19319B7E1F2EDDD33F9BB28B52FB95A957C070B23E322ABED20
E92E2A8BCDA8B62151029C9AEC136E5CDD5B668499808F95E3942B2C40ADFED270F4DB4B62D42BD5E104F482A2
CF1C3606C6D8D36C5638F1F22D920F572B171953950268C0079F70
132DFA479B594A4928345D9DB4BEC4835BF9CE4C98A2CCAE3E164C1031E9CE0E85ABA2F6DF2BFBD90FD0269D037984D3C808"""
NOISE_MS = (0.0, 81.470, 148.724, 177.208)


def test_what_seems_to_be_a_frame_amid_noise_is_blanked_and_told() -> None:
    pieces = map(bytes.fromhex, AMID_NOISE.split())
    noise = [Piece(round(ms * 1e6), "<", data) for ms, data in zip(NOISE_MS, pieces, strict=True)]
    good = good_frames("feig_obid")[0]
    capture = Capture({"device": "feig_obid"}, (*noise, Piece(2_000_000_000, "<", good)))
    assert [frame.raw[:2].hex() for frame in frames_of(capture)] == ["76ae", good[:2].hex()]
    after = redacted(capture, "x")
    assert after.header["redacted"].endswith("blanked with 1 frame amid noise")
    assert len(frames_of(after)) == 1
    assert len(stream(after)) == len(stream(capture))
    assert not set(stream(after)) - {0} - set(stream(after)[-len(good) :])


def test_a_frame_that_cannot_stay_is_refused_with_its_time() -> None:
    shifted = (
        "020022000000000000000000000000000200230000000000000000000000000000002800000000000000000000000000"
    )
    capture = capture_of("hid_keyboard", encode_text("0004981422"), bytes.fromhex(shifted))
    (at_ns,) = {piece.at_ns for piece in capture.pieces[1:]}
    words = f"x cannot be redacted: the frame at {at_ns / 1e6:.3f} ms would not be the same afterwards"
    with pytest.raises(UsageError, match=words):
        redacted(capture, "x")


def test_a_line_that_no_pattern_fits_is_blanked() -> None:
    after = redacted(capture_of("text_line", b"tag=04:A1:B2:C3 seen\r\n", b"mode:DIO, clock div:1\r\n"), "x")
    assert stream(after) == b"xxx=xx:xx:xx:xx xxxx\r\nmode:xxx, xxxxx xxx:x\r\n"


def test_a_tag_cut_by_two_reads_is_replaced_in_both() -> None:
    frame = next(one for one in good_frames("tablelink") if b"\xe0\x04" in one)
    before = capture_of("tablelink", frame[:8], frame[8:], gap_ms=1)
    after = redacted(before, "x")
    assert [len(piece.data) for piece in after.pieces] == [8, len(frame) - 8]
    assert len(frames_of(after)) == 1


def texts_of(capture: Capture) -> list[str]:
    messages = [message for frame in frames_of(capture) for message in frame.messages]
    return [message.text for message in messages if isinstance(message, TypedLine)]


TEXTS = ["0004981422", "0004981422", ";E00401A0F3?", "0012345678"]


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_what_a_reader_types_becomes_other_digits_on_the_same_strokes(layout: str) -> None:
    before = capture_of("hid_keyboard", *(encode_text(text, layout) for text in TEXTS))
    after = redacted(before, "x")
    assert texts_of(after) == ["1010101012", "1010101012", ";0101010105?", "1010101016"]
    assert "3 tags" in after.header["redacted"]
    assert "0 bytes blanked" in after.header["redacted"]
    assert [len(piece.data) for piece in after.pieces] == [len(piece.data) for piece in before.pieces]


def test_a_key_that_goes_down_before_the_last_one_is_up_stays_so() -> None:
    """A rollover is what such a capture is shared for."""
    keys = [(0x1E, 0), (0x1E, 0x1F), (0x1F, 0), (0x1F, 0x20), (0x20, 0), (0, 0), (0x28, 0), (0, 0)]
    reports = b"".join(bytes([0, 0, *pair, 0, 0, 0, 0]) for pair in keys)
    after = redacted(capture_of("hid_keyboard", reports), "x")
    (frame,) = frames_of(after)
    assert frame.messages == (TypedLine("012"),)
    down = [sum(1 for key in frame.raw[at + 2 : at + 8] if key) for at in range(0, len(frame.raw), 8)]
    assert down == [1, 2, 1, 2, 1, 0, 1, 0]


def test_strokes_of_no_line_are_blanked() -> None:
    whole = encode_text("0004981422")
    after = redacted(capture_of("hid_keyboard", whole[: 8 * 6] + b"\x07" * 8, whole), "x")
    assert whole[: 8 * 6] not in stream(after)
    assert texts_of(after)[-1] == "1010101012"


def test_a_frame_with_the_content_of_a_tag_is_refused() -> None:
    telltale = next(
        bytes.fromhex(vector["hex"]) for vector in vectors("feig_obid") if "SR176" in vector["name"]
    )
    with pytest.raises(UsageError, match="holds tags of type sr176"):
        redacted(capture_of("feig_obid", telltale), "x")


def test_decode_writes_the_redacted_capture_beside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, to = tmp_path / "a.capture", tmp_path / "b.capture"
    file.write_text(text_of(capture_of("tablelink", *good_frames("tablelink"))))
    before = file.read_text()
    assert run_command(["decode", str(file), "--redact", str(to)]) == 0
    assert "tags" in capsys.readouterr().err
    assert "# port: redacted" in to.read_text()
    assert run_command(["decode", str(file), "--redact", str(to)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert file.read_text() == before
