"""The session with a home-made reader: it prints lines and hears nothing.

    CLOSED ---opened---------------------------------------------------> STARTING
    STARTING --a line that fits, or quiet: LinkRestored----------------> LIVE
    STARTING --much junk, no quiet, or no heartbeat: LinkLost----------> STARTING, refused
    LIVE -----20 junk results running: LinkLost------------------------> STARTING, refused
    LIVE -----its heartbeat is overdue: LinkLost-----------------------> STARTING
    LIVE -----another device's name, twice running: LinkLost-----------> STARTING, refused
    LIVE -----4 tags running whose line came once: LinkLost------------> LIVE, refused until one comes again
    any ------closed: LinkLost-----------------------------------------> CLOSED

Which lines fit, what is quiet, and how a device that was lost for its lines comes back: see `line_trust`.

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

from protocol.messages import Message, Stamp, TagSeen, TypedLine
from shoe_bridge.link.line_codecs import is_chatter
from shoe_bridge.link.line_reader import LineReader
from shoe_bridge.link.line_trust import START_NS, LineTrust, unfit_sentence
from shoe_bridge.link.session import NS_PER_MS, RETRY_NS, SILENT_NS, STALLED_NS, LinkLabel, Session
from shoe_bridge.link.text_lines import tell
from shoe_bridge.table.observations import AnyObservation, EventsMissed

CLOSED, STARTING, LIVE = "closed", "starting", "live"

CONFIRM_NS = 100 * NS_PER_MS
NS_PER_S = 1_000 * NS_PER_MS
UNNUMBERED = -1  # the antenna of lines that name none, where any antenna will do
STRANGE_NAMES_TO_REFUSE = 2
LONE_TO_REFUSE = 4  # more than the stray reads of a bad moment


class TextState(msgspec.Struct):
    """All that the session remembers, as `snapshot` stores it. Times are monotonic ns. `heard_ns`: when a
    line came last that fits; `has_line`, `has_fit`: this life has seen a line, and one that fits; `probe_ns`:
    when the silence of a tag was put to question; `missed`: lines that nobody will hear again, still to be
    told; `lone`: tags running that fell silent after a single line."""

    phase: str = CLOSED
    is_lost: bool = False
    opened_ns: int = 0
    heard_ns: int = 0
    has_line: bool = False
    has_fit: bool = False
    strange_names: int = 0
    probe_ns: int | None = None
    missed: int = 0
    lone: int = 0
    trust: LineTrust = msgspec.field(default_factory=LineTrust)


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

    @property
    def has_spoken(self) -> bool:
        """Whether a line that fits came since the port was opened."""
        return self._state.has_fit

    # -- the life of the link

    def opened(self, at_mono_ns: int) -> None:
        """The byte path is there."""
        self._is_lost = False
        self._state.has_line = self._state.has_fit = False
        # another box may be there now: it starts without the doubts about the last one
        self._state.trust = LineTrust()
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
        state.strange_names = state.missed = state.lone = 0
        state.probe_ns = None
        state.trust.started()

    def _go_live(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        self._state.phase = LIVE
        self._state.heard_ns = at_mono_ns
        self._state.trust.lived(at_mono_ns)
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
        for message in messages:
            if isinstance(message, TypedLine) and not self._is_known(message.text, at_mono_ns):
                continue
            if not self._has_right_name(message, at_mono_ns, out):
                continue
            state.trust.fitted()
            state.has_fit = True
            state.heard_ns = at_mono_ns
            if state.phase == STARTING:
                if not state.trust.may_live(at_mono_ns):
                    state.missed += not (self._reader.repeats or isinstance(message, TypedLine))
                    continue
                self._go_live(at_mono_ns, out)
            if is_first and at_mono_ns < state.opened_ns + START_NS:
                self._counters["maybe_cut_lines"] += 1
                self._reader.noise(at_mono_ns)
            else:
                tell(message, self._reader, self._single, self._counters, at_mono_ns, out)
                self._note_repeats(at_mono_ns, out)

    def _note_repeats(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """Where lines come again after all, the device is of the way of printing that it is taken for."""
        if self._state.lone and self._reader.has_repeated:
            if self._state.lone >= LONE_TO_REFUSE:
                self._restore_link(at_mono_ns, None, out)
            self._state.lone = 0

    def _is_known(self, text: str, at_mono_ns: int) -> bool:
        """Whether a line that tells nothing is one that such a device prints. An empty one says neither."""
        if is_chatter(text, self._chatter):
            return bool(text)
        self._counters["unmatched_lines"] += 1
        self._reader.noise(at_mono_ns)
        self._state.trust.unfit(at_mono_ns, text)
        return False

    def noise(self, at_mono_ns: int) -> None:
        """Bytes were dropped: a line that is not repeated is lost for good."""
        state = self._state
        self._reader.noise(at_mono_ns)
        state.trust.unfit(at_mono_ns)
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
            self._refuse(self._other_device_sentence(said), at_mono_ns)
        return False

    def _refuse(self, sentence: str, at_mono_ns: int) -> None:
        """Begin anew with a device that is doubted for what it sends, and say why."""
        state = self._state
        state.trust.doubt(at_mono_ns, was_live=state.phase == LIVE)
        self._start(at_mono_ns)
        self.refusal = sentence

    # -- deadlines

    def next_deadline_ns(self) -> int | None:
        state = self._state
        if state.phase == STARTING:
            return self._start_due_ns()
        if state.phase == CLOSED:
            return None
        dues = [self._proof_due_ns(), self._silence_due_ns()]
        if state.missed or state.trust.is_junk:
            dues.append(state.heard_ns)
        return min((due for due in dues if due is not None), default=None)

    def _start_due_ns(self) -> int | None:
        """When a device that says nothing counts as live, or as lost; when one whose lines fit has been held
        off long enough; None when it has been told."""
        state, trust = self._state, self._state.trust
        if trust.has_enough_fits:
            return trust.held_until_ns
        if self.refusal is not None:
            return None
        if self._heartbeat_ns:
            return None if self._is_lost else state.opened_ns + max(SILENT_NS, self._heartbeat_ns)
        return trust.quiet_due_ns(state.opened_ns)

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
            if state.trust.is_junk:
                self._lose(at_mono_ns, f"it sends bytes that are not {self.label.kind}", out)
                self._refuse(self._junk_sentence(), at_mono_ns)
            elif not self._is_lost_by_silence(at_mono_ns, out):
                self._prove(at_mono_ns, out)

    def _tick_starting(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        trust = self._state.trust
        if self.has_begun:
            trust.begun(at_mono_ns)
        due_ns = self._start_due_ns()
        if due_ns is None or at_mono_ns < due_ns:
            return
        if trust.has_enough_fits:
            self._go_live(at_mono_ns, out)
        elif trust.is_junk or self._heartbeat_ns or not trust.is_quiet(at_mono_ns):
            self._lose(at_mono_ns, "the device does not answer", out)
            is_mute = trust.unquiet_ns is None
            self._refuse(self._no_answer_sentence(False) if is_mute else self._junk_sentence(), at_mono_ns)
        else:
            self._go_live(at_mono_ns, out)

    def _junk_sentence(self) -> str:
        text = self._state.trust.text
        return unfit_sentence(self.label.device, text) if text else self._no_answer_sentence(has_noise=True)

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
