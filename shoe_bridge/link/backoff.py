"""When to try a lost link again: exponential, with jitter, for ever. A policy object, no clock in it.

0.1 s, 0.2 s, 0.4 s ... 5 s, each shortened by up to half at random, so that links that were lost together
do not come back in step. A life of 5 s or more is stable and ends the cycle; a shorter one goes on with it.
The first failure of a cycle is worth a warning, the rest a whisper, a success tells how long it took.
"""

from collections.abc import Callable
from typing import Literal

import msgspec

FIRST_S = 0.1
LONGEST_S = 5.0
STABLE_S = 5.0
NS_PER_S = 1_000_000_000

Loudness = Literal["warn", "whisper"]


class Retry(msgspec.Struct, frozen=True):
    """Try again `delay_s` from now; `attempt` counts the failures of this cycle from 1."""

    delay_s: float
    attempt: int
    loudness: Loudness


class Recovered(msgspec.Struct, frozen=True):
    """The link is open again `after_s` after the cycle's first failure, at the attempt after `attempts`."""

    after_s: float
    attempts: int


class Backoff:
    """The retry policy of one link. `random` gives a float in [0, 1): `random.Random(seed).random`."""

    def __init__(
        self,
        random: Callable[[], float],
        *,
        first_s: float = FIRST_S,
        longest_s: float = LONGEST_S,
        stable_s: float = STABLE_S,
    ) -> None:
        self._random = random
        self._first_s = first_s
        self._longest_s = longest_s
        self._stable_ns = int(stable_s * NS_PER_S)
        self._failures = 0
        self._since_ns = 0
        self._opened_ns: int | None = None

    def failed(self, at_mono_ns: int) -> Retry:
        """An attempt to open failed, or an open link was lost: when to try again, and how loud to say so."""
        if self._opened_ns is not None and at_mono_ns - self._opened_ns >= self._stable_ns:
            self._failures = 0
        self._opened_ns = None
        if self._failures == 0:
            self._since_ns = at_mono_ns
        self._failures += 1
        # the exponent is bounded first: a link may be down for days
        step_s = self._first_s * 2 ** min(self._failures - 1, 30)
        delay_s = min(step_s, self._longest_s) * (1 - self._random() / 2)
        return Retry(delay_s, self._failures, "warn" if self._failures == 1 else "whisper")

    def opened(self, at_mono_ns: int) -> Recovered | None:
        """The link is open: how long that took, or None when nothing had failed before."""
        self._opened_ns = at_mono_ns
        if self._failures == 0:
            return None
        return Recovered((at_mono_ns - self._since_ns) / NS_PER_S, self._failures)
