"""What a beginning of an explanation can still come to, so that the search leaves out what cannot count."""

from shoe_bridge.table.beginnings import Node, Rest
from shoe_bridge.table.deal_model import MOST_SLIPS, DealerModel
from shoe_bridge.table.hand import BOARD, BURN
from shoe_bridge.table.layout import SEATS
from shoe_bridge.table.sighted import EVER, Sighted
from shoe_bridge.table.window import Window

_IN_A_HURRY = 3  # so many cards more than there is time for: by pauses that are short, and skips
_RESERVE = 12.0  # so many times what the rest is worth in the best explanation it is at most in others
_LEAST_SHOWN = 0.4  # of what a sighting can be worth: what is less in the best one may be usual in others
_USUAL = 0.35  # of what a card's reads could be worth at best, per card: says only what is tried first
_TURN = "turn"
WRONG_PLACES = frozenset((*SEATS, BOARD, BURN))


class Bounds:
    """Of one window. `strange` are the seats that are not in the hand, `shortest` is the shortest usual gap
    in cells."""

    def __init__(
        self,
        window: Window,
        dealer: DealerModel,
        sighted: Sighted,
        strange: frozenset[str],
        *,
        shortest: int,
        has_shoe: bool,
    ) -> None:
        self._plan = window.plan
        self._strange = strange
        self._last = window.served[-1] if window.served else None
        self._often = dealer.likeliest_slip
        self._again = dealer.extra + dealer.stuck
        self._wrong = dealer.wrong / (len(WRONG_PLACES) - 1)
        self._dealt_in = max(self._wrong, dealer.dealt_in)
        self._rush = dealer.pause * dealer.pace_ns[0] / dealer.longest_ns  # a pause that is a short gap
        self._shortest = shortest
        self._has_shoe = has_shoe
        self._size = len(window.sightings)
        self._worth, self._shares, self._latest = sighted.worth, sighted.shares, sighted.latest
        self._paced = [0]  # how many cards are due at the dealer's pace before each entry
        for due in window.plan:
            self._paced.append(self._paced[-1] + (not due.is_open and due.place != BOARD))
        self._cards: dict[str, list[int]] = {}
        self._rests: dict[int, Rest] = {}
        self._ahead_of: dict[tuple[int, bool], list[int]] = {}
        self._best_places = [
            [place for place, share in shares.items() if share >= 1.0] for shares in sighted.shares
        ]
        self._shown: list[float] = []  # what each sighting is worth in the best explanation

    def rest(self, used: int) -> Rest:
        """What is left when the sightings of these bits are explained."""
        known = self._rests.get(used)
        if known is None:
            until, most, guess = EVER, 1.0, 1.0
            for number, worth in enumerate(self._worth):
                if not used >> number & 1:
                    most *= worth
                    guess *= _USUAL
                    latest = self._latest[number]
                    if latest < until and not self._has_shoe:
                        until = latest
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
        dealer cannot serve one in time as due where too many cards would have to come before it. Then he was
        in a hurry, or it lies elsewhere, or takes a slip."""
        timed, used, slips = node.timed, node.used, MOST_SLIPS - node.slips
        if self._has_shoe or timed.mass is None or not self._shortest:
            return 1.0
        where = (node.pointer, slips > 0)
        ahead = self._ahead_of.get(where)
        if ahead is None:
            ahead = self._ahead_of[where] = self._ahead(*where)
        begun = timed.start - len(node.habits) * self._shortest
        cost, hurried = 1.0, 1.0
        for number, until in enumerate(ahead):
            if begun <= until or used >> number & 1:
                continue
            rushed = begun - _IN_A_HURRY * self._shortest
            chance = self._elsewhere(number, node, begun, rushed)
            if rushed <= until:
                hurry = self._often if slips > 0 else self._rush
                if chance < hurry:
                    hurried = hurry
                    continue
            else:
                if chance <= 0.0:
                    slips -= 1
                    if slips < 0:
                        return 0.0
                chance = max(chance, self._astray(number, node))
            cost *= chance
            if cost * hurried <= least:
                break
        return cost * hurried

    def _elsewhere(self, number: int, node: Node, begun: int, rushed: int) -> float:
        """What a sighting can be worth of the most without a slip of its own, where it does not lie in time
        where that is the most."""
        chance, latest = 0.0, self._latest_begin(number, node.pointer)
        for place, share in self._shares[number].items():
            if share > chance:
                late = latest - self._cards_upto(place)[node.pointer] * self._shortest
                if begun <= late or place in node.queue or (place in node.habits and place in self._strange):
                    chance = share
                elif rushed <= late and share * self._often > chance:
                    chance = share * self._often
        return chance

    def _astray(self, number: int, node: Node) -> float:
        """The same of a sighting that takes a slip to be served in time: too many cards for the place that
        was served last, a seat that is not in the hand, or some wrong place."""
        last = node.places[-1] if node.places else self._last
        most = 0.0
        for place, share in self._shares[number].items():
            cost = self._again if place == last else self._dealt_in if place in self._strange else self._wrong
            most = max(most, share * cost)
        return most

    def _ahead(self, pointer: int, may_turn: bool) -> list[int]:
        """For each sighting the last cell in which the dealer can begin to deal as due from the plan's entry
        `pointer` so that it lies in time where it is worth most, or a pass that he may turn begins in
        time."""
        untils = []
        for number, places in enumerate(self._best_places):
            cards = self._cards_upto(_TURN)[pointer] if may_turn else EVER
            for place in places:
                cards = min(cards, self._cards_upto(place)[pointer])
            untils.append(self._latest_begin(number, pointer) - cards * self._shortest)
        return untils

    def _latest_begin(self, number: int, pointer: int) -> int:
        return self._latest[number] + self._paced[pointer] * self._shortest

    def _cards_upto(self, place: str) -> list[int]:
        """How many of the plan's cards are due at the dealer's pace up to the next one to a place (`_TURN`:
        to the first of a pass that may be turned), by the entry from which on it is looked for."""
        known = self._cards.get(place)
        if known is None:
            plan = self._plan
            cards = 0 if place in (BOARD, BURN) or place in self._strange else EVER
            known = [cards]
            for index in range(len(plan) - 1, -1, -1):
                due = plan[index]
                if cards and (len(due.pass_places) > 1 if place == _TURN else due.place == place):
                    cards = self._paced[index + 1]
                known.append(cards)
            known.reverse()
            self._cards[place] = known
        return known
