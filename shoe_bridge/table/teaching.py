"""What the gaps between the cards of one hand teach of the dealer's pace."""

from itertools import pairwise

import msgspec

from shoe_bridge.table.deal_model import DealModel
from shoe_bridge.table.following import LOOK_BACK_CARDS, Following
from shoe_bridge.table.learned import Learned, fitted, waits_ms2
from shoe_bridge.table.window import Due

replace = msgspec.structs.replace


class Teaching:
    """By the readers of one table."""

    def __init__(self, model: DealModel) -> None:
        self.model = model

    def taught(self, now: Following, learned: Learned, plan: tuple[Due, ...]) -> tuple[Following, Learned]:
        """What the gaps between the cards teach that were settled some cards ago, each of them once."""
        upto = len(now.served) - LOOK_BACK_CARDS
        if upto <= now.taught:
            return now, learned
        model, passes = fitted(self.model, learned), sum(due.is_of_pass for due in plan)
        for index in range(max(1, now.taught), min(upto, passes)):
            first_ns, then_ns = now.read_ns[index - 1], now.read_ns[index]
            if first_ns and then_ns:
                depths = [now.served[: at + 1].count(now.served[at]) for at in (index - 1, index)]
                missed = [model.sensor.missed_at(depth) for depth in depths]
                waits = waits_ms2(model.sensor.cycle_ns, *missed)
                learned = learned.with_gap(then_ns - first_ns, waits)
        return replace(now, taught=upto), learned

    def as_it_seems(self, now: Following, learned: Learned) -> Learned:
        """As long as no pace is known, the open cards show one, too, by the order in which they were read: an
        antenna that is deaf in the first hand would keep the window open, and the pace unknown."""
        if learned.knows_pace:
            return learned
        opened = [one.heard[0].first_ns for one in now.sightings if one.heard]
        reads_ns = sorted((*(at_ns for at_ns in now.read_ns[now.taught :] if at_ns), *opened))
        sensor = self.model.sensor
        waits = waits_ms2(sensor.cycle_ns, sensor.missed_at(1), sensor.missed_at(1))
        for first_ns, then_ns in pairwise(reads_ns):
            learned = learned.with_gap(then_ns - first_ns, waits)
        return learned
