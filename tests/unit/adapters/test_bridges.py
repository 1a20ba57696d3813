"""Which bridges run on a host, by a made-up /proc."""

import os
from pathlib import Path

import pytest

from shoe_bridge.adapters.bridges import RunningBridge, running_bridges
from shoe_bridge.adapters.port_faults import holders


def process(root: Path, pid: int, *arguments: str, cwd: str | None = None) -> None:
    folder = root / "proc" / str(pid)
    folder.mkdir(parents=True)
    (folder / "cmdline").write_text("".join(f"{one}\0" for one in arguments))
    if cwd is not None:
        (folder / "cwd").symlink_to(cwd)


@pytest.mark.parametrize(
    ("arguments", "config"),
    [
        (("/v/python3", "/v/shoe-bridge", "run", "--config", "/etc/t.toml", "--wait"), "/etc/t.toml"),
        (("/v/shoe-bridge", "run", "--wait", "--config=t.toml"), "/srv/t.toml"),
        (("python", "-X", "dev", "-m", "shoe_bridge", "run", "--config", "t.toml"), "/srv/t.toml"),
    ],
)
def test_a_bridge_is_known_with_its_configuration(
    tmp_path: Path, arguments: tuple[str, ...], config: str
) -> None:
    process(tmp_path, 12, *arguments, cwd="/srv")
    assert running_bridges(tmp_path) == (RunningBridge(12, config),)


@pytest.mark.parametrize(
    "arguments",
    [
        ("/v/python3", "/v/shoe-bridge", "sim", "--config", "/etc/t.toml"),
        ("/v/shoe-bridge", "run", "--config"),
        ("/v/shoe-bridge", "run", "--help"),
        ("vi", "shoe_bridge", "run", "--config", "t.toml"),
        (),
    ],
)
def test_another_program_is_none(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    process(tmp_path, 12, *arguments, cwd="/srv")
    assert running_bridges(tmp_path) == ()


def test_where_it_was_started_may_be_hidden_and_this_process_is_left_out(tmp_path: Path) -> None:
    process(tmp_path, 12, "shoe-bridge", "run", "--config", "t.toml")
    process(tmp_path, os.getpid(), "shoe-bridge", "run", "--config", "u.toml", cwd="/srv")
    assert running_bridges(tmp_path) == (RunningBridge(12, "t.toml"),)


def test_a_process_whose_files_are_hidden_is_known_by_its_lock(tmp_path: Path) -> None:
    port = tmp_path / "port"
    port.touch()
    state = port.stat()
    name = f"{os.major(state.st_dev):02x}:{os.minor(state.st_dev):02x}:{state.st_ino}"
    (tmp_path / "proc/77").mkdir(parents=True)
    (tmp_path / "proc/77/comm").write_text("shoe-bridge\n")
    (tmp_path / "proc/locks").write_text(
        f"1: FLOCK  ADVISORY  WRITE 77 {name} 0 EOF\n"
        f"1: -> FLOCK  ADVISORY  WRITE 78 {name} 0 EOF\n"
        "2: FLOCK  ADVISORY  WRITE 79 00:01:1 0 EOF\n"
    )
    assert holders(str(port), tmp_path) == ["shoe-bridge (pid 77)"]
