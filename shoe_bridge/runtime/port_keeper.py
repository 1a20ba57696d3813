"""Keeps one device's byte path alive: opens it, hands on what it brings, and opens it again for ever.

One life of a path is one port object, used once. When to try again is the back-off's to say; what a life's
end means for the table is the link's.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Protocol

from shoe_bridge.adapters.port_faults import kept_waiting
from shoe_bridge.errors import PortError
from shoe_bridge.link.backoff import Backoff, Retry
from shoe_bridge.runtime.ports import BytePort, Chunk, Input, LinkClosed, LinkOpened

STAYS_S = 1.0  # a path that ends sooner was not there: a serial server hangs up on whom it does not serve


class DevicePort(BytePort, Protocol):
    """A byte port that opens beside the loop."""

    async def open_async(
        self, on_data: Callable[[bytes, int], None], on_lost: Callable[[str], None]
    ) -> None: ...


class PortKeeper:
    """The path to the device `name` at `port`. `take` gets every input of its lives, in order; `tell` one
    sentence per change of state: the first failure of a cycle and the recovery, never each attempt."""

    def __init__(
        self,
        name: str,
        port: str,
        make_port: Callable[[], DevicePort],
        backoff: Backoff,
        *,
        mono_ns: Callable[[], int],
        take: Callable[[Input], None],
        tell: Callable[[str, str], None],
    ) -> None:
        self.name = name
        self._url = port
        self._is_door = port.startswith("listen://")
        self.generation = 0
        self._make_port = make_port
        self._backoff = backoff
        self._mono_ns = mono_ns
        self._take = take
        self._tell = tell
        self._port: DevicePort | None = None
        self._ended: asyncio.Future[str] | None = None
        self._is_loss_told = False
        self._to_tell: asyncio.TimerHandle | None = None
        self.has_heard = False  # whether any byte came in this life

    def write(self, data: bytes) -> bool:
        """Give bytes to the device now; False when there is no path or it takes none."""
        return self._port is not None and self._port.write(data)

    def of_a_server(self) -> str:
        """The end of a sentence about a device that says nothing: what else it may be; empty once it has said
        something. Where the device connects by itself, somebody else may have."""
        if self._is_door:
            callers = ", ".join(getattr(self._port, "far_sides", ()))
            return f"; or it is not the device that has connected from {callers}" if callers else ""
        return "" if self.has_heard else kept_waiting(self._url)

    def end_life(self, why: str) -> None:
        """End this life of the path; the next one follows after the back-off."""
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(why)

    async def open_first(self) -> None:
        """Open the first life. Raises PortError, so that a start can be refused with its sentence."""
        await self._open()

    def close(self) -> None:
        """Give the path back; for a start that is refused after it was opened."""
        self._close("the bridge did not start")

    async def run(self) -> None:
        """Lives until cancelled, whether the first life was opened or not."""
        try:
            while True:
                if self._port is None and not await self._try_open():
                    continue
                await self._live()
        finally:
            self._close("the bridge ended")

    async def _try_open(self) -> bool:
        try:
            await self._open()
        except PortError as error:
            retry = self._backoff.failed(self._mono_ns())
            self._tell_loss(retry, str(error))
            await asyncio.sleep(retry.delay_s)
            return False
        return True

    async def _open(self) -> None:
        port = self._make_port()
        self._ended = asyncio.get_running_loop().create_future()
        await port.open_async(self._on_data, self.end_life)
        self._port = port
        self.generation += 1
        at = self._mono_ns()
        self.has_heard = False
        self._take(LinkOpened(self.name, at, self.generation))
        recovered = self._backoff.opened(at)
        if recovered is not None and self._is_loss_told:
            text = f"{self.name} is open again after {recovered.after_s:.1f} s"
            self._to_tell = asyncio.get_running_loop().call_later(STAYS_S, self._tell_opened, text)

    def _on_data(self, data: bytes, at_mono_ns: int) -> None:
        self.has_heard = True
        self._take(Chunk(self.name, at_mono_ns, data))

    def _tell_opened(self, text: str) -> None:
        self._is_loss_told = False
        self._tell("opened", text)

    async def _live(self) -> None:
        ended = self._ended
        if ended is None:
            return
        why = await ended
        retry = self._backoff.failed(self._mono_ns())
        self._close(why)
        self._tell_loss(retry, f"{self.name} was lost: {why}; it is opened again as soon as it is back")
        await asyncio.sleep(retry.delay_s)

    def _tell_loss(self, retry: Retry, text: str) -> None:
        if retry.loudness == "warn" or not self._is_loss_told:
            self._is_loss_told = True
            self._tell("lost", text)

    def _close(self, why: str) -> None:
        port, self._port = self._port, None
        if self._to_tell is not None:
            self._to_tell.cancel()
            self._to_tell = None
        if port is None:
            return
        with contextlib.suppress(OSError):
            port.close()
        self._take(LinkClosed(self.name, self._mono_ns(), self.generation, why))
