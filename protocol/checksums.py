"""Checksums of the devices, each with its published check value: the result for the nine bytes `123456789`.

The CRC names are those of the catalogue of parametrised CRC algorithms (reveng). All functions take bytes and
return the unsigned value; the order in which its bytes go onto the wire belongs to the envelope.
"""

import binascii
from collections.abc import Callable

import msgspec

CHECK_INPUT = b"123456789"


def crc16_ibm_3740(covered: bytes) -> int:
    """CRC-16/IBM-3740, also called CCITT-FALSE: poly 0x1021, init 0xFFFF, not reflected, no final xor."""
    return binascii.crc_hqx(covered, 0xFFFF)


def _reflected_table(polynomial: int) -> tuple[int, ...]:
    table = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = (value >> 1) ^ polynomial if value & 1 else value >> 1
        table.append(value)
    return tuple(table)


_MCRF4XX = _reflected_table(0x8408)


def crc16_mcrf4xx(covered: bytes) -> int:
    """CRC-16/MCRF4XX: poly 0x1021 reflected (0x8408), init 0xFFFF, no final xor."""
    value = 0xFFFF
    for byte in covered:
        value = (value >> 8) ^ _MCRF4XX[(value ^ byte) & 0xFF]
    return value


def xor8(covered: bytes) -> int:
    """Block check character: exclusive or of all bytes."""
    value = 0
    for byte in covered:
        value ^= byte
    return value


def sum8(covered: bytes) -> int:
    """Sum of all bytes, modulo 256."""
    return sum(covered) & 0xFF


def complement8(covered: bytes) -> int:
    """Two's complement of the sum: all bytes and the check byte together give 0 modulo 256."""
    return -sum(covered) & 0xFF


class Checksum(msgspec.Struct, frozen=True):
    """One algorithm: `width` in bytes on the wire, `check` its value for `CHECK_INPUT`."""

    compute: Callable[[bytes], int]
    width: int
    check: int


CHECKSUMS: dict[str, Checksum] = {
    "CRC-16/IBM-3740": Checksum(crc16_ibm_3740, 2, 0x29B1),
    "CRC-16/MCRF4XX": Checksum(crc16_mcrf4xx, 2, 0x6F91),
    "XOR-8": Checksum(xor8, 1, 0x31),
    "SUM-8": Checksum(sum8, 1, 0xDD),
    "COMPLEMENT-8": Checksum(complement8, 1, 0x23),
}
