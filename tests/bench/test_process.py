"""`shoe-bridge run` as a process: how long from its start to armed, and how much memory it then holds.

    python -m pytest tests/bench/test_process.py --benchmark-enable -s

Each round starts a fresh process against simulated devices on ptys; the time includes the interpreter's
start, all imports, opening the journal and the ports, and the devices' answers. Targets: under 1 s, resident
under 60 MB. Peers in the same run: an interpreter that starts and ends, and one that imports the bridge.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.pty_host import PtyHost
from shoe_bridge.sim.sim_table import SimTable, equipment
from shoe_bridge.sim.toml_text import as_toml
from shoe_bridge.sim.world import World

ROUNDS = 5
ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}

figures: list[str] = []


@pytest.fixture(scope="module", autouse=True)
def summary(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    capture = request.config.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    if figures:
        with capture.global_and_fixture_disabled():
            print("\n" + "\n".join(figures))


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Path]:
    """A table's folder with its devices plugged in under `ports`, and its configuration."""
    ports = tmp_path / "ports"
    config = {
        "table": {"id": "t-1", "game": "holdem", "profile": "nz-1999", "seats": 10},
        **equipment("tablelink", port_folder=str(ports)),
    }
    (tmp_path / "table.toml").write_text(as_toml(config))
    with PtyHost(SimTable(config, Air(World(), "clean", Random(1))).devices.values(), ports):
        yield tmp_path


class Runner:
    """Starts the bridge again and again; keeps how much memory each process held once it was armed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        self._child: subprocess.Popen[bytes] | None = None
        self.resident_mb: list[float] = []

    def until_armed(self) -> bool:
        self._count += 1
        arguments = ["run", "--config", str(self._folder / "table.toml"), "--json"]
        state = ["--state", str(self._folder / f"state-{self._count}")]
        self._child = subprocess.Popen(
            [sys.executable, "-m", "shoe_bridge", *arguments, *state], env=ENVIRONMENT, stdout=subprocess.PIPE
        )
        assert self._child.stdout is not None
        return any(b'"armed":true' in line for line in self._child.stdout)

    def end(self) -> None:
        """Note the memory, and end the process of the round before."""
        if self._child is None:
            return
        status = Path(f"/proc/{self._child.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found is not None
        self.resident_mb.append(int(found[1]) * 1024 / 1e6)
        self._child.terminate()
        assert self._child.wait(20) == 0
        assert self._child.stdout is not None
        self._child.stdout.close()
        self._child = None


def report(benchmark: BenchmarkFixture, what: str) -> None:
    benchmark.group = "start of the process"
    if benchmark.stats is not None:
        stats = benchmark.stats.stats
        figures.append(f"{what}: {stats.median:.3f} s (best {stats.min:.3f} s)")


def test_start_to_armed_and_resident_memory(benchmark: BenchmarkFixture, table: Path) -> None:
    runner = Runner(table)
    is_armed = benchmark.pedantic(runner.until_armed, setup=runner.end, rounds=ROUNDS)
    runner.end()
    assert is_armed
    largest = max(runner.resident_mb)
    assert largest > 1
    benchmark.extra_info["resident_mb"] = round(largest, 1)
    report(benchmark, "start to armed")
    if benchmark.stats is not None:
        figures.append(f"resident once armed: {largest:.1f} MB")


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("an interpreter that starts and ends", "pass"),
        ("the same with the bridge imported", "import shoe_bridge.cli.app, shoe_bridge.runtime.bridge"),
    ],
)
def test_an_interpreter(benchmark: BenchmarkFixture, what: str, code: str) -> None:
    def run() -> int:
        return subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, check=False).returncode

    start: Callable[[], int] = run
    assert benchmark.pedantic(start, rounds=ROUNDS) == 0
    report(benchmark, what)
