"""Alerts: findings that people must see, until a person with authority has dealt with them.

    raised ──acknowledge──► acknowledged ──ruling──► closed      (overdue: from the dealer to the floor)
       │  └─put right─► settled ──acknowledge or next hand──► closed
       └──────────────────────ruling──────────────────────► closed

An alert gathers the findings of one hand and one cause. Nothing that the cards do closes it: when all its
findings were put right it is settled, and still lit until somebody acknowledges it or the next hand begins.
An alert that stood when its hand ended stays open through the next ones until a supervisor rules: an alert
that can be dealt through is half a product. Equipment alerts end when they are acknowledged. An alert that
nobody has dealt with in the time given goes from the dealer to the floor.
"""

import msgspec

from shoe_bridge.table.findings import Change, Equipment, RuleTextMissing
from shoe_bridge.table.light_state import LightState

NOTICE, ATTENTION, MISDEAL = "notice", "attention", "misdeal"
_LOUDNESS = (NOTICE, ATTENTION, MISDEAL)

_CAUSE_OF_KIND = {
    "OrderError": "deal",
    "CountError": "deal",
    "DealtOut": "deal",
    "ExtraHand": "deal",
    "MisdealAdvised": "deal",
    "HandVoid": "deal",
    "HandDead": "deal",
    "RefundAll": "deal",
    "PrematureCard": "deal",
    "CardAfterEnd": "deal",
    "ButtonError": "button",
    "DeckDefect": "deck",
    "DeckAtRisk": "deck",
    "DealTooRegular": "deck",
    "BurnMoved": "burn",
    "MissingBurn": "burn",
    "ExtraBurn": "burn",
    "ExposedCard": "exposed",
}


_STOPS_THE_HAND = ("MisdealAdvised", "RefundAll")  # the supervisor must come before the next card


class Alert(msgspec.Struct, frozen=True):
    """`cause` groups findings; `standing` are the numbers of those that stand with their severities,
    `findings` of all it ever had. `severity`: notice (screen only), attention, misdeal. `status`: raised,
    acknowledged, settled, closed. `level`: dealer, floor."""

    number: int
    hand: int
    cause: str
    severity: str
    status: str
    standing: tuple[tuple[int, str], ...]
    findings: tuple[int, ...]
    raised_at_ns: int = 0
    level: str = "dealer"

    @property
    def is_of_equipment(self) -> bool:
        return self.cause.startswith("equipment")


class AlertChange(msgspec.Struct, frozen=True):
    """`what`: raised, amended, acknowledged, settled, escalated, closed; `why`: by what, for people."""

    alert: Alert
    what: str
    why: str
    seq: int


class Alerts(msgspec.Struct, frozen=True):
    """The open alerts of a table, oldest first."""

    open: tuple[Alert, ...] = ()
    next_number: int = 1


def severity_of(change: Change) -> str | None:
    """How loudly a finding speaks; None for those that only accompany others. A card seen by two antennas is
    known for what it is, so it stays on the screen and never stops a game."""
    finding = change.finding
    if isinstance(finding, Equipment):
        return NOTICE if finding.cause == "cross_read" else ATTENTION
    if isinstance(finding, RuleTextMissing):
        return {"stub_short": NOTICE, "boxed_card": ATTENTION}.get(finding.topic)
    kind = type(finding).__name__
    if kind in _STOPS_THE_HAND:
        return MISDEAL
    return ATTENTION if kind in _CAUSE_OF_KIND else None


def _cause_of(change: Change) -> str:
    finding = change.finding
    if isinstance(finding, Equipment):
        where = finding.place if finding.cause == "cross_read" else finding.device or finding.place
        return f"equipment: {finding.cause} {where or ''}".rstrip()
    if isinstance(finding, RuleTextMissing):
        return finding.topic
    return _CAUSE_OF_KIND[type(finding).__name__]


def _words_of(change: Change) -> str:
    return str(type(change.finding).__struct_config__.tag).replace("_", " ")


def follow(
    alerts: Alerts, change: Change, is_hand_closed: bool, at_mono_ns: int = 0
) -> tuple[Alerts, tuple[AlertChange, ...]]:
    """Take one change of findings. `is_hand_closed`: only its hand's end withdrew it."""
    severity = severity_of(change)
    if severity is None:
        return alerts, ()
    if change.raised:
        return _raise(alerts, change, severity, at_mono_ns)
    return _withdraw(alerts, change, is_hand_closed)


def _raise(
    alerts: Alerts, change: Change, severity: str, at_mono_ns: int
) -> tuple[Alerts, tuple[AlertChange, ...]]:
    cause, kind = _cause_of(change), _words_of(change)
    entry = (change.number, severity)
    for alert in alerts.open:
        if alert.hand == change.hand and alert.cause == cause:
            amended = _with_standing(alert, (*alert.standing, entry), "raised")
            amended = msgspec.structs.replace(amended, findings=(*alert.findings, change.number))
            return _put(alerts, amended), (AlertChange(amended, "amended", kind, change.seq),)
    findings = (change.number,)
    alert = Alert(alerts.next_number, change.hand, cause, severity, "raised", (entry,), findings, at_mono_ns)
    opened = Alerts((*alerts.open, alert), alerts.next_number + 1)
    return opened, (AlertChange(alert, "raised", kind, change.seq),)


def _withdraw(alerts: Alerts, change: Change, is_hand_closed: bool) -> tuple[Alerts, tuple[AlertChange, ...]]:
    alert = next((a for a in alerts.open if any(n == change.number for n, _ in a.standing)), None)
    if alert is None or is_hand_closed:
        return alerts, ()
    standing = tuple(entry for entry in alert.standing if entry[0] != change.number)
    what = "amended" if standing else "settled"
    is_put_right = not standing and not alert.is_of_equipment
    why = "put right" if is_put_right else f"no longer {_words_of(change)}"
    amended = _with_standing(alert, standing, alert.status if standing else "settled")
    return _put(alerts, amended), (AlertChange(amended, what, why, change.seq),)


def _with_standing(alert: Alert, standing: tuple[tuple[int, str], ...], status: str) -> Alert:
    """A settled alert falls back to attention: there is nothing left to declare, only something to see."""
    loudest = max(
        (s for _, s in standing),
        key=_LOUDNESS.index,
        default=NOTICE if alert.severity == NOTICE else ATTENTION,
    )
    return msgspec.structs.replace(alert, standing=standing, status=status, severity=loudest)


def acknowledge(alerts: Alerts, seq: int) -> tuple[Alerts, tuple[AlertChange, ...]]:
    """Somebody has seen the alerts: settled ones and equipment close, the others stay lit."""
    changes: list[AlertChange] = []
    for alert in alerts.open:
        if alert.status == "settled" or alert.is_of_equipment:
            alerts, closed = _close(alerts, alert, "acknowledged", seq)
            changes.append(closed)
        elif alert.status == "raised":
            seen = msgspec.structs.replace(alert, status="acknowledged")
            alerts = _put(alerts, seen)
            changes.append(AlertChange(seen, "acknowledged", "seen at the table", seq))
    return alerts, tuple(changes)


def escalate(alerts: Alerts, number: int, seq: int) -> tuple[Alerts, tuple[AlertChange, ...]]:
    """Alert `number` goes to the floor, unless somebody has dealt with it meanwhile."""
    for alert in alerts.open:
        if alert.number == number and is_waiting(alert):
            raised = msgspec.structs.replace(alert, level="floor")
            return _put(alerts, raised), (AlertChange(raised, "escalated", "nobody has dealt with it", seq),)
    return alerts, ()


def is_waiting(alert: Alert) -> bool:
    """Is it still the dealer's alone, and lit?"""
    return alert.level == "dealer" and alert.status in ("raised", "acknowledged") and alert.severity != NOTICE


def rule(alerts: Alerts, ruling: str, seq: int) -> tuple[Alerts, tuple[AlertChange, ...]]:
    """A supervisor ruled: every alert of the deal closes; equipment stays until it is seen to."""
    return _close_all(alerts, [a for a in alerts.open if not a.is_of_equipment], ruling, seq)


def begin_hand(alerts: Alerts, seq: int) -> tuple[Alerts, tuple[AlertChange, ...]]:
    """The next hand clears what was put right, and nothing else."""
    return _close_all(alerts, [a for a in alerts.open if a.status == "settled"], "next hand", seq)


def light_for(alerts: Alerts, is_monitored: bool) -> LightState:
    """The state that the dealer's light must show."""
    if not is_monitored:
        return LightState.NOT_MONITORED
    severities = {alert.severity for alert in alerts.open}
    if MISDEAL in severities:
        return LightState.MISDEAL_ADVISED
    return LightState.ATTENTION if ATTENTION in severities else LightState.ALL_WELL


def _put(alerts: Alerts, alert: Alert) -> Alerts:
    kept = tuple(alert if old.number == alert.number else old for old in alerts.open)
    return msgspec.structs.replace(alerts, open=kept)


def _close_all(
    alerts: Alerts, closing: list[Alert], why: str, seq: int
) -> tuple[Alerts, tuple[AlertChange, ...]]:
    changes = []
    for alert in closing:
        alerts, change = _close(alerts, alert, why, seq)
        changes.append(change)
    return alerts, tuple(changes)


def _close(alerts: Alerts, alert: Alert, why: str, seq: int) -> tuple[Alerts, AlertChange]:
    closed = msgspec.structs.replace(alert, status="closed")
    kept = tuple(old for old in alerts.open if old.number != alert.number)
    return msgspec.structs.replace(alerts, open=kept), AlertChange(closed, "closed", why, seq)
