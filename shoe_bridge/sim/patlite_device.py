"""A model of the Patlite NE-USB: a signal light whose touch sensor is a key.

Commands and answers are USB reports of one size each, here one behind the other. It says nothing unless it is
asked whether it is touched, and shows what it was last told for as long as it has power, which it has over
its plug.
"""

from protocol.patlite_ne import TOUCH
from shoe_bridge.sim.light_looks import Shown
from shoe_bridge.sim.timed_device import TimedDevice
from shoe_bridge.sim.usb_tower_heads import PatliteNeHead

REPORT_BYTES = 8
ANSWER_MS = 2
DARK = bytes(REPORT_BYTES)
_CONTROL, _GET_STATE = 0x00, 0x80


class PatliteDevice(TimedDevice):
    """One light. `shown` is the report that it shows, `history` each change as (when, report); `asked` counts
    the questions, `ignored` the reports that are no command."""

    kind = "patlite_ne"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.shown = DARK
        self.history: list[tuple[int, bytes]] = []
        self.asked = 0
        self.ignored = 0
        self._touched_until_ms = 0
        self._to_ignore = 0
        self._held = bytearray()

    @property
    def look(self) -> Shown:
        """What an eye sees of it."""
        head = PatliteNeHead()
        head.take(self.shown, self.now_ms)
        return head.shown(self.now_ms)

    def press(self, key: int = TOUCH, held_ms: int = 120) -> None:
        """A finger lies on the sensor now, for longer than a host takes to ask."""
        if key == TOUCH:
            self._touched_until_ms = self.now_ms + held_ms

    def unplug(self) -> None:
        super().unplug()
        self._held.clear()
        self._show(DARK)

    # -- faults

    def ignore_next(self, count: int) -> None:
        """The next `count` questions get no answer."""
        self._to_ignore += count

    # -- the host's side

    def take(self, data: bytes, at_ms: int) -> None:
        """Reports of the host arrive."""
        if not self.is_plugged:
            return
        self._held += data
        while len(self._held) >= REPORT_BYTES:
            report = bytes(self._held[:REPORT_BYTES])
            del self._held[:REPORT_BYTES]
            self._obey(report, at_ms)

    def _obey(self, report: bytes, at_ms: int) -> None:
        if report[:2] == bytes((0, _GET_STATE)):
            self.asked += 1
            if self._to_ignore:
                self._to_ignore -= 1
            else:
                self._timetable.at(at_ms + ANSWER_MS, self._answer)
        elif report[:2] == bytes((0, _CONTROL)):
            self._timetable.at(at_ms, lambda: self._show(report))
        else:
            self.ignored += 1

    def _answer(self) -> None:
        self._put(bytes((0, self.now_ms < self._touched_until_ms)))

    def _show(self, report: bytes) -> None:
        if report != self.shown:
            self.shown = report
            self.history.append((self.now_ms, report))
