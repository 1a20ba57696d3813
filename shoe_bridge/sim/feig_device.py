"""A model of a FEIG OBID reader behind a multiplexer of up to eight antennas.

It speaks only when it is asked, and hears and speaks the standard form of the frame only. In the mode
`inventory` it polls an antenna while the host waits; in `buffered` and `notification` it polls all of them by
itself, one after the other, and keeps a record of each tag, anew after `valid_ms` for as long as the tag
stays. Records are handed out until the host clears them. In `notification` it sends them by itself, again
after half a second without an answer.
"""

from collections.abc import Mapping

from protocol import feig_obid
from protocol.envelopes import FEIG_STANDARD
from protocol.feig_layout import (
    MODE_ANTENNAS,
    MODE_MORE,
    MORE_DATA,
    NO_TAG,
    NO_VALID_DATA,
    OK,
    OVERFLOW,
)
from protocol.messages import Decoded, HostCommand
from shoe_bridge.sim.host_frames import HostFrames
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.timetable import Timetable
from shoe_bridge.sim.world import World

FIRMWARE = (3, 3, 0)
HARDWARE = 0x44
READER_TYPE = 33  # ISC.M02.M8
TAG_TYPE = "iso15693"
ANSWER_MS = 2
INVENTORY_MS = 8  # of an empty antenna; each tag takes longer
TAG_MS = 2
RESTART_MS = 500
RESEND_MS = 500
NOTIFY_MS = 10
MOST_RECORDS = 300
NOT_AVAILABLE = 0x82

Record = tuple[str, str, int | None]


class FeigDevice:
    """One reader. `antennas` maps antenna numbers 1 to 8 to places, `mode` is one of the link's;
    `tags_per_reply` is how many tags one answer to an inventory holds before there is more."""

    kind = "feig_obid"

    def __init__(
        self,
        name: str,
        *,
        air: Air | None = None,
        antennas: Mapping[int, str] | None = None,
        cycle_ms: int = 400,
        mode: str = "inventory",
        valid_ms: int = 300,
        tags_per_reply: int = 16,
    ) -> None:
        self.name = name
        self.is_plugged = True
        self.mode = mode
        self._air = air or Air(World())
        self._antennas = dict(antennas or {})
        self._cycle_ms = cycle_ms
        self._valid_ms = valid_ms
        self._tags_per_reply = tags_per_reply
        self._frames = HostFrames(FEIG_STANDARD)
        self._out = bytearray()
        self._to_ignore = 0
        self._to_fail: list[int] = []
        self._late_ms = 0
        self._cut_to: int | None = None
        self._before = b""
        self._timetable = Timetable()
        self._boot(0)

    # -- power

    def _boot(self, deaf_ms: int) -> None:
        now_ms = self._timetable.now_ms
        self._timetable.clear()  # a deed of the old life must not enter another one in the new
        self._timetable = Timetable(now_ms)
        self._ready_at_ms = now_ms + deaf_ms
        self._busy_until_ms = self._ready_at_ms
        self._left: list[str] = []
        self._records: list[Record] = []
        self._handed_out = 0
        self._notified_at_ms = 0
        self._has_overflowed = False
        self._recorded_ms: dict[tuple[int, str], int] = {}
        self._frames.clear()
        if self.mode == "inventory":
            return
        for index, antenna in enumerate(sorted(self._antennas), start=1):
            self._poll_at(self._ready_at_ms + index * self._cycle_ms // len(self._antennas), antenna)
        if self.mode == "notification":
            self._notify_at(self._ready_at_ms + self._cycle_ms)

    def reboot(self) -> None:
        """Restart: deaf and dumb for half a second, its buffer empty."""
        self._boot(RESTART_MS)

    def unplug(self) -> None:
        self.is_plugged = False
        self._frames.clear()
        self._out.clear()

    def replug(self) -> None:
        self.is_plugged = True

    # -- faults

    def ignore_next(self, count: int) -> None:
        """The next `count` requests get no answer."""
        self._to_ignore += count

    def fail_next(self, *statuses: int) -> None:
        """The next inventories are answered with these error statuses."""
        self._to_fail += statuses

    def answer_late(self, by_ms: int) -> None:
        """The next answer comes so much later."""
        self._late_ms = by_ms

    def cut_next(self, kept_bytes: int) -> None:
        """The next answer breaks off after `kept_bytes`."""
        self._cut_to = kept_bytes

    def put_before_next(self, noise: bytes) -> None:
        """These bytes stand before the next answer."""
        self._before = noise

    # -- the host's side

    def take(self, data: bytes, at_ms: int) -> None:
        """Bytes of the host arrive."""
        if not self.is_plugged or at_ms < self._ready_at_ms:
            return
        for body in self._frames.feed(data):
            decoded = feig_obid.decode(FEIG_STANDARD.name, body)
            if not isinstance(decoded, Decoded) or not isinstance(decoded.messages[0], HostCommand):
                continue
            if self._to_ignore:
                self._to_ignore -= 1
            else:
                self._obey(decoded.messages[0], at_ms)

    def _obey(self, command: HostCommand, at_ms: int) -> None:
        """One request after the other: a reader answers in the order in which it was asked."""
        start_ms = max(at_ms, self._busy_until_ms)
        took_ms = ANSWER_MS
        if command.command == "inventory" and self.mode == "inventory":
            answer, took_ms = self._inventory(command)
        else:
            answer = self._answer(command)
        late_ms, self._late_ms = self._late_ms, 0
        self._busy_until_ms = start_ms + took_ms + late_ms
        self._timetable.at(self._busy_until_ms, lambda: self._send(answer))

    def _answer(self, command: HostCommand) -> bytes:
        name = command.command
        if name == "software_version":
            return feig_obid.encode_version(FIRMWARE, HARDWARE, READER_TYPE)
        if name == "read_buffer" and self.mode != "inventory":
            return self._read_buffer(int(command.args["sets"]))
        if name in ("clear_buffer", "initialise_buffer") and self.mode != "inventory":
            self._clear(len(self._records) if name == "initialise_buffer" else self._handed_out)
            return feig_obid.encode_reply(name, OK)
        if name == "cpu_reset":
            self._timetable.at(self._timetable.now_ms + ANSWER_MS + 1, self.reboot)
        if name in ("rf_reset", "rf_output", "baud_test", "cpu_reset"):
            return feig_obid.encode_reply(name, OK)
        name = "host_command" if name in ("inventory", "select", "read_blocks", "write_blocks") else name
        return feig_obid.encode_reply(name, NOT_AVAILABLE)

    # -- inventories

    def _inventory(self, command: HostCommand) -> tuple[bytes, int]:
        """The answer, and the ms that it takes."""
        if self._to_fail:
            return feig_obid.encode_reply("host_command", self._to_fail.pop(0)), INVENTORY_MS
        mode = int(command.args["mode"])
        if not mode & MODE_MORE:
            mask = int(command.args["antennas"]) if mode & MODE_ANTENNAS else 1
            numbers = [number for number in self._antennas if mask >> number - 1 & 1]
            self._left = [tag for number in numbers for tag in self._heard_at(number)]
        tags, self._left = self._left[: self._tags_per_reply], self._left[self._tags_per_reply :]
        took_ms = INVENTORY_MS + TAG_MS * len(tags)
        if not tags:
            return feig_obid.encode_reply("host_command", NO_TAG), took_ms
        found = [(TAG_TYPE, tag) for tag in tags]
        return feig_obid.encode_inventory(found, has_more=bool(self._left)), took_ms

    def _heard_at(self, antenna: int) -> list[str]:
        neighbours = [self._antennas[n] for n in (antenna - 1, antenna + 1) if n in self._antennas]
        reads = self._air.poll(self._antennas[antenna], neighbours)
        return list(dict.fromkeys(read.tag for read in reads))

    # -- records

    def _poll_at(self, at_ms: int, antenna: int) -> None:
        def poll_and_go_on() -> None:
            self._poll(antenna, at_ms)
            self._poll_at(at_ms + self._cycle_ms, antenna)

        self._timetable.at(at_ms, poll_and_go_on)

    def _poll(self, antenna: int, at_ms: int) -> None:
        for tag in self._heard_at(antenna):
            recorded_ms = self._recorded_ms.get((antenna, tag))
            if recorded_ms is not None and at_ms - recorded_ms < self._valid_ms:
                continue
            if len(self._records) >= MOST_RECORDS:
                self._has_overflowed = True
                continue
            self._recorded_ms[antenna, tag] = at_ms
            self._records.append((TAG_TYPE, tag, antenna))

    def _read_buffer(self, sets: int) -> bytes:
        records = self._records[:sets]
        self._handed_out = len(records)
        if not records:
            return feig_obid.encode_reply("read_buffer", NO_VALID_DATA)
        status = MORE_DATA if len(self._records) > sets else OVERFLOW if self._has_overflowed else OK
        return feig_obid.encode_records(records, status=status, is_advanced=False)

    def _clear(self, count: int) -> None:
        del self._records[:count]
        self._handed_out = 0
        self._has_overflowed = False

    def _notify_at(self, at_ms: int) -> None:
        def notify_and_go_on() -> None:
            # one frame at a time: what is new waits for the acknowledgement, or goes with the repetition
            is_waiting = self._handed_out and at_ms - self._notified_at_ms < RESEND_MS
            if self._records and not is_waiting:
                self._notified_at_ms = at_ms
                self._send(self._read_buffer(len(self._records)))
            self._notify_at(at_ms + NOTIFY_MS)

        self._timetable.at(at_ms, notify_and_go_on)

    # -- time

    @property
    def now_ms(self) -> int:
        return self._timetable.now_ms

    def advance(self, at_ms: int) -> bytes:
        while (due_ms := self._timetable.next_due_ms()) is not None and due_ms <= at_ms:
            self._timetable.run(due_ms)  # step by step: a reboot puts another timetable in its place
        self._timetable.run(at_ms)
        out = bytes(self._out)
        self._out.clear()
        return out

    def next_due_ms(self) -> int | None:
        return self._timetable.next_due_ms()

    def _send(self, data: bytes) -> None:
        if not self.is_plugged:
            return
        cut_to, self._cut_to = self._cut_to, None
        before, self._before = self._before, b""
        self._out += before + data[:cut_to]
