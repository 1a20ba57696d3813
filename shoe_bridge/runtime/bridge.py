"""The bridge of one table, live: the one event loop that everything meets in.

    port ─► take(input) ─► journal (raw) ─► core ─► journal (audit, outbox) ─► lights, reports
                                             └─► bytes back to the device
    journal, once durable ─► feed

Each device has a keeper of its byte path, each light a task of its own; a sick one delays nobody. Whatever
goes wrong in the link of one device ends that life of that link and nothing else.
"""

import asyncio
import contextlib
import random
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from shoe_bridge.adapters.clock import SystemClock
from shoe_bridge.adapters.systemd import Notifier
from shoe_bridge.errors import PortError
from shoe_bridge.journal import Journal, Position
from shoe_bridge.link.backoff import Backoff
from shoe_bridge.rules.book import open_book
from shoe_bridge.rules.explain import Explainer
from shoe_bridge.runtime import opening
from shoe_bridge.runtime.config import DeviceConfig, TableConfig
from shoe_bridge.runtime.core import NOTHING, TABLE, Core, Step
from shoe_bridge.runtime.device_ports import device_port
from shoe_bridge.runtime.feeder import Feeder, sink_of
from shoe_bridge.runtime.inputs import to_row
from shoe_bridge.runtime.light_bank import LightBank
from shoe_bridge.runtime.port_keeper import PortKeeper
from shoe_bridge.runtime.ports import Chunk, Input, Tick
from shoe_bridge.runtime.recorder import Recorder
from shoe_bridge.table.light_state import LightState
from shoe_bridge.table.observations import CardDrawn, CardUnread, DealerEntered, KeyPressed

Report = Callable[[dict[str, Any]], None]

_STALL_NS = 2_000_000_000
_PULSE_S = 0.5
_SNAPSHOT_NS = 1_000_000_000
_ONCE_ONLY = (KeyPressed, DealerEntered, CardDrawn, CardUnread)


class Bridge:
    """One table. `report` gets one dict per change that people may want to see; `type` says of what kind:
    device, event, finding, alert, light, feed, armed, waiting, trouble, stall. `exchanged`: devices whose
    boxes are other ones than in the last run. `console`: where console lights write (None: the standard
    output)."""

    def __init__(
        self,
        config: TableConfig,
        state_folder: Path,
        *,
        report: Report,
        clock: SystemClock | None = None,
        make_port: Callable[[DeviceConfig], Any] | None = None,
        exchanged: tuple[str, ...] = (),
        console: BinaryIO | None = None,
    ) -> None:
        self.config = config
        self._console = console
        self._exchanged = exchanged
        self.clock = clock or SystemClock()
        self.report = report
        self._folder = state_folder
        self._make_port = make_port or self._device_port
        self._random = random.Random()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._trouble: str | None = None
        self._is_armed = False
        self._is_stopping = False
        self.is_running = False
        self._has_let_go = False
        self._told_light: LightState | None = None
        self._snapshot_at_ns = 0
        self._refusals: dict[str, str | None] = {}
        self._waits: dict[str, str | None] = {}
        self._feeder: Feeder | None = None

    async def run(self, stop: asyncio.Event, *, is_patient: bool = False) -> None:
        """Run until `stop` is set. Unless `is_patient`, a port that cannot be opened at the start raises its
        PortError; JournalError and DeckError come before anything was touched."""
        loop = asyncio.get_running_loop()
        self._loop = loop
        journal = Journal.open(
            self._folder,
            table=self.config.table.id,
            boot_id=self.clock.boot_id,
            now_wall_ns=self.clock.wall_ns,
            on_durable=lambda position: _call_soon(loop, self._on_durable, position),
            on_trouble=lambda sentence: _call_soon(loop, self._journal_trouble, sentence),
            raw_cap_mib=self.config.journal.raw_cap_mib,
        )
        try:
            await self._run_with(journal, stop, is_patient)
        finally:
            await asyncio.to_thread(journal.close)

    async def _run_with(self, journal: Journal, stop: asyncio.Event, is_patient: bool) -> None:
        self._journal = journal
        opened = opening.open_table(self.config, journal, self._exchanged)
        book = open_book(self.config.table.profile)
        self.core = Core(opened.setup, opened.links, book, opened.state)
        self.core.restore(opened.stored)
        sink = sink_of(self.config, self._folder, journal, self._tell_trouble)
        feeder = self._feeder = Feeder(sink, journal, mono_ns=self.clock.mono_ns, report=self.report)
        explainer = Explainer(book, opened.setup.game)
        self._recorder = Recorder(self.config.table.id, book, journal, self.clock, feeder, explainer)
        started_ns = self.clock.mono_ns()
        self._recorder.opened(opened, started_ns)
        self.lights = LightBank(self.config, self._set_lamp, self.report, console=self._console)
        self._keepers = {device.name: self._keeper(device) for device in self.config.devices}
        if opened.is_resumed:
            self._settle(self.core.resume(started_ns))
        tasks: list[asyncio.Task[None]] = []
        try:
            if not is_patient:
                try:
                    await self._open_all()
                except PortError as error:
                    self._recorder.refused(str(error), self.clock.mono_ns())
                    raise
            tasks = self._start_tasks()
            self.lights.desire(self._light())
            self._report_light()
            self._recorder.table_opened(opened, self.clock.mono_ns(), self.core.state.hand.number)
            self.is_running = True
            Notifier().ready(f"table {self.config.table.id}")
            await stop.wait()
        finally:
            await self._stop(tasks)

    def take(self, given: Input) -> None:
        """Take one input: journal it, let the core have it, carry out what follows. Once the bridge lets go
        of its ports, their ends are its own doing and say nothing about the table."""
        if self._has_let_go:
            return
        if type(given) is Chunk:
            self._journal.append_input("chunk", given.device, given.at_mono_ns, given.data)
        else:
            self._journal.append_input(*to_row(given))
        try:
            step = self.core.take(given)
        except Exception:
            self._link_failed(given.device, given.at_mono_ns)
            return
        if given.device != TABLE:
            self._send(given.device)
        self._arm_timer(given.device, given.at_mono_ns)
        if step is not NOTHING:
            self._settle(step)
        elif type(given) is not Chunk:
            self._check_armed()

    # -- what follows from a step ---------------------------------------------------------------------

    def _settle(self, step: Step) -> None:
        at = self.clock.mono_ns()
        light = self._light()
        self.lights.desire(light)
        with self._journal.together:
            self._recorder.record(step, at, light, self.core.state)
            self._maybe_snapshot(step, at)
        self._report_step(step)
        self._check_armed()
        if step.alerts:
            self._arm_timer(TABLE, at)

    def _report_step(self, step: Step) -> None:
        for line in self._recorder.lines(step, self.core.state.hand):
            self.report(line)
        self._report_light()

    def _report_light(self) -> None:
        light = self._light()
        if light is not self._told_light:
            self._told_light = light
            self.report({"type": "light", "state": light.value})

    def _light(self) -> LightState:
        """What the fold wants shown; a bridge that cannot write its journal does not call all well."""
        light = self.core.light
        if self._is_stopping or (self._trouble is not None and light is LightState.ALL_WELL):
            return LightState.NOT_MONITORED
        return light

    def _check_armed(self) -> None:
        for name, link in self.core.links.items():
            refusal = link.refusal
            if refusal != self._refusals.get(name):
                self._refusals[name] = refusal
                if refusal is not None:
                    text = f"{refusal}{self._keepers[name].of_a_server()}"
                    self.report({"type": "trouble", "device": name, "text": text})
            if link.waits_for != self._waits.get(name):
                self._waits[name] = link.waits_for
                waits_for = link.waits_for and f"{link.waits_for}{self._keepers[name].of_a_server()}"
                self.report({"type": "waiting", "device": name, "text": waits_for})
        unproven = self.core.state.unproven
        for name in self.core.links:
            self.lights.device_is(name, name not in unproven)
        is_armed = not unproven
        if is_armed != self._is_armed:
            self._is_armed = is_armed
            self.report({"type": "armed", "armed": is_armed, "waiting_for": list(self.core.state.unproven)})

    def _maybe_snapshot(self, step: Step, at_mono_ns: int) -> None:
        """At each change of alerts, at each press and entry (a device that replays one to a bridge which
        forgot it would make it twice; a card is where it is), and else at most once a second."""
        is_once_only = any(isinstance(event.observation, _ONCE_ONLY) for event in step.events)
        if step.alerts or is_once_only or at_mono_ns - self._snapshot_at_ns >= _SNAPSHOT_NS:
            self._snapshot_at_ns = at_mono_ns
            self._journal.save_snapshot(opening.snapshot_body(self.core))

    # -- devices --------------------------------------------------------------------------------------

    def _keeper(self, device: DeviceConfig) -> PortKeeper:
        def tell(what: str, text: str) -> None:
            self.report({"type": "device", "device": device.name, "what": what, "text": text})

        return PortKeeper(
            device.name,
            device.port,
            lambda: self._make_port(device),
            Backoff(self._random.random),
            mono_ns=self.clock.mono_ns,
            take=self.take,
            tell=tell,
        )

    def _device_port(self, device: DeviceConfig) -> Any:
        return device_port(device, is_proven=lambda: self.core.links[device.name].has_proof)

    async def _open_all(self) -> None:
        """All at once; the first in the order of the configuration says why the start is refused."""
        results = await asyncio.gather(
            *(keeper.open_first() for keeper in self._keepers.values()), return_exceptions=True
        )
        failures = [result for result in results if isinstance(result, BaseException)]
        if failures:
            for keeper in self._keepers.values():
                keeper.close()
            raise failures[0]

    def _send(self, device: str) -> None:
        link = self.core.links[device]
        for data in link.sends():
            self._keepers[device].write(data)
        for report in link.light_reports():
            self.lights.take_report(device, report)

    def _set_lamp(self, device: str, lamp: Any) -> bool:
        """Put a lamp's command on its device's link; False while that link cannot take it."""
        link = self.core.links[device]
        if self._keepers[device].generation == 0:
            return False
        link.set_light(lamp.lamp, lamp.pattern, lamp.red, lamp.green, lamp.blue, lamp.hold_ms)
        taken = [self._keepers[device].write(data) for data in link.sends()]
        return all(taken)

    def _arm_timer(self, device: str, at_mono_ns: int) -> None:
        deadline = self._deadline_ns(device)
        timer = self._timers.get(device)
        if deadline is None:
            return
        when = self._loop.time() + max(0, deadline - at_mono_ns) / 1e9
        if timer is not None and not timer.cancelled():
            if timer.when() <= when:
                return
            timer.cancel()
        self._timers[device] = self._loop.call_at(when, self._on_timer, device)

    def _deadline_ns(self, device: str) -> int | None:
        source = self.core if device == TABLE else self.core.links[device]
        return source.next_deadline_ns()

    def _on_timer(self, device: str) -> None:
        del self._timers[device]
        now = self.clock.mono_ns()
        deadline = self._deadline_ns(device)
        if deadline is None:
            return
        if deadline <= now:
            self.take(Tick(device, now))
        else:
            self._arm_timer(device, now)

    def _link_failed(self, device: str, at_mono_ns: int) -> None:
        """A fault of ours in what one link said, or at a look at the table as a whole: on the record, and the
        link begins anew. No reader dies in silence."""
        body = msgspec.json.encode({"device": device, "traceback": traceback.format_exc()})
        self._journal.append_record("bridge.fault", at_mono_ns, body)
        if device == TABLE:
            self.report({"type": "trouble", "device": None, "text": "a look at the table failed"})
            return
        text = f"the link of {device} failed and starts anew"
        self.report({"type": "trouble", "device": device, "text": text})
        self._keepers[device].end_life("its link failed")

    # -- the rest of the house ------------------------------------------------------------------------

    def _start_tasks(self) -> list[asyncio.Task[None]]:
        jobs = [*(keeper.run() for keeper in self._keepers.values()), *self.lights.jobs()]
        if self._feeder is not None:
            jobs.append(self._feeder.run())
        return [asyncio.ensure_future(job) for job in [*jobs, self._pulse()]]

    async def _pulse(self) -> None:
        """Says to systemd that the loop lives, and notices when it did not: a host that slept or stalled."""
        notifier = Notifier()
        last = self.clock.mono_ns()
        while True:
            await asyncio.sleep(_PULSE_S)
            notifier.watchdog()
            now = self.clock.mono_ns()
            late_ns = now - last - int(_PULSE_S * 1e9)
            last = now
            if late_ns > _STALL_NS:
                body = msgspec.json.encode({"stalled_ms": late_ns // 1_000_000})
                self._journal.append_record("bridge.stalled", now, body)
                self.report({"type": "stall", "ms": late_ns // 1_000_000})

    def _tell_trouble(self, text: str) -> None:
        """One sentence for people; it may come from the feed's thread."""
        _call_soon(self._loop, self.report, {"type": "trouble", "device": None, "text": text})

    def _on_durable(self, position: Position) -> None:
        """The first commits come before the feed is there: it starts from what the journal recovered."""
        if self._feeder is not None:
            self._feeder.durable(position)

    def _journal_trouble(self, sentence: str | None) -> None:
        self._trouble = sentence
        text = sentence or "the journal can be written again"
        self.report({"type": "trouble", "device": None, "text": text, "over": sentence is None})
        if self.is_running:
            self.lights.desire(self._light())

    async def _stop(self, tasks: list[asyncio.Task[None]]) -> None:
        """Within 2 s: the lights first, since dark never means fine, then the ports, then the feed."""
        Notifier().stopping()
        self._is_stopping = True
        self.lights.desire(LightState.NOT_MONITORED)
        await self.lights.settle(0.5)
        self._has_let_go = True
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for timer in self._timers.values():
            timer.cancel()
        self._journal.save_snapshot(opening.snapshot_body(self.core))
        if self._feeder is not None:
            await self._feeder.finish(0.5)


def _call_soon(loop: asyncio.AbstractEventLoop, call: Callable[..., None], *args: object) -> None:
    """From the journal's thread into the loop; after the loop's end there is nobody left to tell."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call, *args)
