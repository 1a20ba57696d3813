"""The keys of devices that print or type lines: text_line and hid_keyboard."""

from pathlib import Path

import pytest

from shoe_bridge.errors import ConfigError
from shoe_bridge.runtime.assembly import links_of
from shoe_bridge.runtime.config import parse

FILE = Path("/etc/shoe-bridge/table.toml")
GOOD = """\
[table]
id = "home-1"
game = "holdem"
seats = 2
[[device]]
name = "reader-1"
kind = "text_line"
port = "/dev/shoe-bridge/reader-1"
antennas = { 0 = "seat 1", 1 = "seat 2", 2 = "board" }
preset = "whywaita"
[[device]]
name = "wedge-1"
kind = "hid_keyboard"
port = "/dev/shoe-bridge/wedge-1"
antennas = { 1 = "burn" }
typed = "decimal reversed"
layout = "boot with id"
"""


def complaint(old: str, new: str) -> str:
    assert old in GOOD
    with pytest.raises(ConfigError) as caught:
        parse(GOOD.replace(old, new), FILE)
    return str(caught.value)


def test_what_the_file_says_reaches_the_links() -> None:
    lines = """patterns = ['(?P<antenna>\\d)=(?P<uid>[0-9A-F]{8})']
chatter = ["temperature"]
repeats = false
heartbeat_s = 10
"""
    text, wedge = links_of(parse(GOOD.replace('preset = "whywaita"\n', lines), FILE).devices)
    assert text.antennas == {0: "seat 1", 1: "seat 2", 2: "board"}
    assert (text.preset, text.patterns) == (None, (r"(?P<antenna>\d)=(?P<uid>[0-9A-F]{8})",))
    assert (text.chatter, text.repeats, text.heartbeat_s) == (("temperature",), False, 10)
    assert (wedge.typed, wedge.layout, wedge.single_antenna) == ("decimal reversed", "boot with id", 1)
    plain = links_of(parse(GOOD.replace('preset = "whywaita"\n', ""), FILE).devices)[0]
    assert (plain.preset, plain.patterns, plain.repeats, plain.heartbeat_s) == (None, (), True, 0)


@pytest.mark.parametrize(
    ("preset", "repeats"),
    [
        *[(preset, False) for preset in ("whywaita", "dubsa", "beddofabrik", "wohlig", "hedley", "arduino")],
        *[(preset, True) for preset in ("panstenos", "auto")],
    ],
)
def test_a_preset_says_whether_its_program_prints_again(preset: str, repeats: bool) -> None:
    single = GOOD.replace(
        'antennas = { 0 = "seat 1", 1 = "seat 2", 2 = "board" }', 'antennas = { 0 = "board" }'
    )
    for seat in (1, 2):
        port = f'port = "/dev/shoe-bridge/seat-{seat}"\nantennas = {{ 0 = "seat {seat}" }}'
        single += f'[[device]]\nname = "seat-{seat}"\nkind = "text_line"\n{port}\n'
    named = single.replace('"whywaita"', f'"{preset}"')
    (said, _, *plain) = links_of(parse(named, FILE).devices)
    assert [link.repeats for link in (said, *plain)] == [repeats, True, True]
    for word in ("true", "false"):
        told = named.replace(f'preset = "{preset}"', f'preset = "{preset}"\nrepeats = {word}')
        assert links_of(parse(told, FILE).devices)[0].repeats is (word == "true")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"whywaita"', '"whywhy"', "line 10: there is no preset 'whywhy': use one of arduino, auto"),
        (
            'preset = "whywaita"',
            "patterns = ['(?P<uid>(a+)+)']",
            "line 10: the pattern could take too long: bound its repeats, such as \\d{1,3} for \\d+",
        ),
        ('preset = "whywaita"', "patterns = ['(?P<uid>']", "line 10: the pattern is no regular expression"),
        (
            'preset = "whywaita"',
            "preset = \"wohlig\"\npatterns = ['(?P<uid>.)']",
            "line 11: a device has a preset or a pattern of its own",
        ),
        ("0 = ", "256 = ", "line 9: antenna 256 does not exist, expected 0 to 255 at a text_line"),
        ('{ 1 = "burn" }', '{ 2 = "burn" }', "line 15: antenna 2 does not exist, expected 1 to 1 at a hid"),
        ('"decimal reversed"', '"octal"', "line 16: 'octal' is no rule for typed tags"),
        ('typed = "decimal reversed"', 'preset = "wohlig"', "line 16: a hid_keyboard has no preset"),
        ('typed = "decimal reversed"', "heartbeat_s = 3", "line 16: a hid_keyboard has no heartbeat_s"),
        ('preset = "whywaita"', 'typed = "hex"', "line 10: a text_line has no typed"),
        ('preset = "whywaita"', 'layout = "boot"', "line 10: a text_line has no layout"),
        ('typed = "decimal reversed"', "repeats = false", "line 16: a hid_keyboard has no repeats"),
        ('"whywaita"', '"hedley"', "line 9: the lines of hedley do not name the antenna, expected a single"),
        (
            'preset = "whywaita"',
            "patterns = ['(?P<uid>[0-9A-F]{8})']",
            "line 9: no pattern names the antenna, expected a single antenna",
        ),
        ('"boot with id"', '"long"', "line 17: layout"),
        ('preset = "whywaita"', "heartbeat_s = -1", "line 10: heartbeat_s is -1"),
        ('preset = "whywaita"', 'keys = { 1 = "cut" }', "line 10: a text_line has no keys"),
        ('antennas = { 1 = "burn" }\n', "", "line 11: wedge-1 has neither keys nor antennas"),
    ],
)
def test_what_such_a_device_cannot_be(old: str, new: str, said: str) -> None:
    assert said in complaint(old, new)
