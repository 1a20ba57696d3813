"""What the live table shows: counts of cards, the light, the open alerts, the feed. Never a card's identity.

`View` is fed the bridge's reports (`take`) and its table state (`look`); what it holds is all that a drawing
may need, and it does not know how it is drawn.
"""

from collections import deque
from typing import Any

import msgspec

from shoe_bridge.rules.explain import doubt_of
from shoe_bridge.rules.wording import sentence
from shoe_bridge.table.alerts import NOTICE, Alert
from shoe_bridge.table.dealing import due_place
from shoe_bridge.table.findings import DeckDefect
from shoe_bridge.table.hand import BOARD, BURN
from shoe_bridge.table.layout import seat_place
from shoe_bridge.table.procedures import Procedure
from shoe_bridge.table.state import TableState

FEED_LINES = 5
_KEPT_FINDINGS = 200  # more than any few hands can bring; older ones are on no open alert
_ADVICE = frozenset(  # findings that say what can be done, as against what happened
    {
        *("repairable", "misdeal_advised", "not_misdeal", "play_out", "hand_void", "hand_dead", "refund_all"),
        *("reshuffle_required", "restart", "rule_text_missing", "hand_over", "look_at"),
    }
)
_TO_DO = {
    "deal": "Stop the deal and look at that card: the supervisor decides what is done.",
    "burn": "Stop before the next card: the supervisor decides what is done.",
    "exposed": "Leave the card where it lies: the supervisor decides what is done.",
    "button": "Stop before the next card and put the button where it must be.",
    "deck": "Stop before the next card and call the supervisor: the deck must be looked at.",
}
_TO_DO_ELSE = "Stop before the next card: the supervisor decides what is done."
_TO_DO_SETTLED = "It was put right: press acknowledge, or begin the next hand."
_TO_DO_UNFOUNDED = "It was never certain and no longer stands: press acknowledge, or begin the next hand."
_TO_DO_IN_DOUBT = "It is not certain: deal on, the readers will tell more."
_TO_DO_ONE_OF_THEM = "One of these errors was made: stop the deal, the supervisor decides what is done."
_TO_DO_EQUIPMENT = "Look at the reader there, then press acknowledge."
_TO_DO_FOLLOWS = "Look at the reader there and call the supervisor, who decides about the deal."


class SeatView(msgspec.Struct, frozen=True):
    """One seat: how many cards lie there, whether it is in the hand, has the button, gets the next card."""

    seat: int
    cards: int
    is_in: bool
    has_button: bool
    is_next: bool


class FindingView(msgspec.Struct, frozen=True):
    """A finding in words: which card, the rule's number, and the rule in our words."""

    sentence: str
    rule: str | None = None
    says: str | None = None
    is_withdrawn: bool = False


class AlertView(msgspec.Struct, frozen=True):
    """An open alert: what it is about, and what can be done."""

    number: int
    hand: int
    severity: str
    status: str
    findings: tuple[FindingView, ...]
    to_do: tuple[str, ...]


class FeedView(msgspec.Struct, frozen=True):
    seq: int
    type: str
    about: str


class View:
    """The picture of one table. All fields are plain values; `take` and `look` bring them up to date."""

    def __init__(self, table: str, game: str, seats: int, devices: tuple[str, ...] = ()) -> None:
        self.table = table
        self.game = game
        self.seat_count = seats
        self.seats = tuple(SeatView(seat, 0, False, False, False) for seat in range(1, seats + 1))
        self.hand = 0
        self.phase = "ready"
        self.board = 0
        self.burns = 0
        self.next_place = "none"
        self.light = "not_monitored"
        self.lamps: dict[str, str] = {}
        self.devices = dict.fromkeys(devices, "not proven yet")
        self.unverified: tuple[str, ...] = ()
        self.alerts: tuple[AlertView, ...] = ()
        self.feed: deque[FeedView] = deque(maxlen=FEED_LINES)
        self.feed_count = 0
        self.note = ""
        self.waits: dict[str, str] = {}  # device -> what people must do so that it is proven
        self._findings: dict[int, dict[str, Any]] = {}

    # -- what the bridge reports

    def take(self, report: dict[str, Any]) -> None:
        """Take one report of the bridge or of the demo; one of an unknown type changes nothing."""
        match report:
            case {"type": "finding", "number": int(number)}:
                self._take_finding(number, report)
            case {"type": "light", "state": str(state)}:
                self.light = state
            case {"type": "lamp", "light": str(light)}:
                shown = report.get("shown")
                self.lamps[light] = str(report.get("trouble") or shown or "not known")
            case {"type": "waiting", "device": str(device)}:
                self.waits.pop(device, None)
                if report["text"] is not None:
                    self.waits[device] = str(report["text"])
            case {"type": "feed", "event": dict(event)}:
                self.feed_count += 1
                self.feed.append(_feed_view(event))
            case {"type": "hand", "script": str(script)}:
                self.note = "a clean hand" if script == "clean" else f"a hand with a slip: {script}"

    def _take_finding(self, number: int, report: dict[str, Any]) -> None:
        if report["raised"]:
            self._findings[number] = _without_identity(report)
            while len(self._findings) > _KEPT_FINDINGS:
                del self._findings[next(iter(self._findings))]
        elif number in self._findings:
            self._findings[number] = {**self._findings[number], "raised": False}

    # -- what the fold knows

    def look(self, state: TableState, game: Procedure) -> None:
        """Take over how the table stands now."""
        hand = state.hand
        is_dealt = hand.phase not in ("gathering", "over")
        next_place = due_place(hand, game) if hand.phase in ("ready", "dealing", "dealt") else "none"
        self.hand, self.phase = hand.number, hand.phase
        self.board = hand.count_at(BOARD) if is_dealt else 0
        self.burns = hand.count_at(BURN) if is_dealt else 0
        self.next_place = next_place
        self.unverified = state.unverified
        self.seats = tuple(
            SeatView(
                seat,
                hand.count_at(seat_place(seat)) if is_dealt else 0,
                seat in hand.eligible,
                seat == hand.button,
                next_place == seat_place(seat),
            )
            for seat in range(1, self.seat_count + 1)
        )
        for device in self.devices:
            self.devices[device] = "lost or not proven" if device in state.unproven else "verified"
        self.alerts = tuple(self._alert_view(state, alert.number) for alert in state.alerts.open)

    def _alert_view(self, state: TableState, number: int) -> AlertView:
        alert = next(alert for alert in state.alerts.open if alert.number == number)
        standing = {n for n, _ in alert.standing}
        findings = tuple(self._finding_view(n, n not in standing) for n in alert.findings)
        advice = tuple(
            self._finding_view(each.number, False).sentence
            for each in state.standing
            if each.hand == alert.hand and each.finding.__struct_config__.tag in _ADVICE
        )
        to_do = _to_do(state, alert, advice)
        return AlertView(alert.number, alert.hand, alert.severity, alert.status, findings, to_do)

    def _finding_view(self, number: int, is_withdrawn: bool) -> FindingView:
        report = self._findings.get(number)
        if report is None:
            return FindingView(
                f"Finding {number} of an earlier run: see the journal.", None, None, is_withdrawn
            )
        doubt = doubt_of(report.get("certainty", "certain"), report.get("probability"))
        told = f"{doubt[0].upper()}{doubt[1:]}: {report['sentence']}" if doubt else report["sentence"]
        return FindingView(told, report.get("rule"), report.get("says"), is_withdrawn)


def _to_do(state: TableState, alert: Alert, advice: tuple[str, ...]) -> tuple[str, ...]:
    """What can be done about it: advice where there is any, else by what it is about."""
    doubtful = {each.number for each in state.standing if each.certainty != "certain"}
    is_in_doubt = all(number in doubtful for number, _ in alert.standing)
    if alert.is_of_equipment:
        if alert.follows:  # to acknowledge does not close it
            return (_TO_DO_FOLLOWS,)
        return (_TO_DO_SETTLED if alert.status == "settled" else _TO_DO_EQUIPMENT,)
    if alert.status == "settled":
        return (_TO_DO_UNFOUNDED if alert.severity == NOTICE else _TO_DO_SETTLED,)
    if is_in_doubt and alert.severity == NOTICE:
        return advice or (_TO_DO_IN_DOUBT,)
    if is_in_doubt:
        return (_TO_DO_ONE_OF_THEM, *advice)
    return advice or (_TO_DO.get(alert.cause, _TO_DO_ELSE),)


def _without_identity(report: dict[str, Any]) -> dict[str, Any]:
    """A defect of the deck names a card by what it is, and that is nobody's business while a hand is live."""
    if report["kind"] != "deck_defect":
        return report
    return {**report, "card": None, "sentence": sentence(DeckDefect(report["reason"]))}


def _feed_view(event: dict[str, Any]) -> FeedView:
    fact = event.get("data", {})
    finding = fact.get("finding", {})
    about = finding.get("kind") or fact.get("cause") or fact.get("state") or fact.get("device") or ""
    return FeedView(int(event.get("seq", 0)), str(event.get("type", "")), str(about))
