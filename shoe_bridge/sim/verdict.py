"""Comparing what the bridge concluded with what a scenario file expects of it.

A finding is a dict: its `kind`, its keys, `after` (the 1-based step after which it first stood) and
`withdrawn_after` (the step after which it no longer stood, or None). A finding that is amended appears again,
the earlier form withdrawn.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from shoe_bridge.sim.scenario import Expectation, Scenario

Finding = Mapping[str, Any]

SET_KEYS = frozenset({"moves"})  # compared without regard to order


class Forbidden(msgspec.Struct, frozen=True):
    """A finding that must not be there, and which part of the file says so."""

    finding: dict[str, Any]
    why: str


class Verdict(msgspec.Struct, frozen=True):
    """The outcome for one scenario. `unsupported` are kinds that an `[[expect]]` needs and the bridge does
    not know; `unchecked` are unknown kinds that the file only forbids, so that their absence shows
    nothing."""

    id: str
    passed: bool
    missing: tuple[Expectation, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    unsupported: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()


def compare(
    scenario: Scenario, findings: Iterable[Finding], supported: Collection[str] | None = None
) -> Verdict:
    """Hold `findings` against the file. `supported` are the kinds that the bridge can conclude (None:
    all)."""
    found = list(findings)
    missing = tuple(wanted for wanted in scenario.expect if not any(_meets(each, wanted) for each in found))
    forbidden = (
        *_absent(scenario, found),
        *_standing(scenario, found),
        *_silent(scenario, found),
        *_exact(scenario, found),
        *_early_order_errors(scenario, found),
    )
    expected = {wanted["kind"] for wanted in scenario.expect}
    unsupported = _outside(expected, supported)
    return Verdict(
        id=scenario.id,
        passed=not missing and not forbidden and not unsupported,
        missing=missing,
        forbidden=forbidden,
        unsupported=unsupported,
        unchecked=_outside(_kinds_forbidden(scenario) - expected, supported),
    )


def is_standing_after(finding: Finding, step: int) -> bool:
    """Whether the finding stands once `step` is processed."""
    withdrawn = finding.get("withdrawn_after")
    return bool(finding["after"] <= step) and (withdrawn is None or withdrawn > step)


def is_standing_at_end(finding: Finding) -> bool:
    return finding.get("withdrawn_after") is None


def _matches(finding: Finding, wanted: Expectation) -> bool:
    return all(
        key in finding and _is_equal(key, finding[key], value)
        for key, value in wanted.items()
        if key != "after"
    )


def _meets(finding: Finding, wanted: Expectation) -> bool:
    if not _matches(finding, wanted):
        return False
    after = wanted.get("after")
    return is_standing_at_end(finding) if after is None else is_standing_after(finding, after)


def _is_equal(key: str, got: Any, want: Any) -> bool:
    if isinstance(got, bool) or isinstance(want, bool):
        return got is want
    if isinstance(want, list | tuple) and isinstance(got, list | tuple | set | frozenset):
        return sorted(got) == sorted(want) if key in SET_KEYS else list(got) == list(want)
    return bool(got == want)


def _absent(scenario: Scenario, found: Sequence[Finding]) -> Iterable[Forbidden]:
    for finding in found:
        if finding["kind"] in scenario.absent.kinds:
            yield Forbidden(dict(finding), "[absent] kinds")


def _standing(scenario: Scenario, found: Sequence[Finding]) -> Iterable[Forbidden]:
    for finding in found:
        if finding["kind"] in scenario.absent.standing and is_standing_at_end(finding):
            yield Forbidden(dict(finding), "[absent] standing")


def _silent(scenario: Scenario, found: Sequence[Finding]) -> Iterable[Forbidden]:
    for silent in scenario.silent:
        last = silent.last or len(scenario.steps)
        for finding in found:
            if finding["kind"] in silent.kinds and silent.first <= max(1, finding["after"]) <= last:
                yield Forbidden(dict(finding), f"[[silent]] from {silent.first} to {last}")


def _exact(scenario: Scenario, found: Sequence[Finding]) -> Iterable[Forbidden]:
    for finding in found:
        if finding["kind"] not in scenario.exact.kinds or not is_standing_at_end(finding):
            continue
        if not any(_matches(finding, wanted) for wanted in scenario.expect):
            yield Forbidden(dict(finding), "[exact] kinds")


def _early_order_errors(scenario: Scenario, found: Sequence[Finding]) -> Iterable[Forbidden]:
    steps = [each["after"] for each in scenario.expect if each["kind"] == "order_error" and "after" in each]
    if not steps:
        return
    for finding in found:
        if finding["kind"] == "order_error" and finding["after"] < min(steps):
            yield Forbidden(dict(finding), f"order_error before step {min(steps)}")


def _kinds_forbidden(scenario: Scenario) -> set[str]:
    kinds = {*scenario.absent.kinds, *scenario.absent.standing, *scenario.exact.kinds}
    return kinds.union(*(silent.kinds for silent in scenario.silent))


def _outside(kinds: set[str], supported: Collection[str] | None) -> tuple[str, ...]:
    return () if supported is None else tuple(sorted(kinds - set(supported)))
