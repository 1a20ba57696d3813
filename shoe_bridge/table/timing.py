"""Times of cards as densities on a grid of 50 ms: what a gap, a first read and a silence say of them.

A density is a pair (start, mass): `mass[n]` falls into the cell `start + n`, which begins at that many times
50 ms. Only + - * / on floats, in a fixed order, so that every machine gets the same numbers.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise

CELL_NS = 50_000_000
_NS_PER_MS = 1_000_000
_CELL_MS = 50
STREET_NS = 60_000_000_000
OPEN = CELL_NS / STREET_NS  # mass per cell of a card that comes at any time
_LEAST = 1e-5  # a profile ends where it falls below this
_MOST_POLLS = 40

Cells = tuple[int, Sequence[float]]


def total(mass: Sequence[float]) -> float:
    """All of it, added from the first cell on."""
    return list(accumulate(mass, initial=0.0))[-1]


def first_read(at_ns: int, cycle_ns: int, missed: float) -> Cells:
    """Chance that a card of each time is first heard by the poll at `at_ns`."""
    cell, part = divmod(at_ns // _NS_PER_MS, _CELL_MS)
    cells = _staircase(part, cycle_ns // _NS_PER_MS, missed, 1.0 - missed, 0.0)
    return cell - len(cells) + 1, cells


def unheard(now_ns: int, phase_ns: int | None, cycle_ns: int, missed: float, dead: float) -> Cells:
    """Chance that a card of each time up to now was heard by no poll; `phase_ns` is the time of some poll,
    None where none is known. A card that came before the first cell is as unlikely as in it."""
    last_ns = now_ns if phase_ns is None else now_ns - (now_ns - phase_ns) % cycle_ns
    cell, part = divmod(last_ns // _NS_PER_MS, _CELL_MS)
    now_cell, now_part = divmod(now_ns // _NS_PER_MS, _CELL_MS)
    after = max(0, now_cell - cell)
    cells = _silence(part, cycle_ns // _NS_PER_MS, missed, dead, phase_ns is not None, after, now_part)
    return cell + after - len(cells) + 1, cells


def product(left: Cells, right: Cells) -> Cells:
    """Cell by cell, where both are."""
    left_start, ours = left
    right_start, theirs = right
    lo = max(left_start, right_start)
    hi = min(left_start + len(ours), right_start + len(theirs))
    if hi <= lo:
        return lo, ()
    ours = ours[lo - left_start : hi - left_start]
    theirs = theirs[lo - right_start : hi - right_start]
    return lo, [a * b for a, b in zip(ours, theirs, strict=True)]


def sums_of(mass: Sequence[float]) -> list[float]:
    """The mass below each cell, and below the one behind the last."""
    return [0.0, *accumulate(mass)]


def after_gap(
    start: int, sums: Sequence[float], read: Cells, gap_ns: tuple[int, int], pause: float, longest_ns: int
) -> Cells:
    """The time of a card that came after a gap of `gap_ns`, or with the chance `pause` one of any length up
    to `longest_ns`, and of which `read` tells. The last card's time is given by the cell it starts at and
    `sums_of` its mass."""
    lo, profile = read
    if lo < start:
        lo, profile = start, profile[start - lo :]
    size = len(profile)
    shortest = gap_ns[0] // CELL_NS
    longest = max(gap_ns[1] // CELL_NS, shortest + 1)
    usual = (1.0 - pause) / (2 * (longest - shortest))
    # a gap of a whole number of cells belongs half to the one below and half to the one above
    near = _sums_at(sums, lo - shortest - start, size + 1)
    far = _sums_at(sums, lo - longest - start, size + 1)
    if not pause:
        return lo, [
            usual * (a + b - c - d) * told
            for a, b, c, d, told in zip(near[1:], near, far[1:], far, profile, strict=False)
        ]
    cells = max(1, longest_ns // CELL_NS)
    rare = pause / (2 * cells)
    now = _sums_at(sums, lo - start, size + 1)
    if lo + size - cells <= start:  # no pause could have ended before
        return lo, [
            (usual * (a + b - c - d) + rare * (e + f)) * told
            for a, b, c, d, e, f, told in zip(
                near[1:], near, far[1:], far, now[1:], now, profile, strict=False
            )
        ]
    over = _sums_at(sums, lo - cells - start, size + 1)
    return lo, [
        (usual * (a + b - c - d) + rare * (e + f - g - h)) * told
        for a, b, c, d, e, f, g, h, told in zip(
            near[1:], near, far[1:], far, now[1:], now, over[1:], over, profile, strict=False
        )
    ]


def _sums_at(sums: Sequence[float], first: int, size: int) -> list[float]:
    """`size` entries of `sums` from `first` on, which goes on for ever on both sides."""
    before = min(size, max(0, -first))
    cells = [0.0] * before
    cells += sums[max(0, first) : max(0, first + size)]
    cells += [sums[-1]] * (size - len(cells))
    return cells


def any_time(before: Cells | None, like: Cells) -> Cells:
    """The time of a card that comes at any time after the last one (None: at any time), in the cells of
    `like`."""
    lo, size = like[0], len(like[1])
    if before is None:
        return lo, [OPEN] * size
    start, mass = before
    sums = [OPEN * each for each in accumulate(mass)]
    first = lo - start
    cells = [0.0] * min(size, max(0, -first)) + sums[max(0, first) : max(0, first + size)]
    return lo, cells + [sums[-1] if sums else 0.0] * (size - len(cells))


def between(from_ns: int, to_ns: int) -> Cells:
    """Some time from `from_ns` to `to_ns`, all as likely."""
    lo = from_ns // CELL_NS
    cells = max(1, to_ns // CELL_NS - lo)
    return lo, [1.0 / cells] * cells


def trimmed(cells: Cells) -> Cells:
    """Without the ends that weigh next to nothing."""
    start, mass = cells
    least = max(mass, default=0.0) * 1e-9
    lo, hi = 0, len(mass)
    while lo < hi and mass[lo] <= least:
        lo += 1
    while hi > lo and mass[hi - 1] <= least:
        hi -= 1
    return start + lo, mass[lo:hi]


@lru_cache(maxsize=4096)
def _staircase(part_ms: int, cycle_ms: int, missed: float, top: float, behind: float) -> tuple[float, ...]:
    """Cells up to the one that holds the poll, `part_ms` into it: `top` in the cycle before the poll, each
    earlier cycle `missed` times that; `behind` the poll."""
    steps = [top]
    while len(steps) < _MOST_POLLS and steps[-1] * missed > _LEAST:
        steps.append(steps[-1] * missed)
    edges = [part_ms - cycle_ms * n for n in range(len(steps) + 1)]  # ms from the last cell's start
    first = -((-edges[-1]) // _CELL_MS) - 1
    cells = []
    for cell in range(first, 1):
        low, high = cell * _CELL_MS, (cell + 1) * _CELL_MS
        value = behind * max(0, high - max(low, part_ms))
        for step, (upper, lower) in zip(steps, pairwise(edges), strict=True):
            value += step * max(0, min(high, upper) - max(low, lower))
        cells.append(value / _CELL_MS)
    return tuple(cells)


@lru_cache(maxsize=4096)
def _silence(
    part_ms: int,
    cycle_ms: int,
    missed: float,
    dead: float,
    is_phase_known: bool,
    after: int,
    now_part_ms: int,
) -> tuple[float, ...]:
    """Cells up to now, which is `now_part_ms` into the cell that is `after` cells behind the last poll's."""
    profile = _staircase if is_phase_known else _slope
    cells = profile(part_ms, cycle_ms, missed, missed, 1.0)
    cells = (*cells, *[1.0] * after)
    heard = [dead + (1.0 - dead) * each for each in cells]
    heard[-1] *= now_part_ms / _CELL_MS  # a card that is part of the deal has come by now
    return tuple(heard)


@lru_cache(maxsize=4096)
def _slope(part_ms: int, cycle_ms: int, missed: float, top: float, behind: float) -> tuple[float, ...]:
    """The same for an antenna of which no poll is known: from `behind` now the chance falls by `missed` in
    each cycle."""
    polls = 1
    chance = top
    while polls < _MOST_POLLS and chance > _LEAST:
        polls += 1
        chance *= missed
    powers = [behind]
    for _ in range(polls + 1):
        powers.append(powers[-1] * missed)
    cells = []
    for cell in range(-(polls * cycle_ms // _CELL_MS), 1):
        age_ms = max(0.0, part_ms - (cell + 0.5) * _CELL_MS)
        whole = int(age_ms // cycle_ms)
        share = age_ms / cycle_ms - whole
        cells.append(powers[whole] * (1.0 - share) + powers[whole + 1] * share)
    return tuple(cells)
