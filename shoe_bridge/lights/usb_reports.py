"""The reports of USB lights: what makes each look so. One function a kind, from a look to its reports.

kind               write              report of red, steady
blink1             feature            01 63 RR GG BB fade(2) LED          fade in 10 ms, LED 0 all
luxafor            interrupt OUT      01 FF RR GG BB
kuando             interrupt OUT      64 bytes: 7 steps of 8, settings, sum of the first 62 (big-endian)
blinkstick         feature            01 RR GG BB
blinkstick_square  feature            06 00, then GG RR BB for each of 8
patlite_ne         interrupt OUT      00 00 buzzer volume colour|pattern 00 00 00
patlite_lr6        interrupt OUT      00 00 08 FF red|yellow green|blue clear|0 00
qlight             interrupt OUT      57 sound red amber green blue white 00
delcom             feature            65 0C on off 00 00 00 00

Sources: busylight-core 2.5.0 (PyPI); todbot/blink1 docs/blink1-hid-commands.md and firmware_mk2/main.c;
docs.rs/luxafor; notifierlight.blogspot.de (BlinkStick); SergioJFalcon/patlite-rs; public LR6-USB programs;
qlight-system.com, "Communication data format of the USB product"; public Delcom programs. No bytes of these
lights were captured by this project. Not in any source that we know, and chosen by us: the eighth byte of
QLight (0, no sound), and which of Patlite's numbered patterns is slow and which is fast.
"""

import struct
from collections.abc import Mapping
from types import MappingProxyType

from protocol.patlite_ne import control
from shoe_bridge.lights.policy import LOOKS, Look
from shoe_bridge.table.light_state import LightState

Reports = tuple[bytes, ...]

DARK = Look("dark", 0, 0, 0, "", "")
# how long lit, how long dark, in ms
RHYTHMS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"slow_blink": (500, 500), "fast_blink": (125, 125), "flash": (100, 1900)}
)


def _rgb(look: Look) -> bytes:
    return bytes((look.red, look.green, look.blue))


def _colour(look: Look) -> str:
    """The name of the look's colour, for lights that have a few lamps and no mixture."""
    if look.red:
        return "amber" if look.green else "red"
    if look.green:
        return "green"
    return "blue" if look.blue else "dark"


# -- blink(1) ----------------------------------------------------------------------------------------------

_BLINK1_HOLD_MS = 5000
_IDLE_LINES, _LINES = 0, 2  # where the pattern of "not monitored" and that of the state stand in its memory


def _blink1_line(colour: bytes, lasts_ms: int, position: int) -> bytes:
    return b"\x01P" + colour + struct.pack(">HB", lasts_ms // 10, position)


def _blink1_pattern(look: Look, position: int) -> Reports:
    lit_ms, dark_ms = RHYTHMS[look.pattern]
    return _blink1_line(_rgb(look), lit_ms, position), _blink1_line(bytes(3), dark_ms, position + 1)


def blink1(look: Look) -> Reports:
    """Every look but darkness comes with a watchdog: if it is not shown anew within 5 s, the light plays
    "not monitored" by itself."""
    if look.pattern in RHYTHMS:
        play = b"\x01p" + bytes((1, _LINES, _LINES + 1, 0, 0, 0))
        shown: Reports = (*_blink1_pattern(look, _LINES), play)
    else:
        shown = (b"\x01c" + _rgb(look) + b"\x00\x0a\x00",)
    if look.pattern == "dark":
        return shown
    keep = 1  # the state stays shown while the watchdog is wound up
    wind = b"\x01D\x01" + struct.pack(">HBBB", _BLINK1_HOLD_MS // 10, keep, _IDLE_LINES, _IDLE_LINES + 1)
    return (*shown, *_blink1_pattern(LOOKS[LightState.NOT_MONITORED], _IDLE_LINES), wind)


# -- Luxafor -----------------------------------------------------------------------------------------------

_ALL_LEDS = 0xFF
_STROBES = 0xFF  # so many, begun anew at each renewal
_STROBE_SPEED = {"slow_blink": 100, "fast_blink": 25, "flash": 200}


def luxafor(look: Look) -> Reports:
    if look.pattern in RHYTHMS:
        return (bytes((3, _ALL_LEDS)) + _rgb(look) + bytes((_STROBE_SPEED[look.pattern], 0, _STROBES)),)
    return (bytes((1, _ALL_LEDS)) + _rgb(look),)


# -- Kuando ------------------------------------------------------------------------------------------------

_JUMP, _KEEP_ALIVE = 0x10, 0x80
KUANDO_HOLD_S = 15  # the longest that four bits can say
_KUANDO_SETTINGS = bytes(4) + b"\x0f\xff"


def _kuando_program(first_step: bytes) -> bytes:
    body = first_step.ljust(56, b"\0") + _KUANDO_SETTINGS
    return body + struct.pack(">H", sum(body))


def kuando(look: Look) -> Reports:
    """The program, then 15 s of life: without the next keep-alive the light goes dark by itself."""
    lit_ms, dark_ms = RHYTHMS.get(look.pattern, (0, 0))
    percent = bytes(part * 100 // 255 for part in _rgb(look))
    step = bytes((_JUMP, 1 if lit_ms else 0)) + percent + bytes((lit_ms // 100, dark_ms // 100))
    if look.pattern == "dark":
        return (_kuando_program(step),)
    return _kuando_program(step), _kuando_program(bytes((_KEEP_ALIVE | KUANDO_HOLD_S,)))


# -- BlinkStick: no rhythm of its own ----------------------------------------------------------------------

_SQUARE_LEDS = 8


def blinkstick(look: Look) -> Reports:
    """Of one LED, in the maker's order of colours."""
    return (b"\x01" + _rgb(look),)


def blinkstick_square(look: Look) -> Reports:
    """Square, Strip, Nano and Flex: eight LEDs of channel 0, green first."""
    return (b"\x06\x00" + bytes((look.green, look.red, look.blue)) * _SQUARE_LEDS,)


# -- Patlite -----------------------------------------------------------------------------------------------

_LR6_PATTERNS = {"dark": 0, "steady": 1, "slow_blink": 2, "fast_blink": 4, "flash": 0}


def patlite_ne(look: Look) -> Reports:
    return (control(look.pattern, look.red, look.green, look.blue),)


def patlite_lr6(look: Look) -> Reports:
    """Three tiers; "not monitored" lights none of them."""
    lamp = dict.fromkeys(("red", "amber", "green", "blue"), 0) | {_colour(look): 1}
    tiers = (lamp["red"] << 4 | lamp["amber"], lamp["green"] << 4 | lamp["blue"])
    pattern = _LR6_PATTERNS[look.pattern]
    return (b"\x00\x00\x08\xff" + bytes(tier * pattern for tier in tiers) + b"\x00\x00",)


# -- QLight ------------------------------------------------------------------------------------------------

_QLIGHT_MODES = {"dark": 0, "steady": 2, "slow_blink": 1, "fast_blink": 1, "flash": 0}


def qlight(look: Look) -> Reports:
    """It has one rhythm: attention and misdeal differ by their place. "Not monitored" lights no tier."""
    mode = _QLIGHT_MODES[look.pattern]
    lamps = [mode if name == _colour(look) else 0 for name in ("red", "amber", "green", "blue", "white")]
    return (bytes((0x57, 0, *lamps, 0)),)


# -- Delcom ------------------------------------------------------------------------------------------------

_PINS = {"green": 0, "red": 1, "amber": 2}  # on models of three colours the third is blue
_ALL_PINS = 0b111


def _delcom(minor: int, low: int, high: int) -> bytes:
    return bytes((0x65, minor, low, high, 0, 0, 0, 0))


def delcom(look: Look) -> Reports:
    """Pins on and off, then the rhythm of the pin. "Not monitored" lights none."""
    pin = _PINS.get(_colour(look))
    mask = 0 if pin is None else 1 << pin
    lamps = _delcom(0x0C, mask, _ALL_PINS & ~mask)
    if pin is None or look.pattern not in RHYTHMS:
        return lamps, _delcom(0x14, _ALL_PINS, 0)
    lit_ms, dark_ms = RHYTHMS[look.pattern]
    duty = _delcom(0x15 + pin, lit_ms // 10, dark_ms // 10)
    return lamps, duty, _delcom(0x14, _ALL_PINS & ~mask, mask)
