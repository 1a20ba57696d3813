import errno
import fcntl
import os
import select
import struct
import termios
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
import serial

from protocol import tablelink
from protocol.messages import Ack, Hello, HostCommand, KeyPressed, KeyReleased, TagSeen
from shoe_bridge.adapters.tty import TtyPort
from shoe_bridge.errors import PortError
from shoe_bridge.runtime.config import LINE_OF_KIND
from shoe_bridge.sim.light_devices import TowerLight
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.pty_host import PtyHost
from shoe_bridge.sim.sim_table import SimTable, equipment
from shoe_bridge.sim.stage import Stage
from shoe_bridge.sim.steps import parse_step
from shoe_bridge.sim.tags import decks_of
from shoe_bridge.sim.world import World

SPEED = 20.0
PATIENCE_S = 20


@pytest.fixture
def table() -> SimTable:
    return SimTable(equipment(cycle_ms=100), Air(World()))


@pytest.fixture
def stage(table: SimTable) -> Stage:
    return Stage(table, decks_of(()), Random(1))


@pytest.fixture
def host(table: SimTable, tmp_path: Path) -> Iterator[PtyHost]:
    with PtyHost(table.devices.values(), tmp_path, SPEED) as host:
        yield host


class Line:
    """The far end of a simulated port, opened as a host opens it."""

    def __init__(self, path: Path, parse: Callable[[bytes], list]) -> None:
        self.fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self.fd)
        self.said: list = []
        self._parse = parse

    def read_until(self, is_enough: Callable[[list], bool]) -> None:
        until_s = time.monotonic() + PATIENCE_S
        while not is_enough(self.said):
            assert time.monotonic() < until_s, self.said[-5:]
            if select.select([self.fd], [], [], 0.2)[0]:
                self.said += self._parse(os.read(self.fd, 4096))

    def close(self) -> None:
        os.close(self.fd)


@pytest.fixture
def open_line(tablelink_host, host: PtyHost, table: SimTable) -> Iterator[Callable[[str], Line]]:
    lines: list[Line] = []

    def open_line(name: str) -> Line:
        line = Line(host.paths()[name], tablelink_host(table.devices[name]).parse)
        lines.append(line)
        return line

    yield open_line
    for line in lines:
        line.close()


def greet(line: Line) -> None:
    os.write(line.fd, tablelink.encode_command(HostCommand("hello_request")))
    line.read_until(lambda said: any(isinstance(m, Hello) for m, _ in said))
    (hello,) = [m for m, _ in line.said if isinstance(m, Hello)]
    args = {"boot_id": hello.boot_id, "after_seq": 0, "nothing_seen": 1}
    os.write(line.fd, tablelink.encode_command(HostCommand("resume", args)))
    line.read_until(lambda said: any(isinstance(m, Ack) for m, _ in said))


def test_a_device_is_a_port_that_talks(host, stage, open_line) -> None:
    reader, keys = open_line("reader-1"), open_line("keys-1")
    greet(reader)
    greet(keys)
    steps = [parse_step(text) for text in ("shuffle", "deal 1 -> seat 3")]
    begun: list[int] = []
    assert host.play(stage, steps, lambda index, step: begun.append(index))
    assert begun == [1, 2]
    keys.read_until(lambda said: any(isinstance(m, KeyReleased) for m, _ in said))
    assert [m.key for m, _ in keys.said if isinstance(m, KeyPressed)] == [1]
    reader.read_until(lambda said: any(isinstance(m, TagSeen) and m.antenna == 3 for m, _ in said))


def test_bytes_that_nobody_reads_are_lost_and_a_late_host_is_served(host, open_line) -> None:
    until_s = time.monotonic() + PATIENCE_S
    while not host.lost_bytes.get("keys-1") and time.monotonic() < until_s:
        host.wait(500)
    assert host.lost_bytes["keys-1"] > 0
    for _ in range(3):
        line = open_line("keys-1")
        greet(line)


def test_an_unplugged_device_has_no_port(host, table, open_line) -> None:
    line = open_line("reader-1")
    path = host.paths()["reader-1"]
    with host.table():
        table.device("reader-1").unplug()
    assert wait_for(lambda: not path.is_symlink())
    assert ends(line.fd)
    with host.table():
        table.device("reader-1").replug()
    assert wait_for(path.is_symlink)
    assert Path(os.readlink(path)).exists()
    greet(open_line("reader-1"))


EVERY_KIND = {
    "device": [
        {"name": kind, "kind": kind, "antennas": {"1": "seat 1"}}
        for kind in ("tablelink", "pepper_c1", "feig_obid", "text_line", "pn532", "yrm100", "r2000")
    ]
    + [{"name": kind, "kind": kind} for kind in ("angel_eye", "bee_tek", "hid_keyboard", "patlite_ne")],
    "light": [{"name": kind, "kind": kind} for kind in ("lcus_relay", "adafruit_tower")],
}


@pytest.mark.parametrize("name", [box["name"] for boxes in EVERY_KIND.values() for box in boxes])
def test_each_host_finds_a_port_as_the_first_one_did(name: str, tmp_path: Path) -> None:
    devices = SimTable(EVERY_KIND, Air(World())).devices
    baud, parity = LINE_OF_KIND.get(name, (9_600, "N"))
    with PtyHost([devices[name]], tmp_path) as host:
        for _ in range(3):
            with serial.Serial(str(host.paths()[name]), baud, parity=parity) as client:
                fcntl.ioctl(client.fileno(), termios.TIOCEXCL)
            path = os.path.realpath(host.paths()[name])
            assert wait_for(lambda: is_as_new(host.paths()[name]))
        assert os.path.realpath(host.paths()[name]) == path


@pytest.mark.parametrize("parity", ["N", "E", "O"])
def test_a_bridge_may_open_a_pty_again_at_once_with_any_parity(parity: str) -> None:
    near, far = os.openpty()
    for _ in range(3):
        port = TtyPort(os.ttyname(far), baud=38_400, parity=parity)
        port.connect()  # raises PortError where it may not
        assert termios.tcgetattr(far)[4:6] == [termios.B38400, termios.B38400]
        port.close()
    os.close(near)
    os.close(far)


TIOCGEXCL = 0x80045440  # asm-generic/ioctls.h; gives an int


def is_as_new(path: Path) -> bool:
    """Whether no host has left its lock or its settings at the port. (A superuser passes the lock.)"""
    try:
        fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return False
    try:
        is_locked = struct.unpack("i", fcntl.ioctl(fd, TIOCGEXCL, bytes(4)))[0]
        return not is_locked and not termios.tcgetattr(fd)[2] & termios.CLOCAL
    finally:
        os.close(fd)


def ends(fd: int) -> bool:
    """Whether the line tells the host, after its last bytes, that the device is gone."""
    while True:
        try:
            if not os.read(fd, 4096):
                return True
        except OSError as error:
            return error.errno == errno.EIO


def wait_for(is_true: Callable[[], bool]) -> bool:
    until_s = time.monotonic() + PATIENCE_S
    while not is_true():
        if time.monotonic() > until_s:
            return False
        time.sleep(0.005)
    return True


def test_lights_with_a_port_take_bytes(tmp_path: Path) -> None:
    tower = TowerLight("dealer")
    with PtyHost([tower], tmp_path) as host:
        fd = os.open(host.paths()["dealer"], os.O_RDWR | os.O_NOCTTY)
        os.write(fd, b"\x11")
        assert wait_for(lambda: tower.shown["red"] == "on")
        os.close(fd)


def test_closing_leaves_nothing_behind(table: SimTable, tmp_path: Path) -> None:
    fds, threads = len(os.listdir("/proc/self/fd")), threading.active_count()
    for _ in range(20):
        with PtyHost(table.devices.values(), tmp_path / "ports", SPEED) as host:
            assert all(path.is_symlink() for path in host.paths().values())
    assert list((tmp_path / "ports").iterdir()) == []
    assert len(os.listdir("/proc/self/fd")) == fds
    assert threading.active_count() == threads


def test_a_stale_name_is_replaced_and_a_file_is_not(table: SimTable, tmp_path: Path) -> None:
    (tmp_path / "reader-1").symlink_to("/dev/pts/99999")
    with PtyHost(table.devices.values(), tmp_path) as host:
        assert Path(os.readlink(host.paths()["reader-1"])).exists()
    (tmp_path / "keys-1").write_text("mine")
    with pytest.raises(PortError, match="is in the way of the simulated keys-1"):
        PtyHost(table.devices.values(), tmp_path).start()
    assert (tmp_path / "keys-1").read_text() == "mine"
    assert not (tmp_path / "reader-1").is_symlink()


def test_a_folder_that_cannot_be_made_is_one_sentence(table: SimTable, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PortError, match="cannot be made for the simulated ports"):
        PtyHost(table.devices.values(), tmp_path / "file" / "ports").start()


def test_stopping_ends_a_play_at_once(host, stage) -> None:
    results: list[bool] = []
    steps = [parse_step("wait 9000000")]
    player = threading.Thread(target=lambda: results.append(host.play(stage, steps)))
    player.start()
    host.close()
    player.join(PATIENCE_S)
    assert results == [False]


def test_a_failure_of_the_thread_is_not_silent(tmp_path: Path) -> None:
    class Broken(TowerLight):
        def advance(self, at_ms: int) -> bytes:
            raise RuntimeError("broken model")

    host = PtyHost([Broken("dealer")], tmp_path)
    host.start()
    assert wait_for(lambda: not host.wait(1))
    with pytest.raises(RuntimeError, match="broken model"):
        host.close()
    host.close()
