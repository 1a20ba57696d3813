"""A model of a home-made reader: an Arduino with an MFRC522 or PN5180 behind a multiplexer, printing lines.

It polls its antennas one after the other and prints a line for each tag that it reads, in the form of a
public project: in every poll while the tag stays, or once when it is laid down, with or without a line when
it is gone. It hears nothing, keeps nothing, and greets with a banner when it starts.
"""

from collections.abc import Mapping, Sequence

from protocol import text_encode, text_line
from protocol.envelopes import TEXT_LINE
from protocol.messages import CardDrawn, Decoded, TagSeen
from protocol.text_presets import DEFAULT_PRESET
from shoe_bridge.errors import ConfigError
from shoe_bridge.sim.antenna_poll import AntennaMemory
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.tags import DEFAULT_DECK, TECHNOLOGIES, deck_tags
from shoe_bridge.sim.timed_device import ReadingDevice

BOOT_MS = 300
BANNER = b"Scan PICC to see UID, SAK, type, and data blocks...\r\n"
IN_OUT = "in_out"
GONE_FORM = r"(?:(?P<gone>OUT)|IN) (?P<antenna>[0-9]{1,3}) (?P<uid>[0-9A-F]{8,20})"


class TextLineDevice(ReadingDevice):
    """One board. `antennas` maps numbers (from 0) to places; `form` is a preset whose lines it prints, or
    `in_out`: a line of its own when a tag comes and when it is gone (the pattern `GONE_FORM`).

    `repeats`: a line in every poll; else once, until the tag was gone for `gone_after_polls` polls.
    `patterns` are those of the house by which the lines are read, where no preset is.
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
        patterns: Sequence[str] = (),
    ) -> None:
        super().__init__(name, air, antennas)
        self._readable: dict[str, bool] = {}
        own = tuple(patterns) or ((GONE_FORM,) if form == IN_OUT else ())
        self._decode = text_line.decoder_of(None if own else form, own)
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
        if self._form == IN_OUT:
            for tag in outcome.gone:
                self._print(tag, antenna, is_gone=True)

    def can_read(self, tag: str) -> bool:
        """Whether its program has a line for the tag, out of which its tag and antenna are read again."""
        if tag not in self._readable:
            self._readable[tag] = all(self._is_read_back(tag, antenna) for antenna in self._antennas)
        return self._readable[tag]

    def _is_read_back(self, tag: str, antenna: int) -> bool:
        try:
            line = self._line(tag, antenna, is_gone=False)
        except ValueError:
            return False
        decoded = self._decode(TEXT_LINE.name, line.splitlines()[0])
        said = decoded.messages[0] if isinstance(decoded, Decoded) else None
        if isinstance(said, CardDrawn):
            return said.card is not None and said.card.encode("ascii").hex().upper() == tag
        if not isinstance(said, TagSeen) or said.tag != tag:
            return False
        return said.antenna == antenna or (said.antenna is None and len(self._antennas) == 1)

    def _line(self, tag: str, antenna: int, *, is_gone: bool) -> bytes:
        if self._form == IN_OUT:
            word = "OUT" if is_gone else "IN"
            return f"{word} {antenna} {tag}".encode("ascii") + self._line_end
        return text_encode.encode_line(self._form, tag, antenna, self._line_end)

    def _print(self, tag: str, antenna: int, *, is_gone: bool) -> None:
        line = self._line(tag, antenna, is_gone=is_gone)
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


def form_for(name: str, preset: str | None, patterns: Sequence[str], antennas: Mapping[int, str]) -> str:
    """The form in which the device `name` is simulated: its preset, or the first one whose lines are read by
    the house's own `patterns`. ConfigError where none is."""
    if not patterns:
        return preset or DEFAULT_PRESET
    tags = [deck_tags(DEFAULT_DECK, technology)[0] for technology in TECHNOLOGIES]
    for form in (*text_encode.FORMS, IN_OUT):
        device = TextLineDevice(name, antennas=antennas, form=form, patterns=patterns)
        if any(map(device.can_read, tags)):
            return form
    raise ConfigError(
        f"device {name} prints lines of the house's own, and its patterns fit no line that is simulated: give"
        " it a preset in the configuration that is simulated"
    )
