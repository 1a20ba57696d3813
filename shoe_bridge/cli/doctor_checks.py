"""What can be wrong with a host for a table, each with the command or act that fixes it.

Without a configuration a host is judged for what any table needs; with one, as the host of that table: each
port that it names, the UART console, the clock and the room for the journal.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from shoe_bridge.adapters import udev
from shoe_bridge.adapters.host import Host, RawUsb, SerialPort, other_users
from shoe_bridge.adapters.port_faults import not_a_port
from shoe_bridge.adapters.port_match import PortMatch, match_of
from shoe_bridge.adapters.usb_names import UsbName, may_be_same, usb_name
from shoe_bridge.runtime.config import TableConfig
from shoe_bridge.usb_kinds import LIGHTS

_SPARE_MIB = 512  # audit records, the feed file and the system's own logs beside the capped raw bytes
_DISABLE = {
    "ModemManager": "sudo systemctl disable --now ModemManager",
    "brltty": "sudo systemctl disable --now brltty && sudo systemctl mask brltty-udev",
}


class Trouble(msgspec.Struct, frozen=True, tag_field="type", tag="trouble"):
    """One thing for a person: `what` is wrong, `where`, the command or act that `fix`es it. A `grave` one
    makes the exit code 1; the others are worth knowing."""

    where: str
    what: str
    fix: str
    grave: bool = True


def examine(
    host: Host,
    table: TableConfig | None,
    fault_of: Callable[[str], str | None] = not_a_port,
    *,
    file: Path | None = None,
    users_of: Callable[[str], tuple[str, ...]] = other_users,
) -> list[Trouble]:
    """All that is wrong with `host`, for `table` (of the configuration `file`) where one is given; the grave
    ones first.

    `fault_of` says what is wrong with a port's path before it is opened, None when it looks like a port;
    `users_of` who has it open where the host does not list it.
    """
    found = [*_port_troubles(host, table, file, users_of), *_usb_troubles(host, table, file)]
    found += [*_grabber_troubles(host), *_host_troubles(host, table)]
    if table:
        found += _named_port_troubles(host, table, fault_of)
        found += _shared_port_troubles(host, table)
    return sorted(dict.fromkeys(found), key=lambda trouble: not trouble.grave)


def unread_journal(folder: Path, error: Exception) -> Trouble:
    """The journal does not say who the devices were."""
    what, _, fix = str(error).rstrip(".").rpartition("; ")
    return Trouble(str(folder), f"the devices of the last run are not known: {what or fix}", fix, grave=False)


def _ports_of(table: TableConfig) -> list[tuple[str, str]]:
    boxes = [(device.name, device.port) for device in table.devices]
    return boxes + [(light.name, light.port) for light in table.lights if light.port is not None]


def real_path(port: str, host: Host) -> str:
    """The device behind a configured path: by the links that the host showed, else by the file system."""
    for shown in host.ports:
        if port == shown.path or port in shown.links:
            return shown.path
    match = match_of(port)
    if match is not None:
        fitting = [one.path for one in host.ports if _fits(one, match)]
        return fitting[0] if len(fitting) == 1 else port
    return os.path.realpath(port) if port.startswith("/") else port


def _fits(port: SerialPort, match: PortMatch) -> bool:
    """As `port_match` decides by /sys, by what the host showed."""
    vendor, _, product = (port.usb_id or "").partition(":")
    socket = (port.location or "").partition(":")[0]
    return (
        port.usb_id is not None
        and (match.vendor or vendor).lower() == vendor
        and (match.product or product).lower() == product
        and match.serial in (None, port.serial)
        and match.usb_path in (None, socket, port.location)
    )


def _port_troubles(
    host: Host, table: TableConfig | None, file: Path | None, users_of: Callable[[str], tuple[str, ...]]
) -> Iterator[Trouble]:
    """Ports that this user may not open or that somebody has open: those of the table, or all USB ones."""
    named = {real_path(port, host) for _, port in _ports_of(table)} if table else set()
    for port in host.ports:
        if not (port.path in named if table else port.usb_id):
            continue
        if port.permission_fix:
            yield Trouble(port.path, f"this user may not open it (group {port.group})", port.permission_fix)
        yield from _users_troubles(port.path, port.users, host, file)
    for path in sorted(path for path in named - {port.path for port in host.ports} if path.startswith("/")):
        yield from _users_troubles(path, users_of(path), host, file)


def _users_troubles(where: str, users: tuple[str, ...], host: Host, file: Path | None) -> Iterator[Trouble]:
    """Somebody has it open: the bridge that it is for, which is as it should be, or somebody else."""
    bridges = {bridge.pid: bridge for bridge in host.bridges}
    for user in users:
        pid = user.partition(" (pid ")[2].rstrip(")")
        bridge = bridges.get(int(pid)) if pid.isdecimal() else None
        if bridge is None:
            yield Trouble(where, f"it is in use by {user}", _stop(user))
        elif file is None or bridge.is_of(file):
            whose = f"the bridge of {bridge.config}" if file is None else "the bridge of this table"
            what = f"{whose} is running and has it open (pid {pid}), as it should"
            yield Trouble(where, what, "none is needed; to probe it, stop that bridge first", grave=False)
        else:
            what = f"it is in use by the bridge of {bridge.config} (pid {pid})"
            yield Trouble(where, what, f"name another port in one of the two tables, or: sudo kill {pid}")


def _usb_troubles(host: Host, table: TableConfig | None, file: Path | None) -> Iterator[Trouble]:
    """The same of what is reached over USB itself. Of a table's devices the probe says it; its lights are not
    probed, and may not be there at all."""
    if table is None:
        for raw in host.raw_usb:
            yield from _raw_troubles(raw, host, file)
        return
    for light in table.lights:
        name = usb_name(light.port or "")
        if name is None:
            continue
        fitting = [raw for raw in host.raw_usb if may_be_same(name, _name_of(raw, name))]
        for raw in fitting:
            yield from _raw_troubles(raw, host, file)
        if not fitting and light.kind in LIGHTS:
            there = ", ".join(f"usb@{raw.usb_path} ({raw.serves})" for raw in host.raw_usb)
            fix = f"plug {light.name} in" + (f", or name one that is there: {there}" if there else "")
            yield Trouble(light.port or "", f"{light.name}: no such USB device is plugged in", fix)


def _name_of(raw: RawUsb, as_asked: UsbName) -> UsbName:
    return UsbName(path=raw.usb_path) if as_asked.path else UsbName(raw.usb_id, raw.serial or "")


def _raw_troubles(raw: RawUsb, host: Host, file: Path | None) -> Iterator[Trouble]:
    where = f"usb@{raw.usb_path}"
    if raw.permission_fix:
        yield Trouble(where, f"this user may not open {raw.node} ({raw.serves})", raw.permission_fix)
    yield from _users_troubles(where, raw.users, host, file)


def _stop(user: str) -> str:
    name, _, rest = user.partition(" (pid ")
    return _DISABLE.get(name) or f"stop that program: sudo kill {rest.rstrip(')')}"


def _grabber_troubles(host: Host) -> Iterator[Trouble]:
    has_usb = any(port.usb_id for port in host.ports)
    for process in host.grabbers:
        # brltty looks for displays by itself, so that no rule keeps a running one off
        if host.missing_rules or process.name == "brltty":
            yield Trouble(
                f"{process.name} (pid {process.pid})",
                "it takes serial ports away from their devices",
                _DISABLE[process.name],
                grave=has_usb,
            )
    if host.missing_rules:
        yield Trouble(
            "/etc/udev/rules.d",
            f"{' and '.join(host.missing_rules)} not installed, ports have no stable names",
            udev.install_command(),
            grave=False,
        )


def _host_troubles(host: Host, table: TableConfig | None) -> Iterator[Trouble]:
    named = _ports_of(table) if table else []
    used = {os.path.basename(real_path(port, host)) for _, port in named}
    for uart in host.uart_consoles:
        what = "the system's console or a login is on this UART, its text would reach the device"
        fix = f"sudo systemctl mask --now serial-getty@{uart}, and take its console= out of cmdline.txt"
        yield Trouble(f"/dev/{uart}", what, fix, grave=uart in used)
    if not host.is_clock_synchronised:
        what = "it is not synchronised, events carry wall times that are not trusted"
        yield Trouble("clock", what, "sudo timedatectl set-ntp true", grave=table is not None)
    need_mib = _SPARE_MIB + (table.journal.raw_cap_mib if table else 0)
    if host.free_mib < need_mib:
        what = f"{host.free_mib} MiB free, the journal may need {need_mib}"
        fix = "free space there, or lower raw_cap_mib in [journal]"
        yield Trouble(host.state_folder, what, fix, grave=host.free_mib < _SPARE_MIB)


def _named_port_troubles(
    host: Host, table: TableConfig, fault_of: Callable[[str], str | None]
) -> Iterator[Trouble]:
    """Paths of the configuration that lead to no port; network ports are tried by `run`."""
    for name, port in _ports_of(table):
        match = match_of(port)
        if match is not None:
            yield from _match_troubles(name, match, host)
        fault = fault_of(port) if port.startswith("/") else None
        if fault:
            what = f"{name}: {fault.partition(';')[0].rstrip('.')}"
            yield Trouble(port, what, _naming_fix(port, host) or f"plug {name} in, or correct its port")


def _match_troubles(name: str, match: PortMatch, host: Host) -> Iterator[Trouble]:
    """A `match` that no port fits, or more than one."""
    fitting = [port for port in host.ports if _fits(port, match)]
    if not fitting:
        fix = (
            f"plug {name} in, or correct its match; `shoe-bridge doctor --suggest` prints those that would do"
        )
        yield Trouble(name, f"no serial port has {match.words}", fix)
    elif len(fitting) > 1:
        where = " and ".join(port.path for port in fitting)
        sockets = " or ".join(f'usb_path = "{port.location}"' for port in fitting)
        yield Trouble(name, f"{where} all have {match.words}", f"add {sockets} to its match")


def _naming_fix(port: str, host: Host) -> str | None:
    """For a missing /dev/shoe-bridge/NAME: the command that gives the name to the first nameless USB port."""
    name = os.path.basename(port)
    free = [one.location for one in host.ports if one.location and not one.users and not _has_own_name(one)]
    if port != f"{udev.FOLDER}/{name}" or not free:
        return None
    rule = udev.name_rule(name, free[0])
    return f"echo '{rule}' | sudo tee -a {udev.NAMES_FILE} && {udev.RELOAD}"


def _has_own_name(port: SerialPort) -> bool:
    """Whether the house named it: our own rules make names that begin with the chip's."""
    names = [link.removeprefix(f"{udev.FOLDER}/") for link in port.links if link.startswith(udev.FOLDER)]
    return any("/" not in name and not name.startswith(f"{port.chip}-") for name in names)


def _shared_port_troubles(host: Host, table: TableConfig) -> Iterator[Trouble]:
    """Two names of the configuration that lead to one device, which only the host can know."""
    owners: dict[str, str] = {}
    for name, port in _ports_of(table):
        path = real_path(port, host)
        if path in owners:
            what = f"{name} and {owners[path]} are both on this port"
            yield Trouble(path, what, f"give {name} a port of its own in the configuration")
        owners.setdefault(path, name)
