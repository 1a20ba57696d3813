"""The light as lines of text: one line a change, told by word and symbol, so that colour is not needed.

    light dealer [ ok ] ALL WELL
    light dealer [ !  ] ATTENTION
    light dealer [!!!!] MISDEAL ADVISED
    light dealer [ ?? ] NOT MONITORED

A line on a terminal cannot expire: whoever must see that the bridge stopped needs another light beside it.
"""

from shoe_bridge.lights.policy import LOOKS
from shoe_bridge.table.light_state import LightState


class ConsoleLight:
    """Lines for the light called `name`, as UTF-8."""

    keep_alive_ms = 0
    min_gap_ms = 0
    confirm_ms = 0
    can_confirm = False

    def __init__(self, name: str = "dealer") -> None:
        self._name = name

    def show(self, state: LightState) -> list[bytes]:
        look = LOOKS[state]
        return [f"light {self._name} {look.symbol} {look.word}\n".encode()]

    def verify(self) -> list[bytes]:
        """Nothing: a terminal does not answer."""
        return []

    def take(self, report: bytes) -> LightState | None:
        """Nothing that is typed there means anything."""
        del report
        return None
