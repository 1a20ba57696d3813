"""Why a USB device could not be opened, or was lost, as a sentence or a phrase with the fix."""

import errno
from pathlib import Path
from typing import Any

from shoe_bridge.adapters.port_faults import holders, permission_fix
from shoe_bridge.adapters.udev import RULES_FILE, adapter_of, install_command

NO_LIBRARY = (
    "USB devices need the library libusb-1.0, which this host does not have;"
    " run: sudo apt install libusb-1.0-0."
)
LIBRARY_FAILS = (
    "The library libusb-1.0 of this host does not start, so that no USB device is seen; where a service runs"
    " the bridge, install its unit file anew, which allows AF_NETLINK."
)
_RULES_FOLDER = "etc/udev/rules.d"
_MAX_NEAR = 4
_UNPLUGGED = (errno.ENODEV, errno.ENXIO, errno.ESHUTDOWN, errno.ENOENT)


def not_plugged(port: str, near: list[str]) -> str:
    """`near`: names of USB devices of ours that are there."""
    if near:
        return (
            f"{port} is not plugged in; plug it in, or use one of the USB devices that are there:"
            f" {', '.join(near[:_MAX_NEAR])}."
        )
    return f"{port} is not plugged in, and no other USB device of a known kind is; plug it in."


def ambiguous(port: str, paths: list[str]) -> str:
    """`paths`: the USB paths of the devices that `port` may mean."""
    return (
        f"{port} names {len(paths)} devices that are plugged in; write the USB path of one of them:"
        f" {', '.join(paths)}."
    )


def wrong_device(port: str, usb_id: str, kind: str, expected: list[str]) -> str:
    return (
        f"{port} holds a device {usb_id}, which is no {kind}; plug a {kind} in there"
        f" ({', '.join(expected)}), or correct the port."
    )


def wrong_interface(port: str, kind: str, usb_id: str, what: str | None) -> str:
    """`what` the device `usb_id` is instead, as far as it tells."""
    if what is not None:
        return (
            f"{port} holds {what} ({usb_id}), which is no {kind}; plug a {kind} in there, or correct the"
            " port."
        )
    return f"{port} has no interface as a {kind} has it; correct the kind or the port."


def open_fault(port: str, error: BaseException, device: Any, root: Path = Path("/")) -> str:
    """One sentence for what opening or claiming `device` (of pyusb) answered."""
    code = getattr(error, "errno", None)
    node = f"/dev/bus/usb/{device.bus or 0:03}/{device.address or 0:03}"
    if code in (errno.EACCES, errno.EPERM):
        return f"{port}: this user may not open {node}; {_permission_fix(device, node, root)}."
    if code == errno.EBUSY:
        holder = " and ".join(holders(node, root)) or "another program"
        return f"{port} is in use by {holder}; stop that program, or name another port."
    if code in _UNPLUGGED:
        return f"{port} was unplugged while it was opened; plug it in again."
    return f"{port} cannot be opened ({reason(error)}); unplug it and plug it in again."


def _permission_fix(device: Any, node: str, root: Path) -> str:
    """The rules file grants the access for good, where it knows the device and is not installed yet."""
    known = adapter_of(f"{device.idVendor:04x}:{device.idProduct:04x}")
    if known is not None and not (root / _RULES_FOLDER / RULES_FILE).is_file():
        return f"run: {install_command()}"
    return permission_fix(node)


def lost_phrase(error: BaseException) -> str:
    """Why a device that was open is no longer; the link's phrase for people."""
    code = getattr(error, "errno", None)
    if code in _UNPLUGGED:
        return "it was unplugged"
    if code == errno.EIO:
        return "it was unplugged or its cable failed"
    return f"its USB transfers fail: {reason(error)}"


def reason(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return text.strip().rstrip(".").lower()


def is_timeout(error: BaseException) -> bool:
    """The endpoint had nothing to give, or took nothing, in time: no fault of the path."""
    return getattr(error, "errno", None) in (errno.ETIMEDOUT, errno.EAGAIN, errno.EINTR)


def is_stall(error: BaseException) -> bool:
    return getattr(error, "errno", None) == errno.EPIPE
