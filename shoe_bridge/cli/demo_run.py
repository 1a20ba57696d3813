"""One demo: the simulated devices on ptys, the bridge on the event loop, the dealer in a thread beside it."""

import asyncio
import concurrent.futures
import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shoe_bridge.cli.demo_show import Show, Tally
from shoe_bridge.cli.demo_table import DemoPlan, demo_hands, demo_stage, write_table
from shoe_bridge.cli.view import View
from shoe_bridge.errors import ShoeBridgeError
from shoe_bridge.journal import JournalReader
from shoe_bridge.runtime.bridge import Bridge
from shoe_bridge.runtime.replay import Verdict, verify
from shoe_bridge.sim.light_devices import LcusRelay, TowerLight
from shoe_bridge.sim.pty_host import PtyHost
from shoe_bridge.sim.steps import Move, Press, Step, parse_step
from shoe_bridge.sim.tablelink_device import TablelinkDevice

_ARMED_S = 15.0
_LOOK_S = 0.05
_QUIET_S = 0.6  # the table has settled when nothing was reported for so long
_SETTLED_S = 6.0
_CATCH_UP_S = 5.0

Report = dict[str, Any]


class DemoRun:
    """Plays `plan` with its files in `folder` and the bridge's state in `state_folder`."""

    def __init__(self, plan: DemoPlan, folder: Path, state_folder: Path, has_console: bool) -> None:
        self._plan = plan
        self._state_folder = state_folder
        ports = folder / "ports"
        self.config = write_table(plan, folder, ports, has_console)
        self._stage = demo_stage(plan, ports)
        self._devices = self._stage.table.devices
        self._host = PtyHost(self._devices.values(), ports)
        self._tally = Tally()
        self._seen_lamps = dict.fromkeys(self._devices, 0)
        self._verdict: Verdict | None = None
        self._is_stopped = False

    def start_line(self) -> Report:
        plan = self._plan
        return {
            "type": "start",
            "table": self.config.table.id,
            "game": plan.game,
            "seats": list(plan.players),
            "seed": plan.seed,
            "error": plan.error,
            "state": str(self._state_folder),
        }

    def done_line(self) -> Report:
        counts, verdict = self._tally.counts, self._verdict
        return {
            "type": "done",
            "seed": self._plan.seed,
            **{name: counts[name] for name in ("hands", "events", "findings", "alerts", "light_changes")},
            "feed_events": counts["feed_events"],
            "raised": dict(sorted(self._tally.alarms.items())),
            "verified": None if verdict is None else not verdict.problems,
            "problems": [] if verdict is None else list(verdict.problems),
        }

    def look(self, view: View) -> None:
        """Bring a view up to date with what the bridge knows; nothing before it has begun."""
        if hasattr(self._bridge, "core"):
            view.look(self._bridge.core.state, self._bridge.core.setup.game)

    def play(self, show: Show) -> None:
        """Play to the end, or until SIGINT or SIGTERM. Then the journal is verified, if it was played out."""
        self._show = show
        self._bridge = Bridge(self.config, self._state_folder, report=self._report)
        asyncio.run(self._play())
        if not self._is_stopped:
            with JournalReader(self._state_folder) as reader:
                self._verdict = verify(reader)

    # -- on the loop ----------------------------------------------------------------------------------

    def _report(self, report: Report) -> None:
        self._tally.take(report)
        if report["type"] == "armed" and report["armed"]:
            self._armed.set()
        self._show(report)

    async def _play(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._armed = asyncio.Event()
        stop, end_bridge = asyncio.Event(), asyncio.Event()
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self._loop.add_signal_handler(name, stop.set)
        self._host.start()
        bridge = asyncio.ensure_future(self._bridge.run(end_bridge))
        performance = asyncio.ensure_future(self._perform())
        others = [asyncio.ensure_future(self._watch()), asyncio.ensure_future(stop.wait())]
        try:
            await asyncio.wait({bridge, performance, others[1]}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._is_stopped = not performance.done()
            self._show.end()
            end_bridge.set()
            await asyncio.wait({bridge})
            for task in (performance, *others):
                task.cancel()
            await asyncio.to_thread(self._host.close)  # which also ends the dealer's thread
            await asyncio.wait({performance, *others})
        bridge.result()
        if not performance.cancelled():
            performance.result()

    async def _perform(self) -> None:
        """The whole evening of the simulated dealer."""
        try:
            await asyncio.wait_for(self._armed.wait(), _ARMED_S)
        except TimeoutError:
            raise ShoeBridgeError(
                "The simulated devices were not verified in time: try again on a machine that is less busy."
            ) from None
        await asyncio.to_thread(self._deal)
        await self._settle()

    async def _settle(self) -> None:
        """Until the lamps are lit, the feed is out and nothing was reported for a while."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_SETTLED_S):
                await self._bridge.lights.settle(_SETTLED_S)
                before = -1
                while before != self._tally.last_change:
                    before = self._tally.last_change
                    await asyncio.sleep(_QUIET_S)

    async def _watch(self) -> None:
        while True:
            for report in self._lamp_changes():
                self._report(report)
            self._show.draw()
            await asyncio.sleep(_LOOK_S)

    def _lamp_changes(self) -> Iterator[Report]:
        """What the simulated lamps show anew. Their histories only grow, so they are read without a lock."""
        lamp_names = {light.device or light.name: light.name for light in self.config.lights}
        for name, device in self._devices.items():
            patterns = _patterns(device)
            fresh = patterns[self._seen_lamps[name] :]
            self._seen_lamps[name] = len(patterns)
            for pattern in fresh:
                yield {"type": "lamp_seen", "light": lamp_names[name], "pattern": pattern}

    # -- in the dealer's thread -----------------------------------------------------------------------

    def _deal(self) -> None:
        for hand in demo_hands(self._plan):
            script = hand.error or "clean"
            self._loop.call_soon_threadsafe(
                self._report, {"type": "hand", "number": hand.number, "script": script}
            )
            steps = [parse_step(step) for step in hand.steps]
            self._was_read: set[str] = set()
            if not self._host.play(self._stage, steps, self._before_step):
                return  # told to stop

    def _before_step(self, index: int, step: Step) -> None:
        """The dealer goes on when the bridge has read all that the devices said: two of them have no common
        clock, so on a machine that stands still for a moment a key could overtake a card."""
        del index
        caught_up = asyncio.run_coroutine_threadsafe(_read_all(), self._loop)
        with contextlib.suppress(concurrent.futures.TimeoutError):
            caught_up.result(_CATCH_UP_S)
        what = _what_is_read_before(step)
        if what is not None and what not in self._was_read:
            self._was_read.add(what)
            self._host.wait(self._plan.linger_ms)


def _what_is_read_before(step: Step) -> str | None:
    """Which alert people read before this step, by what they do about it: staff put cards right, the dealer
    says that they cannot, a supervisor rules."""
    if isinstance(step, Move):
        return "move"
    if isinstance(step, Press) and (step.key == "cannot correct" or step.key.startswith("supervisor")):
        return step.key
    return None


async def _read_all() -> None:
    for _ in range(3):  # each turn of the loop takes what every readable port holds
        await asyncio.sleep(0)


def _patterns(device: object) -> list[str]:
    """All that a light has shown, in words."""
    match device:
        case TablelinkDevice():
            return [pattern for lamp in device.lamps.values() for _, pattern in lamp.history]
        case LcusRelay():
            return [_relays(shown) for _, shown in device.history]
        case TowerLight():
            return [f"{lamp} {mode}" for _, lamp, mode in device.history]
        case _:
            return []


def _relays(shown: tuple[bool, ...]) -> str:
    closed = [str(number) for number, is_on in enumerate(shown, start=1) if is_on]
    return f"relay {'+'.join(closed)} on" if closed else "all relays off"
