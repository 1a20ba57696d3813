"""The simulated NE-USB, alone and on its link."""

import pytest

from protocol.patlite_ne import control
from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.presence import Presence
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.patlite_device import DARK, PatliteDevice
from shoe_bridge.sim.sim_table import SimTable
from shoe_bridge.sim.world import World
from shoe_bridge.table.observations import AnyObservation, KeyPressed, LinkLost, LinkRestored

MS = 1_000_000
GET_STATE = b"\x00\x80" + bytes(6)
GREEN, RED = control("steady", 0, 255, 0), control("fast_blink", 255, 0, 0)


class Line:
    """The device on a link, turn by turn of 10 ms."""

    def __init__(self, device: PatliteDevice) -> None:
        self.device = device
        self.link = DeviceLink(
            LinkConfig("touch-1", "patlite_ne", keys={1: "acknowledge"}), Presence(), lambda tag: True
        )
        self.now_ms = 0
        self.link.opened(0, 1)

    def run(self, duration_ms: int) -> list[AnyObservation]:
        seen: list[AnyObservation] = []
        for _ in range(duration_ms // 10):
            self.now_ms += 10
            seen += self.link.tick(self.now_ms * MS)
            for report in self.link.sends():
                self.device.take(report, self.now_ms)
            said = self.device.advance(self.now_ms)
            if said:
                seen += self.link.take(said, self.now_ms * MS)
        return seen


@pytest.fixture
def line() -> Line:
    return Line(PatliteDevice("touch-1"))


def test_a_touch_is_one_press_of_its_key(line: Line) -> None:
    assert [type(one) for one in line.run(500)] == [LinkRestored]
    line.device.press()
    (pressed,) = line.run(500)
    assert isinstance(pressed, KeyPressed)
    assert pressed.key == "acknowledge"
    assert line.device.asked > 10


def test_it_shows_what_it_was_told_last_and_is_dark_without_its_plug() -> None:
    device = PatliteDevice("touch-1")
    device.take(GREEN + RED[:3], 1)
    device.advance(2)
    assert device.shown == GREEN
    device.take(RED[3:], 3)
    device.take(RED, 4)
    device.advance(5)
    assert device.history == [(1, GREEN), (3, RED)]
    device.unplug()
    assert device.shown == DARK
    device.take(GREEN, 6)
    device.replug()
    device.advance(7)
    assert device.shown == DARK
    device.take(b"\x01" + bytes(7), 8)
    assert device.ignored == 1


def test_one_that_does_not_answer_is_lost_and_comes_back(line: Line) -> None:
    line.run(100)
    line.device.ignore_next(8)
    assert [type(one) for one in line.run(4_000)] == [LinkLost]
    assert [type(one) for one in line.run(2_000)] == [LinkRestored]


def test_its_key_is_pressed_at_a_simulated_table() -> None:
    keys = {"1": "acknowledge"}
    table = SimTable({"device": [{"name": "touch-1", "kind": "patlite_ne", "keys": keys}]}, Air(World()))
    device = table.device("touch-1")
    table.press("acknowledge")
    device.take(GET_STATE, 0)
    assert device.advance(10) == b"\x00\x01"
    device.take(GET_STATE, 500)
    assert device.advance(510) == b"\x00\x00"
