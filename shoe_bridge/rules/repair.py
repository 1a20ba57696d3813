"""Putting a deal right: the moves that lay each card of the initial deal where its order puts it.

The gazette does not define it. The working test: no substantial action, no exposed card among those that
change hands, every card located, and no seat concerned has acted (`advice`).
"""

from shoe_bridge.table.hand import STUB, Card, Hand, places_of_the_deal
from shoe_bridge.table.layout import seat_of
from shoe_bridge.table.procedures import Procedure


def repair_moves(hand: Hand, game: Procedure) -> tuple[str, ...]:
    """`N -> PLACE` for each card of the initial deal that lies elsewhere, `N -> stub` for cards too many,
    `next -> PLACE` for those still to be dealt; empty when the deal lies as ordered."""
    dealt = _dealt(hand)
    order = places_of_the_deal(hand, game.passes, game.to_dealer)
    moves = [
        f"{card.number} -> {place}" for card, place in zip(dealt, order, strict=False) if card.at != place
    ]
    moves += [f"{card.number} -> {STUB}" for card in dealt[len(order) :]]
    moves += [f"next -> {place}" for place in order[len(dealt) :]]
    return tuple(moves)


def exposed_cards(hand: Hand) -> tuple[int, ...]:
    """The numbers of the cards that were exposed."""
    return tuple(number for number, _ in hand.exposures if number is not None)


def is_affected_seat_active(hand: Hand, moves: tuple[str, ...]) -> bool:
    """Has a player acted whose hand the moves would change?"""
    has_acted = {seat for seat, _ in hand.acted}
    if not has_acted:
        return False
    by_number = {str(card.number): card.at for card in hand.cards}
    touched = set()
    for move in moves:
        number, _, place = move.partition(" -> ")
        touched |= {seat_of(place), seat_of(by_number.get(number, STUB))}
    return bool(touched & has_acted)


def _dealt(hand: Hand) -> list[Card]:
    """Community cards and burns in their turn are no part of what is put right."""
    return [card for card in hand.cards if card.is_hole and card.is_in_play]
