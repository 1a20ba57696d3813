"""Eccel Pepper C1 and C1 MUX: RFID readers with one or eight antennas. Sources: `spec/pepper_c1.md`.

Frame    F5 | LEN u16 LE | LEN inverted | payload (LEN - 2 bytes) | CRC-16/IBM-3740 of the payload, LE
Text     { ... }, a JSON object with no envelope, between the frames on the same stream

Payload from the host           command u8, parameters
Payload from the reader         00, command, reply          carried out
                                FF, command, error u16 LE   refused
                                FE, u8, family u8, u8, uid  a tag answered (no antenna number)

00 02  tag count    count u8
00 03  get uid      tag type u8, parameter u8, uid 4..10
00 0B  version      ASCII, ends with 00
00 13  protocol configuration  00, mdns u8, udp u8, length u8, device name
"""

import msgspec

from protocol.envelopes import PEPPER_F5, PEPPER_JSON
from protocol.messages import (
    Ack,
    Decoded,
    DeviceInfo,
    Failure,
    HostCommand,
    Message,
    Reason,
    Refused,
    TagSeen,
    UnknownBody,
)
from protocol.pepper_encode import (
    encode_command,
    encode_json_event,
    encode_refusal,
    encode_reply,
    encode_uid_event,
)
from protocol.pepper_layout import (
    ACK,
    ASYNC,
    COMMANDS,
    ERROR,
    FAMILY_ICODE,
    FAMILY_MIFARE,
    HOST,
    MOST_ANTENNAS,
    READER,
    SUB_COMMANDS,
    TAG_TYPES,
    UID_SIZES,
    error_text,
)

__all__ = [
    "ENVELOPES",
    "decode",
    "encode_command",
    "encode_json_event",
    "encode_refusal",
    "encode_reply",
    "encode_uid_event",
]

ENVELOPES = (PEPPER_F5, PEPPER_JSON)

# an UnknownBody has a command number; a JSON text has none, so it goes by its first byte
JSON_COMMAND = 0x7B

_BY_SUB = {pair: name for name, pair in SUB_COMMANDS.items()}
# no reply to these carries more than the echoed command, as far as any source shows
_BARE_REPLIES = {"dummy", "activate", "halt", "polling", "reboot", "select_antenna", "led", "polling_setup"}


class _Kind(msgspec.Struct):
    type: str


class _UidEvent(msgspec.Struct):
    uid: str
    string: str | None = None
    antenna: int | None = None
    device_name: str | None = None
    older_device_name: str | None = msgspec.field(name="device-name", default=None)


def _decoded(message: Message) -> Decoded:
    return Decoded((message,))


def _unknown(payload: bytes) -> Decoded:
    """Kept as it is: the reader's marker is left out of the command number, not out of the hex."""
    command = payload[1] if payload[0] in (ACK, ERROR) and len(payload) > 1 else payload[0]
    return _decoded(UnknownBody(command, payload.hex().upper()))


def _leading_e0(tag: str, is_icode: bool) -> str:
    """An ISO 15693 tag most significant byte first: some firmware sends it the other way round."""
    if is_icode and len(tag) == 16 and tag.endswith("E0") and not tag.startswith("E0"):
        return bytes.fromhex(tag)[::-1].hex().upper()
    return tag


def _from_host(payload: bytes) -> Decoded | Failure:
    name = COMMANDS.get(payload[0])
    if name is None:
        return _unknown(payload)
    fixed = 1
    if len(payload) > 1 and (name, payload[1]) in _BY_SUB:
        name = _BY_SUB[name, payload[1]]
        fixed = 2
    layout = HOST.get(name)
    if layout is None:
        parameters = payload[1:].hex().upper()
        return _decoded(HostCommand(name, {"hex": parameters} if parameters else {}))
    row = layout.parse(payload)
    if not isinstance(row, list):
        return Failure(row, f"host command {name} of {len(payload)} bytes")
    return _decoded(HostCommand(name, dict(zip(layout.names[fixed:], row[fixed:], strict=True))))


def _uid_reply(payload: bytes) -> Decoded | Failure:
    layout = READER.get(f"get_uid/{len(payload) - 4}")
    if layout is None:
        short = len(payload) - 4 < UID_SIZES.start
        return Failure(Reason.TOO_SHORT if short else Reason.TRAILING, "reply to get_uid")
    row = layout.parse(payload)
    if not isinstance(row, list):
        return Failure(row, "reply to get_uid")
    _, _, tag_type, _, tag = row
    if tag_type not in TAG_TYPES:
        return Failure(Reason.IMPLAUSIBLE, f"tag type 0x{tag_type:02X}")
    name = TAG_TYPES[tag_type]
    return _decoded(TagSeen(_leading_e0(tag, name.startswith("ICODE")), tag_type=name))


def _text(raw: bytes) -> str | None:
    """Printable ASCII up to an ending zero byte, or None."""
    text = raw.removesuffix(b"\0").decode("ascii", errors="replace")
    return text if text.isascii() and text.isprintable() else None


def _version_reply(payload: bytes) -> Decoded | Failure:
    firmware = _text(payload[2:])
    if not firmware:
        reason = Reason.TOO_SHORT if firmware == "" else Reason.IMPLAUSIBLE
        return Failure(reason, "reply to version")
    return _decoded(DeviceInfo(firmware=firmware))


def _configuration_reply(payload: bytes) -> Decoded | Failure:
    if len(payload) == 2:
        return _decoded(Ack("protocol_configuration"))
    if payload[2] != SUB_COMMANDS["device_name"][1]:
        return _unknown(payload)
    stop = 6 + payload[5] if len(payload) > 5 else 6
    if len(payload) != stop:
        return Failure(Reason.TOO_SHORT if len(payload) < stop else Reason.TRAILING, "reply to device_name")
    name = _text(payload[6:])
    if not name:
        return Failure(Reason.IMPLAUSIBLE, "reply to device_name")
    return _decoded(DeviceInfo(device_name=name))


def _reply(payload: bytes) -> Decoded | Failure:
    if len(payload) < 2:
        return Failure(Reason.TOO_SHORT, "a reply names its command")
    name = COMMANDS.get(payload[1])
    if name == "get_uid":
        return _uid_reply(payload)
    if name == "version":
        return _version_reply(payload)
    if name == "protocol_configuration":
        return _configuration_reply(payload)
    if name is None or (name not in _BARE_REPLIES and name != "tag_count" and len(payload) > 2):
        return _unknown(payload)
    row = READER["tag_count" if name == "tag_count" else "done"].parse(payload)
    if not isinstance(row, list):
        return Failure(row, f"reply to {name}")
    return _decoded(Ack(name, text=str(row[2]) if name == "tag_count" else None))


def _refusal(payload: bytes) -> Decoded | Failure:
    row = READER["refused"].parse(payload)
    if not isinstance(row, list):
        return Failure(row, "a refusal")
    _, command, error = row
    if command not in COMMANDS:
        return _unknown(payload)
    return _decoded(Refused(COMMANDS[command], error, error_text(error)))


def _uid_event(payload: bytes) -> Decoded | Failure:
    layout = READER.get(f"uid_event/{len(payload) - 4}")
    if layout is None:
        short = len(payload) - 4 < UID_SIZES.start
        return Failure(Reason.TOO_SHORT if short else Reason.TRAILING, "a binary tag event")
    row = layout.parse(payload)
    if not isinstance(row, list):
        return Failure(row, "a binary tag event")
    _, _, family, _, tag = row
    is_icode, is_mifare = bool(family & FAMILY_ICODE), bool(family & FAMILY_MIFARE)
    if is_icode == is_mifare:
        return Failure(Reason.IMPLAUSIBLE, f"tag family 0x{family:02X}")
    return _decoded(TagSeen(_leading_e0(tag, is_icode), tag_type="icode" if is_icode else "mifare"))


def _json_event(text: bytes) -> Decoded | Failure:
    try:
        if msgspec.json.decode(text, type=_Kind).type != "uid":
            return _decoded(UnknownBody(JSON_COMMAND, text.hex().upper()))
        event = msgspec.json.decode(text, type=_UidEvent)
        tag = bytes.fromhex(event.uid).hex().upper()
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return Failure(Reason.IMPLAUSIBLE, f"JSON text: {error}")
    if len(tag) != len(event.uid) or len(tag) // 2 not in UID_SIZES:
        return Failure(Reason.IMPLAUSIBLE, f"JSON uid {event.uid!r}")
    if event.antenna is not None and not 1 <= event.antenna <= MOST_ANTENNAS:
        return Failure(Reason.IMPLAUSIBLE, f"JSON antenna {event.antenna}")
    is_icode = event.string is not None and event.string.upper().startswith("ICODE")
    name = event.device_name if event.device_name is not None else event.older_device_name
    seen = TagSeen(_leading_e0(tag, is_icode), event.antenna, tag_type=event.string, device_name=name)
    return _decoded(seen)


def decode(envelope_name: str, body: bytes) -> Decoded | Failure:
    """The message of one payload or one JSON text. Never raises."""
    if envelope_name == PEPPER_JSON.name:
        return _json_event(body)
    if envelope_name != PEPPER_F5.name:
        return Failure(Reason.UNKNOWN_ID, f"no body of {envelope_name}")
    if not body:
        return Failure(Reason.TOO_SHORT, "an empty payload")
    if body[0] == ACK:
        return _reply(body)
    if body[0] == ERROR:
        return _refusal(body)
    if body[0] == ASYNC:
        return _uid_event(body)
    return _from_host(body)
