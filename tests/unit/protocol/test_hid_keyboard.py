import random

import pytest

from protocol import hid_keyboard
from protocol.codec import CODECS
from protocol.hid_reports import (
    KEYMAP,
    LAYOUTS,
    MOST_REPORTS,
    USAGES,
    Layout,
    Typed,
    line_question,
    one_by_one,
    reports_of,
    typed,
)
from protocol.hid_rule import is_of_tag, tag_typed, text_of, typed_rule
from protocol.messages import Decoded, Failure, HostCommand, Message, Reason, TagSeen, TypedLine
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.link.line_codecs import line_codec

BOOT, SHORT = LAYOUTS["boot"], LAYOUTS["short"]
EVERY_CHARACTER = "".join(plain + shifted for plain, shifted in KEYMAP.values())


def messages_of(stream: bytes, **options: str) -> list[Message]:
    decoder = Decoder(line_codec("hid_keyboard", **options))
    results = decoder.feed(stream) + decoder.finish()
    return [m for result in results if isinstance(result, DecodedFrame) for m in result.messages]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_character_is_typed_and_read_back_in_every_layout(layout: str) -> None:
    for start in range(0, len(EVERY_CHARACTER), 32):
        text = EVERY_CHARACTER[start : start + 32]
        assert messages_of(hid_keyboard.encode_text(text, layout)) == [TypedLine(text)]
        assert messages_of(hid_keyboard.encode_text(text, layout), layout=layout) == [TypedLine(text)]


def test_usages_are_those_of_the_main_keys() -> None:
    assert (USAGES["1"], USAGES["0"], USAGES["a"], USAGES["Z"]) == ((0x1E, 0), (0x27, 0), (4, 0), (0x1D, 1))
    assert (USAGES[";"], USAGES["?"]) == ((0x33, 0), (0x38, 1))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_repeated_digit_needs_the_release_between(layout: str) -> None:
    reports = hid_keyboard.encode_text("0011", layout)
    size = LAYOUTS[layout].size
    assert messages_of(reports, layout=layout) == [TypedLine("0011")]
    # without the release behind the first 0, and without the one behind the first 1
    held = reports[:size] + reports[2 * size : 5 * size] + reports[6 * size :]
    assert messages_of(held, layout=layout) == [TypedLine("01")]


def test_without_enter_the_quiet_ends_the_line() -> None:
    decoder = Decoder(CODECS["hid_keyboard"])
    assert decoder.feed(hid_keyboard.encode_text("0004981422", has_enter=False)) == []
    assert decoder.idle_gap_ms == 300
    (frame,) = decoder.idle()
    assert isinstance(frame, DecodedFrame)
    assert frame.messages == (TypedLine("0004981422"),)
    assert (decoder.pending, decoder.counters["frames"]) == (0, 1)


def test_releases_alone_are_nothing() -> None:
    decoder = Decoder(CODECS["hid_keyboard"])
    assert decoder.feed(bytes(16)) == []
    (junk,) = decoder.idle()
    assert (junk.raw, decoder.pending) == (bytes(16), 0)


def test_a_few_short_reports_without_enter_are_no_line() -> None:
    for text, is_line in (("abc", False), ("abcd", True)):
        reports = hid_keyboard.encode_text(text, "short", has_enter=False)
        assert messages_of(reports, layout="short") == [TypedLine(text)] * is_line


@pytest.mark.parametrize("size", [41, 60, 64, 65, 66, 100])
def test_a_text_that_is_too_long_is_dropped_and_its_end_is_no_line(size: int) -> None:
    reports = hid_keyboard.encode_text("ab" * size, "short with id") + hid_keyboard.encode_text(
        "0815", "short with id"
    )
    assert messages_of(reports, layout="short with id") == [TypedLine("0815")]


def test_the_question_and_the_reading_agree_on_any_reports() -> None:
    """Two ways of reading the same reports: the expression that finds a line, the walk that reads it."""
    rng = random.Random(8)
    lines = 0
    for _ in range(4_000):
        name = rng.choice(list(LAYOUTS))
        layout = LAYOUTS[name]
        data = bytearray(
            hid_keyboard.encode_text("".join(rng.choices("0123abZ;?", k=rng.randrange(1, 9))), name)
        )
        for _ in range(rng.choice((0, 0, 1, 2))):
            data[rng.randrange(len(data))] = rng.choice((0, 1, 2, 4, 0x28, 0x29, 0xFF))
        end = line_question(layout)(bytes(data), 0, len(data))
        if end is not None and end > 0:
            lines += 1
            found = typed(layout, bytes(data[:end]))
            assert found is not None
            assert found.is_entered
            assert found.text
        else:
            whole = len(data) - len(data) % layout.size
            found = typed(layout, bytes(data[:whole]))
            assert found is None or not found.is_entered or not found.text or end is None or end < 0
    assert lines > 1_000


def test_no_line_is_longer_than_the_bound_of_reports() -> None:
    ask = line_question(SHORT)
    key, other, enter = b"\0\0\x1e", b"\0\0\x1f", b"\0\0\x28"
    run = (key + other) * (MOST_REPORTS // 2)
    assert ask(run + key + enter + bytes(3), 0, len(run) + 9) == len(run) + 9
    assert ask(run + key + other + enter + bytes(3), 0, len(run) + 12) is None


# -- rules

UID = "040E3BD2286B85"


@pytest.mark.parametrize(
    ("rule", "text", "tag"),
    [
        ("hex", "040e3bd2", "040E3BD2"),
        ("hex", UID, UID),
        ("hex reversed", "D23B0E04", "040E3BD2"),
        ("decimal", "0068041682", "040E3BD2"),
        ("decimal", "68041682", "040E3BD2"),
        ("decimal reversed", "3527085572", "040E3BD2"),
        ("decimal", str(int(UID, 16)), UID),
        ("decimal last 3", "0000932818", "0E3BD2"),
        ("decimal first 4", "0068041682", "040E3BD2"),
        ("hex first 4", "040E3BD2", "040E3BD2"),
        ("hex reversed last 4", "856B28D2", "D2286B85"),
        ("decimal", ";0068041682?", "040E3BD2"),
        ("  decimal   reversed ", "3527085572", "040E3BD2"),
    ],
)
def test_a_rule_makes_a_tag_of_a_text(rule: str, text: str, tag: str) -> None:
    assert tag_typed(text, typed_rule(rule)) == tag
    reports = hid_keyboard.encode_text(text)
    assert messages_of(reports, typed=rule) == [TypedLine(text), TagSeen(tag)]
    assert messages_of(reports) == [TypedLine(text)]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("hex", "040e3b"),
        ("hex", "040e3bd"),
        ("hex", "040e3bg2"),
        ("decimal", "1234567"),
        ("decimal", "00681 41682"),
        ("decimal", "1" * 25),
        ("decimal last 3", "0068041682"),
        ("hex first 4", UID),
        ("decimal", ";?"),
    ],
)
def test_a_text_that_does_not_fit_the_rule_stays_a_text(rule: str, text: str) -> None:
    found = tag_typed(text, typed_rule(rule))
    assert isinstance(found, Failure)
    assert found.reason is Reason.IMPLAUSIBLE
    assert messages_of(hid_keyboard.encode_text(text), typed=rule) == [TypedLine(text)]


@pytest.mark.parametrize(
    "rule", ["", "octal", "decimal backwards", "hex first", "hex first 2", "hex first 10", "reversed"]
)
def test_a_rule_that_there_is_not_is_refused(rule: str) -> None:
    with pytest.raises(ValueError, match="no rule for typed tags"):
        typed_rule(rule)


@pytest.mark.parametrize(
    "rule",
    [
        "hex",
        "hex reversed",
        "decimal",
        "decimal reversed",
        "hex first 4",
        "decimal last 3",
        "hex reversed last 4",
    ],
)
@pytest.mark.parametrize("tag", ["040E3BD2", UID, "E0040150A05F02B7"])
def test_what_a_reader_types_for_a_tag_names_that_tag_and_no_other(rule: str, tag: str) -> None:
    compiled = typed_rule(rule)
    named = tag_typed(text_of(tag, compiled), compiled)
    assert isinstance(named, str)
    assert is_of_tag(named, tag, compiled)
    assert not is_of_tag(named, "04FFEEDDCCBBAA", compiled)


def test_commands_layouts_and_characters_that_there_are_not() -> None:
    with pytest.raises(ValueError, match="no command"):
        hid_keyboard.encode_command(HostCommand("beep"))
    with pytest.raises(ValueError, match="no layout 'long'"):
        hid_keyboard.encode_text("1", "long")
    with pytest.raises(ValueError, match="no layout 'long'"):
        hid_keyboard.envelopes_of("long")
    with pytest.raises(ValueError, match="cannot be typed"):
        hid_keyboard.encode_text("ä")
    assert isinstance(hid_keyboard.decode("hid_keyboard", bytes(8)), Failure)
    assert hid_keyboard.decode("hid_keyboard", b"\2\0\x0b" + bytes(5)) == Decoded((TypedLine("H"),))


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("pn532", {"preset": "wohlig"}),
        ("hid_keyboard", {"preset": "wohlig"}),
        ("text_line", {"typed": "hex"}),
        ("text_line", {"layout": "boot"}),
    ],
)
def test_options_belong_to_their_kind(kind: str, options: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"for (text_line|hid_keyboard)"):
        line_codec(kind, **options)


@pytest.mark.parametrize("layout", [BOOT, SHORT], ids=["boot", "short"])
def test_the_short_way_to_a_text_is_the_long_one(layout: Layout) -> None:
    rng, quick = random.Random(9), one_by_one(layout)
    taken = 0
    for _ in range(4_000):
        text = "".join(rng.choices(EVERY_CHARACTER, k=rng.randrange(1, 9)))
        reports = bytearray(reports_of(text, layout, has_enter=rng.random() < 0.9))
        for _ in range(rng.choice((0, 0, 1, 2))):
            reports[rng.randrange(len(reports))] = rng.choice((0, 1, 2, 4, 0x28, 0x29, 0x58, 0xFF))
        if rng.random() < 0.2:
            del reports[: rng.randrange(2 * layout.size)]
        found = quick(bytes(reports))
        if found is not None:
            taken += 1
            assert typed(layout, bytes(reports)) == Typed(found, True)
            assert line_question(layout)(bytes(reports), 0, len(reports)) == len(reports)
    assert taken > 1_000
