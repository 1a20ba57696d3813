"""Dealing: where the next card off the deck is due, and what a card that lands means for the hand."""

import msgspec

from shoe_bridge.table.hand import (
    BOARD,
    BURN,
    DEALER,
    NONE,
    STUB,
    Card,
    Hand,
    places_of_the_deal,
    replace_card,
    seat_left_of,
)
from shoe_bridge.table.layout import seat_of, seat_place
from shoe_bridge.table.procedures import DRAW, EACH, TO_BOARD, Face, Procedure, Street, cards_of_deal

replace = msgspec.structs.replace


def due_place(hand: Hand, game: Procedure) -> str:
    """Where the next card off the deck is due, `none` when no card is."""
    deal = places_of_the_deal(hand, game.passes, game.to_dealer)
    index = hand.counted()
    if hand.end_deal_seq is None:
        if index < len(deal):
            return deal[index]
        return _due_in_street(hand, game) if game.with_deal else NONE
    return NONE if hand.round_open else _due_in_street(hand, game)


def due_face(hand: Hand, game: Procedure, ahead: int) -> Face:
    """How the card is dealt that comes off the deck after `ahead` others that have not landed yet: `up`, or
    `down` also where no card is due."""
    for number in range(ahead):
        hand = deal_card(hand, game, f"ahead {number}", due_place(hand, game), 0)
    place = due_place(hand, game)
    deal = len(places_of_the_deal(hand, game.passes, game.to_dealer))
    if hand.end_deal_seq is None and hand.counted() < deal:
        return "up" if hand.counted() * game.passes // deal + 1 in game.up_passes else "down"
    street = _street(hand, game)
    return "down" if street is None or place in (BURN, NONE) else street.face


def deal_card(hand: Hand, game: Procedure, tag: str, place: str, seq: int) -> Hand:
    """The next card off the deck has come to rest at `place`."""
    if hand.first_card_seq is None:
        hand = replace(hand, first_card_seq=seq)
    if hand.phase in ("ready", "cutting"):
        hand = replace(hand, phase="dealing")
    if hand.is_tabled:
        return replace(hand, cards=(*hand.cards, Card(len(hand.cards) + 1, tag, place, place, seq)))
    size = len(hand.order) * game.passes + (game.passes if game.to_dealer else 0)
    is_hole_due = hand.end_deal_seq is None and hand.counted() < size
    if not is_hole_due and not _is_short(hand, game, place) and _is_of_a_street(hand, game, place):
        return _deal_in_street(hand, game, tag, place, seq)
    want = place if _is_short(hand, game, place) else due_place(hand, game)
    card = Card(len(hand.cards) + 1, tag, place, want, seq, slip=_is_slip(hand, place, want))
    if hand.end_deal_seq is not None and not _is_short(hand, game, place):
        card = replace(card, is_hole=False, street=hand.street)
        return replace(hand, cards=(*hand.cards, card))
    return sync_opening(replace(hand, cards=(*hand.cards, card)), game)


def move_card(hand: Hand, game: Procedure, card: Card, place: str) -> Hand:
    """Card `card` now counts at `place`: a repair, or a card put back on the stub."""
    was_counted = card.is_hole or _is_of_a_street(hand, game, card.at) or card.street != hand.street
    hand = replace_card(hand, replace(card, at=place))
    if not was_counted and place == card.want:  # it had gone astray, and now it is the card of its street
        hand = replace(hand, burn_given=True)
        return hand if place == BURN else _after_card(hand, game)
    if game.with_deal and all(c.street in (None, 0) for c in hand.cards):
        return sync_opening(hand, game)
    if card.is_hole or place != STUB:
        return hand
    if card.at == BURN:
        return replace(hand, burn_given=card.fault == "extra_burn")
    if hand.given:
        return replace(hand, given=hand.given - 1)
    # the card had completed its street: that street is being dealt again
    street = max(0, hand.street - 1)
    return replace(
        hand, street=street, given=max(0, _cards_due(hand, game.streets[street]) - 1), burn_given=True
    )


def sync_opening(hand: Hand, game: Procedure) -> Hand:
    """A street that belongs to the initial deal is dealt as soon as its cards lie on the board, whichever
    cards of a deal gone wrong they are."""
    if not game.with_deal or hand.end_deal_seq is None or any(c.street not in (None, 0) for c in hand.cards):
        return hand
    is_there = hand.count_at(BOARD) >= game.streets[0].cards
    return replace(hand, street=1 if is_there else 0, given=0, burn_given=False)


def close_draw(hand: Hand, game: Procedure) -> Hand:
    """The end of a betting round also ends a draw: nobody says how many cards are still to come."""
    if is_drawing(hand, game):
        return replace(hand, street=hand.street + 1, given=0, burn_given=False)
    return hand


def is_drawing(hand: Hand, game: Procedure) -> bool:
    """The draw is under way: its burn is given and its round not closed."""
    street = _street(hand, game)
    is_closed = hand.end_deal_seq is not None and not hand.round_open
    return street is not None and street.target == DRAW and is_closed


def cards_to_come(hand: Hand, game: Procedure, in_play: int) -> int:
    """Cards still due in the part of the deal that is under way, or comes next: the initial deal, of which
    `in_play` lie on the table, or a street with its burn. In a draw, what is owed for the cards thrown away
    so far."""
    if hand.end_deal_seq is None:
        return cards_of_deal(game, len(hand.order)) - in_play
    street = _street(hand, game)
    if street is None:
        return 0
    burn = int(street.burn and not hand.burn_given and hand.given == 0)
    if street.target == DRAW:
        owed = (hand.discards.count(seat) - hand.replaced.count(seat) for seat in hand.remaining())
        return burn + sum(max(0, cards) for cards in owed)
    return burn + _cards_due(hand, street) - hand.given


def _street(hand: Hand, game: Procedure) -> Street | None:
    return game.streets[hand.street] if hand.street < len(game.streets) else None


def _cards_due(hand: Hand, street: Street) -> int:
    return len(hand.remaining()) * street.cards if street.target == EACH else street.cards


def _due_in_street(hand: Hand, game: Procedure) -> str:
    street = _street(hand, game)
    if street is None:
        return NONE
    if street.burn and not hand.burn_given and hand.given == 0:
        return BURN
    if street.target == TO_BOARD:
        return BOARD
    if street.target == DRAW:
        return _due_in_draw(hand)
    left = hand.remaining()
    return seat_place(left[hand.given % len(left)]) if left else NONE


def _due_in_draw(hand: Hand) -> str:
    """Each player in turn gets as many as he threw away."""
    for seat in hand.remaining():
        if hand.discards.count(seat) > hand.replaced.count(seat):
            return seat_place(seat)
    return NONE


def _is_short(hand: Hand, game: Procedure, place: str) -> bool:
    """After the dealer called the deal complete, a card for a hand that is short is the repair of it."""
    if hand.end_deal_seq is None or hand.street > (1 if game.with_deal else 0) or hand.burn_given:
        return False
    if game.with_deal and place == BOARD and hand.street == 0:
        return hand.count_at(BOARD) < game.streets[0].cards
    is_entitled = seat_of(place) in hand.eligible or (place == DEALER and game.to_dealer)
    return is_entitled and hand.count_at(place) < game.passes


def _is_of_a_street(hand: Hand, game: Procedure, place: str) -> bool:
    """Board and burn always; a seat only where the street deals to seats, and only after the initial deal."""
    if place in (BOARD, BURN):
        return True
    street = _street(hand, game)
    is_to_seats = street is not None and street.target in (EACH, DRAW)
    return is_to_seats and hand.end_deal_seq is not None and seat_of(place) is not None


def _is_slip(hand: Hand, place: str, want: str) -> bool:
    """Is this the card at which the dealer left the order? One slip shifts all that follow: a card that goes
    on clockwise from a card already out of place is no new slip. A seat that is not in the hand is a finding
    of its own (extra hand)."""
    seat = seat_of(place)
    if place == want or (seat is not None and seat not in hand.eligible):
        return False
    last = hand.cards[-1] if hand.cards else None
    return last is None or seat is None or not last.is_misplaced or seat_left_of(hand, last.at) != place


def _deal_in_street(hand: Hand, game: Procedure, tag: str, place: str, seq: int) -> Hand:
    due = _due_in_street(hand, game)
    fault, want = None, due
    if due == BURN and place != BURN and (place == BOARD) == (game.streets[hand.street].target == TO_BOARD):
        fault = "missing_burn"
        want = _due_in_street(replace(hand, burn_given=True), game)
    elif place == BURN and (due not in (BURN, NONE) or (hand.burn_given and _street(hand, game) is not None)):
        fault, want = "extra_burn", BURN
    card = Card(
        len(hand.cards) + 1,
        tag,
        place,
        want,
        seq,
        is_hole=False,
        slip=_is_slip(hand, place, want),
        fault=fault,
        street=hand.street,
        is_premature=hand.round_open,
    )
    hand = replace(hand, cards=(*hand.cards, card), burn_given=True)
    if place == BURN:
        return hand
    seat = seat_of(place)
    if seat is not None:
        hand = replace(hand, replaced=(*hand.replaced, seat))
    return _after_card(hand, game)


def _after_card(hand: Hand, game: Procedure) -> Hand:
    """Count a card of the street; its last one opens the next betting round."""
    street = _street(hand, game)
    if street is None or street.target == DRAW:
        return hand
    given = hand.given + 1
    if given < _cards_due(hand, street):
        return replace(hand, given=given)
    is_round_open = hand.tracks_betting and hand.end_deal_seq is not None and not hand.is_closed_ahead
    return replace(
        hand,
        street=hand.street + 1,
        given=0,
        burn_given=False,
        round_open=is_round_open,
        is_closed_ahead=False,
    )
