"""A model of the Eccel Pepper C1 MUX: up to eight antennas polled one after the other, F5 replies and JSON
events mixed on one stream.

It repeats a tag's event in every poll while the tag stays, never says that one is gone, says nothing about an
empty antenna and keeps nothing for later. It polls from power-up on, and does not answer tag commands
meanwhile.
"""

from collections.abc import Mapping

from protocol import pepper_c1
from protocol.envelopes import PEPPER_F5
from protocol.messages import Decoded, HostCommand
from shoe_bridge.sim.device import identity_bytes, identity_number
from shoe_bridge.sim.host_frames import HostFrames
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.timed_device import ReadingDevice

ANSWER_MS = 2
RESTART_MS = 1000
FIRMWARE = "Pepper_C1-MUX 2.04"
# what a tag is by the bytes of its identity, in the reader's words
TAG_TYPES = {4: "MIFARE Classic 1k/Plus 2k", 7: "MIFARE Ultralight", 8: "ICODE SLIX"}
NOT_SUPPORTED = 0x24
CONDITIONS_NOT_MET = 0x25
_DONE = frozenset(
    {"dummy", "polling", "select_antenna", "led", "poll_timeout", "event_format", "halt", "reboot"}
)
_WHILE_POLLING_REFUSED = frozenset({"tag_count", "get_uid", "activate"})


def tag_type(tag: str) -> str:
    """What the reader calls a tag (hex) whose identity has that length; any other is of some MIFARE."""
    return TAG_TYPES.get(len(tag) // 2, "MIFARE")


class PepperDevice(ReadingDevice):
    """One board. `antennas` maps antenna numbers 1 to 8 to places; `device_name` is what its events call
    it."""

    kind = "pepper_c1"

    def __init__(
        self,
        name: str,
        *,
        air: Air | None = None,
        antennas: Mapping[int, str] | None = None,
        cycle_ms: int = 400,
        device_name: str | None = None,
        is_pretty: bool = False,
    ) -> None:
        super().__init__(name, air, antennas)
        self.device_name = device_name or f"Pepper_C1-MUX-{identity_bytes(name, 'mac', 3).hex().upper()}"
        self.is_pretty = is_pretty
        self._cycle_ms = cycle_ms
        self._frames = HostFrames(PEPPER_F5)
        self._stray_starts = 0
        self._cut_to: int | None = None
        self._to_lose = 0
        self._boot(up_for_ms=2_000 + identity_number(name, "uptime", 14))

    # -- power

    def _boot(self, up_for_ms: int) -> None:
        now_ms = self._begin_anew()
        self._booted_at_ms = now_ms - up_for_ms
        self._is_polling = True
        self._format = "json"
        self._ready_at_ms = now_ms if up_for_ms else now_ms + RESTART_MS
        self._frames.clear()
        self._poll_in_turn(self._ready_at_ms, self._cycle_ms, self._poll)

    def reboot(self) -> None:
        """Restart: deaf and dumb for a second, then polling with its stored settings."""
        self._boot(up_for_ms=0)

    def unplug(self) -> None:
        super().unplug()
        self._frames.clear()

    # -- faults

    def stray_start(self) -> None:
        """A lone F5 stands in front of the next bytes."""
        self._stray_starts += 1

    def cut_next_event(self, kept_bytes: int) -> None:
        """The next JSON event breaks off after `kept_bytes`."""
        self._cut_to = kept_bytes

    def lose_next(self, count: int) -> None:
        """The next `count` bytes are lost on the line."""
        self._to_lose += count

    # -- the host's side

    def take(self, data: bytes, at_ms: int) -> None:
        """Bytes of the host arrive."""
        if not self.is_plugged or at_ms < self._ready_at_ms:
            return
        for body in self._frames.feed(data):
            decoded = pepper_c1.decode(PEPPER_F5.name, body)
            if isinstance(decoded, Decoded):
                for message in decoded.messages:
                    if isinstance(message, HostCommand):
                        self._obey_at(at_ms + ANSWER_MS, message)

    def _obey_at(self, at_ms: int, command: HostCommand) -> None:
        self._timetable.at(at_ms, lambda: self._send(self._obey(command)))

    def _obey(self, command: HostCommand) -> bytes:
        name = command.command
        if name == "version":
            return pepper_c1.encode_reply("version", FIRMWARE.encode() + b"\0")
        if name == "device_name":
            text = self.device_name.encode()
            return pepper_c1.encode_reply("protocol_configuration", bytes((0, 1, 1, len(text))) + text)
        if self._is_polling and name in _WHILE_POLLING_REFUSED:
            return pepper_c1.encode_refusal(name, CONDITIONS_NOT_MET)
        if name == "tag_count":
            return pepper_c1.encode_reply("tag_count", b"\0")
        if name not in _DONE:
            return pepper_c1.encode_refusal(name, NOT_SUPPORTED)
        if name == "polling":
            self._is_polling = bool(command.args["on"])
        elif name == "event_format" and not command.args["known"]:
            self._format = str(command.args["format"])
        elif name == "reboot":
            self._timetable.at(self._timetable.now_ms, self.reboot)
        return pepper_c1.encode_reply(name)

    # -- polls

    def _poll(self, antenna: int) -> None:
        if not self._is_polling:
            return
        for index, read in enumerate(self._reads_at(antenna)):
            self._send_event(read.tag, antenna, index)

    # -- what goes out

    def _send_event(self, tag: str, antenna: int, index: int) -> None:
        if self._format == "binary":
            self._send(pepper_c1.encode_uid_event(tag, is_icode=tag_type(tag).startswith("ICODE")))
        elif self._format == "json":
            uptime_ms = self._timetable.now_ms - self._booted_at_ms
            text = pepper_c1.encode_json_event(
                tag,
                antenna,
                self.device_name,
                uptime_ms,
                tag_type(tag),
                pretty=self.is_pretty,
                tag_index=index,
            )
            self._send(text[: self._cut_to])
            self._cut_to = None

    def _send(self, data: bytes) -> None:
        if not self.is_plugged:
            return
        data = b"\xf5" * self._stray_starts + data
        self._stray_starts = 0
        lost = min(self._to_lose, len(data))
        self._to_lose -= lost
        self._put(data[lost:])
