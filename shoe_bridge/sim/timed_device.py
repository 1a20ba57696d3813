"""What the simulated devices have in common: a plug, a timetable and the bytes that they have said; and those
that read tags, antennas in the air of a world.
"""

from collections.abc import Callable, Mapping

from protocol.tag_reach import can_name
from shoe_bridge.sim.noise import Air, Read, shares_beside
from shoe_bridge.sim.timetable import Timetable
from shoe_bridge.sim.world import World


class TimedDevice:
    """A device that lives in virtual time. It keeps its power without the plug unless its kind says else."""

    kind = ""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_plugged = True
        self._out = bytearray()
        self._timetable = Timetable()

    def unplug(self) -> None:
        self.is_plugged = False
        self._out.clear()

    def replug(self) -> None:
        self.is_plugged = True

    @property
    def now_ms(self) -> int:
        return self._timetable.now_ms

    def advance(self, at_ms: int) -> bytes:
        """Let time pass to `at_ms` (never backwards) and give what was sent meanwhile."""
        while (due_ms := self._timetable.next_due_ms()) is not None and due_ms <= at_ms:
            self._timetable.run(due_ms)  # step by step: a restart puts another timetable in its place
        self._timetable.run(at_ms)
        out = bytes(self._out)
        self._out.clear()
        return out

    def next_due_ms(self) -> int | None:
        return self._timetable.next_due_ms()

    def _begin_anew(self) -> int:
        """A life ends, and no deed of it enters the new one; gives the time at which that begins."""
        now_ms = self._timetable.now_ms
        self._timetable.clear()
        self._timetable = Timetable(now_ms)
        return now_ms

    def _put(self, data: bytes) -> None:
        """Send the bytes now; without the plug they are lost."""
        if self.is_plugged:
            self._out += data


class ReadingDevice(TimedDevice):
    """A device with antennas: `antennas` maps their numbers to places."""

    def __init__(self, name: str, air: Air | None, antennas: Mapping[int, str] | None) -> None:
        super().__init__(name)
        self._air = air or Air(World())
        self._antennas = dict(antennas or {})

    def _reads_at(self, antenna: int) -> list[Read]:
        """One poll of an antenna. It may hear the tags of its neighbours by number, too."""
        reads = self._air.poll(self._antennas[antenna], shares_beside(self._antennas, antenna))
        return [read for read in reads if self.can_read(read.tag)]

    def can_read(self, tag: str) -> bool:
        """Whether a tag (hex) is of a kind that this reader can name; of any other it tells nothing."""
        return not self._antennas or can_name(self.kind, tag)

    def _poll_in_turn(self, from_ms: int, cycle_ms: int, poll: Callable[[int], None]) -> None:
        """From then on `poll` each antenna by its number once in a cycle, one after the other."""
        for index, antenna in enumerate(sorted(self._antennas), start=1):
            self._poll_at(from_ms + index * cycle_ms // len(self._antennas), cycle_ms, antenna, poll)

    def _poll_at(self, at_ms: int, cycle_ms: int, antenna: int, poll: Callable[[int], None]) -> None:
        def poll_and_go_on() -> None:
            poll(antenna)
            self._poll_at(at_ms + cycle_ms, cycle_ms, antenna, poll)

        self._timetable.at(at_ms, poll_and_go_on)
