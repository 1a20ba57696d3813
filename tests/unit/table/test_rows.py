"""Rows of floats, cell by cell: each function against what it is by definition, to the last digit. Both
builds have their own (`rows.py`, `rows.c`) and must come to the same."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoe_bridge.table import rows
from shoe_bridge.table.rows import Row

chances = st.floats(0.0, 1.0, allow_subnormal=False)
cells = st.lists(chances, max_size=40)
sizes = st.integers(1, 90)

kinds = pytest.mark.parametrize("kind", [rows.row, list, tuple], ids=["row", "list", "tuple"])


def sum_upto(mass: Sequence[float], end: int) -> float:
    """Of the cells below `end`, one by one."""
    found = 0.0
    for each in mass[: max(0, end)]:
        found += each
    return found


def at(mass: Sequence[float], cell: int) -> float:
    return mass[cell] if 0 <= cell < len(mass) else 0.0


@kinds
@given(cells)
def test_sums(kind: Callable[[list[float]], Row], mass: list[float]) -> None:
    assert list(rows.sums_of(kind(mass))) == [sum_upto(mass, end) for end in range(len(mass) + 1)]
    assert rows.total(kind(mass)) == sum_upto(mass, len(mass))


@kinds
@given(cells, chances, st.integers(-50, 50), sizes)
def test_sums_up_to_each_cell(
    kind: Callable[[list[float]], Row], mass: list[float], factor: float, first: int, size: int
) -> None:
    found = rows.upto(kind(mass), factor, first, size)
    assert list(found) == [factor * sum_upto(mass, first + n + 1) for n in range(size)]


@kinds
@given(cells, cells, chances)
def test_two_rows_in_shares(
    kind: Callable[[list[float]], Row], ours: list[float], theirs: list[float], share: float
) -> None:
    rest = 1.0 - share
    mixed = rows.mixed(kind(ours), share, kind(theirs))
    assert list(mixed) == [share * each + rest * at(theirs, n) for n, each in enumerate(ours)]
    assert list(rows.scaled(kind(ours), share)) == [share * each for each in ours]


@kinds
@given(cells, cells, st.integers(-45, 45))
def test_a_row_weighed_by_another(
    kind: Callable[[list[float]], Row], mass: list[float], by: list[float], ahead: int
) -> None:
    found = rows.weighed(kind(mass), kind(by), ahead)
    size = max(0, min(len(mass), len(by) + ahead)) if by else 0
    assert list(found) == [mass[n] * by[max(0, n - ahead)] for n in range(size)]


@kinds
@given(cells, st.integers(-3, 60), chances)
def test_cells_are_put_before_and_behind(
    kind: Callable[[list[float]], Row], mass: list[float], count: int, part: float
) -> None:
    assert list(rows.led(kind(mass), count)) == mass[:1] * count + mass
    if not mass and count < 1:
        with pytest.raises(IndexError):
            rows.until_now(kind(mass), count, part)
        return
    whole = mass + [1.0] * count
    assert list(rows.until_now(kind(mass), count, part)) == [*whole[:-1], whole[-1] * part]


@kinds
@given(cells, st.sampled_from([0.0, 1e-6, 0.5, 1.0]))
def test_the_ends_that_weigh_next_to_nothing(
    kind: Callable[[list[float]], Row], mass: list[float], share: float
) -> None:
    lo, hi = rows.ends(kind(mass), share)
    counts = [n for n, each in enumerate(mass) if each > max(mass) * share]
    if counts:
        assert (lo, hi) == (counts[0], counts[-1] + 1)
    else:
        assert lo == hi


@kinds
@given(
    st.lists(chances, min_size=1, max_size=40),
    sizes,
    st.integers(0, 12),
    st.integers(1, 20),
    st.integers(1, 100),
    st.sampled_from([0.0, 0.01, 0.5]),
)
def test_what_comes_after_a_gap(
    kind: Callable[[list[float]], Row],
    mass: list[float],
    size: int,
    shortest: int,
    more: int,
    pauses: int,
    pause: float,
) -> None:
    """A gap of a whole number of cells is spread over two of them, so that a cell has the mean of what lies
    below its two borders."""
    sums, longest = list(rows.sums_of(mass)), shortest + more

    def below(cell: int) -> float:
        if cell < 0:
            return 0.0
        return sums[min(cell, len(mass))] + sums[min(cell + 1, len(mass))]

    usual, rare = (1.0 - pause) / (2 * (longest - shortest)), pause / (2 * pauses)
    found = rows.next_after(kind(sums), size, shortest, longest, pauses, pause)
    wanted = []
    for n in range(size):
        coming = usual * (below(n - shortest) - below(n - longest))
        wanted.append(coming + rare * (below(n) - below(n - pauses)) if pause else coming)
    assert list(found) == wanted


def test_a_row_is_a_sequence() -> None:
    row = rows.row([0.5, 0.25, 0.125])
    assert len(row) == 3
    assert (row[0], row[-1]) == (0.5, 0.125)
    assert list(row[1:]) == [0.25, 0.125]
    assert list(row[::-2]) == [0.125, 0.5]
    assert list(row[5:]) == []
    assert row == rows.row(row)
    assert row[:2] == rows.row([0.5, 0.25])
    assert row != rows.row([0.5, 0.25])
    assert row != rows.row([0.5, 0.25, 1.0])
    assert repr(row) == "(0.5, 0.25, 0.125)"
    with pytest.raises(IndexError):
        row[3]
    with pytest.raises(IndexError):
        row[-4]


@pytest.mark.parametrize(
    "call",
    [
        lambda: rows.total(None),  # type: ignore[arg-type]
        lambda: rows.sums_of(["a", 1.0]),  # type: ignore[list-item]
        lambda: rows.scaled([None], 2.0),  # type: ignore[list-item]
        lambda: rows.mixed([1.0], 0.5, None),  # type: ignore[arg-type]
        lambda: rows.weighed([1.0], [1.0]),  # type: ignore[call-arg]
        lambda: rows.led([1.0], 0.5),  # type: ignore[arg-type]
        lambda: rows.upto([1.0], 1.0, None, 1),  # type: ignore[arg-type]
        lambda: rows.ends(1.0, 0.5),  # type: ignore[arg-type]
        lambda: rows.next_after([0.0, 1.0], 3, 1, 2, 5, None),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_row_is_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(TypeError):
        call()


@pytest.mark.parametrize(
    ("sums", "size", "shortest", "longest"),
    [([0.0, 1.0], 0, 1, 2), ([0.0, 1.0], 3, -1, 2), ([0.0, 1.0], 3, 2, 2), ([], 3, 1, 2)],
)
@kinds
def test_nothing_comes_after_no_gap(
    kind: Callable[[list[float]], Row], sums: list[float], size: int, shortest: int, longest: int
) -> None:
    with pytest.raises(ValueError, match="cells after"):
        rows.next_after(kind(sums), size, shortest, longest, 5, 0.01)


@pytest.mark.parametrize(
    "call",
    [
        lambda: rows.led([1.0], 1 << 62),
        lambda: rows.until_now([1.0], 1 << 62, 0.5),
        lambda: rows.upto([1.0], 1.0, 0, 1 << 62),
        lambda: rows.next_after([0.0, 1.0], 1 << 62, 1, 2, 5, 0.01),
    ],
)
def test_more_cells_than_there_can_be_are_refused(call: Callable[[], Any]) -> None:
    with pytest.raises((MemoryError, OverflowError)):
        call()
