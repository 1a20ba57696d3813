"""The appending end: rows get their numbers and wait in memory for the thread that commits them."""

import threading
from collections.abc import Callable

import msgspec

from shoe_bridge.journal.group import ROW_COST, Group
from shoe_bridge.journal.rows import INPUTS_DROPPED, Position

_HURRY_BYTES = 256 * 2**10  # of inputs that wait at leisure: a noisy line must not cost memory


class AppendQueue:
    """Numbers and queues rows. One thread appends, one takes.

    What is appended inside `with queue.together:` is committed in one transaction or not at all, so keep a
    record and what follows from it (events owed, snapshot) inside one such block, and never wait inside one.
    The lock is only ever held for the moment that it takes to put a row down or to take all rows away: no
    append waits for the disk. `turn`, `take`, `group`, `committed_groups` and `is_closing` are for the
    committing thread.
    """

    def __init__(
        self, start: Position, acknowledged_seq: int, now_wall_ns: Callable[[], int], memory_cap_bytes: int
    ) -> None:
        self.together = threading.RLock()
        self.turn = threading.Condition(self.together)
        self.now_wall_ns = now_wall_ns
        self._memory_cap_bytes = memory_cap_bytes
        self.group = Group()
        self._input_n, self._record_n, self._outbox_seq = start.input_n, start.record_n, start.outbox_seq
        self._acked_seq = acknowledged_seq
        self._last_mono_ns = 0
        self._has_rows = self._is_urgent = self._is_flushing = self.is_closing = False
        self.taken_groups = self.committed_groups = 0  # counts of groups

    @property
    def next_outbox_seq(self) -> int:
        """The number that the next event owed will get: it stands inside the event's bytes."""
        return self._outbox_seq + 1

    @property
    def newest(self) -> Position:
        """The newest numbers given out, committed or not."""
        with self.together:
            return Position(self._input_n, self._record_n, self._outbox_seq)

    def append_input(self, kind: str, device: str, at_mono_ns: int, data: bytes) -> int:
        """Queue one raw input; returns its number."""
        with self.together:
            n = self._input_n = self._input_n + 1
            group = self.group
            group.inputs.append((n, kind, device, at_mono_ns, self.now_wall_ns(), data))
            group.held_bytes += len(data) + ROW_COST
            self._last_mono_ns = at_mono_ns
            if group.held_bytes > self._memory_cap_bytes:
                self._shed()
            if group.held_bytes > _HURRY_BYTES and not self._is_urgent:
                self._hurry()
            if not self._has_rows:
                self._has_rows = True
                self.turn.notify_all()
        return n

    def append_record(self, kind: str, at_mono_ns: int, body: bytes) -> int:
        """Queue one audit record, `body` its JSON; returns its number. It is noted to rest on the newest
        input."""
        with self.together:
            n = self._record_n = self._record_n + 1
            self.group.records.append((n, kind, at_mono_ns, self.now_wall_ns(), self._input_n, body))
            self._last_mono_ns = at_mono_ns
            if not self._is_urgent:
                self._hurry()
        return n

    def append_outbox(self, event_id: str, body: bytes) -> int:
        """Queue one event owed to the far side; returns its number, `next_outbox_seq` of a moment before."""
        with self.together:
            seq = self._outbox_seq = self._outbox_seq + 1
            self.group.outbox.append((seq, event_id, self._record_n, body))
            if not self._is_urgent:
                self._hurry()
        return seq

    def save_snapshot(self, body: bytes) -> None:
        """Queue the state after the newest record. Of several in one group only the newest is kept."""
        with self.together:
            self.group.snapshot = (self._record_n, body)
            if not self._is_urgent:
                self._hurry()

    def acknowledge_outbox(self, upto_seq: int) -> None:
        """The far side has all events up to this one. Never goes back; committed at leisure, because an
        acknowledgement that is lost only repeats an event."""
        with self.together:
            upto_seq = min(upto_seq, self._outbox_seq)
            if upto_seq > self._acked_seq:
                self._acked_seq = self.group.acked_seq = upto_seq
                if not self._has_rows:
                    self._has_rows = True
                    self.turn.notify_all()

    def append_own(self, kind: str, **facts: object) -> int:
        """A record of the journal about itself, at the time of the newest row."""
        with self.together:
            return self.append_record(kind, self._last_mono_ns, msgspec.json.encode(facts))

    def _hurry(self) -> None:
        self._has_rows = self._is_urgent = True
        self.turn.notify_all()

    def _shed(self) -> None:
        first_n, last_n, count = self.group.shed(self._memory_cap_bytes)
        self.append_own(INPUTS_DROPPED, first=first_n, last=last_n, count=count)

    def take(self, group_s: float, raw_s: float, idle_s: float) -> Group | None:
        """Wait for rows, let a group gather, take it. A group without rows: none came for `idle_s`. None:
        closing, and nothing is left."""
        with self.turn:
            self.turn.wait_for(lambda: self._has_rows or self.is_closing, idle_s)
            if not self._has_rows:
                return None if self.is_closing else Group()
            self.turn.wait_for(lambda: self._is_urgent or self._is_flushing or self.is_closing, raw_s)
            self.turn.wait_for(lambda: self._is_flushing or self.is_closing, group_s)
            group, self.group = self.group, Group()
            self._has_rows = self._is_urgent = self._is_flushing = False
            self.taken_groups += 1
            return group

    def flush(self, timeout_s: float) -> bool:
        """Have all that is queued committed now; returns whether it was, within the time."""
        with self.turn:
            ticket = self.taken_groups + 1 if self._has_rows else self.taken_groups
            self._is_flushing = True
            self.turn.notify_all()
            return self.turn.wait_for(lambda: self.committed_groups >= ticket, timeout_s)
