"""What no port can be called, as its name and a look at the file system tell: nothing is opened."""

import ipaddress
import os
import posixpath
import re
import socket

from shoe_bridge.toml_schema import shown

NETWORK_PORT = re.compile(r"(socket|rfc2217|listen)://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})")
_LABEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?")
_LONGEST_HOST = 253  # characters, RFC 1035
_LONGEST_NAME, _LONGEST_PATH = 255, 4095  # bytes, Linux
# what the kernel has of keyboards, card readers that type and other USB devices: no bytes of a line
_NO_LINES = ("/dev/input/", "/dev/hidraw", "/dev/bus/usb/", "/dev/usb/")


def impossible(port: str) -> str | None:
    """Why no port has this name, as the end of a sentence that begins with the port: empty where it has no
    form of a port and there is nothing more to say; None where it may be one. A path that does not exist may:
    its device is not plugged in yet."""
    if not port.isprintable():
        return "which holds a character that no name has"
    if port.startswith("/"):
        return _impossible_path(port)
    network = NETWORK_PORT.fullmatch(port)
    if network is None or not 1 <= int(network[3]) <= 65_535:
        return ""
    return _impossible_host(network[2])


def _impossible_path(path: str) -> str | None:
    if posixpath.basename(path) in ("", ".", ".."):
        return "which is a folder"
    names = os.fsencode(path).split(b"/")
    if len(os.fsencode(path)) > _LONGEST_PATH or max(map(len, names)) > _LONGEST_NAME:
        return "which is longer than a path can be"
    if posixpath.normpath("/" + path.lstrip("/")).startswith(_NO_LINES):
        return "which is no serial port (a USB device has a name such as usb:VID:PID)"
    if os.path.isdir(path):
        return "which is a folder"
    return "which is a regular file" if os.path.isfile(path) else None


def _impossible_host(host: str) -> str | None:
    if host.startswith("["):
        try:
            ipaddress.IPv6Address(host[1:-1])
        except ValueError:
            return f"where {shown(host)} is no IPv6 address"
        return None
    labels = host.removesuffix(".").split(".")
    if len(host) > _LONGEST_HOST or not all(map(_LABEL.fullmatch, labels)):
        return f"where {shown(host)} is no name that a host can have"
    if labels[-1].isdigit():  # no name ends so: it is an address, or meant to be one
        try:
            socket.inet_aton(host)
        except OSError:
            return f"where {shown(host)} is no IPv4 address"
    return None
