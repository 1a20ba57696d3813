"""The reports of each kind of USB light against the documented ones, and what their echoes prove."""

import itertools

import pytest

from shoe_bridge.lights.kinds import PORT_KINDS
from shoe_bridge.lights.policy import LOOKS, Look
from shoe_bridge.lights.usb_lights import LOOKS_OF_KIND, UsbLight
from shoe_bridge.lights.usb_reports import DARK, kuando
from shoe_bridge.table.light_state import LightState
from shoe_bridge.usb_kinds import LIGHTS

ALL_WELL, ATTENTION = LightState.ALL_WELL, LightState.ATTENTION
MISDEAL, UNMONITORED = LightState.MISDEAL_ADVISED, LightState.NOT_MONITORED
GREEN, AMBER, RED, IDLE = (LOOKS[state] for state in (ALL_WELL, ATTENTION, MISDEAL, UNMONITORED))
STEADY_RED = Look("steady", 255, 0, 0, "", "")
STEADY_AMBER = Look("steady", 255, 140, 0, "", "")
SLOW_RED = Look("slow_blink", 255, 0, 0, "", "")
WATCHDOG = ["01 50 00 00 FF 00 0A 00", "01 50 00 00 00 00 BE 01", "01 44 01 01 F4 01 00 01"]
KUANDO_REST, KUANDO_END = " 00" * 49, " 00 00 00 00 0F FF"
KUANDO_ALIVE = "8F" + " 00" * 55 + KUANDO_END + " 01 9D"


def kuando_program(step: str, check: str) -> str:
    return step + KUANDO_REST + KUANDO_END + " " + check


# kind, look, reports: those of steady red, of darkness and of Kuando's blinking red are documented byte by
# byte (busylight-core 2.5.0, patlite-rs, qlight-system.com, public Delcom and LR6 programs), others by field
DOCUMENTED = [
    ("blink1", DARK, ["01 63 00 00 00 00 0A 00"]),
    ("blink1", GREEN, ["01 63 00 FF 00 00 0A 00", *WATCHDOG]),
    ("blink1", STEADY_AMBER, ["01 63 FF 8C 00 00 0A 00", *WATCHDOG]),
    ("blink1", STEADY_RED, ["01 63 FF 00 00 00 0A 00", *WATCHDOG]),
    (
        "blink1",
        RED,
        ["01 50 FF 00 00 00 0C 02", "01 50 00 00 00 00 0C 03", "01 70 01 02 03 00 00 00", *WATCHDOG],
    ),
    ("luxafor", DARK, ["01 FF 00 00 00"]),
    ("luxafor", GREEN, ["01 FF 00 FF 00"]),
    ("luxafor", STEADY_AMBER, ["01 FF FF 8C 00"]),
    ("luxafor", STEADY_RED, ["01 FF FF 00 00"]),
    ("luxafor", RED, ["03 FF FF 00 00 19 00 FF"]),
    ("kuando", DARK, [kuando_program("10 00 00 00 00 00 00", "01 1E")]),
    ("kuando", GREEN, [kuando_program("10 00 00 64 00 00 00", "01 82"), KUANDO_ALIVE]),
    ("kuando", STEADY_AMBER, [kuando_program("10 00 64 36 00 00 00", "01 B8"), KUANDO_ALIVE]),
    ("kuando", STEADY_RED, [kuando_program("10 00 64 00 00 00 00", "01 82"), KUANDO_ALIVE]),
    ("kuando", SLOW_RED, [kuando_program("10 01 64 00 00 05 05", "01 8D"), KUANDO_ALIVE]),
    ("blinkstick", DARK, ["01 00 00 00"]),
    ("blinkstick", GREEN, ["01 00 FF 00"]),
    ("blinkstick", STEADY_AMBER, ["01 FF 8C 00"]),
    ("blinkstick", STEADY_RED, ["01 FF 00 00"]),
    ("blinkstick_square", DARK, ["06 00" + " 00 00 00" * 8]),
    ("blinkstick_square", GREEN, ["06 00" + " FF 00 00" * 8]),
    ("blinkstick_square", STEADY_AMBER, ["06 00" + " 8C FF 00" * 8]),
    ("blinkstick_square", STEADY_RED, ["06 00" + " 00 FF 00" * 8]),
    ("patlite_ne", DARK, ["00 00 F0 0F 00 00 00 00"]),
    ("patlite_ne", GREEN, ["00 00 FF 0F 21 00 00 00"]),
    ("patlite_ne", STEADY_AMBER, ["00 00 FF 0F 31 00 00 00"]),
    ("patlite_ne", STEADY_RED, ["00 00 FF 0F 11 00 00 00"]),
    ("patlite_ne", RED, ["00 00 FF 0F 14 00 00 00"]),
    ("patlite_ne", IDLE, ["00 00 FF 0F 45 00 00 00"]),
    ("patlite_lr6", DARK, ["00 00 08 FF 00 00 00 00"]),
    ("patlite_lr6", GREEN, ["00 00 08 FF 00 10 00 00"]),
    ("patlite_lr6", STEADY_AMBER, ["00 00 08 FF 01 00 00 00"]),
    ("patlite_lr6", STEADY_RED, ["00 00 08 FF 10 00 00 00"]),
    ("patlite_lr6", RED, ["00 00 08 FF 40 00 00 00"]),
    ("qlight", DARK, ["57 00 00 00 00 00 00 00"]),
    ("qlight", GREEN, ["57 00 00 00 02 00 00 00"]),
    ("qlight", STEADY_AMBER, ["57 00 00 02 00 00 00 00"]),
    ("qlight", STEADY_RED, ["57 00 02 00 00 00 00 00"]),
    ("qlight", RED, ["57 00 01 00 00 00 00 00"]),
    ("delcom", DARK, ["65 0C 00 07 00 00 00 00", "65 14 07 00 00 00 00 00"]),
    ("delcom", GREEN, ["65 0C 01 06 00 00 00 00", "65 14 07 00 00 00 00 00"]),
    ("delcom", STEADY_AMBER, ["65 0C 04 03 00 00 00 00", "65 14 07 00 00 00 00 00"]),
    ("delcom", STEADY_RED, ["65 0C 02 05 00 00 00 00", "65 14 07 00 00 00 00 00"]),
    ("delcom", RED, ["65 0C 02 05 00 00 00 00", "65 16 0C 0C 00 00 00 00", "65 14 05 02 00 00 00 00"]),
    ("busylight", DARK, ["00 00 00"]),
    ("busylight", STEADY_RED, ["FF 00 00"]),
]


@pytest.mark.parametrize(("kind", "look", "reports"), DOCUMENTED)
def test_reports_are_the_documented_ones(kind: str, look: Look, reports: list[str]) -> None:
    assert [report.hex(" ").upper() for report in LOOKS_OF_KIND[kind].reports(look)] == reports


@pytest.mark.parametrize("look", [DARK, *LOOKS.values()], ids=lambda look: look.pattern)
def test_a_kuando_report_is_64_bytes_and_ends_with_its_sum(look: Look) -> None:
    for report in kuando(look):
        assert len(report) == 64
        assert int.from_bytes(report[62:], "big") == sum(report[:62])


@pytest.mark.parametrize("kind", LOOKS_OF_KIND)
def test_no_two_states_look_the_same(kind: str) -> None:
    shown = {state: LOOKS_OF_KIND[kind].reports(look) for state, look in LOOKS.items()}
    for one, other in itertools.combinations(shown.values(), 2):
        assert one != other


@pytest.mark.parametrize("kind", LOOKS_OF_KIND)
def test_what_forgets_is_told_again_long_before(kind: str) -> None:
    look = LOOKS_OF_KIND[kind]
    assert look.keep_alive_ms > 0
    if look.dark_after_ms is not None:
        assert 2 * look.keep_alive_ms + UsbLight.confirm_ms < look.dark_after_ms


def test_every_light_of_the_table_has_reports_and_a_way_there() -> None:
    assert set(LIGHTS) == set(LOOKS_OF_KIND) - {"busylight"}
    for kind in LIGHTS:
        assert isinstance(PORT_KINDS[kind].make("dealer", None), UsbLight)


def test_a_state_is_confirmed_when_all_its_reports_were_taken() -> None:
    light = UsbLight("delcom")
    reports = light.show(ATTENTION)
    assert [light.take(report) for report in reports] == [None, None, ATTENTION]
    assert light.take(reports[-1]) is None


def test_what_was_taken_of_an_earlier_state_confirms_nothing() -> None:
    light = UsbLight("delcom")
    late = light.show(ATTENTION)
    reports = light.show(MISDEAL)
    assert [light.take(report) for report in late] == [None, None, None]
    assert [light.take(report) for report in reports] == [None, None, MISDEAL]


@pytest.mark.parametrize(
    ("state", "rhythm"),
    [
        (ALL_WELL, "11111111"),
        (ATTENTION, "11110000"),
        (MISDEAL, "10101010"),
        (UNMONITORED, "1000000000000000"),
    ],
)
def test_a_light_without_a_rhythm_blinks_by_its_renewals(state: LightState, rhythm: str) -> None:
    light = UsbLight("blinkstick")
    shown = ["1" if any(light.show(state)[0][1:]) else "0" for _ in rhythm * 2]
    assert light.keep_alive_ms == 125
    assert "".join(shown) == rhythm * 2


def test_a_new_state_begins_lit() -> None:
    light = UsbLight("blinkstick")
    for _ in range(5):
        light.show(ATTENTION)
    assert light.show(MISDEAL) == [b"\x01\xff\x00\x00"]
