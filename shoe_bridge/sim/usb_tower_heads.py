"""What the electronics of USB lights with lamps of set colours make of the reports that are written to them.

Read from the byte layouts that the makers and public programs give, and not from what the bridge writes, so
that a wrong byte there is seen here. Sources: SergioJFalcon/patlite-rs; public LR6-USB programs;
qlight-system.com; Delcom's list of commands, as public programs have it. In no source that we know, and
assumed here as in the bridge: which of Patlite's numbered patterns is slow and which is fast, and that the
third lamp of a Delcom is amber.
"""

from shoe_bridge.sim.light_looks import OFF, Head, Shown, one_colour, rhythm_of

_PATLITE_RHYTHMS = ("off", "steady", "slow", "blink", "fast", "flash", "blink", "blink")


class PatliteNeHead(Head):
    """00 00 buzzer volume colour|pattern 00 00 00."""

    _COLOURS = ("off", "red", "green", "amber", "blue", "purple", "sky", "white")

    def __init__(self) -> None:
        self._shown = OFF

    def take(self, report: bytes, at_ms: int) -> bool:
        if len(report) != 8 or report[:2] != b"\0\0" or max(report[4] >> 4, report[4] & 0x0F) > 7:
            return False
        colour, rhythm = self._COLOURS[report[4] >> 4], _PATLITE_RHYTHMS[report[4] & 0x0F]
        self._shown = OFF if "off" in (colour, rhythm) else Shown(colour, rhythm)
        return True

    def shown(self, at_ms: int) -> Shown:
        return self._shown


class TowerHead(Head):
    """Lamps of one colour each. Several that are lit are named together."""

    lamps: tuple[str, ...] = ()

    def __init__(self) -> None:
        self._rhythms = dict.fromkeys(self.lamps, "off")

    def shown(self, at_ms: int) -> Shown:
        lit = {lamp: rhythm for lamp, rhythm in self._rhythms.items() if rhythm != "off"}
        return Shown("+".join(lit), one_colour(lit.values())) if lit else OFF


class PatliteLr6Head(TowerHead):
    """00 00 buzzer FF red|amber green|blue clear|0 00, a nibble each: 0 off, 1 on, 2 to 5 patterns, 8 as it
    was."""

    lamps = ("red", "amber", "green", "blue", "clear")

    def take(self, report: bytes, at_ms: int) -> bool:
        nibbles = [half for byte in report[4:7] for half in (byte >> 4, byte & 0x0F)][: len(self.lamps)]
        if len(report) != 8 or report[:2] != b"\0\0" or any(one > 5 and one != 8 for one in nibbles):
            return False
        for lamp, nibble in zip(self.lamps, nibbles, strict=True):
            if nibble != 8:
                self._rhythms[lamp] = _PATLITE_RHYTHMS[nibble]
        return True


class QlightHead(TowerHead):
    """57 sound red amber green blue white 00: 0 off, 1 blinks, 2 on."""

    lamps = ("red", "amber", "green", "blue", "white")

    def take(self, report: bytes, at_ms: int) -> bool:
        if len(report) != 8 or report[0] != 0x57 or max(report[2:7]) > 2:
            return False
        self._rhythms = {
            lamp: ("off", "blink", "steady")[mode] for lamp, mode in zip(self.lamps, report[2:7], strict=True)
        }
        return True


class DelcomHead(TowerHead):
    """65 command low high 00 00 00 00, a bit a lamp, from the lowest green, red, amber.

    02 low: lamps, lit where the bit is 0 | 0C: lit where low has the bit, dark where high has it
    14: in low those that stop blinking, in high those that begin | 15 to 17: on and off of a lamp in 10 ms"""

    lamps = ("green", "red", "amber")

    def __init__(self) -> None:
        super().__init__()
        self._lit = self._blinks = 0
        self._duty = {0: (500, 500), 1: (500, 500), 2: (500, 500)}

    def take(self, report: bytes, at_ms: int) -> bool:
        if len(report) != 8 or report[0] != 0x65:
            return False
        command, low, high = report[1:4]
        if command == 0x02:
            self._lit = ~low & 0b111
        elif command == 0x0C:
            self._lit = (self._lit | low) & ~high & 0b111
        elif command == 0x14:
            self._blinks = (self._blinks & ~low | high) & 0b111
        elif command - 0x15 in self._duty:
            self._duty[command - 0x15] = (10 * low, 10 * high)
        else:
            return False
        for pin, lamp in enumerate(self.lamps):
            rhythm = rhythm_of(*self._duty[pin]) if self._blinks >> pin & 1 else "steady"
            self._rhythms[lamp] = rhythm if self._lit >> pin & 1 else "off"
        return True
