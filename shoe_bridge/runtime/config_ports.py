"""What must hold of ports: each has a form that can be opened, and none belongs to two boxes."""

import posixpath
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from shoe_bridge.adapters.port_match import PortMatch
from shoe_bridge.adapters.usb_names import is_usb
from shoe_bridge.articles import an
from shoe_bridge.runtime.config_usb import USB_FORMS, is_only_usb, same_usb_device, usb_port_form
from shoe_bridge.runtime.port_forms import NETWORK_PORT, impossible
from shoe_bridge.toml_lines import KeyPath
from shoe_bridge.toml_schema import Complaint, shown, visible
from shoe_bridge.usb_kinds import DEVICES, UsbKind

if TYPE_CHECKING:
    from shoe_bridge.runtime.config import DeviceConfig, LightConfig, TableConfig

PORT_FORMS = (
    "a path such as /dev/shoe-bridge/reader-1, socket://HOST:PORT, rfc2217://HOST:PORT or, for a device that"
    " connects by itself, listen://HOST:PORT"
)


def port_rules(config: "TableConfig") -> Iterator[Complaint]:
    """Two boxes on one port would read half of each other's bytes."""
    owners: dict[str, str] = {}
    ports: list[tuple[KeyPath, str, str]] = [
        (("device", n, "port"), box.name, box.port) for n, box in enumerate(config.devices)
    ]
    ports += [(("light", n, "port"), box.name, box.port) for n, box in enumerate(config.lights) if box.port]
    for path, name, port in ports:
        same = _normal_port(port)
        owner = owners.get(same) or same_usb_device(port, owners)
        if owner is not None:
            yield Complaint(
                path,
                f"port {visible(port)} belongs to {owner} already, expected a port of its own for {name}",
            )
        owners.setdefault(same, name)


def _normal_port(port: str) -> str:
    """The same text for the same port: a serial server is one, whichever way it is spoken to."""
    if port.startswith("/"):
        return posixpath.normpath("/" + port.lstrip("/"))  # two slashes at the start are kept by normpath
    network = NETWORK_PORT.fullmatch(port)
    if network is None:
        return port.lower()
    scheme, host, number = network.groups()
    side = "listen" if scheme == "listen" else "server"
    return f"{side} {host.lower()} {int(number)}"


def port_complaints(device: "DeviceConfig") -> list[Complaint]:
    """What is wrong with the port of one device that no file names, as a configuration's would be."""
    return list(own_port_rules(device, ("device", 0), DEVICES))


def own_port_rules(
    box: "DeviceConfig | LightConfig", path: KeyPath, usb: Mapping[str, UsbKind]
) -> Iterator[Complaint]:
    """A box has a port by its name, or by what it is."""
    match, port = box.match, box.port or ""
    if match is None and not port:
        yield Complaint(path, f"{box.name} has no port, expected {PORT_FORMS}, or match = {{ ... }}")
    elif match is None:
        yield from _port_form(port, (*path, "port"), box.kind, usb)
    elif port != match.url:
        yield Complaint((*path, "match"), "match stands beside port, expected one of the two")
    elif match == PortMatch():
        sentence = "match names nothing, expected vendor, product, serial or usb_path"
        yield Complaint((*path, "match"), sentence)
    elif is_only_usb(box.kind, str(path[0])):
        sentence = f"{an(box.kind)} is no serial port, expected {USB_FORMS} as its port instead of match"
        yield Complaint((*path, "match"), sentence)


def _port_form(port: str, path: KeyPath, kind: str, usb: Mapping[str, UsbKind]) -> Iterator[Complaint]:
    if is_usb(port) or is_only_usb(kind, str(path[0])):
        yield from usb_port_form(port, kind, path, usb)
    elif (why := impossible(port)) is not None:
        yield Complaint(path, f"port is {shown(port)}{why and f', {why}'}, expected {PORT_FORMS}")
