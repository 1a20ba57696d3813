"""What readers have in common whose polls prove absence: a tag is gone after so many clean polls without it,
and was not there before the last one in which it was missing.
"""

from collections import Counter
from collections.abc import Callable, Mapping

from protocol.messages import TagSeen
from shoe_bridge.link.presence import MOST_TAGS_PER_ANTENNA, Antenna, Presence, Spot
from shoe_bridge.table.observations import AnyObservation


class CleanPolls:
    """The antennas of one such device. The methods append observations to `out`."""

    def __init__(
        self,
        presence: Presence,
        device: str,
        places: Mapping[int, str],
        *,
        cycle_ms: int,
        gone_after_polls: int,
        is_known_tag: Callable[[str], bool],
        counters: Counter[str],
    ) -> None:
        self._presence = presence
        self._is_known_tag = is_known_tag
        self._gone_after_polls = gone_after_polls
        self._counters = counters
        self._antennas = presence.join(device, places, cycle_ms)
        self._restored_ns = 0

    def restored(self, at_mono_ns: int) -> None:
        """The device has proven who it is."""
        self._restored_ns = at_mono_ns
        self._presence.rewind(at_mono_ns)

    def _has_room(self, antenna: Antenna) -> bool:
        """Whether one more tag can be followed; for it the oldest one goes that was seen once and never
        again."""
        if len(antenna.spots) < MOST_TAGS_PER_ANTENNA:
            return True
        for spot in antenna.spots.values():
            if not spot.has_arrived:
                del antenna.spots[spot.tag]
                return True
        self._counters["too_many_tags"] += 1
        return False

    def _add(
        self,
        antenna: Antenna,
        seen: TagSeen,
        not_before_ns: int,
        not_after_ns: int,
        last_ns: int,
        out: list[AnyObservation],
    ) -> None:
        """A tag is seen for the first time. One that is not known has to be seen again to be believed."""
        spot = Spot(seen.tag, not_before_ns, not_after_ns, last_ns, seen.rssi)
        antenna.spots[seen.tag] = spot
        if self._is_known_tag(seen.tag):
            self._presence.arrived(antenna, spot, out)

    def _missed(self, antenna: Antenna, spot: Spot, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """A clean poll is over that did not show a tag."""
        if spot.misses == 0:
            spot.first_miss_ns = at_mono_ns
        spot.misses += 1
        if spot.misses >= self._gone_after_polls or not spot.has_arrived:
            self._presence.departed(antenna, spot, out)
