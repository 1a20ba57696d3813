"""`shoe-bridge doctor`: what is plugged in, what each port looks like, what is wrong and what fixes it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from shoe_bridge.adapters.host import Host, SerialPort
    from shoe_bridge.cli.doctor_checks import Trouble

STATE_FOLDER = Path("/var/lib/shoe-bridge")


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    config: Annotated[
        Path | None,
        typer.Option("--config", help="Judge this host as the host of that table.", metavar="FILE"),
    ] = None,
    state: Annotated[
        Path, typer.Option("--state", help="The folder of the journal.", metavar="DIR")
    ] = STATE_FOLDER,
) -> None:
    """What is plugged in, what each port looks like, what is wrong and the command that fixes it."""
    from shoe_bridge.adapters.host import inspect
    from shoe_bridge.cli.doctor_checks import examine
    from shoe_bridge.runtime.config import load

    table = load(config) if config else None
    host = inspect(state)
    troubles = examine(host, table)
    for line in json_lines(host, troubles) if as_json else text_lines(host, troubles):
        typer.echo(line)
    raise typer.Exit(1 if any(trouble.grave for trouble in troubles) else 0)


def text_lines(host: "Host", troubles: "list[Trouble]") -> Iterator[str]:
    version = ".".join(map(str, host.python))
    clock = "synchronised" if host.is_clock_synchronised else "not synchronised"
    yield f"host: Python {version}, {host.free_mib} MiB free for {host.state_folder}, clock {clock}"
    for port in host.ports:
        yield f"port: {port.path}: {_description(port)}"
    if not host.ports:
        yield "port: none is plugged in"
    for trouble in troubles:
        yield f"{'WRONG' if trouble.grave else 'note'}: {trouble.where}: {trouble.what}; fix: {trouble.fix}"
    if not any(trouble.grave for trouble in troubles):
        yield "nothing is wrong"


def json_lines(host: "Host", troubles: "list[Trouble]") -> Iterator[str]:
    import msgspec

    encode = msgspec.json.encode
    ports = host.ports
    yield encode({"type": "host", **_without(msgspec.to_builtins(host), "ports")}).decode()
    yield from (encode({"type": "port", **msgspec.to_builtins(port)}).decode() for port in ports)
    yield from (encode(trouble).decode() for trouble in troubles)


def _without(fields: dict[str, object], name: str) -> dict[str, object]:
    return {key: value for key, value in fields.items() if key != name}


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
