"""A whole table on real ptys: simulated devices in a thread, the bridge on the test's own event loop."""

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from shoe_bridge.journal import JournalReader
from shoe_bridge.runtime.bridge import Bridge
from shoe_bridge.runtime.config import TableConfig, parse
from shoe_bridge.runtime.decks import save_register
from shoe_bridge.runtime.replay import Verdict, verify
from shoe_bridge.sim.device import SimDevice
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.pty_host import PtyHost
from shoe_bridge.sim.sim_table import SimTable, equipment
from shoe_bridge.sim.stage import Stage
from shoe_bridge.sim.steps import parse_step
from shoe_bridge.sim.tags import STANDARD_52, decks_of, tag_uid
from shoe_bridge.sim.toml_text import as_toml
from shoe_bridge.sim.world import World
from shoe_bridge.table.deck import Deck, Register

WAIT_S = 20.0  # far more than anything takes, so that a busy machine fails nothing
DECK = Register((Deck("blue", {tag_uid("blue", card): card for card in STANDARD_52}),))

Report = dict[str, Any]


class Live:
    """A bridge that runs, and all that it has reported."""

    def __init__(self) -> None:
        self.reports: list[Report] = []
        self.bridge: Bridge
        self.stop = asyncio.Event()
        self.task: asyncio.Task[None]
        self._news = asyncio.Event()

    def take(self, report: Report) -> None:
        self.reports.append(report)
        self._news.set()

    def seen(self, **wanted: object) -> list[Report]:
        """The reports so far that have these keys with these values."""
        return [report for report in self.reports if wanted.items() <= report.items()]

    async def until(self, is_so: Callable[[], object], what: str = "what was waited for") -> None:
        """Wait until `is_so` holds; also things that no report tells of."""
        try:
            async with asyncio.timeout(WAIT_S):
                while not is_so():
                    self._news.clear()
                    await asyncio.wait({asyncio.ensure_future(self._news.wait()), self.task}, timeout=0.02)
                    if self.task.done():
                        self.task.result()
                        raise AssertionError(f"the bridge ended before {what}")
        except TimeoutError:
            raise AssertionError(f"{what} did not happen; the last reports: {self.reports[-12:]}") from None

    async def until_seen(self, **wanted: object) -> Report:
        await self.until(lambda: self.seen(**wanted), f"a report with {wanted}")
        return self.seen(**wanted)[-1]

    async def until_armed(self) -> None:
        await self.until(lambda: self.armed, "armed")

    @property
    def armed(self) -> bool:
        told = self.seen(type="armed")
        return bool(told) and bool(told[-1]["armed"])

    @property
    def light(self) -> str | None:
        told = self.seen(type="light")
        return told[-1]["state"] if told else None

    async def end(self) -> None:
        self.stop.set()
        async with asyncio.timeout(WAIT_S):
            await self.task


class Rig:
    """One table in `folder`: `ports/` holds its devices' names, `state/` its journal and feed.

    `change` may alter the configuration before it is written; the devices are made before that, so that they
    can differ from what the bridge is told.
    """

    def __init__(
        self,
        folder: Path,
        change: Callable[[dict[str, Any]], None] = lambda config: None,
        *,
        seats: tuple[int, ...] = (1, 2, 3, 5),
        button: int = 3,
        has_relay: bool = True,
    ) -> None:
        self.folder, self.ports, self.state = folder, folder / "ports", folder / "state"
        save_register(folder / "decks.toml", DECK)
        table = {
            "id": "t-1",
            "game": "holdem",
            "profile": "nz-1999",
            "seats": 10,
            "decks": "decks.toml",
            "reads": "certain",
        }
        config: dict[str, Any] = {
            "table": {**table, "occupied": list(seats), "button": button},
            **equipment("tablelink", port_folder=str(self.ports), cycle_ms=60),
        }
        if has_relay:
            relay = {"name": "relay", "kind": "lcus_relay", "port": str(self.ports / "relay")}
            config["light"].append(relay)
        self.sim = SimTable(config, Air(World(), "clean", Random(1)))
        change(config)
        self.file = folder / "table.toml"
        self.file.write_text(as_toml(config))
        self.config: TableConfig = parse(as_toml(config), self.file)
        self.stage = Stage(self.sim, decks_of(["blue"]), Random(2), sensors="antennas")
        self.host = PtyHost(self.sim.devices.values(), self.ports)

    @property
    def devices(self) -> Mapping[str, SimDevice]:
        return self.sim.devices

    @property
    def feed_file(self) -> Path:
        return self.state / "feed.jsonl"

    async def play(self, *steps: str) -> None:
        """Act steps out at the real table."""
        async with asyncio.timeout(2 * WAIT_S):
            await asyncio.to_thread(self.host.play, self.stage, [parse_step(step) for step in steps])

    async def deal(self, *places: str, first: int = 1) -> None:
        """Deal the next cards, numbered from `first`."""
        await self.play(*(f"deal {number} -> {place}" for number, place in enumerate(places, start=first)))

    @asynccontextmanager
    async def running(self, *, is_patient: bool = False, **parts: Any) -> AsyncIterator[Live]:
        """A bridge at this table for as long as the block lasts; raises what ended it before."""
        live = Live()
        live.bridge = Bridge(self.config, self.state, report=live.take, **parts)
        live.task = asyncio.ensure_future(live.bridge.run(live.stop, is_patient=is_patient))
        try:
            yield live
        finally:
            live.stop.set()
            async with asyncio.timeout(WAIT_S):
                await live.task

    def feed_events(self) -> list[dict[str, Any]]:
        """The feed as its reader has it: repeats dropped by id."""
        by_id: dict[str, dict[str, Any]] = {}
        for line in self.feed_lines():
            event = json.loads(line)
            by_id.setdefault(event["id"], event)
        return list(by_id.values())

    def feed_lines(self) -> list[str]:
        """The whole lines of the feed's file; a torn last one is left out."""
        text = self.feed_file.read_text() if self.feed_file.exists() else ""
        return text.split("\n")[:-1]

    def verified(self) -> Verdict:
        with JournalReader(self.state) as reader:
            return verify(reader)

    def records(self, kind: str) -> list[dict[str, Any]]:
        """The bodies of the journal's records of one kind."""
        with JournalReader(self.state) as reader:
            return [json.loads(record.body) for record in reader.records() if record.kind == kind]

    def command(self, *more: str) -> list[str]:
        """How to run this table as a process of its own."""
        run = [sys.executable, "-m", "shoe_bridge", "run", "--config", str(self.file)]
        return [*run, "--state", str(self.state), *more]


class BridgeProcess:
    """`shoe-bridge run --json` as a process of its own, and the reports that it has printed."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.reports: list[Report] = []
        self._child = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        self._text = b""

    @property
    def pid(self) -> int:
        return self._child.pid

    def until_seen(self, **wanted: object) -> Report:
        """Read reports until one has these keys with these values."""
        while not (self.reports and wanted.items() <= self.reports[-1].items()):
            self._next(wanted)
        return self.reports[-1]

    def _next(self, wanted: dict[str, object]) -> None:
        assert self._child.stdout is not None
        while b"\n" not in self._text:
            is_ready, _, _ = select.select([self._child.stdout], [], [], WAIT_S)
            assert is_ready, f"no report with {wanted}; the last ones: {self.reports[-8:]}"
            read = os.read(self._child.stdout.fileno(), 65_536)
            assert read, f"it ended before a report with {wanted}: {self._said()}"
            self._text += read
        line, self._text = self._text.split(b"\n", 1)
        self.reports.append(json.loads(line))

    def kill(self) -> None:
        """SIGKILL: no chance to say good-bye."""
        self._child.kill()
        self._child.wait(WAIT_S)

    def terminate(self, with_signal: int = signal.SIGTERM) -> int:
        """Ask it to end; its exit code."""
        self._child.send_signal(with_signal)
        return self._child.wait(WAIT_S)

    def close(self) -> None:
        if self._child.poll() is None:
            self.kill()
        for stream in (self._child.stdout, self._child.stderr):
            if stream is not None:
                stream.close()

    def _said(self) -> str:
        assert self._child.stderr is not None
        return self._child.stderr.read().decode(errors="replace")


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Callable[..., Rig]]:
    """Makes one table of this test, its devices plugged in and ready."""
    made: list[Rig] = []

    def make(*args: Any, **options: Any) -> Rig:
        table = Rig(tmp_path, *args, **options)
        table.host.start()
        made.append(table)
        return table

    yield make
    for table in made:
        table.host.close()


@pytest.fixture
def environment() -> dict[str, str]:
    """For a process of the bridge: it finds the packages where this one does."""
    paths = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Callable[..., BridgeProcess]]:
    """Starts a bridge as a process; whatever still runs at the end of the test is killed."""
    started: list[BridgeProcess] = []

    def launch(table: Rig, *more: str) -> BridgeProcess:
        started.append(BridgeProcess(table.command("--json", *more), environment))
        return started[-1]

    yield launch
    for process in started:
        process.close()
