"""The bridge's reports as lines: JSON for programs, one plain sentence per change for people."""

from typing import Any, TextIO

import msgspec

_WORDS = {
    "all_well": "all well",
    "attention": "ATTENTION",
    "misdeal_advised": "MISDEAL ADVISED, call the supervisor",
    "not_monitored": "not monitored",
}


class ReportPrinter:
    """Prints reports to `out`. A reader that went away is no reason to stop following a table."""

    def __init__(self, out: TextIO, as_json: bool) -> None:
        self._out = out
        self._as_json = as_json
        self._last: str | None = None

    def __call__(self, report: dict[str, Any]) -> None:
        text = msgspec.json.encode(report).decode() if self._as_json else text_of(report)
        if text is None or (text == self._last and not self._as_json):
            return
        self._last = text
        try:
            print(text, file=self._out, flush=True)
        except (OSError, ValueError):
            self._out = open("/dev/null", "w", encoding="utf-8")  # noqa: SIM115


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
        case {"type": "alert", "number": number, "what": what, "cause": cause, "why": why}:
            return f"alert {number} ({cause}): {what}, {why}"
        case {"type": "finding"}:
            return _finding(report)
        case {"type": "lamp", "light": light, "trouble": str(trouble)}:
            return f"light {light}: {trouble}"
        case {"type": "device", "text": text} | {"type": "trouble", "text": text}:
            return str(text)
        case {"type": "stall", "ms": ms}:
            return f"the host stood still for {ms / 1000:.1f} s"
        case _:
            return None


def _finding(report: dict[str, Any]) -> str | None:
    """Findings that only count along (the deal is in order, who has acted) are for programs."""
    if report["kind"] in ("deal_ok", "substantial_action"):
        return None
    if not report["raised"]:
        return f"no longer so: {report['sentence']}"
    says = report.get("says")
    return f"{report['sentence']} Rule: {says}." if says else str(report["sentence"])
