"""A reader that the host asks, antenna by antenna: a finished poll names every tag that is there.

A clean poll is an answer that the reader gave without an error: it proves the absence of each tag that it
does not name. A poll that broke off, an error status and silence show the tags that they show and prove
nothing else. An arrival's window begins when the last clean poll without the tag was asked, and ends when the
poll with it was answered; a tag is gone after `gone_after_polls` clean polls without it.
"""

from collections.abc import Sequence

import msgspec

from protocol.messages import TagSeen
from shoe_bridge.link.clean_polls import CleanPolls
from shoe_bridge.link.presence import CYCLES_TO_CONFIRM, Antenna
from shoe_bridge.table.observations import AnyObservation


class AskedReader(CleanPolls):
    """The antennas of one such device. The methods append observations to `out`."""

    def polled(
        self,
        number: int,
        tags: Sequence[TagSeen],
        asked_mono_ns: int,
        at_mono_ns: int,
        is_clean: bool,
        out: list[AnyObservation],
    ) -> None:
        """The poll of antenna `number` that was asked at `asked_mono_ns` is over at `at_mono_ns`; `tags` are
        all that answered. `is_clean`: it proves that no other tag is there. A tag that the reader itself
        places at another antenna belongs to no poll of this one."""
        antenna = self._antennas.get(number)
        if antenna is None:
            self._counters["unknown_antenna"] += 1
            return
        answered = set()
        for seen in tags:
            if seen.antenna is not None and seen.antenna != number:
                self._counters["of_another_antenna"] += 1
                continue
            answered.add(seen.tag)
            self._seen(antenna, seen, asked_mono_ns, at_mono_ns, out)
        if not is_clean:
            return
        antenna.clean_ns = asked_mono_ns
        for spot in list(antenna.spots.values()):
            if spot.tag not in answered:
                self._missed(antenna, spot, at_mono_ns, out)

    def alive(self, asked_mono_ns: int, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """The reader answered a keep-alive: of a reader that is polled this proves nothing about tags."""

    def told(self, tags: Sequence[TagSeen], at_mono_ns: int, out: list[AnyObservation]) -> None:
        """Tags that came unasked: without a poll, only those count whose antenna the reader names."""
        for seen in tags:
            antenna = self._antennas.get(seen.antenna)
            if antenna is None:
                self._counters["unknown_antenna"] += 1
            else:
                self._seen(antenna, seen, at_mono_ns, at_mono_ns, out)

    def noise(self, at_mono_ns: int) -> None:
        """Bytes were dropped: polls are judged one by one, so there is nothing to doubt here."""

    # -- one tag in one poll

    def _seen(
        self, antenna: Antenna, seen: TagSeen, asked_mono_ns: int, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        spot = antenna.spots.get(seen.tag)
        if spot is None:
            self._first_sighting(antenna, seen, asked_mono_ns, at_mono_ns, out)
            return
        previous_ns = spot.last_ns
        # it was there at some time of the poll, which may have been its beginning
        spot.last_ns = asked_mono_ns
        spot.misses = 0
        if not spot.has_arrived:
            if asked_mono_ns - previous_ns > CYCLES_TO_CONFIRM * antenna.cycle_ns:
                spot.first_ns, spot.reads = at_mono_ns, 1
            elif asked_mono_ns != previous_ns:
                self._presence.confirmed(antenna, spot, self._is_known_tag, out)
            return
        if spot.reads < self._presence.reads_told and asked_mono_ns != previous_ns:
            self._presence.counted(antenna, spot, asked_mono_ns, out)
        if spot.stays_after_ns is not None:
            self._presence.read_again(antenna, spot, asked_mono_ns, out)

    def _first_sighting(
        self, antenna: Antenna, seen: TagSeen, asked_mono_ns: int, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        if self._has_room(antenna):
            clean_ns = self._restored_ns if antenna.clean_ns is None else antenna.clean_ns
            self._add(antenna, seen, min(clean_ns, asked_mono_ns), at_mono_ns, asked_mono_ns, out)

    # -- storage

    def snapshot(self) -> bytes:
        """What this reader remembers besides its antennas, which are presence's."""
        return msgspec.msgpack.encode(self._restored_ns)

    def restore(self, data: bytes) -> None:
        """Go on where the snapshot was taken."""
        self._restored_ns = msgspec.msgpack.decode(data, type=int)
