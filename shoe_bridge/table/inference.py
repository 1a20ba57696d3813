"""The inference of the deal as the fold uses it: events in, the state with the hand as it was most probably
dealt, and the findings with their probabilities.

Whatever concerns a settled card goes on as without inference; a card that is moved, thrown away or gathered
settles what is open first, for then people have acted on the table as it lies.
"""

from collections.abc import Callable

import msgspec

from shoe_bridge.table.book import RuleBook
from shoe_bridge.table.deal_model import DealModel
from shoe_bridge.table.findings import Conclusion
from shoe_bridge.table.follow import Follower
from shoe_bridge.table.following import Following, begun, carried_on
from shoe_bridge.table.hand import BOARD, BURN, DEALER, Card, Hand
from shoe_bridge.table.layout import seat_of
from shoe_bridge.table.learned import Learned
from shoe_bridge.table.observations import (
    CardArrived,
    CardDeparted,
    CardDrawn,
    CardReadAgain,
    Event,
    TimePassed,
    time_of,
)
from shoe_bridge.table.state import Setup, TableState
from shoe_bridge.table.verdict import Verdict
from shoe_bridge.table.weighing import Weighing
from shoe_bridge.table.window import Heard

replace = msgspec.structs.replace


class Inference:
    """Of one table. `replay` applies a key's event to a hand."""

    def __init__(
        self, setup: Setup, model: DealModel, book: RuleBook, replay: Callable[[Hand, Event], Hand]
    ) -> None:
        self._model = model
        self._follower = Follower(setup.game, model, replay)
        self._weighing = Weighing(setup.game, model.certainty, book)

    # -- cards

    def has_open(self, state: TableState, tag: str) -> bool:
        """Is this tag a card of the deal whose place or order is not settled?"""
        return self._of(state).holds(tag)

    def came(self, state: TableState, seen: CardArrived) -> TableState:
        """A tag was heard at a place where it was not before."""
        if not self.is_dealt_to(seen.place):
            return state
        state = replace(state, learned=state.learned.arrived(seen.tag, seen.place, seen.not_after_ns))
        return self._polled(state, seen.device, seen.place, seen.not_after_ns, is_heard=True)

    def left(self, state: TableState, seen: CardDeparted, is_nowhere: bool) -> TableState:
        """A tag is not heard any more where it was, and `is_nowhere` else."""
        state = self._learn(state, seen.tag, seen.place, seen.not_after_ns, is_heard=False)
        state = self._polled(state, seen.device, seen.place, seen.not_after_ns, is_heard=False)
        now, card = state.following, state.hand.find(seen.tag)
        if not is_nowhere or card is None or card.at != seen.place or seen.place in now.quiet:
            return state
        quiet = {**now.quiet, seen.place: (seen.not_before_ns, self._depth_of(state.hand, card))}
        return replace(state, following=replace(now, quiet=quiet))

    def _polled(self, state: TableState, device: str, place: str, at_ns: int, is_heard: bool) -> TableState:
        """The antenna there was polled then."""
        now = self._of(state)
        if at_ns > now.phases.get(place, 0):
            phases = {**now.phases, place: at_ns}
            if is_heard:
                cycle_ns, places = self._model.sensor.cycle_ns, state.served.get(device, ())
                phases = carried_on(phases, place, now.phases.get(place, 0), cycle_ns, places)
            now = replace(now, phases=phases)
        if is_heard and place not in now.live:
            proven = now.proven if place in now.proven else (*now.proven, place)
            now = replace(now, live=(*now.live, place), proven=proven)
        if is_heard and place in now.quiet:
            now = replace(now, quiet={other: told for other, told in now.quiet.items() if other != place})
        return replace(state, following=now)

    def heard_elsewhere(self, state: TableState, tag: str, heard: Heard) -> TableState | None:
        """A settled card was heard at another place, or again there: None where it is settled beyond
        doubt."""
        told = self._follower.heard_elsewhere(self._of(state), state.hand, state.learned, tag, heard)
        return None if told is None else self._take(state, told, heard.first_ns)

    def is_stray(self, card: Card, place: str, reads: int) -> bool:
        """Are `reads` of a settled card at another place too few to believe that it lies there now?"""
        return reads < self._model.reads_to_believe(card.at, place)

    def identified(self, state: TableState, tag: str, card_of: Callable[[str], str | None]) -> TableState:
        """A shoe that names cards and no tags drew this card: its tag is the one that is heard now, of
        whatever deck."""
        now, card = self._of(state), card_of(tag)
        if card is None or now.holds(tag) or state.hand.find(tag) is not None:
            return state
        for one in now.sightings:
            if not one.heard and card_of(one.tag) == card:
                return replace(state, following=self._follower.renamed(now, one.tag, tag))
        return state

    def is_open_stray(self, state: TableState, tag: str, place: str) -> bool:
        """Was an open card heard at the discards or the stub only because a neighbour's antenna hears it?
        One that no antenna of the deal has heard yet has not left its place; one that was heard may lie
        beside the place where it was."""
        heard = next(one.heard for one in self._of(state).sightings if one.tag == tag)
        may_lie = [
            other for each in heard for other in (each.place, *self._model.neighbours.get(each.place, ()))
        ]
        return not heard or any(self._model.reads_to_believe(other, place) > 1 for other in may_lie)

    def is_dealt_to(self, place: str) -> bool:
        return place in (BOARD, BURN, DEALER) or seat_of(place) is not None

    def dealt(self, state: TableState, seen: CardArrived, seq: int) -> TableState:
        """A tag that is no card of the hand yet was heard at `seen.place`."""
        now = self._of(state)
        is_told = now.holds(seen.tag) or not any(one.drawn_ns is not None for one in now.sightings)
        if now.has_shoe and not is_told:  # others that may be later cards were, and this one was not
            state = self.drawn_unknown(state, seen.not_after_ns)
        told = self._follower.arrived(
            self._of(state), state.hand, state.learned, seen.tag, seen.place, seen.not_after_ns, seq
        )
        return self._take(state, told, seen.not_after_ns)

    def drawn(self, state: TableState, seen: CardDrawn, tag: str, seq: int) -> TableState:
        now = self._of(state)
        if now.is_shoe_out:
            return state
        if now.has_shoe and not now.holds(tag) and any(one.drawn_ns is None for one in now.sightings):
            return self.drawn_unknown(state, seen.at_mono_ns)  # the card that was heard before was not told
        now = self._follower.drawn(now, state.hand, tag, seen.at_mono_ns, seq)
        return self._look_again(replace(state, following=now), seen.at_mono_ns)

    def drawn_unknown(self, state: TableState, at_ns: int) -> TableState:
        """The shoe drew a card and does not say which."""
        told = self._follower.drawn_unknown(self._of(state), state.hand, state.learned, at_ns)
        return self._take(state, told, at_ns)

    def read_again(self, state: TableState, seen: CardReadAgain) -> TableState:
        now = self._of(state)
        if seen.place not in now.retold:
            now = replace(now, retold=(*now.retold, seen.place))
            state = replace(state, following=now)
        state = self._learn(state, seen.tag, seen.place, seen.at_mono_ns, is_heard=True)
        if not now.holds(seen.tag):
            heard = Heard(seen.place, seen.at_mono_ns, state.last_seq + 1, last_ns=seen.at_mono_ns)
            return self.settled_read(state, seen.tag, heard)
        told = self._follower.read_again(
            now, state.hand, state.learned, seen.tag, seen.place, seen.at_mono_ns
        )
        return self._take(state, told, seen.at_mono_ns)

    def settled_read(self, state: TableState, tag: str, heard: Heard) -> TableState:
        """A settled card was read at the place where it is taken to lie."""
        now = self._of(state)
        following = self._follower.read_settled(now, tag, heard)
        return state if following is now else replace(state, following=following)

    def departed(self, state: TableState, seen: CardDeparted) -> TableState:
        """Only of an open card."""
        told = self._follower.departed(
            self._of(state), state.hand, state.learned, seen.tag, seen.place, seen.not_after_ns
        )
        return self._take(state, told, seen.not_after_ns)

    def settled(self, state: TableState) -> TableState:
        """People act on the table as it lies: what was open is taken as it looks."""
        now = self._of(state)
        if not now.is_open and not now.sightings:
            return state
        return replace(state, following=self._follower.settle(now), look_ns=None)

    def moved(self, state: TableState) -> TableState:
        """Cards of the hand were moved: the deal goes on from what lies there."""
        return replace(state, following=self._follower.resumed(self._of(state), state.hand))

    # -- keys and time

    def keyed(self, before: TableState, state: TableState, event: Event) -> TableState:
        """A key changed the hand."""
        if state.hand.number != before.hand.number or not state.hand.cards:
            return replace(state, following=begun(state.hand.number, before.following), look_ns=None)
        now = self._follower.keyed(self._of(state), event)
        if before.hand.end_deal_seq is None and state.hand.end_deal_seq is not None:
            at_ns = time_of(event.observation)
            told = self._follower.completed(now, before.hand, state.hand, state.learned, event, at_ns)
            return self._take(state, told, at_ns)
        return replace(state, following=now)

    def passed(self, state: TableState, seen: TimePassed) -> TableState:
        now = self._of(state)
        if not now.is_open:
            return replace(state, look_ns=None)
        told = self._follower.looked(now, state.hand, state.learned, seen.at_mono_ns)
        return self._take(state, told, seen.at_mono_ns)

    # -- findings

    def judged(self, state: TableState, found: list[Conclusion]) -> Verdict:
        """`found` holds for the hand as it is taken to be: what may stand, and how probably."""
        return self._weighing.judged(state.hand, self._of(state), found)

    # -- inside

    def _of(self, state: TableState) -> Following:
        """Where the deal of the hand in play stands; another hand, or cards that were gathered, begin
        anew."""
        now = state.following
        is_begun = state.hand.cards or now.is_open or now.sightings or now.is_shoe_out
        if now.number != state.hand.number or not is_begun:
            return begun(state.hand.number, now)
        return now

    def _take(self, state: TableState, told: tuple[Following, Hand, Learned], at_ns: int) -> TableState:
        now, hand, learned = told
        state = replace(state, following=now, hand=hand, learned=learned)
        return self._look_again(state, at_ns)

    def _look_again(self, state: TableState, at_ns: int) -> TableState:
        look_ns = self._follower.next_look_ns(state.following, at_ns)
        if look_ns is not None and state.look_ns is not None and state.following.is_stale:
            look_ns = min(look_ns, state.look_ns)
        return state if look_ns == state.look_ns else replace(state, look_ns=look_ns)

    def _learn(self, state: TableState, tag: str, place: str, until_ns: int, is_heard: bool) -> TableState:
        """A card that was read once at its place was heard again there or counts as gone: did the poll
        after the first read miss it?"""
        where, first_ns = state.learned.once.get(tag, ("", 0))
        if where != place:
            return state
        learned, card = state.learned.known(tag), state.hand.find(tag)
        sensor = self._model.sensor
        if card is not None and card.at == place and state.hand.phase in ("dealing", "dealt"):
            is_missed = not is_heard or until_ns - first_ns > sensor.cycle_ns * 3 // 2
            learned = learned.with_poll(self._depth_of(state.hand, card), is_missed, sensor.missed)
        return replace(state, learned=learned)

    def _depth_of(self, hand: Hand, card: Card) -> int:
        """At which depth of its stack it lies, from 1."""
        if card.at in self._model.flat:
            return 1
        return sum(each.at == card.at for each in hand.cards[: card.number])
