"""Dividing a pot among equal best hands, in whole cents.

15.4(e), (f), held for manila3: equal shares down to the lowest chip in play at the table; what cannot be
divided goes in one piece to the player with the highest card by suit among the hole cards used in the winning
hand. Read as rank first, then suit: spades, hearts, diamonds, clubs (reading A13). The other games' text is
not held, and 15.4(e) stands in for it; `odd_chip_status` says which. Where a tied hand uses no hole card
nothing held says who gets the rest (reading A14).

Each pot is divided on its own: give the main pot with all hands still in, a side pot with those that
contest it.
"""

from collections.abc import Mapping
from typing import Literal

from shoe_bridge.rules.ranking import HEIGHT, Best

ODD_CHIP_RULE = "15.4(e)"
_HELD = frozenset({"manila3"})


def odd_chip_status(game: str) -> Literal["held", "inferred"]:
    """Whether the game's own odd-chip text was read, or 15.4(e) stands in for it."""
    return "held" if game in _HELD else "inferred"


def divide(pot_cents: int, contenders: Mapping[int, Best], chip_cents: int) -> dict[int, int] | None:
    """Cents for each seat that gets something, seats ascending; they add up to the pot.

    `contenders`: the best hand of each seat that contests this pot; `chip_cents`: the lowest chip. Whatever
    lies below the lowest chip belongs to the rest. None where a rest exists that no held rule assigns: a tied
    hand uses no hole card, or two claim one and the same card (the deck is defective then, 19.1(h)).
    ValueError for a negative pot, a chip of no value, or nobody to contest the pot.
    """
    if pot_cents < 0:
        raise ValueError(f"a pot of {pot_cents} cents cannot be divided: give what lies in it")
    if chip_cents <= 0:
        raise ValueError(f"a lowest chip of {chip_cents} cents divides nothing: give the lowest chip in play")
    if not contenders:
        raise ValueError("nobody contests the pot: give the hand of at least one seat")
    best = max(hand.strength for hand in contenders.values())
    winners = {seat: hand for seat, hand in sorted(contenders.items()) if hand.strength == best}
    chips = pot_cents // chip_cents
    shares = dict.fromkeys(winners, chips // len(winners) * chip_cents)
    rest = pot_cents - sum(shares.values())
    if rest:
        seat = next(iter(winners)) if len(winners) == 1 else _holder_of_highest(winners)
        if seat is None:
            return None
        shares[seat] += rest
    return {seat: cents for seat, cents in shares.items() if cents}


def _holder_of_highest(winners: Mapping[int, Best]) -> int | None:
    """The one seat whose highest used hole card tops all others; None where no card decides."""
    heights = {
        seat: max((HEIGHT[card] for card in hand.hole_used), default=None) for seat, hand in winners.items()
    }
    known = [height for height in heights.values() if height is not None]
    if len(known) < len(heights) or known.count(max(known)) > 1:
        return None
    return next(seat for seat, height in heights.items() if height == max(known))
