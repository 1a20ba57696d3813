"""Whose turn it is, who has acted, who is left: as far as the deal's rules ask for it. No money.

Kept is who acted in turn since the initial deal, and how: what of it is substantial action is for the rule
book. The first round begins left of the last blind, later ones left of the button (14.2, 15.2, 15.3). Where a
game has no button the turns follow the cards, which nobody sees: there no action counts as out of turn.
"""

import msgspec

from shoe_bridge.table.hand import Hand, deal_order

ACTIONS = ("check", "open", "call", "raise", "fold")
WITH_CHIPS = ("open", "call", "raise")


def post_blind(hand: Hand, seat: int, cents: int | None) -> Hand:
    return msgspec.structs.replace(hand, blinds=(*hand.blinds, seat), bets=(*hand.bets, (seat, cents)))


def contributed(hand: Hand, seat: int | None = None) -> int | None:
    """Cents that a seat (None: all) put into the pot in this hand; None where an amount was not told."""
    amounts = [cents for player, cents in hand.bets if seat in (None, player)]
    return None if None in amounts else sum(cents for cents in amounts if cents is not None)


def seat_to_act(hand: Hand) -> int | None:
    if hand.turn is not None:
        return hand.turn
    after = hand.blinds[-1] if hand.blinds and not hand.had_round else hand.button_due
    return _next_remaining(hand, after)


def act(hand: Hand, seat: int, word: str, cents: int | None, seq: int) -> Hand:
    """`seat` acted. Out of turn it folds its cards and pays all the same, but it does not count as action."""
    is_in_turn = hand.button_due is None or seat == seat_to_act(hand)
    if word == "fold":
        hand = leave(hand, seat, seq)
    elif word != "check":
        hand = msgspec.structs.replace(hand, bets=(*hand.bets, (seat, cents)))
    if not is_in_turn:
        return hand
    turn = _next_remaining(hand, seat)
    if hand.end_deal_seq is None:
        return msgspec.structs.replace(hand, turn=turn)
    is_first = all(seat != other for other, _ in hand.acted)
    acted = (*hand.acted, (seat, seq)) if is_first else hand.acted
    return msgspec.structs.replace(hand, turn=turn, acted=acted, actions=(*hand.actions, (seat, word, seq)))


def leave(hand: Hand, seat: int, seq: int) -> Hand:
    """`seat` is out of the hand; the last one left wins it, and may give up his cards then."""
    if seat in hand.folded or seat not in hand.order:
        return hand
    hand = msgspec.structs.replace(hand, folded=(*hand.folded, seat))
    left = hand.remaining()
    if hand.over_seq is None and len(left) == 1:
        hand = msgspec.structs.replace(hand, over_seq=seq, winner=left[0])
    return hand


def close_round(hand: Hand) -> Hand:
    """The betting round is over. Where none was open and a street is under way, its last cards lie there and
    were not read yet: it is the round behind that street."""
    is_under_way = hand.end_deal_seq is not None and (hand.given > 0 or hand.burn_given)
    return msgspec.structs.replace(
        hand,
        round_open=False,
        is_closed_ahead=is_under_way and not hand.round_open,
        turn=None,
        had_round=True,
    )


def _next_remaining(hand: Hand, after: int | None) -> int | None:
    order = [seat for seat in deal_order(hand.order, after) if seat not in hand.folded]
    return order[0] if order else None
