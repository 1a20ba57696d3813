"""Simulated lights with a port of their own: a relay board and a tower light. They remember what they showed.

LCUS relay board, 9600 8N1    A0 | channel | state 0 or 1 | sum of the three modulo 256
                              FF asks; the answer is a line of text per channel
Serial tower light, 9600 8N1  one byte: high nibble 1 on, 2 off, 4 blink;
                              low nibble 1 red, 2 yellow, 4 green, 8 buzzer
Neither checks its host nor forgets by itself: what was last set stays lit, with or without a plug.
"""

from protocol.checksums import sum8

RELAY_START = 0xA0
RELAY_QUERY = 0xFF
TOWER_LAMPS = {0x1: "red", 0x2: "yellow", 0x4: "green", 0x8: "buzzer"}
TOWER_MODES = {0x1: "on", 0x2: "off", 0x4: "blink"}
LEAST_GAP_MS = 100  # between two commands; what comes sooner is obeyed and counted as hurried


class _LightDevice:
    """Shared by both: the plug, the outgoing bytes, and the count of commands that came too fast."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_plugged = True
        self.is_reading = True  # False: bytes of the host are not taken off the line
        self.hurried = 0
        self.ignored = 0  # bytes that were no command
        self._out = bytearray()
        self._last_command_ms: int | None = None

    def advance(self, at_ms: int) -> bytes:
        """Give what was answered up to `at_ms`."""
        out = bytes(self._out)
        self._out.clear()
        return out if self.is_plugged else b""

    def next_due_ms(self) -> int | None:
        return None

    def unplug(self) -> None:
        self.is_plugged = False

    def replug(self) -> None:
        self.is_plugged = True

    def _count_command(self, at_ms: int) -> None:
        if self._last_command_ms is not None and at_ms - self._last_command_ms < LEAST_GAP_MS:
            self.hurried += 1
        self._last_command_ms = at_ms


class LcusRelay(_LightDevice):
    """The relay board: `shown` is one bool per channel, `history` every change as (when, shown)."""

    kind = "lcus_relay"

    def __init__(self, name: str, channels: int = 4) -> None:
        super().__init__(name)
        self.shown: tuple[bool, ...] = (False,) * channels
        self.history: list[tuple[int, tuple[bool, ...]]] = []
        self._held = bytearray()

    def take(self, data: bytes, at_ms: int) -> None:
        if not (self.is_plugged and self.is_reading):
            return
        self._held += data
        while self._held:
            if self._held[0] == RELAY_QUERY:
                del self._held[0]
                self._count_command(at_ms)
                self._answer()
            elif self._held[0] != RELAY_START:
                del self._held[0]
                self.ignored += 1
            elif len(self._held) < 4:
                return
            else:
                self._obey(bytes(self._held[:4]), at_ms)

    def _obey(self, command: bytes, at_ms: int) -> None:
        _, channel, state, check = command
        if check != sum8(command[:3]) or state > 1 or not 1 <= channel <= len(self.shown):
            del self._held[0]
            self.ignored += 1
            return
        del self._held[:4]
        self._count_command(at_ms)
        shown = tuple(bool(state) if n == channel else on for n, on in enumerate(self.shown, start=1))
        if shown != self.shown:
            self.shown = shown
            self.history.append((at_ms, shown))

    def _answer(self) -> None:
        for channel, is_on in enumerate(self.shown, start=1):
            self._out += f"CH{channel}: {'ON' if is_on else 'OFF'}\r\n".encode()


class TowerLight(_LightDevice):
    """The tower light: `shown` is the mode of each lamp, `history` every change as (when, lamp, mode)."""

    kind = "adafruit_tower"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.shown: dict[str, str] = dict.fromkeys(TOWER_LAMPS.values(), "off")
        self.history: list[tuple[int, str, str]] = []

    def take(self, data: bytes, at_ms: int) -> None:
        if not (self.is_plugged and self.is_reading):
            return
        for byte in data:
            lamp, mode = TOWER_LAMPS.get(byte & 0x0F), TOWER_MODES.get(byte >> 4)
            if lamp is None or mode is None:
                self.ignored += 1
                continue
            self._count_command(at_ms)
            if self.shown[lamp] != mode:
                self.shown[lamp] = mode
                self.history.append((at_ms, lamp, mode))
