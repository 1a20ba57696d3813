"""Two processes: `sim` lays a deck or touches the table, `deck register` or `calibrate` hears it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shoe_bridge.cli import run_command
from shoe_bridge.runtime.decks import load_register
from shoe_bridge.sim.tags import DEFAULT_DECK, STANDARD_52, tag_uid

WAIT_S = 60.0
TABLE = """
[table]
id = "t"
game = "holdem"
profile = "nz-1999"
seats = 2
[[device]]
name = "r"
kind = "{kind}"
port = "{folder}/dev/r"
cycle_ms = 40
antennas = {{ 1 = "seat 1", 2 = "seat 2", 3 = "board", 4 = "burn" }}
[[device]]
name = "keys-1"
kind = "tablelink"
port = "{folder}/dev/keys-1"
keys = {{ 1 = "cut", 2 = "acknowledge" }}
"""


def table_of(folder: Path, kind: str) -> Path:
    file = folder / "t.toml"
    file.write_text(TABLE.format(kind=kind, folder=folder))
    return file


@contextmanager
def sim(table: Path, *options: str) -> Iterator[None]:
    """The simulated devices are there; the process must end well when it is told to."""
    command = [sys.executable, "-m", "shoe_bridge", "sim", "--config", str(table), *options]
    environment = {**os.environ, "TMPDIR": str(table.parent), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if line.startswith("waiting for"):
                    break
            yield
            process.send_signal(signal.SIGINT)
            assert process.wait(WAIT_S) == 0
        finally:
            process.kill()


@pytest.mark.parametrize("kind", ["tablelink", "text_line"])
def test_a_deck_is_registered_from_a_simulated_reader(tmp_path: Path, kind: str) -> None:
    table, decks = table_of(tmp_path, kind), tmp_path / "decks.toml"
    options = ["--config", str(table), "--place", "seat 2"]
    with sim(table, "--lay-deck", "seat 2", "--pace-ms", "200"):
        assert run_command(["deck", "register", "--file", str(decks), "--deck", "blue", *options]) == 0
    (deck,) = load_register(decks).decks
    assert deck.tags == {tag_uid(DEFAULT_DECK, card): card for card in STANDARD_52}


@pytest.mark.parametrize("kind", ["tablelink", "pepper_c1"])
def test_a_map_is_proven_by_a_simulated_hand(tmp_path: Path, kind: str) -> None:
    table = table_of(tmp_path, kind)
    with sim(table, "--touch"):
        assert run_command(["calibrate", "--config", str(table), "--check", "--wait-s", "20"]) == 0


def test_a_rehearsal_deals_no_hands_and_needs_an_antenna(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = str(table_of(tmp_path, "tablelink"))
    assert run_command(["sim", "--config", table, "--touch", "--hands", "1"]) == 2
    assert "deal no hands" in capsys.readouterr().err
    assert run_command(["sim", "--config", table, "--touch", "--lay-deck", "board"]) == 2
    assert "leave out --lay-deck" in capsys.readouterr().err
    assert run_command(["sim", "--config", table, "--lay-deck", "muck"]) == 2
    assert "no antenna looks at it, use one of board, burn, seat 1, seat 2" in capsys.readouterr().err
