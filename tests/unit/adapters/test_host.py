"""What the host shows, on a made-up file tree."""

import os
from pathlib import Path

import pytest
from serial.tools.list_ports_common import ListPortInfo

from shoe_bridge.adapters import host, udev


def port(device: str, usb_id: str | None = None, serial: str | None = None) -> ListPortInfo:
    found = ListPortInfo(device, skip_link_detection=True)
    if usb_id:
        vendor, _, product = usb_id.partition(":")
        found.vid, found.pid = int(vendor, 16), int(product, 16)
        found.location, found.serial_number, found.product = "1-1.2", serial, "USB Serial"
    return found


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def program(root: Path, pid: int, name: str, cmdline: str = "", opens: tuple[str, ...] = ()) -> None:
    write(root / f"proc/{pid}/comm", name + "\n")
    write(root / f"proc/{pid}/cmdline", cmdline)
    for number, target in enumerate(opens):
        link = root / f"proc/{pid}/fd/{number}"
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(target)


def look(root: Path, *ports: ListPortInfo, may_open: bool = True) -> host.Host:
    return host.inspect(
        root,
        root,
        comports=lambda: ports,
        may_open=lambda path: may_open,
        is_clock_synchronised=lambda: True,
    )


def test_usb_port_is_described_with_its_chip_and_links(tmp_path: Path) -> None:
    (tmp_path / "dev/shoe-bridge").mkdir(parents=True)
    (tmp_path / "dev/serial/by-id").mkdir(parents=True)
    write(tmp_path / "dev/ttyUSB0", "")
    (tmp_path / "dev/shoe-bridge/reader-1").symlink_to("../ttyUSB0")
    (tmp_path / "dev/serial/by-id/usb-1a86").symlink_to("../../ttyUSB0")
    (tmp_path / "dev/serial/by-id/usb-other").symlink_to("../../ttyUSB1")
    (found,) = look(tmp_path, port("/dev/ttyUSB0", "1A86:7523", "A1")).ports
    assert (found.path, found.usb_id, found.chip) == ("/dev/ttyUSB0", "1a86:7523", "ch340")
    assert (found.serial, found.location, found.description) == ("A1", "1-1.2", "USB Serial")
    assert found.links == ("/dev/shoe-bridge/reader-1", "/dev/serial/by-id/usb-1a86")
    assert found.permission_fix is None
    assert found.users == ()


def test_port_on_the_board_has_no_usb_facts(tmp_path: Path) -> None:
    (found,) = look(tmp_path, port("/dev/ttyAMA0")).ports
    assert (found.usb_id, found.chip, found.location, found.serial) == (None, None, None, None)
    assert found.description == ""


def test_ports_come_in_the_order_of_their_paths(tmp_path: Path) -> None:
    paths = ["/dev/ttyUSB1", "/dev/ttyACM0", "/dev/ttyUSB0"]
    assert [one.path for one in look(tmp_path, *map(port, paths)).ports] == sorted(paths)


def test_port_that_may_not_be_opened_names_the_command(tmp_path: Path) -> None:
    (found,) = look(tmp_path, port("/dev/null", "0403:6001"), may_open=False).ports
    assert found.permission_fix is not None
    assert found.permission_fix.startswith("sudo ")


def test_process_that_has_the_port_open_is_named(tmp_path: Path) -> None:
    program(tmp_path, 812, "minicom", opens=("/dev/null", "/dev/ttyUSB7"))
    program(tmp_path, os.getpid(), "python", opens=("/dev/ttyUSB7",))
    (found,) = look(tmp_path, port("/dev/ttyUSB7")).ports
    assert found.users == ("minicom (pid 812)",)


def test_programs_that_grab_ports_are_found(tmp_path: Path) -> None:
    program(tmp_path, 30, "brltty")
    program(tmp_path, 4, "ModemManager")
    program(tmp_path, 5, "bash")
    assert look(tmp_path).grabbers == (host.Program("ModemManager", 4), host.Program("brltty", 30))


@pytest.mark.parametrize(
    ("cmdline", "uarts"),
    [
        ("console=serial0,115200 console=tty1 root=/dev/mmcblk0p2", ("ttyAMA0",)),
        ("quiet console=ttyS0 splash", ("ttyS0",)),
        ("console=tty1 fbcon=map:10 root=/dev/ttyS0", ()),
        ("", ()),
    ],
)
def test_kernel_console_on_a_uart_is_found(tmp_path: Path, cmdline: str, uarts: tuple[str, ...]) -> None:
    write(tmp_path / "proc/cmdline", cmdline)
    write(tmp_path / "dev/ttyAMA0", "")
    (tmp_path / "dev/serial0").symlink_to("ttyAMA0")
    assert host.uart_consoles(tmp_path) == uarts


def test_login_on_a_uart_is_found(tmp_path: Path) -> None:
    program(tmp_path, 9, "agetty", "/sbin/agetty\0-o\0--\0115200\0ttyAMA0\0vt220\0")
    program(tmp_path, 10, "agetty", "/sbin/agetty\0tty1\0linux\0")
    program(tmp_path, 11, "minicom", "minicom\0-D\0/dev/ttyS0\0")
    assert host.uart_consoles(tmp_path) == ("ttyAMA0",)


def test_rules_are_missing_until_they_stand_in_a_folder_of_udev(tmp_path: Path) -> None:
    assert host.missing_rules(tmp_path) == (udev.RULES_FILE, udev.BRLTTY_RULES_FILE)
    write(tmp_path / "usr/lib/udev/rules.d" / udev.RULES_FILE, "")
    assert host.missing_rules(tmp_path) == (udev.BRLTTY_RULES_FILE,)
    write(tmp_path / "etc/udev/rules.d" / udev.BRLTTY_RULES_FILE, "")
    assert host.missing_rules(tmp_path) == ()


def test_free_space_of_a_folder_that_is_not_there_yet_is_that_of_its_disk(tmp_path: Path) -> None:
    assert host.free_mib(tmp_path / "a/b/c") > 0


def test_usb_devices_without_a_serial_port_are_those_of_our_table(tmp_path: Path) -> None:
    for path, ids, serial in (("1-1.2", "0AB1:0004", "77"), ("1-1.3", "046d:c52b", ""), ("usb1", "", "")):
        vendor, _, product = ids.partition(":")
        folder = tmp_path / "sys/bus/usb/devices" / path
        write(folder / "idVendor", vendor + "\n")
        write(folder / "idProduct", product + "\n")
        if serial:
            write(folder / "serial", serial + "\n")
            write(folder / "busnum", "1\n")
            write(folder / "devnum", "12\n")
    program(tmp_path, 812, "other", opens=("/dev/bus/usb/001/012",))
    (found,) = look(tmp_path).raw_usb
    assert (found.usb_id, found.usb_path, found.serial) == ("0ab1:0004", "1-1.2", "77")
    assert "FEIG" in found.serves
    assert (found.node, found.users) == ("/dev/bus/usb/001/012", ("other (pid 812)",))
    assert found.permission_fix is None
    (closed,) = look(tmp_path, may_open=False).raw_usb
    assert "60-shoe-bridge.rules" in str(closed.permission_fix)
    write(tmp_path / "etc/udev/rules.d/60-shoe-bridge.rules", "")
    (closed,) = look(tmp_path, may_open=False).raw_usb
    assert str(closed.permission_fix).startswith("sudo ch")


def test_empty_tree_is_a_host_with_nothing(tmp_path: Path) -> None:
    found = look(tmp_path)
    assert (found.ports, found.grabbers, found.uart_consoles) == ((), (), ())
    assert found.python >= (3, 11, 0)
    assert found.is_clock_synchronised


def test_this_host_can_be_looked_at(tmp_path: Path) -> None:
    found = host.inspect(tmp_path)
    assert found.state_folder == str(tmp_path)
    assert any(one.pid == os.getpid() for one in host.programs())
