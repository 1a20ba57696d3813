"""`decode` of devices whose lines are a matter of their configuration."""

import json
from pathlib import Path

import pytest

from shoe_bridge.cli import run_command
from shoe_bridge.cli.deck_tags import any_antenna
from shoe_bridge.cli.decode import _plain_text
from shoe_bridge.link.device_link import DeviceLink
from shoe_bridge.link.presence import Presence
from shoe_bridge.link.text_session import UNNUMBERED
from shoe_bridge.runtime.assembly import links_of

COMMAND = {"kind": "HostCommand", "command": "polling", "args": {"mode": 0}, "names": ["a", "b"], "none": []}


def decoded(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    assert run_command(["decode", "--json", *arguments]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_text_line_needs_no_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    line = b"106-31-8-133-248\n"
    (frame,) = decoded(capsys, "--device", "text_line", "--hex", line.hex())
    assert frame["messages"] == [
        {"kind": "TagSeen", "tag": "6A1F0885", "antenna": None, "rssi": None, "tag_type": None}
        | {"device_name": None}
    ]


def test_presets_patterns_and_rules(capsys: pytest.CaptureFixture[str]) -> None:
    lines = b"R3=0406B902\nR4=-\n".hex()
    (plain, _) = decoded(capsys, "--device", "text_line", "--hex", lines)
    assert plain["messages"] == [{"kind": "TypedLine", "text": "R3=0406B902"}]
    seen, empty = decoded(
        capsys,
        *("--device", "text_line", "--hex", lines),
        *("--pattern", r"R(?P<antenna>\d)=(?P<uid>[0-9A-F]{8})"),
        *("--pattern", r"R(?P<antenna>\d)=(?P<empty>-)"),
    )
    assert seen["messages"][0]["antenna"] == 3  # type: ignore[index]
    assert empty["messages"] == [{"kind": "PollEmpty", "antenna": 4}]
    (named,) = decoded(capsys, "--device", "text_line", "--preset", "wohlig", "--hex", b"04 06 B9 02\n".hex())
    assert named["messages"][0]["tag"] == "0406B902"  # type: ignore[index]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--device", "text_line", "--preset", "none", "--hex", "00"], "no preset 'none'"),
        (["--device", "text_line", "--pattern", "(?P<uid>(a+)+)", "--hex", "00"], "bound its repeats"),
        (["--device", "hid_keyboard", "--typed", "octal", "--hex", "00"], "no rule for typed tags"),
        (["--device", "tablelink", "--preset", "wohlig", "--hex", "00"], "for text_line"),
        (
            ["--device", "hid_keyboard", "--keys", "long", "--hex", "00"],
            "no layout 'long' of reports: use one",
        ),
        (["--device", "tablelink", "--keys", "boot", "--hex", "00"], "for the keypads among hid_keyboard"),
        (
            ["--device", "hid_keyboard", "--keys", "boot", "--typed", "hex", "--hex", "00"],
            "which type no tags",
        ),
        (["--keys", "boot", "--redact", "x", "capture"], "share the capture as it is"),
    ],
)
def test_what_cannot_be_decoded_so_is_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert run_command(["decode", *arguments]) == 2
    spoken = capsys.readouterr()
    assert (spoken.out, spoken.err.count("\n")) == ("", 1)
    assert said in spoken.err


def test_the_keys_of_a_keypad_and_what_it_would_type(capsys: pytest.CaptureFixture[str]) -> None:
    keypad = ("--device", "hid_keyboard", "--hex", "02 00 3A 1E 00 00 00 00 00 00 01 01 01 01 01 01")
    down, unknown = decoded(capsys, *keypad, "--keys", "boot")
    assert down["messages"] == [{"kind": "KeysDown", "keys": [0x3A, 0x1E]}]
    assert unknown["messages"] == [{"kind": "KeysDown", "keys": None}]
    assert not [line for line in decoded(capsys, *keypad) if line["type"] == "frame"]


def test_a_deck_is_registered_over_any_antenna_and_over_lines_that_name_none() -> None:
    assert any_antenna("text_line", "/dev/ttyACM0").antennas[UNNUMBERED] == "antenna -1"
    assert any_antenna("text_line", "/dev/ttyACM0").antennas[0] == "antenna 0"
    assert any_antenna("hid_keyboard", "usb:08ff:0009").antennas == {1: "antenna 1"}


def test_people_read_no_python_and_no_blanks_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    raw = "F5 03 00 FC FF 01 D1 F1"
    assert _plain_text({"type": "frame", "hex": raw, "messages": [COMMAND]}) == (
        f"frame    HostCommand command=polling mode=0 names=a,b   {raw}"
    )
    vectors = (Path(__file__).parents[3] / "protocol" / "vectors" / "feig_obid.jsonl").read_text()
    out = ""
    for line in vectors.splitlines():
        assert run_command(["decode", "--device", "feig_obid", "--hex", json.loads(line)["hex"]]) == 0
        out += capsys.readouterr().out
    assert "{'" not in out
    assert "mode=" in out
    assert not [line for line in out.splitlines() if line != line.rstrip()]


def test_a_deck_is_registered_although_the_program_prints_lines_that_nobody_knows() -> None:
    device = any_antenna("text_line", "/dev/ttyACM0")
    (config,) = links_of((device,))
    link = DeviceLink(config, Presence(), lambda tag: True)
    link.opened(0, 1)
    for second in range(1, 60):
        at_ns = second * 1_000_000_000
        link.tick(at_ns - 100_000_000)
        link.take(b"lay a card down, please\r\n", at_ns)
        link.tick(at_ns + 1_000_000)
    assert (link.is_verified, link.refusal) == (True, None)
    arrived = link.take(b"Card UID: 04 A1 B2 C3\r\n", 61_000_000_000)
    assert [type(one).__name__ for one in arrived] == ["CardArrived"]
