"""What did the dealer do? The explanations of what the readers heard, each with its probability.

The model and its symbols are in `deal_model.md`. The search goes card by card: a node is a beginning of an
explanation, with the density of its last card's time. The beginning that promises most goes on first, so that
a whole explanation is soon known; one whose sightings could at best bring it below a thousandth of that is
dropped. Only a card that some antenna heard is taken for a slip: what nobody heard lies where it is due. It
is a pure function of the window.
"""

from collections.abc import Sequence
from heapq import heappop, heappush

from shoe_bridge.table import rows, timing
from shoe_bridge.table.beginnings import Move, Node, Rest
from shoe_bridge.table.bounds import WRONG_PLACES, Bounds
from shoe_bridge.table.card_times import DRAWN, MOST_UNHEARD, PACE, CardTimes, Memo
from shoe_bridge.table.deal_model import MOST_SLIPS, DealModel
from shoe_bridge.table.hearing import Hearing
from shoe_bridge.table.layout import SEATS
from shoe_bridge.table.next_card import NextCard
from shoe_bridge.table.next_moves import NextMoves
from shoe_bridge.table.sighted import Sighted
from shoe_bridge.table.timing import Profile
from shoe_bridge.table.window import Density, Explanation, Stand, Step, Taken, Window

_LEAST_SHARE = 1e-3  # of the best whole explanation: what is below it by now can only fall further
_MOST_STEPS = 600  # of one search: no table waits for what promises least
_LEAST_BEGINNING = 1e-7  # of the best that has explained as much, while none is whole
_MOST_NODES = 16  # of as many slips that go on from the same sightings with as many cards
_AT_BEST = 0.6  # of the chance that a card comes and is heard as it was, per card
_FIRST = 1e30  # times the promise of what is tried first
_EXPECTED = 0.1  # of what was known: so probable is a read that leaves no room for other explanations
_STILL_POSSIBLE = 0.5  # of what was known: so probable is what it leaves possible
_NOT_POSSIBLE = 0.05  # slips that are less probable together are not looked for


def explain(
    window: Window,
    model: DealModel,
    memo: Memo | None = None,
    known: Sequence[Explanation] = (),
    others: int = 0,
) -> tuple[Explanation, ...]:
    """The explanations of `window`, the most probable first; empty where none is left, which means that the
    window holds more than two slips. `memo` makes further calls on a growing window faster. With `known` only
    these are weighed, by what is known now, and of all others those with fewer than `others` slips."""
    search = _Search(window, model, memo or Memo())
    if not known:
        return search.explain()
    for one in known:
        if one.slips >= others:
            search.weigh_anew(one)
    return search.explain(others - 1)


def explain_next(
    window: Window, model: DealModel, memo: Memo, known: Sequence[Explanation]
) -> tuple[Explanation, ...]:
    """The same of a window to which a last sighting was added: the `known` explanations of it as it was go on
    with that, or have the card where nobody had heard one. Empty where these expected something else, so that
    others may be as probable."""
    return _Search(window, model, memo).explain_next(known)


class _Search:
    def __init__(self, window: Window, model: DealModel, memo: Memo) -> None:
        self.window = window
        self.memo = memo
        self.dealer = dealer = model.dealer
        self.model = model
        self.often = dealer.likeliest_slip
        self.times = CardTimes(window, model, memo)
        in_hand = {due.place for due in window.plan}
        strange = frozenset(place for place in SEATS if place not in in_hand)
        self.sightings = window.sightings
        self.size = len(self.sightings)
        self.everything = (1 << self.size) - 1
        self.has_shoe = window.has_shoe or any(one.drawn_ns is not None for one in self.sightings)
        self.sighted = sighted = Sighted(window, model)
        self.shares = sighted.shares
        self.bounds = Bounds(
            window,
            dealer,
            sighted,
            strange,
            shortest=self.times.shortest,
            has_shoe=self.has_shoe,
        )
        self.next_card = NextCard(window, model, sighted, self.times, strange, self.has_shoe)
        self.moves = NextMoves(window, dealer, sighted, strange, has_shoe=self.has_shoe)
        self.hearing = Hearing(window, model.sensor, sighted, self.times)
        self.best: Node | None = None  # of the whole ones
        self.best_weight = 0.0
        self.least = 0.0  # what a whole one must weigh
        self.least_at = [0.0] * (self.size + 1)  # what those must weigh that have explained so many
        self.done: list[tuple[float, Node]] = []
        self.left_out = 0.0  # what those would weigh that there was no time for
        self.queue: list[tuple[float, int, Node, bool]] = []
        self.pushed = 0
        self.weighed: Node | None = None  # the best one when `is_enough` was found
        self.is_enough = False
        # a drawn card that nobody hears may lie at any empty seat
        self.most_nodes = _MOST_NODES + (2 * len(strange) if self.has_shoe else 0)
        self.numbers: dict[str | None, int] = {one.tag: n for n, one in enumerate(window.sightings)}
        self.presumed = [(card.place, self.numbers.get(card.tag, -1)) for card in window.presumed]
        self.is_on = False  # the presumed cards: what was tried last led on
        self.most_slips = MOST_SLIPS
        self.root = self._root()

    def _root(self) -> Node:
        window, timed = self.window, self.memo.begin(self.window, self.model)
        pointer, run, rest = window.pointer, self.moves.run_of(window.pointer - 1), self.bounds.rest(0)
        left = window.queue, window.deaf, window.habits
        root = Node(None, timed, 1.0, timed.total, 0, rest, (), (), pointer, 0, *left, run, 0, 1.0, PACE)
        root.is_presumed = True
        return root

    def explain(self, most_slips: int = MOST_SLIPS) -> tuple[Explanation, ...]:
        """With no slip, with one, with two, until one slip more cannot be worth its cost."""
        if most_slips >= 0 and self._goes_on(self.root):
            self.most_slips = most_slips
            self._push(self.root)
            self._explore()
        return self._rank()

    # -- what was known

    def weigh_anew(self, one: Explanation) -> None:
        """By what is known now."""
        node = self._again_as(one)
        if node is not None:
            self._settle(node)

    def explain_next(self, known: Sequence[Explanation]) -> tuple[Explanation, ...]:
        last, before, possible = self.size - 1, 0.0, 0.0
        for one in known:
            node = self._again_as(one)
            if node is not None:
                before += node.whole
                possible += one.probability
                self._push(node)
            for at, card in enumerate(one.cards):
                if card.tag is None and card.place in self.shares[last]:
                    node = self._again_as(one, at)
                    if node is not None:
                        self._settle(node)
        self._explore()
        after = 0.0
        for _, node in self.done:
            after += node.whole
        return self._rank() if after > before * _EXPECTED and possible > _STILL_POSSIBLE else ()

    def _again_as(self, one: Explanation, at: int = -1) -> Node | None:
        """A known explanation as a beginning, the card `at` being the last sighting; None where it cannot be
        true any more."""
        node = self.root
        if len(one.steps) != len(one.cards):
            return None
        for index, (card, step, stand) in enumerate(zip(one.cards, one.steps, one.stands, strict=True)):
            number = self.size - 1 if index == at else self.numbers.get(card.tag, -1)
            after = self._again_with(node, card.place, number, step, stand)
            if after is None:
                return None
            node = after
        if one.after != 1.0:
            return node.passing(one.pointer, one.after, one.slips, False, one.habits)
        return node

    def _again_with(self, node: Node, place: str, number: int, step: Step, stand: Stand) -> Node | None:
        missed = self.sighted.missed_at(place, node.places.count(place))
        used = node.used if number < 0 else node.used | 1 << number
        rest, hearing = self.bounds.rest(used), self.hearing
        cost, deaf = 1.0, node.deaf
        if number < 0 or place not in self.sighted.own[number]:
            silences = hearing.silences(node.deaf, place, missed)
            silence = next((one for one in silences if (place in one[2]) == step.is_deaf), None)
            if silence is None:
                return None
            missed, cost, deaf = silence
        elif step.is_deaf:
            return None
        share = 1.0
        if number < 0 or not self.sightings[number].heard:
            profile = hearing.silent(place, missed, number, rest.until)
        elif place in self.shares[number]:
            share, profile = hearing.as_heard(place, missed, number, rest)
        else:
            return None
        pointer, queue, habits = stand
        move = Move(place, step.cost, pointer, step.gap, step.run, step.slips, queue, habits)
        after = self._with_card(node, move, cost * share, profile, number, deaf, rest)
        return after if after.whole else None

    def _is_enough(self) -> bool:
        """Does the best explanation, without a slip, leave next to nothing to those with one? They pay for
        the slip and could at best hear each card in its first poll."""
        best, dealer = self.best, self.dealer
        if best is None or best.slips or self.window.is_complete:
            return False
        if self.weighed is not best:
            places = best.places
            cost = dealer.turned
            if len(set(places)) == len(places) and not set(places) & set(self.window.served[-1:]):
                # to have the same cards at the same places takes a skip of what is unheard, or another order
                each = dealer.swap + dealer.wrong / len(WRONG_PLACES)
                cost += best.unheard * dealer.skip + len(places) * each
            else:
                cost += len(places) * (1.0 - self.dealer.as_due)
            for _ in self.sightings:
                cost *= _AT_BEST
            self.weighed, self.is_enough = best, cost <= self.best_weight * _NOT_POSSIBLE
        return self.is_enough

    # -- what is tried next

    def _push(self, node: Node, is_to_err: bool = False) -> None:
        promise = node.whole * node.rest.guess
        if is_to_err:
            promise *= self.often
        if node.is_presumed and self.best is None and not (is_to_err and self.is_on):
            promise *= _FIRST  # what a whole explanation weighs should be known as early as can be
        self.is_on = self.is_on or node.is_presumed
        self.pushed += 1
        heappush(self.queue, (-promise, self.pushed, node, is_to_err))

    def _explore(self) -> None:
        """All that is worth it, what promises most first. Two slips are no explanation where none is the best
        one."""
        queue, count, put_off = self.queue, dict[tuple[int, int], int](), list[Node]()
        left = _MOST_STEPS
        while queue or put_off:
            if not queue:
                if self.best is None or not self.best.slips:
                    return
                for node in put_off:
                    self._push(node, is_to_err=True)
                put_off.clear()
            left -= 1
            if left < 0 and (self.best is not None or left < -3 * _MOST_STEPS):
                self._leave_out()
                return
            _, _, node, is_to_err = heappop(queue)
            best, slips = self.best, node.slips
            if self._is_hopeless(node, is_to_err):
                continue
            if not is_to_err:
                group = (node.used, len(node.places))
                count[group] = count.get(group, 0) + (not node.is_passing)
                if count[group] <= self.most_nodes:
                    self.is_on = False
                    self._go_on(node)
                    least = self.least / node.rest.most
                    if slips < self.most_slips and not node.queue and node.whole * self.often > least:
                        self._push(node, is_to_err=True)
            elif slips and best is not None and not best.slips:
                put_off.append(node)
            elif not self._is_enough():
                self._err(node)

    def _leave_out(self) -> None:
        """There is no time for what is left: what it would come to as a rule counts against what is found."""
        for _, _, node, is_to_err in self.queue:
            if not self._is_hopeless(node, is_to_err):
                self.left_out += node.whole * node.rest.guess * (self.often if is_to_err else 1.0)

    def _is_hopeless(self, node: Node, is_to_err: bool) -> bool:
        """Can it come to nothing any more that counts?"""
        rest, whole = node.rest, node.whole
        slip = self.often if is_to_err else 1.0
        least = self.least / rest.most
        if whole * slip <= least or whole * slip <= self.least_at[rest.known]:
            return True
        best = self.bounds.at_best(node, least / whole)  # with the slip that it takes, if it takes one
        return whole * min(slip, best) <= least

    def _rank(self) -> tuple[Explanation, ...]:
        found = [entry for entry in self.done if entry[0] > self.least]
        found.sort(key=lambda entry: entry[0], reverse=True)
        whole = rows.total([*[weight for weight, _ in found], self.left_out])
        return tuple(
            self._told(node, weight / whole, is_best=rank == 0) for rank, (weight, node) in enumerate(found)
        )

    def _told(self, node: Node, probability: float, is_best: bool) -> Explanation:
        chain: list[Node] = []
        tags = [*[sighting.tag for sighting in self.sightings], None]  # the last one for -1
        cards = [Taken(place, tags[number]) for place, number in zip(node.places, node.numbers, strict=True)]
        step: Node | None = node
        while step is not None and step.places:
            if not chain or len(step.places) < len(chain[-1].places):
                chain.append(step)
            step = step.parent
        chain.reverse()
        times = []
        if is_best:
            for one in chain:
                start, mass = timing.trimmed((one.timed.start, one.timed.mass or ()))
                times.append(Density(start, tuple(mass)))
        return Explanation(
            probability,
            tuple(cards),
            node.pointer,
            node.slips,
            node.deaf,
            node.habits,
            tuple([Stand(one.pointer, one.queue, one.habits) for one in chain]),
            tuple(times),
            tuple([_step_of(one) for one in chain]),
            node.passed,
        )

    # -- what the dealer does next

    def _goes_on(self, node: Node) -> bool:
        """Is there anything left to explain?"""
        if node.used != self.everything:
            return True
        return self.window.is_complete and (node.pointer < self.window.deal_size or bool(node.queue))

    def _go_on(self, node: Node) -> None:
        """Without a further slip."""
        self._take(node, self.moves.as_due(node))

    def _err(self, node: Node) -> None:
        """All that the dealer may do wrong now, where it is worth it."""
        least = self.least / (node.rest.most * node.whole)
        may_cost = least
        if node.used != self.everything:
            may_cost = max(least, self.least_at[node.rest.known + 1] / node.whole)
        self._take(node, self.moves.slips(node, least, may_cost))

    def _take(self, node: Node, ways: list[Move | Node]) -> None:
        for way in ways:
            if isinstance(way, Move):
                self._serve(node, way)
                continue
            self._settle(way)
            if self._goes_on(way):
                self._push(way)

    # -- who hears it

    def _serve(self, node: Node, move: Move) -> None:
        """A card goes to a place: each tag that it can be, and where it was due also none."""
        place = move.place
        missed = self.sighted.missed_at(place, node.places.count(place))
        numbers = self.sighted.candidates.get(place, [])
        if self.has_shoe:
            following = node.rest.known
            if following < self.size and not self.sightings[following].heard:
                self._unheard(node, move, missed, following)
                return
            numbers = [following] if following in numbers else []
        reach = node.rest.most * node.whole * move.cost
        least = self.least / reach if reach else 1.0
        for number in numbers:
            if not node.used >> number & 1 and self.shares[number][place] > least:
                self._heard(node, move, missed, number)
        if move.may_be_unheard and not self.has_shoe and node.unheard < MOST_UNHEARD:
            self._unheard(node, move, missed, -1)

    def _heard(self, node: Node, move: Move, missed: float, number: int) -> None:
        """The card is this tag: heard there, or only by the antennas of neighbours."""
        used = node.used | 1 << number
        rest, place = self.bounds.rest(used), move.place
        least = self._least_chance(node, move, rest)
        if place in self.sighted.own[number]:
            share, profile = self.hearing.as_heard(place, missed, number, rest)
            if share * profile.top > least:
                self._add(self._with_card(node, move, share, profile, number, node.deaf, rest))
            return
        for its_missed, cost, deaf in self.hearing.silences(node.deaf, place, missed):
            if cost > least:
                share, profile = self.hearing.as_heard(place, its_missed, number, rest)
                if cost * share * profile.top > least:
                    self._add(self._with_card(node, move, cost * share, profile, number, deaf, rest))

    def _unheard(self, node: Node, move: Move, missed: float, number: int) -> None:
        """No antenna has heard the card."""
        used = node.used if number < 0 else node.used | 1 << number
        rest = self.bounds.rest(used)
        least = self._least_chance(node, move, rest)
        for its_missed, cost, deaf in self.hearing.silences(node.deaf, move.place, missed):
            if cost > least:
                profile = self.hearing.silent(move.place, its_missed, number, rest.until)
                if cost * profile.top > least:
                    self._add(self._with_card(node, move, cost, profile, number, deaf, rest))

    def _least_chance(self, node: Node, move: Move, rest: Rest) -> float:
        """How probable the reads of the next card must be at least, for the beginning to be worth it."""
        by_best, by_beginning = self.least / rest.most, self.least_at[rest.known]
        reach = node.whole * move.cost
        return (by_best if by_best > by_beginning else by_beginning) / reach if reach else 1.0

    def _add(self, new: Node) -> None:
        """A beginning with one card more, if it is worth it."""
        node, rest = new.parent, new.rest
        assert node is not None
        whole, by_beginning = new.whole, self.least_at[rest.known]
        if whole <= by_beginning or whole * rest.most <= self.least:
            return
        if whole * _LEAST_BEGINNING > by_beginning:
            self.least_at[rest.known] = whole * _LEAST_BEGINNING
        if node.is_presumed:
            at, presumed = len(node.places), self.presumed
            card = new.places[-1], new.numbers[-1]
            new.is_presumed = presumed[at] == card if at < len(presumed) else card[1] >= 0
        if new.used == self.everything:
            self._settle(new)
            if not self._goes_on(new):
                return
        self._push(new)

    def _with_card(
        self,
        node: Node,
        move: Move,
        share: float,
        profile: Profile,
        number: int,
        deaf: tuple[str, ...],
        rest: Rest,
    ) -> Node:
        """The beginning `node` with the card of `move`, which is the sighting `number`."""
        timed = self.times.timed(node.timed, move.gap if profile.drawn_ns is None else DRAWN, profile)
        weight = node.weight * share * move.cost
        return Node(
            node,
            timed,
            weight,
            weight * timed.total,
            rest.used,
            rest,
            (*node.places, move.place),
            (*node.numbers, number),
            move.pointer,
            move.slips,
            move.queue,
            deaf,
            move.habits,
            move.run,
            node.unheard + (number < 0),
            move.cost,
            move.gap,
        )

    def _settle(self, node: Node) -> None:
        """An explanation is whole when it explains all that was heard, and the deal that was called
        complete."""
        if node.used != self.everything:
            return
        if self.window.is_complete:
            if node.queue or node.pointer < self.window.deal_size:
                return
        elif node.numbers and node.numbers[-1] < 0:
            return
        weight = node.weight * node.timed.total * (self.next_card.unheard(node) / self.next_card.most)
        self.done.append((weight, node))
        if weight > self.best_weight:
            self.best, self.best_weight, self.least = node, weight, weight * _LEAST_SHARE
            self.bounds.show(node)


def _step_of(node: Node) -> Step:
    before = node.parent
    passed = 1.0 if before is None else before.passed
    return Step(node.cost * passed, node.gap, node.run, node.slips, node.places[-1] in node.deaf)
