"""Serial ports by vendor, product, serial number and USB path, on a made-up /sys."""

from pathlib import Path

import pytest

from shoe_bridge.adapters.byte_paths import open_path
from shoe_bridge.adapters.port_match import PortMatch, find_port, match_of, usb_serial_ports
from shoe_bridge.errors import PortError


def plug(
    root: Path,
    name: str,
    usb_path: str,
    ids: str = "1a86:7523",
    serial: str | None = None,
    interface: int = 0,
) -> None:
    """A serial port as the kernel shows it: tty -> the port of its driver -> interface -> USB device."""
    device = root / "sys/devices/pci0/usb1" / usb_path
    port = device / f"{usb_path}:1.{interface}" / name
    port.mkdir(parents=True)
    vendor, _, product = ids.partition(":")
    (device / "idVendor").write_text(vendor + "\n")
    (device / "idProduct").write_text(product + "\n")
    if serial is not None:
        (device / "serial").write_text(serial + "\n")
    tty = root / "sys/class/tty" / name
    tty.mkdir(parents=True)
    (tty / "device").symlink_to(port)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    plug(tmp_path, "ttyUSB0", "1-1.2")
    plug(tmp_path, "ttyUSB1", "1-1.3")
    plug(tmp_path, "ttyUSB2", "1-1.4", "10C4:EA60", "0001")
    onboard = tmp_path / "sys/class/tty/ttyAMA0"
    onboard.mkdir()
    (tmp_path / "sys/devices/uart").mkdir()
    (onboard / "device").symlink_to(tmp_path / "sys/devices/uart")
    (tmp_path / "sys/class/tty/tty1").mkdir()
    return tmp_path


def test_every_usb_serial_port_is_described(root: Path) -> None:
    ports = usb_serial_ports(root)
    assert [(port.path, port.usb_path) for port in ports] == [
        ("/dev/ttyUSB0", "1-1.2"),
        ("/dev/ttyUSB1", "1-1.3"),
        ("/dev/ttyUSB2", "1-1.4"),
    ]
    assert (ports[2].vendor, ports[2].product, ports[2].serial) == ("10c4", "ea60", "0001")
    assert ports[0].serial is None
    assert usb_serial_ports(root / "nowhere") == []


@pytest.mark.parametrize(
    ("match", "path"),
    [
        (PortMatch(usb_path="1-1.3"), "/dev/ttyUSB1"),
        (PortMatch("1a86", "7523", usb_path="1-1.2"), "/dev/ttyUSB0"),
        (PortMatch(vendor="10C4"), "/dev/ttyUSB2"),
        (PortMatch(serial="0001"), "/dev/ttyUSB2"),
    ],
)
def test_the_one_port_that_fits_is_found(root: Path, match: PortMatch, path: str) -> None:
    assert find_port(match, root) == path
    assert match_of(match.url) == match


def test_two_that_fit_are_named_with_what_tells_them_apart(root: Path) -> None:
    with pytest.raises(PortError) as told:
        find_port(PortMatch("1a86", "7523"), root)
    said = str(told.value)
    assert "2 serial ports have vendor 1a86, product 7523" in said
    assert "/dev/ttyUSB0 (1a86:7523 at USB path 1-1.2)" in said
    assert "/dev/ttyUSB1 (1a86:7523 at USB path 1-1.3)" in said
    assert 'add usb_path = "1-1.2"' in said


def test_two_ports_of_one_adapter_are_told_apart_by_their_interface(tmp_path: Path) -> None:
    for number in (0, 1):
        plug_second = tmp_path / "sys/devices/pci0/usb1/1-2" / f"1-2:1.{number}" / f"ttyUSB{number}"
        plug_second.mkdir(parents=True)
        tty = tmp_path / f"sys/class/tty/ttyUSB{number}"
        tty.mkdir(parents=True)
        (tty / "device").symlink_to(plug_second)
    for name, text in (("idVendor", "0403"), ("idProduct", "6010")):
        (tmp_path / "sys/devices/pci0/usb1/1-2" / name).write_text(text)
    assert find_port(PortMatch(usb_path="1-2:1.1"), tmp_path) == "/dev/ttyUSB1"
    with pytest.raises(PortError, match=r'usb_path = "1-2:1\.0"'):
        find_port(PortMatch(usb_path="1-2"), tmp_path)


def test_none_that_fits_names_those_that_are_there(root: Path, tmp_path: Path) -> None:
    with pytest.raises(PortError, match="no serial port has usb path 1-9; there are /dev/ttyUSB0"):
        find_port(PortMatch(usb_path="1-9"), root)
    with pytest.raises(PortError, match="there is none now: plug the device in"):
        find_port(PortMatch(usb_path="1-9"), tmp_path / "empty")


def test_a_match_is_looked_up_when_the_port_is_opened(root: Path) -> None:
    with pytest.raises(PortError, match="no serial port has serial 77"):
        open_path("match:serial=77", 9600, "N", False, root)
    with pytest.raises(PortError, match="ttyUSB1"):  # found there, and not in this host's /dev
        open_path("match:usb_path=1-1.3", 9600, "N", False, root)


@pytest.mark.parametrize("url", ["match:", "match:vendor=xyz", "match:colour=red"])
def test_a_bad_match_is_one_sentence(url: str, root: Path) -> None:
    with pytest.raises(PortError):
        open_path(url, 9600, "N", False, root)


@pytest.mark.parametrize("url", ["/dev/ttyUSB0", "socket://h:1", "usb:0ab1:0004"])
def test_other_ports_are_no_match(url: str) -> None:
    assert match_of(url) is None
