"""Times of cards as densities on a grid of 25 ms, each against what can be reckoned by hand."""

import pytest

from shoe_bridge.table import rows, timing
from shoe_bridge.table.timing import CELL_NS, OPEN, Cells

MS = 1_000_000
CYCLE_NS = 400 * MS
CYCLE_CELLS = 16
AT_NS = 100 * CELL_NS  # a poll at the very start of cell 100


def at(cells: Cells, cell: int) -> float:
    start, mass = cells
    return mass[cell - start] if start <= cell < start + len(mass) else 0.0


def point(cell: int) -> Cells:
    """A card that came in one cell for sure, as the sums below its cells."""
    return cell, rows.sums_of([1.0])


def plain(cells: Cells) -> tuple[int, list[float]]:
    return cells[0], list(cells[1])


def anywhere(first: int, size: int) -> Cells:
    """A read that tells nothing."""
    return first, [1.0] * size


def test_a_first_read_falls_by_the_miss_in_each_cycle_before_the_poll() -> None:
    read = timing.first_read(AT_NS, CYCLE_NS, 0.25)
    assert at(read, 100) == 0.0  # after the poll nothing can have been heard by it
    assert at(read, 99) == at(read, 84) == 0.75
    assert at(read, 83) == at(read, 68) == 0.75 * 0.25
    assert at(read, 67) == 0.75 * 0.25**2


def test_a_poll_within_a_cell_tells_of_the_part_of_the_cell_before_it() -> None:
    read = timing.first_read(AT_NS + 20 * MS, CYCLE_NS, 0.5)
    assert at(read, 100) == pytest.approx(0.5 * 20 / 25)
    assert at(read, 84) == pytest.approx(0.5 * 5 / 25 + 0.25 * 20 / 25)


def test_a_first_read_ends_where_it_tells_next_to_nothing() -> None:
    start, mass = timing.first_read(AT_NS, CYCLE_NS, 0.01)
    assert len(mass) <= 6 * CYCLE_CELLS
    assert mass[0] < 1e-4
    assert timing.first_read(AT_NS, CYCLE_NS, 0.9)[0] < start


def test_silence_costs_a_miss_for_each_poll_since_the_card_came() -> None:
    now_ns = AT_NS + CYCLE_NS  # the poll of just now, and the one a cycle before it
    silence = timing.unheard(now_ns, AT_NS, CYCLE_NS, 0.25, 0.0)
    assert at(silence, 115) == at(silence, 100) == 0.25
    assert at(silence, 99) == at(silence, 84) == 0.25**2


def test_of_a_poll_that_is_not_over_nothing_is_known() -> None:
    now_ns = AT_NS + CYCLE_NS + 20 * MS
    over = timing.unheard(now_ns, AT_NS, CYCLE_NS, 0.25, 0.0, late_ns=20 * MS)
    assert plain(over) == plain(timing.unheard(now_ns, AT_NS, CYCLE_NS, 0.25, 0.0))
    silence = timing.unheard(now_ns, AT_NS, CYCLE_NS, 0.25, 0.0, late_ns=25 * MS)
    assert at(silence, 115) == at(silence, 100) == 1.0
    assert at(silence, 99) == 0.25


def test_a_card_that_came_after_the_last_poll_has_not_been_missed() -> None:
    silence = timing.unheard(AT_NS + 200 * MS, AT_NS, CYCLE_NS, 0.25, 0.0)
    assert at(silence, 100) == at(silence, 107) == 1.0
    assert at(silence, 99) == 0.25
    assert at(silence, 109) == 0.0  # it has come by now


def test_of_the_cell_of_now_only_the_part_that_has_passed_counts() -> None:
    silence = timing.unheard(AT_NS + 220 * MS, AT_NS, CYCLE_NS, 0.25, 0.0)
    assert at(silence, 108) == pytest.approx(20 / 25)
    assert at(silence, 107) == 1.0


def test_a_dead_card_is_not_heard_however_long_it_lies() -> None:
    silence = timing.unheard(AT_NS, AT_NS, CYCLE_NS, 0.25, 1e-3)
    assert silence[1][0] == pytest.approx(1e-3, rel=0.02)


def test_without_a_known_poll_the_chance_falls_evenly_from_now() -> None:
    """A card of 300 ms ago: one poll has come with a chance of three quarters."""
    silence = timing.unheard(AT_NS, None, CYCLE_NS, 0.2, 0.0)
    assert at(silence, 87) == pytest.approx(1 - 0.8 * 312.5 / 400)
    assert at(silence, 99) > at(silence, 91) > at(silence, 83)


def test_a_product_is_where_both_are() -> None:
    assert plain(timing.product((10, [1.0, 2.0, 3.0]), (11, [0.5, 0.25, 4.0]))) == (11, [1.0, 0.75])
    assert not timing.product((10, [1.0]), (20, [1.0]))[1]


def test_a_gap_is_even_over_the_pace() -> None:
    start, sums = point(100)
    cells = timing.after_gap(start, sums, anywhere(100, 60), (250 * MS, 600 * MS), 0.0, 0)
    assert rows.total(cells[1]) == pytest.approx(1)
    assert at(cells, 109) == 0.0
    assert at(cells, 110) == pytest.approx(at(cells, 124))  # the ends share a cell with what is outside
    assert at(cells, 111) == at(cells, 123) == pytest.approx(1 / 14)
    assert at(cells, 125) == 0.0


def test_a_pause_is_even_up_to_the_longest() -> None:
    start, sums = point(100)
    cells = timing.after_gap(start, sums, anywhere(100, 240), (250 * MS, 600 * MS), 0.01, 5_000 * MS)
    assert rows.total(cells[1]) == pytest.approx(1)
    assert at(cells, 101) == at(cells, 250) == pytest.approx(0.01 / 200)
    assert at(cells, 116) == pytest.approx(0.99 / 14 + 0.01 / 200)
    assert at(cells, 302) == 0.0


def test_a_gap_starts_where_the_card_before_lies() -> None:
    """Half of it in cell 100, half in cell 110: the two ranges do not touch."""
    start, sums = 100, rows.sums_of([0.5, *[0.0] * 9, 0.5])
    cells = timing.after_gap(start, sums, anywhere(100, 40), (250 * MS, 400 * MS), 0.0, 0)
    assert at(cells, 111) == at(cells, 121) == pytest.approx(1 / 12)
    assert at(cells, 118) == 0.0


def test_what_was_read_weighs_on_when_the_card_came() -> None:
    start, sums = point(100)
    read = timing.first_read(120 * CELL_NS, CYCLE_NS, 0.5)
    cells = timing.after_gap(start, sums, read, (250 * MS, 600 * MS), 0.0, 0)
    assert at(cells, 116) == pytest.approx(0.5 / 14)
    assert at(cells, 120) == 0.0


def test_a_card_at_any_time_comes_after_the_one_before() -> None:
    assert plain(timing.any_time(None, anywhere(7, 3))) == (7, [OPEN] * 3)
    cells = timing.any_time((100, [0.5, 0.5]), anywhere(98, 6))
    assert plain(cells) == (98, [0.0, 0.0, OPEN / 2, OPEN, OPEN, OPEN])


def test_between_two_times_all_are_as_likely() -> None:
    assert plain(timing.between(100 * CELL_NS, 104 * CELL_NS)) == (100, [0.25] * 4)
    assert plain(timing.between(100 * CELL_NS, 100 * CELL_NS)) == (100, [1.0])


def test_ends_that_weigh_next_to_nothing_are_cut_off() -> None:
    start, mass = timing.trimmed((10, [0.0, 1e-12, 0.5, 0.0, 0.5, 1e-11]))
    assert (start, list(mass)) == (12, [0.5, 0.0, 0.5])
    assert not timing.trimmed((10, [0.0, 0.0]))[1]
