"""Playing steps in virtual time: what the far side of every cable would see, moment by moment."""

from collections.abc import Callable, Iterator, Sequence
from random import Random

import msgspec

from shoe_bridge.runtime.ports import Chunk, Input, LinkClosed, LinkOpened
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.scenario import Scenario, deck_for
from shoe_bridge.sim.sim_table import SimTable, table_for
from shoe_bridge.sim.stage import Stage
from shoe_bridge.sim.steps import Deal, Step
from shoe_bridge.sim.world import World

START_MONO_NS = 1_000_000_000_000
LINE_MS = 1  # one way over the cable
START_UP_MS = 2_500
QUIET_MS = 50  # a moment is given at least this often, so that the host's deadlines come due in time

HostSends = Callable[[str], list[bytes]]


class Moment(msgspec.Struct, frozen=True):
    """What reached the host at one time: `inputs` in order, perhaps none. `step` is the 1-based step that is
    being acted out (0: before the first)."""

    step: int
    at_mono_ns: int
    inputs: tuple[Input, ...]


class Player:
    """Drives a stage and its devices. After each moment `host_sends(device)` is asked for the bytes that the
    host wrote meanwhile; they reach the device one line time later."""

    def __init__(self, stage: Stage, host_sends: HostSends, start_mono_ns: int = START_MONO_NS) -> None:
        self.stage = stage
        self._devices = stage.table.devices
        self._host_sends = host_sends
        self._start_mono_ns = start_mono_ns
        self._now_ms = 0
        self._given_ms = 0
        self._step = 0
        self._generation = dict.fromkeys(self._devices, 0)
        self._is_open = dict.fromkeys(self._devices, False)
        self._to_devices: list[tuple[int, str, bytes]] = []

    def start(self) -> Iterator[Moment]:
        """The links open and the devices introduce themselves."""
        yield from self._let_pass(START_UP_MS + self.stage.table.settle_ms)

    def play(self, steps: Sequence[Step]) -> Iterator[Moment]:
        """Act the steps out one after the other; may be called again with what follows. Raises
        UnsupportedStepError and UsageError as `Stage.perform` does, when the step is reached."""
        self.stage.reserve(steps)
        for step, following in zip(steps, [*steps[1:], *[None] * bool(steps)], strict=True):
            yield from self.act(step, self._step + 1, isinstance(following, Deal))

    def act(self, step: Step, number: int, is_deal_next: bool = False) -> Iterator[Moment]:
        """Act one step out, which is the `number`-th. Raises as `play` does."""
        self._step = number
        for wait_ms in self.stage.perform(step, is_deal_next):
            yield from self._let_pass(wait_ms)

    def idle(self, until_ms: int, number: int) -> Iterator[Moment]:
        """Nobody does anything here until `until_ms`, while step `number` is acted out elsewhere."""
        self._step = number
        yield from self._let_pass(until_ms - self._now_ms)

    @property
    def now_ms(self) -> int:
        """Virtual time since the start."""
        return self._now_ms

    def _let_pass(self, duration_ms: int) -> Iterator[Moment]:
        until_ms = self._now_ms + duration_ms
        while self._now_ms < until_ms:
            self._now_ms = max(self._now_ms, min(until_ms, self._next_ms()))
            self._deliver()
            inputs = tuple(self._inputs())
            if inputs or self._now_ms - self._given_ms >= QUIET_MS or self._now_ms == until_ms:
                self._given_ms = self._now_ms
                yield Moment(self._step, self._mono_ns(), inputs)
                self._collect()

    def _next_ms(self) -> int:
        dues = [self._given_ms + QUIET_MS]
        dues += [due for device in self._devices.values() if (due := device.next_due_ms()) is not None]
        dues += [due for due, _, _ in self._to_devices[:1]]
        return min(dues)

    def _deliver(self) -> None:
        while self._to_devices and self._to_devices[0][0] <= self._now_ms:
            _, name, data = self._to_devices.pop(0)
            self._devices[name].take(data, self._now_ms)

    def _inputs(self) -> Iterator[Input]:
        at_mono_ns = self._mono_ns()
        for name, device in self._devices.items():
            if device.is_plugged and not self._is_open[name]:
                self._is_open[name] = True
                self._generation[name] += 1
                yield LinkOpened(name, at_mono_ns, self._generation[name])
            elif not device.is_plugged and self._is_open[name]:
                self._is_open[name] = False
                self._to_devices = [each for each in self._to_devices if each[1] != name]
                yield LinkClosed(name, at_mono_ns, self._generation[name], "unplugged")
            data = device.advance(self._now_ms)
            if data:
                yield Chunk(name, at_mono_ns, data)

    def _collect(self) -> None:
        for name in self._devices:
            for data in self._host_sends(name):
                if self._is_open[name]:
                    self._to_devices.append((self._now_ms + 2 * LINE_MS, name, data))

    def _mono_ns(self) -> int:
        return self._start_mono_ns + (self._now_ms + LINE_MS) * 1_000_000


def player_for(
    scenario: Scenario,
    host_sends: HostSends,
    reader: str | None = None,
    start_mono_ns: int = START_MONO_NS,
) -> Player:
    """A player at the table that `sim_table.table_for(scenario, reader)` describes, with the scenario's deck,
    noise and pace. Play `scenario.actions` on it, after `start`."""
    # noise and cards draw from sources of their own: more noise must not deal other cards
    air = Air(World(), scenario.noise, Random(f"noise {scenario.seed}"))
    stage = Stage(
        SimTable(table_for(scenario, reader), air),
        deck_for(scenario, reader),
        Random(f"cards {scenario.id}"),
        sensors=scenario.sensors,
        pace_ms=scenario.pace_ms,
    )
    return Player(stage, host_sends, start_mono_ns)
