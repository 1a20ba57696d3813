"""`match` in a configuration: a serial port by what it is."""

from pathlib import Path

import pytest

from shoe_bridge.adapters.port_match import PortMatch
from shoe_bridge.errors import ConfigError
from shoe_bridge.runtime.config import TableConfig, parse

TEXT = """\
[table]
id = "t"
game = "holdem"
seats = 1
[[device]]
name = "r"
kind = "tablelink"
match = { vendor = "1a86", product = "7523", usb_path = "1-1.2" }
antennas = { 1 = "seat 1", 2 = "board", 3 = "burn" }
[[light]]
name = "floor"
kind = "lcus_relay"
match = { serial = "A1" }
"""


def table(text: str = TEXT) -> TableConfig:
    return parse(text, Path("t.toml"))


def test_a_match_stands_for_a_port() -> None:
    config = table()
    device, light = config.devices[0], config.lights[0]
    assert device.match == PortMatch("1a86", "7523", None, "1-1.2")
    assert device.port == "match:vendor=1a86,product=7523,usb_path=1-1.2"
    assert light.port == "match:serial=A1"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "r"\n', 'name = "r"\nport = "/dev/x"\n', "line 9: match stands beside port, expected one"),
        ('vendor = "1a86"', 'vendor = "1a8"', 'line 8: vendor is "1a8", expected four hex digits'),
        ('usb_path = "1-1.2"', 'usb_path = "usb1"', 'line 8: usb_path is "usb1", expected a USB path'),
        ('serial = "A1"', "", "line 13: match names nothing, expected vendor, product, serial or usb_path"),
        ('{ vendor = "1a86", product = "7523", usb_path = "1-1.2" }', "{ bus = 1 }", "line 8"),
        ('match = { serial = "A1" }', "", "line 10: floor has no port, expected a path such as"),
        ('match = { vendor = "1a86", product = "7523", usb_path = "1-1.2" }', "", "line 5: r has no port"),
        ('{ serial = "A1" }', '{ vendor = "1a86", product = "7523", usb_path = "1-1.2" }', "belongs to r"),
    ],
)
def test_a_match_that_cannot_be_is_one_sentence(old: str, new: str, said: str) -> None:
    assert old in TEXT
    with pytest.raises(ConfigError) as told:
        table(TEXT.replace(old, new, 1))
    assert said in str(told.value)
