"""What the shoes on a one-way line have in common: they speak when something happens, hear nothing, keep
nothing, and are silent between hands.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from shoe_bridge.sim.timed_device import TimedDevice

WHOLE, LOST, GARBLED, FORGED = "whole", "lost", "garbled", "forged"


class OneWayShoe(TimedDevice, ABC):
    """Base of such shoes. `heard` are the bytes that the host sent, to no effect: there should be none."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.heard = b""
        self._free_ms = 0  # the line is busy until then
        self._fates: tuple[str, ...] = ()

    # -- faults

    def spoil_next(self, *fates: str) -> None:
        """How the next thing that it says goes out, once for each of `fates`: `whole`, `lost`, `garbled` (no
        longer what the device sends) or `forged` (garbled into something else that it might send)."""
        self._fates = fates

    def noise(self, data: bytes) -> None:
        """Bytes that nobody sent stand on the line now."""
        self._put(data)

    # -- the line

    def _say(self, data: bytes, copies: int, gap_ms: int) -> None:
        """Send `data` so many times, each `gap_ms` after the one before, behind what is under way."""
        fates: Sequence[str] = self._fates or (WHOLE,) * copies
        self._fates = ()
        at_ms = max(self._timetable.now_ms, self._free_ms)
        for fate in fates:
            if fate != LOST:
                self._put_at(at_ms, self._spoilt(data, fate))
            at_ms += gap_ms
        self._free_ms = at_ms

    def _put_at(self, at_ms: int, data: bytes) -> None:
        self._timetable.at(at_ms, lambda: self._put(data))

    def _spoilt(self, data: bytes, fate: str) -> bytes:
        if fate == WHOLE:
            return data
        return self._forged(data) if fate == FORGED else self._garbled(data)

    def _garbled(self, data: bytes) -> bytes:
        """One bit of a byte in the middle is wrong."""
        return flipped(data, len(data) // 2)

    @abstractmethod
    def _forged(self, data: bytes) -> bytes:
        """A message that is whole and says something else."""

    def take(self, data: bytes, at_ms: int) -> None:
        """Bytes of the host arrive; the shoe is deaf."""
        if self.is_plugged:
            self.heard += data


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0x80]) + data[at + 1 :]
