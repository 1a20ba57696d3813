"""Scenario files: read, checked, and made into typed steps. The format is in `tests/scenarios/FORMAT.md`."""

from pathlib import Path
from typing import Any

import msgspec

from shoe_bridge.errors import ConfigError, UsageError
from shoe_bridge.sim.noise import NOISE_LEVELS
from shoe_bridge.sim.steps import (
    GATHERING_KEYS,
    AtTable,
    Deal,
    Hide,
    Move,
    Press,
    Silence,
    Step,
    cards_named,
    parse_step,
)
from shoe_bridge.sim.tags import CardRef, Decks, decks_of, technology_for
from shoe_bridge.sim.usb_light_device import HEADS
from shoe_bridge.toml_file import SCENARIO, read_document, read_text, refuse_foreign
from shoe_bridge.toml_schema import near_miss

GAMES = (
    "manila2",
    "manila3",
    "holdem",
    "omaha",
    "draw",
    "five_card_stud",
    "seven_card_stud",
    "caribbean_stud",
)
SENSORS = ("antennas", "shoe", "shoe+antennas")
DECK_MAKES = ("standard52",)
DEFAULT_SCAN_MS = 400

Expectation = dict[str, Any]


class Absent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Kinds that must never appear, and kinds that must not be standing at the end."""

    kinds: tuple[str, ...] = ()
    standing: tuple[str, ...] = ()


class Silent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"first": "from", "last": "to"}):
    """Kinds that must not be reported anew while the steps `first` to `last` (both included) are
    processed."""

    kinds: tuple[str, ...]
    first: int = 1
    last: int | None = None


class Exact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Kinds of which each standing finding must be an expected one."""

    kinds: tuple[str, ...] = ()


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One scenario file. `actions` are the parsed `steps`, one for one; steps are counted from 1 outside."""

    id: str
    title: str
    profile: str
    game: str
    steps: tuple[str, ...]
    rules: tuple[str, ...] = ()
    basis: str | None = None
    seats: tuple[int, ...] = ()
    button: int | None = None
    first_hand: bool = False
    chip: str | None = None
    pool: str | None = None
    pool_major: str | None = None
    pool_minor: str | None = None
    tables: dict[str, tuple[int, ...]] = {}
    decks: dict[str, str] = {}
    sensors: str = "antennas"
    reader: str | None = None
    shoe: str | None = None
    light: str | None = None
    pace_ms: int | None = None
    scan_ms: int = DEFAULT_SCAN_MS
    noise: str = "clean"
    seed: int = 0
    expect: tuple[Expectation, ...] = ()
    absent: Absent = Absent()
    silent: tuple[Silent, ...] = ()
    exact: Exact = Exact()
    actions: tuple[Step, ...] = ()

    @property
    def is_order_uncertain(self) -> bool:
        """Does the file say how the sensors are, or disturb them? Else every antenna is polled often enough
        that the order of the cards is certain."""
        is_told = (self.sensors, self.pace_ms, self.scan_ms, self.noise) != ("antennas", None, 400, "clean")
        return "antennas" in self.sensors and (
            is_told or any(isinstance(action, Hide | Silence) for action in self.actions)
        )


def load_scenario(path: Path) -> Scenario:
    """Read and check one file; raises UsageError with the file and what is wrong."""
    try:
        text = read_text(path, "scenario", "name a scenario file")
    except ConfigError as error:
        raise UsageError(str(error)) from None
    return parse_scenario(text, str(path))


def parse_scenario(text: str, source: str) -> Scenario:
    """Check the text of a scenario file; raises UsageError that starts with `source`."""
    try:
        table = read_document(text, Path(source), "the steps of a scenario")
        refuse_foreign(table, Path(source), SCENARIO)
    except ConfigError as error:
        raise UsageError(str(error)) from None
    if "actions" in table:
        raise UsageError(f"{source}: 'actions' is not a key of scenario files: remove it")
    _check_keys(table, source)
    try:
        scenario = msgspec.convert(table, Scenario)
    except msgspec.ValidationError as error:
        raise UsageError(f"{source}: {error}: see the format of scenario files") from error
    scenario = msgspec.structs.replace(scenario, actions=_actions(scenario, source))
    _check_header(scenario, source)
    _check_numbers(scenario, source)
    _check_expectations(scenario, source)
    return scenario


def deck_for(scenario: Scenario, reader: str | None = None) -> Decks:
    """The tags that can turn up in the scenario when it is played with `reader`: its decks, jokers, second
    tags, and which are unregistered."""
    technology = technology_for(reader or scenario.reader)
    return decks_of(scenario.decks, numbered_cards(scenario.actions), technology)


def numbered_cards(actions: tuple[Step, ...]) -> tuple[tuple[int, CardRef], ...]:
    """The named cards with the number that each is dealt under (0 where it is only read or scanned)."""
    return tuple(
        (action.number if isinstance(action, Deal) else 0, card)
        for action in actions
        for card in cards_named(action)
    )


def _check_keys(table: dict[str, Any], source: str) -> None:
    known = [name for name in Scenario.__struct_encode_fields__ if name != "actions"]
    for key in table:
        if key not in known:
            near = near_miss(key, known) or ": see the format of scenario files"
            raise UsageError(f"{source}: '{key}' is not a key of scenario files{near}")


def _actions(scenario: Scenario, source: str) -> tuple[Step, ...]:
    if not scenario.steps:
        raise UsageError(f"{source}: 'steps' is empty: list what happens")
    actions = []
    for index, step in enumerate(scenario.steps, start=1):
        try:
            actions.append(parse_step(step))
        except UsageError as error:
            raise UsageError(f"{source}: step {index}: {error}") from error
    return tuple(actions)


def _check_header(scenario: Scenario, source: str) -> None:
    def must(is_good: bool, what: str) -> None:
        if not is_good:
            raise UsageError(f"{source}: {what}")

    for key, value, allowed in (
        ("game", scenario.game, GAMES),
        ("sensors", scenario.sensors, SENSORS),
        ("noise", scenario.noise, tuple(NOISE_LEVELS)),
    ):
        must(value in allowed, f"{key} '{value}' is not known: use one of {', '.join(allowed)}")
    must(
        scenario.light is None or scenario.light in HEADS,
        f"light '{scenario.light}' is not known: use one of {', '.join(HEADS)}",
    )
    must(scenario.light is None or not scenario.tables, "'light' is for one table: name 'seats'")
    must(bool(scenario.seats) != bool(scenario.tables), "name either 'seats' or 'tables', and not both")
    seats = [*scenario.seats, *(seat for group in scenario.tables.values() for seat in group)]
    must(all(1 <= seat <= 10 for seat in seats), "a seat is a number from 1 to 10")
    must(len(set(scenario.seats)) == len(scenario.seats), "a seat is named twice in 'seats'")
    must(scenario.button is None or 1 <= scenario.button <= 10, "'button' is a seat from 1 to 10")
    must(scenario.scan_ms >= 20, "'scan_ms' is at least 20")
    must(scenario.pace_ms is None or scenario.pace_ms >= 1, "'pace_ms' is at least 1")
    for deck, make in scenario.decks.items():
        must(make in DECK_MAKES, f"deck '{deck}' is a '{make}': only {', '.join(DECK_MAKES)} is known")
    for action in scenario.actions:
        for card in cards_named(action):
            known = scenario.decks or {"blue": ""}
            must(
                card.deck is None or card.deck in known,
                f"{card.card}@{card.deck}: no deck '{card.deck}' is listed in 'decks'",
            )


def _check_numbers(scenario: Scenario, source: str) -> None:
    """Cards are numbered off the deck, at each of several tables by its own."""
    table = next(iter(scenario.tables), "")
    dealt = dict.fromkeys(scenario.tables or (table,), 0)
    for index, action in enumerate(scenario.actions, start=1):
        if isinstance(action, AtTable):
            table = action.table
            dealt.setdefault(table, 0)
        elif isinstance(action, Press) and action.key in GATHERING_KEYS:
            dealt[table] = 0
        elif isinstance(action, Deal):
            dealt[table] += 1
            if action.number != dealt[table]:
                raise UsageError(
                    f"{source}: step {index} deals card {action.number}: the next off the deck is"
                    f" {dealt[table]}"
                )
        elif isinstance(action, Move | Hide) and action.number > dealt[table]:
            raise UsageError(
                f"{source}: step {index} names card {action.number}: only {dealt[table]} are dealt by then"
            )


def _check_expectations(scenario: Scenario, source: str) -> None:
    last = len(scenario.steps)
    for number, expectation in enumerate(scenario.expect, start=1):
        where = f"{source}: expect {number}"
        if not isinstance(expectation.get("kind"), str):
            raise UsageError(f'{where} names no kind: add kind = "..."')
        after = expectation.get("after")
        if after is not None and not (type(after) is int and 1 <= after <= last):
            raise UsageError(f"{where}: after = {after} is no step: there are {last}")
    for silent in scenario.silent:
        if not 1 <= silent.first <= (silent.last or last) <= last:
            raise UsageError(f"{source}: silent from {silent.first} to {silent.last}: there are {last} steps")
