"""What the session with an asked reader remembers, and to whom it tells its polls."""

from typing import Protocol

import msgspec

from protocol.messages import HostCommand, TagSeen
from shoe_bridge.table.observations import AnyObservation

CLOSED, SETTING_UP, REFUSED, LIVE = "closed", "setting_up", "refused", "live"


class PollReader(Protocol):
    """What takes the polls; `asked_reader.AskedReader` says what each call means."""

    def polled(
        self,
        number: int,
        tags: list[TagSeen],
        asked_mono_ns: int,
        at_mono_ns: int,
        is_clean: bool,
        out: list[AnyObservation],
    ) -> None: ...

    def alive(self, asked_mono_ns: int, at_mono_ns: int, out: list[AnyObservation]) -> None: ...

    def told(self, tags: list[TagSeen], at_mono_ns: int, out: list[AnyObservation]) -> None: ...

    def noise(self, at_mono_ns: int) -> None: ...

    def restored(self, at_mono_ns: int) -> None: ...

    def snapshot(self) -> bytes: ...

    def restore(self, data: bytes) -> None: ...


class Poll(msgspec.Struct):
    """The open poll. `command` is its newest one; `ends_quietly`: no further frame means that it is over."""

    antenna: int
    asked_ns: int
    command: HostCommand
    tags: list[TagSeen] = []
    frames: int = 0
    is_noisy: bool = False
    ends_quietly: bool = False


class AskedState(msgspec.Struct):
    """All that the session remembers, as `snapshot` stores it. Times are monotonic ns.

    `due_ns` is the deadline of the outstanding question (None: nothing is asked), `mute_ns` when the oldest
    question without an answer was asked, `misses` how many questions running had none. `failures` counts the
    failed polls running of each antenna.
    """

    phase: str = CLOSED
    is_lost: bool = False
    is_restored: bool = False
    step: int = 0
    tries: int = 0
    asked_ns: int = 0
    due_ns: int | None = None
    mute_ns: int | None = None
    misses: int = 0
    has_noise: bool = False
    poll: Poll | None = None
    turn: int = 0
    next_poll_ns: int = 0
    failures: dict[int, int] = {}
