"""Serial ports by what they are instead of what they are called: vendor, product, serial number, USB path.

    match = { vendor = "1a86", product = "7523", usb_path = "1-1.2" }

becomes the port `match:vendor=1a86,product=7523,usb_path=1-1.2`, which is looked up in /sys each time that it
is opened: the kernel numbers ttyUSB ports anew whenever one is plugged in. Exactly one port has to fit.
"""

import os
import re
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from shoe_bridge.errors import PortError

PREFIX = "match:"
_USB_DEVICE = re.compile(r"[0-9]+-[0-9]+(?:\.[0-9]+)*")
_USB_INTERFACE = re.compile(r"[0-9]+-[0-9]+(?:\.[0-9]+)*:[0-9]+\.[0-9]+")

UsbId = Annotated[
    str, Meta(pattern=r"^[0-9A-Fa-f]{4}\Z", description='four hex digits in quotes such as "1a86"')
]
SerialNumber = Annotated[
    str, Meta(pattern=r"^[!-+\--~]{1,64}\Z", description="a serial number of up to 64 characters, no comma")
]
UsbPath = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{1,3}-[0-9]{1,3}(\.[0-9]{1,3}){0,6}(:[0-9]{1,2}\.[0-9]{1,2})?\Z",
        description='a USB path such as "1-1.2", as `shoe-bridge doctor` shows it',
    ),
]


class PortMatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a serial port must be. `vendor` and `product` are USB ids in hex, `usb_path` is the socket
    (`1-1.2`), with an interface (`1-1.2:1.0`) where one adapter has several ports."""

    vendor: UsbId | None = None
    product: UsbId | None = None
    serial: SerialNumber | None = None
    usb_path: UsbPath | None = None

    @property
    def url(self) -> str:
        return PREFIX + ",".join(f"{name}={value}" for name, value in self._asked())

    @property
    def words(self) -> str:
        return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in self._asked())

    def _asked(self) -> list[tuple[str, str]]:
        named = [(name, getattr(self, name)) for name in self.__struct_fields__]
        return [(name, value) for name, value in named if value is not None]


class UsbSerialPort(msgspec.Struct, frozen=True):
    """A serial port behind a USB device, as /sys describes it; ids in lower-case hex."""

    path: str
    vendor: str
    product: str
    serial: str | None
    usb_path: str
    interface: str

    @property
    def words(self) -> str:
        number = f" with serial number {self.serial}" if self.serial else ""
        return f"{self.path} ({self.vendor}:{self.product}{number} at USB path {self.usb_path})"


def match_of(url: str) -> PortMatch | None:
    """The match that a port `match:...` asks for; None for any other port. Raises PortError on a bad one."""
    if not url.startswith(PREFIX):
        return None
    parts = dict(part.partition("=")[::2] for part in url.removeprefix(PREFIX).split(","))
    try:
        return msgspec.convert(parts, PortMatch)
    except msgspec.ValidationError:
        raise PortError(
            f'{url} is no match for a port; write `match = {{ vendor = "1a86", ... }}`.'
        ) from None


def usb_serial_ports(root: Path = Path("/")) -> list[UsbSerialPort]:
    """All serial ports behind USB devices, in the order of their names."""
    try:
        names = sorted(os.listdir(root / "sys/class/tty"))
    except OSError:
        return []
    return [port for name in names if (port := _usb_port(root, name)) is not None]


def find_port(match: PortMatch, root: Path = Path("/")) -> str:
    """The path of the one port that fits. Raises PortError when none or several do, naming those that are
    there and what would tell them apart."""
    ports = usb_serial_ports(root)
    fitting = [port for port in ports if _fits(port, match)]
    if len(fitting) == 1:
        return fitting[0].path
    if not fitting:
        there = "; there are " + ", ".join(port.words for port in ports) if ports else "; there is none now"
        raise PortError(
            f"no serial port has {match.words}{there}: plug the device in, or correct its `match` in the "
            "configuration."
        )
    there = " and ".join(port.words for port in fitting)
    raise PortError(
        f"{len(fitting)} serial ports have {match.words}: {there}; add "
        f"{_difference(fitting)} to `match` in the configuration."
    )


def _fits(port: UsbSerialPort, match: PortMatch) -> bool:
    wanted = (match.vendor or port.vendor).lower(), (match.product or port.product).lower()
    return (
        wanted == (port.vendor, port.product)
        and match.serial in (None, port.serial)
        and match.usb_path in (None, port.usb_path, port.interface)
    )


def _difference(ports: list[UsbSerialPort]) -> str:
    """What would name the first of them alone: the socket, since clones share their serial numbers."""
    first = ports[0]
    paths = {port.usb_path for port in ports}
    return (
        f'usb_path = "{first.usb_path if len(paths) == len(ports) else first.interface}", or that of another,'
    )


def _usb_port(root: Path, name: str) -> UsbSerialPort | None:
    link = root / "sys/class/tty" / name / "device"
    if not link.exists():
        return None
    interface = ""
    folder = Path(os.path.realpath(link))
    top = Path(os.path.realpath(root / "sys"))
    while folder != folder.parent and folder.is_relative_to(top):
        if _USB_INTERFACE.fullmatch(folder.name):
            interface = folder.name
        if _USB_DEVICE.fullmatch(folder.name) and (folder / "idVendor").is_file():
            return UsbSerialPort(
                path=f"/dev/{name}",
                vendor=_text(folder / "idVendor").lower(),
                product=_text(folder / "idProduct").lower(),
                serial=_text(folder / "serial") or None,
                usb_path=folder.name,
                interface=interface or folder.name,
            )
        folder = folder.parent
    return None


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""
