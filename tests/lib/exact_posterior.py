"""The independent judge of the inference: what the dealer did in a window, by enumeration under the model
of `shoe_bridge/table/deal_model.md`, on a grid of 10 ms. It shares parameters and window types with the
code under test and nothing else.

No branch is dropped because it looks poor. What can be left out is bounded: the branches not yet looked
into are held in a heap with a proven upper bound of all their weight, and the enumeration ends when the
bounds together are below `remainder` of the weight found. With `remainder` 0 it ends when nothing is left
but exact zeros.

Where the page leaves room, this file takes it so: a card is heard anywhere only at or after the time at
which it comes to rest; a card that nobody heard came to rest no later than now; behind the last card heard,
a complete deal goes on only as due (unheard), by skips or by stopping short. With draws of a shoe every
card is one of the drawn. A pass lasts until the first card of the street after it; a seat that is dealt in
again lies clockwise between the seat of the card before and the seat that is due.
"""

import heapq
import math
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from shoe_bridge.rules.book import open_book
from shoe_bridge.table.deal_model import MOST_SLIPS, DealModel
from shoe_bridge.table.dealing import deal_card, sync_opening
from shoe_bridge.table.findings import AnyFinding
from shoe_bridge.table.hand import BOARD, BURN
from shoe_bridge.table.judge import judge
from shoe_bridge.table.layout import SEATS, seat_of
from shoe_bridge.table.state import Setup, start
from shoe_bridge.table.window import Heard, Window

GRID_S = 0.010
DENSITY_CELL_S = 0.025  # of `Window.anchor`
HORIZON_S = 10.0  # how long before its first read the first card of a hand may have come to rest
OPEN_PER_S = 1 / 60
PLACES = (*SEATS, BOARD, BURN)

Cards = tuple[tuple[str, str | None], ...]  # (place, tag or None) in deal order
Masses = NDArray[np.float64]  # one per cell of the grid


class _Node(NamedTuple):
    """A prefix of explanations. `mass` is its weight by the time of its last card (None: no card yet and any
    time); `forced` are (place, run) still owed by a swap or a turned pass; `deaf` and `live` are the antennas
    that were decided on; `habits` are (seat, run) skipped or dealt in."""

    cards: Cards
    mass: Masses | None
    pointer: int
    forced: tuple[tuple[str, int], ...]
    slips: int
    last: tuple[str, int, bool] | None  # place and run of the card before, and whether it was dealt in
    counts: tuple[tuple[str, int], ...]
    used: int
    deaf: frozenset[str]
    live: frozenset[str]
    habits: tuple[tuple[str, int], ...]


class _Option(NamedTuple):
    """One way to the next card: its place and run, and where the dealer stands then."""

    place: str
    run: int
    cost: float
    pointer: int
    forced: tuple[tuple[str, int], ...]
    slips: int
    habits: tuple[tuple[str, int], ...]
    is_stuck: bool = False
    is_dealt_in: bool = False


def exact(window: Window, model: DealModel, remainder: float = 1e-6) -> dict[Cards, float]:
    """The probability of every sequence of cards, summed over all steps and deaf antennas that lead to it; at
    most `remainder` of the whole weight is missing. Empty where no explanation has any weight."""
    found = _Enumeration(window, model).run(remainder)
    whole = math.fsum(found.values())
    return {cards: weight / whole for cards, weight in found.items()} if whole else {}


class _Sensors:
    """How likely the reads of one tag, or none, are for a card by place, depth and time."""

    def __init__(self, window: Window, model: DealModel, start_s: float, cells: int) -> None:
        self.window, self.model, self.sensor = window, model, model.sensor
        self.start_s = start_s
        self.mids = start_s + (np.arange(cells) + 0.5) * GRID_S
        self.now_s = window.now_ns / 1e9
        self.heard = [{h.place: h for h in sighting.heard} for sighting in window.sightings]
        self.audible = {place for heard in self.heard for place in heard}
        self.phases = {h.place: h.first_ns for heard in self.heard for h in heard.values()} | window.phases
        self._kept: dict[tuple[int | None, str, int, bool], Masses] = {}

    def missed(self, place: str, depth: int) -> float:
        return self.sensor.missed_at(1 if place in self.model.flat else depth)

    def chi(self, place: str, other: str) -> float:
        near = self.model.neighbours.get(place, ())
        return self.sensor.cross / len(near) if other in near else self.sensor.ghost

    def likelihood(self, tag: int | None, place: str, depth: int, is_deaf: bool) -> Masses:
        key = (tag, place, 1 if place in self.model.flat else min(depth, len(self.sensor.missed)), is_deaf)
        if key not in self._kept:
            self._kept[key] = self._likelihood(*key)
        return self._kept[key]

    def _likelihood(self, tag: int | None, place: str, depth: int, is_deaf: bool) -> Masses:
        heard = {} if tag is None else self.heard[tag]
        missed = self.missed(place, depth)
        if place in heard:
            out = self._first_heard(heard[place], missed)
        else:
            out = np.where(self.mids <= self.now_s, 1.0 if is_deaf else self._unheard(place, missed), 0.0)
        for other, read in heard.items():
            if other != place:
                out = out * self.stray(place, heard, read) * (self.mids <= read.first_ns / 1e9)
        return out

    def stray(self, place: str, heard: dict[str, Heard], read: Heard) -> float:
        """What the reads at another place are worth. A card that its own antenna never heard lies beside."""
        if place not in heard and read.place not in self.model.neighbours.get(place, ()):
            return 0.0
        return self.chi(place, read.place) ** read.reads

    def _first_heard(self, heard: Heard, missed: float) -> Masses:
        late = heard.first_ns / 1e9 - self.mids
        polls = np.floor(late / (self.sensor.cycle_ns / 1e9))
        return np.where(late >= 0, self.reads(heard, missed) * missed ** np.maximum(polls, 0), 0.0)

    @staticmethod
    def reads(heard: Heard, missed: float) -> float:
        return (1 - missed) ** heard.reads * missed ** (2 * heard.gone)

    def _unheard(self, place: str, missed: float) -> Masses:
        cycle_s, dead = self.sensor.cycle_ns / 1e9, self.sensor.dead
        if place in self.phases:
            phase_s = self.phases[place] / 1e9
            last = math.floor((self.now_s - phase_s) / cycle_s)
            polls = np.maximum(last - np.ceil((self.mids - phase_s) / cycle_s) + 1, 0)
            return np.asarray(dead + (1 - dead) * missed**polls)
        ages = np.maximum(self.now_s - self.mids, 0) / cycle_s
        whole = np.floor(ages)
        share = ages - whole
        return np.asarray(dead + (1 - dead) * ((1 - share) * missed**whole + share * missed ** (whole + 1)))

    def best(self, tag: int, place: str, covered: int) -> float:
        """No time, and no depth behind so many cards, makes the reads of the tag likelier than this."""
        heard = self.heard[tag]
        strays = math.prod(self.stray(place, heard, h) for other, h in heard.items() if other != place)
        if place not in heard:
            return strays
        depths = range(covered + 1, len(self.sensor.missed) + 2)
        return strays * max(self.reads(heard[place], self.missed(place, depth)) for depth in depths)


class _Enumeration:
    """All explanations of one window, the heaviest branches first."""

    def __init__(self, window: Window, model: DealModel) -> None:
        self.window, self.model, self.dealer = window, model, model.dealer
        dealer = model.dealer
        self.slip_cost = math.fsum(
            (dealer.skip, dealer.extra, dealer.stuck, dealer.wrong, dealer.swap, dealer.turned)
        )
        self.slip_cost += dealer.short + dealer.dealt_in + dealer.early
        self.keep = 1 - self.slip_cost
        seats = [due.place for due in window.plan if seat_of(due.place) is not None]
        self.seats = tuple(dict.fromkeys(seats))
        self.guests = tuple(place for place in SEATS if place not in self.seats)
        self.open_runs = {due.run for due in window.plan if due.is_open}
        self.runs = len({due.run for due in window.plan if due.is_of_pass})
        start_s, end_s = self._span()
        self.cells = math.ceil((end_s - start_s) / GRID_S) + 1
        self.sensors = _Sensors(window, model, start_s, self.cells)
        self.everything = (1 << len(window.sightings)) - 1
        self.has_draws = any(s.drawn_ns is not None for s in window.sightings)
        self.places = tuple(dict.fromkeys((*PLACES, *(due.place for due in window.plan))))
        tags, depths = range(len(window.sightings)), range(len(model.sensor.missed))
        self.best = np.array(
            [[[self.sensors.best(t, place, d) for d in depths] for place in self.places] for t in tags]
        ).reshape(len(tags), len(self.places), len(depths))
        self.latest = [
            min((h.first_ns for h in s.heard), default=window.now_ns) / 1e9 for s in window.sightings
        ]
        self._cards_ahead: dict[tuple[int, tuple[tuple[str, int], ...], bool, frozenset[str]], Masses] = {}
        self.weight = 0.0  # of all that was found
        self._found: dict[Cards, float] = {}

    def _span(self) -> tuple[float, float]:
        window = self.window
        reads = [h.first_ns / 1e9 for s in window.sightings for h in s.heard]
        end_s = max((window.now_ns / 1e9, *reads))
        if window.anchor is not None:
            return window.anchor.start * DENSITY_CELL_S, end_s
        return min((end_s, *reads)) - HORIZON_S, end_s

    def run(self, remainder: float) -> dict[Cards, float]:
        window = self.window
        last = None
        if window.served:
            place = window.served[-1]
            last = (
                place,
                window.plan[window.pointer - 1].run,
                place in window.habits and place in self.guests,
            )
        counts = tuple((place, window.served.count(place)) for place in dict.fromkeys(window.served))
        habits = tuple((place, -1) for place in window.habits)
        deaf = frozenset(window.deaf)
        root = _Node((), self._anchor(), window.pointer, (), 0, last, counts, 0, deaf, frozenset(), habits)
        heap: list[tuple[float, int, _Node, tuple[_Option, int | None, bool | None] | None]] = []
        numbers, looks, left = count(), 0, 0.0

        def push(bound: float, node: _Node, step: tuple[_Option, int | None, bool | None] | None) -> None:
            nonlocal left
            if bound > 0:
                left += bound
                heapq.heappush(heap, (-bound, next(numbers), node, step))

        def enter(node: _Node) -> None:
            if node.used == self.everything:
                self._finish(node)
                return
            best = self._best(node)
            for option in self._unslipped(node):
                for bound, choice in self._choices(node, option, best):
                    push(bound, node, choice)
            push(self._slips_bound(node, best), node, None)

        enter(root)
        while heap:
            looks += 1
            if looks > 32 + len(heap) / 16:
                looks, left = 0, math.fsum(-entry[0] for entry in heap)  # the running sum loses digits
                if left <= remainder * self.weight:
                    break
            bound, _, node, step = heapq.heappop(heap)
            left += bound
            if step is None:
                best = self._best(node)
                for option in self._slipped(node):
                    for smaller, choice in self._choices(node, option, best):
                        push(smaller, node, choice)
                continue
            following = self._deal(node, *step)
            if following is not None:
                enter(following)
        return self._found

    def _emit(self, cards: Cards, weight: float) -> None:
        if weight > 0:
            self._found[cards] = self._found.get(cards, 0.0) + weight
            self.weight += weight

    def _anchor(self) -> Masses | None:
        """The density of the last certain card, each of its cells spread evenly about its time."""
        anchor = self.window.anchor
        if anchor is None:
            return None
        edges = (anchor.start + np.arange(len(anchor.mass) + 1)) * DENSITY_CELL_S
        whole = np.concatenate(([0.0], np.cumsum(anchor.mass)))
        cuts = self.sensors.start_s + np.arange(self.cells + 1) * GRID_S
        return np.asarray(np.diff(np.interp(cuts, edges, whole)))

    # -- what the dealer does ---------------------------------------------------------------------------

    def _unslipped(self, node: _Node) -> Iterator[_Option]:
        """All ways to the next card that are no slip, or no further one."""
        i, plan, habits = node.pointer, self.window.plan, node.habits
        if node.forced:
            (place, run), *rest = node.forced
            yield _Option(place, run, self.keep, i, tuple(rest), node.slips, habits)
            return
        if i < len(plan):
            yield _Option(plan[i].place, plan[i].run, self.keep, i + 1, (), node.slips, habits)
        for guest in self.guests:
            if self._is_again(node, guest) and self._may_deal_in(node) and self._comes_next(node, guest):
                yield self._dealt_in(node, guest, self.dealer.again, node.slips)
        for moved, cost in self._moves_again(node):
            for option in self._unslipped(moved):
                yield option._replace(cost=option.cost * cost)

    def _as_due(self, node: _Node) -> list[_Option]:
        without = node._replace(habits=())
        return [
            option._replace(habits=node.habits)
            for option in self._unslipped(without)
            if not option.is_dealt_in
        ]

    def _slipped(self, node: _Node) -> Iterator[_Option]:
        """All ways to the next card with a slip before it or by it."""
        if node.forced or node.slips >= MOST_SLIPS:
            return
        plan, i, dealer, slips = self.window.plan, node.pointer, self.dealer, node.slips + 1
        habits = node.habits
        if node.last is not None:
            place, run, _ = node.last
            yield _Option(place, run, dealer.extra, i, (), slips, habits)
            yield _Option(place, run, dealer.stuck, i, (), slips, habits, is_stuck=True)
        for moved, cost in self._moves_again(node):
            for option in self._slipped(moved):
                yield option._replace(cost=option.cost * cost)
        for moved, cost in self._moves(node):
            for option in (*self._unslipped(moved), *self._slipped(moved)):
                yield option._replace(cost=option.cost * cost)
        if self._may_deal_in(node):
            for guest in self.guests:
                if not (self._is_again(node, guest) and self._comes_next(node, guest)):
                    yield self._dealt_in(node, guest, dealer.dealt_in / len(self.guests), slips)
        if i == len(plan):
            return
        due, others = plan[i], [place for place in PLACES if place != plan[i].place]
        for place in others:
            # a card to a seat between the deal and a street does not stand for the street's burn
            is_before = due.is_open and not due.is_of_pass and seat_of(place) is not None
            run = node.last[1] if is_before and node.last is not None else due.run
            cost, pointer = dealer.wrong / len(others), i + (not is_before)
            yield _Option(place, run, cost, pointer, (), slips, habits)
        if i + 1 < len(plan) and plan[i + 1].run == due.run and plan[i + 1].place != due.place:
            forced: tuple[tuple[str, int], ...] = ((due.place, due.run),)
            yield _Option(plan[i + 1].place, due.run, dealer.swap, i + 2, forced, slips, habits)
        places = due.pass_places
        for j in range(1, len(places)):
            first, *rest = (*places[j:], *places[:j])
            cost = dealer.turned / (len(places) - 1)
            forced = tuple((place, due.run) for place in rest)
            yield _Option(first, due.run, cost, i + len(places), forced, slips, habits)

    def _moves(self, node: _Node) -> Iterator[tuple[_Node, float]]:
        """The slips that deal no card."""
        i, size, plan = node.pointer, self.window.deal_size, self.window.plan
        if node.slips < MOST_SLIPS and not node.forced:
            if i < len(plan) and not self._is_again(node, plan[i].place):
                cost = self.dealer.skip_board if plan[i].place == BOARD else self.dealer.skip
                yield self._skipped(node)._replace(slips=node.slips + 1), cost
            if self.window.is_complete and i < size:
                yield node._replace(pointer=size, slips=node.slips + 1), self.dealer.short

    def _moves_again(self, node: _Node) -> Iterator[tuple[_Node, float]]:
        """The seat that is due was skipped in an earlier pass."""
        i, plan = node.pointer, self.window.plan
        if not node.forced and i < len(plan) and self._is_again(node, plan[i].place):
            yield self._skipped(node), self.dealer.again

    def _skipped(self, node: _Node) -> _Node:
        due, i = self.window.plan[node.pointer], node.pointer + 1
        habit = ((due.place, due.run),) if due.place in self.seats and due.is_of_pass else ()
        return node._replace(pointer=i, habits=(*node.habits, *habit))

    def _dealt_in(self, node: _Node, guest: str, cost: float, slips: int) -> _Option:
        i, plan = node.pointer, self.window.plan
        is_of_pass = i < len(plan) and plan[i].is_of_pass
        run = plan[i].run if is_of_pass or node.last is None else node.last[1]
        habits = (*node.habits, (guest, self._run_due(node)))
        return _Option(guest, run, cost, i, (), slips, habits, is_dealt_in=True)

    def _run_due(self, node: _Node) -> int:
        plan = self.window.plan
        return plan[node.pointer].run if node.pointer < len(plan) else plan[-1].run + 1

    def _is_again(self, node: _Node, place: str) -> bool:
        """It was skipped or dealt in, in an earlier pass."""
        return any(seat == place and run < self._run_due(node) for seat, run in node.habits)

    def _may_deal_in(self, node: _Node) -> bool:
        i, plan = node.pointer, self.window.plan
        if node.forced or (node.last is not None and node.last[2]):
            return False
        if i < len(plan) and plan[i].is_of_pass:
            return True
        return node.last is not None and any(due.is_of_pass and due.run == node.last[1] for due in plan[:i])

    def _comes_next(self, node: _Node, guest: str) -> bool:
        """It lies clockwise between the seat of the card before and the seat that is due."""
        before = None if node.last is None else seat_of(node.last[0])
        plan, i = self.window.plan, node.pointer
        if before is None:
            return False
        due = plan[i].place if i < len(plan) and plan[i].is_of_pass else self.seats[0]
        ahead = ((seat_of(due) or 0) - before - 1) % len(SEATS)
        return ((seat_of(guest) or 0) - before - 1) % len(SEATS) < ahead

    # -- what a card weighs -----------------------------------------------------------------------------

    def _deal(self, node: _Node, option: _Option, tag: int | None, is_deaf: bool | None) -> _Node | None:
        """The node with the next card, None where it has no weight. `is_deaf` None: that is decided already,
        or the antenna has heard something and so is not."""
        place = option.place
        counts = dict(node.counts)
        counts[place] = counts.get(place, 0) + 1
        deaf = node.deaf | {place} if is_deaf else node.deaf
        live = node.live | {place} if is_deaf is False else node.live
        mass = self._after_gap(node, option, tag) * self.sensors.likelihood(
            tag, place, counts[place], place in deaf
        )
        mass = mass * (option.cost * (self.model.sensor.deaf if is_deaf else 1.0))
        used = node.used if tag is None else node.used | 1 << tag
        left = [self.latest[t] for t in range(len(self.latest)) if not used >> t & 1]
        if left:  # no card to come can be heard before it is dealt
            mass[self.sensors.mids > min(left)] = 0.0
        if not mass.any():
            return None
        name = None if tag is None else self.window.sightings[tag].tag
        return _Node(
            (*node.cards, (place, name)),
            mass,
            option.pointer,
            option.forced,
            option.slips,
            (place, option.run, option.is_dealt_in),
            tuple(counts.items()),
            used,
            deaf,
            live,
            option.habits,
        )

    def _after_gap(self, node: _Node, option: _Option, tag: int | None) -> Masses:
        mass, dealer = node.mass, self.dealer
        drawn_ns = None if tag is None else self.window.sightings[tag].drawn_ns
        if drawn_ns is not None:
            after = self.sensors.mids - drawn_ns / 1e9
            longest_s = dealer.pace_ns[1] / 1e9
            before = 1.0 if mass is None else mass.sum()
            return np.where((after >= 0) & (after <= longest_s), before * GRID_S / longest_s, 0.0)
        if mass is None:
            return np.full(self.cells, GRID_S * OPEN_PER_S)
        if option.is_stuck:
            return mass
        reached = np.cumsum(mass) - mass / 2
        if option.run in self.open_runs and (node.last is None or node.last[1] != option.run):
            return reached * (GRID_S * OPEN_PER_S)
        if node.last is not None and node.last[:2] == (BOARD, option.run) and option.place == BOARD:
            paced = (1 - dealer.pause) * _spread(reached, 0, dealer.pace_ns[1])
        else:
            paced = (1 - dealer.pause) * _spread(reached, *dealer.pace_ns)
        return paced + dealer.pause * _spread(reached, 0, dealer.longest_ns)

    def _hearings(self, node: _Node, tag: int | None, place: str) -> tuple[bool | None, ...]:
        """What may be the case with the antenna of a card that it did not hear."""
        is_decided = place in node.deaf or place in node.live or place in self.sensors.audible
        return (
            (None,) if is_decided or (tag is not None and place in self.sensors.heard[tag]) else (False, True)
        )

    def _finish(self, node: _Node) -> None:
        """All tags are cards. A deal that was called complete is brought through to its end."""
        is_open = self.window.is_complete and (node.forced or node.pointer < self.window.deal_size)
        if not is_open:
            whole = 1.0 if node.mass is None else float(node.mass.sum())
            self._emit(node.cards, whole * self._unheard_next(node))
            return
        for moved, cost in (*self._moves(node), *self._moves_again(node)):
            mass = None if moved.mass is None else moved.mass * cost
            self._finish(moved._replace(mass=mass))
        for option in self._as_due(node):
            for is_deaf in self._hearings(node, None, option.place):
                following = self._deal(node, option, None, is_deaf)
                if following is not None:
                    self._finish(following)

    def _unheard_next(self, node: _Node) -> float:
        """The chance that the card behind the last one is not heard by now, where it comes at the dealer's
        pace."""
        if self.window.is_complete or self.has_draws or node.mass is None or node.last is None:
            return 1.0
        plan, i, seats = self.window.plan, node.pointer, {seat for seat, _ in node.habits}
        if node.forced:
            waiting = [node.forced[0]]
        else:
            while i < len(plan) and plan[i].is_of_pass and plan[i].place in seats:
                i += 1
            if i == len(plan) or (plan[i].run in self.open_runs and plan[i].run != node.last[1]):
                return 1.0
            waiting = [(place, plan[i].run) for place in (plan[i].place, *seats.intersection(self.guests))]
        return max(self._unheard_at(node, place, run) for place, run in waiting)

    def _unheard_at(self, node: _Node, place: str, run: int) -> float:
        if place in node.deaf or node.mass is None:
            return 1.0
        coming = self._after_gap(node, _Option(place, run, 1.0, 0, (), 0, ()), None)
        depth = dict(node.counts).get(place, 0) + 1
        silent = self.sensors.likelihood(None, place, depth, False)
        is_over = self.sensors.mids <= self.sensors.now_s
        heard = float((coming * (1.0 - silent))[is_over].sum())
        return 1.0 - (1.0 - self.dealer.short) * heard / float(node.mass.sum())

    # -- what branches can weigh at most ----------------------------------------------------------------

    def _best(self, node: _Node) -> Masses:
        """By tag and place, behind the cards that lie there by now."""
        counts, deepest = dict(node.counts), self.best.shape[2] - 1
        depths = [min(counts.get(place, 0), deepest) for place in self.places]
        chosen: Masses = self.best[:, np.arange(len(self.places)), depths]
        return chosen

    def _choices(
        self, node: _Node, option: _Option, best: Masses
    ) -> Iterator[tuple[float, tuple[_Option, int | None, bool | None]]]:
        """Each card that it may be, with a bound of all that follows."""
        tags = [t for t in range(len(self.latest)) if not node.used >> t & 1]
        rest = self._rest(best, option, tags)
        weight = self._reach(node, option) * option.cost
        column = self.places.index(option.place)
        if self.has_draws:
            tags = sorted(tags, key=lambda t: self.window.sightings[t].drawn_ns or 0)[:1]
        else:
            bound = weight * math.prod(rest.values())
            for is_deaf in self._hearings(node, None, option.place):
                yield bound * (self.model.sensor.deaf if is_deaf else 1.0), (option, None, is_deaf)
        for tag in tags:
            others = math.prod(worth for t, worth in rest.items() if t != tag)
            bound = weight * float(best[tag, column]) * others
            for is_deaf in self._hearings(node, tag, option.place):
                yield bound * (self.model.sensor.deaf if is_deaf else 1.0), (option, tag, is_deaf)

    def _slips_bound(self, node: _Node, best: Masses) -> float:
        """Of all that begins with a slip: the slip itself may give each tag one more card to be."""
        if node.forced or node.slips >= MOST_SLIPS:
            return 0.0
        tags = [t for t in range(len(self.latest)) if not node.used >> t & 1]
        here = _Option("", 0, 1.0, node.pointer, (), node.slips, node.habits)
        rest = self._rest(best, here, tags)
        dealer, bound = self.dealer, self.slip_cost * math.prod(rest.values())
        for tag in tags:
            others = math.prod(worth for t, worth in rest.items() if t != tag)
            bound += others * dealer.wrong / (len(PLACES) - 1) * float(best[tag].sum())
            if node.last is not None:
                again = float(best[tag, self.places.index(node.last[0])])
                bound += others * (dealer.extra + dealer.stuck) * again
        if self._may_deal_in(node):
            for guest in self.guests:
                column = best[:, self.places.index(guest)]
                worths = (rest[tag] + (1 + self.runs) * float(column[tag]) for tag in tags)
                bound += dealer.dealt_in / len(self.guests) * math.prod(worths)
        return 2 * bound * self._reach(node, here)  # a seat that is skipped may be so again

    def _rest(self, best: Masses, option: _Option, tags: list[int]) -> dict[int, float]:
        """For each tag left, the most that its reads weigh, summed over the cards to come that it may be.
        The product over all tags bounds their sum over all explanations: the steps to come are a
        distribution, and each of them puts an unforeseen card at a given place with at most the
        chance of wrong, extra and stuck. A seat that is dealt in may be so once in each pass, at
        the cost of one slip: hence the root."""
        habits = frozenset(seat for seat, _ in option.habits if seat in self.guests)
        key = (option.pointer, option.forced, option.slips < MOST_SLIPS, habits)
        if key not in self._cards_ahead:
            self._cards_ahead[key] = self._count_ahead(*key)
        return dict(zip(tags, (best[tags] @ self._cards_ahead[key]).tolist(), strict=True))

    def _count_ahead(
        self, pointer: int, forced: tuple[tuple[str, int], ...], may_slip: bool, habits: frozenset[str]
    ) -> Masses:
        ahead = [place for place, _ in forced] + [due.place for due in self.window.plan[pointer:]]
        dealer, steps = self.dealer, len(ahead) + MOST_SLIPS
        stray = steps * (dealer.wrong / (len(PLACES) - 1) + dealer.extra + dealer.stuck)
        guest = math.sqrt(self.runs**2 * steps * dealer.dealt_in / max(1, len(self.guests)))
        cards = np.zeros(len(self.places))
        for column, place in enumerate(self.places):
            cards[column] = ahead.count(place) + (self.runs if place in habits else 0)
            if may_slip:
                cards[column] += stray + (guest if place in self.guests else 0.0)
        return cards

    def _reach(self, node: _Node, option: _Option) -> float:
        """The weight so far, times what open times, deaf antennas and habits to come can add."""
        dealer, left = self.dealer, self.window.plan[node.pointer :]
        span_s = self.cells * GRID_S * OPEN_PER_S
        opens = sum(due.is_open for due in left) + 1 if span_s > 1 else 0
        mass = 1.0 if node.mass is None else float(node.mass.sum())
        # a step where a habit may show has more than all the weight: it costs no slip, and none is as likely
        seats = {seat for seat, _ in option.habits}
        passes = len({due.run for due in left if due.is_of_pass}) + 1
        shown = sum(due.place in seats for due in left) + passes * len(seats.intersection(self.guests))
        unseen = 1 + passes * (len(left) + MOST_SLIPS) * (dealer.skip + dealer.dealt_in)
        deaf = (1 + self.model.sensor.deaf) ** len(self.places)
        return mass * span_s**opens * deaf * (1 + dealer.again) ** shown * unseen**MOST_SLIPS


def _spread(reached: Masses, shortest_ns: int, longest_ns: int) -> Masses:
    """A time plus an even gap: `reached` is the weight up to the middle of each cell."""
    first, last = round(shortest_ns / 1e9 / GRID_S), round(longest_ns / 1e9 / GRID_S)
    out = np.zeros_like(reached)
    out[first:] += reached[: max(0, len(reached) - first)]
    out[last:] -= reached[: max(0, len(reached) - last)]
    return out / (last - first)


# -- findings -----------------------------------------------------------------------------------------------


def finding_probabilities(
    window: Window, model: DealModel, setup: Setup, remainder: float = 1e-6
) -> dict[AnyFinding, float]:
    """The probability of each finding of the nz-1999 book: of the sequences in which it stands, together."""
    return findings_by_probability(exact(window, model, remainder), window, setup)


def findings_by_probability(
    sequences: dict[Cards, float], window: Window, setup: Setup
) -> dict[AnyFinding, float]:
    """The same for any probabilities of sequences."""
    by_places: dict[tuple[str, ...], float] = {}
    for cards, probability in sequences.items():
        places = tuple(place for place, _ in cards)
        by_places[places] = by_places.get(places, 0.0) + probability
    sums: dict[AnyFinding, float] = {}
    for places, probability in by_places.items():
        for finding in findings_of((*window.served, *places), setup, window.is_complete):
            sums[finding] = sums.get(finding, 0.0) + probability
    return sums


def findings_of(places: tuple[str, ...], setup: Setup, is_complete: bool) -> set[AnyFinding]:
    """What stands when the cards of a hand went to these places. Where the deal was called complete, that was
    behind its last card to a seat: what follows on board and burn is of the streets."""
    book = open_book("nz-1999")
    hand = replace(start(setup).hand, tracks_betting=False)  # what was bet is not part of a window
    hole = max((number for number, place in enumerate(places, 1) if seat_of(place) is not None), default=0)
    for number, place in enumerate(places, 1):
        hand = deal_card(hand, setup.game, f"pseudo {number}", place, 2 * number)
        if is_complete and number == hole:
            hand = sync_opening(replace(hand, phase="dealt", end_deal_seq=2 * number + 1), setup.game)
    return {conclusion.finding for conclusion in judge(hand, setup.game, book)}
