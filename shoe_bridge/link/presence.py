"""Presence: which tag is at which place, for the whole table, from what all readers saw.

One object is shared by all device links. A reader (`polled_reader`, `held_reader`) decides for each of its
antennas when a tag has come and when it is gone; here the antennas are joined to places. Two antennas of one
place make one arrival and one departure. Pure: no clock, no I/O; the memory is bounded per antenna.

A tag at a place, and what moves it:

    absent --first sighting of a known tag, second of an unknown one--> CardArrived --> present
    present --absent at every antenna of the place----------------------> CardDeparted -> absent
    present --read here again after it arrived elsewhere----------------> CardStays ----> present

CardStays is due once per place and picture: each arrival or departure of the tag draws a new one.
"""

from collections.abc import Callable, Mapping

import msgspec

from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    CardReadAgain,
    CardStays,
)

CYCLES_TO_CONFIRM = 2  # an unknown tag must be read a second time within so many cycles
READS_OF_A_NEAR_MISS = 5  # of a tag one bit off a known one, which is rather that one garbled
MOST_TAGS_PER_ANTENNA = 256
NS_PER_MS = 1_000_000


# What the device itself last said of a tag at an antenna (plain numbers: they are compared for every frame).
UNSURE, HERE, GONE = 0, 1, 2


class Spot(msgspec.Struct):
    """One tag as one antenna sees it. Times are the bridge's monotonic ns."""

    tag: str
    not_before_ns: int
    first_ns: int
    last_ns: int
    rssi: int | None
    reads: int = 1  # since it arrived, not counted further than it is told; before that, since it was seen
    word: int = HERE
    has_arrived: bool = False
    misses: int = 0
    first_miss_ns: int = 0
    # read here after this time while the tag also lies elsewhere: a CardStays is due (None: not)
    stays_after_ns: int | None = None


class Antenna(msgspec.Struct):
    """One antenna and the tags at it.

    `poll_ms` is the device's clock that names the newest poll, `poll_ns` the bridge's time of it, `hits` the
    number of tags in it. `told_ns` is the last poll that is over, `clean_ns` the last one beside which no
    byte was lost. A reader that does not tell its polls uses `spots` only.
    """

    device: str
    number: int
    place: str
    cycle_ns: int
    spots: dict[str, Spot] = {}
    poll_ms: int = -1
    poll_ns: int = 0
    hits: int = 0
    is_noisy: bool = False
    told_ns: int | None = None
    clean_ns: int | None = None


class Stay(msgspec.Struct):
    """A tag at a place: `order` numbers the arrivals of the table, `antennas` are those that have it."""

    order: int
    not_after_ns: int
    antennas: list[tuple[str, int]]
    last_ns: int = 0
    first_miss_ns: int = 0


class PresenceState(msgspec.Struct):
    """All of it, as `snapshot` stores it."""

    antennas: list[Antenna]
    stays: dict[str, dict[str, Stay]]
    arrivals: int


def _not_later(stored_ns: int | None, at_mono_ns: int) -> int | None:
    return None if stored_ns is None else min(stored_ns, at_mono_ns)


def _is_near_miss(tag: str, is_known: Callable[[str], bool]) -> bool:
    """Is an id in hex that of a known tag but for a single bit?"""
    try:
        value = int(tag, 16)
    except ValueError:
        return False  # an id in another alphabet
    return any(is_known(f"{value ^ (1 << bit):0{len(tag)}X}") for bit in range(4 * len(tag)))


class Presence:
    """The tags at the table's places. Readers call `arrived`, `read_again` and `departed`."""

    def __init__(self, reads_told: int = 1) -> None:
        self.reads_told = reads_told  # of each stay, the first read included
        self._antennas: dict[tuple[str, int], Antenna] = {}
        self._stays: dict[str, dict[str, Stay]] = {}
        self._arrivals = 0

    def join(self, device: str, places: Mapping[int, str], cycle_ms: int) -> dict[int | None, Antenna]:
        """The antennas of a device by number (never None, which messages without an antenna carry); those
        that a snapshot restored keep their tags."""
        joined: dict[int | None, Antenna] = {}
        for number, place in places.items():
            antenna = self._antennas.get((device, number))
            if antenna is not None and antenna.place != place:
                self._forget(antenna)
                antenna = None
            if antenna is None:
                antenna = Antenna(device, number, place, cycle_ms * NS_PER_MS)
                self._antennas[device, number] = antenna
            antenna.cycle_ns = cycle_ms * NS_PER_MS
            joined[number] = antenna
        return joined

    def places_of(self, tag: str) -> list[str]:
        """Where a tag is now, in the order of its arrivals."""
        stays = self._stays.get(tag, {})
        return sorted(stays, key=lambda place: stays[place].order)

    # -- what a reader says of one antenna

    def confirmed(
        self, antenna: Antenna, spot: Spot, is_known: Callable[[str], bool], out: list[AnyObservation]
    ) -> None:
        """A tag that is not known was read once more within the time for it: it is believed now, unless it
        may be the id of a known one that was read with the same bit wrong twice."""
        spot.reads += 1
        if spot.reads < READS_OF_A_NEAR_MISS and _is_near_miss(spot.tag, is_known):
            return
        spot.reads = 1
        self.arrived(antenna, spot, out)

    def arrived(self, antenna: Antenna, spot: Spot, out: list[AnyObservation]) -> None:
        """The tag is now at this antenna; its window is from `spot.not_before_ns` to `spot.first_ns`."""
        spot.has_arrived = True
        stays = self._stays.setdefault(spot.tag, {})
        stay = stays.get(antenna.place)
        if stay is not None:
            spot.stays_after_ns = self._spots_at(spot.tag, stay)[0].stays_after_ns
            stay.antennas.append((antenna.device, antenna.number))
            return
        self._arrivals += 1
        place = antenna.place
        stays[place] = Stay(self._arrivals, spot.first_ns, [(antenna.device, antenna.number)])
        out.append(CardArrived(place, spot.tag, spot.not_before_ns, spot.first_ns, antenna.device, spot.rssi))
        self._redraw(spot.tag, stays)

    def counted(self, antenna: Antenna, spot: Spot, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """One more of the reads that are told."""
        spot.reads += 1
        out.append(CardReadAgain(antenna.place, spot.tag, spot.reads, at_mono_ns, antenna.device))

    def read_again(self, antenna: Antenna, spot: Spot, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """A tag that lies at two places answered at this one: says so once."""
        if spot.stays_after_ns is None or at_mono_ns <= spot.stays_after_ns:
            return
        for other in self._spots_at(spot.tag, self._stays[spot.tag][antenna.place]):
            other.stays_after_ns = None
        out.append(CardStays(antenna.place, spot.tag, at_mono_ns, antenna.device))

    def departed(self, antenna: Antenna, spot: Spot, out: list[AnyObservation]) -> None:
        """The tag is proven absent here: `spot` tells when it was last read and first missed."""
        del antenna.spots[spot.tag]
        if not spot.has_arrived:
            return
        stays = self._stays[spot.tag]
        stay = stays[antenna.place]
        stay.antennas.remove((antenna.device, antenna.number))
        stay.last_ns = max(stay.last_ns, spot.last_ns)
        stay.first_miss_ns = max(stay.first_miss_ns, spot.first_miss_ns)
        if stay.antennas:
            return
        del stays[antenna.place]
        not_after_ns = max(stay.last_ns, stay.first_miss_ns)
        out.append(CardDeparted(antenna.place, spot.tag, stay.last_ns, not_after_ns, antenna.device))
        if stays:
            self._redraw(spot.tag, stays)
        else:
            del self._stays[spot.tag]

    def _forget(self, antenna: Antenna) -> None:
        """The antenna was moved to another place between two runs: what it knew of the old place is void."""
        for spot in list(antenna.spots.values()):
            self.departed(antenna, spot, [])

    def _redraw(self, tag: str, stays: dict[str, Stay]) -> None:
        """The picture of this tag changed: mark the places at which reading it again would tell something."""
        for stay in stays.values():
            later = [other.not_after_ns for other in stays.values() if other.order > stay.order]
            for spot in self._spots_at(tag, stay):
                spot.stays_after_ns = max(later) if later else None

    def _spots_at(self, tag: str, stay: Stay) -> list[Spot]:
        return [self._antennas[key].spots[tag] for key in stay.antennas]

    def rewind(self, at_mono_ns: int) -> None:
        """It is `at_mono_ns` now: stored times that lie later are of a clock that has started anew since (the
        host restarted), and are taken as now."""
        for antenna in self._antennas.values():
            antenna.poll_ns = min(antenna.poll_ns, at_mono_ns)
            antenna.told_ns = _not_later(antenna.told_ns, at_mono_ns)
            antenna.clean_ns = _not_later(antenna.clean_ns, at_mono_ns)
            for spot in antenna.spots.values():
                spot.not_before_ns = min(spot.not_before_ns, at_mono_ns)
                spot.first_ns = min(spot.first_ns, at_mono_ns)
                spot.last_ns = min(spot.last_ns, at_mono_ns)
                spot.first_miss_ns = min(spot.first_miss_ns, at_mono_ns)
                spot.stays_after_ns = _not_later(spot.stays_after_ns, at_mono_ns)
        for stays in self._stays.values():
            for stay in stays.values():
                stay.not_after_ns = min(stay.not_after_ns, at_mono_ns)
                stay.last_ns = min(stay.last_ns, at_mono_ns)
                stay.first_miss_ns = min(stay.first_miss_ns, at_mono_ns)

    # -- storage

    def snapshot(self) -> bytes:
        """The whole state; `restore` takes it back in the same or another process."""
        return msgspec.msgpack.encode(
            PresenceState(list(self._antennas.values()), self._stays, self._arrivals)
        )

    def restore(self, data: bytes) -> None:
        """Take a snapshot's state. Antennas that readers hold already are filled, not replaced."""
        state = msgspec.msgpack.decode(data, type=PresenceState)
        for stored in state.antennas:
            antenna = self._antennas.setdefault((stored.device, stored.number), stored)
            for field in Antenna.__struct_fields__:
                setattr(antenna, field, getattr(stored, field))
        self._stays = state.stays
        self._arrivals = state.arrivals
