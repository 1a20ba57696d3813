"""A serial server over RFC 2217 that sends faster than anybody takes: it is held up, and no byte is lost."""

import asyncio
import random
import socket
import threading
import time

import pytest
import serial
import serial.rfc2217

from shoe_bridge.adapters.tty import TtyPort

WAIT_S = 10.0
SENT = random.Random(1).randbytes(16 * 1024 * 1024).replace(b"\xff", b"\xfe")


class FloodingServer:
    """Sets its line up as it is told to, and then sends all of `SENT` and ends the connection."""

    def __init__(self, server: socket.socket) -> None:
        self.port = serial.serial_for_url("loop://", timeout=0)
        self.sent = 0
        self._server = server
        self._connection: socket.socket | None = None
        self.may_send = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def write(self, reply: bytes) -> None:
        assert self._connection is not None
        self._connection.sendall(reply)

    def _serve(self) -> None:
        self._connection, _ = self._server.accept()
        with self._connection as connection, self.port:
            telnet = serial.rfc2217.PortManager(self.port, self)
            connection.settimeout(0.05)
            while not self.may_send.is_set():
                try:
                    b"".join(telnet.filter(connection.recv(1024)))
                except TimeoutError:
                    continue
            connection.settimeout(WAIT_S)
            while self.sent < len(SENT):
                self.sent += connection.send(SENT[self.sent : self.sent + 65_536])


def at_rest(server: FloodingServer) -> int:
    """How much was sent once nothing moves any more."""
    before = -1
    while before != server.sent:
        before = server.sent
        time.sleep(0.3)
    return before


# pyserial names its thread by a call that Python deprecates.
@pytest.mark.filterwarnings("ignore:set(Daemon|Name):DeprecationWarning")
def test_a_serial_server_that_sends_too_fast_is_held_up_and_loses_nothing() -> None:
    got = bytearray()
    lost: list[str] = []

    async def test() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)
            server = FloodingServer(listener)
            port = TtyPort(f"rfc2217://127.0.0.1:{listener.getsockname()[1]}")
            await asyncio.to_thread(port.connect)
            server.may_send.set()
            held = await asyncio.to_thread(at_rest, server)
            assert 0 < held < len(SENT)  # what the kernel and the backlog hold, and no more
            port.open(lambda data, at: got.extend(data), lost.append)
            async with asyncio.timeout(WAIT_S):
                while not lost:  # noqa: ASYNC110  what is waited for happens in the kernel
                    await asyncio.sleep(0.01)
            port.close()

    asyncio.run(test())
    assert len(got) == len(SENT)
    assert bytes(got) == SENT
