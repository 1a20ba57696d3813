"""Errors of the initial deal: a card at the wrong place, a seat passed over, a hand too few or too many."""

from deal_oracle import first_slip, verdict
from error_case import ECHOES, Case
from game_sheets import clockwise
from slip_parts import begin, hole_cards


def wrong_seat(case: Case) -> None:
    """One card goes to another player, the next ones where they belong."""
    plan = begin(case)
    at = case.rng.randrange(hole_cards(case))
    others = [place for place in set(plan) - {"board", "dealer"} if place != plan[at]]
    places = list(plan)
    places[at] = case.rng.choice(sorted(others))
    _misdealt(case, plan, places)


def skipped_seat(case: Case) -> None:
    """The dealer passes over a seat once; all that follow are shifted, the last one is short."""
    plan = begin(case)
    at = case.rng.randrange(hole_cards(case) - 1)
    _misdealt(case, plan, plan[:at] + plan[at + 1 :])


def swap(case: Case) -> None:
    plan = begin(case)
    at = case.rng.randrange(hole_cards(case) - 1)
    places = [*plan[:at], plan[at + 1], plan[at], *plan[at + 2 :]]
    _misdealt(case, plan, places)


def swap_of_exposed(case: Case) -> None:
    """One of the swapped cards has been exposed: it cannot be moved any more."""
    plan = begin(case)
    at = case.rng.randrange(hole_cards(case) - 1)
    places = [*plan[:at], plan[at + 1], plan[at], *plan[at + 2 :]]
    _misdealt(case, plan, places, exposed=at + 1 + case.rng.randrange(2))


def double(case: Case) -> None:
    """Two cards in a row to one seat; the last card of the deal is one too many."""
    plan = begin(case)
    at = case.rng.randrange(hole_cards(case))
    _misdealt(case, plan, [*plan[: at + 1], *plan[at:]])


def dealt_out(case: Case) -> None:
    plan = begin(case)
    seat = f"seat {case.rng.choice(case.dealer.order)}"
    _misdealt(case, plan, [place for place in plan if place != seat])


def extra_hand(case: Case) -> None:
    """A seat that is not in the hand is dealt in, from the first pass on or from the second."""
    plan = begin(case)
    dealer = case.dealer
    seat = case.rng.choice([seat for seat in range(1, 11) if seat not in dealer.seated])
    order = clockwise([*dealer.order, seat], dealer.button)
    once = [*(f"seat {each}" for each in order), *(["dealer"] if dealer.sheet.to_dealer else [])]
    sheet = dealer.sheet
    own = [place for place in once if place != f"seat {seat}"]
    first_pass = own if case.rng.random() < 0.5 else once
    places = first_pass + once * (sheet.passes - 1) + ["board"] * sheet.opening_board
    _misdealt(case, plan, places)


def count_short(case: Case) -> None:
    """The deal is called complete before its last card, or before several."""
    plan = begin(case)
    hole = hole_cards(case)
    missing = case.rng.randint(1, len(case.dealer.order) - 1)
    _misdealt(case, plan, plan[: hole - missing] + plan[hole:])


def count_over(case: Case) -> None:
    """A card too many after the last."""
    plan = begin(case)
    seat = f"seat {case.rng.choice(case.dealer.order)}"
    hole = hole_cards(case)
    _misdealt(case, plan, [*plan[:hole], seat, *plan[hole:]])


def early_board_card(case: Case) -> None:
    """A community card or a burn in the middle of the initial deal, which goes on with the seat that was due
    or the one after it."""
    case.may_follow.add("count_error")  # a board of one card too many, if it is played on with
    _stray(case, case.rng.choice(("board", "burn")))


def card_to_dealer(case: Case) -> None:
    _stray(case, "dealer")


def _stray(case: Case, place: str) -> None:
    """One card of the initial deal goes to `place`; the dealer gives the seat its card after it, or not."""
    plan = begin(case)
    spots = [index for index, due in enumerate(plan[: hole_cards(case)]) if due != place]
    at = case.rng.choice(spots)
    rest = plan[at:] if case.rng.random() < 0.5 else plan[at + 1 :]
    _misdealt(case, plan, [*plan[:at], place, *rest])


def _misdealt(case: Case, plan: list[str], places: list[str], exposed: int | None = None) -> None:
    """Deal these places instead of the plan, and settle it. `exposed`: that card was seen by the table."""
    sheet, order = case.dealer.sheet, case.dealer.order
    slip = first_slip(sheet, order, places)
    found = verdict(sheet, order, places)
    if slip is None:
        case.deal_places(places, len(places) + 1)
    else:
        case.deal_places(places, slip.card, slip.finding)
    if exposed is not None:
        case.dealer.felt.enter("exposed", exposed)
        case.calm(also=ECHOES)
    case.end_deal(found, can_be_moved=exposed is None)
    if exposed is not None:
        case.rule(0)
    else:
        case.settle(found, plan)
