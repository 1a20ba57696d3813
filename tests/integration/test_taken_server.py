"""A serial server that serves another program and keeps the second one waiting: each verb names it."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoe_bridge.cli import run_command

pytestmark = pytest.mark.filterwarnings("ignore:set(Daemon|Name):DeprecationWarning")

WAITING = "its serial server serves another program and keeps this one waiting: end that program"


@pytest.fixture
def taken() -> Iterator[str]:
    """Connections are made by the kernel and never taken: the address of such a server."""
    with socket.create_server(("127.0.0.1", 0), backlog=8) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def table_at(folder: Path, url: str, kind: str = "pepper_c1") -> Path:
    file = folder / "t.toml"
    file.write_text(
        '[table]\nid = "t"\ngame = "holdem"\nprofile = "nz-1999"\nseats = 2\n'
        f'[[device]]\nname = "r"\nkind = "{kind}"\nport = "{url}"\n'
        'antennas = { 1 = "seat 1", 2 = "seat 2", 3 = "board", 4 = "burn" }\n'
    )
    return file


def test_a_deck_cannot_be_registered_there(
    tmp_path: Path, taken: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "decks.toml")
    device = ["--device", "pepper_c1", "--port", f"socket://{taken}"]
    assert run_command(["deck", "register", "--file", file, "--deck", "blue", *device]) != 0
    assert WAITING in capsys.readouterr().err


def test_a_map_cannot_be_proven_there(tmp_path: Path, taken: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = table_at(tmp_path, f"socket://{taken}")
    assert run_command(["calibrate", "--config", str(file)]) != 0
    assert WAITING in capsys.readouterr().err


@pytest.mark.parametrize("scheme", ["socket", "rfc2217"])
def test_a_capture_of_nothing(
    tmp_path: Path, taken: str, capsys: pytest.CaptureFixture[str], scheme: str
) -> None:
    out, port = str(tmp_path / "a.capture"), f"{scheme}://{taken}"
    assert run_command(["capture", "--device", "pepper_c1", "--port", port, "--seconds", "4", out]) != 0
    said = capsys.readouterr().err
    assert WAITING in said or "serves already if it serves one at a time" in said


@pytest.mark.parametrize("scheme", ["socket", "rfc2217"])
@pytest.mark.parametrize("kind", ["pepper_c1", "text_line"])
def test_doctor_advises_to_end_the_other_program(
    tmp_path: Path, taken: str, capsys: pytest.CaptureFixture[str], scheme: str, kind: str
) -> None:
    file = table_at(tmp_path, f"{scheme}://{taken}", kind)
    run_command(["doctor", "--config", str(file), "--state", str(tmp_path), "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (trouble,) = [one for one in lines if one["type"] == "trouble" and one["where"].startswith("r at ")]
    assert "end the program that it" in trouble["fix"]
