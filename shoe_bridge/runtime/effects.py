"""Reconciles what a light shall show with what it shows. Sans-IO: given the time, it says what to write next.

    desire, opened, reports, the clock ──► LightEffect.reconcile ──► one write, or None
                                           if `must_drop`: forget what the light has not taken
                                           then `wrote`, or `stalled` when the light took nothing

What holds, whatever the light does:
- a change is written at once, except for the gap that the device needs between two writes;
- only the latest state is ever written: a change, a stall and a loss drop what was still planned, and what
  waits for a light that owes an answer is dropped before the next try;
- the promise is renewed each `keep_alive_ms`, written again after a reconnect, and again when the light does
  not confirm it, or says that it shows something else;
- the work is bounded: a light that takes nothing is tried again after 0.1 s, then ever later up to 2 s.
"""

from collections import deque
from typing import Generic, TypeVar

from shoe_bridge.lights.light import Light
from shoe_bridge.lights.policy import LOOKS
from shoe_bridge.table.light_state import LightState

Write = TypeVar("Write")
Report = TypeVar("Report")

_MS = 1_000_000
_FIRST_STALL_MS = 100
_LONGEST_STALL_MS = 2000
_MISSES_TO_TROUBLE = 2  # one lost answer is noise
_LONGEST_PATIENCE = 8  # how often `confirm_ms` an answer is waited for at most


class LightEffect(Generic[Write, Report]):
    """One light's desired and shown state. All times are the monotonic clock in ns.

    `shown` is what the light confirmed last, or what was written whole last to a light that cannot confirm;
    None when that is not known. `trouble` is one sentence for people, None when the light does its work.
    """

    def __init__(self, name: str, light: Light[Write, Report]) -> None:
        self.name = name
        self.light = light
        self.desired = LightState.NOT_MONITORED
        self.shown: LightState | None = None
        self.trouble: str | None = _not_connected(name, "it was not opened yet")
        self.must_drop = False  # whether the write that is due replaces what the light has not taken
        self._is_open = False
        self._is_due = False
        self._plan: deque[Write] = deque()
        self._may_write_from_ns = 0
        self._renew_at_ns: int | None = None
        self._confirm_by_ns: int | None = None
        self._misses = 0
        self._stall_ms = 0
        self._is_deaf = False  # it took nothing, or owes an answer, since it last did its work

    @property
    def is_open(self) -> bool:
        return self._is_open

    @property
    def is_settled(self) -> bool:
        """Nothing remains to be written for the desired state (nothing can be while the light is closed)."""
        return not self._is_open or not (self._plan or self._is_due)

    def is_showing(self, state: LightState) -> bool:
        return self._is_open and self.shown is state

    def desire(self, state: LightState) -> None:
        if state is not self.desired:
            self.desired = state
            self._start_over()

    def opened(self, at_mono_ns: int) -> None:
        """The light can be written to; what it shows is not known."""
        self._is_open = True
        self._is_deaf = False
        self._stall_ms = 0
        self._may_write_from_ns = at_mono_ns
        self.shown = None
        self.trouble = None
        self._start_over()

    def closed(self, why: str) -> None:
        """The path to the light ended, or could not be opened; `why` says so for people."""
        self._is_open = False
        self._plan.clear()
        self.shown = None
        self.trouble = _not_connected(self.name, why)

    def ended(self) -> None:
        """The path was given back at an orderly end, which is no trouble."""
        self.closed("")
        self.trouble = None

    def take(self, report: Report) -> None:
        """What the light said."""
        state = self.light.take(report)
        if state is None or not self._is_open:
            return
        self.shown = state
        if self._plan:  # an answer from before the change that is being written
            return
        if state is self.desired:
            self._confirm_by_ns = None
            self._misses = 0
            self._is_deaf = False
            self.trouble = None
        elif self._confirm_by_ns is None:  # it had confirmed and now shows something else: expired, restarted
            self._is_due = True

    def reconcile(self, at_mono_ns: int) -> Write | None:
        """The write that is due now, the same one until `wrote` or `stalled` tells what became of it."""
        if not self._is_open or at_mono_ns < self._may_write_from_ns:
            return None
        if self._confirm_by_ns is not None and at_mono_ns >= self._confirm_by_ns:
            self._miss_confirmation()
        if self._renew_at_ns is not None and at_mono_ns >= self._renew_at_ns:
            self._is_due = True
        if self._is_due and not self._plan:
            self._make_plan(at_mono_ns)
        return self._plan[0] if self._plan else None

    def wrote(self, at_mono_ns: int) -> None:
        """The write that `reconcile` gave was taken."""
        self._plan.popleft()
        self.must_drop = False
        self._stall_ms = 0
        self._may_write_from_ns = at_mono_ns + self.light.min_gap_ms * _MS
        if self._plan:
            return
        if not self.light.can_confirm:
            self.shown = self.desired
            self._is_deaf = False
            self.trouble = None
        elif self._confirm_by_ns is None:  # a renewal does not lengthen the wait for an answer that is owed
            patience = min(1 << self._misses, _LONGEST_PATIENCE)
            self._confirm_by_ns = at_mono_ns + self.light.confirm_ms * patience * _MS

    def stalled(self, at_mono_ns: int) -> None:
        """The light did not take the write: what it shows is not known, and the plan is made anew later."""
        self._start_over()
        self._is_deaf = True
        self.shown = None
        self._stall_ms = min(self._stall_ms * 2, _LONGEST_STALL_MS) or _FIRST_STALL_MS
        self._may_write_from_ns = at_mono_ns + self._stall_ms * _MS
        self.trouble = f"light {self.name} takes no more bytes; switch it off and on, or check its cable."

    def next_deadline_ns(self) -> int | None:
        """When `reconcile` is to be called next; None while only an outer call can change anything."""
        if not self._is_open:
            return None
        if self._plan or self._is_due:
            return self._may_write_from_ns
        due = [at_ns for at_ns in (self._renew_at_ns, self._confirm_by_ns) if at_ns is not None]
        return max(min(due), self._may_write_from_ns) if due else None

    def _start_over(self) -> None:
        self._plan.clear()
        self._is_due = True
        self._confirm_by_ns = None
        self._misses = 0

    def _make_plan(self, at_mono_ns: int) -> None:
        self._plan.extend(self.light.show(self.desired))
        self._plan.extend(self.light.verify())
        self._is_due = False
        self.must_drop = self._is_deaf
        keep_alive_ms = self.light.keep_alive_ms
        self._renew_at_ns = at_mono_ns + keep_alive_ms * _MS if keep_alive_ms else None

    def _miss_confirmation(self) -> None:
        self._confirm_by_ns = None
        self._is_due = True
        self._is_deaf = True
        self._misses += 1
        if self._misses < _MISSES_TO_TROUBLE:
            return
        want = LOOKS[self.desired].word.lower()
        if self.shown is None or self.shown is self.desired:
            self.shown = None
            self.trouble = f"light {self.name} does not confirm {want}; check its power and cable."
        else:
            got = LOOKS[self.shown].word.lower()
            self.trouble = (
                f"light {self.name} shows {got} and not {want}; switch it off and on, or exchange it."
            )


def _not_connected(name: str, why: str) -> str:
    return f"light {name} is not connected: {why.rstrip('.')}."
