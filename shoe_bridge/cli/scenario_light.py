"""A USB light at a scenario's table: the bridge's own driver writes to a simulated light, in virtual time.

What an eye sees of it after each step becomes an entry among the findings, of the kind `light`, so that a
file can expect it as it expects a finding. The light knows nothing but the bytes of its reports.
"""

from typing import Any

from shoe_bridge.lights.usb_lights import UsbLight
from shoe_bridge.runtime.effects import LightEffect
from shoe_bridge.sim.light_looks import OFF, Shown
from shoe_bridge.sim.usb_light_device import UsbLightDevice
from shoe_bridge.table.light_state import LightState

LIGHT = "light"
_NS_PER_MS = 1_000_000


class DrivenLight:
    """The simulated `device` with the bridge's driver at its port, as one device of the table. It stands on
    the stage in the place of the light alone, and moves as time passes there."""

    def __init__(self, device: UsbLightDevice) -> None:
        self.name = device.name
        self.kind = device.kind
        self._device = device
        self._effect = LightEffect(device.name, UsbLight(device.kind))

    @property
    def is_plugged(self) -> bool:
        return self._device.is_plugged

    @is_plugged.setter
    def is_plugged(self, is_plugged: bool) -> None:
        (self.replug if is_plugged else self.unplug)()

    def desire(self, state: LightState) -> None:
        self._effect.desire(state)

    def seen(self, at_ms: int) -> Shown:
        return self._device.seen(at_ms)

    def take(self, data: bytes, at_ms: int) -> None:
        """Nobody else writes to it."""

    def advance(self, at_ms: int) -> bytes:
        """Write what is due; USB tells the driver of each report that the light has taken."""
        effect, at_ns = self._effect, at_ms * _NS_PER_MS
        if self.is_plugged and not effect.is_open:
            effect.opened(at_ns)
        elif effect.is_open and not self.is_plugged:
            effect.closed("it was unplugged")
        while (report := effect.reconcile(at_ns)) is not None:
            is_taken = self._device.obey(report, at_ms)
            effect.wrote(at_ns)
            if is_taken:
                effect.take(report)
        return self._device.advance(at_ms)

    def next_due_ms(self) -> int | None:
        deadline_ns = self._effect.next_deadline_ns()
        dues = [] if deadline_ns is None else [-(-deadline_ns // _NS_PER_MS)]
        own_ms = self._device.next_due_ms()
        return min([*dues, own_ms] if own_ms is not None else dues, default=None)

    def unplug(self) -> None:
        self._device.unplug()

    def replug(self) -> None:
        self._device.replug()


class LightWatch:
    """Somebody who looks at the light after each step and adds what is new to `findings`."""

    def __init__(self, light: DrivenLight, findings: list[dict[str, Any]]) -> None:
        self._light = light
        self._shown = OFF
        self._findings = findings
        self._newest: dict[str, Any] | None = None

    def desire(self, state: LightState, at_ms: int) -> None:
        """What the bridge wants shown, at each moment of virtual time; the light is looked at then."""
        self._light.desire(state)
        self._light.advance(at_ms)
        self._shown = self._light.seen(at_ms)

    def conclude(self, step: int) -> None:
        """The moments of `step` are over."""
        shown = self._shown
        told = {"kind": LIGHT, "colour": shown.colour, "rhythm": shown.rhythm, "certainty": "certain"}
        if self._newest is not None:
            if told.items() <= self._newest.items():
                return
            self._newest["withdrawn_after"] = step
        self._newest = {"after": step, "withdrawn_after": None, **told}
        self._findings.append(self._newest)
