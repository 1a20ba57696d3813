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

Pure, as all of `table`.
"""

from collections.abc import Callable
from itertools import pairwise

import msgspec

from shoe_bridge.table import timing
from shoe_bridge.table.card_times import OPEN, PACE, TOGETHER, Memo
from shoe_bridge.table.deafness import deaf_among, deafness, known_deaf
from shoe_bridge.table.deal_model import DealModel, SensorModel
from shoe_bridge.table.dealing import deal_card
from shoe_bridge.table.following import (
    PHASE_LASTS_NS,
    Following,
    Settled,
    can_silence_tell,
    closed,
    gone_from,
    heard_at,
    is_called_open,
    is_placed,
    is_placed_at_best,
    is_probably_erring,
    keys_of,
    last_heard_ns,
    last_stand,
    opened_again,
    read_once_more,
    remembering,
    share_heard,
    silent_places,
    with_heard,
)
from shoe_bridge.table.hand import BOARD, Hand
from shoe_bridge.table.learned import Learned, fitted, waits_ms2
from shoe_bridge.table.observations import Event, KeyPressed
from shoe_bridge.table.procedures import Procedure
from shoe_bridge.table.reconstruct import explain, explain_next
from shoe_bridge.table.redeal import UNHEARD, Redeal, filled_in, with_what_is_known
from shoe_bridge.table.settling import AGREED, MOST_SIGHTINGS, Settling, with_doubts
from shoe_bridge.table.window import (
    MOST_READS,
    Density,
    Due,
    Explanation,
    Heard,
    Sighting,
    Stand,
    Step,
    Taken,
    Window,
)

replace = msgspec.structs.replace

POLLS_TO_ASK = 4  # a card is asked for when so many polls had the chance to hear it
_LOOK_BACK_CYCLES = 16  # cards that were heard so many polls ago are not opened again
_LOOK_BACK_CARDS = 2  # so many are opened again whatever their places, if they were heard
_LATELY_CYCLES = 6  # within so many polls
_NEVER_MISSED = 1e-4  # a card that would have been missed so improbably often did not lie there
_PLAUSIBLE = 0.02  # of the chance that a card due now is first heard now
_NEXT_COUNTS = 1e-3  # a card heard where it is due is rather another one when that is so much as probable
_LEAST_HEARD = 0.2  # of the probability of explanations that silence takes nothing from
_LITTLE = 0.05  # so little probability of explanations is left out, where others would take one slip more


class Follower:
    """Follows the deals of one table. `replay` applies a key's event to a hand."""

    def __init__(self, game: Procedure, model: DealModel, replay: Callable[[Hand, Event], Hand]) -> None:
        self.game = game
        self.model = model
        self._redeal = Redeal(game, replay)
        self._settling = Settling(model, self._redeal)
        self._memo = Memo()
        self._patience_ns = POLLS_TO_ASK * model.sensor.cycle_ns

    # -- what happens

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
        due = None if now.is_open else self._due(now, plan)
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
                settled = self._as_due(now, hand, learned, tag, heard, due)
                if settled is not None:
                    return settled
        known = next((n for n, sighting in enumerate(now.sightings) if sighting.tag == tag), None)
        if known is None and (extended := self._extended(now, hand, tag, heard)) is not None:
            return *extended, learned
        if known is None:
            sightings = (*now.sightings, Sighting(tag, (heard,)))
        else:
            sightings = with_heard(now.sightings, known, heard)
        now = replace(
            now,
            sightings=sightings,
            deaf=tuple(entry for entry in now.deaf if entry[0] != place),
            deafened={other: chance for other, chance in now.deafened.items() if other != place},
            unsure=tuple(other for other in now.unsure if other != place),
        )
        sensor = fitted(self.model, learned).sensor
        now = self._opened(now, hand, sensor, heard)
        is_next = known is None and not now.presumed and _is_expected(now, plan, place)
        return self.think(now, hand, learned, at_ns, is_next=is_next)

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

    def _extended(self, now: Following, hand: Hand, tag: str, heard: Heard) -> tuple[Following, Hand] | None:
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
            if _next_place(now, plan, one) != heard.place:
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
        return self._as_explained(now, hand, size)

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

    def drawn(self, now: Following, hand: Hand, tag: str, at_ns: int, seq: int) -> Following:
        """A card left the shoe: the next card off the deck is this one, wherever it goes."""
        plan, _ = self._redeal.plan(hand)
        if now.holds(tag) or hand.find(tag) is not None or now.pointer >= len(plan):
            return now
        sightings = (*now.sightings, Sighting(tag, (), at_ns))
        if not now.is_open:
            now = replace(now, base=hand, since=seq - 1)
        return replace(now, sightings=sightings, has_shoe=True, known_ns=max(now.known_ns, at_ns))

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
        return self.think(replace(now, sightings=sightings), hand, learned, at_ns, among)

    def departed(
        self, now: Following, hand: Hand, learned: Learned, tag: str, place: str, at_ns: int
    ) -> tuple[Following, Hand, Learned]:
        """An open card is proven gone from a place."""
        sightings = tuple([gone_from(one, place) if one.tag == tag else one for one in now.sightings])
        if is_placed(now, tag, place):
            return replace(now, sightings=sightings), hand, learned
        among = () if is_placed_at_best(now, tag, place) else now.explanations
        return self.think(replace(now, sightings=sightings), hand, learned, at_ns, among)

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
        return self.think(now, hand, learned, at_ns)

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
            is_late = may_be_late and number <= _LOOK_BACK_CARDS and one.at_ns > lately_ns
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
                return self.think(replace(now, sightings=sightings), hand, learned, heard.first_ns)
        return None

    def read_settled(self, now: Following, tag: str, heard: Heard) -> Following:
        """A card that was settled a moment ago was read where it lies, for the first time or once more."""
        for number, one in enumerate(now.recent):
            if one.sighting.tag == tag:
                (sighting,) = with_heard((one.sighting,), 0, heard)
                again = replace(one, sighting=sighting)
                return replace(now, recent=(*now.recent[:number], again, *now.recent[number + 1 :]))
        return now

    # -- as expected

    def _as_due(
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
        now, learned = self._taught(now, learned, plan=self._redeal.plan(hand)[0])
        self._memo.forget()
        return now, deal_card(hand, self.game, tag, heard.place, heard.seq), learned

    def _taught(self, now: Following, learned: Learned, plan: tuple[Due, ...]) -> tuple[Following, Learned]:
        """What the gaps between the cards teach that were settled some cards ago, each of them once."""
        upto = len(now.served) - _LOOK_BACK_CARDS
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

    def _as_it_seems(self, now: Following, learned: Learned) -> Learned:
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

    def _due(self, now: Following, plan: tuple[Due, ...]) -> Due | None:
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
            start, sums = now.anchor.start, timing.sums_of(now.anchor.mass)
            is_together = due.place == BOARD == now.served[-1]
            gap_ns = (0 if is_together else dealer.pace_ns[0], dealer.pace_ns[1])
            start, mass = timing.after_gap(start, sums, read, gap_ns, 0.0, 0)
            if timing.total(mass) < _PLAUSIBLE:
                return None
        start, mass = timing.trimmed((start, mass))
        whole = timing.total(mass)
        return Density(start, tuple([each / whole for each in mass]))

    # -- not as expected

    def looked(
        self, now: Following, hand: Hand, learned: Learned, at_ns: int
    ) -> tuple[Following, Hand, Learned]:
        """Time passed: silence tells more, and so do cards that came as due in all explanations."""
        # what silence takes from the others is bounded by what it leaves to these
        among = now.explanations if share_heard(now) > _LEAST_HEARD else ()
        return self.think(now, hand, learned, at_ns, among)

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
        model = fitted(self.model, self._as_it_seems(now, learned))
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
        now, learned = self._taught(now, learned, plan)
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
        now, hand = self._as_explained(now, hand, size)
        return replace(now, asked=self._overdue_places(now, base, size, at_ns)), hand, learned

    def _explained(
        self, now: Following, window: Window, model: DealModel, among: tuple[Explanation, ...], is_next: bool
    ) -> tuple[Explanation, ...]:
        """Before an error that was known is called certain all explanations are looked for."""
        known: tuple[Explanation, ...] = ()
        if is_next and now.explanations and not window.is_complete:
            known = explain_next(window, model, self._memo, now.explanations)
        elif among:
            # cards that were added unweighed may clear the dealer
            others = max(1, among[0].slips) if now.is_stale and is_probably_erring(now) else 0
            known = explain(window, model, self._memo, among, others)
        if known and not (known[0].slips and self._makes_certain(now, known)):
            return known
        return explain(window, model, self._memo)

    def _makes_certain(self, now: Following, explanations: tuple[Explanation, ...]) -> bool:
        """Is the most probable explanation certain, and was not?"""
        certain = self.model.certainty.certain
        return explanations[0].probability >= certain > now.explanations[0].probability

    def _as_explained(self, now: Following, hand: Hand, size: int) -> tuple[Following, Hand]:
        """The hand as the most probable explanation has it, and what may have been dealt instead."""
        assert now.base is not None
        hands = self._redeal.hands(now, now.base, hand, size)
        return replace(now, others=tuple(hands[1:]), certainty=hands[0][1]), hands[0][0]

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


def _next_place(now: Following, plan: tuple[Due, ...], one: Explanation) -> str | None:
    """Where the next card is due behind all cards of an explanation; None behind the plan's end."""
    pointer, queue, _ = last_stand(now, one)
    return queue[0] if queue else plan[pointer].place if pointer < len(plan) else None


def _is_expected(now: Following, plan: tuple[Due, ...], place: str) -> bool:
    """Is it more probable than not that a card lies unheard at a place, or is due there next?"""
    expected = 0.0
    for one in now.explanations:
        is_unheard = any(card.tag is None and card.place == place for card in one.cards)
        expected += one.probability * (is_unheard or _next_place(now, plan, one) == place)
    return not now.has_shoe and expected > 0.5


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
