"""What stands about a hand: a pure function of the hand, so that what no longer holds withdraws itself."""

from collections.abc import Iterator

from shoe_bridge.table.betting import remaining
from shoe_bridge.table.book import RuleBook
from shoe_bridge.table.findings import (
    CardAfterEnd,
    Conclusion,
    CountError,
    DealOk,
    DealtOut,
    ExposedCard,
    ExtraBurn,
    ExtraHand,
    HandOver,
    MissingBurn,
    OrderError,
    RuleTextMissing,
    SubstantialAction,
)
from shoe_bridge.table.hand import BOARD, BURN, STUB, Card, Hand
from shoe_bridge.table.layout import seat_of, seat_place
from shoe_bridge.table.procedures import Procedure

_TOPIC_OF_FAULT = {"missing_burn": "missed_burn", "extra_burn": "extra_burn"}


class _Tally:
    """One pass over the cards: how many count where, what is out of place, which burns were wrong."""

    __slots__ = ("counts", "is_misplaced", "odd")

    def __init__(self, hand: Hand) -> None:
        self.counts: dict[str, int] = {}
        self.is_misplaced = False
        self.odd: list[Card] = []  # cards that a finding may be about
        counts, eligible, over_seq = self.counts, hand.eligible, hand.over_seq
        for card in hand.cards:
            place = card.at
            if place == STUB:
                continue
            counts[place] = counts.get(place, 0) + 1
            if place != card.want:
                self.is_misplaced = True
                self.odd.append(card)
            elif (
                card.fault is not None
                or (over_seq is not None and card.seq > over_seq)
                or ((seat := seat_of(place)) is not None and seat not in eligible)
            ):
                self.odd.append(card)


def judge(hand: Hand, game: Procedure, book: RuleBook) -> list[Conclusion]:
    """All findings that stand about the deal of `hand`, in a fixed order: errors of place by card, counts,
    exposed cards, missing texts, advice, and `deal_ok` where nothing is wrong."""
    if hand.phase == "gathering":
        return []
    tally = _Tally(hand)
    found = [*_errors_of_place(hand, tally, game, book), *_errors_of_count(hand, tally, game, book)]
    is_in_order = not found and not tally.is_misplaced
    if is_in_order and hand.end_deal_seq is not None:
        found.append(_deal_ok(hand, tally))
    if hand.exposures or tally.odd:
        found += _exposed(hand, book)
        found += _missing_text(hand, tally, book)
    found += _action(hand)
    if not is_in_order or hand.exposures:
        found += book.advise(hand, game)
    return found


def _errors_of_place(hand: Hand, tally: _Tally, game: Procedure, book: RuleBook) -> Iterator[Conclusion]:
    seats_reported = set()
    for card in tally.odd:
        seat = seat_of(card.at)
        if hand.over_seq is not None and card.seq > hand.over_seq:
            late = CardAfterEnd(card.number, book.rule_of("card_after_end"))
            yield Conclusion(late, (hand.over_seq, card.seq))
        elif seat is not None and seat not in hand.eligible:
            if seat not in seats_reported:
                seats_reported.add(seat)
                yield Conclusion(ExtraHand(seat, book.rule_of("extra_hand")), (card.seq,))
        elif card.slip and card.at != card.want:
            finding = OrderError(card.number, card.at, card.want, book.rule_of("order_error"))
            yield Conclusion(finding, (card.seq,))
        elif card.fault is not None:
            yield _burn_fault(card, game)


def _burn_fault(card: Card, game: Procedure) -> Conclusion:
    found = game.street_at(card.before_board - 1)
    rule = found[0].rule if found else None
    if card.fault == "missing_burn":
        return Conclusion(MissingBurn(card.before_board, rule), (card.seq,))
    return Conclusion(ExtraBurn(card.before_board, rule), (card.seq,))


def _errors_of_count(hand: Hand, tally: _Tally, game: Procedure, book: RuleBook) -> list[Conclusion]:
    found = []
    boards = tally.counts.get(BOARD, 0)
    if boards > game.board:
        error = CountError(BOARD, boards, game.board, book.rule_of("count_error_board"))
        found.append(Conclusion(error, (hand.cards[-1].seq,)))
    if hand.end_deal_seq is None:
        return found
    if game.with_deal and boards < game.streets[0].cards:
        error = CountError(BOARD, boards, game.streets[0].cards, book.rule_of("count_error_board"))
        found.append(Conclusion(error, (hand.end_deal_seq,)))
    for seat in hand.eligible:
        place = seat_place(seat)
        count = tally.counts.get(place, 0)
        if count == game.passes:
            continue
        evidence = (*(card.seq for card in hand.cards if card.at == place), hand.end_deal_seq)
        if count == 0:
            found.append(Conclusion(DealtOut(seat, book.rule_of("dealt_out")), evidence))
        else:
            error = CountError(place, count, game.passes, book.rule_of("count_error"))
            found.append(Conclusion(error, evidence))
    return found


def _action(hand: Hand) -> Iterator[Conclusion]:
    if hand.end_deal_seq is not None:
        count = len(hand.acted)
        evidence = (hand.end_deal_seq, *(seq for _, seq in hand.acted))
        yield Conclusion(SubstantialAction(count, count >= 2), evidence)
    if hand.over_seq is not None:
        yield Conclusion(HandOver(remaining(hand)[0]), (hand.over_seq,))


def _exposed(hand: Hand, book: RuleBook) -> Iterator[Conclusion]:
    for card, seq in hand.exposures:
        yield Conclusion(ExposedCard(card, book.rule_of("exposed_card")), (seq,))


def _missing_text(hand: Hand, tally: _Tally, book: RuleBook) -> Iterator[Conclusion]:
    """Where the profile does not hold what follows, say so and assert nothing."""
    topics: dict[str, int] = {}
    for card in tally.odd:
        if card.fault is not None:
            topics.setdefault(_TOPIC_OF_FAULT[card.fault], card.seq)
    for number, seq in hand.exposures:
        if number is not None:
            topics.setdefault("single_exposed_card", seq)
    for topic, seq in topics.items():
        if not book.is_text_held(topic):
            yield Conclusion(RuleTextMissing(topic), (seq,))


def _deal_ok(hand: Hand, tally: _Tally) -> Conclusion:
    """All is where the order puts it: judged by where the cards lie now, so a repaired deal counts too."""
    board, burns = tally.counts.get(BOARD, 0), tally.counts.get(BURN, 0)
    cards = sum(tally.counts.values())
    evidence = (*(card.seq for card in hand.cards), hand.end_deal_seq or 0)
    return Conclusion(DealOk(cards - board - burns, board, burns, cards), evidence)
