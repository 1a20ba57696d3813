"""The sum behind the reference: all explanations of one part of a deal, each integrated over its times.

Beginnings are compared with those that have explained as many tags; what has less than LEAST_SHARE of the
best one's weight is dropped. A time is a cell of `deal_evidence.CELL_MS`.
"""

from itertools import accumulate

import msgspec

from shoe_bridge.sim.deal_evidence import CELL_MS, Chances, Curve, Evidence
from shoe_bridge.sim.deal_truth import PLACES_DEALT_TO

MOST_SLIPS = 2
LEAST_SHARE = 1e-7
OPEN_CELLS = 400  # the first card of a part comes within so many cells before its first read

Places = tuple[str, ...]


class Question(msgspec.Struct, frozen=True):
    """What part of the deal is in question, at one time. `plan` are the places due, `plan_before` the one due
    before them (empty: they begin the part), `pass_size` the places of one pass (0: no initial deal), `lying`
    the places of all cards before, `last` the curve of the last of those that is of this part. `tags` are
    those heard by now with the cell of their first read. `draws` are the tags in the order in which they left
    the shoe with the cells of the draws, None where no shoe tells. `is_complete`: nothing else will be dealt
    in this part."""

    plan: Places
    plan_before: str
    pass_size: int
    lying: Places
    last: Curve | None
    tags: tuple[tuple[str, int], ...]
    draws: tuple[tuple[str, int], ...] | None
    is_complete: bool


class _Node:
    """A beginning of an explanation: `todo` are the places still due, the first `forced` of them without
    choice; `used` has a bit for each tag; `curve` is the weight by the time of the last card (None: no card
    yet)."""

    __slots__ = ("curve", "forced", "places", "slips", "sums", "todo", "used", "weight")

    def __init__(
        self, todo: Places, forced: int, used: int, slips: int, places: Places, curve: Curve | None
    ) -> None:
        self.todo = todo
        self.forced = forced
        self.used = used
        self.slips = slips
        self.places = places
        self.curve = curve
        self.weight = sum(curve[1]) if curve else 1.0
        self.sums: list[float] = []  # of the curve up to each cell, when they are asked for

    @property
    def key(self) -> tuple[Places, int, int, int, Places]:
        return self.todo, self.forced, self.used, self.slips, self.places


class Search:
    """The sum over all explanations at one time. A level holds the beginnings that have explained as many
    tags, by the number of their cards."""

    def __init__(self, question: Question, evidence: Evidence, chances: Chances) -> None:
        self._of = question
        self._chances = chances
        self._evidence = evidence
        self._tags = [tag for tag, _ in question.tags]
        self._cells = [cell for _, cell in question.tags]
        self._latests: dict[int, int | None] = {}
        self._number_of = {tag: number for number, tag in enumerate(self._tags)}
        self._at_place: dict[str, list[int]] = {}
        for number, tag in enumerate(self._tags):
            for place in evidence.places_of(tag):
                self._at_place.setdefault(place, []).append(number)
        self._pause_cells = chances.longest_ms // CELL_MS
        self._gap_cells = (chances.pace_ms[0] // CELL_MS, chances.pace_ms[1] // CELL_MS)
        self._levels: list[dict[int, dict[object, _Node]]] = [{} for _ in range(len(self._tags) + 1)]
        self._count = 0
        self._least = 0.0
        self._sums: dict[Places, float] = {}

    def weights(self) -> dict[Places, float]:
        """The weight of each sequence of places."""
        self._put(0, _Node(self._of.plan, 0, 0, 0, (), self._of.last))
        for count, level in enumerate(self._levels):
            self._count = count
            best = max((node.weight for nodes in level.values() for node in nodes.values()), default=0.0)
            self._least = LEAST_SHARE * best
            while level:
                for node in level.pop(min(level)).values():
                    if node.weight > self._least:
                        self._go_on(node)
        return self._sums

    def _go_on(self, node: _Node) -> None:
        is_explained = self._count == len(self._tags)
        if is_explained and not node.forced:
            is_over = self._of.is_complete
            left = self._chances.short ** len(node.todo) if is_over else self._unheard_next(node)
            self._sums[node.places] = self._sums.get(node.places, 0.0) + node.weight * left
        if not is_explained or self._of.is_complete:
            self._step(node, node.todo, node.slips, 1.0)

    def _unheard_next(self, node: _Node) -> float:
        """The chance that the next card of this part is not heard by now. A shoe tells when it is drawn."""
        if not node.todo or node.curve is None or not node.weight or self._of.draws is not None:
            return 1.0
        place = node.todo[0]
        depth = 1 + self._of.lying.count(place) + node.places.count(place)
        start, silent = self._evidence.of_card(None, place, depth)
        heard = self._timed(
            node, (start, [1.0 - each for each in silent]), self._gap(node, place, is_stuck=False), 1.0
        )
        return 1.0 - (1.0 - self._chances.short) * sum(heard[1]) / node.weight

    def _put(self, count: int, node: _Node) -> None:
        nodes = self._levels[count].setdefault(len(node.places), {})
        known = nodes.get(node.key)
        if known is not None and known.curve is not None and node.curve is not None:
            node = _Node(*node.key, _added(known.curve, node.curve))
        nodes[node.key] = node

    # -- what the dealer does next

    def _step(self, node: _Node, todo: Places, slips: int, cost: float, may_turn: bool = True) -> None:
        chances = self._chances
        if node.forced:
            self._lay(node, todo[0], cost, todo[1:], node.forced - 1, slips)
            return
        if todo:
            self._lay(node, todo[0], cost * chances.as_due, todo[1:], 0, slips)
        if slips == MOST_SLIPS:
            return
        if node.places or self._of.plan_before:
            last = node.places[-1] if node.places else self._of.plan_before
            self._lay(node, last, cost * chances.extra, todo, 0, slips + 1)
            self._lay(node, last, cost * chances.stuck, todo, 0, slips + 1, is_stuck=True)
        if not todo:
            return
        self._step(node, todo[1:], slips + 1, cost * chances.skip)
        others = [place for place in PLACES_DEALT_TO if place != todo[0]]
        for place in others:
            self._lay(node, place, cost * chances.wrong / len(others), todo[1:], 0, slips + 1)
        if len(todo) > 1 and todo[0] != todo[1]:
            swapped = (todo[0], *todo[2:])
            self._lay(node, todo[1], cost * chances.swap, swapped, 1, slips + 1)
        size = self._of.pass_size
        if may_turn and size and len(todo) % size == 0:
            for by in range(1, size):
                turned = (*todo[by:size], *todo[:by], *todo[size:])
                self._step(node, turned, slips + 1, cost * chances.turned / (size - 1), may_turn=False)

    def _lay(
        self,
        node: _Node,
        place: str,
        cost: float,
        todo: Places,
        forced: int,
        slips: int,
        is_stuck: bool = False,
    ) -> None:
        """The next card comes to rest at `place`: each tag that it may be, and a card that nobody has
        heard."""
        if not cost:
            return
        depth = 1 + self._of.lying.count(place) + node.places.count(place)
        gap = self._gap(node, place, is_stuck)
        for number in self._may_be(node, place):
            tag = None if number is None else self._tags[number]
            curves = [(1.0, self._evidence.of_card(tag, place, depth))]
            if number is None and (deafness := self._evidence.deafness(place)):
                curves.append((deafness, self._evidence.of_deaf()))
            used = node.used if number is None else node.used | 1 << number
            for chance, whole in curves:
                curve = _before(self._since_draw(node, whole), self._latest(used))
                least = self._least / (cost * chance)
                if not curve[1] or node.weight * self._most(node, curve, gap) <= least:
                    continue
                timed = self._timed(node, curve, gap, cost * chance)
                if not timed[1]:
                    continue
                new = _Node(todo, forced, used, slips, (*node.places, place), timed)
                if number is not None or new.weight > self._least:
                    self._put(self._count + (number is not None), new)

    def _may_be(self, node: _Node, place: str) -> list[int | None]:
        if self._of.draws is None:
            numbers = self._at_place.get(place, [])
            return [None, *(number for number in numbers if not node.used >> number & 1)]
        if len(node.places) >= len(self._of.draws):
            return []
        number = self._number_of.get(self._of.draws[len(node.places)][0])
        if number is None:
            return [None]
        return [number] if number in self._at_place.get(place, []) else []

    # -- when it comes to rest

    def _latest(self, used: int) -> int | None:
        """All tags that are not used come later: no card can come after the first read of one of them."""
        if used not in self._latests:
            left = (cell for number, cell in enumerate(self._cells) if not used >> number & 1)
            self._latests[used] = min(left, default=None)
        return self._latests[used]

    def _gap(self, node: _Node, place: str, is_stuck: bool) -> str:
        if node.curve is None:
            return "open"
        if is_stuck:
            return "none"
        return "together" if place == "board" and node.places[-1:] == ("board",) else "pace"

    def _since_draw(self, node: _Node, curve: Curve) -> Curve:
        """With a shoe: a card lies within the longest gap after its draw."""
        if self._of.draws is None:
            return curve
        drawn = self._of.draws[len(node.places)][1]
        start, values = curve
        first, end = max(start, drawn), min(start + len(values), drawn + self._gap_cells[1] + 1)
        return first, values[first - start : max(0, end - start)] if end > first else []

    def _most(self, node: _Node, curve: Curve, gap: str) -> float:
        """No more than so much of the weight can remain: the likelihood rises with time."""
        start, values = curve
        if node.curve is None:
            return max(values)
        reach = node.curve[0] + len(node.curve[1]) + self._gap_cells[1] - start
        if reach <= 0:
            return values[-1] * self._chances.pause
        usual = max(values[: reach + 1][-1], values[0])
        return max(usual, self._chances.pause * values[-1])

    def _timed(self, node: _Node, curve: Curve, gap: str, cost: float) -> Curve:
        """The likelihood times the chance that the card comes then."""
        if gap == "open" or node.curve is None:
            share = cost / OPEN_CELLS
            return curve[0], [share * value for value in curve[1]]
        begin, before = node.curve
        start, values = curve
        if gap == "none":
            low, high = max(begin, start), min(begin + len(before), start + len(values))
            return low, [cost * before[t - begin] * values[t - start] for t in range(low, high)]
        if not node.sums:
            node.sums = [0.0, *accumulate(before)]
        sums, size = node.sums, len(before)
        shortest, longest = self._gap_cells if gap == "pace" else (0, self._gap_cells[1])
        pause = self._chances.pause
        usual = cost * (1 - pause) / (longest - shortest + 1)
        rare = cost * pause / (self._pause_cells + 1)
        reach = self._pause_cells
        low = max(start, begin + (0 if pause else shortest))
        found = []
        for t in range(low, start + len(values)):
            at = t - begin
            upper = min(size, at - shortest + 1)
            weight = usual * (sums[upper] - sums[max(0, min(size, at - longest))]) if upper > 0 else 0.0
            if pause:
                weight += rare * (sums[min(size, at + 1)] - sums[max(0, min(size, at - reach))])
            found.append(weight * values[t - start])
        return low, found


def _before(curve: Curve, latest: int | None) -> Curve:
    start, values = curve
    if latest is None or start + len(values) <= latest + 1:
        return curve
    return start, values[: max(0, latest + 1 - start)]


def _added(one: Curve, other: Curve) -> Curve:
    start = min(one[0], other[0])
    end = max(one[0] + len(one[1]), other[0] + len(other[1]))
    values = [0.0] * (end - start)
    for first, curve in (one, other):
        for index, value in enumerate(curve, start=first - start):
            values[index] += value
    return start, values
