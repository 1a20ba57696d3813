"""The Caribbean stud jackpot: what each qualifying hand is paid, and what the pool is afterwards.

Rules 11.8 to 11.10 and, for a pool in two parts, 11.6A to 11.6C (2001). In order:

    four of a kind, full house, flush   fixed, off the pool first, paid even where it is too small (A11)
    straight flushes   each the greater of its floor and a tenth of what the fixed prizes have left (A8)
    royal flushes      each the greater of its floor and an equal share of what all others have left (A9)

In two parts the fixed prizes come from Minor, straight and royal flushes from Major, and neither part makes
good what the other lacks. The pool is the reading when the round's jackpot wagers were locked (A10). A hand
that carries no wager or was folded does not count (A19): callers leave it out. Who funds a shortfall, and
what refills the pool after a royal, is in no text held; nothing is said about either.

Amounts are whole cents outside and exact fractions inside, from the first table to the last. No rule is held
for a figure that is no whole cent (A12): it is shown to the nearest, half a cent up, or as `rounding` says
otherwise, each figure by itself, and `has_fraction` tells of it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import Annotated, Literal

import msgspec

from shoe_bridge.rules.ranking import Cards, category

Hands = Mapping[int, Cards]  # seat -> the five cards of a hand with a jackpot wager that was not folded
Rounding = Literal["nearest", "down", "up"]
_WHOLE, _MAJOR, _MINOR = "whole", "major", "minor"
# The order of 11.10: what is worked out on one base, and which part pays where the pool is in two.
_STEPS = (
    (_MINOR, ("four_of_a_kind", "full_house", "flush")),
    (_MAJOR, ("straight_flush",)),
    (_MAJOR, ("royal_flush",)),
)
_PRIZED = frozenset(name for _, names in _STEPS for name in names)


class Prize(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The greater of `floor_cents` and `pool_percent` of the pool. `rule` orders it where one hand qualifies,
    `rule_of_many` where two or more do at one table in one round."""

    floor_cents: Annotated[int, msgspec.Meta(ge=0)]
    pool_percent: Annotated[int, msgspec.Meta(ge=0, le=100)]
    rule: str
    rule_of_many: str


class Prizes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The prizes of 11.9, by the category that wins them. The royals share their percentage."""

    royal_flush: Prize = Prize(10_000_00, 100, "11.9(a)", "11.10(c)")
    straight_flush: Prize = Prize(1_000_00, 10, "11.9(b)", "11.10(b)")
    four_of_a_kind: Prize = Prize(500_00, 0, "11.9", "11.10(a)")
    full_house: Prize = Prize(150_00, 0, "11.9", "11.10(a)")
    flush: Prize = Prize(100_00, 0, "11.9", "11.10(a)")


NZ_PRIZES = Prizes()


class Pool(msgspec.Struct, frozen=True):
    """One pool, in cents; ValueError where it is negative."""

    cents: int

    def __post_init__(self) -> None:
        _check_amount(self.cents, "pool")


class SplitPool(msgspec.Struct, frozen=True):
    """A pool in two parts (11.6A): Major for straight and royal flushes, Minor for the rest. Cents."""

    major_cents: int
    minor_cents: int

    def __post_init__(self) -> None:
        _check_amount(self.major_cents, "Major pool")
        _check_amount(self.minor_cents, "Minor pool")


class Award(msgspec.Struct, frozen=True):
    """What one hand is paid. `who` is the seat, `2`, or table and seat, `A:2`."""

    who: str
    category: str
    cents: int
    rule: str


class Settlement(msgspec.Struct, frozen=True):
    """What a settlement comes to, in cents. `grants`: the hands that win, in order of payment of the tables,
    seats ascending. `pool_after` is set for one pool, the other two for one in two parts. `shortfall_cents`:
    how much the prizes exceed what there was. `order`: the tables as paid, empty for a single one."""

    grants: tuple[Award, ...]
    pool_after_cents: int | None
    pool_major_after_cents: int | None
    pool_minor_after_cents: int | None
    shortfall_cents: int
    has_fraction: bool
    order: tuple[str, ...] = ()

    @property
    def awards(self) -> dict[str, int]:
        """Cents by seat, `2`, or by table and seat, `A:2`."""
        return {grant.who: grant.cents for grant in self.grants}


def settle(
    pool: Pool | SplitPool, hands: Hands, prizes: Prizes = NZ_PRIZES, rounding: Rounding = "nearest"
) -> Settlement:
    """Pays one round of one table. ValueError where a hand is not five different cards."""
    till = _Till(pool)
    till.pay("", hands, prizes)
    return till.close((), rounding)


def settle_tables(
    pool: Pool | SplitPool,
    tables: Mapping[str, Hands],
    order: Sequence[str],
    prizes: Prizes = NZ_PRIZES,
    rounding: Rounding = "nearest",
) -> Settlement:
    """Pays one round of several tables on one pool, table after table in `order` (11.11): each from what the
    tables before it have left, the hands of one table together (11.10). ValueError where `order` does not
    name each of the tables once."""
    if sorted(order) != sorted(tables):
        raise ValueError(
            f"the order {', '.join(order)} must name each of the tables {', '.join(tables)} once"
        )
    till = _Till(pool)
    for table in order:
        till.pay(f"{table}:", tables[table], prizes)
    return till.close(tuple(order), rounding)


def is_qualifying(five: Cards) -> bool:
    """Whether these five cards win a prize; ValueError unless they are five different cards."""
    return category(five) in _PRIZED


def payment_order(last_card_ns: Mapping[str, int]) -> tuple[str, ...]:
    """The tables, earliest first, by the time at which the last card of a qualifying hand reached its seat
    (reading A17: the list of 11.11 is cut off, so this is a proposal). Equal times: by name, so that the
    answer is the same each time; only the supervisor can tell them apart, and `linked` proposes nothing."""
    return tuple(sorted(last_card_ns, key=lambda table: (last_card_ns[table], table)))


class _Till:
    """The pool while it pays: exact, and never below zero. One pool pays for both parts."""

    def __init__(self, pool: Pool | SplitPool) -> None:
        if isinstance(pool, SplitPool):
            self._left = {_MAJOR: Fraction(pool.major_cents), _MINOR: Fraction(pool.minor_cents)}
        else:
            self._left = {_WHOLE: Fraction(pool.cents)}
        self._shortfall = Fraction(0)
        self._paid: list[tuple[str, str, Fraction, str]] = []  # who, category, exact cents, rule

    def pay(self, prefix: str, hands: Hands, prizes: Prizes) -> None:
        """One round of one table."""
        won = {seat: name for seat, five in sorted(hands.items()) if (name := category(five)) in _PRIZED}
        counts = Counter(won.values())
        worth: dict[str, Fraction] = {}
        for part, names in _STEPS:
            source = part if part in self._left else _WHOLE
            base = self._left[source]  # the same for all prizes of one step
            for name in (name for name in names if counts[name]):
                worth[name] = _worth(prizes, name, base, counts[name])
                self._take(source, worth[name] * counts[name])
        for seat, name in won.items():
            prize: Prize = getattr(prizes, name)
            rule = prize.rule if len(won) == 1 else prize.rule_of_many
            self._paid.append((f"{prefix}{seat}", name, worth[name], rule))

    def _take(self, source: str, amount: Fraction) -> None:
        rest = self._left[source] - amount
        self._left[source] = max(rest, Fraction(0))
        self._shortfall += max(-rest, Fraction(0))

    def close(self, order: tuple[str, ...], rounding: Rounding) -> Settlement:
        exact = [*self._left.values(), self._shortfall, *(cents for _, _, cents, _ in self._paid)]
        left = {source: _shown(cents, rounding) for source, cents in self._left.items()}
        return Settlement(
            tuple(Award(who, name, _shown(cents, rounding), rule) for who, name, cents, rule in self._paid),
            left.get(_WHOLE),
            left.get(_MAJOR),
            left.get(_MINOR),
            _shown(self._shortfall, rounding),
            any(cents.denominator != 1 for cents in exact),
            order,
        )


def _worth(prizes: Prizes, name: str, base: Fraction, count: int) -> Fraction:
    """What each of `count` hands of that category gets. Only royals share; the floor is per hand (A9)."""
    prize: Prize = getattr(prizes, name)
    share = base * prize.pool_percent / 100 / (count if name == "royal_flush" else 1)
    return max(Fraction(prize.floor_cents), share)


def _shown(cents: Fraction, rounding: Rounding) -> int:
    if rounding == "nearest":
        return floor(cents + Fraction(1, 2))
    return floor(cents) if rounding == "down" else ceil(cents)


def _check_amount(cents: int, what: str) -> None:
    if cents < 0:
        raise ValueError(
            f"a {what} of {cents} cents cannot pay: give what stood there when the wagers were locked"
        )
