"""`shoe-bridge run`: the bridge of one table."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from shoe_bridge.runtime.config import TableConfig


def run(
    config: Annotated[Path, typer.Option("--config", help="The table's TOML file.", metavar="FILE")],
    state: Annotated[
        Path | None,
        typer.Option(
            "--state",
            help="The folder of the journal (left out: ~/.local/state/shoe-bridge/TABLE).",
            metavar="DIR",
        ),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Check the configuration and end.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for ports that are not there yet.")] = False,
    exchanged: Annotated[
        list[str] | None,
        typer.Option("--exchanged", help="This device is a new box now; may be repeated.", metavar="NAME"),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="One JSON object per line; a console light then writes to the standard error."
        ),
    ] = False,
) -> None:
    """Run the bridge of one table until it is stopped (Ctrl-C, SIGTERM)."""
    from shoe_bridge.runtime.assembly import setup_of
    from shoe_bridge.runtime.config import load

    table = load(config)
    setup_of(table)
    if check:
        _tell_checked(config, table, as_json)
        return
    from shoe_bridge.cli.report_lines import ReportPrinter
    from shoe_bridge.runtime.bridge import Bridge
    from shoe_bridge.runtime.service import run_until_stopped

    folder = state or state_folder(table.table.id)
    printer = ReportPrinter(sys.stdout if as_json else sys.stderr, as_json)
    printer({"type": "start", "table": table.table.id, "state": str(folder)})
    # the standard output is the JSON's alone: what a light shows stands there too, in lines of type lamp
    console = sys.stderr.buffer if as_json else None
    bridge = Bridge(table, folder, report=printer, exchanged=tuple(exchanged or ()), console=console)
    try:
        run_until_stopped(bridge, is_patient=wait)
        printer({"type": "stopped", "table": table.table.id})
    finally:
        printer.close()


def _tell_checked(file: Path, table: "TableConfig", as_json: bool) -> None:
    import msgspec

    from shoe_bridge.cli.counted import counted

    devices, lights = len(table.devices), len(table.lights)
    line = {
        "type": "checked",
        "file": str(file),
        "table": table.table.id,
        "devices": devices,
        "lights": lights,
    }
    text = (
        f"{file}: in order, table {table.table.id}, {counted(devices, 'device')}, {counted(lights, 'light')}"
    )
    typer.echo(msgspec.json.encode(line).decode() if as_json else text)


def state_folder(table: str) -> Path:
    """What systemd gives this service, else the user's own state folder."""
    import os

    # systemd gives absolute paths, and others than absolute ones do not count (XDG base directories)
    given = Path(os.environ.get("STATE_DIRECTORY", "").split(":")[0])
    if given.is_absolute():
        return given / table
    base = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".local" / "state") / "shoe-bridge" / table
