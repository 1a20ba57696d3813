"""Why a finding stands: the events that it rests on, the rule, and what would have made it different.

    explainer = Explainer(book, game)
    explainer.take(step.events)                       # every event, as it comes
    told = explainer.why(change.finding, change.evidence, state.hand, change.certainty, change.probability)
    told.short, told.long

`short` is one plain sentence for the screen, `long` a paragraph for the record. Neither says what a card is.
Both begin with how probable the finding is, where it is not certain.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from shoe_bridge.rules.book import Book
from shoe_bridge.rules.evidence import in_words
from shoe_bridge.rules.profile import Rule
from shoe_bridge.rules.reasons import reason_of
from shoe_bridge.rules.wording import sentence
from shoe_bridge.table.findings import (
    AnyFinding,
    DeckDefect,
    HandDead,
    HandVoid,
    MisdealAdvised,
    RefundAll,
    ReshuffleRequired,
    RuleTextMissing,
)
from shoe_bridge.table.hand import Hand
from shoe_bridge.table.observations import Event
from shoe_bridge.table.procedures import Procedure

_ADVICE = (MisdealAdvised, HandVoid, HandDead, RefundAll, ReshuffleRequired)
KEPT_EVENTS = 4_096  # some ten hands of a full table
_ADVERBS = {"probable": "probably", "possible": "possibly"}


class Explanation(msgspec.Struct, frozen=True):
    short: str
    long: str


class Explainer:
    """Keeps the newest events of a table, so that findings can be explained as they come."""

    def __init__(self, book: Book, game: Procedure, kept_events: int = KEPT_EVENTS) -> None:
        self._book = book
        self._game = game
        self._kept_events = kept_events
        self._events: OrderedDict[int, Event] = OrderedDict()

    def take(self, events: Iterable[Event]) -> None:
        for event in events:
            self._events[event.seq] = event
        while len(self._events) > self._kept_events:
            self._events.popitem(last=False)

    def why(
        self,
        finding: AnyFinding,
        evidence: Sequence[int],
        hand: Hand,
        certainty: str = "certain",
        probability: float | None = None,
    ) -> Explanation:
        """`evidence` are the event numbers of the finding; one that is no longer kept is left out. `hand` is
        the hand that it is about, `certainty` and `probability` (0 to 1) are those of its change."""
        events = [self._events[seq] for seq in sorted(set(evidence)) if seq in self._events]
        cards = {card.seq: card.number for card in hand.cards}
        told = why(finding, events, self._book, self._game, cards)
        doubt = doubt_of(certainty, probability)
        if not doubt:
            return told
        begin = f"{doubt[0].upper()}{doubt[1:]}: "
        return Explanation(begin + told.short, begin + told.long)


def doubt_of(certainty: str, probability: float | None = None) -> str:
    """How a finding that is not certain is told to people: `probably (82 %)`, without the figure where none
    is known; empty for one that is certain. Whole percents, rounded down: 99.9 % is not 100 %."""
    adverb = _ADVERBS.get(certainty)
    if adverb is None or probability is None:
        return adverb or ""
    return f"{adverb} ({int(probability * 100)} %)"


def why(
    finding: AnyFinding,
    events: Sequence[Event],
    book: Book,
    game: Procedure,
    cards: Mapping[int, int] | None = None,
) -> Explanation:
    """The explanation of one finding, given the events that it rests on in order; `cards` tells the number
    off the deck of the card that an event dealt, by the event's seq."""
    if isinstance(finding, DeckDefect):  # which card it is stays in the box
        finding = DeckDefect(finding.reason)
    because, unless = reason_of(finding)
    rule = _rule_of_advice(finding, book)
    if rule is not None:
        because = rule.when if rule.when and isinstance(finding, MisdealAdvised) else because
        unless = rule.unless or unless
    told = [sentence(finding), _sentence(because), *_rests_on(events, cards or {})]
    told += _rule_words(finding, book, game)
    told.append(f"It would be different if {unless}.")
    return Explanation(_sentence(because), " ".join(told))


def _sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."


def _rests_on(events: Sequence[Event], cards: Mapping[int, int]) -> Iterator[str]:
    if events:
        yield f"It rests on this: {'; '.join(in_words(events, cards))}."


def _number_of(finding: AnyFinding) -> str | None:
    rule: str | None = getattr(finding, "rule", None)
    return rule


def _rule_words(finding: AnyFinding, book: Book, game: Procedure) -> Iterator[str]:
    number = _number_of(finding) or book.rule_of(str(finding.__struct_config__.tag), game)
    rule = book.rule(number) if number else None
    name = f"profile {book.profile}, version {book.version}"
    if isinstance(finding, RuleTextMissing):
        yield f"No text is held in {name}, so no outcome is asserted."
        hints = [f"{key}: {hint.says}" for key, hint in book.stand_ins(finding.topic, game)]
        if hints:
            yield f"Other rule books, as a hint only: {'; '.join(hints)}."
    elif rule is None:
        yield f"It touches no rule of {name}."
    else:
        yield f"Rule {number} of {name} ({rule.status}): {rule.says}."
        if rule.when and rule.then:
            yield f"Its condition: {rule.when}; its consequence: {rule.then}."


def _rule_of_advice(finding: AnyFinding, book: Book) -> Rule | None:
    """Advice stands and falls with its rule; what happened on the table, with the cards."""
    number = _number_of(finding)
    return book.rule(number) if number and isinstance(finding, _ADVICE) else None
