"""FEIG OBID i-scan and classic-pro: HF and UHF readers. Sources: `spec/feig_obid.md`.

Standard frame   LEN u8 | body | CRC-16/MCRF4XX LE              LEN counts the whole frame, 5 to 255
Advanced frame   02 | LEN u16 BE | body | CRC-16/MCRF4XX LE

Body of a request   address u8, command u8, data                address FF: whichever reader hears it
Body of a reply     address u8, command u8, status u8, data     address of the reader, 00 to FE

B0  inventory       count u8, count times: tag type u8, tag data (its length follows from the type)
22  read buffer     TR-DATA1 u8, [TR-DATA2 u8], count u16 BE, count records
65  version         firmware u8 u8 u8, hardware u8, reader type u8, tag types u16 BE
"""

from protocol.envelopes import FEIG_ADVANCED, FEIG_STANDARD
from protocol.feig_encode import (
    encode_command,
    encode_inventory,
    encode_records,
    encode_reply,
    encode_version,
)
from protocol.feig_layout import (
    COMMANDS,
    EVERY_READER,
    FIXED_TAGS,
    HOST,
    INVENTORY,
    LONG_VERSION,
    MODELS,
    MORE_DATA,
    NO_TAG,
    NO_VALID_DATA,
    NUMBERS,
    OK,
    OVERFLOW,
    RF_WARNING,
    STATUSES,
    SUB_COMMANDS,
    TAG_TYPES,
    VERSION,
    sized_shape,
)
from protocol.feig_records import tags_of_records
from protocol.messages import (
    Ack,
    Decoded,
    DeviceInfo,
    Failure,
    HostCommand,
    Message,
    PollEmpty,
    Reason,
    Refused,
    TagSeen,
    UnknownBody,
)
from protocol.primitives import HexOf, parsed

__all__ = [
    "ENVELOPES",
    "decode",
    "encode_command",
    "encode_inventory",
    "encode_records",
    "encode_reply",
    "encode_version",
]

ENVELOPES = (FEIG_STANDARD, FEIG_ADVANCED)

_ENVELOPE_NAMES = frozenset(envelope.name for envelope in ENVELOPES)
_STATUS_AT = 2
_HEX = HexOf()
# statuses of a buffer that was read: it had records, has none, has lost some, has more
_BUFFER_READ = frozenset((OK, NO_VALID_DATA, OVERFLOW, MORE_DATA))


# -- from the reader


def _inventory(body: bytes, status: int) -> Decoded | Failure:
    if status == NO_TAG:
        if len(body) > _STATUS_AT + 1:
            return Failure(Reason.TRAILING, "reply to an inventory that found no tag")
        return Decoded((PollEmpty(),))
    if len(body) == _STATUS_AT + 1:
        return Decoded((Ack("host_command", status, _text(status)),))
    seen = _plain_tags(body)
    if seen is None:
        found = parsed(INVENTORY, body, "reply to an inventory")
        if isinstance(found, Failure):
            return found
        seen = [TagSeen(tag.of.uid, tag_type=tag.tag_type) for tag in found.tags]
    if status == OK:
        return Decoded(tuple(seen) or (PollEmpty(),))
    return Decoded((*seen, Ack("host_command", status, _text(status))))


def _plain_tags(body: bytes) -> list[Message] | None:
    """The tags of a sound list in which the size of each is plain; any other list takes the layout."""
    seen: list[Message] = []
    at, stop = _STATUS_AT + 2, len(body)
    while at < stop:
        shape = FIXED_TAGS.get(body[at]) or sized_shape(body, at)
        if shape is None:
            return None
        uid = body[at + shape.uid_at : at + shape.uid_until]
        seen.append(TagSeen(_HEX[uid[::-1] if shape.is_reversed else uid], tag_type=TAG_TYPES[body[at]]))
        at += shape.size
    return seen if at == stop and len(seen) == body[_STATUS_AT + 1] else None


def _buffer(body: bytes, status: int) -> Decoded | Failure:
    if len(body) == _STATUS_AT + 1:
        return Decoded((Ack("read_buffer", status, _text(status)),))
    seen = tags_of_records(body)
    if isinstance(seen, Failure):
        return seen
    if seen and status == OK:
        return Decoded(tuple(seen))
    return Decoded((*seen, Ack("read_buffer", status, _text(status))))


def _version(body: bytes) -> Decoded | Failure:
    layout = LONG_VERSION if len(body) > VERSION.size else VERSION
    row = layout.parse(body)
    if not isinstance(row, list):
        return Failure(row, f"reply to software_version of {len(body)} bytes")
    major, minor, patch, hardware, reader_type = row[3:8]
    model = MODELS.get(reader_type, f"type {reader_type}")
    return Decoded((DeviceInfo(f"{major}.{minor}.{patch}", f"{hardware:02X}", model),))


def _text(status: int) -> str | None:
    return None if status == OK else STATUSES[status]


def _reply(body: bytes) -> Decoded | Failure:
    command, status = body[1], body[_STATUS_AT]
    if command not in COMMANDS:
        return Decoded((UnknownBody(command, body.hex().upper()),))
    name = COMMANDS[command]
    if status not in STATUSES:
        return Failure(Reason.IMPLAUSIBLE, f"status 0x{status:02X} of {name}")
    if name == "host_command" and status in (OK, NO_TAG, MORE_DATA):
        return _inventory(body, status)
    if name == "read_buffer" and status in _BUFFER_READ:
        return _buffer(body, status)
    if status == RF_WARNING and name == "host_command":
        warned = _inventory(body, status)
        if isinstance(warned, Decoded):
            seen = warned.messages[:-1]
            return Decoded((*seen, Refused(name, status, STATUSES[status])))
    if status != OK:
        # some errors carry a byte that says more of them
        return Decoded((Refused(name, status, STATUSES[status]),))
    if name == "software_version":
        return _version(body)
    if len(body) > _STATUS_AT + 1:
        return Decoded((UnknownBody(command, body.hex().upper()),))
    return Decoded((Ack(name),))


# -- from the host


def _request(body: bytes) -> Decoded | Failure:
    name = COMMANDS.get(body[1])
    if name is None:
        return Decoded((UnknownBody(body[1], body.hex().upper()),))
    fixed = 2
    if name == "host_command" and len(body) > fixed and body[fixed] in SUB_COMMANDS:
        name = SUB_COMMANDS[body[fixed]]
        fixed += 1
    layout = HOST.get(f"{name}/{len(body)}") or HOST.get(name)
    if layout is None:
        data = body[fixed:].hex().upper()
        return Decoded((HostCommand(name, {"hex": data} if data else {}),))
    row = layout.parse(body)
    if not isinstance(row, list):
        return Failure(row, f"request {name} of {len(body)} bytes")
    return Decoded((HostCommand(name, dict(zip(layout.names[fixed:], row[fixed:], strict=True))),))


def decode(envelope_name: str, body: bytes) -> Decoded | Failure:
    """The messages of one body. Never raises.

    Requests and replies look alike. A request to every reader (address FF) is no reply, and a body without
    room for a status is a request; any other body is a reply, and only what cannot be one is tried as a
    request to a reader with that address.
    """
    if envelope_name not in _ENVELOPE_NAMES:
        return Failure(Reason.UNKNOWN_ID, f"no body of {envelope_name}")
    if len(body) < _STATUS_AT:
        return Failure(Reason.TOO_SHORT, "a body has an address and a command")
    if body[0] == EVERY_READER or len(body) == _STATUS_AT:
        return _request(body)
    reply = _reply(body)
    if isinstance(reply, Failure) and _has_layout(body):
        request = _request(body)
        return request if isinstance(request, Decoded) else reply
    return reply


def _has_layout(body: bytes) -> bool:
    """Whether the body may be a request whose every byte is known."""
    name = COMMANDS.get(body[1])
    if body[1] == NUMBERS["host_command"]:
        name = SUB_COMMANDS.get(body[_STATUS_AT])
    return name in HOST
