"""R2000 boards: UHF readers (EPC Gen2) with one to four antennas. Sources: `spec/r2000.md`.

Frame      A0 | length u8 of all behind it | address u8 | command u8 | data | check (all bytes sum up to 0)
Body       address, command, data

Nothing tells a frame of the host from one of the reader but its data: one status byte from the table below is
the reader's, what fits a command's parameters is the host's.

89, 8B     frequency and antenna u8, PC u16 BE, EPC, RSSI u8    one tag
           antenna u8, tags per second u16 BE, reads u32 BE     the inventory is over
8A         the same, at its end: reads u24 BE, duration u32 BE in ms
"""

from protocol.envelopes import R2000
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
from protocol.r2000_encode import encode_command, encode_firmware, encode_over, encode_status, encode_tag
from protocol.r2000_layout import (
    ANTENNA_BITS,
    COMMANDS,
    EPC_SIZES,
    EPC_WORDS_SHIFT,
    HEAD_SIZE,
    HOST,
    INVENTORIES,
    NO_TAG,
    PUBLIC_ADDRESS,
    READER,
    RSSI_ZERO,
    STATUS_ANSWERS,
    STATUSES,
    SUCCESS,
    TAG_AROUND_EPC,
)

__all__ = [
    "ENVELOPES",
    "decode",
    "encode_command",
    "encode_firmware",
    "encode_over",
    "encode_status",
    "encode_tag",
]

ENVELOPES = (R2000,)

_OTHER_ANSWERS = ("firmware_version", "get_work_antenna")  # that carry more than a status


def _decoded(message: Message) -> Decoded:
    return Decoded((message,))


def _unknown(body: bytes) -> Decoded:
    return _decoded(UnknownBody(body[1], body.hex().upper()))


def _status(name: str, status: int) -> Decoded:
    if status == SUCCESS:
        return _decoded(Ack(name, status))
    if status == NO_TAG:
        return _decoded(PollEmpty())
    return _decoded(Refused(name, status, STATUSES.get(status)))


def _tag(body: bytes) -> Decoded | Failure:
    size = len(body) - TAG_AROUND_EPC
    layout = READER.get(f"tag/{size}")
    if layout is None:
        odd = Reason.IMPLAUSIBLE if size < EPC_SIZES.stop else Reason.TRAILING
        return Failure(Reason.TOO_SHORT if size < EPC_SIZES.start else odd, f"a tag of {size} bytes")
    row = layout.parse(body)
    if not isinstance(row, list):
        return Failure(row, "a tag")
    _, _, where, pc, epc, rssi = row
    if (pc >> EPC_WORDS_SHIFT) * 2 != size:
        return Failure(Reason.IMPLAUSIBLE, f"PC {pc:04X} with an EPC of {size} bytes")
    antenna = (where & ANTENNA_BITS) + 1
    return _decoded(TagSeen(epc, antenna, rssi - RSSI_ZERO, "epc_gen2"))


def _inventory(name: str, body: bytes) -> Decoded | Failure:
    size = len(body)
    if size == HEAD_SIZE + 1:
        return _status(name, body[HEAD_SIZE])
    if size == READER["antenna_status"].size:
        row = READER["antenna_status"].parse(body)
        if not isinstance(row, list):
            return Failure(row, f"{name} at one antenna")
        text = STATUSES.get(row[3], f"status {row[3]:02X}")
        return _decoded(Refused(name, row[3], f"antenna {row[2]}: {text}"))
    if size != READER["over"].size:
        return _tag(body)
    over = READER["over_fast" if name == "fast_switch_inventory" else "over"].parse(body)
    if not isinstance(over, list):
        return Failure(over, f"the end of {name}")
    antenna = None if name == "fast_switch_inventory" else over[2]
    reads = int.from_bytes(over[2], "big") if antenna is None else over[4]
    return _decoded(Ack(name, text=f"{reads} reads") if reads else PollEmpty(antenna))


def _firmware(body: bytes) -> Decoded | Failure:
    if len(body) == HEAD_SIZE + 1:
        return _status("firmware_version", body[HEAD_SIZE])
    row = READER["firmware_version"].parse(body)
    return _decoded(DeviceInfo(firmware=f"{row[2]}.{row[3]}")) if isinstance(row, list) else Failure(row)


def _work_antenna(body: bytes) -> Decoded | Failure:
    if body[HEAD_SIZE] in STATUSES:
        return _status("get_work_antenna", body[HEAD_SIZE])
    row = READER["work_antenna"].parse(body)
    return _decoded(Ack("get_work_antenna", text=str(row[2]))) if isinstance(row, list) else Failure(row)


def _from_host(name: str, body: bytes) -> Decoded | Failure | None:
    """The host's command, None where the data are not those of the host."""
    layout = HOST.get(name)
    if layout is None:
        return _decoded(HostCommand(name)) if len(body) == HEAD_SIZE else None
    row = layout.parse(body)
    if not isinstance(row, list):
        return None
    return _decoded(HostCommand(name, dict(zip(layout.names[2:], row[2:], strict=True))))


def _to_all(name: str, body: bytes) -> Decoded | Failure:
    """A frame with the address of all whose data are none of the host's that are known here."""
    if name in INVENTORIES or name in _OTHER_ANSWERS:
        return Failure(Reason.IMPLAUSIBLE, f"an answer to {name} with the address of all readers")
    return _unknown(body)


def _is_status(body: bytes) -> bool:
    return len(body) == HEAD_SIZE + 1 and (body[HEAD_SIZE] == SUCCESS or body[HEAD_SIZE] in STATUSES)


def decode(envelope_name: str, body: bytes) -> Decoded | Failure:
    """The message of one body: address, command, data. Never raises."""
    if envelope_name != R2000.name:
        return Failure(Reason.UNKNOWN_ID, f"no body of {envelope_name}")
    if len(body) < HEAD_SIZE:
        return Failure(Reason.TOO_SHORT, "a body begins with address and command")
    name = COMMANDS.get(body[1])
    if name is None:
        return _unknown(body)
    if body[0] == PUBLIC_ADDRESS:
        return _from_host(name, body) or _to_all(name, body)
    if not _is_status(body):
        said = _from_host(name, body)
        if said is not None:
            return said
    if name in INVENTORIES:
        return _inventory(name, body)
    if name == "firmware_version":
        return _firmware(body)
    if name == "get_work_antenna":
        return _work_antenna(body)
    if _is_status(body):
        return _status(name, body[HEAD_SIZE])
    if name in STATUS_ANSWERS:
        row = READER["status"].parse(body)
        reason = Reason.IMPLAUSIBLE if isinstance(row, list) else row
        return Failure(reason, f"neither the host's {name} nor an answer to it")
    return _unknown(body)
