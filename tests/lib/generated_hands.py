"""Random legal hands of every game, and nothing but that they are legal may be concluded of them.

    PYTHONPATH=.:tests/lib .venv/bin/python tests/lib/generated_hands.py --hands 100000

deals so many hands, many in a row on each of many tables, folds what the sensors say of them, and prints how
many were dealt and each hand that was not followed as it was played. Exit code 0: every hand was. The same
`--seed` deals the same hands.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from game_sheets import GAMES
from honest_dealer import Dealer
from table_habits import any_habits
from watched_table import WatchedTable

from shoe_bridge.table.findings import DealOk, HandOver, SubstantialAction
from shoe_bridge.table.light_state import LightState

MOST_HANDS_PER_TABLE = 24
LAWFUL = (DealOk, SubstantialAction, HandOver)


class Checked(NamedTuple):
    """One hand as it was followed. `wrong`: what was concluded and should not have been, or the reverse;
    empty where the hand was followed as it was played. `table` is the seed that deals the table again."""

    table: str
    number: int
    game: str
    events: int
    wrong: tuple[str, ...]


def table_of_hands(seed: str, hands: int, game: str) -> Iterator[Checked]:
    """So many hands in a row on one table."""
    dealer = Dealer(rng := Random(seed), game, any_habits(rng))
    table = WatchedTable(dealer.setup)
    for number in range(1, hands + 1):
        before = table.events
        dealer.hand()
        try:
            changes = table.take(dealer.felt.take())
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            yield Checked(seed, number, game, 0, (f"the fold raised {error!r}",))
            return
        wrong = [
            f"raised by event {change.seq}: {change.finding}"
            for change in changes
            if change.raised and not isinstance(change.finding, LAWFUL)
        ]
        stands, must = table.standing(), dealer.conclusions()
        wrong += [f"does not stand: {finding}" for finding in must if finding not in stands]
        wrong += [f"stands: {finding}" for finding in stands if finding not in must]
        if table.state.light is not LightState.ALL_WELL or table.state.unverified:
            wrong.append(f"light {table.state.light}, unverified {table.state.unverified}")
        yield Checked(seed, number, game, table.events - before, tuple(wrong))
        if wrong:
            return  # what follows on this table may only echo it


def generated_hands(hands: int, seed: int) -> Iterator[Checked]:
    """So many hands, the games in turn, up to 24 in a row on each table."""
    rng, dealt, table = Random(seed), 0, 0
    while dealt < hands:
        row = min(rng.randint(4, MOST_HANDS_PER_TABLE), hands - dealt)
        for checked in table_of_hands(f"{seed}/{table}", row, GAMES[table % len(GAMES)]):
            dealt += 1
            yield checked
        table += 1


def main() -> int:
    parser = argparse.ArgumentParser(description="Deal random legal hands and demand that none is doubted.")
    parser.add_argument("--hands", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    games: Counter[str] = Counter()
    events, wrong, since = 0, 0, time.perf_counter()
    for checked in generated_hands(asked.hands, asked.seed):
        games[checked.game] += 1
        events += checked.events
        if checked.wrong:
            wrong += 1
            if wrong <= 20:
                print(
                    f"table {checked.table} hand {checked.number} {checked.game}: {'; '.join(checked.wrong)}"
                )
        if sys.stderr.isatty() and games.total() % 1000 == 0:
            print(f"\r{games.total():,} hands", end="", file=sys.stderr, flush=True)
    seconds = time.perf_counter() - since
    print(f"{games.total():,} hands, {events:,} events in {seconds:.0f} s: {events / seconds:,.0f} events/s")
    print(", ".join(f"{game} {count:,}" for game, count in sorted(games.items())))
    print(f"{wrong:,} hands were not followed as they were played")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
