"""PN532, the way out: host commands, and what the chip answers, -> whole frames."""

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from protocol.envelopes import PN532_ACK, PN532_EXTENDED, PN532_NACK, PN532_NORMAL
from protocol.framing import frame_around
from protocol.messages import HostCommand
from protocol.pn532_layout import (
    FROM_CHIP,
    HOST,
    ISO14443_4,
    MOST_TARGETS,
    NUMBERS,
    RF_ITEMS,
    SYNTAX_ERROR,
    TARGETS,
    TO_CHIP,
    UID_SIZES,
)

LONGEST_NORMAL = 255

# two bytes that wake the chip's serial port, and zeros while its clock comes up
WAKE_UP = b"\x55\x55" + bytes(14)


class TypeATarget(msgspec.Struct, frozen=True):
    """An ISO 14443 A target as the chip lists it: `tag` has 4, 7 or 10 bytes; `ats` without its length."""

    tag: str
    sak: int = 0
    atqa: int | None = None
    ats: bytes | None = None


@lru_cache(maxsize=256)  # a reader is asked the same few things over and over
def packet_frame(packet: bytes) -> bytes:
    """The frame around `TFI, command, parameters`: extended where the normal one is too short for it."""
    return frame_around(PN532_NORMAL if len(packet) <= LONGEST_NORMAL else PN532_EXTENDED, packet)


def encode_command(command: HostCommand) -> bytes:
    """The bytes of a host command; its arguments are the fields of the layout. Raises ValueError on bad ones.

    `wake_up` is the wake-up preamble with SAMConfiguration (normal mode) behind it, `ack` breaks off what the
    chip is doing, `nack` asks for its last answer again. `auto_poll` takes `polls`, `period_150ms`, `types`
    (hex).
    """
    name, args = command.command, command.args
    if name in ("ack", "nack", "wake_up"):
        if args:
            raise ValueError(f"{name} takes no arguments")
        wake_up = WAKE_UP + encode_command(HostCommand("sam_configuration", {"mode": "normal"}))
        return {"ack": PN532_ACK, "nack": PN532_NACK, "wake_up": wake_up}[name]
    if name == "auto_poll":
        return packet_frame(bytes((TO_CHIP, NUMBERS[name])) + _auto_poll_parameters(args))
    if name == "sam_configuration" and len(args) > 1:
        name = "sam_configuration/3"
    layout = HOST.get(name)
    if layout is None:
        raise ValueError(f"the PN532 has no command {name!r}, or its parameters are not known")
    if name in RF_ITEMS:
        fixed = [TO_CHIP, NUMBERS["rf_configuration"], RF_ITEMS[name]]
    else:
        fixed = [TO_CHIP, NUMBERS[command.command]]
    names = layout.names[len(fixed) :]
    if set(args) != set(names):
        raise ValueError(f"{name} takes {', '.join(names) or 'no arguments'}")
    return packet_frame(layout.build(*fixed, *(args[name] for name in names)))


def _auto_poll_parameters(args: dict[str, int | str]) -> bytes:
    if set(args) != {"polls", "period_150ms", "types"}:
        raise ValueError("auto_poll takes polls, period_150ms, types")
    types = bytes.fromhex(str(args["types"]))
    if not 1 <= len(types) <= 15:
        raise ValueError("auto_poll polls for 1 to 15 types")
    return bytes((int(args["polls"]), int(args["period_150ms"]))) + types


def encode_done(command: str) -> bytes:
    """The chip's frame that it carried out `command` and has nothing to tell."""
    base = "rf_configuration" if command in RF_ITEMS else command
    return packet_frame(bytes((FROM_CHIP, _reply_number(base))))


def encode_status(command: str, status: int = 0) -> bytes:
    """The chip's answer to `deselect`, `release` or `select`: a status, 0 for done."""
    return packet_frame(bytes((FROM_CHIP, _reply_number(command), status)))


def encode_syntax_error() -> bytes:
    """The chip's frame that it could not make sense of a packet."""
    return packet_frame(bytes((SYNTAX_ERROR,)))


def encode_firmware(ic: int, version: int, revision: int, support: int) -> bytes:
    """The chip's answer to `firmware_version`; `ic` is 0x32 for a PN532."""
    return packet_frame(bytes((FROM_CHIP, _reply_number("firmware_version"), ic, version, revision, support)))


def encode_targets(targets: Sequence[TypeATarget]) -> bytes:
    """The chip's answer to `list_passive_target` for type A. Raises ValueError on more than it can hold."""
    if len(targets) > MOST_TARGETS:
        raise ValueError(f"a PN532 holds {MOST_TARGETS} targets, not {len(targets)}")
    packet = bytes((FROM_CHIP, _reply_number("list_passive_target"), len(targets)))
    for number, target in enumerate(targets, start=1):
        packet += _target_bytes(number, target)
    return packet_frame(packet)


def _target_bytes(number: int, target: TypeATarget) -> bytes:
    size = len(target.tag) // 2
    layout = TARGETS.get(size)
    if layout is None:
        raise ValueError(f"{target.tag!r} is no tag that a PN532 can read")
    atqa = target.atqa if target.atqa is not None else 0x0004 | UID_SIZES.index(size) << 6
    data = layout.build(number, atqa, target.sak, size, target.tag)
    if target.ats is None:
        return data
    if not target.sak & ISO14443_4:
        raise ValueError("a target has an ATS only where its SAK says so")
    return data + bytes((len(target.ats) + 1,)) + target.ats


def _reply_number(command: str) -> int:
    if command not in NUMBERS:
        raise ValueError(f"the PN532 has no command {command!r}")
    return NUMBERS[command] + 1
