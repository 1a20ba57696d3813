"""What a home-made reader's lines must be before its silence, its noise or its words count for anything."""

import random

import pytest

from protocol.text_line import encode_line
from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.line_trust import FIRST_HOLD_NS, LONGEST_HOLD_NS, STABLE_NS, LineTrust
from shoe_bridge.link.presence import Presence
from shoe_bridge.table.observations import AnyObservation, CardArrived, EventsMissed, LinkLost, LinkRestored

MS = 1_000_000
A = "040E3BD2286B85"
LINE = encode_line("whywaita", A, 0)
JUNK = b"\xff\n"


class Wire:
    """One link that is ticked at every deadline. Times are ms."""

    def __init__(self, **options: object) -> None:
        config = LinkConfig("reader-1", "text_line", **{"antennas": {0: "seat 1"}, **options})  # type: ignore[arg-type]
        self.link = DeviceLink(config, Presence(), lambda tag: True)
        self.told: list[AnyObservation] = []
        self.live_ms = 0
        self._ms = 0
        self.link.opened(0, 1)

    def until(self, ms: int) -> None:
        while (due := self.link.next_deadline_ns()) is not None and due <= ms * MS:
            self._pass(max(self._ms + 1, -(-due // MS)))
            self.told += self.link.tick(self._ms * MS)
        self._pass(ms)

    def hear(self, ms: int, data: bytes) -> None:
        self.until(ms)
        self.told += self.link.take(data, ms * MS)

    def links(self) -> list[str]:
        return [type(one).__name__ for one in self.told if isinstance(one, LinkLost | LinkRestored)]

    def _pass(self, ms: int) -> None:
        self.live_ms += (ms - self._ms) * self.link.is_verified
        self._ms = ms


def noise(rng: random.Random, size: int) -> bytes:
    return rng.randbytes(size)


def other_speed(rng: random.Random, size: int) -> bytes:
    """Text at 115200 baud as a port at 9600 takes it: few different bytes, a line end among them."""
    return bytes(rng.choice(b"\x00\x80\xc0\xe0\xf0\xf8\xfc\xfe\xff\n\x1c\x66\x33") for _ in range(size))


def without_end(rng: random.Random, size: int) -> bytes:
    return rng.randbytes(size).replace(b"\n", b"\0").replace(b"\r", b"\0")


def other_program(rng: random.Random, size: int) -> bytes:
    line = b"$GPGGA,%06d.00,4717.11,N,00833.91,E,1,08,1.01\r\n" % rng.randrange(240_000)
    return line[:size] if size < len(line) else line * (size // len(line))


@pytest.mark.parametrize("source", [noise, other_speed, without_end, other_program])
@pytest.mark.parametrize("rate", [60, 960, 11_520])
def test_what_no_such_device_sends_is_never_called_live(source: object, rate: int) -> None:
    rng = random.Random(rate)
    wire = Wire()
    for ms in range(20, 40_000, 20):
        wire.hear(ms, source(rng, max(1, rate // 50)))  # type: ignore[operator]
    assert (wire.live_ms, wire.links()) == (0, ["LinkLost"])
    assert "reader-1" in (wire.link.refusal or "")


def test_a_flood_of_noise_with_lines_in_it_does_not_flap() -> None:
    rng = random.Random(4)
    wire = Wire()
    for ms in range(1, 60_000, 20):
        wire.hear(ms, JUNK * 25 + LINE * rng.randrange(4))
    assert wire.links().count("LinkLost") <= 8
    assert wire.live_ms < 1_000


def test_empty_lines_are_no_sign_of_life() -> None:
    wire = Wire(heartbeat_s=2)
    for ms in range(100, 5_000, 100):
        wire.hear(ms, b"\r\n")
    assert (wire.live_ms, wire.links()) == (0, ["LinkLost"])
    live = Wire()
    for ms in range(1_000, 3_000, 100):
        live.hear(ms, JUNK + b"\n")
    live.until(3_001)
    assert live.links() == ["LinkRestored", "LinkLost"]


def test_a_program_whose_lines_nobody_knows_is_told_of_with_one_of_its_lines() -> None:
    wire = Wire()
    for ms in range(1_000, 30_000, 1_000):
        wire.hear(ms, b"temperature 21\r\n")
    assert wire.links() == ["LinkRestored", "LinkLost"]
    assert "such as 'temperature 21'" in (wire.link.refusal or "")
    assert "`chatter`" in (wire.link.refusal or "")
    known = Wire(chatter=("temperature",))
    for ms in range(1_000, 30_000, 1_000):
        known.hear(ms, b"temperature 21\r\n")
    assert known.links() == ["LinkRestored"]


def test_a_line_that_never_ends_is_no_quiet() -> None:
    wire = Wire()
    for ms in range(100, 30_000, 400):
        wire.hear(ms, b"x")
    assert (wire.live_ms, wire.links()) == (0, ["LinkLost"])


def test_a_reader_that_was_doubted_comes_back_when_the_hold_off_is_over() -> None:
    wire = Wire()
    wire.hear(1_000, JUNK * 20)
    wire.until(1_001)
    assert wire.links() == ["LinkRestored", "LinkLost"]
    for ms in (1_200, 1_400):
        wire.hear(ms, LINE)
    assert not wire.link.is_verified
    wire.until(2_100)  # no line comes any more, and two were enough
    assert wire.links() == ["LinkRestored", "LinkLost", "LinkRestored"]
    assert wire.link.refusal is None


def test_cards_said_once_to_a_doubted_reader_are_events_missed() -> None:
    wire = Wire(repeats=False)
    wire.hear(1_000, JUNK * 20)
    wire.until(1_001)
    before = len(wire.told)
    for ms in (1_200, 1_400, 2_500):
        wire.hear(ms, LINE)
    wire.until(2_600)
    counted = [one.count for one in wire.told[before:] if isinstance(one, EventsMissed)]
    assert counted == [2]
    assert [type(one) for one in wire.told[before:]].count(CardArrived) == 1


def test_another_box_at_the_port_is_not_doubted_for_the_last_one() -> None:
    wire = Wire()
    wire.hear(1_000, JUNK * 20)
    wire.until(1_001)
    wire.link.closed(1_100 * MS, "unplugged")
    wire.link.opened(1_200 * MS, 2)
    assert [type(one) for one in wire.link.take(LINE, 1_250 * MS)] == [LinkRestored]


def test_the_hold_off_doubles_up_to_a_minute_and_a_long_life_ends_that() -> None:
    trust, now, holds = LineTrust(), 0, []
    for _ in range(8):
        trust.lived(now)
        trust.doubt(now + 1, was_live=True)
        holds.append(trust.hold_ns)
        now = trust.held_until_ns
    assert holds[:3] == [FIRST_HOLD_NS, 2 * FIRST_HOLD_NS, 4 * FIRST_HOLD_NS]
    assert holds[-1] == LONGEST_HOLD_NS
    trust.lived(now)
    trust.doubt(now + STABLE_NS, was_live=True)
    assert trust.hold_ns == FIRST_HOLD_NS


def test_lines_of_somebody_else_are_no_proof_of_the_device() -> None:
    wire = Wire()
    wire.hear(1_000, b"GET / HTTP/1.0\r\n\r\n")
    wire.until(9_000)
    assert (wire.link.is_verified, wire.link.has_proof) == (True, False)
    wire.hear(9_100, LINE)
    assert wire.link.has_proof
    wire.link.opened(9_200 * MS, 2)
    wire.until(10_000)
    assert (wire.link.is_verified, wire.link.has_proof) == (True, False)
