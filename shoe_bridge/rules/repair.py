"""Putting a deal right: the moves that lay each card of the initial deal where its order puts it.

The gazette does not define it. The working test: no substantial action, no exposed card among those that
change hands, every card located, and no seat concerned has acted (`advice`).
"""

from shoe_bridge.table.hand import BOARD, BURN, STUB, Card, Hand, places_of_the_deal
from shoe_bridge.table.layout import seat_of
from shoe_bridge.table.procedures import Procedure


def repair_moves(hand: Hand, game: Procedure) -> tuple[str, ...]:
    """`N -> PLACE` for each card of the initial deal that lies elsewhere, `N -> stub` for cards too many,
    `next -> PLACE` for those still to be dealt; empty when every hand lies as ordered. Community cards that
    come with the deal shift with it."""
    order = places_of_the_deal(hand, game.passes, game.to_dealer)
    dealt = [card for card in hand.cards if card.is_hole and card.is_in_play]
    moves = _moves(dealt, order)
    if not moves or not game.with_deal:
        return moves
    opening = game.streets[0]
    order += [BURN] * opening.burn + [BOARD] * opening.cards
    return _moves([card for card in hand.cards if card.is_in_play and _is_of_deal(card)], order)


def _is_of_deal(card: Card) -> bool:
    return card.is_hole or card.street == 0


def _moves(dealt: list[Card], order: list[str]) -> tuple[str, ...]:
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
