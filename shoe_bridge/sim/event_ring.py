"""The ring of events that a tablelink device keeps for replay: numbered, small, and honest about what it
lost.
"""

from collections import deque
from collections.abc import Iterator

import msgspec

from protocol.messages import Message

RING_EVENTS = 24
SEQ_MODULUS = 1 << 16


class KeptEvent(msgspec.Struct, frozen=True):
    """One event: its number modulo 65536 and the device's clock when it happened."""

    seq: int
    at_device_ms: int
    message: Message


class EventRing:
    """The newest unacknowledged events. `dropped` counts the events that were overwritten before the host
    acknowledged them."""

    def __init__(self, size: int = RING_EVENTS) -> None:
        self._kept: deque[KeptEvent] = deque()
        self._size = size
        self.newest_seq = 0
        self.dropped = 0

    def append(self, message: Message, at_device_ms: int) -> KeptEvent:
        """Number an event and keep it, overwriting the oldest when the ring is full."""
        self.newest_seq = (self.newest_seq + 1) % SEQ_MODULUS
        event = KeptEvent(self.newest_seq, at_device_ms, message)
        if len(self._kept) == self._size:
            self._kept.popleft()
            self.dropped += 1
        self._kept.append(event)
        return event

    def acknowledge(self, seq: int) -> None:
        """Forget all events up to and including `seq`; a number that is not in the ring changes nothing."""
        if any(event.seq == seq for event in self._kept):
            while self._kept.popleft().seq != seq:
                pass

    @property
    def oldest_seq(self) -> int | None:
        return self._kept[0].seq if self._kept else None

    def after(self, seq: int) -> tuple[tuple[KeptEvent, ...], bool]:
        """The events behind `seq`, and whether none between is lost."""
        wanted = (self.newest_seq - seq) % SEQ_MODULUS
        events = tuple(self._kept)[max(0, len(self._kept) - wanted) :] if wanted else ()
        return events, len(events) == wanted

    def __iter__(self) -> Iterator[KeptEvent]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)
