"""Which poker hand is the better one, and which five cards make it.

Ranking is by `phevaluator` 0.5.3.1 (Apache-2.0, pure Python), held against an independent ranking in the
tests. Beside `pokerkit` 0.7.7 (MIT, pure Python) it is several times as fast for five cards and more than
fifty times for seven, and it costs the bridge 3 MB and well under 0.1 s when first used where pokerkit costs
20 MB and over a second, which would stall the one loop in the middle of a game. The price is numpy on the
disk, which it declares and which ranking never loads. Version 0.6.0 has a native part and no wheel for
64-bit ARM, so the version is pinned. It is loaded at the first hand that is ranked, not with this module.

Cards are `9d`, `Th`, `As`. Nothing changes in short decks: no text held says otherwise, so a flush stays
below a full house and the ace plays low only below a two. Callers rank hands of a proven deck only: two cards
of one identity are a ValueError.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations

import msgspec

from shoe_bridge.table.cards import RANKS, STANDARD_52, SUITS, is_card

HAND = 5  # cards that make a hand
_MOST = 7  # cards that the library ranks at once
_WORST = 7463  # the library counts down: 1 is a royal flush, 7462 the lowest high card
# (lowest strength of the category, its name), best first
_CATEGORIES = tuple(
    (_WORST - worst, name)
    for worst, name in (
        (1, "royal_flush"),
        (10, "straight_flush"),
        (166, "four_of_a_kind"),
        (322, "full_house"),
        (1599, "flush"),
        (1609, "straight"),
        (2467, "three_of_a_kind"),
        (3325, "two_pair"),
        (6185, "pair"),
        (7462, "high_card"),
    )
)
# Rank first, then suit: 0 for the two of clubs, 51 for the ace of spades (reading A13).
HEIGHT: dict[str, int] = {
    card: RANKS.index(card[0]) * len(SUITS) + SUITS.index(card[1]) for card in STANDARD_52
}

Cards = tuple[str, ...]


class Best(msgspec.Struct, frozen=True):
    """The best hand of one player. `strength`: higher is better, equal is a tie. `cards`: the five that make
    it; `hole_used`: those of them that are his own. Both highest first, rank before suit."""

    strength: int
    cards: Cards
    hole_used: Cards


def strength(cards: Cards) -> int:
    """1 to 7462, higher is better, of the best five of 5 to 7 cards; ValueError for other or equal cards."""
    _check(cards)
    if not HAND <= len(cards) <= _MOST:
        raise ValueError(f"{len(cards)} cards cannot be ranked: give {HAND} to {_MOST}")
    return _WORST - _evaluator()(*cards)


def category(five: Cards) -> str:
    """`royal_flush`, `straight_flush`, `four_of_a_kind`, `full_house`, `flush`, `straight`,
    `three_of_a_kind`, `two_pair`, `pair` or `high_card`; ValueError unless five different cards."""
    if len(five) != HAND:
        raise ValueError(f"{len(five)} cards are no hand: give {HAND}")
    value = strength(five)
    return next(name for lowest, name in _CATEGORIES if value >= lowest)


def best_hand(hole: Cards, board: Cards, uses_hole: int | None) -> Best:
    """The best hand of `hole` with `board`; exactly `uses_hole` hole cards in it, any number where None.

    Games without a board give an empty one: the best five of the player's own cards. Where several choices
    make the same best hand it is the one most favourable to its holder for the odd chip: with the highest
    hole card, then the next highest. ValueError where no five cards can be chosen, or for equal cards.
    """
    _check(hole + board)
    ranked = _evaluator()
    found = max(
        (
            (-ranked(*own, *shared), _heights(own), _heights(shared))
            for own, shared in _choices(hole, board, uses_hole)
        ),
        default=None,
    )
    if found is None:
        using = "any number" if uses_hole is None else str(uses_hole)
        raise ValueError(
            f"{len(hole)} hole and {len(board)} board cards make no hand with {using} from the hole"
        )
    negative, own, shared = found
    return Best(_WORST + negative, _cards(own + shared), _cards(own))


def _choices(hole: Cards, board: Cards, uses_hole: int | None) -> Iterator[tuple[Cards, Cards]]:
    counts = range(HAND + 1) if uses_hole is None else (uses_hole,)
    for count in counts:
        if 0 <= count <= HAND:
            for own in combinations(hole, count):
                for shared in combinations(board, HAND - count):
                    yield own, shared


def _heights(cards: Cards) -> tuple[int, ...]:
    return tuple(sorted((HEIGHT[card] for card in cards), reverse=True))


def _cards(heights: tuple[int, ...]) -> Cards:
    return tuple(
        RANKS[height // len(SUITS)] + SUITS[height % len(SUITS)] for height in sorted(heights, reverse=True)
    )


def _check(cards: Cards) -> None:
    for card in cards:
        if not is_card(card):
            raise ValueError(f"{card!r} is no card: write rank then suit, as in 9d")
    if len(set(cards)) != len(cards):
        raise ValueError(f"a card lies twice in {' '.join(cards)}: prove the deck before ranking its hands")


@cache
def _evaluator() -> Callable[..., int]:
    """Loaded late: `run` need not carry the tables before the first showdown."""
    from phevaluator.evaluator import evaluate_cards  # type: ignore[import-untyped]

    ranked: Callable[..., int] = evaluate_cards
    return ranked
