"""A bridge without ports and without a clock: simulated devices in virtual time against core and journal.

What it concludes and writes down is the bridge's own work (core, recorder, journal); only the loop is not
there. So a seeded hand comes out the same to the byte on any machine, as a picture and a golden journal need.
"""

import tempfile
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from shoe_bridge.adapters.clock import SystemClock
from shoe_bridge.cli.demo_table import DemoPlan, demo_hands, demo_stage, write_table
from shoe_bridge.cli.view import View
from shoe_bridge.journal import Journal
from shoe_bridge.rules.book import open_book
from shoe_bridge.runtime import opening
from shoe_bridge.runtime.config import TableConfig
from shoe_bridge.runtime.core import NOTHING, Core, Step
from shoe_bridge.runtime.feeder import Feeder, sink_of
from shoe_bridge.runtime.inputs import to_row
from shoe_bridge.runtime.ports import Input, Tick
from shoe_bridge.runtime.recorder import Recorder
from shoe_bridge.sim.player import START_MONO_NS, Moment, Player
from shoe_bridge.sim.stage import Stage
from shoe_bridge.sim.steps import parse_step

_PORT_FOLDER = Path("/dev/shoe-bridge")
_COMMIT_S = 10.0

Report = dict[str, Any]


class Rehearsal:
    """One table played into the journal at `state_folder`. Used as a context, which closes the journal."""

    def __init__(self, config: TableConfig, stage: Stage, state_folder: Path, boot_id: str) -> None:
        clock = SystemClock()
        clock.boot_id = boot_id
        self.config = config
        self.journal = Journal.open(
            state_folder, table=config.table.id, boot_id=boot_id, now_wall_ns=clock.wall_ns
        )
        opened = opening.open_table(config, self.journal)
        book = open_book(config.table.profile)
        self.core = Core(opened.setup, opened.links, book, opened.state)
        self._sink = sink_of(config, state_folder, self.journal)
        feeder = Feeder(self._sink, self.journal, mono_ns=lambda: START_MONO_NS, report=lambda _: None)
        self._recorder = Recorder(config.table.id, book, self.journal, clock, feeder)
        self._recorder.opened(opened, START_MONO_NS)
        self._recorder.table_opened(opened, START_MONO_NS, self.core.state.hand.number)
        self._player = Player(stage, self._sends)
        self._light = self.core.light

    def __enter__(self) -> "Rehearsal":
        return self

    def __exit__(self, *_: object) -> None:
        self._sink.close()
        self.journal.close()

    def start(self) -> Iterator[Report]:
        """The devices introduce themselves; gives the bridge's reports."""
        yield from self._follow(self._player.start())

    def play(self, steps: Iterable[str]) -> Iterator[Report]:
        """Act out step lines of the scenario format; gives the bridge's reports."""
        yield from self._follow(self._player.play([parse_step(step) for step in steps]))

    def fed(self) -> list[Report]:
        """What would have left for the feed so far, as the bridge reports it."""
        self.journal.sync(_COMMIT_S)
        owed = self.journal.read_outbox(0, 10_000)
        return [{"type": "feed", "event": msgspec.json.decode(each.body)} for each in owed]

    def _sends(self, device: str) -> list[bytes]:
        link = self.core.links.get(device)
        return link.sends() if link is not None else []

    def _follow(self, moments: Iterable[Moment]) -> Iterator[Report]:
        for moment in moments:
            for given in moment.inputs:
                if given.device in self.core.links:
                    yield from self._take(given)
            for name, link in self.core.links.items():
                deadline_ns = link.next_deadline_ns()
                if deadline_ns is not None and deadline_ns <= moment.at_mono_ns:
                    yield from self._take(Tick(name, moment.at_mono_ns))

    def _take(self, given: Input) -> Iterator[Report]:
        self.journal.append_input(*to_row(given))
        step = self.core.take(given)
        self.core.links[given.device].light_reports()
        if step is not NOTHING:
            yield from self._settle(step, given.at_mono_ns)

    def _settle(self, step: Step, at_mono_ns: int) -> Iterator[Report]:
        light = self.core.light
        self._recorder.record(step, at_mono_ns, light, self.core.state)
        yield from self._recorder.lines(step)
        if light is not self._light:
            self._light = light
            yield {"type": "light", "state": light.value}


def rehearse(plan: DemoPlan, folder: Path, boot_id: str) -> Generator[tuple[Rehearsal, Report], None, None]:
    """Play the plan into the journal `folder/state`; gives each report with the rehearsal as it is then."""
    config = write_table(plan, folder, _PORT_FOLDER)
    stage = demo_stage(plan, _PORT_FOLDER)
    with Rehearsal(config, stage, folder / "state", boot_id) as rehearsal:
        for report in rehearsal.start():
            yield rehearsal, report
        for hand in demo_hands(plan):
            yield rehearsal, {"type": "hand", "number": hand.number, "script": hand.error or "clean"}
            for report in rehearsal.play(hand.steps):
                yield rehearsal, report


def pictured_view(seed: int) -> View:
    """The table of a seeded hand at the moment when it is known what can be done about a misplaced card."""
    plan = DemoPlan(seed, hands=1, error="order_error")
    with tempfile.TemporaryDirectory(prefix="shoe-bridge-") as name:
        played = rehearse(plan, Path(name), "picture")
        view = View("", "", 0)
        for rehearsal, report in played:
            if not view.table:
                view = view_of(rehearsal.config)
            view.take(report)
            if report["type"] == "finding" and report["kind"] == "repairable":
                break
        for report in rehearsal.fed():
            view.take(report)
        view.look(rehearsal.core.state, rehearsal.core.setup.game)
        played.close()
    return view


def view_of(config: TableConfig) -> View:
    """An empty picture of a configured table."""
    devices = tuple(device.name for device in config.devices)
    return View(config.table.id, config.table.game, config.table.seats, devices)
