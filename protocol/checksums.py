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


def crc16_genibus(covered: bytes) -> int:
    """CRC-16/GENIBUS, as EPC Gen2 tags send it: poly 0x1021, init 0xFFFF, not reflected, then inverted."""
    return binascii.crc_hqx(covered, 0xFFFF) ^ 0xFFFF


_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def crc16_mcrf4xx(covered: bytes) -> int:
    """CRC-16/MCRF4XX: poly 0x1021 reflected (0x8408), init 0xFFFF, no final xor."""
    # it is CRC-16/IBM-3740 of the bytes seen in a mirror, and the interpreter has that one in C
    value = binascii.crc_hqx(covered.translate(_REVERSED), 0xFFFF)
    return _REVERSED[value & 0xFF] << 8 | _REVERSED[value >> 8]


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


class Mirror(msgspec.Struct, frozen=True):
    """For asking many stretches of the same bytes. A stretch of `data` is bytes with their check behind them,
    low byte first, exactly where `compute(image(data)[from:to], first)` is 0."""

    image: Callable[[bytes], bytes]
    compute: Callable[[bytes, int], int]
    first: int


class Checksum(msgspec.Struct, frozen=True):
    """One algorithm: `width` in bytes on the wire, `check` its value for `CHECK_INPUT`."""

    compute: Callable[[bytes], int]
    width: int
    check: int
    mirror: Mirror | None = None


_REFLECTED = Mirror(lambda data: data.translate(_REVERSED), binascii.crc_hqx, 0xFFFF)


CHECKSUMS: dict[str, Checksum] = {
    "CRC-16/IBM-3740": Checksum(crc16_ibm_3740, 2, 0x29B1),
    "CRC-16/GENIBUS": Checksum(crc16_genibus, 2, 0xD64E),
    "CRC-16/MCRF4XX": Checksum(crc16_mcrf4xx, 2, 0x6F91, _REFLECTED),
    "XOR-8": Checksum(xor8, 1, 0x31),
    "SUM-8": Checksum(sum8, 1, 0xDD),
    "COMPLEMENT-8": Checksum(complement8, 1, 0x23),
}
