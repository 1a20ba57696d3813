"""What the cards on the table are worth once they are shown: pots and jackpot, as far as rules are held.

Nothing is settled from cards that are not all known, or from a deck found defective: then the pots are the
supervisor's alone (19.1(h)).
"""

from collections.abc import Callable

from shoe_bridge.rules import jackpot, pots
from shoe_bridge.rules.ranking import Best, best_hand
from shoe_bridge.table.findings import Conclusion, Jackpot, PotSplit, RuleTextMissing
from shoe_bridge.table.hand import BOARD, Hand
from shoe_bridge.table.layout import seat_of
from shoe_bridge.table.money import Money, decimal
from shoe_bridge.table.procedures import Procedure

CardOf = Callable[[str], str | None]
_FIVE = 5


def settle(
    hand: Hand, game: Procedure, money: Money, card_of: CardOf, rounding: jackpot.Rounding = "nearest"
) -> list[Conclusion]:
    """`pot_split` for each pot that was named, `jackpot` where a wager was locked in. `rounding`: how a
    figure that is no whole cent is shown."""
    cards = cards_shown(hand, card_of)
    if cards is None or hand.defects:
        return []
    return [*_pots(hand, game, money, cards), *_jackpot(hand, money, cards, rounding)]


def cards_shown(hand: Hand, card_of: CardOf) -> dict[str, tuple[str, ...]] | None:
    """The cards by place; None when one of them is not known, or is known twice."""
    shown: dict[str, tuple[str, ...]] = {}
    for card in hand.cards:
        identity = card_of(card.tag)
        if identity is None or any(identity in cards for cards in shown.values()):
            return None
        shown[card.at] = (*shown.get(card.at, ()), identity)
    return shown


def _pots(hand: Hand, game: Procedure, money: Money, cards: dict[str, tuple[str, ...]]) -> list[Conclusion]:
    if not hand.pots or money.chip_cents is None:
        return []
    hands = _best_hands(hand, game, cards)
    found = []
    for number, (cents, contest, seq) in enumerate(hand.pots, start=1):
        contenders = {seat: best for seat, best in hands.items() if not contest or seat in contest}
        if not contenders:
            continue
        shares = pots.divide(cents, contenders, money.chip_cents)
        if shares is not None:
            split = PotSplit(number, {str(seat): decimal(share) for seat, share in shares.items()})
            found.append(Conclusion(split, (seq,)))
        elif any(not best.hole_used for best in contenders.values()):
            found.append(Conclusion(RuleTextMissing("odd_chip_board_plays"), (seq,)))
    return found


def _best_hands(hand: Hand, game: Procedure, cards: dict[str, tuple[str, ...]]) -> dict[int, Best]:
    """The best hand of each seat that is still in and shows enough cards to make one."""
    board = cards.get(BOARD, ())
    uses = game.uses_hole
    found = {}
    for place, hole in cards.items():
        seat = seat_of(place)
        is_whole = len(hole) + len(board) >= _FIVE and (uses is None or len(hole) >= uses)
        if seat is not None and seat not in hand.folded and is_whole:
            found[seat] = best_hand(hole, board, uses)
    return found


def _jackpot(
    hand: Hand, money: Money, cards: dict[str, tuple[str, ...]], rounding: jackpot.Rounding
) -> list[Conclusion]:
    pool = pool_of(money)
    if pool is None:
        return []
    settled = jackpot.settle(pool, wagered_hands(hand, cards), rounding=rounding)
    return [Conclusion(told(settled), (hand.showdown_seq or 0,))] if settled.awards else []


def pool_of(money: Money) -> jackpot.Pool | jackpot.SplitPool | None:
    """The jackpot's pool, None where the table has none."""
    if money.pool_major_cents is not None and money.pool_minor_cents is not None:
        return jackpot.SplitPool(money.pool_major_cents, money.pool_minor_cents)
    return None if money.pool_cents is None else jackpot.Pool(money.pool_cents)


def wagered_hands(hand: Hand, cards: dict[str, tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    """By seat the hands of five that carry a jackpot wager and were not folded (11.8 to 11.10)."""
    hands = {seat: held for place, held in cards.items() if (seat := seat_of(place)) is not None}
    return {
        seat: held
        for seat, held in hands.items()
        if seat in hand.wagers and seat not in hand.folded and len(held) == _FIVE
    }


def told(settled: jackpot.Settlement) -> Jackpot:
    """A settlement as the finding that tells of it."""
    return Jackpot(
        {who: decimal(cents) for who, cents in settled.awards.items()},
        decimal(settled.shortfall_cents),
        _decimal(settled.pool_after_cents),
        _decimal(settled.pool_major_after_cents),
        _decimal(settled.pool_minor_after_cents),
        settled.order,
        settled.has_fraction,
    )


def _decimal(cents: int | None) -> str | None:
    return None if cents is None else decimal(cents)
