"""YRM100, M100, R200, JRD-4035: UHF modules (EPC Gen2) with one antenna. Sources: `spec/yrm100.md`.

Frame      BB | type u8 | command u8 | length u16 BE | data | sum of type to data | 7E
Body       type, command, length, data: the length lies within it

type 00    command of the host
type 01    answer: the command, its data; command FF: an error u8 (then what it was about)
type 02    notice of a tag: command 22, RSSI i8 in dBm, PC u16 BE, EPC (as long as PC says), CRC u16 BE
"""

from protocol.envelopes import YRM100
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
from protocol.yrm100_encode import (
    encode_command,
    encode_error,
    encode_module_name,
    encode_notice,
    encode_status,
)
from protocol.yrm100_layout import (
    ANSWER,
    ANY_ERROR,
    COMMAND,
    COMMANDS,
    EPC_SIZES,
    EPC_WORDS_SHIFT,
    ERROR,
    ERRORS,
    FIXED_ARGS,
    HEAD_SIZE,
    HOST,
    INFO_ITEMS,
    NO_TAG,
    NOTICE,
    NOTICE_AROUND_EPC,
    NUMBERS,
    READER,
    STATUS_ANSWERS,
)

__all__ = [
    "ENVELOPES",
    "decode",
    "encode_command",
    "encode_error",
    "encode_module_name",
    "encode_notice",
    "encode_status",
]

ENVELOPES = (YRM100,)


def _decoded(message: Message) -> Decoded:
    return Decoded((message,))


def _unknown(body: bytes) -> Decoded:
    return _decoded(UnknownBody(body[1], body.hex().upper()))


def _from_host(body: bytes) -> Decoded | Failure:
    name = COMMANDS.get(body[1])
    if name is None:
        return _unknown(body)
    layout = HOST.get(name)
    if layout is None:
        data = body[HEAD_SIZE:].hex().upper()
        return _decoded(HostCommand(name, {"hex": data} if data else {}))
    row = layout.parse(body)
    if not isinstance(row, list):
        return Failure(row, f"host command {name}")
    args = dict(zip(layout.names[3:], row[3:], strict=True))
    for fixed in FIXED_ARGS.get(name, {}):
        del args[fixed]
    return _decoded(HostCommand(name, args))


def _notice(body: bytes) -> Decoded | Failure:
    size = len(body) - NOTICE_AROUND_EPC
    layout = READER.get(f"notice/{size}")
    if layout is None:
        short = size < EPC_SIZES.start
        odd = Reason.IMPLAUSIBLE if size < EPC_SIZES.stop else Reason.TRAILING
        return Failure(Reason.TOO_SHORT if short else odd, f"a notice with an EPC of {size} bytes")
    row = layout.parse(body)
    if not isinstance(row, list):
        return Failure(row, "a notice")
    _, _, _, rssi, pc, epc, _ = row
    if (pc >> EPC_WORDS_SHIFT) * 2 != size:
        return Failure(Reason.IMPLAUSIBLE, f"PC {pc:04X} with an EPC of {size} bytes")
    return _decoded(TagSeen(epc, rssi=rssi, tag_type="epc_gen2"))


def _error(body: bytes) -> Decoded | Failure:
    if len(body) == HEAD_SIZE:
        return Failure(Reason.TOO_SHORT, "an error without its number")
    error = body[HEAD_SIZE]
    if error == NO_TAG:
        return _decoded(PollEmpty())
    command, text = ERRORS.get(error, (ANY_ERROR, None))
    return _decoded(Refused(command, error, text))


def _module_name(body: bytes) -> Decoded | Failure:
    data = body[HEAD_SIZE:]
    if len(data) < 2:
        return Failure(Reason.TOO_SHORT, "reply to module_info")
    text = data[1:].rstrip(b"\0").decode("ascii", errors="replace")
    if data[0] not in INFO_ITEMS or not text or not (text.isascii() and text.isprintable()):
        return Failure(Reason.IMPLAUSIBLE, "reply to module_info")
    item = INFO_ITEMS[data[0]]
    return _decoded(
        DeviceInfo(
            firmware=text if item == "firmware" else None,
            hardware=text if item == "hardware" else None,
            model=text if item == "maker" else None,
        )
    )


def _answer(body: bytes) -> Decoded | Failure:
    if body[1] == ERROR:
        return _error(body)
    name = COMMANDS.get(body[1])
    if name == "module_info":
        return _module_name(body)
    if name == "get_power":
        row = READER["power"].parse(body)
        if not isinstance(row, list):
            return Failure(row, "reply to get_power")
        return _decoded(Ack(name, text=f"{row[3] / 100:.2f} dBm"))
    if name not in STATUS_ANSWERS:
        return _unknown(body)
    row = READER["status"].parse(body)
    if not isinstance(row, list):
        return Failure(row, f"reply to {name}")
    return _decoded(Ack(name) if row[3] == 0 else Refused(name, row[3]))


def decode(envelope_name: str, body: bytes) -> Decoded | Failure:
    """The message of one body, from the type to the end of the data. Never raises."""
    if envelope_name != YRM100.name:
        return Failure(Reason.UNKNOWN_ID, f"no body of {envelope_name}")
    if len(body) < HEAD_SIZE:
        return Failure(Reason.TOO_SHORT, "a body begins with type, command and length")
    length = int.from_bytes(body[2:HEAD_SIZE], "big")
    if length != len(body) - HEAD_SIZE:
        reason = Reason.TOO_SHORT if length > len(body) - HEAD_SIZE else Reason.TRAILING
        return Failure(reason, f"{len(body) - HEAD_SIZE} data bytes, {length} by the length")
    if body[0] == COMMAND:
        return _from_host(body)
    if body[0] == ANSWER:
        return _answer(body)
    if body[0] == NOTICE:
        return _notice(body) if body[1] == NUMBERS["inventory"] else _unknown(body)
    return Failure(Reason.IMPLAUSIBLE, f"frame type {body[0]:02X}")
