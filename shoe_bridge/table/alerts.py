"""Alerts: findings that people must see, until a person with authority has dealt with them.

    raised ──acknowledge──► acknowledged ──ruling──► closed      (overdue: from the dealer to the floor)
       │  └─put right─► settled ──acknowledge or next hand──► closed
       └──────────────────────ruling──────────────────────► closed

An alert gathers the findings of one hand and one cause. It is lit when one of them is certain, or when it is
certain that one of them was made, whichever. Nothing that the cards do closes it: when all its
findings were put right it is settled, and still lit until somebody acknowledges it or the next hand begins.
An alert that stood when its hand ended stays open through the next ones until a supervisor rules: an alert
that can be dealt through is half a product. A mere notice of the deal ends with its hand. An alert that
nobody has dealt with in the time given goes from the dealer to the floor.

All that is wrong with one device is one alert, and that also speaks for findings of the deal that follow from
what the device did not see: they never make it louder than attention. Once they can be trusted they move to
the alert of the deal. An equipment alert ends when it is acknowledged, unless it holds findings of the deal:
those are the supervisor's.
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


_ERRORS_LIE_IN = ("deal", "burn")  # the causes of alerts that hold errors of the dealer's
_STOPS_THE_HAND = ("MisdealAdvised", "RefundAll")  # the supervisor must come before the next card


class Alert(msgspec.Struct, frozen=True):
    """`cause` groups findings; `standing` are the numbers of those that stand with their severities,
    `findings` of all it ever had. `severity`: notice (screen only), attention, misdeal. `status`: raised,
    acknowledged, settled, closed. `level`: dealer, floor. `follows` are those that stand and are findings of
    the deal in an alert of equipment: they follow from what the device did not see. `is_one_of_them`: none of
    its findings may be certain, but that one of them, or another in their place, is true."""

    number: int
    hand: int
    cause: str
    severity: str
    status: str
    standing: tuple[tuple[int, str], ...]
    findings: tuple[int, ...]
    raised_at_ns: int = 0
    level: str = "dealer"
    follows: tuple[int, ...] = ()
    is_one_of_them: bool = False

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

    @property
    def doubtful(self) -> frozenset[int]:
        """The numbers of the findings that are put down to a device."""
        return frozenset(number for alert in self.open for number in alert.follows)

    def holder(self, number: int) -> Alert | None:
        """The alert in which finding `number` stands."""
        return next((alert for alert in self.open if any(n == number for n, _ in alert.standing)), None)


def severity_of(change: Change) -> str | None:
    """How loudly a finding speaks; None for those that only accompany others. A card seen by two antennas is
    known for what it is, so it stays on the screen and never stops a game; so does what is not certain."""
    finding = change.finding
    if isinstance(finding, Equipment):
        is_loud = finding.cause != "cross_read" and change.certainty == "certain"
        return ATTENTION if is_loud else NOTICE
    if change.certainty != "certain":
        return NOTICE if type(finding).__name__ in _CAUSE_OF_KIND else None
    if isinstance(finding, RuleTextMissing):
        return {"stub_short": NOTICE, "boxed_card": ATTENTION}.get(finding.topic)
    kind = type(finding).__name__
    if kind in _STOPS_THE_HAND:
        return MISDEAL
    return ATTENTION if kind in _CAUSE_OF_KIND else None


def _cause_of(change: Change, blamed: str | None) -> str:
    finding = change.finding
    if blamed is not None:
        return f"equipment: {blamed}"
    if isinstance(finding, Equipment):
        return f"equipment: {finding.cause} {finding.place or ''}".rstrip()
    if isinstance(finding, RuleTextMissing):
        return finding.topic
    return _CAUSE_OF_KIND[type(finding).__name__]


def _words_of(change: Change) -> str:
    finding = change.finding
    kind = finding.cause if isinstance(finding, Equipment) else str(finding.__struct_config__.tag)
    return kind.replace("_", " ")


def follow(
    alerts: Alerts,
    change: Change,
    is_hand_closed: bool,
    at_mono_ns: int = 0,
    blamed: str | None = None,
    is_put_right: bool = True,
) -> tuple[Alerts, tuple[AlertChange, ...]]:
    """Take one change of findings. `is_hand_closed`: only its hand's end withdrew it. `blamed` is the device
    that the finding is put down to. `is_put_right`: what withdrew it was done at the table, it was not only
    understood otherwise. A raised finding that stands in another alert moves to its own."""
    severity = severity_of(change)
    if severity is None:
        return alerts, ()
    if not change.raised:
        return _withdraw(alerts, change, is_hand_closed, is_put_right)
    if blamed is not None and severity == MISDEAL:
        severity = ATTENTION  # no misdeal on cards that nobody saw
    cause = _cause_of(change, blamed)
    holder = alerts.holder(change.number)
    if holder is not None and holder.cause == cause:
        return alerts, ()
    alerts, left = _leave(alerts, change, holder, cause)
    alerts, came = _raise(alerts, change, cause, severity, at_mono_ns)
    return alerts, (*left, *came)


def amend(
    alerts: Alerts, was: Change, now: Change, at_mono_ns: int = 0, blamed: str | None = None
) -> tuple[Alerts, tuple[AlertChange, ...]]:
    """The finding `was` is `now` told with another certainty: its alert is the same one, quieter or louder.
    One that a supervisor has ruled on is not opened again by it."""
    severity = severity_of(now)
    alert = alerts.holder(was.number)
    if severity is None:
        return follow(alerts, was, is_hand_closed=False)
    if alert is None:
        return follow(alerts, now, False, at_mono_ns, blamed) if severity_of(was) is None else (alerts, ())
    if blamed is not None and severity == MISDEAL:
        severity = ATTENTION
    before = next(said for number, said in alert.standing if number == was.number)
    is_louder = _LOUDNESS.index(severity) > _LOUDNESS.index(before)
    entry, renamed = (now.number, severity), {was.number: now.number}
    amended = msgspec.structs.replace(
        alert,
        findings=(*alert.findings, now.number),
        follows=tuple(renamed.get(number, number) for number in alert.follows),
    )
    standing = tuple(entry if said[0] == was.number else said for said in alert.standing)
    amended = _with_standing(amended, standing, "raised" if is_louder else alert.status)
    told = AlertChange(amended, "amended", f"{_words_of(now)} is {now.certainty} now", now.seq)
    alerts, moved = follow(_put(alerts, amended), now, False, at_mono_ns, blamed)
    return alerts, (told, *moved)


def weigh_together(
    alerts: Alerts, hand: int, is_erring: bool, seq: int
) -> tuple[Alerts, tuple[AlertChange, ...]]:
    """It is certain now, or no more, that one of the errors of a hand was made, whichever it was: the first
    alert that holds any of them is lit, unless one is lit for itself."""
    concerned = [
        one for one in alerts.open if one.hand == hand and one.cause in _ERRORS_LIE_IN and one.standing
    ]
    if not is_erring:
        concerned = [one for one in concerned if one.is_one_of_them]
    elif any(one.severity != NOTICE for one in concerned):
        return alerts, ()
    for alert in concerned[:1]:
        weighed = msgspec.structs.replace(alert, is_one_of_them=is_erring)
        weighed = _with_standing(weighed, alert.standing, "raised" if is_erring else alert.status)
        why = "one of these errors was made" if is_erring else "it may be that no error was made"
        return _put(alerts, weighed), (AlertChange(weighed, "amended", why, seq),)
    return alerts, ()


def _raise(
    alerts: Alerts, change: Change, cause: str, severity: str, at_mono_ns: int
) -> tuple[Alerts, tuple[AlertChange, ...]]:
    """Into the open alert of its cause, else into a new one. A device has one alert, whatever the hand."""
    why = kind = _words_of(change)
    is_of_equipment, number = cause.startswith("equipment"), change.number
    follows = (number,) if is_of_equipment and not isinstance(change.finding, Equipment) else ()
    if follows:
        why = f"{kind}, in doubt: {cause.removeprefix('equipment: ')} did not see all of this hand"
    entry = (number, severity)
    for alert in alerts.open:
        if alert.cause == cause and (is_of_equipment or alert.hand == change.hand):
            amended = _with_standing(alert, (*alert.standing, entry), "raised")
            amended = msgspec.structs.replace(
                amended,
                findings=tuple(dict.fromkeys((*alert.findings, number))),
                follows=(*alert.follows, *follows),
            )
            return _put(alerts, amended), (AlertChange(amended, "amended", why, change.seq),)
    alert = Alert(
        alerts.next_number,
        change.hand,
        cause,
        severity,
        "raised",
        (entry,),
        (number,),
        at_mono_ns,
        follows=follows,
    )
    opened = Alerts((*alerts.open, alert), alerts.next_number + 1)
    return opened, (AlertChange(alert, "raised", why, change.seq),)


def _leave(
    alerts: Alerts, change: Change, alert: Alert | None, cause: str
) -> tuple[Alerts, tuple[AlertChange, ...]]:
    """Out of the alert of another cause; one with nothing left to say is closed."""
    if alert is None:
        return alerts, ()
    why = f"{_words_of(change)} goes to the alert of {cause.removeprefix('equipment: ')}"
    standing = tuple(entry for entry in alert.standing if entry[0] != change.number)
    if not standing:
        alerts, closed = _close(alerts, alert, why, change.seq)
        return alerts, (closed,)
    amended = _with_standing(alert, standing, alert.status)
    return _put(alerts, amended), (AlertChange(amended, "amended", why, change.seq),)


def _withdraw(
    alerts: Alerts, change: Change, is_hand_closed: bool, is_put_right: bool
) -> tuple[Alerts, tuple[AlertChange, ...]]:
    alert = alerts.holder(change.number)
    if alert is None or is_hand_closed:
        return alerts, ()
    standing = tuple(entry for entry in alert.standing if entry[0] != change.number)
    what = "amended" if standing else "settled"
    why = f"no longer {_words_of(change)}"
    if not standing and not alert.is_of_equipment:
        why = "put right" if is_put_right else "a later read explained it otherwise"
    amended = _with_standing(alert, standing, alert.status if standing else "settled")
    return _put(alerts, amended), (AlertChange(amended, what, why, change.seq),)


def _with_standing(alert: Alert, standing: tuple[tuple[int, str], ...], status: str) -> Alert:
    """A settled alert falls back to attention: there is nothing left to declare, only something to see."""
    said = [severity for _, severity in standing]
    if said and (alert.is_one_of_them or alert.severity != NOTICE):
        said.append(ATTENTION)  # what was lit stays lit until somebody has seen it
    loudest = max(said, key=_LOUDNESS.index, default=NOTICE if alert.severity == NOTICE else ATTENTION)
    stands = {number for number, _ in standing}
    follows = tuple(number for number in alert.follows if number in stands)
    return msgspec.structs.replace(alert, standing=standing, status=status, severity=loudest, follows=follows)


def acknowledge(alerts: Alerts, seq: int) -> tuple[Alerts, tuple[AlertChange, ...]]:
    """Somebody has seen the alerts: settled ones and equipment close, those of the deal stay lit."""
    changes: list[AlertChange] = []
    for alert in alerts.open:
        if alert.status == "settled" or (alert.is_of_equipment and not alert.follows):
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
    """A supervisor ruled: what is of the deal closes; equipment stays until it is seen to."""
    changes: list[AlertChange] = []
    for alert in alerts.open:
        standing = tuple(entry for entry in alert.standing if entry[0] not in alert.follows)
        if not alert.is_of_equipment or (alert.follows and not standing):
            alerts, closed = _close(alerts, alert, ruling, seq)
            changes.append(closed)
        elif alert.follows:
            amended = _with_standing(alert, standing, alert.status)
            alerts = _put(alerts, amended)
            changes.append(AlertChange(amended, "amended", ruling, seq))
    return alerts, tuple(changes)


def begin_hand(alerts: Alerts, seq: int) -> tuple[Alerts, tuple[AlertChange, ...]]:
    """The next hand clears what was put right, and what was never sure enough to light the light."""
    over = [alert for alert in alerts.open if alert.status == "settled" or _is_mere_notice(alert)]
    return _close_all(alerts, over, "next hand", seq)


def _is_mere_notice(alert: Alert) -> bool:
    return alert.severity == NOTICE and alert.cause in _CAUSE_OF_KIND.values()


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
