"""How the demo is shown: one JSON object per line, one plain line per change, or the live table.

Each show takes reports (`__call__`) and is told to draw now and then (`draw`); `Tally` counts reports.
"""

import sys
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from shoe_bridge.cli.counted import counted
from shoe_bridge.cli.report_lines import ReportPrinter, text_of
from shoe_bridge.cli.view import View

if TYPE_CHECKING:
    from rich.console import Console

Report = dict[str, Any]
_QUIET_KINDS = ("deal_ok", "substantial_action")  # they count along and are no alarm


class Show(Protocol):
    def __call__(self, report: Report) -> None: ...

    def draw(self) -> None:
        """Bring the screen up to date, where there is one."""
        ...

    def end(self) -> None:
        """The play is over: up to the last line, what comes now is only the bridge's own end."""
        ...

    def close(self) -> None: ...


class Tally:
    """Counts the reports of one demo."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.last_change = 0  # how many reports there were; a settled table brings no more
        self.alarms: Counter[str] = Counter()

    def take(self, report: Report) -> None:
        self.last_change += 1
        match report:
            case {"type": "event"}:
                self.counts["events"] += 1
            case {"type": "finding", "raised": True, "kind": str(kind)}:
                self.counts["findings"] += 1
                if kind not in _QUIET_KINDS:
                    self.alarms[kind] += 1
            case {"type": "alert", "what": "raised"}:
                self.counts["alerts"] += 1
            case {"type": "light"}:
                self.counts["light_changes"] += 1
            case {"type": "feed"}:
                self.counts["feed_events"] += 1
            case {"type": "hand"}:
                self.counts["hands"] += 1


_LAST_LINES_S = 10.0  # a reader that is slow still gets every line


class JsonShow:
    """One JSON object per line on stdout and nothing else there."""

    def __init__(self) -> None:
        self._print = ReportPrinter(sys.stdout, as_json=True)

    def __call__(self, report: Report) -> None:
        self._print(report)

    def draw(self) -> None:
        """Nothing: a line was printed when it happened."""

    def end(self) -> None:
        """Nothing: programs get the whole truth."""

    def close(self) -> None:
        """The last lines still go out."""
        self._print.close(_LAST_LINES_S)


class PlainShow(JsonShow):
    """One plain line per change on stdout."""

    def __init__(self) -> None:
        self._last: str | None = None
        self._is_read = True
        self._is_over = False

    def end(self) -> None:
        self._is_over = True

    def __call__(self, report: Report) -> None:
        text = plain_text(report) if not self._is_over or report["type"] == "done" else None
        if text is None or text == self._last or not self._is_read:
            return
        self._last = text
        try:
            print(text, flush=True)
        except (OSError, ValueError):  # whoever read the lines went away
            self._is_read = False

    def close(self) -> None:
        """Nothing waits: each line was printed when it happened."""


class LiveShow:
    """The table on the terminal, drawn again when something changed. `look` brings the view up to date."""

    def __init__(self, view: View, look: Callable[[View], None], console: "Console | None" = None) -> None:
        from rich.console import Console
        from rich.live import Live

        self.view = view
        self._look = look
        self._is_changed = True
        self._is_over = False
        self._console = console or Console()
        self._live = Live(console=self._console, auto_refresh=False, screen=True, redirect_stderr=False)
        self._live.start()

    def __call__(self, report: Report) -> None:
        self._is_changed = True
        if not self._is_over:
            self.view.take(report)

    def end(self) -> None:
        """Freeze the picture: it stays on the terminal as the table was last."""
        self.draw()
        self._is_over = True

    def draw(self) -> None:
        from shoe_bridge.cli.terminal import render

        if self._is_changed and not self._is_over:
            self._is_changed = False
            self._look(self.view)
            self._live.update(render(self.view), refresh=True)

    def close(self) -> None:
        """Leave the last picture on the terminal."""
        from shoe_bridge.cli.terminal import render

        self._live.stop()
        self._console.print(render(self.view))


def plain_text(report: Report) -> str | None:
    """One line for people; None for what only programs want."""
    match report:
        case {"type": "start", "table": table, "game": game, "seed": seed, "seats": list(seats)}:
            players = ", ".join(map(str, seats))
            return f"table {table}, {game}, players at seats {players}, seed {seed}"
        case {"type": "hand", "number": number, "script": "clean"}:
            return f"--- hand {number}: the simulated dealer deals a clean hand"
        case {"type": "hand", "number": number, "script": script}:
            return f"--- hand {number}: the simulated dealer makes a slip, {script}"
        case {"type": "event", "kind": "CardArrived", "place": place}:
            return f"a card at {place}"
        case {"type": "event", "kind": "KeyPressed", "key": key}:
            return f"key: {key}"
        case {"type": "lamp_seen", "light": light, "pattern": pattern}:
            return f"the lamp of {light} shows: {pattern}"
        case {"type": "feed", "event": {"type": kind, "seq": seq}}:
            return f"feed {seq}: {kind}"
        case {"type": "done"}:
            return done_text(report)
        case _:
            return text_of(report)


def done_text(report: Report) -> str:
    """The last line: what was dealt, what was raised, and whether the journal says the same again."""
    proof = {True: "the journal is verified", False: "the journal does NOT verify", None: "stopped early"}
    return (
        f"done: {counted(report['hands'], 'hand')}, {counted(report['findings'], 'finding')}, "
        f"{counted(report['alerts'], 'alert')}, {counted(report['feed_events'], 'feed event')}; "
        f"{proof[report['verified']]}"
    )
