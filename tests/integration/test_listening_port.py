"""`listen://` with a far side that connects by itself: a FEIG reader that notifies."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest

from protocol import feig_obid
from shoe_bridge.adapters import listening
from shoe_bridge.adapters.byte_paths import open_path
from shoe_bridge.adapters.tty import TtyPort
from shoe_bridge.errors import PortError
from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.presence import Presence
from shoe_bridge.table.observations import AnyObservation, CardArrived, LinkRestored

WAIT_S = 5.0
TAG = "E00401500000000A"
MS = 1_000_000


@pytest.fixture
def number() -> int:
    """The number of a TCP port that nobody has."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def coming(number: int) -> Iterator[Callable[[], socket.socket]]:
    """A far side that tries to connect until somebody listens; the call gives its end of the connection."""
    come: list[socket.socket] = []

    def connect() -> None:
        until_s = time.monotonic() + WAIT_S
        while time.monotonic() < until_s and not come:
            try:
                come.append(socket.create_connection(("127.0.0.1", number), timeout=WAIT_S))
            except ConnectionRefusedError:
                time.sleep(0.005)

    thread = threading.Thread(target=connect)
    thread.start()

    def far_end() -> socket.socket:
        thread.join()
        return come[0]

    try:
        yield far_end
    finally:
        thread.join()
        for connection in come:
            connection.close()


class Line:
    """A reader's end of the connection, the link's end, and the link between them."""

    def __init__(self, ours: socket.socket, far: socket.socket) -> None:
        config = LinkConfig("reader-1", "feig_obid", {1: "seat 1"}, mode="notification", cycle_ms=100)
        self.link = DeviceLink(config, Presence(), lambda tag: True)
        self.ours, self.far = ours, far
        self.told: list[AnyObservation] = []

    def asked(self) -> bytes:
        """What the link sends, as it reaches the reader."""
        for frame in self.link.sends():
            self.ours.sendall(frame)
        return self.far.recv(100)

    def say(self, frame: bytes, ms: int) -> None:
        self.far.sendall(frame)
        data = b""
        while len(data) < len(frame):
            data += self.ours.recv(100)
        self.told += self.link.take(data, ms * MS)


def test_a_reader_that_connects_notifies_and_is_acknowledged(number: int) -> None:
    version = feig_obid.encode_version((1, 0, 0), 0, 33)
    with coming(number) as far_end:
        path = open_path(f"listen://127.0.0.1:{number}", 9600, "N", lines_low=False)
        with closing(path), closing(socket.socket(fileno=socket.dup(path.fd))) as ours:
            ours.settimeout(WAIT_S)
            line = Line(ours, far_end())
            line.link.opened(0, 1)
            assert line.asked()[:3] == bytes.fromhex("05FF65")
            line.say(version, 1)
            assert [type(one) for one in line.told] == [LinkRestored]
            # records that come before the reader has answered once more are of unknown age
            line.link.tick(line.link.next_deadline_ns() or 0)
            assert line.asked()[:3] == bytes.fromhex("05FF65")
            line.say(version, 1_100)
            line.say(feig_obid.encode_records([("iso15693", TAG, 1)]), 1_200)
            assert [type(one) for one in line.told] == [LinkRestored, CardArrived]
            assert line.asked()[:3] == bytes.fromhex("05FF32")


def test_the_port_is_free_again_for_the_next_life(number: int) -> None:
    for _ in range(3):
        with coming(number):
            port = TtyPort(f"listen://127.0.0.1:{number}")
            port.connect()
            port.close()
    with socket.create_server(("127.0.0.1", number)) as server:  # refused while anybody else holds it
        assert server.getsockname()[1] == number


def test_nobody_who_comes_is_one_sentence(number: int) -> None:
    with pytest.raises(PortError, match="no device has connected yet"):
        TtyPort(f"listen://127.0.0.1:{number}", accept_s=0.01).connect()


def test_a_device_is_waited_for_as_long_as_it_is_said(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "_TURN_S", 0.01)
    port = TtyPort(f"listen://127.0.0.1:{number}", accept_s=None)
    ended: list[str] = []

    def connect() -> None:
        try:
            port.connect()
        except PortError as error:
            ended.append(str(error))

    thread = threading.Thread(target=connect)
    thread.start()
    thread.join(0.2)
    assert ended == []  # many turns without a device are no reason to give up
    port.close()
    thread.join(WAIT_S)
    assert "no device has connected yet" in ended[0]


def test_an_address_that_is_taken_or_not_ours_is_one_sentence(number: int) -> None:
    taken = pytest.raises(PortError, match="another program of this host listens there")
    with socket.create_server(("127.0.0.1", number)), taken:
        TtyPort(f"listen://127.0.0.1:{number}").connect()
    with pytest.raises(PortError, match="this host has no such address"):
        TtyPort("listen://192.0.2.1:5000").connect()
