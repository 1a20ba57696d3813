"""A model of a FEIG OBID reader behind a multiplexer of up to eight antennas.

It speaks only when it is asked, and hears and speaks the standard form of the frame only. In the mode
`inventory` it polls an antenna while the host waits; in `buffered` and `notification` it polls all of them by
itself, one after the other, and keeps a record of each tag, anew after `valid_ms` for as long as the tag
stays. Records are handed out until the host clears them. In `notification` it sends them by itself, again
after half a second without an answer.
"""

from collections.abc import Iterator, Mapping

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
from shoe_bridge.sim.asked_device import AskedDevice, Says
from shoe_bridge.sim.host_frames import HostFrames
from shoe_bridge.sim.noise import Air

FIRMWARE = (3, 3, 0)
HARDWARE = 0x44
READER_TYPE = 33  # ISC.M02.M8
# what a tag is by the bytes of its identity, as the layout of the lists has it. How a reader pads four
# bytes of type A there is not known, so those are of type B.
TYPE_BY_SIZE = {4: "iso14443b", 5: "icode_uid", 7: "iso14443a", 8: "iso15693", 10: "iso14443a"}
ANSWER_MS = 2
INVENTORY_MS = 8  # of an empty antenna; each tag takes longer
TAG_MS = 2
RESEND_MS = 500
NOTIFY_MS = 10
MOST_RECORDS = 300
NOT_AVAILABLE = 0x82

Record = tuple[str, str, int | None]


def tag_type(tag: str) -> str:
    """The kind of tag that an identity (hex) of that length belongs to; one of another length is an EPC."""
    return TYPE_BY_SIZE.get(len(tag) // 2, "epc_gen2")


class FeigDevice(AskedDevice):
    """One reader. `antennas` maps antenna numbers 1 to 8 to places, `mode` is one of the link's;
    `tags_per_reply` is how many tags one answer to an inventory holds before there is more."""

    kind = "feig_obid"
    has_own_power = True

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
        self.mode = mode
        self._cycle_ms = cycle_ms
        self._valid_ms = valid_ms
        self._tags_per_reply = tags_per_reply
        self._to_fail: list[int] = []
        super().__init__(name, air=air, antennas=antennas)

    # -- power

    def _forget(self) -> None:
        self._frames = HostFrames(FEIG_STANDARD)
        self._left: list[str] = []
        self._records: list[Record] = []
        self._handed_out = 0
        self._notified_at_ms = 0
        self._has_overflowed = False
        self._recorded_ms: dict[tuple[int, str], int] = {}
        if self.mode == "inventory":
            return
        self._poll_in_turn(self._ready_at_ms, self._cycle_ms, self._poll)
        if self.mode == "notification":
            self._notify_at(self._ready_at_ms + self._cycle_ms)

    def unplug(self) -> None:
        super().unplug()
        self._frames.clear()

    # -- faults

    def fail_next(self, *statuses: int) -> None:
        """The next inventories are answered with these error statuses."""
        self._to_fail += statuses

    # -- the host's side

    def _hear(self, data: bytes) -> Iterator[HostCommand]:
        for body in self._frames.feed(data):
            decoded = feig_obid.decode(FEIG_STANDARD.name, body)
            message = decoded.messages[0] if isinstance(decoded, Decoded) else None
            if isinstance(message, HostCommand):
                yield message

    def _answer(self, command: HostCommand) -> Says:
        if command.command == "inventory" and self.mode == "inventory":
            answer, took_ms = self._inventory(command)
            yield took_ms, answer
        else:
            yield ANSWER_MS, self._reply(command)

    def _reply(self, command: HostCommand) -> bytes:
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
            self._left = [read.tag for number in numbers for read in self._heard_at(number)]
        tags, self._left = self._left[: self._tags_per_reply], self._left[self._tags_per_reply :]
        took_ms = INVENTORY_MS + TAG_MS * len(tags)
        if not tags:
            return feig_obid.encode_reply("host_command", NO_TAG), took_ms
        found = [(tag_type(tag), tag) for tag in tags]
        return feig_obid.encode_inventory(found, has_more=bool(self._left)), took_ms

    # -- records

    def _poll(self, antenna: int) -> None:
        at_ms = self.now_ms
        for read in self._heard_at(antenna):
            tag = read.tag
            recorded_ms = self._recorded_ms.get((antenna, tag))
            if recorded_ms is not None and at_ms - recorded_ms < self._valid_ms:
                continue
            if len(self._records) >= MOST_RECORDS:
                self._has_overflowed = True
                continue
            self._recorded_ms[antenna, tag] = at_ms
            self._records.append((tag_type(tag), tag, antenna))

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
