"""The simulated USB lights: documented reports, what the bridge writes, and what a light does by itself."""

import pytest
from light_looks import looks_of

from shoe_bridge.errors import ConfigError
from shoe_bridge.lights.policy import LOOKS
from shoe_bridge.lights.usb_lights import LOOKS_OF_KIND, UsbLight
from shoe_bridge.sim.light_looks import OFF, Shown, colour_of, rhythm_of
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.patlite_device import PatliteDevice
from shoe_bridge.sim.sim_table import SimTable
from shoe_bridge.sim.usb_light_device import HEADS, UsbLightDevice
from shoe_bridge.sim.world import World
from shoe_bridge.table.light_state import LightState
from shoe_bridge.usb_kinds import LIGHTS

ATTENTION, UNMONITORED = LightState.ATTENTION, LightState.NOT_MONITORED
RED, GREEN, BLUE, AMBER = (Shown(colour, "steady") for colour in ("red", "green", "blue", "amber"))
KUANDO_REST = "00" * 49 + "000000000FFF"
KUANDO_RED = "10006400000000" + KUANDO_REST + "0182"
KUANDO_ALIVE = "8F" + "00" * 55 + "000000000FFF" + "019D"


def light(kind: str, *reports: str, at_ms: int = 0) -> UsbLightDevice:
    device = UsbLightDevice("dealer", kind)
    for report in reports:
        device.take(bytes.fromhex(report), at_ms)
    return device


# as the makers and public programs print them, or made by their byte tables
DOCUMENTED = [
    ("blink1", ["0163FF0000000A00"], RED),
    ("blink1", ["016300FF0003E801"], GREEN),
    ("blink1", ["016E0000FF000000"], BLUE),
    ("blink1", ["0150FF0000000500", "0150000000000501", "0170010001000000"], Shown("red", "fast")),
    ("blink1", ["0150FF8C00003200", "0150000000003201", "0170010001000000"], Shown("amber", "slow")),
    ("blink1", ["0150FF0000000A00", "015000FF00000A01", "0170010001000000"], Shown("mixed", "steady")),
    ("blink1", ["0150FF0000000A00", "0170010000000000", "0170000000000000"], OFF),
    ("blink1", ["0163FF0000000A00", "01440101F4000000"], OFF),  # a watchdog that does not keep it lit
    ("luxafor", ["01FFFF0000"], RED),
    ("luxafor", ["02FFFF00000A03"], RED),
    ("luxafor", ["02FF00FF000A"], GREEN),
    ("luxafor", ["0141FF0000"], Shown("mixed", "steady")),
    ("luxafor", ["0141FF0000", "0142FF0000"], RED),
    ("luxafor", [f"010{n}0000FF" for n in range(1, 7)], BLUE),
    ("luxafor", ["03FFFF000019000A"], Shown("red", "fast")),
    ("kuando", [KUANDO_RED], RED),
    ("kuando", ["10016400000505" + KUANDO_REST + "018D"], Shown("red", "slow")),
    ("kuando", ["10000000000000" + KUANDO_REST + "011E"], OFF),
    ("blinkstick", ["01FF0000"], RED),
    ("blinkstick", ["0100FF00"], GREEN),
    ("blinkstick_square", ["0600" + "00FF00" * 8], RED),
    ("blinkstick_square", ["0600" + "FF0000" * 8], GREEN),
    ("blinkstick_square", ["01FF0000"], Shown("mixed", "steady")),
    ("blinkstick_square", ["0600" + "00FF00" * 8, "0500070000FF"], Shown("mixed", "steady")),
    ("patlite_ne", ["0000FF0F11000000"], RED),
    ("patlite_ne", ["0000FF0F21000000"], GREEN),
    ("patlite_ne", ["0000F00F00000000"], OFF),
    ("patlite_ne", ["0000FF0F76000000"], Shown("white", "blink")),
    ("patlite_lr6", ["000008FF10000000"], RED),
    ("patlite_lr6", ["000008FF01000000"], AMBER),
    ("patlite_lr6", ["000008FF00010000"], BLUE),
    ("patlite_lr6", ["000008FF10100000"], Shown("red+green", "steady")),
    ("patlite_lr6", ["000008FF10000000", "000008FF88880000"], RED),
    ("patlite_lr6", ["000008FF10000000", "000008FF00000000"], OFF),
    ("qlight", ["5700020000000000"], RED),
    ("qlight", ["5700000100000000"], Shown("amber", "blink")),
    ("qlight", ["5700000000000200"], Shown("white", "steady")),
    ("delcom", ["650C010000000000"], GREEN),
    ("delcom", ["650C010000000000", "650C000100000000"], OFF),
    ("delcom", ["6502F50000000000"], RED),
    ("delcom", ["6502F60000000000"], GREEN),
    ("delcom", ["6502F70000000000"], OFF),
    ("delcom", ["650C040000000000", "65170C0C00000000", "6514000400000000"], Shown("amber", "fast")),
    ("delcom", ["650C020000000000", "6514000200000000", "6514020000000000"], RED),
]


@pytest.mark.parametrize(("kind", "reports", "shown"), DOCUMENTED)
def test_documented_reports_are_seen_as_they_say(kind: str, reports: list[str], shown: Shown) -> None:
    assert light(kind, *reports).shown == shown


@pytest.mark.parametrize("kind", HEADS)
@pytest.mark.parametrize("state", LightState)
def test_what_the_bridge_writes_is_seen_as_the_dealer_must_see_it(kind: str, state: LightState) -> None:
    device, driver = UsbLightDevice("dealer", kind), UsbLight(kind)
    at_ms = 0
    for at_ms in range(0, 4_100, driver.keep_alive_ms):
        for report in driver.show(state):
            assert device.obey(report, at_ms), report.hex()
    assert device.seen(at_ms) == looks_of(kind)[state]
    assert device.ignored == 0
    assert set(HEADS) == set(LIGHTS)


@pytest.mark.parametrize(
    ("kind", "report"),
    [
        ("blink1", "0263FF0000000A00"),
        ("blink1", "0178FF0000000A00"),
        ("blink1", "0163FF0000000A"),
        ("luxafor", "07FFFF0000"),
        ("luxafor", "0107FF0000"),
        ("luxafor", "0100FF0000"),
        ("luxafor", "01FFFF00"),
        ("luxafor", ""),
        ("kuando", KUANDO_RED[:-2] + "83"),  # a wrong sum
        ("kuando", KUANDO_RED[:-4]),
        ("kuando", "10006500000000" + KUANDO_REST + "0183"),  # more than 100 %
        ("kuando", "11006400000000" + KUANDO_REST + "0183"),  # a jump to a step that is not there
        ("blinkstick", "0600" + "00FF00" * 8),
        ("blinkstick", "01FF00"),
        ("blinkstick_square", "0600" + "00FF00" * 7),
        ("blinkstick_square", "050008FF0000"),
        ("patlite_ne", "0100FF0F11000000"),
        ("patlite_ne", "0000FF0F18000000"),
        ("patlite_ne", "0000FF0F11"),
        ("patlite_lr6", "000008FF60000000"),
        ("patlite_lr6", "010008FF10000000"),
        ("qlight", "5700030000000000"),
        ("qlight", "5600020000000000"),
        ("delcom", "6599010000000000"),
        ("delcom", "660C010000000000"),
    ],
)
def test_what_is_no_command_changes_nothing_and_is_counted(kind: str, report: str) -> None:
    device = light(kind)
    assert not device.obey(bytes.fromhex(report), 0)
    assert (device.shown, device.ignored, device.taken, device.history) == (OFF, 1, 0, [])


def test_a_kuando_goes_dark_15_s_after_it_was_told_last() -> None:
    device = light("kuando", KUANDO_RED)
    assert device.next_due_ms() == 15_000
    device.take(bytes.fromhex(KUANDO_ALIVE), 10_000)
    assert device.next_due_ms() == 25_000
    assert device.advance(24_999) == b""
    assert device.shown == RED
    device.advance(30_000)
    assert device.history == [(0, RED), (25_000, OFF)]
    assert device.next_due_ms() is None
    device.take(bytes.fromhex(KUANDO_ALIVE), 31_000)  # the program is there still
    assert device.shown == RED


def test_a_blink1_says_by_itself_that_nobody_renews_what_it_shows() -> None:
    device = UsbLightDevice("dealer", "blink1")
    for report in LOOKS_OF_KIND["blink1"].reports(LOOKS[ATTENTION]):
        device.take(report, 1_000)
    assert device.seen(5_999) == looks_of("blink1")[ATTENTION]
    assert device.seen(6_000) == looks_of("blink1")[UNMONITORED]
    assert [at_ms for at_ms, _ in device.history] == [1_000, 6_000]


def test_a_luxafors_strobe_ends_after_its_times() -> None:
    device = light("luxafor", "03FFFF0000190004")
    assert device.seen(999) == Shown("red", "fast")
    assert device.seen(1_000) == OFF
    assert light("luxafor", "03FFFF0000190000").seen(100_000) == Shown("red", "fast")


def test_a_light_blinked_by_its_host_is_seen_to_blink_once_it_was_lit_and_dark() -> None:
    device = light("blinkstick")
    red, dark, green = (bytes.fromhex(report) for report in ("01FF0000", "01000000", "0100FF00"))
    device.take(red, 5_000)
    assert device.seen(5_100) == RED
    device.take(dark, 5_125)
    assert device.seen(5_200) == OFF
    device.take(red, 5_250)
    assert device.seen(5_251) == Shown("red", "fast")
    device.take(dark, 5_375)
    assert device.seen(5_400) == Shown("red", "fast")
    device.take(green, 5_500)
    assert device.seen(5_501) == GREEN
    device.take(red, 6_000)
    assert device.seen(9_000) == RED


@pytest.mark.parametrize("kind", HEADS)
def test_it_forgets_stops_reading_and_is_unplugged_on_request(kind: str) -> None:
    device, driver = UsbLightDevice("dealer", kind), UsbLight(kind)

    def show(state: LightState, at_ms: int) -> None:
        for report in driver.show(state):
            device.take(report, at_ms)

    green = looks_of(kind)[LightState.ALL_WELL]
    show(LightState.ALL_WELL, 10)
    assert device.shown == green
    device.forget()
    assert device.shown == OFF
    show(LightState.ALL_WELL, 20)
    device.is_reading = False
    show(LightState.MISDEAL_ADVISED, 30)
    assert device.shown == green
    device.is_reading = True
    device.unplug()
    show(LightState.ALL_WELL, 40)
    assert (device.shown, device.next_due_ms()) == (OFF, None)
    device.replug()
    assert device.shown == OFF
    show(LightState.ALL_WELL, 50)
    assert [shown for _, shown in device.history] == [green, OFF, green, OFF, green]


def test_a_table_has_the_light_that_its_configuration_names() -> None:
    lights = [{"name": kind, "kind": kind, "port": "usb@1-1"} for kind in HEADS]
    on_a_device = {"name": "lamp", "kind": "patlite_ne", "device": "touch-1"}
    table = SimTable({"light": [*lights, on_a_device]}, Air(World()))
    assert {name: device.kind for name, device in table.devices.items()} == {kind: kind for kind in HEADS}
    with pytest.raises(ConfigError, match="light x is a 'busylight': of USB lights blink1, luxafor"):
        UsbLightDevice("x", "busylight")


def test_a_patlite_with_a_touch_sensor_is_seen_alike() -> None:
    device = PatliteDevice("touch-1")
    assert device.look == OFF
    device.take(bytes.fromhex("0000FF0F14000000"), 1)
    device.advance(2)
    assert device.look == Shown("red", "fast")


@pytest.mark.parametrize(
    ("rgb", "word"),
    [
        ((0, 0, 0), "off"),
        ((255, 0, 0), "red"),
        ((1, 0, 0), "red"),
        ((255, 140, 0), "amber"),
        ((100, 54, 0), "amber"),
        ((0, 255, 0), "green"),
        ((0, 0, 255), "blue"),
        ((255, 255, 255), "white"),
        ((140, 255, 0), "mixed"),
        ((0, 255, 255), "mixed"),
        ((255, 0, 140), "mixed"),
    ],
)
def test_colours_in_words(rgb: tuple[int, int, int], word: str) -> None:
    assert colour_of(*rgb) == word


def test_rhythms_in_words() -> None:
    times = [(0, 100), (100, 0), (500, 500), (125, 125), (100, 1_900), (1_000, 1_000), (100, 400)]
    assert [rhythm_of(*each) for each in times] == [
        "off",
        "steady",
        "slow",
        "fast",
        "flash",
        "flash",
        "flash",
    ]
