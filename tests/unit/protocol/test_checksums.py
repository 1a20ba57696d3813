import random

import pytest

from protocol.checksums import CHECK_INPUT, CHECKSUMS, complement8, crc16_ibm_3740, crc16_mcrf4xx, xor8

PUBLISHED = {
    "CRC-16/IBM-3740": 0x29B1,
    "CRC-16/GENIBUS": 0xD64E,
    "CRC-16/MCRF4XX": 0x6F91,
    "XOR-8": 0x31,
    "SUM-8": 0xDD,
    "COMPLEMENT-8": 0x23,
}


@pytest.mark.parametrize("name", CHECKSUMS)
def test_gives_its_published_check_value(name: str) -> None:
    checksum = CHECKSUMS[name]
    assert checksum.compute(CHECK_INPUT) == checksum.check == PUBLISHED[name]


@pytest.mark.parametrize("name", CHECKSUMS)
def test_fits_its_width_on_the_wire(name: str) -> None:
    checksum = CHECKSUMS[name]
    for covered in (b"", b"\x00", b"\xff" * 64, bytes(range(256))):
        assert 0 <= checksum.compute(covered) < 1 << 8 * checksum.width


def test_worked_examples_of_real_devices() -> None:
    # Pepper C1 dummy command; FEIG version reply; a MIFARE uid with its BCC; an R2000 command
    assert crc16_ibm_3740(b"\x01") == 0xF1D1
    assert crc16_mcrf4xx(bytes.fromhex("0D00650003030044530D30")) == 0x0933
    assert xor8(bytes.fromhex("6A1F0885")) == 0xF8
    assert complement8(bytes.fromhex("A004017400")) == 0xE7


def test_the_mirrored_checksum_is_the_one_that_shifts_bit_by_bit() -> None:
    rng = random.Random(3)
    for size in range(200):
        covered = rng.randbytes(size)
        value = 0xFFFF
        for byte in covered:
            value ^= byte
            for _ in range(8):
                value = value >> 1 ^ 0x8408 if value & 1 else value >> 1
        assert crc16_mcrf4xx(covered) == value


@pytest.mark.parametrize("name", [name for name, checksum in CHECKSUMS.items() if checksum.mirror])
def test_a_mirror_shows_which_stretches_end_with_their_check(name: str) -> None:
    checksum = CHECKSUMS[name]
    assert checksum.mirror is not None
    rng = random.Random(4)
    data = b""
    for _ in range(30):
        covered = rng.randbytes(rng.randrange(12))
        data += covered + checksum.compute(covered).to_bytes(checksum.width, "little")
    image, whole = checksum.mirror.image(data), 0
    for at in range(len(data)):
        for end in range(at + checksum.width, min(at + 16, len(data)) + 1):
            covered, sent = data[at : end - checksum.width], data[end - checksum.width : end]
            is_whole = checksum.compute(covered) == int.from_bytes(sent, "little")
            assert (checksum.mirror.compute(image[at:end], checksum.mirror.first) == 0) is is_whole
            whole += is_whole
    assert whole >= 30
