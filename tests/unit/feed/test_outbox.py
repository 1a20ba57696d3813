"""In order, at least once, only after the commit, for as long as it takes, in bounded memory."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoe_bridge.errors import JournalError
from shoe_bridge.feed.outbox import FIRST_RETRY_MS, LAST_RETRY_MS, Outbox

MS = 10**6


@dataclass(frozen=True)
class Row:
    seq: int
    body: bytes


@dataclass
class MemoryJournal:
    """Holds what is owed and what is committed, as the real one does."""

    rows: list[Row] = field(default_factory=list)
    committed: int = 0
    acked: int = 0
    reads: int = 0
    is_broken: bool = False

    def append(self, body: bytes) -> int:
        self.rows.append(Row(len(self.rows) + 1, body))
        return len(self.rows)

    def acknowledge_outbox(self, upto_seq: int) -> None:
        assert upto_seq > self.acked
        self.acked = upto_seq

    def read_outbox(self, after_seq: int, limit: int) -> list[Row]:
        if self.is_broken:
            raise JournalError("it cannot be read.")
        self.reads += 1
        return [row for row in self.rows if max(after_seq, self.acked) < row.seq <= self.committed][:limit]


@dataclass
class FarSide:
    """Takes `takes` events of each batch, or raises."""

    got: list[bytes] = field(default_factory=list)
    takes: int = 10**9
    error: OSError | None = None

    def send(self, events: list[bytes]) -> int:
        if self.error is not None:
            raise self.error
        count = min(self.takes, len(events))
        self.got += events[:count]
        return count


class House:
    """A journal, a far side and the outbox between them."""

    def __init__(self, in_memory: int = 5, batch: int = 3) -> None:
        self.journal, self.far = MemoryJournal(), FarSide()
        self.sizes = {"in_memory": in_memory, "batch": batch}
        self.outbox = self.start()

    def start(self) -> Outbox:
        journal = self.journal
        return Outbox(
            self.far, journal, acknowledged_seq=journal.acked, durable_seq=journal.committed, **self.sizes
        )

    def owe(self, count: int) -> None:
        for _ in range(count):
            body = b"event %d" % (len(self.journal.rows) + 1)
            self.outbox.append(self.journal.append(body), body)

    def commit(self) -> None:
        self.journal.committed = len(self.journal.rows)
        self.outbox.durable(self.journal.committed)


def events(first: int, last: int) -> list[bytes]:
    return [b"event %d" % n for n in range(first, last + 1)]


def test_nothing_leaves_before_its_commit() -> None:
    house = House()
    house.owe(2)
    assert house.outbox.due(0) == []
    assert house.outbox.next_due_ns() is None
    house.outbox.durable(1)
    assert house.outbox.next_due_ns() == 0
    assert house.outbox.due(0) == events(1, 1)


def test_a_batch_in_flight_keeps_all_else_back() -> None:
    house = House()
    house.owe(5)
    house.commit()
    assert house.outbox.due(0) == events(1, 3)
    assert house.outbox.due(0) == []
    assert house.outbox.next_due_ns() is None
    house.outbox.acknowledge(3, 0)
    assert house.outbox.due(0) == events(4, 5)


def test_only_what_was_acknowledged_is_gone() -> None:
    house = House()
    house.owe(3)
    house.commit()
    assert house.outbox.due(0) == events(1, 3)
    house.outbox.acknowledge(1, 0)
    assert house.journal.acked == 1
    assert house.outbox.depth == 2
    assert house.outbox.due(0) == events(2, 3)


def test_a_sink_that_fails_is_asked_again_for_ever_and_more_rarely() -> None:
    house = House()
    house.owe(1)
    house.commit()
    house.far.error = OSError(28, "No space left on device")
    now_ns, waits = 0, []
    for _ in range(12):
        assert house.outbox.deliver(now_ns) == 0
        assert house.outbox.trouble == "No space left on device"
        next_ns = house.outbox.next_due_ns()
        assert next_ns is not None
        assert house.outbox.due(next_ns - 1) == []
        waits.append((next_ns - now_ns) // MS)
        now_ns = next_ns
    assert waits[:3] == [FIRST_RETRY_MS, FIRST_RETRY_MS * 2, FIRST_RETRY_MS * 4]
    assert waits[-1] == LAST_RETRY_MS
    house.far.error = None
    assert house.outbox.deliver(now_ns) == 1
    assert (house.far.got, house.outbox.trouble) == (events(1, 1), None)


def test_a_sink_that_acknowledges_nothing_is_not_asked_in_a_loop() -> None:
    house = House()
    house.far.takes = 0
    house.owe(1)
    house.commit()
    assert house.outbox.deliver(0) == 0
    assert house.outbox.next_due_ns() == FIRST_RETRY_MS * MS


def test_a_long_outage_stays_in_the_journal_and_comes_back_in_order() -> None:
    house = House(in_memory=5, batch=3)
    house.far.error = OSError(113, "No route to host")
    for _ in range(100):
        house.owe(3)
        house.commit()
        house.outbox.deliver(10**15)
        assert len(house.outbox._held) <= 5
    assert house.outbox.depth == 300
    house.far.error = None
    now_ns = 10**18
    while house.outbox.depth:
        assert house.outbox.deliver(now_ns) > 0
        assert len(house.outbox._held) <= 5
    assert house.far.got == events(1, 300)
    house.owe(2)
    house.commit()
    reads = house.journal.reads
    house.outbox.deliver(now_ns)
    assert house.far.got[-2:] == events(301, 302)
    assert house.journal.reads == reads, "once it has caught up, memory is enough"


def test_a_crash_between_sending_and_acknowledging_repeats_the_same_bytes() -> None:
    house = House()
    house.owe(3)
    house.commit()
    house.far.send(house.outbox.due(0))
    house.outbox = house.start()  # the process is gone before the answer
    assert house.outbox.deliver(0) == 3
    assert house.far.got == events(1, 3) * 2
    house.outbox = house.start()
    assert house.outbox.deliver(0) == 0


def test_a_journal_that_cannot_be_read_is_tried_again() -> None:
    house = House()
    house.owe(2)
    house.commit()
    house.outbox = house.start()
    house.journal.is_broken = True
    assert house.outbox.due(0) == []
    assert house.outbox.trouble == "it cannot be read."
    house.journal.is_broken = False
    assert house.outbox.due(FIRST_RETRY_MS * MS) == events(1, 2)


def test_events_that_no_journal_holds_any_more_block_nothing() -> None:
    house = House()
    house.owe(4)
    house.commit()
    house.journal.rows[:] = [row for row in house.journal.rows if row.seq == 3]
    house.outbox = house.start()
    house.outbox._durable_seq = house.outbox._newest_seq = 4
    assert house.outbox.due(0) == events(3, 3)
    house.outbox.acknowledge(1, 0)
    assert house.outbox.due(0) == []
    assert (house.outbox.depth, house.outbox.next_due_ns()) == (0, None)


def test_a_number_out_of_turn_and_a_wrong_answer_are_refused() -> None:
    house = House()
    house.owe(1)
    with pytest.raises(ValueError, match="does not follow"):
        house.outbox.append(3, b"")
    house.commit()
    house.outbox.due(0)
    with pytest.raises(ValueError, match="2 of 1"):
        house.outbox.acknowledge(2, 0)


steps = st.lists(
    st.one_of(
        st.tuples(st.just("owe"), st.integers(1, 4)),
        st.tuples(st.just("commit"), st.just(0)),
        st.tuples(st.just("deliver"), st.integers(0, 3)),
        st.tuples(st.just("fail"), st.just(0)),
        st.tuples(st.just("restart"), st.just(0)),
        st.tuples(st.just("crash in flight"), st.integers(0, 3)),
    ),
    max_size=60,
)


@given(steps, st.integers(1, 6), st.integers(1, 4))
def test_whatever_happens_all_arrive_in_order(
    todo: list[tuple[str, int]], in_memory: int, batch: int
) -> None:
    house, now_ns = House(in_memory, batch), 0
    for step, count in todo:
        now_ns += 10**12
        house.far.takes, house.far.error = count, OSError(5, "no") if step == "fail" else None
        if step == "owe":
            house.owe(count)
        elif step == "commit":
            house.commit()
        elif step == "restart":
            house.commit()
            house.outbox = house.start()
        elif step == "crash in flight":
            house.commit()
            house.far.send(house.outbox.due(now_ns))
            house.outbox = house.start()
        else:
            house.outbox.deliver(now_ns)
        assert len(house.outbox._held) <= in_memory
    house.far.takes, house.far.error = 10**9, None
    house.commit()
    while house.outbox.depth:
        now_ns += 10**12
        assert house.outbox.deliver(now_ns) > 0
    first_seen = list(dict.fromkeys(house.far.got))
    assert first_seen == events(1, len(house.journal.rows))
    assert house.journal.acked == len(house.journal.rows)
