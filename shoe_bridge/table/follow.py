"""Following the deal: from arrivals in the order in which readers told them to the hand as it was dealt.

As long as each card is heard where it is due and at the dealer's pace, it is a card of the hand at once.
The first one that is not opens a window: from there on all reads are held against the model
(`reconstruct`), and the hand is what the most probable explanation makes of them, dealt again on top of the
hand before the window. Cards on which all explanations agree leave the window; none stays in it for longer
than the horizon.

    settled  --a card elsewhere than due, too early, too late--> open
    open     --reads, keys, time: explained anew---------------> open
    open     --all explanations agree on its first cards-------> these are settled; with the last one: settled
    open     --older than the horizon, or too many-------------> the most probable is settled, with its doubts

`as_due` takes what comes as it is due, `thinking` explains the window, `settling` takes cards out of it.
Pure, as all of `table`.
"""

from collections.abc import Callable

import msgspec

from shoe_bridge.table import timing
from shoe_bridge.table.as_due import AsDue
from shoe_bridge.table.deal_model import DealModel, SensorModel
from shoe_bridge.table.dealing import deal_card
from shoe_bridge.table.following import (
    LOOK_BACK_CARDS,
    Following,
    can_silence_tell,
    closed,
    gone_from,
    heard_at,
    is_placed,
    is_placed_at_best,
    last_heard_ns,
    last_stand,
    next_place,
    opened_again,
    read_once_more,
    share_heard,
    silent_places,
    with_heard,
    without_shoe,
)
from shoe_bridge.table.hand import Hand
from shoe_bridge.table.learned import Learned, fitted
from shoe_bridge.table.observations import Event
from shoe_bridge.table.procedures import Procedure
from shoe_bridge.table.redeal import UNHEARD, Redeal, filled_in
from shoe_bridge.table.settling import Settling, with_doubts
from shoe_bridge.table.teaching import Teaching
from shoe_bridge.table.thinking import Thinking
from shoe_bridge.table.window import (
    MOST_READS,
    Due,
    Heard,
    Sighting,
)

replace = msgspec.structs.replace

_LOOK_BACK_CYCLES = 16  # cards that were heard so many polls ago are not opened again
_LATELY_CYCLES = 6  # within so many polls
_NEVER_MISSED = 1e-4  # a card that would have been missed so improbably often did not lie there
_LEAST_HEARD = 0.2  # of the probability of explanations that silence takes nothing from


class Follower:
    """Follows the deals of one table. `replay` applies a key's event to a hand."""

    def __init__(self, game: Procedure, model: DealModel, replay: Callable[[Hand, Event], Hand]) -> None:
        self.game = game
        self.model = model
        self._cycle_ns = model.sensor.cycle_ns
        self._redeal = Redeal(game, replay)
        self._settling = Settling(model, self._redeal)
        teaching = Teaching(model)
        self._as_due = AsDue(game, model, self._redeal, teaching)
        self._thinking = Thinking(model, self._redeal, self._settling, teaching)

    def arrived(
        self, now: Following, hand: Hand, learned: Learned, tag: str, place: str, at_ns: int, seq: int
    ) -> tuple[Following, Hand, Learned]:
        """A tag that is no settled card of the hand was heard at a place where it was not before."""
        plan, _ = self._redeal.plan(hand)
        heard = Heard(place, at_ns, seq, last_ns=at_ns)
        is_late = 0 < last_heard_ns(now) < at_ns - self.model.dealer.longest_ns
        if is_late and not now.has_shoe and self._is_paced(now, plan):
            # longer than any pause: what comes now says nothing of what came before
            now = replace(self.settle(now), anchor=None)
        if self._is_woken(now, hand, plan, place):
            now = _hearing(self.settle(now), place)
        due = None if now.is_open else self._as_due.due(now, plan)
        is_due = due is not None and due.place == place and not (due.is_open and hand.round_open)
        if not now.is_open and not is_due and (filled := self._filled_in(hand, tag, place)) is not None:
            asked = tuple(card.at for card in filled.cards if card.tag.startswith(UNHEARD))
            return replace(now, asked=asked), filled, learned
        if self._is_beyond(now, plan, tag, place):
            if now.explanations and now.explanations[0].cards:
                now = with_doubts(now, len(now.explanations[0].cards))
            now = self.settle(now)
            return closed(now, now.pointer), deal_card(hand, self.game, tag, place, seq), learned
        if not now.is_open:
            if now.pointer >= len(plan) and not now.queue and not now.recent:
                return now, deal_card(hand, self.game, tag, place, seq), learned
            if due is not None and is_due:
                settled = self._as_due.settled(now, hand, learned, tag, heard, due)
                if settled is not None:
                    self._thinking.memo.forget()
                    return settled
        known = next((n for n, sighting in enumerate(now.sightings) if sighting.tag == tag), None)
        if known is None and (extended := self._as_due.extended(now, hand, tag, heard)) is not None:
            return *extended, learned
        if known is None:
            sightings = (*now.sightings, Sighting(tag, (heard,)))
        else:
            sightings = with_heard(now.sightings, known, heard)
        now = _hearing(replace(now, sightings=sightings), place)
        sensor = fitted(self.model, learned).sensor
        now = self._opened(now, hand, sensor, heard)
        is_next = known is None and not now.presumed and _is_expected(now, plan, heard, self._cycle_ns)
        return self._thinking.think(now, hand, learned, at_ns, is_next=is_next)

    def _is_woken(self, now: Following, hand: Hand, plan: tuple[Due, ...], place: str) -> bool:
        """Does an antenna hear again that was probably deaf, where a card lies that nobody heard and none is
        due? It is that card: the silence before says nothing of when it came."""
        if not any(chance > 0.5 for deaf, chance in now.deaf if deaf == place) or not now.explanations:
            return False
        lies_there = filled_in(hand, "", (place,)) is not None
        return lies_there and next_place(now, plan, now.explanations[0]) != place

    def _is_paced(self, now: Following, plan: tuple[Due, ...]) -> bool:
        """Is the next card due at the dealer's pace, as against whenever a betting round is over?"""
        pointer = now.explanations[0].pointer if now.explanations else now.pointer
        return pointer < len(plan) and not plan[pointer].is_open

    def _filled_in(self, hand: Hand, tag: str, place: str) -> Hand | None:
        """The hand where a card that nobody heard at that place, or beside it, is this one. Where streets go
        to the seats, the next seat's new card may be meant."""
        near = () if self._has_streets_to_seats else self.model.neighbours.get(place, ())
        return filled_in(hand, tag, (place, *near))

    @property
    def _has_streets_to_seats(self) -> bool:
        return self.game.streets_to_board != len(self.game.streets)

    def _is_beyond(self, now: Following, plan: tuple[Due, ...], tag: str, place: str) -> bool:
        """Is it a card of a street that goes to the seats? No plan tells its order: that is taken as it is
        read."""
        if not self._has_streets_to_seats or now.holds(tag):
            return False
        if now.explanations:
            best = now.explanations[0]
            stand = last_stand(now, best)
            is_awaited = any(card.tag is None and card.place == place for card in best.cards)
            return stand.pointer >= len(plan) and not stand.queue and not is_awaited
        return not now.is_open and now.pointer >= len(plan) and not now.queue

    def _is_plan_over(self, now: Following, plan: tuple[Due, ...]) -> bool:
        """Are all entries of the plan taken, by settled cards or by open ones, heard or only drawn?"""
        if not now.explanations:
            return now.pointer + len(now.sightings) - len(now.queue) >= len(plan)
        best = now.explanations[0]
        stand, told = last_stand(now, best), {card.tag for card in best.cards}
        waiting = [one for one in now.sightings if one.tag not in told]
        return stand.pointer + len(waiting) - len(stand.queue) >= len(plan)

    def drawn(self, now: Following, hand: Hand, tag: str, at_ns: int, seq: int) -> Following:
        """A card left the shoe: the next card off the deck is this one, wherever it goes."""
        plan, _ = self._redeal.plan(hand)
        if now.holds(tag) or hand.find(tag) is not None or self._is_plan_over(now, plan):
            return now
        sightings = (*now.sightings, Sighting(tag, (), at_ns, seq))
        if not now.is_open:
            now = replace(now, base=hand, since=seq - 1)
        return replace(now, sightings=sightings, has_shoe=True, known_ns=max(now.known_ns, at_ns))

    def drawn_unknown(
        self, now: Following, hand: Hand, learned: Learned, at_ns: int
    ) -> tuple[Following, Hand, Learned]:
        """The shoe drew a card and does not say which, so that its draws are no order of all cards any more:
        what they told is forgotten, and the antennas alone tell the rest of the hand."""
        now = without_shoe(now)
        return self._thinking.think(now, hand, learned, at_ns) if now.is_open else (now, hand, learned)

    def renamed(self, now: Following, old: str, new: str) -> Following:
        """The card that was drawn as `old` has another tag."""
        sightings = tuple([replace(one, tag=new) if one.tag == old else one for one in now.sightings])
        explanations = tuple(
            [
                replace(one, cards=tuple([replace(c, tag=new) if c.tag == old else c for c in one.cards]))
                for one in now.explanations
            ]
        )
        return replace(now, sightings=sightings, explanations=explanations)

    def read_again(
        self, now: Following, hand: Hand, learned: Learned, tag: str, place: str, at_ns: int
    ) -> tuple[Following, Hand, Learned]:
        """An open card was read once more at a place."""
        sightings = tuple(
            [read_once_more(one, place, at_ns) if one.tag == tag else one for one in now.sightings]
        )
        if is_placed(now, tag, place):
            return replace(now, sightings=sightings), hand, learned
        # what has the card elsewhere only loses by it
        among = now.explanations if is_placed_at_best(now, tag, place) else ()
        return self._thinking.think(replace(now, sightings=sightings), hand, learned, at_ns, among)

    def departed(
        self, now: Following, hand: Hand, learned: Learned, tag: str, place: str, at_ns: int
    ) -> tuple[Following, Hand, Learned]:
        """An open card is proven gone from a place."""
        sightings = tuple([gone_from(one, place) if one.tag == tag else one for one in now.sightings])
        if is_placed(now, tag, place):
            return replace(now, sightings=sightings), hand, learned
        among = () if is_placed_at_best(now, tag, place) else now.explanations
        return self._thinking.think(replace(now, sightings=sightings), hand, learned, at_ns, among)

    def keyed(self, now: Following, event: Event) -> Following:
        """A key that changed the hand was pressed: it changes those that may have been dealt instead, too."""
        if not now.is_open and not now.recent:
            return now
        others = tuple([(self._redeal.deal(other, (event,), (), ()), share) for other, share in now.others])
        return replace(now, log=(*now.log, event), others=others)

    def completed(
        self, now: Following, before: Hand, hand: Hand, learned: Learned, event: Event, at_ns: int
    ) -> tuple[Following, Hand, Learned]:
        """The dealer called the deal complete; `before` is the hand before the key."""
        _, size = self._redeal.plan(hand)
        now = replace(
            now, complete=(event.seq, at_ns), log=now.log if now.log[-1:] != (event,) else now.log[:-1]
        )
        if not now.is_open:
            if now.pointer >= size and not now.queue:
                return replace(now, log=(*now.log, event)) if now.recent else now, hand, learned
            now = replace(now, base=before, since=event.seq - 1)
        now = replace(now, log=(*now.log, event))
        return self._thinking.think(now, hand, learned, at_ns)

    def settle(self, now: Following) -> Following:
        """Whatever comes next is about the hand as it is taken to be now."""
        if not now.explanations:
            return closed(now, now.pointer)
        best = now.explanations[0]
        heard = [heard_at(now, card) for card in best.cards]
        now = replace(
            now,
            served=(*now.served, *(card.place for card in best.cards)),
            read_ns=(*now.read_ns, *(0 if each is None else each.first_ns for each in heard)),
            anchor=None,
            queue=best.stands[-1].queue if best.stands else now.queue,
            habits=best.habits,
        )
        return closed(now, best.pointer)

    def resumed(self, now: Following, hand: Hand) -> Following:
        """Cards were moved: the dealer goes on from what lies there now."""
        _, size = self._redeal.plan(hand)
        served = tuple(card.at for card in hand.cards if card.is_in_play)
        pointer = hand.counted()
        if hand.end_deal_seq is not None:
            first = 1 if self.game.with_deal else 0
            passed = self.game.streets[first : max(first, hand.street)]
            pointer = size + sum(street.burn + street.cards for street in passed)
            pointer += hand.burn_given + hand.given
        read_ns = (0,) * len(served)
        return closed(replace(now, served=served, read_ns=read_ns, anchor=None, queue=()), pointer)

    def next_look_ns(self, now: Following, at_ns: int) -> int | None:
        """When silence will have told more: shortly after the next poll of where a card may lie unheard; else
        when the horizon settles the window."""
        if not now.is_open:
            return None
        at_ns = max(at_ns, now.known_ns)
        cycle_ns = self.model.sensor.cycle_ns
        if now.is_stale or can_silence_tell(now):
            wait_ns = self.model.sensor.late_ns
            polls = [now.phases[place] for place in silent_places(now) if place in now.phases]
            nexts = [at_ns + (poll_ns + wait_ns - at_ns - 1) % cycle_ns + 1 for poll_ns in polls]
            return min(nexts, default=at_ns + cycle_ns)
        heard_ns = max((heard.first_ns for one in now.sightings for heard in one.heard), default=now.last_ns)
        return max(at_ns + cycle_ns, heard_ns + self._settling.horizon_ns + 1)

    def _opened(self, now: Following, hand: Hand, sensor: SensorModel, heard: Heard) -> Following:
        """The window is open now, and with it what was settled a moment ago: the cards since the last one at
        that place, for this one may belong to it, if it may have been missed since then; and at least a
        few."""
        at_ns, cycle_ns = heard.first_ns, sensor.cycle_ns
        oldest_ns, lately_ns = at_ns - _LOOK_BACK_CYCLES * cycle_ns, at_ns - _LATELY_CYCLES * cycle_ns
        depth = 1 if heard.place in self.model.flat else now.served.count(heard.place) + 1
        missed = sensor.missed_at(depth)
        # the card behind the one that is due, heard before it: nothing that came before is in doubt
        ahead = self._redeal.plan(hand)[0][now.pointer + 1 : now.pointer + 2]
        may_be_late = not now.is_open and heard.place not in [due.place for due in ahead]
        count = 0
        for number, one in enumerate(reversed(now.recent), start=1):
            if one.at_ns <= oldest_ns or one.run != now.recent[-1].run:
                break
            is_like = one.sighting.heard[0].place == heard.place
            is_late = may_be_late and number <= LOOK_BACK_CARDS and one.at_ns > lately_ns
            polls = (at_ns - one.at_ns) // cycle_ns
            if is_late or (is_like and timing.missed_all(missed, polls) > _NEVER_MISSED):
                count = number
        if count:
            return opened_again(now, count)
        return now if now.is_open else replace(now, base=hand, since=heard.seq - 1)

    def heard_elsewhere(
        self, now: Following, hand: Hand, learned: Learned, tag: str, heard: Heard
    ) -> tuple[Following, Hand, Learned] | None:
        """A card that was settled a moment ago, on few reads, is heard at another place: it is opened
        again, and what was settled since. None where its place is beyond doubt."""
        oldest_ns = heard.first_ns - _LOOK_BACK_CYCLES * self.model.sensor.cycle_ns
        for number, one in enumerate(reversed(now.recent), start=1):
            if one.sighting.tag == tag:
                own = max((each.reads for each in one.sighting.heard if each.place != heard.place), default=0)
                if one.at_ns <= oldest_ns or own >= MOST_READS:
                    return None
                now = opened_again(now, number)
                sightings = with_heard(now.sightings, 0, heard)
                return self._thinking.think(replace(now, sightings=sightings), hand, learned, heard.first_ns)
        return None

    def read_settled(self, now: Following, tag: str, heard: Heard) -> Following:
        """A card that was settled a moment ago was read where it lies, for the first time or once more."""
        for number, one in enumerate(now.recent):
            if one.sighting.tag == tag:
                (sighting,) = with_heard((one.sighting,), 0, heard)
                again = replace(one, sighting=sighting)
                return replace(now, recent=(*now.recent[:number], again, *now.recent[number + 1 :]))
        return now

    def looked(
        self, now: Following, hand: Hand, learned: Learned, at_ns: int
    ) -> tuple[Following, Hand, Learned]:
        """Time passed: silence tells more, and so do cards that came as due in all explanations."""
        # what silence takes from the others is bounded by what it leaves to these
        among = now.explanations if share_heard(now) > _LEAST_HEARD else ()
        return self._thinking.think(now, hand, learned, at_ns, among)


def _hearing(now: Following, place: str) -> Following:
    """The antenna there hears: it is not deaf."""
    return replace(
        now,
        deaf=tuple(entry for entry in now.deaf if entry[0] != place),
        deafened={other: chance for other, chance in now.deafened.items() if other != place},
        unsure=tuple(other for other in now.unsure if other != place),
    )


def _is_expected(now: Following, plan: tuple[Due, ...], heard: Heard, cycle_ns: int) -> bool:
    """Is it more probable than not that a card lies unheard at a place, or is due there next? Of two that the
    same poll heard there either may have been first."""
    place, expected = heard.place, 0.0
    for other in now.sightings[:-1]:
        if any(each.place == place and each.first_ns > heard.first_ns - cycle_ns for each in other.heard):
            return False
    for one in now.explanations:
        is_unheard = any(card.tag is None and card.place == place for card in one.cards)
        expected += one.probability * (is_unheard or next_place(now, plan, one) == place)
    return not now.has_shoe and expected > 0.5
