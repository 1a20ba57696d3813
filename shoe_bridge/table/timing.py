"""Times of cards as densities on a grid of 25 ms: what a gap, a first read and a silence say of them.

A density is a pair (start, mass): `mass[n]` falls into the cell `start + n`, which begins at that many times
25 ms. Only + - * / on floats, in a fixed order, so that every machine gets the same numbers.
"""

from functools import lru_cache

from shoe_bridge.table import rows
from shoe_bridge.table.rows import Row

CELL_NS = 25_000_000
_NS_PER_MS = 1_000_000
_CELL_MS = 25
STREET_NS = 60_000_000_000
OPEN = CELL_NS / STREET_NS  # mass per cell of a card that comes at any time
_LEAST = 1e-9  # a profile ends where it falls below this
_MOST_POLLS = 40
_NEXT_TO_NOTHING = 1e-6  # of the greatest cell

Cells = tuple[int, Row]


def missed_all(missed: float, polls: int) -> float:
    """The chance that so many polls miss a card. By products only: every machine comes to the same."""
    chance = 1.0
    for _ in range(polls):
        chance *= missed
    return chance


def first_read(at_ns: int, cycle_ns: int, missed: float) -> Cells:
    """Chance that a card of each time is first heard by the poll at `at_ns`."""
    cell, part = divmod(at_ns // _NS_PER_MS, _CELL_MS)
    cells = _staircase(part, cycle_ns // _NS_PER_MS, missed, 1.0 - missed, 0.0)
    return cell - len(cells) + 1, cells


def unheard(
    now_ns: int, phase_ns: int | None, cycle_ns: int, missed: float, dead: float, late_ns: int = 0
) -> Cells:
    """Chance that a card of each time up to now was heard by no poll; `phase_ns` is the time of some poll,
    None where none is known. What polls heard is known of those that are `late_ns` ago at least. A card that
    came before the first cell is as unlikely as in it."""
    last, silent = _silent_until(now_ns, phase_ns, cycle_ns, missed, dead, late_ns)
    now_cell, now_part = divmod(now_ns // _NS_PER_MS, _CELL_MS)
    # a card that is part of the deal has come by now
    cells = rows.until_now(silent, max(0, now_cell - last), now_part / _CELL_MS)
    return now_cell - len(cells) + 1, cells


def heard_by(
    now_ns: int, phase_ns: int | None, cycle_ns: int, missed: float, dead: float, late_ns: int
) -> Cells:
    """Chance that a card of each time was heard by some poll by now, up to the cell of the last poll; the
    arguments are as in `unheard`. A card that came before the first cell was heard as probably as in it."""
    last, silent = _silent_until(now_ns, phase_ns, cycle_ns, missed, dead, late_ns)
    return last - len(silent) + 1, rows.row([1.0 - each for each in silent])


def _silent_until(
    now_ns: int, phase_ns: int | None, cycle_ns: int, missed: float, dead: float, late_ns: int
) -> Cells:
    """The cell of the last poll of which is known what it heard, and the chances that no poll heard a card,
    up to it."""
    last_ns = now_ns if phase_ns is None else now_ns - late_ns - (now_ns - late_ns - phase_ns) % cycle_ns
    cell, part = divmod(last_ns // _NS_PER_MS, _CELL_MS)
    return cell, _silence(part, cycle_ns // _NS_PER_MS, missed, dead, phase_ns is not None)


def product(left: Cells, right: Cells) -> Cells:
    """Cell by cell, where both are."""
    left_start, ours = left
    right_start, theirs = right
    lo = max(left_start, right_start)
    hi = min(left_start + len(ours), right_start + len(theirs))
    if hi <= lo:
        return lo, []
    return lo, rows.weighed(ours[lo - left_start : hi - left_start], theirs, right_start - lo)


def gap_cells(gap_ns: tuple[int, int], longest_ns: int) -> tuple[int, int, int]:
    """The shortest and the longest usual gap and the longest of all, in cells."""
    shortest = gap_ns[0] // CELL_NS
    return shortest, max(gap_ns[1] // CELL_NS, shortest + 1), max(1, longest_ns // CELL_NS)


def told(start: int, coming: Row, read: Cells) -> Cells:
    """The time of a card that comes as in `coming` from `start` on and of which `read` tells: before its
    first cell that is as in it."""
    first, profile = read
    return start, rows.weighed(coming, profile, first - start)


def after_gap(
    start: int, sums: Row, read: Cells, gap_ns: tuple[int, int], pause: float, longest_ns: int
) -> Cells:
    """The time of a card that came after a gap as in `next_after`, and of which `read` tells. The last card's
    time is given by the cell it starts at and the sums of its mass."""
    lo, profile = read
    shortest, longest, cells = gap_cells(gap_ns, longest_ns)
    size = min(lo + len(profile) - start, len(sums) + max(longest, cells))
    if size <= max(0, lo - start):
        return max(lo, start), []
    coming = rows.next_after(sums, size, shortest, longest, cells, pause)
    return product((start, coming), read)


def any_time(before: Cells | None, like: Cells) -> Cells:
    """The time of a card that comes at any time after the last one (None: at any time), in the cells of
    `like`."""
    lo, size = like[0], len(like[1])
    if before is None:
        return lo, rows.row([OPEN] * size)
    start, mass = before
    return lo, rows.upto(mass, OPEN, lo - start, size)


def reaching_back(read: Cells, start: int) -> Cells:
    """A profile that begins at `start` at the latest: before its first cell it is as in it."""
    first, profile = read
    if first <= start or not profile:
        return read
    return start, rows.led(profile, first - start)


def open_ended(cells: Cells, end: int) -> Cells:
    """A profile of a silence up to now, in which the card may still come in the cells below `end`."""
    start, profile = cells
    now = start + len(profile) - 1
    return cells if end <= now else (start, rows.row([*profile[:-1], *[1.0] * (end - now)]))


def cut(cells: Cells, until: int) -> Cells:
    """A profile that ends with a cell: before its first cell it is as in it."""
    start, profile = cells
    return (until, profile[:1]) if until < start else (start, profile[: until + 1 - start])


class Profile:
    """How probable something is that was heard of a card, by the time at which the card came: in `cells` from
    `start` on, at most `top`. Where the card was drawn at `drawn_ns` from a shoe, it is the chance of that
    time, too, and `top` is the sum."""

    __slots__ = ("cells", "drawn_ns", "number", "start", "top")

    def __init__(self, number: int, cells: Cells, drawn_ns: int | None) -> None:
        self.number = number
        self.start, self.cells = cells
        self.drawn_ns = drawn_ns
        self.top = max(self.cells[-2:], default=0.0) if drawn_ns is None else rows.total(self.cells)


def between(from_ns: int, to_ns: int) -> Cells:
    """Some time from `from_ns` to `to_ns`, all as likely."""
    lo = from_ns // CELL_NS
    cells = max(1, to_ns // CELL_NS - lo)
    return lo, rows.row([1.0 / cells] * cells)


def trimmed(cells: Cells) -> Cells:
    """Without the ends that weigh next to nothing."""
    start, mass = cells
    lo, hi = rows.ends(mass, _NEXT_TO_NOTHING)
    return start + lo, mass[lo:hi]


@lru_cache(maxsize=4096)
def _staircase(part_ms: int, cycle_ms: int, missed: float, top: float, behind: float) -> Row:
    """Cells up to the one that holds the poll, `part_ms` into it: `top` in the cycle before the poll, each
    earlier cycle `missed` times that; `behind` the poll."""
    steps = [top]
    while len(steps) < _MOST_POLLS and steps[-1] * missed > _LEAST:
        steps.append(steps[-1] * missed)
    edges = [part_ms - cycle_ms * n for n in range(len(steps) + 1)]  # ms from the last cell's start
    first = -((-edges[-1]) // _CELL_MS) - 1
    cells = []
    earliest = len(steps) - 1
    for low in range(first * _CELL_MS, 1, _CELL_MS):
        high = low + _CELL_MS
        while earliest > 0 and edges[earliest] <= low:
            earliest -= 1
        if edges[earliest + 1] <= low and high <= edges[earliest]:
            cells.append(steps[earliest])
            continue
        value = behind * max(0, high - max(low, part_ms))
        number = earliest
        while number >= 0 and edges[number + 1] < high:
            value += steps[number] * max(0, min(high, edges[number]) - max(low, edges[number + 1]))
            number -= 1
        cells.append(value / _CELL_MS)
    return rows.row(cells)


@lru_cache(maxsize=4096)
def _silence(part_ms: int, cycle_ms: int, missed: float, dead: float, is_phase_known: bool) -> Row:
    """Cells up to that of the last poll."""
    profile = _staircase if is_phase_known else _slope
    cells = profile(part_ms, cycle_ms, missed, missed, 1.0)
    return rows.row([dead + (1.0 - dead) * each for each in cells])


@lru_cache(maxsize=4096)
def _slope(part_ms: int, cycle_ms: int, missed: float, top: float, behind: float) -> Row:
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
    return rows.row(cells)
