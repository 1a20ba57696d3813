"""The verbs, put together. Each module imports what its verb needs only when that verb runs."""

from typing import Annotated, Any

import typer

from shoe_bridge import __version__
from shoe_bridge.cli.bench import bench_app
from shoe_bridge.cli.calibrate import calibrate
from shoe_bridge.cli.capture import capture
from shoe_bridge.cli.deck import deck_app
from shoe_bridge.cli.decode import decode
from shoe_bridge.cli.demo import demo
from shoe_bridge.cli.doctor import doctor
from shoe_bridge.cli.replay import replay
from shoe_bridge.cli.run import run
from shoe_bridge.cli.scenario import scenario
from shoe_bridge.cli.selftest import selftest
from shoe_bridge.cli.sim import sim
from shoe_bridge.cli.verify import verify

app = typer.Typer(
    name="shoe-bridge",
    help="Follows the deal at a poker table from its card readers and lights the dealer's alert light.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and end.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    del version


for _verb in (demo, run, sim, decode, scenario, replay, verify, capture, doctor, calibrate, selftest):
    app.command(_verb.__name__)(_verb)
app.add_typer(deck_app, name="deck")
app.add_typer(bench_app, name="bench")


def command() -> Any:
    """The parser's own command object."""
    return typer.main.get_command(app)
