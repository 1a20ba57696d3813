"""How often an honest shuffle is flagged as too regular, and what looking at a deal costs.

    python -m pytest tests/bench/test_regularity.py --benchmark-enable -s

deals 100,000 honest hands of 28 cards (ten seats of holdem to the end) one after the other, each beside the
20 before it, and prints how many were flagged, beside the bound. It also counts what is met often enough to
be measured, chains and repeats below the thresholds, so that the bounds are seen to hold. Without
`--benchmark-enable` it deals a fiftieth of that.
"""

import random
from collections import Counter, deque
from collections.abc import Iterator

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from shoe_bridge.table.cards import STANDARD_52
from shoe_bridge.table.regularity import (
    KEPT_DEALS,
    chain_bound,
    least_alike,
    least_links,
    longest_chain,
    most_alike,
    repeat_bound,
)

CARDS = 28
SHUFFLES = 100_000
SOME_SHUFFLES = 2_000
LINKS, ALIKE = least_links(CARDS), least_alike(CARDS)

Met = Counter[int]
figures: list[str] = []


@pytest.fixture(scope="module", autouse=True)
def summary(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    capture = request.config.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    if figures:
        with capture.global_and_fixture_disabled():
            print("\n" + "\n".join(figures))


def dealt(shuffles: int, seed: int) -> tuple[Met, Met]:
    """How many honest deals had a longest chain of so many links, and so many cards alike with the most alike
    of the deals before."""
    chance, before = random.Random(seed), deque[list[str]](maxlen=KEPT_DEALS)
    chains, alike = Met(), Met()
    for _ in range(shuffles):
        deal = chance.sample(STANDARD_52, CARDS)
        chains[max(0, len(longest_chain(deal)) - 1)] += 1
        alike[max((len(most_alike(deal, past)) for past in before), default=0)] += 1
        before.append(deal)
    return chains, alike


def at_least(met: Met, least: int) -> int:
    return sum(count for value, count in met.items() if value >= least)


def within(count: int, expected: float) -> bool:
    """Not above the bound by more than chance explains (five standard deviations, and one)."""
    return count <= expected + 5 * expected**0.5 + 1


def test_honest_shuffles_are_not_flagged(benchmark: BenchmarkFixture) -> None:
    shuffles = SHUFFLES if benchmark.enabled else SOME_SHUFFLES
    chains, alike = benchmark.pedantic(dealt, (shuffles, 2026), rounds=1)
    benchmark.extra_info |= {"shuffles": shuffles, "chains": dict(chains), "alike": dict(alike)}
    assert at_least(chains, LINKS) + at_least(alike, ALIKE) == 0
    for links in range(2, LINKS):
        assert within(at_least(chains, links), chain_bound(CARDS, links) * shuffles)
    for cards in range(5, ALIKE):
        assert within(at_least(alike, cards), KEPT_DEALS * repeat_bound(CARDS, cards) * shuffles)
    if benchmark.enabled:
        figures.append(
            f"{shuffles:,} honest deals of {CARDS} cards: "
            f"0 flagged as new-deck order ({LINKS} links), "
            f"at most {chain_bound(CARDS, LINKS) * shuffles:.2g} expected; 0 as a repeat ({ALIKE} cards), "
            f"at most {KEPT_DEALS * repeat_bound(CARDS, ALIKE) * shuffles:.2g} expected"
        )
        for links in range(2, LINKS):
            expected = chain_bound(CARDS, links) * shuffles
            figures.append(f"  {links} links or more: {at_least(chains, links)} (bound {expected:.4g})")
        for cards in range(5, ALIKE):
            expected = KEPT_DEALS * repeat_bound(CARDS, cards) * shuffles
            figures.append(f"  {cards} cards alike or more: {at_least(alike, cards)} (bound {expected:.4g})")


@pytest.mark.parametrize("cards", [CARDS, 52])
def test_a_deck_in_order_is_always_flagged(benchmark: BenchmarkFixture, cards: int) -> None:
    """Wherever it is cut: a sorted deck deals a suit in sequence, a repeat is alike where the two overlap."""
    sorted_deck = list(STANDARD_52)

    def looked_at() -> int:
        found = 0
        for cut in range(52):
            deal = [*sorted_deck[cut:], *sorted_deck[:cut]][:cards]
            found += len(longest_chain(deal)) - 1 >= least_links(cards)
            found += len(most_alike(deal, sorted_deck[:cards])) >= least_alike(cards)
        return found

    found = benchmark(looked_at)
    overlaps = [max(cards - cut, cards - (52 - cut), 0) for cut in range(52)]
    assert found == 52 + sum(overlap >= least_alike(cards) for overlap in overlaps)
