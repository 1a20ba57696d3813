"""Arithmetic on the rows of floats that densities consist of.

`rows.c` is the same in C, on packed doubles, for the compiled build. Both add and multiply in the order that
stands here, so that they come to the same last digit.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from operator import mul

Row = Sequence[float]


def row(values: Iterable[float]) -> Row:
    """The values, kept as the other functions take them fastest."""
    return tuple(values)


def total(cells: Row) -> float:
    """All of it, added from the first cell on."""
    return list(accumulate(cells, initial=0.0))[-1]


def sums_of(cells: Row) -> Row:
    """The sum below each cell, and below the one behind the last."""
    return [0.0, *accumulate(cells)]


def upto(cells: Row, factor: float, first: int, size: int) -> Row:
    """`factor` times the sum of the cells up to each, for `size` cells from `first` on, which may lie before
    all of them or behind."""
    sums = [factor * each for each in accumulate(cells)]
    found = [0.0] * min(size, max(0, -first)) + sums[max(0, first) : max(0, first + size)]
    return found + [sums[-1] if sums else 0.0] * (size - len(found))


def scaled(cells: Row, factor: float) -> Row:
    """Each cell `factor` times."""
    return [factor * each for each in cells]


def mixed(ours: Row, share: float, theirs: Row) -> Row:
    """`share` of our cells and the rest of theirs, as many as are ours: behind their last one theirs are
    0."""
    rest = 1.0 - share
    padded = [*theirs[: len(ours)], *[0.0] * (len(ours) - len(theirs))]
    return [share * a + rest * b for a, b in zip(ours, padded, strict=True)]


def weighed(cells: Row, by: Row, ahead: int) -> Row:
    """Each cell times that of `by`, which begins `ahead` cells later and is before that as in its first
    cell (less than 0: it begins earlier); up to where one of them ends."""
    if ahead <= 0:
        return list(map(mul, cells, by[-ahead:]))
    return list(map(mul, cells, led(by, ahead)))


def led(cells: Row, ahead: int) -> Row:
    """The cells, and `ahead` times the first one before them."""
    return [*list(cells[:1]) * ahead, *cells]


def until_now(cells: Row, more: int, part: float) -> Row:
    """The cells and `more` of 1 behind them, of the last one of all only a `part`."""
    found = [*cells, *[1.0] * more]
    found[-1] *= part
    return found


def ends(cells: Row, share: float) -> tuple[int, int]:
    """From where up to where (exclusive) lies what is more than a `share` of the greatest cell."""
    least = max(cells, default=0.0) * share
    lo, hi = 0, len(cells)
    while lo < hi and cells[lo] <= least:
        lo += 1
    while hi > lo and cells[hi - 1] <= least:
        hi -= 1
    return lo, hi


def next_after(sums: Row, size: int, shortest: int, longest: int, cells: int, pause: float) -> Row:
    """The time of what comes `shortest` to `longest` cells after something, or with the chance `pause` up to
    `cells` cells after it: `size` cells from the first of those whose `sums_of` are given. Raises ValueError
    where there is nothing to give, or no such gap."""
    if size < 1 or not 0 <= shortest < longest or not sums:
        raise ValueError(f"no {size} cells after {len(sums)} sums and a gap of {shortest} to {longest}")
    usual = (1.0 - pause) / (2 * (longest - shortest))
    # a gap of a whole number of cells belongs half to the one below and half to the one above
    twice = [below + above for below, above in pairwise(sums[: size + 1])]
    twice += [2.0 * sums[-1]] * (size - len(twice))
    near, far = [0.0] * shortest + twice, [0.0] * longest + twice
    behind = min(size, len(sums) + longest)  # from there on there are only pauses
    if not pause:
        gaps = [usual * (a - b) for a, b in zip(near[:behind], far, strict=False)]
        return gaps + [0.0] * (size - behind)
    rare = pause / (2 * cells)
    if size <= cells:  # no pause could have ended before
        coming = [usual * (a - b) + rare * c for a, b, c in zip(near[:behind], far, twice, strict=False)]
        return coming + [rare * twice[-1]] * (size - behind)
    over = [0.0] * cells + twice
    return [usual * (a - b) + rare * (c - d) for c, a, b, d in zip(twice, near, far, over, strict=False)]
