"""Plays one scenario: real frames of simulated devices, in virtual time, into the whole path."""

from typing import Any, get_args

import msgspec

from shoe_bridge.cli.scenario_light import LIGHT
from shoe_bridge.cli.scenario_linked import LinkedTables
from shoe_bridge.cli.scenario_table import Finding, PlayedTable
from shoe_bridge.errors import MissingPackageError
from shoe_bridge.rules.book import Book, open_book
from shoe_bridge.rules.games import game_names
from shoe_bridge.sim.scenario import Scenario
from shoe_bridge.sim.steps import UnsupportedStepError
from shoe_bridge.sim.verdict import Forbidden, Verdict, compare
from shoe_bridge.table.findings import AnyFinding

SUPPORTED_KINDS = frozenset(str(kind.__struct_config__.tag) for kind in get_args(AnyFinding))


class Played(msgspec.Struct):
    """One scenario played: the verdict, all findings in order, and why it could not be played (or None).
    `lacks_package`: it takes an extra that is not installed. `played_under` is the other profile by which it
    was played: then its expectations are of no concern."""

    scenario: Scenario
    verdict: Verdict
    findings: list[dict[str, Any]]
    unplayable: str | None = None
    played_under: str | None = None
    lacks_package: bool = False

    @property
    def has_failed(self) -> bool:
        return not self.verdict.passed and (self.played_under is None or self.unplayable is not None)

    @property
    def line(self) -> dict[str, Any]:
        """The line of `scenario --json`."""
        verdict = self.verdict
        if self.played_under is not None:
            verdict = Verdict(verdict.id, passed=self.unplayable is None)
        return {
            "id": verdict.id,
            "passed": verdict.passed,
            "findings": self.findings,
            "missing": [dict(wanted) for wanted in verdict.missing],
            "forbidden": [_forbidden_line(each) for each in verdict.forbidden],
            "unsupported": list(verdict.unsupported),
            "unchecked": list(verdict.unchecked),
            "unplayable": self.unplayable,
            "played_under": self.played_under,
        }


def play(scenario: Scenario, reader: str | None = None, profile: str | None = None) -> Played:
    """Play and compare, under another profile than the file's only play. A game or step that is not supported
    yet gives a verdict that says so. ConfigError for a profile that there is not."""
    book = open_book(profile or scenario.profile)
    played = _play(scenario, reader, book)
    if book.profile != scenario.profile:
        played.played_under = book.profile
    return played


def _play(scenario: Scenario, reader: str | None, book: Book) -> Played:
    if scenario.game not in game_names():
        return _unplayable(scenario, f"the game {scenario.game} is not supported yet")
    findings: list[Finding] = []
    played = LinkedTables if scenario.tables else PlayedTable
    try:
        played(scenario, reader, book, findings).play()
    except UnsupportedStepError as error:
        return _unplayable(scenario, str(error), findings)
    except MissingPackageError as error:
        return msgspec.structs.replace(_unplayable(scenario, error.needs, findings), lacks_package=True)
    supported = SUPPORTED_KINDS if scenario.light is None else SUPPORTED_KINDS | {LIGHT}
    return Played(scenario, compare(scenario, findings, supported), findings)


def _unplayable(scenario: Scenario, why: str, findings: list[Finding] | None = None) -> Played:
    checked = compare(scenario, [], SUPPORTED_KINDS)
    verdict = msgspec.structs.replace(checked, passed=False)
    return Played(scenario, verdict, findings or [], why)


def _forbidden_line(forbidden: Forbidden) -> dict[str, Any]:
    return {**forbidden.finding, "why": forbidden.why}
