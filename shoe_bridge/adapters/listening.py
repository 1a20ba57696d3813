"""listen://HOST:PORT: a device that opens the connection itself, such as a FEIG reader that notifies.

HOST is the address of this host on the network of the readers. One far side has the place; who comes later
waits at the door, and what becomes of it hangs on whether a device was heard over the connection in place:

    the one in place    | who waits
    has proven a device | is turned away after `GRACE_S`: a working reader is thrown out by nobody
    has proven nothing  | is asked what the device is asked; who answers as the device gets the place
    is so for `GRACE_S` | gets the place in turn although nobody answered: a device may speak later, and a
                        | program that says nothing gives way to it

The one in place is asked as well, and has `SETTLE_S` before another that has answered.
So silent programs, however many, keep no reader out. Those for whom there is no room wait in the kernel, in
their order. What waits stays from one life of the port to the next.

A connection that answers no more at all is ended by TCP itself (`keep_alive`).
"""

import errno
import select
import socket
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from shoe_bridge.adapters.callers import Caller, Hearing
from shoe_bridge.errors import PortError

ACCEPT_S = 10.0  # by then people are told that nobody has come
GRACE_S = 5.0  # a link asks every second, and takes 3 s without an answer for the loss of its device
SETTLE_S = 1.0  # so long the one in place has before another that has proven itself
_TURN_S = 0.1
_MOST_WAITING = 16
_BACKLOG = 16  # that the kernel keeps until they are let in
# of a connection over which nothing comes: first question after so many seconds, then each, and how many
_KEEP_IDLE_S, _KEEP_EVERY_S, _KEEP_COUNT = 10, 5, 3

Address = tuple[str, int]


class _Kept(NamedTuple):
    """What one life of a port leaves to the next: who gets the place, who waits, and where more come."""

    server: socket.socket
    chosen: Caller
    waiting: list[Caller]


_kept: dict[Address, _Kept] = {}
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

    `make_hearing` gives the conversation with one who waits (None: nobody is asked); `mono_s` is the clock,
    monotonic seconds.
    """

    def __init__(
        self,
        url: str,
        host: str,
        port: int,
        make_hearing: Callable[[], Hearing] | None = None,
        mono_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url, self._address = url, (host, port)
        self._make_hearing = make_hearing
        self._mono_s = mono_s
        self._taken_s = 0.0
        self._in_place = "?"
        self._chosen: Caller | None = None
        self._waiting: list[Caller] = []
        self._server: socket.socket | None = None
        self._take_over()
        if self._server is not None:
            return
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            self._server = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        except (OSError, UnicodeError) as error:
            raise PortError(_fault(url, error)) from error
        self._server.setblocking(False)

    def first(self, may_wait: Callable[[], bool]) -> socket.socket:
        """The connection of the first far side that comes, or was chosen in the last life. Raises PortError
        when none has come and `may_wait`, which is asked again and again, says no."""
        if self._chosen is None:
            self._take_over()
        found, self._chosen = self._chosen, None
        if found is not None and found.has_ended:
            found.close()
            found = None
        while found is None:
            if not self._waiting:
                select.select([self._server] if self._server is not None else [], [], [], _TURN_S)
            self._let_in()
            if self._waiting:
                found = self._waiting.pop(0)
            elif not may_wait():
                raise NobodyCameError(
                    f"{self._url}: no device has connected yet; enter this address and port as the "
                    "destination in the device."
                )
        self._taken_s = self._mono_s()
        self._in_place = found.name
        return found.connection

    @property
    def far_sides(self) -> tuple[str, ...]:
        """The addresses of the one in place and of those who wait, each once."""
        return tuple(dict.fromkeys([self._in_place, *(caller.name for caller in self._waiting)]))

    def give_way(self, is_proven: bool) -> str | None:
        """Look who waits; due now and then. Says why the one in place has to go, if it has to: then the next
        life of the port has the one who answered as the device, or who waited longest. `is_proven`: a device
        was heard and is alive."""
        now_s = self._mono_s()
        self._let_in()
        if is_proven:
            self._turn_away([one for one in self._waiting if now_s - one.since_s >= GRACE_S])
            return None
        heard = [one for one in self._waiting if one.is_device(int(now_s * 1e9))]
        in_place_s = now_s - self._taken_s
        if heard and in_place_s >= SETTLE_S:
            return self._hand_over(heard[0])
        if self._waiting and in_place_s >= GRACE_S:
            return self._hand_over(self._waiting[0])
        if len(self._waiting) >= _MOST_WAITING:
            # they were asked long enough, and others may wait in the kernel
            self._turn_away(
                [one for one in self._waiting if now_s - one.since_s >= GRACE_S and one not in heard]
            )
        return None

    def close(self) -> None:
        """Listen no more, unless the next life goes on with it. Harmless when repeated."""
        if self._chosen is not None:
            self._chosen.close()
            self._chosen = None
        self._turn_away(self._waiting)
        if self._server is not None:
            self._server.close()

    def _hand_over(self, chosen: Caller) -> str:
        before, self._in_place = self.far_sides, "?"
        self._waiting.remove(chosen)
        if self._server is not None:
            with _handing_over:
                _kept[self._address] = _Kept(self._server, chosen, self._waiting)
        self._server, self._waiting = None, []
        others = [name for name in before[1:] if name != chosen.name]
        more = f"; connections from {', '.join(others)} wait there too" if others else ""
        return (
            f"no device was heard over the connection from {before[0]}, which gave way to one from "
            f"{chosen.name}{more}"
        )

    def _take_over(self) -> None:
        """Go on with what the last life left."""
        with _handing_over:
            kept = _kept.pop(self._address, None)
        if kept is not None:
            self._server, self._chosen, self._waiting = kept

    def _let_in(self) -> None:
        # who has left again makes room at once, so that a scan is soon over
        for _ in range(_MOST_WAITING + _BACKLOG):
            self._turn_away_ended()
            if len(self._waiting) >= _MOST_WAITING or (newcomer := self._accept()) is None:
                return
            hearing = self._make_hearing() if self._make_hearing is not None else None
            self._waiting.append(Caller(newcomer, self._mono_s(), hearing))

    def _accept(self) -> socket.socket | None:
        if self._server is None:
            return None
        try:
            return self._server.accept()[0]
        except BlockingIOError:
            return None
        except OSError as error:
            raise PortError(_fault(self._url, error)) from error

    def _turn_away_ended(self) -> None:
        self._turn_away([one for one in self._waiting if one.has_ended])

    def _turn_away(self, those: list[Caller]) -> None:
        self._waiting = [one for one in self._waiting if one not in those]
        for caller in those:
            caller.close()


def _fault(url: str, error: BaseException) -> str:
    code = error.errno if isinstance(error, OSError) else None
    if code == errno.EADDRINUSE:
        return f"{url}: another program of this host listens there; give each device a port of its own."
    if code == errno.EADDRNOTAVAIL or not isinstance(error, OSError) or isinstance(error, socket.gaierror):
        return f"{url}: this host has no such address; write one of its own, or 0.0.0.0 for all of them."
    if code == errno.EACCES:
        return f"{url}: a port below 1024 is not allowed to a service; choose a higher one."
    return f"{url} cannot be listened at ({(error.strerror or str(error)).lower()}); check the address."
