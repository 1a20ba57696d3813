"""A model of a home-made reader: an Arduino with an MFRC522 or PN5180 behind a multiplexer, printing lines.

It polls its antennas one after the other and prints a line for each tag that it reads, in the form of a
public project: in every poll while the tag stays, or once when it is laid down, with or without a line when
it is gone. It hears nothing, keeps nothing, and greets with a banner when it starts.
"""

from collections.abc import Mapping

from protocol import text_line
from shoe_bridge.sim.antenna_poll import AntennaMemory
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.timed_device import ReadingDevice

BOOT_MS = 300
BANNER = b"Scan PICC to see UID, SAK, type, and data blocks...\r\n"
GONE_FORM = r"(?:(?P<gone>OUT)|IN) (?P<antenna>[0-9]{1,3}) (?P<uid>[0-9A-F]{8,20})"


class TextLineDevice(ReadingDevice):
    """One board. `antennas` maps numbers (from 0) to places; `form` is a preset whose lines it prints, or
    `in_out`: a line of its own when a tag comes and when it is gone (the pattern `GONE_FORM`).

    `repeats`: a line in every poll; else once, until the tag was gone for `gone_after_polls` polls.
    """

    kind = "text_line"

    def __init__(
        self,
        name: str,
        *,
        air: Air | None = None,
        antennas: Mapping[int, str] | None = None,
        cycle_ms: int = 400,
        form: str = "whywaita",
        repeats: bool = True,
        gone_after_polls: int = 2,
        line_end: bytes = b"\r\n",
    ) -> None:
        super().__init__(name, air, antennas)
        self._cycle_ms = cycle_ms
        self._form = form
        self._repeats = repeats
        self._line_end = line_end
        self._gone_after_polls = gone_after_polls
        self._garbled = 0
        self._to_lose = 0
        self._is_hung = False
        self._boot(0)

    # -- power

    def _boot(self, wait_ms: int) -> None:
        now_ms = self._begin_anew()
        self._is_hung = False
        self._memory = {number: AntennaMemory(self._gone_after_polls) for number in self._antennas}
        ready_ms = now_ms + wait_ms
        if wait_ms:
            self._timetable.at(ready_ms, lambda: self._send(BANNER))
        self._poll_in_turn(ready_ms, self._cycle_ms, self._poll)

    def reboot(self) -> None:
        """Restart: silent for a moment, then the banner; what it had said once it says again."""
        self._boot(BOOT_MS)

    def replug(self) -> None:
        """The board has its power over the plug, so it starts anew."""
        super().replug()
        self._boot(BOOT_MS)

    # -- faults

    def garble_next(self, count: int = 1) -> None:
        """The next `count` lines come with a bit wrong in their middle."""
        self._garbled += count

    def lose_next(self, count: int) -> None:
        """The next `count` bytes are lost on the line."""
        self._to_lose += count

    def hang(self) -> None:
        """The program hangs: it prints nothing until it is restarted."""
        self._is_hung = True

    def say(self, line: bytes) -> None:
        """Print a line of another kind."""
        self._send(line + self._line_end)

    # -- the stream

    def take(self, data: bytes, at_ms: int) -> None:
        """Bytes of the host arrive; nobody listens."""

    # -- polls

    def _poll(self, antenna: int) -> None:
        reads = self._reads_at(antenna)
        if self._is_hung:
            return
        outcome = self._memory[antenna].take(reads)
        for read in reads if self._repeats else outcome.seen:
            self._print(read.tag, antenna, is_gone=False)
        if self._form == "in_out":
            for tag in outcome.gone:
                self._print(tag, antenna, is_gone=True)

    def _print(self, tag: str, antenna: int, *, is_gone: bool) -> None:
        if self._form == "in_out":
            word = "OUT" if is_gone else "IN"
            line = f"{word} {antenna} {tag}".encode("ascii") + self._line_end
        else:
            line = text_line.encode_line(self._form, tag, antenna, self._line_end)
        if self._garbled:
            self._garbled -= 1
            middle = len(line) // 2
            line = line[:middle] + bytes([line[middle] ^ 0x80]) + line[middle + 1 :]
        self._send(line)

    def _send(self, data: bytes) -> None:
        if not self.is_plugged or self._is_hung:
            return
        lost = min(self._to_lose, len(data))
        self._to_lose -= lost
        self._put(data[lost:])
