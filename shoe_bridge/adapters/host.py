"""What this host shows: its serial ports, who else wants them, its Python, disk and clock.

Reading only, and from below one `root`, so that a made-up tree serves as a host. What cannot be read is not
there: a missing /proc or /sys gives an empty answer, never an error.
"""

import grp
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from shoe_bridge.adapters import udev
from shoe_bridge.adapters.bridges import RunningBridge, running_bridges
from shoe_bridge.adapters.clock import SystemClock
from shoe_bridge.adapters.port_faults import holders, permission_fix

_LINK_FOLDERS = ("dev/shoe-bridge", "dev/shoe-bridge/by-serial", "dev/serial/by-id", "dev/serial/by-path")
_RULE_FOLDERS = ("etc/udev/rules.d", "run/udev/rules.d", "usr/lib/udev/rules.d", "lib/udev/rules.d")
_GRABBERS = ("ModemManager", "brltty")
_CONSOLE = re.compile(r"\bconsole=(tty(?:AMA|S)\d+|serial\d+)")
_GETTY = re.compile(r"\b(tty(?:AMA|S)\d+)\b")


class SerialPort(msgspec.Struct, frozen=True):
    """One serial port. `usb_id` as `1a86:7523`, `location` the USB path (`1-1.2`), `chip` the adapter's name
    from our table; None for what is unknown. `links` are stable names of the same port. `permission_fix` is
    the command that lets this user open it, None when permitted. `users`: the processes that have it open."""

    path: str
    description: str
    usb_id: str | None = None
    serial: str | None = None
    location: str | None = None
    chip: str | None = None
    links: tuple[str, ...] = ()
    group: str | None = None
    permission_fix: str | None = None
    users: tuple[str, ...] = ()


class RawUsb(msgspec.Struct, frozen=True):
    """A USB device of our table of which the kernel makes no serial port: a FEIG reader, a light. `node` is
    where it is opened, None where that is not known; `permission_fix` and `users` as those of a port."""

    usb_id: str
    usb_path: str
    serves: str
    serial: str | None = None
    node: str | None = None
    permission_fix: str | None = None
    users: tuple[str, ...] = ()


class Program(msgspec.Struct, frozen=True):
    name: str
    pid: int


class Host(msgspec.Struct, frozen=True):
    """The host at one moment. `grabbers` are running programs that take ports away, `uart_consoles` the UARTs
    with a console or login on them (`ttyAMA0`), `missing_rules` our udev rules files not installed here,
    `bridges` the bridges that run."""

    ports: tuple[SerialPort, ...]
    grabbers: tuple[Program, ...]
    uart_consoles: tuple[str, ...]
    missing_rules: tuple[str, ...]
    python: tuple[int, int, int]
    state_folder: str
    free_mib: int
    is_clock_synchronised: bool
    raw_usb: tuple[RawUsb, ...] = ()
    bridges: tuple[RunningBridge, ...] = ()


def inspect(
    state_folder: Path,
    root: Path = Path("/"),
    comports: Callable[[], Iterable[ListPortInfo]] = list_ports.comports,
    may_open: Callable[[str], bool] = lambda path: os.access(path, os.R_OK | os.W_OK),
    is_clock_synchronised: Callable[[], bool] | None = None,
) -> Host:
    """Look at the host below `root` once. `state_folder` need not exist: its disk is then that above it."""
    links = stable_links(root)
    ports = [_port(port, links, root, may_open) for port in comports()]
    ask_clock = is_clock_synchronised or SystemClock(root).is_wall_trusted
    return Host(
        ports=tuple(sorted(ports, key=lambda port: port.path)),
        grabbers=tuple(one for one in programs(root) if one.name in _GRABBERS),
        uart_consoles=uart_consoles(root),
        missing_rules=missing_rules(root),
        python=sys.version_info[:3],
        state_folder=str(state_folder),
        free_mib=free_mib(state_folder),
        is_clock_synchronised=ask_clock(),
        raw_usb=raw_usb(root, may_open),
        bridges=running_bridges(root),
    )


def stable_links(root: Path = Path("/")) -> dict[str, list[str]]:
    """Real device path -> the links to it that udev keeps, our own first."""
    links: dict[str, list[str]] = {}
    for folder in _LINK_FOLDERS:
        for link in _entries(root / folder):
            if link.is_symlink():
                target = _without_root(os.path.realpath(link), root)
                links.setdefault(target, []).append(_without_root(str(link), root))
    return links


def raw_usb(root: Path, may_open: Callable[[str], bool]) -> tuple[RawUsb, ...]:
    """USB devices of our table that are reached as such, in the order of their USB paths."""
    found = []
    for folder in _entries(root / "sys/bus/usb/devices"):
        vendor, product = (_text(folder / name).strip().lower() for name in ("idVendor", "idProduct"))
        adapter = udev.adapter_of(f"{vendor}:{product}")
        if adapter is not None and not adapter.is_serial:
            serial = _text(folder / "serial").strip() or None
            node = _node(folder)
            found.append(
                RawUsb(
                    usb_id=f"{vendor}:{product}",
                    usb_path=folder.name,
                    serves=adapter.serves,
                    serial=serial,
                    node=node,
                    permission_fix=None if node is None or may_open(node) else _usb_fix(node, root),
                    users=() if node is None else other_users(node, root),
                )
            )
    return tuple(found)


def programs(root: Path = Path("/")) -> list[Program]:
    """All running programs, in order of their process number."""
    found = []
    for folder in _entries(root / "proc"):
        if folder.name.isdecimal():
            name = _text(folder / "comm").strip()
            if name:
                found.append(Program(name, int(folder.name)))
    return sorted(found, key=lambda one: one.pid)


def uart_consoles(root: Path = Path("/")) -> tuple[str, ...]:
    """UARTs on which the kernel writes its console or a login waits: strangers' bytes for any device there.

    `serial0` of a Raspberry Pi is resolved by its link in /dev, getty is found by its command line.
    """
    names = [_uart_name(name, root) for name in _CONSOLE.findall(_text(root / "proc/cmdline"))]
    for program in programs(root):
        if program.name in ("agetty", "getty", "login"):
            names += _GETTY.findall(_text(root / f"proc/{program.pid}/cmdline").replace("\0", " "))
    return tuple(sorted(set(names)))


def missing_rules(root: Path = Path("/")) -> tuple[str, ...]:
    """Our udev rules files that stand in none of udev's folders."""
    wanted = (udev.RULES_FILE, udev.BRLTTY_RULES_FILE)
    return tuple(
        name for name in wanted if not any((root / folder / name).is_file() for folder in _RULE_FOLDERS)
    )


def free_mib(folder: Path) -> int:
    """Free space for an ordinary user on the disk where `folder` is or would be, in MiB."""
    there = folder.absolute()
    while not there.exists() and there != there.parent:
        there = there.parent
    return shutil.disk_usage(there).free // 2**20


def _port(
    found: ListPortInfo, links: dict[str, list[str]], root: Path, may_open: Callable[[str], bool]
) -> SerialPort:
    path = str(found.device)
    usb_id = f"{found.vid:04x}:{found.pid:04x}" if found.vid is not None and found.pid is not None else None
    adapter = udev.adapter_of(usb_id)
    return SerialPort(
        path=path,
        description=_said(found.product) or _said(found.description),
        usb_id=usb_id,
        serial=found.serial_number or None,
        location=found.location or None,
        chip=adapter.chip if adapter else None,
        links=tuple(links.get(path, ())),
        group=_group(path),
        permission_fix=None if may_open(path) else permission_fix(path).removeprefix("run: "),
        users=other_users(path, root),
    )


def other_users(path: str, root: Path = Path("/")) -> tuple[str, ...]:
    """Who has the device at `path` open beside this process, as `name (pid N)`."""
    return tuple(user for user in holders(path, root) if not user.endswith(f"(pid {os.getpid()})"))


def _node(folder: Path) -> str | None:
    numbers = [_text(folder / name).strip() for name in ("busnum", "devnum")]
    if not all(number.isdecimal() for number in numbers):
        return None
    return "/dev/bus/usb/" + "/".join(f"{int(number):03}" for number in numbers)


def _usb_fix(node: str, root: Path) -> str:
    """Our rules give the access for good; where they are there already, the node itself has to."""
    missing = udev.RULES_FILE in missing_rules(root)
    return udev.install_command() if missing else permission_fix(node).removeprefix("run: ")


def _said(text: str | None) -> str:
    return "" if text in (None, "n/a") else str(text)


def _group(path: str) -> str | None:
    try:
        number = os.stat(path).st_gid
    except OSError:
        return None
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def _uart_name(console: str, root: Path) -> str:
    link = root / "dev" / console
    return os.path.basename(os.path.realpath(link)) if link.is_symlink() else console


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def _without_root(path: str, root: Path) -> str:
    """A path below `root` as the host itself would call it."""
    top = os.path.realpath(root)
    for prefix in (str(root), top):
        if prefix != "/" and path.startswith(prefix + "/"):
            return path.removeprefix(prefix)
    return path
