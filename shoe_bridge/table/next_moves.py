"""What the dealer may do next: cards that go where they are due, cards that do not, and entries of the plan
that are passed without one. The symbols are those of `deal_model.md`.
"""

from shoe_bridge.table.beginnings import Move, Node
from shoe_bridge.table.bounds import WRONG_PLACES
from shoe_bridge.table.card_times import AGAIN, OPEN, PACE, TOGETHER
from shoe_bridge.table.deal_model import DealerModel
from shoe_bridge.table.hand import BOARD, BURN
from shoe_bridge.table.layout import SEATS, seat_of
from shoe_bridge.table.sighted import Sighted
from shoe_bridge.table.window import Due, Window


class NextMoves:
    """In one window. `strange` are the seats that are not in the hand. With `has_shoe` the sightings are in
    the order of the draws. Each way to go on is a move, or where no card is dealt, the same beginning further
    on."""

    def __init__(
        self,
        window: Window,
        dealer: DealerModel,
        sighted: Sighted,
        strange: frozenset[str],
        *,
        has_shoe: bool,
    ) -> None:
        self.window = window
        self.dealer = dealer
        self.shares = sighted.shares
        self.strange = strange
        self.has_shoe = has_shoe
        self.early = _early_streets(window)
        self.everything = (1 << len(window.sightings)) - 1
        self._as_due = dealer.as_due

    def as_due(self, node: Node) -> list[Move | Node]:
        """Without a further slip."""
        plan, pointer = self.window.plan, node.pointer
        if node.queue:
            due, queue = node.queue[0], node.queue[1:]
            return [Move(due, self._as_due, pointer, PACE, node.run, node.slips, queue, node.habits, True)]
        if pointer >= len(plan):
            return []
        entry, ways = plan[pointer], list[Move | Node]()
        if pointer not in self.early:
            ways.append(self._move(node, entry, entry.place, self._as_due, 1, may_be_unheard=True))
            if entry.place in node.habits:
                ways.append(self._skip(node, entry, self.dealer.again, node.slips))
        for place in node.habits:
            if place in self.strange and self._comes_between(node, place, entry):
                ways.append(self._move(node, entry, place, self.dealer.again, 0))
        return ways

    def slips(self, node: Node, least: float, may_cost: float) -> list[Move | Node]:
        """All that may be done wrong now: a slip that is worth less than `least`, or where it puts a card
        than `may_cost`, is left out. Only cards that were heard somewhere are taken for slips, or of which a
        shoe told: these for such as put them where others are due or were dealt."""
        dealer, window, ways = self.dealer, self.window, list[Move | Node]()
        entry = window.plan[node.pointer] if node.pointer < len(window.plan) else None
        if window.is_complete and node.pointer < window.deal_size and not node.is_passing:
            ways.append(node.passing(window.deal_size, dealer.short, node.slips + 1, True, node.habits))
        if entry is not None and node.pointer in self.early:
            ways.append(self._move(node, entry, entry.place, dealer.early, 1, 1, may_be_unheard=True))
        if node.used != self.everything:
            open_places = self._open_places(node, may_cost)
            last = self._last_place(node)
            if self.has_shoe and not self.window.sightings[node.rest.known].heard:
                open_places.update(dict.fromkeys(self._may_lie_unheard(node), may_cost))
            if last is not None and dealer.extra + dealer.stuck > open_places.get(last, 1.0):
                ways.append(self._again(node, last))
            if entry is not None:
                ways += self._card_astray(node, entry, open_places, last)
                ways += self._other_order(node, entry, open_places)
        if entry is not None and entry.place not in node.habits:
            skip = dealer.skip_board if entry.place == BOARD else dealer.skip
            skip *= self._begun_at(node.pointer)
            if skip > least:
                ways.append(self._skip(node, entry, skip, node.slips + 1))
        return ways

    def run_of(self, pointer: int) -> int:
        """The run of an entry of the plan, -1 where there is none."""
        plan = self.window.plan
        return plan[pointer].run if 0 <= pointer < len(plan) else -1

    def _move(
        self,
        node: Node,
        entry: Due,
        place: str,
        cost: float,
        passed: int,
        slips: int = 0,
        queue: tuple[str, ...] = (),
        habit: str | None = None,
        may_be_unheard: bool = False,
    ) -> Move:
        """A card to `place` where `entry` is due; `passed` entries of the plan are behind it then."""
        habits = node.habits if habit is None else (*node.habits, habit)
        gap, pointer = self._gap_before(node, entry), node.pointer + passed
        if passed == 0 and node.timed.mass is not None:
            gap = PACE  # a card too many comes with the cards before it
        return Move(place, cost, pointer, gap, entry.run, node.slips + slips, queue, habits, may_be_unheard)

    def _again(self, node: Node, last: str) -> Move:
        """The place served last gets another card, after a gap or at once."""
        run = node.run if node.places else self.run_of(node.pointer - 1)
        gap = OPEN if node.timed.mass is None else AGAIN
        cost = self.dealer.extra + self.dealer.stuck
        return Move(last, cost, node.pointer, gap, run, node.slips + 1, (), node.habits)

    def _open_places(self, node: Node, may_cost: float) -> dict[str, float]:
        """Where a tag that is not explained yet can lie, and what a slip that puts it there must cost at
        least to be worth it."""
        used, places = node.used, dict[str, float]()
        for number, shares in enumerate(self.shares):
            if not used >> number & 1:
                for place, share in shares.items():
                    if share > may_cost:
                        least = may_cost / share
                        if least < places.get(place, 1.0):
                            places[place] = least
        return places

    def _may_lie_unheard(self, node: Node) -> list[str]:
        """Where a card may lie that was drawn and that nobody has heard: where one was dealt or is due, or at
        an empty seat. Any other place is so improbable that it counts when it is heard there."""
        last, ahead = self._last_place(node), self.window.plan[node.pointer : node.pointer + 2]
        places = [due.place for due in ahead] if last is None else [last, *[due.place for due in ahead]]
        return places + [place for place in SEATS if place in self.strange]

    def _card_astray(
        self, node: Node, entry: Due, open_places: dict[str, float], last: str | None
    ) -> list[Move]:
        """A card that goes to some wrong place, or to a seat that is not in the hand."""
        dealer, moves = self.dealer, list[Move]()
        wrong = dealer.wrong / (len(WRONG_PLACES) - 1)
        for place, least in open_places.items():
            cost = wrong * self._begun_at(node.pointer) if place in (BOARD, BURN) else wrong
            if cost > least and place != entry.place and place in WRONG_PLACES:
                # a card to a seat between the deal and a street does not stand for the street's burn
                is_before = entry.is_open and not entry.is_of_pass and place not in (BOARD, BURN)
                moves.append(self._move(node, entry, place, cost, not is_before, 1))
        if not self.strange or not (entry.is_of_pass or self._is_pass_over(node)):
            return moves
        dealt_in = dealer.dealt_in / len(self.strange)
        for place, least in open_places.items():
            if dealt_in > least and place in self.strange and place not in node.habits and place != last:
                moves.append(self._move(node, entry, place, dealt_in, 0, 1, habit=place))
        return moves

    def _other_order(self, node: Node, entry: Due, open_places: dict[str, float]) -> list[Move]:
        """This place and the next one in the wrong order, or a pass that begins at another seat."""
        plan, dealer, moves = self.window.plan, self.dealer, list[Move]()
        then = plan[node.pointer + 1] if node.pointer + 1 < len(plan) else None
        is_swap = then is not None and then.run == entry.run and then.place != entry.place
        swap = dealer.swap * self._begun_at(node.pointer)
        if then is not None and is_swap and swap > open_places.get(then.place, 1.0):
            moves.append(self._move(node, entry, then.place, swap, 2, 1, (entry.place,)))
        passed = entry.pass_places
        if len(passed) < 2:
            return moves
        turned = dealer.turned / (len(passed) - 1)
        for first in range(1, len(passed)):
            if turned > open_places.get(passed[first], 1.0):
                order = passed[first:] + passed[:first]
                moves.append(self._move(node, entry, order[0], turned, len(passed), 1, order[1:]))
        return moves

    def _skip(self, node: Node, entry: Due, cost: float, slips: int) -> Node:
        is_reopened = entry.is_open or (node.is_reopened and entry.run == self.run_of(node.pointer - 1))
        is_new = entry.is_of_pass and entry.place not in node.habits
        habits = (*node.habits, entry.place) if is_new else node.habits
        return node.passing(node.pointer + 1, cost, slips, is_reopened, habits)

    def _begun_at(self, pointer: int) -> float:
        """What it costs besides that the next card begins a street while the betting round is open."""
        return self.dealer.early if pointer in self.early else 1.0

    def _is_pass_over(self, node: Node) -> bool:
        """A pass lasts until the first card of the street after it."""
        plan, behind = self.window.plan, node.pointer - 1
        return 0 <= behind < len(plan) and plan[behind].is_of_pass

    def _comes_between(self, node: Node, place: str, entry: Due) -> bool:
        """Does a seat lie clockwise between that of the card before and the one that is due?"""
        before = seat_of(self._last_place(node) or "")
        due = seat_of(entry.place if entry.is_of_pass else self.window.plan[0].place)
        if before is None or due is None:
            return False
        return ((seat_of(place) or 0) - before - 1) % len(SEATS) < (due - before - 1) % len(SEATS)

    def _gap_before(self, node: Node, entry: Due) -> str:
        is_first = entry.is_open and not (entry.is_of_pass and (node.places or self.window.served))
        if is_first or node.is_reopened or node.timed.mass is None:
            return OPEN
        run = node.run if node.places else self.run_of(self.window.pointer - 1)
        return TOGETHER if entry.place == BOARD == self._last_place(node) and run == entry.run else PACE

    def _last_place(self, node: Node) -> str | None:
        if node.places:
            return node.places[-1]
        return self.window.served[-1] if self.window.served else None


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
