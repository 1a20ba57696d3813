"""A scenario at several linked tables: each its own core and devices, in one virtual time, and the jackpot
that they share.

Each table has a wall clock of its own, and the scenario file sets it: after a `time`, the last card read in
the step that follows bears that time, every other reading of the table the time by which it lay before or
behind it on the monotonic clock. So wall time stays a label. It decides nothing at a table and need not run
on between two tables, whose steps stand one after the other in the file even where the cards came at once.
Before its first `time` a table knows no wall time. All times of a file are of one day.
"""

from collections.abc import Sequence

from shoe_bridge.cli.scenario_table import Finding, PlayedTable, money_of, told
from shoe_bridge.rules.book import Book
from shoe_bridge.rules.linked import TOPIC, conclude
from shoe_bridge.rules.linked_round import Round, WallTime, follow, look
from shoe_bridge.sim.linked_tables import Act, LinkedPlayer, acts_of, scenario_at
from shoe_bridge.sim.player import Moment
from shoe_bridge.sim.scenario import Scenario
from shoe_bridge.table.findings import AnyFinding
from shoe_bridge.table.observations import CardArrived, Event, time_of

_NS_PER_MS = 1_000_000


class LinkedTables:
    """The tables of a scenario. `findings` are those of all tables and of the jackpot, in order. Raises
    UsageError for a step at a table that the file does not name."""

    def __init__(self, scenario: Scenario, reader: str | None, book: Book, findings: list[Finding]) -> None:
        self._scenario = scenario
        self._acts = acts_of(scenario)
        self._book = book
        self._money = money_of(scenario)
        self._tables = {
            name: PlayedTable(scenario_at(scenario, name), reader, book, findings, name)
            for name in scenario.tables
        }
        self._clocks = {name: WallClock() for name in scenario.tables}
        self._player = LinkedPlayer({name: table.player for name, table in self._tables.items()})
        self._findings = findings
        self._round = Round(tuple(scenario.tables))
        self._standing: dict[AnyFinding, Finding] = {}

    def play(self) -> None:
        """Act the whole scenario out."""
        for name, moment in self._player.start():
            self._take(name, moment)
        self._player.reserve(self._scenario)
        for act in self._acts:
            self._act(act)
            self._conclude(act.number)

    def _act(self, act: Act) -> None:
        events: list[Event] = []
        at_mono_ns = 0
        for name, moment in self._player.act(act):
            came = self._take(name, moment)
            if name == act.table:
                events += came
                at_mono_ns = moment.at_mono_ns
        if act.at_wall_ms is not None:
            self._clocks[act.table].set(act.at_wall_ms * _NS_PER_MS, events, at_mono_ns)

    def _take(self, name: str, moment: Moment) -> list[Event]:
        events = self._tables[name].take(moment)
        self._clocks[name].take(events)
        return events

    def _conclude(self, index: int) -> None:
        for name, table in self._tables.items():
            card_of = table.core.setup.register.card_of
            hand = look(table.core.state.hand, card_of, self._clocks[name].wall_time_of)
            self._round = follow(self._round, name, hand)
        rounding = self._book.content.settings.cent_fractions
        found = conclude(self._round, self._money, self._book.is_text_held(TOPIC), rounding)
        wanted = [conclusion.finding for conclusion in found]
        for finding in [old for old in self._standing if old not in wanted]:
            self._standing.pop(finding)["withdrawn_after"] = index
        for finding in wanted:
            if finding not in self._standing:
                self._standing[finding] = told(finding, index, "certain")
                self._findings.append(self._standing[finding])


class WallClock:
    """The wall clock of one table, as far as the file has set it: `(from, ahead)` in ns, by how much it is
    ahead of the monotonic clock from that monotonic time on."""

    def __init__(self) -> None:
        self._read_at_mono_ns: dict[int, int] = {}  # by event
        self._set: list[tuple[int, int]] = []

    def take(self, events: Sequence[Event]) -> None:
        self._read_at_mono_ns.update(_readings(events))

    def set(self, at_wall_ns: int, events: Sequence[Event], at_mono_ns: int) -> None:
        """The last card read by these events was read at that time; where none was, it is `at_mono_ns`."""
        times = _readings(events).values()
        first, last = min(times, default=at_mono_ns), max(times, default=at_mono_ns)
        self._set.append((first, at_wall_ns - last))

    def wall_time_of(self, seq: int) -> WallTime | None:
        read_at = self._read_at_mono_ns.get(seq)
        if read_at is None:
            return None
        ahead = [ahead for since, ahead in self._set if since <= read_at]
        return WallTime(read_at + ahead[-1]) if ahead else None


def _readings(events: Sequence[Event]) -> dict[int, int]:
    """When each card arrived, by event, in monotonic ns."""
    seen = [event for event in events if isinstance(event.observation, CardArrived)]
    return {event.seq: time_of(event.observation) for event in seen}
