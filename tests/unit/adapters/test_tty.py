"""Opening faults as sentences, and what can be shown of `TtyPort` without a far side."""

import errno
import os
import socket
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest
import serial

from shoe_bridge.adapters import byte_paths, port_faults
from shoe_bridge.adapters.byte_paths import is_remote, open_path
from shoe_bridge.adapters.port_faults import (
    holders,
    hung_up_phrase,
    local_fault,
    near_ports,
    permission_fix,
    remote_fault,
)
from shoe_bridge.adapters.stream import StreamPort
from shoe_bridge.adapters.tty import TtyPort
from shoe_bridge.errors import PortError


def nothing_read(_data: bytes, _at_mono_ns: int) -> None:
    raise AssertionError("nothing can have been read")


def never_lost(why: str) -> None:
    raise AssertionError(why)


def sentence_of(url: str, root: Path = Path("/"), baud: int = 9600, parity: str = "N") -> str:
    with pytest.raises(PortError) as caught:
        TtyPort(url, baud=baud, parity=parity, root=root).open(nothing_read, never_lost)
    return one_sentence(str(caught.value))


def one_sentence(text: str) -> str:
    assert text.endswith(".")
    assert "\n" not in text
    assert ". " not in text
    return text


@pytest.fixture
def pty_name() -> Iterator[str]:
    near, far = os.openpty()
    name = os.ttyname(far)
    yield name
    os.close(near)
    os.close(far)


def test_missing_port_names_those_that_are_there(tmp_path: Path, pty_name: str) -> None:
    by_id = tmp_path / "dev/serial/by-id"
    by_id.mkdir(parents=True)
    (by_id / "usb-reader").symlink_to(pty_name)
    (by_id / "usb-not-a-device").touch()
    text = sentence_of(str(tmp_path / "dev/ttyUSB0"), tmp_path)
    assert text == (
        f"{tmp_path}/dev/ttyUSB0 does not exist; plug the device in, or use one of the ports that are there: "
        f"{by_id}/usb-reader."
    )


def test_missing_port_where_none_is_there(tmp_path: Path) -> None:
    text = sentence_of(str(tmp_path / "reader-1"), tmp_path)
    assert text == f"{tmp_path}/reader-1 does not exist; no serial port is there now: plug the device in."


def test_near_ports_puts_the_most_similar_first(tmp_path: Path, pty_name: str) -> None:
    for name in ("reader-1", "reader-2", "keys-1"):
        (tmp_path / name).symlink_to(pty_name)
    assert near_ports(str(tmp_path / "reader-3"), tmp_path) == [
        f"{tmp_path}/reader-1",
        f"{tmp_path}/reader-2",
    ]


def test_a_dangling_link_does_not_exist(tmp_path: Path) -> None:
    (tmp_path / "reader-1").symlink_to(tmp_path / "gone")
    assert "does not exist" in sentence_of(str(tmp_path / "reader-1"), tmp_path)


def test_what_is_no_serial_port(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "is a regular file and no serial port" in sentence_of(str(tmp_path / "file"), tmp_path)
    assert "is a folder and no serial port" in sentence_of(str(tmp_path), tmp_path)
    assert "/dev/null is a device but no serial port" in sentence_of("/dev/null", tmp_path)


def test_a_port_that_is_in_use_names_who_uses_it(pty_name: str) -> None:
    path = open_path(pty_name, 9600, "N", lines_low=True)
    try:
        text = sentence_of(pty_name)
        assert f"{pty_name} is in use by " in text
        assert f"(pid {os.getpid()}); stop that program" in text
    finally:
        path.close()


def test_holders_reads_the_process_table(tmp_path: Path) -> None:
    (tmp_path / "port").touch()
    for pid, opened in (("41", "port"), ("42", "other")):
        (tmp_path / "proc" / pid / "fd").mkdir(parents=True)
        (tmp_path / "proc" / pid / "fd" / "3").symlink_to(tmp_path / opened)
        (tmp_path / "proc" / pid / "comm").write_text("ModemManager\n")
    assert holders(str(tmp_path / "port"), tmp_path) == ["ModemManager (pid 41)"]


def test_wrong_settings_are_named(pty_name: str) -> None:
    assert "cannot be set to -5 baud" in sentence_of(pty_name, baud=-5)
    assert "the parity" in sentence_of(pty_name, parity="Q")


def serial_error(code: int) -> serial.SerialException:
    return serial.SerialException(code, f"could not open port: [Errno {code}]")


@pytest.mark.parametrize(
    ("error", "part"),
    [
        (serial_error(errno.EACCES), "this user may not open the port; run: sudo "),
        (serial_error(errno.EBUSY), "is in use by another program"),
        (serial_error(errno.EAGAIN), "is in use by another program"),
        (serial_error(errno.ENXIO), "no hardware behind it"),
        (termios.error(errno.EIO, "Input/output error"), "no hardware behind it"),
        (serial_error(errno.ENOENT), "does not exist"),
        (serial_error(errno.EMFILE), "cannot be opened (too many open files)"),
        (serial.SerialException("odd"), "cannot be opened (odd)"),
    ],
)
def test_local_faults(tmp_path: Path, error: BaseException, part: str) -> None:
    assert part in one_sentence(local_fault(str(tmp_path / "port"), error, tmp_path))


class Seen:
    """What `os.stat` says of a port: only the fields that the advice rests on."""

    def __init__(self, gid: int, mode: int) -> None:
        self.st_gid = gid
        self.st_mode = mode


@pytest.mark.parametrize(
    ("gid", "mode", "command"),
    [
        (20, 0o20660, "run: sudo usermod -aG dialout $USER, then log out and in again"),
        (77, 0o20660, "run: sudo usermod -aG 77 $USER, then log out and in again"),
        (0, 0o20600, "run: sudo chgrp dialout /dev/ttyX && sudo chmod g+rw /dev/ttyX"),
        (20, 0o20600, "run: sudo chgrp dialout /dev/ttyX && sudo chmod g+rw /dev/ttyX"),
    ],
)
def test_the_command_that_permits_goes_by_the_ports_group(
    monkeypatch: pytest.MonkeyPatch, gid: int, mode: int, command: str
) -> None:
    class Groups:
        @staticmethod
        def getgrgid(number: int) -> object:
            if number != 20:
                raise KeyError(number)
            return type("Group", (), {"gr_name": "dialout"})

    monkeypatch.setattr(port_faults.os, "stat", lambda _path: Seen(gid, mode))
    monkeypatch.setattr(port_faults, "grp", Groups)
    assert permission_fix("/dev/ttyX") == command


def test_a_folder_that_may_not_be_entered(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: str) -> object:
        raise PermissionError(errno.EACCES, "denied")

    monkeypatch.setattr(port_faults.os, "stat", refuse)
    assert port_faults.not_a_port("/locked/port") == (
        "/locked/port: a folder on the way to this port may not be entered; run: sudo chmod a+x /locked."
    )


@pytest.mark.parametrize(
    ("error", "part"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "x"), "refuses this port number"),
        (socket.gaierror(-2, "Name or service not known"), "no host of that name"),
        (TimeoutError("timed out"), "did not answer"),
        (OSError(errno.EHOSTUNREACH, "x"), "cannot be reached from here"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "x"), "that it serves already"),
        (OSError(errno.ECONNRESET, "x"), "takes one at a time: end that program"),
        (OSError(errno.EPROTO, "x"), "cannot be opened (protocol error)"),
        (serial.SerialException("Remote does not seem to support RFC2217 or BINARY mode"), "use socket://"),
    ],
)
def test_remote_faults(error: BaseException, part: str) -> None:
    assert part in one_sentence(remote_fault("socket://moxa:4001", error))


@pytest.mark.parametrize(
    ("heard", "is_refusal"),
    [
        (b"", True),
        (b"Port already in use\r\n", True),
        (b"\xff\xfd\x2cDevice busy.\r\n", True),
        (b"04 06 B9 02\r\n", False),
        (b"in use? " * 20, False),
    ],
)
def test_a_serial_server_that_is_taken_is_told_from_a_device(heard: bytes, is_refusal: bool) -> None:
    assert (hung_up_phrase(heard) is not None) is is_refusal


@pytest.mark.parametrize(
    "url",
    [
        "socket://moxa",
        "socket://:4001",
        "socket://moxa:0",
        "socket://moxa:70000",
        "tcp://moxa:1",
        "usb:1a86:7523",
    ],
)
def test_urls_that_name_no_port(url: str) -> None:
    assert is_remote(url)
    assert f"{url} is no port that can be opened; write a path" in sentence_of(url)


class FakeSerial:
    """Stands for a port of the host: notes what was set before it opened."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.seen: dict[str, object] = {}

    def open(self) -> None:
        self.seen = {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def fileno(self) -> int:
        return self._fd

    def close(self) -> None:
        return


@pytest.mark.parametrize("lines_low", [True, False])
def test_line_settings_stand_before_the_port_opens(
    monkeypatch: pytest.MonkeyPatch, pty_name: str, lines_low: bool
) -> None:
    fd = os.open(pty_name, os.O_RDWR | os.O_NOCTTY)
    fake = FakeSerial(fd)
    monkeypatch.setattr(byte_paths, "_QuietSerial", lambda: fake)
    try:
        assert open_path(pty_name, 38400, "E", lines_low).fd == fd
    finally:
        os.close(fd)
    assert fake.seen | {"seen": None} == {
        "seen": None,
        "port": pty_name,
        "baudrate": 38400,
        "parity": "E",
        "dtr": not lines_low,
        "rts": not lines_low,
        "inter_byte_timeout": 0,
        "exclusive": True,
    }


def test_a_port_that_is_not_open_takes_nothing() -> None:
    port = TtyPort("/dev/ttyUSB0")
    assert not port.write(b"x")
    port.drop_unsent()
    port.close()
    port.close()


def test_stream_port_writes_at_once(tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as stream:
        port = StreamPort(stream)
        port.open(nothing_read, never_lost)
        assert port.write(b"light dealer\n")
        assert (tmp_path / "out").read_bytes() == b"light dealer\n"
        port.close()
        assert not port.write(b"x")


def test_stream_port_does_not_wait_for_a_full_pipe() -> None:
    read_fd, write_fd = os.pipe()
    os.set_blocking(write_fd, False)
    with os.fdopen(read_fd, "rb"), os.fdopen(write_fd, "wb", buffering=0) as stream:
        while stream.write(b"x" * 4096):
            pass
        os.set_blocking(write_fd, True)
        port = StreamPort(stream)
        port.open(nothing_read, never_lost)
        assert not port.write(b"late\n")


def test_stream_port_tells_once_that_its_reader_is_gone() -> None:
    read_fd, write_fd = os.pipe()
    os.close(read_fd)
    told: list[str] = []
    with os.fdopen(write_fd, "wb", buffering=0) as stream:
        port = StreamPort(stream)
        port.open(nothing_read, told.append)
        assert not port.write(b"x")
        assert not port.write(b"x")
    assert len(told) == 1
    assert "cannot be written" in told[0]
