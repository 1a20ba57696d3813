"""A model of a USB keypad, macro pad or foot switch: a HID keyboard whose keys do something.

Its bytes are the reports of its interrupt endpoint, one behind the other. Each change of its keys is a report
with all keys that are down then. It takes nothing from the host. Its power comes over the plug: plugged in
again it reports at once what is held down then.
"""

from protocol.hid_keys import encode_keys
from shoe_bridge.sim.timed_device import TimedDevice

REPORT_MS = 8  # between two reports, as a low-speed endpoint is asked


class HidKeypadDevice(TimedDevice):
    """One keypad. `layout` is the form of its reports; `repeat_ms` is how often it repeats its report while a
    key is down, as some do (None: never); `leaves_gaps`: a key that is released leaves its place in the
    report empty, as those built on the Arduino library do. `held` are the usages of keys that are down."""

    kind = "hid_keyboard"

    def __init__(
        self, name: str, *, layout: str = "boot", repeat_ms: int | None = None, leaves_gaps: bool = False
    ) -> None:
        super().__init__(name)
        self._layout = layout
        self._repeat_ms = repeat_ms
        self._leaves_gaps = leaves_gaps
        self._places: list[int] = []  # the keys as they stand in the report, 0 for a gap
        self._modifiers = 0
        self._next_report_ms = 0
        self._to_lose = 0

    @property
    def held(self) -> tuple[int, ...]:
        return tuple(key for key in self._places if key)

    # -- what people do

    def press(self, key: int, held_ms: int = 80) -> None:
        """A finger or foot presses the key of that usage for so long."""
        self.hold(key)
        self._timetable.at(self.now_ms + held_ms, lambda: self.release(key))

    def hold(self, *keys: int, modifiers: int = 0) -> None:
        """These keys go down at once, with the modifiers of that byte, and stay down."""
        for key in keys:
            if key not in self._places:
                gap = self._places.index(0) if 0 in self._places else len(self._places)
                self._places[gap : gap + 1] = [key]
        self._modifiers = modifiers
        self._report()
        if self._repeat_ms is not None:
            self._repeat_at(self.now_ms + self._repeat_ms)

    def release(self, *keys: int) -> None:
        """These keys come up; without any named, all of them."""
        for key in keys or self.held:
            if key in self._places:
                at = self._places.index(key)
                self._places[at : at + 1] = [0] * self._leaves_gaps
        while self._places and not self._places[-1]:
            self._places.pop()
        self._modifiers = 0
        self._report()

    def replug(self) -> None:
        super().replug()
        if self.held:
            self._report()

    # -- faults

    def lose_reports(self, count: int) -> None:
        """The next `count` reports are lost: the host did not ask in time."""
        self._to_lose += count

    # -- the stream

    def take(self, data: bytes, at_ms: int) -> None:
        """Bytes of the host arrive: a keypad obeys nobody."""

    def _report(self) -> None:
        """What is down now goes out with the next report that the host asks for."""
        report = encode_keys(tuple(self._places), self._layout, modifiers=self._modifiers)
        self._next_report_ms = max(self.now_ms, self._next_report_ms) + REPORT_MS

        def report_now() -> None:
            if self._to_lose:
                self._to_lose -= 1
            else:
                self._put(report)

        self._timetable.at(self._next_report_ms, report_now)

    def _repeat_at(self, at_ms: int) -> None:
        def repeat() -> None:
            if self.held and self._repeat_ms is not None:
                self._report()
                self._repeat_at(at_ms + self._repeat_ms)

        self._timetable.at(at_ms, repeat)
