import pytest

from protocol import text_line
from protocol.codec import CODECS
from protocol.messages import Message, TagGone, TagSeen, TypedLine
from shoe_bridge.errors import ConfigError
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.link.deframer import Junk
from shoe_bridge.link.line_codecs import line_codec
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.sim_table import SimTable, equipment
from shoe_bridge.sim.text_line_device import BANNER, BOOT_MS, GONE_FORM, TextLineDevice, form_for
from shoe_bridge.sim.world import World

NINE, TEN = "E00401500000000A", "E00401500000000B"


@pytest.fixture
def world() -> World:
    return World()


def board(world: World, **options: object) -> TextLineDevice:
    antennas = {0: "seat 1", 1: "seat 2"}
    return TextLineDevice("reader-1", air=Air(world), antennas=antennas, cycle_ms=100, **options)  # type: ignore[arg-type]


def said(stream: bytes, *patterns: str) -> list[Message]:
    codec = line_codec("text_line", patterns=patterns) if patterns else CODECS["text_line"]
    results = Decoder(codec).feed(stream)
    assert [result for result in results if isinstance(result, Junk)] == []
    return [m for result in results if isinstance(result, DecodedFrame) for m in result.messages]


def test_a_line_comes_in_every_poll_while_the_tag_stays(world: World) -> None:
    device = board(world)
    assert device.advance(200) == b""
    world.place(NINE, "seat 2")
    assert said(device.advance(500)) == [TagSeen(NINE, 1)] * 3
    world.lift(NINE)
    assert device.advance(1_000) == b""
    assert device.now_ms == 1_000


def test_a_line_is_said_once_and_again_after_the_tag_was_away(world: World) -> None:
    device = board(world, repeats=False)
    world.place(NINE, "seat 1")
    assert said(device.advance(1_000)) == [TagSeen(NINE, 0)]
    world.lift(NINE)
    assert device.advance(2_000) == b""
    world.place(NINE, "seat 1")
    assert said(device.advance(3_000)) == [TagSeen(NINE, 0)]


def test_departures_are_printed_where_the_program_does(world: World) -> None:
    device = board(world, repeats=False, form="in_out")
    world.place(NINE, "seat 1")
    world.place(TEN, "seat 2")
    device.advance(500)
    world.lift(NINE)
    assert said(device.advance(1_000), GONE_FORM) == [TagGone(NINE, 0)]


@pytest.mark.parametrize("form", ["wohlig", "arduino"])
def test_other_forms_name_no_antenna(world: World, form: str) -> None:
    one = TextLineDevice("reader-1", air=Air(world), antennas={4: "seat 1"}, cycle_ms=100, form=form)
    several = board(world, form=form)
    world.place(NINE, "seat 1")
    assert said(one.advance(100)) == [TagSeen(NINE)]
    assert several.advance(1_000) == b""  # of two antennas nobody could tell which


PAIRS = r"at (?P<antenna>[0-9]) (?P<uid>[0-9A-F]{14})"


@pytest.mark.parametrize(
    ("preset", "patterns", "form"),
    [
        ("hedley", (), "hedley"),
        (None, (), "auto"),
        (None, (GONE_FORM,), "in_out"),
        (None, (r"Player (?P<antenna>[0-9]) Card UID: (?P<uid>[0-9A-F ]{11})",), "dubsa"),
    ],
)
def test_a_reader_prints_its_preset_or_what_its_own_patterns_read(
    preset: str | None, patterns: tuple[str, ...], form: str
) -> None:
    assert form_for("reader-1", preset, patterns, {0: "seat 1", 1: "seat 2"}) == form


def test_a_reader_whose_own_lines_nobody_prints_is_refused() -> None:
    with pytest.raises(ConfigError, match="device reader-1 prints lines of the house's own"):
        form_for("reader-1", None, (PAIRS,), {0: "seat 1", 1: "seat 2"})


def test_a_restart_is_a_banner_and_everything_again(world: World) -> None:
    device = board(world, repeats=False)
    world.place(NINE, "seat 1")
    device.advance(500)
    device.reboot()
    assert device.advance(500 + BOOT_MS - 1) == b""
    assert said(device.advance(1_000)) == [TypedLine(BANNER.decode().strip()), TagSeen(NINE, 0)]


def test_unplugged_it_is_silent_and_a_replug_is_a_restart(world: World) -> None:
    device = board(world, repeats=False)
    world.place(NINE, "seat 1")
    device.advance(500)
    device.unplug()
    assert device.advance(800) == b""
    device.replug()
    assert said(device.advance(1_500))[1:] == [TagSeen(NINE, 0)]
    device.take(b"anything", 1_500)
    assert device.advance(1_600) == b""


def test_faults_on_the_line(world: World) -> None:
    device = board(world)
    world.place(NINE, "seat 1")
    whole = device.advance(100)
    device.garble_next()
    (junk, good) = Decoder(CODECS["text_line"]).feed(device.advance(300))
    assert isinstance(junk, Junk)
    assert (len(junk.raw), good.raw) == (len(whole), whole)
    device.lose_next(5)
    assert device.advance(400) == whole[5:]
    device.say(b"hello")
    assert device.advance(401) == b"hello\r\n"
    device.hang()
    assert device.advance(5_000) == b""
    device.reboot()
    assert whole in device.advance(6_000)


def test_a_table_of_text_lines_has_one_board_for_all_places() -> None:
    config = equipment("text_line")
    (reader,) = [entry for entry in config["device"] if entry["kind"] == "text_line"]
    assert reader["preset"] == "whywaita"
    table = SimTable(config, Air(World()))
    device = table.devices["reader-1"]
    assert isinstance(device, TextLineDevice)
    table.world.place(NINE, "board")
    number = next(int(key) for key, place in reader["antennas"].items() if place == "board")
    assert text_line.encode_line("whywaita", NINE, number) in device.advance(400)
    assert table.settle_ms >= reader["hold_ms"] + reader["cycle_ms"]
