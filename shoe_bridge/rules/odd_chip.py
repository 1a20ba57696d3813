"""The odd chip under another reading than the stated ones (A13: rank first, A14: no answer when the board
plays). The pots are divided as ever; only who gets the rest changes.
"""

from collections.abc import Callable

import msgspec

from shoe_bridge.rules import pots
from shoe_bridge.rules.profile import Settings
from shoe_bridge.rules.ranking import HEIGHT, Best, best_hand
from shoe_bridge.table.cards import RANKS, SUITS
from shoe_bridge.table.findings import Conclusion, PotSplit, RuleTextMissing
from shoe_bridge.table.hand import BOARD, Hand
from shoe_bridge.table.layout import seat_of, seat_place
from shoe_bridge.table.money import Money, decimal
from shoe_bridge.table.procedures import Procedure

# Suit first: each card stands for the one that is as high when rank comes first.
_BY_HEIGHT = sorted(HEIGHT, key=HEIGHT.__getitem__)
_SUIT_FIRST = {
    card: _BY_HEIGHT[height] for height, card in enumerate(rank + suit for suit in SUITS for rank in RANKS)
}


def as_read(
    found: list[Conclusion],
    settings: Settings,
    hand: Hand,
    game: Procedure,
    money: Money,
    card_of: Callable[[str], str | None],
) -> list[Conclusion]:
    """`found` with each pot whose rest goes elsewhere by these settings divided once more."""
    is_suit_first = settings.odd_chip_order == "suit_first"
    is_held = settings.odd_chip_board_plays == "highest_hole_card"
    if not (is_suit_first or is_held) or money.chip_cents is None or not any(map(_is_of_pot, found)):
        return found
    hands = _best_hands(hand, game, card_of, is_suit_first, is_held)
    others = [each for each in found if not _is_of_pot(each)]
    return [*_divided(hand, hands, money.chip_cents), *others]


def _is_of_pot(conclusion: Conclusion) -> bool:
    finding = conclusion.finding
    return isinstance(finding, PotSplit) or finding == RuleTextMissing("odd_chip_board_plays")


def _divided(hand: Hand, hands: dict[int, Best], chip_cents: int) -> list[Conclusion]:
    divided = []
    for number, (cents, contest, seq) in enumerate(hand.pots, start=1):
        contenders = {seat: best for seat, best in hands.items() if not contest or seat in contest}
        shares = pots.divide(cents, contenders, chip_cents) if contenders else None
        if shares is not None:
            split = PotSplit(number, {str(seat): decimal(share) for seat, share in shares.items()})
            divided.append(Conclusion(split, (seq,)))
        elif contenders:
            divided.append(Conclusion(RuleTextMissing("odd_chip_board_plays"), (seq,)))
    return divided


def _best_hands(
    hand: Hand,
    game: Procedure,
    card_of: Callable[[str], str | None],
    is_suit_first: bool,
    is_held: bool,
) -> dict[int, Best]:
    """The best hand of each seat still in. Where the board plays, all hole cards are compared (`is_held`)."""
    shown: dict[str, tuple[str, ...]] = {}
    for card in hand.cards:
        shown[card.at] = (*shown.get(card.at, ()), card_of(card.tag) or "")
    board = shown.pop(BOARD, ())
    found = {}
    for seat in sorted(seat for place in shown if (seat := seat_of(place)) is not None):
        hole = shown[seat_place(seat)]
        if seat in hand.folded or len(hole) + len(board) < 5 or len(hole) < (game.uses_hole or 0):
            continue
        best = best_hand(hole, board, game.uses_hole)
        used = best.hole_used or (hole if is_held else ())
        if is_suit_first:
            used = tuple(_SUIT_FIRST[card] for card in used)
        found[seat] = msgspec.structs.replace(best, hole_used=used)
    return found
