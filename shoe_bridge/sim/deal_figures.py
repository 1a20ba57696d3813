"""The benchmark's figures of one bridge in one line: shares between 0 and 1, None where there was nothing to
share.

`worst_decile` is the largest distance between the probability given and the frequency of truth in a decile
with at least LEAST_FINDINGS findings, `worst_decile_error` its standard error; `reliability` has them all as
[probability given, share true, findings, standard error of the distance].
"""

from typing import Any

from shoe_bridge.sim.deal_evidence import Chances
from shoe_bridge.sim.deal_score import SlipTally, Tally
from shoe_bridge.sim.deal_truth import SLIPS

LEAST_FINDINGS = 50


def figures(tally: Tally, chances: Chances) -> dict[str, Any]:
    """All figures of one bridge, plain values only."""
    by_name = {name: getattr(chances, name) for name in ("skip", "extra", "stuck", "wrong", "swap", "turned")}
    rows = tally.reliability(by_name)
    distances = [(abs(given - true), error) for given, true, count, error in rows if count >= LEAST_FINDINGS]
    worst, error = max(distances, default=(None, None))
    clean = tally.clean()
    return {
        "clean_hands": clean.hands,
        "false_alerts": clean.false_alerts,
        "equipment_alerts": clean.equipment,
        **_of_slips(tally.erring()),
        "worst_decile": worst,
        "worst_decile_error": error,
        "p50_us": tally.quantile_us(0.5),
        "p99_us": tally.quantile_us(0.99),
        "p99_erring_us": tally.quantile_us(0.99, is_erring=True),
        "by_slip": {slip: _of_slips(tally.by_slip[slip]) for slip in SLIPS if slip in tally.by_slip},
        "reliability": [list(row) for row in rows],
    }


def _of_slips(slips: SlipTally) -> dict[str, Any]:
    return {
        "erring_hands": slips.hands,
        "counts": _share(slips.counts, slips.hands),
        "found": _share(slips.found, slips.counts),
        "lit": _share(slips.lit, slips.counts),
        "right": _share(slips.right, slips.counts),
        "moves": _share(slips.moves, slips.repairable),
        "in_time": _share(slips.in_time, slips.known),
    }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
