"""The session with a device that only speaks, and only when something happens: a shoe on a one-way line.

    CLOSED ------opened------------------------------> LISTENING (nothing is asked)
    LISTENING ---a whole report: LinkRestored--------> HEARD
    LISTENING ---3 s, and noise was all that came----> LISTENING, with a refusal: wrong speed or kind
    LISTENING, HEARD ---closed: LinkLost-------------> CLOSED

What HEARD means: on this life of the path a whole report of this kind was read. It does not mean that this is
the shoe of this table, for such a device has no name; nor that it is still there, for between hands it is
silent. So silence is never LinkLost, and no `identity` can be asked of it: a dead shoe shows where cards land
that were never drawn, and that is the table's to see. Until the first report the link is not proven.

Such a device keeps nothing: `missed_events` of LinkRestored is None, or what its own numbering shows.
"""

from abc import abstractmethod
from collections import Counter

import msgspec

from protocol.messages import DeviceFault, HostCommand, Message, Stamp, UnknownBody
from shoe_bridge.link.session import SILENT_NS, LinkLabel, Session
from shoe_bridge.link.translate import plain
from shoe_bridge.table.observations import AnyObservation, EventsMissed

CLOSED, LISTENING, HEARD = "closed", "listening", "heard"


class ListeningState(msgspec.Struct):
    """All that the session remembers, as `snapshot` stores it. Times are monotonic ns.

    `faults` are those that were reported and are not over: number and text. `doubted_ns` is the newest noise
    that may have been a report, `is_doubt_owed` that the table is not told of it yet. `sequence` is the
    number of the newest report, `newest` its bytes, and `copied` when each of the last reports was heard
    last.
    """

    phase: str = CLOSED
    is_lost: bool = False
    opened_ns: int = 0
    has_noise: bool = False
    doubted_ns: int | None = None
    is_doubt_owed: bool = False
    faults: list[tuple[int, str | None]] = []
    sequence: int | None = None
    newest: bytes = b""
    copied: dict[bytes, int] = {}


class ListeningSession(Session):
    """Base of such sessions. Subclasses say what becomes of a report."""

    def __init__(self, label: LinkLabel, counters: Counter[str]) -> None:
        super().__init__(label, None, counters)
        self._state = ListeningState()

    @property
    def is_verified(self) -> bool:
        """Whether a whole report was read since the path was opened; whose it was is not proven."""
        return self._state.phase == HEARD

    @property
    def waits_for(self) -> str | None:
        """What the shoe is waited for, while no report of it was read and nothing is held against it."""
        if self._state.phase != LISTENING or self.refusal is not None:
            return None
        return (
            f"{self.label.device} is listened to only and has not spoken yet: draw a card or press a button "
            f"on the shoe, and it is known to be connected"
        )

    # -- the life of the link

    def opened(self, at_mono_ns: int) -> None:
        """The byte path is there. Nothing is sent."""
        self._is_lost = False
        state = self._state
        state.phase = LISTENING
        state.opened_ns = at_mono_ns
        state.has_noise = False

    def closed(self, at_mono_ns: int, why: str, out: list[AnyObservation]) -> None:
        """The byte path ended."""
        if self._state.phase == CLOSED:
            return
        self._pay_doubt(out)
        self._state.phase = CLOSED
        self._lose(at_mono_ns, why, out)

    # -- frames

    def take(
        self, messages: tuple[Message, ...], stamp: Stamp | None, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        """One decoded frame that arrived at `at_mono_ns`."""
        if self._state.phase == CLOSED:
            return
        for message in messages:
            if isinstance(message, HostCommand):
                # somebody else's words on the line prove nothing about the shoe
                self._counters["of_the_host"] += 1
            else:
                self._report(message, at_mono_ns, out)

    @abstractmethod
    def _report(self, message: Message, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """One report of the device."""

    def _heard(self, at_mono_ns: int, missed_events: int | None, out: list[AnyObservation]) -> None:
        """The first report of this life of the path."""
        self._state.phase = HEARD
        self._restore_link(at_mono_ns, missed_events, out)

    def _tell(self, message: Message, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """What the table is told of one report that is no copy."""
        if isinstance(message, DeviceFault):
            self._remember(message)
        if isinstance(message, UnknownBody):
            self._unclear(at_mono_ns, out)
        elif (observation := plain(message, self.label.device, at_mono_ns)) is not None:
            out.append(observation)
        else:
            self._counters["untold"] += 1

    def _unclear(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """A report that was read whole and whose meaning is not known: it may have been a card."""
        self._counters["unclear_reports"] += 1
        self._doubt(1, at_mono_ns, out)

    def _doubt(self, count: int, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """`count` events were missed, or came in a way that nothing can be made of."""
        out.append(EventsMissed(self.label.device, self.label.places, count, at_mono_ns))

    def _pay_doubt(self, out: list[AnyObservation]) -> None:
        """Tell of the noise that may have been a report."""
        state = self._state
        if state.is_doubt_owed and state.doubted_ns is not None:
            state.is_doubt_owed = False
            self._doubt(1, state.doubted_ns, out)

    # -- faults

    def _remember(self, fault: DeviceFault) -> None:
        faults = self._state.faults
        if fault.cleared:
            self._state.faults = [known for known in faults if known[0] != fault.code]
        elif (fault.code, fault.text) not in faults:
            self._state.faults = [*faults, (fault.code, fault.text)]

    def _end_faults(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """The device works again, which is all that it says of the end of a fault."""
        for code, text in self._state.faults:
            over = DeviceFault(code, text, cleared=True)
            if (observation := plain(over, self.label.device, at_mono_ns)) is not None:
                out.append(observation)
        self._state.faults = []

    # -- noise and deadlines

    def noise(self, at_mono_ns: int) -> None:
        """Bytes were dropped."""
        self._state.has_noise = True

    def next_deadline_ns(self) -> int | None:
        state = self._state
        if state.is_doubt_owed and state.phase != CLOSED:
            return state.doubted_ns
        if state.phase != LISTENING or not state.has_noise or self.refusal is not None:
            return None
        return state.opened_ns + SILENT_NS

    def tick(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """A deadline came due; calls that come early or late do no harm."""
        self._pay_doubt(out)
        due_ns = self.next_deadline_ns()
        if due_ns is not None and at_mono_ns >= due_ns:
            self.refusal = self._no_answer_sentence(has_noise=True)

    # -- storage

    def snapshot(self) -> bytes:
        self._state.is_lost = self._is_lost
        return msgspec.msgpack.encode(self._state)

    def restore(self, data: bytes) -> None:
        self._state = msgspec.msgpack.decode(data, type=ListeningState)
        self._is_lost = self._state.is_lost
