"""A Patlite NE-USB whose touch sensor is a key: the light hangs on the device's link and has no port itself.

It confirms nothing over that link, so what was written last is all that is known; that it answers when it is
asked for its sensor is told by the link itself. It keeps what it showed when the bridge is gone: feed it from
the bridge's own USB port. Source: protocol/patlite_ne.py.
"""

from protocol.messages import LightReport
from shoe_bridge.lights.policy import LOOKS
from shoe_bridge.lights.tablelink_lamp import SetLight
from shoe_bridge.table.light_state import LightState

_HOLD_MS = 0  # it has no watchdog


class PatliteLamp:
    """The one light of such a device."""

    keep_alive_ms = 5000
    min_gap_ms = 0
    confirm_ms = 0
    can_confirm = False

    def __init__(self, lamp: int = 1) -> None:
        self.lamp = lamp

    def show(self, state: LightState) -> list[SetLight]:
        look = LOOKS[state]
        return [SetLight(self.lamp, look.pattern, look.red, look.green, look.blue, _HOLD_MS)]

    def verify(self) -> list[SetLight]:
        """Nothing: it cannot be asked what it shows."""
        return []

    def take(self, report: LightReport) -> LightState | None:
        """It sends none."""
        del report
        return None
