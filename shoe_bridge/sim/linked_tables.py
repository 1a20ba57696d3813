"""A scenario at several linked tables, taken apart: what happens at which of them, and all of it in one
virtual time.

Each table has its own devices, its own deck and its own player. While a step is acted out at one of them the
others stand by for as long. Steps before the first `at table` are at the table that the file names first. A
`time` goes with the next step that happens, at whichever table that is.
"""

from collections.abc import Iterator, Mapping

import msgspec

from shoe_bridge.errors import UsageError
from shoe_bridge.sim.player import Moment, Player
from shoe_bridge.sim.scenario import Scenario
from shoe_bridge.sim.steps import AtTable, Deal, Step, Time


class Act(msgspec.Struct, frozen=True):
    """The `number`-th step of the file (from 1), at `table`. `at_wall_ms`: when it happens there by the wall
    clock, ms since midnight; None where the file does not say. `is_deal_next`: the step after it deals a card
    at the same table."""

    number: int
    table: str
    step: Step
    at_wall_ms: int | None = None
    is_deal_next: bool = False


def acts_of(scenario: Scenario) -> tuple[Act, ...]:
    """All that happens, in order. Raises UsageError for a table that the file does not name."""
    table, at_wall_ms = next(iter(scenario.tables)), None
    acts: list[Act] = []
    for number, step in enumerate(scenario.actions, start=1):
        if isinstance(step, AtTable):
            if step.table not in scenario.tables:
                known = ", ".join(scenario.tables)
                raise UsageError(
                    f"{scenario.id}: step {number} is at table {step.table}, and 'tables' has {known}: add it"
                    " there or name one of these"
                )
            table = step.table
        elif isinstance(step, Time):
            at_wall_ms = step.at_wall_ms
        else:
            following = scenario.actions[number] if number < len(scenario.actions) else None
            acts.append(Act(number, table, step, at_wall_ms, isinstance(following, Deal)))
            at_wall_ms = None
    return tuple(acts)


def scenario_at(scenario: Scenario, table: str) -> Scenario:
    """What one of the tables is to be set up for: its seats and the steps there. Its name and noise are its
    own, so that it deals other cards than the next; the pool is no single table's."""
    acts = [act for act in acts_of(scenario) if act.table == table]
    return msgspec.structs.replace(
        scenario,
        id=f"{scenario.id}-{table}",
        seats=scenario.tables[table],
        tables={},
        seed=scenario.seed + list(scenario.tables).index(table),
        pool=None,
        pool_major=None,
        pool_minor=None,
        actions=tuple(act.step for act in acts),
        steps=tuple(scenario.steps[act.number - 1] for act in acts),
    )


class LinkedPlayer:
    """Drives the players of several tables, by the tables' names. Each moment comes with its table's name."""

    def __init__(self, players: Mapping[str, Player]) -> None:
        self._players = players

    def start(self) -> Iterator[tuple[str, Moment]]:
        """The links of all tables open and their devices introduce themselves."""
        for table, player in self._players.items():
            for moment in player.start():
                yield table, moment
        yield from self._catch_up(0)

    def reserve(self, scenario: Scenario) -> None:
        """No card that the file names anywhere is dealt for an unnamed one, at any table."""
        for player in self._players.values():
            player.stage.reserve(scenario.actions)

    def act(self, act: Act) -> Iterator[tuple[str, Moment]]:
        """Act one step out at its table while the others stand by. Raises as `Player.play` does."""
        for moment in self._players[act.table].act(act.step, act.number, act.is_deal_next):
            yield act.table, moment
        yield from self._catch_up(act.number)

    def _catch_up(self, number: int) -> Iterator[tuple[str, Moment]]:
        now_ms = max(player.now_ms for player in self._players.values())
        for table, player in self._players.items():
            for moment in player.idle(now_ms, number):
                yield table, moment
