"""Angel Eye II-EX: a baccarat shoe that names each card that leaves it. Sources: `spec/angel_eye.md`.

Report   05 | sequence '1'..'9' | code | data | 03 | XOR of sequence to 03, two hex digits     shoe -> host
Command  02 | 'O' 'P' | type, two letters | data, two digits | 03 | XOR of 02 to 03, two digits   host -> shoe

S  -            communication start          G  result u8           the round's result
P  -            stand-by between rounds      E  error u8            an error
C  -            the cut card came            e  error u8            that error is over
D  target, card a card drawn in a game       L  lock u8             locked or unlocked
d  state, card  a card drawn outside one     M  address 2, value 4  a preset was changed, as digits
R  target, card the sources disagree: a card sent again, or a re-deal
"""

from protocol.angel_eye_encode import encode_command, encode_report
from protocol.angel_eye_layout import (
    COMMAND,
    ERROR_MODE,
    ERRORS,
    OPERATIONS,
    REPORTS,
    UNREAD,
)
from protocol.envelopes import ANGEL_EYE_COMMAND, ANGEL_EYE_REPORT
from protocol.messages import (
    CardDrawn,
    CardUnread,
    Decoded,
    DeviceFault,
    Failure,
    HostCommand,
    Message,
    Reason,
    ShoeReport,
    UnknownBody,
)

__all__ = ["ENVELOPES", "decode", "encode_command", "encode_report", "sequence_of"]

ENVELOPES = (ANGEL_EYE_REPORT, ANGEL_EYE_COMMAND)

_CONTEXTS = {"D": "game", "d": "outside_game", "R": "redeal_or_repeat"}
_PLAIN = {"S": ShoeReport("started"), "P": ShoeReport("standby"), "C": ShoeReport("cut_card")}
_BURNS = ("burn", "first burn", "counted burn")
_OPERATION = b"OP"
_ERROR_CANCEL = OPERATIONS["error_cancel"][0]
_COMMANDS = {pair: name for name, pair in OPERATIONS.items()}


def sequence_of(frame: bytes) -> int:
    """The number, 1 to 9, of a whole report that decodes: all copies of a report have the same one."""
    return frame[1] - ord("0")


def _target(words: str) -> str | None:
    """`player 1` as it is; the burns, whose index has no known use, as `burn`."""
    who, _, index = words.rpartition(" ")
    return "burn" if who in _BURNS else f"{who} {index}"


def _drawn(code: str, words: str, card: str) -> Message:
    if card.startswith(UNREAD):
        return CardUnread()
    return CardDrawn(card, target=None if code == "d" else _target(words), context=_CONTEXTS[code])


def _fault(code: str, error: int) -> DeviceFault:
    number = error & ~ERROR_MODE
    text = ERRORS[number] + (", the shoe is in error mode" if error & ERROR_MODE else "")
    return DeviceFault(number, text, cleared=code == "e")


def _report(body: bytes) -> Decoded | Failure:
    if len(body) < 2:
        return Failure(Reason.TOO_SHORT, "a report has a sequence and a code")
    code = chr(body[1])
    layout = REPORTS.get(code)
    if layout is None:
        if not ord("1") <= body[0] <= ord("9"):
            return Failure(Reason.IMPLAUSIBLE, f"sequence 0x{body[0]:02X}")
        return Decoded((UnknownBody(body[1], body.hex().upper()),))
    row = layout.parse(body)
    if not isinstance(row, list):
        return Failure(row, f"report {code} of {len(body)} bytes")
    return Decoded((_message(code, row[2:]),))


def _message(code: str, fields: list[str | int]) -> Message:
    if code in _CONTEXTS:
        return _drawn(code, str(fields[0]), str(fields[1]))
    if code == "G":
        return ShoeReport("result", str(fields[0]))
    if code == "L":
        return ShoeReport("locked" if fields[0] else "unlocked")
    if code == "M":
        digits = "".join(map(str, fields))
        return ShoeReport("preset", f"{digits[:2]} {digits[2:]}")
    if code in _PLAIN:
        return _PLAIN[code]
    return _fault(code, int(fields[0]))


def _command(body: bytes) -> Decoded | Failure:
    row = COMMAND.parse(body)
    if not isinstance(row, list):
        return Failure(row, f"a command of {len(body)} bytes")
    operation, kind, data = row
    if operation != _OPERATION:
        return Decoded((UnknownBody(body[0], body.hex().upper()),))
    pair = kind.decode("latin-1"), data.decode("latin-1")
    if pair in _COMMANDS:
        return Decoded((HostCommand(_COMMANDS[pair]),))
    if pair[0] == _ERROR_CANCEL and pair[1].isascii() and pair[1].isdigit():
        return Decoded((HostCommand("error_cancel", {"code": int(pair[1])}),))
    return Decoded((UnknownBody(body[0], body.hex().upper()),))


def decode(envelope_name: str, body: bytes) -> Decoded | Failure:
    """The message of one report or command. Never raises."""
    if envelope_name == ANGEL_EYE_REPORT.name:
        return _report(body)
    if envelope_name == ANGEL_EYE_COMMAND.name:
        return _command(body)
    return Failure(Reason.UNKNOWN_ID, f"no body of {envelope_name}")
