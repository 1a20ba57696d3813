"""NXP PN532 over its high-speed UART: 13.56 MHz, ISO 14443 A, one antenna. Sources: `spec/pn532.md`.

Normal     00 00 FF | LEN u8 | LCS | packet (LEN bytes) | DCS | 00
Extended   00 00 FF | FF FF | LEN u16 BE | LCS | packet (LEN bytes) | DCS | 00
ACK        00 00 FF | 00 FF | 00          NACK   00 00 FF | FF 00 | 00

LCS makes the sum of the length bytes 0, DCS that of the packet (both modulo 256).

Packet     TFI u8 (D4 to the chip, D5 from it), command u8 (+ 1 in a reply), parameters
           7F alone: the chip could not make sense of the last packet
4B         count u8, then per target: number u8, ATQA 2, SAK u8, UID length u8, UID, ATS (where SAK has it)
61         count u8, then per target: type u8, length u8, as in 4B
"""

from protocol.checksums import complement8
from protocol.envelopes import PN532, PN532_ACK, PN532_NACK
from protocol.messages import (
    Ack,
    Decoded,
    DeviceInfo,
    Failure,
    HostCommand,
    Message,
    Reason,
    Refused,
)
from protocol.pn532_encode import (
    TypeATarget,
    encode_command,
    encode_done,
    encode_firmware,
    encode_status,
    encode_syntax_error,
    encode_targets,
)
from protocol.pn532_layout import (
    CHIP,
    COMMANDS,
    FROM_CHIP,
    HOST,
    RF_ITEMS,
    STATUS_BITS,
    STATUSES,
    SYNTAX_ERROR,
    TO_CHIP,
)
from protocol.pn532_targets import auto_polled, kept_as_it_is, listed

__all__ = [
    "ENVELOPES",
    "TypeATarget",
    "decode",
    "encode_command",
    "encode_done",
    "encode_firmware",
    "encode_status",
    "encode_syntax_error",
    "encode_targets",
]

ENVELOPES = (PN532,)

# ACK, NACK and the syntax error name no command: they speak of the frame before them
ANY_COMMAND = "frame"

_IC_PN532 = 0x32
_START_CODE = b"\x00\xff"
_EXTENDED_MARK = b"\xff\xff"
_SYNTAX_ERROR = bytes((SYNTAX_ERROR,))
_BY_ITEM = {item: name for name, item in RF_ITEMS.items()}
_BARE_REPLIES = {"set_baud", "sam_configuration", "rf_configuration", "set_parameters"}
_STATUS_REPLIES = {"deselect", "release", "select", "power_down"}


def _decoded(*messages: Message) -> Decoded:
    return Decoded(messages)


def _packet_of(packed: bytes) -> bytes | Failure:
    """The packet in what stands between the start code and the closing 00, which need not have come from a
    deframer."""
    size = len(packed) - 3
    if size > 0 and packed[0] == size and not (size + packed[1]) & 0xFF and not sum(packed[2:]) & 0xFF:
        return packed[2:-1]
    return _packet_of_another(packed)


def _packet_of_another(packed: bytes) -> bytes | Failure:
    """The packet of an extended frame, or why there is none."""
    width = 2 if packed.startswith(_EXTENDED_MARK) else 1
    first = 2 * width - 2 + width + 1
    size = int.from_bytes(packed[first - 1 - width : first - 1], "big")
    if len(packed) < first + size + 1 or not size:
        return Failure(Reason.TOO_SHORT, f"a packet of {size} bytes in a body of {len(packed)}")
    if len(packed) > first + size + 1:
        return Failure(Reason.TRAILING, "behind the check of the packet")
    if complement8(packed[first - 1 - width : first - 1]) != packed[first - 1]:
        return Failure(Reason.BAD_LENGTH, "the check of the length does not fit")
    if complement8(packed[first:-1]) != packed[-1]:
        return Failure(Reason.BAD_CHECK, "the check of the packet does not fit")
    return packed[first:-1]


def _from_host(packet: bytes) -> Decoded | Failure:
    name = COMMANDS.get(packet[1])
    if name is None:
        return kept_as_it_is(packet)
    parameters = packet[2:]
    fixed = 2
    if name == "rf_configuration" and parameters and parameters[0] in _BY_ITEM:
        name = _BY_ITEM[parameters[0]]
        fixed = 3
    if name == "auto_poll":
        return _auto_poll_command(parameters)
    layout = HOST.get(f"{name}/{len(parameters)}") or HOST.get(name)
    if layout is None or (name == "list_passive_target" and len(parameters) > 2):
        # what follows the type is for targets other than type A
        return _decoded(HostCommand(name, {"hex": parameters.hex().upper()} if parameters else {}))
    row = layout.parse(packet)
    if not isinstance(row, list):
        return Failure(row, f"host command {name} with {len(parameters)} parameter bytes")
    return _decoded(HostCommand(name, dict(zip(layout.names[fixed:], row[fixed:], strict=True))))


def _auto_poll_command(parameters: bytes) -> Decoded | Failure:
    if not 3 <= len(parameters) <= 17:
        reason = Reason.TOO_SHORT if len(parameters) < 3 else Reason.TRAILING
        return Failure(reason, "host command auto_poll")
    polls, period, *_ = parameters
    args: dict[str, int | str] = {
        "polls": polls,
        "period_150ms": period,
        "types": parameters[2:].hex().upper(),
    }
    return _decoded(HostCommand("auto_poll", args))


def _firmware(packet: bytes) -> Decoded | Failure:
    row = CHIP["firmware_version"].parse(packet)
    if not isinstance(row, list):
        return Failure(row, "reply to firmware_version")
    _, _, ic, version, revision, _ = row
    model = "PN532" if ic == _IC_PN532 else f"IC {ic:02X}"
    return _decoded(DeviceInfo(firmware=f"{version}.{revision}", model=model))


def _status(name: str, packet: bytes) -> Decoded | Failure:
    row = CHIP["status"].parse(packet)
    if not isinstance(row, list):
        return Failure(row, f"reply to {name}")
    status = row[2] & STATUS_BITS
    if status == 0:
        return _decoded(Ack(name))
    return _decoded(Refused(name, status, STATUSES.get(status)))


def _from_chip(packet: bytes) -> Decoded | Failure:
    name = COMMANDS.get(packet[1] - 1)
    if name == "list_passive_target":
        return listed(packet[2:])
    if name == "auto_poll":
        return auto_polled(packet)
    if name == "firmware_version":
        return _firmware(packet)
    if name in _STATUS_REPLIES:
        return _status(name, packet)
    if name not in _BARE_REPLIES:
        return kept_as_it_is(packet)
    row = CHIP["done"].parse(packet)
    return _decoded(Ack(name)) if isinstance(row, list) else Failure(row, f"reply to {name}")


def decode(envelope_name: str, body: bytes) -> Decoded | Failure:
    """The message of one body: a whole frame, whose first zero may be missing. Never raises."""
    if envelope_name != PN532.name:
        return Failure(Reason.UNKNOWN_ID, f"no body of {envelope_name}")
    if PN532.shortest <= len(body) <= len(PN532_ACK):
        if PN532_ACK.endswith(body):
            return _decoded(Ack(ANY_COMMAND))
        if PN532_NACK.endswith(body):
            return _decoded(HostCommand("nack"))
    before, start, packed = body.partition(_START_CODE)
    if not start or before not in (b"", b"\x00") or packed[-1:] != b"\x00":
        return Failure(Reason.IMPLAUSIBLE, "no frame of a PN532")
    packet = _packet_of(packed[:-1])
    if isinstance(packet, Failure):
        return packet
    if packet == _SYNTAX_ERROR:
        return _decoded(Refused(ANY_COMMAND, SYNTAX_ERROR, "syntax error"))
    if packet[0] not in (TO_CHIP, FROM_CHIP):
        return Failure(Reason.IMPLAUSIBLE, f"TFI {packet[0]:02X}")
    if len(packet) < 2:
        return Failure(Reason.TOO_SHORT, "a packet names its command")
    return _from_host(packet) if packet[0] == TO_CHIP else _from_chip(packet)
