"""LCUS-1/2/4/8 relay board behind a CH340 (1A86:7523), 9600 8N1: one lamp on each of three relays.

    command      bytes                       meaning
    set          A0  CH  ON  SUM             CH from 1, ON 01 or 00, SUM = the bytes before, modulo 256
                 A0  01  01  A2              relay 1 on
                 A0  01  00  A1              relay 1 off
    query        FF                          answer: a text line a relay, `CH1: ON` CR LF, `CH2: OFF` CR LF …

    state              relays on (default)
    all well           1
    attention          2
    misdeal advised    3
    not monitored      none, so that a dead board reads as not monitored

The board bears one command in 100 ms. It has no watchdog: while it has power it keeps what it was told last,
also when the bridge is gone; feed it from the bridge's own USB port so that both die together. Rhythm is the
lamp's: relays wear out by blinking, so take lamps that blink by themselves for 2 and 3. Sources:
Brasme/usb_ch340_4x_relay_control, jarwyg/USB_RELAY.
"""

import re

from shoe_bridge.table.light_state import LightState

_START = 0xA0
_QUERY = b"\xff"
_LINE = re.compile(rb"CH(\d+)\s*:\s*(ON|OFF)\s*[\r\n]")
_LONGEST_ANSWER = 256  # eight relays take 80 bytes

DEFAULT_CHANNELS = {LightState.ALL_WELL: 1, LightState.ATTENTION: 2, LightState.MISDEAL_ADVISED: 3}


def relay_command(channel: int, is_on: bool) -> bytes:
    head = bytes((_START, channel, is_on))
    return head + bytes((sum(head) & 0xFF,))


class LcusRelay:
    """The board with a relay for each state but `not_monitored`. `channels` maps states to relays, from 1.

    Raises ValueError when a state has no relay or two states share one.
    """

    keep_alive_ms = 2000
    min_gap_ms = 100
    confirm_ms = 500
    can_confirm = True

    def __init__(self, channels: dict[LightState, int] | None = None) -> None:
        channels = DEFAULT_CHANNELS if channels is None else channels
        if set(channels) != set(DEFAULT_CHANNELS) or len(set(channels.values())) != len(channels):
            raise ValueError(
                "an LCUS board needs a relay of its own for each of: all_well, attention, misdeal_advised"
            )
        if not all(1 <= channel <= 8 for channel in channels.values()):
            raise ValueError("the relays of an LCUS board are numbered 1 to 8")
        self._channels = dict(channels)
        self._text = b""
        self._read: dict[int, bool] = {}

    def show(self, state: LightState) -> list[bytes]:
        """The relay to close comes first: while the others open, two lamps are lit rather than none."""
        lit = self._channels.get(state)
        others = [channel for channel in sorted(self._channels.values()) if channel != lit]
        closing = [relay_command(lit, True)] if lit is not None else []
        return closing + [relay_command(channel, False) for channel in others]

    def verify(self) -> list[bytes]:
        self._text = b""
        self._read = {}
        return [_QUERY]

    def take(self, report: bytes) -> LightState | None:
        """Collects lines until each of our relays was named, then says which state they show, if any."""
        text = self._text + report
        end = 0
        for line in _LINE.finditer(text):
            self._read[int(line[1])] = line[2] == b"ON"
            end = line.end()
        self._text = text[end:][-_LONGEST_ANSWER:]
        if not self._read.keys() >= set(self._channels.values()):
            return None
        lit = [state for state, channel in self._channels.items() if self._read[channel]]
        self._read = {}
        if len(lit) > 1:
            return None
        return lit[0] if lit else LightState.NOT_MONITORED
