"""A reader that prints a line when it reads a tag, and answers no questions: home-made or keyboard-wedge.

Two ways of printing, and the configuration says which:

repeated     the line comes in every poll while the tag stays. Silence of a tag for `hold_ms` proves that it
             is gone; whether the device was alive meanwhile is for the session to say.
said once    the line comes when the tag is laid down, and no more. The tag stays until the device prints that
             it left or that nothing is there, until another antenna of the device reads it, or until the same
             line comes again: then it was lifted and laid down anew. Within `hold_ms` nobody does so: that is
             the same tag in a second form of the line, or a program that repeats itself after all.

A tag is believed at its first line where it is known, or where no second line would ever come.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from shoe_bridge.link.held_reader import HeldReader
from shoe_bridge.link.presence import MOST_TAGS_PER_ANTENNA, Antenna, Presence, Spot
from shoe_bridge.table.observations import AnyObservation


class LineReader(HeldReader):
    """The antennas of one such device. `repeats`: a line comes again while its tag stays."""

    def __init__(
        self,
        presence: Presence,
        device: str,
        places: Mapping[int, str],
        *,
        cycle_ms: int,
        hold_ms: int,
        gone_after_polls: int,
        repeats: bool,
        is_known_tag: Callable[[str], bool],
        counters: Counter[str],
    ) -> None:
        super().__init__(
            presence,
            device,
            places,
            cycle_ms=cycle_ms,
            hold_ms=hold_ms,
            is_known_tag=is_known_tag,
            counters=counters,
        )
        self.repeats = repeats
        self._gone_after_polls = gone_after_polls

    def tag_seen(
        self, number: int | None, tag: str, rssi: int | None, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        """One line: this tag answers at this antenna."""
        antenna = self._antennas.get(number)
        if self.repeats or antenna is None:
            super().tag_seen(number, tag, rssi, at_mono_ns, out)
            if antenna is not None and tag in antenna.spots:
                antenna.spots[tag].misses = 0
            return
        lying = antenna.spots.get(tag)
        if lying is not None and at_mono_ns < lying.last_ns + self._hold_ns:
            lying.last_ns, lying.misses = at_mono_ns, 0
            return
        for other in self._antennas.values():
            if tag in other.spots:
                self._depart(other, other.spots[tag], at_mono_ns, out)
        if len(antenna.spots) >= MOST_TAGS_PER_ANTENNA:
            self._counters["too_many_tags"] += 1
            return
        spot = Spot(tag, self._not_before_ns(antenna, at_mono_ns), at_mono_ns, at_mono_ns, rssi)
        antenna.spots[tag] = spot
        self._presence.arrived(antenna, spot, out)

    def tag_gone(self, number: int | None, tag: str, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """The device printed that the tag left this antenna (None: whichever has it)."""
        if number is not None and number not in self._antennas:
            self._counters["unknown_antenna"] += 1
            return
        for antenna in self._antennas.values():
            if number in (None, antenna.number) and tag in antenna.spots:
                self._depart(antenna, antenna.spots[tag], at_mono_ns, out)

    def poll_empty(self, number: int | None, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """The device printed that no tag is at this antenna: so often running, and its tags are gone."""
        antenna = self._antennas.get(number)
        if antenna is None:
            self._counters["unknown_antenna"] += 1
            return
        for spot in list(antenna.spots.values()):
            if spot.misses == 0:
                spot.first_miss_ns = at_mono_ns
            spot.misses += 1
            if spot.misses >= self._gone_after_polls:
                self._depart(antenna, spot, spot.first_miss_ns, out)

    def next_expiry_ns(self) -> int | None:
        """As for any held reader; silence proves nothing where lines are not repeated."""
        return super().next_expiry_ns() if self.repeats else None

    @property
    def has_repeated(self) -> bool:
        """Whether the line of some tag that is here has come again."""
        return any(spot.last_ns > spot.first_ns for spot in self._spots())

    def lone_reads(self, asked_mono_ns: int) -> int:
        """How many of the tags that `answered` with this time proves gone were read a single time."""
        silent_ns = asked_mono_ns - self._hold_ns
        if silent_ns < self._quiet_since_ns:
            return 0
        return sum(spot.last_ns <= silent_ns and spot.last_ns == spot.first_ns for spot in self._spots())

    def _spots(self) -> Iterator[Spot]:
        for antenna in self._antennas.values():
            yield from antenna.spots.values()

    def _depart(self, antenna: Antenna, spot: Spot, at_mono_ns: int, out: list[AnyObservation]) -> None:
        spot.first_miss_ns = at_mono_ns
        self._presence.departed(antenna, spot, out)
