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

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from shoe_bridge.table import timing
from shoe_bridge.table.deal_model import DealModel, SensorModel
from shoe_bridge.table.dealing import deal_card
from shoe_bridge.table.hand import BOARD, BURN, Hand, places_of_the_deal
from shoe_bridge.table.learned import Learned, fitted, waits_ms2
from shoe_bridge.table.observations import Event, KeyPressed
from shoe_bridge.table.procedures import Procedure
from shoe_bridge.table.reconstruct import Memo, explain
from shoe_bridge.table.window import Density, Due, Explanation, Heard, Sighting, Stand, Taken, Window

replace = msgspec.structs.replace

UNHEARD = "?"  # how the tag of a card begins that no antenna has heard
HORIZON_CYCLES = 20  # a card is settled at the latest so many polls after it was heard
POLLS_TO_ASK = 4  # a card is asked for when so many polls had the chance to hear it
_LOOK_BACK_CYCLES = 16  # cards that were heard so many polls ago are not opened again
_LOOK_BACK_CARDS = 2  # so many are opened again whatever their places, if they were heard
_LATELY_CYCLES = 6  # within so many polls
_MOST_RECENT = 8
_NEVER_MISSED = 1e-4  # a card that would have been missed so improbably often did not lie there
_MOST_SIGHTINGS = 14
_TELLING_CARDS = 4  # the order of cards that all were heard is told by so many that follow
_AGREED = 0.999
_LATE_POLL = 16  # a poll is over when such a part of a cycle has passed
_PHASE_LASTS_NS = 30_000_000_000  # after so long a polling cycle may have shifted
_PLAUSIBLE = 0.02  # of the chance that a card due now is first heard now
_NEXT_COUNTS = 1e-3  # a card heard where it is due is rather another one when that is so much as probable
_MOST_READS = 3
_MOST_HANDS = 12  # that are judged, as long as more
_HANDS_SHARE = 0.9998  # of the probability is not told; what is not judged counts against each finding
_MOST_PLANS = 64
_DEAF_FROM = 0.5


class Settled(msgspec.Struct, frozen=True):
    """A card that was settled lately, with all that held before it: a read that comes late can open it
    again. It was first heard at `at_ns` and counts as dealt in event `seq`."""

    sighting: Sighting
    at_ns: int
    seq: int
    run: int
    before: Hand
    pointer: int
    queue: tuple[str, ...]
    habits: tuple[str, ...]
    served: int
    anchor: Density | None
    last_ns: int


class Following(msgspec.Struct, frozen=True):
    """Where the deal of hand `number` stands. `pointer` counts the entries of the plan that are passed by
    settled cards, `served` their places, `anchor` is the time of the last of them and `last_ns` its first
    read. The window is open where `base` is set: the hand before its first card and after event `since`;
    `log` are the keys since the first of its cards or of the `recent` ones. `phases` gives for each place a
    time at which its antenna was polled lately. `complete` is the event and the time at which
    the dealer called the initial deal complete. `others` are the hands that may have been dealt instead,
    with their probabilities."""

    number: int
    pointer: int = 0
    served: tuple[str, ...] = ()
    read_ns: tuple[int, ...] = ()  # when each of them was read first, 0 where it was not
    taught: int = 0  # so many of them have taught the pace
    anchor: Density | None = None
    last_ns: int = 0
    base: Hand | None = None
    since: int = 0
    log: tuple[Event, ...] = ()
    sightings: tuple[Sighting, ...] = ()
    phases: dict[str, int] = {}
    live: frozenset[str] = frozenset()  # the places whose antennas heard something in this hand
    complete: tuple[int, int] | None = None
    explanations: tuple[Explanation, ...] = ()
    others: tuple[tuple[Hand, float], ...] = ()
    certainty: float = 1.0  # of the hand as it is taken to be, the window's doubts only
    settled: float = 1.0  # the same of what was settled at the horizon
    counted: float = 1.0  # and of how many cards each place got, as far as that was settled so
    aligned: float = 1.0  # and of where the dealer stood then
    erred: float = 0.0  # that what was settled so holds an error, whichever, where it is taken to hold one
    doubted: int = 0  # the last event that was settled so
    deaf: tuple[tuple[str, float], ...] = ()  # places whose antennas hear nothing, with the probability
    habits: tuple[str, ...] = ()  # seats that were skipped or dealt in
    queue: tuple[str, ...] = ()  # what is left of a swap or a turned pass that is settled so far
    has_shoe: bool = False  # a shoe tells each card that leaves the deck
    is_stale: bool = False  # cards came as due since the explanations were weighed
    recent: tuple[Settled, ...] = ()  # the last cards that were settled
    known_ns: int = 0  # what is known is known by then: what is told later may have been so before
    asked: tuple[str, ...] = ()  # places where a card lies unheard for so long that it is asked for

    @property
    def is_open(self) -> bool:
        return self.base is not None

    def is_as_told(self, other: "Following") -> bool:
        """Does it say the same of the deal as `other` did, from which it was made?"""
        return self is other or (
            self.explanations is other.explanations
            and self.others is other.others
            and self.asked == other.asked
            and self.deaf == other.deaf
            and self.settled == other.settled
            and self.counted == other.counted
            and self.erred == other.erred
            and self.certainty == other.certainty
        )

    def holds(self, tag: str) -> bool:
        """Is the card of this tag still open?"""
        return any(sighting.tag == tag for sighting in self.sightings)

    def awaits(self, tag: str) -> bool:
        """Has the card of this tag left the shoe, and no antenna heard it yet?"""
        return any(sighting.tag == tag and not sighting.heard for sighting in self.sightings)


def plan_of(hand: Hand, game: Procedure) -> tuple[tuple[Due, ...], int]:
    """The plan of the hand as far as it can be known when it begins, and how many of its entries are the
    initial deal: the passes, and the streets up to the first that does not go to the board."""
    plan: list[Due] = []
    one_pass = tuple(places_of_the_deal(hand, 1, game.to_dealer))
    for run in range(game.passes):
        for number, place in enumerate(one_pass):
            plan.append(Due(place, run, run == number == 0, () if number else one_pass))
    size = len(plan)
    for index, street in enumerate(game.streets[: game.streets_to_board]):
        run = game.passes + index
        places = (BURN,) * street.burn + (BOARD,) * street.cards
        is_of_deal = game.with_deal and index == 0
        plan += [
            Due(place, run, n == 0 and not is_of_deal, is_of_pass=False) for n, place in enumerate(places)
        ]
        size += len(places) * is_of_deal
    return tuple(plan), size


def begun(number: int, before: Following) -> Following:
    """Nothing was dealt yet in hand `number`: the readers are polled as they were."""
    return Following(number, phases=before.phases)


class Follower:
    """Follows the deals of one table. `replay` applies a key's event to a hand."""

    def __init__(self, game: Procedure, model: DealModel, replay: Callable[[Hand, Event], Hand]) -> None:
        self.game = game
        self.model = model
        self._replay = replay
        self._memo = Memo()
        self._horizon_ns = HORIZON_CYCLES * model.sensor.cycle_ns
        self._patience_ns = POLLS_TO_ASK * model.sensor.cycle_ns
        self._plans: dict[tuple[int, ...], tuple[tuple[Due, ...], int]] = {}

    # -- what happens

    def arrived(
        self, now: Following, hand: Hand, learned: Learned, tag: str, place: str, at_ns: int, seq: int
    ) -> tuple[Following, Hand, Learned]:
        """A tag that is no settled card of the hand was heard at a place where it was not before."""
        plan, _ = self._plan(hand)
        heard = Heard(place, at_ns, seq)
        if 0 < _last_heard_ns(now) < at_ns - self.model.dealer.longest_ns and self._is_paced(now, plan):
            # longer than any pause: what comes now says nothing of what came before
            now = replace(self.settle(now), anchor=None)
        if self._is_beyond(now, plan, tag):
            now = self.settle(_with_doubts(now, len(now.explanations[0].cards)) if now.explanations else now)
            return _closed(now, now.pointer), deal_card(hand, self.game, tag, place, seq), learned
        if not now.is_open:
            if now.pointer >= len(plan) and not now.queue and not now.recent:
                return now, deal_card(hand, self.game, tag, place, seq), learned
            due = self._due(now, plan)
            is_due = due is not None and due.place == place and not (due.is_open and hand.round_open)
            filled = None if is_due else _filled(hand, tag, place)
            if filled is not None:
                asked = tuple(card.at for card in filled.cards if card.tag.startswith(UNHEARD))
                return replace(now, asked=asked), filled, learned
            if due is not None and due.place == place and not (due.is_open and hand.round_open):
                settled = self._as_due(now, hand, learned, tag, heard, due)
                if settled is not None:
                    return settled
        known = next((n for n, sighting in enumerate(now.sightings) if sighting.tag == tag), None)
        if known is None and (extended := self._extended(now, hand, tag, heard)) is not None:
            return *extended, learned
        if known is None:
            sightings = (*now.sightings, Sighting(tag, (heard,)))
        else:
            sightings = _with_heard(now.sightings, known, heard)
        now = replace(
            now,
            sightings=sightings,
            deaf=tuple(entry for entry in now.deaf if entry[0] != place),
        )
        sensor = fitted(self.model, learned).sensor
        return self.think(self._opened(now, hand, sensor, heard), hand, learned, at_ns)

    def _is_paced(self, now: Following, plan: tuple[Due, ...]) -> bool:
        """Is the next card due at the dealer's pace, as against whenever a betting round is over?"""
        pointer = now.explanations[0].pointer if now.explanations else now.pointer
        return pointer < len(plan) and not plan[pointer].is_open

    def _is_beyond(self, now: Following, plan: tuple[Due, ...], tag: str) -> bool:
        """Is it a card of a street that goes to the seats? No plan tells its order: that is taken as it is
        read."""
        if self.game.streets_to_board == len(self.game.streets) or now.holds(tag):
            return False
        if now.explanations:
            best = now.explanations[0]
            stand = _last_stand(now, best)
            return stand.pointer >= len(plan) and not stand.queue
        return not now.is_open and now.pointer >= len(plan) and not now.queue

    def _extended(self, now: Following, hand: Hand, tag: str, heard: Heard) -> tuple[Following, Hand] | None:
        """The card is due where it is heard in every explanation: they all go on with it, and are weighed
        anew at the next look. None where that is not so."""
        if not now.explanations or hand.round_open:
            return None
        plan, _ = self._plan(hand)
        card = Taken(heard.place, tag)
        longer = []
        for one in now.explanations:
            pointer, queue, habits = _last_stand(now, one)
            due = queue[0] if queue else plan[pointer].place if pointer < len(plan) else None
            if due != heard.place or len(now.sightings) >= _MOST_SIGHTINGS:
                return None
            stand = Stand(pointer if queue else pointer + 1, queue[1:], habits)
            longer.append(
                replace(one, cards=(*one.cards, card), stands=(*one.stands, stand), pointer=stand.pointer)
            )
        others = [(deal_card(other, self.game, tag, heard.place, heard.seq), p) for other, p in now.others]
        now = replace(
            now,
            sightings=(*now.sightings, Sighting(tag, (heard,))),
            explanations=tuple(longer),
            others=tuple(others),
            is_stale=True,
        )
        return now, deal_card(hand, self.game, tag, heard.place, heard.seq)

    def drawn(self, now: Following, hand: Hand, tag: str, at_ns: int, seq: int) -> Following:
        """A card left the shoe: the next card off the deck is this one, wherever it goes."""
        plan, _ = self._plan(hand)
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
        sightings = tuple([_read_again(one, place) if one.tag == tag else one for one in now.sightings])
        if _is_placed(now, tag, place):
            return replace(now, sightings=sightings), hand, learned
        return self.think(replace(now, sightings=sightings), hand, learned, at_ns)

    def departed(
        self, now: Following, hand: Hand, learned: Learned, tag: str, place: str, at_ns: int
    ) -> tuple[Following, Hand, Learned]:
        """An open card is proven gone from a place."""
        sightings = tuple([_gone(one, place) if one.tag == tag else one for one in now.sightings])
        if _is_placed(now, tag, place):
            return replace(now, sightings=sightings), hand, learned
        return self.think(replace(now, sightings=sightings), hand, learned, at_ns)

    def keyed(self, now: Following, event: Event) -> Following:
        """A key that changed the hand was pressed."""
        return replace(now, log=(*now.log, event)) if now.is_open or now.recent else now

    def completed(
        self, now: Following, before: Hand, hand: Hand, learned: Learned, event: Event, at_ns: int
    ) -> tuple[Following, Hand, Learned]:
        """The dealer called the deal complete; `before` is the hand before the key."""
        _, size = self._plan(hand)
        now = replace(
            now, complete=(event.seq, at_ns), log=now.log if now.log[-1:] != (event,) else now.log[:-1]
        )
        if not now.is_open:
            if now.pointer >= size:
                return replace(now, log=(*now.log, event)) if now.recent else now, hand, learned
            now = replace(now, base=before, since=event.seq - 1)
        now = replace(now, log=(*now.log, event))
        return self.think(now, hand, learned, at_ns)

    def settle(self, now: Following) -> Following:
        """Whatever comes next is about the hand as it is taken to be now."""
        if not now.explanations:
            return _closed(now, now.pointer)
        best = now.explanations[0]
        heard = [_heard_at(now, card) for card in best.cards]
        now = replace(
            now,
            served=(*now.served, *(card.place for card in best.cards)),
            read_ns=(*now.read_ns, *(0 if each is None else each.first_ns for each in heard)),
            anchor=None,
            queue=best.stands[-1].queue if best.stands else now.queue,
            habits=best.habits,
        )
        return _closed(now, best.pointer)

    def resumed(self, now: Following, hand: Hand) -> Following:
        """Cards were moved: the dealer goes on from what lies there now."""
        _, size = self._plan(hand)
        served = tuple(card.at for card in hand.cards if card.is_in_play)
        pointer = hand.counted()
        if hand.end_deal_seq is not None:
            first = 1 if self.game.with_deal else 0
            passed = self.game.streets[first : max(first, hand.street)]
            pointer = size + sum(street.burn + street.cards for street in passed)
            pointer += hand.burn_given + hand.given
        read_ns = (0,) * len(served)
        return _closed(replace(now, served=served, read_ns=read_ns, anchor=None, queue=()), pointer)

    def next_look_ns(self, now: Following, at_ns: int) -> int | None:
        """When silence will have told more: shortly after the next poll of where a card may lie unheard; else
        when the horizon settles the window."""
        if not now.is_open:
            return None
        at_ns = max(at_ns, now.known_ns)
        cycle_ns = self.model.sensor.cycle_ns
        if now.is_stale or _can_silence_tell(now):
            wait_ns = cycle_ns // _LATE_POLL
            polls = [now.phases[place] for place in _silent_places(now) if place in now.phases]
            nexts = [at_ns + (poll_ns + wait_ns - at_ns - 1) % cycle_ns + 1 for poll_ns in polls]
            return min(nexts, default=at_ns + cycle_ns)
        heard_ns = max((heard.first_ns for one in now.sightings for heard in one.heard), default=now.last_ns)
        return max(at_ns + cycle_ns, heard_ns + self._horizon_ns + 1)

    def _opened(self, now: Following, hand: Hand, sensor: SensorModel, heard: Heard) -> Following:
        """The window is open now, and with it what was settled a moment ago: the cards since the last one at
        that place, for this one may belong to it, if it may have been missed since then; and at least a
        few."""
        at_ns, cycle_ns = heard.first_ns, sensor.cycle_ns
        oldest_ns, lately_ns = at_ns - _LOOK_BACK_CYCLES * cycle_ns, at_ns - _LATELY_CYCLES * cycle_ns
        depth = 1 if heard.place in self.model.flat else now.served.count(heard.place) + 1
        missed = sensor.missed_at(depth)
        # the card behind the one that is due, heard before it: nothing that came before is in doubt
        ahead = self._plan(hand)[0][now.pointer + 1 : now.pointer + 2]
        may_be_late = not now.is_open and heard.place not in [due.place for due in ahead]
        count = 0
        for number, one in enumerate(reversed(now.recent), start=1):
            if one.at_ns <= oldest_ns or one.run != now.recent[-1].run:
                break
            is_like = one.sighting.heard[0].place == heard.place
            is_late = may_be_late and number <= _LOOK_BACK_CARDS and one.at_ns > lately_ns
            polls = (at_ns - one.at_ns) // cycle_ns
            if is_late or (is_like and _chance_of(missed, polls) > _NEVER_MISSED):
                count = number
        if count:
            return _opened_again(now, count)
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
                if one.at_ns <= oldest_ns or own >= _MOST_READS:
                    return None
                now = _opened_again(now, number)
                sightings = _with_heard(now.sightings, 0, heard)
                return self.think(replace(now, sightings=sightings), hand, learned, heard.first_ns)
        return None

    def read_settled(self, now: Following, tag: str, heard: Heard) -> Following:
        """A card that was settled a moment ago was read where it lies, for the first time or once more."""
        for number, one in enumerate(now.recent):
            if one.sighting.tag == tag:
                (sighting,) = _with_heard((one.sighting,), 0, heard)
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
            **_remembering(now, settled),
            known_ns=heard.first_ns,
        )
        now, learned = self._taught(now, learned, plan=self._plan(hand)[0])
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

    def _may_be_next(self, now: Following, hand: Hand, place: str, model: DealModel) -> bool:
        """May the card that is due be unheard, and this be the next one, heard by a neighbour's antenna?"""
        plan, _ = self._plan(hand)
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

    def think(
        self, now: Following, hand: Hand, learned: Learned, at_ns: int
    ) -> tuple[Following, Hand, Learned]:
        """Explain the window anew and take the hand for what the best explanation makes of it."""
        at_ns = max(at_ns, now.known_ns)
        now = replace(now, known_ns=at_ns)
        plan, size = self._plan(hand)
        window = Window(
            plan,
            now.pointer,
            now.served,
            now.anchor,
            now.sightings,
            {place: poll_ns for place, poll_ns in now.phases.items() if poll_ns > at_ns - _PHASE_LASTS_NS},
            at_ns,
            now.complete is not None and now.pointer < size,
            size,
            tuple([place for place, _ in now.deaf]),
            now.habits,
            now.queue,
            _streets_due(now, plan),
            now.has_shoe,
            now.live,
        )
        explanations = explain(window, fitted(self.model, learned), self._memo)
        if not explanations:
            return *self._as_told(now, hand, size), learned
        now = replace(now, explanations=explanations, deaf=_deaf(now, explanations), is_stale=False)
        now, learned = self._settle_front(now, learned, size, at_ns)
        best, base = now.explanations[0], now.base
        assert base is not None
        if not now.sightings and not best.cards and self._is_done(now, at_ns):
            dealt = _kept(self._deal(base, _keys_of(now), (), ()), hand)
            asked = tuple(card.at for card in dealt.cards if card.tag.startswith(UNHEARD))
            closed = replace(
                _closed(now, best.pointer),
                asked=asked,
                recent=now.recent,
                log=now.log,
                habits=best.habits,
            )
            return closed, dealt, learned
        hands = self._hands(now, base, hand, size)
        now = replace(
            now,
            others=tuple(hands[1:]),
            certainty=hands[0][1],
            asked=self._overdue_places(now, base, size, at_ns),
        )
        return now, hands[0][0], learned

    def _is_done(self, now: Following, at_ns: int) -> bool:
        """All explanations are through with the window at one entry of the plan, or none can be waited
        for."""
        best = now.explanations[0]
        same = 0.0
        for one in now.explanations:
            if not one.cards and one.pointer == best.pointer:
                same += one.probability
        return same > _AGREED or at_ns - now.last_ns > self._horizon_ns

    def _hands(self, now: Following, base: Hand, hand: Hand, size: int) -> list[tuple[Hand, float]]:
        """The hands that the explanations make, the most probable first, until next to nothing is left."""
        chances: dict[tuple[tuple[str, bool], ...], tuple[Explanation, float]] = {}
        for one in now.explanations:
            key = tuple([(card.place, card.tag is None) for card in one.cards])
            first, chance = chances.get(key, (one, 0.0))
            chances[key] = (first, chance + one.probability)
        hands = []
        told = 0.0
        for one, chance in sorted(chances.values(), key=lambda entry: entry[1], reverse=True)[:_MOST_HANDS]:
            dealt = self._deal(base, _keys_of(now), one.cards, _slots(one, now, size))
            hands.append((_kept(dealt, hand), chance))
            told += chance
            if told > _HANDS_SHARE:
                break
        return hands

    def _settle_front(
        self, now: Following, learned: Learned, size: int, at_ns: int
    ) -> tuple[Following, Learned]:
        """Cards at the window's front on which all that may be true agrees are settled, and those that are
        older than the horizon."""
        best, base = now.explanations[0], now.base
        assert base is not None
        agreed = _agreed(now)
        count = max(agreed, self._overdue(now, best, size, at_ns))
        if not count:
            return now, learned
        cards, stand = best.cards[:count], best.stands[count - 1]
        if count > agreed:
            now = _with_doubts(now, count)
        slots = _slots(best, now, size)
        upto = slots[count] if count < len(slots) else slots[-1]
        keys = [event for event in _keys_of(now) if event.seq < upto]
        remaining = [
            replace(one, cards=one.cards[count:], stands=one.stands[count:], times=one.times[count:])
            for one in now.explanations
            if _is_same(best, one, count)
        ]
        share = 0.0
        for one in remaining:
            share += one.probability
        dealt, settled = self._settle_cards(now, best, slots[:count], keys)
        heard = [_heard_at(now, card) for card in cards]
        tags = {card.tag for card in cards}
        now = replace(
            now,
            pointer=stand.pointer,
            queue=stand.queue,
            habits=stand.habits,
            served=(*now.served, *(card.place for card in cards)),
            read_ns=(*now.read_ns, *(0 if each is None else each.first_ns for each in heard)),
            anchor=_normal(best.times[count - 1]),
            last_ns=next((each.first_ns for each in reversed(heard) if each is not None), at_ns),
            base=dealt,
            since=upto - 1,
            **_remembering(now if None not in heard else replace(now, recent=()), *settled),
            sightings=tuple([sighting for sighting in now.sightings if sighting.tag not in tags]),
            explanations=tuple([replace(one, probability=one.probability / share) for one in remaining]),
        )
        return self._taught(now, learned, self._plan(base)[0])

    def _settle_cards(
        self, now: Following, best: Explanation, slots: list[int], keys: list[Event]
    ) -> tuple[Hand, list[Settled]]:
        """Deal the window's first cards for good; gives the hand after them, and those that were heard."""
        plan, _ = self._plan(now.base) if now.base is not None else ((), 0)
        hand, settled = now.base, list[Settled]()
        assert hand is not None
        stand, anchor, last_ns = Stand(now.pointer, now.queue, now.habits), now.anchor, now.last_ns
        left = list(keys)
        for number, (card, slot) in enumerate(zip(best.cards, slots, strict=False)):
            due = [event for event in left if event.seq < slot]
            before = self._deal(hand, due, (), ())
            left = left[len(due) :]
            hand = self._deal(before, (), (card,), (slot,))
            heard = _heard_at(now, card)
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
        return self._deal(hand, left, (), ()), settled

    def _overdue(self, now: Following, best: Explanation, size: int, at_ns: int) -> int:
        """How many of the window's first cards are older than the horizon, or too many to keep."""
        count = 0
        for number, card in enumerate(best.cards, start=1):
            heard = _heard_at(now, card)
            if heard is not None and heard.first_ns < at_ns - self._horizon_ns:
                count = number
        is_called = now.complete is not None and now.pointer < size
        if is_called and now.complete is not None and now.complete[1] < at_ns - self._horizon_ns:
            return len(best.cards)
        return max(count, self._outrun(now, best))

    def _outrun(self, now: Following, best: Explanation) -> int:
        """How many of the window's first cards have so many behind them that no more can be told of them: all
        explanations that may be true have the dealer stand at one point after them, with the same cards out,
        and differ in their order only. Where the window is full, its first ones whatever they are."""
        crowd = len(now.sightings) - _MOST_SIGHTINGS
        if _can_silence_tell(now):
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

    def _overdue_places(self, now: Following, base: Hand, size: int, at_ns: int) -> tuple[str, ...]:
        """Where a card has lain unheard for so long that it is asked for."""
        places = [card.at for card in base.cards if card.tag.startswith(UNHEARD)]
        is_called = now.complete is not None and now.pointer < size
        since_ns = now.complete[1] if now.complete is not None and is_called else at_ns
        waiting = []
        for card in reversed(now.explanations[0].cards):
            heard = _heard_at(now, card)
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
        dealt = self._deal(now.base, _keys_of(now), cards, [seq for seq, _ in told])
        served = (*now.served, *(card.place for card in cards))
        read_ns = (*now.read_ns, *(0 for _ in cards))
        pointer = now.pointer + max(0, len(cards) - len(now.queue))
        if now.complete is not None:
            pointer = max(pointer, size)
        left = now.queue[len(cards) :]
        now = replace(now, served=served, read_ns=read_ns, anchor=None, queue=left)
        return _closed(now, pointer), _kept(dealt, hand)

    def _deal(self, base: Hand, log: Sequence[Event], cards: Sequence[Taken], slots: Sequence[int]) -> Hand:
        """Deal the cards on top of `base`, with the keys in between where they were pressed."""
        hand, keys = base, list(log)
        for card, slot in zip(cards, slots, strict=True):
            while keys and keys[0].seq < slot:
                hand = self._replay(hand, keys.pop(0))
            tag = f"{UNHEARD}{len(hand.cards) + 1}" if card.tag is None else card.tag
            hand = deal_card(hand, self.game, tag, card.place, slot)
        for event in keys:
            hand = self._replay(hand, event)
        return hand

    def _plan(self, hand: Hand) -> tuple[tuple[Due, ...], int]:
        plan = self._plans.get(hand.order)
        if plan is None:
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            plan = self._plans[hand.order] = plan_of(hand, self.game)
        return plan


def _chance_of(missed: float, polls: int) -> float:
    """That so many polls miss a card. By products only: every machine comes to the same."""
    chance = 1.0
    for _ in range(polls):
        chance *= missed
    return chance


def _opened_again(now: Following, count: int) -> Following:
    """With the last `count` settled cards in the window again."""
    again = now.recent[-count:]
    first = again[0]
    return replace(
        now,
        base=first.before,
        since=first.seq - 1,
        pointer=first.pointer,
        queue=first.queue,
        habits=first.habits,
        served=now.served[: first.served],
        read_ns=now.read_ns[: first.served],
        anchor=first.anchor,
        last_ns=first.last_ns,
        sightings=(*(one.sighting for one in again), *now.sightings),
        recent=now.recent[:-count],
    )


def _remembering(now: Following, *settled: Settled) -> dict[str, Any]:
    """`recent` with more cards, and the keys since the first of them or since the window was opened."""
    recent = (*now.recent, *settled)[-_MOST_RECENT:]
    log = now.log
    if log and recent:
        # a card counts as dealt by the key that ended the deal, where that was pressed before it was heard
        first = min(now.since + 1, recent[0].seq) if now.is_open else recent[0].seq
        log = tuple([event for event in log if event.seq >= first])
    return {"recent": recent, "log": log}


def _streets_due(now: Following, plan: tuple[Due, ...]) -> int | None:
    """How many streets may have begun since the window was opened: one for each betting round that was closed
    by then and whose street was not begun yet. None where nobody tells of betting rounds."""
    base = now.base
    if base is None or not base.tracks_betting:
        return None
    keys = (event.observation for event in _keys_of(now))
    closed = [key for key in keys if isinstance(key, KeyPressed) and key.key == "end bet"]
    is_next = now.pointer < len(plan) and plan[now.pointer].is_open and not now.queue
    is_due = is_next and base.end_deal_seq is not None and not base.round_open
    return len(closed) + is_due


def _last_stand(now: Following, one: Explanation) -> Stand:
    """Where the dealer stands behind all cards of an explanation, entries that were skipped since passed."""
    stand = one.stands[-1] if one.stands else Stand(now.pointer, now.queue)
    return Stand(max(stand.pointer, one.pointer), stand.queue, one.habits)


def _keys_of(now: Following) -> list[Event]:
    """The keys that were pressed since the window's first card."""
    return [event for event in now.log if event.seq > now.since]


def _is_placed(now: Following, tag: str, place: str) -> bool:
    """Do all explanations have the tag at `place`? Then hearing it there again tells nothing."""
    for one in now.explanations:
        if not any(card.tag == tag and card.place == place for card in one.cards):
            return False
    return bool(now.explanations)


def _can_silence_tell(now: Following) -> bool:
    """Does any explanation have a card that is unheard where it is said to lie?"""
    if not now.explanations:
        return True
    for one in now.explanations:
        for card in one.cards:
            heard = _heard_at(now, card)
            if heard is None or heard.place != card.place:
                return True
    return False


def _silent_places(now: Following) -> set[str]:
    """Where the two most probable explanations have a card that nobody has heard."""
    return {card.place for one in now.explanations[:2] for card in one.cards if _heard_at(now, card) is None}


def _closed(now: Following, pointer: int) -> Following:
    return replace(
        now,
        pointer=pointer,
        base=None,
        sightings=(),
        explanations=(),
        others=(),
        certainty=1.0,
        is_stale=False,
        recent=(),
        log=(),
    )


def _normal(density: Density) -> Density:
    whole = timing.total(density.mass)
    return Density(density.start, tuple([each / whole for each in density.mass]))


def _filled(hand: Hand, tag: str, place: str) -> Hand | None:
    """A card that was given up for unheard is heard after all; None where there is none at that place."""
    for card in hand.cards:
        if card.at == place and card.tag.startswith(UNHEARD):
            heard = replace(card, tag=tag)
            cards = tuple([heard if each.number == card.number else each for each in hand.cards])
            return replace(hand, cards=cards)
    return None


def _deaf(now: Following, explanations: tuple[Explanation, ...]) -> tuple[tuple[str, float], ...]:
    chances = dict.fromkeys((place for place, _ in now.deaf), 0.0)
    for one in explanations:
        for place in one.deaf:
            chances[place] = chances.get(place, 0.0) + one.probability
    return tuple([(place, chance) for place, chance in chances.items() if chance > _DEAF_FROM])


def _agreed(now: Following) -> int:
    """So many first cards are heard, and lie at the same places in the same order in all explanations that
    may be true. Which card of a flop came first is all the same."""
    best = now.explanations[0]
    heard = 0
    for card in best.cards:
        if _heard_at(now, card) is None:
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
        if told > _AGREED:
            break
        told += one.probability
        likely.append(one)
    return likely


def _with_doubts(now: Following, count: int) -> Following:
    """The window's first cards are settled though not all explanations agree on them: what is left of that on
    which findings may rest."""
    best = now.explanations[0]
    same = aligned = erred = 0.0
    for one in now.explanations:
        same += one.probability if _is_same(best, one, count) else 0.0
        aligned += one.probability if one.stands[count - 1 : count] == best.stands[count - 1 : count] else 0.0
        erred += one.probability if one.slips and best.slips else 0.0
    heard = [_heard_at(now, card) for card in best.cards[:count]]
    return replace(
        now,
        settled=now.settled * same,
        counted=now.counted * (1.0 - _elsewhere(now.explanations)),
        aligned=now.aligned * aligned,
        erred=max(now.erred, erred),
        doubted=max([now.doubted, *(each.seq for each in heard if each is not None)]),
    )


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


def _heard_at(now: Following, card: Taken) -> Heard | None:
    """How the card was heard first: at its place, else elsewhere; None where it was not heard."""
    if card.tag is None:
        return None
    heard = next(sighting.heard for sighting in now.sightings if sighting.tag == card.tag)
    return next((each for each in heard if each.place == card.place), heard[0] if heard else None)


def _slots(one: Explanation, now: Following, size: int) -> list[int]:
    """The event at which each card counts as dealt: its first read, or an earlier one of a later card; a card
    of the initial deal at the latest when that was called complete. One that only the shoe told of counts as
    dealt with the card before it, else with the window's first event."""
    slots: list[int | None] = []
    following = None
    for card, stand in zip(reversed(one.cards), reversed(one.stands), strict=True):
        heard = _heard_at(now, card)
        if heard is not None:
            following = heard.seq if following is None else min(following, heard.seq)
        if now.complete is not None and stand.pointer <= size:
            following = now.complete[0] if following is None else min(following, now.complete[0])
        slots.append(following)
    last, told = now.since + 1, list[int]()
    for slot in reversed(slots):
        last = last if slot is None else slot
        told.append(last)
    return told


def _last_heard_ns(now: Following) -> int:
    """When a card was last heard that had not been heard before; 0: none was."""
    return max(now.last_ns, *(each.heard[0].first_ns for each in now.sightings if each.heard), 0)


def _with_heard(sightings: tuple[Sighting, ...], number: int, heard: Heard) -> tuple[Sighting, ...]:
    old = sightings[number]
    if any(each.place == heard.place for each in old.heard):
        new = _read_again(old, heard.place)
    else:
        new = replace(old, heard=(*old.heard, heard))
    return (*sightings[:number], new, *sightings[number + 1 :])


def _read_again(sighting: Sighting, place: str) -> Sighting:
    heard = [
        replace(each, reads=min(_MOST_READS, each.reads + 1), is_gone=False) if each.place == place else each
        for each in sighting.heard
    ]
    return replace(sighting, heard=tuple(heard))


def _gone(sighting: Sighting, place: str) -> Sighting:
    heard = [
        replace(each, gone=min(_MOST_READS, each.gone + 1), is_gone=True) if each.place == place else each
        for each in sighting.heard
    ]
    return replace(sighting, heard=tuple(heard))


def _kept(dealt: Hand, hand: Hand) -> Hand:
    """What the hand knows besides the order of its cards stays known."""
    return replace(
        dealt,
        defects=hand.defects,
        warnings=hand.warnings,
        twins=hand.twins,
        is_tabled=hand.is_tabled,
    )
