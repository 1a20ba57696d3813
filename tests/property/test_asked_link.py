"""Laws of a link to a reader that must be asked, with a simulated device of real bytes at the far end.

`BOXES` makes one device and its link for each kind and mode. A box with fewer antennas than there are places
does not see what lies at the others.
"""

from collections.abc import Callable
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.vectors import vectors_of
from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.presence import Presence
from shoe_bridge.sim.device import SimDevice
from shoe_bridge.sim.faults import FaultyLine, LineFaults
from shoe_bridge.sim.feig_device import FeigDevice
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.pn532_device import Pn532Device
from shoe_bridge.sim.uhf_devices import R2000Device, Yrm100Device
from shoe_bridge.sim.world import World
from shoe_bridge.table import observations as seen
from shoe_bridge.table.observations import AnyObservation

MS = 1_000_000
CYCLE_MS = 200
PLACES = {1: "seat 1", 2: "seat 2", 3: "board"}
TAGS = tuple(f"E00401500000000{i}" for i in range(4))

Cut = Callable[[bytes], list[bytes]]
MakeDevice = Callable[[Air], SimDevice]


def _feig(mode: str) -> MakeDevice:
    return lambda air: FeigDevice(
        "reader-1", air=air, antennas=PLACES, cycle_ms=CYCLE_MS, mode=mode, tags_per_reply=2
    )


def _config(mode: str, hold_ms: int) -> LinkConfig:
    return LinkConfig("reader-1", "feig_obid", PLACES, cycle_ms=CYCLE_MS, hold_ms=hold_ms, mode=mode)


# a notification that was lost whole comes again half a second later
HOLD_MS = {"inventory": 800, "buffered": 800, "notification": 1_500}
BOXES: dict[str, tuple[LinkConfig, MakeDevice]] = {
    f"feig_obid {mode}": (_config(mode, hold_ms), _feig(mode)) for mode, hold_ms in HOLD_MS.items()
}
ONE_PLACE = {1: "seat 1"}
BOXES |= {
    "pn532": (
        LinkConfig("reader-1", "pn532", ONE_PLACE, cycle_ms=CYCLE_MS),
        lambda air: Pn532Device("reader-1", air=air, antennas=ONE_PLACE),
    ),
    "yrm100": (
        LinkConfig("reader-1", "yrm100", ONE_PLACE, cycle_ms=CYCLE_MS),
        lambda air: Yrm100Device("reader-1", air=air, antennas=ONE_PLACE),
    ),
    "r2000": (
        LinkConfig("reader-1", "r2000", PLACES, cycle_ms=CYCLE_MS),
        lambda air: R2000Device("reader-1", air=air, antennas=PLACES),
    ),
}


class Bench:
    """A device, a line and a link in virtual time."""

    def __init__(self, box: str) -> None:
        self.config, make_device = BOXES[box]
        self.world = World()
        self.device = make_device(Air(self.world))
        self.presence = Presence()
        self.link = self._new_link()
        self.out: list[AnyObservation] = []
        self.ms = 0
        self.lives = 1
        self.out += self.link.opened(0, 1)

    def _new_link(self) -> DeviceLink:
        return DeviceLink(self.config, self.presence, lambda tag: tag.startswith(("E0", "04")))

    def place(self, tag: str, antenna: int) -> str:
        """Put a card down; gives the tag that this kind of reader can read on it."""
        if self.config.kind == "pn532":
            tag = "04" + tag[4:]
        self.world.place(tag, PLACES[antenna])
        return tag

    def lift(self, tag: str) -> None:
        self.world.lift(tag)
        self.world.lift("04" + tag[4:])

    def run(self, duration_ms: int, cut: Cut = lambda data: [data]) -> None:
        """Let time pass, in steps that end whenever either side has something to do."""
        until_ms = self.ms + duration_ms
        while self.ms < until_ms:
            due_ns = self.link.next_deadline_ns()
            dues = [until_ms, self.device.next_due_ms(), None if due_ns is None else -(-due_ns // MS)]
            self.ms = min(max(due, self.ms + 1) for due in dues if due is not None)
            for piece in cut(self.device.advance(self.ms)):
                if piece:
                    self.out += self.link.take(piece, self.ms * MS)
            self.out += self.link.tick(self.ms * MS)
            for frame in self.link.sends():
                self.device.take(frame, self.ms)

    def unplug(self) -> None:
        if self.device.is_plugged:
            self.device.unplug()
            self.out += self.link.closed(self.ms * MS, "unplugged")

    def replug(self) -> None:
        if not self.device.is_plugged:
            self.device.replug()
            self.lives += 1
            self.out += self.link.opened(self.ms * MS, self.lives)

    def act(self, deed: str, tag: str, antenna: int) -> None:
        match deed:
            case "place":
                self.place(tag, antenna)
            case "lift":
                self.lift(tag)
            case "unplug":
                self.unplug()
            case "replug":
                self.replug()

    def settle(self) -> None:
        self.replug()
        self.run(8_000)

    def move_to_a_snapshot(self) -> None:
        link, presence = self.link.snapshot(), self.presence.snapshot()
        self.presence = Presence()
        self.presence.restore(presence)
        self.link = self._new_link()
        self.link.restore(link)

    def truth(self) -> set[tuple[str, str]]:
        return {(place, tag) for place in self.config.places for tag in self.world.tags_at(place)}


def _lies(out: list[AnyObservation]) -> set[tuple[str, str]]:
    """Which tag lies where according to the observations; arrivals and departures must alternate."""
    here: set[tuple[str, str]] = set()
    for one in out:
        if isinstance(one, seen.CardArrived):
            assert (one.place, one.tag) not in here
            assert one.not_before_ns <= one.not_after_ns
            here.add((one.place, one.tag))
        elif isinstance(one, seen.CardDeparted):
            assert one.not_before_ns <= one.not_after_ns
            here.remove((one.place, one.tag))
    return here


_acts = st.lists(
    st.tuples(
        st.sampled_from(["place", "place", "lift", "unplug", "replug", ""]),
        st.sampled_from(TAGS),
        st.sampled_from(sorted(PLACES)),
        st.integers(1, 900),
    ),
    max_size=12,
)
Acts = list[tuple[str, str, int, int]]
each_box = pytest.mark.parametrize("box", BOXES)


@each_box
@settings(max_examples=25, deadline=None)
@given(acts=_acts)
def test_what_is_told_comes_to_be_the_truth(box: str, acts: Acts) -> None:
    bench = Bench(box)
    for deed, tag, antenna, ms in acts:
        bench.act(deed, tag, antenna)
        bench.run(ms)
    bench.settle()
    assert bench.link.is_verified
    assert _lies(bench.out) == bench.truth()
    lost = [one for one in bench.out if isinstance(one, seen.LinkLost)]
    assert len(lost) == bench.lives - 1


@each_box
@settings(max_examples=15, deadline=None)
@given(acts=_acts, random=st.randoms(use_true_random=False))
def test_the_observations_do_not_depend_on_how_the_bytes_were_cut(box: str, acts: Acts, random) -> None:  # type: ignore[no-untyped-def]
    def ragged(data: bytes) -> list[bytes]:
        at = sorted(random.randrange(len(data) + 1) for _ in range(random.randrange(6)))
        return [data[a:b] for a, b in zip([0, *at], [*at, len(data)], strict=True)]

    whole, single, cut_up = Bench(box), Bench(box), Bench(box)
    for deed, tag, antenna, ms in [*acts, ("", "", 0, 600)]:
        for bench, cut in (
            (whole, lambda data: [data]),
            (single, lambda data: [data[i : i + 1] for i in range(len(data))]),
            (cut_up, ragged),
        ):
            bench.act(deed, tag, antenna)
            bench.run(ms, cut)
    assert single.out == whole.out
    assert cut_up.out == whole.out


@each_box
@settings(max_examples=25, deadline=None)
@given(
    cards=st.sets(st.tuples(st.sampled_from(TAGS), st.sampled_from(sorted(PLACES))), min_size=1),
    line=st.lists(st.tuples(st.sampled_from(["", "drop", "half", "garble", "noise"]), st.integers(0, 254))),
)
def test_a_resting_card_never_departs_and_noise_invents_none(
    box: str, cards: set[tuple[str, int]], line: list[tuple[str, int]]
) -> None:
    bench = Bench(box)
    for tag, antenna in cards:
        bench.place(tag, antenna)
    bench.run(3_000)
    damage: dict[str, Callable[[bytes, int], bytes]] = {
        "": lambda data, number: data,
        "drop": lambda data, number: b"",
        "half": lambda data, number: data[: len(data) // 2],
        "garble": lambda data, number: bytes(
            byte ^ (number if i % 7 == 0 else 0) for i, byte in enumerate(data)
        ),
        "noise": lambda data, number: bytes([number]) + data + bytes([255 - number]) * 3,
    }
    for what, number in line:
        bench.run(100, lambda data, what=what, number=number: [damage[what](data, number)])  # type: ignore[misc]
    bench.settle()
    assert _lies(bench.out) == bench.truth()
    moves = [one for one in bench.out if isinstance(one, seen.CardArrived | seen.CardDeparted)]
    assert len(moves) == len(bench.truth())


@each_box
@settings(max_examples=15, deadline=None)
@given(acts=_acts, cut=st.integers(0, 11))
def test_going_on_from_any_snapshot_is_going_on(box: str, acts: Acts, cut: int) -> None:
    whole, moved = Bench(box), Bench(box)
    for number, (deed, tag, antenna, ms) in enumerate(acts):
        for bench in (whole, moved):
            bench.act(deed, tag, antenna)
            bench.run(ms)
        if number == cut:
            moved.move_to_a_snapshot()
    assert moved.out == whole.out
    assert msgspec.to_builtins(moved.link.counters) == msgspec.to_builtins(whole.link.counters)
    assert moved.link.next_deadline_ns() == whole.link.next_deadline_ns()


@pytest.mark.parametrize("other", ["tablelink", "pepper_c1"])
@each_box
def test_another_device_at_the_port_is_neither_believed_nor_set_up(box: str, other: str) -> None:
    bench = Bench(box)
    bench.device.unplug()
    for vector in vectors_of(other):
        bench.out += bench.link.take(vector.stream, bench.ms * MS)
        bench.run(60)
    bench.run(3_000)
    assert not bench.link.is_verified
    assert bench.link.refusal is not None
    assert {type(one) for one in bench.out} == {seen.LinkLost}


@each_box
def test_a_truth_of_an_arrival_lies_within_its_window(box: str) -> None:
    bench = Bench(box)
    bench.run(3_000)
    for number, card in enumerate(TAGS, start=1):
        placed_ms = bench.ms
        tag = bench.place(card, 1 + number % len(bench.config.antennas))
        bench.run(900 + 37 * number)
        (arrived,) = [one for one in bench.out if isinstance(one, seen.CardArrived) and one.tag == tag]
        assert arrived.not_before_ns <= placed_ms * MS <= arrived.not_after_ns
        assert arrived.not_after_ns - arrived.not_before_ns <= 4 * CYCLE_MS * MS or box.endswith(
            "notification"
        )


# a check of 8 bits lets one damaged frame in 256 through, so that a phantom is a matter of luck there
@pytest.mark.parametrize("box", [box for box in BOXES if box.startswith("feig_obid")])
@pytest.mark.parametrize("seed", range(2))
def test_a_bad_cable_costs_polls_and_moves_no_card(box: str, seed: int) -> None:
    bench = Bench(box)
    faults = LineFaults(drop=0.002, flip=0.002, delay_ms=30)
    bench.device = FaultyLine(bench.device, faults, Random(seed))
    bench.place(TAGS[0], 1)
    bench.run(60_000)
    assert sum(count for name, count in bench.link.counters.items() if name.startswith("junk_")) > 5
    moves = [one for one in bench.out if isinstance(one, seen.CardArrived | seen.CardDeparted)]
    assert [(type(one), one.place) for one in moves] == [(seen.CardArrived, PLACES[1])]
    assert not [one for one in bench.out if isinstance(one, seen.LinkLost)]
