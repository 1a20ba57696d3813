"""What the air does to reads: misses, cross reads, corrupted ids, at the levels that scenarios name."""

from collections.abc import Mapping
from random import Random

import msgspec

from shoe_bridge.errors import UsageError
from shoe_bridge.sim.world import Sighting, World

RSSI_NEAREST = -42  # dBm that the model gives the nearest card of a stack
RSSI_PER_DEPTH = 5
RSSI_STRAY = -71


class NoiseLevel(msgspec.Struct, frozen=True):
    """Chances per poll, between 0 and 1. `missed` is by depth in the stack, the last entry for all deeper
    cards; `replug_per_hand` is the chance that a reader loses its plug in a hand."""

    missed: tuple[float, ...]
    cross_read: float
    corrupted: float
    replug_per_hand: float


NOISE_LEVELS = {
    "clean": NoiseLevel((0.0,), 0.0, 0.0, 0.0),
    "typical": NoiseLevel((0.10, 0.15, 0.60), 0.005, 1 / 1000, 1 / 200),
    "poor": NoiseLevel((0.30, 0.50, 0.90), 0.03, 1 / 300, 1 / 50),
}


class Read(msgspec.Struct, frozen=True):
    """One tag as an antenna got it in one poll; `rssi` in dBm."""

    tag: str
    rssi: int


class Air:
    """Between the cards and the antennas. With the level `clean` it draws no random number at all."""

    def __init__(self, world: World, level: str = "clean", rng: Random | None = None) -> None:
        if level not in NOISE_LEVELS:
            raise UsageError(f"noise level '{level}' is not known: use one of {', '.join(NOISE_LEVELS)}")
        self.world = world
        self.level = NOISE_LEVELS[level]
        self.rng = rng or Random(0)
        self._is_clean = level == "clean"

    def poll(self, place: str, beside: Mapping[str, float] | None = None) -> list[Read]:
        """One poll of the antenna at `place`. It may hear tags that lie at the places `beside` it, as in
        `shares_beside`."""
        sightings = self.world.poll(place)
        if self._is_clean:
            return [Read(sighting.tag, _rssi(sighting)) for sighting in sightings]
        reads = [read for sighting in sightings if (read := self._hear(sighting)) is not None]
        heard = {sighting.tag for sighting in sightings}
        for other, share in (beside or {}).items() if self.world.is_hearing(place) else ():
            for tag in self.world.audible_at(other):
                if self.rng.random() < self.level.cross_read * share and tag not in heard:
                    reads.append(Read(tag, RSSI_STRAY))
        return reads

    def _hear(self, sighting: Sighting) -> Read | None:
        rng, level = self.rng, self.level
        if sighting.is_stray:
            return Read(sighting.tag, _rssi(sighting))
        if rng.random() < level.missed[min(sighting.depth, len(level.missed)) - 1]:
            return None
        tag = corrupt(sighting.tag, rng) if rng.random() < level.corrupted else sighting.tag
        return Read(tag, _rssi(sighting))


def shares_beside(antennas: Mapping[int, str], number: int) -> dict[str, float]:
    """The places of the antennas beside the one with that number, `antennas` lying in a row by their numbers.
    A card is heard over the antennas beside its own; the share says how many of these reads come to this
    one."""
    return {
        antennas[other]: 1.0 / sum(n in antennas for n in (other - 1, other + 1))
        for other in (number - 1, number + 1)
        if other in antennas
    }


def corrupt(tag: str, rng: Random) -> str:
    """The tag with one bit wrong behind its first two bytes, as a passing checksum lets through now and
    then."""
    value = int(tag, 16) ^ (1 << rng.randrange(4 * len(tag) - 16))
    return f"{value:0{len(tag)}X}"


def _rssi(sighting: Sighting) -> int:
    if sighting.is_stray:
        return RSSI_STRAY
    return max(RSSI_STRAY, RSSI_NEAREST - RSSI_PER_DEPTH * (sighting.depth - 1))
