"""Byte in, light out: from a byte on one pty to the light's byte on another, through the real bridge.

    python -m pytest tests/bench/test_latency.py --benchmark-enable -s

A tablelink reader with the dealer's pad says that a card is exposed; what is timed is from the write of that
frame to the first byte of the command that turns the lamp of another tablelink device amber. Between two
samples the supervisor's key puts the light back, and the bridge is left alone for a while, as at a real
table; that is part of the times in the benchmark's own table, and not of the figures that are printed and
stand in its extra_info. The peer in the same run is the least that asyncio can do: read from one pty, write
as many bytes to another, at the same pace; each in a process of its own. Target: the 99th percentile at most
five times the peer's.
"""

import os
import select
import subprocess
import sys
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from shoe_bridge.sim.tablelink_device import TablelinkDevice
from shoe_bridge.sim.toml_text import as_toml
from shoe_bridge.table.layout import ANTENNA_PLACES

SAMPLES = 300
QUIET_S = 0.02  # before each sample
LIMIT_S = 20.0
KEYS = ("shuffle", "cut", "end deal", "next hand", "supervisor play on")
EXPOSED_A_HAND = 4  # then a new hand, so that the findings of one do not pile up
ENTRY_BYTES, LIGHT_BYTES = 16, 19
ECHO = """
import asyncio, os, sys

async def main():
    source, sink = (os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK) for path in sys.argv[1:3])
    answer = bytes(int(sys.argv[3]))

    def on_readable():
        os.read(source, 65536)
        os.write(sink, answer)

    asyncio.get_running_loop().add_reader(source, on_readable)
    await asyncio.Event().wait()

asyncio.run(main())
"""

latencies: dict[str, list[float]] = {}


class Wire:
    """One pty: the device's end, and the path that the host opens."""

    def __init__(self) -> None:
        self.near, self.far = os.openpty()
        tty.setraw(self.far)
        os.set_blocking(self.near, False)
        self.path = os.ttyname(self.far)

    def read(self) -> bytes:
        try:
            return os.read(self.near, 65_536)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        os.close(self.near)
        os.close(self.far)


class Box:
    """A simulated device on a pty that moves only when told, so that nothing but the host runs meanwhile."""

    def __init__(self, device: TablelinkDevice) -> None:
        self.device = device
        self.wire = Wire()
        self._started_s = time.monotonic()

    def step(self) -> None:
        data = self.wire.read()
        if data:
            self.device.take(data, self.now_ms)
        self.say()

    def say(self) -> None:
        out = self.device.advance(self.now_ms)
        if out:
            os.write(self.wire.near, out)

    @property
    def now_ms(self) -> int:
        return int((time.monotonic() - self._started_s) * 1000)


class Process:
    """What is under test, in a process of its own: it shares no lock with whoever measures."""

    def __init__(self, *arguments: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        self._child = subprocess.Popen(
            [sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL, stdin=subprocess.PIPE
        )

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *exception: object) -> None:
        self._child.terminate()
        self._child.wait(LIMIT_S)
        assert self._child.stdin is not None
        self._child.stdin.close()


def is_ready(fd: int, timeout_s: float) -> bool:
    return bool(select.select([fd], [], [], timeout_s)[0])


@pytest.fixture(scope="module", autouse=True)
def summary(request: pytest.FixtureRequest) -> Iterator[None]:
    """After the module: both, side by side."""
    yield
    capture = request.config.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    if len(latencies) == 2:
        ours, bare = latencies["bridge"], latencies["echo"]
        lines = [
            f"{name}: p50 {percentile(each, 50):.0f} us, p99 {percentile(each, 99):.0f} us, of {len(each)}"
            for name, each in latencies.items()
        ]
        lines.append(
            f"the bridge's p99 is {percentile(ours, 99) / percentile(bare, 99):.1f} times the echo's"
        )
        with capture.global_and_fixture_disabled():
            print("\n" + "\n".join(lines))


def percentile(values: list[float], share: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * share // 100)] * 1e6


def measured(benchmark: BenchmarkFixture, name: str, sample: Callable[[], float]) -> None:
    """Takes the samples; the benchmark's own table shows the whole sample, the figures are in extra_info."""
    benchmark.group = "byte to light"
    found: list[float] = []
    count = SAMPLES if benchmark.enabled else 3
    benchmark.pedantic(lambda: found.append(sample()), rounds=count)
    found += [sample() for _ in range(count - len(found))]
    assert min(found) > 0
    if benchmark.enabled:
        latencies[name] = found
    benchmark.extra_info |= {f"p{share}_us": round(percentile(found, share)) for share in (50, 99)}


def test_echo(benchmark: BenchmarkFixture) -> None:
    source, sink = Wire(), Wire()

    def sample() -> float:
        time.sleep(QUIET_S)
        begun_s = time.perf_counter()
        os.write(source.near, bytes(ENTRY_BYTES))
        assert is_ready(sink.near, LIMIT_S)
        taken_s = time.perf_counter() - begun_s
        sink.read()
        return taken_s

    with Process("-c", ECHO, source.path, sink.path, str(LIGHT_BYTES)):
        sample()
        measured(benchmark, "echo", sample)
    source.close()
    sink.close()


class Rig:
    """A reader and a lamp, each on a pty of its own, and the table of a bridge between them."""

    def __init__(self, folder: Path) -> None:
        places = dict(enumerate(ANTENNA_PLACES, start=1))
        self.keys = Box(TablelinkDevice("keys-1", antennas=places, keys=len(KEYS)))
        self.lamp = Box(TablelinkDevice("lamp-1", lamps=1))
        numbered = {str(number): key for number, key in enumerate(KEYS, start=1)}
        antennas = {str(number): place for number, place in places.items()}
        devices = [
            {"name": "keys-1", "port": self.keys.wire.path, "antennas": antennas, "keys": numbered},
            {"name": "lamp-1", "port": self.lamp.wire.path},
        ]
        config = {
            "table": {"id": "t-1", "game": "holdem", "profile": "nz-1999", "seats": 10},
            "device": [{"kind": "tablelink", **device} for device in devices],
            "light": [{"name": "dealer", "kind": "tablelink", "device": "lamp-1", "lamp": 1}],
        }
        self.file = folder / "table.toml"
        self.file.write_text(as_toml(config))
        self._exposed = 0

    def pump_until(self, is_so: Callable[[], bool]) -> None:
        """Let the devices live until something is so."""
        deadline_s = time.monotonic() + LIMIT_S
        while not is_so():
            assert time.monotonic() < deadline_s
            self.keys.step()
            self.lamp.step()
            select.select([self.keys.wire.near, self.lamp.wire.near], [], [], 0.005)

    def shows(self, pattern: str) -> bool:
        return self.lamp.device.lamps[1].shown[0] == pattern

    def press(self, key: str) -> None:
        self.keys.device.press(KEYS.index(key) + 1, held_ms=30)
        until_ms = self.keys.now_ms + 60
        self.pump_until(lambda: self.keys.now_ms >= until_ms)

    def sample(self) -> float:
        """One exposed card, from all well back to all well."""
        if self._exposed % EXPOSED_A_HAND == 0:
            self.press("next hand")
            self.press("shuffle")
        self._exposed += 1
        self.pump_until(lambda: self.shows("steady"))
        time.sleep(QUIET_S)
        self.lamp.step()  # a renewal of the promise that came meanwhile is not the answer
        self.keys.step()
        self.keys.device.enter("exposed", self._exposed % EXPOSED_A_HAND + 1)
        begun_s = time.perf_counter()
        self.keys.say()
        assert is_ready(self.lamp.wire.near, LIMIT_S)
        taken_s = time.perf_counter() - begun_s
        self.pump_until(lambda: self.shows("slow_blink"))
        self.press("supervisor play on")
        return taken_s

    def close(self) -> None:
        self.keys.wire.close()
        self.lamp.wire.close()


def test_through_the_bridge(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    with Process(
        "-m", "shoe_bridge", "run", "--config", str(rig.file), "--state", str(tmp_path / "state"), "--json"
    ):
        rig.pump_until(lambda: rig.shows("steady"))
        measured(benchmark, "bridge", rig.sample)
    rig.close()
