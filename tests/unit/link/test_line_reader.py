"""Presence of a reader that prints lines, without the session that judges its silence."""

from collections import Counter

from shoe_bridge.link.line_reader import LineReader
from shoe_bridge.link.presence import MOST_TAGS_PER_ANTENNA, Presence
from shoe_bridge.table.observations import AnyObservation, CardArrived, CardDeparted

MS = 1_000_000


class Table:
    """One such reader with two antennas; times in ms."""

    def __init__(self, repeats: bool) -> None:
        self.counters: Counter[str] = Counter()
        self.reader = LineReader(
            Presence(),
            "reader-1",
            {1: "seat 1", 2: "seat 2"},
            cycle_ms=400,
            hold_ms=500,
            gone_after_polls=3,
            repeats=repeats,
            is_known_tag=lambda tag: tag.startswith("04"),
            counters=self.counters,
        )
        self.reader.restored(0)

    def see(self, ms: int, tag: str = "04A", antenna: int = 1) -> list[AnyObservation]:
        out: list[AnyObservation] = []
        self.reader.tag_seen(antenna, tag, None, ms * MS, out)
        return out

    def empty(self, ms: int, antenna: int = 1) -> list[AnyObservation]:
        out: list[AnyObservation] = []
        self.reader.poll_empty(antenna, ms * MS, out)
        return out


def test_silence_is_for_repeated_lines_only() -> None:
    for repeats, expiry_ns in ((True, 1_500 * MS), (False, None)):
        table = Table(repeats)
        table.see(1_000)
        assert table.reader.next_expiry_ns() == expiry_ns


def test_a_departure_by_empty_polls_counts_from_the_first_of_them() -> None:
    table = Table(repeats=True)
    table.see(1_000)
    assert table.empty(1_400) + table.empty(1_800) == []
    assert table.empty(2_200) == [CardDeparted("seat 1", "04A", 1_000 * MS, 1_400 * MS, "reader-1")]
    assert table.empty(2_600) == []
    assert table.empty(2_600, antenna=7) == []
    assert table.counters["unknown_antenna"] == 1


def test_a_tag_that_left_somewhere_is_gone_from_wherever_it_was() -> None:
    table = Table(repeats=True)
    table.see(1_000, antenna=1)
    table.see(1_100, antenna=2)
    out: list[AnyObservation] = []
    table.reader.tag_gone(None, "04A", 1_200 * MS, out)
    assert [one.place for one in out if isinstance(one, CardDeparted)] == ["seat 1", "seat 2"]
    table.reader.tag_gone(None, "04A", 1_300 * MS, out)
    assert len(out) == 2


def test_an_antenna_holds_so_many_tags_and_no_more() -> None:
    table = Table(repeats=False)
    for number in range(MOST_TAGS_PER_ANTENNA):
        assert [type(one) for one in table.see(1_000 + number, f"04{number:06X}")] == [CardArrived]
    assert table.see(9_000, "04FFFFFF") == []
    assert table.counters["too_many_tags"] == 1
