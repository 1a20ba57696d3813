"""The retry policy: it never gives up, never hammers, and says neither too much nor too little."""

import random

import pytest

from shoe_bridge.link.backoff import Backoff

S = 1_000_000_000


def _no_jitter() -> float:
    return 0.0


def test_delays_double_up_to_the_longest() -> None:
    backoff = Backoff(_no_jitter)
    delays = [backoff.failed(i * S).delay_s for i in range(9)]
    assert delays == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0])


def test_it_never_stops_and_never_overflows() -> None:
    backoff = Backoff(_no_jitter)
    delays = {backoff.failed(i * S).delay_s for i in range(5_000)}
    assert max(delays) == 5.0
    assert min(delays) > 0


def test_jitter_shortens_by_up_to_half_and_comes_from_the_given_source() -> None:
    first = Backoff(random.Random(7).random)
    again = Backoff(random.Random(7).random)
    other = Backoff(random.Random(8).random)
    delays = [first.failed(i * S).delay_s for i in range(50)]
    assert delays == [again.failed(i * S).delay_s for i in range(50)]
    assert delays != [other.failed(i * S).delay_s for i in range(50)]
    assert all(2.5 <= delay <= 5.0 for delay in delays[6:])
    assert len(set(delays[6:])) > 40


def test_the_first_failure_of_a_cycle_warns_and_the_rest_whisper() -> None:
    backoff = Backoff(_no_jitter)
    said = [backoff.failed(i * S).loudness for i in range(4)]
    assert said == ["warn", "whisper", "whisper", "whisper"]


def test_success_tells_how_long_it_took() -> None:
    backoff = Backoff(_no_jitter)
    backoff.failed(10 * S)
    backoff.failed(11 * S)
    recovered = backoff.opened(13 * S)
    assert recovered is not None
    assert (recovered.after_s, recovered.attempts) == (3.0, 2)


def test_the_first_opening_recovers_nothing() -> None:
    assert Backoff(_no_jitter).opened(1 * S) is None


def test_a_stable_life_ends_the_cycle() -> None:
    backoff = Backoff(_no_jitter)
    for i in range(6):
        backoff.failed(i * S)
    backoff.opened(10 * S)
    retry = backoff.failed(15 * S)
    assert (retry.delay_s, retry.attempt, retry.loudness) == (0.1, 1, "warn")


def test_a_short_life_goes_on_with_the_cycle() -> None:
    backoff = Backoff(_no_jitter)
    backoff.failed(0)
    backoff.opened(1 * S)
    retry = backoff.failed(1 * S + 4_999_999_999)
    assert (retry.attempt, retry.loudness) == (2, "whisper")
    assert retry.delay_s == pytest.approx(0.2)
