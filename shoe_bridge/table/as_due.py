"""Cards that come as they are due: settled at once as long as no window is open, else added to the
explanations that expect them.
"""

import msgspec

from shoe_bridge.table import rows, timing
from shoe_bridge.table.card_times import OPEN, PACE, TOGETHER
from shoe_bridge.table.deal_model import DealModel
from shoe_bridge.table.dealing import deal_card
from shoe_bridge.table.following import Following, Settled, last_stand, next_place, remembering
from shoe_bridge.table.hand import BOARD, Hand
from shoe_bridge.table.learned import Learned, fitted
from shoe_bridge.table.procedures import Procedure
from shoe_bridge.table.redeal import Redeal
from shoe_bridge.table.settling import MOST_SIGHTINGS
from shoe_bridge.table.teaching import Teaching
from shoe_bridge.table.window import Density, Due, Explanation, Heard, Sighting, Stand, Step, Taken

replace = msgspec.structs.replace

_PLAUSIBLE = 0.02  # of the chance that a card due now is first heard now
_NEXT_COUNTS = 1e-3  # a card heard where it is due is rather another one when that is so much as probable
_LITTLE = 0.05  # so little probability of explanations is left out, where others would take one slip more


class AsDue:
    """At one table."""

    def __init__(self, game: Procedure, model: DealModel, redeal: Redeal, teaching: Teaching) -> None:
        self.game = game
        self.model = model
        self._redeal = redeal
        self._teaching = teaching

    def settled(
        self, now: Following, hand: Hand, learned: Learned, tag: str, heard: Heard, due: Due
    ) -> tuple[Following, Hand, Learned] | None:
        """The card is where it is due: settled, if it also comes at the dealer's pace; else None."""
        model = fitted(self.model, learned)
        time = self._time_if_due(now, due, heard, model)
        if time is None or self._may_be_next(now, hand, heard.place, model):
            return None
        settled = Settled(
            Sighting(tag, (heard,)),
            heard.first_ns,
            heard.seq,
            due.run,
            hand,
            now.pointer,
            now.queue,
            now.habits,
            len(now.served),
            now.anchor,
            now.last_ns,
        )
        now = replace(
            now,
            pointer=now.pointer if now.queue else now.pointer + 1,
            queue=now.queue[1:],
            served=(*now.served, heard.place),
            read_ns=(*now.read_ns, heard.first_ns),
            anchor=time,
            last_ns=heard.first_ns,
            **remembering(now, settled),
            known_ns=heard.first_ns,
        )
        now, learned = self._teaching.taught(now, learned, plan=self._redeal.plan(hand)[0])
        return now, deal_card(hand, self.game, tag, heard.place, heard.seq), learned

    def extended(self, now: Following, hand: Hand, tag: str, heard: Heard) -> tuple[Following, Hand] | None:
        """The card is due where it is heard in every explanation, but for some that are improbable together
        and would take one slip more: all others go on with it, and are weighed anew at the next look. None
        where that is not so."""
        if not now.explanations or hand.round_open or len(now.sightings) >= MOST_SIGHTINGS:
            return None
        plan, size = self._redeal.plan(hand)
        card = Taken(heard.place, tag)
        longer, left = list[Explanation](), 0.0
        for one in now.explanations:
            pointer, queue, habits = last_stand(now, one)
            if next_place(now, plan, one) != heard.place:
                left += one.probability
                if not longer or left > _LITTLE:
                    return None
                continue
            stand = Stand(pointer if queue else pointer + 1, queue[1:], habits)
            step = self._step_as_due(now, one, plan[pointer - bool(queue)], is_queued=bool(queue))
            longer.append(
                replace(
                    one,
                    cards=(*one.cards, card),
                    stands=(*one.stands, stand),
                    steps=(*one.steps, step),
                    pointer=stand.pointer,
                )
            )
        now = replace(now, sightings=(*now.sightings, Sighting(tag, (heard,))), is_stale=True)
        if not left:
            others = [
                (deal_card(other, self.game, tag, heard.place, heard.seq), share)
                for other, share in now.others
            ]
            now = replace(now, explanations=tuple(longer), others=tuple(others))
            return now, deal_card(hand, self.game, tag, heard.place, heard.seq)
        kept = [replace(one, probability=one.probability / (1.0 - left)) for one in longer]
        now = replace(now, explanations=tuple(kept))
        return self._redeal.as_explained(now, hand, size)

    def _step_as_due(self, now: Following, one: Explanation, due: Due, *, is_queued: bool) -> Step:
        """What the next card of an explanation takes, where it is dealt as due."""
        last = one.cards[-1].place if one.cards else now.served[-1] if now.served else None
        is_first = not one.cards and now.anchor is None
        gap = PACE
        if not is_queued and (due.is_open or is_first):
            gap = OPEN
        elif not is_queued and due.place == BOARD == last and one.steps[-1:] and one.steps[-1].run == due.run:
            gap = TOGETHER
        return Step(self.model.dealer.as_due, gap, due.run, one.slips)

    def _may_be_next(self, now: Following, hand: Hand, place: str, model: DealModel) -> bool:
        """May the card that is due be unheard, and this be the next one, heard by a neighbour's antenna?"""
        plan, _ = self._redeal.plan(hand)
        then = plan[now.pointer + 1].place if now.pointer + 1 < len(plan) else place
        near = model.neighbours.get(then, ())
        if now.queue or place not in near:
            return False
        sensor = model.sensor
        depth = 1 if place in model.flat else 1 + now.served.count(place)
        missed, next_missed = sensor.missed_at(depth), sensor.missed_at(1)
        return missed * sensor.cross / len(near) * next_missed > _NEXT_COUNTS * (1.0 - missed)

    def due(self, now: Following, plan: tuple[Due, ...]) -> Due | None:
        """What the next card is due for; None behind the plan's end."""
        if now.queue:
            return replace(plan[now.pointer - 1], place=now.queue[0])
        return plan[now.pointer] if now.pointer < len(plan) else None

    def _time_if_due(self, now: Following, due: Due, heard: Heard, model: DealModel) -> Density | None:
        dealer, sensor = model.dealer, model.sensor
        depth = 1 if heard.place in model.flat else 1 + now.served.count(heard.place)
        missed = sensor.missed_at(depth)
        read = timing.first_read(heard.first_ns, sensor.cycle_ns, missed)
        if due.is_open or now.anchor is None:
            start, mass = read
        else:
            start, sums = now.anchor.start, rows.sums_of(now.anchor.mass)
            is_together = due.place == BOARD == now.served[-1]
            gap_ns = (0 if is_together else dealer.pace_ns[0], dealer.pace_ns[1])
            start, mass = timing.after_gap(start, sums, read, gap_ns, 0.0, 0)
            if rows.total(mass) < _PLAUSIBLE:
                return None
        start, mass = timing.trimmed((start, mass))
        whole = rows.total(mass)
        return Density(start, tuple([each / whole for each in mass]))
