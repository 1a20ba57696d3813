"""A reader that keeps records: from when on its silence proves something."""

from collections import Counter

import pytest

from protocol.messages import TagSeen
from shoe_bridge.link.presence import Presence
from shoe_bridge.link.recorded_reader import RecordedReader
from shoe_bridge.table.observations import AnyObservation, CardArrived, CardDeparted

MS = 1_000_000
TAG = "E0A"


class Desk:
    """Two antennas, a hold time of 500 ms. Times are the bridge's ms."""

    def __init__(self, is_pushed: bool = False, antennas: dict[int, str] | None = None) -> None:
        self.counters: Counter[str] = Counter()
        self.reader = RecordedReader(
            Presence(),
            "reader-1",
            antennas or {1: "seat 1", 2: "seat 2"},
            cycle_ms=100,
            hold_ms=500,
            is_known_tag=lambda tag: True,
            counters=self.counters,
            is_pushed=is_pushed,
        )
        self.reader.restored(0)

    def read(self, ms: int, *antennas: int | None, clean: bool = True) -> list[AnyObservation]:
        """The buffer was asked for and had a record of the tag at each of the antennas."""
        out: list[AnyObservation] = []
        tags = [TagSeen(TAG, antenna) for antenna in antennas]
        self.reader.polled(0, tags, ms * MS, (ms + 10) * MS, clean, out)
        return out

    def alive(self, ms: int) -> list[AnyObservation]:
        out: list[AnyObservation] = []
        self.reader.alive(ms * MS, (ms + 10) * MS, out)
        return out

    def told(self, ms: int, antenna: int | None = 1) -> list[AnyObservation]:
        out: list[AnyObservation] = []
        self.reader.told([TagSeen(TAG, antenna)], ms * MS, out)
        return out


def test_the_first_records_are_of_unknown_age() -> None:
    desk = Desk()
    assert desk.read(100, 1) == []
    assert desk.counters["old_records"] == 1
    assert desk.read(200, 1) == [CardArrived("seat 1", TAG, 0, 210 * MS, "reader-1", None)]
    desk.reader.restored(300 * MS)
    assert desk.read(310, 2) == []
    assert desk.counters["old_records"] == 2


def test_a_window_begins_one_cycle_before_the_buffer_was_last_empty() -> None:
    desk = Desk()
    for ms in (100, 200, 1_000):
        desk.read(ms)
    assert desk.read(2_000, 1) == [CardArrived("seat 1", TAG, 900 * MS, 2_010 * MS, "reader-1", None)]


def test_a_tag_without_records_is_gone_once_the_buffer_proved_empty() -> None:
    desk = Desk()
    desk.read(100)
    desk.read(1_000, 1)
    assert desk.read(1_500) == []
    assert desk.alive(5_000) == []
    assert desk.read(5_100) == [CardDeparted("seat 1", TAG, 1_010 * MS, 5_110 * MS, "reader-1")]


def test_a_buffer_that_lost_records_proves_nothing_for_a_hold_time() -> None:
    desk = Desk()
    desk.read(100)
    desk.read(1_000, 1)
    assert desk.read(1_600, clean=False) == []
    assert desk.read(2_000) == []
    assert len(desk.read(2_200)) == 1


@pytest.mark.parametrize("is_pushed", [False, True])
def test_dropped_bytes_matter_where_nothing_is_read_again(is_pushed: bool) -> None:
    desk = Desk(is_pushed)
    desk.read(100)
    desk.read(1_000, 1)
    desk.reader.noise(1_500 * MS)
    assert len(desk.read(1_600)) == (0 if is_pushed else 1)


def test_what_comes_by_itself_counts_once_the_reader_has_answered() -> None:
    desk = Desk(is_pushed=True)
    assert desk.told(50) == []
    assert desk.alive(100) == []
    assert desk.told(300) == [CardArrived("seat 1", TAG, 0, 300 * MS, "reader-1", None)]
    assert desk.alive(700) == []
    assert desk.alive(900) == [CardDeparted("seat 1", TAG, 300 * MS, 910 * MS, "reader-1")]


def test_a_record_without_an_antenna_has_a_place_only_where_there_is_one_antenna() -> None:
    desk = Desk()
    desk.read(100)
    assert desk.read(200, None) == []
    assert desk.counters["no_antenna"] == 1
    single = Desk(antennas={1: "seat 9"})
    single.read(100)
    assert [one.place for one in single.read(200, None)] == ["seat 9"]
