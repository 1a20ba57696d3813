"""YRM100, the way out: host commands, and what the module answers, -> whole frames."""

from protocol.checksums import crc16_genibus
from protocol.envelopes import YRM100
from protocol.framing import frame_around
from protocol.messages import HostCommand
from protocol.primitives import uid_bytes
from protocol.yrm100_layout import (
    ANSWER,
    COMMAND,
    EPC_SIZES,
    EPC_WORDS_SHIFT,
    ERROR,
    FIXED_ARGS,
    HOST,
    INFO_ITEMS,
    NOTICE,
    NUMBERS,
    STATUS_ANSWERS,
)


def _frame(kind: int, command: int, data: bytes = b"") -> bytes:
    # the length lies within the body: `frame_around` fills it in
    return frame_around(YRM100, bytes((kind, command, 0, 0)) + data)


def encode_command(command: HostCommand) -> bytes:
    """The whole frame of a host command; its arguments are the fields of the layout. Raises ValueError on bad
    ones. `set_power` takes hundredths of a dBm."""
    layout = HOST.get(command.command)
    if layout is None:
        raise ValueError(f"the YRM100 has no command {command.command!r}, or its parameters are not known")
    fixed = FIXED_ARGS.get(command.command, {})
    names = layout.names[3:]
    if set(command.args) != set(names) - set(fixed):
        raise ValueError(f"{command.command} takes {', '.join(set(names) - set(fixed)) or 'no arguments'}")
    args = {**command.args, **fixed}
    number = NUMBERS[command.command]
    return frame_around(YRM100, layout.build(COMMAND, number, 0, *(args[name] for name in names)))


def encode_status(command: str, status: int = 0) -> bytes:
    """The module's answer to a command that sets something: a status, 0 for done."""
    if command not in STATUS_ANSWERS:
        raise ValueError(f"the YRM100 answers {command!r} with no status")
    return _frame(ANSWER, NUMBERS[command], bytes((status,)))


def encode_error(error: int) -> bytes:
    """The module's frame that a command failed with `error`; 0x15 after an inventory: no tag."""
    return _frame(ANSWER, ERROR, bytes((error,)))


def encode_module_name(item: str, text: str) -> bytes:
    """The module's answer to `module_info`; `item` is hardware, firmware or maker."""
    number = {name: number for number, name in INFO_ITEMS.items()}[item]
    return _frame(ANSWER, NUMBERS["module_info"], bytes((number,)) + text.encode("ascii"))


def encode_notice(epc: str, rssi: int, crc: int | None = None) -> bytes:
    """The module's notice of a tag; `rssi` in dBm. The tag's own CRC (over PC and EPC) is worked out unless
    given."""
    size = len(epc) // 2
    if size not in EPC_SIZES:
        raise ValueError(f"{epc!r} is no EPC that a YRM100 can read")
    pc_epc = (size // 2 << EPC_WORDS_SHIFT).to_bytes(2, "big") + uid_bytes(epc, size)
    crc = crc16_genibus(pc_epc) if crc is None else crc
    data = rssi.to_bytes(1, "big", signed=True) + pc_epc + crc.to_bytes(2, "big")
    return _frame(NOTICE, NUMBERS["inventory"], data)
