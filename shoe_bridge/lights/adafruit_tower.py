"""Adafruit USB tower light 2993 / 5125, 9600 8N1: one byte a command.

    high nibble   1 on   2 off   4 blink
    low nibble    1 red (top)   2 yellow   4 green (bottom)   8 buzzer

    state              lit lamp            writes, one byte each
    all well           14 green on         14 21 22 28
    attention          42 yellow blinks    42 21 24 28
    misdeal advised    41 red blinks       41 22 24 28
    not monitored      none                21 22 24 28

What it cannot do: it gives no answer, so that what was written last is all that is known; it has one blink
rhythm, so that attention and misdeal differ by place (middle, top) and not by speed; and **it has no
watchdog of its own**: if the bridge's computer hangs, the tower keeps its last lamp. The bridge darkens it
when it ends in order; feed it from the same supply as the bridge so that both go dark together, and prefer a
tablelink lamp where that is not enough. One client waits 100 ms after each byte, and so do we. Source: about
ten public programs agree on the bytes.
"""

from shoe_bridge.table.light_state import LightState

_ON, _OFF, _BLINK = 0x10, 0x20, 0x40
_RED, _YELLOW, _GREEN, _BUZZER = 0x01, 0x02, 0x04, 0x08
_PARTS = (_RED, _YELLOW, _GREEN, _BUZZER)

_LIT: dict[LightState, tuple[int, int]] = {
    LightState.ALL_WELL: (_ON, _GREEN),
    LightState.ATTENTION: (_BLINK, _YELLOW),
    LightState.MISDEAL_ADVISED: (_BLINK, _RED),
}


class AdafruitTower:
    """The tower light. What it shows is never confirmed."""

    keep_alive_ms = 5000  # only mends a tower that lost power: renewing more often would disturb its blinking
    min_gap_ms = 100
    confirm_ms = 0
    can_confirm = False

    def show(self, state: LightState) -> list[bytes]:
        """The lamp to light comes first: while the others go out, two are lit rather than none."""
        how, lamp = _LIT.get(state, (_OFF, _RED))
        rest = [part for part in _PARTS if part != lamp]
        return [bytes((how | lamp,)), *(bytes((_OFF | part,)) for part in rest)]

    def verify(self) -> list[bytes]:
        """Nothing: the tower never answers."""
        return []

    def take(self, report: bytes) -> LightState | None:
        """Nothing that it sends means anything."""
        del report
        return None
