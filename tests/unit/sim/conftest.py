"""A host for simulated devices that knows just enough to be talked to, and nothing of the bridge."""

import json
from collections.abc import Callable, Iterable

import pytest

from protocol import pepper_c1, tablelink
from protocol.envelopes import PEPPER_F5, PEPPER_JSON, TABLELINK
from protocol.messages import Decoded, Hello, HostCommand, Message, Stamp
from shoe_bridge.runtime.ports import Chunk, Input, LinkOpened
from shoe_bridge.sim.host_frames import HostFrames
from shoe_bridge.sim.player import Moment

Sent = tuple[Message, Stamp]


def command(name: str, **args: int | str) -> bytes:
    return tablelink.encode_command(HostCommand(name, dict(args)))


class TablelinkHost:
    """Takes a device's bytes apart and talks back when told to."""

    def __init__(self, device) -> None:
        self.device = device
        self.now_ms = 0
        self._frames = HostFrames(TABLELINK)

    def send(self, name: str, **args: int | str) -> None:
        self.device.take(command(name, **args), self.now_ms)

    def run(self, duration_ms: int) -> list[Sent]:
        """Let time pass; gives what came, each message with its stamp."""
        self.now_ms += duration_ms
        return self.parse(self.device.advance(self.now_ms))

    def parse(self, data: bytes) -> list[Sent]:
        found = []
        for body in self._frames.feed(data):
            decoded = tablelink.decode(TABLELINK.name, body)
            assert isinstance(decoded, Decoded)
            assert decoded.stamp is not None
            found += [(message, decoded.stamp) for message in decoded.messages]
        assert self._frames.dropped == 0
        return found

    def connect(self) -> list[Sent]:
        self.send("hello_request")
        self.run(2)
        self.send("resume", boot_id=self.device.boot_id, after_seq=0, nothing_seen=1)
        return self.run(2)


class PepperHost:
    """Takes a Pepper's stream apart: F5 frames, and JSON texts between them."""

    def __init__(self, device) -> None:
        self.device = device
        self.now_ms = 0

    def send(self, name: str, **args: int | str) -> None:
        self.device.take(pepper_c1.encode_command(HostCommand(name, dict(args))), self.now_ms)

    def run(self, duration_ms: int) -> list[Message]:
        self.now_ms += duration_ms
        return self.parse(self.device.advance(self.now_ms))

    def parse(self, data: bytes) -> list[Message]:
        found: list[Message] = []
        while data:
            if data[:1] == b"{":
                text = data.decode("latin-1")
                _, end = json.JSONDecoder().raw_decode(text)
                decoded = pepper_c1.decode(PEPPER_JSON.name, data[:end])
            else:
                end = int.from_bytes(data[1:3], "little") + 5
                (body,) = HostFrames(PEPPER_F5).feed(data[:end])
                decoded = pepper_c1.decode(PEPPER_F5.name, body)
            assert isinstance(decoded, Decoded)
            found += decoded.messages
            data = data[end:]
        return found


class FakeBridge:
    """The host of a whole table: greets devices as their links open and notes what they say, by step."""

    def __init__(self, devices) -> None:
        self._hosts = {
            name: (TablelinkHost if device.kind == "tablelink" else PepperHost)(device)
            for name, device in devices.items()
            if device.kind in ("tablelink", "pepper_c1")
        }
        self._to_send: dict[str, list[bytes]] = {name: [] for name in devices}
        self._last_seq: dict[str, int] = {}
        self.said: list[tuple[int, str, Message]] = []
        self.links: list[tuple[int, Input]] = []
        self.moments = 0
        self._last_mono_ns = 0

    def host_sends(self, name: str) -> list[bytes]:
        data, self._to_send[name] = self._to_send[name], []
        return data

    def watch(self, moments: Iterable[Moment]) -> "FakeBridge":
        for moment in moments:
            self.moments += 1
            assert moment.at_mono_ns >= self._last_mono_ns
            self._last_mono_ns = moment.at_mono_ns
            for given in moment.inputs:
                assert given.at_mono_ns == moment.at_mono_ns
                self._take(moment.step, given)
        return self

    def _take(self, step: int, given: Input) -> None:
        if not isinstance(given, Chunk):
            self.links.append((step, given))
            if isinstance(given, LinkOpened) and isinstance(self._hosts.get(given.device), TablelinkHost):
                self._to_send[given.device].append(command("hello_request"))
            return
        host = self._hosts[given.device]
        if isinstance(host, PepperHost):
            self.said += [(step, given.device, message) for message in host.parse(given.data)]
            return
        for message, stamp in host.parse(given.data):
            self.said.append((step, given.device, message))
            if stamp.is_event:
                self._last_seq[given.device] = stamp.seq
            if isinstance(message, Hello):
                seq = self._last_seq.get(given.device)
                self._to_send[given.device].append(
                    command(
                        "resume", boot_id=message.boot_id, after_seq=seq or 0, nothing_seen=int(seq is None)
                    )
                )

    def heard(self, kind: type[Message], step: int | None = None) -> list[Message]:
        return [m for at, _, m in self.said if isinstance(m, kind) and step in (None, at)]


@pytest.fixture
def fake_bridge() -> Callable[..., FakeBridge]:
    return FakeBridge


@pytest.fixture
def tablelink_host() -> Callable[..., TablelinkHost]:
    return TablelinkHost


@pytest.fixture
def pepper_host() -> Callable[..., PepperHost]:
    return PepperHost
