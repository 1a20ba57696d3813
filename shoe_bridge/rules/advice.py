"""Advice to the supervisor about the deal: can it be put right, or do a misdeal rule's conditions hold?

The gazette does not define "put right". The working test (rules 19.1(c) to (e)): no substantial action yet,
no card that would change hands was exposed, and the dealer has not said that it cannot be done. Then the
moves are those that lay each card of the initial deal where the order of the deal puts it; cards too many
go back on the stub.
"""

from shoe_bridge.table.findings import Conclusion, MisdealAdvised, Repairable, ReshuffleRequired
from shoe_bridge.table.hand import STUB, Card, Hand
from shoe_bridge.table.layout import seat_of, seat_place
from shoe_bridge.table.procedures import Procedure


def advise(hand: Hand, game: Procedure) -> list[Conclusion]:
    """What may be said now, in a fixed order. All of it is advice: only a supervisor declares a misdeal."""
    return [*_exposed_in_the_cut(hand), *_initial_deal(hand, game)]


def _exposed_in_the_cut(hand: Hand) -> list[Conclusion]:
    evidence = tuple(seq for number, seq in hand.exposures if number is None and hand.phase == "cutting")
    if not evidence:
        return []
    rule = "19.1(a)"
    return [Conclusion(MisdealAdvised(rule), evidence), Conclusion(ReshuffleRequired(rule), evidence)]


def _initial_deal(hand: Hand, game: Procedure) -> list[Conclusion]:
    """From the end of the deal until substantial action or a ruling."""
    if hand.end_deal_seq is None or hand.play_on_seq is not None or len(hand.acted) >= 2:
        return []
    moves = repair_moves(hand, game)
    if not moves:
        return []
    rule = _rule(hand, game)
    evidence = (*(card.seq for card in hand.cards if card.is_misplaced), hand.end_deal_seq)
    if not hand.acted and hand.cannot_correct_seq is None and not _moves_an_exposed_card(hand, moves):
        return [Conclusion(Repairable(rule, moves), evidence)]
    return [Conclusion(MisdealAdvised(rule), evidence)]


def repair_moves(hand: Hand, game: Procedure) -> tuple[str, ...]:
    """`N -> PLACE` for each card of the initial deal that lies elsewhere, `N -> stub` for cards too many,
    `next -> PLACE` for those still to be dealt; empty when the deal lies as ordered."""
    hole = [card for card in hand.cards if _is_of_the_deal(card)]
    order = [seat_place(hand.order[i % len(hand.order)]) for i in range(len(hand.order) * game.passes)]
    moves = [
        f"{card.number} -> {place}" for card, place in zip(hole, order, strict=False) if card.at != place
    ]
    moves += [f"{card.number} -> {STUB}" for card in hole[len(order) :]]
    moves += [f"next -> {place}" for place in order[len(hole) :]]
    return tuple(moves)


def _is_of_the_deal(card: Card) -> bool:
    """Community cards and burns in their turn are no part of what is put right here."""
    return card.is_hole and card.is_in_play


def _moves_an_exposed_card(hand: Hand, moves: tuple[str, ...]) -> bool:
    moving = {move.split(" ", 1)[0] for move in moves}
    return any(str(number) in moving for number, _ in hand.exposures)


def _rule(hand: Hand, game: Procedure) -> str:
    """The letter of 19.1 that fits: (d) a player left out or an extra hand, (e) a wrong count, else (c)."""
    places = [card.at for card in hand.cards if _is_of_the_deal(card)]
    counts = {seat: places.count(seat_place(seat)) for seat in hand.eligible}
    is_extra = any((seat := seat_of(place)) is not None and seat not in hand.eligible for place in places)
    if is_extra or 0 in counts.values():
        return "19.1(d)"
    has_acted = bool(hand.acted)
    if any(count != game.passes for count in counts.values()):
        return "19.1(f)" if has_acted else "19.1(e)"
    return "19.1(c)"
