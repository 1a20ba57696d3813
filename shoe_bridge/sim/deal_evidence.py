"""What the antennas heard of one hand, whole, and how likely that is for a card at a place and a time.

Unlike the bridge, which is told of the first reads of a tag and of its departure, this keeps every poll: a
poll that did not hear a card tells as much as one that did. Symbols are those of `table/deal_model.md`. Times
are ms of the simulation; likelihoods are given on a grid of CELL_MS, cell `n` standing for the time `n *
CELL_MS` and its neighbourhood.
"""

from bisect import bisect_left, bisect_right

import msgspec

from shoe_bridge.sim.deal_polls import Antenna, Poll

CELL_MS = 25
_FEW_READS = 2  # that a neighbour's antenna may have made
_FAINT = 1e-9  # a beginning of so many missed polls is cut off

Curve = tuple[int, list[float]]  # first cell, values from there on


class Chances(msgspec.Struct, frozen=True):
    """The parameters of the model: of a slip per card due, of a missed and a crossed read per poll, of a card
    that is never heard and an antenna that never hears (`unproven`: one that was not heard in any hand yet),
    of the gap between two cards (`pace_ms` shortest and longest, a share `pause` up to `longest_ms`)."""

    skip: float
    extra: float
    stuck: float
    wrong: float
    swap: float
    turned: float
    short: float
    missed: tuple[float, ...]
    cross: float
    ghost: float
    dead: float
    deaf: float
    unproven: float
    pace_ms: tuple[int, int]
    pause: float
    longest_ms: int

    @property
    def as_due(self) -> float:
        """The chance that a card goes as due, but for the turned passes."""
        return 1 - self.skip - self.extra - self.stuck - self.wrong - self.swap

    def missed_at(self, place: str, depth: int) -> float:
        return self.missed[0 if place == "board" else min(depth, len(self.missed)) - 1]


class ReadLog:
    """Every poll of one hand: when each place was polled, and where and when each tag answered. `before` is
    that of the hand before it at the table."""

    def __init__(self, antennas: tuple[Antenna, ...], before: "ReadLog | None" = None) -> None:
        self.proven: frozenset[str] = frozenset() if before is None else before.proven | before.answered
        self._beside = {antenna.place: antenna.neighbours for antenna in antennas}
        self.polled: dict[str, list[int]] = {antenna.place: [] for antenna in antennas}
        self.heard: dict[str, dict[str, list[int]]] = {}

    def take(self, poll: Poll) -> None:
        place = poll.antenna.place
        self.polled[place].append(poll.at_ms)
        for read in poll.reads:
            self.heard.setdefault(read.tag, {}).setdefault(place, []).append(poll.at_ms)

    @property
    def answered(self) -> frozenset[str]:
        """The places where some tag answered."""
        return frozenset(place for places in self.heard.values() for place in places)

    def first_heard_ms(self, tag: str, now_ms: int) -> int | None:
        """When any antenna heard the tag first, None where none has by `now_ms`."""
        first_ms = min((times[0] for times in self.heard.get(tag, {}).values()), default=None)
        return first_ms if first_ms is not None and first_ms <= now_ms else None

    def beside(self, place: str) -> tuple[str, ...]:
        """The places whose antennas lie beside that of `place`."""
        return self._beside[place]

    def crossing(self, chances: Chances, place: str, other: str) -> float:
        """The chance that a poll of a card at `place` is also heard at `other`."""
        beside = self._beside[place]
        return chances.cross / len(beside) if other in beside else chances.ghost


class Evidence:
    """The likelihoods of one hand's reads up to `now_ms`."""

    def __init__(self, log: ReadLog, chances: Chances, now_ms: int) -> None:
        self._log = log
        self._chances = chances
        self._now_ms = now_ms
        self._curves: dict[tuple[str | None, str, int], Curve] = {}
        self._bests: dict[str, float] = {}

    def places_of(self, tag: str) -> list[str]:
        """Where the tag may lie: the places that heard it, and those beside one that did so once or twice."""
        found: dict[str, None] = {}
        for place, times in self._log.heard.get(tag, {}).items():
            count = bisect_right(times, self._now_ms)
            if count:
                found[place] = None
            if 0 < count <= _FEW_READS:
                found.update(dict.fromkeys(self._log.beside(place)))
        return list(found)

    def of_card(self, tag: str | None, place: str, depth: int) -> Curve:
        """The likelihood of all reads of `tag` for each time at which it may have come to rest at `place` as
        the `depth`-th card; of None: that no antenna has heard the card there."""
        key = (tag, place, depth)
        if key not in self._curves:
            self._curves[key] = self._unheard(place, depth) if tag is None else self._heard(tag, place, depth)
        return self._curves[key]

    def deafness(self, place: str) -> float:
        """The chance that the antenna hears nothing in this hand: 0 once it has heard something."""
        firsts = (places[place][0] for places in self._log.heard.values() if place in places)
        if any(at_ms <= self._now_ms for at_ms in firsts):
            return 0.0
        return self._chances.deaf if place in self._log.proven else self._chances.unproven

    def of_deaf(self) -> Curve:
        """The likelihood that nothing was heard of a card where the antenna hears nothing."""
        oldest = min((times[0] for times in self._log.polled.values() if times), default=0) // CELL_MS
        return oldest, [1.0] * (self._now_ms // CELL_MS + 1 - oldest)

    def _heard(self, tag: str, place: str, depth: int) -> Curve:
        missed = self._chances.missed_at(place, depth)
        polled = self._log.polled[place]
        heard = self._log.heard[tag]
        first = bisect_left(polled, min(heard.get(place, [self._now_ms + 1])[0], self._now_ms + 1))
        earliest_ms = min(self._now_ms, *(times[0] for times in heard.values()))
        factor = self._factor(tag, place, depth) / self._best_factor(tag)
        return self._curve(polled, first, earliest_ms, missed, factor)

    def _factor(self, tag: str, place: str, depth: int) -> float:
        """How likely the reads from the first one at `place` on are, and those at all other places."""
        missed = self._chances.missed_at(place, depth)
        factor = 1.0
        for other, times in self._log.heard[tag].items():
            count = bisect_right(times, self._now_ms)
            if count and other != place:
                factor *= self._log.crossing(self._chances, place, other) ** count
            elif count:
                polled = self._log.polled[place]
                polls = bisect_right(polled, self._now_ms) - bisect_left(polled, times[0])
                factor *= (1 - missed) ** count * missed ** (polls - count)
        return factor

    def _best_factor(self, tag: str) -> float:
        """The same for all explanations, so that those that have explained other tags can be compared."""
        if tag not in self._bests:
            depths = range(1, len(self._chances.missed) + 1)
            self._bests[tag] = max(self._factor(tag, p, d) for p in self.places_of(tag) for d in depths)
        return self._bests[tag]

    def _unheard(self, place: str, depth: int) -> Curve:
        chances = self._chances
        missed = chances.missed_at(place, depth)
        polled = self._log.polled[place]
        last = bisect_right(polled, self._now_ms)
        start, values = self._curve(polled, last, self._now_ms, missed, 1.0, floor=chances.dead)
        return start, [chances.dead + (1 - chances.dead) * value for value in values]

    def _curve(
        self,
        polled: list[int],
        first: int,
        latest_ms: int,
        missed: float,
        factor: float,
        floor: float = 0.0,
    ) -> Curve:
        """`factor * missed ** j`, `j` being the polls from the card's time up to the poll `first`. Before the
        first poll that is kept the value is that of the first one, where `floor` is not 0."""
        end = latest_ms // CELL_MS
        values: list[float] = []
        at, value, cell = first, 1.0, end
        oldest = (polled[0] if polled else 0) // CELL_MS
        while cell >= oldest and (value > _FAINT or floor):
            at_ms = cell * CELL_MS
            while at > 0 and polled[at - 1] >= at_ms:
                at -= 1
                value *= missed
            values.append(factor * value)
            cell -= 1
        values.reverse()
        return cell + 1, values
