"""What the electronics of USB lights with coloured LEDs make of the reports that are written to them.

Read from the byte layouts that the makers and public programs give, and not from what the bridge writes, so
that a wrong byte there is seen here. Sources: todbot/blink1 docs/blink1-hid-commands.md; docs.rs/luxafor;
busylight-core 2.5.0 (Kuando); notifierlight.blogspot.de (BlinkStick). In no source that we know, and assumed
here as in the bridge: that the speed of a Luxafor's strobe is its period in 10 ms.
"""

from collections.abc import Mapping

from shoe_bridge.sim.light_looks import OFF, Head, Shown, colour_of, one_colour, shown_as


class Blink1Head(Head):
    """01 'c' R G B fade fade LED | 01 'P' R G B time time line | 01 'p' on first last count
    01 'D' on time time stay first last: play these lines unless told again in time. Times in 10 ms."""

    def __init__(self) -> None:
        self._colour = "off"
        self._lines: dict[int, tuple[str, int]] = {}
        self._playing: tuple[int, int] | None = None
        self._watch: tuple[int, int, int] | None = None

    def take(self, report: bytes, at_ms: int) -> bool:
        if len(report) != 8 or report[0] != 1:
            return False
        command, first, last = report[1:2], report[6], report[7]
        time_ms = 10 * int.from_bytes(report[3:5], "big")
        if command in (b"c", b"n"):
            self._colour, self._playing = colour_of(*report[2:5]), None
        elif command == b"P":
            self._lines[report[7]] = (colour_of(*report[2:5]), 10 * int.from_bytes(report[5:7], "big"))
        elif command == b"p" and not report[5]:  # for ever
            self._playing = (report[3], report[4]) if report[2] else None
        elif command == b"D":
            self._watch = (at_ms + time_ms, first, last) if report[2] else None
            if not report[5]:
                self._colour, self._playing = "off", None
        else:
            return False
        return True

    def shown(self, at_ms: int) -> Shown:
        if self._watch is not None and at_ms >= self._watch[0]:
            return self._pattern(*self._watch[1:])
        return shown_as(self._colour) if self._playing is None else self._pattern(*self._playing)

    def _pattern(self, first: int, last: int) -> Shown:
        lines = [self._lines.get(number, ("off", 0)) for number in range(first, last + 1)]
        lit = [line for line in lines if line[0] != "off"]
        if not lit:
            return OFF
        lit_ms = sum(time_ms for _, time_ms in lit)
        return shown_as(
            one_colour(colour for colour, _ in lit), lit_ms, sum(line[1] for line in lines) - lit_ms
        )

    def next_change_ms(self) -> int | None:
        return None if self._watch is None else self._watch[0]


class LuxaforHead(Head):
    """01 LED R G B | 02 LED R G B time (fade) | 03 LED R G B speed 00 times (strobe); LED FF all, 41 and 42
    its two sides, 1 to 6. After its times a strobe goes dark."""

    _SIDES: Mapping[int, range] = {0xFF: range(6), 0x41: range(3, 6), 0x42: range(3)}

    def __init__(self) -> None:
        self._leds = ["off"] * 6
        self._strobe: tuple[str, int, int | None] | None = None

    def take(self, report: bytes, at_ms: int) -> bool:
        least = {1: 5, 2: 6, 3: 8}.get(report[0] if report else 0)
        if least is None or len(report) < least:
            return False
        leds = self._SIDES.get(report[1]) or range(report[1] - 1, report[1])
        if not 0 <= leds[0] < len(self._leds):
            return False
        colour = colour_of(*report[2:5])
        if report[0] == 3:
            period_ms, times = 10 * report[5], report[7]
            self._strobe = (colour, period_ms, at_ms + times * period_ms if times else None)
            return True
        self._strobe = None
        for led in leds:
            self._leds[led] = colour
        return True

    def shown(self, at_ms: int) -> Shown:
        if self._strobe is None:
            return shown_as(one_colour(self._leds))
        colour, period_ms, until_ms = self._strobe
        if until_ms is not None and at_ms >= until_ms:
            return OFF
        return shown_as(colour, period_ms // 2, period_ms - period_ms // 2)

    def next_change_ms(self) -> int | None:
        return None if self._strobe is None else self._strobe[2]


class KuandoHead(Head):
    """64 bytes: 7 steps of operation | repeat | R G B in % | on | off in 0.1 s | sound; six of settings; the
    sum of the first 62, big-endian. Operation 1n jumps to step n, 8n keeps it alive for n s. It goes dark
    15 s after it was told anything, or when the time that a keep-alive gave is over."""

    LIFE_MS = 15_000

    def __init__(self) -> None:
        self._step = OFF
        self._until_ms = 0

    def take(self, report: bytes, at_ms: int) -> bool:
        if len(report) != 64 or int.from_bytes(report[62:], "big") != sum(report[:62]):
            return False
        operation, target = report[0] >> 4, report[0] & 0x0F
        if operation == 8:
            self._until_ms = at_ms + 1_000 * target
            return True
        red, green, blue, on, off = report[2:7]
        if (
            operation != 1 or target or max(red, green, blue) > 100
        ):  # only programs of one step are known here
            return False
        lit_ms, dark_ms = (100 * on, 100 * off) if on else (1, 0)
        self._step = shown_as(colour_of(red, green, blue), lit_ms, dark_ms)
        self._until_ms = at_ms + self.LIFE_MS
        return True

    def shown(self, at_ms: int) -> Shown:
        return self._step if at_ms < self._until_ms else OFF

    def next_change_ms(self) -> int | None:
        return self._until_ms if self._step != OFF else None


class BlinkstickHead(Head):
    """Feature report 1: R G B. It has one LED."""

    is_blinked = True
    leds = 1

    def __init__(self) -> None:
        self._leds = ["off"] * self.leds

    def take(self, report: bytes, at_ms: int) -> bool:
        if len(report) != 4 or report[0] != 1:
            return False
        self._leds[0] = colour_of(*report[1:])
        return True

    def shown(self, at_ms: int) -> Shown:
        return shown_as(one_colour(self._leds))


class BlinkstickSquareHead(BlinkstickHead):
    """Report 6: channel, then G R B of eight LEDs; report 5: channel, LED, R G B; report 1: the first LED."""

    leds = 8

    def take(self, report: bytes, at_ms: int) -> bool:
        if report[:2] == b"\x06\x00" and len(report) == 2 + 3 * self.leds:
            triples = (report[at : at + 3] for at in range(2, len(report), 3))
            self._leds = [colour_of(red, green, blue) for green, red, blue in triples]
            return True
        if report[:2] == b"\x05\x00" and len(report) == 6 and report[2] < self.leds:
            self._leds[report[2]] = colour_of(*report[3:])
            return True
        return super().take(report, at_ms)
