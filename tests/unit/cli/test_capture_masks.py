"""What a redacted capture keeps beside its frames: nothing that names a tag, an address or a person."""

import pytest

from protocol.codec import CODECS
from protocol.text_presets import CHATTER
from shoe_bridge.cli.capture_file import Capture, Happening, Piece, read_capture
from shoe_bridge.cli.capture_masks import known_header, masked_phrase, spelt_bytes
from shoe_bridge.cli.capture_redact import redacted
from shoe_bridge.errors import UsageError
from shoe_bridge.link.line_codecs import line_codec

TAG = b"Card UID: 04 A1 B2 C3\n"
SPELT = (
    b"0x04 0xA1 0xB2 0xC3",
    b"04.A1.B2.C3",
    b"04, A1, B2, C3",
    b"4  A1  B2  C3",
    b"04_A1_B2_C3",
    b"4,161,178,195",
    b"4.161.178.195",
    b"004/161/178/195",
    b"C3-B2-A1-04",
    b"0xC3B2A104",
    b"78729923",
)


def text_capture(*lines: bytes) -> Capture:
    return Capture({"device": "text_line"}, tuple(Piece(n, "<", line) for n, line in enumerate(lines)))


def stream(capture: Capture) -> bytes:
    return b"".join(piece.data for piece in capture.pieces)


@pytest.mark.parametrize("spelt", SPELT)
def test_chatter_is_masked_behind_its_beginning(spelt: bytes) -> None:
    for beginning in CHATTER:
        line = beginning.encode() + b" " + spelt + b" unknown\r\n"
        out = stream(redacted(text_capture(TAG, line), "x"))
        said = out.removeprefix(b"Card UID: 04 00 00 01\n")
        assert said.startswith(beginning.encode())
        assert not any(byte in b"0123456789ABC" for byte in said[len(beginning) :])
        assert len(said) == len(line)


@pytest.mark.parametrize("spelt", [b"04A1-B2C3", *SPELT[:8]])
def test_a_tag_spelt_again_in_a_line_that_fits_is_refused(spelt: bytes) -> None:
    codec = line_codec("text_line", patterns=("tag (?P<uid>[0-9A-F]{8}) .{1,40}",))
    line = b"tag 04A1B2C3 as " + spelt + b"\n"
    with pytest.raises(UsageError, match="a tag stands in it in a place that is not understood"):
        redacted(text_capture(line), "x", codec)
    kept = stream(redacted(text_capture(b"tag 04A1B2C3 as 1.2.3.4\n"), "x", codec))
    assert kept == b"tag 04000001 as 1.2.3.4\n"


def test_a_phrase_that_spells_a_tag_of_the_capture_is_not_kept() -> None:
    entries = (
        Piece(0, "<", TAG),
        Happening(5, "it was laid down (04A1 B2C3)"),
        Happening(6, "it was unplugged"),
    )
    after = redacted(Capture({"device": "text_line"}, entries), "x")
    assert after.entries[1:] == (Happening(5, "not kept: it names a tag"), Happening(6, "it was unplugged"))


def test_bytes_are_read_as_hex_and_as_decimals_whatever_stands_between_them() -> None:
    assert b"\x04\xa1\x10\x20" in set(spelt_bytes(b"is 0x04,0xA1;0x10  0x20 so"))
    assert bytes([4, 161, 178, 195]) in set(spelt_bytes(b"(4-161-178-195)"))
    assert b"\x04\xa1\xb2\xc3" in set(spelt_bytes(b"<04A1 B2C3>"))
    assert not any(spelt_bytes(b"all players have cards"))


def test_remarks_of_people_do_not_stay_in_the_header() -> None:
    header = {
        "device": "text_line",
        "note": "card of Mr X is 04A1B2C3",
        "port": "socket://10.0.0.7:4001",
        "line": "9600 N",
        "mode": "listening only",
        "shoe-bridge": "0.1.0",
        "python": "3.11.7",
        "system": "Linux 6.1.0-rpi7-rpi-v8 aarch64",
        "began": "2026-05-04T17:20:11Z",
    }
    kept = known_header(header)
    assert kept == {**{key: value for key, value in header.items() if key != "note"}, "port": "redacted"}
    for key in header.keys() - {"port"}:
        assert known_header({key: "card 04A1B2C3"}) == {}
    text = "# shoe-bridge capture 1\n# device: text_line\n# note: card 04A1B2C3\n 0.000 < 0A\n"
    after = redacted(read_capture(text, "x"), "x", CODECS["text_line"])
    assert list(after.header) == ["device", "redacted"]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("it was unplugged or its far side closed", "it was unplugged or its far side closed"),
        (
            "no device was heard over the connection from 10.1.2.3, which gave way to one from 10.1.2.4",
            "no device was heard over the connection from ADDRESS, which gave way to one from ADDRESS",
        ),
        ("one from fe80::1%eth0 came", "one from ADDRESS came"),
        ("one from ::ffff:10.1.2.3 came", "one from ADDRESS came"),
        ("socket://moxa-1:4001: the host refuses", "PORT: the host refuses"),
        ("moxa-1 does not answer", "PORT does not answer"),
        ("/dev/serial/by-id/usb-X_123 is gone; name /dev/ttyUSB1", "PORT is gone; name PORT"),
        ("usb:08ff:0009:A7 is not plugged in", "PORT is not plugged in"),
        ("the server says 'hello Mr X'", "the server says '...'"),
        ("laid down 04A1B2C3, and 0078729923", "laid down NUMBER, and NUMBER"),
        ("laid down 04 A1 B2 C3 now", "laid down NUMBER now"),
        ("the line failed: no such device", "the line failed: no such device"),
    ],
)
def test_what_happened_is_kept_without_who_and_where(said: str, kept: str) -> None:
    assert masked_phrase(said, "socket://moxa-1:4001") == kept
    capture = Capture({"device": "pn532", "port": "socket://moxa-1:4001"}, (Happening(5, said),))
    assert redacted(capture, "x").entries == (Happening(5, kept),)
