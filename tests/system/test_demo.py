"""The real command in a process of its own: `shoe-bridge demo`."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

WAIT_S = 60.0  # a hand takes a few seconds; a busy machine fails nothing
PACE = ("--pace-ms", "60", "--seats", "4")
ORDER_ERROR = ("--error", "order_error", "--seed", "7", "--hands", "1", "--headless", "--json", *PACE)

Line = dict[str, Any]


def demo(*options: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "shoe_bridge", "demo", *options]
    environment = {"TMPDIR": str(folder), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=WAIT_S, check=False, env=environment
    )


def lines_of(done: subprocess.CompletedProcess[str]) -> list[Line]:
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def order_error(tmp_path_factory: pytest.TempPathFactory) -> list[Line]:
    """All lines of a demo in which the dealer errs."""
    folder = tmp_path_factory.mktemp("demo")
    lines = lines_of(demo(*ORDER_ERROR, folder=folder))
    assert list(folder.iterdir()) == []
    return lines


def test_an_order_error_lights_the_lamp_and_reaches_the_feed(order_error: list[Line]) -> None:
    lines = order_error
    found = next(at for at, line in enumerate(lines) if line.get("kind") == "order_error")
    assert lines[found]["raised"] is True
    assert lines[found]["rule"] == "19.1(c)"
    after = lines[found:]
    assert {"type": "light", "state": "attention"} in after
    assert {"type": "lamp_seen", "light": "dealer", "pattern": "slow_blink"} in after
    assert {"type": "lamp_seen", "light": "tower", "pattern": "yellow blink"} in after
    fed = [line["event"] for line in lines if line["type"] == "feed"]
    assert any(
        event["type"] == "shoe-bridge.finding.raised" and event["data"]["finding"]["kind"] == "order_error"
        for event in fed
    )
    assert [event["seq"] for event in fed] == list(range(1, len(fed) + 1))
    assert lines[-1]["type"] == "done"
    assert lines[-1]["verified"] is True
    assert lines[-1]["alerts"] == 1


def test_clean_hands_raise_nothing_and_the_journal_is_kept(tmp_path: Path) -> None:
    state = tmp_path / "kept"
    options = ("--error", "none", "--seed", "7", "--hands", "1", "--json", "--state", str(state))
    lines = lines_of(demo(*options, *PACE, folder=tmp_path))
    assert lines[-1]["raised"] == {}
    assert lines[-1]["alerts"] == 0
    assert lines[-1]["verified"] is True
    assert [line["state"] for line in lines if line["type"] == "light"] == ["not_monitored", "all_well"]
    assert list(state.glob("*.sqlite"))
    assert (state / "feed.jsonl").stat().st_size > 0
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_the_same_seed_concludes_the_same(order_error: list[Line], tmp_path: Path) -> None:
    assert _findings(lines_of(demo(*ORDER_ERROR, folder=tmp_path))) == _findings(order_error)


def _findings(lines: list[Line]) -> list[tuple[bool, str]]:
    return [(line["raised"], line["sentence"]) for line in lines if line["type"] == "finding"]


def test_without_a_terminal_it_prints_plain_lines(tmp_path: Path) -> None:
    done = demo("--error", "missing_burn", "--seed", "7", "--hands", "1", *PACE, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "No card was burned before community card" in done.stdout
    assert "light console [ !  ] ATTENTION" in lines
    assert "light: ATTENTION" in lines
    assert lines[-1].endswith("the journal is verified")


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_it_can_be_stopped_at_any_time(tmp_path: Path, signal_number: signal.Signals) -> None:
    command = [sys.executable, "-m", "shoe_bridge", "demo", "--headless", "--seed", "7", "--pace-ms", "5000"]
    environment = {"TMPDIR": str(tmp_path), "PATH": "/usr/bin:/bin"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("a card at"):
                break
        process.send_signal(signal_number)
        rest = process.stdout.read()
        assert process.wait(WAIT_S) == 0
    assert "stopped early" in rest
    assert list(tmp_path.iterdir()) == []


def test_a_state_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = demo("--headless", "--state", str(tmp_path / "file" / "state"), folder=tmp_path)
    assert done.returncode in (1, 2)
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr
    assert str(tmp_path / "file") in done.stderr
