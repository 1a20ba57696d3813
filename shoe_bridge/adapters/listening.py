"""listen://HOST:PORT: a device that opens the connection itself, such as a FEIG reader that notifies.

HOST is the address of this host on the network of the readers. One far side has the place; who comes later
waits at the door, and what becomes of it hangs on whether a device was heard over the connection in place:

    the one in place    | who waits
    has proven a device | is turned away after `GRACE_S`: a working reader is thrown out by nobody
    came just now       | waits for as long as that one has to prove itself, `GRACE_S`
    has proven nothing  | gets the place: a port scanner, or a program that says nothing, gives way
    is silent since     | gets the place: so does a reader whose power went, whose connection never ended here

A connection that answers no more at all is ended by TCP itself (`keep_alive`).
"""

import errno
import select
import socket
import threading
import time
from collections.abc import Callable

from shoe_bridge.errors import PortError

ACCEPT_S = 10.0  # by then people are told that nobody has come
GRACE_S = 5.0  # a link asks every second, and takes 3 s without an answer for the loss of its device
_TURN_S = 0.1
_MOST_WAITING = 4
_BACKLOG = 16  # that the kernel keeps until they are let in
# of a connection over which nothing comes: first question after so many seconds, then each, and how many
_KEEP_IDLE_S, _KEEP_EVERY_S, _KEEP_COUNT = 10, 5, 3

# who was given the place, by the address, until the next life of the port takes it over
_next_in_place: dict[tuple[str, int], socket.socket] = {}
_handing_over = threading.Lock()


class NobodyCameError(PortError):
    """No device has connected; what else is to be done in it, its kind knows."""


def keep_alive(connection: socket.socket) -> None:
    """Let TCP end the connection 25 s after its far side is gone without a word (power or cable)."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _KEEP_IDLE_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, _KEEP_EVERY_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, _KEEP_COUNT)


class Door:
    """Listens at an address for one life of a port. Raises PortError (one sentence) where it cannot.

    `mono_s` is the clock, monotonic seconds.
    """

    def __init__(self, url: str, host: str, port: int, mono_s: Callable[[], float] = time.monotonic) -> None:
        self._url, self._address = url, (host, port)
        self._mono_s = mono_s
        self._taken_s = 0.0
        self._in_place = "?"
        self._waiting: list[tuple[socket.socket, float]] = []
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            self._server = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        except (OSError, UnicodeError) as error:
            raise PortError(_fault(url, error)) from error
        self._server.setblocking(False)

    def first(self, may_wait: Callable[[], bool]) -> socket.socket:
        """The connection of the first far side that comes, or came in the last life. Raises PortError when
        none has come and `may_wait`, which is asked again and again, says no."""
        with _handing_over:
            found = _next_in_place.pop(self._address, None)
        if found is not None and _has_ended(found):
            found.close()
            found = None
        while found is None:
            select.select([self._server], [], [], _TURN_S)
            found = self._accept()
            if found is None and not may_wait():
                raise NobodyCameError(
                    f"{self._url}: no device has connected yet; enter this address and port as the "
                    "destination in the device."
                )
        self._taken_s = self._mono_s()
        self._in_place = _name(found)
        return found

    def give_way(self, is_proven: bool) -> str | None:
        """Look who waits; due now and then. Says why the one in place has to go, if it has to: then the next
        life of the port has the one who waited longest. `is_proven`: a device was heard and is alive."""
        now_s = self._mono_s()
        self._let_in(now_s)
        if not self._waiting:
            return None
        if is_proven:
            self._turn_away([one for one in self._waiting if now_s - one[1] >= GRACE_S])
            return None
        if now_s - self._taken_s < GRACE_S:
            return None
        newcomer, _ = self._waiting.pop(0)
        with _handing_over:
            before = _next_in_place.pop(self._address, None)
            _next_in_place[self._address] = newcomer
        if before is not None:
            before.close()
        return (
            f"no device was heard over the connection from {self._in_place}, which gave way to one from "
            f"{_name(newcomer)}"
        )

    def close(self) -> None:
        """Listen no more. Harmless when repeated."""
        self._turn_away(self._waiting)
        self._server.close()

    def _let_in(self, now_s: float) -> None:
        while (newcomer := self._accept()) is not None:
            if len(self._waiting) < _MOST_WAITING:
                self._waiting.append((newcomer, now_s))
            else:
                newcomer.close()
        self._turn_away([one for one in self._waiting if _has_ended(one[0])])

    def _accept(self) -> socket.socket | None:
        try:
            return self._server.accept()[0]
        except BlockingIOError:
            return None
        except OSError as error:
            raise PortError(_fault(self._url, error)) from error

    def _turn_away(self, those: list[tuple[socket.socket, float]]) -> None:
        self._waiting = [one for one in self._waiting if one not in those]
        for connection, _ in those:
            connection.close()


def _has_ended(connection: socket.socket) -> bool:
    """Whether the far side has closed it."""
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def _name(connection: socket.socket) -> str:
    try:
        return str(connection.getpeername()[0])
    except OSError:
        return "a far side that is gone"


def _fault(url: str, error: BaseException) -> str:
    code = error.errno if isinstance(error, OSError) else None
    if code == errno.EADDRINUSE:
        return f"{url}: another program of this host listens there; give each device a port of its own."
    if code == errno.EADDRNOTAVAIL or not isinstance(error, OSError) or isinstance(error, socket.gaierror):
        return f"{url}: this host has no such address; write one of its own, or 0.0.0.0 for all of them."
    if code == errno.EACCES:
        return f"{url}: a port below 1024 is not allowed to a service; choose a higher one."
    return f"{url} cannot be listened at ({(error.strerror or str(error)).lower()}); check the address."
