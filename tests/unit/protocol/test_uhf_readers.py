"""YRM100 and R2000: what one side says, the other understands."""

from typing import Any

import pytest

from protocol import r2000, yrm100
from protocol.checksums import crc16_genibus
from protocol.envelopes import R2000, YRM100
from protocol.messages import (
    Ack,
    Decoded,
    DeviceInfo,
    Failure,
    HostCommand,
    PollEmpty,
    Reason,
    Refused,
    TagSeen,
)
from protocol.r2000_layout import ANTENNA_MISSING, STATUSES, SUCCESS
from protocol.yrm100_layout import EPC_SIZES, NO_TAG

EPC = "30751FEB705C5904E3D50D70"


def of_yrm100(frame: bytes) -> Any:
    decoded = yrm100.decode(YRM100.name, frame[1:-2])
    assert isinstance(decoded, Decoded)
    (message,) = decoded.messages
    return message


def of_r2000(frame: bytes) -> Any:
    decoded = r2000.decode(R2000.name, frame[2:-1])
    assert isinstance(decoded, Decoded)
    (message,) = decoded.messages
    return message


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("inventory", {}),
        ("multi_inventory", {"polls": 10_000}),
        ("stop_inventory", {}),
        ("module_info", {"item": "maker"}),
        ("set_region", {"region": "europe"}),
        ("get_region", {}),
        ("set_power", {"centi_dbm": 2_000}),
        ("get_power", {}),
    ],
)
def test_what_the_host_says_to_a_yrm100_comes_back(name: str, args: dict[str, Any]) -> None:
    command = HostCommand(name, args)
    assert of_yrm100(yrm100.encode_command(command)) == command


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("inventory", {"repeat": 1}),
        ("set_work_antenna", {"antenna": 4}),
        ("set_power", {"antenna_1": 26, "antenna_2": 0, "antenna_3": 33, "antenna_4": 1}),
        ("session_inventory", {"session": 1, "target": 0, "repeat": 1}),
        ("firmware_version", {}),
        ("get_work_antenna", {}),
        ("reset", {}),
    ],
)
def test_what_the_host_says_to_an_r2000_comes_back(name: str, args: dict[str, Any]) -> None:
    command = HostCommand(name, args)
    assert of_r2000(r2000.encode_command(command)) == command


def test_commands_as_others_send_them() -> None:
    sent = yrm100.encode_command(HostCommand("set_power", {"centi_dbm": 2_000}))
    assert sent.hex(" ").upper() == "BB 00 B6 00 02 07 D0 8F 7E"
    assert yrm100.encode_command(HostCommand("inventory")).hex(" ").upper() == "BB 00 22 00 00 22 7E"
    often = yrm100.encode_command(HostCommand("multi_inventory", {"polls": 10_000}))
    assert often.hex(" ").upper() == "BB 00 27 00 03 22 27 10 83 7E"
    work = r2000.encode_command(HostCommand("set_work_antenna", {"antenna": 1}), address=1)
    assert work.hex(" ").upper() == "A0 04 01 74 00 E7"


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("dance", {}),
        ("set_channel", {}),
        ("inventory", {"x": 1}),
        ("multi_inventory", {"polls": 65_536}),
        ("multi_inventory", {"polls": 1, "reserved": 0x22}),
        ("set_region", {"region": "moon"}),
        ("module_info", {}),
    ],
)
def test_bad_commands_to_a_yrm100_are_refused(name: str, args: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        yrm100.encode_command(HostCommand(name, args))


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("dance", {}),
        ("get_temperature", {}),
        ("set_work_antenna", {"antenna": 0}),
        ("set_work_antenna", {"antenna": 5}),
        ("inventory", {"repeat": 256}),
        ("set_power", {"antenna_1": 34, "antenna_2": 0, "antenna_3": 0, "antenna_4": 0}),
    ],
)
def test_bad_commands_to_an_r2000_are_refused(name: str, args: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        r2000.encode_command(HostCommand(name, args))


def test_what_a_yrm100_answers_comes_back() -> None:
    notice = yrm100.encode_notice(EPC, -55)
    assert notice[:-4].hex(" ").upper() == "BB 02 22 00 11 C9 30 00 30 75 1F EB 70 5C 59 04 E3 D5 0D 70"
    assert of_yrm100(notice) == TagSeen(EPC, rssi=-55, tag_type="epc_gen2")
    assert of_yrm100(yrm100.encode_error(NO_TAG)) == PollEmpty()
    assert of_yrm100(yrm100.encode_error(0x20)) == Refused("frequency_hopping", 0x20, "no free channel")
    assert of_yrm100(yrm100.encode_status("set_power")) == Ack("set_power")
    assert of_yrm100(yrm100.encode_status("set_power", 1)) == Refused("set_power", 1)
    assert of_yrm100(yrm100.encode_module_name("firmware", "V2.3")) == DeviceInfo(firmware="V2.3")


def test_a_tag_s_own_check_is_that_of_the_captured_ones() -> None:
    # PC 3400 and 3000 with their EPCs, as two modules printed them
    assert crc16_genibus(bytes.fromhex("3400" + EPC)) == 0x3A76
    assert crc16_genibus(bytes.fromhex("3000340833B2DDD9014000000000")) == 0x346F
    frame = yrm100.encode_notice("340833B2DDD9014000000000", -61)
    assert frame.hex().upper() == "BB02220011C33000340833B2DDD9014000000000346FE37E"


@pytest.mark.parametrize("size", [EPC_SIZES.start, 8, 12, EPC_SIZES.stop - 1])
def test_an_epc_of_any_size_comes_back_from_both(size: int) -> None:
    epc = "BB7EA0FF"[: 2 * size].ljust(2 * size, "7")
    assert of_yrm100(yrm100.encode_notice(epc, -1)) == TagSeen(epc, rssi=-1, tag_type="epc_gen2")
    assert of_r2000(r2000.encode_tag(epc, 3, -60)) == TagSeen(epc, 3, -60, "epc_gen2")


def test_what_an_r2000_answers_comes_back() -> None:
    tag = r2000.encode_tag("E200301666130121155074EF", 1, -60)
    assert tag.hex(" ").upper().startswith("A0 13 01 89 00 30 00 E2 00 30 16")
    assert of_r2000(r2000.encode_over(2, 0)) == PollEmpty(2)
    assert of_r2000(r2000.encode_over(2, 7)) == Ack("inventory", text="7 reads")
    assert of_r2000(r2000.encode_status("set_work_antenna")) == Ack("set_work_antenna", SUCCESS)
    missing = r2000.encode_status("inventory", ANTENNA_MISSING)
    assert missing.hex(" ").upper() == "A0 04 01 89 22 B0"
    assert of_r2000(missing) == Refused("inventory", ANTENNA_MISSING, "antenna missing")
    assert of_r2000(r2000.encode_firmware(8, 2)) == DeviceInfo(firmware="8.2")


def test_a_status_is_never_taken_for_the_host_s_parameter() -> None:
    for status in STATUSES:
        said = of_r2000(r2000.encode_status("inventory", status))
        assert isinstance(said, Refused | PollEmpty)
    assert of_r2000(r2000.encode_command(HostCommand("inventory", {"repeat": 1}))).command == "inventory"


def test_what_no_reader_can_send_is_refused() -> None:
    with pytest.raises(ValueError, match="no EPC"):
        yrm100.encode_notice("ABC", -55)
    with pytest.raises(ValueError, match="no status"):
        yrm100.encode_status("inventory")
    with pytest.raises(ValueError, match="R2000 can read"):
        r2000.encode_tag(EPC, 5, -60)
    with pytest.raises(ValueError, match="R2000 can read"):
        r2000.encode_tag("AB" * 64, 1, -60)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"\x01\xff\x00", Reason.TOO_SHORT),
        (b"\x01\xff\x00\x02\x15", Reason.TOO_SHORT),
        (b"\x01\xff\x00\x00\x15", Reason.TRAILING),
    ],
)
def test_a_yrm100_body_is_held_against_its_own_length(body: bytes, reason: Reason) -> None:
    failure = yrm100.decode(YRM100.name, body)
    assert isinstance(failure, Failure)
    assert failure.reason is reason
