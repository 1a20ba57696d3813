"""Scoring what a bridge said of true deals: false alerts, errors found, kind and seat, moves, delay,
calibration.

| figure | means |
|---|---|
| false alert | an alert about the deal that lit the light in a clean hand; equipment is counted apart |
| counts | given all reads to the end of the deal, the reference gives the truth more than one half |
| found | at the end of the deal an error stands as probable or certain |
| lit | an alert about the deal lit the light from the slip on, by the end of the deal |
| right | the errors that stand then as probable or certain are a perfect observer's: kind, place, seat |
| moves | of deals that can be put right: the moves stand, and are those of the perfect observer |
| in time | lit no later than one card after the readers could know |
| calibration | of findings given with probability p the share that is true, hands with a slip weighing as |
| | much beside clean ones as a dealer makes it (two slips in one hand are not dealt, and not weighed) |

A finding is a dict as in `sim/verdict.py`. A card is counted in delays when it comes to rest, or when the
longest pace has passed without one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log2, sqrt
from typing import Any

import msgspec

from shoe_bridge.sim.deal_truth import CLEAN, SLIPS, TrueHand, slip_ms

Finding = Mapping[str, Any]
Key = tuple[tuple[str, Any], ...]

ERROR_KINDS = frozenset(
    {
        "order_error",
        "count_error",
        "dealt_out",
        "extra_hand",
        "missing_burn",
        "extra_burn",
        "premature_card",
        "card_after_end",
    }
)
LIT = frozenset({"attention", "misdeal"})
PROBABLE = 0.5
DECILES = 10
MOST_CARDS_LATE = 1
_NOT_OF_THE_ERROR = frozenset({"rule", "card"})
_STEPS_PER_DOUBLING = 32  # of the histogram of durations
# The places in a hand at which a slip of a kind can be made, and its chances at each by name.
_PLACES_TO_SLIP = {
    "skip": (20, ("skip",)),
    "extra": (20, ("extra",)),
    "stuck": (20, ("stuck",)),
    "wrong": (20, ("wrong",)),
    "swap": (19, ("swap",)),
    "turned": (2, ("turned",)),
    "missing_burn": (3, ("skip",)),
    "extra_burn": (3, ("extra", "stuck")),
}


class Lit(msgspec.Struct, frozen=True):
    """Alert `alert` about the deal was raised or amended at `at_ms`, and lit the light."""

    at_ms: int
    alert: int


class Told(msgspec.Struct, frozen=True):
    """What a bridge said in one hand: alerts about the deal, the number of equipment alerts, the findings
    that stood at the end of the deal with their probabilities, and all findings given (each amendment
    anew)."""

    lit: tuple[Lit, ...] = ()
    equipment: int = 0
    standing: tuple[tuple[dict[str, Any], float], ...] = ()
    given: tuple[tuple[dict[str, Any], float], ...] = ()


class Known(msgspec.Struct, frozen=True):
    """What can be said of one hand: by a perfect observer the findings that ever stood (`ever`) and those at
    the end of the deal; by the reference whether the slip counts, and from when on the readers could know
    (None: never)."""

    ever: tuple[dict[str, Any], ...] = ()
    standing: tuple[dict[str, Any], ...] = ()
    is_counted: bool = False
    known_ms: int | None = None


class SlipTally(msgspec.Struct):
    """Counts over the hands with one kind of slip. `calibration` has a row for each decile of probability:
    findings given, the sum of their probabilities, those that were true, and, as the findings of one hand
    hang together, the sums over hands of its findings squared, of these times how far they were off, and of
    that squared."""

    hands: int = 0
    counts: int = 0
    found: int = 0
    lit: int = 0
    right: int = 0
    repairable: int = 0
    moves: int = 0
    known: int = 0
    in_time: int = 0
    false_alerts: int = 0
    equipment: int = 0
    calibration: list[list[float]] = msgspec.field(
        default_factory=lambda: [[0.0] * 6 for _ in range(DECILES)]
    )


class Tally(msgspec.Struct):
    """One bridge over many hands, by kind of slip (and `none`). `durations` is a histogram of ns per event in
    clean hands, `erring_durations` in the others."""

    by_slip: dict[str, SlipTally] = {}
    durations: dict[int, int] = {}
    erring_durations: dict[int, int] = {}

    def add(self, hand: TrueHand, known: Known, told: Told, longest_pace_ms: int) -> bool:
        """Count one hand; whether nothing was wrong with what was said of it."""
        tally = self.by_slip.setdefault(hand.slip, SlipTally())
        tally.hands += 1
        tally.equipment += told.equipment
        _calibrate(tally.calibration, known, told)
        if hand.is_clean:
            tally.false_alerts += len({each.alert for each in told.lit})
            return not told.lit
        if not known.is_counted:
            return True
        tally.counts += 1
        return _count_slip(tally, hand, known, told, longest_pace_ms)

    def add_duration(self, duration_ns: int, is_erring: bool = False) -> None:
        step = round(log2(max(1, duration_ns)) * _STEPS_PER_DOUBLING)
        durations = self.erring_durations if is_erring else self.durations
        durations[step] = durations.get(step, 0) + 1

    def merge(self, other: "Tally") -> None:
        """Add what another table counted."""
        for slip, theirs in other.by_slip.items():
            ours = self.by_slip.setdefault(slip, SlipTally())
            for name in SlipTally.__struct_fields__:
                if name != "calibration":
                    setattr(ours, name, getattr(ours, name) + getattr(theirs, name))
            for row, added in zip(ours.calibration, theirs.calibration, strict=True):
                row[:] = [a + b for a, b in zip(row, added, strict=True)]
        for name in ("durations", "erring_durations"):
            durations = Counter(getattr(self, name))
            durations.update(getattr(other, name))
            setattr(self, name, dict(durations))

    # -- figures

    def clean(self) -> SlipTally:
        return self.by_slip.get(CLEAN, SlipTally())

    def erring(self) -> SlipTally:
        """All hands with a slip together."""
        whole = Tally({})
        for slip in SLIPS:
            if slip in self.by_slip:
                whole.merge(Tally({"": self.by_slip[slip]}))
        return whole.by_slip.get("", SlipTally())

    def quantile_us(self, share: float, is_erring: bool = False) -> float | None:
        """The duration in microseconds that `share` of the events in clean hands (`is_erring`: in the others)
        do not exceed, to 2 %."""
        durations = self.erring_durations if is_erring else self.durations
        total, below = sum(durations.values()), 0
        for step in sorted(durations):
            below += durations[step]
            if below >= share * total:
                return float(2 ** (step / _STEPS_PER_DOUBLING) / 1000)
        return None

    def reliability(self, chances: Mapping[str, float]) -> list[tuple[float, float, int, float]]:
        """(mean probability given, share that was true, findings, standard error of the distance of the two)
        for each decile in which any was given, the hands weighted to a dealer who errs with `chances` (by
        name, per card due)."""
        weights = {slip: _weight(slip, tally.hands, chances) for slip, tally in self.by_slip.items()}
        found = []
        for decile in range(DECILES):
            rows = [(weights[slip], tally.calibration[decile]) for slip, tally in self.by_slip.items()]
            given, expected, true = (sum(weight * row[n] for weight, row in rows) for n in range(3))
            if given:
                off = (expected - true) / given
                square = sum(
                    weight * weight * (row[5] - 2 * off * row[4] + off * off * row[3]) for weight, row in rows
                )
                count = sum(int(row[0]) for weight, row in rows if weight)
                found.append((expected / given, true / given, count, sqrt(max(0.0, square)) / given))
        return found


def error_keys(findings: Iterable[Finding]) -> frozenset[Key]:
    """The errors among findings by kind, place and seat: the number of the card and the rule are left out."""
    return frozenset(
        tuple(sorted((name, value) for name, value in finding.items() if name not in _NOT_OF_THE_ERROR))
        for finding in findings
        if finding["kind"] in ERROR_KINDS
    )


def moves_in(findings: Iterable[Finding]) -> frozenset[str] | None:
    """The moves by which the deal can be put right; None where no finding proposes any."""
    for finding in findings:
        if finding["kind"] == "repairable":
            return frozenset(finding["moves"])
    return None


def cards_late(hand: TrueHand, known_ms: int, lit_ms: int, longest_pace_ms: int) -> int:
    """How many cards after `known_ms` the light was lit."""
    between = sum(known_ms < card.at_ms <= lit_ms for card in hand.cards)
    return max(between, (lit_ms - known_ms) // longest_pace_ms)


def _count_slip(tally: SlipTally, hand: TrueHand, known: Known, told: Told, longest_pace_ms: int) -> bool:
    """Count one hand whose slip counts; whether nothing was missed in it."""
    lit_ms = next((each.at_ms for each in told.lit if slip_ms(hand) <= each.at_ms <= hand.judged_ms), None)
    stands = [finding for finding, probability in told.standing if probability >= PROBABLE]
    is_found = bool(error_keys(stands))
    is_right = error_keys(stands) == error_keys(known.standing)
    tally.found += is_found
    tally.lit += lit_ms is not None
    tally.right += is_right
    moves = moves_in(known.standing)
    if moves is not None:
        tally.repairable += 1
        tally.moves += moves_in(stands) == moves
        is_right = is_right and moves_in(stands) == moves
    if known.known_ms is not None:
        tally.known += 1
        is_lit = lit_ms is not None
        tally.in_time += is_lit and _is_in_time(hand, known.known_ms, lit_ms or 0, longest_pace_ms)
    return is_found and is_right


def _is_in_time(hand: TrueHand, known_ms: int, lit_ms: int, longest_pace_ms: int) -> bool:
    return cards_late(hand, known_ms, lit_ms, longest_pace_ms) <= MOST_CARDS_LATE


def _calibrate(rows: Sequence[list[float]], known: Known, told: Told) -> None:
    ever = [dict(finding) for finding in known.ever]
    found = [[0, 0.0, 0] for _ in rows]
    for finding, probability in told.given:
        if finding["kind"] in ERROR_KINDS:
            row = found[min(DECILES - 1, int(probability * DECILES))]
            row[0] += 1
            row[1] += probability
            row[2] += dict(finding) in ever
    for row, (count, expected, true) in zip(rows, found, strict=True):
        off = expected - true
        added = (count, expected, true, count * count, count * off, off * off)
        row[:] = [a + b for a, b in zip(row, added, strict=True)]


def _weight(slip: str, hands: int, chances: Mapping[str, float]) -> float:
    """What one of `hands` hands with this slip stands for among all that hold one slip at most, where a clean
    one in all stands for 1: at each place the slip is made instead of what is due."""
    if slip == CLEAN:
        return 1 / hands
    if slip not in _PLACES_TO_SLIP:
        return 0.0  # how often a street is dealt early is no part of the model
    places, names = _PLACES_TO_SLIP[slip]
    as_due = 1 - sum(chances.values())
    return places * sum(chances[name] for name in names) / as_due / hands
