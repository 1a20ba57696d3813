"""What the dealer did, from what was heard: one window explained, beside the exhaustive judge of the same
posterior; and a pass that begins at another seat at ten seats, read by read, with a memo and without.

    python -m pytest tests/bench/test_explain.py --benchmark-enable -s

The judge (`tests/lib/exact_posterior.py`, numpy, a grid of its own) goes through all sequences of cards until
what it left out weighs less than 1e-3; it is measured in the same run on the same windows of three seats,
drawn from the model. Target: 10 ms for any window of the turned pass. The memo is worth what the windows
have in common, so both are told. On a busy machine add --benchmark-timer=time.process_time.
"""

from collections.abc import Callable, Iterator
from random import Random

import pytest
from deal_sampler import hold_em_plan, sample, table_model
from exact_posterior import exact
from msgspec.structs import replace
from pytest_benchmark.fixture import BenchmarkFixture

from shoe_bridge.table.card_times import Memo
from shoe_bridge.table.layout import SEATS
from shoe_bridge.table.reconstruct import explain
from shoe_bridge.table.window import Explanation, Heard, Sighting, Window

MS = 1_000_000
REMAINDER = 1e-3
WINDOWS = 8
LONGEST_S = 4.0
TARGET_MS = 10
STEP_MS, CYCLE_MS, FIRST_MS = 430, 400, 100_000
MODEL = replace(
    table_model(), neighbours={seat: (SEATS[n - 1], SEATS[(n + 1) % 10]) for n, seat in enumerate(SEATS)}
)

seconds: dict[str, float] = {}


def drawn() -> list[Window]:
    rng = Random("explain")
    return [
        sample(rng, table_model(), 3, number % 2, longest_s=LONGEST_S).window for number in range(WINDOWS)
    ]


def turned_pass() -> list[Window]:
    """The pass was due from seat 1 and is dealt from seat 2 round to it; each window has one read more."""
    order = (*SEATS[1:], SEATS[0])
    phases = {place: FIRST_MS + 37 * number for number, place in enumerate(SEATS)}
    laid = [(place, FIRST_MS + STEP_MS * number) for number, place in enumerate(order)]
    polls = [(at_ms + (phases[place] - at_ms) % CYCLE_MS, place) for place, at_ms in laid]
    return [_heard_until(now_ms, polls) for now_ms, _ in sorted(polls)]


def _heard_until(now_ms: int, polls: list[tuple[int, str]]) -> Window:
    heard = [
        Sighting(f"tag {place}", (Heard(place, at_ms * MS, 1, min(3, 1 + (now_ms - at_ms) // CYCLE_MS)),))
        for at_ms, place in sorted(polls)
        if at_ms <= now_ms
    ]
    phases = {place: at_ms * MS for at_ms, place in polls if at_ms <= now_ms}
    return Window(
        hold_em_plan(10), sightings=tuple(heard), phases=phases, now_ns=now_ms * MS, deal_size=20, streets=0
    )


@pytest.fixture(scope="module", autouse=True)
def ratios(request: pytest.FixtureRequest) -> Iterator[None]:
    """After the module: what was measured, beside the targets."""
    yield
    lines = []
    if {"explain", "judge"} <= seconds.keys():
        times = seconds["judge"] / seconds["explain"]
        lines.append(f"explain {seconds['explain'] * 1e3:.2f} ms per window, judge {seconds['judge']:.2f} s")
        lines.append(f"the judge takes {times:.0f} times as long")
    for name in ("with memo", "without memo", "largest window"):
        if name in seconds:
            lines.append(f"turned pass, {name}: {seconds[name] * 1e3:.2f} ms per window (target {TARGET_MS})")
    if lines:
        capture = request.config.pluginmanager.getplugin("capturemanager")
        assert capture is not None
        with capture.global_and_fixture_disabled():
            print("\n" + "\n".join(lines))


def measured(benchmark: BenchmarkFixture, name: str, windows: int, run: Callable[[], object]) -> None:
    benchmark(run)
    if benchmark.stats is not None:
        # the best round, because what else runs on the machine only ever adds
        seconds[name] = benchmark.stats.stats.min / windows


def by_cards(told: tuple[Explanation, ...]) -> dict[tuple[tuple[str, str | None], ...], float]:
    sums: dict[tuple[tuple[str, str | None], ...], float] = {}
    for one in told:
        cards = tuple([(card.place, card.tag) for card in one.cards])
        sums[cards] = sums.get(cards, 0.0) + one.probability
    return sums


def test_windows_explained(benchmark: BenchmarkFixture) -> None:
    model, windows = table_model(), drawn()
    measured(benchmark, "explain", WINDOWS, lambda: [explain(window, model) for window in windows])
    for window in windows:
        judged, told = exact(window, model, REMAINDER), by_cards(explain(window, model))
        best = max(judged, key=lambda cards: judged[cards])
        assert told[best] == pytest.approx(judged[best], abs=0.02)


def test_windows_judged(benchmark: BenchmarkFixture) -> None:
    model, windows = table_model(), drawn()
    benchmark.pedantic(lambda: [exact(window, model, REMAINDER) for window in windows], rounds=1)
    if benchmark.stats is not None:
        seconds["judge"] = benchmark.stats.stats.min / WINDOWS


@pytest.mark.parametrize("has_memo", [True, False])
def test_turned_pass_read_by_read(benchmark: BenchmarkFixture, has_memo: bool) -> None:
    windows = turned_pass()

    def run() -> list[tuple[Explanation, ...]]:
        memo = Memo()
        return [explain(window, MODEL, memo if has_memo else None) for window in windows]

    measured(benchmark, "with memo" if has_memo else "without memo", len(windows), run)
    best = run()[-1][0]
    assert tuple([card.place for card in best.cards]) == (*SEATS[1:], SEATS[0])
    assert best.probability > 0.9
    assert run() == [explain(window, MODEL) for window in windows]  # the memo changes nothing


def test_turned_pass_at_its_largest(benchmark: BenchmarkFixture) -> None:
    window = turned_pass()[-1]
    measured(benchmark, "largest window", 1, lambda: explain(window, MODEL))
    assert len(window.sightings) == 10
