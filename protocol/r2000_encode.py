"""R2000, the way out: host commands, and what the reader answers, -> whole frames."""

from protocol.envelopes import R2000
from protocol.framing import frame_around
from protocol.messages import HostCommand
from protocol.primitives import uid_bytes
from protocol.r2000_layout import (
    EPC_WORDS_SHIFT,
    HOST,
    MOST_ANTENNAS,
    NUMBERS,
    PUBLIC_ADDRESS,
    READER,
    RSSI_ZERO,
    SUCCESS,
)


def encode_command(command: HostCommand, address: int = PUBLIC_ADDRESS) -> bytes:
    """The whole frame of a host command; its arguments are the fields of the layout. Raises ValueError on bad
    ones. Antennas count from 1."""
    layout = HOST.get(command.command)
    if layout is None:
        raise ValueError(f"the R2000 has no command {command.command!r}, or its parameters are not known")
    names = layout.names[2:]
    if set(command.args) != set(names):
        raise ValueError(f"{command.command} takes {', '.join(names) or 'no arguments'}")
    values = [command.args[name] for name in names]
    return frame_around(R2000, layout.build(address, NUMBERS[command.command], *values))


def encode_status(command: str, status: int = SUCCESS, address: int = 1) -> bytes:
    """The reader's answer to `command`: a status, 0x10 for done."""
    return frame_around(R2000, READER["status"].build(address, NUMBERS[command], status))


def encode_firmware(major: int, minor: int, address: int = 1) -> bytes:
    """The reader's answer to `firmware_version`."""
    row = (address, NUMBERS["firmware_version"], major, minor)
    return frame_around(R2000, READER["firmware_version"].build(*row))


def encode_tag(epc: str, antenna: int, rssi: int, address: int = 1) -> bytes:
    """The reader's frame of one tag in a real-time inventory; `rssi` in dBm."""
    layout = READER.get(f"tag/{len(epc) // 2}")
    if layout is None or not 1 <= antenna <= MOST_ANTENNAS:
        raise ValueError(f"{epc!r} at antenna {antenna} is nothing that an R2000 can read")
    pc = len(uid_bytes(epc, len(epc) // 2)) // 2 << EPC_WORDS_SHIFT
    body = layout.build(address, NUMBERS["inventory"], antenna - 1, pc, epc, rssi + RSSI_ZERO)
    return frame_around(R2000, body)


def encode_over(antenna: int, reads: int, address: int = 1) -> bytes:
    """The reader's frame that a real-time inventory of `antenna` is over: `reads` tag frames came."""
    return frame_around(R2000, READER["over"].build(address, NUMBERS["inventory"], antenna, 0, reads))
