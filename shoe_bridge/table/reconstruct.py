"""What did the dealer do? The explanations of what the readers heard, each with its probability.

The model and its symbols are in `deal_model.md`. The search goes card by card: a node is a beginning of an
explanation, with the density of its last card's time; nodes that have explained as much are compared, and
those below a millionth of the best are dropped. Only a card that some antenna heard is taken for a slip:
what nobody heard lies where it is due. It is a pure function of the window.
"""

from typing import NamedTuple

from shoe_bridge.table import timing
from shoe_bridge.table.deal_model import MOST_SLIPS, DealModel
from shoe_bridge.table.hand import BOARD, BURN
from shoe_bridge.table.layout import SEATS
from shoe_bridge.table.timing import Cells
from shoe_bridge.table.window import Density, Due, Explanation, Sighting, Taken, Window

_LEAST_SHARE = 1e-3  # of the best whole explanation: what is below it by now can only fall further
_LEAST_BEGINNING = 1e-7  # of the best that has explained as much, while none is whole
_MOST_NODES = 16  # kept among those that have explained the same
_AT_BEST = 0.6  # of the chance that a card comes and is heard as it was, per card
_NOT_POSSIBLE = 0.05  # slips that are less probable together are not looked for
_MOST_UNHEARD = 8  # cards in one explanation
_WRONG_PLACES = frozenset((*SEATS, BOARD, BURN))
PACE, OPEN, TOGETHER, NONE = "pace", "open", "together", "none"
_MOST_TIMES = 20_000  # in a memo


def explain(window: Window, model: DealModel, memo: "Memo | None" = None) -> tuple[Explanation, ...]:
    """The explanations of `window`, the most probable first; empty where none is left, which means that the
    window holds more than two slips. `memo` makes further calls on a growing window faster."""
    return _Search(window, model, memo or Memo()).explain()


class _Move(NamedTuple):
    """One way to go on: a card to `place`. `may_be_unheard`: it is due there, so nobody need have heard
    it."""

    place: str
    cost: float
    pointer: int
    gap: str
    run: int
    slips: int
    queue: tuple[str, ...] = ()
    habits: tuple[str, ...] = ()
    may_be_unheard: bool = False


class _Timed:
    """When a card came: `cells` sum to the chance `mass` of all that was heard so far, but for what was
    trimmed, `sums` are the sums below them. `cells` None: no card came before."""

    __slots__ = ("cells", "mass", "number", "sums")

    def __init__(self, number: int, cells: Cells | None, mass: float) -> None:
        self.number = number
        self.cells = cells
        self.mass = mass
        self.sums = timing.sums_of(cells[1]) if cells is not None else [0.0]


class Memo:
    """Times that were worked out before. Explaining a window that has grown by one read goes over the same
    beginnings again; with a memo each is worked out once. It changes no result."""

    def __init__(self) -> None:
        self.times: dict[object, _Timed] = {}
        self._of: tuple[Density | None, DealModel] | None = None

    def begin(self, window: Window, model: DealModel) -> _Timed:
        """The time of the card before the window."""
        anchor = window.anchor
        if self._of != (anchor, model) or len(self.times) > _MOST_TIMES:
            self.times.clear()
            self._of = (anchor, model)
            cells = None if anchor is None else (anchor.start, anchor.mass)
            self.times[None] = _Timed(0, cells, 1.0 if anchor is None else timing.total(anchor.mass))
        return self.times[None]

    def add(self, key: object, cells: Cells) -> _Timed:
        timed = _Timed(len(self.times), timing.trimmed(cells), timing.total(cells[1]))
        self.times[key] = timed
        return timed


class _Node:
    """A beginning. `pointer` counts the plan's entries that are passed; `queue` are places still due in a
    swap or a turned pass; `used` has a bit per sighting; `weight` are all costs, `timed` says when the last
    card came and with it how probable all times are."""

    __slots__ = (
        "cards",
        "deaf",
        "habits",
        "is_reopened",
        "parent",
        "pointer",
        "queue",
        "run",
        "slips",
        "timed",
        "unheard",
        "used",
        "weight",
    )

    def __init__(self, pointer: int, timed: _Timed) -> None:
        self.pointer = pointer
        self.timed = timed
        self.weight = 1.0
        self.parent: _Node | None = None
        self.used = 0
        self.cards: tuple[tuple[str, int], ...] = ()
        self.slips = 0
        self.queue: tuple[str, ...] = ()
        self.deaf: tuple[str, ...] = ()
        self.habits: tuple[str, ...] = ()
        self.run = -1
        self.unheard = 0
        self.is_reopened = False

    def passing(self, pointer: int, cost: float, slips: int, is_reopened: bool) -> "_Node":
        """The same cards, with the dealer further on."""
        node = _Node(pointer, self.timed)
        node.weight = self.weight * cost
        node.parent = self.parent
        node.used = self.used
        node.cards = self.cards
        node.slips = slips
        node.deaf = self.deaf
        node.habits = self.habits
        node.run = self.run
        node.unheard = self.unheard
        node.is_reopened = is_reopened
        return node

    def serving(
        self, move: _Move, weight: float, timed: _Timed, number: int, deaf: tuple[str, ...]
    ) -> "_Node":
        """With one more card: sighting `number`, -1 for one that is unheard."""
        node = _Node(move.pointer, timed)
        node.weight = weight
        node.parent = self
        node.used = self.used if number < 0 else self.used | 1 << number
        node.cards = (*self.cards, (move.place, number))
        node.slips = move.slips
        node.queue = move.queue
        node.deaf = deaf
        node.habits = move.habits
        node.run = move.run
        node.unheard = self.unheard + (number < 0)
        return node


class _Search:
    def __init__(self, window: Window, model: DealModel, memo: Memo) -> None:
        self.window = window
        self.memo = memo
        self.dealer = dealer = model.dealer
        self.model = model
        self.sensor = model.sensor
        self.neighbours = model.neighbours
        self.flat = model.flat
        self.as_due = 1.0 - (
            dealer.skip
            + dealer.extra
            + dealer.stuck
            + dealer.wrong
            + dealer.swap
            + dealer.turned
            + dealer.short
            + dealer.dealt_in
            + dealer.early
        )
        in_hand = {due.place for due in window.plan}
        self.strange = frozenset(place for place in SEATS if place not in in_hand)
        self.early = _early_streets(window)
        self.sightings = window.sightings
        self.size = len(self.sightings)
        self.everything = (1 << self.size) - 1
        self.has_shoe = window.has_shoe or any(one.drawn_ns is not None for one in self.sightings)
        self.candidates: dict[str, list[int]] = {}  # which sightings can be a card at a place
        self.was_heard = {heard.place for sighting in self.sightings for heard in sighting.heard}
        self.was_heard.update(window.phases)
        self.strayed = [self._strayed(sighting) for sighting in self.sightings]
        for number, places in enumerate(self.strayed):
            for place in places:
                self.candidates.setdefault(place, []).append(number)
        self.depths: dict[str, int] = {}
        for place in window.served:
            self.depths[place] = self.depths.get(place, 0) + 1
        self.most_slips = 0
        self.best: _Node | None = None  # of the whole ones
        self.best_weight = 0.0
        self.best_at = [0.0] * (self.size + 1)  # the best weight of those that have explained so many
        self.done: list[tuple[float, _Node]] = []
        self.new: list[tuple[float, _Node]] = []

    def _strayed(self, sighting: Sighting) -> dict[str, float]:
        """Where the card can lie, and how probable its reads at other places are then, as a share of the most
        probable: what all places have in common must not count against those that have used the sighting."""
        places = dict.fromkeys((heard.place for heard in sighting.heard), 1.0)
        for heard in sighting.heard:
            if heard.reads <= 2:  # three reads are no cross read
                places.update(dict.fromkeys(self.neighbours.get(heard.place, ()), 1.0))
        for place in places:
            near = self.neighbours.get(place, ())
            for heard in sighting.heard:
                if heard.place != place:
                    chance = self.sensor.cross / len(near) if heard.place in near else self.sensor.ghost
                    for _ in range(heard.reads):
                        places[place] *= chance
                elif heard.is_gone:
                    places[place] *= self.sensor.missed_at(1) * self.sensor.missed_at(1)
        most = max(places.values(), default=1.0)
        return {place: chance / most for place, chance in places.items()}

    def explain(self) -> tuple[Explanation, ...]:
        """With no slip, with one, with two, until one slip more cannot be worth its cost."""
        root = _Node(self.window.pointer, self.memo.begin(self.window, self.model))
        root.deaf, root.habits, root.queue = self.window.deaf, self.window.habits, self.window.queue
        root.run = self._run_of(root.pointer - 1)
        for self.most_slips in range(MOST_SLIPS + 1):
            if self.best is not None and (self.best.slips < self.most_slips - 1 or self._is_enough()):
                break
            self.done.clear()
            self.best_at = [0.0] * (self.size + 1)
            nodes = [root]
            while nodes:
                self.new = []
                for node in nodes:
                    self._go_on(node)
                nodes = self._keep()
        return self._rank()

    def _is_enough(self) -> bool:
        """Does the best explanation without a slip leave next to nothing to those with one? They pay for
        the slip and could at best hear each card in its first poll."""
        best, dealer = self.best, self.dealer
        if best is None or self.most_slips != 1 or self.window.is_complete:
            return False
        places = [place for place, _ in best.cards]
        cost = dealer.turned
        if len(set(places)) == len(places) and not set(places) & set(self.window.served[-1:]):
            # to have the same cards at the same places takes a skip of what is unheard, or another order
            each = dealer.swap + dealer.wrong / len(_WRONG_PLACES)
            cost += best.unheard * dealer.skip + len(places) * each
        else:
            cost += len(places) * (1.0 - self.as_due)
        for _ in self.sightings:
            cost *= _AT_BEST
        return cost <= self.best_weight * _NOT_POSSIBLE

    def _keep(self) -> list[_Node]:
        """The nodes that are worth going on with."""
        groups: dict[int, list[tuple[float, _Node]]] = {}
        for weight, node in self.new:
            if weight > self._least(node.used):
                groups.setdefault(node.used, []).append((weight, node))
        kept = []
        for group in groups.values():
            group.sort(key=lambda entry: entry[0], reverse=True)
            kept += [node for _, node in group[:_MOST_NODES]]
        return kept

    def _least(self, used: int) -> float:
        return self._least_at(used.bit_count())

    def _least_at(self, known: int) -> float:
        """What a beginning must weigh that explains so many sightings."""
        by_beginning, by_best = self.best_at[known] * _LEAST_BEGINNING, self.best_weight * _LEAST_SHARE
        return by_beginning if by_beginning > by_best else by_best

    def _rank(self) -> tuple[Explanation, ...]:
        found = [entry for entry in self.done if entry[0] > self.best_weight * _LEAST_SHARE]
        found.sort(key=lambda entry: entry[0], reverse=True)
        whole = timing.total([weight for weight, _ in found])
        return tuple(
            self._told(node, weight / whole, is_best=rank == 0) for rank, (weight, node) in enumerate(found)
        )

    def _told(self, node: _Node, probability: float, is_best: bool) -> Explanation:
        chain: list[_Node] = []
        step: _Node | None = node
        while step is not None and step.cards:
            if not chain or len(step.cards) < len(chain[-1].cards):
                chain.append(step)
            step = step.parent
        chain.reverse()
        times = [one.timed.cells for one in chain if one.timed.cells is not None] if is_best else []
        return Explanation(
            probability,
            tuple([Taken(place, self.sightings[n].tag if n >= 0 else None) for place, n in node.cards]),
            node.pointer,
            node.slips,
            node.deaf,
            node.habits,
            tuple([(one.pointer, one.queue) for one in chain]),
            tuple([Density(start, tuple(mass)) for start, mass in times]),
        )

    # -- what the dealer does next

    def _go_on(self, node: _Node) -> None:
        window = self.window
        is_in_deal = node.pointer < window.deal_size and not node.queue
        if window.is_complete and is_in_deal and node.slips < self.most_slips:
            stopped = node.passing(window.deal_size, self.dealer.short, node.slips + 1, True)
            self._settle(stopped)
            if node.used != self.everything:
                self._cards_after(stopped)
        if node.used != self.everything or (window.is_complete and (is_in_deal or node.queue)):
            self._cards_after(node)

    def _cards_after(self, node: _Node) -> None:
        plan, pointer = self.window.plan, node.pointer
        if node.queue:
            due, queue = node.queue[0], node.queue[1:]
            as_due = self.as_due
            self._serve(
                node, _Move(due, as_due, pointer, PACE, node.run, node.slips, queue, node.habits, True)
            )
            return
        entry = plan[pointer] if pointer < len(plan) else None
        if entry is not None and pointer in self.early:
            if node.slips < self.most_slips:
                self._serve(node, self._move(node, entry, entry.place, self.dealer.early, 1, 1))
        elif entry is not None:
            self._serve(node, self._move(node, entry, entry.place, self.as_due, 1, may_be_unheard=True))
            if entry.place in node.habits:
                self._skip(node, entry, self.dealer.again, node.slips)
        for place in node.habits:
            if place in self.strange and place != self._last_place(node) and entry is not None:
                self._serve(node, self._move(node, entry, place, self.dealer.again, 0))
        if node.slips < self.most_slips:
            self._slip(node, entry)

    def _move(
        self,
        node: _Node,
        entry: Due,
        place: str,
        cost: float,
        passed: int,
        slips: int = 0,
        queue: tuple[str, ...] = (),
        habit: str | None = None,
        may_be_unheard: bool = False,
    ) -> _Move:
        """A card to `place` where `entry` is due; `passed` entries of the plan are behind it then."""
        habits = node.habits if habit is None else (*node.habits, habit)
        gap, pointer = self._gap_before(node, entry), node.pointer + passed
        if passed == 0 and node.timed.cells is not None:
            gap = PACE  # a card too many comes with the cards before it
        return _Move(place, cost, pointer, gap, entry.run, node.slips + slips, queue, habits, may_be_unheard)

    def _slip(self, node: _Node, entry: Due | None) -> None:
        """All that the dealer may do wrong now. Only cards that were heard somewhere are taken for slips."""
        dealer = self.dealer
        weight = node.weight * node.timed.mass
        if node.used != self.everything:
            may_cost = self._least_at(node.used.bit_count() + 1) / weight
            open_places = self._open_places(node)
            last = self._last_place(node)
            if last in open_places and dealer.stuck > may_cost:
                self._again(node, last)
            if entry is not None:
                self._card_astray(node, entry, open_places, last, may_cost)
                self._other_order(node, entry, open_places, may_cost)
        is_new = entry is not None and entry.place not in node.habits
        if entry is not None and is_new and weight * dealer.skip > self._least_at(node.used.bit_count()):
            self._skip(node, entry, dealer.skip, node.slips + 1)

    def _again(self, node: _Node, last: str) -> None:
        """The place served last gets another card, after a gap or at once."""
        run = node.run if node.cards else self._run_of(node.pointer - 1)
        for cost, gap in ((self.dealer.extra, PACE), (self.dealer.stuck, NONE)):
            when = OPEN if node.timed.cells is None else gap
            self._serve(node, _Move(last, cost, node.pointer, when, run, node.slips + 1, (), node.habits))

    def _card_astray(
        self, node: _Node, entry: Due, open_places: list[str], last: str | None, may_cost: float
    ) -> None:
        dealer = self.dealer
        wrong = dealer.wrong / (len(_WRONG_PLACES) - 1)
        if wrong > may_cost:
            for place in open_places:
                if place != entry.place and place in _WRONG_PLACES:
                    self._serve(node, self._move(node, entry, place, wrong, 1, 1))
        is_in_pass = entry.is_of_pass or self._is_pass_over(node)
        if not is_in_pass or not self.strange or dealer.dealt_in / len(self.strange) <= may_cost:
            return
        for place in open_places:
            if place in self.strange and place not in node.habits and place != last:
                cost = dealer.dealt_in / len(self.strange)
                self._serve(node, self._move(node, entry, place, cost, 0, 1, habit=place))

    def _is_pass_over(self, node: _Node) -> bool:
        """A pass lasts until the first card of the street after it."""
        plan, behind = self.window.plan, node.pointer - 1
        return 0 <= behind < len(plan) and plan[behind].is_of_pass

    def _other_order(self, node: _Node, entry: Due, open_places: list[str], may_cost: float) -> None:
        plan, dealer = self.window.plan, self.dealer
        then = plan[node.pointer + 1] if node.pointer + 1 < len(plan) else None
        is_swap = then is not None and then.run == entry.run and then.place != entry.place
        if then is not None and is_swap and then.place in open_places and dealer.swap > may_cost:
            self._serve(node, self._move(node, entry, then.place, dealer.swap, 2, 1, (entry.place,)))
        passed = entry.pass_places
        if len(passed) < 2 or dealer.turned / (len(passed) - 1) <= may_cost:
            return
        for first in range(1, len(passed)):
            if passed[first] in open_places:
                turned = passed[first:] + passed[:first]
                cost = dealer.turned / (len(passed) - 1)
                self._serve(node, self._move(node, entry, turned[0], cost, len(passed), 1, turned[1:]))

    def _skip(self, node: _Node, entry: Due, cost: float, slips: int) -> None:
        is_reopened = entry.is_open or (node.is_reopened and entry.run == self._run_of(node.pointer - 1))
        skipped = node.passing(node.pointer + 1, cost, slips, is_reopened)
        if entry.is_of_pass and entry.place not in node.habits:
            skipped.habits = (*node.habits, entry.place)
        self._settle(skipped)
        if node.used != self.everything or skipped.pointer < self.window.deal_size:
            self._cards_after(skipped)

    def _open_places(self, node: _Node) -> list[str]:
        """Where a tag that is not explained yet can lie."""
        used = node.used
        return [
            place
            for place, numbers in self.candidates.items()
            if any(not used >> number & 1 for number in numbers)
        ]

    def _run_of(self, pointer: int) -> int:
        plan = self.window.plan
        return plan[pointer].run if 0 <= pointer < len(plan) else -1

    def _gap_before(self, node: _Node, entry: Due) -> str:
        if entry.is_open or node.is_reopened or node.timed.cells is None:
            return OPEN
        run = node.run if node.cards else self._run_of(self.window.pointer - 1)
        return TOGETHER if entry.place == BOARD == self._last_place(node) and run == entry.run else PACE

    def _last_place(self, node: _Node) -> str | None:
        if node.cards:
            return node.cards[-1][0]
        return self.window.served[-1] if self.window.served else None

    # -- who hears it

    def _serve(self, node: _Node, move: _Move) -> None:
        """A card goes to a place: each tag that it can be, and where it was due also none."""
        place = move.place
        depth = 1
        if place not in self.flat:
            depth += self.depths.get(place, 0)
            for served, _ in node.cards:
                depth += served == place
        missed = self.sensor.missed_at(depth)
        numbers = self.candidates.get(place, [])
        if self.has_shoe:
            following = node.used.bit_count()
            if following < self.size and not self.sightings[following].heard:
                self._unheard(node, move, missed, following)
                return
            numbers = [following] if following in numbers else []
        if place not in node.deaf:
            for number in numbers:
                if not node.used >> number & 1:
                    self._heard(node, move, missed, number)
        if move.may_be_unheard and not self.has_shoe and node.unheard < _MOST_UNHEARD:
            self._unheard(node, move, missed, -1)

    def _heard(self, node: _Node, move: _Move, missed: float, number: int) -> None:
        """The card is this tag."""
        sighting, place = self.sightings[number], move.place
        own = next((heard for heard in sighting.heard if heard.place == place), None)
        weight = node.weight * move.cost * self.strayed[number][place]
        if own is not None:
            for _ in range(own.reads - 1):
                weight *= 1.0 - missed
            if own.is_gone:
                deeper = missed / self.sensor.missed_at(1)
                weight *= deeper * deeper
        if weight * node.timed.mass <= self._least(node.used | 1 << number):
            return
        first_ns = None if own is None else own.first_ns
        earliest = sighting.heard[0]  # a card that was heard anywhere had come by then
        cut_ns = None if earliest is own else earliest.first_ns
        timed = self._timed(node, move, missed, sighting, first_ns, cut_ns)
        self._add(node, move, weight, timed, number, node.deaf)

    def _unheard(self, node: _Node, move: _Move, missed: float, number: int) -> None:
        """No antenna has heard the card: missed until now, dead, or the antenna is deaf."""
        used = node.used if number < 0 else node.used | 1 << number
        sighting = None if number < 0 else self.sightings[number]
        weight, place = node.weight * move.cost, move.place
        if weight * node.timed.mass <= self._least(used):
            return
        is_deaf = place in node.deaf
        if not is_deaf:
            self._add(node, move, weight, self._timed(node, move, missed, sighting), number, node.deaf)
        if is_deaf or place not in self.was_heard:
            deaf = node.deaf if is_deaf else (*node.deaf, place)
            weight = weight if is_deaf else weight * self.sensor.deaf
            self._add(node, move, weight, self._timed(node, move, 1.0, sighting), number, deaf)

    # -- when it came

    def _timed(
        self,
        node: _Node,
        move: _Move,
        missed: float,
        sighting: Sighting | None,
        first_ns: int | None = None,
        cut_ns: int | None = None,
    ) -> _Timed:
        """When the card came and how probable what was heard of it is: first read at its place at `first_ns`,
        None: not until now. It was heard elsewhere at `cut_ns`, so it had come by then."""
        is_heard = first_ns is not None
        window = self.window
        drawn_ns = None if sighting is None else sighting.drawn_ns
        phase_ns = None if is_heard else window.phases.get(move.place)
        until_ns = None if is_heard else window.now_ns
        key = (node.timed.number, move.gap, missed, first_ns, until_ns, phase_ns, drawn_ns, cut_ns)
        known = self.memo.times.get(key)
        if known is None:
            if first_ns is not None:
                read = timing.first_read(first_ns, self.sensor.cycle_ns, missed)
            else:
                read = self._silence(missed, phase_ns)
            cells = self._time_of(node.timed, move.gap, read, drawn_ns)
            if cut_ns is not None:
                cells = _cut(cells, cut_ns)
            known = self.memo.add(key, cells)
        return known

    def _silence(self, missed: float, phase_ns: int | None) -> Cells:
        window, sensor = self.window, self.sensor
        if missed >= 1.0:
            return window.now_ns // timing.CELL_NS, (1.0,)
        return timing.unheard(window.now_ns, phase_ns, sensor.cycle_ns, missed, sensor.dead)

    def _time_of(self, before: _Timed, gap: str, read: Cells, drawn_ns: int | None) -> Cells:
        """When the card came, given what was heard."""
        if drawn_ns is not None:
            came = timing.between(drawn_ns, drawn_ns + self.dealer.pace_ns[1])
            return timing.product(came, _reaching_back(read, came[0]))
        if gap == OPEN or before.cells is None:
            return timing.product(timing.any_time(before.cells, read), read)
        start, mass = before.cells
        if gap == NONE:
            return timing.product(before.cells, _reaching_back(read, start))
        if not mass:
            return start, ()
        dealer, read = self.dealer, _reaching_back(read, start)
        if gap == TOGETHER:
            return timing.after_gap(start, before.sums, read, (0, dealer.pace_ns[1]), 0.0, 0)
        return timing.after_gap(start, before.sums, read, dealer.pace_ns, dealer.pause, dealer.longest_ns)

    def _add(
        self, node: _Node, move: _Move, weight: float, timed: _Timed, number: int, deaf: tuple[str, ...]
    ) -> None:
        used = node.used if number < 0 else node.used | 1 << number
        whole = weight * timed.mass
        if whole <= self._least(used):
            return
        new = node.serving(move, weight, timed, number, deaf)
        known = used.bit_count()
        self.best_at[known] = max(self.best_at[known], whole)
        self._settle(new)
        self.new.append((whole, new))

    def _settle(self, node: _Node) -> None:
        """An explanation is whole when it explains all that was heard, and the deal that was called
        complete."""
        if node.used != self.everything:
            return
        if self.window.is_complete:
            if node.queue or node.pointer < self.window.deal_size:
                return
        elif node.cards and node.cards[-1][1] < 0:
            return
        weight = node.weight * node.timed.mass
        self.done.append((weight, node))
        if weight > self.best_weight:
            self.best, self.best_weight = node, weight


def _early_streets(window: Window) -> frozenset[int]:
    """The entries of the plan that begin a street before its betting round was closed."""
    if window.streets is None:
        return frozenset()
    opening = [
        index
        for index, due in enumerate(window.plan)
        if index >= window.pointer and due.is_open and not due.is_of_pass
    ]
    return frozenset(opening[window.streets :])


def _cut(cells: Cells, until_ns: int) -> Cells:
    """Only up to a time."""
    start, mass = cells
    return start, mass[: max(0, until_ns // timing.CELL_NS + 1 - start)]


def _reaching_back(read: Cells, start: int) -> Cells:
    """A profile that begins at `start` at the latest: before its first cell it is as in it."""
    first, mass = read
    if first <= start or not mass:
        return read
    return start, [mass[0]] * (first - start) + list(mass)
