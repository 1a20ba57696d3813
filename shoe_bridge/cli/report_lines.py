"""The bridge's reports as lines: JSON for programs, one plain sentence per change for people."""

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, TextIO

import msgspec

from shoe_bridge.cli.counted import counted
from shoe_bridge.rules.explain import doubt_of

_WORDS = {
    "all_well": "all well",
    "attention": "ATTENTION",
    "misdeal_advised": "MISDEAL ADVISED, call the supervisor",
    "not_monitored": "not monitored",
}
_MOST_LINES = 10_000


class ReportPrinter:
    """Prints reports to `out` from a thread of its own: a terminal that is stopped, or a pipe that nobody
    reads, never holds the table up. While nothing is taken the newest lines wait, and a line says how many
    were lost."""

    def __init__(
        self, out: TextIO, as_json: bool, text: Callable[[dict[str, Any]], str | None] | None = None
    ) -> None:
        self._text = text or text_of_now
        self._out = out
        self._as_json = as_json
        self._lines: deque[str] = deque()
        self._lost = 0
        self._is_reader_gone = False
        self._turn = threading.Condition()
        self._is_closing = False
        self._thread = threading.Thread(target=self._print_all, name="reports", daemon=True)
        self._thread.start()

    def __call__(self, report: dict[str, Any]) -> None:
        text = msgspec.json.encode(report).decode() if self._as_json else self._text(report)
        if text is None:
            return
        if self._is_closing and not self._thread.is_alive():
            self._write([text])  # a last word after the end: nothing is held up by it any more
            return
        with self._turn:
            if len(self._lines) >= _MOST_LINES:
                self._lines.popleft()
                self._lost += 1
            self._lines.append(text)
            self._turn.notify()

    def close(self, timeout_s: float = 0.5) -> None:
        """Print what waits, at most for `timeout_s`: whoever does not read now will not read at the end."""
        with self._turn:
            self._is_closing = True
            self._turn.notify()
        self._thread.join(timeout_s)

    def _print_all(self) -> None:
        while True:
            with self._turn:
                self._turn.wait_for(lambda: self._lines or self._is_closing)
                if not self._lines:
                    return
                batch, lost = list(self._lines), self._lost
                self._lines.clear()
                self._lost = 0
            if lost:
                note = {"type": "lost_lines", "count": lost}
                said = f"({counted(lost, 'line')} lost)"
                batch.insert(0, msgspec.json.encode(note).decode() if self._as_json else said)
            self._write(batch)

    def _write(self, lines: list[str]) -> None:
        if self._is_reader_gone:
            return
        try:
            self._out.write("\n".join(lines) + "\n")
            self._out.flush()
        except (OSError, ValueError):  # the table is followed all the same
            self._is_reader_gone = True


def text_of_now(report: dict[str, Any]) -> str | None:
    """One line for people with the local time before it."""
    text = text_of(report)
    return None if text is None else f"{time.strftime('%H:%M:%S')}  {text}"


def text_of(report: dict[str, Any]) -> str | None:
    """One line for people, None for what only programs want."""
    match report:
        case {"type": "start", "table": table, "state": state}:
            return f"table {table}: starting, journal in {state}"
        case {"type": "stopped", "table": table}:
            return f"table {table}: stopped"
        case {"type": "armed", "armed": True}:
            return "armed: every device is verified"
        case {"type": "armed", "waiting_for": waiting}:
            return f"not armed: waiting for {', '.join(waiting)}"
        case {"type": "light", "state": state}:
            return f"light: {_WORDS.get(state, state)}"
        case {"type": "alert", "number": number, "what": what, "cause": cause, "why": why, "hand": hand}:
            return f"alert {number} of hand {hand} ({cause.replace('_', ' ')}): {what}, {why}"
        case {"type": "finding"}:
            return _finding(report)
        case {"type": "lamp", "light": light, "trouble": str(trouble)}:
            return f"light {light}: {trouble}"
        case {"type": "device" | "trouble" | "waiting", "text": str(text)}:
            return text
        case {"type": "stall", "ms": ms}:
            return f"the host stood still for {ms / 1000:.1f} s"
        case _:
            return None


def _finding(report: dict[str, Any]) -> str | None:
    """Findings that only count along (the deal is in order, who has acted) are for programs."""
    if report["kind"] in ("deal_ok", "substantial_action"):
        return None
    hand = f"hand {report['hand']}: "
    certainty = report.get("certainty", "certain")
    doubt = doubt_of(certainty, report.get("probability"))
    if not report["raised"]:
        # one that was in doubt is withdrawn both when it is over and when more is known of it
        return f"{hand}no longer {certainty if doubt else 'so'}: {report['sentence']}"
    says = report.get("says")
    told = f"{hand}{doubt}: {report['sentence']}" if doubt else f"{hand}{report['sentence']}"
    return f"{told} Rule: {says}." if says else told
