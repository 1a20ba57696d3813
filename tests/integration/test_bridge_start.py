"""A start that cannot be: one sentence that says what, where and the fix, exit code 2, nothing touched."""

import fcntl
import os
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shoe_bridge.errors import ConfigError, PortError
from shoe_bridge.journal import JournalReader
from shoe_bridge.runtime.bridge import Bridge
from shoe_bridge.runtime.service import run_until_stopped

RUN_S = 30.0


def refusal(table: Any, environment: dict[str, str]) -> tuple[int, str]:
    """Run the bridge of `table` to its early end; the exit code and its one sentence."""
    done = subprocess.run(
        table.command("--json"), env=environment, capture_output=True, text=True, timeout=RUN_S, check=False
    )
    said = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(said) == 1, done.stderr
    assert said[0].startswith("shoe-bridge: ")
    assert said[0].endswith(".")
    assert "Traceback" not in done.stderr
    return done.returncode, said[0].removeprefix("shoe-bridge: ")


def at_port(path: Path) -> Callable[[dict[str, Any]], None]:
    def change(config: dict[str, Any]) -> None:
        config["device"][0]["port"] = str(path)

    return change


def test_a_port_that_does_not_exist(
    rig: Callable[..., Any], environment: dict[str, str], tmp_path: Path
) -> None:
    table = rig(at_port(tmp_path / "no-such-port"))
    code, sentence = refusal(table, environment)
    assert code == 2
    assert str(tmp_path / "no-such-port") in sentence
    verdict = table.verified()
    assert (verdict.problems, verdict.runs, verdict.refused) == ((), 0, 1)
    with JournalReader(table.state) as reader:
        (refused,) = [record for record in reader.records() if record.kind == "bridge.refused"]
    assert sentence.encode() in refused.body


def test_a_port_that_is_a_regular_file(rig: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match="which is a regular file, expected a path such as"):
        rig(at_port(tmp_path / "notes.txt"))
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_port_that_another_program_holds(rig: Callable[..., Any], environment: dict[str, str]) -> None:
    table = rig()
    held = os.open(table.ports / "reader-1", os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        code, sentence = refusal(table, environment)
    finally:
        os.close(held)
    assert code == 2
    assert str(table.ports / "reader-1") in sentence
    assert str(os.getpid()) in sentence  # who holds it


def test_a_state_folder_that_cannot_be_made(rig: Callable[..., Any], environment: dict[str, str]) -> None:
    table = rig()
    table.state.write_text("a file is in the way")
    code, sentence = refusal(table, environment)
    assert code in (1, 2)
    assert str(table.state) in sentence
    assert table.state.read_text() == "a file is in the way"


def test_a_state_folder_on_a_medium_that_takes_no_files(
    rig: Callable[..., Any], environment: dict[str, str]
) -> None:
    table = rig()
    table.state = Path("/proc/shoe-bridge-state")
    code, sentence = refusal(table, environment)
    assert code in (1, 2)
    assert "/proc/shoe-bridge-state" in sentence


def test_a_state_folder_that_another_bridge_uses(
    rig: Callable[..., Any], environment: dict[str, str], start: Callable[..., Any]
) -> None:
    table = rig()
    first = start(table)
    first.until_seen(type="armed", armed=True)
    code, sentence = refusal(table, environment)
    assert code in (1, 2)
    assert str(table.state) in sentence
    assert first.terminate() == 0


def test_a_feed_folder_that_is_missing(
    rig: Callable[..., Any], environment: dict[str, str], tmp_path: Path
) -> None:
    table = rig(lambda config: config.update(feed={"path": str(tmp_path / "none" / "feed.jsonl")}))
    code, sentence = refusal(table, environment)
    assert code == 2
    assert str(tmp_path / "none") in sentence
    assert "mkdir -p" in sentence
    assert not (tmp_path / "none").exists()


def test_a_deck_register_that_is_torn(rig: Callable[..., Any], environment: dict[str, str]) -> None:
    table = rig()
    register = table.folder / "decks.toml"
    register.write_text(register.read_text()[:-20])
    code, sentence = refusal(table, environment)
    assert code == 2
    assert str(register) in sentence
    assert not table.state.exists()


def test_a_journal_that_is_damaged_stays_as_it_is(
    rig: Callable[..., Any], environment: dict[str, str], start: Callable[..., Any]
) -> None:
    table = rig()
    first = start(table)
    first.until_seen(type="armed", armed=True)
    assert first.terminate() == 0
    [volume] = table.state.glob("journal-*.sqlite")
    damaged = b"no journal" + volume.read_bytes()[10:]
    volume.write_bytes(damaged)
    code, sentence = refusal(table, environment)
    assert code == 1
    assert volume.name in sentence
    assert volume.read_bytes() == damaged


@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(rig: Callable[..., Any], start: Callable[..., Any], name: int) -> None:
    table = rig()
    bridge = start(table)
    bridge.until_seen(type="armed", armed=True)
    assert bridge.terminate(name) == 0
    verdict = table.verified()
    assert verdict.problems == ()
    assert verdict.runs == 1
    with JournalReader(table.state) as reader:
        assert list(reader.records())[-1].kind == "journal.clean_stop"


def test_a_signal_ends_a_start_that_hangs(rig: Callable[..., Any], start: Callable[..., Any]) -> None:
    with socket.socket() as mute:
        # a backlog that is full: a host that neither accepts nor refuses
        mute.bind(("127.0.0.1", 0))
        mute.listen(0)
        address = mute.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(address)
        table = rig(lambda config: config["device"][0].update(port=f"socket://{address[0]}:{address[1]}"))
        bridge = start(table)
        bridge.until_seen(type="start")
        bridge.until_seen(type="event", kind="LinkRestored", device="keys-1")
        assert bridge.terminate() == 0
        for each in waiting:
            each.close()
    assert table.verified().problems == ()


def test_what_stops_the_start_is_raised(rig: Callable[..., Any], tmp_path: Path) -> None:
    table = rig(lambda config: config.update(feed={"path": str(tmp_path / "none" / "feed.jsonl")}))
    bridge = Bridge(table.config, table.state, report=lambda report: None)
    with pytest.raises(ConfigError, match="mkdir -p"):
        run_until_stopped(bridge, is_patient=False)
    with JournalReader(table.state) as reader:
        assert reader.check() == []


def test_a_refused_start_gives_back_the_ports_that_it_had_opened(
    rig: Callable[..., Any], tmp_path: Path
) -> None:
    table = rig(at_port(tmp_path / "no-such-port"))
    with pytest.raises(PortError, match="no-such-port"):
        run_until_stopped(Bridge(table.config, table.state, report=lambda report: None), is_patient=False)
    held = [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if not fd_is_gone(fd)]
    assert os.path.realpath(table.ports / "keys-1") not in held


def fd_is_gone(fd: str) -> bool:
    return not os.path.lexists(f"/proc/self/fd/{fd}")
