"""What is owed to the far side, in order, until it is acknowledged.

    append ──► waiting ──durable──► due ──► in flight ──acknowledge──► gone (the journal is told)
                                     ▲          │
                                     └── fail ──┘  after a back-off

Sans-IO: it reads no clock, and the only I/O is asking the journal for what memory does not hold. In memory
are the oldest events owed, at most `in_memory` of them; the rest stays in the journal alone and is read back
in order, so memory does not depend on how long the far side is away. A restart begins with what the journal
still holds, the same bytes under the same ids: at least once.
"""

from collections import deque
from collections.abc import Sequence
from typing import Protocol

from shoe_bridge.errors import ShoeBridgeError

FIRST_RETRY_MS, LAST_RETRY_MS = 250, 30_000
_NS_PER_MS = 10**6


class Owed(Protocol):
    """One event in the journal."""

    @property
    def seq(self) -> int: ...

    @property
    def body(self) -> bytes: ...


class OutboxJournal(Protocol):
    """What the outbox needs of the journal."""

    def acknowledge_outbox(self, upto_seq: int) -> None: ...

    def read_outbox(self, after_seq: int, limit: int) -> Sequence[Owed]: ...


class EventSink(Protocol):
    """Where events go: `send` returns how many of them, from the first on, the far side has acknowledged;
    raises OSError when it cannot take any now."""

    def send(self, events: list[bytes]) -> int: ...


class Outbox:
    """Between `due` and its answer (`acknowledge` or `fail`) one batch is in flight and nothing else is
    due."""

    def __init__(
        self,
        sink: EventSink,
        journal: OutboxJournal,
        *,
        acknowledged_seq: int,
        durable_seq: int,
        in_memory: int = 1000,
        batch: int = 100,
    ) -> None:
        """`acknowledged_seq` and `durable_seq` are where the journal stands: what lies between is owed."""
        self._sink = sink
        self._journal = journal
        self._in_memory = in_memory
        self._batch = batch
        self._acked_seq = acknowledged_seq
        self._durable_seq = durable_seq
        self._newest_seq = durable_seq
        self._held: deque[tuple[int, bytes]] = deque()  # the oldest events owed, in order
        self._held_seq = acknowledged_seq  # all events up to this one are gone or held
        self._in_flight: list[int] = []
        self._retry_at_ns: int | None = None
        self._retry_ms = FIRST_RETRY_MS
        self.trouble: str | None = None

    @property
    def depth(self) -> int:
        """How many events are owed, committed or not."""
        return self._newest_seq - self._acked_seq

    def append(self, seq: int, body: bytes) -> None:
        """An event is owed; it waits here until `durable` covers it. Its number follows the one before."""
        if seq != self._newest_seq + 1:
            raise ValueError(f"the event {seq} does not follow the event {self._newest_seq}")
        self._newest_seq = seq
        if self._held_seq == seq - 1 and len(self._held) < self._in_memory:
            self._held.append((seq, body))
            self._held_seq = seq

    def durable(self, upto_seq: int) -> None:
        """The journal holds all events up to this one: they may leave the box."""
        self._durable_seq = max(self._durable_seq, min(upto_seq, self._newest_seq))

    def due(self, now_mono_ns: int) -> list[bytes]:
        """The batch to send now, oldest first; empty while one is in flight, in back-off or nothing is owed.
        May read the journal; one that cannot be read counts as a failure."""
        if self._in_flight or (self._retry_at_ns is not None and now_mono_ns < self._retry_at_ns):
            return []
        if not self._held and self._acked_seq < self._durable_seq:
            try:
                self._read_back()
            except ShoeBridgeError as error:
                self.fail(str(error), now_mono_ns)
                return []
        ready: list[bytes] = []
        for seq, body in self._held:
            if seq > self._durable_seq or len(ready) == self._batch:
                break
            ready.append(body)
            self._in_flight.append(seq)
        return ready

    def next_due_ns(self) -> int | None:
        """When `due` should be asked again: 0 at once, None when an append, a commit or an answer must come
        first."""
        if self._in_flight or self._acked_seq >= self._durable_seq:
            return None
        return self._retry_at_ns if self._retry_at_ns is not None else 0

    def acknowledge(self, count: int, now_mono_ns: int) -> None:
        """The sink has the first `count` of the batch in flight: those, and only those, are gone. The rest is
        due again, after a back-off if there was no progress."""
        if not 0 <= count <= len(self._in_flight):
            raise ValueError(f"{count} of {len(self._in_flight)} events cannot be acknowledged")
        if count == 0 and self._in_flight:
            self.fail("it acknowledged nothing", now_mono_ns)
            return
        for _ in range(count):
            self._acked_seq = self._held.popleft()[0]
        self._in_flight.clear()
        self._retry_at_ns, self._retry_ms, self.trouble = None, FIRST_RETRY_MS, None
        if count:
            self._journal.acknowledge_outbox(self._acked_seq)

    def fail(self, why: str, now_mono_ns: int) -> None:
        """The batch in flight was not taken; it is due again after a back-off that doubles up to half a
        minute."""
        self._in_flight.clear()
        self._retry_at_ns = now_mono_ns + self._retry_ms * _NS_PER_MS
        self._retry_ms = min(self._retry_ms * 2, LAST_RETRY_MS)
        self.trouble = why

    def deliver(self, now_mono_ns: int) -> int:
        """Send what is due through the sink, blocking while it writes; returns how many events are gone."""
        batch = self.due(now_mono_ns)
        if not batch:
            return 0
        try:
            count = self._sink.send(batch)
        except OSError as error:
            self.fail(error.strerror or str(error), now_mono_ns)
            return 0
        self.acknowledge(count, now_mono_ns)
        return count

    def _read_back(self) -> None:
        """Fetch the oldest events owed from the journal. Numbers that it no longer holds (their volume was
        lost) are passed over: nobody can send them any more."""
        for owed in self._journal.read_outbox(self._acked_seq, self._in_memory):
            self._held.append((owed.seq, owed.body))
            self._held_seq = owed.seq
        if not self._held:
            self._acked_seq = self._held_seq = self._durable_seq
