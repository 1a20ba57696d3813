"""Opens what a port URL names and gives one file descriptor for it, whatever is behind.

/dev/…              a serial port (or the far end of a pty)
match:KEY=VALUE,…   the one USB serial port that is so (see `port_match`)
socket://HOST:PORT  a serial server that passes plain bytes over TCP
rfc2217://HOST:PORT a serial server that is configured over the same TCP connection (telnet)
listen://HOST:PORT  a device that opens the TCP connection to this host

A name of a USB device (`usb:…`, `usb@…`) is no byte path: `adapters.usb` has those.
"""

import fcntl
import os
import socket
import termios
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import serial

from shoe_bridge.adapters.callers import Hearing
from shoe_bridge.adapters.listening import Door, keep_alive
from shoe_bridge.adapters.port_faults import local_fault, not_a_port, remote_fault, taken_fault
from shoe_bridge.adapters.port_match import find_port, match_of
from shoe_bridge.adapters.rfc2217 import Rfc2217Serial
from shoe_bridge.errors import PortError

_CONNECT_S = 5.0
_PTY_MAJORS = range(136, 144)  # Unix98 pty far ends, Linux devices.txt
_PUMP_BYTES = 4096


@dataclass(frozen=True)
class BytePath:
    """An open path: `fd` is non-blocking, `close` releases everything behind it, `is_tty` allows tcflush.

    `why_ended` says, once `fd` reads as ended, what this side knows of the reason; None: nothing.
    `is_server`: a serial server is behind it, which may serve one client only. `give_way`, where the far side
    connects by itself: to be asked now and then with whether a device was heard over it, says why this path
    has to end for another one; `far_sides` are then the addresses from which somebody has connected.
    """

    fd: int
    close: Callable[[], None]
    is_tty: bool
    why_ended: Callable[[], str | None] = lambda: None
    is_server: bool = False
    give_way: Callable[[bool], str | None] | None = None
    far_sides: Callable[[], tuple[str, ...]] = tuple


def is_remote(url: str) -> bool:
    """Whether `url` names something else than a path of this host."""
    return "://" in url or url.startswith(("usb:", "usb@"))


def open_path(
    url: str,
    baud: int,
    parity: str,
    lines_low: bool,
    root: Path = Path("/"),
    may_wait: Callable[[], bool] = lambda: False,
    make_hearing: Callable[[], Hearing] | None = None,
) -> BytePath:
    """Opens `url` at `baud` bit/s, 8 data bits, `parity` (N, E, O), one stop bit. `may_wait` says for as long
    as a device that connects by itself is waited for, `make_hearing` how those are asked who connect besides.

    Raises PortError with one sentence. May take seconds when the far side is a network, so that callers on an
    event loop run it in a thread.
    """
    match = match_of(url)
    if match is not None:
        return _open_tty(find_port(match, root), baud, parity, lines_low, root)
    if not is_remote(url):
        return _open_tty(url, baud, parity, lines_low, root)
    host, port = _address(url)
    if url.startswith("socket://"):
        return _open_socket(url, host, port)
    if url.startswith("listen://"):
        return _open_door(url, host, port, may_wait, make_hearing)
    return _open_rfc2217(url, baud, parity, lines_low)


def _address(url: str) -> tuple[str, int]:
    form = "socket://HOST:PORT, rfc2217://HOST:PORT or listen://HOST:PORT"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or not port or parts.scheme not in ("socket", "rfc2217", "listen"):
        raise PortError(f"{url} is no port that can be opened; write a path such as /dev/ttyUSB0, or {form}.")
    return host, port


class _QuietSerial(serial.Serial):
    """Keeps what arrives while the port opens, which pyserial drops: a device that speaks first is heard.

    A pty has no parity bit, and a demand for one that changes nothing else is an invalid argument to glibc:
    of a pty none is demanded."""

    def _reset_input_buffer(self) -> None:
        return

    def _reconfigure_port(self, force_update: bool = False) -> None:
        if self.fd is not None and _is_pty(self.fd):  # it is open, and pyserial does not say so yet
            self._parity = serial.PARITY_NONE
        super()._reconfigure_port(force_update)  # type: ignore[misc]  # not in its stubs


def _open_tty(path: str, baud: int, parity: str, lines_low: bool, root: Path) -> BytePath:
    fault = not_a_port(path, root)
    if fault:
        raise PortError(fault)
    port = _QuietSerial()
    try:
        _configure(port, path, baud, parity, lines_low)
        # VMIN 1: a read without bytes says EAGAIN, so that "no bytes" can only mean the end of the line.
        port.inter_byte_timeout = 0
        port.exclusive = True
        port.open()
        _keep_others_out(port.fileno())
    except (
        OSError,
        termios.error,
        ValueError,
    ) as error:  # termios.error is not an OSError; SerialException is one
        port.close()
        raise PortError(_tty_fault(path, baud, error, root)) from error
    return BytePath(port.fileno(), port.close, is_tty=True)


def _configure(port: serial.SerialBase, url: str, baud: int, parity: str, lines_low: bool) -> None:
    """Sets everything before the port opens. `lines_low` keeps DTR and RTS low, which reset some readers."""
    port.port = url
    port.baudrate = baud
    port.parity = parity
    port.dtr = not lines_low
    port.rts = not lines_low


def _tty_fault(path: str, baud: int, error: BaseException, root: Path) -> str:
    if isinstance(error, ValueError):
        return f"{path} cannot be set to {baud} baud ({error}); correct the baud rate or the parity."
    if "Could not configure port" in str(error) and "Inappropriate ioctl" in str(error):
        return local_fault(path, OSError(25, "not a terminal"), root)
    return local_fault(path, error, root)


def _keep_others_out(fd: int) -> None:
    """The lock keeps programs out that ask for it; TIOCEXCL also those that do not, such as a modem prober.

    Not on a pty: there the flag would outlive a killed process for as long as the other side stays open.
    """
    if not _is_pty(fd):
        fcntl.ioctl(fd, termios.TIOCEXCL)


def _is_pty(fd: int) -> bool:
    return os.major(os.fstat(fd).st_rdev) in _PTY_MAJORS


def _open_socket(url: str, host: str, port: int) -> BytePath:
    """A plain TCP connection. (pyserial's own drops the first bytes and sleeps 0.3 s in its close.)"""
    try:
        sock = socket.create_connection((host, port), timeout=_CONNECT_S)
    except (OSError, UnicodeError) as error:
        raise PortError(remote_fault(url, error)) from error
    return _socket_path(sock, is_server=True)


def _socket_path(sock: socket.socket, *, is_server: bool) -> BytePath:
    sock.setblocking(False)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    keep_alive(sock)
    return BytePath(sock.fileno(), sock.close, is_tty=False, is_server=is_server)


def _open_door(
    url: str,
    host: str,
    port: int,
    may_wait: Callable[[], bool],
    make_hearing: Callable[[], Hearing] | None,
) -> BytePath:
    door = Door(url, host, port, make_hearing)
    try:
        path = _socket_path(door.first(may_wait), is_server=False)
    except BaseException:
        door.close()
        raise

    def close() -> None:
        path.close()
        door.close()

    return replace(path, close=close, give_way=door.give_way, far_sides=lambda: door.far_sides)


def _open_rfc2217(url: str, baud: int, parity: str, lines_low: bool) -> BytePath:
    port = Rfc2217Serial()
    try:
        _configure(port, url, baud, parity, lines_low)
        port.open()
    except (OSError, ValueError) as error:
        said = taken_fault(url) if port.is_hung_up else remote_fault(url, error)
        raise PortError(said) from error
    return pump(port, url)


def pump(port: Rfc2217Serial, name: str) -> BytePath:
    """Gives a port that has no descriptor one: two threads move its bytes through a socket pair.

    Closing our end ends the writing thread, which closes the port, which ends the reading thread; a port that
    fails closes our far end, which reads as the end of the line.
    """
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    for target, what in ((_pump_in, "in"), (_pump_out, "out")):
        threading.Thread(target=target, args=(port, theirs), name=f"{name} {what}", daemon=True).start()
    return BytePath(ours.fileno(), ours.close, is_tty=False, why_ended=lambda: port.fault, is_server=True)


def _pump_in(port: Rfc2217Serial, theirs: socket.socket) -> None:
    try:
        while part := port.received():
            theirs.sendall(part)
    except OSError:  # our end closed
        pass
    finally:
        _shut(theirs)  # wakes the other thread and ends our end


def _pump_out(port: Rfc2217Serial, theirs: socket.socket) -> None:
    try:
        while chunk := theirs.recv(_PUMP_BYTES):
            port.write(chunk)
    except OSError:
        pass
    finally:
        _shut(theirs)
        port.close()
        theirs.close()


def _shut(sock: socket.socket) -> None:
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:  # closed already
        pass
