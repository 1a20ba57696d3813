"""The open window explained, and the hand taken for what its most probable explanation makes of it."""

import msgspec

from shoe_bridge.table.card_times import Memo
from shoe_bridge.table.deafness import deaf_among, deafness, known_deaf
from shoe_bridge.table.deal_model import DealModel
from shoe_bridge.table.following import (
    PHASE_LASTS_NS,
    Following,
    closed,
    heard_at,
    is_called_open,
    keys_of,
    share_erring,
)
from shoe_bridge.table.hand import Hand
from shoe_bridge.table.learned import Learned, fitted
from shoe_bridge.table.observations import KeyPressed
from shoe_bridge.table.reconstruct import explain, explain_next
from shoe_bridge.table.redeal import UNHEARD, Redeal, with_what_is_known
from shoe_bridge.table.settling import AGREED, Settling
from shoe_bridge.table.teaching import Teaching
from shoe_bridge.table.window import Due, Explanation, Taken, Window

replace = msgspec.structs.replace

POLLS_TO_ASK = 4  # a card is asked for when so many polls had the chance to hear it


class Thinking:
    """About the windows of one table."""

    def __init__(self, model: DealModel, redeal: Redeal, settling: Settling, teaching: Teaching) -> None:
        self.model = model
        self.memo = Memo()
        self._redeal = redeal
        self._settling = settling
        self._teaching = teaching
        self._patience_ns = POLLS_TO_ASK * model.sensor.cycle_ns

    def think(
        self,
        now: Following,
        hand: Hand,
        learned: Learned,
        at_ns: int,
        among: tuple[Explanation, ...] = (),
        *,
        is_next: bool = False,
    ) -> tuple[Following, Hand, Learned]:
        """Explain the window anew and take the hand for what the best explanation makes of it. `among`: no
        other explanation has become more probable by what is new, so that these are weighed alone.
        `is_next`: what is new is the last sighting."""
        at_ns = max(at_ns, now.known_ns)
        now = replace(now, known_ns=at_ns)
        plan, size = self._redeal.plan(hand)
        model = fitted(self.model, self._teaching.as_it_seems(now, learned))
        window = Window(
            plan,
            now.pointer,
            now.served,
            now.anchor,
            now.sightings,
            {place: poll_ns for place, poll_ns in now.phases.items() if poll_ns > at_ns - PHASE_LASTS_NS},
            at_ns,
            model.sensor.late_ns,
            is_called_open(now, size),
            size,
            known_deaf(now),
            now.habits,
            now.queue,
            _streets_due(now, plan),
            now.has_shoe,
            now.live,
            deafness(now, plan, model.sensor, at_ns),
            now.presumed or (now.explanations[0].cards if now.explanations else ()),
            now.retold,
        )
        explanations = self._explained(now, window, model, among, is_next)
        if not explanations:
            return *self._as_told(now, hand, size), learned
        deaf = deaf_among(now, explanations)
        now = replace(now, explanations=explanations, deaf=deaf, is_stale=False, presumed=())
        now = self._settling.settle_front(now, size, at_ns)
        now, learned = self._teaching.taught(now, learned, plan)
        best, base = now.explanations[0], now.base
        assert base is not None
        if not now.sightings and not best.cards and self._is_done(now, at_ns):
            dealt = with_what_is_known(self._redeal.deal(base, keys_of(now), (), ()), hand)
            asked = tuple(card.at for card in dealt.cards if card.tag.startswith(UNHEARD))
            over = replace(
                closed(now, best.pointer),
                asked=asked,
                recent=now.recent,
                log=now.log,
                habits=best.habits,
            )
            return over, dealt, learned
        now, hand = self._redeal.as_explained(now, hand, size)
        return replace(now, asked=self._overdue_places(now, base, size, at_ns)), hand, learned

    def _explained(
        self, now: Following, window: Window, model: DealModel, among: tuple[Explanation, ...], is_next: bool
    ) -> tuple[Explanation, ...]:
        """Before an error that was known is called certain all explanations are looked for."""
        known: tuple[Explanation, ...] = ()
        if is_next and now.explanations and not window.is_complete:
            known = explain_next(window, model, self.memo, now.explanations)
        elif among:
            # cards that were added unweighed may clear the dealer
            others = max(1, among[0].slips) if now.is_stale and share_erring(now.explanations) > 0.5 else 0
            known = explain(window, model, self.memo, among, others)
        if known and not (share_erring(known) > 0.5 and self._makes_certain(now, known)):
            return known
        return explain(window, model, self.memo)

    def _makes_certain(self, now: Following, explanations: tuple[Explanation, ...]) -> bool:
        """Is it certain now, and was not, that the dealer erred, or to which places the cards went?"""
        certain = self.model.certainty.certain
        return any(
            share(explanations) >= certain > share(now.explanations)
            for share in (share_erring, _share_of_places)
        )

    def _is_done(self, now: Following, at_ns: int) -> bool:
        """All explanations are through with the window at one entry of the plan, or none can be waited
        for."""
        best = now.explanations[0]
        same = 0.0
        for one in now.explanations:
            if not one.cards and one.pointer == best.pointer:
                same += one.probability
        called_ns = 0 if now.complete is None else now.complete[1]  # a card may have come just before
        return same > AGREED or at_ns - max(now.last_ns, called_ns) > self._settling.horizon_ns

    def _overdue_places(self, now: Following, base: Hand, size: int, at_ns: int) -> tuple[str, ...]:
        """Where a card has lain unheard for so long that it is asked for."""
        places = [card.at for card in base.cards if card.tag.startswith(UNHEARD)]
        is_called = is_called_open(now, size)
        since_ns = now.complete[1] if now.complete is not None and is_called else at_ns
        waiting = []
        for card in reversed(now.explanations[0].cards):
            heard = heard_at(now, card)
            if heard is not None:
                since_ns = min(since_ns, heard.first_ns)
            elif since_ns <= at_ns - self._patience_ns:
                waiting.append(card.place)
        return tuple(dict.fromkeys((*places, *reversed(waiting))))

    def _as_told(self, now: Following, hand: Hand, size: int) -> tuple[Following, Hand]:
        """No explanation is left: more went wrong than the model thinks of. The cards are taken in the
        order in which they were heard, each where it was heard most."""
        told = []
        for sighting in now.sightings:
            if sighting.heard:
                most = max(sighting.heard, key=lambda each: (not each.is_gone, each.reads, -each.seq))
                told.append((most.seq, Taken(most.place, sighting.tag)))
        told.sort(key=lambda entry: entry[0])
        assert now.base is not None
        cards = tuple([card for _, card in told])
        dealt = self._redeal.deal(now.base, keys_of(now), cards, [seq for seq, _ in told])
        served = (*now.served, *(card.place for card in cards))
        read_ns = (*now.read_ns, *(0 for _ in cards))
        pointer = now.pointer + max(0, len(cards) - len(now.queue))
        if now.complete is not None:
            pointer = max(pointer, size)
        left = now.queue[len(cards) :]
        now = replace(now, served=served, read_ns=read_ns, anchor=None, queue=left)
        return closed(now, pointer), with_what_is_known(dealt, hand)


def _streets_due(now: Following, plan: tuple[Due, ...]) -> int | None:
    """How many streets may have begun since the window was opened: one for each betting round that was closed
    by then and whose street was not begun yet. None where nobody tells of betting rounds."""
    base = now.base
    if base is None or not base.tracks_betting:
        return None
    keys = (event.observation for event in keys_of(now))
    closed = [key for key in keys if isinstance(key, KeyPressed) and key.key == "end bet"]
    is_next = now.pointer < len(plan) and plan[now.pointer].is_open and not now.queue
    is_due = is_next and base.end_deal_seq is not None and not base.round_open
    return len(closed) + is_due


def _share_of_places(explanations: tuple[Explanation, ...]) -> float:
    """The probability of the most probable places of the cards: which of two that lie at one place came first
    is all the same."""
    best = [card.place for card in explanations[0].cards] if explanations else []
    share = 0.0
    for one in explanations:
        if [card.place for card in one.cards] == best:
            share += one.probability
    return share
