"""A scenario at a table with a USB light: what is seen of it is judged by the bytes that it was written."""

import json
from pathlib import Path

import msgspec
import pytest
from light_looks import looks_of

from shoe_bridge.cli import run_command
from shoe_bridge.cli.scenario_light import DrivenLight
from shoe_bridge.cli.scenario_run import Played, play
from shoe_bridge.errors import UsageError
from shoe_bridge.lights import usb_lights
from shoe_bridge.lights.policy import Look
from shoe_bridge.sim.light_looks import OFF
from shoe_bridge.sim.scenario import load_scenario, parse_scenario
from shoe_bridge.sim.usb_light_device import HEADS, UsbLightDevice
from shoe_bridge.table.light_state import LightState

FOLDER = Path(__file__).parents[2] / "scenarios"
WRONG_SEAT = FOLDER / "S03a.toml"
LINKED = FOLDER / "linked" / "L01.toml"
FILE = """\
id = "light"
title = "The second card goes to the wrong seat, and the light is unplugged meanwhile"
profile = "nz-1999"
game = "holdem"
seats = [1, 2, 3]
button = 3
light = "{kind}"
steps = ["shuffle", "cut", "deal 1 -> seat 1", "deal 2 -> seat 3", "wait 3000", "replug light-1", "wait 3000"]

[[expect]]
kind = "light"
after = 3
colour = "green"
rhythm = "steady"

[[expect]]
kind = "light"
after = 5
colour = "{colour}"
rhythm = "{rhythm}"

[[expect]]
kind = "light"
colour = "{colour}"
rhythm = "{rhythm}"
"""


def file_of(kind: str) -> str:
    colour, rhythm = looks_of(kind)[LightState.ATTENTION]
    return FILE.format(kind=kind, colour=colour, rhythm=rhythm)


def lights_of(played: Played) -> list[tuple[int, str, str]]:
    return [(one["after"], one["colour"], one["rhythm"]) for one in played.findings if one["kind"] == "light"]


@pytest.mark.parametrize("kind", HEADS)
def test_a_light_of_each_kind_is_played_and_judged(kind: str) -> None:
    played = play(parse_scenario(file_of(kind), "light"))
    assert played.verdict.passed, played.line
    assert lights_of(played)[0][1:] == looks_of(kind)[LightState.ALL_WELL]
    assert len([one for one in played.findings if one.get("withdrawn_after") is None]) > 1


def test_a_light_that_shows_something_else_fails_the_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it would if the encoder had red and green exchanged."""

    def exchanged(look: Look) -> tuple[bytes, ...]:
        return ((b"\x01" + bytes((look.green, look.red, look.blue))),)

    wrong = msgspec.structs.replace(usb_lights.LOOKS_OF_KIND["blinkstick"], reports=exchanged)
    kinds = {**usb_lights.LOOKS_OF_KIND, "blinkstick": wrong}
    monkeypatch.setattr(usb_lights, "LOOKS_OF_KIND", kinds)
    played = play(parse_scenario(file_of("blinkstick"), "light"))
    assert not played.verdict.passed
    assert [wanted["kind"] for wanted in played.verdict.missing] == ["light"] * 3
    assert (0, "red", "steady") in lights_of(played)


def test_any_file_is_looked_at_with_a_light(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["scenario", "--json", "--light", "qlight", str(WRONG_SEAT), str(LINKED)]) == 0
    wrong_seat, linked = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    seen = [one for one in wrong_seat["findings"] if one["kind"] == "light"]
    assert [(one["after"], one["withdrawn_after"], one["colour"], one["rhythm"]) for one in seen] == [
        (0, 5, "green", "steady"),
        (5, None, "amber", "blink"),
    ]
    assert not [one for one in linked["findings"] if one["kind"] == "light"]
    assert run_command(["scenario", "--light", "lantern", str(WRONG_SEAT)]) == 2
    assert "'lantern' is no light that is simulated: use blink1 or luxafor" in capsys.readouterr().err


def test_without_a_light_nobody_looks_and_nothing_can_be_expected_of_one() -> None:
    assert lights_of(play(load_scenario(WRONG_SEAT))) == []
    text = file_of("blink1").replace('light = "blink1"\n', "").replace('"replug light-1", ', "")
    assert play(parse_scenario(text, "light")).verdict.unsupported == ("light",)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"blink1"', '"lantern"', "light 'lantern' is not known: use one of blink1, luxafor"),
        ("seats = [1, 2, 3]", "tables = { A = [1], B = [2] }", "'light' is for one table: name 'seats'"),
    ],
)
def test_what_a_light_of_a_file_cannot_be(old: str, new: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_scenario(file_of("blink1").replace(old, new), "light")


# -- the driver at the light


def driven(kind: str) -> tuple[UsbLightDevice, DrivenLight]:
    device = UsbLightDevice("light-1", kind)
    light = DrivenLight(device)
    light.desire(LightState.ALL_WELL)
    return device, light


def run(light: DrivenLight, from_ms: int, until_ms: int) -> None:
    """As a player does: at each time that is due."""
    at_ms = from_ms
    while at_ms < until_ms:
        assert light.advance(at_ms) == b""
        due_ms = light.next_due_ms()
        at_ms = max(at_ms + 1, min(until_ms, at_ms + 50 if due_ms is None else due_ms))


@pytest.mark.parametrize("kind", HEADS)
def test_a_light_that_forgets_is_told_again_within_the_time_of_its_renewal(kind: str) -> None:
    device, light = driven(kind)
    run(light, 0, 20_000)  # longer than any of them remembers by itself
    assert device.seen(20_000) == looks_of(kind)[LightState.ALL_WELL]
    assert len(device.history) == 1
    device.forget()
    assert device.shown == OFF
    run(light, 20_000, 20_001 + usb_lights.LOOKS_OF_KIND[kind].keep_alive_ms)
    assert device.shown == looks_of(kind)[LightState.ALL_WELL]


@pytest.mark.parametrize("kind", ["blink1", "kuando", "luxafor"])
def test_a_light_that_stops_reading_shows_what_its_kind_does_then_and_the_newest_state_later(
    kind: str,
) -> None:
    device, light = driven(kind)
    run(light, 0, 1_000)
    device.is_reading = False
    light.desire(LightState.ATTENTION)
    run(light, 1_000, 20_000)
    left = {"blink1": looks_of(kind)[LightState.NOT_MONITORED], "kuando": OFF}
    assert device.seen(20_000) == left.get(kind, looks_of(kind)[LightState.ALL_WELL])
    light.desire(LightState.MISDEAL_ADVISED)
    device.is_reading = True
    run(light, 20_000, 26_000)
    assert device.seen(26_000) == looks_of(kind)[LightState.MISDEAL_ADVISED]
    assert looks_of(kind)[LightState.ATTENTION] not in [shown for _, shown in device.history]


def test_an_unplugged_light_is_dark_and_told_the_newest_state_when_it_is_back() -> None:
    device, light = driven("patlite_ne")
    run(light, 0, 1_000)
    light.is_plugged = False
    light.desire(LightState.MISDEAL_ADVISED)
    run(light, 1_000, 3_000)
    light.take(b"anything", 3_000)
    assert (device.shown, device.is_plugged) == (OFF, False)
    light.is_plugged = True
    run(light, 3_000, 3_100)
    assert device.shown == looks_of("patlite_ne")[LightState.MISDEAL_ADVISED]
