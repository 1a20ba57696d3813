"""What a dealer knows of the eight games, written down here once more and on purpose: the generators must not
learn the deal from the code that they test.

A sheet says how often the deal goes round, how many community cards close it, what each later street deals
(community cards, one card to each player left, or the draw) and whether a card is burned before it.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple

from shoe_bridge.table.procedures import Procedure

DECK_SIZE = 52


class Sheet(NamedTuple):
    """One game. `streets`: (what is dealt, cards), each with a burn before it. `by_turn`: the players' turns
    follow the button; in the stud games they follow the cards, which nobody sees."""

    passes: int
    opening_board: int
    streets: tuple[tuple[str, int], ...]
    has_button: bool = True
    to_dealer: bool = False
    most_seats: int = 10
    by_turn: bool = True
    is_poker: bool = True


SHEETS = {
    "manila2": Sheet(2, 1, (("board", 1),) * 4),
    "manila3": Sheet(3, 1, (("board", 1),) * 4),
    "holdem": Sheet(2, 0, (("board", 3), ("board", 1), ("board", 1))),
    "omaha": Sheet(4, 0, (("board", 3), ("board", 1), ("board", 1))),
    "draw": Sheet(5, 0, (("draw", 0),)),
    "five_card_stud": Sheet(2, 0, (("each", 1),) * 3, has_button=False, most_seats=9, by_turn=False),
    "seven_card_stud": Sheet(3, 0, (("each", 1),) * 4, has_button=False, most_seats=6, by_turn=False),
    "caribbean_stud": Sheet(
        5, 0, (), has_button=False, to_dealer=True, most_seats=9, by_turn=False, is_poker=False
    ),
}
GAMES = tuple(SHEETS)


def game_in_use(name: str) -> Procedure:
    """The product's own procedure of a game: a file of the rule book, or the table built into the code."""
    try:
        open_game = import_module("shoe_bridge.rules.games").open_game
    except (ImportError, AttributeError):
        open_game = vars(import_module("shoe_bridge.table.procedures"))["PROCEDURES"].__getitem__
    found: Procedure = open_game(name)
    return found


def clockwise(seats: Sequence[int], after: int | None) -> list[int]:
    """The seats in turn, first the one left of `after`; without it the one at the dealer's left."""
    low = sorted(seats)
    if after is None:
        return low
    return [seat for seat in low if seat > after] + [seat for seat in low if seat <= after]


def deal_plan(sheet: Sheet, order: Sequence[int]) -> list[str]:
    """Where card 1, 2, 3 ... of the initial deal goes, community cards that close it included."""
    once = [f"seat {seat}" for seat in order] + (["dealer"] if sheet.to_dealer else [])
    return once * sheet.passes + ["board"] * sheet.opening_board


def board_before(sheet: Sheet, street: int) -> int:
    """How many community cards lie before that street."""
    return sheet.opening_board + sum(cards for kind, cards in sheet.streets[:street] if kind == "board")


def whole_board(sheet: Sheet) -> int:
    return board_before(sheet, len(sheet.streets))
