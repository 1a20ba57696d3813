"""Laws of the links that hear lines: a home-made reader and a keyboard-wedge reader, over real bytes."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import hid_keyboard, text_line
from protocol.codec import CODECS
from protocol.messages import Message, TagGone, TagSeen
from protocol.vectors import vectors_of
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.frame_starts import start_of
from shoe_bridge.link.line_codecs import line_codec
from shoe_bridge.link.presence import Presence
from shoe_bridge.sim.faults import FaultyLine, LineFaults
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.text_line_device import TextLineDevice
from shoe_bridge.sim.world import World
from shoe_bridge.table.observations import AnyObservation, CardArrived, CardDeparted

MS = 1_000_000
PLACES = {0: "seat 1", 1: "seat 2", 2: "muck"}
TAGS = ("040E3BD2286B85", "0406B9020A5481", "E0040150A05F02B7")
OTHERS = [
    vector.stream
    for kind in CODECS
    if kind not in ("text_line", "hid_keyboard")
    for vector in vectors_of(kind)
]

Deeds = list[tuple[str, str]]
_deeds: st.SearchStrategy[Deeds] = st.lists(
    st.tuples(st.sampled_from(TAGS), st.sampled_from([*PLACES.values(), ""])), max_size=8
)


class Bench:
    """A board, its link, and a clock that ticks as the bridge does."""

    def __init__(self, faults: LineFaults | None = None, repeats: bool = True, seed: int = 0) -> None:
        self.world = World()
        board = TextLineDevice(
            "reader-1", air=Air(self.world), antennas=PLACES, cycle_ms=120, repeats=repeats
        )
        self.device = FaultyLine(board, faults or LineFaults(), random.Random(seed))
        config = LinkConfig(
            "reader-1", "text_line", antennas=PLACES, cycle_ms=120, hold_ms=400, repeats=repeats
        )
        self.link = DeviceLink(config, Presence(), lambda tag: tag in TAGS)
        self.link.opened(0, 1)
        self.out: list[AnyObservation] = []
        self.ms = 0

    def run(self, ms: int, rng: random.Random | None = None) -> None:
        for _ in range(0, ms, 10):
            self.ms += 10
            data = self.device.advance(self.ms)
            while data:
                size = len(data) if rng is None else rng.randrange(1, len(data) + 1)
                self.out += self.link.take(data[:size], self.ms * MS)
                data = data[size:]
            due = self.link.next_deadline_ns()
            if due is not None and due <= self.ms * MS:
                self.out += self.link.tick(self.ms * MS)

    def act(self, tag: str, place: str) -> None:
        if place:
            self.world.place(tag, place)
        else:
            self.world.lift(tag)

    def lies(self) -> set[tuple[str, str]]:
        here: set[tuple[str, str]] = set()
        for one in self.out:
            if isinstance(one, CardArrived):
                assert (one.place, one.tag) not in here
                here.add((one.place, one.tag))
            elif isinstance(one, CardDeparted):
                here.remove((one.place, one.tag))
        return here

    def truth(self) -> set[tuple[str, str]]:
        return {(place, tag) for tag in TAGS if (place := self.world.where(tag))}


@settings(max_examples=40, deadline=None)
@given(_deeds, st.integers(0, 1_000))
def test_the_observations_do_not_depend_on_how_the_bytes_were_cut(deeds: Deeds, seed: int) -> None:
    whole, cut = Bench(), Bench()
    for tag, place in deeds:
        for bench, rng in ((whole, None), (cut, random.Random(seed))):
            bench.act(tag, place)
            bench.run(300, rng)
    assert cut.out == whole.out


@settings(max_examples=40, deadline=None)
@given(_deeds, st.booleans())
def test_the_cards_end_where_they_lie(deeds: Deeds, repeats: bool) -> None:
    bench = Bench(repeats=repeats)
    bench.run(600)
    for tag, place in deeds:
        if not repeats and not place:
            continue  # a program that says things once never says that a card is gone
        bench.act(tag, place)
        bench.run(500)
    bench.run(2_000)
    assert bench.lies() == bench.truth()


@settings(max_examples=30, deadline=None)
@given(_deeds, st.integers(0, 1_000), st.floats(0.0, 0.004), st.floats(0.0, 0.004))
def test_a_bad_cable_moves_no_card_to_where_it_is_not(
    deeds: Deeds, seed: int, drop: float, flip: float
) -> None:
    bench = Bench(LineFaults(drop, flip, 30), seed=seed)
    been: set[tuple[str, str]] = set()
    bench.run(600)
    for tag, place in deeds:
        bench.act(tag, place)
        been |= bench.truth()
        bench.run(400)
    arrived = {(one.place, one.tag) for one in bench.out if isinstance(one, CardArrived)}
    assert {tag for _, tag in arrived} <= set(TAGS)
    bench.device.faults = LineFaults()
    bench.run(2_500)
    assert bench.lies() == bench.truth()


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(OTHERS), max_size=6), st.booleans())
def test_frames_of_other_devices_are_no_tag_and_the_next_line_is_read(
    others: list[bytes], has_end: bool
) -> None:
    decoder = Decoder(line_codec("text_line", preset="whywaita"))
    line = text_line.encode_line("whywaita", TAGS[0], 3)
    noise = b"".join(others)
    results = decoder.feed(noise + b"\n" * has_end)
    if not has_end:
        results += decoder.idle()
    assert not [message for message in messages_in(results) if isinstance(message, TagGone | TagSeen)]
    assert messages_in(decoder.feed(line)) == [TagSeen(TAGS[0], 3)]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(OTHERS), max_size=6))
def test_frames_of_other_devices_are_no_typed_tag(others: list[bytes]) -> None:
    decoder = Decoder(line_codec("hid_keyboard", typed="decimal", layout="boot"))
    results = decoder.feed(b"".join(others))
    for _ in range(decoder.pending):
        results += decoder.idle()
    assert not [message for message in messages_in(results) if isinstance(message, TagSeen)]
    typed = messages_in(decoder.feed(hid_keyboard.encode_tag("040E3BD2", "decimal")))
    assert typed[1:] == [TagSeen("040E3BD2")]


def messages_in(results: object) -> list[Message]:
    assert isinstance(results, list)
    return [m for result in results if isinstance(result, DecodedFrame) for m in result.messages]


def results_in_bytes(kind: str, stream: bytes, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The results where each hopeless byte is asked for by itself."""
    with monkeypatch.context() as patched:
        patched.setattr(
            "shoe_bridge.link.deframer.start_of", lambda envelope: start_of(envelope)._replace(skip=None)
        )
        decoder = Decoder(CODECS[kind])
        return [*decoder.feed(stream), *decoder.finish(), decoder.pending, decoder.counters]


@pytest.mark.parametrize("kind", ["text_line", "hid_keyboard"])
def test_skipping_what_is_hopeless_gives_the_same_as_asking_for_each_byte(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(f"skip {kind}")
    pieces = [vector.stream for vector in vectors_of(kind)]
    pieces += [b"x" * 530, b"\r", b"\n", bytes(60), bytes(37), b"\0\0\x1e", b"\xff" * 700]
    for _ in range(300):
        stream = b"".join(rng.choices(pieces, k=rng.randrange(1, 5)))
        decoder = Decoder(CODECS[kind])
        results = [*decoder.feed(stream), *decoder.finish(), decoder.pending, decoder.counters]
        assert results == results_in_bytes(kind, stream, monkeypatch)
