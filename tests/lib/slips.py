"""The errors that a dealer, a player or a deck can make, by kind, and on which tables each can be made.

Each is a function that takes a `Case` whose hand has not begun, plays it up to and past its error at a random
place, demands what must be said at that very card, and has it settled.
"""

from collections.abc import Callable
from typing import NamedTuple

from error_case import Case
from game_sheets import SHEETS, Sheet, whole_board
from slips_before_the_deal import (
    button_not_moved,
    exposed_in_the_cut,
    neither_shuffled_nor_cut,
    not_cut,
    not_shuffled,
)
from slips_of_the_cards import (
    boxed_cards,
    duplicate,
    exposed_card,
    foreign_deck,
    joker,
    two_exposed_in_draw,
    unknown_tag,
)
from slips_of_the_deal import (
    card_to_dealer,
    count_over,
    count_short,
    dealt_out,
    double,
    early_board_card,
    extra_hand,
    skipped_seat,
    swap,
    swap_of_exposed,
    wrong_seat,
)
from slips_of_the_streets import (
    burn_before_first_board,
    burn_moved,
    card_after_end,
    extra_burn,
    missing_burn,
    premature_card,
    sixth_board_card,
    street_card_astray,
)


class Fit(NamedTuple):
    """On which tables an error can be made."""

    least_seats: int = 2
    games: Callable[[Sheet], bool] = lambda sheet: True
    tracks_button: bool | None = None
    needs_next_key: bool = False
    leaves_empty: bool = False


def _has_board(sheet: Sheet) -> bool:
    return whole_board(sheet) > 0


def _has_streets(sheet: Sheet) -> bool:
    return bool(sheet.streets)


def _has_fixed_streets(sheet: Sheet) -> bool:
    return any(kind != "draw" for kind, _ in sheet.streets)


def _is_poker(sheet: Sheet) -> bool:
    return sheet.is_poker


def _is_draw(sheet: Sheet) -> bool:
    return sheet == SHEETS["draw"]


SLIPS: dict[str, tuple[Callable[[Case], None], Fit]] = {
    "wrong_seat": (wrong_seat, Fit()),
    "skipped_seat": (skipped_seat, Fit()),
    "swap": (swap, Fit()),
    "swap_of_exposed": (swap_of_exposed, Fit(games=_is_poker)),
    "double": (double, Fit()),
    "dealt_out": (dealt_out, Fit(least_seats=3)),
    "extra_hand": (extra_hand, Fit(leaves_empty=True)),
    "count_short": (count_short, Fit()),
    "count_over": (count_over, Fit()),
    "early_board_card": (early_board_card, Fit()),
    "card_to_dealer": (card_to_dealer, Fit()),
    "missing_burn": (missing_burn, Fit(games=_has_streets)),
    "extra_burn": (extra_burn, Fit(games=_has_streets)),
    "burn_before_first_board": (burn_before_first_board, Fit(games=lambda sheet: sheet.opening_board > 0)),
    "burn_moved": (burn_moved, Fit(games=_has_streets)),
    "premature_card": (premature_card, Fit(games=_has_streets)),
    "card_after_end": (card_after_end, Fit(games=_has_streets)),
    "sixth_board_card": (sixth_board_card, Fit(games=_has_board)),
    "street_card_astray": (street_card_astray, Fit(games=_has_fixed_streets)),
    "exposed_card": (exposed_card, Fit()),
    "two_exposed_in_draw": (two_exposed_in_draw, Fit(games=_is_draw)),
    "exposed_in_the_cut": (exposed_in_the_cut, Fit(games=_is_poker)),
    "boxed_cards": (boxed_cards, Fit()),
    "joker": (joker, Fit()),
    "duplicate": (duplicate, Fit()),
    "foreign_deck": (foreign_deck, Fit()),
    "unknown_tag": (unknown_tag, Fit()),
    "button_not_moved": (
        button_not_moved,
        Fit(games=lambda sheet: sheet.has_button, tracks_button=True, needs_next_key=True),
    ),
    "not_shuffled": (not_shuffled, Fit(games=_is_poker, needs_next_key=True)),
    "not_cut": (not_cut, Fit(games=_is_poker, needs_next_key=True)),
    "neither_shuffled_nor_cut": (neither_shuffled_nor_cut, Fit(games=_is_poker, needs_next_key=True)),
}
