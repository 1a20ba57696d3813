"""What stands about a hand: a pure function of the hand, so that what no longer holds withdraws itself."""

from collections.abc import Iterator
from functools import cache

import msgspec

from shoe_bridge.table.book import RuleBook
from shoe_bridge.table.dealing import cards_to_come
from shoe_bridge.table.findings import (
    BurnMoved,
    ButtonError,
    CardAfterEnd,
    Conclusion,
    CountError,
    DealOk,
    DealtOut,
    DeckDefect,
    ExposedCard,
    ExtraBurn,
    ExtraHand,
    HandOver,
    MissingBurn,
    OrderError,
    PrematureCard,
    RuleTextMissing,
    SubstantialAction,
)
from shoe_bridge.table.hand import BOARD, BURN, DEALER, STUB, Card, Hand
from shoe_bridge.table.layout import SEAT_MAX, seat_of, seat_place
from shoe_bridge.table.procedures import Procedure

_TOPIC_OF_FAULT = {"missing_burn": "missed_burn", "extra_burn": "extra_burn"}


@cache
def _strange_places(eligible: tuple[int, ...]) -> frozenset[str]:
    """The seats that are not in the hand."""
    return frozenset(seat_place(seat) for seat in range(1, SEAT_MAX + 1) if seat not in eligible)


class _Tally:
    """One pass over the cards: how many count where, what is out of place, which burns were wrong."""

    __slots__ = ("cards", "counts", "is_misplaced", "odd")

    def __init__(self, hand: Hand) -> None:
        self.cards = 0
        self.counts: dict[str, int] = {}  # of the initial deal by place, and of all on the board and burned
        self.is_misplaced = False
        self.odd: list[Card] = []  # cards that a finding may be about
        counts, over_seq, strange = self.counts, hand.over_seq, _strange_places(hand.eligible)
        for card in hand.cards:
            place = card.at
            if place == STUB:
                continue
            if card.is_hole or place in (BOARD, BURN):
                counts[place] = counts.get(place, 0) + 1
            self.cards += 1
            if place != card.want:
                self.is_misplaced = True
                self.odd.append(card)
            elif (
                card.fault is not None
                or card.is_premature
                or (over_seq is not None and card.seq > over_seq)
                or place in strange
            ):
                self.odd.append(card)

    def accept_order(self, hand: Hand) -> None:
        """The book finds no fault with how the cards of the initial deal lie: they are where they belong."""
        eligible = hand.eligible
        self.odd = [
            card
            for card in self.odd
            if not card.is_hole or ((seat := seat_of(card.at)) is not None and seat not in eligible)
        ]
        self.is_misplaced = any(card.is_misplaced for card in self.odd)


def judge(hand: Hand, game: Procedure, book: RuleBook) -> list[Conclusion]:
    """All findings that stand about the deal of `hand`, in a fixed order: errors of place by card, counts,
    exposed cards, missing texts, advice, and `deal_ok` where nothing is wrong."""
    if hand.phase == "gathering":
        return []
    if hand.is_tabled:
        return [*_of_the_table(hand, game, book), *_exposed(hand, game, book)]
    if game.to_dealer and hand.over_seq is not None:  # the last player left goes on against the dealer
        hand = msgspec.structs.replace(hand, over_seq=None)
    tally = _Tally(hand)
    if tally.is_misplaced and book.accepts_order(hand, game):
        tally.accept_order(hand)
    found = [*_errors_of_place(hand, tally, game, book), *_errors_of_count(hand, tally, game, book)]
    is_in_order = not found and not tally.is_misplaced
    if is_in_order and hand.end_deal_seq is not None:
        found.append(_deal_ok(hand, tally))
    found += _of_the_table(hand, game, book)
    if hand.exposures or hand.boxed or tally.odd:
        found += _exposed(hand, game, book)
        found += _missing_text(hand, tally, book, game)
    elif game.family == "caribbean" and not is_in_order:
        found.append(Conclusion(RuleTextMissing("caribbean_irregularity"), found[0].evidence))
    found += _action(hand, game, book)
    found += _stub(hand, tally, game, book)
    found += book.advise(hand, game, is_in_order)
    return found


def _errors_of_place(hand: Hand, tally: _Tally, game: Procedure, book: RuleBook) -> Iterator[Conclusion]:
    seats_reported = set()
    for card in tally.odd:
        seat = seat_of(card.at)
        if hand.over_seq is not None and card.seq > hand.over_seq:
            late = CardAfterEnd(card.number, book.rule_of("card_after_end", game))
            yield Conclusion(late, (hand.over_seq, card.seq))
        elif seat is not None and seat not in hand.eligible:
            if seat not in seats_reported:
                seats_reported.add(seat)
                yield Conclusion(ExtraHand(seat, book.rule_of("extra_hand", game)), (card.seq,))
        else:
            if card.slip and card.at != card.want:
                rule = _rule_of_order(card, game, book)
                yield Conclusion(OrderError(card.number, card.at, card.want, rule), (card.seq,))
            if card.fault is not None:
                yield _burn_fault(card, game, book)
            if card.is_premature:
                rule = book.rule_of("premature_card", game)
                yield Conclusion(PrematureCard(card.number, rule), (card.seq,))


def _rule_of_order(card: Card, game: Procedure, book: RuleBook) -> str | None:
    first = book.rule_of("order_error_first_card", game) if card.number == 1 else None
    return first or book.rule_of("order_error", game)


def _burn_fault(card: Card, game: Procedure, book: RuleBook) -> Conclusion:
    number = card.street or 0
    street = game.streets[number]
    if card.fault == "missing_burn":
        rule = book.rule_of_street("missing_burn", game, street)
        return Conclusion(MissingBurn(game.first_board(number), rule), (card.seq,))
    rule = book.rule_of_street("extra_burn", game, street)
    return Conclusion(ExtraBurn(game.first_board(number), rule), (card.seq,))


def _errors_of_count(hand: Hand, tally: _Tally, game: Procedure, book: RuleBook) -> list[Conclusion]:
    found = []
    boards = tally.counts.get(BOARD, 0)
    if boards > game.board:
        error = CountError(BOARD, boards, game.board, book.rule_of("count_error_board", game))
        found.append(Conclusion(error, (hand.cards[-1].seq,)))
    if hand.end_deal_seq is None:
        return found
    if game.with_deal and boards < game.streets[0].cards:
        error = CountError(BOARD, boards, game.streets[0].cards, book.rule_of("count_error_board", game))
        found.append(Conclusion(error, (hand.end_deal_seq,)))
    places = [(seat, seat_place(seat)) for seat in hand.eligible]
    if game.to_dealer:
        places.append((0, DEALER))
    for seat, place in places:
        count = tally.counts.get(place, 0)
        if count == game.passes:
            continue
        evidence = (*(card.seq for card in hand.cards if card.at == place), hand.end_deal_seq)
        if count == 0 and seat:
            found.append(Conclusion(DealtOut(seat, book.rule_of("dealt_out", game)), evidence))
        else:
            error = CountError(place, count, game.passes, book.rule_of("count_error", game))
            found.append(Conclusion(error, evidence))
    return found


def _of_the_table(hand: Hand, game: Procedure, book: RuleBook) -> Iterator[Conclusion]:
    """The button, the deck, and burned cards that did not stay where they belong."""
    lies, due, seq = hand.button, hand.button_due, hand.first_card_seq
    if seq is not None and lies is not None and due is not None and lies != due:
        yield Conclusion(ButtonError(lies, due, book.rule_of("button_error", game)), (seq,))
    for number, moved_seq in hand.burns_moved:
        yield Conclusion(BurnMoved(number, book.rule_of("burn_moved", game)), (moved_seq,))
    yield from hand.defects
    if book.boxed_defect and len(hand.boxed) >= book.boxed_defect:
        yield Conclusion(DeckDefect("boxed"), hand.boxed)


def _action(hand: Hand, game: Procedure, book: RuleBook) -> Iterator[Conclusion]:
    if hand.end_deal_seq is not None and game.family == "poker":
        action = book.count_action(hand)
        evidence = (hand.end_deal_seq, *action.evidence)
        yield Conclusion(SubstantialAction(action.count, action.is_substantial), evidence)
    if hand.over_seq is not None and hand.winner is not None and game.family == "poker":
        yield Conclusion(HandOver(hand.winner), (hand.over_seq,))


def _stub(hand: Hand, tally: _Tally, game: Procedure, book: RuleBook) -> Iterator[Conclusion]:
    """Before the deck runs out: the stub cannot serve what is dealt next."""
    stub = game.deck_cards - tally.cards
    if hand.over_seq is not None or hand.is_tabled or hand.phase in ("showdown", "over"):
        return
    if 0 < cards_to_come(hand, game, tally.cards) > stub and not book.is_text_held("stub_short"):
        last_seq = hand.cards[-1].seq if hand.cards else hand.cut_seq or hand.shuffle_seq
        if last_seq is not None:
            yield Conclusion(RuleTextMissing("stub_short"), (last_seq,))


def _exposed(hand: Hand, game: Procedure, book: RuleBook) -> Iterator[Conclusion]:
    for card, seq in hand.exposures:
        yield Conclusion(ExposedCard(card, book.rule_of("exposed_card", game)), (seq,))


def _missing_text(hand: Hand, tally: _Tally, book: RuleBook, game: Procedure) -> Iterator[Conclusion]:
    """Where the profile does not hold what follows, say so and assert nothing."""
    topics: dict[str, int] = {}
    for card in tally.odd:
        if hand.over_seq is not None and card.seq > hand.over_seq:
            continue  # it is no early card but one that must not have been dealt at all
        if card.fault is not None:
            topics.setdefault(_TOPIC_OF_FAULT[card.fault], card.seq)
        if card.is_premature:
            topics.setdefault("early_community_card", card.seq)
    for number, seq in hand.exposures:
        if number is not None and not book.is_exposure_held(hand, game, number):
            topics.setdefault("single_exposed_card", seq)
    if hand.boxed and not book.is_boxed_held(hand):
        topics.setdefault("boxed_card", hand.boxed[0])
    if game.family == "caribbean" and (tally.odd or hand.exposures or hand.boxed):
        seqs = [*(seq for _, seq in hand.exposures), *hand.boxed, *(card.seq for card in tally.odd)]
        topics = {"caribbean_irregularity": max(seqs)}
    for topic, seq in topics.items():
        if not book.is_text_held(topic):
            yield Conclusion(RuleTextMissing(topic), (seq,))


def _deal_ok(hand: Hand, tally: _Tally) -> Conclusion:
    """All is where the order puts it: judged by where the cards lie now, so a repaired deal counts too."""
    board, burns, cards = tally.counts.get(BOARD, 0), tally.counts.get(BURN, 0), tally.cards
    evidence = (*(card.seq for card in hand.cards), hand.end_deal_seq or 0)
    return Conclusion(DealOk(cards - board - burns, board, burns, cards), evidence)
