from typing import Any

import pytest

from protocol import pepper_c1
from protocol.messages import Ack, Decoded, DeviceInfo, HostCommand, Refused, TagSeen
from protocol.pepper_layout import COMMANDS, ERRORS, error_text

COMMANDS_WITH_ARGS: list[tuple[str, dict[str, Any]]] = [
    ("dummy", {}),
    ("tag_count", {}),
    ("get_uid", {"index": 0}),
    ("activate", {"index": 1}),
    ("halt", {}),
    ("polling", {"on": 1}),
    ("reboot", {}),
    ("version", {}),
    ("select_antenna", {"antenna": 8}),
    ("led", {"red": 255, "green": 0, "blue": 1, "timeout_ms": 500}),
    ("poll_timeout", {"ms": 200}),
    ("event_format", {"known": 1, "format": "binary"}),
    ("device_name", {}),
]


def meaning_of(frame: bytes) -> Any:
    decoded = pepper_c1.decode("pepper_f5", frame[5:-2])
    assert isinstance(decoded, Decoded)
    (message,) = decoded.messages
    return message


@pytest.mark.parametrize(("name", "args"), COMMANDS_WITH_ARGS)
def test_what_the_host_says_comes_back(name: str, args: dict[str, Any]) -> None:
    command = HostCommand(name, args)
    assert meaning_of(pepper_c1.encode_command(command)) == command


def test_commands_as_others_send_them() -> None:
    def sent(name: str, **args: int | str) -> str:
        return pepper_c1.encode_command(HostCommand(name, args)).hex(" ").upper()

    assert sent("dummy") == "F5 03 00 FC FF 01 D1 F1"
    assert sent("tag_count") == "F5 03 00 FC FF 02 B2 C1"
    assert sent("halt") == "F5 03 00 FC FF 05 55 B1"
    assert sent("get_uid", index=1) == "F5 04 00 FB FF 03 01 7D 58"
    assert sent("event_format", known=0, format=3) == sent("event_format", known=0, format="json")
    assert " 16 06 01 03 " in sent("event_format", known=0, format="json")
    assert " 16 03 C8 00 " in sent("poll_timeout", ms=200)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("dance", {}),
        ("gpio", {}),
        ("dummy", {"x": 1}),
        ("polling", {}),
        ("polling", {"on": 2}),
        ("select_antenna", {"antenna": 9}),
        ("poll_timeout", {"ms": 65536}),
        ("event_format", {"known": 1, "format": "xml"}),
        ("event_format", {"known": 1, "format": 5}),
    ],
)
def test_bad_commands_are_refused(name: str, args: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        pepper_c1.encode_command(HostCommand(name, args))


def test_what_a_reader_answers_comes_back() -> None:
    assert meaning_of(pepper_c1.encode_reply("dummy")) == Ack("dummy")
    assert meaning_of(pepper_c1.encode_reply("event_format")) == Ack("polling_setup")
    assert meaning_of(pepper_c1.encode_reply("tag_count", b"\x02")) == Ack("tag_count", text="2")
    assert meaning_of(pepper_c1.encode_reply("version", b"2.56\0")) == DeviceInfo(firmware="2.56")
    name = b"\0\0\0\x03mux"
    assert meaning_of(pepper_c1.encode_reply("device_name", name)) == DeviceInfo(device_name="mux")
    refused = pepper_c1.encode_refusal("tag_count", 0xF0)
    assert refused.hex(" ").upper() == "F5 06 00 F9 FF FF 02 F0 00 C2 B2"
    assert meaning_of(refused) == Refused("tag_count", 0xF0, "not authorised")


def test_binary_events_come_back_without_an_antenna() -> None:
    event = pepper_c1.encode_uid_event("DEADBEEF1234", is_icode=False)
    assert event.hex(" ").upper() == "F5 0C 00 F3 FF FE 00 01 00 DE AD BE EF 12 34 EF 47"
    assert meaning_of(event) == TagSeen("DEADBEEF1234", tag_type="mifare")
    icode = pepper_c1.encode_uid_event("E0040150A05F02B7", is_icode=True)
    assert meaning_of(icode) == TagSeen("E0040150A05F02B7", tag_type="icode")


@pytest.mark.parametrize("pretty", [False, True])
@pytest.mark.parametrize("antenna", [1, 8, None])
def test_json_events_come_back(pretty: bool, antenna: int | None) -> None:
    tag, name, icode = "E0040150A05F02B7", 'Pepper "{A}"', "ICODE SLIX"
    text = pepper_c1.encode_json_event(tag, antenna, name, 5, icode, pretty=pretty, known_tag=True)
    assert (b"\n\t" in text) is pretty
    seen = TagSeen(tag, antenna, tag_type=icode, device_name=name)
    assert pepper_c1.decode("pepper_json", text) == Decoded((seen,))


def test_what_a_reader_cannot_send_is_refused() -> None:
    with pytest.raises(ValueError, match="no command"):
        pepper_c1.encode_reply("dance")
    with pytest.raises(ValueError, match="field"):
        pepper_c1.encode_refusal("dummy", 65536)
    with pytest.raises(ValueError, match="no tag"):
        pepper_c1.encode_uid_event("E004", is_icode=True)
    with pytest.raises(ValueError, match="longer"):
        pepper_c1.encode_json_event("E0040150A05F02B7", 1, "x" * 5000, 5, "ICODE SLIX")


def test_errors_have_a_text_where_a_source_gives_one() -> None:
    assert error_text(0x01) == "no reply"
    assert error_text(0x1502) == "ICODE layer error"
    assert error_text(0x19AE) == "DESFire layer error"
    assert error_text(0x70) is None
    assert len(ERRORS) == 20


def test_no_command_number_is_one_of_the_reader_s_markers() -> None:
    assert not {0x00, 0xFE, 0xFF} & set(COMMANDS)
