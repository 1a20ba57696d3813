"""A model of a keyboard-wedge reader: it types a tag's identity once, when a card is laid on it.

Its bytes are the reports of its interrupt endpoint, one behind the other. It reads one card at a time, says
nothing when the card is taken away, and types again when it comes back.
"""

from collections.abc import Mapping

from protocol import hid_keyboard
from protocol.hid_reports import LAYOUTS
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.timed_device import TimedDevice
from shoe_bridge.sim.world import World

REPORT_MS = 8  # between two reports, as a low-speed endpoint is asked


class HidKeyboardDevice(TimedDevice):
    """One reader. `antennas` has its one place; `rule` is how it types (see `protocol.hid_rule`), `layout`
    the form of its reports; `has_enter`: it types Enter behind each line."""

    kind = "hid_keyboard"

    def __init__(
        self,
        name: str,
        *,
        air: Air | None = None,
        antennas: Mapping[int, str] | None = None,
        cycle_ms: int = 200,
        rule: str = "hex",
        layout: str = "boot",
        has_enter: bool = True,
    ) -> None:
        super().__init__(name)
        self._air = air or Air(World())
        self._place = next(iter((antennas or {}).values()), None)
        self._cycle_ms = cycle_ms
        self._rule = rule
        self._layout = layout
        self._has_enter = has_enter
        self._lying: str | None = None
        self._to_lose = 0
        if self._place is not None:
            self._poll_at(cycle_ms)

    def unplug(self) -> None:
        super().unplug()
        self._lying = None

    def lose_reports(self, count: int) -> None:
        """The next `count` reports are lost: the host did not ask in time."""
        self._to_lose += count

    def type_text(self, text: str) -> None:
        """Type any text, as a reader of barcodes or a hand on a keyboard would."""
        self._type(hid_keyboard.encode_text(text, self._layout, has_enter=self._has_enter))

    # -- the stream

    def take(self, data: bytes, at_ms: int) -> None:
        """Bytes of the host arrive: a reader obeys nobody."""

    # -- reading and typing

    def _poll_at(self, at_ms: int) -> None:
        def poll_and_go_on() -> None:
            self._poll()
            self._poll_at(at_ms + self._cycle_ms)

        self._timetable.at(at_ms, poll_and_go_on)

    def _poll(self) -> None:
        if self._place is None or not self.is_plugged:
            return
        reads = self._air.poll(self._place)
        tag = reads[-1].tag if reads else None
        if tag is not None and tag != self._lying:
            text = hid_keyboard.encode_tag(tag, self._rule, self._layout, has_enter=self._has_enter)
            self._type(text)
        self._lying = tag

    def _type(self, reports: bytes) -> None:
        size = LAYOUTS[self._layout].size
        at_ms = self._timetable.now_ms
        for start in range(0, len(reports), size):
            at_ms += REPORT_MS
            self._report_at(at_ms, reports[start : start + size])

    def _report_at(self, at_ms: int, report: bytes) -> None:
        def report_now() -> None:
            if self._to_lose:
                self._to_lose -= 1
            else:
                self._put(report)

        self._timetable.at(at_ms, report_now)
