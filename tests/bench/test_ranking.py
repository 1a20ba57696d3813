"""Hands ranked per second, beside pokerkit in the same run.

    python -m pytest tests/bench/test_ranking.py --benchmark-enable

prints the table of pytest-benchmark, and below it hands per second and how many times as many as the peer.

The peer is given cards that it has parsed beforehand; ours are ranked from the strings that the table knows.
Five and seven cards of one player, and a hand of omaha, whose exactly two hole cards have to be found.
"""

import random
from collections.abc import Callable, Iterator

import pytest
from pokerkit import Card, OmahaHoldemHand, StandardHighHand
from pytest_benchmark.fixture import BenchmarkFixture

from shoe_bridge.rules.ranking import best_hand, strength
from shoe_bridge.table.cards import STANDARD_52

HANDS = 50
CHANCE = random.Random(7)
FIVE = [tuple(CHANCE.sample(STANDARD_52, 5)) for _ in range(HANDS)]
SEVEN = [tuple(CHANCE.sample(STANDARD_52, 7)) for _ in range(HANDS)]
NINE = [tuple(CHANCE.sample(STANDARD_52, 9)) for _ in range(HANDS)]

Cards = tuple[str, ...]
seconds_per_hand: dict[tuple[str, str], float] = {}


@pytest.fixture(scope="module", autouse=True)
def ratios(request: pytest.FixtureRequest) -> Iterator[None]:
    """After the module: hands per second, ours and the peer's."""
    yield
    lines = []
    for what in ("five cards", "seven cards", "omaha"):
        ours, peer = (seconds_per_hand.get((what, who)) for who in ("shoe-bridge", "pokerkit"))
        if ours and peer:
            lines.append(
                f"{what}: {1 / ours:,.0f} hands/s, pokerkit {1 / peer:,.0f} hands/s ({peer / ours:.1f} times)"
            )
    if lines:
        capture = request.config.pluginmanager.getplugin("capturemanager")
        assert capture is not None
        with capture.global_and_fixture_disabled():
            print("\n" + "\n".join(lines))


def measured(benchmark: BenchmarkFixture, what: str, who: str, run: Callable[[], list[int]]) -> list[int]:
    """Runs it, notes the best round (what else runs on the machine only ever adds), gives its answers."""
    benchmark.extra_info["hands"] = HANDS
    answers: list[int] = benchmark(run)
    if benchmark.stats is not None:
        seconds_per_hand[what, who] = benchmark.stats.stats.min / HANDS
    return answers


def parsed(hands: list[Cards]) -> list[tuple[Card, ...]]:
    return [tuple(Card.parse("".join(hand))) for hand in hands]


def is_same_order(one: list[int], other: list[int]) -> bool:
    """Whether both put the hands in one order, ties included."""
    ranks = [[sorted(set(values)).index(value) for value in values] for values in (one, other)]
    return ranks[0] == ranks[1]


@pytest.mark.parametrize(("what", "hands"), [("five cards", FIVE), ("seven cards", SEVEN)])
def test_strength(benchmark: BenchmarkFixture, what: str, hands: list[Cards]) -> None:
    answers = measured(benchmark, what, "shoe-bridge", lambda: [strength(hand) for hand in hands])
    assert is_same_order(answers, peer_standard(parsed(hands)))


@pytest.mark.parametrize(("what", "hands"), [("five cards", FIVE), ("seven cards", SEVEN)])
def test_pokerkit(benchmark: BenchmarkFixture, what: str, hands: list[Cards]) -> None:
    ready = parsed(hands)
    answers = measured(benchmark, what, "pokerkit", lambda: peer_standard(ready))
    assert is_same_order(answers, [strength(hand) for hand in hands])


def test_best_hand_of_omaha(benchmark: BenchmarkFixture) -> None:
    answers = measured(benchmark, "omaha", "shoe-bridge", our_omaha)
    assert is_same_order(answers, peer_omaha(parsed(NINE)))


def test_pokerkit_omaha(benchmark: BenchmarkFixture) -> None:
    ready = parsed(NINE)
    answers = measured(benchmark, "omaha", "pokerkit", lambda: peer_omaha(ready))
    assert is_same_order(answers, our_omaha())


def our_omaha() -> list[int]:
    return [best_hand(nine[:4], nine[4:], 2).strength for nine in NINE]


def peer_standard(hands: list[tuple[Card, ...]]) -> list[int]:
    return [StandardHighHand.from_game(hand).entry.index for hand in hands]


def peer_omaha(hands: list[tuple[Card, ...]]) -> list[int]:
    return [OmahaHoldemHand.from_game(nine[:4], nine[4:]).entry.index for nine in hands]
