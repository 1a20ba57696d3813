"""Two processes: `shoe-bridge sim` has the devices, `shoe-bridge run` connects to them."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from shoe_bridge.cli.demo_table import DemoPlan, write_table

WAIT_S = 60.0
PACE_MS = 120

Line = dict[str, Any]


class Process:
    """One verb as a process whose JSON lines are read as they come."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.lines: list[Line] = []

    def until(self, is_it: Callable[[Line], bool]) -> Line:
        """Read on to the first line that is it; fails when the process ends before."""
        assert self.process.stdout is not None
        for text in self.process.stdout:
            self.lines.append(json.loads(text))
            if is_it(self.lines[-1]):
                return self.lines[-1]
        raise AssertionError(
            f"{self.process.args!r} ended with {self.process.wait(WAIT_S)}: {self.lines[-3:]}"
        )

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        assert self.process.stdout is not None
        self.lines += map(json.loads, self.process.stdout)
        return self.process.wait(WAIT_S)


@contextmanager
def verb(folder: Path, *arguments: str) -> Iterator[Process]:
    """The verb with its temporary files in `folder`."""
    command = [sys.executable, "-m", "shoe_bridge", *arguments, "--json"]
    environment = {**os.environ, "TMPDIR": str(folder)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            yield Process(process)
        finally:
            if process.poll() is None:
                process.kill()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A configuration with its ports in a folder that does not exist yet, and no deck register."""
    write_table(DemoPlan(seed=7, seats=4, pace_ms=PACE_MS), tmp_path, tmp_path / "dev")
    (tmp_path / "decks.toml").unlink()
    return tmp_path / "table.toml"


def sim(table: Path, *options: str) -> Any:
    arguments = ("--seed", "7", "--hands", "1", "--pace-ms", str(PACE_MS), *options)
    return verb(table.parent, "sim", "--config", str(table), *arguments)


def is_of(line_type: str, **more: object) -> Callable[[Line], bool]:
    return lambda line: (
        line["type"] == line_type and all(line.get(key) == value for key, value in more.items())
    )


def test_an_order_error_is_seen_from_the_other_process(table: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with sim(table, "--error", "order_error") as simulated:
        simulated.until(is_of("waiting"))
        assert sorted(path.name for path in (tmp_path / "dev").iterdir()) == [
            *("keys-1", "reader-1", "relay", "tower")
        ]
        with verb(tmp_path, "run", "--config", str(table), "--state", str(state)) as bridge:
            bridge.until(is_of("armed", armed=True))
            found = bridge.until(is_of("finding", kind="order_error", raised=True))
            assert found["rule"] == "19.1(c)"
            bridge.until(is_of("light", state="attention"))
            bridge.until(is_of("lamp", light="dealer", shown="attention"))
            bridge.until(is_of("light", state="all_well"))
            assert bridge.stop() == 0
        assert simulated.stop(signal.SIGINT) == 0
    assert list((tmp_path / "dev").iterdir()) == []
    kinds = [json.loads(line)["type"] for line in (state / "feed.jsonl").read_text().splitlines()]
    assert "shoe-bridge.finding.raised" in kinds
    assert "shoe-bridge.alert.closed" in kinds
    assert _verify(state) == 0


def test_a_bridge_that_is_stopped_in_the_middle_leaves_a_sound_journal(table: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with sim(table, "--error", "none") as simulated:
        simulated.until(is_of("waiting"))
        with verb(tmp_path, "run", "--config", str(table), "--state", str(state)) as bridge:
            bridge.until(is_of("event", kind="CardArrived"))
            assert bridge.stop() == 0
            assert not [line for line in bridge.lines if line["type"] == "alert"]
        with verb(tmp_path, "run", "--config", str(table), "--state", str(state)) as again:
            again.until(is_of("armed", armed=True))
            assert again.stop(signal.SIGINT) == 0
        assert simulated.stop() == 0
    assert _verify(state) == 0


def test_a_killed_simulation_does_not_block_the_next(table: Path) -> None:
    with sim(table) as first:
        first.until(is_of("waiting"))
        first.process.kill()
        first.process.wait(WAIT_S)
    with sim(table) as second:
        second.until(is_of("waiting"))
        assert second.stop() == 0
    assert list(table.parent.glob("shoe-bridge-sim-*")) == []


def test_a_second_simulation_of_the_same_ports_is_refused(table: Path) -> None:
    with sim(table) as first:
        first.until(is_of("waiting"))
        command = [sys.executable, "-m", "shoe_bridge", "sim", "--config", str(table)]
        environment = {**os.environ, "TMPDIR": str(table.parent)}
        second = subprocess.run(
            command, capture_output=True, text=True, timeout=WAIT_S, check=False, env=environment
        )
        assert second.returncode == 2
        assert "stop that one first" in second.stderr
        assert first.stop() == 0


def _verify(state: Path) -> int:
    command = [sys.executable, "-m", "shoe_bridge", "verify", str(state)]
    return subprocess.run(command, capture_output=True, timeout=WAIT_S, check=False).returncode
