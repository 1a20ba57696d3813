"""Whose turn it is, who has acted, who is left: as far as the deal's rules ask for it. No money.

Substantial action counts different players who have acted in turn since the initial deal (19.1; reading A1:
blinds do not count, nor does acting out of turn). The first round begins left of the last blind, later ones
left of the button (14.2, 15.2, 15.3).
"""

import msgspec

from shoe_bridge.table.hand import Hand, deal_order

ACTIONS = ("check", "open", "call", "raise", "fold")


def post_blind(hand: Hand, seat: int) -> Hand:
    return msgspec.structs.replace(hand, blinds=(*hand.blinds, seat))


def remaining(hand: Hand) -> tuple[int, ...]:
    """The seats still in the hand, in the order of the deal."""
    return tuple(seat for seat in hand.order if seat not in hand.folded)


def seat_to_act(hand: Hand) -> int | None:
    if hand.turn is not None:
        return hand.turn
    is_first_round = hand.boards == 0 or not hand.acted
    after = hand.blinds[-1] if hand.blinds and is_first_round else hand.button
    return _next_remaining(hand, after)


def act(hand: Hand, seat: int, word: str, seq: int) -> Hand:
    """`seat` acted. Out of turn it folds its cards all the same, but it counts for nothing else."""
    is_in_turn = seat == seat_to_act(hand)
    if word == "fold" and seat not in hand.folded:
        hand = msgspec.structs.replace(hand, folded=(*hand.folded, seat))
        if hand.over_seq is None and len(remaining(hand)) == 1:
            hand = msgspec.structs.replace(hand, over_seq=seq)
    if not is_in_turn:
        return hand
    if hand.end_deal_seq is not None and all(seat != other for other, _ in hand.acted):
        hand = msgspec.structs.replace(hand, acted=(*hand.acted, (seat, seq)))
    return msgspec.structs.replace(hand, turn=_next_remaining(hand, seat))


def close_round(hand: Hand) -> Hand:
    return msgspec.structs.replace(hand, round_open=False, turn=None)


def _next_remaining(hand: Hand, after: int | None) -> int | None:
    order = [seat for seat in deal_order(hand.order, after) if seat not in hand.folded]
    return order[0] if order else None
