"""When cards came: the density of each card's time, from that of the card before it, the gap between them and
what was heard of it. The symbols are those of `deal_model.md`.
"""

from bisect import bisect

from shoe_bridge.table import rows, timing
from shoe_bridge.table.deal_model import DealModel
from shoe_bridge.table.rows import Row
from shoe_bridge.table.timing import Cells, Profile
from shoe_bridge.table.window import Density, Sighting, Window

PACE, OPEN, TOGETHER, AGAIN, DRAWN = "pace", "open", "together", "again", "drawn"
_MOST_TIMES = 5_000  # in a memo: some 10 MB
_MOST_OVER = 4  # windows whose times wait to be forgotten
_NEXT_TO_NOTHING = 1e-5  # of a time: so much of it may be left out
MOST_UNHEARD = 8  # cards in one explanation


class Timed:
    """When a card came: `mass[n]` is the chance of all that was heard so far, the card having come in the
    cell `start + n`; `sums` are the sums below each cell, `total` is all of it. `mass` None: no card came
    before. `coming` has by gap when the next card comes, from `start` on."""

    __slots__ = ("coming", "mass", "number", "start", "sums", "total")

    def __init__(self, number: int, start: int, mass: Row | None) -> None:
        self.number = number
        self.sums: Row = rows.row([1.0]) if mass is None else rows.sums_of(mass)
        self.total = self.sums[-1]
        first = bisect(self.sums, self.total * _NEXT_TO_NOTHING) - 1
        if mass is not None and first > 0:
            start, mass, self.sums = start + first, mass[first:], self.sums[first:]
        self.start = start
        self.mass = mass
        self.coming: dict[str, Row] = {}


class Memo:
    """Times that were worked out before. Explaining a window that has grown by one read goes over the same
    beginnings again; with a memo each is worked out once. It changes no result. `over` are times of windows
    before, until there is time to forget them."""

    def __init__(self) -> None:
        self.times: dict[tuple[int, str, int], Timed] = {}
        self.over: list[dict[tuple[int, str, int], Timed]] = []
        self.profiles: dict[tuple[object, ...], Profile] = {}
        self._first: Timed | None = None
        self._of: tuple[Density | None, DealModel] | None = None

    def begin(self, window: Window, model: DealModel) -> Timed:
        """The time of the card before the window."""
        anchor = window.anchor
        first = self._first
        if first is None or self._of != (anchor, model) or len(self.times) > _MOST_TIMES:
            self.over.append(self.times)
            self.times = {}
            if len(self.over) > _MOST_OVER:
                self.forget()
            if self._of is None or self._of[1] != model or len(self.profiles) > _MOST_TIMES:
                self.profiles.clear()
            self._of = (anchor, model)
            first = Timed(0, 0, None) if anchor is None else Timed(0, anchor.start, rows.row(anchor.mass))
            self._first = first
        return first

    def forget(self) -> None:
        """Freeing the times of one window takes a tenth of what explaining it took: it is done with an event
        that takes next to nothing."""
        self.over.clear()

    def add(self, key: tuple[int, str, int], cells: Cells) -> Timed:
        timed = self.times[key] = Timed(len(self.times) + 1, *cells)
        return timed

    def profile(self, key: tuple[object, ...], cells: Cells, drawn_ns: int | None) -> Profile:
        profile = self.profiles[key] = Profile(len(self.profiles), cells, drawn_ns)
        return profile


class CardTimes:
    """The times of one window's cards. `shortest` is the shortest usual gap, in cells."""

    def __init__(self, window: Window, model: DealModel, memo: Memo) -> None:
        self._window = window
        self._memo = memo
        self._dealer = model.dealer
        self._sensor = model.sensor
        self.shortest, self._longest, self._pauses = timing.gap_cells(
            model.dealer.pace_ns, model.dealer.longest_ns
        )
        self._silences: dict[tuple[str, float], Cells] = {}
        self._heard_by: dict[tuple[str, float], Cells] = {}

    def profile(self, place: str, missed: float, sighting: Sighting | None, until: int) -> Profile:
        """How probable what was heard of a card at a place is by its time: first read there, or not until
        now. It had come when it was heard anywhere, and in the cell `until`."""
        window, sensor = self._window, self._sensor
        first_ns = drawn_ns = None
        is_heard = sighting is not None and bool(sighting.heard)
        if sighting is not None:
            own = next((heard for heard in sighting.heard if heard.place == place), None)
            first_ns = None if own is None else own.first_ns
            drawn_ns = sighting.drawn_ns
            if sighting.heard:
                until = min(until, sighting.heard[0].first_ns // timing.CELL_NS)
        now_ns, phase_ns = (window.now_ns, window.phases.get(place)) if first_ns is None else (None, None)
        end_ns = window.now_ns if first_ns is None else first_ns
        until = min(until, end_ns // timing.CELL_NS)
        key = (missed, first_ns, now_ns, window.late_ns, phase_ns, until, drawn_ns, is_heard)
        known = self._memo.profiles.get(key)
        if known is not None:
            return known
        if first_ns is not None:
            cells = timing.first_read(first_ns, sensor.cycle_ns, missed)
        elif missed >= 1.0:  # an antenna that is deaf: the card came at any time
            cells = until, rows.row((1.0,))
        else:
            cells = self._silences.get((place, missed)) or timing.unheard(
                window.now_ns, phase_ns, sensor.cycle_ns, missed, sensor.dead, window.late_ns
            )
            self._silences[place, missed] = cells
        if drawn_ns is not None:
            came = timing.between(drawn_ns, drawn_ns + self._dealer.pace_ns[1])
            if not is_heard:  # a card that was drawn just now need not lie anywhere yet
                end = came[0] + len(came[1])
                cells, until = timing.open_ended(cells, end), max(until, end - 1)
            cells = timing.product(came, timing.reaching_back(cells, came[0]))
        cells = timing.cut(cells, until)
        if first_ns is None and drawn_ns is None:  # it may have come long before the first of these cells
            cells = timing.reaching_back(cells, until - MOST_UNHEARD * self._longest)
        return self._memo.profile(key, cells, drawn_ns)

    def timed(self, before: Timed, gap: str, profile: Profile) -> Timed:
        """When the card came and how probable what was heard of it is."""
        key = (before.number, gap, profile.number)
        known = self._memo.times.get(key)
        return self._memo.add(key, self._time_of(before, gap, profile)) if known is None else known

    def _time_of(self, before: Timed, gap: str, profile: Profile) -> Cells:
        start, cells = profile.start, profile.cells
        if gap == DRAWN:
            return start, rows.scaled(cells, before.total)
        if before.mass is None:
            return start, rows.scaled(cells, timing.OPEN)
        if gap == OPEN:
            coming_open = timing.any_time((before.start, before.mass), (start, cells))
            return timing.product(coming_open, (start, cells))
        size = min(start + len(cells) - before.start, len(before.mass) + self._pauses + self._longest)
        if size <= 0:
            return before.start, rows.row(())
        coming = before.coming.get(gap)
        if coming is None or len(coming) < size:
            coming = before.coming[gap] = self._coming(before, gap, size)
        return timing.told(before.start, coming, (start, cells))

    def heard_since(self, before: Timed, gap: str, place: str, missed: float) -> float:
        """The chance that the next card comes after `gap` to a place and was heard there by now."""
        window, sensor = self._window, self._sensor
        cells = self._heard_by.get((place, missed))
        if cells is None:
            phase_ns = window.phases.get(place)
            cells = self._heard_by[place, missed] = timing.heard_by(
                window.now_ns, phase_ns, sensor.cycle_ns, missed, sensor.dead, window.late_ns
            )
        assert before.mass is not None
        start, heard = cells
        size = min(start + len(heard) - before.start, len(before.mass) + self._pauses + self._longest)
        if size <= 0:
            return 0.0
        coming = before.coming.get(gap)
        if coming is None or len(coming) < size:
            coming = before.coming[gap] = self._coming(before, gap, size)
        return rows.total(timing.told(before.start, coming, cells)[1]) / before.total

    def comes_within(self, age_ns: int) -> float:
        """The chance that the next card comes within so long after a card."""
        dealer = self._dealer
        shortest, longest = dealer.pace_ns
        usual = min(1.0, max(0.0, (age_ns - shortest) / max(1, longest - shortest)))
        return (1.0 - dealer.pause) * usual + dealer.pause * min(1.0, max(0, age_ns) / dealer.longest_ns)

    def _coming(self, before: Timed, gap: str, size: int) -> Row:
        """When the next card comes, from the cell of the last one on."""
        dealer, mass = self._dealer, before.mass
        shortest = 0 if gap == TOGETHER else self.shortest
        coming = rows.next_after(before.sums, size, shortest, self._longest, self._pauses, dealer.pause)
        if gap != AGAIN:
            return coming
        assert mass is not None
        return rows.mixed(coming, dealer.extra / (dealer.extra + dealer.stuck), mass)
