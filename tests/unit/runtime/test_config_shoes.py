"""Shoes in the configuration and at the commands: their usual speed, and what they do not have."""

from pathlib import Path

import pytest

from shoe_bridge.cli.deck_tags import any_antenna
from shoe_bridge.errors import ConfigError, UsageError
from shoe_bridge.runtime.assembly import links_of
from shoe_bridge.runtime.config import TableConfig, parse
from shoe_bridge.runtime.config_kinds import SHOES

FILE = Path("/etc/shoe-bridge/table.toml")
TABLE = """\
[table]
id = "holdem-07"
game = "holdem"
seats = 2

[[device]]
name = "reader-1"
kind = "pepper_c1"
port = "/dev/shoe-bridge/reader-1"
antennas = { 1 = "seat 1", 2 = "seat 2", 3 = "board", 4 = "burn" }

[[device]]
name = "shoe-1"
kind = "KIND"
port = "socket://10.0.0.7:4001"
"""


def table(kind: str, lines: str = "") -> TableConfig:
    return parse(TABLE.replace("KIND", kind) + lines, FILE)


@pytest.mark.parametrize(("kind", "baud"), [("angel_eye", 4_800), ("bee_tek", 9_600)])
def test_a_shoe_needs_no_more_than_its_port(kind: str, baud: int) -> None:
    shoe = table(kind).devices[1]
    assert (shoe.kind, shoe.baud, shoe.parity) == (kind, baud, "N")
    assert table(kind, "baud = 19200\n").devices[1].baud == 19_200
    assert links_of((shoe,))[0].places == ()


@pytest.mark.parametrize("kind", SHOES)
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('antennas = { 1 = "burn" }', "has no antennas, expected none at a shoe."),
        (
            'keys = { 1 = "cut" }',
            "has no keys, expected keys at a tablelink, hid_keyboard or patlite_ne device only.",
        ),
        (
            'identity = "x"',
            "has no name to give, expected no identity: give it a port of its own, by USB path.",
        ),
    ],
)
def test_what_a_shoe_does_not_have_is_refused(kind: str, line: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        table(kind, line + "\n")
    article = "an" if kind == "angel_eye" else "a"
    assert str(caught.value) == f"{FILE}, line 16: {article} {kind} {said}"


@pytest.mark.parametrize("kind", SHOES)
def test_no_deck_is_registered_at_a_shoe(kind: str) -> None:
    with pytest.raises(UsageError, match=f"'{kind}' is no kind of reader: use one of tablelink, pepper_c1"):
        any_antenna(kind, "/dev/ttyUSB0")
