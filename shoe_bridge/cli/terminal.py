"""The live table on a terminal: seats, light, alerts, feed. A card is a back and a count, never an identity.

`render` draws a `View`; the same view gives the same picture. As a module it draws the README's picture:

    python -m shoe_bridge.cli.terminal FILE.svg

rich is imported where it draws, so that verbs which draw nothing neither load nor wait for it.
"""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoe_bridge.cli.counted import counted
from shoe_bridge.cli.view import AlertView, SeatView, View
from shoe_bridge.errors import UsageError
from shoe_bridge.lights.policy import LOOKS
from shoe_bridge.plain_file import write_fault
from shoe_bridge.table.light_state import LightState

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

WIDTH = 100
PICTURE_SEED = 7
_BACK = "▒▒"
_COLOURS = {
    "all_well": "bold black on green",
    "attention": "bold black on yellow",
    "misdeal_advised": "bold white on red",
    "not_monitored": "bold white on blue",
}
_SEVERITY_COLOURS = {"notice": "cyan", "attention": "yellow", "misdeal": "red"}
_SEVERITY_SIGNS = {"notice": "i", "attention": "!", "misdeal": "!!!"}


def render(view: View) -> "RenderableType":
    """The whole table as one renderable. Pure: it reads the view and nothing else."""
    from rich.console import Group
    from rich.panel import Panel

    top = _side_by_side(_light(view), _devices(view))
    # what must be read stands where it is never cut
    parts = [top, *_waits(view), _alerts(view), _seats(view), _feed(view)]
    return Panel(Group(*parts), title=f"[bold]{view.table}[/] {view.game}", subtitle=view.note or None)


def _side_by_side(*parts: Any) -> "RenderableType":
    from rich.table import Table

    grid = Table.grid(expand=True, padding=0)
    for _ in parts:
        grid.add_column(ratio=1)
    grid.add_row(*parts)
    return grid


def _light(view: View) -> "RenderableType":
    from rich.panel import Panel
    from rich.text import Text

    look = LOOKS[LightState(view.light)]
    text = Text()
    text.append(f" {look.symbol} {look.word} ", style=_COLOURS[view.light])
    for light, shown in view.lamps.items():
        text.append(f"\n{light}: {shown.replace('_', ' ')}")
    return Panel(text, title="light", title_align="left", height=max(5, len(view.lamps) + 3))


def _devices(view: View) -> "RenderableType":
    from rich.panel import Panel
    from rich.text import Text

    text = Text()
    if view.unverified:
        text.append(f"hand {view.hand} UNVERIFIED", style="bold yellow")
        text.append(f" ({'; '.join(view.unverified)})")
    else:
        text.append(f"hand {view.hand} VERIFIED", style="bold green")
    text.append(f", {view.phase}")
    for device, state in view.devices.items():
        text.append(f"\n{device}: ")
        text.append(state, style="green" if state == "verified" else "bold yellow")
    return Panel(text, title="hand and devices", title_align="left", height=max(5, len(view.lamps) + 3))


def _waits(view: View) -> "Iterator[RenderableType]":
    """What somebody must do before the table is monitored, where there is anything."""
    from rich.panel import Panel
    from rich.text import Text

    if view.waits:
        yield Panel(
            Text("\n".join(view.waits.values())), title="waiting", title_align="left", border_style="blue"
        )


def _seats(view: View) -> "RenderableType":
    from rich.box import ROUNDED
    from rich.table import Table

    table = Table(box=ROUNDED, expand=True, title=_dealer_line(view), title_justify="left", title_style="")
    for seat in view.seats:
        table.add_column(
            f"seat {seat.seat}" if len(view.seats) < 9 else str(seat.seat), justify="center", ratio=1
        )
    table.add_column("board", justify="center", ratio=2)
    table.add_column("burn", justify="center", ratio=1)
    table.add_row(*(_backs(seat.cards) for seat in view.seats), _backs(view.board), _backs(view.burns))
    table.add_row(
        *map(_seat_line, view.seats), _pile(view, "board", view.board), _pile(view, "burn", view.burns)
    )
    return table


def _dealer_line(view: View) -> str:
    if view.next_place == "none":
        return "next card: none is due"
    return f"next card: [bold]{view.next_place}[/]"


def _backs(count: int) -> str:
    return " ".join([_BACK] * min(count, 5)) + ("+" if count > 5 else "")


def _seat_line(seat: SeatView) -> str:
    if not seat.is_in:
        return f"[bold yellow]{seat.cards} out[/]" if seat.cards else "[dim]out[/]"
    mark = "[bold cyan]>[/]" if seat.is_next else ""
    button = " [bold](D)[/]" if seat.has_button else ""
    return f"{mark}{seat.cards}{button}"


def _pile(view: View, place: str, count: int) -> str:
    return f"[bold cyan]>[/]{count}" if view.next_place == place else str(count)


def _alerts(view: View) -> "RenderableType":
    from rich.console import Group
    from rich.panel import Panel

    if not view.alerts:
        return Panel("none open", title="alerts", title_align="left", border_style="green")
    loudest = max(view.alerts, key=lambda alert: list(_SEVERITY_COLOURS).index(alert.severity))
    return Panel(
        Group(*map(_alert, view.alerts)),
        title="alerts",
        title_align="left",
        border_style=_SEVERITY_COLOURS[loudest.severity],
    )


def _alert(alert: AlertView) -> "RenderableType":
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    colour = _SEVERITY_COLOURS[alert.severity]
    head = Text.assemble(
        (f" {_SEVERITY_SIGNS[alert.severity]} ", f"bold black on {colour}"),
        (f" alert {alert.number}, hand {alert.hand}: {alert.severity}, {alert.status}", "bold"),
    )
    return Group(head, *(Padding(line, (0, 0, 0, 4)) for line in _alert_lines(alert)))


def _alert_lines(alert: AlertView) -> Iterator["Text"]:
    """Which card, which rule (each once), what can be done."""
    from rich.text import Text

    told: set[str] = set()
    for finding in alert.findings:
        yield Text(finding.sentence, style="dim strike" if finding.is_withdrawn else "")
        if finding.rule and finding.says and finding.rule not in told:
            told.add(finding.rule)
            yield Text(f"rule {finding.rule}: {finding.says}", style="italic")
    for line in alert.to_do:
        yield Text(f"> {line}", style="bold cyan")


def _feed(view: View) -> "RenderableType":
    from rich.panel import Panel
    from rich.text import Text

    text = Text("\n".join(f"{each.seq:>4} {each.type} {each.about}" for each in view.feed) or "nothing yet")
    return Panel(
        text, title=f"feed, {counted(view.feed_count, 'event')}", title_align="left", border_style="dim"
    )


def export_svg(view: View, path: Path) -> None:
    """Write the picture of `view` as SVG. UsageError where it cannot be written."""
    from rich.console import Console

    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    console.print(render(view))
    # a fixed id: the default one is a hash over colours that changes with rich
    svg = console.export_svg(title="shoe-bridge", unique_id="table")
    try:
        path.write_text(svg, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"The picture {path} cannot be written {write_fault(error)}.") from None


def main(arguments: list[str]) -> int:
    """Draw the picture of a seeded hand in which one card goes to the wrong seat."""
    if len(arguments) != 1:
        print("usage: python -m shoe_bridge.cli.terminal FILE.svg", file=sys.stderr)
        return 2
    from shoe_bridge.cli.rehearsal import pictured_view

    try:
        export_svg(pictured_view(PICTURE_SEED), Path(arguments[0]))
    except UsageError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
