"""Bee-Tek (USPC) electronic card shoe: one-way text. Sources: `spec/bee_tek.md`.

Record   [ mode ]< what happened >     or only     < what happened >
Between records stand blanks and line ends; two records may share one blank.

<Card:4S>  <Card:10D>  <Card:H3>    a card, rank first or suit first
<Game>                              a card passed and was not read
<Alarm:E3 Card Not Read>            an alarm with its number
<W0x01>                             a warning, whose meaning is not published

There is no checksum, no number and no name: what is garbled within the letters of this grammar reads as
something else.
"""

import re

from protocol.envelopes import BEE_TEK_BARE, BEE_TEK_IN_MODE
from protocol.framing import frame_of_text
from protocol.messages import (
    CardDrawn,
    CardUnread,
    Decoded,
    DeviceFault,
    Failure,
    HostCommand,
    Message,
    Reason,
    UnknownBody,
)

ENVELOPES = (BEE_TEK_IN_MODE, BEE_TEK_BARE)
FILLER = b" \r\n"

MODES = {"Game": "game", "GameAlarm": "game", "Manual Burn Cards": "outside_game"}
_MODE_OF = {"game": "Game", "outside_game": "Manual Burn Cards", None: "Game"}

_RANK, _SUIT = "(?:10|[2-9TJQKA])", "[CDHS]"
_CARD = re.compile(f"Card:(?:({_RANK})({_SUIT})|({_SUIT})({_RANK}))")
_ALARM = re.compile("Alarm:(E([1-9][0-9]{0,2})(?: .*)?)")
_WARNING = re.compile("W0x([0-9A-Fa-f]{2})")


def _what(text: str, context: str | None) -> Message | None:
    if text == "Game":
        return CardUnread()
    if card := _CARD.fullmatch(text):
        rank, suit = card[1] or card[4], card[2] or card[3]
        return CardDrawn(rank.replace("10", "T") + suit.lower(), context=context)
    if alarm := _ALARM.fullmatch(text):
        return DeviceFault(int(alarm[2]), alarm[1])
    if warning := _WARNING.fullmatch(text):
        return DeviceFault(int(warning[1], 16), text)
    if text.startswith("Alarm:") and len(text) > len("Alarm:"):
        return UnknownBody(ord("A"), text.encode("latin-1").hex().upper())
    return None


def decode(envelope_name: str, body: bytes) -> Decoded | Failure:
    """The message of one record. Never raises."""
    text = body.decode("latin-1")
    context = None
    if envelope_name == BEE_TEK_IN_MODE.name:
        mode, _, text = text.partition("]<")
        if mode not in MODES:
            return Failure(Reason.UNKNOWN_ID, f"no mode {mode!r}")
        context = MODES[mode]
    elif envelope_name != BEE_TEK_BARE.name:
        return Failure(Reason.UNKNOWN_ID, f"no body of {envelope_name}")
    message = _what(text, context)
    return Failure(Reason.UNKNOWN_ID, f"no record {text!r}") if message is None else Decoded((message,))


def encode_record(message: Message, mode: str | None = None) -> bytes:
    """The record that says `message`, without the blanks around it; `mode` as on the wire, None for the one
    that fits. A warning has no mode. Raises ValueError on what this shoe cannot say."""
    context = message.context if isinstance(message, CardDrawn) else None
    if context not in _MODE_OF:
        raise ValueError(f"the shoe has no mode for a card that is {context}")
    what, is_bare = _text(message)
    if is_bare:
        return frame_of_text(BEE_TEK_BARE, what)
    mode = _MODE_OF[context] if mode is None else mode
    return frame_of_text(BEE_TEK_IN_MODE, mode.encode("ascii") + b"]<" + what)


def _text(message: Message) -> tuple[bytes, bool]:
    """What stands between the brackets, and whether it stands there without a mode."""
    match message:
        case CardDrawn(card=str(card)) if _CARD.fullmatch(f"Card:{card.upper()}"):
            return f"Card:{card.upper()}".encode(), False
        case CardUnread():
            return b"Game", False
        case DeviceFault(code=code, text=text, cleared=False):
            if text is not None and (warning := _WARNING.fullmatch(text)) and int(warning[1], 16) == code:
                return text.encode("ascii"), True
            alarm = _ALARM.fullmatch(f"Alarm:{text}")
            if alarm is not None and alarm[1].isascii() and int(alarm[2]) == code:
                return alarm[0].encode("ascii"), False
    raise ValueError(f"the shoe cannot say {message}")


def encode_command(command: HostCommand) -> bytes:
    """Always raises ValueError: the shoe only speaks."""
    raise ValueError(f"a Bee-Tek shoe takes no commands, not even {command.command}")
