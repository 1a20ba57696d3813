"""A keypad's keys in the file: by name, each once, and no reader that types beside them."""

from pathlib import Path

import pytest

from shoe_bridge.errors import ConfigError
from shoe_bridge.runtime.assembly import links_of, setup_of
from shoe_bridge.runtime.config import parse
from shoe_bridge.runtime.config_keys import key_words, with_key_numbers

FILE = Path("/etc/shoe-bridge/table.toml")
GOOD = """\
[table]
id = "home-1"
game = "holdem"
seats = 1
[[device]]
name = "reader-1"
kind = "pepper_c1"
port = "/dev/shoe-bridge/reader-1"
antennas = { 1 = "seat 1", 2 = "board", 3 = "burn" }
[[device]]
name = "pad-1"
kind = "hid_keyboard"
port = "usb:1189:8890"
layout = "boot with id"
[device.keys]
F1 = "shuffle"
"KP1" = "cut"
1 = "end deal"
0x85 = "acknowledge"
"""


def complaint(old: str, new: str) -> str:
    assert old in GOOD
    with pytest.raises(ConfigError) as caught:
        parse(GOOD.replace(old, new), FILE)
    return str(caught.value).removeprefix("/etc/shoe-bridge/table.toml, ")


def test_keys_reach_the_link_by_their_usages_and_the_table_by_their_meanings() -> None:
    config = parse(GOOD, FILE)
    keys = {0x3A: "shuffle", 0x59: "cut", 0x1E: "end deal", 0x85: "acknowledge"}
    assert config.devices[1].keys == keys
    _, pad = links_of(config.devices)
    assert (pad.keys, pad.layout, pad.antennas) == (keys, "boot with id", {})
    assert setup_of(config).keys == ("shuffle", "cut", "end deal", "acknowledge")
    assert key_words("hid_keyboard", keys) == {
        "F1": "shuffle",
        "KP1": "cut",
        "1": "end deal",
        "0x85": "acknowledge",
    }
    assert key_words("tablelink", {1: "shuffle"}) == {"1": "shuffle"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('F1 = "', 'f1 = "', 'line 16: a keypad has no key "f1" (did you mean "F1"?).'),
        (
            'F1 = "',
            'pedal = "',
            'line 16: a keypad has no key "pedal", expected its name in Linux such as F1, KP1 or A, as'
            " `evtest` shows it without KEY_, or its HID usage such as 0x3A.",
        ),
        ('F1 = "', 'KEY_F1 = "', '(did you mean "F1"?).'),
        ('0x85 = "', '0xE0 = "', 'line 19: a keypad has no key "0xE0", expected its name'),
        ('0x85 = "', '0x3A = "', "line 19: 0x3A is in keys already, expected each key once."),
        ('"acknowledge"', "3", "line 19: 0x85 is 3, expected a text in quotes."),
        ('"cut"', '"cutt"', 'line 17: key KP1 is "cutt" (did you mean "cut"?).'),
        ('"cut"', '"shuffle"', 'line 17: key KP1 is a second "shuffle", expected each name once per device.'),
        (
            'layout = "boot with id"',
            'antennas = { 1 = "muck" }',
            "line 15: pad-1 has keys and antennas, expected one of the two: a hid_keyboard is a keypad or a"
            " reader that types.",
        ),
        (
            "layout =",
            'typed = "hex"\nlayout =',
            "line 14: pad-1 has keys and types no tags, expected no typed.",
        ),
        ("[device.keys]", "keys = 3\n[table.x]", "line 15: keys is 3, expected a table in braces"),
        ("seats = 1", 'seats = "x"', 'line 4: seats is "x"'),
    ],
)
def test_what_is_wrong_is_said_with_its_line(old: str, new: str, said: str) -> None:
    assert said in complaint(old, new)


def test_a_keyboard_without_keys_and_antennas_is_neither() -> None:
    rest = GOOD[GOOD.index("[device.keys]") :]
    assert complaint(rest, "") == (
        'line 10: pad-1 has neither keys nor antennas, expected keys = { F1 = "shuffle", F2 = "cut" } for a'
        ' keypad, or antennas = { 1 = "burn" } for a reader that types.'
    )


def test_what_stands_first_in_the_file_is_said_first() -> None:
    text = GOOD.replace("F1 =", "F99 =").replace('kind = "pepper_c1"', "kind = 7")
    with pytest.raises(ConfigError, match="line 7: kind is 7"):
        parse(text, FILE)


def test_the_document_is_left_as_it_is() -> None:
    document = {
        "device": [{"kind": "hid_keyboard", "keys": {"F1": "cut"}}, {"kind": "tablelink", "keys": {}}, 3]
    }
    numbered, found = with_key_numbers(document)
    assert numbered["device"][0]["keys"] == {"58": "cut"}
    assert numbered["device"][1:] == document["device"][1:]
    assert document["device"][0] == {"kind": "hid_keyboard", "keys": {"F1": "cut"}}
    assert found == []
    assert with_key_numbers({"device": 3}) == ({"device": 3}, [])
