"""The linked jackpot: one pool, and hands at several tables that win from it at about the same time.

Such hands are paid in the order in which the players concerned received something (11.11), and there the list
that is held breaks off. It is read as the time at which each player's last card was read at the seat (A17).
So where two tables or more win, `rule_text_missing` says that the text is not held, `jackpot_order` proposes
the order, and `jackpot` gives the figures for it; the supervisor rules.

A table's monotonic clock means nothing at another table: what orders them is wall time, a label, given with
each reading by the caller. No order is proposed, and figures are given only where all orders that are left
come to the same, when

    a wall time is not known, or its clock not trusted
    two tables' hands were whole at the same time, or one's lies between two of the other: 11.10 pays the
    hands of a table together and 11.11 players one after the other, and nothing held says which goes first

Nothing is concluded before the round is complete (`linked_round`).
"""

from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise, permutations

import msgspec

from shoe_bridge.rules import jackpot
from shoe_bridge.rules.linked_round import Round, Winner
from shoe_bridge.rules.settling import pool_of, told
from shoe_bridge.table.findings import AnyFinding, JackpotOrder, RuleTextMissing
from shoe_bridge.table.money import Money

TOPIC = "jackpot_order_between_tables"
_MOST_ORDERED = 6  # tables that win in one round: beyond it not every order is tried
_DAY_MS = 86_400_000


class LinkedConclusion(msgspec.Struct, frozen=True):
    """A finding about several tables, and the events that it rests on, each as table and event number."""

    finding: AnyFinding
    evidence: tuple[tuple[str, int], ...]


def conclude(
    at: Round, money: Money, is_text_held: bool, rounding: jackpot.Rounding = "nearest"
) -> list[LinkedConclusion]:
    """What the round comes to. `money` has the pool that all share, or none where only the order is asked
    for; `is_text_held`: the profile holds who is paid first. Nothing is said while a table's hand is unclear:
    what it takes from the pool is not known."""
    if not at.is_complete or any(hand.stage == "unclear" for hand in at.hands.values()):
        return []
    winners = {name: hand.winners for name, hand in at.hands.items() if hand.winners}
    if not winners:
        return []
    order = _order(winners)
    found = list(_about_order(winners, order, is_text_held)) if len(winners) > 1 else []
    paid = _paid(winners, order, money, rounding)
    if paid is not None:
        shown = tuple((name, hand.showdown_seq) for name, hand in at.hands.items() if hand.stage == "shown")
        found.append(LinkedConclusion(told(paid), shown))
    return found


def _about_order(
    winners: Mapping[str, tuple[Winner, ...]], order: tuple[str, ...] | None, is_text_held: bool
) -> Iterator[LinkedConclusion]:
    evidence = tuple((name, hand.seq) for name, hands in winners.items() for hand in hands)
    if order is not None:
        times = tuple(_time_of_day(_span(winners[name])[0]) for name in order)
        yield LinkedConclusion(JackpotOrder(order, times), evidence)
    if not is_text_held:
        yield LinkedConclusion(RuleTextMissing(TOPIC), evidence)


def _order(winners: Mapping[str, tuple[Winner, ...]]) -> tuple[str, ...] | None:
    """The one order that the times leave; a single table needs none."""
    if len(winners) == 1:
        return tuple(winners)
    if any(hand.read_at_wall_ns is None for hands in winners.values() for hand in hands):
        return None
    order = jackpot.payment_order({name: _span(hands)[0] for name, hands in winners.items()})
    is_strict = all(_is_before(winners[one], winners[other]) for one, other in pairwise(order))
    return order if is_strict else None


def _paid(
    winners: Mapping[str, tuple[Winner, ...]],
    order: tuple[str, ...] | None,
    money: Money,
    rounding: jackpot.Rounding,
) -> jackpot.Settlement | None:
    """The figures for the order; without one those on which all orders that the times leave agree."""
    pool = pool_of(money)
    if pool is None:
        return None
    tables = {name: {hand.seat: hand.five for hand in hands} for name, hands in winners.items()}
    if order is not None:
        return jackpot.settle_tables(pool, tables, order, rounding=rounding)
    if len(tables) > _MOST_ORDERED:
        return None
    settled = [jackpot.settle_tables(pool, tables, each, rounding=rounding) for each in _orders(winners)]
    first, *others = (_without_order(each) for each in settled)
    return first if all(other == first for other in others) else None


def _orders(winners: Mapping[str, tuple[Winner, ...]]) -> Iterator[tuple[str, ...]]:
    """The orders in which no table comes before one that was earlier."""
    for order in permutations(sorted(winners)):
        if not any(_is_before(winners[late], winners[early]) for early, late in combinations(order, 2)):
            yield order


def _without_order(settled: jackpot.Settlement) -> jackpot.Settlement:
    grants = tuple(sorted(settled.grants, key=lambda grant: grant.who))
    return msgspec.structs.replace(settled, grants=grants, order=())


def _is_before(one: tuple[Winner, ...], other: tuple[Winner, ...]) -> bool:
    """All winning hands of one table were whole before any of the other; False where that is not known."""
    if any(hand.read_at_wall_ns is None for hand in (*one, *other)):
        return False
    return _span(one)[1] < _span(other)[0]


def _span(hands: tuple[Winner, ...]) -> tuple[int, int]:
    """When the first and the last of these hands were whole."""
    times = [hand.read_at_wall_ns for hand in hands if hand.read_at_wall_ns is not None]
    return min(times), max(times)


def _time_of_day(at_wall_ns: int) -> str:
    """`21:14:02.900`, UTC."""
    ms = at_wall_ns // 1_000_000 % _DAY_MS
    return f"{ms // 3_600_000:02d}:{ms // 60_000 % 60:02d}:{ms // 1_000 % 60:02d}.{ms % 1_000:03d}"
