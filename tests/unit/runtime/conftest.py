"""Parts of a bridge without a loop or a port: a table played in virtual time, a clock that stands."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from shoe_bridge.adapters.clock import SystemClock
from shoe_bridge.journal import Journal
from shoe_bridge.rules.book import open_book
from shoe_bridge.runtime.assembly import links_of, setup_of
from shoe_bridge.runtime.config import TableConfig, parse
from shoe_bridge.runtime.core import Core, Step
from shoe_bridge.runtime.decks import save_register
from shoe_bridge.runtime.ports import Input, Tick
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.player import Player
from shoe_bridge.sim.sim_table import SimTable, equipment
from shoe_bridge.sim.stage import Stage
from shoe_bridge.sim.steps import parse_step
from shoe_bridge.sim.tags import STANDARD_52, decks_of, tag_uid
from shoe_bridge.sim.toml_text import as_toml
from shoe_bridge.sim.world import World
from shoe_bridge.table.deck import Deck, Register

NOON_NS = 1_782_907_200 * 10**9  # 2026-07-01 12:00 UTC
DECK = Register((Deck("blue", {tag_uid("blue", card): card for card in STANDARD_52}),))


class StoppedClock(SystemClock):
    """Clocks that move only when told."""

    def __init__(self) -> None:
        self.boot_id = "boot-a"
        self.now_ns = 10**9

    def mono_ns(self) -> int:
        return self.now_ns

    def wall_ns(self) -> int:
        return NOON_NS + self.now_ns

    def is_wall_trusted(self) -> bool:
        return True


class PlayedTable:
    """A core, and the simulated table that feeds it; `taken` is every input with the step it led to."""

    def __init__(self, config: TableConfig, document: dict[str, Any]) -> None:
        self.core = Core(setup_of(config), links_of(config.devices), open_book(config.table.profile))
        sim = SimTable(document, Air(World(), "clean", Random(1)))
        self.devices = sim.devices
        self._player = Player(Stage(sim, decks_of(["blue"]), Random(2)), self._sends)
        self.taken: list[tuple[Input, Step]] = []
        self._follow(self._player.start())

    @property
    def inputs(self) -> list[Input]:
        return [given for given, _ in self.taken]

    @property
    def steps(self) -> list[Step]:
        """What each input led to, those left out that led to nothing."""
        return [step for _, step in self.taken if step.events]

    def play(self, *steps: str) -> list[Step]:
        """Act the steps out; what they led to."""
        before = len(self.taken)
        if steps:
            self._follow(self._player.play([parse_step(step) for step in steps]))
        return [step for _, step in self.taken[before:] if step.events]

    def _sends(self, device: str) -> list[bytes]:
        return self.core.links[device].sends()

    def _follow(self, moments: Any) -> None:
        for moment in moments:
            for given in moment.inputs:
                self._take(given)
            for name, link in self.core.links.items():
                deadline = link.next_deadline_ns()
                if deadline is not None and deadline <= moment.at_mono_ns:
                    self._take(Tick(name, moment.at_mono_ns))

    def _take(self, given: Input) -> None:
        self.taken.append((given, self.core.take(given)))


@pytest.fixture
def document(tmp_path: Path) -> dict[str, Any]:
    """The configuration of a table of seats 1, 2, 3, 5 with the button at 3, as its file would hold it."""
    save_register(tmp_path / "decks.toml", DECK)
    table = {
        "id": "t-1",
        "game": "holdem",
        "profile": "nz-1999",
        "seats": 10,
        "decks": "decks.toml",
        "reads": "certain",
    }
    table |= {"occupied": [1, 2, 3, 5], "button": 3}
    return {"table": table, **equipment("tablelink", cycle_ms=60)}


@pytest.fixture
def configured(tmp_path: Path) -> Callable[[dict[str, Any]], TableConfig]:
    return lambda document: parse(as_toml(document), tmp_path / "table.toml")


@pytest.fixture
def config(document: dict[str, Any], configured: Callable[[dict[str, Any]], TableConfig]) -> TableConfig:
    return configured(document)


@pytest.fixture
def played(config: TableConfig, document: dict[str, Any]) -> Callable[..., PlayedTable]:
    """Plays steps at that table, from the first hello on."""

    def play(*steps: str) -> PlayedTable:
        table = PlayedTable(config, document)
        table.play(*steps)
        return table

    return play


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def open_journal(tmp_path: Path, clock: StoppedClock) -> Iterator[Callable[..., Journal]]:
    """Opens the journal of `tmp_path / "state"`; what a test leaves open is closed after it."""
    opened: list[Journal] = []

    def opener() -> Journal:
        opened.append(
            Journal.open(
                tmp_path / "state",
                table="t-1",
                boot_id=clock.boot_id,
                now_wall_ns=clock.wall_ns,
                group_ms=1,
                raw_ms=1,
            )
        )
        return opened[-1]

    yield opener
    for journal in opened:
        journal.close()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def told() -> list[dict[str, Any]]:
    """What was reported, in order: give its `append` to whoever reports."""
    return []
