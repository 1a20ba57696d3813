"""What a beginning of an explanation can still come to, so that the search leaves out what cannot count."""

from shoe_bridge.table.beginnings import Node, Rest
from shoe_bridge.table.deal_model import MOST_SLIPS
from shoe_bridge.table.hand import BOARD, BURN
from shoe_bridge.table.sighted import EVER, Sighted
from shoe_bridge.table.window import Window

_IN_A_HURRY = 3  # so many cards more than there is time for: by pauses that are short, and skips
_RESERVE = 12.0  # so many times what the rest is worth in the best explanation it is at most in others
_LEAST_SHOWN = 0.4  # of what a sighting can be worth: what is less in the best one may be usual in others
_USUAL = 0.35  # of what a card's reads could be worth at best, per card: says only what is tried first
_TURN = "turn"


class Bounds:
    """Of one window. `strange` are the seats that are not in the hand, `often` is what a slip costs at least,
    `shortest` the shortest usual gap in cells."""

    def __init__(
        self,
        window: Window,
        sighted: Sighted,
        strange: frozenset[str],
        *,
        often: float,
        shortest: int,
        has_shoe: bool,
    ) -> None:
        self._plan = window.plan
        self._strange = strange
        self._often = often
        self._shortest = shortest
        self._has_shoe = has_shoe
        self._size = len(window.sightings)
        self._worth, self._shares, self._latest = sighted.worth, sighted.shares, sighted.latest
        self._paced = [0]  # how many cards are due at the dealer's pace before each entry
        for due in window.plan:
            self._paced.append(self._paced[-1] + (not due.is_open and due.place != BOARD))
        self._cards: dict[str, list[int]] = {}
        self._rests: dict[int, Rest] = {}
        self._ahead_of: dict[tuple[int, bool], list[tuple[int, list[tuple[float, int]]] | None]] = {}
        self._shown: list[float] = []  # what each sighting is worth in the best explanation

    def rest(self, used: int) -> Rest:
        """What is left when the sightings of these bits are explained."""
        known = self._rests.get(used)
        if known is None:
            until, most, guess = EVER, 1.0, 1.0
            for number in range(self._size):
                if not used >> number & 1:
                    most *= self._worth[number]
                    guess *= _USUAL
                    if not self._has_shoe:
                        until = min(until, self._latest[number])
            known = self._rests[used] = Rest(used, until, self._most(used, most), most * guess)
        return known

    def _most(self, used: int, most: float) -> float:
        """What the sightings that are left are worth in the best explanation, with a reserve, where that is
        less than `most`."""
        if not self._shown:
            return most
        shown = _RESERVE
        for number, worth in enumerate(self._shown):
            if not used >> number & 1:
                shown *= worth
        return shown if shown < most else most

    def show(self, best: Node) -> None:
        """`best` shows what each sighting is worth where all of them are explained: the others cannot do much
        better."""
        shown = [0.0] * self._size
        node = best
        while node.parent is not None:
            before, number = node.parent, node.numbers[-1] if node.numbers else -1
            if number >= 0 and len(node.places) > len(before.places):
                most = self._worth[number]
                share = self._shares[number].get(node.places[-1], 1.0)  # a shoe told it, nobody heard it
                own = share * most * node.timed.total / before.timed.total
                shown[number] = min(most, max(own, most * _LEAST_SHOWN))
            node = before
        self._shown = shown
        for rest in self._rests.values():
            rest.most = self._most(rest.used, rest.most)

    def at_best(self, node: Node, least: float) -> float:
        """What the places can cost at best of all sightings that are left, if it is more than `least`: the
        dealer cannot serve one in time as due where too many cards would have to come before it. Then it lies
        elsewhere, or takes a slip."""
        timed, used, slips = node.timed, node.used, MOST_SLIPS - node.slips
        if self._has_shoe or timed.mass is None or not self._shortest:
            return 1.0
        where = (node.pointer, slips > 0)
        ahead = self._ahead_of.get(where)
        if ahead is None:
            ahead = self._ahead_of[where] = [None] * self._size
        cost = 1.0
        begun = timed.start - (_IN_A_HURRY + len(node.habits)) * self._shortest
        besides = [*node.queue, *(place for place in node.habits if place in self._strange)]
        for number in range(self._size):
            if used >> number & 1:
                continue
            known = ahead[number]
            if known is None:
                known = ahead[number] = self._ahead(number, *where)
            until, others = known
            if begun <= until:
                continue
            chance = 0.0
            for share, late in others:
                if begun <= late:
                    chance = share
                    break
            shares = self._shares[number]
            for place in besides:
                if shares.get(place, 0.0) > chance:
                    chance = shares[place]
            if chance <= 0.0:
                slips -= 1
                if slips < 0:
                    return 0.0
            cost *= chance if chance > self._often else self._often
            if cost <= least:
                break
        return cost

    def _ahead(self, number: int, pointer: int, may_turn: bool) -> tuple[int, list[tuple[float, int]]]:
        """The last cell in which the dealer can begin to deal as due from the plan's entry `pointer` so that
        a sighting lies in time where it is worth most, or a pass that he may turn begins in time. And where
        else it can lie: the share that it is worth there of the most, with the last cell, the greatest
        first."""
        until, others = -EVER, list[tuple[float, int]]()
        latest = self._latest[number] + self._paced[pointer] * self._shortest
        for place, share in self._shares[number].items():
            late = latest - self._cards_before(place)[pointer] * self._shortest
            if share < 1.0:
                others.append((share, late))
            elif late > until:
                until = late
        if may_turn:
            until = max(until, latest - self._cards_before(_TURN)[pointer] * self._shortest)
        if len(others) > 1:
            others.sort(reverse=True)
        return until, others

    def _cards_before(self, place: str) -> list[int]:
        """How many of the plan's cards are due at the dealer's pace before the next one to a place (`_TURN`:
        before a pass that may be turned), by the entry from which on it is looked for."""
        known = self._cards.get(place)
        if known is None:
            plan = self._plan
            cards = 0 if place in (BOARD, BURN) or place in self._strange else EVER
            known = [cards]
            for index in range(len(plan) - 1, -1, -1):
                due = plan[index]
                if cards and (len(due.pass_places) > 1 if place == _TURN else due.place == place):
                    cards = self._paced[index]
                known.append(cards)
            known.reverse()
            self._cards[place] = known
        return known
