"""The simulated keypad, alone, on its link, and at a simulated table."""

import pytest

from protocol.hid_reports import LAYOUTS
from shoe_bridge.errors import ConfigError
from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.presence import Presence
from shoe_bridge.sim.hid_keypad_device import REPORT_MS, HidKeypadDevice
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.sim_table import SimTable
from shoe_bridge.sim.world import World
from shoe_bridge.table.observations import KeyPressed

MS = 1_000_000
F1, F2, F3 = 0x3A, 0x3B, 0x3C
NAMES = {F1: "shuffle", F2: "cut", F3: "push"}


class Line:
    """The device on a link, turn by turn of 10 ms."""

    def __init__(self, device: HidKeypadDevice, layout: str = "boot") -> None:
        self.device = device
        config = LinkConfig("pad-1", "hid_keyboard", keys=NAMES, layout=layout)
        self.link = DeviceLink(config, Presence(), lambda tag: True)
        self.now_ms = 0
        self.link.opened(0, 1)
        self.run(1_000)

    def run(self, duration_ms: int) -> list[str]:
        """The keys that were pressed meanwhile."""
        seen = []
        for _ in range(duration_ms // 10):
            self.now_ms += 10
            seen += self.link.tick(self.now_ms * MS)
            said = self.device.advance(self.now_ms)
            if said:
                seen += self.link.take(said, self.now_ms * MS)
        return [one.key for one in seen if isinstance(one, KeyPressed)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_press_is_one_report_down_and_one_up(layout: str) -> None:
    device = HidKeypadDevice("pad-1", layout=layout)
    device.press(F1)
    assert device.advance(REPORT_MS - 1) == b""
    assert len(device.advance(REPORT_MS)) == LAYOUTS[layout].size
    assert device.held == (F1,)
    assert len(device.advance(1_000)) == LAYOUTS[layout].size
    assert device.held == ()
    line = Line(HidKeypadDevice("pad-1", layout=layout), layout)
    for key in (F1, F1, F2):
        line.device.press(key)
        assert line.run(300) == [NAMES[key]]
    assert line.link.refusal is None


def test_held_and_repeated_it_is_one_press() -> None:
    line = Line(HidKeypadDevice("pad-1", repeat_ms=40))
    line.device.press(F1, held_ms=2_000)
    assert line.run(3_000) == ["shuffle"]
    assert line.link.counters["frames"] > 40


def test_a_chord_with_gaps_left_and_filled_again() -> None:
    line = Line(HidKeypadDevice("pad-1", leaves_gaps=True))
    line.device.hold(F1, F2, modifiers=0x02)
    assert line.run(100) == ["shuffle", "cut"]
    line.device.release(F1)
    assert line.run(100) == []
    assert line.device.held == (F2,)
    line.device.hold(F3)
    assert line.run(100) == ["push"]
    assert line.device.held == (F3, F2)
    line.device.release()
    assert (line.run(100), line.device.held) == ([], ())


def test_more_keys_than_a_report_has_places_are_no_press() -> None:
    line = Line(HidKeypadDevice("pad-1"))
    line.device.hold(*range(0x04, 0x0A))
    line.run(50)
    line.device.hold(F1)
    assert line.run(100) == []
    assert line.link.counters["rollovers"] == 1
    line.device.release(*range(0x04, 0x0A))
    assert line.run(100) == ["shuffle"]  # it is down still, and now the report can say so


def test_a_lost_release_leaves_no_ghost() -> None:
    line = Line(HidKeypadDevice("pad-1"))
    line.device.press(F1, held_ms=50)
    assert line.run(20) == ["shuffle"]
    line.device.lose_reports(1)
    assert line.run(500) == []
    line.device.press(F2)
    assert line.run(12_000) == ["cut"]


def test_a_key_held_while_it_is_plugged_in_again_is_no_press() -> None:
    line = Line(HidKeypadDevice("pad-1"))
    line.device.hold(F1)
    assert line.run(100) == ["shuffle"]
    line.device.unplug()
    line.link.closed(line.now_ms * MS, "unplugged")
    line.device.release()
    line.device.hold(F2)
    assert line.run(500) == []
    line.device.replug()
    line.link.opened(line.now_ms * MS, 2)
    assert line.run(500) == []
    line.device.take(b"anything", line.now_ms)
    line.device.release()
    line.run(100)
    line.device.press(F2)
    assert line.run(300) == ["cut"]


def test_its_keys_are_pressed_at_a_simulated_table() -> None:
    entry = {"name": "pad-1", "kind": "hid_keyboard", "keys": {"F1": "shuffle", "KP1": "cut"}}
    table = SimTable({"device": [entry]}, Air(World()))
    device = table.device("pad-1")
    assert isinstance(device, HidKeypadDevice)
    table.press("cut")
    assert device.held == (0x59,)
    with pytest.raises(ConfigError, match="a keypad has no key lever: name its keys such as F1, KP1 or A"):
        SimTable({"device": [{**entry, "keys": {"lever": "cut"}}]}, Air(World()))
