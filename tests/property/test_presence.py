"""Laws of presence, whatever the readers tell and whatever is lost on the way."""

from collections import Counter
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.messages import PollEmpty, Stamp, TagGone, TagSeen
from shoe_bridge.link.held_reader import HeldReader
from shoe_bridge.link.polled_reader import PolledReader
from shoe_bridge.link.presence import Presence
from shoe_bridge.table.observations import AnyObservation, CardArrived, CardDeparted, CardStays

MS = 1_000_000
TAGS = ("E001", "E002", "E003", "0BAD")
PLACES = {1: "seat 1", 2: "board", 3: "board"}
CYCLE_MS = 400


class Firmware:
    """What a device knows of its antennas: it tells changes as events (never lost here: they are numbered),
    what stays as reports (`kept` says which of them arrive), and an empty poll as such."""

    def __init__(self) -> None:
        self.at: dict[int, set[str]] = {number: set() for number in PLACES}

    def poll(
        self, antenna: int, there: set[str], ms: int, kept: int
    ) -> Iterator[TagSeen | TagGone | PollEmpty]:
        known = self.at[antenna]
        for tag in sorted(known - there):
            yield TagGone(tag, antenna)
        for tag in sorted(there - known):
            yield TagSeen(tag, antenna)
        for index, tag in enumerate(sorted(there & known)):
            if kept >> index & 1:
                yield TagSeen(tag, antenna)
        if not there and kept & 1:
            yield PollEmpty(antenna)
        self.at[antenna] = set(there)


class Bench:
    """A polled reader fed by a firmware over a line that drops reports and makes noise."""

    def __init__(self) -> None:
        self.presence = Presence()
        self.reader = PolledReader(
            self.presence,
            "reader-1",
            PLACES,
            cycle_ms=CYCLE_MS,
            gone_after_polls=2,
            is_known_tag=lambda tag: tag.startswith("E0"),
            counters=Counter(),
        )
        self.firmware = Firmware()
        self.reader.restored(0)
        self.ms = 1_000
        self.out: list[AnyObservation] = []

    def cycle(self, there: dict[int, set[str]], kept: int, is_noisy: bool) -> None:
        for antenna in PLACES:
            self.ms += CYCLE_MS // len(PLACES)
            known = set(self.firmware.at[antenna])
            for message in self.firmware.poll(antenna, there[antenna], self.ms, kept >> 4 * (antenna - 1)):
                is_event = isinstance(message, TagGone) or (
                    isinstance(message, TagSeen) and message.tag not in known
                )
                stamp = Stamp(0, is_event, False, self.ms)
                match message:
                    case TagSeen():
                        self.reader.tag_seen(message, stamp, self.ms * MS, self.out)
                    case TagGone():
                        self.reader.tag_gone(message, stamp, self.ms * MS, self.out)
                    case PollEmpty():
                        self.reader.poll_empty(message, stamp, self.ms * MS, self.out)
            if is_noisy:
                self.reader.noise()


_where = st.dictionaries(st.sampled_from(sorted(PLACES)), st.sets(st.sampled_from(TAGS)), max_size=3)
_cycles = st.lists(
    st.tuples(_where, st.integers(0, 0xFFF), st.booleans(), st.sampled_from(["", "", "", "lost", "missed"])),
    min_size=1,
    max_size=30,
)


def _everywhere(where: dict[int, set[str]]) -> dict[int, set[str]]:
    return {number: where.get(number, set()) for number in PLACES}


def _check_laws(out: list[AnyObservation]) -> dict[tuple[str, str], int]:
    """Arrivals and departures of a tag at a place alternate, windows are ordered, stays need two places."""
    here: dict[tuple[str, str], int] = {}
    for one in out:
        if isinstance(one, CardArrived):
            assert (one.place, one.tag) not in here
            assert one.not_before_ns <= one.not_after_ns
            here[one.place, one.tag] = one.not_after_ns
        elif isinstance(one, CardDeparted):
            arrived_ns = here.pop((one.place, one.tag))
            assert arrived_ns <= one.not_before_ns <= one.not_after_ns
        elif isinstance(one, CardStays):
            assert (one.place, one.tag) in here
            assert any(tag == one.tag and place != one.place for place, tag in here)
    return here


@settings(max_examples=150, deadline=None)
@given(_cycles)
def test_the_laws_hold_and_all_is_balanced_once_the_table_is_empty(cycles: list) -> None:  # type: ignore[type-arg]
    bench = Bench()
    for where, kept, is_noisy, trouble in cycles:
        bench.cycle(_everywhere(where), kept, is_noisy)
        if trouble == "lost":
            bench.reader.broke_off()
            bench.ms += 5_000
            bench.reader.restored(bench.ms * MS)
        elif trouble == "missed":
            bench.reader.distrust()
    _check_laws(bench.out)
    for _ in range(3):
        bench.cycle(_everywhere({}), 0xFFF, False)
    assert _check_laws(bench.out) == {}
    assert all(bench.presence.places_of(tag) == [] for tag in TAGS)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(st.sampled_from(sorted(PLACES)), st.sets(st.sampled_from(TAGS), min_size=1), min_size=1),
    st.lists(st.tuples(st.integers(0, 0xFFF), st.booleans(), st.booleans()), max_size=40),
)
def test_a_resting_card_never_departs_whatever_replies_are_lost(
    where: dict[int, set[str]],
    cycles: list,  # type: ignore[type-arg]
) -> None:
    bench = Bench()
    there = _everywhere(where)
    bench.cycle(there, 0xFFF, False)
    bench.cycle(there, 0xFFF, False)
    arrived = len([one for one in bench.out if isinstance(one, CardArrived)])
    for kept, is_noisy, is_lost in cycles:
        bench.cycle(there, kept, is_noisy)
        if is_lost:
            bench.reader.broke_off()
            bench.reader.restored(bench.ms * MS)
    assert not [one for one in bench.out if isinstance(one, CardDeparted)]
    assert len([one for one in bench.out if isinstance(one, CardArrived)]) == arrived


@settings(max_examples=100, deadline=None)
@given(_cycles, st.integers(0, 29))
def test_going_on_from_any_snapshot_is_going_on(cycles: list, cut: int) -> None:  # type: ignore[type-arg]
    whole, first = Bench(), Bench()
    for number, (where, kept, is_noisy, _) in enumerate(cycles):
        whole.cycle(_everywhere(where), kept, is_noisy)
        if number == cut:
            again = Bench()
            again.presence.restore(first.presence.snapshot())
            again.reader.restore(first.reader.snapshot())
            again.firmware, again.ms, again.out = first.firmware, first.ms, first.out
            first = again
        first.cycle(_everywhere(where), kept, is_noisy)
    assert first.out == whole.out
    assert first.presence.snapshot() == whole.presence.snapshot()


_held_steps = st.lists(
    st.tuples(
        st.sampled_from(["see", "see", "see", "answer", "noise", "restored"]),
        st.sampled_from(TAGS),
        st.sampled_from(sorted(PLACES)),
        st.integers(0, 900),
    ),
    max_size=60,
)


@settings(max_examples=150, deadline=None)
@given(_held_steps)
def test_a_reader_without_polls_keeps_the_laws_and_proves_each_absence(steps: list) -> None:  # type: ignore[type-arg]
    presence = Presence()
    reader = HeldReader(
        presence,
        "reader-1",
        PLACES,
        cycle_ms=CYCLE_MS,
        hold_ms=500,
        is_known_tag=lambda tag: tag.startswith("E0"),
        counters=Counter(),
    )
    out: list[AnyObservation] = []
    ms, quiet_ms, seen_ms = 10_000, 0, {}
    for what, tag, antenna, later_ms in steps:
        ms += later_ms
        if what == "see":
            reader.tag_seen(antenna, tag, None, ms * MS, out)
            seen_ms[PLACES[antenna], tag] = ms
        elif what == "answer":
            told = len(out)
            reader.answered(ms * MS, ms * MS, out)
            for one in out[told:]:
                assert isinstance(one, CardDeparted)
                assert ms - max(seen_ms[one.place, one.tag], quiet_ms) >= 500
        else:
            quiet_ms = ms
            reader.noise(ms * MS) if what == "noise" else reader.restored(ms * MS)
    _check_laws(out)
    reader.answered((ms + 500) * MS, (ms + 500) * MS, out)
    assert _check_laws(out) == {}
