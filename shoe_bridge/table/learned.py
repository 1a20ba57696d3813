"""What a table teaches about itself: the dealer's pace and how often polls miss a card. Slowly, within
bounds.

The time between two first reads is a gap between two cards, give or take the wait for the poll, which is
the same for both on average: so its mean is the mean gap. Gaps are taken to lie between 0.55 and 1.45 of
it. Until some were seen, a wide range stands in. Misses are counted between the first and the second read
of a card, which do not depend on when it came.
"""

import msgspec

from shoe_bridge.table.deal_model import NS_PER_MS, DealModel

_FIRST_GAPS = 8  # so many before the mean counts
_GAP_WEIGHT = 1 / 32
_MISS_WEIGHT = 1 / 256
_LEAST_MISSED, _MOST_MISSED = 0.002, 0.9
_SHORTEST, _LONGEST = 0.55, 1.45
_WIDE_PACE_NS = (100 * NS_PER_MS, 2_000 * NS_PER_MS)
_STEP_MS = 10  # what is learned moves the model in steps of so much
_MISS_STEP = 0.01
_LONGEST_GAP_NS = 5_000 * NS_PER_MS


class Learned(msgspec.Struct, frozen=True):
    """`gap_ns` is the mean gap between two cards and `gaps` of how many; `missed` the chance of a miss by
    depth, empty as long as nothing was learned."""

    gap_ns: float = 0.0
    gaps: int = 0
    missed: tuple[float, ...] = ()

    def with_gap(self, gap_ns: int) -> "Learned":
        """A card came so long after the one before, by their first reads."""
        if not 0 <= gap_ns <= _LONGEST_GAP_NS:
            return self
        gaps = self.gaps + 1
        weight = max(_GAP_WEIGHT, 1 / gaps)
        return msgspec.structs.replace(self, gap_ns=self.gap_ns + weight * (gap_ns - self.gap_ns), gaps=gaps)

    def with_polls(self, depth: int, missed_polls: int, start: tuple[float, ...]) -> "Learned":
        """`missed_polls` polls lay between the first and the second read of a card at `depth` (from 1)."""
        missed = list(self.missed or start)
        index = min(depth, len(missed)) - 1
        for outcome in [1.0] * min(missed_polls, 8) + [0.0]:
            missed[index] += _MISS_WEIGHT * (outcome - missed[index])
        missed[index] = min(_MOST_MISSED, max(_LEAST_MISSED, missed[index]))
        return msgspec.structs.replace(self, missed=tuple(missed))


def fitted(model: DealModel, learned: Learned) -> DealModel:
    """The model as this table has shown itself."""
    dealer, sensor = model.dealer, model.sensor
    if model.learns_pace and learned.gaps < _FIRST_GAPS:
        dealer = msgspec.structs.replace(dealer, pace_ns=_WIDE_PACE_NS)
    elif model.learns_pace:
        gap_ms = int(learned.gap_ns / NS_PER_MS / _STEP_MS) * _STEP_MS
        pace_ns = (int(gap_ms * _SHORTEST) * NS_PER_MS, int(gap_ms * _LONGEST) * NS_PER_MS)
        dealer = msgspec.structs.replace(dealer, pace_ns=pace_ns)
    if learned.missed:
        steps = [int(each / _MISS_STEP + 0.5) for each in learned.missed]
        missed = tuple([step * _MISS_STEP if step else _LEAST_MISSED for step in steps])
        sensor = msgspec.structs.replace(sensor, missed=missed)
    if dealer is model.dealer and sensor is model.sensor:
        return model
    return msgspec.structs.replace(model, dealer=dealer, sensor=sensor)
