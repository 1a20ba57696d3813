"""What the simulated readers have in common that speak only when they are asked: their timetable, one command
after the other, and the ways in which they err.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Mapping
from functools import partial

from protocol.messages import HostCommand
from shoe_bridge.sim.noise import Air, Read
from shoe_bridge.sim.timed_device import ReadingDevice

RESTART_MS = 500

# what a device says: after how many ms, which bytes
Says = Iterable[tuple[int, bytes]]


class AskedDevice(ReadingDevice, ABC):
    """One reader. `antennas` maps antenna numbers to places. It loses its settings with its power, and the
    power with its plug unless it `has_own_power`."""

    has_own_power = False

    def __init__(
        self, name: str, *, air: Air | None = None, antennas: Mapping[int, str] | None = None
    ) -> None:
        super().__init__(name, air, antennas)
        self._to_ignore = 0
        self._late_ms = 0
        self._cut_to: int | None = None
        self._before = b""
        self._start(0)

    @abstractmethod
    def _hear(self, data: bytes) -> Iterable[HostCommand]:
        """The commands that are complete with these bytes of the host."""

    @abstractmethod
    def _answer(self, command: HostCommand) -> Says:
        """What the device says to a command, in order; each time counts from the one before."""

    @abstractmethod
    def _forget(self) -> None:
        """The power is gone: settings and whatever was begun are as on the first day."""

    def _heard_at(self, antenna: int) -> list[Read]:
        """One poll of an antenna: each tag once."""
        return list({read.tag: read for read in self._reads_at(antenna)}.values())

    # -- power

    def _start(self, deaf_ms: int) -> None:
        now_ms = self._begin_anew()
        self._ready_at_ms = now_ms + deaf_ms
        self._todo: deque[HostCommand] = deque()
        self._is_busy = False
        self._forget()

    def reboot(self) -> None:
        """Restart: deaf and dumb for half a second, its settings lost."""
        self._start(RESTART_MS)

    def unplug(self) -> None:
        super().unplug()
        if not self.has_own_power:
            self._start(0)

    # -- faults

    def ignore_next(self, count: int) -> None:
        """The next `count` commands get no answer."""
        self._to_ignore += count

    def answer_late(self, by_ms: int) -> None:
        """The next answer comes so much later."""
        self._late_ms = by_ms

    def cut_next(self, kept_bytes: int) -> None:
        """The next frame breaks off after `kept_bytes`."""
        self._cut_to = kept_bytes

    def put_before_next(self, noise: bytes) -> None:
        """These bytes stand before the next frame."""
        self._before = noise

    # -- the host's side

    def take(self, data: bytes, at_ms: int) -> None:
        """Bytes of the host arrive."""
        if not self.is_plugged or at_ms < self._ready_at_ms:
            return
        for command in self._hear(data):
            if self._to_ignore:
                self._to_ignore -= 1
            else:
                self._obey(command, at_ms)

    def _obey(self, command: HostCommand, at_ms: int) -> None:
        """One command after the other: a reader answers in the order in which it was asked."""
        self._todo.append(command)
        if not self._is_busy:
            self._is_busy = True
            self._timetable.at(at_ms, self._go_on)

    def _go_on(self) -> None:
        if not self._todo:
            self._is_busy = False
            return
        late_ms, self._late_ms = self._late_ms, 0
        says = self._answer(self._todo.popleft())
        over_ms = self._say(says, self._timetable.now_ms + late_ms)
        self._timetable.at(over_ms, self._go_on)

    def _say(self, says: Says, at_ms: int) -> int:
        """Say it from `at_ms` on; gives when it has been said."""
        for after_ms, data in says:
            at_ms += after_ms
            self._timetable.at(at_ms, partial(self._send, data))
        return at_ms

    def _send(self, data: bytes) -> None:
        if not self.is_plugged:
            return
        cut_to, self._cut_to = self._cut_to, None
        before, self._before = self._before, b""
        self._put(before + data[:cut_to])
