"""What `doctor` says of the ports: the three levels, adapters that look alike, a suggested configuration."""

import json
import tomllib
from pathlib import Path

import msgspec
import pytest

from protocol import tablelink
from protocol.messages import Hello, Stamp
from shoe_bridge.adapters.bridges import RunningBridge
from shoe_bridge.adapters.host import Host, RawUsb, SerialPort
from shoe_bridge.adapters.port_match import PortMatch
from shoe_bridge.cli import doctor as verb
from shoe_bridge.cli.doctor_checks import Trouble, examine, real_path
from shoe_bridge.cli.doctor_ports import numbered_troubles, probe_troubles, twin_troubles, unprobed_troubles
from shoe_bridge.cli.doctor_probe import DeviceProbe, Heard, may_be_listened_to, sounds_like
from shoe_bridge.cli.doctor_suggest import suggestion
from shoe_bridge.runtime.config import DeviceConfig, TableConfig, parse

HOST = Host((), (), (), (), (3, 11, 2), "/var/lib/shoe-bridge", 20_000, True)
USB = SerialPort("/dev/ttyUSB0", "USB Serial", usb_id="1a86:7523", location="1-1.2", chip="ch340")
TWIN = msgspec.structs.replace(USB, path="/dev/ttyUSB1", location="1-1.3")
MUX = SerialPort("/dev/ttyUSB2", "CP2102N", usb_id="10c4:ea60", serial="9A7", location="1-1.4", chip="cp210x")
HELLO = tablelink.encode(Hello("0011223344556677", "1.0.0", 7, ("keys",), keys=3), Stamp(0, False, False, 5))
PROBE = DeviceProbe("reader-1", "tablelink", "/dev/x", True, received=10, frames=1, verified=True)


def host(*ports: SerialPort, **changes: object) -> Host:
    return msgspec.structs.replace(HOST, ports=ports, **changes)


def probe(**changes: object) -> DeviceProbe:
    return msgspec.structs.replace(PROBE, **changes)


def table(where: str) -> TableConfig:
    text = (
        '[table]\nid = "t"\ngame = "holdem"\nseats = 1\n[[device]]\nname = "reader-1"\nkind = "pepper_c1"\n'
    )
    return parse(f'{text}{where}\nantennas = {{ 1 = "seat 1", 2 = "board", 3 = "burn" }}\n', Path("t.toml"))


# -- the three levels


def test_a_device_that_is_proven_is_no_trouble() -> None:
    assert list(probe_troubles([PROBE])) == []


@pytest.mark.parametrize("kind", ["angel_eye", "bee_tek"])
def test_a_shoe_that_is_listened_to_only_is_a_note_with_what_to_do(kind: str) -> None:
    (trouble,) = probe_troubles([probe(kind=kind, received=0, frames=0, verified=False)])
    assert not trouble.grave
    assert trouble.what.startswith("it is listened to only")
    assert trouble.fix.startswith("draw a card or press a button on the shoe while doctor listens")


@pytest.mark.parametrize(
    ("changes", "what", "fix"),
    [
        ({"received": 0, "frames": 0}, "no byte came from it (level 1 of 3", "its power and its cable"),
        ({"frames": 0}, "10 bytes came and no frame of a tablelink (level 2 of 3", "its `kind` or `baud`"),
        ({"frames": 0, "sounds_like": ("pn532",)}, "they are frames of a pn532", 'write kind = "pn532"'),
        (
            {"trouble": "reader-1 says that it is device A where B is expected: plug the right device in"},
            "reader-1 says that it is device A where B is expected",
            "plug the right device in",
        ),
        (
            {"is_open": False, "trouble": "/dev/x is in use by cat; stop that."},
            "/dev/x is in use",
            "stop that",
        ),
        ({"is_open": False, "trouble": "no port has it: plug it in."}, "no port has it", "plug it in"),
    ],
)
def test_the_first_level_that_fails_is_named_with_its_fix(
    changes: dict[str, object], what: str, fix: str
) -> None:
    (trouble,) = probe_troubles([probe(**changes)])
    assert what in trouble.what
    assert fix in trouble.fix
    assert (trouble.grave, trouble.where) == (True, "reader-1 at /dev/x")


def test_a_port_that_ended_by_itself_says_why() -> None:
    why = "its serial server hung up at once"
    taken = DeviceProbe("r", "pepper_c1", "socket://h:1", is_open=True, trouble=why, is_lost=True)
    (trouble,) = probe_troubles([taken])
    assert (trouble.what, trouble.fix) == (
        why,
        "end the program that it serves, or allow a second connection in it",
    )
    pulled = DeviceProbe("r", "pepper_c1", "/dev/x", is_open=True, trouble="it was unplugged", is_lost=True)
    (trouble,) = probe_troubles([pulled])
    assert (trouble.what, trouble.fix) == ("it was unplugged", "connect r again")
    (trouble,) = probe_troubles([DeviceProbe("r", "pepper_c1", "socket://h:1", is_open=True)])
    assert "keeps a second program waiting, end the program" in trouble.fix


def test_a_shoe_may_be_silent_until_a_card_comes() -> None:
    (trouble,) = probe_troubles([probe(kind="bee_tek", received=0, frames=0)])
    assert not trouble.grave


def test_the_levels_stand_on_one_line() -> None:
    (line,) = [line for line in verb.text_lines(HOST, [], [PROBE]) if line.startswith("device:")]
    assert line == "device: reader-1 (tablelink at /dev/x): 10 bytes, 1 frame, 0 events; proven and alive"


def test_json_has_a_line_for_each_device_and_each_port_that_was_heard() -> None:
    heard = Heard("/dev/ttyUSB0", 12, 9600, "N", ("bee_tek",))
    found = host(USB, raw_usb=(RawUsb("27b8:01ed", "1-2", "blink(1) lights"),))
    lines = [json.loads(line) for line in verb.json_lines(found, [], [PROBE], [heard])]
    assert [line["type"] for line in lines] == ["host", "port", "usb", "device", "heard"]
    assert lines[3]["frames"] == 1
    assert lines[4]["sounds_like"] == ["bee_tek"]


# -- what it sounds like


def test_frames_tell_the_kind_and_noise_tells_none() -> None:
    assert sounds_like(HELLO * 3) == ("tablelink",)
    assert sounds_like(b"<Card:4S>\r\n<Card:10D>\r\n")[0] == "bee_tek"
    assert "text_line" in sounds_like(b"[Channel] 0 [UID: 04 0e 3b d2 28 6b 85]\r\n")
    assert sounds_like(b"login: \r\n") == ()
    assert sounds_like(bytes(range(256))) == ()
    assert sounds_like(b"") == ()


@pytest.mark.parametrize(
    "port",
    [
        msgspec.structs.replace(USB, users=("minicom (pid 4)",)),
        msgspec.structs.replace(USB, permission_fix="sudo x"),
        SerialPort("/dev/ttyS0", ""),
    ],
)
def test_a_port_that_is_not_free_is_not_listened_to(port: SerialPort) -> None:
    assert may_be_listened_to(USB, HOST)
    assert not may_be_listened_to(port, HOST)


# -- which is which


def test_identical_adapters_are_told_apart_by_their_paths() -> None:
    linked = msgspec.structs.replace(USB, links=("/dev/serial/by-path/pci-usb-0:1.2:1.0-port0",))
    (trouble,) = twin_troubles(host(linked, TWIN, MUX))
    assert trouble.where == "/dev/ttyUSB0 and /dev/ttyUSB1"
    assert "1a86:7523, no serial number" in trouble.what
    assert 'port = "/dev/serial/by-path/pci-usb-0:1.2:1.0-port0"' in trouble.fix
    assert 'match = { usb_path = "1-1.3" } for /dev/ttyUSB1' in trouble.fix
    assert not trouble.grave
    assert list(twin_troubles(host(USB, MUX))) == []


def test_a_port_that_is_named_by_its_number_is_a_note() -> None:
    (trouble,) = numbered_troubles(host(USB), table('port = "/dev/ttyUSB0"'))
    assert "changes with the order of plugging in" in trouble.what
    assert list(numbered_troubles(host(USB), table('port = "/dev/shoe-bridge/reader-1"'))) == []


def test_a_match_leads_to_its_port() -> None:
    found = host(USB, TWIN, MUX)
    assert real_path("match:vendor=10C4", found) == "/dev/ttyUSB2"
    assert real_path("match:usb_path=1-1.3", found) == "/dev/ttyUSB1"
    assert examine(found, table('match = { serial = "9A7" }')) == []


@pytest.mark.parametrize(
    ("match", "what", "fix"),
    [
        (
            '{ vendor = "1a86" }',
            "/dev/ttyUSB0 and /dev/ttyUSB1 all have vendor 1a86",
            'usb_path = "1-1.2" or',
        ),
        ('{ serial = "77" }', "no serial port has serial 77", "plug reader-1 in, or correct its match"),
    ],
)
def test_a_match_that_does_not_name_one_port_is_wrong(match: str, what: str, fix: str) -> None:
    (trouble,) = examine(host(USB, TWIN, MUX), table(f"match = {match}"))
    assert trouble.what == what
    assert fix in trouble.fix
    assert isinstance(trouble, Trouble)


# -- suggest


def test_a_suggestion_is_a_configuration_and_marks_its_guesses() -> None:
    heard = [Heard("/dev/ttyUSB1", 40, 115_200, "N", ("tablelink",))]
    found = host(USB, TWIN, MUX, raw_usb=(RawUsb("27b8:01ed", "1-2", "blink(1) lights"),))
    text = suggestion(found, heard)
    config = parse(text, Path("t.toml"))
    assert [(device.kind, device.port) for device in config.devices] == [
        ("pn532", "match:vendor=1a86,product=7523,usb_path=1-1.2"),
        ("tablelink", "match:vendor=1a86,product=7523,usb_path=1-1.3"),
        ("pepper_c1", "match:vendor=10c4,product=ea60,serial=9A7"),
    ]
    places = [place for device in config.devices for place in device.antennas.values()]
    assert sorted(places) == sorted(["board", "burn", *(f"seat {seat}" for seat in range(1, 10))])
    assert [(light.kind, light.port) for light in config.lights] == [("blink1", "usb@1-2")]
    assert "its frames were heard at 115200 N" in text
    assert 'kind = "pepper_c1"   # guess: behind a cp210x' in text


@pytest.mark.parametrize(
    ("kind", "baud", "parity"),
    [("text_line", 115_200, "N"), ("feig_obid", 38_400, "N"), ("pn532", 115_200, "N")],
)
def test_a_suggestion_opens_a_port_as_it_was_heard(kind: str, baud: int, parity: str) -> None:
    heard = [Heard("/dev/ttyUSB0", 40, baud, parity, (kind,))]
    (device,) = tomllib.loads(suggestion(host(USB), heard))["device"]
    device["match"] = PortMatch(**device["match"])
    device["antennas"] = {}
    config = DeviceConfig(**device)
    assert (config.kind, config.baud, config.parity) == (kind, baud, parity)


def test_a_suggestion_for_nothing_says_so() -> None:
    assert "Nothing is plugged in" in suggestion(HOST, [])


def test_too_few_antennas_are_said() -> None:
    text = suggestion(host(USB), [])
    assert "A table needs an antenna for each seat" in text


def test_a_keypad_that_said_nothing_waits_for_a_key_and_a_reader_for_a_card() -> None:
    keypad = DeviceProbe("pad-1", "hid_keyboard", "usb:1189:8890", is_open=True, verified=True, has_keys=True)
    wedge = msgspec.structs.replace(keypad, has_keys=False)
    pressed, laid = probe_troubles([keypad, wedge])
    assert (pressed.what, pressed.fix) == (
        "it said nothing, which such a device may do until a key is pressed",
        "press a key of it and run doctor once more",
    )
    assert laid.fix == "lay a card on it and run doctor once more"
    assert not pressed.grave


def test_a_keypad_whose_reports_do_not_fit_has_another_layout() -> None:
    (trouble,) = probe_troubles([DeviceProbe("pad-1", "hid_keyboard", "usb@1-1", True, received=9, junk=1)])
    assert "9 bytes came and no frame of a hid_keyboard" in trouble.what
    assert trouble.fix.startswith("correct its `kind` or `layout`; ")


@pytest.mark.parametrize("port", ["socket://10.0.0.7:4001", "rfc2217://10.0.0.7:4001"])
def test_a_network_device_that_the_running_bridge_has_is_told_of(port: str) -> None:
    found = host(bridges=(RunningBridge(9, "/srv/t.toml"),))
    (note,) = unprobed_troubles(found, table(f'port = "{port}"'), Path("/srv/t.toml"))
    assert note.where == f"reader-1 at {port}"
    assert "(pid 9): it is not probed" in note.what
    assert not note.grave
    assert list(unprobed_troubles(found, table(f'port = "{port}"'), Path("/srv/other.toml"))) == []
    assert list(unprobed_troubles(found, table('port = "/dev/ttyUSB0"'), Path("/srv/t.toml"))) == []


def test_a_device_that_connected_and_says_nothing_has_power() -> None:
    (trouble,) = probe_troubles([probe(port="listen://0.0.0.0:10001", received=0, frames=0, verified=False)])
    assert trouble.what.startswith("it connected, and no byte came from it")
    assert "power" not in trouble.fix
