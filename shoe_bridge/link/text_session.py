"""The session with a home-made reader: it prints lines and hears nothing.

    CLOSED ---opened-------------------------------------------> STARTING
    STARTING --a line, or half a second without junk: LinkRestored-> LIVE (3 s with some junk, as at a boot)
    STARTING --3 s of much junk, or of silence where it has a heartbeat--> STARTING: LinkLost, refused
    LIVE -----20 junk results running: LinkLost------------------> STARTING
    LIVE -----its heartbeat is overdue: LinkLost-----------------> STARTING
    LIVE -----another device's name, twice running: LinkLost-----> STARTING, refused
    LIVE -----4 tags running whose line came once: LinkLost------> LIVE, refused, until a line comes again
    any ------closed: LinkLost-----------------------------------> CLOSED

The device cannot be asked who or whether it is. Most such programs print nothing while no tag is there, so an
open port counts as a live device unless `heartbeat_s` says how long it is silent at most.

The first line of a life that comes at once may be the end of one that was begun before: it is not taken.

Where lines are repeated, the silence of a tag proves that it is gone, if the host was awake for all of it:
the question is put when the hold time is over, and answered by a second tick that comes in time, with every
byte read in between. A device with a heartbeat must have printed something since. A line that is damaged, or
that fits no pattern and is not known as chatter, may have been the tag's.

Where lines are to be repeated and none is, each card would leave as soon as it has come: such a device is of
the other way of printing, and is no device to follow a table by. At a desk where cards are registered, which
has no table, the first line is all that is needed.
"""

from collections import Counter

import msgspec

from protocol.messages import CardDrawn, Message, PollEmpty, Stamp, TagGone, TagSeen, TypedLine
from shoe_bridge.link.line_codecs import is_chatter, tag_of_name
from shoe_bridge.link.line_reader import LineReader
from shoe_bridge.link.session import NS_PER_MS, RETRY_NS, SILENT_NS, STALLED_NS, LinkLabel, Session
from shoe_bridge.table.observations import AnyObservation, EventsMissed

CLOSED, STARTING, LIVE = "closed", "starting", "live"

START_NS = 500 * NS_PER_MS
CONFIRM_NS = 100 * NS_PER_MS
NS_PER_S = 1_000 * NS_PER_MS
MOST_JUNK = 20
UNNUMBERED = -1  # the antenna of lines that name none, where any antenna will do
STRANGE_NAMES_TO_REFUSE = 2
LONE_TO_REFUSE = 4  # more than the stray reads of a bad moment


class TextState(msgspec.Struct):
    """All that the session remembers, as `snapshot` stores it. Times are monotonic ns. `has_line`: this life
    has seen a line; `junk`: results running that meant nothing; `probe_ns`: when the silence of a tag was put
    to question; `missed`: lines that nobody will hear again, still to be told; `lone`: tags running that fell
    silent after a single line."""

    phase: str = CLOSED
    is_lost: bool = False
    opened_ns: int = 0
    heard_ns: int = 0
    has_line: bool = False
    junk: int = 0
    strange_names: int = 0
    probe_ns: int | None = None
    missed: int = 0
    lone: int = 0


class TextSession(Session):
    """One per text_line link. `single` is its only antenna (None: it has several), for lines that name none;
    `chatter` are beginnings of lines that tell nothing."""

    def __init__(
        self,
        label: LinkLabel,
        identity: str | None,
        counters: Counter[str],
        reader: LineReader,
        *,
        single: int | None,
        chatter: tuple[str, ...] = (),
        heartbeat_s: int = 0,
    ) -> None:
        super().__init__(label, identity, counters)
        self._reader = reader
        self._single = single
        self._chatter = chatter
        self._heartbeat_ns = heartbeat_s * NS_PER_S
        self._state = TextState()

    @property
    def is_verified(self) -> bool:
        """Whether nothing is known against the device: it cannot prove more."""
        return self._state.phase == LIVE and self._state.lone < LONE_TO_REFUSE

    # -- the life of the link

    def opened(self, at_mono_ns: int) -> None:
        """The byte path is there."""
        self._is_lost = False
        self._state.has_line = False
        self._start(at_mono_ns)

    def closed(self, at_mono_ns: int, why: str, out: list[AnyObservation]) -> None:
        """The byte path ended."""
        if self._state.phase == CLOSED:
            return
        self._state.phase = CLOSED
        self._lose(at_mono_ns, why, out)

    def _start(self, at_mono_ns: int) -> None:
        state = self._state
        state.phase = STARTING
        state.opened_ns = at_mono_ns
        state.junk = state.strange_names = state.missed = state.lone = 0
        state.probe_ns = None

    def _go_live(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        self._state.phase = LIVE
        self._state.heard_ns = at_mono_ns
        self._reader.restored(at_mono_ns)
        self._restore_link(at_mono_ns, None, out)

    # -- lines

    def take(
        self, messages: tuple[Message, ...], stamp: Stamp | None, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        """One line that arrived at `at_mono_ns`."""
        state = self._state
        if state.phase == CLOSED:
            return
        is_first, state.has_line = not state.has_line, True
        state.junk = 0
        for message in messages:
            if not self._has_right_name(message, at_mono_ns, out):
                continue
            if state.phase == STARTING:
                self._go_live(at_mono_ns, out)
            state.heard_ns = at_mono_ns
            if is_first and at_mono_ns < state.opened_ns + START_NS:
                self._counters["maybe_cut_lines"] += 1
                self._reader.noise(at_mono_ns)
            else:
                self._tell(message, at_mono_ns, out)

    def _tell(self, message: Message, at_mono_ns: int, out: list[AnyObservation]) -> None:
        reader = self._reader
        if isinstance(message, TypedLine):
            if not is_chatter(message.text, self._chatter):
                self._counters["unmatched_lines"] += 1
                reader.noise(at_mono_ns)
            return
        if isinstance(message, TagGone):
            antenna = self._single if message.antenna is None else message.antenna
            reader.tag_gone(antenna, message.tag, at_mono_ns, out)
            return
        if not isinstance(message, TagSeen | PollEmpty | CardDrawn):
            return  # a line of the host, where both directions are on the wire
        number = _number_in(message.target) if isinstance(message, CardDrawn) else message.antenna
        antenna = self._single if number is None else number
        if antenna is None:
            self._counters["no_antenna"] += 1
        elif isinstance(message, TagSeen):
            self._see(antenna, message.tag, message.rssi, at_mono_ns, out)
        elif isinstance(message, PollEmpty):
            reader.poll_empty(antenna, at_mono_ns, out)
        elif message.card is not None:
            self._see(antenna, tag_of_name(message.card), None, at_mono_ns, out)

    def _see(
        self, antenna: int, tag: str, rssi: int | None, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        self._reader.tag_seen(antenna, tag, rssi, at_mono_ns, out)
        if self._state.lone and self._reader.has_repeated:
            if self._state.lone >= LONE_TO_REFUSE:
                self._restore_link(at_mono_ns, None, out)
            self._state.lone = 0

    def noise(self, at_mono_ns: int) -> None:
        """Bytes were dropped: a line that is not repeated is lost for good."""
        state = self._state
        self._reader.noise(at_mono_ns)
        state.junk += 1
        if state.phase == LIVE and not self._reader.repeats:
            state.missed += 1

    # -- who is it

    def _has_right_name(self, message: Message, at_mono_ns: int, out: list[AnyObservation]) -> bool:
        state = self._state
        said = message.device_name if isinstance(message, TagSeen) else None
        if said is None or not self._is_other_device(said):
            state.strange_names = 0
            return True
        self._counters["other_device"] += 1
        state.strange_names += 1
        if state.strange_names >= STRANGE_NAMES_TO_REFUSE:
            self._lose(at_mono_ns, "another device answers", out)
            self._start(at_mono_ns)
            self.refusal = self._other_device_sentence(said)
        return False

    # -- deadlines

    def next_deadline_ns(self) -> int | None:
        state = self._state
        if state.phase == STARTING:
            return self._start_due_ns()
        if state.phase == CLOSED:
            return None
        dues = [self._proof_due_ns(), self._silence_due_ns()]
        if state.missed or state.junk >= MOST_JUNK:
            dues.append(state.heard_ns)
        return min((due for due in dues if due is not None), default=None)

    def _start_due_ns(self) -> int | None:
        """When a device that says nothing counts as live, or as lost; None when it has been told."""
        state = self._state
        if self.refusal is not None:
            return None
        if state.junk or (self._heartbeat_ns and not self._is_lost):
            return state.opened_ns + max(SILENT_NS, self._heartbeat_ns)
        return None if self._heartbeat_ns else state.opened_ns + START_NS

    def _proof_due_ns(self) -> int | None:
        probe_ns = self._state.probe_ns
        return self._reader.next_expiry_ns() if probe_ns is None else probe_ns + CONFIRM_NS

    def _silence_due_ns(self) -> int | None:
        return self._state.heard_ns + self._heartbeat_ns if self._heartbeat_ns else None

    def tick(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """A deadline came due; calls that come early or late do no harm."""
        state = self._state
        if state.phase == STARTING:
            self._tick_starting(at_mono_ns, out)
        elif state.phase == LIVE:
            if state.missed:
                out.append(EventsMissed(self.label.device, self.label.places, state.missed, at_mono_ns))
                self._counters["events_missed"] += state.missed
                state.missed = 0
            if state.junk >= MOST_JUNK:
                self._lose(at_mono_ns, f"it sends bytes that are not {self.label.kind}", out)
                junk = state.junk
                self._start(at_mono_ns)
                state.junk = junk
            elif not self._is_lost_by_silence(at_mono_ns, out):
                self._prove(at_mono_ns, out)

    def _tick_starting(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        due_ns = self._start_due_ns()
        if due_ns is None or at_mono_ns < due_ns:
            return
        if self._state.junk >= MOST_JUNK or self._heartbeat_ns:
            self.refusal = self._no_answer_sentence(self._state.junk > 0)
            self._lose(at_mono_ns, "the device does not answer", out)
        else:
            self._go_live(at_mono_ns, out)

    def _is_lost_by_silence(self, at_mono_ns: int, out: list[AnyObservation]) -> bool:
        state = self._state
        due_ns = self._silence_due_ns()
        if due_ns is None or at_mono_ns < due_ns:
            return False
        if at_mono_ns >= due_ns + STALLED_NS:
            # the host itself had stopped, and the lines may wait unread
            self._counters["host_stalls"] += 1
            state.heard_ns = at_mono_ns - self._heartbeat_ns + RETRY_NS
            return False
        self._counters["silences"] += 1
        self._lose(at_mono_ns, "the device is silent", out)
        self._start(at_mono_ns)
        return True

    def _prove(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        state = self._state
        due_ns = self._proof_due_ns()
        if due_ns is None or at_mono_ns < due_ns:
            return
        if state.probe_ns is None or at_mono_ns >= due_ns + STALLED_NS:
            state.probe_ns = at_mono_ns
            return
        proven_ns = min(state.probe_ns, state.heard_ns) if self._heartbeat_ns else state.probe_ns
        state.probe_ns = None
        lone = self._reader.lone_reads(proven_ns)
        if lone and self._single != UNNUMBERED and not self._reader.has_repeated:
            self._count_lone(lone, at_mono_ns, out)
        self._reader.answered(proven_ns, at_mono_ns, out)

    def _count_lone(self, lone: int, at_mono_ns: int, out: list[AnyObservation]) -> None:
        self._state.lone += lone
        self._counters["lone_reads"] += lone
        if self._state.lone >= LONE_TO_REFUSE:
            self.refusal = (
                f"{self.label.device} prints the line of a tag once and not again within `hold_ms`, so that"
                " no card stays: set `repeats = false` at this device in the configuration, or a longer"
                " `hold_ms` if its polls are further apart"
            )
            self._lose(at_mono_ns, "its lines come once, and are expected again and again", out)

    # -- storage

    def snapshot(self) -> bytes:
        self._state.is_lost = self._is_lost
        return msgspec.msgpack.encode(self._state)

    def restore(self, data: bytes) -> None:
        self._state = msgspec.msgpack.decode(data, type=TextState)
        self._is_lost = self._state.is_lost


def _number_in(target: str | None) -> int | None:
    """The number of `player 3` and `reader 3`."""
    return None if target is None else int(target.rpartition(" ")[2])
