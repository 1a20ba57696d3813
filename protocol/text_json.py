"""Lines of JSON that home-made tables print.

{"scope":"READER","command":"card","key":8,"value":"HA"}     TeamLemonPie/BeddoFabrik: the card at reader 8
{"key":-1}                                                   its server: forget all cards, or one reader's
{"device_id":"24:0A:C4:01:02:03","uid":"040e3b","pair_id":1} whywaita/rfid-poker, the body of its POST /card
"""

import msgspec

from protocol.messages import (
    CardDrawn,
    Decoded,
    Failure,
    HostCommand,
    Reason,
    TagSeen,
    TypedLine,
)
from protocol.tag_text import card_of_text, tag_of_hex

MOST_ANTENNA = 255


class _Line(msgspec.Struct):
    scope: str | None = None
    command: str | None = None
    key: int | None = None
    value: str | None = None
    device_id: str | None = None
    uid: str | None = None
    pair_id: int | None = None


_FORMS = ({"scope", "command", "key", "value"}, {"key"}, {"device_id", "uid", "pair_id"})


def decode_json(text: str) -> Decoded | Failure:
    """The message of one JSON text. An object with other keys is of another program. Never raises."""
    try:
        found = msgspec.json.decode(text, type=dict[str, object])
        if set(found) not in _FORMS:
            return Decoded((TypedLine(text),))
        line = msgspec.convert(found, _Line)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return Failure(Reason.IMPLAUSIBLE, f"JSON text: {error}")
    number = line.key if line.pair_id is None else line.pair_id
    if number is not None and not -1 <= number <= MOST_ANTENNA:
        return Failure(Reason.IMPLAUSIBLE, f"reader {number}")
    if line.uid is not None:
        if number is None or number < 0:
            return Failure(Reason.IMPLAUSIBLE, f"a tag at reader {number}")
        tag = tag_of_hex(line.uid)
        if isinstance(tag, Failure):
            return tag
        return Decoded((TagSeen(tag, line.pair_id, device_name=line.device_id),))
    if line.scope == "READER" and line.command == "card" and line.value is not None and number is not None:
        card = card_of_text(line.value)
        if card is None or number < 0:
            return Failure(Reason.IMPLAUSIBLE, f"card {line.value!r} at reader {number}")
        return Decoded((CardDrawn(card=card, target=f"reader {number}"),))
    if line.scope is None and line.command is None and line.key is not None:
        return Decoded((HostCommand("clear", {"reader": line.key}),))
    return Decoded((TypedLine(text),))
