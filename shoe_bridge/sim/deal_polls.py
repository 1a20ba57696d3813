"""What the antennas hear of true deals, poll by poll: the same polls, phases and noise as the simulated
devices have, without their bytes.

Each device polls its antennas one after another within the cycle; devices poll at once. Noise is drawn from
one source in the order of the polls, so that the devices in `stage` hear the same when they are given the
same seed. A reader that loses its plug is no part of this: it is a matter of the link, and of the sample from
the bytes up.
"""

from collections.abc import Iterable, Iterator
from random import Random

import msgspec

from shoe_bridge.sim.deal_truth import CYCLE_MS, Deed, TrueHand
from shoe_bridge.sim.noise import NOISE_LEVELS, Air, Read, shares_beside
from shoe_bridge.sim.sim_table import equipment
from shoe_bridge.sim.world import World

KEY_DOWN_MS = 80  # a key counts when it is let go


class Antenna(msgspec.Struct, frozen=True):
    """`offset_ms` is when it is polled in each cycle, `beside` the places of the antennas beside it, as in
    `shares_beside`."""

    device: str
    number: int
    place: str
    offset_ms: int
    beside: dict[str, float]

    @property
    def neighbours(self) -> tuple[str, ...]:
        return tuple(self.beside)


class Poll(msgspec.Struct, frozen=True):
    """One poll of one antenna and the tags that answered, perhaps none."""

    at_ms: int
    antenna: Antenna
    reads: list[Read]


class Done(msgspec.Struct, frozen=True):
    """A deed as the sensors tell it at `at_ms`: a key let go, or a card drawn from the shoe."""

    at_ms: int
    what: str
    name: str


Happening = Poll | Done


def antennas_of(reader: str, cycle_ms: int = CYCLE_MS) -> tuple[Antenna, ...]:
    """The antennas of a full table with this kind of reader, in the order in which a cycle polls them."""
    found: list[tuple[int, int, Antenna]] = []
    for device_index, device in enumerate(equipment(reader, cycle_ms=cycle_ms)["device"]):
        places = {int(number): place for number, place in device.get("antennas", {}).items()}
        for index, number in enumerate(sorted(places), start=1):
            offset_ms = index * cycle_ms // len(places)
            beside = shares_beside(places, number)
            antenna = Antenna(device["name"], number, places[number], offset_ms, beside)
            found.append((offset_ms, device_index, antenna))
    return tuple(antenna for _, _, antenna in sorted(found, key=lambda each: each[:2]))


def quiet_air(level: str, seed: str) -> Air:
    """The air over a table at a level of noise, with readers that keep their plugs."""
    air = Air(World(), level, Random(f"noise {seed}"))
    air.level = msgspec.structs.replace(NOISE_LEVELS[level], replug_per_hand=0.0)
    return air


class Polls:
    """The polls of one table over its hands. `air` gives the noise."""

    def __init__(self, reader: str, air: Air, cycle_ms: int = CYCLE_MS) -> None:
        self.antennas = antennas_of(reader, cycle_ms)
        self.cycle_ms = cycle_ms
        self._air = air
        self._cycle_start_ms = 0
        self._next = 0

    def follow(self, hand: TrueHand) -> Iterator[Happening]:
        """All that the sensors say until the hand is gathered and its cards are proven gone, in order of
        time. Hands are given in the order in which they are dealt."""
        for at_ms, deed in _moments(hand.deeds):
            yield from self._poll_until(at_ms)
            if deed.what == "lay":
                self._air.world.place(deed.name, deed.place)
            elif deed.what == "gather":
                self._air.world.lift_all()
            elif deed.what in ("key", "draw"):
                yield Done(at_ms, deed.what, deed.name)
        yield from self._poll_until(hand.ends_ms)

    def _poll_until(self, until_ms: int) -> Iterator[Poll]:
        """All polls up to and including `until_ms`."""
        while True:
            antenna = self.antennas[self._next]
            at_ms = self._cycle_start_ms + antenna.offset_ms
            if at_ms > until_ms:
                return
            yield Poll(at_ms, antenna, self._air.poll(antenna.place, antenna.beside))
            self._next += 1
            if self._next == len(self.antennas):
                self._next = 0
                self._cycle_start_ms += self.cycle_ms


def _moments(deeds: Iterable[Deed]) -> list[tuple[int, Deed]]:
    """The deeds by the time at which the sensors can tell them."""
    moments = [(deed.at_ms + (KEY_DOWN_MS if deed.what == "key" else 0), deed) for deed in deeds]
    return sorted(moments, key=lambda moment: moment[0])
