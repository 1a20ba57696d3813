"""The USB adapters that table devices sit behind, and the udev rules that follow from them.

One table serves `doctor` (what is this port?) and the rules files in `udev/`: a new serial adapter is one new
line here, a device that is reached over USB itself one in `shoe_bridge/usb_kinds.py`. The rules do four
things for each: a stable link under /dev/shoe-bridge (of a serial port), access for the group of serial
ports, no suspend, and no other program: ModemManager talks AT commands at any new port, brltty takes common
USB serial chips for Braille displays and takes the port away.
"""

import re
import shlex
import sys
import sysconfig
from pathlib import Path

import msgspec

from shoe_bridge.usb_kinds import all_ids

GROUP = "dialout"
FOLDER = "/dev/shoe-bridge"
RULES_FILE = "60-shoe-bridge.rules"
BRLTTY_RULES_FILE = "98-shoe-bridge-brltty.rules"
NAMES_FILE = "/etc/udev/rules.d/61-shoe-bridge-names.rules"
RELOAD = "sudo udevadm control --reload && sudo udevadm trigger"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_LOCATION = re.compile(r"[0-9]+-[0-9.]+(?::[0-9.]+)?")


class UsbAdapter(msgspec.Struct, frozen=True):
    """`vendor` and `product` are the USB ids as four lower-case hex digits. `is_serial`: the kernel makes a
    tty of it, otherwise it is reached as a raw USB device. `serves`: the table devices built with it."""

    chip: str
    vendor: str
    product: str
    serves: str
    is_serial: bool = True


ADAPTERS: tuple[UsbAdapter, ...] = (
    UsbAdapter("ch340", "1a86", "7523", "relay boards (LCUS), PN532 boards, Arduino clones"),
    UsbAdapter("ch9102", "1a86", "55d4", "ESP32 boards"),
    UsbAdapter("ft232", "0403", "6001", "RS-232 cables of shoes and readers"),
    UsbAdapter("ft231x", "0403", "6015", "RS-232 cables, reader boards"),
    UsbAdapter("cp210x", "10c4", "ea60", "Pepper C1 boards, ESP32 boards"),
    UsbAdapter("pl2303", "067b", "2303", "RS-232 cables"),
    UsbAdapter("rp2040", "2e8a", "000a", "tablelink firmware on a Raspberry Pi Pico"),
    UsbAdapter("esp32", "303a", "1001", "tablelink firmware on an ESP32 with USB of its own"),
    *(UsbAdapter(one.name, one.vendor, one.product, one.serves, is_serial=False) for one in all_ids()),
)

_HEAD = """\
# Made from the adapter table in shoe_bridge/adapters/udev.py, and held equal to it by a test.
# {purpose}
"""

_RULES_PURPOSE = """\
Goes to /etc/udev/rules.d. Must sort behind 60-serial.rules, which finds ID_PATH_TAG and ID_SERIAL_SHORT.
#
# Links: /dev/shoe-bridge/CHIP-USBPATH always; /dev/shoe-bridge/by-serial/CHIP-SERIAL where the chip has a
# serial number (many clones all have the same one: trust the path). The names that the house gives its
# devices go to 61-shoe-bridge-names.rules."""

_BRLTTY_PURPOSE = """\
Goes to /etc/udev/rules.d. Must sort behind the rules of brltty (85 or 90) to undo what they asked for,
# and before 99-systemd.rules. A Braille display with such a chip is not started on this host any more."""


def rules_text() -> str:
    """The whole text of `60-shoe-bridge.rules`."""
    blocks = [_HEAD.format(purpose=_RULES_PURPOSE), 'ACTION=="remove", GOTO="shoe_bridge_end"\n']
    blocks += [_adapter_rules(adapter) for adapter in ADAPTERS]
    blocks.append('LABEL="shoe_bridge_end"\n')
    return "\n".join(blocks)


def brltty_rules_text() -> str:
    """The whole text of `98-shoe-bridge-brltty.rules`."""
    lines = "".join(
        f"{_usb_device(adapter)}, "
        'ENV{BRLTTY_BRAILLE_DRIVER}=="?*", ENV{BRLTTY_BRAILLE_DRIVER}="", ENV{SYSTEMD_WANTS}=""\n'
        for adapter in ADAPTERS
    )
    return _HEAD.format(purpose=_BRLTTY_PURPOSE) + "\n" + lines


def adapter_of(usb_id: str | None) -> UsbAdapter | None:
    """The adapter with that id, written `1a86:7523` in either case; None for one that is not in the table."""
    wanted = (usb_id or "").lower()
    return next((adapter for adapter in ADAPTERS if f"{adapter.vendor}:{adapter.product}" == wanted), None)


def install_command() -> str:
    """The command that puts our rules files into udev's folder, from where they lie on this host."""
    installed = Path(sysconfig.get_path("data")) / "share" / "shoe-bridge" / "udev"
    folder = installed if installed.is_dir() else Path(__file__).parents[2] / "udev"
    files = " ".join(shlex.quote(str(folder / name)) for name in (RULES_FILE, BRLTTY_RULES_FILE))
    return f"sudo install -m 644 {files} /etc/udev/rules.d/ && {RELOAD}"


def name_rule(name: str, location: str) -> str:
    """The rule that gives the port at USB path `location` (`1-1.2`) the link `/dev/shoe-bridge/NAME`.

    The path is the socket: the name stays with the socket when boxes are exchanged. Raises ValueError for a
    name or path that udev could not take.
    """
    if not _NAME.fullmatch(name) or not _LOCATION.fullmatch(location):
        raise ValueError(f"no udev rule can be made for the name {name!r} at the USB path {location!r}")
    return f'SUBSYSTEM=="tty", SUBSYSTEMS=="usb", KERNELS=="{location}", SYMLINK+="shoe-bridge/{name}"'


def _adapter_rules(adapter: UsbAdapter) -> str:
    device = _usb_device(adapter)
    # the node of the whole USB device is only opened where no tty is made of it
    access = "" if adapter.is_serial else f', GROUP="{GROUP}", MODE="0660"'
    lines = [
        f"# {adapter.chip}: {adapter.serves}",
        f'{device}, ENV{{ID_MM_DEVICE_IGNORE}}="1"{access}',
        f'{device}, ACTION=="add", TEST=="power/control", ATTR{{power/control}}="on"',
    ]
    if adapter.is_serial:
        tty = (
            'SUBSYSTEM=="tty", SUBSYSTEMS=="usb", '
            f'ATTRS{{idVendor}}=="{adapter.vendor}", ATTRS{{idProduct}}=="{adapter.product}"'
        )
        link = f"shoe-bridge/{adapter.chip}-$env{{ID_PATH_TAG}}"
        serial_link = f"shoe-bridge/by-serial/{adapter.chip}-$env{{ID_SERIAL_SHORT}}"
        lines += [
            f'{tty}, ENV{{ID_MM_PORT_IGNORE}}="1", GROUP="{GROUP}", MODE="0660"',
            f'{tty}, ENV{{ID_PATH_TAG}}=="?*", SYMLINK+="{link}"',
            f'{tty}, ENV{{ID_SERIAL_SHORT}}=="?*", SYMLINK+="{serial_link}"',
        ]
    return "\n".join(lines) + "\n"


def _usb_device(adapter: UsbAdapter) -> str:
    return (
        'SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", '
        f'ATTR{{idVendor}}=="{adapter.vendor}", ATTR{{idProduct}}=="{adapter.product}"'
    )


def write_rules(folder: Path) -> None:
    """Write both rules files into `folder`. Raises OSError."""
    (folder / RULES_FILE).write_text(rules_text())
    (folder / BRLTTY_RULES_FILE).write_text(brltty_rules_text())


if __name__ == "__main__":
    write_rules(Path(sys.argv[1]))
