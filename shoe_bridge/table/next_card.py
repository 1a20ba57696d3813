"""The card behind the last one of an explanation: that nobody has heard it yet tells, too. The dealer goes on
at his pace, so that an explanation after which a card should have been heard by now is less probable.
"""

from shoe_bridge.table import timing
from shoe_bridge.table.beginnings import Node
from shoe_bridge.table.card_times import PACE, TOGETHER, CardTimes
from shoe_bridge.table.deal_model import MOST_SLIPS, DealModel
from shoe_bridge.table.hand import BOARD
from shoe_bridge.table.sighted import EVER, Sighted
from shoe_bridge.table.window import Due, Window

_MOST_POLLS = 24  # that are counted for the bound


class NextCard:
    """Of one window. `strange` are the seats that are not in the hand. `most` is what no explanation exceeds:
    that its next card is unheard yet."""

    def __init__(
        self,
        window: Window,
        model: DealModel,
        sighted: Sighted,
        times: CardTimes,
        strange: frozenset[str],
        has_shoe: bool,
    ) -> None:
        self._plan = window.plan
        self._sighted = sighted
        self._times = times
        self._strange = strange
        self._goes_on = 1.0 - model.dealer.short
        self._is_told = window.is_complete or has_shoe  # a shoe tells itself when the next card leaves it
        self.most = 1.0 if self._is_told or self._may_end(window) else self._bound(window, model)

    def unheard(self, node: Node) -> float:
        """How probable it is that the card after those of `node` is not heard by now."""
        if self._is_told or node.timed.mass is None:
            return 1.0
        due = self._due(node)
        if due is None or (due.is_open and not node.queue) or node.is_reopened:
            return 1.0
        places = [node.queue[0] if node.queue else due.place]
        if not node.queue:  # one that was dealt in may be so again before the one that is due
            places += [place for place in node.habits if place in self._strange]
        return max([self._unheard_at(node, place, due) for place in places])

    def _due(self, node: Node) -> Due | None:
        plan, pointer = self._plan, node.pointer
        if node.queue:
            return plan[pointer - 1]
        while pointer < len(plan) and plan[pointer].is_of_pass and plan[pointer].place in node.habits:
            pointer += 1
        return plan[pointer] if pointer < len(plan) else None

    def _unheard_at(self, node: Node, place: str, due: Due) -> float:
        if place in node.deaf:
            return 1.0
        is_together = place == BOARD and node.places[-1:] == (BOARD,) and node.run == due.run
        missed = self._sighted.missed_at(place, node.places.count(place))
        gap = TOGETHER if is_together else PACE
        return 1.0 - self._goes_on * self._times.heard_since(node.timed, gap, place, missed)

    def _may_end(self, window: Window) -> bool:
        """May the next card come at any time, in some explanation?"""
        reach = window.pointer + len(window.sightings) + MOST_SLIPS + len(window.habits) + 1
        ahead = window.plan[window.pointer : reach]
        return len(ahead) < reach - window.pointer or any(due.is_open for due in ahead)

    def _bound(self, window: Window, model: DealModel) -> float:
        """No card of an explanation came later than it was first heard."""
        latest = max((cell for cell in self._sighted.latest if cell != EVER), default=None)
        if latest is None:
            return 1.0
        cycle_ns, missed = model.sensor.cycle_ns, max(model.sensor.missed)
        told_ns = window.now_ns - window.late_ns - (latest + 1) * timing.CELL_NS
        polls = min(_MOST_POLLS, told_ns // cycle_ns)
        heard, before, chance = 0.0, 0.0, timing.missed_all(missed, max(0, polls))
        for number in range(max(0, polls), 0, -1):
            upto = self._times.comes_within(told_ns - number * cycle_ns)
            heard += (upto - before) * (1.0 - chance)
            before, chance = upto, chance / missed
        return 1.0 - self._goes_on * (1.0 - model.sensor.dead) * heard
