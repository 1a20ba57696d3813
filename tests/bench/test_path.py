"""The whole path: bytes to findings, journalled, in frames per second. A peer is measured in the same run.

    python -m pytest tests/bench/test_path.py --benchmark-enable -s

The stream is recorded from a simulated table of ten seats at which holdem is dealt, thinned so that nine
of ten frames change nothing (a tag still lies there, an antenna sees none). Each round takes it with a new
core: every chunk is appended to the journal and taken, what follows is recorded with its feed events, and
the round ends when the journal has it all on disk. Target: 40,000 frames/s on a machine on which pymodbus's
RTU framer takes about 9 us for its 21-byte frame. On a busy machine add --benchmark-timer=time.process_time.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from pymodbus.framer import FramerRTU
from pymodbus.pdu import DecodePDU
from pymodbus.pdu.register_message import ReadHoldingRegistersResponse
from pytest_benchmark.fixture import BenchmarkFixture

from shoe_bridge.adapters.clock import SystemClock
from shoe_bridge.journal import Journal
from shoe_bridge.rules.book import open_book
from shoe_bridge.rules.games import open_game
from shoe_bridge.runtime.assembly import links_of
from shoe_bridge.runtime.config import DeviceConfig
from shoe_bridge.runtime.core import NOTHING, Core
from shoe_bridge.runtime.ports import Chunk, Input, Tick
from shoe_bridge.runtime.recorder import Recorder
from shoe_bridge.sim.dealer import hands
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.player import Player
from shoe_bridge.sim.sim_table import SimTable, equipment
from shoe_bridge.sim.stage import Stage
from shoe_bridge.sim.steps import parse_step
from shoe_bridge.sim.tags import STANDARD_52, decks_of, tag_uid
from shoe_bridge.sim.world import World
from shoe_bridge.table.deck import Deck, Register
from shoe_bridge.table.state import Setup

SEATS = tuple(range(1, 11))
HANDS = 12
CYCLE_MS = 400
UNCHANGED_PER_CHANGE = 9
TARGET_FRAMES_PER_S, TARGET_PEER_US = 40_000, 9.0
PEER_FRAMES = 500
EVENTS = range(0x20)  # types of a tablelink body: what happened
REPEATS = (0x20, 0x21)  # a tag is still there, an antenna still sees none
DECK = Register((Deck("blue", {tag_uid("blue", card): card for card in STANDARD_52}),))
RTU_FRAMER = FramerRTU(DecodePDU(False))
RTU_FRAME = RTU_FRAMER.buildFrame(ReadHoldingRegistersResponse(registers=list(range(8)), dev_id=1))

seconds: dict[str, float] = {}
notes: list[str] = []


class Recording:
    """What a table of ten seats sent, as it was taken live: `inputs` in order."""

    def __init__(self) -> None:
        document = equipment("tablelink", cycle_ms=CYCLE_MS)
        devices = tuple(msgspec.convert(each, DeviceConfig, str_keys=True) for each in document["device"])
        names = tuple(device.name for device in devices)
        keys = tuple(key for device in devices for key in device.keys.values())
        self.links = links_of(devices)
        self.setup = Setup("t-1", open_game("holdem"), SEATS, 10, DECK, names, keys)
        self.inputs: list[Input] = []
        core = self.new_core()
        table = SimTable(document, Air(World(), "clean", Random(1)))
        stage = Stage(table, decks_of(["blue"]), Random(2), pace_ms=CYCLE_MS)
        player = Player(stage, lambda name: core.links[name].sends() if name in core.links else [])
        dealt = islice(hands("holdem", SEATS, 10, 3), HANDS)
        steps = [parse_step(step) for hand in dealt for step in hand.steps]
        for moments in (player.start(), player.play(steps)):
            for moment in moments:
                ticks = [
                    Tick(name, moment.at_mono_ns)
                    for name, link in core.links.items()
                    if (due := link.next_deadline_ns()) is not None and due <= moment.at_mono_ns
                ]
                for given in (*moment.inputs, *ticks):
                    self.inputs.append(given)
                    core.take(given)

    def new_core(self) -> Core:
        return Core(self.setup, self.links, open_book("nz-1999"))

    def by_frame(self) -> list[Input]:
        """Nine of ten frames change nothing, and each is a chunk of its own."""
        cut: list[Input] = []
        may_come = UNCHANGED_PER_CHANGE
        for given in self.inputs:
            if type(given) is not Chunk:
                cut.append(given)
                continue
            for frame in frames_of(given.data):
                if frame[2] in REPEATS and may_come == 0:
                    continue
                may_come += UNCHANGED_PER_CHANGE if frame[2] in EVENTS else -(frame[2] in REPEATS)
                cut.append(Chunk(given.device, given.at_mono_ns, frame))
        return cut

    def by_cycle(self) -> list[Input]:
        """The same frames, those of a reader's polling cycle in one chunk unless a key is pressed."""
        cut: list[Input] = []
        since_ns, polled = 0, b""
        for given in self.by_frame():
            is_poll = type(given) is Chunk and given.device == "reader-1"
            is_full = polled and given.at_mono_ns - since_ns >= CYCLE_MS * 1_000_000
            if polled and (is_full or not is_poll):
                cut.append(Chunk("reader-1", given.at_mono_ns, polled))
                polled = b""
            if not is_poll:
                cut.append(given)
                continue
            since_ns = since_ns if polled else given.at_mono_ns
            polled += given.data
        return [*cut, Chunk("reader-1", self.inputs[-1].at_mono_ns, polled)]


def frames_of(data: bytes) -> Iterator[bytes]:
    """The frames of a stream that holds whole tablelink frames only: start, length, body, two check bytes."""
    at = 0
    while at < len(data):
        end = at + data[at + 1] + 4
        yield data[at:end]
        at = end


@pytest.fixture(scope="module")
def recording() -> Recording:
    return Recording()


class NoFarSide:
    """A feeder whose events wait in the journal."""

    def append(self, seq: int, body: bytes) -> None:
        return


def taken(recording: Recording, inputs: list[Input], journal: Journal) -> Core:
    """Take all inputs as the live bridge does, until they are on disk."""
    core, clock = recording.new_core(), SystemClock()
    recorder = Recorder("t-1", open_book("nz-1999"), journal, clock, NoFarSide())  # type: ignore[arg-type]
    append, take = journal.append_input, core.take
    for given in inputs:
        if type(given) is Chunk:
            append("chunk", given.device, given.at_mono_ns, given.data)
        else:
            append("tick", given.device, given.at_mono_ns, b"")
        step = take(given)
        core.links[given.device].sends()
        if step is not NOTHING:
            recorder.record(step, given.at_mono_ns, core.light, core.state)
    assert journal.sync(60)
    return core


@pytest.fixture(scope="module", autouse=True)
def summary(request: pytest.FixtureRequest) -> Iterator[None]:
    """After the module: the figures, and what they come to on the machine of the target."""
    yield
    if "pymodbus" not in seconds:
        return
    peer_us = seconds["pymodbus"] * 1e6
    target = TARGET_FRAMES_PER_S * TARGET_PEER_US / peer_us
    lines = [f"pymodbus RTU framer: {peer_us:.2f} us per frame here, so the target here is {target:,.0f}/s"]
    for name, each in seconds.items():
        if name != "pymodbus":
            lines.append(f"{name}: {1 / each:,.0f} frames/s, {each * 1e6:.2f} us each ({notes[0]})")
    capture = request.config.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    with capture.global_and_fixture_disabled():
        print("\n" + "\n".join(lines))


def measured(
    benchmark: BenchmarkFixture, name: str, recording: Recording, inputs: list[Input], folder: Path
) -> None:
    frames = [frame for given in inputs if type(given) is Chunk for frame in frames_of(given.data)]
    changing = sum(frame[2] in EVENTS for frame in frames)
    note = f"{len(frames):,} frames, {changing / len(frames):.0%} of them change something"
    notes.append(note)
    clock = SystemClock()
    journal = Journal.open(folder, table="t-1", boot_id=clock.boot_id, now_wall_ns=clock.wall_ns)
    try:
        benchmark.group = "bytes to findings, journalled"
        core: Core = benchmark.pedantic(taken, (recording, inputs, journal), rounds=10, warmup_rounds=1)
    finally:
        journal.close()
    assert core.state.last_seq > 28 * HANDS
    assert not core.state.alerts.open
    benchmark.extra_info |= {"frames": len(frames), "changing": changing}
    if benchmark.stats is not None:
        seconds[name] = benchmark.stats.stats.min / len(frames)
        benchmark.extra_info["frames_per_s"] = round(1 / seconds[name])


def test_one_frame_per_chunk(benchmark: BenchmarkFixture, recording: Recording, tmp_path: Path) -> None:
    measured(benchmark, "one frame per chunk", recording, recording.by_frame(), tmp_path / "state")


def test_one_polling_cycle_per_chunk(
    benchmark: BenchmarkFixture, recording: Recording, tmp_path: Path
) -> None:
    measured(benchmark, "one polling cycle per chunk", recording, recording.by_cycle(), tmp_path / "state")


def test_pymodbus_rtu_frame(benchmark: BenchmarkFixture) -> None:
    def run() -> Any:
        for _ in range(PEER_FRAMES):
            _, response = RTU_FRAMER.handleFrame(RTU_FRAME, 0, 0)
        return response

    benchmark.group = "bytes to findings, journalled"
    assert benchmark(run).registers == list(range(8))
    if benchmark.stats is not None:
        seconds["pymodbus"] = benchmark.stats.stats.min / PEER_FRAMES
