"""A reader that repeats an event while a tag stays and says nothing when it goes (Pepper C1, JSON events).

A tag is gone when it was not read for `hold_ms` and the reader has answered a question that was asked after
that time. (Not just any frame: after a stall of the host the first of many waiting frames would "prove"
absent whatever the next ones show. The answer stands behind all of them.) Dropped bytes may have been the
tag's event, so they start the time anew for every tag; so does a link that was lost and has come back.

The events do not tell one poll from the next, so an event of another tag at the same antenna may belong to
the same poll and proves nothing: an arrival's window begins one polling cycle before its first event.
"""

from collections import Counter
from collections.abc import Callable, Mapping

import msgspec

from shoe_bridge.link.presence import (
    CYCLES_TO_CONFIRM,
    MOST_TAGS_PER_ANTENNA,
    NS_PER_MS,
    Antenna,
    Presence,
    Spot,
)
from shoe_bridge.table.observations import AnyObservation


class HeldReader:
    """The antennas of one such device. The methods append observations to `out`; times are those of the
    chunks in which the frames came. An antenna that is not configured is counted and dropped."""

    def __init__(
        self,
        presence: Presence,
        device: str,
        places: Mapping[int, str],
        *,
        cycle_ms: int,
        hold_ms: int,
        is_known_tag: Callable[[str], bool],
        counters: Counter[str],
    ) -> None:
        self._presence = presence
        self._is_known_tag = is_known_tag
        self._hold_ns = hold_ms * NS_PER_MS
        self._counters = counters
        self._antennas = presence.join(device, places, cycle_ms)
        self._quiet_since_ns = 0  # absences count from here at the earliest

    def tag_seen(
        self, number: int | None, tag: str, rssi: int | None, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        """One event of the reader: this tag answers at this antenna."""
        antenna = self._antennas.get(number)
        if antenna is None:
            self._counters["unknown_antenna"] += 1
            return
        spot = antenna.spots.get(tag)
        if spot is None:
            self._first_sighting(antenna, tag, rssi, at_mono_ns, out)
            return
        previous_ns = spot.last_ns
        spot.last_ns = at_mono_ns
        if not spot.has_arrived:
            if at_mono_ns - previous_ns > self._confirm_ns(antenna):
                spot.first_ns, spot.reads = at_mono_ns, 1
                spot.not_before_ns = self._not_before_ns(antenna, at_mono_ns)
            elif at_mono_ns != previous_ns:
                self._presence.confirmed(antenna, spot, self._is_known_tag, out)
            return
        if spot.reads < self._presence.reads_told and 2 * (at_mono_ns - previous_ns) > antenna.cycle_ns:
            self._presence.counted(antenna, spot, at_mono_ns, out)
        if spot.stays_after_ns is not None:
            self._presence.read_again(antenna, spot, at_mono_ns, out)

    def answered(self, asked_mono_ns: int, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """The reader answered a question of `asked_mono_ns`: what had not been read for the hold time by
        then is gone."""
        silent_ns = asked_mono_ns - self._hold_ns
        if silent_ns < self._quiet_since_ns:
            return
        for antenna in self._antennas.values():
            for spot in list(antenna.spots.values()):
                if spot.last_ns <= silent_ns:
                    spot.first_miss_ns = at_mono_ns
                    self._presence.departed(antenna, spot, out)

    def noise(self, at_mono_ns: int) -> None:
        """Bytes were dropped: they may have said that any tag is still there."""
        self._quiet_since_ns = at_mono_ns

    def restored(self, at_mono_ns: int) -> None:
        """The reader is back: absence counts from now."""
        self._quiet_since_ns = at_mono_ns
        self._presence.rewind(at_mono_ns)

    def next_expiry_ns(self) -> int | None:
        """From when on a question, once answered, would prove a tag absent; None while there are no tags."""
        oldest_ns = min(
            (spot.last_ns for antenna in self._antennas.values() for spot in antenna.spots.values()),
            default=None,
        )
        return None if oldest_ns is None else max(oldest_ns, self._quiet_since_ns) + self._hold_ns

    def _first_sighting(
        self, antenna: Antenna, tag: str, rssi: int | None, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        if len(antenna.spots) >= MOST_TAGS_PER_ANTENNA:
            self._counters["too_many_tags"] += 1
            return
        spot = Spot(tag, self._not_before_ns(antenna, at_mono_ns), at_mono_ns, at_mono_ns, rssi)
        antenna.spots[tag] = spot
        if self._is_known_tag(tag):
            self._presence.arrived(antenna, spot, out)

    def _confirm_ns(self, antenna: Antenna) -> int:
        """Within what time an unknown tag must be read again to be believed."""
        return CYCLES_TO_CONFIRM * antenna.cycle_ns

    def _not_before_ns(self, antenna: Antenna, at_mono_ns: int) -> int:
        """From when on a tag may have been there whose first event comes now."""
        return at_mono_ns - antenna.cycle_ns

    # -- storage

    def snapshot(self) -> bytes:
        """What this reader remembers besides its antennas, which are presence's."""
        return msgspec.msgpack.encode(self._quiet_since_ns)

    def restore(self, data: bytes) -> None:
        """Go on where the snapshot was taken."""
        self._quiet_since_ns = msgspec.msgpack.decode(data, type=int)
