"""One round of linked tables: which hand of each takes part in the jackpot, and when all have been shown.

The round waits for each of its tables: until it has shown, or has nothing at stake in a hand that has begun.
Whoever links tables leaves out those that are closed. A hand shown waits for the others though its table goes
on, and what that table deals meanwhile is not of this round. Once all have shown the round stands until one
of the tables that had something at stake begins its next hand. A misdeal takes a hand out of the round.
"""

from collections.abc import Callable
from typing import Literal

import msgspec

from shoe_bridge.rules import jackpot
from shoe_bridge.rules.settling import CardOf, cards_shown, wagered_hands
from shoe_bridge.table.hand import Hand
from shoe_bridge.table.layout import seat_place


class WallTime(msgspec.Struct, frozen=True):
    """When something was read, by its own table's clock; `is_trusted`: that clock is known to be right."""

    at_wall_ns: int
    is_trusted: bool = True


class Winner(msgspec.Struct, frozen=True):
    """A hand of five that carries a wager and wins a prize. `seq` is the event by which its last card was
    read, `read_at_wall_ns` when that was; None where it is not known, or the clock not trusted."""

    seat: int
    five: tuple[str, ...]
    seq: int
    read_at_wall_ns: int | None


class TableHand(msgspec.Struct, frozen=True):
    """What one hand of one table means for the jackpot. `stage`: `waiting` (nothing is at stake yet, or it is
    not shown), `out` (it has begun with nothing at stake), `shown`, `unclear` (it is shown, and not all its
    cards are known or its deck is defective)."""

    number: int
    stage: Literal["waiting", "out", "shown", "unclear"]
    is_redeal: bool = False
    showdown_seq: int = 0
    winners: tuple[Winner, ...] = ()


class Round(msgspec.Struct, frozen=True):
    """One round of the linked tables `names`. `hands` are those that take part, `ahead` the numbers of the
    hands that tables went on to before all had shown, `closed` those of the last ones of earlier rounds."""

    names: tuple[str, ...]
    hands: dict[str, TableHand] = {}
    ahead: dict[str, int] = {}
    closed: dict[str, int] = {}

    @property
    def is_complete(self) -> bool:
        """All have shown who have something at stake, and somebody has."""
        stages = [self.hands[name].stage if name in self.hands else "waiting" for name in self.names]
        return "waiting" not in stages and any(stage != "out" for stage in stages)


WallTimeOf = Callable[[int], WallTime | None]  # of the reading that an event number stands for


def look(hand: Hand, card_of: CardOf, wall_time_of: WallTimeOf) -> TableHand:
    """A table's hand as the round needs it. `wall_time_of` gives the wall time of the reading that an event
    number stands for, None where it is not known."""
    stage: Literal["waiting", "out", "shown", "unclear"]
    is_redeal = bool(hand.owed)
    if not set(hand.wagers) - set(hand.folded):
        stage = "out" if hand.has_begun else "waiting"
        return TableHand(hand.number, stage, is_redeal)
    if hand.showdown_seq is None:
        return TableHand(hand.number, "waiting", is_redeal)
    cards = cards_shown(hand, card_of)
    if cards is None or hand.defects:
        return TableHand(hand.number, "unclear", is_redeal, hand.showdown_seq)
    held = wagered_hands(hand, cards)
    winners = tuple(
        _winner(hand, seat, five, wall_time_of)
        for seat, five in sorted(held.items())
        if jackpot.is_qualifying(five)
    )
    return TableHand(hand.number, "shown", is_redeal, hand.showdown_seq, winners)


def _winner(hand: Hand, seat: int, five: tuple[str, ...], wall_time_of: WallTimeOf) -> Winner:
    """The last card by wall time; where one card's is not known the last cannot be told."""
    seqs = [card.seq for card in hand.cards if card.at == seat_place(seat)]
    times = [(time.at_wall_ns, seq) for seq in seqs if (time := wall_time_of(seq)) and time.is_trusted]
    if len(times) < len(seqs):
        return Winner(seat, five, max(seqs), None)
    read_at_wall_ns, seq = max(times)
    return Winner(seat, five, seq, read_at_wall_ns)


def follow(at: Round, name: str, seen: TableHand) -> Round:
    """The round once `name` is seen with this hand; to be told of every state of each table, in order."""
    if seen.number <= at.closed.get(name, 0):
        return at
    kept = at.hands.get(name)
    if kept is None or kept.number == seen.number or _is_void(kept, seen):
        return at if kept == seen else msgspec.structs.replace(at, hands={**at.hands, name: seen})
    if not at.is_complete:
        # what was shown waits for the others; a hand that has nothing at stake need not
        if kept.stage == "out":
            return msgspec.structs.replace(at, hands={**at.hands, name: seen})
        return msgspec.structs.replace(at, ahead={**at.ahead, name: seen.number})
    if kept.stage == "out" or seen.number <= at.ahead.get(name, 0):
        return at
    closed = {table: hand.number for table, hand in at.hands.items()}
    return Round(at.names, {name: seen}, {}, {**at.closed, **closed})


def _is_void(kept: TableHand, later: TableHand) -> bool:
    """The hand kept takes no part: it ended without being shown, or the later one is its new deal."""
    return kept.stage == "waiting" or (later.is_redeal and later.number == kept.number + 1)
