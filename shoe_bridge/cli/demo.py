"""`shoe-bridge demo`: the main job with no hardware.

Simulated devices speak real bytes over real ptys; the real bridge reads them, lights lamps that are
simulated too, writes its journal and its feed. Only the people are played: a dealer follows a script from a
seed.
"""

import random
import signal
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoe_bridge.errors import UsageError

if TYPE_CHECKING:
    from shoe_bridge.cli.demo_run import DemoRun
    from shoe_bridge.cli.demo_show import Show
    from shoe_bridge.cli.demo_table import DemoPlan

_LIVE_PACE_MS, _HEADLESS_PACE_MS = 250, 90
_LIVE_LINGER_MS = 3_000


def demo(
    seed: Annotated[int | None, typer.Option(help="The same seed plays the same hands.", metavar="N")] = None,
    hands: Annotated[int, typer.Option(help="How many hands are dealt.", metavar="N")] = 3,
    game: Annotated[str, typer.Option(help="holdem, omaha, manila2 or manila3.", metavar="GAME")] = "holdem",
    error: Annotated[
        str | None,
        typer.Option(
            help="What the dealer does wrong in every other hand: order_error, count_error, dealt_out, "
            "extra_hand, missing_burn, extra_burn, exposed_card, equipment; none for clean hands only.",
            metavar="KIND",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    headless: Annotated[bool, typer.Option("--headless", help="Plain lines, no live screen.")] = False,
    pace_ms: Annotated[int | None, typer.Option(help="Time between two cards.", metavar="MS")] = None,
    seats: Annotated[int, typer.Option(help="Seats of the table, one of them empty.", metavar="N")] = 7,
    state: Annotated[
        Path | None, typer.Option(help="Keep the journal and the feed in this folder.", metavar="DIR")
    ] = None,
) -> None:
    """Watch the bridge at work with no hardware: simulated devices, the real bridge, alerts, lights, feed."""
    from shoe_bridge.cli.demo_table import DemoPlan

    is_live = not as_json and not headless and sys.stdout.isatty()
    plan = DemoPlan(
        seed=random.SystemRandom().randrange(10_000) if seed is None else seed,
        hands=hands,
        game=game,
        seats=seats,
        error=error,
        linger_ms=_LIVE_LINGER_MS if is_live else 0,
        pace_ms=pace_ms if pace_ms is not None else _LIVE_PACE_MS if is_live else _HEADLESS_PACE_MS,
    )
    plan.check()
    if state is not None:
        _check_state(state)
    # until the loop minds the signals, SIGTERM ends as Ctrl-C does: no folder stays behind
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with tempfile.TemporaryDirectory(prefix="shoe-bridge-demo-") as folder:
            verified = _perform(plan, Path(folder), state, as_json, is_live)
    finally:
        signal.signal(signal.SIGTERM, before)
    if state is not None and not as_json:
        typer.echo(f"the journal is kept; see it again with: shoe-bridge replay {state}")
    if verified is False:
        raise typer.Exit(1)


def _perform(plan: "DemoPlan", folder: Path, state: Path | None, as_json: bool, is_live: bool) -> bool | None:
    """Play the plan in `folder` and tell the outcome; whether the journal was verified, None if stopped."""
    from shoe_bridge.cli.demo_run import DemoRun
    from shoe_bridge.cli.demo_show import plain_text

    run = DemoRun(plan, folder, state or folder / "state", has_console=not as_json and not is_live)
    show = _show_for(run, as_json, is_live)
    start = run.start_line()
    show(start)
    if is_live:
        typer.echo(plain_text(start))
    try:
        run.play(show)
    finally:
        show.close()
    done = run.done_line()
    show(done)
    if is_live:
        typer.echo(plain_text(done))
    verified: bool | None = done["verified"]
    return verified


def _show_for(run: "DemoRun", as_json: bool, is_live: bool) -> "Show":
    from shoe_bridge.cli.demo_show import JsonShow, LiveShow, PlainShow

    if not is_live:
        return JsonShow() if as_json else PlainShow()
    from shoe_bridge.cli.rehearsal import view_of

    return LiveShow(view_of(run.config), run.look)


def _check_state(state: Path) -> None:
    """A demo begins at a fresh table: a folder that holds anything is left alone."""
    try:
        is_taken = state.exists() and (not state.is_dir() or any(state.iterdir()))
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise UsageError(f"The folder {state} cannot be read ({reason}): name another one.") from None
    if is_taken:
        raise UsageError(f"{state} is not an empty folder: name a new one for --state.")
