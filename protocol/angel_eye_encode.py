"""Angel Eye II-EX, the other direction: what a simulated shoe says, and what a host could send to it."""

from protocol.angel_eye_layout import (
    COMMAND,
    ERROR_MODE,
    ERRORS,
    OPERATIONS,
    REPORTS,
    UNREAD,
)
from protocol.envelopes import ANGEL_EYE_COMMAND, ANGEL_EYE_REPORT
from protocol.framing import frame_of_text
from protocol.messages import CardDrawn, CardUnread, DeviceFault, HostCommand, Message, ShoeReport
from protocol.primitives import Value

_CODES = {"game": "D", "outside_game": "d", "redeal_or_repeat": "R"}
_BARE = {"started": "S", "standby": "P", "cut_card": "C"}


def encode_report(message: Message, sequence: int) -> bytes:
    """One copy of the report that says `message`, numbered `sequence` (1 to 9). A card without a context is
    one of a game, one without a target is `burn 0`, or drawn while the shoe is locked where no game is on; a
    DeviceFault with `error mode` in its text says that the shoe is in it. Raises ValueError on what this shoe
    cannot say."""
    code, fields = _fields(message)
    return frame_of_text(ANGEL_EYE_REPORT, REPORTS[code].build(sequence, ord(code), *fields))


def _fields(message: Message) -> tuple[str, tuple[Value, ...]]:
    match message:
        case CardDrawn(card=str(card), context=context, target=target):
            if context == "outside_game":
                return "d", ("locked 0", card)
            return _CODES[context or "game"], (_target(target), card)
        case CardUnread():
            return "D", ("burn 0", f"{UNREAD} 0")
        case DeviceFault(code=code, text=text, cleared=cleared):
            if code not in ERRORS:
                raise ValueError(f"the shoe has no error {code}")
            in_error_mode = not cleared and "error mode" in (text or "")
            return "e" if cleared else "E", (code | (ERROR_MODE if in_error_mode else 0),)
        case ShoeReport(what="result", value=value):
            return "G", (value,)
        case ShoeReport(what="preset", value=str(value)):
            return "M", tuple(value.replace(" ", ""))
        case ShoeReport(what="locked" | "unlocked" as what):
            return "L", (int(what == "locked"),)
        case ShoeReport(what=what) if what in _BARE:
            return _BARE[what], ()
    raise ValueError(f"the shoe cannot say {message}")


def _target(target: str | None) -> str:
    return "burn 0" if target in (None, "burn") else str(target)


def encode_command(command: HostCommand) -> bytes:
    """The frame of a host command: `lock`, `unlock`, `gp`, or `error_cancel` with `code` (0 to 99).

    The bridge never sends one: it only listens. Raises ValueError on any other command or argument.
    """
    if command.command not in OPERATIONS:
        raise ValueError(f"an Angel Eye has no command {command.command}")
    kind, data = OPERATIONS[command.command]
    wanted = {"code"} if data is None else set()
    if set(command.args) != wanted:
        raise ValueError(f"{command.command} takes {', '.join(wanted) or 'no arguments'}")
    if data is None:
        code = command.args["code"]
        if not isinstance(code, int) or not 0 <= code <= 99:
            raise ValueError(f"error_cancel cannot have the code {code!r}")
        data = f"{code:02d}"
    return frame_of_text(ANGEL_EYE_COMMAND, COMMAND.build(b"OP", kind.encode(), data.encode()))
