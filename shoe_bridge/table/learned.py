"""What a table teaches about itself: the dealer's pace and how often polls miss a card. Slowly, within
bounds.

The time between two first reads is a gap between two cards, give or take the waits for the polls: these are
the same for both on average, so its mean is the mean gap; and its variance is that of the gaps and of the two
waits, which follows from the misses. Where what was seen agrees with the pace that the table is configured
with, that is taken; else gaps are taken to lie evenly about the mean that was seen, at most from 0.55 to 1.45
of it. Until enough were seen for that, a wide range stands in.

Misses are counted among the polls that follow directly on the first read of a card: they do not depend on
when it came, nor on how soon it counts as gone.
"""

from math import sqrt

import msgspec

from shoe_bridge.table.deal_model import NS_PER_MS, DealModel

_FIRST_GAPS = 4  # so many before the mean counts
_OWN_GAPS = 6  # so many before it is taken for the pace where another one is configured
_GAP_WEIGHT = 1 / 512
_SPREAD_WEIGHT = 1 / 4096
_POLLS_PRESUMED = 2_048  # so many count for the misses that are configured
_MISS_WEIGHT = 1 / 4096
_LEAST_MISSED, _MOST_MISSED = 0.002, 0.9
_WIDEST = 0.45  # of the mean, to either side
_GAPS_PRESUMED = 2_000  # so many count for the widest range
_AGREES = 3.0  # standard deviations that what was seen may lie off what is configured
_KURTOSIS = (
    5.0  # of the time between two first reads, so that its variance is known to sqrt(5 / gaps) of itself
)
_FARTHEST = 5.0  # standard deviations that one gap can lie off, as far as the spread is concerned
_WIDE_PACE_NS = (100 * NS_PER_MS, 2_000 * NS_PER_MS)
_STEP_MS = 10  # what is learned moves the model in steps of so much
_MISS_STEP = 0.002
_PAUSE = 2.0  # so many times the mean gap is one
_FIRST_PAUSE_NS = 1_200 * NS_PER_MS  # until that is known
_FARTHEST_WAIT = 3.0  # standard deviations that the waits for the polls may add


class Learned(msgspec.Struct, frozen=True):
    """`gap_ns` is the mean gap between two cards and `gaps` of how many, `variance_ms2` the variance of the
    gaps themselves, `total_ms2` with the waits for the polls (until enough gaps were seen to tell: of these
    alone); `missed` the chance of a miss by depth and `polls` of how many, empty as long as nothing was
    learned. `once` are the tags that were read once since they arrived: where, and when (ns). `dead` is the
    share of the deck's tags that seem to be dead."""

    gap_ns: float = 0.0
    gaps: int = 0
    variance_ms2: float = 0.0
    total_ms2: float = 0.0
    missed: tuple[float, ...] = ()
    polls: tuple[int, ...] = ()
    once: dict[str, tuple[str, int]] = {}
    dead: float = 0.0

    def with_gap(self, gap_ns: int, waits_ms2: float) -> "Learned":
        """A card came so long after the one before, by their first reads (less than 0: it was read first);
        `waits_ms2` is the variance that the waits for their polls have together."""
        usual_ns = _PAUSE * self.gap_ns if self.knows_pace else _FIRST_PAUSE_NS
        if abs(gap_ns) > usual_ns + _FARTHEST_WAIT * sqrt(waits_ms2) * NS_PER_MS:
            return self  # a pause says nothing of the pace
        gaps = self.gaps + 1
        off_ns = gap_ns - self.gap_ns
        mean_ns = self.gap_ns + max(_GAP_WEIGHT, 1 / gaps) * off_ns
        variance, total = self.variance_ms2, waits_ms2
        if gaps > _FIRST_GAPS:
            off_ms2 = (off_ns / NS_PER_MS) * (off_ns / NS_PER_MS)
            most = _FARTHEST * _FARTHEST * (waits_ms2 + _widest_ms2(self.gap_ns))
            weight = max(_SPREAD_WEIGHT, 1 / (gaps - _FIRST_GAPS))
            variance += weight * (min(off_ms2, most) - waits_ms2 - variance)
            total = self.total_ms2 + max(_SPREAD_WEIGHT, 1 / gaps) * (min(off_ms2, most) - self.total_ms2)
        return msgspec.structs.replace(
            self, gap_ns=mean_ns, gaps=gaps, variance_ms2=variance, total_ms2=total
        )

    @property
    def knows_pace(self) -> bool:
        return self.gaps >= _FIRST_GAPS

    def agrees_with(self, pace_ns: tuple[int, int]) -> bool:
        """Are the gaps that were seen such as they would be at that pace (shortest, longest)?"""
        shortest_ms, longest_ms = (each / NS_PER_MS for each in pace_ns)
        variance = (longest_ms - shortest_ms) * (longest_ms - shortest_ms) / 12
        off_ms = self.gap_ns / NS_PER_MS - (shortest_ms + longest_ms) / 2
        of_mean = min(self.gaps, 1 / _GAP_WEIGHT)
        of_spread = min(max(1, self.gaps - _FIRST_GAPS), 1 / _SPREAD_WEIGHT)
        # a wait is the end of one gap and the beginning of the next: in the mean they all but cancel out
        mean_ms2 = (variance + self.total_ms2 / of_mean) / of_mean
        wider = (self.variance_ms2 - variance) / (_AGREES * sqrt(_KURTOSIS / of_spread))
        return off_ms * off_ms <= _AGREES * _AGREES * mean_ms2 and wider <= self.total_ms2

    def half_width_ms(self) -> float:
        """How far a gap lies off the mean at most."""
        counted = max(0, min(self.gaps - _FIRST_GAPS, int(1 / _SPREAD_WEIGHT)))
        widest = _widest_ms2(self.gap_ns)
        shown = max(0.0, self.variance_ms2)
        variance = (_GAPS_PRESUMED * widest + counted * shown) / (_GAPS_PRESUMED + counted)
        return sqrt(3.0 * min(variance, widest))

    def arrived(self, tag: str, place: str, at_ns: int) -> "Learned":
        """The tag was read at a place where it had not been read before, or not for a while."""
        return msgspec.structs.replace(self, once={**self.once, tag: (place, at_ns)})

    def known(self, tag: str) -> "Learned":
        """Nothing more is learned of that tag until it arrives again."""
        return msgspec.structs.replace(self, once={one: at for one, at in self.once.items() if one != tag})

    def with_poll(self, depth: int, is_missed: bool, start: tuple[float, ...]) -> "Learned":
        """The poll after the first read of a card at `depth` (from 1) missed it, or heard it."""
        missed, polls = list(self.missed or start), list(self.polls or (0 for _ in start))
        index = min(depth, len(missed)) - 1
        polls[index] += 1
        weight = max(_MISS_WEIGHT, 1 / (_POLLS_PRESUMED + polls[index]))
        missed[index] += weight * (is_missed - missed[index])
        missed[index] = min(_MOST_MISSED, max(_LEAST_MISSED, missed[index]))
        return msgspec.structs.replace(self, missed=tuple(missed), polls=tuple(polls))


def waits_ms2(cycle_ns: int, *missed: float) -> float:
    """The variance that the waits for the first reads of cards have together, where a poll misses each with
    the chances `missed`: even within one cycle, and a cycle more for each poll that misses."""
    cycle_ms, total = cycle_ns / NS_PER_MS, 0.0
    for chance in missed:
        total += 1 / 12 + chance / ((1.0 - chance) * (1.0 - chance))
    return cycle_ms * cycle_ms * total


def fitted(model: DealModel, learned: Learned) -> DealModel:
    """The model as this table has shown itself."""
    dealer, sensor = model.dealer, model.sensor
    agrees = learned.knows_pace and learned.agrees_with(dealer.pace_ns)
    shows_own = learned.gaps >= _OWN_GAPS and _WIDE_PACE_NS[0] <= learned.gap_ns <= _WIDE_PACE_NS[1]
    if model.learns_pace and not agrees and not shows_own:
        dealer = msgspec.structs.replace(dealer, pace_ns=_WIDE_PACE_NS)
    elif model.learns_pace and not agrees:
        gap_ms = int(learned.gap_ns / NS_PER_MS / _STEP_MS) * _STEP_MS
        half_ms = int(learned.half_width_ms() / _STEP_MS) * _STEP_MS
        dealer = msgspec.structs.replace(
            dealer, pace_ns=((gap_ms - half_ms) * NS_PER_MS, (gap_ms + half_ms) * NS_PER_MS)
        )
    if learned.missed:
        missed = tuple([int(each / _MISS_STEP + 0.5) * _MISS_STEP for each in learned.missed])
        sensor = msgspec.structs.replace(sensor, missed=missed)
    if learned.dead:
        sensor = msgspec.structs.replace(sensor, dead=sensor.dead + learned.dead)
    if dealer is model.dealer and sensor is model.sensor:
        return model
    return msgspec.structs.replace(model, dealer=dealer, sensor=sensor)


def _widest_ms2(gap_ns: float) -> float:
    """The variance of gaps that lie evenly over the widest range."""
    half_ms = _WIDEST * gap_ns / NS_PER_MS
    return half_ms * half_ms / 3.0
