"""What the ports themselves let hear is wrong: no bytes, bytes that are no frames, another device; and ports
that cannot be told apart by their names. Each with the command or act that fixes it."""

import re
from collections.abc import Iterator
from pathlib import Path

from shoe_bridge.adapters.host import Host, SerialPort
from shoe_bridge.adapters.port_faults import is_at_server
from shoe_bridge.articles import an
from shoe_bridge.cli.counted import counted
from shoe_bridge.cli.doctor_checks import Trouble, real_path
from shoe_bridge.cli.doctor_probe import LISTEN, DeviceProbe, Heard
from shoe_bridge.runtime.config import TableConfig
from shoe_bridge.runtime.config_kinds import SHOES

_MAY_BE_SILENT = ("text_line", "hid_keyboard", "patlite_ne")
_OF_A_SERVER = "end the program that it serves, or allow a second connection in it"
_NUMBERED = re.compile(r"/dev/tty(?:USB|ACM)[0-9]+")
_BY_PATH = "/dev/serial/by-path/"


def probe_troubles(probes: list[DeviceProbe]) -> Iterator[Trouble]:
    """What is wrong with each configured device, at the first of the three levels that fails."""
    for probe in probes:
        where = f"{probe.name} at {probe.port}"
        if not probe.is_open or (probe.is_lost and not probe.frames):
            what, fix = _parted(probe.trouble or "it cannot be opened", probe)
            yield Trouble(where, what, fix)
        elif probe.received == 0:
            yield _silent(probe, where)
        elif probe.frames == 0:
            yield _noise(probe, where)
        elif probe.trouble is not None:
            what, fix = _parted(probe.trouble, probe)
            yield Trouble(where, what, fix)


def _silent(probe: DeviceProbe, where: str) -> Trouble:
    server = f"; if its serial server keeps a second program waiting, {_OF_A_SERVER}"
    server = server if is_at_server(probe.port) else ""
    if probe.kind in SHOES:
        what = "it is listened to only and says nothing by itself, so nothing is known of it yet"
        fix = "draw a card or press a button on the shoe while doctor listens; run waits for the same"
        return Trouble(where, what, fix + server, grave=False)
    if probe.kind in _MAY_BE_SILENT:
        comes, act = "a card comes", "lay a card on it"
        if probe.has_keys:
            comes, act = "a key is pressed", "press a key of it"
        what = f"it said nothing, which such a device may do until {comes}"
        return Trouble(where, what, f"{act} and run doctor once more{server}", grave=False)
    if probe.port.startswith(LISTEN):
        fix = "see to its `kind`, to its settings, and that nothing else connects to that address"
        return Trouble(where, "it connected, and no byte came from it (level 1 of 3: bytes)", fix)
    fix = "see to its power and its cable (are TX and RX exchanged?), and to its `port`"
    return Trouble(where, "no byte came from it (level 1 of 3: bytes)", fix + server)


def _noise(probe: DeviceProbe, where: str) -> Trouble:
    what = f"{counted(probe.received, 'byte')} came and no frame of {an(probe.kind)} (level 2 of 3: frames)"
    if probe.sounds_like:
        what += f"; they are frames of a {probe.sounds_like[0]}"
        return Trouble(where, what, f'write kind = "{probe.sounds_like[0]}" in the configuration')
    settings = "`kind` or `layout`" if probe.kind == "hid_keyboard" else "`kind` or `baud`"
    fix = f"correct its {settings}; shoe-bridge capture --device {probe.kind} --port {probe.port} FILE"
    return Trouble(where, what, f"{fix} records what comes")


def _parted(sentence: str, probe: DeviceProbe) -> tuple[str, str]:
    """A sentence of ours says what is wrong, then how it is put right: behind a semicolon where it begins
    with a path, else behind a colon."""
    at = "; " if "; " in sentence else ": "
    what, _, fix = sentence.rstrip(".").partition(at)
    if fix:
        return what, fix
    return what, _OF_A_SERVER if is_at_server(probe.port) else f"connect {probe.name} again"


def unprobed_troubles(host: Host, table: TableConfig, file: Path | None) -> Iterator[Trouble]:
    """Of what the running bridge of this table has on the network or on USB no port of the host tells."""
    bridges = [bridge for bridge in host.bridges if file is not None and bridge.is_of(file)]
    apart = [device for device in table.devices if not real_path(device.port, host).startswith("/")]
    for device in apart if bridges else ():
        what = f"the bridge of this table is running and has it (pid {bridges[0].pid}): it is not probed"
        fix = "none is needed; to probe it, stop that bridge first"
        yield Trouble(f"{device.name} at {device.port}", what, fix, grave=False)


def heard_troubles(heard: list[Heard]) -> Iterator[Trouble]:
    """Nothing that a port says is wrong while no configuration names it."""
    for one in heard:
        if one.trouble is not None:
            what, _, fix = one.trouble.rstrip(".").partition("; ")
            yield Trouble(one.port, what, fix or "plug it in again", grave=False)


def twin_troubles(host: Host) -> Iterator[Trouble]:
    """Adapters that are the same but for their socket: their names change places when they are plugged in in
    another order."""
    twins: dict[tuple[str, str], list[SerialPort]] = {}
    for port in host.ports:
        if port.usb_id is not None:
            twins.setdefault((port.usb_id, port.serial or ""), []).append(port)
    for (usb_id, serial), ports in twins.items():
        if len(ports) > 1:
            number = f"serial number {serial}" if serial else "no serial number"
            what = f"identical adapters ({usb_id}, {number}), told apart by their sockets only"
            where = " and ".join(port.path for port in ports)
            fix = "in the configuration write " + ", ".join(map(_name_by_path, ports))
            yield Trouble(where, what, fix, grave=False)


def numbered_troubles(host: Host, table: TableConfig) -> Iterator[Trouble]:
    """A configuration that names a port by its number, which is another one after the next start."""
    by_path = {port.path: port for port in host.ports if port.location}
    boxes = [(device.name, device.port) for device in table.devices]
    boxes += [(light.name, light.port or "") for light in table.lights]
    for name, named in boxes:
        port = by_path.get(named)
        if port is not None and _NUMBERED.fullmatch(port.path):
            what = f"{name} is named by the number of its port, which changes with the order of plugging in"
            yield Trouble(port.path, what, f"write {_name_by_path(port)} instead", grave=False)


def _name_by_path(port: SerialPort) -> str:
    link = next((link for link in port.links if link.startswith(_BY_PATH)), None)
    if link is not None:
        return f'port = "{link}"'
    return f'match = {{ usb_path = "{(port.location or "").partition(":")[0]}" }} for {port.path}'
