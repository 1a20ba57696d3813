"""What `doctor` says of a host: each trouble with its place and its fix, and the exit code."""

import json
from pathlib import Path

import msgspec
import pytest
import typer

from shoe_bridge.adapters import host as host_adapter
from shoe_bridge.adapters.bridges import RunningBridge
from shoe_bridge.adapters.host import Host, Program, RawUsb, SerialPort
from shoe_bridge.cli import doctor as verb
from shoe_bridge.cli.doctor_checks import Trouble, examine
from shoe_bridge.runtime.config import TableConfig, parse

GOOD = Host(
    ports=(),
    grabbers=(),
    uart_consoles=(),
    missing_rules=(),
    python=(3, 11, 2),
    state_folder="/var/lib/shoe-bridge",
    free_mib=20_000,
    is_clock_synchronised=True,
)
USB = SerialPort(
    "/dev/ttyUSB0", "USB Serial", usb_id="1a86:7523", location="1-1.2", chip="ch340", group="dialout"
)
BRAND_NEW = "/dev/shoe-bridge/reader-1"


def table(port: str = BRAND_NEW, light: str = "", kind: str = "lcus_relay") -> TableConfig:
    text = (
        '[table]\nid = "t"\ngame = "holdem"\nseats = 1\n'
        f'[[device]]\nname = "reader-1"\nkind = "pepper_c1"\nport = "{port}"\n'
        'antennas = { 1 = "seat 1", 2 = "board", 3 = "burn" }\n'
    )
    if light:
        text += f'[[light]]\nname = "dealer"\nkind = "{kind}"\nport = "{light}"\n'
    return parse(text, Path("t.toml"))


def host(**changes: object) -> Host:
    return msgspec.structs.replace(GOOD, **changes)


def port(**changes: object) -> SerialPort:
    return msgspec.structs.replace(USB, **changes)


def examined(found: Host, config: TableConfig | None = None, fault: str | None = None) -> list[Trouble]:
    return examine(found, config, fault_of=lambda path: fault)


def test_nothing_is_wrong_with_a_good_host() -> None:
    assert examined(GOOD) == []
    assert examined(host(ports=(USB,)), table("/dev/ttyUSB0")) == []


def test_port_that_may_not_be_opened() -> None:
    fix = "sudo usermod -aG dialout $USER, then log out and in again"
    (trouble,) = examined(host(ports=(port(permission_fix=fix),)))
    assert trouble == Trouble("/dev/ttyUSB0", "this user may not open it (group dialout)", fix)


def test_port_in_use() -> None:
    (trouble,) = examined(host(ports=(port(users=("minicom (pid 812)",)),)))
    assert trouble.what == "it is in use by minicom (pid 812)"
    assert trouble.fix == "stop that program: sudo kill 812"
    (trouble,) = examined(host(ports=(port(users=("ModemManager (pid 4)",)),)))
    assert trouble.fix == "sudo systemctl disable --now ModemManager"


BLINK = RawUsb("27b8:01ed", "1-2", "blink(1) lights", "A1", node="/dev/bus/usb/001/005")


def test_a_usb_device_that_may_not_be_opened_or_is_in_use() -> None:
    closed = msgspec.structs.replace(BLINK, permission_fix="sudo x", users=("blink1-tool (pid 7)",))
    refused, used = examined(host(raw_usb=(closed,)))
    what = "this user may not open /dev/bus/usb/001/005 (blink(1) lights)"
    assert refused == Trouble("usb@1-2", what, "sudo x")
    assert (used.where, used.what) == ("usb@1-2", "it is in use by blink1-tool (pid 7)")
    assert examined(host(raw_usb=(closed,)), table("socket://h:1")) == []  # not the table's
    with_light = table("socket://h:1", "usb:27b8:01ed", "blink1")
    assert examined(host(raw_usb=(closed,)), with_light) == [refused, used]


@pytest.mark.parametrize("light", ["usb:27b8:01ed", "usb:27b8:01ed:A1", "usb@1-2"])
def test_a_light_on_usb_is_looked_for(light: str) -> None:
    config = table("socket://h:1", light, "blink1")
    assert examined(host(raw_usb=(BLINK,)), config) == []
    (missing,) = examined(host(), config)
    assert missing == Trouble(light, "dealer: no such USB device is plugged in", "plug dealer in")
    other = msgspec.structs.replace(BLINK, usb_id="04d8:f372", usb_path="1-3")
    (missing,) = examined(host(raw_usb=(other,)), config)
    assert missing.fix == "plug dealer in, or name one that is there: usb@1-3 (blink(1) lights)"


def test_port_in_use_by_the_bridge_itself_is_well() -> None:
    mine = (RunningBridge(9, "/srv/t.toml"),)
    used = host(ports=(port(users=("shoe-bridge (pid 9)",)),), bridges=mine)
    (note,) = examined(used)
    assert (note.grave, note.where) == (False, "/dev/ttyUSB0")
    assert note.what == "the bridge of /srv/t.toml is running and has it open (pid 9), as it should"
    (note,) = examine(used, table("/dev/ttyUSB0"), lambda path: None, file=Path("/srv/x/../t.toml"))
    assert not note.grave
    assert note.what == "the bridge of this table is running and has it open (pid 9), as it should"


def test_port_in_use_by_the_bridge_of_another_table_or_by_another_verb_is_wrong() -> None:
    used = host(ports=(port(users=("shoe-bridge (pid 9)",)),), bridges=(RunningBridge(9, "/srv/u.toml"),))
    (trouble,) = examine(used, table("/dev/ttyUSB0"), lambda path: None, file=Path("/srv/t.toml"))
    assert trouble.grave
    assert trouble.what == "it is in use by the bridge of /srv/u.toml (pid 9)"
    assert trouble.fix.endswith("sudo kill 9")
    (trouble,) = examined(host(ports=(port(users=("shoe-bridge (pid 9)",)),)))
    assert (trouble.grave, trouble.fix) == (True, "stop that program: sudo kill 9")


def test_port_that_the_host_does_not_list_is_looked_at_too() -> None:
    used = examine(GOOD, table("/dev/pts/7"), lambda path: None, users_of=lambda path: ("x (pid 4)",))
    assert used == [Trouble("/dev/pts/7", "it is in use by x (pid 4)", "stop that program: sudo kill 4")]


def test_ports_that_the_table_does_not_name_are_not_judged() -> None:
    other = port(path="/dev/ttyUSB9", permission_fix="x", users=("minicom (pid 812)",))
    assert examined(host(ports=(USB, other)), table("/dev/ttyUSB0")) == []


def test_port_is_known_by_its_link() -> None:
    linked = port(links=(BRAND_NEW,), permission_fix="sudo x")
    (trouble,) = examined(host(ports=(linked,)), table(BRAND_NEW))
    assert trouble.where == "/dev/ttyUSB0"


def test_modemmanager_is_wrong_only_where_no_rule_keeps_it_off() -> None:
    mm = (Program("ModemManager", 4),)
    assert examined(host(grabbers=mm, ports=(USB,))) == []
    grave, note = examined(host(grabbers=mm, ports=(USB,), missing_rules=("60-shoe-bridge.rules",)))
    assert (grave.where, grave.grave) == ("ModemManager (pid 4)", True)
    assert grave.fix == "sudo systemctl disable --now ModemManager"
    assert not note.grave
    assert note.fix.startswith("sudo install -m 644 ")


def test_brltty_is_wrong_whenever_a_usb_port_is_there() -> None:
    brltty = (Program("brltty", 30),)
    (trouble,) = examined(host(grabbers=brltty, ports=(USB,)))
    assert trouble.grave
    assert "systemctl mask brltty-udev" in trouble.fix
    (trouble,) = examined(host(grabbers=brltty))
    assert not trouble.grave


def test_console_on_the_uart_is_wrong_for_a_table_that_uses_it() -> None:
    found = host(uart_consoles=("ttyAMA0",), ports=(SerialPort("/dev/ttyAMA0", ""),))
    (note,) = examined(found)
    assert not note.grave
    (trouble,) = examined(found, table("/dev/ttyAMA0"))
    assert trouble.grave
    assert "serial-getty@ttyAMA0" in trouble.fix


def test_clock_matters_to_a_table() -> None:
    (note,) = examined(host(is_clock_synchronised=False))
    assert not note.grave
    (trouble,) = examined(host(is_clock_synchronised=False), table())
    assert (trouble.grave, trouble.fix) == (True, "sudo timedatectl set-ntp true")


def test_disk_space() -> None:
    (trouble,) = examined(host(free_mib=100))
    assert trouble.grave
    assert trouble.what == "100 MiB free, the journal may need 512"
    (note,) = examined(host(free_mib=1000), table())
    assert not note.grave
    assert note.what == "1000 MiB free, the journal may need 2560"


def test_named_port_that_is_missing_is_given_its_name_by_a_rule() -> None:
    fault = f"{BRAND_NEW} does not exist; plug the device in."
    (trouble,) = examined(host(ports=(USB,)), table(), fault)
    assert trouble.where == BRAND_NEW
    assert trouble.what == f"reader-1: {BRAND_NEW} does not exist"
    assert 'KERNELS=="1-1.2", SYMLINK+="shoe-bridge/reader-1"' in trouble.fix
    assert trouble.fix.startswith("echo '")


@pytest.mark.parametrize(
    "ports", [(), (port(links=("/dev/shoe-bridge/keys-1",)),), (port(users=("shoe-bridge (pid 1)",)),)]
)
def test_port_that_is_taken_is_not_offered_for_the_name(ports: tuple[SerialPort, ...]) -> None:
    (trouble,) = examined(host(ports=ports), table(), "gone")
    assert trouble.fix == "plug reader-1 in, or correct its port"


def test_network_ports_are_left_to_run() -> None:
    assert examined(GOOD, table("socket://10.0.0.7:4001"), "would be wrong") == []


def test_two_names_of_one_port_are_found() -> None:
    linked = port(links=(BRAND_NEW,))
    (trouble,) = examined(host(ports=(linked,)), table(BRAND_NEW, light="/dev/ttyUSB0"))
    assert trouble.what == "dealer and reader-1 are both on this port"


def test_text_names_host_ports_and_each_trouble_on_its_line() -> None:
    found = host(ports=(USB,), free_mib=100, is_clock_synchronised=False)
    lines = list(verb.text_lines(found, examined(found)))
    assert lines == [
        "host: Python 3.11.2, 100 MiB free for /var/lib/shoe-bridge, clock not synchronised",
        "port: /dev/ttyUSB0: USB Serial, ch340 1a86:7523, at USB 1-1.2, group dialout",
        "WRONG: /var/lib/shoe-bridge: 100 MiB free, the journal may need 512; "
        "fix: free space there, or lower raw_cap_mib in [journal]",
        "note: clock: it is not synchronised, events carry wall times that are not trusted; "
        "fix: sudo timedatectl set-ntp true",
    ]
    assert list(verb.text_lines(GOOD, []))[1:] == ["port: none is plugged in", "nothing is wrong"]


def test_json_is_one_object_per_line_of_a_named_type() -> None:
    found = host(ports=(USB,), free_mib=100)
    objects = [json.loads(line) for line in verb.json_lines(found, examined(found))]
    assert [one["type"] for one in objects] == ["host", "port", "trouble"]
    assert objects[1]["usb_id"] == "1a86:7523"
    assert {"where", "what", "fix", "grave"} < objects[2].keys()


@pytest.mark.parametrize(("free_mib", "code"), [(20_000, 0), (100, 1)])
def test_exit_code_says_whether_something_is_wrong(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], free_mib: int, code: int
) -> None:
    monkeypatch.setattr(
        host_adapter, "inspect", lambda state: host(free_mib=free_mib, state_folder=str(state))
    )
    with pytest.raises(typer.Exit) as ended:
        verb.doctor(as_json=True, config=None, state=Path("/srv/state"))
    assert ended.value.exit_code == code
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert first["state_folder"] == "/srv/state"
