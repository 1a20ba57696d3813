"""What the sessions share with a USB device that has no name and no heartbeat: USB itself tells that it is
there, and what it is.

    CLOSED --opened---------------------------------> OPEN
    OPEN ----the first tick, or report: LinkRestored-> LIVE
    any -----closed: LinkLost-----------------------> CLOSED
"""

from collections import Counter
from typing import Generic, TypeVar

import msgspec

from shoe_bridge.link.session import LinkLabel, Session
from shoe_bridge.table.observations import AnyObservation

CLOSED, OPEN, LIVE = "closed", "open", "live"


class PluggedState(msgspec.Struct):
    """What each of them remembers, as `snapshot` stores it."""

    phase: str = CLOSED
    is_lost: bool = False
    opened_ns: int = 0


State = TypeVar("State", bound=PluggedState)


class PluggedSession(Session, Generic[State]):
    """Subclasses say what the reports mean."""

    def __init__(self, label: LinkLabel, counters: Counter[str], state: State) -> None:
        super().__init__(label, None, counters)
        self._state = state

    @property
    def is_verified(self) -> bool:
        """Whether the device is there."""
        return self._state.phase == LIVE

    def _open(self, state: State) -> None:
        """The byte path is there: a new life begins in `state`."""
        self._is_lost = False
        self._state = state

    def closed(self, at_mono_ns: int, why: str, out: list[AnyObservation]) -> None:
        if self._state.phase != CLOSED:
            self._state.phase = CLOSED
            self._lose(at_mono_ns, why, out)

    def _refuse_layout(self, layout: str) -> None:
        """What came are reports of another layout than this one."""
        self.refusal = (
            f"{self.label.device} sends reports that are not of the layout `{layout}`: set `layout` of "
            f"this device in the configuration to another one"
        )

    def _go_live(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        if self._state.phase == OPEN:
            self._state.phase = LIVE
            self._restore_link(at_mono_ns, None, out)

    def snapshot(self) -> bytes:
        self._state.is_lost = self._is_lost
        return msgspec.msgpack.encode(self._state)

    def restore(self, data: bytes) -> None:
        self._state = msgspec.msgpack.decode(data, type=type(self._state))
        self._is_lost = self._state.is_lost
