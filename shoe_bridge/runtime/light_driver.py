"""Binds a `LightEffect` to the event loop: the write call, one timer, and the reopening of its port.

A failing light stays a failing light: nothing that it or its port does reaches the caller as an exception.
"""

import asyncio
import random
import sys
import time
from collections.abc import Callable
from typing import BinaryIO, Generic, Protocol, TypeVar

from shoe_bridge.adapters.busylight import BusylightPort
from shoe_bridge.adapters.stream import StreamPort
from shoe_bridge.adapters.tty import TtyPort
from shoe_bridge.adapters.usb import UsbPort
from shoe_bridge.errors import PortError
from shoe_bridge.lights.kinds import PORT_KINDS
from shoe_bridge.link.backoff import Backoff
from shoe_bridge.runtime.config_usb import BUSYLIGHT
from shoe_bridge.runtime.effects import LightEffect
from shoe_bridge.runtime.ports import BytePort
from shoe_bridge.table.light_state import LightState
from shoe_bridge.usb_kinds import LIGHTS

Write = TypeVar("Write")
Report = TypeVar("Report")
_USB_QUEUE_BYTES = 512


def _nothing() -> None:
    return


def _ignored(why: str) -> None:
    del why


class LightPort(BytePort, Protocol):
    """A byte port that opens beside the loop and can forget what the far side has not taken."""

    async def open_async(
        self, on_data: Callable[[bytes, int], None], on_lost: Callable[[str], None]
    ) -> None: ...

    def drop_unsent(self) -> None: ...


class LightDriver(Generic[Write, Report]):
    """Carries out what `effect` decides. To be used on the loop only.

    `write` gives one write to the light and says whether it was taken, `drop_unsent` forgets what the light
    has not taken yet. `on_change` is called after the light's shown state or its trouble changed, `on_failed`
    with a phrase when the light's own code raised (it is then closed until `opened`).
    """

    def __init__(
        self,
        effect: LightEffect[Write, Report],
        write: Callable[[Write], bool],
        *,
        drop_unsent: Callable[[], None] = _nothing,
        on_change: Callable[[], None] = _nothing,
        on_failed: Callable[[str], None] = _ignored,
        mono_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.effect = effect
        self._write = write
        self._drop_unsent = drop_unsent
        self._on_change = on_change
        self._on_failed = on_failed
        self._mono_ns = mono_ns
        self._settled = asyncio.Event()
        self._settled.set()
        self._timer: asyncio.TimerHandle | None = None
        self._told: tuple[LightState | None, str | None] = (effect.shown, effect.trouble)

    def desire(self, state: LightState) -> None:
        self._turn(lambda: self.effect.desire(state))

    def opened(self) -> None:
        self._turn(lambda: self.effect.opened(self._mono_ns()))

    def closed(self, why: str) -> None:
        self._turn(lambda: self.effect.closed(why))

    def end(self) -> None:
        """The light is given back for good: nothing more is told of it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.effect.ended()
        self._settled.set()

    def take(self, report: Report) -> None:
        self._turn(lambda: self.effect.take(report))

    async def settle(self, timeout_s: float) -> bool:
        """Waits until the desired state is written, at most `timeout_s`; for an orderly end."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._settled.wait()
        except TimeoutError:
            return False
        return True

    def _turn(self, change: Callable[[], None] = _nothing) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        try:
            change()
            self._write_due()
        except Exception as error:  # a light's own fault must not reach the bridge
            why = f"its driver failed ({type(error).__name__}: {error})"
            self.effect.closed(why)
            self._on_failed(why)
        self._arm()
        self._tell()

    def _write_due(self) -> None:
        while (write := self.effect.reconcile(self._mono_ns())) is not None:
            if self.effect.must_drop:
                self._drop_unsent()
            if self._write(write):
                self.effect.wrote(self._mono_ns())
            else:
                self.effect.stalled(self._mono_ns())

    def _arm(self) -> None:
        deadline_ns = self.effect.next_deadline_ns()
        if deadline_ns is not None:
            wait_s = max(0, deadline_ns - self._mono_ns()) / 1e9
            self._timer = asyncio.get_running_loop().call_later(wait_s, self._turn)

    def _tell(self) -> None:
        if self.effect.is_settled:
            self._settled.set()
        else:
            self._settled.clear()
        now = (self.effect.shown, self.effect.trouble)
        if now != self._told:
            self._told = now
            self._on_change()


class PortLight:
    """A light with a port of its own: opens it, drives it, and opens it again for ever when it is lost."""

    def __init__(
        self,
        effect: LightEffect[bytes, bytes],
        make_port: Callable[[], LightPort],
        backoff: Backoff,
        *,
        on_change: Callable[[], None] = _nothing,
        mono_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._make_port = make_port
        self._backoff = backoff
        self._mono_ns = mono_ns
        self._port: LightPort | None = None
        self._ended: asyncio.Future[str] | None = None
        self.driver: LightDriver[bytes, bytes] = LightDriver(
            effect,
            self._write,
            drop_unsent=self._drop_unsent,
            on_change=on_change,
            on_failed=self._end_life,
            mono_ns=mono_ns,
        )

    async def run(self) -> None:
        """Runs until cancelled; the port is closed then."""
        try:
            while True:
                self.driver.closed(await self._live_once())
                await asyncio.sleep(self._backoff.failed(self._mono_ns()).delay_s)
        finally:
            self.driver.end()

    async def _live_once(self) -> str:
        """One life of one port; why it ended."""
        self._ended = asyncio.get_running_loop().create_future()
        port = self._make_port()
        try:
            await port.open_async(lambda chunk, _at_mono_ns: self.driver.take(chunk), self._end_life)
            self._port = port
            self._backoff.opened(self._mono_ns())
            self.driver.opened()
            return await self._ended
        except PortError as error:
            return str(error)
        finally:
            self._port = None
            port.close()

    def _end_life(self, why: str) -> None:
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(why)

    def _write(self, data: bytes) -> bool:
        return self._port is not None and self._port.write(data)

    def _drop_unsent(self) -> None:
        if self._port is not None:
            self._port.drop_unsent()


def port_light(
    name: str,
    kind: str,
    url: str = "",
    *,
    channels: dict[LightState, int] | None = None,
    stream: BinaryIO | None = None,
    on_change: Callable[[], None] = _nothing,
) -> PortLight:
    """The light called `name` of a kind of `PORT_KINDS` at the port `url`; a kind of text writes to `stream`
    (None: the standard output). Raises KeyError for another kind, ValueError for wrong `channels`."""
    light_kind = PORT_KINDS[kind]
    baud = light_kind.baud

    def make_port() -> LightPort:
        if kind in LIGHTS:
            # The reports of one state wait for each other; a device that takes none has them all dropped.
            return UsbPort(url, kind, LIGHTS[kind], queue_bytes=_USB_QUEUE_BYTES, echoes=True)
        if kind == BUSYLIGHT:
            return BusylightPort(url)
        if baud is None:
            return StreamPort(stream or sys.stdout.buffer)
        # Nothing may wait in the port: after a stall only the latest state is to be sent.
        return TtyPort(url, baud=baud, queue_bytes=0)

    effect = LightEffect(name, light_kind.make(name, channels))
    return PortLight(effect, make_port, Backoff(random.random), on_change=on_change)
