"""Presence of a reader that repeats events and tells no empty polls: absence is proven, not guessed."""

from collections import Counter

from shoe_bridge.link.held_reader import HeldReader
from shoe_bridge.link.presence import MOST_TAGS_PER_ANTENNA, Presence
from shoe_bridge.table.observations import AnyObservation, CardArrived, CardDeparted, CardStays

MS = 1_000_000
A, B, STRANGE = "E004A", "E004B", "0BAD"


class Table:
    """One such reader with two antennas; times in ms."""

    def __init__(self) -> None:
        self.presence = Presence()
        self.counters: Counter[str] = Counter()
        self.reader = HeldReader(
            self.presence,
            "reader-1",
            {1: "seat 1", 2: "seat 2"},
            cycle_ms=400,
            hold_ms=500,
            is_known_tag=lambda tag: tag.startswith("E0"),
            counters=self.counters,
        )
        self.reader.restored(0)

    def see(self, ms: int, tag: str, antenna: int | None = 1) -> list[AnyObservation]:
        out: list[AnyObservation] = []
        self.reader.tag_seen(antenna, tag, None, ms * MS, out)
        return out

    def answer(self, ms: int, asked_ms: int | None = None) -> list[AnyObservation]:
        out: list[AnyObservation] = []
        self.reader.answered((ms if asked_ms is None else asked_ms) * MS, ms * MS, out)
        return out


def test_an_arrival_lies_within_one_cycle_before_its_first_event() -> None:
    assert Table().see(1_000, A) == [CardArrived("seat 1", A, 600 * MS, 1_000 * MS, "reader-1")]


def test_an_event_of_another_tag_in_the_same_poll_narrows_no_window() -> None:
    table = Table()
    table.see(1_000, A)
    assert table.see(1_004, B) == [CardArrived("seat 1", B, 604 * MS, 1_004 * MS, "reader-1")]


def test_repeated_events_say_nothing_new() -> None:
    table = Table()
    table.see(1_000, A)
    assert [table.see(1_000 + i * 400, A) for i in range(1, 20)] == [[]] * 19


def test_a_departure_needs_the_hold_time_and_an_answer_asked_for_after_it() -> None:
    table = Table()
    table.see(1_000, A)
    assert table.answer(1_499) == []
    assert table.reader.next_expiry_ns() == 1_500 * MS
    assert table.answer(1_700, asked_ms=1_499) == []
    assert table.answer(1_710, asked_ms=1_500) == [
        CardDeparted("seat 1", A, 1_000 * MS, 1_710 * MS, "reader-1")
    ]
    assert table.reader.next_expiry_ns() is None


def test_events_that_waited_for_a_stalled_host_come_before_the_answer() -> None:
    table = Table()
    table.see(1_000, A)
    table.see(1_010, B)
    # the host was stalled: both events are read late, B's long after its hold time
    assert table.see(21_000, A) == []
    assert table.see(21_020, B) == []
    assert table.answer(21_030, asked_ms=21_005) == []


def test_dropped_bytes_begin_the_hold_time_anew() -> None:
    table = Table()
    table.see(1_000, A)
    for ms in range(1_100, 6_000, 300):
        table.reader.noise(ms * MS)
        assert table.answer(ms + 299) == []
    assert len(table.answer(6_400)) == 1


def test_a_link_that_comes_back_begins_the_hold_time_anew() -> None:
    table = Table()
    table.see(1_000, A)
    table.reader.restored(60_000 * MS)
    assert table.answer(60_100) == []
    assert table.see(60_200, A) == []
    assert table.answer(60_699) == []
    assert table.answer(60_700) == [CardDeparted("seat 1", A, 60_200 * MS, 60_700 * MS, "reader-1")]


def test_silence_alone_proves_nothing() -> None:
    table = Table()
    table.see(1_000, A)
    assert table.see(90_000, B) == [CardArrived("seat 1", B, 89_600 * MS, 90_000 * MS, "reader-1")]
    assert table.presence.places_of(A) == ["seat 1"]


def test_an_unknown_tag_is_reported_at_its_second_event() -> None:
    table = Table()
    assert table.see(1_000, STRANGE) == []
    assert table.see(1_000, STRANGE) == []
    assert table.see(1_400, STRANGE) == [CardArrived("seat 1", STRANGE, 600 * MS, 1_000 * MS, "reader-1")]


def test_an_unknown_tag_seen_once_goes_without_a_word() -> None:
    table = Table()
    table.see(1_000, STRANGE)
    assert table.answer(1_600) == []
    assert table.see(1_700, STRANGE) == []


def test_a_second_event_after_more_than_two_cycles_begins_anew() -> None:
    table = Table()
    table.see(1_000, STRANGE)
    assert table.see(1_801, STRANGE) == []
    assert table.see(2_201, STRANGE) == [CardArrived("seat 1", STRANGE, 1_401 * MS, 1_801 * MS, "reader-1")]


def test_a_tag_at_two_antennas_stays_where_it_is_read_again() -> None:
    table = Table()
    table.see(1_000, A, 1)
    table.see(1_200, A, 2)
    assert table.see(1_400, A, 1) == [CardStays("seat 1", A, 1_400 * MS, "reader-1")]
    assert table.see(1_600, A, 2) == []


def test_an_antenna_that_is_not_configured_is_counted() -> None:
    table = Table()
    assert table.see(1_000, A, 9) == []
    assert table.see(1_000, A, None) == []
    assert table.counters["unknown_antenna"] == 2


def test_memory_is_bounded() -> None:
    table = Table()
    for i in range(MOST_TAGS_PER_ANTENNA + 10):
        table.see(1_000, f"{i:08X}")
    assert table.counters["too_many_tags"] == 10


def test_a_snapshot_goes_on_like_the_original() -> None:
    first, second = Table(), Table()
    first.see(1_000, A)
    first.reader.noise(1_300 * MS)
    second.presence.restore(first.presence.snapshot())
    second.reader.restore(first.reader.snapshot())
    assert second.answer(1_799) == first.answer(1_799) == []
    assert second.answer(1_800) == first.answer(1_800) != []
