"""A reader that polls by itself and keeps a record whenever a tag is read, anew for as long as it stays.

A tag is gone when no record of it came for `hold_ms` (longer than the reader's own time after which it
records a tag anew) and the reader has shown that it holds none: its buffer was read empty, or, where it sends
its records by itself, it answered a question that was asked after that time.

The records that are read first after the link was lost are of unknown age and are dropped: a tag that still
lies there is recorded anew. An arrival's window begins one cycle before the last time the buffer was asked
for and turned out empty.
"""

from collections.abc import Sequence
from typing import Any

from protocol.messages import TagSeen
from shoe_bridge.link.held_reader import HeldReader
from shoe_bridge.link.presence import Antenna
from shoe_bridge.table.observations import AnyObservation


class RecordedReader(HeldReader):
    """The antennas of one such device. `is_pushed`: it sends its records by itself. A record without an
    antenna can only be placed where there is a single one."""

    def __init__(self, *args: Any, is_pushed: bool, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._is_pushed = is_pushed
        self._single = next(iter(self._antennas)) if len(self._antennas) == 1 else None

    def polled(
        self,
        number: int,
        tags: Sequence[TagSeen],
        asked_mono_ns: int,
        at_mono_ns: int,
        is_clean: bool,
        out: list[AnyObservation],
    ) -> None:
        """The buffer was read, to its end if `is_clean`; `tags` are its records, oldest first."""
        self._records(tags, at_mono_ns, out)
        if not is_clean:
            super().noise(at_mono_ns)
            return
        for antenna in self._antennas.values():
            antenna.clean_ns = asked_mono_ns
        self.answered(asked_mono_ns, at_mono_ns, out)

    def alive(self, asked_mono_ns: int, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """The reader answered a keep-alive. What it had to tell by itself stood before the answer."""
        if self._is_pushed:
            for antenna in self._antennas.values():
                antenna.clean_ns = asked_mono_ns
            self.answered(asked_mono_ns, at_mono_ns, out)

    def told(self, tags: Sequence[TagSeen], at_mono_ns: int, out: list[AnyObservation]) -> None:
        """Records that came unasked."""
        self._records(tags, at_mono_ns, out)

    def noise(self, at_mono_ns: int) -> None:
        """Bytes were dropped. Records that were asked for are read again; what came by itself is lost."""
        if self._is_pushed:
            super().noise(at_mono_ns)

    def restored(self, at_mono_ns: int) -> None:
        """The reader is back: what its buffer holds may be old."""
        super().restored(at_mono_ns)
        for antenna in self._antennas.values():
            antenna.clean_ns = None

    def _is_stale(self) -> bool:
        return any(antenna.clean_ns is None for antenna in self._antennas.values())

    def _records(self, tags: Sequence[TagSeen], at_mono_ns: int, out: list[AnyObservation]) -> None:
        if self._is_stale():
            self._counters["old_records"] += len(tags)
            return
        for seen in tags:
            antenna = self._single if seen.antenna is None else seen.antenna
            if antenna is None:
                self._counters["no_antenna"] += 1
            else:
                self.tag_seen(antenna, seen.tag, seen.rssi, at_mono_ns, out)

    def _confirm_ns(self, antenna: Antenna) -> int:
        """A tag that stays is recorded anew before it counts as gone."""
        return self._hold_ns

    def _not_before_ns(self, antenna: Antenna, at_mono_ns: int) -> int:
        """A record is not older than the last time when the reader had none."""
        since_ns = self._quiet_since_ns if antenna.clean_ns is None else antenna.clean_ns
        return min(since_ns, at_mono_ns) - antenna.cycle_ns
