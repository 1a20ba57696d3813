"""A reader that says which antenna it polled, when, and also when the poll was empty (tablelink).

(antenna, device clock) names a poll. All frames of one poll come together; the poll is over when a frame of
another poll or a later heartbeat comes, or with POLL_EMPTY itself.

What counts as a clean poll without tag B:
- POLL_EMPTY: always. It is a checksum-valid sentence of its own.
- B's word is GONE (TAG_GONE came and no TAG_SEEN since): any poll of the antenna that is over. Both are
  numbered events, so a lost TAG_SEEN would have shown as a gap before this poll was over.
- B's word is UNSURE (events were lost, or the device restarted): a poll that is over and showed other tags,
  if no bytes were dropped beside it and it is not a replayed one (a replay holds events only).
- B's word is HERE: none but POLL_EMPTY. The report that would have said "B is still there" may be lost
  without a trace, and the device has given its word that it tells when B goes. Noise is not absence.
"""

import msgspec

from protocol.messages import PollEmpty, Stamp, TagGone, TagSeen
from shoe_bridge.link.clean_polls import CleanPolls
from shoe_bridge.link.presence import CYCLES_TO_CONFIRM, GONE, HERE, UNSURE, Antenna, Spot
from shoe_bridge.table.observations import AnyObservation


class PolledReader(CleanPolls):
    """The antennas of one polling device; turns its poll frames into arrivals and departures.

    The methods append observations to `out`. `stamp.at_device_ms` names the poll, `at_mono_ns` is the same
    moment in the bridge's time. A frame of an antenna that is not configured is counted and dropped.
    """

    _open: Antenna | None = None  # its poll is being told now
    _is_noisy = False  # bytes were dropped since the last poll frame

    # -- what the device says

    def tag_seen(self, seen: TagSeen, stamp: Stamp, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """A tag answered in a poll. A tag that lies there already costs next to nothing."""
        antenna = self._antennas.get(seen.antenna)
        if antenna is None:
            self._counters["unknown_antenna"] += 1
            return
        if antenna is not self._open or antenna.poll_ms != stamp.at_device_ms:
            self._begin(antenna, stamp, at_mono_ns, out)
        spot = antenna.spots.get(seen.tag)
        if spot is None:
            self._first_sighting(antenna, seen, stamp, out)
            return
        previous_ns = spot.last_ns
        now_ns = antenna.poll_ns
        if previous_ns != now_ns:
            antenna.hits += 1
            spot.last_ns = now_ns
        spot.word = HERE
        spot.misses = 0
        if not spot.has_arrived:
            self._second_sighting(antenna, spot, previous_ns, out)
            return
        if spot.reads < self._presence.reads_told and previous_ns != now_ns:
            self._presence.counted(antenna, spot, now_ns, out)
        if spot.stays_after_ns is not None:
            self._presence.read_again(antenna, spot, now_ns, out)

    def tag_gone(self, gone: TagGone, stamp: Stamp, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """The device polled cleanly and did not find a tag that it had found before."""
        antenna = self._antennas.get(gone.antenna)
        if antenna is None:
            self._counters["unknown_antenna"] += 1
            return
        if antenna is not self._open or antenna.poll_ms != stamp.at_device_ms:
            self._begin(antenna, stamp, at_mono_ns, out)
        spot = antenna.spots.get(gone.tag)
        if spot is not None:
            spot.word = GONE

    def poll_empty(self, empty: PollEmpty, stamp: Stamp, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """The antenna was polled and no tag is there."""
        antenna = self._antennas.get(empty.antenna)
        if antenna is None:
            self._counters["unknown_antenna"] += 1
            return
        if antenna is not self._open or antenna.poll_ms != stamp.at_device_ms:
            self._begin(antenna, stamp, at_mono_ns, out)
        self._open = None
        antenna.told_ns = antenna.clean_ns = antenna.poll_ns
        if antenna.spots:
            for spot in list(antenna.spots.values()):
                if spot.last_ns != antenna.poll_ns:
                    self._missed(antenna, spot, antenna.poll_ns, out)

    def other_frame(self, stamp: Stamp, out: list[AnyObservation]) -> None:
        """A frame that belongs to no poll came: the open poll is over if the device's clock has moved on."""
        if self._open is not None and self._open.poll_ms != stamp.at_device_ms:
            self._close(self._open, out)

    # -- what the link says

    def noise(self) -> None:
        """Bytes were dropped: the poll before and the poll after may have lost frames."""
        self._is_noisy = True

    def broke_off(self) -> None:
        """The link was lost in the middle of whatever it was saying: an unfinished poll proves nothing."""
        self._open = None

    def restored(self, at_mono_ns: int) -> None:
        """The device has proven who it is."""
        self._open = None
        super().restored(at_mono_ns)

    def distrust(self) -> None:
        """Events were lost for good, or the device restarted: its word on single tags no longer stands."""
        for antenna in self._antennas.values():
            antenna.told_ns = antenna.clean_ns
            for spot in antenna.spots.values():
                spot.word = UNSURE

    # -- one poll

    def _begin(self, antenna: Antenna, stamp: Stamp, at_mono_ns: int, out: list[AnyObservation]) -> None:
        before = self._open
        if before is not None:
            if before.hits == len(before.spots) and not (before.is_noisy or self._is_noisy):
                # nine of ten polls show what lay there already
                before.told_ns = before.clean_ns = before.poll_ns
            else:
                self._close(before, out)
        self._open = antenna
        antenna.poll_ms = stamp.at_device_ms
        antenna.poll_ns = at_mono_ns
        antenna.hits = 0
        antenna.is_noisy = self._is_noisy or stamp.is_replay
        self._is_noisy = False

    def _close(self, antenna: Antenna, out: list[AnyObservation]) -> None:
        """A poll that showed tags is over: the tags that it did not show may have missed a clean poll."""
        self._open = None
        is_noisy = antenna.is_noisy or self._is_noisy
        antenna.told_ns = antenna.poll_ns
        if not is_noisy:
            antenna.clean_ns = antenna.poll_ns
        if antenna.hits == len(antenna.spots):
            return
        for spot in list(antenna.spots.values()):
            if spot.last_ns != antenna.poll_ns and (
                spot.word == GONE or (spot.word == UNSURE and not is_noisy)
            ):
                self._missed(antenna, spot, antenna.poll_ns, out)

    # -- one tag in one poll

    def _first_sighting(
        self, antenna: Antenna, seen: TagSeen, stamp: Stamp, out: list[AnyObservation]
    ) -> None:
        if self._has_room(antenna):
            now_ns = antenna.poll_ns
            antenna.hits += 1
            self._add(antenna, seen, self._not_before_ns(antenna, stamp), now_ns, now_ns, out)

    def _second_sighting(
        self, antenna: Antenna, spot: Spot, previous_ns: int, out: list[AnyObservation]
    ) -> None:
        now_ns = antenna.poll_ns
        if now_ns - previous_ns > CYCLES_TO_CONFIRM * antenna.cycle_ns:
            spot.first_ns, spot.reads = now_ns, 1
        elif now_ns != previous_ns:
            self._presence.confirmed(antenna, spot, self._is_known_tag, out)

    def _not_before_ns(self, antenna: Antenna, stamp: Stamp) -> int:
        """The last poll without a tag that is seen now for the first time.

        An event is the device's word that its previous poll did not find the tag, so every earlier poll
        counts; a replay tells no empty polls, there the previous poll was one cycle ago. A report gives no
        such word: only polls beside which no byte was dropped count.
        """
        now_ns = antenna.poll_ns
        last_ns = antenna.told_ns if stamp.is_event else antenna.clean_ns
        if stamp.is_replay:
            last_ns = max(last_ns or 0, now_ns - antenna.cycle_ns)
        elif last_ns is None:
            # no poll of this antenna yet
            last_ns = self._restored_ns
        return min(last_ns, now_ns)

    # -- storage

    def snapshot(self) -> bytes:
        """What this reader remembers besides its antennas, which are presence's."""
        number = None if self._open is None else self._open.number
        return msgspec.msgpack.encode((number, self._is_noisy, self._restored_ns))

    def restore(self, data: bytes) -> None:
        """Go on where the snapshot was taken."""
        stored = msgspec.msgpack.decode(data, type=tuple[int | None, bool, int])
        number, self._is_noisy, self._restored_ns = stored
        self._open = self._antennas.get(number)
