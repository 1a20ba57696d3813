"""The threads of one USB device that was claimed. pyusb blocks, so each life has threads of its own:

    reader ── blocks in timed reads, stamps the clock ──► loop: take, and once lose
    writer ◄─ reports that wait ── loop: enqueue          (if the kind writes)

The reader goes on until the life is stopped or the device fails; then it waits for the writer and gives the
device back. Where nothing is read the writer alone does all that, and asks after the device when it has
nothing to write.
"""

import asyncio
import atexit
import threading
from collections import deque
from collections.abc import Callable

import usb.core

from shoe_bridge.adapters import usb_faults
from shoe_bridge.adapters.beside_loop import tell
from shoe_bridge.adapters.usb_device import UsbDevice
from shoe_bridge.usb_kinds import UsbKind

OnData = Callable[[bytes, int], None]
OnLost = Callable[[str], None]

_READ_MS = 100
_MOST_STALLS = 3  # in a row, each cleared; then the endpoint is broken
_PREVIOUS_S = 3.0  # the life before may still be in a write
_PROBE_S = 0.5  # so long an unplugged light that has nothing to say may go unnoticed


class UsbLife:
    """One life of the device claimed for `port`; it ends with `stop` or with the device, and is used once."""

    def __init__(self, port: str, device: UsbDevice, spec: UsbKind, mono_ns: Callable[[], int]) -> None:
        self.port = port
        self._device = device
        self._wire = spec.wire
        self._mono_ns = mono_ns
        self._waiting: deque[bytes] = deque()
        self._on_its_way = 0  # bytes
        self._changed = threading.Condition()
        self._is_stopping = False
        self._is_lost = False
        self._threads: list[threading.Thread] = []
        self.ended = threading.Event()
        _lives[port.lower()] = self

    def start(self, loop: asyncio.AbstractEventLoop, take: OnData, lose: OnLost, *, echoes: bool) -> None:
        """Starts the threads; `take` and `lose` are called on `loop`. `echoes`: see `UsbPort`."""
        self._loop, self._take, self._lose, self._echoes = loop, take, lose, echoes
        jobs = [("reader", self._read_on)] if self._wire.reads else []
        jobs += [("writer", self._write_on)] if self._wire.writes else []
        self._threads = [
            threading.Thread(target=job, name=f"{self.port} {what}", daemon=True) for what, job in jobs
        ]
        for thread in self._threads:
            thread.start()

    def enqueue(self, data: bytes, most_bytes: int) -> bool:
        """Hands one report to the writer; False where more than `most_bytes` would wait, or none is taken."""
        with self._changed:
            if self._is_stopping or self._is_lost or not self._wire.writes:
                return False
            waiting = self._on_its_way + sum(map(len, self._waiting))
            if waiting and waiting + len(data) > most_bytes:
                return False
            self._waiting.append(data)
            self._changed.notify_all()
            return True

    def drop_waiting(self) -> None:
        with self._changed:
            self._waiting.clear()

    def stop(self) -> None:
        """Ends this life as soon as what was accepted is sent. Does not wait for that."""
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()
        if not self._threads:  # claimed and never started
            self._end()

    # -- the reader ------------------------------------------------------------------------------------

    def _read_on(self) -> None:
        stalls = 0
        try:
            while not self.is_ending():
                try:
                    data = self._device.read(_READ_MS)
                    at_mono_ns = self._mono_ns()
                    stalls = 0
                except usb.core.USBError as error:
                    stalls = 0 if usb_faults.is_timeout(error) else stalls + 1
                    if stalls:
                        self._mend(error, stalls)
                    continue
                if data:
                    tell(self._loop, self._take, data, at_mono_ns)
        except Exception as error:  # no reader dies in silence
            self._fail(error)
        finally:
            self._end(but=self._threads[0])

    def _mend(self, error: usb.core.USBError, stalls: int) -> None:
        """A stalled endpoint is cleared and read on; anything else ends this life."""
        if not usb_faults.is_stall(error) or stalls > _MOST_STALLS:
            self._fail(error)
            return
        try:
            self._device.clear_stall()
        except usb.core.USBError as worse:
            self._fail(worse)

    # -- the writer ------------------------------------------------------------------------------------

    def _write_on(self) -> None:
        try:
            while (report := self._next_report()) is not None:
                self._send(report)
        except Exception as error:
            self._fail(error)
        finally:
            if self._wire.reads is None:
                self._end(but=self._threads[-1])

    def _next_report(self) -> bytes | None:
        """The next one to send, once there is one; None at the end, when all that was accepted is sent."""
        with self._changed:
            self._on_its_way = 0
            while not self._waiting and not self.is_ending():
                if not self._changed.wait(_PROBE_S) and self._wire.reads is None:
                    return b""
            if self._is_lost or not self._waiting:
                return None
            report = self._waiting.popleft()
            self._on_its_way = len(report)
            return report

    def _send(self, report: bytes) -> None:
        """Without a report: only asks whether the device is there. A report that it does not take in time is
        dropped with all that waits behind it: the sender hears no echo, and sends what is right by then."""
        try:
            if not report:
                self._device.probe()
                return
            self._device.write(report)
        except usb.core.USBError as error:
            if usb_faults.is_timeout(error) or usb_faults.is_stall(error):
                self.drop_waiting()
            else:
                self._fail(error)
            return
        if self._echoes:
            tell(self._loop, self._take, report, self._mono_ns())

    # -- the end ---------------------------------------------------------------------------------------

    def is_ending(self) -> bool:
        return self._is_stopping or self._is_lost

    def _fail(self, error: BaseException) -> None:
        with self._changed:
            if self._is_lost:
                return
            self._is_lost = True
            self._changed.notify_all()
        tell(self._loop, self._lose, usb_faults.lost_phrase(error))

    def _end(self, but: threading.Thread | None = None) -> None:
        for thread in self._threads:
            if thread is not but:
                thread.join()
        self._device.release()
        if _lives.get(self.port.lower()) is self:
            del _lives[self.port.lower()]
        self.ended.set()


_lives: dict[str, UsbLife] = {}


def await_previous(port: str) -> None:
    """Waits for the end of a life of the same port that was stopped: only one may hold the device."""
    previous = _lives.get(port.lower())
    if previous is not None and previous.is_ending():
        previous.ended.wait(_PREVIOUS_S)


@atexit.register
def _end_all() -> None:
    """The last report of a light is sent, and a kernel driver is given back, before the process is gone."""
    lives = list(_lives.values())
    for life in lives:
        life.stop()
    for life in lives:
        life.ended.wait(_PREVIOUS_S)
