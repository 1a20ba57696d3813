"""Finished polls of a reader that is asked: what arrives, what is gone, and what proves nothing."""

from collections import Counter

from protocol.messages import TagSeen
from shoe_bridge.link.asked_reader import AskedReader
from shoe_bridge.link.presence import MOST_TAGS_PER_ANTENNA, Presence
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    CardReadAgain,
    CardStays,
)

MS = 1_000_000
KNOWN, OTHER, STRANGE = "E0A", "E0B", "X1"


class Desk:
    """Three antennas; a poll takes 10 ms. Times are the bridge's ms."""

    def __init__(self) -> None:
        self.counters: Counter[str] = Counter()
        self.presence = Presence()
        self.reader = self.new_reader()
        self.reader.restored(0)

    def new_reader(self) -> AskedReader:
        return AskedReader(
            self.presence,
            "reader-1",
            {1: "seat 1", 2: "seat 2", 3: "seat 1"},
            cycle_ms=400,
            gone_after_polls=2,
            is_known_tag=lambda tag: tag.startswith("E0"),
            counters=self.counters,
        )

    def poll(self, ms: int, *tags: str, antenna: int = 1, clean: bool = True) -> list[AnyObservation]:
        out: list[AnyObservation] = []
        seen = [TagSeen(tag) for tag in tags]
        self.reader.polled(antenna, seen, ms * MS, (ms + 10) * MS, clean, out)
        return out


def test_an_arrival_lies_between_the_last_clean_poll_without_the_tag_and_the_answer_with_it() -> None:
    desk = Desk()
    desk.poll(400)
    desk.poll(800)
    arrived = CardArrived("seat 1", KNOWN, 800 * MS, 1_210 * MS, "reader-1", None)
    assert desk.poll(1_200, KNOWN) == [arrived]
    assert desk.poll(1_600, KNOWN) == []


def test_a_poll_that_failed_moves_no_window() -> None:
    desk = Desk()
    desk.poll(400)
    desk.poll(800, clean=False)
    assert desk.poll(1_200, KNOWN) == [CardArrived("seat 1", KNOWN, 400 * MS, 1_210 * MS, "reader-1", None)]


def test_without_any_poll_before_the_window_begins_with_the_link() -> None:
    desk = Desk()
    desk.reader.restored(300 * MS)
    assert desk.poll(400, KNOWN) == [CardArrived("seat 1", KNOWN, 300 * MS, 410 * MS, "reader-1", None)]


def test_a_tag_is_gone_after_two_clean_polls_without_it() -> None:
    desk = Desk()
    desk.poll(400, KNOWN)
    desk.poll(800, KNOWN)
    assert desk.poll(1_200) == []
    assert desk.poll(1_600) == [CardDeparted("seat 1", KNOWN, 800 * MS, 1_210 * MS, "reader-1")]


def test_neither_a_failed_poll_nor_one_of_another_antenna_proves_an_absence() -> None:
    desk = Desk()
    desk.poll(400, KNOWN)
    for ms in range(800, 8_000, 400):
        assert desk.poll(ms, clean=False) == []
        assert desk.poll(ms + 100, antenna=2) == []
    assert desk.poll(8_000) == []
    assert desk.poll(8_400, KNOWN) == []
    # the count begins anew with each sighting, also with one in a poll that failed
    assert desk.poll(8_800) == []
    assert desk.poll(9_200, KNOWN, clean=False) == []
    assert desk.poll(9_600) == []
    assert [type(one) for one in desk.poll(10_000)] == [CardDeparted]


def test_all_tags_of_one_poll_come_and_go_for_themselves() -> None:
    desk = Desk()
    assert [one.tag for one in desk.poll(400, KNOWN, OTHER)] == [KNOWN, OTHER]
    desk.poll(800, OTHER)
    assert [(type(one), one.tag) for one in desk.poll(1_200, OTHER)] == [(CardDeparted, KNOWN)]


def test_an_unknown_tag_must_be_read_twice() -> None:
    desk = Desk()
    assert desk.poll(400, STRANGE) == []
    assert desk.poll(800, STRANGE, STRANGE) == [CardArrived("seat 1", STRANGE, 0, 410 * MS, "reader-1", None)]


def test_an_unknown_tag_that_is_missed_once_was_noise() -> None:
    desk = Desk()
    desk.poll(400, STRANGE)
    desk.poll(800)
    assert desk.poll(1_200, STRANGE) == []
    # too long ago, though no clean poll missed it
    assert desk.poll(9_000, STRANGE, clean=False) == []
    assert [one.tag for one in desk.poll(9_400, STRANGE)] == [STRANGE]


def test_a_tag_named_twice_in_one_poll_is_one_sighting() -> None:
    desk = Desk()
    assert desk.poll(400, STRANGE, STRANGE) == []


def test_a_tag_that_the_reader_places_elsewhere_is_not_of_this_poll() -> None:
    desk = Desk()
    out: list[AnyObservation] = []
    desk.reader.polled(1, [TagSeen(KNOWN, 2), TagSeen(OTHER, 1)], 0, 10 * MS, True, out)
    assert [one.tag for one in out if isinstance(one, CardArrived)] == [OTHER]
    assert desk.counters["of_another_antenna"] == 1


def test_two_antennas_of_one_place_are_one_arrival_and_one_departure() -> None:
    desk = Desk()
    assert len(desk.poll(400, KNOWN)) == 1
    assert desk.poll(500, KNOWN, antenna=3) == []
    desk.poll(800)
    assert desk.poll(1_200) == []
    desk.poll(1_300, antenna=3)
    assert [type(one) for one in desk.poll(1_700, antenna=3)] == [CardDeparted]


def test_a_tag_that_is_read_at_two_places_is_told_of_the_first() -> None:
    desk = Desk()
    desk.poll(400, KNOWN)
    desk.poll(500, KNOWN, antenna=2)
    # the poll must have begun after the tag was read at the other place
    assert desk.poll(505, KNOWN) == []
    assert desk.poll(800, KNOWN) == [CardStays("seat 1", KNOWN, 800 * MS, "reader-1")]
    assert desk.poll(1_200, KNOWN) == []


def test_the_first_reads_of_a_stay_are_told_each_poll_once() -> None:
    desk = Desk()
    desk.presence.reads_told = 3
    assert [type(one) for one in desk.poll(400, KNOWN, KNOWN)] == [CardArrived]
    again = [one for ms in range(800, 2_400, 400) for one in desk.poll(ms, KNOWN, KNOWN)]
    assert again == [
        CardReadAgain("seat 1", KNOWN, 2, 800 * MS, "reader-1"),
        CardReadAgain("seat 1", KNOWN, 3, 1_200 * MS, "reader-1"),
    ]


def test_what_comes_unasked_is_a_sighting_where_it_names_its_antenna() -> None:
    desk = Desk()
    out: list[AnyObservation] = []
    desk.reader.told([TagSeen(KNOWN, 2), TagSeen(OTHER), TagSeen(OTHER, 9)], 100 * MS, out)
    assert [(one.place, one.tag) for one in out if isinstance(one, CardArrived)] == [("seat 2", KNOWN)]
    assert desk.counters["unknown_antenna"] == 2


def test_a_poll_of_an_antenna_that_is_not_configured_is_counted() -> None:
    desk = Desk()
    assert desk.poll(400, KNOWN, antenna=7) == []
    assert desk.counters["unknown_antenna"] == 1


def test_the_memory_of_an_antenna_is_bounded_and_unproven_tags_make_room() -> None:
    desk = Desk()
    desk.poll(400, *(f"X{number}" for number in range(MOST_TAGS_PER_ANTENNA)), clean=False)
    assert [one.tag for one in desk.poll(500, KNOWN, clean=False)] == [KNOWN]
    desk.poll(800, *(f"E0{number}" for number in range(2 * MOST_TAGS_PER_ANTENNA)), clean=False)
    assert desk.counters["too_many_tags"] == MOST_TAGS_PER_ANTENNA + 1


def test_going_on_from_a_snapshot_is_going_on() -> None:
    desk = Desk()
    desk.reader.restored(300 * MS)
    desk.poll(400, KNOWN)
    desk.poll(800)
    presence, reader = desk.presence.snapshot(), desk.reader.snapshot()
    desk.presence = Presence()
    desk.presence.restore(presence)
    desk.reader = desk.new_reader()
    desk.reader.restore(reader)
    assert desk.poll(1_200) == [CardDeparted("seat 1", KNOWN, 400 * MS, 810 * MS, "reader-1")]
    assert desk.poll(1_300, KNOWN, antenna=2)[0].not_before_ns == 300 * MS
