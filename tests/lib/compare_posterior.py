"""Holds the inference against the independent judge on deals drawn from the model.

    PYTHONPATH=.:tests/lib .venv/bin/python tests/lib/compare_posterior.py --cases 2000 --seats 3

Says how often both name the same places as the most probable, and how far apart the probability of any
finding is at worst. Exit code 0: no case has another order of places (ties aside), and no finding is off by
more than the tolerance. The same `--seed` makes the same cases again.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from random import Random
from typing import NamedTuple, get_args

from deal_sampler import Sample, sample, table_model
from exact_posterior import Cards, exact, findings_by_probability

from shoe_bridge.rules.games import open_game
from shoe_bridge.table.deal_model import DealModel, Level
from shoe_bridge.table.deck import Deck, Register
from shoe_bridge.table.findings import AnyFinding
from shoe_bridge.table.reconstruct import explain
from shoe_bridge.table.state import Setup

REMAINDER = 1e-4  # of the judge: far below any tolerance asked for
TOLERANCE = 0.02
TIE = 0.02  # two sequences of places as close as this may stand in either order


class Compared(NamedTuple):
    """One window seen by both. `case` makes it again; `is_same`: the same places are the most probable;
    `is_tied`: the judge gives the places that `explain` puts first nearly as much as its own; `worst`: the
    largest difference of the probability of any finding, and `finding` which one."""

    case: str
    cards: int
    slips: int
    is_same: bool
    is_tied: bool
    worst: float
    finding: AnyFinding | None
    judged_s: float
    explained_s: float

    @property
    def agrees(self) -> bool:
        return self.is_tied and self.worst <= TOLERANCE


def setup_for(seats: int) -> Setup:
    """A Hold-em table with seats 1 to `seats`, the button before the last."""
    register = Register((Deck("blue", {}),))
    return Setup(
        "t", open_game("holdem"), tuple(range(1, seats + 1)), seats, register, ("reader-1",), ("end deal",)
    )


def compare(case: str, taken: Sample, model: DealModel, seats: int) -> Compared:
    """Both on one window."""
    begun = time.perf_counter()
    judged = exact(taken.window, model, REMAINDER)
    judged_at = time.perf_counter()
    told = explain(taken.window, model)
    done = time.perf_counter()
    explained: dict[Cards, float] = {}
    for explanation in told:
        cards = tuple((card.place, card.tag) for card in explanation.cards)
        explained[cards] = explained.get(cards, 0.0) + explanation.probability
    ours, theirs = _by_places(judged), _by_places(explained)
    best, said = _first(ours), _first(theirs)
    is_tied = said is not None and best is not None and ours[best] - ours.get(said, 0.0) <= TIE
    worst, finding = _worst(judged, explained, taken, setup_for(seats))
    return Compared(
        case,
        len(taken.window.sightings),
        taken.slips,
        said == best,
        is_tied or said == best,
        worst,
        finding,
        judged_at - begun,
        done - judged_at,
    )


def _by_places(sequences: dict[Cards, float]) -> dict[tuple[str, ...], float]:
    sums: dict[tuple[str, ...], float] = {}
    for cards, probability in sequences.items():
        places = tuple(place for place, _ in cards)
        sums[places] = sums.get(places, 0.0) + probability
    return sums


def _first(sums: dict[tuple[str, ...], float]) -> tuple[str, ...] | None:
    return max(sums, key=lambda places: sums[places], default=None)


def _worst(
    judged: dict[Cards, float], explained: dict[Cards, float], taken: Sample, setup: Setup
) -> tuple[float, AnyFinding | None]:
    ours = findings_by_probability(judged, taken.window, setup)
    theirs = findings_by_probability(explained, taken.window, setup)
    off = {finding: abs(ours.get(finding, 0.0) - theirs.get(finding, 0.0)) for finding in {*ours, *theirs}}
    finding = max(off, key=lambda one: off[one], default=None)
    return (0.0, None) if finding is None else (off[finding], finding)


def compared(
    cases: int,
    seats: int,
    seed: int,
    level: Level = "typical",
    slips: int | None = None,
    longest_s: float = 6.0,
    slip_factor: float = 1.0,
) -> Iterator[Compared]:
    """So many windows. `slips` None: a third of them each with none, one, and as many as the model gives."""
    model = table_model(level, slip_factor)
    for number in range(cases):
        case = f"{seed}/{number}"
        wanted = (0, 1, None)[number % 3] if slips is None else slips
        rng = Random(case)
        taken = sample(rng, model, seats, wanted, is_complete=rng.random() < 0.25, longest_s=longest_s)
        yield compare(case, taken, model, seats)


def main() -> int:
    parser = argparse.ArgumentParser(description="Hold the inference against the exact posterior.")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seats", type=int, choices=(2, 3, 4), default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--level", choices=get_args(Level), default="typical")
    parser.add_argument("--slips", type=int, choices=(0, 1, 2), help="exactly so many (else a mixture)")
    parser.add_argument("--longest", type=float, default=6.0, help="seconds that a window lasts at most")
    asked = parser.parse_args()
    seen: list[Compared] = []
    for one in compared(asked.cases, asked.seats, asked.seed, asked.level, asked.slips, asked.longest):
        seen.append(one)
        if not one.agrees:
            print(
                f"case {one.case}: {one.cards} cards, {one.slips} slips, "
                f"{'same' if one.is_same else 'other'} places, off by {one.worst:.4f} at {one.finding}"
            )
    worst = max(seen, key=lambda one: one.worst)
    same, agreed = sum(one.is_same for one in seen), sum(one.agrees for one in seen)
    print(f"{len(seen):,} windows: the same places first in {same:,} ({same / len(seen):.2%})")
    print(f"agreed within {TOLERANCE} on every finding, ties aside: {agreed:,} ({agreed / len(seen):.2%})")
    print(f"worst difference of a finding {worst.worst:.4f} (case {worst.case}: {worst.finding})")
    judged_s, explained_s = sum(one.judged_s for one in seen), sum(one.explained_s for one in seen)
    print(
        f"judge {judged_s:.0f} s, inference {explained_s:.0f} s, "
        f"slowest inference {max(one.explained_s for one in seen):.2f} s"
    )
    return 0 if agreed == len(seen) else 1


if __name__ == "__main__":
    sys.exit(main())
