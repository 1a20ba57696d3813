"""What must be said of an initial deal that went wrong, worked out from the places of its cards alone.

The order of the deal is a list; so are the cards as they were dealt. Where the two lists differ first is the
slip; what differs in all is what has to be moved. Rule numbers are those of NZ Gazette 1999 No. 11, 19.1.
"""

from collections.abc import Sequence
from typing import NamedTuple

from game_sheets import Sheet, deal_plan

Want = dict[str, object]  # a finding's kind and those of its keys that matter


class Slip(NamedTuple):
    """The first card that left the order, and what must be said of it when it lands."""

    card: int
    finding: Want


class Verdict(NamedTuple):
    """What must stand when the deal is called complete. `counts`: place -> (got, want), a hand of no card not
    among them. `rule` and `moves`: by which letter it can be put right, and how."""

    counts: dict[str, tuple[int, int]]
    dealt_out: list[int]
    extra_hands: list[int]
    rule: str | None
    moves: set[str]


def first_slip(sheet: Sheet, order: Sequence[int], places: Sequence[str]) -> Slip | None:
    """None where the cards went as ordered, as far as they went."""
    plan = deal_plan(sheet, order)
    for index, got in enumerate(places):
        want = plan[index] if index < len(plan) else "none"
        if got != want:
            seat = _seat(got)
            if seat is not None and seat not in order:
                return Slip(index + 1, {"kind": "extra_hand", "seat": seat})
            return Slip(index + 1, {"kind": "order_error", "card": index + 1, "got": got, "want": want})
    return None


def verdict(sheet: Sheet, order: Sequence[int], places: Sequence[str]) -> Verdict:
    """Of a deal that is called complete after these cards."""
    plan = deal_plan(sheet, order)
    owners = [f"seat {seat}" for seat in order] + (["dealer"] if sheet.to_dealer else [])
    dealt_out = [seat for seat in order if f"seat {seat}" not in places]
    counts = {
        place: (places.count(place), sheet.passes)
        for place in owners
        if places.count(place) != sheet.passes and not (_seat(place) and place not in places)
    }
    seats = [seat for place in places if (seat := _seat(place)) is not None]
    extra = sorted({seat for seat in seats if seat not in order})
    moves = {
        f"{number} -> {due}"
        for number, (place, due) in enumerate(zip(places, plan, strict=False), start=1)
        if place != due
    }
    moves |= {f"{number} -> stub" for number in range(len(plan) + 1, len(places) + 1)}
    moves |= {f"next -> {place}" for place in plan[len(places) :]}
    if not sheet.is_poker:
        return Verdict(counts, dealt_out, extra, None, set())
    if extra or dealt_out:
        rule = "19.1(d)"
    elif any(_seat(place) for place in counts):
        rule = "19.1(e)"
    else:
        rule = "19.1(c)"
    return Verdict(counts, dealt_out, extra, rule, moves)


def _seat(place: str) -> int | None:
    return int(place.removeprefix("seat ")) if place.startswith("seat ") else None
