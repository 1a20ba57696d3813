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
from shoe_bridge.table.hand import BOARD, BURN, Card, Hand
from shoe_bridge.table.layout import seat_of, seat_place
from shoe_bridge.table.procedures import Procedure

_TOPIC_OF_FAULT = {"missing_burn": "missed_burn", "extra_burn": "extra_burn"}


def judge(hand: Hand, game: Procedure, book: RuleBook) -> list[Conclusion]:
    """All findings that stand about the deal of `hand`, in a fixed order: errors of place by card, counts,
    exposed cards, advice, and `deal_ok` where nothing is wrong."""
    if hand.phase == "gathering":
        return []
    errors = [*_errors_of_place(hand, game, book)]
    errors += _errors_of_count(hand, game, book)
    rest = [*_exposed(hand, book), *_missing_text(hand, book), *_action(hand), *book.advise(hand, game)]
    if not errors and hand.end_deal_seq is not None:
        errors = _deal_ok(hand, game)
    return errors + rest


def _errors_of_place(hand: Hand, game: Procedure, book: RuleBook) -> Iterator[Conclusion]:
    seats_reported = set()
    for card in hand.cards:
        seat = seat_of(card.at)
        if hand.over_seq is not None and card.seq > hand.over_seq:
            yield Conclusion(
                CardAfterEnd(card.number, book.rule_of("card_after_end")), (hand.over_seq, card.seq)
            )
        elif seat is not None and seat not in hand.eligible:
            if seat not in seats_reported:
                seats_reported.add(seat)
                yield Conclusion(ExtraHand(seat, book.rule_of("extra_hand")), (card.seq,))
        elif card.slip and card.is_misplaced:
            finding = OrderError(card.number, card.at, card.want, book.rule_of("order_error"))
            yield Conclusion(finding, (card.seq,))
        elif card.fault is not None and card.is_in_play:
            yield _burn_fault(card, game)


def _burn_fault(card: Card, game: Procedure) -> Conclusion:
    found = game.street_at(card.before_board - 1)
    rule = found[0].rule if found else None
    if card.fault == "missing_burn":
        return Conclusion(MissingBurn(card.before_board, rule), (card.seq,))
    return Conclusion(ExtraBurn(card.before_board, rule), (card.seq,))


def _errors_of_count(hand: Hand, game: Procedure, book: RuleBook) -> list[Conclusion]:
    found = []
    boards = hand.count_at(BOARD)
    if boards > game.board:
        found.append(
            Conclusion(CountError(BOARD, boards, game.board, book.rule_of("count_error_board")), _last(hand))
        )
    if hand.end_deal_seq is None:
        return found
    if game.with_deal and boards < game.streets[0].cards:
        evidence: tuple[int, ...] = (hand.end_deal_seq,)
        found.append(Conclusion(CountError(BOARD, boards, game.streets[0].cards), evidence))
    for seat in sorted(hand.eligible):
        place = seat_place(seat)
        evidence = (*(card.seq for card in hand.cards if card.at == place), hand.end_deal_seq)
        count = len(evidence) - 1
        if count == 0:
            found.append(Conclusion(DealtOut(seat, book.rule_of("dealt_out")), evidence))
        elif count != game.passes:
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


def _missing_text(hand: Hand, book: RuleBook) -> Iterator[Conclusion]:
    """Where the profile does not hold what follows, say so and assert nothing."""
    topics: dict[str, int] = {}
    for card in hand.cards:
        if card.fault is not None and card.is_in_play:
            topics.setdefault(_TOPIC_OF_FAULT[card.fault], card.seq)
    for number, seq in hand.exposures:
        if number is not None:
            topics.setdefault("single_exposed_card", seq)
    for topic, seq in topics.items():
        if not book.is_text_held(topic):
            yield Conclusion(RuleTextMissing(topic), (seq,))


def _deal_ok(hand: Hand, game: Procedure) -> list[Conclusion]:
    """All is where the order puts it: judged by where the cards lie now, so a repaired deal counts too."""
    if any(card.is_misplaced for card in hand.cards):
        return []
    board, burns = hand.count_at(BOARD), hand.count_at(BURN)
    hole = hand.counted() - board - burns
    evidence = (*(card.seq for card in hand.cards), hand.end_deal_seq or 0)
    return [Conclusion(DealOk(hole, board, burns, hole + board + burns), evidence)]


def _last(hand: Hand) -> tuple[int, ...]:
    return (hand.cards[-1].seq,)
