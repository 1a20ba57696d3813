"""Which poker hand is the better one, and which five cards make it.

Ranking is by `phevaluator` 0.5.3.1 (Apache-2.0, pure Python), held against an independent ranking in the
tests. Beside `pokerkit` 0.7.7 (MIT, pure Python) it ranks twice as many hands of five a second and a hundred
times as many of seven (`tests/bench/test_ranking.py`). Its first use costs 1.3 MB and 10 ms, that of pokerkit
16 MB and half a second of the one loop, more on a small board. The price is 100 MB on the disk, most of it
numpy, which it declares and which ranking never loads. The version is pinned: 0.6.0 has a native part and no
wheel for 64-bit ARM. It is loaded at the first hand that is ranked, not with this module.

Cards are `9d`, `Th`, `As`. Nothing changes in short decks: no text held says otherwise, so a flush stays
below a full house and the ace plays low only below a two. Callers rank hands of a proven deck only: two cards
of one identity are a ValueError.
"""

from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from itertools import combinations

import msgspec

from shoe_bridge.errors import MissingPackageError
from shoe_bridge.table.cards import RANKS, SUITS

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
# Rank first, then suit (reading A13): 0 for the two of clubs, 51 for the ace of spades. The library numbers
# the cards in the same way, which a test holds.
_BY_HEIGHT: tuple[str, ...] = tuple(rank + suit for rank in RANKS for suit in SUITS)
HEIGHT: dict[str, int] = {card: height for height, card in enumerate(_BY_HEIGHT)}

Cards = tuple[str, ...]
Heights = tuple[int, ...]


class Best(msgspec.Struct, frozen=True):
    """The best hand of one player. `strength`: higher is better, equal is a tie. `cards`: the five that make
    it; `hole_used`: those of them that are his own. Both highest first, rank before suit."""

    strength: int
    cards: Cards
    hole_used: Cards


def strength(cards: Cards) -> int:
    """1 to 7462, higher is better, of the best five of 5 to 7 cards; ValueError for other or equal cards."""
    heights = _heights(cards)
    if not HAND <= len(cards) <= _MOST:
        raise ValueError(f"{len(cards)} cards cannot be ranked: give {HAND} to {_MOST}")
    return _WORST - _evaluator()(*heights)


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
    _heights(hole + board)  # no card twice in both together
    ranked = _evaluator()
    choices = _choices(_heights(hole), _heights(board), uses_hole)
    found = max(((-ranked(*own, *shared), own, shared) for own, shared in choices), default=None)
    if found is None:
        using = "any number" if uses_hole is None else uses_hole
        raise ValueError(
            f"{len(hole)} hole and {len(board)} board cards make no hand with {using} from the hole"
        )
    countdown, own, shared = found
    return Best(_WORST + countdown, _cards(own + shared), _cards(own))


def _choices(hole: Heights, board: Heights, uses_hole: int | None) -> Iterator[tuple[Heights, Heights]]:
    counts = range(HAND + 1) if uses_hole is None else (uses_hole,)
    for count in counts:
        if 0 <= count <= HAND:
            for own in combinations(hole, count):
                for shared in combinations(board, HAND - count):
                    yield own, shared


def _heights(cards: Cards) -> Heights:
    """Highest first; ValueError for what is no card, and for equal cards."""
    for card in cards:
        if card not in HEIGHT:
            raise ValueError(f"{card!r} is no card: write rank then suit, as in 9d")
    if len(set(cards)) != len(cards):
        raise ValueError(f"one of {len(cards)} cards is there twice: prove the deck before ranking its hands")
    return tuple(sorted((HEIGHT[card] for card in cards), reverse=True))


def _cards(heights: Heights) -> Cards:
    return tuple(_BY_HEIGHT[height] for height in sorted(heights, reverse=True))


def check_installed() -> None:
    """MissingPackageError where hands cannot be ranked: better when a table starts than at its showdown."""
    if find_spec("phevaluator") is None:
        raise MissingPackageError("ranking hands", "phevaluator", "money")


@cache
def _evaluator() -> Callable[..., int]:
    """Loaded late: `run` need not carry the tables before the first showdown."""
    try:
        from phevaluator.evaluator import evaluate_cards  # type: ignore[import-untyped]
    except ImportError:
        raise MissingPackageError("ranking hands", "phevaluator", "money") from None

    ranked: Callable[..., int] = evaluate_cards
    return ranked
