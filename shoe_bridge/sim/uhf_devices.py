"""Models of the UHF readers: a YRM100 with one antenna, and an R2000 board with four.

Both send a frame for each tag of an inventory. The R2000 says when an inventory is over; the YRM100 does so
only when no tag answered.
"""

from collections.abc import Iterator

from protocol import r2000, yrm100
from protocol.envelopes import R2000, YRM100
from protocol.messages import Decoded, HostCommand
from protocol.r2000_layout import ANTENNA_MISSING
from protocol.r2000_layout import NUMBERS as R2000_NUMBERS
from protocol.yrm100_layout import NO_TAG
from shoe_bridge.sim.asked_device import AskedDevice, Says
from shoe_bridge.sim.host_frames import HostFrames

ANSWER_MS = 2
ROUND_MS = 10  # an inventory that no tag answers
TAG_MS = 5
WRONG_COMMAND = 0x17
WRONG_PARAMETER = 0x41
INVENTORY = "inventory"


class Yrm100Device(AskedDevice):
    """One module; `antennas` has the one place of its antenna, whatever its number."""

    kind = "yrm100"

    def _forget(self) -> None:
        self._frames = HostFrames(YRM100)
        self._errors: list[int] = []
        self._rounds_left = 0

    def fail_next(self, *errors: int) -> None:
        """The next inventories end in these errors."""
        self._errors += errors

    def poll_by_itself(self, rounds: int) -> None:
        """As another program may have left it: it takes inventories unasked until it is stopped."""
        self._rounds_left = rounds
        self._next_round()

    def _next_round(self) -> None:
        if self._rounds_left:
            self._rounds_left -= 1
            now_ms = self._timetable.now_ms
            self._timetable.at(self._say(self._round(), now_ms), self._next_round)

    def _hear(self, data: bytes) -> Iterator[HostCommand]:
        for body in self._frames.feed(data):
            decoded = yrm100.decode(YRM100.name, body)
            message = decoded.messages[0] if isinstance(decoded, Decoded) else None
            yield message if isinstance(message, HostCommand) else HostCommand("")

    def _answer(self, command: HostCommand) -> Says:
        name = command.command
        if name == INVENTORY:
            yield from self._round()
        elif name == "multi_inventory":
            self.poll_by_itself(int(command.args["polls"]))
        elif name in ("stop_inventory", "set_power", "set_region"):
            self._rounds_left = 0
            yield ANSWER_MS, yrm100.encode_status(name)
        elif name == "module_info" and command.args.get("item") == "hardware":
            yield ANSWER_MS, yrm100.encode_module_name("hardware", "M100 26dBm V1.0")
        else:
            yield ANSWER_MS, yrm100.encode_error(WRONG_COMMAND)

    def _round(self) -> Says:
        if self._errors:
            yield ROUND_MS, yrm100.encode_error(self._errors.pop(0))
            return
        (antenna,) = self._antennas or (None,)
        reads = [] if antenna is None else self._heard_at(antenna)
        for read in reads:
            yield TAG_MS, yrm100.encode_notice(read.tag, read.rssi)
        if not reads:
            yield ROUND_MS, yrm100.encode_error(NO_TAG)


class R2000Device(AskedDevice):
    """One board; `antennas` maps antenna numbers 1 to 4 to places."""

    kind = "r2000"

    def _forget(self) -> None:
        self._frames = HostFrames(R2000)
        self._antenna = 1
        self._missing: set[int] = set()

    def take_off(self, antenna: int) -> None:
        """The cable of an antenna comes off."""
        self._missing.add(antenna)

    def put_back(self, antenna: int) -> None:
        self._missing.discard(antenna)

    def _hear(self, data: bytes) -> Iterator[HostCommand]:
        for body in self._frames.feed(data):
            decoded = r2000.decode(R2000.name, body)
            message = decoded.messages[0] if isinstance(decoded, Decoded) else None
            if isinstance(message, HostCommand):
                yield message

    def _answer(self, command: HostCommand) -> Says:
        name = command.command
        if name == "firmware_version":
            yield ANSWER_MS, r2000.encode_firmware(8, 2)
        elif name == "set_work_antenna":
            self._antenna = int(command.args["antenna"])
            yield ANSWER_MS, r2000.encode_status(name)
        elif name == INVENTORY:
            yield from self._inventory()
        elif name in R2000_NUMBERS:
            yield ANSWER_MS, r2000.encode_status(name, WRONG_PARAMETER)

    def _inventory(self) -> Says:
        antenna = self._antenna
        if antenna in self._missing or antenna not in self._antennas:
            yield ANSWER_MS, r2000.encode_status(INVENTORY, ANTENNA_MISSING)
            return
        reads = self._heard_at(antenna)
        for read in reads:
            yield TAG_MS, r2000.encode_tag(read.tag, antenna, read.rssi)
        yield ROUND_MS, r2000.encode_over(antenna, len(reads))
