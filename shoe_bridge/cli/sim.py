"""`shoe-bridge sim`: only the simulated devices of a configuration, on ptys at its own port paths."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer


def sim(
    config: Annotated[Path, typer.Option(help="The table's TOML file.", metavar="FILE")],
    seed: Annotated[int | None, typer.Option(help="The same seed plays the same hands.", metavar="N")] = None,
    error: Annotated[
        str | None,
        typer.Option(
            help="What the dealer does wrong in every other hand; none: clean hands.", metavar="KIND"
        ),
    ] = None,
    pace_ms: Annotated[
        int | None,
        typer.Option(
            help="Time between two cards (default: two polling cycles, below one the order is not seen).",
            metavar="MS",
            min=1,
            max=60_000,
        ),
    ] = None,
    hands: Annotated[
        int | None, typer.Option(help="Stop dealing after so many hands.", metavar="N", min=1)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
) -> None:
    """Simulate the devices of a table and deal hands until stopped; `shoe-bridge run` connects to them."""
    from shoe_bridge.cli.sim_ports import SimPorts, port_paths
    from shoe_bridge.cli.sim_run import SimRun
    from shoe_bridge.runtime.config import load

    table = load(config)
    plan_seed = random.SystemRandom().randrange(10_000) if seed is None else seed
    with _teller(as_json) as tell, SimPorts(port_paths(table)) as ports:
        SimRun(table, plan_seed, error, pace_ms, hands, tell).play(ports, config)


@contextmanager
def _teller(as_json: bool) -> Iterator[Callable[[dict[str, Any]], None]]:
    import sys

    from shoe_bridge.cli.report_lines import ReportPrinter

    printer = ReportPrinter(sys.stdout, as_json, lambda report: str(report["text"]))
    try:
        yield printer
    finally:
        printer.close()
