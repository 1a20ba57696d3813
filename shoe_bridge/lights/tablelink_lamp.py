"""A lamp on a tablelink device. It has no port of its own: its commands go over the device's link.

    host command `set_light`   value
    lamp                       number of the lamp on the device, from 1
    pattern                    dark, steady, slow_blink (1 Hz), fast_blink (4 Hz), flash (100 ms every 2 s)
    red, green, blue           0 to 255
    hold_ms                    after so long without renewal the lamp falls to its own not-monitored pattern

The device answers each change with a light report and repeats it every second; `expired` says that the lamp
fell back by itself. Source: protocol/spec/tablelink.md.
"""

import msgspec

from protocol.messages import LightReport
from shoe_bridge.lights.policy import LOOKS
from shoe_bridge.table.light_state import LightState

_HOLD_MS = 2000  # four renewals: three may be lost before the lamp gives the bridge up
_KEEP_ALIVE_MS = 500
_CONFIRM_MS = 1500  # the report comes every second at the latest


class SetLight(msgspec.Struct, frozen=True):
    """The arguments of the link's `set_light`, in its order."""

    lamp: int
    pattern: str
    red: int
    green: int
    blue: int
    hold_ms: int


class TablelinkLamp:
    """Lamp number `lamp` of the device whose link carries its commands."""

    keep_alive_ms = _KEEP_ALIVE_MS
    min_gap_ms = 0
    confirm_ms = _CONFIRM_MS
    can_confirm = True

    def __init__(self, lamp: int = 1) -> None:
        self.lamp = lamp
        self._states = {
            (look.pattern, look.red, look.green, look.blue): state for state, look in LOOKS.items()
        }

    def show(self, state: LightState) -> list[SetLight]:
        look = LOOKS[state]
        return [SetLight(self.lamp, look.pattern, look.red, look.green, look.blue, _HOLD_MS)]

    def verify(self) -> list[SetLight]:
        """Nothing to ask: the lamp reports of itself."""
        return []

    def take(self, report: LightReport) -> LightState | None:
        if report.lamp != self.lamp:
            return None
        if report.expired:
            return LightState.NOT_MONITORED
        return self._states.get((report.pattern, report.red, report.green, report.blue))
