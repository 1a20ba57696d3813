"""Keys: from contact closures to whole presses. All widths are measured on the device's own clock.

up --down--> down --up, closed for 20 ms in all--> KeyPressed
up --down again within 30 ms of the release------> still the same press: the contact bounced
down for 10 s                                    -> DeviceFaulted once; its release clears the fault
"""

from collections import Counter
from collections.abc import Mapping

import msgspec

from shoe_bridge.table.observations import AnyObservation, DeviceFaulted, KeyPressed

LEAST_CLOSED_MS = 20
BOUNCE_MS = 30
STUCK_MS = 10_000
STUCK_NS = STUCK_MS * 1_000_000
STUCK_KEY_CODE = 0x0300  # as a device itself would report it: key number in the low byte


class Press(msgspec.Struct):
    """The newest press of one key: `closed_ms` is how long the contact was closed in all, `down_ms` since
    when it is closed now (None: open since `up_ms`)."""

    down_ms: int | None
    down_ns: int
    up_ms: int = 0
    closed_ms: int = 0
    is_reported: bool = False
    is_stuck: bool = False


class Keys:
    """The keys of one device. Unknown key numbers are counted and dropped."""

    def __init__(self, device: str, names: Mapping[int, str], counters: Counter[str]) -> None:
        self._device = device
        self._names = dict(names)
        self._counters = counters
        self.presses: dict[int, Press] = {}

    def struck(self, key: int, at_ms: int, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """As `down`, at a device that waits for its contacts to settle by itself and may tell of a press and
        its release at once: the press is told as soon as the key is down."""
        self.down(key, at_ms, at_mono_ns)
        press = self.presses.get(key)
        if press is not None and not press.is_reported:
            press.is_reported = True
            out.append(KeyPressed(self._names[key], at_mono_ns, self._device))

    def was_down(self, key: int, at_ms: int, at_mono_ns: int) -> None:
        """The contact was closed before anybody looked: no press, but it may be stuck."""
        self.down(key, at_ms, at_mono_ns)
        if key in self.presses:
            self.presses[key].is_reported = True

    def down(self, key: int, at_ms: int, at_mono_ns: int) -> None:
        """The contact closed at `at_ms` of the device's unwrapped clock."""
        if key not in self._names:
            self._counters["unknown_key"] += 1
            return
        press = self.presses.get(key)
        if press is None or (press.down_ms is None and at_ms - press.up_ms > BOUNCE_MS):
            self.presses[key] = Press(at_ms, at_mono_ns)
        elif press.down_ms is None:
            press.down_ms = at_ms

    def up(self, key: int, at_ms: int, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """The contact opened: the press is whole if it was closed long enough."""
        press = self.presses.get(key)
        if press is None or press.down_ms is None:
            self._counters["unknown_key" if key not in self._names else "release_without_press"] += 1
            return
        press.closed_ms += at_ms - press.down_ms
        press.down_ms = None
        press.up_ms = at_ms
        if press.is_stuck or press.closed_ms > STUCK_MS:
            self._release_stuck(key, press, at_mono_ns, out)
        elif not press.is_reported and press.closed_ms >= LEAST_CLOSED_MS:
            press.is_reported = True
            out.append(KeyPressed(self._names[key], at_mono_ns, self._device))

    def tick(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """Time passed: a key that has been down for too long is stuck."""
        for key, press in self.presses.items():
            if press.down_ms is not None and not press.is_stuck and at_mono_ns - press.down_ns >= STUCK_NS:
                press.is_stuck = True
                out.append(self._stuck(key, False, at_mono_ns))

    def next_deadline_ns(self) -> int | None:
        """When a key that is down now would count as stuck."""
        return min(
            (p.down_ns + STUCK_NS for p in self.presses.values() if p.down_ms is not None and not p.is_stuck),
            default=None,
        )

    def forget(self) -> None:
        """The link was lost: a press that spans the loss is none."""
        self.presses.clear()

    def _release_stuck(self, key: int, press: Press, at_mono_ns: int, out: list[AnyObservation]) -> None:
        if not press.is_stuck:
            # no tick came in between (the host stalled): say both
            out.append(self._stuck(key, False, at_mono_ns))
        out.append(self._stuck(key, True, at_mono_ns))
        del self.presses[key]

    def _stuck(self, key: int, cleared: bool, at_mono_ns: int) -> DeviceFaulted:
        text = f"stuck key: '{self._names[key]}' was down for more than {STUCK_MS // 1000} s"
        return DeviceFaulted(self._device, STUCK_KEY_CODE | key & 0xFF, text, cleared, at_mono_ns)
