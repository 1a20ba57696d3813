"""The session with a Patlite NE-USB as a key: its touch sensor says nothing by itself, so it is asked.

    CLOSED --opened: asks-------------------> ASKING
    ASKING --an answer: LinkRestored--------> LIVE
    LIVE ----no answer for 3 s: LinkLost----> ASKING
    any -----closed: LinkLost---------------> CLOSED

It is asked every 50 ms, which a finger outlasts; a question without an answer is repeated after 500 ms. It
has no clock, so presses are measured on the host's, and no name: USB tells what it is. A press that spans a
loss of the link is none.
"""

from collections import Counter

import msgspec

from protocol.messages import KeyPressed, KeyReleased, Message, Stamp
from shoe_bridge.link.keys import Keys
from shoe_bridge.link.session import NS_PER_MS, RETRY_NS, SILENT_NS, LinkLabel, Session
from shoe_bridge.table.observations import AnyObservation

CLOSED, ASKING, LIVE = "closed", "asking", "live"
ASK_NS = 50 * NS_PER_MS


class PatliteState(msgspec.Struct):
    """All that the session remembers, as `snapshot` stores it. `due_ns` is when the next question is due."""

    phase: str = CLOSED
    is_lost: bool = False
    is_touched: bool = False
    heard_ns: int = 0
    due_ns: int = 0
    has_noise: bool = False


class PatliteSession(Session):
    """One per patlite_ne device."""

    def __init__(self, label: LinkLabel, counters: Counter[str], keys: Keys) -> None:
        super().__init__(label, None, counters)
        self._keys = keys
        self._state = PatliteState()

    @property
    def is_verified(self) -> bool:
        """Whether it answers."""
        return self._state.phase == LIVE

    def opened(self, at_mono_ns: int) -> None:
        self._is_lost = False
        self._keys.forget()
        self._state = PatliteState(ASKING, heard_ns=at_mono_ns)
        self._ask(at_mono_ns)

    def closed(self, at_mono_ns: int, why: str, out: list[AnyObservation]) -> None:
        if self._state.phase == CLOSED:
            return
        self._state.phase = CLOSED
        self._keys.forget()
        self._lose(at_mono_ns, why, out)

    def take(
        self, messages: tuple[Message, ...], stamp: Stamp | None, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        """One answer: touched, or not."""
        state = self._state
        if state.phase == CLOSED:
            return
        state.heard_ns = at_mono_ns
        state.due_ns = min(state.due_ns, at_mono_ns + ASK_NS)
        if state.phase == ASKING:
            state.phase = LIVE
            self._restore_link(at_mono_ns, None, out)
        at_ms = at_mono_ns // NS_PER_MS
        for message in messages:
            if isinstance(message, KeyPressed) and not state.is_touched:
                state.is_touched = True
                self._keys.down(message.key, at_ms, at_mono_ns)
            elif isinstance(message, KeyReleased) and state.is_touched:
                state.is_touched = False
                self._keys.up(message.key, at_ms, at_mono_ns, out)

    def noise(self, at_mono_ns: int) -> None:
        self._state.has_noise = True

    def next_deadline_ns(self) -> int | None:
        if self._state.phase == CLOSED:
            return None
        due_ns = min(self._state.due_ns, self._state.heard_ns + SILENT_NS)
        stuck_ns = self._keys.next_deadline_ns()
        return due_ns if stuck_ns is None else min(due_ns, stuck_ns)

    def tick(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        state = self._state
        if state.phase == CLOSED:
            return
        self._keys.tick(at_mono_ns, out)
        if at_mono_ns >= state.heard_ns + SILENT_NS:
            self._fall_silent(at_mono_ns, out)
        if at_mono_ns >= state.due_ns:
            self._ask(at_mono_ns)

    def _fall_silent(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        state = self._state
        heard_ns = self._after_stall_ns(state.heard_ns, at_mono_ns)
        state.heard_ns = at_mono_ns if heard_ns is None else heard_ns
        if heard_ns is not None:
            return
        self.refusal = self._no_answer_sentence(state.has_noise)
        state.phase = ASKING
        state.is_touched = False
        self._keys.forget()
        self._lose(at_mono_ns, "it does not answer", out)

    def _ask(self, at_mono_ns: int) -> None:
        self._command("get_state")
        self._state.due_ns = at_mono_ns + RETRY_NS

    # -- storage

    def snapshot(self) -> bytes:
        self._state.is_lost = self._is_lost
        return msgspec.msgpack.encode(self._state)

    def restore(self, data: bytes) -> None:
        self._state = msgspec.msgpack.decode(data, type=PatliteState)
        self._is_lost = self._state.is_lost
