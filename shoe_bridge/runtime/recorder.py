"""Writes down what a step led to: audit records and the feed events that rest on them, in one transaction."""

from collections.abc import Iterator
from typing import Any

import msgspec

from shoe_bridge.adapters.clock import SystemClock
from shoe_bridge.feed import events as feed
from shoe_bridge.journal import Journal
from shoe_bridge.rules.book import Book
from shoe_bridge.rules.explain import Explainer
from shoe_bridge.rules.wording import sentence
from shoe_bridge.runtime.core import Step
from shoe_bridge.runtime.feeder import Feeder
from shoe_bridge.runtime.opening import OPENED, REFUSED, Opening, record_body
from shoe_bridge.table.alerts import AlertChange
from shoe_bridge.table.findings import Change, DeckDefect
from shoe_bridge.table.hand import Hand
from shoe_bridge.table.light_state import LightState
from shoe_bridge.table.observations import LinkLost, LinkRestored
from shoe_bridge.table.state import TableState

_ALERT_TYPES: dict[str, type[feed.FeedEvent]] = {"raised": feed.AlertRaised, "closed": feed.AlertClosed}
_encode = msgspec.json.encode
_builtins = msgspec.to_builtins


class Recorder:
    """One table's scribe. All calls come from the loop."""

    def __init__(
        self,
        table: str,
        book: Book,
        journal: Journal,
        clock: SystemClock,
        feeder: Feeder,
        explainer: Explainer | None = None,
    ) -> None:
        self._table = table
        self._book = book
        self._journal = journal
        self._clock = clock
        self._feeder = feeder
        self._run = f"/{clock.wall_ns()}"
        self._explainer = explainer
        self._hand: int | None = None
        self._opened_n = 0
        self._light: LightState | None = None

    def opened(self, opening: Opening, at_mono_ns: int) -> None:
        """A run begins: all that a replay starts from."""
        self._opened_n = self._journal.append_record(OPENED, at_mono_ns, record_body(opening))

    def refused(self, why: str, at_mono_ns: int) -> None:
        """The run ends before it began: `why` is the sentence that people were told."""
        self._journal.append_record(REFUSED, at_mono_ns, _encode({"why": why}))

    def table_opened(self, opening: Opening, at_mono_ns: int, hand: int) -> None:
        """The start was not refused: the feed hears of the table."""
        with self._journal.together:
            n, setup = self._opened_n, opening.setup
            was_clean = self._journal.recovered.was_clean
            payload = feed.TableState(setup.game.game, setup.seated, not was_clean)
            self._owe(feed.TableOpened, payload, n, at_mono_ns, hand)

    def record(self, step: Step, at_mono_ns: int, light: LightState, state: TableState) -> None:
        """Records and feed events of one step, committed together or not at all."""
        with self._journal.together:
            n = 0
            for event in step.events:
                n = self._journal.append_record("event", at_mono_ns, _encode(event))
                self._owe_device(event.observation, n, at_mono_ns, state.hand.number)
            before, self._hand = self._hand, _hand_in_play(state)
            if self._hand not in (None, before):
                self._owe(feed.HandStarted, _hand_state(state), n, at_mono_ns, state.hand.number)
            for change in step.changes:
                n = self._journal.append_record("change", at_mono_ns, _encode(change))
                kind = feed.FindingRaised if change.raised else feed.FindingWithdrawn
                self._owe(kind, feed.finding_state(change), n, at_mono_ns, change.hand)
            for alert in step.alerts:
                n = self._journal.append_record("alert", at_mono_ns, _encode(alert))
                kind_of_alert = _ALERT_TYPES.get(alert.what, feed.AlertChanged)
                self._owe(kind_of_alert, _alert_state(alert), n, at_mono_ns, alert.alert.hand)
            if before not in (None, self._hand):
                self._owe(feed.HandClosed, _hand_state(state), n, at_mono_ns, before)
            self._record_light(light, at_mono_ns, state.hand.number)

    def lines(self, step: Step, hand: Hand | None = None) -> Iterator[dict[str, Any]]:
        """The step as reports for people and programs; `hand` (the hand after it) makes each
        finding say why."""
        if self._explainer is not None:
            self._explainer.take(step.events)
        for event in step.events:
            seen = event.observation
            yield {"type": "event", "seq": event.seq, **_public(_builtins(seen))}
        for change in step.changes:
            yield self._finding_line(change, hand)
        for alert in step.alerts:
            told = alert.alert
            yield {
                "type": "alert",
                "number": told.number,
                "what": alert.what,
                "why": alert.why,
                "severity": told.severity,
                "cause": told.cause,
                "hand": told.hand,
                "findings": list(told.findings),
            }

    def _finding_line(self, change: Change, hand: Hand | None) -> dict[str, Any]:
        change = _without_identity(change)
        finding = _builtins(change.finding)
        rule = finding.get("rule")
        return {
            "type": "finding",
            "raised": change.raised,
            "number": change.number,
            **finding,
            "sentence": sentence(change.finding),
            "says": self._book.says(rule) if rule else None,
            "why": self._why(change, hand),
            "hand": change.hand,
            "profile": change.profile,
            "version": change.version,
            "certainty": change.certainty,
            "probability": change.probability,
            "evidence": list(change.evidence),
        }

    def _record_light(self, light: LightState, at_mono_ns: int, hand: int) -> None:
        if light is self._light:
            return
        self._light = light
        n = self._journal.append_record("light", at_mono_ns, _encode({"state": light.value}))
        self._owe(feed.LightChanged, feed.LightShown("dealer", light, False), n, at_mono_ns, hand)

    def _why(self, change: Change, hand: Hand | None) -> str | None:
        if self._explainer is None or hand is None or not change.raised:
            return None
        told = self._explainer.why(
            change.finding, change.evidence, hand, change.certainty, change.probability
        )
        return told.short

    def _owe_device(self, seen: object, record_n: int, at_mono_ns: int, hand: int) -> None:
        if isinstance(seen, LinkLost):
            lost = feed.DeviceState(seen.device, seen.places, why=seen.why)
            self._owe(feed.DeviceLost, lost, record_n, at_mono_ns, hand)
        elif isinstance(seen, LinkRestored):
            back = feed.DeviceState(seen.device, seen.places, missed_events=seen.missed_events)
            self._owe(feed.DeviceRestored, back, record_n, at_mono_ns, hand)

    def _owe(
        self,
        kind: type[feed.FeedEvent],
        payload: feed.Payload,
        record_n: int,
        at_mono_ns: int,
        hand: int | None,
    ) -> None:
        clock = self._clock
        origin = feed.Origin(
            source=self._table,
            profile=f"{self._book.profile}/{self._book.version}",
            boot_id=clock.boot_id,
            record_n=record_n,
            at_mono_ns=at_mono_ns,
            at_wall_ns=clock.wall_ns(),
            is_wall_trusted=clock.is_wall_trusted(),
            run=self._run,
            hand=hand,
        )
        event = feed.make_event(kind, payload, origin, self._journal.next_outbox_seq)
        body = feed.encode_event(event)
        seq = self._journal.append_outbox(event.id, body)
        self._feeder.append(seq, body)


def _hand_in_play(state: TableState) -> int | None:
    """A hand begins for the feed with its first card, and ends with the pot pushed or the next hand."""
    hand = state.hand
    return hand.number if hand.cards and hand.phase not in ("gathering", "over") else None


def _hand_state(state: TableState) -> feed.HandState:
    integrity = feed.Integrity.UNVERIFIED if state.unverified else feed.Integrity.VERIFIED
    return feed.HandState(state.hand.eligible, integrity, state.unverified)


def _alert_state(change: AlertChange) -> feed.AlertState:
    alert = change.alert
    return feed.AlertState(alert.number, alert.cause, alert.severity, change.what, alert.findings, change.why)


def _without_identity(change: Change) -> Change:
    """Which card a deck has twice or lacks is for the journal: outside, a card of a live hand is a number."""
    if not isinstance(change.finding, DeckDefect):
        return change
    return msgspec.structs.replace(change, finding=DeckDefect(change.finding.reason))


def _public(observation: dict[str, Any]) -> dict[str, Any]:
    """An observation for the screen: which tag it was is nobody's business while the hand is live."""
    return {key: value for key, value in observation.items() if key not in ("tag", "card")}
