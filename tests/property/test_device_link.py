"""Laws of a whole link, with a device at the far end that speaks real bytes and replays from its ring."""

from collections.abc import Callable

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import tablelink
from protocol.codec import CODECS
from protocol.messages import (
    Ack,
    ClockSample,
    Heartbeat,
    Hello,
    HostCommand,
    KeyPressed,
    KeyReleased,
    Message,
    PollEmpty,
    Stamp,
    TagGone,
    TagSeen,
)
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.presence import Presence
from shoe_bridge.table import observations as seen
from shoe_bridge.table.observations import AnyObservation

MS = 1_000_000
STEP_MS = 100
RING = 24
PLACES = {1: "seat 1", 2: "seat 2", 3: "board"}
TAGS = tuple(f"E00401500000000{i}" for i in range(4))


Line = Callable[[bytes], list[bytes]]


def _whole(data: bytes) -> list[bytes]:
    return [data]


class Device:
    """Three antennas and a key. `plugged` is whether the line carries anything."""

    def __init__(self) -> None:
        self.there: dict[int, set[str]] = {number: set() for number in PLACES}
        self.plugged = True
        self._known: dict[int, set[str]] = {number: set() for number in PLACES}
        self._ring: list[tuple[int, int, Message]] = []
        self._seq = 65_530  # the numbers wrap in the middle of every story
        self._is_live = False
        self._out = bytearray()
        self._decoder = Decoder(CODECS["tablelink"])
        self._ms = 0

    def advance(self, ms: int) -> bytes:
        """One step of time: a poll of one antenna, or a heartbeat; gives what goes out."""
        self._ms = ms
        antenna = ms // STEP_MS % 4
        if antenna in PLACES:
            self._poll(antenna)
        if ms % 500 == 0:
            self._report(Heartbeat(9, ms // 1000, 0, 0, 0))
        return self.drain()

    def drain(self) -> bytes:
        out = bytes(self._out) if self.plugged else b""
        self._out.clear()
        return out

    def unplug(self) -> None:
        self.plugged = self._is_live = False
        self._out.clear()
        self._decoder = Decoder(CODECS["tablelink"])

    def press(self) -> None:
        self._event(KeyPressed(1), self._ms + 1)
        self._event(KeyReleased(1), self._ms + 61)

    def obey(self, data: bytes) -> None:
        if not self.plugged:
            return
        for result in self._decoder.feed(data):
            if isinstance(result, DecodedFrame) and isinstance(result.messages[0], HostCommand):
                self._obey(result.messages[0])

    def _obey(self, command: HostCommand) -> None:
        match command.command:
            case "hello_request":
                self._is_live = False
                oldest = self._ring[0][0] if self._ring else None
                self._report(Hello("0102030405060708", "1.0.0", 9, (), 3, 1, 0, oldest))
            case "resume":
                self._resume(int(command.args["after_seq"]), bool(command.args["nothing_seen"]))
            case "clock_request":
                self._report(ClockSample(int(command.args["token"]), self._ms))
            case "ack_events":
                while self._ring and (self._ring[0][0] - int(command.args["seq"])) % 65_536 in (
                    0,
                    *range(32_768, 65_536),
                ):
                    self._ring.pop(0)

    def _resume(self, after: int, nothing_seen: bool) -> None:
        wanted = len(self._ring) if nothing_seen else (self._seq - after) % 65_536
        events = self._ring[max(0, len(self._ring) - wanted) :] if wanted else []
        for seq, ms, message in events:
            self._out += tablelink.encode(message, Stamp(seq, True, True, ms))
        self._report(Ack("resume", int(len(events) < wanted)))
        self._is_live = True

    def _poll(self, antenna: int) -> None:
        known, there = self._known[antenna], self.there[antenna]
        for tag in sorted(known - there):
            self._event(TagGone(tag, antenna), self._ms)
        for tag in sorted(there - known):
            self._event(TagSeen(tag, antenna, -40, "iso15693"), self._ms)
        if self._is_live:
            for tag in sorted(known & there):
                self._report(TagSeen(tag, antenna, -40, "iso15693"))
            if not there:
                self._report(PollEmpty(antenna))
        self._known[antenna] = set(there)

    def _event(self, message: Message, ms: int) -> None:
        self._seq = (self._seq + 1) % 65_536
        self._ring = [*self._ring[-RING + 1 :], (self._seq, ms, message)]
        if self._is_live:
            self._out += tablelink.encode(message, Stamp(self._seq, True, False, ms))

    def _report(self, message: Message) -> None:
        self._out += tablelink.encode(message, Stamp(self._seq, False, False, self._ms))


class Bench:
    """A device, a line that may cut, drop and garble, and a link."""

    def __init__(self) -> None:
        self.device = Device()
        self.presence = Presence()
        self.link = self._new_link()
        self.out: list[AnyObservation] = []
        self.ms = 0
        self.lives = 1
        self.out += self.link.opened(0, 1)

    def _new_link(self) -> DeviceLink:
        config = LinkConfig("reader-1", "tablelink", PLACES, {1: "shuffle"})
        return DeviceLink(config, self.presence, lambda tag: tag.startswith("E0"))

    def step(self, line: Line = _whole, answers: Line = _whole) -> None:
        """One step of time; `line` is what becomes of the bytes of this step, `answers` of the answers to
        the host within it."""
        self.ms += STEP_MS
        self._carry(self.device.advance(self.ms), line)
        due_ns = self.link.next_deadline_ns()
        if due_ns is not None and due_ns <= self.ms * MS:
            self.out += self.link.tick(self.ms * MS)
        for _ in range(4):
            for data in self.link.sends():
                self.device.obey(data)
            self._carry(self.device.drain(), answers)

    def _carry(self, data: bytes, line: Line) -> None:
        if data:
            for piece in line(data):
                self.out += self.link.take(piece, self.ms * MS)

    def unplug(self) -> None:
        if self.device.plugged:
            self.device.unplug()
            self.out += self.link.closed(self.ms * MS, "unplugged")

    def replug(self) -> None:
        if not self.device.plugged:
            self.device.plugged = True
            self.lives += 1
            self.out += self.link.opened(self.ms * MS, self.lives)

    def act(self, deed: str, tag: str, antenna: int) -> None:
        there = self.device.there
        match deed:
            case "place":
                for tags in there.values():
                    tags.discard(tag)
                there[antenna].add(tag)
            case "lift":
                for tags in there.values():
                    tags.discard(tag)
            case "press":
                self.device.press()
            case "unplug":
                self.unplug()
            case "replug":
                self.replug()

    def move_to_a_snapshot(self) -> None:
        link, presence = self.link.snapshot(), self.presence.snapshot()
        self.presence = Presence()
        self.presence.restore(presence)
        self.link = self._new_link()
        self.link.restore(link)


_DEEDS = ["place", "place", "lift", "press", ""]
_deeds = st.lists(
    st.tuples(st.sampled_from(_DEEDS), st.sampled_from(TAGS), st.sampled_from(sorted(PLACES))), max_size=12
)
_replugs = st.lists(
    st.tuples(
        st.sampled_from([*_DEEDS, "unplug", "replug"]), st.sampled_from(TAGS), st.sampled_from(sorted(PLACES))
    ),
    max_size=14,
)
Deeds = list[tuple[str, str, int]]


def _of(kind: type, out: list[AnyObservation]) -> list[AnyObservation]:
    return [one for one in out if isinstance(one, kind)]


def _lies(out: list[AnyObservation]) -> set[tuple[str, str]]:
    """Which tag lies where according to the observations; arrivals and departures must alternate."""
    here: set[tuple[str, str]] = set()
    for one in out:
        if isinstance(one, seen.CardArrived):
            assert (one.place, one.tag) not in here
            assert one.not_before_ns <= one.not_after_ns
            here.add((one.place, one.tag))
        elif isinstance(one, seen.CardDeparted):
            here.remove((one.place, one.tag))
    return here


def _truth(device: Device) -> set[tuple[str, str]]:
    return {(PLACES[number], tag) for number, tags in device.there.items() for tag in tags}


def _settle(bench: Bench) -> None:
    bench.replug()
    for _ in range(25):
        bench.step()


@settings(max_examples=40, deadline=None)
@given(_deeds, st.randoms(use_true_random=False))
def test_the_observations_do_not_depend_on_how_the_bytes_were_cut(deeds: Deeds, random) -> None:  # type: ignore[no-untyped-def]
    def cut(data: bytes) -> list[bytes]:
        at = sorted(random.randrange(len(data) + 1) for _ in range(random.randrange(6)))
        return [data[a:b] for a, b in zip([0, *at], [*at, len(data)], strict=True)]

    whole, single, cut_up = Bench(), Bench(), Bench()
    for deed in [*deeds, ("", "", 0)]:
        for bench, pieces in (
            (whole, _whole),
            (single, lambda data: [data[i : i + 1] for i in range(len(data))]),
            (cut_up, cut),
        ):
            bench.act(*deed)
            for _ in range(4):
                bench.step(pieces, pieces)
    assert single.out == whole.out
    assert cut_up.out == whole.out
    assert whole.link.is_verified


@settings(max_examples=60, deadline=None)
@given(_replugs)
def test_a_replug_loses_nothing(deeds: Deeds) -> None:
    bench = Bench()
    presses, events_in_outage = 0, 0
    for deed in deeds:
        # within what the ring can hold: a press is two events, a card that moves is two
        events_in_outage = 0 if bench.device.plugged else events_in_outage + 2
        if events_in_outage > RING - 4 and deed[0] not in ("replug", "unplug"):
            continue
        presses += deed[0] == "press"
        bench.act(*deed)
        for _ in range(5):
            bench.step()
    _settle(bench)
    assert bench.link.is_verified
    assert _lies(bench.out) == _truth(bench.device)
    assert len(_of(seen.KeyPressed, bench.out)) == presses
    assert all(one.missed_events == 0 for one in _of(seen.LinkRestored, bench.out))  # type: ignore[union-attr]
    assert not _of(seen.EventsMissed, bench.out)
    lost, restored = _of(seen.LinkLost, bench.out), _of(seen.LinkRestored, bench.out)
    assert len(lost) == bench.lives - 1
    assert len(restored) <= bench.lives
    times = [one.at_mono_ns for one in _of(seen.KeyPressed, bench.out)]  # type: ignore[union-attr]
    assert times == sorted(times)


@settings(max_examples=40, deadline=None)
@given(_deeds, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 400), st.integers(1, 255)), max_size=10))
def test_garbled_bytes_lose_no_event_and_move_no_card(deeds: Deeds, hits: list[tuple[int, int, int]]) -> None:
    bench = Bench()
    for _ in range(8):
        bench.step()
    number, presses = 0, 0

    def garble(data: bytes) -> list[bytes]:
        hit = [(at, mask) for step, at, mask in hits if step == number and at < len(data)]
        garbled = bytearray(data)
        for at, mask in hit:
            garbled[at] ^= mask
        return [bytes(garbled)]

    for deed in deeds:
        presses += deed[0] == "press"
        bench.act(*deed)
        for _ in range(5):
            number += 1
            bench.step(garble)
    _settle(bench)
    assert _lies(bench.out) == _truth(bench.device)
    assert len(_of(seen.KeyPressed, bench.out)) == presses
    assert not _of(seen.LinkLost, bench.out)
    assert bench.link.is_verified


@settings(max_examples=40, deadline=None)
@given(
    st.sets(st.tuples(st.sampled_from(TAGS), st.sampled_from(sorted(PLACES))), min_size=1),
    st.lists(st.sampled_from(["", "drop", "half", "garble", "replug"]), max_size=40),
)
def test_a_resting_card_never_departs(cards: set[tuple[str, int]], line: list[str]) -> None:
    bench = Bench()
    for tag, antenna in cards:
        bench.device.there[antenna].add(tag)
    for _ in range(12):
        bench.step()
    told = [one for one in bench.out if isinstance(one, seen.CardArrived | seen.CardDeparted)]
    damage: dict[str, Line] = {
        "drop": lambda data: [],
        "half": lambda data: [data[: len(data) // 2]],
        "garble": lambda data: [bytes(byte ^ (0x55 if i % 7 == 0 else 0) for i, byte in enumerate(data))],
    }
    for what in line:
        if what == "replug":
            bench.unplug()
            bench.step()
            bench.replug()
        bench.step(damage.get(what, _whole))
    _settle(bench)
    assert [one for one in bench.out if isinstance(one, seen.CardArrived | seen.CardDeparted)] == told


@settings(max_examples=30, deadline=None)
@given(_replugs, st.integers(0, 13))
def test_going_on_from_any_snapshot_is_going_on(deeds: Deeds, cut: int) -> None:
    whole, moved = Bench(), Bench()
    for number, deed in enumerate(deeds):
        for bench in (whole, moved):
            bench.act(*deed)
            for _ in range(3):
                bench.step()
        if number == cut:
            moved.move_to_a_snapshot()
    assert moved.out == whole.out
    assert msgspec.to_builtins(moved.link.counters) == msgspec.to_builtins(whole.link.counters)
    assert moved.link.next_deadline_ns() == whole.link.next_deadline_ns()
