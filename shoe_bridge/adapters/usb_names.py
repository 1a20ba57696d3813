"""Names of USB devices in a configuration: by what they are, or by the socket that they sit in.

usb:27b8:01ed          the one device with these ids, vendor and product, in hex
usb:27b8:01ed:2A3B4C   of several such, the one with this serial number
usb@1-1.2              what is plugged into port 2 of the hub at port 1 of bus 1: the kernel's USB path
"""

import re

import msgspec

_BY_ID = re.compile(r"usb:([0-9A-Fa-f]{4}):([0-9A-Fa-f]{4})(?::([!-~]{1,64}))?")
_BY_PATH = re.compile(r"usb@([0-9]{1,3}-[0-9]{1,3}(?:\.[0-9]{1,3}){0,6})")


class UsbName(msgspec.Struct, frozen=True):
    """`usb_id` as `27b8:01ed`, lower case, with `serial` or without; or `path` as `1-1.2`."""

    usb_id: str | None = None
    serial: str | None = None
    path: str | None = None


def is_usb(port: str) -> bool:
    """Whether `port` means to name a USB device, well or badly."""
    return port.startswith(("usb:", "usb@"))


def usb_name(port: str) -> UsbName | None:
    """What `port` names; None when it is no name of a USB device."""
    by_id = _BY_ID.fullmatch(port)
    if by_id:
        return UsbName(f"{by_id[1]}:{by_id[2]}".lower(), by_id[3])
    by_path = _BY_PATH.fullmatch(port)
    return UsbName(path=by_path[1]) if by_path else None


def may_be_same(one: UsbName, other: UsbName) -> bool:
    """Whether both names may be found to name the same device. Of an id and a path nobody can say: no."""
    if one.path or other.path:
        return one.path == other.path
    if one.usb_id != other.usb_id:
        return False
    return one.serial is None or other.serial is None or one.serial == other.serial
