"""`listen://` with a far side that connects by itself: a FEIG reader that notifies."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from protocol import feig_obid
from shoe_bridge.adapters import listening
from shoe_bridge.adapters.byte_paths import open_path
from shoe_bridge.adapters.listening import Door
from shoe_bridge.adapters.tty import TtyPort
from shoe_bridge.cli import run_command
from shoe_bridge.cli.live_device import LiveDevice
from shoe_bridge.errors import PortError
from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.presence import Presence
from shoe_bridge.runtime.config import DeviceConfig
from shoe_bridge.runtime.device_ports import device_port
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


@pytest.mark.parametrize(
    ("kind", "mode", "is_told"), [("feig_obid", "notification", True), ("text_line", "inventory", False)]
)
def test_who_did_not_come_is_told_what_its_kind_needs(
    number: int, kind: str, mode: str, is_told: bool
) -> None:
    url = f"listen://127.0.0.1:{number}"
    device = DeviceConfig(name="r", kind=kind, port=url, antennas={1: "seat 1"}, mode=mode)
    with pytest.raises(PortError, match=r"no device has connected yet; .* destination in the device") as said:
        device_port(device, accept_s=0.05).connect()
    assert ("switch its notification mode on." in str(said.value)) is is_told


def test_the_port_is_free_again_for_the_next_life(number: int) -> None:
    for _ in range(3):
        with coming(number):
            port = TtyPort(f"listen://127.0.0.1:{number}")
            port.connect()
            port.close()
    with socket.create_server(("127.0.0.1", number)) as server:  # refused while anybody else holds it
        assert server.getsockname()[1] == number


class Clock:
    """Seconds that pass when they are told to."""

    now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def door(number: int, clock: Clock) -> Iterator[Door]:
    with closing(Door(f"listen://127.0.0.1:{number}", "127.0.0.1", number, mono_s=clock)) as door:
        yield door


def client(number: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", number), timeout=WAIT_S)


def is_ended(connection: socket.socket) -> bool:
    connection.settimeout(0.2)
    try:
        return connection.recv(1) == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True


def test_one_that_says_nothing_gives_way_to_the_reader(number: int, clock: Clock, door: Door) -> None:
    with closing(client(number)) as scanner, closing(client(number)) as reader:
        first = door.first(lambda: False)
        assert first.getpeername() == scanner.getsockname()
        clock.now_s += listening.GRACE_S - 0.1
        assert door.give_way(False) is None  # it may still prove itself
        clock.now_s += 0.2
        why = door.give_way(False)
        assert why is not None
        assert "gave way to one from 127.0.0.1" in why
        first.close()
        door.close()
        next_life = Door("listen://x:1", "127.0.0.1", number, mono_s=clock)
        with closing(next_life), closing(next_life.first(lambda: False)) as second:
            assert second.getpeername() == reader.getsockname()
            assert next_life.give_way(False) is None


def test_a_working_reader_is_thrown_out_by_nobody(number: int, clock: Clock, door: Door) -> None:
    with closing(client(number)), closing(door.first(lambda: False)):
        scanners = [client(number) for _ in range(8)]
        for _ in range(100):
            clock.now_s += 1
            assert door.give_way(True) is None
        assert all(map(is_ended, scanners))
        for scanner in scanners:
            scanner.close()


def test_a_half_open_reader_gives_way_to_itself(number: int, clock: Clock, door: Door) -> None:
    with closing(client(number)), closing(door.first(lambda: False)):
        clock.now_s += 3600
        with closing(client(number)) as again:  # its power was off; the old connection never ended here
            assert door.give_way(True) is None
            clock.now_s += 4  # by then the link has missed its answers
            assert door.give_way(False) is not None
            assert not is_ended(again)
            with closing(door.first(lambda: False)) as second:
                assert second.getpeername() == again.getsockname()


def test_who_has_left_the_door_is_not_let_in(number: int, clock: Clock, door: Door) -> None:
    with closing(client(number)), closing(door.first(lambda: False)):
        client(number).close()
        clock.now_s += 60
        for _ in range(3):
            assert door.give_way(False) is None
            time.sleep(0.01)


def test_a_connection_that_answers_no_more_is_ended_by_tcp(number: int) -> None:
    with coming(number):
        path = open_path(f"listen://127.0.0.1:{number}", 9600, "N", lines_low=False)
        with closing(path), closing(socket.socket(fileno=socket.dup(path.fd))) as ours:
            assert ours.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
            idle, every, count = (
                ours.getsockopt(socket.IPPROTO_TCP, option)
                for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
            )
            assert idle + every * count <= 30


def test_a_port_gives_its_place_to_the_one_who_speaks(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "GRACE_S", 0.3)
    config = DeviceConfig(name="reader-1", kind="feig_obid", port=f"listen://127.0.0.1:{number}")
    told: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(100):
            writer.write(feig_obid.encode_version((1, 0, 0), 0, 33))

    async def test() -> None:
        lives: list[LiveDevice] = []

        async def live() -> None:
            lives.append(LiveDevice(config))
            await lives[-1].open()

        first = asyncio.ensure_future(live())
        silent = await connected(number)
        await first
        there = await connected(number)
        answering = asyncio.ensure_future(answer(*there))
        while lives[0].lost is None:
            lives[0].turn()
            await asyncio.sleep(0.01)
        told.append(lives[0].lost)
        lives[0].close()
        await live()
        while not lives[1].is_verified:
            lives[1].turn()
            await asyncio.sleep(0.01)
        late = await connected(number)
        assert await late[0].read(1) == b""  # turned away, and the reader works on
        assert lives[1].is_verified
        lives[1].close()
        answering.cancel()
        for _, writer in (silent, there, late):
            writer.close()

    asyncio.run(asyncio.wait_for(test(), 4 * WAIT_S))
    assert "gave way to one from 127.0.0.1" in told[0]


async def connected(number: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    while True:
        try:
            return await asyncio.open_connection("127.0.0.1", number)
        except ConnectionRefusedError:
            await asyncio.sleep(0.01)


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


def doctor_at(
    url: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What doctor says of the one device there: its lines as a device and as a trouble."""
    file.write_text(
        '[table]\nid = "t"\ngame = "holdem"\nprofile = "nz-1999"\nseats = 2\n'
        f'[[device]]\nname = "r"\nkind = "text_line"\nport = "{url}"\n'
        'antennas = { 1 = "seat 1", 2 = "seat 2", 3 = "board", 4 = "burn" }\n'
    )
    run_command(["doctor", "--config", str(file), "--state", str(file.parent), "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    devices = [line for line in lines if line["type"] == "device"]
    return devices, [line for line in lines if line["type"] == "trouble" and line["where"] == f"r at {url}"]


def test_doctor_listens_for_a_device_that_connects(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"listen://127.0.0.1:{number}"
    with coming(number):
        (device,), (note,) = doctor_at(url, tmp_path / "t.toml", capsys)
    assert (device["name"], device["is_open"]) == ("r", True)
    assert not note["grave"]


def test_doctor_says_that_nobody_connected_and_that_somebody_else_listens(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoe_bridge.cli.doctor_probe.ACCEPT_S", 0.3)
    url = f"listen://127.0.0.1:{number}"
    (device,), (trouble,) = doctor_at(url, tmp_path / "t.toml", capsys)
    assert not device["is_open"]
    assert "no device has connected yet" in trouble["what"]
    with socket.create_server(("127.0.0.1", number)):
        _, (trouble,) = doctor_at(url, tmp_path / "t.toml", capsys)
    assert "another program of this host listens there" in trouble["what"]


class Answering:
    """A hearing that asks `?` at first, and is proven by `yes`; `heard` is what it was told."""

    def __init__(self) -> None:
        self.heard = b""
        self._has_asked = False

    @property
    def is_proven(self) -> bool:
        return b"yes" in self.heard

    def turn(self, data: bytes, at_mono_ns: int) -> bytes:
        del at_mono_ns
        self.heard += data
        asks, self._has_asked = b"" if self._has_asked else b"?", True
        return asks


@pytest.fixture
def asking_door(number: int, clock: Clock) -> Iterator[Door]:
    with closing(Door(f"listen://127.0.0.1:{number}", "127.0.0.1", number, Answering, clock)) as door:
        yield door


def test_of_many_that_wait_the_one_that_answers_gets_the_place(
    number: int, clock: Clock, asking_door: Door
) -> None:
    silent = [client(number) for _ in range(7)]
    with closing(asking_door.first(lambda: False)) as first, closing(client(number)) as reader:
        assert first.getpeername() == silent[0].getsockname()
        assert asking_door.give_way(False) is None
        assert reader.recv(10) == b"?"
        assert [one.recv(10) for one in silent[1:]] == [b"?"] * 6
        silent[3].sendall(b"no")
        reader.sendall(b"y")
        clock.now_s += listening.SETTLE_S + 0.1
        assert asking_door.give_way(False) is None
        reader.sendall(b"es, and more")
        why = asking_door.give_way(False)
        assert why is not None
        assert "no device was heard over the connection from 127.0.0.1" in why
        asking_door.close()
        with closing(Door("listen://x", "127.0.0.1", number, Answering, clock)) as next_life:
            second = next_life.first(lambda: False)
            assert second.getpeername() == reader.getsockname()
            assert second.recv(100) == b"yes, and more"  # it was looked at and not taken away
            second.close()
            assert not any(map(is_ended, silent[1:]))  # they wait on
    for one in silent:
        one.close()


def test_the_one_in_place_has_time_to_answer_before_another_that_has(
    number: int, clock: Clock, asking_door: Door
) -> None:
    with closing(client(number)), closing(asking_door.first(lambda: False)), closing(client(number)) as quick:
        quick.sendall(b"yes")
        clock.now_s += listening.SETTLE_S / 2
        assert asking_door.give_way(False) is None
        clock.now_s += listening.SETTLE_S
        assert asking_door.give_way(True) is None  # it has
        assert asking_door.give_way(False) is not None
        with closing(asking_door.first(lambda: False)) as second:
            assert second.getpeername() == quick.getsockname()


def test_more_than_there_is_room_for_are_served_in_turn(number: int, clock: Clock, asking_door: Door) -> None:
    with closing(client(number)), closing(asking_door.first(lambda: False)):
        silent = [client(number) for _ in range(listening._MOST_WAITING)]
        reader = client(number)
        reader.sendall(b"yes")
        clock.now_s += listening.SETTLE_S
        assert asking_door.give_way(False) is None  # there is no room for the reader yet
        assert not is_ended(reader)
        assert len(asking_door.far_sides) == 1
        clock.now_s += listening.GRACE_S + 0.1
        assert asking_door.give_way(False) is not None
        with closing(asking_door.first(lambda: False)):
            clock.now_s += listening.SETTLE_S + 0.1
            for _ in range(3):
                if (why := asking_door.give_way(False)) is not None:
                    break
            assert why is not None
        with closing(asking_door.first(lambda: False)) as second:
            assert second.getpeername() == reader.getsockname()
        for one in (*silent, reader):
            one.close()


def test_a_caller_that_takes_no_question_is_asked_no_more(number: int, clock: Clock) -> None:
    class Verbose(Answering):
        def turn(self, data: bytes, at_mono_ns: int) -> bytes:
            super().turn(data, at_mono_ns)
            return bytes(1 << 20)

    with (
        closing(Door(f"listen://127.0.0.1:{number}", "127.0.0.1", number, Verbose, clock)) as door,
        closing(client(number)),
        closing(door.first(lambda: False)),
        closing(client(number)) as stuck,
    ):
        for _ in range(40):
            assert door.give_way(False) is None
        stuck.sendall(b"yes")
        clock.now_s += listening.SETTLE_S
        assert door.give_way(False) is None
        assert not is_ended(stuck)


def test_silent_programs_that_come_again_and_again_keep_no_reader_out(number: int) -> None:
    """A FEIG reader among six programs that say nothing, or what no reader says, and reconnect at once."""
    config = DeviceConfig(name="reader-1", kind="feig_obid", port=f"listen://127.0.0.1:{number}")

    async def speak(first: bytes, answers: bytes) -> None:
        while True:
            reader, writer = await connected(number)
            try:
                writer.write(first)
                while await reader.read(100):
                    writer.write(answers)
            except ConnectionError:
                pass
            finally:
                writer.transport.abort()

    async def test() -> None:
        others = [asyncio.ensure_future(speak(b"\x02" * (n % 2), b"")) for n in range(6)]
        live = LiveDevice(config)
        await live.open()
        version = feig_obid.encode_version((1, 0, 0), 0, 33)
        others.append(asyncio.ensure_future(speak(b"", version)))
        while not live.is_verified:
            if live.lost is not None:
                live.close()
                live = LiveDevice(config)
                await live.open()
            live.turn()
            await asyncio.sleep(0.01)
        assert live.link.is_verified
        live.close()
        for other in others:
            other.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await asyncio.sleep(0)  # their transports end in the loop's next turn

    asyncio.run(asyncio.wait_for(test(), 3 * WAIT_S))
