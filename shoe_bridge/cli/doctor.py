"""`shoe-bridge doctor`: what is plugged in, what each port looks like, what is wrong and what fixes it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoe_bridge.cli.counted import counted

if TYPE_CHECKING:
    from shoe_bridge.adapters.host import Host, SerialPort
    from shoe_bridge.cli.doctor_checks import Trouble
    from shoe_bridge.cli.doctor_probe import DeviceProbe, Heard
    from shoe_bridge.link.link_config import LinkConfig
    from shoe_bridge.runtime.config import TableConfig

STATE_FOLDER = Path("/var/lib/shoe-bridge")


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    config: Annotated[
        Path | None,
        typer.Option("--config", help="Judge this host as the host of that table.", metavar="FILE"),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            "--state",
            help="The folder of the journal, which knows the devices of the last run (left out: where `run` "
            f"has it, or {STATE_FOLDER}).",
            metavar="DIR",
        ),
    ] = None,
    probe: Annotated[
        bool, typer.Option("--probe/--no-probe", help="Open the ports and listen for a few seconds.")
    ] = True,
    suggest: Annotated[
        bool, typer.Option("--suggest", help="Print a configuration for what is plugged in.")
    ] = False,
) -> None:
    """What is plugged in, what each port looks like, what is wrong and the command that fixes it.

    Ports that the configuration names are spoken to as the bridge does; to others nothing is written."""
    import asyncio

    from shoe_bridge.adapters.host import inspect
    from shoe_bridge.cli.doctor_checks import unread_journal
    from shoe_bridge.errors import JournalError, UsageError
    from shoe_bridge.runtime.config import load
    from shoe_bridge.runtime.opening import known_links

    if suggest and as_json:
        raise UsageError("--suggest prints a configuration, which is TOML: leave out --json")
    table = load(config) if config else None
    folder = state or _folder_of(table)
    host = inspect(folder)
    links: tuple[LinkConfig, ...] = ()
    unread: list[Trouble] = []
    try:
        links = known_links(table, folder) if table else ()
    except JournalError as error:
        unread.append(unread_journal(folder, error))
    probes, heard = asyncio.run(_probed(host, table, config, links)) if probe else ([], [])
    if suggest:
        from shoe_bridge.cli.doctor_suggest import suggestion

        typer.echo(suggestion(host, heard))
        raise typer.Exit(0 if host.ports or host.raw_usb else 1)
    troubles = _troubles(host, table, config, probes, heard) + unread
    lines = (json_lines if as_json else text_lines)(host, troubles, probes, heard)
    for line in lines:
        typer.echo(line)
    raise typer.Exit(1 if any(trouble.grave for trouble in troubles) else 0)


def _folder_of(table: "TableConfig | None") -> Path:
    """Where the table's bridge keeps its journal: as a service, else as `run` does for this user."""
    from shoe_bridge.cli.run import state_folder

    if table is None:
        return STATE_FOLDER
    found = [STATE_FOLDER / table.table.id, state_folder(table.table.id)]
    return next((folder for folder in found if folder.is_dir()), STATE_FOLDER)


async def _probed(
    host: "Host", table: "TableConfig | None", file: Path | None, links: "tuple[LinkConfig, ...]"
) -> "tuple[list[DeviceProbe], list[Heard]]":
    """The configured devices on their links, the other ports without a word; all of them at once. A port that
    somebody uses, or that is not there, is left alone: that is said of it anyway. So is what the running
    bridge of this table has on the network or on USB, where nobody else can see it: it would lose it."""
    import asyncio

    from shoe_bridge.adapters.host import other_users
    from shoe_bridge.adapters.port_faults import not_a_port
    from shoe_bridge.adapters.port_match import PREFIX
    from shoe_bridge.cli.doctor_checks import real_path
    from shoe_bridge.cli.doctor_probe import listen_to, may_be_listened_to, probe_devices

    devices, lights = (table.devices, table.lights) if table else ((), ())
    ports = [device.port for device in devices] + [light.port for light in lights if light.port]
    named = {real_path(port, host) for port in ports}
    closed = {port.path for port in host.ports if port.users or port.permission_fix}
    closed |= {path for path in named if path.startswith("/") and other_users(path)}
    is_run = file is not None and any(bridge.is_of(file) for bridge in host.bridges)
    mine = [
        device
        for device in devices
        if not real_path(device.port, host).startswith(PREFIX)
        and real_path(device.port, host) not in closed
        and not (is_run and not real_path(device.port, host).startswith("/"))
        and not (device.port.startswith("/") and not_a_port(device.port))
    ]
    others = [port for port in host.ports if port.path not in named and may_be_listened_to(port, host)]
    probes, heard = await asyncio.gather(probe_devices(mine, links=links), listen_to(others))
    return probes, heard


def _troubles(
    host: "Host",
    table: "TableConfig | None",
    file: Path | None,
    probes: "list[DeviceProbe]",
    heard: "list[Heard]",
) -> "list[Trouble]":
    from shoe_bridge.cli.doctor_checks import examine
    from shoe_bridge.cli.doctor_ports import (
        heard_troubles,
        numbered_troubles,
        probe_troubles,
        twin_troubles,
        unprobed_troubles,
    )

    found = [
        *examine(host, table, file=file),
        *probe_troubles(probes),
        *heard_troubles(heard),
        *twin_troubles(host),
    ]
    if table is not None:
        found += [*numbered_troubles(host, table), *unprobed_troubles(host, table, file)]
    return sorted(dict.fromkeys(found), key=lambda trouble: not trouble.grave)


def text_lines(
    host: "Host",
    troubles: "list[Trouble]",
    probes: "list[DeviceProbe] | None" = None,
    heard: "list[Heard] | None" = None,
) -> Iterator[str]:
    version = ".".join(map(str, host.python))
    clock = "synchronised" if host.is_clock_synchronised else "not synchronised"
    yield f"host: Python {version}, {host.free_mib} MiB free for {host.state_folder}, clock {clock}"
    told = {one.port: one for one in heard or ()}
    for port in host.ports:
        yield f"port: {port.path}: {_description(port)}{_sound(told.get(port.path))}"
    for raw in host.raw_usb:
        yield f"usb: usb@{raw.usb_path}: {raw.serves}, {raw.usb_id}"
    if not host.ports:
        yield "port: none is plugged in"
    for probe in probes or ():
        yield f"device: {_levels(probe)}"
    for trouble in troubles:
        yield f"{'WRONG' if trouble.grave else 'note'}: {trouble.where}: {trouble.what}; fix: {trouble.fix}"
    if not any(trouble.grave for trouble in troubles):
        yield "nothing is wrong"


def json_lines(
    host: "Host",
    troubles: "list[Trouble]",
    probes: "list[DeviceProbe] | None" = None,
    heard: "list[Heard] | None" = None,
) -> Iterator[str]:
    import msgspec

    encode = msgspec.json.encode
    fields = msgspec.to_builtins(host)
    ports, raw_usb = fields.pop("ports"), fields.pop("raw_usb")
    yield encode({"type": "host", **fields}).decode()
    yield from (encode({"type": "port", **port}).decode() for port in ports)
    yield from (encode({"type": "usb", **raw}).decode() for raw in raw_usb)
    yield from (encode(one).decode() for one in [*(probes or ()), *(heard or ())])
    yield from (encode(trouble).decode() for trouble in troubles)


def _levels(probe: "DeviceProbe") -> str:
    """The three levels: raw bytes received, frame received, event made."""
    head = f"{probe.name} ({probe.kind} at {probe.port}): "
    if not probe.is_open:
        return f"{head}not open"
    state = "proven and alive" if probe.verified else "not proven"
    state += f", it is {probe.identity}" if probe.identity else ""
    levels = [(probe.received, "byte"), (probe.frames, "frame"), (probe.events, "event")]
    return f"{head}{', '.join(counted(*level) for level in levels)}; {state}"


def _sound(heard: "Heard | None") -> str:
    if heard is None or not heard.received:
        return ", silent" if heard is not None and heard.trouble is None else ""
    what = f"sounds like {' or '.join(heard.sounds_like)}" if heard.sounds_like else "of no known kind"
    return f", {counted(heard.received, 'byte')} heard at {heard.baud} {heard.parity}, {what}"


def _description(port: "SerialPort") -> str:
    parts = [
        port.description,
        f"{port.chip or 'unknown chip'} {port.usb_id}" if port.usb_id else "on board",
        f"serial {port.serial}" if port.serial else "",
        f"at USB {port.location}" if port.location else "",
        f"group {port.group}" if port.group else "",
        f"also {port.links[0]}" if port.links else "",
    ]
    return ", ".join(part for part in parts if part)
