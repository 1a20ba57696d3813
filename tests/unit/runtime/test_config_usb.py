"""Ports that name USB devices: which kinds may have them, how they are written, who owns them."""

from pathlib import Path

import pytest

from shoe_bridge.errors import ConfigError
from shoe_bridge.runtime.config import TableConfig, parse
from shoe_bridge.runtime.config_kinds import LIGHT_KINDS
from shoe_bridge.runtime.config_usb import ONLY_USB
from shoe_bridge.usb_kinds import LIGHTS

FILE = Path("/etc/shoe-bridge/table.toml")
TABLE = """\
[table]
id = "holdem-07"
game = "holdem"
seats = 2

[[device]]
name = "reader-1"
kind = "feig_obid"
port = "usb:0AB1:0004"
antennas = { 1 = "seat 1", 2 = "seat 2", 3 = "board" }

[[device]]
name = "burn-1"
kind = "hid_keyboard"
port = "usb@1-1.3"
antennas = { 1 = "burn" }

"""
LIGHT = '[[light]]\nname = "dealer"\n'
KEYS = '[[device]]\nname = "lamp-1"\nkind = "patlite_ne"\n'


def table(more: str = "", old: str = "", new: str = "") -> TableConfig:
    return parse(TABLE.replace(old, new) + more, FILE)


def complaint(more: str, old: str = "", new: str = "") -> str:
    with pytest.raises(ConfigError) as caught:
        table(more, old, new)
    return str(caught.value).removeprefix(f"{FILE}, ")


def test_readers_by_id_by_serial_number_and_by_path() -> None:
    assert [device.port for device in table().devices] == ["usb:0AB1:0004", "usb@1-1.3"]
    assert table(old="0AB1:0004", new="0ab1:0004:91F3").devices[0].port == "usb:0ab1:0004:91F3"


@pytest.mark.parametrize("kind", LIGHTS)
def test_each_usb_light_by_each_of_its_ids_and_by_path(kind: str) -> None:
    ports = [f"usb:{one.vendor}:{one.product.upper()}" for one in LIGHTS[kind].ids]
    for port in [*ports, f"{ports[0]}:A1", "usb@3-2"]:
        config = table(LIGHT + f'kind = "{kind}"\nport = "{port}"\n')
        assert (config.lights[0].kind, config.lights[0].port) == (kind, port)


def test_only_usb_kinds_are_kinds_of_lights() -> None:
    assert set(LIGHT_KINDS) >= ONLY_USB


@pytest.mark.parametrize(
    ("port", "said"),
    [
        (
            '"usb:0AB1"',
            'line 9: port is "usb:0AB1", expected usb:VID:PID, usb:VID:PID:SERIAL or usb@BUS-PORT,',
        ),
        ('"usb:XAB1:0004"', 'line 9: port is "usb:XAB1:0004", expected usb:VID:PID,'),
        ('"usb@1"', 'line 9: port is "usb@1", expected usb:VID:PID,'),
        ('"usb:0AB1:0004:"', 'line 9: port is "usb:0AB1:0004:", expected usb:VID:PID,'),
    ],
)
def test_a_name_that_is_none(port: str, said: str) -> None:
    assert complaint("", '"usb:0AB1:0004"', port).startswith(said)


def test_a_reader_that_has_a_tty_has_no_usb_name() -> None:
    said = (
        'line 9: port is "usb:0AB1:0004", expected a USB name for hid_keyboard, feig_obid or patlite_ne only.'
    )
    assert complaint("", "feig_obid", "pepper_c1") == said


@pytest.mark.parametrize(
    ("light", "said"),
    [
        (
            'kind = "blink1"',
            "line 18: dealer has no port, expected usb:VID:PID, usb:VID:PID:SERIAL or usb@BUS-PORT.",
        ),
        (
            'kind = "blink1"\nport = "/dev/hidraw0"',
            'line 21: port is "/dev/hidraw0", expected usb:VID:PID, usb:VID:PID:SERIAL or usb@BUS-PORT for a',
        ),
        (
            'kind = "blink1"\nport = "usb:04d8:f372"',
            'line 21: port is "usb:04d8:f372", which is no blink1, expected usb:27b8:01ed.',
        ),
        (
            'kind = "lcus_relay"\nport = "usb:1a86:7523"',
            'line 21: port is "usb:1a86:7523", expected a USB name for',
        ),
        (
            'kind = "blink1"\ndevice = "x"\nport = "usb@1-1"',
            "line 21: a blink1 hangs on no device, expected device only with",
        ),
        (
            'kind = "busylight"\nport = "usb@1-1"',
            'line 21: port is "usb@1-1", expected usb:VID:PID or usb:VID:PID:S',
        ),
        (
            'kind = "busylight"\nport = "usb:10C4:EA60"',
            'line 21: port is "usb:10C4:EA60", a cp210x (Pepper C1 boards, ESP32 boards), expected the ids',
        ),
        (
            'kind = "busylight"\nport = "usb:0ab1:0004"',
            'line 21: port is "usb:0ab1:0004", a feig (FEIG CPR40 and',
        ),
    ],
)
def test_lights_have_names_of_their_own_kind(light: str, said: str) -> None:
    assert complaint(LIGHT + light + "\n").startswith(said)


def test_busylight_takes_ids() -> None:
    config = table(LIGHT + 'kind = "busylight"\nport = "usb:0e53:2516"\n')
    assert config.lights[0].port == "usb:0e53:2516"


@pytest.mark.parametrize("port", ["usb:0AB1:0004", "usb:0ab1:0004", "usb:0ab1:0004:91F3", "usb@1-1.3"])
def test_one_device_has_one_owner(port: str) -> None:
    more = (
        f'[[device]]\nname = "reader-2"\nkind = "feig_obid"\nport = "{port}"\nantennas = {{ 1 = "muck" }}\n'
    )
    owner = "burn-1" if "@" in port else "reader-1"
    said = f"line 21: port {port} belongs to {owner} already, expected a port of its own for reader-2."
    assert complaint(more) == said


def test_two_of_a_kind_are_told_apart_by_serial_numbers_or_paths() -> None:
    lights = "".join(
        f'[[light]]\nname = "l{n}"\nkind = "blink1"\nport = "{port}"\n'
        for n, port in enumerate(("usb:27b8:01ed:A", "usb:27b8:01ed:B", "usb@1-4"))
    )
    assert len(table(lights).lights) == 3


def test_the_touch_sensor_is_a_key_and_carries_the_light() -> None:
    keys = KEYS + 'port = "usb:191A:6001"\nkeys = { 1 = "acknowledge" }\n'
    config = table(keys + LIGHT + 'kind = "patlite_ne"\ndevice = "lamp-1"\n')
    assert config.devices[2].keys == {1: "acknowledge"}
    assert (config.lights[0].device, config.lights[0].port) == ("lamp-1", None)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (KEYS + 'port = "/dev/ttyUSB0"\n', 'line 21: port is "/dev/ttyUSB0", expected usb:VID:PID,'),
        (
            KEYS + 'port = "usb:191a:8003"\n',
            'line 21: port is "usb:191a:8003", which is no patlite_ne, expected usb:191a:6001.',
        ),
        (
            KEYS + 'port = "usb:191a:6001"\nkeys = { 2 = "cut" }\n',
            "line 22: key 2 does not exist, expected 1 to 1",
        ),
        (
            KEYS + 'port = "usb:191a:6001"\nantennas = { 1 = "muck" }\n',
            "line 22: a patlite_ne has no antennas, expected none at a patlite_ne.",
        ),
        (
            KEYS + 'port = "usb@1-1"\n' + LIGHT + 'kind = "patlite_ne"\ndevice = "lamp-1"\nlamp = 2\n',
            "line 26: a patlite_ne has one lamp, expected lamp = 1 or no such key.",
        ),
        (
            LIGHT + 'kind = "patlite_ne"\ndevice = "reader-1"\n',
            "line 21: reader-1 is a feig_obid and has no lamps, expected a patlite_ne [[device]].",
        ),
        (
            KEYS
            + 'port = "usb@1-1"\n'
            + LIGHT
            + 'kind = "patlite_ne"\ndevice = "lamp-1"\nport = "usb@1-2"\n',
            "line 26: dealer shares its device's port, expected device = NAME instead of port.",
        ),
    ],
)
def test_what_a_patlite_ne_is_not(more: str, said: str) -> None:
    assert complaint(more).startswith(said)
