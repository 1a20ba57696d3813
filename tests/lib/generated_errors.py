"""One error of each kind at a random place of a random hand, on a table with clean hands before and after it.

    PYTHONPATH=.:tests/lib .venv/bin/python tests/lib/generated_errors.py --cases 10000

Each must be found at the card where it happens, with its kind, seat and rule, and with the moves that put
the deal right where it can be; after the repair, or a ruling either way, the next hand is followed without a
false finding. Exit code 0: all were. The same `--seed` makes the same errors again; `--kind` makes only one
kind of them.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from error_case import Case
from felt import ODD_REGISTER
from game_sheets import SHEETS
from honest_dealer import Dealer
from slips import SLIPS, Fit
from table_habits import Habits

KINDS = tuple(SLIPS)
MOST_SEATS = 8  # so that a hand too many can be dealt in every game, and the deck still suffices
MOST_SEATS_OF = {"caribbean_stud": 7, "seven_card_stud": 5, "five_card_stud": 8}


class Followed(NamedTuple):
    """One error and how it was followed: `wrong` is empty where all was said as it must be. `case` is the
    seed that makes it again."""

    case: str
    kind: str
    game: str
    events: int
    wrong: tuple[str, ...]


def one_error(seed: str, kind: str) -> Followed:
    """A table, no or some clean hands, the hand with the error, and a clean hand after it."""
    rng = Random(seed)
    make_slip, fit = SLIPS[kind]
    game = rng.choice([name for name, sheet in SHEETS.items() if fit.games(sheet)])
    case = Case(rng, _dealer(rng, game, fit))
    try:
        for _ in range(rng.choice((0, 0, 1, 2))):
            case.clean_hand()
        if not case.wrong:
            make_slip(case)
        if not case.wrong:
            case.dealer.at_card = lambda number: None
            case.dealer.keeps = 1
            case.clean_hand()
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        case.wrong.append(f"raised {error!r}")
    return Followed(seed, kind, game, case.table.events, tuple(case.wrong))


def _dealer(rng: Random, game: str, fit: Fit) -> Dealer:
    most = MOST_SEATS_OF.get(game, MOST_SEATS)
    seats = rng.sample(range(1, 11), rng.randint(fit.least_seats, most))
    habits = Habits(
        has_next_key=fit.needs_next_key or rng.random() < 0.7,
        tracks_button=rng.random() < 0.5 if fit.tracks_button is None else fit.tracks_button,
        is_first_hand=rng.random() < 0.2,
        early=rng.choice((0.0, 0.5, 1.0)),
    )
    return Dealer(rng, game, habits, ODD_REGISTER, seats)


def generated_errors(cases: int, seed: int, kinds: Sequence[str] = KINDS) -> Iterator[Followed]:
    """So many cases, the kinds in turn."""
    for number in range(cases):
        yield one_error(f"{seed}/{number}", kinds[number % len(kinds)])


def main() -> int:
    parser = argparse.ArgumentParser(description="Make errors and demand that each is found for what it is.")
    parser.add_argument("--cases", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS, action="append", help="only this kind (can be repeated)")
    asked = parser.parse_args()
    made: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    events, since = 0, time.perf_counter()
    for found in generated_errors(asked.cases, asked.seed, asked.kind or KINDS):
        made[found.kind] += 1
        events += found.events
        if found.wrong:
            missed[found.kind] += 1
            if missed[found.kind] <= 3:
                print(f"case {found.case} {found.kind} {found.game}: {'; '.join(found.wrong)}")
    seconds = time.perf_counter() - since
    print(f"{made.total():,} errors, {events:,} events in {seconds:.0f} s: {events / seconds:,.0f} events/s")
    print(", ".join(f"{kind} {count - missed[kind]}/{count}" for kind, count in made.items()))
    print(f"{missed.total():,} were not found for what they are")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
