"""`TtyPort` against real ptys, a TCP server and an RFC 2217 server of this host."""

import asyncio
import os
import selectors
import socket
import termios
import threading
import time
import tty
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

import pytest
import serial
import serial.rfc2217

from shoe_bridge.adapters.rfc2217 import Rfc2217Serial
from shoe_bridge.adapters.tty import TtyPort
from shoe_bridge.errors import PortError

WAIT_S = 5.0  # a limit for what must come; nothing here takes long when it comes


class Heard:
    """What a port called back."""

    def __init__(self) -> None:
        self.chunks: list[tuple[bytes, int]] = []
        self.lost: list[str] = []

    def on_data(self, chunk: bytes, at_mono_ns: int) -> None:
        self.chunks.append((chunk, at_mono_ns))

    def on_lost(self, why: str) -> None:
        self.lost.append(why)

    @property
    def data(self) -> bytes:
        return b"".join(chunk for chunk, _ in self.chunks)


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not is_so():  # noqa: ASYNC110  what is waited for happens in the kernel
            await asyncio.sleep(0.001)


class CountingSelector(selectors.DefaultSelector):
    """Counts the turns of the loop: one that spins makes thousands where a waiting one makes a few."""

    turns = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        CountingSelector.turns += 1
        return super().select(timeout)


async def turns_while_waiting() -> int:
    before = CountingSelector.turns
    await asyncio.sleep(0.1)
    return CountingSelector.turns - before


def run(test: Callable[[], Coroutine[None, None, None]]) -> None:
    """Runs `test` and demands that no descriptor or thread of it remains."""
    before = open_fds()
    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(CountingSelector())) as runner:
        runner.run(test())
    limit_s = time.monotonic() + WAIT_S
    while threading.active_count() > 1 and time.monotonic() < limit_s:
        time.sleep(0.01)
    assert [thread.name for thread in threading.enumerate()] == ["MainThread"]
    assert open_fds() == before


def open_fds() -> int:
    return len(os.listdir("/proc/self/fd"))


@contextmanager
def pty_pair() -> Iterator[tuple[int, str]]:
    """The near end of a raw pty, and the path of its far end."""
    near, far = os.openpty()
    tty.setraw(far)
    name = os.ttyname(far)
    os.close(far)
    os.set_blocking(near, False)
    try:
        yield near, name
    finally:
        if is_open(near):
            os.close(near)


def is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def read_near(near: int) -> bytes:
    try:
        return os.read(near, 65536)
    except BlockingIOError:
        return b""


async def read_all(near: int, quiet_s: float = 0.03) -> bytes:
    """Everything that comes until it is quiet."""
    got = bytearray()
    last = time.monotonic()
    while time.monotonic() - last < quiet_s:
        piece = read_near(near)
        if piece:
            got += piece
            last = time.monotonic()
        await asyncio.sleep(0.001)
    return bytes(got)


def test_bytes_both_ways_with_the_time_of_reading() -> None:
    async def test() -> None:
        heard = Heard()
        with pty_pair() as (near, name):
            port = TtyPort(name)
            port.open(heard.on_data, heard.on_lost)
            before_ns = time.monotonic_ns()
            os.write(near, bytes(range(256)))
            await until(lambda: len(heard.data) == 256)
            assert heard.data == bytes(range(256))  # nothing is translated, echoed or taken as a control byte
            assert before_ns <= heard.chunks[0][1] <= time.monotonic_ns()
            assert port.write(bytes(range(255, -1, -1)))
            assert await read_all(near) == bytes(range(255, -1, -1))
            port.close()
            assert heard.lost == []
            assert not port.write(b"x")

    run(test)


def test_what_the_device_said_before_the_opening_is_heard() -> None:
    async def test() -> None:
        heard = Heard()
        with pty_pair() as (near, name):
            os.write(near, b"hello")
            port = TtyPort(name)
            port.open(heard.on_data, heard.on_lost)
            await until(lambda: heard.data == b"hello")
            assert heard.data == b"hello"
            port.close()

    run(test)


@pytest.mark.parametrize("who_notices", ["reader", "writer"])
def test_a_closed_far_side_is_told_exactly_once(who_notices: str) -> None:
    async def test() -> None:
        heard = Heard()
        with pty_pair() as (near, name):
            port = TtyPort(name)
            port.open(heard.on_data, heard.on_lost)
            os.close(near)
            if who_notices == "writer":
                assert not port.write(b"x")
                assert heard.lost == []  # not inside the caller's own call
            await until(lambda: heard.lost != [])
            assert not port.write(b"x")
            port.close()
            await asyncio.sleep(0.02)
            assert len(heard.lost) == 1

    run(test)


def test_a_port_that_its_owner_closed_tells_no_loss() -> None:
    async def test() -> None:
        heard = Heard()
        with pty_pair() as (near, name):
            port = TtyPort(name)
            port.open(heard.on_data, heard.on_lost)
            os.close(near)
            port.write(b"x")  # notices the loss; the telling is still to come
            port.close()
            await asyncio.sleep(0.02)
            assert heard.lost == []

    run(test)


def test_the_second_to_open_is_told_that_the_port_is_busy() -> None:
    async def test() -> None:
        heard = Heard()
        with pty_pair() as (_, name):
            first = TtyPort(name)
            first.open(heard.on_data, heard.on_lost)
            with pytest.raises(PortError, match="is in use by"):
                TtyPort(name).open(heard.on_data, heard.on_lost)
            first.close()
            second = TtyPort(name)
            second.open(heard.on_data, heard.on_lost)
            second.close()

    run(test)


def test_a_port_is_used_once() -> None:
    async def test() -> None:
        heard = Heard()
        with pty_pair() as (_, name):
            port = TtyPort(name)
            port.close()
            with pytest.raises(PortError, match="closed"):
                port.open(heard.on_data, heard.on_lost)
            with pytest.raises(PortError, match="closed"):
                await port.open_async(heard.on_data, heard.on_lost)

    run(test)


def test_descriptors_are_flat_over_a_thousand_lives() -> None:
    async def test() -> None:
        heard = Heard()
        for life in range(1000):
            with pty_pair() as (near, name):
                port = TtyPort(name)
                port.open(heard.on_data, heard.on_lost)
                if life % 2:
                    os.close(near)
                    port.write(b"x")
                    await asyncio.sleep(0)
                port.close()
        assert len(heard.lost) == 500

    run(test)


def test_a_full_pty_costs_no_cpu_and_drains_in_order() -> None:
    async def test() -> None:
        heard = Heard()
        with pty_pair() as (near, name):
            port = TtyPort(name, queue_bytes=10_000)
            port.open(heard.on_data, heard.on_lost)
            sent = bytearray()
            piece = 0
            while port.write(block := b"%07d\n" % piece):
                sent += block
                piece += 1
            assert not port.write(b"refused\n")
            assert await turns_while_waiting() < 10
            assert await read_all(near) == bytes(sent)
            assert port.write(b"again\n")
            assert await read_all(near) == b"again\n"
            port.close()
            assert heard.lost == []

    run(test)


def test_a_port_without_a_queue_keeps_no_old_bytes_for_a_far_side_that_stalls() -> None:
    async def test() -> None:
        heard = Heard()
        with pty_pair() as (near, name):
            port = TtyPort(name, queue_bytes=0)
            port.open(heard.on_data, heard.on_lost)
            writes = 0
            while port.write(b"old!"):
                writes += 1
            port.drop_unsent()
            assert port.write(b"LATEST")
            got = await read_all(near)
            assert got.endswith(b"LATEST")
            assert len(got) < 4 * writes / 2  # the line discipline's own 4 KiB cannot be recalled
            port.close()

    run(test)


def test_closing_with_bytes_that_nobody_takes_does_not_wait() -> None:
    async def test() -> None:
        heard = Heard()
        with pty_pair() as (_, name):
            port = TtyPort(name)
            port.open(heard.on_data, heard.on_lost)
            while port.write(b"x" * 1024):
                pass
            port.close()
            assert not port.write(b"x")

    run(test)


@asynccontextmanager
async def tcp_peer() -> AsyncIterator[
    tuple[str, "asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]]"]
]:
    """A TCP server that speaks first, and its clients' connections."""
    peers: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"first words")
        await peers.put((reader, writer))

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield f"socket://127.0.0.1:{server.sockets[0].getsockname()[1]}", peers
    finally:
        server.close()
        await server.wait_closed()


def test_a_serial_server_over_tcp() -> None:
    async def test() -> None:
        heard = Heard()
        async with tcp_peer() as (url, peers):
            port = TtyPort(url)
            await port.open_async(heard.on_data, heard.on_lost)
            reader, writer = await peers.get()
            await until(lambda: heard.data == b"first words")
            assert port.write(b"\xf5\x00\xff")
            assert await reader.readexactly(3) == b"\xf5\x00\xff"
            writer.close()
            await writer.wait_closed()
            await until(lambda: heard.lost != [])
            assert heard.lost == ["its far side closed"]
            port.close()

    run(test)


@asynccontextmanager
async def taken_server(word: bytes) -> AsyncIterator[int]:
    """A serial server that serves another program: it hangs up on whoever comes, after a `word`."""

    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(word)
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await server.wait_closed()


@pytest.mark.filterwarnings("ignore:set(Daemon|Name):DeprecationWarning")
@pytest.mark.parametrize("word", [b"", b"Port already in use\r\n"])
def test_a_serial_server_that_serves_another_program_is_said_to_be_taken(word: bytes) -> None:
    async def test() -> None:
        heard = Heard()
        async with taken_server(word) as number:
            port = TtyPort(f"socket://127.0.0.1:{number}")
            await port.open_async(heard.on_data, heard.on_lost)
            await until(lambda: heard.lost != [])
            assert "takes one at a time" in heard.lost[0]
            port.close()
            port = TtyPort(f"rfc2217://127.0.0.1:{number}?timeout=0.2")
            with pytest.raises(PortError, match="hung up at once"):
                await port.open_async(heard.on_data, heard.on_lost)

    run(test)


def test_a_tcp_peer_that_stops_reading_fills_the_queue_only() -> None:
    async def test() -> None:
        heard = Heard()
        async with tcp_peer() as (url, peers):
            port = TtyPort(url, queue_bytes=4096)
            await port.open_async(heard.on_data, heard.on_lost)
            _, writer = await peers.get()
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            while port.write(b"x" * 1024):
                pass
            assert await turns_while_waiting() < 20
            port.close()
            writer.transport.abort()
            await asyncio.sleep(0.01)
            assert heard.lost == []

    run(test)


def test_a_host_that_refuses() -> None:
    async def test() -> None:
        heard = Heard()
        with socket.create_server(("127.0.0.1", 0)) as server:
            url = f"socket://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(PortError, match="refuses this port number"):
            TtyPort(url).open(heard.on_data, heard.on_lost)
        with pytest.raises(PortError, match="refuses this port number"):
            await TtyPort(url).open_async(heard.on_data, heard.on_lost)

    run(test)


def test_an_opening_that_is_given_up_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        heard = Heard()
        may_connect = threading.Event()
        connect = socket.create_connection

        def late(address: tuple[str, int], timeout: float) -> socket.socket:
            may_connect.wait(WAIT_S)
            return connect(address, timeout=timeout)

        monkeypatch.setattr(socket, "create_connection", late)
        async with tcp_peer() as (url, peers):
            port = TtyPort(url)
            opening = asyncio.ensure_future(port.open_async(heard.on_data, heard.on_lost))
            await asyncio.sleep(0.01)
            opening.cancel()
            with pytest.raises(asyncio.CancelledError):
                await opening
            may_connect.set()
            reader, writer = await peers.get()
            with suppress(ConnectionResetError):  # closed with the first words unread
                assert await reader.read() == b""
            writer.transport.abort()
            await asyncio.sleep(0)
        assert heard.data == b""

    run(test)


class LoopLine:
    """The far end of an RFC 2217 server: a port whose settings are noted and whose bytes come back."""

    def __init__(self) -> None:
        self.port = serial.serial_for_url("loop://", timeout=0)
        self.connection: socket.socket | None = None

    def serve(self, server: socket.socket) -> None:
        self.connection, _ = server.accept()
        with self.connection as connection, self.port:
            telnet = serial.rfc2217.PortManager(self.port, self)
            try:
                while request := connection.recv(1024):
                    self.port.write(b"".join(telnet.filter(request)))
                    answer = self.port.read(self.port.in_waiting)
                    connection.sendall(b"".join(telnet.escape(answer)))
            except OSError:
                pass

    def write(self, reply: bytes) -> None:
        assert self.connection is not None
        self.connection.sendall(reply)


# pyserial names its thread by a call that Python deprecates.
@pytest.mark.filterwarnings("ignore:set(Daemon|Name):DeprecationWarning")
@pytest.mark.parametrize("who_ends", ["we", "the server"])
def test_a_serial_server_that_speaks_rfc2217(who_ends: str) -> None:
    async def test() -> None:
        heard = Heard()
        line = LoopLine()
        with socket.create_server(("127.0.0.1", 0)) as server:
            threading.Thread(target=line.serve, args=(server,), daemon=True).start()
            port = TtyPort(
                f"rfc2217://127.0.0.1:{server.getsockname()[1]}", baud=9600, parity="E", lines_low=True
            )
            await port.open_async(heard.on_data, heard.on_lost)
            assert (line.port.baudrate, line.port.parity, line.port.dtr) == (9600, "E", False)
            assert port.write(b"\xff\x00tag\xff")  # FF is telnet's own escape
            await until(lambda: heard.data == b"\xff\x00tag\xff")
            if who_ends == "the server":
                assert line.connection is not None
                line.connection.shutdown(socket.SHUT_RDWR)
                await until(lambda: heard.lost != [])
            port.close()
            assert len(heard.lost) == (who_ends == "the server")

    run(test)


@pytest.mark.filterwarnings("ignore:set(Daemon|Name):DeprecationWarning")
@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (b"\xff\xf0", "ended an option that it had not begun"),
        (b"\xff\xfa" + bytes(2000), "began an option and did not end it"),
        (b"\xff\xfaboom\xff\xf0", "answered what RFC 2217 does not allow"),
    ],
    ids=["end without beginning", "no end", "an answer that pyserial fails on"],
)
def test_a_serial_server_whose_telnet_breaks_is_a_loss_and_nothing_on_stderr(
    broken: bytes, why: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = Rfc2217Serial._telnet_process_subnegotiation

    def failing(self: Rfc2217Serial, content: bytes) -> None:
        if content == b"boom":
            raise TypeError("cannot convert 'NoneType' object to bytes")
        answered(self, content)

    monkeypatch.setattr(Rfc2217Serial, "_telnet_process_subnegotiation", failing)

    async def test() -> None:
        heard = Heard()
        line = LoopLine()
        with socket.create_server(("127.0.0.1", 0)) as server:
            threading.Thread(target=line.serve, args=(server,), daemon=True).start()
            port = TtyPort(f"rfc2217://127.0.0.1:{server.getsockname()[1]}")
            await port.open_async(heard.on_data, heard.on_lost)
            line.write(b"tag" + broken)
            await until(lambda: heard.lost != [])
            await asyncio.sleep(0.01)
            assert len(heard.lost) == 1
            assert why in heard.lost[0]
            port.close()

    run(test)
    assert capfd.readouterr().err == ""


@pytest.mark.filterwarnings("ignore:set(Daemon|Name):DeprecationWarning")
def test_a_host_that_does_not_speak_rfc2217() -> None:
    async def test() -> None:
        heard = Heard()
        async with tcp_peer() as (url, peers):
            port = TtyPort(url.replace("socket://", "rfc2217://") + "?timeout=0.2")
            with pytest.raises(PortError, match=r"serves one at a time .*or use socket://"):
                await port.open_async(heard.on_data, heard.on_lost)
            _, writer = await peers.get()
            writer.close()
            await writer.wait_closed()

    run(test)


@pytest.mark.parametrize(
    ("left_after_first", "idle_ms", "writes_again", "is_flushed"),
    [
        (0, 1000, False, False),
        (4, 10, False, False),  # written just now: the kernel still sends it after the close
        (4, 1000, False, True),  # it did not move in a second: the device hangs
        (4, 1000, True, True),  # the same, noticed by a write that came just before the close
        (0, 1000, True, False),
    ],
)
def test_a_hung_device_does_not_hold_the_close(
    monkeypatch: pytest.MonkeyPatch, left_after_first: int, idle_ms: int, writes_again: bool, is_flushed: bool
) -> None:
    """A real serial line waits up to 30 s in close for bytes that are not taken, which a pty does not do."""
    flushed: list[int] = []
    now_ns = [10**9]
    left = [0]
    monkeypatch.setattr("shoe_bridge.adapters.tty._pending_out", lambda _fd: left[0])
    monkeypatch.setattr("termios.tcflush", lambda _fd, which: flushed.append(which))

    async def test() -> None:
        heard = Heard()
        with pty_pair() as (_, name):
            port = TtyPort(name, mono_ns=lambda: now_ns[0])
            port.open(heard.on_data, heard.on_lost)
            assert port.write(b"\xa0\x01\x01\xa2")
            left[0] = left_after_first
            now_ns[0] += idle_ms * 1_000_000
            if writes_again:
                assert port.write(b"\xff")
            port.close()

    run(test)
    assert flushed == ([termios.TCOFLUSH] if is_flushed else [])
