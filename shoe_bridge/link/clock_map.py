"""From a device's clock (ms since its boot, modulo 2**32) to the bridge's monotonic ns.

    bridge time = device time + offset

Each frame arrives after it was stamped, so (arrival - stamp) is never below the true offset and the smallest
such value is the best one. It can only grow stale in one direction: on a device whose clock is slow the true
offset rises. A clock sample proves that: the device read its clock after the host had asked, so
(question - sample) is never above the true offset. The offset is kept between the two bounds, hence a mapped
time never lies after the arrival of its frame.

A stamp that contradicts all others is not believed. Eight running are: then it was the first one, say of a
hello that had waited for a stalled host, that was wrong.
"""

import msgspec

NS_PER_MS = 1_000_000
WRAP = 2**32
MOST_BACKWARD_MS = 1_000  # frames of one device may overtake each other by so much, not more
MOST_AHEAD_NS = 1_000_000_000  # no drift moves a clock so far ahead of its own earlier frames
STRAYS_TO_BELIEVE = 8


class ClockMap(msgspec.Struct):
    """The clock of one boot of one device. `newest_ms` counts on over the wrap; `floor_ns` is the last time
    that was given out, since a device's times never run backwards."""

    newest_ms: int = 0
    offset_ns: int = 0
    floor_ns: int = 0
    strays: int = 0
    token: int = 0
    asked_ns: int | None = None

    def start(self, at_device_ms: int, at_mono_ns: int) -> None:
        """Begin anew with this stamp, as after a hello: forget what was known of the device's clock."""
        self.newest_ms = at_device_ms
        self.offset_ns = at_mono_ns - at_device_ms * NS_PER_MS
        self.floor_ns = min(self.floor_ns, at_mono_ns)
        self.strays = 0
        self.asked_ns = None

    def take(self, at_device_ms: int, at_mono_ns: int, is_replay: bool) -> int | None:
        """The unwrapped clock of a frame that arrived at `at_mono_ns`, in ms; None when no such device can
        have sent it: backwards by more than a second, or ahead of all frames so far by as much."""
        step = (at_device_ms - self.newest_ms) % WRAP
        if step >= WRAP // 2:
            step -= WRAP
            if step < -MOST_BACKWARD_MS and not is_replay:
                return self._stray(at_device_ms, at_mono_ns)
            return self.newest_ms + step
        at_ms = self.newest_ms + step
        ahead_ns = self.offset_ns + at_ms * NS_PER_MS - at_mono_ns
        if ahead_ns > 0:
            if ahead_ns > MOST_AHEAD_NS:
                return self._stray(at_device_ms, at_mono_ns)
            self.offset_ns -= ahead_ns
        self.newest_ms = at_ms
        self.strays = 0
        return at_ms

    def _stray(self, at_device_ms: int, at_mono_ns: int) -> int | None:
        self.strays += 1
        if self.strays < STRAYS_TO_BELIEVE:
            return None
        self.start(at_device_ms, at_mono_ns)
        return at_device_ms

    def to_mono_ns(self, at_ms: int) -> int:
        """The bridge's time of an unwrapped clock; never earlier than the time given out before."""
        mono_ns = self.offset_ns + at_ms * NS_PER_MS
        if mono_ns < self.floor_ns:
            return self.floor_ns
        self.floor_ns = mono_ns
        return mono_ns

    def ask(self, at_mono_ns: int) -> int:
        """The token of a new clock request; an earlier one that has no answer yet is given up."""
        self.token = self.token % 0xFFFF + 1
        self.asked_ns = at_mono_ns
        return self.token

    def answered(self, token: int, at_device_ms: int) -> None:
        """The device read its clock for `token`: the offset cannot be below (question - sample)."""
        if token != self.token or self.asked_ns is None:
            return
        step = (at_device_ms - self.newest_ms + WRAP // 2) % WRAP - WRAP // 2
        least_ns = self.asked_ns - (self.newest_ms + step) * NS_PER_MS
        self.offset_ns = max(self.offset_ns, least_ns)
        self.asked_ns = None
