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
    lay_deck: Annotated[
        str | None,
        typer.Option(
            "--lay-deck",
            help="Deal nothing: lay a new deck down here, card by card as `deck register` asks.",
            metavar="PLACE",
        ),
    ] = None,
    touch: Annotated[
        bool,
        typer.Option(
            "--touch", help="Deal nothing: touch each antenna and key once, as `calibrate` asks for them."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
) -> None:
    """Simulate the devices of a table and deal hands until stopped; `shoe-bridge run` connects to them."""
    from shoe_bridge.cli.sim_commission import LayDeck, TouchAll
    from shoe_bridge.cli.sim_host import SimHost
    from shoe_bridge.cli.sim_ports import SimPorts, port_paths
    from shoe_bridge.cli.sim_run import SimRun
    from shoe_bridge.errors import UsageError
    from shoe_bridge.runtime.config import load

    if (touch or lay_deck) and (seed is not None or error or hands):
        raise UsageError("--lay-deck and --touch deal no hands: leave out --seed, --error and --hands")
    if touch and (lay_deck or pace_ms):
        raise UsageError("--touch has a pace of its own and lays no deck: leave out --lay-deck and --pace-ms")
    table = load(config)
    plan_seed = random.SystemRandom().randrange(10_000) if seed is None else seed
    with _teller(as_json) as tell, SimPorts(port_paths(table)) as ports:
        run: SimHost
        if touch:
            run = TouchAll(table, tell)
        elif lay_deck:
            run = LayDeck(table, lay_deck, pace_ms, tell)
        else:
            run = SimRun(table, plan_seed, error, pace_ms, hands, tell)
        run.play(ports, config)


@contextmanager
def _teller(as_json: bool) -> Iterator[Callable[[dict[str, Any]], None]]:
    import sys

    from shoe_bridge.cli.report_lines import ReportPrinter

    printer = ReportPrinter(sys.stdout, as_json, lambda report: str(report["text"]))
    try:
        yield printer
    finally:
        printer.close()
