"""All the lights of one table: each shows the same state, each fails alone."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, BinaryIO

from protocol.messages import LightReport
from shoe_bridge.lights.kinds import LAMP_KINDS
from shoe_bridge.lights.tablelink_lamp import SetLight
from shoe_bridge.runtime.config import LightConfig, TableConfig
from shoe_bridge.runtime.effects import LightEffect
from shoe_bridge.runtime.light_driver import LightDriver, PortLight, port_light
from shoe_bridge.table.light_state import LightState

SetLamp = Callable[[str, SetLight], bool]


class LightBank:
    """`set_lamp(device, command)` puts a lamp's command on its device's link; `report` gets one dict per
    change of what a light shows or of its trouble. Console lights write to `console` (None: the standard
    output)."""

    def __init__(
        self,
        config: TableConfig,
        set_lamp: SetLamp,
        report: Callable[[dict[str, Any]], None],
        *,
        console: BinaryIO | None = None,
    ) -> None:
        self._report = report
        self._console = console
        self._lamps: list[tuple[str, LightDriver[SetLight, LightReport]]] = []
        self._ports: list[PortLight] = []
        self._effects: list[LightEffect[Any, Any]] = []
        for light in config.lights:
            if light.device is not None:
                self._add_lamp(light, set_lamp)
            else:
                self._add_port(light)

    def jobs(self) -> list[Coroutine[Any, Any, None]]:
        """What must run for the lights that have a port of their own."""
        return [light.run() for light in self._ports]

    def desire(self, state: LightState) -> None:
        for driver in self._drivers():
            driver.desire(state)

    def device_is(self, device: str, is_up: bool) -> None:
        """The device that carries a lamp has proven itself, or was lost."""
        for name, driver in self._lamps:
            if name == device and is_up != driver.effect.is_open:
                if is_up:
                    driver.opened()
                else:
                    driver.closed(f"{device} is not connected")

    def take_report(self, device: str, report: LightReport) -> None:
        for name, driver in self._lamps:
            if name == device:
                driver.take(report)

    async def settle(self, timeout_s: float) -> None:
        await asyncio.gather(*(driver.settle(timeout_s) for driver in self._drivers()))

    def _drivers(self) -> list[LightDriver[Any, Any]]:
        return [*(driver for _, driver in self._lamps), *(port.driver for port in self._ports)]

    def _add_lamp(self, light: LightConfig, set_lamp: SetLamp) -> None:
        device = light.device or ""
        effect = LightEffect(light.name, LAMP_KINDS[light.kind](light.lamp))
        driver = LightDriver(
            effect, lambda command: set_lamp(device, command), on_change=lambda: self._tell(effect)
        )
        self._lamps.append((device, driver))

    def _add_port(self, light: LightConfig) -> None:
        channels = {LightState(state): number for state, number in light.channels.items()} or None
        made: list[PortLight] = []
        port = port_light(
            light.name,
            light.kind,
            light.port or "",
            channels=channels,
            stream=self._console,
            on_change=lambda: self._tell(made[0].driver.effect),
        )
        made.append(port)
        self._ports.append(port)

    def _tell(self, effect: LightEffect[Any, Any]) -> None:
        shown = effect.shown.value if effect.shown is not None else None
        self._report({"type": "lamp", "light": effect.name, "shown": shown, "trouble": effect.trouble})
