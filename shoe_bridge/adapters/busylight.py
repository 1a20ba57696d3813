"""Office lights of which only busylight-core (PyPI, the extra `lights`) knows the bytes.

It is asked for HID devices only, and for the ids in the port's name. Its other way of finding lights opens
serial ports, and takes the plain CP2102 adapters of readers for lights (JnyJny/busylight#356).
"""

import asyncio
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from shoe_bridge.adapters.beside_loop import tell
from shoe_bridge.adapters.udev import adapter_of
from shoe_bridge.adapters.usb_names import UsbName, usb_name
from shoe_bridge.errors import PortError, install_command
from shoe_bridge.usb_kinds import LIGHTS

OnData = Callable[[bytes, int], None]
OnLost = Callable[[str], None]


class BusylightPort:
    """A light at `port`, `usb:VID:PID[:SERIAL]`. It takes colours of three bytes, red, green, blue, and gives
    each back once the light has taken it. busylight-core blocks: everything is done in a thread of its own.
    Used once."""

    def __init__(self, port: str, mono_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self.url = port
        self._mono_ns = mono_ns
        self._colours: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()  # None: the end
        self._is_busy = False
        self._is_closed = False

    async def open_async(self, on_data: OnData, on_lost: OnLost) -> None:
        """Raises PortError."""
        loop = asyncio.get_running_loop()
        opened: asyncio.Future[None] = loop.create_future()

        def take(colour: bytes, at_mono_ns: int) -> None:
            self._is_busy = False
            if not self._is_closed:
                on_data(colour, at_mono_ns)

        def lose(why: str) -> None:
            if not self._is_closed:
                self.close()
                on_lost(why)

        def ready(error: PortError | None) -> None:
            if not opened.done():
                opened.set_exception(error) if error else opened.set_result(None)

        def live() -> None:
            try:
                light = _light(self.url)
            except PortError as error:
                tell(loop, ready, error)
                return
            tell(loop, ready, None)
            try:
                while (colour := self._colours.get()) is not None:
                    light.on(tuple(colour), interrupt=False)
                    tell(loop, take, colour, self._mono_ns())
            except Exception as error:
                tell(loop, lose, f"it takes no colour: {str(error) or type(error).__name__}")
            finally:
                _let_go(light)

        threading.Thread(target=live, name=f"{self.url} busylight", daemon=True).start()
        try:
            await opened
        except asyncio.CancelledError:
            self.close()
            raise

    def open(self, on_data: OnData, on_lost: OnLost) -> None:
        """Raises PortError: finding such a light takes too long for the loop."""
        raise PortError(f"{self.url} opens beside the loop only; use open_async.")

    def write(self, data: bytes) -> bool:
        """False, with nothing sent, while the light has not taken the colour before."""
        if self._is_closed or self._is_busy:
            return False
        self._is_busy = True
        self._colours.put(data)
        return True

    def drop_unsent(self) -> None:
        """Nothing waits here: the one colour on its way is beyond recall."""

    def close(self) -> None:
        """Ends this life without waiting; the last colour is still sent. Harmless when repeated."""
        if not self._is_closed:
            self._is_closed = True
            self._colours.put(None)


def _light(port: str) -> Any:
    """The one light that `port` names, opened. Raises PortError."""
    name = usb_name(port)
    if name is None or name.usb_id is None:
        raise PortError(f"{port} is no name of a light; write usb:VID:PID or usb:VID:PID:SERIAL.")
    reader = reader_with(name.usb_id)
    if reader is not None:
        raise PortError(f"{port} is no light but a {reader}; name the ids of the light.")
    try:
        import busylight_core
        from busylight_core.hardware import ConnectionType, Hardware
        from loguru import logger
    except ImportError as error:
        raise PortError(
            f"{port} needs busylight-core, which is not installed: {install_command('lights')}."
        ) from error
    logger.disable("busylight_core")  # it would write each transfer to our standard error
    found = [one for one in Hardware.enumerate(ConnectionType.HID) if _is_named(one, name)]
    claims = [(kind, one) for one in found for kind in busylight_core.Light.subclasses() if kind.claims(one)]
    if not claims:
        why = "busylight-core knows no light with these ids" if found else "it is not plugged in"
        raise PortError(f"{port}: {why}; plug the light in, or correct the port.")
    kind, hardware = claims[0]
    try:
        return kind(hardware, reset=False, exclusive=True)
    except Exception as error:
        raise PortError(
            f"{port} cannot be opened ({error}); stop the program that uses it, or run:"
            f" sudo chmod a+rw {hardware.path.decode(errors='replace')}."
        ) from error


def reader_with(usb_id: str) -> str | None:
    """What is built with that id and never a light: a serial adapter or a reader. None: it may be a light."""
    lights = {f"{one.vendor}:{one.product}" for kind in LIGHTS.values() for one in kind.ids}
    adapter = adapter_of(usb_id)
    return None if adapter is None or usb_id in lights else f"{adapter.chip} ({adapter.serves})"


def _is_named(hardware: Any, name: UsbName) -> bool:
    if f"{hardware.vendor_id:04x}:{hardware.product_id:04x}" != name.usb_id:
        return False
    return name.serial is None or hardware.serial_number == name.serial


def _let_go(light: Any) -> None:
    try:
        light.cancel_tasks()  # some lights have a thread that keeps them alive
        light.release()
    except Exception:  # the light is gone: nothing is left to release
        pass
