"""How probable each finding is, what else may be true, and what must be looked at: from the hand as it is
taken to be, the hands that may have been dealt instead, and the doubts with which cards were settled.
"""

from collections.abc import Iterable, Set
from itertools import zip_longest

import msgspec

from shoe_bridge.table.book import RuleBook
from shoe_bridge.table.deal_model import Certainty
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
from shoe_bridge.table.following import Following
from shoe_bridge.table.hand import Card, Hand
from shoe_bridge.table.judge import judge
from shoe_bridge.table.layout import seat_place
from shoe_bridge.table.procedures import Procedure
from shoe_bridge.table.redeal import UNHEARD
from shoe_bridge.table.verdict import Judged, Verdict

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


class Weighing:
    """Of one game under one book of rules."""

    def __init__(self, game: Procedure, certainty: Certainty, book: RuleBook) -> None:
        self._game = game
        self._certainty = certainty
        self._book = book

    def judged(self, hand: Hand, now: Following, found: list[Conclusion]) -> Verdict:
        """`found` holds for `hand` as it is taken to be: how probable is each, what else may be true, and
        what must be looked at."""
        verdict = self._weighed(hand, now, found)
        if any(card.tag.startswith(UNHEARD) for card in hand.cards):
            verdict = _without_vouching(verdict)
        if self._game.streets_to_board == len(self._game.streets):
            return verdict
        first_seq = next((card.seq for card in hand.cards if self._is_taken_as_read(card)), None)
        if first_seq is None:
            return verdict
        return Verdict([one for each in verdict.judged if (one := _as_read(each, first_seq)) is not None])

    def _is_taken_as_read(self, card: Card) -> bool:
        return card.street is not None and card.street >= self._game.streets_to_board

    def _weighed(self, hand: Hand, now: Following, found: list[Conclusion]) -> Verdict:
        certainty, unheard = self._certainty, _unheard(found)
        found = _without_answered_advice(found)
        if not now.is_open and now.settled == 1.0 and unheard is None:
            return Verdict([Judged(conclusion) for conclusion in found] + self._equipment(hand, now))
        chances, erring = self._chances(now, found)
        moves_from = _MOVES_AGREE if now.unsure or _may_be_unheard(now) else certainty.probable
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
        deaf = {place for place, _ in now.deaf}
        told = [one for one in told if one.certainty != "possible" or _is_heard_there(one, deaf)]
        look_at = self._look_at(now, found, chances)
        if unheard is not None and is_held_back and not look_at:
            look_at = [Judged(Conclusion(LookAt(unheard), found[0].evidence))]
        return Verdict(told + look_at + self._equipment(hand, now), erring >= certainty.certain)

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
        place = _differing(now) or next(iter(now.unsure), None)
        if not open_advice or place is None:
            return []
        return [Judged(Conclusion(LookAt(place), open_advice[0].evidence))]

    def _equipment(self, hand: Hand, now: Following) -> list[Judged]:
        found = []
        for place, chance in now.deaf:
            one = Conclusion(Equipment("deaf_antenna", place), (hand.first_card_seq or 0,))
            word = self._certainty.word_for(chance)
            if word is not None:
                found.append(Judged(one, word, round(chance, 4)))
        deaf = {place for place, _ in now.deaf}
        for place in now.asked:
            if place not in deaf:
                one = Conclusion(Equipment("unread_card", place), (hand.first_card_seq or 0,))
                found.append(Judged(one, "probable"))  # a card that is late is no fault yet
        return found


def _without_vouching(verdict: Verdict) -> Verdict:
    """Nobody vouches for a deal in which a card was heard by no antenna."""
    return replace(
        verdict,
        judged=[
            replace(one, certainty="probable") if isinstance(one.conclusion.finding, DealOk) else one
            for one in verdict.judged
        ],
    )


def _without_answered_advice(found: list[Conclusion]) -> list[Conclusion]:
    """Moves are advised for errors. Where no error stands, cards were moved: the dealer knows better what was
    dealt than readers that hear two cards in one poll, and whoever moves them back undoes a repair."""
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


def _is_heard_there(judged: Judged, deaf: Set[str]) -> bool:
    """Nobody suspects the dealer of a card that is lacking where the antenna is probably deaf."""
    finding = judged.conclusion.finding
    place = finding.want if isinstance(finding, OrderError) else _lacking(finding)
    return place not in deaf


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
    """Where must somebody look to know which of the two most probable explanations is true? At the first card
    on which they differ: where one of them has it unheard, else where it lies."""
    for other in now.explanations[1:]:
        for pair in zip_longest(now.explanations[0].cards, other.cards):
            cards = [card for card in pair if card is not None]
            if len(set(pair)) > 1:
                return next((card for card in cards if card.tag is None), cards[0]).place
    return None
