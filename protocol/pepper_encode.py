"""Pepper C1, the way out: host commands, and what a reader sends, -> whole frames or JSON texts."""

import json

from protocol.envelopes import PEPPER_F5, PEPPER_JSON
from protocol.framing import frame_around
from protocol.messages import HostCommand
from protocol.pepper_layout import (
    ACK,
    ASYNC,
    ERROR,
    EVENT_FORMATS,
    FAMILY_ICODE,
    FAMILY_MIFARE,
    HOST,
    NUMBERS,
    READER,
    SUB_COMMANDS,
)


def _number_of(command: str) -> int:
    base = SUB_COMMANDS[command][0] if command in SUB_COMMANDS else command
    if base not in NUMBERS:
        raise ValueError(f"the Pepper C1 has no command {command!r}")
    return NUMBERS[base]


def encode_command(command: HostCommand) -> bytes:
    """The whole frame of a host command; its arguments are the fields of the layout.

    `event_format` takes its format by name or by number. Raises ValueError on bad arguments.
    """
    layout = HOST.get(command.command)
    if layout is None:
        raise ValueError(f"the Pepper C1 has no command {command.command!r}, or its parameters are not known")
    fixed = [_number_of(command.command)]
    if command.command in SUB_COMMANDS:
        fixed.append(SUB_COMMANDS[command.command][1])
    names = layout.names[len(fixed) :]
    if set(command.args) != set(names):
        raise ValueError(f"{command.command} takes {', '.join(names) or 'no arguments'}")
    values = [command.args[name] for name in names]
    if command.command == "event_format" and values[1] in EVENT_FORMATS:
        values[1] = str(EVENT_FORMATS[int(values[1])])
    return frame_around(PEPPER_F5, layout.build(*fixed, *values))


def encode_reply(command: str, payload: bytes = b"") -> bytes:
    """The reader's frame that it carried out `command`; `payload` is what follows the echoed command."""
    return frame_around(PEPPER_F5, bytes((ACK, _number_of(command))) + payload)


def encode_refusal(command: str, error: int) -> bytes:
    """The reader's frame that `command` failed with `error` (0 to 65535)."""
    return frame_around(PEPPER_F5, READER["refused"].build(ERROR, _number_of(command), error))


def encode_uid_event(tag: str, is_icode: bool) -> bytes:
    """The reader's binary event that a tag answered. It carries no antenna number."""
    layout = READER.get(f"uid_event/{len(tag) // 2}")
    if layout is None:
        raise ValueError(f"{tag!r} is no tag that a Pepper C1 can read")
    family = FAMILY_ICODE if is_icode else FAMILY_MIFARE
    return frame_around(PEPPER_F5, layout.build(ASYNC, 0, family, 0, tag))


def encode_json_event(
    tag: str,
    antenna: int | None,
    device_name: str,
    uptime_ms: int,
    tag_type: str,
    *,
    pretty: bool = False,
    known_tag: bool = False,
    tag_index: int = 0,
) -> bytes:
    """The reader's JSON event that a tag answered at `antenna` (1 to 8; None: a reader with no multiplexer).

    `tag_type` is the text of the field `string`. `pretty` prints it with tabs and line ends, as some firmware
    does. Raises ValueError when the text would be longer than the stream's bound.
    """
    event: dict[str, object] = {
        "type": "uid",
        "uid": tag,
        "sak": 8 if tag_type.startswith("MIFARE Classic") else 0,
        "string": tag_type,
        "device_name": device_name,
        "known_tag": known_tag,
        "tag_index": tag_index,
        "uptime_ms": uptime_ms,
    }
    if antenna is not None:
        event["antenna"] = antenna
    text = json.dumps(event, indent="\t") if pretty else json.dumps(event, separators=(",", ":"))
    if len(text) > PEPPER_JSON.longest:
        raise ValueError(f"a JSON event of {len(text)} bytes is longer than {PEPPER_JSON.longest}")
    return text.encode("ascii")
