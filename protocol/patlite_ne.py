"""Patlite NE-USB: a signal light with a touch sensor, asked and told by reports of eight bytes over USB.

command     bytes
get state   00 | 80 | 6 × 00
control     00 | 00 | buzzer | volume | colour, pattern | 3 × 00     buzzer FF and volume 0F: as they are

answer      unknown | bit 0: touched                                 to `get state` only

The answer has no start, no length and no check. It is told from nothing but its size, which is enough on USB,
where bytes are neither lost nor made. Source: SergioJFalcon/patlite-rs src/patlite_light.py; the six
flashing patterns have numbers there and no description, so which one is slow is our guess.
"""

import construct as cs

from protocol.envelopes import FixedEnvelope
from protocol.messages import Decoded, Failure, HostCommand, KeyPressed, KeyReleased, Reason

ANSWER = FixedEnvelope(name="patlite_ne", size=2, idle_gap_ms=100)
ENVELOPES = (ANSWER,)
TOUCH = 1  # the number of the one key

_STATE = cs.Struct("unknown" / cs.Byte, "flags" / cs.Byte, cs.Terminated)
_TOUCHED = 0x01
_BUZZER_KEPT, _BUZZER_OFF, _VOLUME_KEPT = 0xFF, 0xF0, 0x0F
_PATTERNS = {"dark": 0, "steady": 1, "slow_blink": 2, "fast_blink": 4, "flash": 5}
# by which of red, green and blue are at least half on
_COLOURS = {
    (False, False, False): 0,
    (True, False, False): 1,
    (False, True, False): 2,
    (True, True, False): 3,
    (False, False, True): 4,
    (True, False, True): 5,
    (False, True, True): 6,
    (True, True, True): 7,
}


def decode(envelope_name: str, body: bytes) -> Decoded | Failure:
    """Whether the sensor is touched. Never raises."""
    if envelope_name != ANSWER.name:
        return Failure(Reason.UNKNOWN_ID, f"no body of {envelope_name}")
    if len(body) != ANSWER.size:
        reason = Reason.TOO_SHORT if len(body) < ANSWER.size else Reason.TRAILING
        return Failure(reason, f"an answer of {len(body)} bytes")
    is_touched = _STATE.parse(body).flags & _TOUCHED
    return Decoded((KeyPressed(TOUCH) if is_touched else KeyReleased(TOUCH),))


def encode_command(command: HostCommand) -> bytes:
    """The report of `get_state`, or of `set_light` with the arguments of a tablelink lamp. Raises ValueError
    on anything else."""
    if command.command == "get_state":
        return b"\x00\x80" + bytes(6)
    if command.command == "set_light":
        pattern, *rgb = (command.args.get(name) for name in ("pattern", "red", "green", "blue"))
        numbers = [part for part in rgb if isinstance(part, int)]
        if isinstance(pattern, str) and pattern in _PATTERNS and len(numbers) == len(rgb):
            return control(pattern, numbers[0], numbers[1], numbers[2])
    raise ValueError(f"a patlite_ne has no command {command.command!r} with {command.args}")


def control(pattern: str, red: int, green: int, blue: int) -> bytes:
    """The report that makes the light look so; `dark` also silences the buzzer."""
    buzzer = _BUZZER_OFF if pattern == "dark" else _BUZZER_KEPT
    colour = _COLOURS[red >= 0x80, green >= 0x80, blue >= 0x80]
    return bytes((0, 0, buzzer, _VOLUME_KEPT, colour << 4 | _PATTERNS[pattern], 0, 0, 0))
