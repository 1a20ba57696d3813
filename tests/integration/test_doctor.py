"""`doctor` listens at real ptys: a device on its link, a stranger's port without a word to it."""

import asyncio
import json
import os
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from protocol import tablelink
from protocol.messages import Hello, Stamp
from shoe_bridge.adapters.host import SerialPort
from shoe_bridge.cli import run_command
from shoe_bridge.cli.doctor_probe import listen_to, probe_devices
from shoe_bridge.runtime.config import DeviceConfig

HELLO = tablelink.encode(Hello("0011223344556677", "1.0.0", 7, ("keys",), keys=3), Stamp(0, False, False, 5))


class Stranger:
    """The far end of a pty that says `said` over and over; `heard` is what was written to it."""

    def __init__(self, said: bytes) -> None:
        self.near, self._far = os.openpty()
        tty.setraw(self._far)
        self.path = os.ttyname(self._far)
        self._said = said
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._talk, daemon=True)
        self._thread.start()

    def _talk(self) -> None:
        while not self._stop.wait(0.05):
            if self._said:
                os.write(self.near, self._said)

    @property
    def heard(self) -> bytes:
        os.set_blocking(self.near, False)
        try:
            return os.read(self.near, 4096)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        os.close(self.near)
        os.close(self._far)


@pytest.fixture
def stranger() -> Iterator[Callable[[bytes], Stranger]]:
    made: list[Stranger] = []

    def make(said: bytes) -> Stranger:
        made.append(Stranger(said))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.parametrize(
    ("said", "kinds"),
    [(HELLO, ("tablelink",)), (b"\x00\xa5\x13", ()), (b"", ())],
    ids=["frames", "noise", "none"],
)
def test_a_port_of_nobody_is_listened_to_without_a_word(
    stranger: Callable[[bytes], Stranger], said: bytes, kinds: tuple[str, ...]
) -> None:
    one = stranger(said)
    (heard,) = asyncio.run(listen_to([SerialPort(one.path, "", chip="cp210x")], seconds=0.3))
    assert heard.sounds_like == kinds
    assert (heard.received > 0) is bool(said)
    assert one.heard == b""


def test_a_device_is_probed_on_its_link_to_all_three_levels(rig: Callable[..., Any]) -> None:
    table = rig()
    with table.host.table():
        table.sim.press("shuffle")
    (reader, keys) = asyncio.run(probe_devices(table.config.devices))
    for probe in (reader, keys):
        assert probe.is_open
        assert probe.verified
        assert probe.trouble is None
        assert probe.received > probe.frames > 0
    assert keys.events >= 1
    assert keys.identity == table.devices["keys-1"].device_id


@pytest.mark.parametrize(("said", "received"), [(b"", 0), (b"<Card:4S>\r\n", 1)], ids=["silent", "other"])
def test_a_device_that_does_not_speak_its_kind_is_named_by_level(
    stranger: Callable[[bytes], Stranger], said: bytes, received: int
) -> None:
    one = stranger(said)
    device = DeviceConfig(name="r", kind="tablelink", port=one.path, antennas={1: "board"})
    begun_s = time.monotonic()
    (probe,) = asyncio.run(probe_devices([device]))
    assert time.monotonic() - begun_s < 8
    assert (probe.received >= received, probe.frames, probe.verified) == (True, 0, False)
    assert probe.trouble is not None
    assert probe.sounds_like[:1] == (("bee_tek",) if said else ())
    assert one.heard != b""  # it was asked


def test_the_command_shows_each_device_of_a_table(
    rig: Callable[..., Any], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table = rig()
    run_command(["doctor", "--config", str(table.file), "--state", str(tmp_path), "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    devices = {line["name"]: line for line in lines if line["type"] == "device"}
    assert set(devices) == {"reader-1", "keys-1"}
    assert all(line["verified"] for line in devices.values())
    run_command(["doctor", "--config", str(table.file), "--state", str(tmp_path), "--no-probe"])
    assert "device:" not in capsys.readouterr().out


def test_a_running_bridge_of_the_table_is_a_note_and_a_stranger_is_wrong(
    rig: Callable[..., Any], start: Callable[..., Any], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table = rig()
    bridge = start(table)
    bridge.until_seen(type="armed", armed=True)
    run_command(["doctor", "--config", str(table.file), "--state", str(tmp_path), "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    troubles = {line["where"]: line for line in lines if line["type"] == "trouble"}
    for name in ("reader-1", "keys-1", "relay"):
        path = os.path.realpath(table.ports / name)
        assert troubles[path]["grave"] is False
        assert f"(pid {bridge.pid}), as it should" in troubles[path]["what"]
    assert not [line for line in lines if line["type"] == "device"]  # no word to what the bridge has
    other = tmp_path / "other.toml"
    other.write_text(table.file.read_text())
    run_command(["doctor", "--config", str(other), "--state", str(tmp_path), "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    grave = {line["where"]: line["what"] for line in lines if line["type"] == "trouble" and line["grave"]}
    path = os.path.realpath(table.ports / "keys-1")
    assert grave[path] == f"it is in use by the bridge of {table.file} (pid {bridge.pid})"
