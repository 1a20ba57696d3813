import pytest

from protocol import text_line
from protocol.codec import CODECS
from protocol.messages import (
    CardDrawn,
    Decoded,
    Failure,
    HostCommand,
    Message,
    PollEmpty,
    Reason,
    TagGone,
    TagSeen,
    TypedLine,
)
from protocol.text_encode import FORMS
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.link.deframer import Junk


def said(line: str, preset: str | None = None, *patterns: str) -> Message | Reason:
    decoded = text_line.decoder_of(preset, patterns)("text_line", line.encode("latin-1"))
    if isinstance(decoded, Failure):
        return decoded.reason
    (message,) = decoded.messages
    return message


IN_OUT = r"(?:IN|(?P<gone>OUT)) (?P<antenna>\d{1,3}) (?P<uid>[0-9A-F]{8,20})(?: (?P<rssi>-?\d{1,3}))?"
EMPTY = r"(?P<empty>NONE) (?P<antenna>\d{1,3})"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("IN 3 0406B902 -61", TagSeen("0406B902", 3, -61)),
        ("OUT 3 0406B902", TagGone("0406B902", 3)),
        ("NONE 12", PollEmpty(12)),
        ("IN 256 0406B902", Reason.IMPLAUSIBLE),
        ("IN 3 0406B9020A", Reason.BAD_CHECK),
        ("04 06 B9 02", TypedLine("04 06 B9 02")),
        ('{"key":-1}', TypedLine('{"key":-1}')),
    ],
)
def test_patterns_of_a_house_stand_in_for_the_presets(line: str, message: Message | Reason) -> None:
    assert said(line + "\n", None, IN_OUT, EMPTY) == message


@pytest.mark.parametrize(
    ("pattern", "line", "message"),
    [
        (r"(?P<dec4>\d{1,10})@(?P<antenna>\d)", "67549442@2", TagSeen("0406B902", 2)),
        (r"(?P<dec7>\d{1,17})", str(0x0406B9020A5481), TagSeen("0406B9020A5481")),
        (r"(?P<dec8>\d{1,20})", str(0xE0040150A05F02B7), TagSeen("E0040150A05F02B7")),
        (r"(?P<bytes>[\d ]{7,40})", "4 6 185 2", TagSeen("0406B902")),
        (r"(?P<card>[0-9A-Za-z]{2,3})/(?P<antenna>\d)", "10d/4", CardDrawn("Td", target="reader 4")),
        (r"(?P<card>[0-9A-Za-z]{2,3})", "As", CardDrawn("As")),
        (r"(?P<card>[0-9A-Za-z]{2,3})", "Zz", Reason.IMPLAUSIBLE),
        (r"(?P<uid>\w{8}) (?P<type>\w{1,9}) (?P<name>\w{1,9})", "0406B902 NTAG left",
         TagSeen("0406B902", tag_type="NTAG", device_name="left")),
        (r"(?P<uid>\w{8}) (?P<rssi>[-\d]{1,9})", "0406B902 --", Reason.IMPLAUSIBLE),
        (r"(?P<uid>\w{8}) (?P<rssi>[-\d]{1,9})", "0406B902 12345678", Reason.IMPLAUSIBLE),
        (r"(?P<uid>\w{4,8})?x", "x", Reason.IMPLAUSIBLE),
    ],
)  # fmt: skip
def test_each_group_says_its_part(pattern: str, line: str, message: Message | Reason) -> None:
    assert said(line, None, pattern) == message


def test_a_named_preset_reads_its_lines_only() -> None:
    assert said("04 06 B9 02", "wohlig") == TagSeen("0406B902")
    assert said("04 06 B9 02", "whywaita") == TypedLine("04 06 B9 02")
    assert said('{"key":3}', "wohlig") == TypedLine('{"key":3}')
    assert said('{"key":3}', "beddofabrik") == HostCommand("clear", {"reader": 3})


def test_what_is_ambiguous_in_all_presets_is_not_in_one() -> None:
    line = "12345821"
    assert said(line) == Reason.IMPLAUSIBLE
    assert said(line, "hedley") == TagSeen("12345821")
    assert said(line, "panstenos") == TagSeen("0000BC61")


def test_a_preset_that_there_is_not_and_two_ways_at_once_are_refused() -> None:
    with pytest.raises(ValueError, match="no preset 'none'"):
        text_line.decoder_of("none")
    with pytest.raises(ValueError, match="leave one of the two out"):
        text_line.decoder_of("wohlig", (IN_OUT,))


@pytest.mark.parametrize("form", ["whywaita", "beddofabrik", "wohlig", "panstenos", "arduino"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_what_a_reader_prints_is_read_back(form: str, end: bytes) -> None:
    decoder = Decoder(CODECS["text_line"])
    line = text_line.encode_line(form, "6A1F0885", 4, end)
    results = decoder.feed(line) + decoder.idle()
    antenna = 4 if form == "whywaita" else None
    assert results == [DecodedFrame(line, (TagSeen("6A1F0885", antenna),), None)]


@pytest.mark.parametrize("form", [*FORMS, "auto"])
def test_every_preset_reads_what_its_program_prints(form: str) -> None:
    stream = text_line.encode_line(form, "6A1F0885", 4)
    messages = [said(line, form) for line in stream.decode().splitlines()]
    antenna = 4 if form in ("whywaita", "dubsa", "auto") else None
    assert messages == [TagSeen("6A1F0885", antenna)] * (2 if form == "hedley" else 1)


@pytest.mark.parametrize(
    ("form", "who"), [("dubsa", "player"), ("beddofabrik", "reader"), ("auto", "player")]
)
@pytest.mark.parametrize("card", ["As", "Td", "9c", "2h"])
def test_programs_that_know_their_deck_print_the_card(form: str, who: str, card: str) -> None:
    line = text_line.encode_line(form, card.encode().hex(), 3)
    assert said(line.decode(), form) == CardDrawn(card=card, target=f"{who} 3")


def test_what_cannot_be_printed_or_said_is_refused() -> None:
    with pytest.raises(ValueError, match="four bytes"):
        text_line.encode_line("panstenos", "040E3BD2286B85")
    with pytest.raises(ValueError, match="no line of 'mine' is printed here: use one of whywaita, dubsa"):
        text_line.encode_line("mine", "6A1F0885")
    with pytest.raises(ValueError, match="players up to 99"):
        text_line.encode_line("dubsa", "6A1F0885", 100)
    for form in (*FORMS, "auto"):
        with pytest.raises(ValueError, match="bytes"):
            text_line.encode_line(form, "E200301666130121155074EF")
    assert text_line.encode_command(HostCommand("clear", {"reader": -1})) == b'{"key":-1}\r\n'
    for command in (HostCommand("clear"), HostCommand("clear", {"reader": "x"}), HostCommand("poll")):
        with pytest.raises(ValueError, match="no command"):
            text_line.encode_command(command)


# -- the line


def results_of(stream: bytes) -> list[DecodedFrame | Junk]:
    return Decoder(CODECS["text_line"]).feed(stream)


def test_a_carriage_return_waits_for_the_next_byte_or_for_quiet() -> None:
    decoder = Decoder(CODECS["text_line"])
    assert decoder.feed(b"04 06 B9 02\r") == []
    assert decoder.pending == 12
    (frame,) = decoder.idle()
    assert (frame.raw, decoder.pending) == (b"04 06 B9 02\r", 0)
    assert [result.raw for result in decoder.feed(b"04 06 B9 03\rx")] == [b"04 06 B9 03\r"]
    assert decoder.counters["frames"] == 2


def test_a_line_that_stops_is_dropped_whole_and_the_next_one_is_read() -> None:
    decoder = Decoder(CODECS["text_line"])
    decoder.feed(b"04 06 B9")
    assert decoder.idle() == [Junk(b"04 06 B9", Reason.IDLE_EXPIRED)]
    assert decoder.pending == 0
    assert decoder.idle() == []
    (frame,) = decoder.feed(b"04 06 B9 02\n")
    assert isinstance(frame, DecodedFrame)
    assert frame.messages == (TagSeen("0406B902"),)


@pytest.mark.parametrize("size", [257, 400, 511, 512, 513, 1023, 5000])
def test_an_endless_line_gives_no_tag_however_long_it_is(size: int) -> None:
    results = results_of(b"x" * size + b" 04 06 B9 02\n" + b"04 06 B9 02\n")
    assert [type(result) for result in results[:-1]] == [Junk] * (len(results) - 1)
    assert all(isinstance(result, Junk) and result.reason is Reason.TOO_LONG for result in results[:-1])
    assert results[-1] == DecodedFrame(b"04 06 B9 02\n", (TagSeen("0406B902"),), None)
    assert sum(len(result.raw) for result in results) == size + 13 + 12


def test_the_rest_of_a_damaged_line_is_no_line() -> None:
    for at in range(18):
        damaged = bytearray(b"04 06 B9 02 0A 54 81\n")
        damaged[at] |= 0x80
        assert results_of(bytes(damaged)) == [Junk(bytes(damaged), Reason.IMPLAUSIBLE)]


@pytest.mark.parametrize(
    ("text", "is_whole"),
    [
        (b"[Channel] 0 [UID: 04 0e 3b d2]", True),
        (b'{"key":-1}', True),
        (b"106-31-8-133-248", True),
        (b"455787185656", True),
        (b"04 06 B9 02 0A 54 81", True),
        (b"04 06 B9 02", False),
        (b"04 06 B9 02 0A", False),
        (b"67549442", False),
        (b"0 0 As 12.30 45.60", False),
        (b"hello", False),
        (b"", False),
        (b"\xff]", False),
    ],
)
def test_the_end_of_a_recording_ends_a_line_that_shows_that_it_is_whole(text: bytes, is_whole: bool) -> None:
    assert text_line.closes(text) is is_whole
    decoder = Decoder(CODECS["text_line"])
    results = decoder.feed(text) + decoder.finish()
    assert [result.raw for result in results] == [text] * is_whole
    assert decoder.pending == (0 if is_whole else len(text))


def test_no_prefix_of_a_documented_line_is_another_tag_than_the_whole() -> None:
    for line in (
        b"[Channel] 0 [UID: 04 0e 3b d2 28 6b 85]",
        b"154-98-11-133-118",
        b"106-31-8-133-248",
        b"04 06 B9 02 0A 54 81",
        b"Card UID: 04 A1 B2 C3 D4 E5 F6",
    ):
        (whole,) = _messages(line)
        for cut in range(1, len(line)):
            assert [m for m in _messages(line[:cut]) if m != whole] == []


def _messages(stream: bytes) -> list[Message]:
    decoder = Decoder(CODECS["text_line"])
    results = decoder.feed(stream) + decoder.finish()
    return [m for result in results if isinstance(result, DecodedFrame) for m in result.messages]


def test_a_body_of_another_envelope_is_a_failure() -> None:
    assert isinstance(text_line.decode("pepper_json", b"{}"), Failure)
    assert text_line.decode("text_line", b"\n") == Decoded((TypedLine(""),))
