"""The lights of a table, each shining alone, and the words of the person who looks at them."""

import asyncio
import contextlib
import sys
import threading
from collections.abc import AsyncIterator, Mapping
from typing import BinaryIO

import msgspec

from shoe_bridge.cli.live_device import LiveDevice
from shoe_bridge.lights.policy import LOOKS
from shoe_bridge.lights.tablelink_lamp import SetLight
from shoe_bridge.runtime.config import TableConfig
from shoe_bridge.runtime.light_bank import LightBank
from shoe_bridge.table.light_state import LightState

SHOWN = (LightState.ALL_WELL, LightState.ATTENTION, LightState.MISDEAL_ADVISED)
_SETTLE_S = 0.5


class LoneLights:
    """Each light of `config` with a driver of its own. Lamps hang on the links of `devices`; console lights
    write to `console` (None: the standard output)."""

    def __init__(
        self, config: TableConfig, devices: Mapping[str, LiveDevice], console: BinaryIO | None = None
    ) -> None:
        self.names = [light.name for light in config.lights]
        self._devices = devices
        self._banks = {
            light.name: LightBank(
                msgspec.structs.replace(config, lights=(light,)),
                self._set_lamp,
                lambda line: None,
                console=console,
            )
            for light in config.lights
        }

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """They are driven within; afterwards all show that nobody monitors the table."""
        jobs = [asyncio.ensure_future(job) for bank in self._banks.values() for job in bank.jobs()]
        try:
            yield
            for bank in self._banks.values():
                bank.desire(LightState.NOT_MONITORED)
                await bank.settle(_SETTLE_S)
        finally:
            for job in jobs:
                job.cancel()
            await asyncio.gather(*jobs, return_exceptions=True)

    def turn(self) -> None:
        """What the devices of the lamps said; to be called after each turn of theirs."""
        for name, live in self._devices.items():
            reports = live.link.light_reports()
            for bank in self._banks.values():
                bank.device_is(name, live.is_verified)
                for report in reports:
                    bank.take_report(name, report)

    def show(self, name: str, state: LightState) -> None:
        """That light alone shows `state`."""
        for other, bank in self._banks.items():
            bank.desire(state if other == name else LightState.NOT_MONITORED)

    def question(self, name: str, state: LightState) -> str:
        """What to ask of a light that is to show `state`."""
        look = LOOKS[state]
        others = [other for other in self.names if other != name]
        named = f", or the name of the light that does: {', '.join(others)}" if others else ""
        pattern = look.pattern.replace("_", " ")
        return f"does it show {state.value.replace('_', ' ')} ({pattern})? [y/n{named}]"

    def _set_lamp(self, device: str, lamp: SetLight) -> bool:
        live = self._devices[device]
        live.link.set_light(lamp.lamp, lamp.pattern, lamp.red, lamp.green, lamp.blue, lamp.hold_ms)
        live.flush()
        return live.lost is None


class Replies:
    """Lines of the standard input, one for each question. A line that comes after its question was given up
    answers no other one."""

    def __init__(self) -> None:
        self._line: list[str] = []
        self._reading: threading.Thread | None = None
        self._is_late = False

    def ask(self) -> None:
        """From now on a line is an answer."""
        self._is_late = self._reading is not None and self._reading.is_alive()
        if not self._is_late:
            self._read()

    def taken(self) -> str | None:
        """The answer; None while there is none yet, empty where the input has ended."""
        if not self._line:
            return None
        line = self._line.pop()
        if self._is_late:
            self._is_late = False
            self._read()
            return None
        return line.strip().lower()

    def _read(self) -> None:
        self._line.clear()
        self._reading = threading.Thread(target=self._wait, name="answer", daemon=True)
        self._reading.start()

    def _wait(self) -> None:
        self._line.append(sys.stdin.readline() if sys.stdin is not None else "")
