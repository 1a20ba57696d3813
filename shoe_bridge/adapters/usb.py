"""One life of one USB device on the event loop: `usb_life` has the threads that pyusb needs.

A new life of the same port waits for the end of the one before. A loss reaches `on_lost` exactly once,
whichever thread noticed it.
"""

import asyncio
import threading
import time
from collections.abc import Callable

from shoe_bridge.adapters.beside_loop import in_thread
from shoe_bridge.adapters.usb_device import UsbDevice
from shoe_bridge.adapters.usb_life import OnData, OnLost, UsbLife, await_previous
from shoe_bridge.errors import PortError
from shoe_bridge.usb_kinds import UsbKind

_QUEUE_BYTES = 64 * 1024


class UsbPort:
    """A byte port at `port`, a name as in `usb_names`, for a device of the configuration's `kind`.

    At most `queue_bytes` wait to be written besides the report that is on its way; with 0 none waits.
    `is_boot`: a keyboard whose reports are to be those of the boot keyboard, of 8 bytes. One report of a
    keyboard is one call of `on_data`. `echoes`: each report comes back as data once the device has taken it
    whole, which is all the confirmation that a light can give. Used once.
    """

    def __init__(
        self,
        port: str,
        kind: str,
        spec: UsbKind,
        *,
        queue_bytes: int = _QUEUE_BYTES,
        is_boot: bool = False,
        echoes: bool = False,
        mono_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.url = port
        self._kind = kind
        self._spec = spec
        self._queue_bytes = queue_bytes
        self._is_boot = is_boot
        self._echoes = echoes
        self._mono_ns = mono_ns
        self._life: UsbLife | None = None
        self._closing = threading.Lock()  # `connect` may run in a thread while `close` is called
        self._is_closed = False
        self._is_attached = False

    def connect(self) -> None:
        """Claims the device without taking bytes yet; may run in any thread. Raises PortError."""
        await_previous(self.url)
        if self._is_closed:  # before anything is claimed that would have to be given back
            raise PortError(self._was_closed)
        device = UsbDevice(self.url, self._kind, self._spec, is_boot=self._is_boot)
        with self._closing:
            if not self._is_closed and self._life is None:
                self._life = UsbLife(self.url, device, self._spec, self._mono_ns)
                return
        device.release()
        raise PortError(self._was_closed)

    @property
    def _was_closed(self) -> str:
        return f"{self.url} was closed while it was opening; make a new port to open it again."

    def open(self, on_data: OnData, on_lost: OnLost) -> None:
        """Opens (unless `connect` has) and takes bytes from now on. Raises PortError."""
        if self._life is None:
            self.connect()
        self._attach(on_data, on_lost)

    async def open_async(self, on_data: OnData, on_lost: OnLost) -> None:
        """As `open`, with the slow part in a thread: a sick device delays nobody. Raises PortError."""
        try:
            await in_thread(self.connect, f"open {self.url}")
        except asyncio.CancelledError:
            self.close()
            raise
        self._attach(on_data, on_lost)

    def write(self, data: bytes) -> bool:
        """Sends or queues one report; False, with nothing sent, when the port is closed, its kind takes none,
        or the queue is full."""
        life = self._life
        return life is not None and self._is_attached and life.enqueue(data, self._queue_bytes)

    def drop_unsent(self) -> None:
        """Forgets the reports that wait; the one on its way is beyond recall."""
        if self._life is not None:
            self._life.drop_waiting()

    def close(self) -> None:
        """Ends this life without waiting; what was accepted to be written is still sent. `on_lost` and
        `on_data` are not called any more. Harmless when repeated."""
        with self._closing:
            self._is_closed = True
            life, self._life = self._life, None
        if life is not None:
            life.stop()

    def _attach(self, on_data: OnData, on_lost: OnLost) -> None:
        life = self._life
        if life is None:
            raise PortError(f"{self.url} is closed; make a new port to open it again.")

        def take(data: bytes, at_mono_ns: int) -> None:
            if not self._is_closed:
                on_data(data, at_mono_ns)

        def lose(why: str) -> None:
            if not self._is_closed:
                self.close()
                on_lost(why)

        self._is_attached = True
        life.start(asyncio.get_running_loop(), take, lose, echoes=self._echoes)
