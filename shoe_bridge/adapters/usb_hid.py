"""What an interface of class HID says of itself: which one types, how long its reports are, and how it is
told to send the short ones of the boot keyboard. Source: USB HID 1.11, 4.2, 4.3, 5.5, 6.2.2, 7.2, appendix B.

One report is one transfer, of several packets where it is long: a packet that is not full ends it, and the
longest report ends it without one. So the host must ask for as many bytes as that one has, or a long report
would come in as several short ones.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import usb.core

from shoe_bridge.adapters import usb_faults
from shoe_bridge.usb_kinds import HID_CLASS

BOOT_BYTES = 8  # of a boot keyboard's report
BOOT_SUBCLASS, KEYBOARD, MOUSE = 0x01, 0x01, 0x02
BOOT_PROTOCOL, REPORT_PROTOCOL = 0, 1
_SET_PROTOCOL, _GET_PROTOCOL, _GET_DESCRIPTOR = 0x0B, 0x03, 0x06
_TO_INTERFACE, _FROM_INTERFACE, _OF_INTERFACE = 0x21, 0xA1, 0x81
_REPORT_DESCRIPTOR = 0x2200
_LONGEST_DESCRIPTOR, _LONGEST_REPORT = 4096, 1024  # bytes; more is no keyboard's, and no memory's
_UNTOLD = 128  # bytes by which a report may be longer than its device says, and still come in as one
_DESKTOP = 0x01
_NO_KEYBOARDS = {0x01: "a pointer", 0x02: "a mouse", 0x04: "a joystick", 0x05: "a game pad"}
_KEYBOARDS = {0x06, 0x07}
_CLASSES = {
    0x01: "a sound device",
    0x06: "a camera",
    0x07: "a printer",
    0x08: "a disk",
    0x09: "a hub",
    0x0B: "a smart card reader",
    0x0E: "a camera",
    0xE0: "a radio",
}


class Reports(NamedTuple):
    """What a report descriptor says: `longest` input report in bytes with its id (0: none), and what the
    interface is, a usage for each application, such as (1, 6) for a keyboard."""

    longest: int
    applications: frozenset[tuple[int, int]]


def keyboard_of(fit: list[Any]) -> Any:
    """Of interfaces of class HID the one that types: one that says that it is a keyboard, else one that does
    not say what it is, as many readers and keypads do not. None where each says that it is something else."""
    says_so = [one for one in fit if one.bInterfaceProtocol == KEYBOARD]
    silent = [one for one in fit if (one.bInterfaceSubClass, one.bInterfaceProtocol) == (0, 0)]
    return next(iter(says_so or silent), None)


def what_it_is(interfaces: list[Any]) -> str | None:
    """What a device that does not type is, by its interfaces; None where they do not tell."""
    if any(one.bInterfaceClass == HID_CLASS and one.bInterfaceProtocol == MOUSE for one in interfaces):
        return "a mouse"
    return next(
        (_CLASSES[one.bInterfaceClass] for one in interfaces if one.bInterfaceClass in _CLASSES), None
    )


def no_keyboard(reports: Reports) -> str | None:
    """What an interface is by its descriptor, where that says that it moves something and types nothing."""
    desktop = {usage for page, usage in reports.applications if page == _DESKTOP}
    if desktop & _KEYBOARDS:
        return None
    return next(
        (_NO_KEYBOARDS[usage] for usage in sorted(desktop, reverse=True) if usage in _NO_KEYBOARDS), None
    )


def reports_of(device: Any, number: int, timeout_ms: int) -> Reports:
    """What the claimed interface `number` says of its reports; nothing where it does not answer. Raises
    USBError when the device is gone."""
    try:
        request = (_OF_INTERFACE, _GET_DESCRIPTOR, _REPORT_DESCRIPTOR, number)
        return described(bytes(device.ctrl_transfer(*request, _LONGEST_DESCRIPTOR, timeout_ms)))
    except usb.core.USBError as error:
        _raise_if_gone(error)
        return Reports(0, frozenset())


def set_protocol(device: Any, number: int, protocol: int, timeout_ms: int) -> bool:
    """Whether the boot interface `number` took the protocol and says so too, if it says anything. Raises
    USBError when the device is gone."""
    try:
        device.ctrl_transfer(_TO_INTERFACE, _SET_PROTOCOL, protocol, number, None, timeout_ms)
    except usb.core.USBError as error:
        _raise_if_gone(error)
        return False
    try:
        said = bytes(device.ctrl_transfer(_FROM_INTERFACE, _GET_PROTOCOL, 0, number, 1, timeout_ms))
    except usb.core.USBError as error:
        _raise_if_gone(error)
        return True
    return said in (b"", bytes((protocol,)))


def transfer_bytes(longest: int, packet: int) -> int:
    """How many bytes one read must ask for, in whole packets of `packet` bytes as libusb wants it, where the
    `longest` report has so many (0: unknown). Where it does not fill its last packet, each report ends by
    itself, and one that is longer than the device says does so too."""
    if longest % packet:
        return packet * -(-(longest + _UNTOLD) // packet)
    return longest or packet


def _raise_if_gone(error: usb.core.USBError) -> None:
    """A request that a device does not know ends in a stall, or in silence."""
    if not (usb_faults.is_stall(error) or usb_faults.is_timeout(error)):
        raise error


def described(descriptor: bytes) -> Reports:
    """What a report descriptor says. What stands in it that is none is passed over: never raises."""
    bits: dict[int, int] = {}
    applications: set[tuple[int, int]] = set()
    page = size = count = report_id = depth = 0
    usage: tuple[int, int] | None = None
    kept: list[tuple[int, int, int, int]] = []
    for item, value, width in _items(descriptor):
        if item == 0x04:
            page = value
        elif item == 0x74:
            size = value
        elif item == 0x84:
            report_id = value
        elif item == 0x94:
            count = value
        elif item == 0xA4:
            kept.append((page, size, report_id, count))
        elif item == 0xB4 and kept:
            page, size, report_id, count = kept.pop()
        elif item == 0x08 and usage is None:
            usage = (value >> 16, value & 0xFFFF) if width == 4 else (page, value)
        elif item == 0x80:
            bits[report_id] = bits.get(report_id, 0) + size * count
        elif item == 0xA0:
            if not depth and usage is not None:
                applications.add(usage)
            depth += 1
        elif item == 0xC0:
            depth -= 1
        if item & 0x0C == 0:  # a main item ends what was said of it alone
            usage = None
    sizes = [(one + 7) // 8 + bool(number) for number, one in bits.items()]
    return Reports(min(max(sizes, default=0), _LONGEST_REPORT), frozenset(applications))


def _items(descriptor: bytes) -> Iterator[tuple[int, int, int]]:
    """Tag and type of each short item as its prefix without the size, its value, and the value's size."""
    at = 0
    while at < len(descriptor):
        prefix = descriptor[at]
        if prefix == 0xFE:  # a long item: its size stands behind it
            at += 3 + (descriptor[at + 1] if at + 1 < len(descriptor) else 0)
            continue
        width = (0, 1, 2, 4)[prefix & 0x03]
        yield prefix & 0xFC, int.from_bytes(descriptor[at + 1 : at + 1 + width], "little"), width
        at += 1 + width
