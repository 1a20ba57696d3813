"""A table is calibrated over real ptys: a hand lays a card and presses keys, eyes look at the lights."""

import asyncio
import json
import sys
import threading
import time
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest

from shoe_bridge.cli import run_command
from shoe_bridge.cli.calibrate_map import MapProof
from shoe_bridge.cli.calibrate_run import Calibration
from shoe_bridge.errors import PortError
from shoe_bridge.runtime.config import load
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.pty_host import PtyHost
from shoe_bridge.sim.sim_table import SimTable
from shoe_bridge.sim.tags import deck_tags
from shoe_bridge.sim.toml_text import as_toml
from shoe_bridge.sim.world import World

CARD = deck_tags("blue")[0]
Config = dict[str, Any]


def wiring(ports: Path) -> Config:
    """How the table is wired: two readers, a key box with a lamp, a relay."""
    device = {"kind": "tablelink", "cycle_ms": 40}
    return {
        "table": {"id": "t-1", "game": "holdem", "seats": 2},
        "device": [
            {**device, "name": "r-1", "port": f"{ports}/r-1", "antennas": {"1": "seat 1", "2": "seat 2"}},
            {**device, "name": "r-2", "port": f"{ports}/r-2", "antennas": {"1": "board", "2": "burn"}},
            {**device, "name": "k-1", "port": f"{ports}/k-1", "keys": {"1": "shuffle", "2": "cut"}},
        ],
        "light": [
            {"name": "dealer", "kind": "tablelink", "device": "k-1", "lamp": 1},
            {"name": "floor", "kind": "lcus_relay", "port": f"{ports}/floor"},
        ],
    }


class Person:
    """Goes round the table as told. `wired` is the truth; `replies` are answers about lights that are not
    simply yes."""

    def __init__(
        self, folder: Path, replies: dict[str, str] | None = None, more: tuple[Config, ...] = ()
    ) -> None:
        self.world = World()
        self.wired = wiring(folder)
        self.wired["device"] += more
        self.sim = SimTable(self.wired, Air(self.world, "clean", Random(1)))
        self.host = PtyHost(self.sim.devices.values(), folder)
        self.lines: list[dict[str, Any]] = []
        self.skipped: tuple[str, ...] = ()
        self._replies = replies or {}
        self._asked = ""

    def tell(self, line: dict[str, Any]) -> None:
        self.lines.append(line)
        if line["type"] == "clear":
            self.lift()
        elif line["type"] == "ask":
            self._asked = line["name"]
            if line["name"] not in self.skipped:
                self.touch(line["what"], line["name"])

    def touch(self, what: str, name: str) -> None:
        with self.host.table():
            if what == "antenna":
                self.world.place(CARD, name)
            elif what == "key":
                self.sim.press(name)

    def lift(self) -> None:
        with self.host.table():
            self.world.lift(CARD)

    def readline(self) -> str:
        return self._replies.get(self._asked, "y") + "\n"

    def calibrate(self, file: Path, wait_s: float = 10.0) -> MapProof:
        proof = MapProof(load(file))
        with self.host:
            asyncio.run(Calibration(proof, self.tell, wait_s).run())
        return proof

    def told(self, kind: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["type"] == kind]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Config], Path]:
    def write(config: Config) -> Path:
        file = tmp_path / "t.toml"
        file.write_text("# as it was\n" + as_toml(config))
        return file

    return write


def test_a_table_that_is_wired_as_configured_is_proven(
    tmp_path: Path, write: Callable[[Config], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Person(tmp_path / "ports")
    monkeypatch.setattr(sys, "stdin", person)
    proof = person.calibrate(write(person.wired))
    assert (proof.unproven, proof.changes) == ([], [])
    assert [line["text"] for line in person.told("found")][:2] == [
        "seat 1: antenna 1 of r-1, as configured",
        "seat 2: antenna 2 of r-1, as configured",
    ]
    assert len(person.told("look")) == 6  # two lights, three states
    assert person.told("retry") == []


def test_each_key_of_a_keypad_is_touched_once_and_a_wrong_name_is_corrected(
    tmp_path: Path, write: Callable[[Config], Path]
) -> None:
    pad = {"name": "p-1", "kind": "hid_keyboard", "port": f"{tmp_path}/ports/p-1"}
    person = Person(tmp_path / "ports", more=({**pad, "keys": {"F1": "push", "KP1": "next hand"}},))
    said = deepcopy(person.wired)
    said["device"][3]["keys"] = {"F1": "push", "KP2": "next hand"}
    del said["light"]
    proof = person.calibrate(write(said))
    assert proof.unproven == []
    found = [line["text"] for line in person.told("found") if line["what"] == "key"]
    assert found[2:] == [
        "push: key F1 of p-1, as configured",
        "next hand: key KP1 of p-1, not key KP2 of p-1 as configured",
    ]
    assert proof.corrected().devices[3].keys == {0x3A: "push", 0x59: "next hand"}


def test_what_is_wired_otherwise_is_found(
    tmp_path: Path, write: Callable[[Config], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cables exchanged between two readers, two keys and two lights."""
    person = Person(tmp_path / "ports", {"dealer": "floor", "floor": "dealer"})
    monkeypatch.setattr(sys, "stdin", person)
    said = deepcopy(person.wired)
    said["device"][0]["antennas"] = {"1": "seat 1", "2": "board"}
    said["device"][1]["antennas"] = {"1": "burn", "9": "seat 2"}
    said["device"][2]["keys"] = {"1": "cut", "2": "shuffle"}
    said["light"][0]["name"], said["light"][1]["name"] = "floor", "dealer"
    proof = person.calibrate(write(said))
    assert proof.unproven == []
    corrected = proof.corrected()
    assert [device.antennas for device in corrected.devices] == [
        {1: "seat 1", 2: "seat 2"},
        {1: "board", 2: "burn"},
        {},
    ]
    assert corrected.devices[2].keys == {1: "shuffle", 2: "cut"}
    assert [light.name for light in corrected.lights] == ["dealer", "floor"]


def test_what_nobody_touches_is_not_proven(
    tmp_path: Path, write: Callable[[Config], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Person(tmp_path / "ports", {"floor": "n"})
    person.skipped = ("board", "cut")
    person.world.place(CARD, "burn")  # it must be taken away before it begins
    monkeypatch.setattr(sys, "stdin", person)
    proof = person.calibrate(write(person.wired), wait_s=1.5)
    assert [question.name for question in proof.unproven] == ["board", "cut", "floor"]
    assert [line["text"] for line in person.told("clear")] == ["take the cards off antenna 2 of r-2"]


def test_another_device_at_a_port_is_refused(tmp_path: Path, write: Callable[[Config], Path]) -> None:
    person = Person(tmp_path / "ports")
    said = deepcopy(person.wired)
    said["device"][0]["identity"] = "00000000000000AA"
    with pytest.raises(PortError, match="r-1 says that it is device"):
        person.calibrate(write(said))


class _Hand(threading.Thread):
    """Reads what the command prints and touches what it asks for, as a script would."""

    def __init__(self, person: Person, read: Callable[[], str]) -> None:
        super().__init__(daemon=True)
        self._person, self._read = person, read
        self.done = threading.Event()

    def run(self) -> None:
        seen = 0
        while not self.done.is_set():
            lines = self._read().splitlines()
            for line in lines[seen:]:
                self._person.tell(json.loads(line))
            seen = len(lines)
            time.sleep(0.02)


def test_the_command_corrects_the_file_and_keeps_the_old_one(
    tmp_path: Path, write: Callable[[Config], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Person(tmp_path / "ports")
    said = deepcopy(person.wired)
    said["device"][0]["antennas"] = {"1": "seat 2", "2": "seat 1"}
    file = write(said)
    before = file.read_text()
    printed: list[str] = []
    monkeypatch.setattr("typer.echo", lambda text, err=False: printed.append(text))
    hand = _Hand(person, lambda: "\n".join(printed))
    hand.start()
    try:
        with person.host:
            arguments = ["calibrate", "--config", str(file), "--only", "antennas", "--json"]
            assert run_command([*arguments, "--check"]) == 1
            assert file.read_text() == before
            printed.clear()
            hand.done.set()
            hand.join()
            person.lift()
            hand = _Hand(person, lambda: "\n".join(printed))
            hand.start()
            assert run_command(arguments) == 0
    finally:
        hand.done.set()
        hand.join()
    result = json.loads(printed[-1])
    assert (result["proven"], result["written"]) == (4, str(file))
    assert result["changed"] == ["seat 1: antenna 1 of r-1", "seat 2: antenna 2 of r-1"]
    assert load(file).devices[0].antennas == {1: "seat 1", 2: "seat 2"}
    assert file.read_text().startswith("# as it was\n")
    assert (tmp_path / "t.toml.old").read_text() == before


def test_a_card_is_no_key_and_a_key_is_no_card(
    tmp_path: Path, write: Callable[[Config], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody lays a card first when a key is asked for, and presses a key when an antenna is."""

    class Clumsy(Person):
        def touch(self, what: str, name: str) -> None:
            with self.host.table():
                if what == "key":
                    self.world.lift(CARD)
                    self.world.place(CARD, "seat 1" if name == "cut" else "seat 2")
                else:
                    self.sim.press("cut")
            threading.Timer(0.8, super().touch, (what, name)).start()

    person = Clumsy(tmp_path / "ports")
    monkeypatch.setattr(sys, "stdin", person)
    file = write(person.wired)
    proof = person.calibrate(file)
    assert (proof.unproven, proof.changes) == ([], [])
    assert person.told("retry") == []
    assert proof.corrected() == load(file)
