"""The inference of the deal as the fold uses it: events in, the state with the hand as it was most probably
dealt, and the findings with their probabilities.

Whatever concerns a settled card goes on as without inference; a card that is moved, thrown away or gathered
settles what is open first, for then people have acted on the table as it lies.
"""

from collections.abc import Callable, Iterable

import msgspec

from shoe_bridge.table.book import RuleBook
from shoe_bridge.table.deal_model import Certainty, DealModel
from shoe_bridge.table.findings import (
    AnyFinding,
    CardAfterEnd,
    Conclusion,
    CountError,
    DealOk,
    DealtOut,
    Equipment,
    ExtraBurn,
    ExtraHand,
    HandDead,
    HandVoid,
    LookAt,
    MisdealAdvised,
    MissingBurn,
    OrderError,
    PlayOut,
    PrematureCard,
    RefundAll,
    Repairable,
    RuleTextMissing,
)
from shoe_bridge.table.follow import Follower
from shoe_bridge.table.following import Following, begun
from shoe_bridge.table.hand import BOARD, BURN, DEALER, Card, Hand
from shoe_bridge.table.judge import judge
from shoe_bridge.table.layout import seat_of, seat_place
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
from shoe_bridge.table.procedures import Procedure
from shoe_bridge.table.state import Setup, TableState
from shoe_bridge.table.window import Heard

replace = msgspec.structs.replace

_SURE_ENOUGH = 0.95  # for advice: below it something is asked for first
_MOVES_AGREE = (
    0.9  # where an explanation of a tenth or more asks for other moves, what decides it is asked for
)
_ADVICE = (MisdealAdvised, HandVoid, HandDead, RefundAll, PlayOut, Repairable)
_ENDS_THE_DEAL = (MisdealAdvised, HandVoid, HandDead, RefundAll)
_ONLY_SURE = (*_ADVICE, DealOk)
_ERRORS = (
    OrderError,
    CountError,
    DealtOut,
    ExtraHand,
    MissingBurn,
    ExtraBurn,
    PrematureCard,
    CardAfterEnd,
)
_OF_THE_COUNT = (CountError, DealtOut, ExtraHand)
_OF_THE_ORDER = (*_ONLY_SURE, *_ERRORS)
_TOPICS_OF_THE_ORDER = frozenset(  # of which the rule's text is not held
    {
        *("missed_burn", "extra_burn", "early_community_card", "caribbean_irregularity"),
        *("out_of_order", "wrong_seats", "wrong_count", "extra_hand_disposal"),
    }
)


class Judged(msgspec.Struct, frozen=True):
    """A conclusion with its probability (None: told beyond doubt) and the word for it."""

    conclusion: Conclusion
    certainty: str = "certain"
    probability: float | None = None


class Verdict(msgspec.Struct, frozen=True):
    """All that may stand. `is_erring`: that the dealer has erred is certain, though not in which way he
    did."""

    judged: list[Judged]
    is_erring: bool = False


class Inference:
    """Of one table. `replay` applies a key's event to a hand."""

    def __init__(
        self, setup: Setup, model: DealModel, book: RuleBook, replay: Callable[[Hand, Event], Hand]
    ) -> None:
        self._game: Procedure = setup.game
        self._model = model
        self._book = book
        self._follower = Follower(setup.game, model, replay)

    # -- cards

    def has_open(self, state: TableState, tag: str) -> bool:
        """Is this tag a card of the deal whose place or order is not settled?"""
        return self._of(state).holds(tag)

    def came(self, state: TableState, seen: CardArrived) -> TableState:
        """A tag was heard at a place where it was not before."""
        if not self.is_dealt_to(seen.place):
            return state
        state = replace(state, learned=state.learned.arrived(seen.tag, seen.place, seen.not_after_ns))
        return self._polled(state, seen.place, seen.not_after_ns, is_heard=True)

    def left(self, state: TableState, seen: CardDeparted) -> TableState:
        """A tag is not heard any more where it was."""
        state = self._learn(state, seen.tag, seen.place, seen.not_after_ns, is_heard=False)
        return self._polled(state, seen.place, seen.not_after_ns, is_heard=False)

    def _polled(self, state: TableState, place: str, at_ns: int, is_heard: bool) -> TableState:
        """The antenna there was polled then."""
        now = self._of(state)
        if at_ns > now.phases.get(place, 0):
            now = replace(now, phases={**now.phases, place: at_ns})
        if is_heard and place not in now.live:
            now = replace(now, live=now.live | {place})
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
        One that no antenna of the deal has heard yet has not left its place."""
        heard = next(one.heard for one in self._of(state).sightings if one.tag == tag)
        return not heard or any(self._model.reads_to_believe(each.place, place) > 1 for each in heard)

    def is_dealt_to(self, place: str) -> bool:
        return place in (BOARD, BURN, DEALER) or seat_of(place) is not None

    def dealt(self, state: TableState, seen: CardArrived, seq: int) -> TableState:
        """A tag that is no card of the hand yet was heard at `seen.place`."""
        told = self._follower.arrived(
            self._of(state), state.hand, state.learned, seen.tag, seen.place, seen.not_after_ns, seq
        )
        return self._take(state, told, seen.not_after_ns)

    def drawn(self, state: TableState, seen: CardDrawn, tag: str, seq: int) -> TableState:
        now = self._follower.drawn(self._of(state), state.hand, tag, seen.at_mono_ns, seq)
        return self._look_again(replace(state, following=now), seen.at_mono_ns)

    def read_again(self, state: TableState, seen: CardReadAgain) -> TableState:
        now = self._of(state)
        state = self._learn(state, seen.tag, seen.place, seen.at_mono_ns, is_heard=True)
        if not now.holds(seen.tag):
            return self.settled_read(state, seen.tag, Heard(seen.place, seen.at_mono_ns, state.last_seq + 1))
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
        told = self._follower.think(now, state.hand, state.learned, seen.at_mono_ns)
        return self._take(state, told, seen.at_mono_ns)

    # -- findings

    def judged(self, state: TableState, found: list[Conclusion]) -> Verdict:
        """`found` holds for the hand as it is taken to be: how probable is each, what else may be true, and
        what must be looked at."""
        verdict = self._weighed(state, found)
        if self._game.streets_to_board == len(self._game.streets):
            return verdict
        first_seq = next((card.seq for card in state.hand.cards if self._is_taken_as_read(card)), None)
        if first_seq is None:
            return verdict
        return Verdict([one for each in verdict.judged if (one := _as_read(each, first_seq)) is not None])

    def _is_taken_as_read(self, card: Card) -> bool:
        return card.street is not None and card.street >= self._game.streets_to_board

    def _weighed(self, state: TableState, found: list[Conclusion]) -> Verdict:
        now, certainty = self._of(state), self._model.certainty
        unheard = _unheard(found)
        if not now.is_open and now.settled == 1.0 and unheard is None:
            return Verdict([Judged(conclusion) for conclusion in found] + self._equipment(state, now))
        found = _without_answered_advice(found)
        chances, erring = self._chances(now, found)
        moves_from = _MOVES_AGREE if _may_be_unheard(now) else certainty.probable
        told = [
            one
            for conclusion in found
            if (one := _judged(conclusion, chances, certainty, moves_from)) is not None
        ]
        is_held_back = False
        if unheard is not None:
            given = told
            told = [one for each in given if (one := _before_somebody_looked(each)) is not None]
            is_held_back = told != given
        told += [
            one
            for conclusion, chance in chances.values()
            if conclusion.finding not in {each.finding for each in found}
            and not isinstance(conclusion.finding, _ONLY_SURE)
            and (one := _judged(conclusion, {conclusion.finding: (conclusion, chance)}, certainty, 1.0))
        ]
        look_at = self._look_at(now, found, chances)
        if unheard is not None and is_held_back and not look_at:
            look_at = [Judged(Conclusion(LookAt(unheard), found[0].evidence))]
        return Verdict(told + look_at + self._equipment(state, now), erring >= certainty.certain)

    def _chances(
        self, now: Following, found: list[Conclusion]
    ) -> tuple[dict[AnyFinding, tuple[Conclusion, float]], float]:
        """How probable each finding is, and that any error was made."""
        chances = {one.finding: (one, now.certainty) for one in found}
        erring = now.certainty * _sure_of_error(found, now)
        for hand, probability in now.others:
            others = judge(hand, self._game, self._book)
            erring += probability * _sure_of_error(others, now)
            for one in others:
                first, chance = chances.get(one.finding, (one, 0.0))
                chances[one.finding] = (first, chance + probability)
        weighed = {
            finding: (one, chance * _settled_for(one, now)) for finding, (one, chance) in chances.items()
        }
        return weighed, erring

    def _look_at(
        self, now: Following, found: list[Conclusion], chances: dict[AnyFinding, tuple[Conclusion, float]]
    ) -> list[Judged]:
        """Advice that is held back, or moves that may be others: what would decide it?"""
        open_advice = [
            one
            for one in found
            if isinstance(one.finding, _ADVICE)
            and chances[one.finding][1]
            < (_MOVES_AGREE if isinstance(one.finding, Repairable) else _SURE_ENOUGH)
        ]
        place = _differing(now)
        if not open_advice or place is None:
            return []
        return [Judged(Conclusion(LookAt(place), open_advice[0].evidence))]

    def _equipment(self, state: TableState, now: Following) -> list[Judged]:
        found = []
        for place, chance in now.deaf:
            one = Conclusion(Equipment("deaf_antenna", place), (state.hand.first_card_seq or 0,))
            word = self._model.certainty.word_for(chance)
            if word is not None:
                found.append(Judged(one, word, round(chance, 4)))
        deaf = {place for place, _ in now.deaf}
        for place in now.asked:
            if place not in deaf:
                one = Conclusion(Equipment("unread_card", place), (state.hand.first_card_seq or 0,))
                found.append(Judged(one, "probable"))  # a card that is late is no fault yet
        return found

    # -- inside

    def _of(self, state: TableState) -> Following:
        """Where the deal of the hand in play stands; another hand, or cards that were gathered, begin
        anew."""
        now = state.following
        if now.number != state.hand.number or not (state.hand.cards or now.is_open or now.sightings):
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
            depth = 1
            if place not in self._model.flat:
                depth = sum(each.at == place for each in state.hand.cards[: card.number])
            learned = learned.with_poll(depth, is_missed, sensor.missed)
        return replace(state, learned=learned)


def _without_answered_advice(found: list[Conclusion]) -> list[Conclusion]:
    """Moves are advised for errors. Where the order is in doubt and no error stands, cards were moved: the
    dealer knows better what was dealt, and whoever moves them back undoes a repair."""
    if _has_error(found):
        return found
    return [one for one in found if not isinstance(one.finding, Repairable)]


def _has_error(found: Iterable[Conclusion]) -> bool:
    return any(isinstance(one.finding, _ERRORS) for one in found)


def _as_read(judged: Judged, first_seq: int) -> Judged | None:
    """What rests on the order in which cards were first read, from event `first_seq` on: with readers that
    miss cards it is no more than possible, and nothing is advised on it."""
    finding = judged.conclusion.finding
    is_of_the_order = isinstance(finding, (*_OF_THE_ORDER, RuleTextMissing))
    if not is_of_the_order or max(judged.conclusion.evidence) < first_seq:
        return judged
    if isinstance(finding, _ADVICE):
        return None
    return Judged(judged.conclusion, "probable" if isinstance(finding, DealOk) else "possible")


def _unheard(found: list[Conclusion]) -> str | None:
    """A place where all would be well if cards lay there that nobody hears; None where that is not all. A
    tag that is dead looks like a card that was not dealt: somebody must look before the deal is given up."""
    errors = [one.finding for one in found if isinstance(one.finding, _ERRORS)]
    lacking = [place for error in errors if (place := _lacking(error)) is not None]
    is_all = all(_lacking(e) or (isinstance(e, OrderError) and e.want in lacking) for e in errors)
    return lacking[0] if lacking and is_all else None


def _before_somebody_looked(judged: Judged) -> Judged | None:
    """Advice that rests on cards that nobody hears: none that ends the deal is certain, and no other card is
    dealt for one that may lie there."""
    finding = judged.conclusion.finding
    if isinstance(finding, Repairable) and (judged.probability or 0.0) < _SURE_ENOUGH:
        return None
    return replace(judged, certainty="probable") if isinstance(finding, _ENDS_THE_DEAL) else judged


def _lacking(error: AnyFinding) -> str | None:
    if isinstance(error, CountError):
        return error.place if error.got < error.want else None
    return seat_place(error.seat) if isinstance(error, DealtOut) else None


def _may_be_unheard(now: Following) -> bool:
    """May a card lie there that nobody hears? Then moves wait until somebody has looked."""
    likely = [one for one in now.explanations if one.probability >= 1.0 - _SURE_ENOUGH]
    return any(card.tag is None for one in likely for card in one.cards)


def _judged(
    conclusion: Conclusion,
    chances: dict[AnyFinding, tuple[Conclusion, float]],
    certainty: Certainty,
    moves_from: float,
) -> Judged | None:
    """How it is told; None where it is too improbable to be: moves must be as probable as `moves_from`."""
    finding = conclusion.finding
    chance = round(min(1.0, chances[finding][1]), 4)
    word = certainty.word_for(chance)
    least = moves_from if isinstance(finding, Repairable) else _SURE_ENOUGH
    is_held_back = isinstance(finding, _ONLY_SURE) and chance < least
    return None if word is None or is_held_back else Judged(conclusion, word, chance)


def _settled_for(one: Conclusion, now: Following) -> float:
    """How sure is that on which it rests and which was settled with doubts?"""
    finding = one.finding
    if isinstance(finding, _OF_THE_COUNT):
        return now.counted
    if isinstance(finding, RuleTextMissing) and finding.topic not in _TOPICS_OF_THE_ORDER:
        return 1.0
    if isinstance(finding, (*_ERRORS, RuleTextMissing)) and min(one.evidence) > now.doubted:
        return now.aligned  # what was before changes nothing of it if the dealer stood where he is taken to
    return now.settled if isinstance(finding, (*_OF_THE_ORDER, RuleTextMissing)) else 1.0


def _sure_of_error(found: Iterable[Conclusion], now: Following) -> float:
    """How sure is it by what was settled that any of them is an error?"""
    errors = [one for one in found if isinstance(one.finding, _ERRORS)]
    return max([max(now.erred, _settled_for(one, now)) for one in errors], default=0.0)


def _differing(now: Following) -> str | None:
    """The place of the first card on which the two most probable explanations differ."""
    if len(now.explanations) < 2:
        return None
    best = now.explanations[0].cards
    for other in now.explanations[1:]:
        for mine, theirs in zip(best, other.cards, strict=False):
            if mine != theirs:
                return mine.place
        if len(best) != len(other.cards):
            return (best if len(best) > len(other.cards) else other.cards)[
                min(len(best), len(other.cards))
            ].place
    return None
