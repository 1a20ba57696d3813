"""A model of an NXP PN532 on its high-speed UART, with the antenna at one place.

It sleeps until it is woken, acknowledges each packet and answers a little later. It holds two targets at
most; targets that were deselected stay silent until the field has been off. After a restart its tries to find
a target are endless: then an empty antenna gets an acknowledgement and no answer.
"""

from collections.abc import Iterator

from protocol import pn532
from protocol.envelopes import PN532, PN532_ACK, PN532_NORMAL
from protocol.messages import Decoded, HostCommand
from protocol.pn532_encode import packet_frame
from protocol.pn532_layout import MOST_TARGETS
from shoe_bridge.sim.asked_device import AskedDevice, Says
from shoe_bridge.sim.host_frames import HostFrames

IC, VERSION, REVISION, SUPPORT = 0x32, 1, 6, 7
ACK_MS = 1
ANSWER_MS = 2
TRY_MS = 5  # one attempt to find a target; each target takes another
TARGET_MS = 4
ENDLESS = 0xFF
WAKING_BYTE = 0x55
NOT_ACCEPTABLE = 0x27


class Pn532Device(AskedDevice):
    """One chip; `antennas` has the one place of its antenna, whatever its number."""

    kind = "pn532"
    can_halt = True  # False: as with tags that ignore it

    # -- power

    def _forget(self) -> None:
        self._frames = HostFrames(PN532_NORMAL)
        self._is_asleep = True
        self._tries = ENDLESS
        self._in_field: list[str] | None = None  # that answer and are not halted; None: the field is off
        self._selected: list[str] = []
        self._has_halted = False
        self._status: int | None = None

    # -- faults

    def fail_next_deselect(self) -> None:
        """The next `deselect` is answered with an error status."""
        self._status = NOT_ACCEPTABLE

    # -- the host's side

    def _hear(self, data: bytes) -> Iterator[HostCommand]:
        if self._is_asleep:
            if WAKING_BYTE not in data:
                return
            self._is_asleep = False
            data = data[data.index(WAKING_BYTE) :]
        for packet in self._frames.feed(data):
            decoded = pn532.decode(PN532.name, packet_frame(packet))
            message = decoded.messages[0] if isinstance(decoded, Decoded) else None
            yield message if isinstance(message, HostCommand) else HostCommand("")

    def _answer(self, command: HostCommand) -> Says:
        yield ACK_MS, PN532_ACK
        name = command.command
        if name == "list_passive_target" and command.args.get("type") == "iso14443a":
            yield from self._list(int(command.args["most"]))
        elif name == "firmware_version":
            yield ANSWER_MS, pn532.encode_firmware(IC, VERSION, REVISION, SUPPORT)
        elif name == "rf_field":
            self._in_field, self._selected, self._has_halted = None, [], False
            yield ANSWER_MS, pn532.encode_done(name)
        elif name in ("deselect", "release"):
            if self.can_halt:
                self._selected, self._has_halted = [], True
            status, self._status = self._status or 0, None
            yield ANSWER_MS, pn532.encode_status(name, status)
        elif name in ("sam_configuration", "rf_retries", "rf_configuration"):
            self._tries = int(command.args.get("passive", self._tries))
            yield ANSWER_MS, pn532.encode_done(name)
        else:
            yield ANSWER_MS, pn532.encode_syntax_error()

    def _list(self, most: int) -> Says:
        """Targets that answer now: those that were not halted since the field came on."""
        if self._in_field is None or not self._has_halted:
            (antenna,) = self._antennas or (None,)
            heard = [] if antenna is None else self._heard_at(antenna)
            self._in_field = [read.tag for read in heard]
        else:
            self._in_field = self._selected + self._in_field
        count = min(most, MOST_TARGETS)
        self._selected, self._in_field = self._in_field[:count], self._in_field[count:]
        found = [pn532.TypeATarget(tag) for tag in self._selected]
        if found:
            yield TRY_MS + TARGET_MS * len(found), pn532.encode_targets(found)
        elif self._tries != ENDLESS:
            yield TRY_MS * (1 + self._tries), pn532.encode_targets([])
