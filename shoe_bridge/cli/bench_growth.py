"""One table for a long evening: does an event cost more, or the table's state weigh more, after thousands of
hands?"""

from resource import RUSAGE_SELF, getrusage

import msgspec

from shoe_bridge.cli.bench_run import FIRST_BUTTON, Chunk, dealt_in, readers_for
from shoe_bridge.cli.bench_table import Case, Watcher, model_for, setup_for
from shoe_bridge.sim.deal_polls import Polls, quiet_air
from shoe_bridge.sim.deal_score import Tally

TENTHS = 10


class Tenth(msgspec.Struct, frozen=True):
    """A tenth of the hands: the durations of its events in microseconds, and what its last hand left behind:
    the bytes of the table's state, the most memory that the process ever held."""

    p50_us: float | None
    p99_us: float | None
    state_bytes: int
    peak_kib: int


def grow(case: Case, seed: int, count: int) -> tuple[Tenth, Tenth]:
    """The first and the last tenth of `count` clean hands at one table (at least one hand each)."""
    chunk = Chunk(case, seed, 0, count, True)
    polls = Polls(case.reader, quiet_air(case.level, f"growth {chunk.name}"))
    readers = readers_for(case, polls)
    watcher = Watcher(setup_for(case, FIRST_BUTTON, model_for(case)), Tally({}))
    watcher.take(readers.start(), 0)
    size = max(1, count // TENTHS)
    tenths = []
    for hand in dealt_in(chunk):
        for happening in polls.follow(hand):
            watcher.pass_time(happening.at_ms)
            watcher.take(readers.take(happening), happening.at_ms)
        watcher.next_hand()
        if hand.number % size == 0:
            tenths.append(_tenth(watcher))
    return tenths[0], tenths[-1]


def _tenth(watcher: Watcher) -> Tenth:
    tally = watcher.restart_tally()
    state = len(msgspec.msgpack.encode(watcher.state))
    return Tenth(tally.quantile_us(0.5), tally.quantile_us(0.99), state, getrusage(RUSAGE_SELF).ru_maxrss)
