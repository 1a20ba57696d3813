import pytest

from protocol.codec import CODECS
from protocol.hid_reports import LAYOUTS
from protocol.messages import Message, TagSeen, TypedLine
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.link.line_codecs import line_codec
from shoe_bridge.sim.hid_keyboard_device import REPORT_MS, HidKeyboardDevice
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.sim_table import SimTable
from shoe_bridge.sim.world import World

NINE, TEN = "040E3BD2", "0406B902"


@pytest.fixture
def world() -> World:
    return World()


def wedge(world: World, **options: object) -> HidKeyboardDevice:
    return HidKeyboardDevice("wedge-1", air=Air(world), antennas={1: "muck"}, cycle_ms=100, **options)  # type: ignore[arg-type]


def said(stream: bytes, rule: str | None = None) -> list[Message]:
    decoder = Decoder(CODECS["hid_keyboard"] if rule is None else line_codec("hid_keyboard", typed=rule))
    results = decoder.feed(stream) + decoder.finish()
    return [m for result in results if isinstance(result, DecodedFrame) for m in result.messages]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("rule", ["hex", "decimal", "decimal reversed"])
def test_a_card_is_typed_once_while_it_lies_there(world: World, rule: str, layout: str) -> None:
    device = wedge(world, rule=rule, layout=layout)
    world.place(NINE, "muck")
    text, tag = said(device.advance(5_000), rule)
    assert isinstance(text, TypedLine)
    assert tag == TagSeen(NINE)
    world.lift(NINE)
    assert device.advance(6_000) == b""
    world.place(NINE, "muck")
    assert said(device.advance(8_000), rule)[1] == TagSeen(NINE)


def test_the_topmost_of_a_pile_is_read(world: World) -> None:
    device = wedge(world)
    world.place(NINE, "muck")
    device.advance(1_000)
    world.place(TEN, "muck")
    assert said(device.advance(2_000)) == [TypedLine(TEN)]
    world.lift(TEN)
    assert said(device.advance(3_000)) == [TypedLine(NINE)]


def test_reports_come_one_after_the_other(world: World) -> None:
    device = wedge(world)
    device.type_text("42")
    assert device.advance(REPORT_MS - 1) == b""
    assert len(device.advance(REPORT_MS)) == 8
    assert device.next_due_ms() == 2 * REPORT_MS
    assert len(device.advance(200)) == 5 * 8


def test_without_enter_and_with_lost_reports(world: World) -> None:
    device = wedge(world, has_enter=False)
    device.type_text("0815")
    assert said(device.advance(90)) == [TypedLine("0815")]
    device.lose_reports(2)
    device.type_text("0815")
    assert said(device.advance(500)) == [TypedLine("815")]


def test_unplugged_it_types_nothing(world: World) -> None:
    device = wedge(world)
    world.place(NINE, "muck")
    device.unplug()
    assert device.advance(1_000) == b""
    device.replug()
    device.take(b"anything", 1_000)
    assert said(device.advance(2_000)) == [TypedLine(NINE)]


def test_a_configured_reader_is_built_with_its_rule() -> None:
    entry = {"name": "wedge-1", "kind": "hid_keyboard", "antennas": {"1": "muck"}, "typed": "decimal"}
    table = SimTable({"device": [entry]}, Air(World()))
    table.world.place(NINE, "muck")
    assert said(table.devices["wedge-1"].advance(3_000), "decimal")[1] == TagSeen(NINE)
