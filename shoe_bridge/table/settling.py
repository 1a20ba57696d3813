"""What leaves the window: cards on which all explanations agree, those that are older than the horizon, and
those of whose order no more can be told. What was settled with doubts says how much.
"""

import msgspec

from shoe_bridge.table import rows
from shoe_bridge.table.deal_model import DealModel
from shoe_bridge.table.following import (
    Following,
    Settled,
    can_silence_tell,
    heard_at,
    is_called_open,
    keys_of,
    remembering,
)
from shoe_bridge.table.hand import Hand
from shoe_bridge.table.observations import Event
from shoe_bridge.table.redeal import Redeal, slots_of
from shoe_bridge.table.window import Density, Explanation, Stand

replace = msgspec.structs.replace

HORIZON_CYCLES = 20  # a card is settled at the latest so many polls after it was heard
MOST_SIGHTINGS = 14  # in a window
_TELLING_CARDS = 4  # the order of cards that all were heard is told by so many that follow
AGREED = 0.999  # of the probability
_LIKELY = 0.05  # an explanation that is so probable is worth a look


class Settling:
    """Settles the cards of one table's windows."""

    def __init__(self, model: DealModel, redeal: Redeal) -> None:
        self._redeal = redeal
        self.horizon_ns = HORIZON_CYCLES * model.sensor.cycle_ns

    def settle_front(self, now: Following, size: int, at_ns: int) -> Following:
        """Cards at the window's front on which all that may be true agrees are settled, and those that are
        older than the horizon."""
        best, base = now.explanations[0], now.base
        assert base is not None
        agreed = _agreed(now)
        count = max(agreed, self._overdue(now, best, size, at_ns))
        if not count:
            return now
        cards, stand = best.cards[:count], best.stands[count - 1]
        if count > agreed:
            now = with_doubts(now, count)
        slots = slots_of(best, now, size)
        upto = slots[count] if count < len(slots) else slots[-1]
        keys = [event for event in keys_of(now) if event.seq < upto]
        remaining = [_behind(one, count) for one in now.explanations if _is_same(best, one, count)]
        share = 0.0
        for one in remaining:
            share += one.probability
        dealt, settled = self._settle_cards(now, best, slots[:count], keys)
        heard = [heard_at(now, card) for card in cards]
        tags = {card.tag for card in cards}
        silent = {card.place for card in cards if card.tag is None}
        deafened = {place: chance for place, chance in now.deaf if place in silent and place in best.deaf}
        return replace(
            now,
            deafened={**deafened, **now.deafened},
            pointer=stand.pointer,
            queue=stand.queue,
            habits=stand.habits,
            served=(*now.served, *(card.place for card in cards)),
            read_ns=(*now.read_ns, *(0 if each is None else each.first_ns for each in heard)),
            anchor=_normal(best.times[count - 1]),
            last_ns=next((each.first_ns for each in reversed(heard) if each is not None), at_ns),
            base=dealt,
            since=upto - 1,
            **remembering(now if None not in heard else replace(now, recent=()), *settled),
            sightings=tuple([sighting for sighting in now.sightings if sighting.tag not in tags]),
            explanations=tuple([replace(one, probability=one.probability / share) for one in remaining]),
        )

    def _settle_cards(
        self, now: Following, best: Explanation, slots: list[int], keys: list[Event]
    ) -> tuple[Hand, list[Settled]]:
        """Deal the window's first cards for good; gives the hand after them, and those that were heard."""
        plan, _ = self._redeal.plan(now.base) if now.base is not None else ((), 0)
        hand, settled = now.base, list[Settled]()
        assert hand is not None
        stand, anchor, last_ns = Stand(now.pointer, now.queue, now.habits), now.anchor, now.last_ns
        left = list(keys)
        for number, (card, slot) in enumerate(zip(best.cards, slots, strict=False)):
            due = [event for event in left if event.seq < slot]
            before = self._redeal.deal(hand, due, (), ())
            left = left[len(due) :]
            hand = self._redeal.deal(before, (), (card,), (slot,))
            heard = heard_at(now, card)
            if heard is None or card.tag is None:
                settled.clear()  # what lies before a card that nobody heard is not opened again
            else:
                is_as_due = best.stands[number].pointer > stand.pointer
                run = plan[max(0, stand.pointer - (not is_as_due))].run
                served = len(now.served) + number
                sighting = next(each for each in now.sightings if each.tag == card.tag)
                settled.append(
                    Settled(sighting, heard.first_ns, slot, run, before, *stand, served, anchor, last_ns)
                )
                last_ns = heard.first_ns
            stand = best.stands[number]
            anchor = _normal(best.times[number])
        return self._redeal.deal(hand, left, (), ()), settled

    def _overdue(self, now: Following, best: Explanation, size: int, at_ns: int) -> int:
        """How many of the window's first cards are older than the horizon, or too many to keep."""
        count = 0
        for number, card in enumerate(best.cards, start=1):
            heard = heard_at(now, card)
            if heard is not None and heard.first_ns < at_ns - self.horizon_ns:
                count = number
        if (
            is_called_open(now, size)
            and now.complete is not None
            and now.complete[1] < at_ns - self.horizon_ns
        ):
            return len(best.cards)
        return max(count, self._outrun(now, best))

    def _outrun(self, now: Following, best: Explanation) -> int:
        """How many of the window's first cards have so many behind them that no more can be told of them: all
        explanations that may be true have the dealer stand at one point after them, with the same cards out,
        and differ in their order only. Where the window is full, its first ones whatever they are."""
        crowd = len(now.sightings) - MOST_SIGHTINGS
        if can_silence_tell(now):
            return crowd
        others = _likely(now)
        for count in range(len(best.cards) - _TELLING_CARDS, 0, -1):
            cards, stand = set(best.cards[:count]), best.stands[count - 1]
            if all(
                one.stands[count - 1 : count] == (stand,) and set(one.cards[:count]) == cards
                for one in others
            ):
                return max(count, crowd)
        return crowd


def _behind(one: Explanation, count: int) -> Explanation:
    """What an explanation says of the cards behind its first `count`, whose slips are theirs."""
    slips = one.steps[count - 1].slips if one.steps else 0
    return replace(
        one,
        cards=one.cards[count:],
        stands=one.stands[count:],
        times=one.times[count:],
        slips=one.slips - slips,
        steps=tuple([step._replace(slips=step.slips - slips) for step in one.steps[count:]]),
    )


def _agreed(now: Following) -> int:
    """So many first cards are heard, and lie at the same places in the same order in all explanations that
    may be true. Which card of a flop came first is all the same."""
    best = now.explanations[0]
    heard = 0
    for card in best.cards:
        if heard_at(now, card) is None:
            break
        heard += 1
    others = _likely(now)
    for count in range(heard, 0, -1):
        if all(_is_same(best, one, count) for one in others):
            return count
    return 0


def _likely(now: Following) -> list[Explanation]:
    """The explanations that may be true."""
    likely = []
    told = 0.0
    for one in now.explanations:
        if told > AGREED:
            break
        told += one.probability
        likely.append(one)
    return likely


def with_doubts(now: Following, count: int) -> Following:
    """The window's first cards are settled though not all explanations agree on them: what is left of that on
    which findings may rest."""
    best = now.explanations[0]
    same = aligned = erred = 0.0
    for one in now.explanations:
        same += one.probability if _is_same(best, one, count) else 0.0
        aligned += one.probability if one.stands[count - 1 : count] == best.stands[count - 1 : count] else 0.0
        erred += one.probability if one.slips and best.slips else 0.0
    heard = [heard_at(now, card) for card in best.cards[:count]]
    return replace(
        now,
        settled=now.settled * same,
        counted=now.counted * (1.0 - _elsewhere(now.explanations)),
        aligned=now.aligned * aligned,
        erred=max(now.erred, erred),
        doubted=max([now.doubted, *(each.seq for each in heard if each is not None)]),
        unsure=tuple(dict.fromkeys((*now.unsure, *_unheard_elsewhere(now.explanations)))),
    )


def _unheard_elsewhere(explanations: tuple[Explanation, ...]) -> list[str]:
    """Where others than the best explanation have a card that nobody has heard."""
    ours = [card.place for card in explanations[0].cards if card.tag is None]
    likely = [one for one in explanations[1:] if one.probability >= _LIKELY]
    return [card.place for one in likely for card in one.cards if card.tag is None and card.place not in ours]


def _elsewhere(explanations: tuple[Explanation, ...]) -> float:
    """How probable it is that the places got other numbers of cards than the best explanation says."""
    best = sorted([card.place for card in explanations[0].cards])
    lost = 0.0
    for one in explanations[1:]:
        if sorted([card.place for card in one.cards]) != best:
            lost += one.probability
    return lost


def _is_same(one: Explanation, other: Explanation, count: int) -> bool:
    """Do both begin with the same `count` cards, the dealer standing where he stands afterwards in both?"""
    ours, theirs = one.cards[:count], other.cards[:count]
    if len(theirs) < count or one.stands[count - 1] != other.stands[count - 1]:
        return False
    if any(mine.place != its.place for mine, its in zip(ours, theirs, strict=True)):
        return False
    return set(ours) == set(theirs)


def _normal(density: Density) -> Density:
    whole = rows.total(density.mass)
    return Density(density.start, tuple([each / whole for each in density.mass]))
