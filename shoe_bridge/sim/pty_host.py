"""Simulated devices on real ptys in real time: each device is a serial port that another process can open.

One thread moves the bytes. A device whose plug is out has no port: its pty is closed and its name is gone
from the folder until the plug is back. Bytes that nobody reads are lost, as on a serial line. Whoever opens
a port finds it as the first one did, whatever those before left behind.
"""

import contextlib
import os
import select
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType

from shoe_bridge.errors import PortError
from shoe_bridge.sim.device import SimDevice
from shoe_bridge.sim.pty_port import READ_BYTES, PtyPort
from shoe_bridge.sim.stage import Stage
from shoe_bridge.sim.steps import Deal, Step

IDLE_S = 0.05  # the longest sleep: how soon a host that opens a port, or a pulled plug, is noticed


class PtyHost:
    """Runs `devices` on ptys, with stable names in `folder`. `speed` is simulated time per real time.

    Used as a context, or by `start` and `close`. The world and the devices belong to its thread: whoever else
    touches them holds `table()` meanwhile.
    """

    def __init__(self, devices: Iterable[SimDevice], folder: Path, speed: float = 1.0) -> None:
        self.folder = folder
        self.lost_bytes: dict[str, int] = {}
        self._devices = {device.name: device for device in devices}
        self._speed = speed
        self._ports: dict[str, PtyPort] = {}
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._wake_read, self._wake_write = -1, -1
        self._started_s = 0.0

    # -- life

    def start(self) -> dict[str, Path]:
        """Open the ports and start the clock; gives each device's path. Raises PortError."""
        self._make_folder()
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_write, False)
        self._started_s = time.monotonic()
        try:
            with self._lock:
                self._follow_plugs()
        except BaseException:
            self._release()
            raise
        self._thread = threading.Thread(target=self._run, name="simulated devices", daemon=True)
        self._thread.start()
        return self.paths()

    def close(self) -> None:
        """Stop, close all ports and take their names out of the folder. Raises what the thread died of, if
        so."""
        self._stop.set()
        if self._thread is not None:
            self._wake()
            self._thread.join()
            self._thread = None
        self._release()
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def _release(self) -> None:
        for name in list(self._ports):
            self._close_port(name)
        for fd in (self._wake_read, self._wake_write):
            if fd >= 0:
                os.close(fd)
        self._wake_read, self._wake_write = -1, -1

    def __enter__(self) -> "PtyHost":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- for whoever plays

    def paths(self) -> dict[str, Path]:
        """The stable path of each device, also while its plug is out."""
        return {name: self.folder / name for name in self._devices}

    def is_opened(self, name: str) -> bool:
        """Whether somebody has the port of that device open."""
        with self._lock:
            port = self._ports.get(name)
            return port is not None and port.is_opened()

    @contextlib.contextmanager
    def table(self) -> Iterator[None]:
        """Hold the devices and the world still; they are brought up to now first."""
        with self._lock:
            self._move_time()
            yield
        self._wake()

    def wait(self, duration_ms: float) -> bool:
        """Let simulated time pass; False when the host was closed or has failed meanwhile."""
        return not self._stop.wait(duration_ms / self._speed / 1000)

    def play(
        self, stage: Stage, steps: Sequence[Step], on_step: Callable[[int, Step], None] | None = None
    ) -> bool:
        """Act steps out in real time; `on_step(1-based index, step)` is called before each. False when
        stopped."""
        with self.table():
            stage.reserve(steps)
        for index, step in enumerate(steps):
            if on_step is not None:
                on_step(index + 1, step)
            is_deal_next = index + 1 < len(steps) and isinstance(steps[index + 1], Deal)
            performance = stage.perform(step, is_deal_next)
            while (wait_ms := self._next_wait(performance)) is not None:
                if not self.wait(wait_ms):
                    return False
        return not self._stop.is_set()

    def _next_wait(self, performance: Iterator[int]) -> int | None:
        with self.table():
            return next(performance, None)

    # -- the thread

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                with self._lock:
                    self._follow_plugs()
                    self._move_time()
                    sleep_s, ports = self._sleep_s(), [port.waits for port in self._ports.values()]
                self._sleep(sleep_s, ports)
        except BaseException as failure:
            self._failure = failure
            self._stop.set()

    def _now_ms(self) -> int:
        return int((time.monotonic() - self._started_s) * 1000 * self._speed)

    def _sleep_s(self) -> float:
        dues = [due for device in self._devices.values() if (due := device.next_due_ms()) is not None]
        if not dues:
            return IDLE_S
        # half a ms more, so that the deed is due when the sleep is over and not a hair later
        return min(IDLE_S, max(0.0, (min(dues) - self._now_ms() + 0.5) / 1000 / self._speed))

    def _sleep(self, duration_s: float, ports: list[int]) -> None:
        readable, _, _ = select.select([self._wake_read, *ports], [], [], duration_s)
        if self._wake_read in readable:
            os.read(self._wake_read, READ_BYTES)

    def _wake(self) -> None:
        if self._wake_write >= 0:
            with contextlib.suppress(BlockingIOError):
                os.write(self._wake_write, b"!")

    def _move_time(self) -> None:
        now_ms = self._now_ms()
        for name, device in self._devices.items():
            port = self._ports.get(name)
            if port is not None and (data := port.read()):
                device.take(data, now_ms)
            data = device.advance(now_ms)
            if data and port is not None:
                taken = port.write(data) if port.is_opened() else 0
                self.lost_bytes[name] = self.lost_bytes.get(name, 0) + len(data) - taken

    # -- ports and their names

    def _follow_plugs(self) -> None:
        for name, device in self._devices.items():
            if device.is_plugged and name not in self._ports:
                self._ports[name] = PtyPort()
                self._link(name)
            elif not device.is_plugged and name in self._ports:
                self._close_port(name)
            elif device.is_plugged and self._ports[name].has_been_left():
                self._welcome_next(name)

    def _welcome_next(self, name: str) -> None:
        if not self._ports[name].make_ready():
            left, self._ports[name] = self._ports[name], PtyPort()
            self._link(name)
            left.close()

    def _close_port(self, name: str) -> None:
        port = self._ports.pop(name)
        link = self.folder / name
        if link.is_symlink() and os.readlink(link) == port.path:
            link.unlink()
        port.close()

    def _link(self, name: str) -> None:
        link = self.folder / name
        if link.exists() and not link.is_symlink():
            raise PortError(
                f"{link} is in the way of the simulated {name}: move it aside or choose another folder"
            )
        fresh = self.folder / f".{name}.new"
        try:
            fresh.unlink(missing_ok=True)
            fresh.symlink_to(self._ports[name].path)
            fresh.replace(link)
        except OSError as error:
            raise PortError(
                f"{link} cannot be made for the simulated {name} ({error.strerror}): choose a folder"
                " that this user may write"
            ) from error

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PortError(
                f"{self.folder} cannot be made for the simulated ports ({error.strerror}):"
                " choose another folder"
            ) from error
