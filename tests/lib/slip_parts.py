"""The parts that errors of more than one kind share."""

from collections.abc import Callable

from deal_oracle import Want
from error_case import ECHOES, Case
from game_sheets import deal_plan


def begin(case: Case) -> list[str]:
    """A hand up to its first card; where its cards belong."""
    case.dealer.begin()
    case.calm()
    return deal_plan(case.dealer.sheet, case.dealer.order)


def hole_cards(case: Case) -> int:
    sheet = case.dealer.sheet
    return (len(case.dealer.order) + sheet.to_dealer) * sheet.passes


def watch(case: Case, card: int, *wants: Want, also: tuple[str, ...] = ()) -> Callable[[int], None]:
    """To be called at each card: calm before `card`, `wants` at it, and only its echoes after it."""

    def at_card(number: int) -> None:
        if number < card:
            case.calm()
        elif number == card:
            case.raised(*wants, also=also)
        else:
            case.calm(also=ECHOES)

    return at_card
