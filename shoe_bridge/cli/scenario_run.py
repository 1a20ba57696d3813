"""Plays one scenario: real frames of simulated devices, in virtual time, into the whole path."""

from typing import Any, get_args

import msgspec

from shoe_bridge.rules.book import Book, open_book
from shoe_bridge.rules.games import game_names, open_game
from shoe_bridge.runtime.assembly import links_of
from shoe_bridge.runtime.config import DeviceConfig
from shoe_bridge.runtime.core import Core, Step
from shoe_bridge.runtime.ports import Tick
from shoe_bridge.sim.player import Moment, player_for
from shoe_bridge.sim.scenario import Scenario, deck_for
from shoe_bridge.sim.sim_table import table_for
from shoe_bridge.sim.steps import UnsupportedStepError
from shoe_bridge.sim.verdict import Forbidden, Verdict, compare
from shoe_bridge.table.deck import Deck, Register
from shoe_bridge.table.findings import AnyFinding
from shoe_bridge.table.money import Money, cents_of
from shoe_bridge.table.state import Setup

SUPPORTED_KINDS = frozenset(str(kind.__struct_config__.tag) for kind in get_args(AnyFinding))


class Played(msgspec.Struct):
    """One scenario played: the verdict, all findings in order, and why it could not be played (or None).
    `played_under` is the other profile by which it was played: then its expectations are of no concern."""

    scenario: Scenario
    verdict: Verdict
    findings: list[dict[str, Any]]
    unplayable: str | None = None
    played_under: str | None = None

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
    table = _Table(scenario, reader, book)
    try:
        table.play()
    except UnsupportedStepError as error:
        return _unplayable(scenario, str(error), table.findings)
    return Played(scenario, compare(scenario, table.findings, SUPPORTED_KINDS), table.findings)


class _Table:
    """The core of the scenario's table beside the player that feeds it."""

    def __init__(self, scenario: Scenario, reader: str | None, book: Book) -> None:
        config = table_for(scenario, reader)
        devices = tuple(msgspec.convert(entry, DeviceConfig, str_keys=True) for entry in config["device"])
        setup = Setup(
            scenario.id,
            book.fit(open_game(scenario.game)),
            tuple(sorted(scenario.seats)),
            scenario.button,
            _register_of(scenario),
            tuple(device.name for device in devices),
            tuple(key for device in devices for key in device.keys.values()),
            tracks_button=True,
            is_first_hand=scenario.first_hand,
            money=_money_of(scenario),
        )
        self.core = Core(setup, links_of(devices), book)
        self.findings: list[dict[str, Any]] = []
        self._numbers: dict[int, dict[str, Any]] = {}
        self._scenario = scenario
        self._player = player_for(scenario, self._sends, reader)

    def play(self) -> None:
        for moment in self._player.start():
            self._take(moment)
        for moment in self._player.play(self._scenario.actions):
            self._take(moment)

    def _sends(self, device: str) -> list[bytes]:
        link = self.core.links.get(device)
        return link.sends() if link is not None else []

    def _take(self, moment: Moment) -> None:
        for given in moment.inputs:
            if given.device in self.core.links:
                self._conclude(self.core.take(given), moment.step)
        for name, link in self.core.links.items():
            deadline = link.next_deadline_ns()
            if deadline is not None and deadline <= moment.at_mono_ns:
                self._conclude(self.core.take(Tick(name, moment.at_mono_ns)), moment.step)

    def _conclude(self, step: Step, index: int) -> None:
        for change in step.changes:
            if change.raised:
                finding = {
                    "after": index,
                    "withdrawn_after": None,
                    **msgspec.to_builtins(change.finding),
                    "certainty": change.certainty,
                }
                self._numbers[change.number] = finding
                self.findings.append(finding)
            else:
                self._numbers[change.number]["withdrawn_after"] = index


def _money_of(scenario: Scenario) -> Money:
    amounts = (scenario.chip, scenario.pool, scenario.pool_major, scenario.pool_minor)
    return Money(*(None if amount is None else cents_of(amount) for amount in amounts))


def _register_of(scenario: Scenario) -> Register:
    """The register of the scenario's decks, the one in use first."""
    decks = deck_for(scenario)
    tags: dict[str, dict[str, str]] = {decks.in_use: {}}
    for tag, known in decks.registered.items():
        tags.setdefault(known.deck, {})[tag] = known.card
    return Register(tuple(Deck(name, of_deck) for name, of_deck in tags.items()))


def _unplayable(scenario: Scenario, why: str, findings: list[dict[str, Any]] | None = None) -> Played:
    checked = compare(scenario, [], SUPPORTED_KINDS)
    verdict = msgspec.structs.replace(checked, passed=False)
    return Played(scenario, verdict, findings or [], why)


def _forbidden_line(forbidden: Forbidden) -> dict[str, Any]:
    return {**forbidden.finding, "why": forbidden.why}
