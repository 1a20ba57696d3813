"""Presence of a polling reader: windows, clean polls, and all that is not an absence."""

from collections import Counter
from collections.abc import Iterable

import pytest

from protocol.messages import PollEmpty, Stamp, TagGone, TagSeen
from shoe_bridge.link.polled_reader import PolledReader
from shoe_bridge.link.presence import MOST_TAGS_PER_ANTENNA, Presence
from shoe_bridge.table.observations import AnyObservation, CardArrived, CardDeparted

MS = 1_000_000
A, B, C = "E004A", "E004B", "E004C"
STRANGE = "0BAD"


class Table:
    """One polling device on a table of its own; `ms` is both the device's and the bridge's clock."""

    def __init__(self, antennas: dict[int, str] | None = None, gone_after_polls: int = 2) -> None:
        self.presence = Presence()
        self.counters: Counter[str] = Counter()
        self.out: list[AnyObservation] = []
        self.reader = PolledReader(
            self.presence,
            "reader-1",
            antennas or {1: "seat 1", 2: "seat 2"},
            cycle_ms=400,
            gone_after_polls=gone_after_polls,
            is_known_tag=lambda tag: tag.startswith("E0"),
            counters=self.counters,
        )
        self.reader.restored(50 * MS)

    def poll(
        self,
        ms: int,
        antenna: int = 1,
        *,
        seen: Iterable[str] = (),
        still: Iterable[str] = (),
        gone: Iterable[str] = (),
        is_replay: bool = False,
    ) -> list[AnyObservation]:
        """One poll as the device tells it; without tags it ends with POLL_EMPTY."""
        event, report = Stamp(0, True, is_replay, ms), Stamp(0, False, False, ms)
        for tag in gone:
            self.reader.tag_gone(TagGone(tag, antenna), event, ms * MS, self.out)
        for tag in seen:
            self.reader.tag_seen(TagSeen(tag, antenna, -40), event, ms * MS, self.out)
        for tag in still:
            self.reader.tag_seen(TagSeen(tag, antenna, -41), report, ms * MS, self.out)
        if not tuple(seen) and not tuple(still) and not is_replay:
            self.reader.poll_empty(PollEmpty(antenna), report, ms * MS, self.out)
        return self.drain()

    def heartbeat(self, ms: int) -> list[AnyObservation]:
        self.reader.other_frame(Stamp(0, False, False, ms), self.out)
        return self.drain()

    def drain(self) -> list[AnyObservation]:
        out, self.out = self.out, []
        return out


def _arrived(place: str, tag: str, not_before_ms: int, not_after_ms: int, rssi: int = -40) -> CardArrived:
    return CardArrived(place, tag, not_before_ms * MS, not_after_ms * MS, "reader-1", rssi)


def _departed(place: str, tag: str, not_before_ms: int, not_after_ms: int) -> CardDeparted:
    return CardDeparted(place, tag, not_before_ms * MS, not_after_ms * MS, "reader-1")


# -- arrivals


def test_an_arrival_lies_between_the_last_poll_without_and_the_first_with_it() -> None:
    table = Table()
    assert table.poll(100) == []
    assert table.poll(500) == []
    assert table.poll(900, seen=[A]) == [_arrived("seat 1", A, 500, 900)]
    assert table.poll(1300, still=[A]) == []


def test_a_poll_that_shows_only_another_tag_is_one_without_it() -> None:
    table = Table()
    table.poll(100, seen=[A])
    table.poll(500, still=[A])
    assert table.poll(900, still=[A], seen=[B]) == [_arrived("seat 1", B, 500, 900)]


def test_polls_of_other_antennas_say_nothing_about_this_one() -> None:
    table = Table()
    table.poll(100, 1)
    table.poll(300, 2)
    table.poll(700, 2)
    assert table.poll(900, 1, seen=[A]) == [_arrived("seat 1", A, 100, 900)]


def test_without_any_poll_the_window_begins_when_the_link_was_restored() -> None:
    assert Table().poll(900, seen=[A]) == [_arrived("seat 1", A, 50, 900)]


def test_a_replayed_arrival_has_the_poll_one_cycle_before_it_as_its_bound() -> None:
    table = Table()
    table.poll(100)
    assert table.poll(5_000, seen=[A], is_replay=True) == [_arrived("seat 1", A, 4_600, 5_000)]
    # unless a later poll was told
    table = Table()
    table.poll(4_900)
    assert table.poll(5_000, seen=[A], is_replay=True) == [_arrived("seat 1", A, 4_900, 5_000)]


def test_tags_of_one_poll_have_one_window() -> None:
    table = Table()
    table.poll(100)
    assert table.poll(500, seen=[A, B]) == [_arrived("seat 1", A, 100, 500), _arrived("seat 1", B, 100, 500)]


def test_a_tag_told_twice_in_one_poll_arrives_once() -> None:
    assert len(Table().poll(500, seen=[A, A])) == 1


def test_after_noise_a_poll_is_no_bound_for_a_tag_that_only_reports_show() -> None:
    table = Table()
    table.poll(100)
    table.reader.noise()
    table.poll(500, seen=[B])
    # the TAG_STILL of A at 500 may be among the dropped bytes
    assert table.poll(900, still=[B, A]) == [_arrived("seat 1", A, 100, 900, -41)]


# -- tags that are not known


def test_an_unknown_tag_is_reported_at_its_second_poll_with_the_window_of_the_first() -> None:
    table = Table()
    table.poll(100)
    assert table.poll(500, seen=[STRANGE]) == []
    assert table.poll(900, still=[STRANGE]) == [_arrived("seat 1", STRANGE, 100, 500)]


def test_an_unknown_tag_that_is_gone_in_the_next_poll_was_never_there() -> None:
    table = Table()
    table.poll(500, seen=[STRANGE])
    assert table.poll(900, gone=[STRANGE]) == []
    assert table.poll(1300) == []
    assert table.poll(1700) == []


def test_an_id_one_bit_off_that_of_a_card_is_that_card_garbled() -> None:
    """Twice the same wrong bit is no other card, whether the right one was read meanwhile or not; five times
    it is one, whose id happens to be like it."""
    near = "F004A"  # the first digit has one bit more
    table = Table()
    for at_ms in (500, 900, 1300, 1700):
        assert table.poll(at_ms, still=[near]) == []
    assert table.poll(2100, still=[near]) == [_arrived("seat 1", near, 50, 500, -41)]


def test_an_id_that_is_no_number_in_hex_is_never_near_another() -> None:
    table = Table()
    table.poll(500, still=["G004A"])
    assert len(table.poll(900, still=["G004A"])) == 1


def test_two_sightings_in_one_poll_do_not_confirm_each_other() -> None:
    assert Table().poll(500, seen=[STRANGE], still=[STRANGE]) == []


def test_a_second_sighting_after_more_than_two_cycles_begins_anew() -> None:
    table = Table()
    table.poll(100)
    table.poll(500, seen=[STRANGE])
    assert table.poll(1_301, still=[STRANGE]) == []
    assert table.poll(1_701, still=[STRANGE]) == [_arrived("seat 1", STRANGE, 100, 1_301)]


# -- departures


def test_a_departure_takes_two_clean_polls_and_lies_before_the_first() -> None:
    table = Table()
    table.poll(100, seen=[A])
    table.poll(500, still=[A])
    assert table.poll(900, gone=[A]) == []
    assert table.poll(1300) == [_departed("seat 1", A, 500, 900)]
    assert table.poll(1700) == []


def test_the_number_of_clean_polls_is_configured() -> None:
    assert len(_polls_to_depart(1)) == 1
    assert len(_polls_to_depart(3)) == 3


def _polls_to_depart(gone_after_polls: int) -> list[int]:
    table = Table(gone_after_polls=gone_after_polls)
    table.poll(100, seen=[A])
    polls = [500]
    while not table.poll(polls[-1], gone=[A]):
        polls.append(polls[-1] + 400)
    return polls


def test_clean_polls_must_follow_each_other() -> None:
    table = Table()
    table.poll(100, seen=[A])
    for start in range(500, 5_000, 800):
        assert table.poll(start, gone=[A]) == []
        assert table.poll(start + 400, seen=[A]) == []


def test_empty_polls_alone_prove_an_absence_too() -> None:
    table = Table()
    table.poll(100, seen=[A])
    assert table.poll(500) == []
    assert table.poll(900) == [_departed("seat 1", A, 100, 500)]


def test_gone_and_empty_in_one_poll_are_one_poll() -> None:
    table = Table()
    table.poll(100, seen=[A])
    assert table.poll(500, gone=[A]) == []


def test_a_tag_that_goes_while_others_stay_departs_when_the_polls_are_over() -> None:
    table = Table()
    table.poll(100, seen=[A, B])
    table.poll(500, gone=[B], still=[A])
    assert table.poll(900, still=[A]) == []
    assert table.heartbeat(900) == []
    assert table.heartbeat(950) == [_departed("seat 1", B, 100, 500)]


def test_the_next_poll_of_another_antenna_ends_a_poll() -> None:
    table = Table()
    table.poll(100, 1, seen=[A, B])
    table.poll(500, 1, gone=[B], still=[A])
    table.poll(900, 1, still=[A])
    assert table.poll(950, 2) == [_departed("seat 1", B, 100, 500)]


def test_a_tag_that_comes_back_after_its_departure_arrives_again() -> None:
    table = Table()
    table.poll(100, seen=[A])
    table.poll(500, gone=[A])
    table.poll(900)
    assert table.poll(1300, seen=[A]) == [_arrived("seat 1", A, 900, 1300)]


# -- what is not an absence


def test_a_report_that_was_lost_is_not_an_absence() -> None:
    table = Table()
    table.poll(100, seen=[A, B])
    for ms in range(500, 20_000, 400):
        assert table.poll(ms, still=[A]) == []


def test_silence_and_dropped_bytes_are_no_absence() -> None:
    table = Table()
    table.poll(100, seen=[A])
    for ms in range(500, 20_000, 400):
        table.reader.noise()
        assert table.heartbeat(ms) == []
    assert table.poll(20_100, still=[A]) == []


def test_an_unfinished_poll_of_a_lost_link_is_no_absence() -> None:
    table = Table(gone_after_polls=1)
    table.poll(100, seen=[A, B])
    table.poll(500, gone=[B], still=[A])
    table.reader.broke_off()
    assert table.poll(900, seen=[B], still=[A]) == []


def test_a_tag_that_rests_through_a_lost_link_neither_departs_nor_arrives() -> None:
    table = Table()
    table.poll(100, seen=[A])
    table.reader.broke_off()
    table.reader.restored(5_000 * MS)
    assert table.poll(5_100, still=[A]) == []


def test_a_tag_that_went_while_the_link_was_lost_departs_after_clean_polls() -> None:
    table = Table()
    table.poll(100, seen=[A])
    table.reader.broke_off()
    table.reader.restored(5_000 * MS)
    assert table.poll(5_100) == []
    assert table.poll(5_500) == [_departed("seat 1", A, 100, 5_100)]


def test_after_lost_events_polls_that_show_other_tags_only_prove_an_absence() -> None:
    table = Table()
    table.poll(100, seen=[A, B])
    table.heartbeat(200)
    table.reader.distrust()
    assert table.poll(500, still=[A]) == []
    assert table.poll(900, still=[A]) == []
    assert table.heartbeat(1_000) == [_departed("seat 1", B, 100, 500)]


def test_after_lost_events_polls_beside_dropped_bytes_prove_nothing() -> None:
    table = Table()
    table.poll(100, seen=[A, B])
    table.heartbeat(200)
    table.reader.distrust()
    for ms in range(500, 5_000, 400):
        table.poll(ms, still=[A])
        table.reader.noise()
        assert table.heartbeat(ms + 50) == []


def test_a_replayed_poll_shows_events_only_and_proves_nothing_of_unsure_tags() -> None:
    table = Table()
    table.poll(100, seen=[A])
    table.heartbeat(200)
    table.reader.distrust()
    table.poll(500, seen=[B], is_replay=True)
    table.poll(900, seen=[C], is_replay=True)
    assert table.heartbeat(1_000) == []


# -- plausibility and bounds


def test_an_antenna_that_is_not_configured_is_counted_and_dropped() -> None:
    table = Table()
    assert table.poll(100, 7, seen=[A], gone=[B]) == []
    assert table.poll(500, 7) == []
    assert table.counters["unknown_antenna"] == 3


def test_memory_is_bounded_however_many_strange_tags_come() -> None:
    table = Table()
    table.poll(100, seen=[A])
    for i in range(4 * MOST_TAGS_PER_ANTENNA):
        table.poll(500 + i, seen=[f"{i:08X}"], still=[A])
    assert len(table.presence.snapshot()) < 200 * MOST_TAGS_PER_ANTENNA
    assert table.poll(9_000, seen=[B]) == [_arrived("seat 1", B, 500 + 4 * MOST_TAGS_PER_ANTENNA - 1, 9_000)]


def test_a_full_antenna_takes_no_more_and_says_so() -> None:
    table = Table()
    table.poll(100, seen=[f"E0{i:06X}" for i in range(MOST_TAGS_PER_ANTENNA)])
    assert table.poll(500, seen=[A]) == []
    assert table.counters["too_many_tags"] == 1


@pytest.mark.parametrize("cut", range(9))
def test_a_snapshot_goes_on_like_the_original(cut: int) -> None:
    story = [
        lambda t: t.poll(100, seen=[A, STRANGE]),
        lambda t: t.poll(500, still=[A, STRANGE]),
        lambda t: t.poll(600, 2, seen=[A]),
        lambda t: t.poll(900, gone=[A], still=[STRANGE]),
        lambda t: t.reader.noise() or [],
        lambda t: t.poll(1_300, still=[STRANGE]),
        lambda t: t.poll(1_400, 2, still=[A]),
        lambda t: t.poll(1_700, gone=[STRANGE]),
        lambda t: t.poll(2_100),
    ]
    whole = Table()
    expected = [step(whole) for step in story]
    first, second = Table(), Table()
    said = [step(first) for step in story[:cut]]
    second.presence.restore(first.presence.snapshot())
    second.reader.restore(first.reader.snapshot())
    said += [step(second) for step in story[cut:]]
    assert said == expected
