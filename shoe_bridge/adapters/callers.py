"""Far sides that have connected by themselves and wait: each is asked what the device would be asked.

What they say is looked at and left in the kernel, so that a life of the port that begins with one of them
reads all of it. A caller who says more than `_PEEK_BYTES` meanwhile is not listened to any longer than that.
"""

import socket
from typing import Protocol

_PEEK_BYTES = 16 * 1024


class Hearing(Protocol):
    """The conversation with one caller, without its bytes' way: would the device say so?"""

    @property
    def is_proven(self) -> bool:
        """Whether the caller has answered as the device."""

    def turn(self, data: bytes, at_mono_ns: int) -> bytes:
        """Take what came since the last turn, perhaps nothing; the bytes to send now."""


class Caller:
    """One connection that waits since `since_s` (monotonic seconds). Without `hearing` it is never asked."""

    def __init__(self, connection: socket.socket, since_s: float, hearing: Hearing | None) -> None:
        self.connection = connection
        self.since_s = since_s
        self.name = _name(connection)
        self._hearing = hearing
        self._seen = 0

    @property
    def has_ended(self) -> bool:
        """Whether the far side has closed it."""
        try:
            return self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def is_device(self, at_mono_ns: int) -> bool:
        """Listen and ask once more; whether it has answered as the device. Then nothing more is sent to it:
        what it notifies of is for the life that begins with it to acknowledge."""
        hearing = self._hearing
        if hearing is None:
            return False
        if not hearing.is_proven:
            asked = hearing.turn(self._heard(), at_mono_ns)
            if asked and not hearing.is_proven:
                self._send(asked)
        return hearing.is_proven

    def close(self) -> None:
        self.connection.close()

    def _heard(self) -> bytes:
        try:
            data = self.connection.recv(_PEEK_BYTES, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except OSError:  # nothing yet, or gone: `has_ended` says which
            return b""
        fresh, self._seen = data[self._seen :], max(self._seen, len(data))
        return fresh

    def _send(self, data: bytes) -> None:
        try:
            sent = self.connection.send(data, socket.MSG_DONTWAIT)
        except OSError:
            sent = 0
        if sent < len(data):  # half a question spoils the next ones, and who takes none answers none
            self._hearing = None


def _name(connection: socket.socket) -> str:
    try:
        return str(connection.getpeername()[0])
    except OSError:
        return "a far side that is gone"
