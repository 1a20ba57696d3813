"""One replay under way: frames wait in it until the events before them are there, or are known to be lost.

Events carry their own number, reports the number of the newest event before them. So the device's order is
that of (number, events before reports), whatever a replay has mixed in.
"""

import msgspec

from protocol.messages import (
    CardDrawn,
    CardUnread,
    DealerEntry,
    DeviceFault,
    Heartbeat,
    KeyPressed,
    KeyReleased,
    PollEmpty,
    Stamp,
    TagGone,
    TagSeen,
)

SEQ_WRAP = 0x10000
MOST_ASKED = 4  # one question and three repeats: the answer may be lost on the way
MOST_WAITING = 1024  # frames; more means that the replay will not come

# what may have to wait for a replay: everything that becomes an observation, or ends a poll
Numbered = (
    TagSeen
    | TagGone
    | PollEmpty
    | CardDrawn
    | CardUnread
    | KeyPressed
    | KeyReleased
    | DealerEntry
    | DeviceFault
    | Heartbeat
)


class Held(msgspec.Struct, frozen=True):
    """A frame that waits until the events before it are there; `at_ms` is its unwrapped device clock."""

    message: Numbered
    stamp: Stamp
    at_ms: int


def ahead(seq: int, of: int) -> int:
    """How many events `seq` is ahead of `of`; negative when it is behind. Numbers wrap at 65536."""
    return (seq - of + SEQ_WRAP // 2) % SEQ_WRAP - SEQ_WRAP // 2


class Placed(msgspec.Struct, frozen=True):
    """A waiting frame in its place in the device's order; `missed` events that nobody has stand before it."""

    held: Held
    missed: int


class Replay(msgspec.Struct):
    """`base` is the last event that was taken, `newest` the newest that the device has named since.

    `is_connecting` tells the replay after a hello from that of a gap within a life; `is_noisy` that bytes
    were dropped meanwhile; `asked_ns` (monotonic) when it was asked for or last made progress.
    """

    base: int
    newest: int
    is_connecting: bool
    asked_ns: int
    asked: int = 1
    is_noisy: bool = False
    waiting: list[Held] = []

    def hold(self, held: Held, at_mono_ns: int) -> None:
        """A frame that must wait. A replayed one is progress."""
        self.waiting.append(held)
        if held.stamp.is_replay:
            self.asked_ns = at_mono_ns

    def heard(self, seq: int) -> None:
        """The device named its newest event."""
        if ahead(seq, self.newest) > 0:
            self.newest = seq

    def is_full(self) -> bool:
        return len(self.waiting) >= MOST_WAITING

    def may_ask_again(self) -> bool:
        return self.asked < MOST_ASKED

    def first_missing_after(self) -> int | None:
        """The event before the first one that is not here; None when all up to the newest are."""
        here = {held.stamp.seq for held in self.waiting if held.stamp.is_event}
        for step in range(1, ahead(self.newest, self.base) + 1):
            if (self.base + step) % SEQ_WRAP not in here:
                return (self.base + step - 1) % SEQ_WRAP
        return None

    def in_order(self) -> tuple[list[Placed], int, int]:
        """The waiting frames in the device's order, each event once; how many events nobody has behind the
        last of them; how many frames were repeats and are left out."""
        ranked = sorted(
            self.waiting, key=lambda held: (ahead(held.stamp.seq, self.base), not held.stamp.is_event)
        )
        placed: list[Placed] = []
        last, repeats = self.base, 0
        for held in ranked:
            step = ahead(held.stamp.seq, last)
            if step < 0 or (step == 0 and held.stamp.is_event):
                repeats += 1
                continue
            placed.append(Placed(held, max(0, step - held.stamp.is_event)))
            last = held.stamp.seq
        return placed, max(0, ahead(self.newest, last)), repeats
