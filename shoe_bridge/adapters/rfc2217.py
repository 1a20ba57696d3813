"""The client of a serial server that is configured over the connection its bytes come in by (RFC 2217).

pyserial speaks the protocol; the thread that takes the connection apart is ours. Pyserial's own ends with a
traceback on the first telnet command that it did not expect, and whoever waits for bytes then waits for ever.
It also puts what it receives into a queue without an end; ours goes into a backlog that is bounded.
"""

import socket
from collections.abc import Callable
from enum import Enum, auto
from typing import Any

from serial import rfc2217

from shoe_bridge.adapters.backlog import Backlog
from shoe_bridge.errors import PortError

_IAC, _SE, _SB = 0xFF, 0xF0, 0xFA  # RFC 854
_FIRST_NEGOTIATION = 0xFB  # WILL, and after it WONT, DO, DONT
_LONGEST_SUBNEGOTIATION = 1024  # bytes; the longest that RFC 2217 needs is a signature, a line of text
_RECEIVE_BYTES = 4096


class BrokenTelnetError(PortError):
    """The connection carries what telnet cannot."""


class _Mode(Enum):
    TEXT = auto()
    COMMAND = auto()
    OPTION = auto()


class TelnetStream:
    """Takes a connection apart: plain bytes are returned, commands go to the callbacks. Sans-IO; it holds at
    most one subnegotiation.

    `negotiate(command, option)` and `subnegotiate(content)` get what their names say, as bytes.
    """

    def __init__(
        self, negotiate: Callable[[bytes, bytes], None], subnegotiate: Callable[[bytes], None]
    ) -> None:
        self._negotiate = negotiate
        self._subnegotiate = subnegotiate
        self._mode = _Mode.TEXT
        self._command = 0
        self._content: bytearray | None = None  # of the subnegotiation that is open

    def take(self, received: bytes) -> bytes:
        """The plain bytes in what was received. Raises BrokenTelnetError; then the rest means nothing."""
        plain, at, stop = bytearray(), 0, len(received)
        while at < stop:
            if self._mode is _Mode.TEXT:
                found = received.find(_IAC, at)
                until = stop if found < 0 else found
                self._put(plain, received[at:until])
                at = until
                if found >= 0:
                    self._mode = _Mode.COMMAND
            elif self._mode is _Mode.COMMAND:
                self._mode = self._take_command(received[at], plain)
            else:
                self._negotiate(bytes([self._command]), received[at : at + 1])
                self._mode = _Mode.TEXT
            at += 1
        return bytes(plain)

    def _take_command(self, command: int, plain: bytearray) -> _Mode:
        if command == _IAC:  # the byte itself, doubled
            self._put(plain, b"\xff")
        elif command == _SB:
            self._content = bytearray()
        elif command == _SE:
            if self._content is None:
                raise BrokenTelnetError("its serial server ended an option that it had not begun")
            content, self._content = bytes(self._content), None
            self._subnegotiate(content)
        elif command >= _FIRST_NEGOTIATION:
            self._command = command
            return _Mode.OPTION
        return _Mode.TEXT  # after any other command, which says nothing about the line

    def _put(self, plain: bytearray, part: bytes) -> None:
        if self._content is None:
            plain += part
            return
        self._content += part
        if len(self._content) > _LONGEST_SUBNEGOTIATION:
            raise BrokenTelnetError("its serial server began an option and did not end it")


class Rfc2217Serial(rfc2217.Serial):
    """A port that is read with `received`, which wakes up whatever ends the connection; `fault` then says
    why, None for a plain end. `is_hung_up`: the far side ended it. Opened once."""

    fault: str | None = None
    is_hung_up = False
    # pyserial's own
    _socket: socket.socket
    _telnet_negotiate_option: Callable[[bytes, bytes], None]
    _telnet_process_subnegotiation: Callable[[bytes], None]

    def __init__(self, *args: Any, **options: Any) -> None:
        self._backlog = Backlog()
        super().__init__(*args, **options)

    def open(self) -> None:
        """As pyserial's. Until it is open nobody reads, and its thread has to take answers: what comes before
        them must not hold it up."""
        super().open()
        self._backlog.flow()

    def received(self) -> bytes:
        """What one receive gave; waits for it. Empty at the end of the connection, after all that came."""
        return self._backlog.take()

    def reset_input_buffer(self) -> None:
        """As pyserial's, which calls it when the line is set up: what came before came at another speed."""
        super().reset_input_buffer()
        self._backlog.clear()

    def close(self) -> None:
        """As pyserial's, which keeps the descriptor of a connection that the far side ended."""
        sock: socket.socket | None = self._socket
        self._backlog.end()  # first: its thread may wait for room, and is waited for
        super().close()
        if sock is not None:
            sock.close()

    def _telnet_read_loop(self) -> None:
        """Pyserial's reading thread."""
        stream = TelnetStream(self._telnet_negotiate_option, self._telnet_process_subnegotiation)
        try:
            while self.is_open:
                try:
                    received = self._socket.recv(_RECEIVE_BYTES)
                except TimeoutError:  # pyserial's way to look at `is_open` from time to time
                    continue
                if not received:
                    self.is_hung_up = self.is_open
                    break
                plain = stream.take(received)
                if plain:
                    self._backlog.put(plain)
        except BrokenTelnetError as error:
            self.fault = str(error)
        except ConnectionError:
            self.is_hung_up = self.is_open
        except OSError:
            pass  # closed under this thread
        except Exception as error:  # of pyserial, on an answer that it did not expect
            self.fault = f"its serial server answered what RFC 2217 does not allow ({error})"
        finally:
            self._backlog.end()  # wakes the reader, which would wait for ever
