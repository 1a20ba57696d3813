"""One life of one byte path on the event loop: serial ports, and serial servers on the network.

Called on readiness, reads once, stamps the monotonic clock, hands over; never waits, drains or flushes what
comes in. A loss reaches `on_lost` exactly once, whichever call noticed it.
"""

import asyncio
import errno
import os
import struct
import termios
import threading
import time
from collections.abc import Callable
from fcntl import ioctl
from pathlib import Path

from shoe_bridge.adapters.beside_loop import in_thread
from shoe_bridge.adapters.byte_paths import BytePath, open_path
from shoe_bridge.adapters.callers import Hearing
from shoe_bridge.adapters.listening import ACCEPT_S
from shoe_bridge.adapters.port_faults import hung_up_phrase
from shoe_bridge.errors import PortError

OnData = Callable[[bytes, int], None]
OnLost = Callable[[str], None]

_READ_BYTES = 64 * 1024
_QUEUE_BYTES = 64 * 1024
_FIRST_BYTES = 128  # of a serial server, enough to tell its refusal from a device
_DOOR_S = 0.25  # how often those who connect by themselves are looked after
_STUCK_NS = 200_000_000  # bytes that the line has not moved for so long will not move
_GONE = (errno.EIO, errno.ENODEV, errno.ENXIO)


class TtyPort:
    """A byte port at `url`: a path, `socket://HOST:PORT`, `rfc2217://HOST:PORT` or `listen://HOST:PORT`.

    `baud` in bit/s; `parity` N, E or O; `lines_low` keeps DTR and RTS low. At most `queue_bytes` wait to be
    written; with 0 nothing waits but the rest of a write that the kernel took in part. A device that connects
    by itself is waited for `accept_s` seconds (None: until the port is closed), and gives way to another that
    connects while `is_proven` says that no device is heard; `make_hearing` gives the conversation by which
    that other one is found. Used once.
    """

    def __init__(
        self,
        url: str,
        *,
        baud: int = 115200,
        parity: str = "N",
        lines_low: bool = False,
        queue_bytes: int = _QUEUE_BYTES,
        accept_s: float | None = ACCEPT_S,
        is_proven: Callable[[], bool] = lambda: True,
        make_hearing: Callable[[], Hearing] | None = None,
        loop: asyncio.AbstractEventLoop | None = None,
        mono_ns: Callable[[], int] = time.monotonic_ns,
        root: Path = Path("/"),
    ) -> None:
        self.url = url
        self._settings = (baud, parity, lines_low, root)
        self._queue_bytes = queue_bytes
        self._accept_s = accept_s
        self._is_proven = is_proven
        self._make_hearing = make_hearing
        self._door_timer: asyncio.TimerHandle | None = None
        self._loop = loop
        self._mono_ns = mono_ns
        self._path: BytePath | None = None
        self._queue = bytearray()
        self._first = bytearray()  # what a serial server said first
        self._is_attached = False
        self._is_closed = False
        self._closing = threading.Lock()  # `connect` may run in a thread while `close` is called
        self._lost_call: asyncio.Handle | None = None
        self._written_at_mono_ns = 0
        self._is_stuck = False

    @property
    def far_sides(self) -> tuple[str, ...]:
        """The addresses from which somebody has connected, where the far side connects by itself."""
        return () if self._path is None else self._path.far_sides()

    def connect(self) -> None:
        """Opens the path without taking bytes yet; may run in any thread. Raises PortError."""
        begun_s = time.monotonic()

        def may_wait() -> bool:
            is_patient = self._accept_s is None or time.monotonic() - begun_s < self._accept_s
            return is_patient and not self._is_closed

        path = open_path(self.url, *self._settings, may_wait, self._make_hearing)
        with self._closing:
            if not self._is_closed and self._path is None:
                self._path = path
                return
        path.close()
        raise PortError(f"{self.url} was closed while it was opening; make a new port to open it again.")

    def open(self, on_data: OnData, on_lost: OnLost) -> None:
        """Opens (unless `connect` has) and takes bytes from now on. Raises PortError."""
        if self._path is None:
            self.connect()
        self._attach(on_data, on_lost)

    async def open_async(self, on_data: OnData, on_lost: OnLost) -> None:
        """As `open`, with the slow part in a thread, so that a sick port delays nobody. Raises PortError."""
        try:
            await in_thread(self.connect, f"open {self.url}")
        except asyncio.CancelledError:
            self.close()
            raise
        self._attach(on_data, on_lost)

    def write(self, data: bytes) -> bool:
        """Sends or queues `data`; False, with nothing sent, when the port is closed or the queue is full."""
        path = self._path
        if path is None or not self._is_attached:
            return False
        if self._queue:
            if len(self._queue) + len(data) > self._queue_bytes:
                return False
            self._queue += data
            return True
        self._note_pending(path)
        sent = self._send(path, data)
        if sent is None or (sent == 0 and data and len(data) > self._queue_bytes):
            return False
        if sent < len(data):
            self._queue += memoryview(data)[sent:]
            self._running_loop().add_writer(path.fd, self._on_writable)
        return True

    def drop_unsent(self) -> None:
        """Forgets what the far side has not taken yet, also what the kernel holds of it for a tty."""
        if self._path is None or not self._is_attached:
            return
        if self._queue:
            self._queue.clear()
            self._running_loop().remove_writer(self._path.fd)
        _flush_out(self._path)

    def close(self) -> None:
        """Releases everything; `on_lost` is not called any more. Harmless when repeated."""
        if self._lost_call is not None:
            self._lost_call.cancel()
            self._lost_call = None
        with self._closing:
            self._is_closed = True
            path, self._path = self._path, None
        if path is not None:
            self._detach(path)

    def _attach(self, on_data: OnData, on_lost: OnLost) -> None:
        path = self._path
        if path is None:
            raise PortError(f"{self.url} is closed; make a new port to open it again.")
        self._on_data = on_data
        self._on_lost = on_lost
        self._loop = self._loop or asyncio.get_running_loop()
        os.set_blocking(path.fd, False)
        self._loop.add_reader(path.fd, self._on_readable)
        self._is_attached = True
        if path.give_way is not None:
            self._door_timer = self._loop.call_later(_DOOR_S, self._look_at_door)

    def _look_at_door(self) -> None:
        path = self._path
        if path is None or path.give_way is None:
            return
        try:
            why = path.give_way(self._is_proven())
        except PortError as error:
            why = str(error)
        if why is not None:
            self._lose(why)
            return
        self._door_timer = self._running_loop().call_later(_DOOR_S, self._look_at_door)

    def _detach(self, path: BytePath) -> None:
        if self._is_attached:
            self._is_attached = False
            if self._door_timer is not None:
                self._door_timer.cancel()
            self._running_loop().remove_reader(path.fd)
            self._running_loop().remove_writer(path.fd)
            # Closing a tty waits up to 30 s for bytes that a hung device never takes: let those go first.
            is_old = self._mono_ns() - self._written_at_mono_ns > _STUCK_NS
            if self._queue or self._is_stuck or (is_old and _pending_out(path.fd) > 0):
                _flush_out(path)
        self._queue.clear()
        try:
            path.close()
        except (
            OSError,
            termios.error,
        ):  # the device is gone already: the descriptor is released all the same
            pass

    def _on_readable(self) -> None:
        path = self._path
        if path is None:
            return
        try:
            data = os.read(path.fd, _READ_BYTES)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lose(self._why_hung_up(path) or _why(error))
            return
        if data:
            if path.is_server and len(self._first) < _FIRST_BYTES:
                self._first += data[:_FIRST_BYTES]
            self._on_data(data, self._mono_ns())
        else:
            self._lose(path.why_ended() or self._why_hung_up(path) or "its far side closed")

    def _why_hung_up(self, path: BytePath) -> str | None:
        return hung_up_phrase(bytes(self._first)) if path.is_server else None

    def _on_writable(self) -> None:
        path = self._path
        if path is None:
            return
        sent = self._send(path, self._queue)
        if sent is None:
            return
        del self._queue[:sent]
        if not self._queue:
            self._running_loop().remove_writer(path.fd)

    def _send(self, path: BytePath, data: bytes | bytearray) -> int | None:
        """How many bytes the kernel took now; None when the path is lost."""
        try:
            sent = os.write(path.fd, data)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError as error:
            self._lose(_why(error))
            return None
        self._written_at_mono_ns = self._mono_ns()
        return sent

    def _note_pending(self, path: BytePath) -> None:
        if path.is_tty and self._mono_ns() - self._written_at_mono_ns > _STUCK_NS:
            self._is_stuck = _pending_out(path.fd) > 0

    def _lose(self, why: str) -> None:
        """Releases the path now and tells it in the loop's next turn, never inside the caller's `write`."""
        with self._closing:
            if self._is_closed:
                return
            self._is_closed = True
            path, self._path = self._path, None
        if path is not None:
            self._queue.clear()
            self._detach(path)
        self._lost_call = self._running_loop().call_soon(self._on_lost, why)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            raise RuntimeError("the port is used before it is opened")
        return self._loop


def _why(error: OSError) -> str:
    if error.errno in _GONE:
        return "it was unplugged or its far side closed"
    return f"the line failed: {os.strerror(error.errno).lower() if error.errno else error}"


def _pending_out(fd: int) -> int:
    try:
        return int(struct.unpack("i", ioctl(fd, termios.TIOCOUTQ, b"\0\0\0\0"))[0])
    except OSError:
        return 0


def _flush_out(path: BytePath) -> None:
    if path.is_tty:
        try:
            termios.tcflush(path.fd, termios.TCOFLUSH)
        except (OSError, termios.error):  # the device is gone: nothing is pending either
            pass
