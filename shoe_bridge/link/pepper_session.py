"""The session with a Pepper C1 (or C1 MUX): set it up, keep it alive, prove absences.

    CLOSED ---opened: the first question-----------> SETTING_UP
    SETTING_UP -each question answered, in order---> LIVE: LinkRestored (asks again every 500 ms)
    LIVE -----3 s of silence: LinkLost-------------> SETTING_UP (it may have restarted)
    SETTING_UP, LIVE --another device's name, twice> REFUSED: LinkLost
    REFUSED --the right name-----------------------> SETTING_UP
    any ------closed: LinkLost---------------------> CLOSED

The reader keeps no events, so `missed_events` is never known. Each reader is asked for its name before it is
live, so that who it is does not wait for a first card; firmware that does not tell is trusted until an event
says otherwise. Events are JSON and have no checksum, hence one event with a strange name is dropped and only
a second one running is believed; the answer to the question has one.
"""

from collections import Counter

import msgspec

from protocol.messages import Ack, DeviceInfo, HostCommand, Message, Refused, Stamp, TagSeen
from shoe_bridge.link.session import NS_PER_MS, RETRY_NS, SILENT_NS, LinkLabel, Session
from shoe_bridge.link.translate import HeldTranslate
from shoe_bridge.table.observations import AnyObservation

CLOSED, SETTING_UP, REFUSED, LIVE = "closed", "setting_up", "refused", "live"

KEEP_ALIVE_NS = 1_000 * NS_PER_MS
LEAST_PROBE_NS = 100 * NS_PER_MS  # questions that prove an absence come no closer than this
MOST_TRIES = 3  # of a question that may remain unanswered
STRANGE_NAMES_TO_REFUSE = 2


class Question(msgspec.Struct, frozen=True):
    """One step of the set-up. `answer` is the command that the reply echoes; `is_needed`: without it the
    reader is of no use."""

    command: HostCommand
    answer: str
    is_needed: bool = True


_NAME = Question(HostCommand("device_name"), "device_name", is_needed=False)
_QUESTIONS = (
    Question(HostCommand("dummy"), "dummy"),
    Question(HostCommand("version"), "version"),
    _NAME,
    Question(HostCommand("event_format", {"known": 0, "format": "json"}), "polling_setup"),
    Question(HostCommand("event_format", {"known": 1, "format": "json"}), "polling_setup"),
    Question(HostCommand("polling", {"on": 1}), "polling"),
)


class PepperState(msgspec.Struct):
    """All that the session remembers, as `snapshot` stores it. Times are monotonic ns. `probe_ns` is the
    question to a live reader that has no answer yet, `is_answer_missing`: the one before never got any."""

    phase: str = CLOSED
    is_lost: bool = False
    step: int = 0
    tries: int = 0
    first_name: str | None = None
    strange_names: int = 0
    has_noise: bool = False
    set_up_ns: int = 0
    heard_ns: int = 0
    asked_ns: int = 0
    probe_ns: int | None = None
    is_answer_missing: bool = False


class PepperSession(Session):
    """One per Pepper link; gives accepted messages to `translate`."""

    def __init__(
        self, label: LinkLabel, identity: str | None, counters: Counter[str], translate: HeldTranslate
    ) -> None:
        super().__init__(label, identity, counters)
        self._translate = translate
        self._state = PepperState()

    @property
    def is_verified(self) -> bool:
        """Whether the reader is set up, alive, and has not named itself as another one."""
        return self._state.phase == LIVE

    # -- the life of the link

    def opened(self, at_mono_ns: int) -> None:
        """The byte path is there: ask the first question."""
        self._is_lost = False
        self._set_up(at_mono_ns)

    def closed(self, at_mono_ns: int, why: str, out: list[AnyObservation]) -> None:
        """The byte path ended."""
        if self._state.phase == CLOSED:
            return
        self._state.phase = CLOSED
        self._lose(at_mono_ns, why, out)

    def _set_up(self, at_mono_ns: int) -> None:
        state = self._state
        state.phase = SETTING_UP
        state.set_up_ns = at_mono_ns
        state.has_noise = False
        state.probe_ns = None
        state.is_answer_missing = False
        state.strange_names = 0
        state.tries = 0
        self._ask_step(0, at_mono_ns)

    # -- frames

    def take(
        self, messages: tuple[Message, ...], stamp: Stamp | None, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        """One decoded frame that arrived at `at_mono_ns`."""
        state = self._state
        if state.phase == CLOSED:
            return
        state.heard_ns = at_mono_ns
        for message in messages:
            name = message.device_name if isinstance(message, TagSeen | DeviceInfo) else None
            if name is not None:
                has_checksum = isinstance(message, DeviceInfo)
                if not self._has_right_name(name, has_checksum, at_mono_ns, out):
                    continue
            if state.phase == SETTING_UP:
                self._answered_step(message, at_mono_ns, out)
            elif state.phase == LIVE:
                self._take_live(message, at_mono_ns, out)
            else:
                self._counters["of_another_device"] += 1

    def _take_live(self, message: Message, at_mono_ns: int, out: list[AnyObservation]) -> None:
        if isinstance(message, Ack | Refused):
            # a refusal is as much an answer as an acknowledgement
            if message.command == "dummy":
                self._answered_probe(at_mono_ns, out)
        elif not isinstance(message, DeviceInfo):
            self._translate.take(message, at_mono_ns, out)

    def _answered_probe(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        state = self._state
        if state.probe_ns is None:
            return
        if state.is_answer_missing:
            # it may have been restarting: what it did not see meanwhile is not proven absent
            self._translate.reader.noise(at_mono_ns)
        else:
            self._translate.reader.answered(state.probe_ns, at_mono_ns, out)
        state.probe_ns = None
        state.is_answer_missing = False

    def noise(self, at_mono_ns: int) -> None:
        """Bytes were dropped."""
        self._state.has_noise = True
        self._translate.reader.noise(at_mono_ns)

    # -- who is it

    def _has_right_name(
        self, said: str, has_checksum: bool, at_mono_ns: int, out: list[AnyObservation]
    ) -> bool:
        state = self._state
        if self.identity is None and state.first_name != said and not has_checksum:
            # believed when it is said a second time running
            state.first_name = said
            return True
        if not self._is_other_device(said):
            state.strange_names = 0
            if state.phase == REFUSED:
                self._set_up(at_mono_ns)
            return True
        self._counters["other_device"] += 1
        state.strange_names += 1
        if state.strange_names >= STRANGE_NAMES_TO_REFUSE and state.phase != REFUSED:
            self.refusal = self._other_device_sentence(said)
            state.phase = REFUSED
            self._lose(at_mono_ns, "another device answers", out)
        return False

    # -- the set-up

    def _ask_step(self, step: int, at_mono_ns: int) -> None:
        state = self._state
        if step != state.step:
            state.tries = 0
        state.step = step
        state.tries += 1
        state.asked_ns = at_mono_ns
        self.commands.append(_QUESTIONS[step].command)

    def _answered_step(self, message: Message, at_mono_ns: int, out: list[AnyObservation]) -> None:
        question = _QUESTIONS[self._state.step]
        if isinstance(message, Ack | Refused):
            is_answer = message.command in (question.answer, _echo(question.answer))
        else:
            is_answer = isinstance(message, DeviceInfo)
        if not is_answer:
            return
        if isinstance(message, Refused):
            self._counters["refused_commands"] += 1
            if question.is_needed and self._needs(question):
                self.refusal = (
                    f"{self.label.device} refuses the command {question.command.command} "
                    f"({message.text or f'error {message.status}'}): update its firmware"
                )
                return
        self._next_step(at_mono_ns, out)

    def _needs(self, question: Question) -> bool:
        """A reader with one antenna needs no JSON: its binary events can come from nowhere else."""
        return question.answer != "polling_setup" or self._translate.needs_antenna

    def _next_step(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        state = self._state
        if state.step + 1 < len(_QUESTIONS):
            self._ask_step(state.step + 1, at_mono_ns)
            return
        state.phase = LIVE
        self._translate.reader.restored(at_mono_ns)
        self._restore_link(at_mono_ns, None, out)

    # -- deadlines

    def next_deadline_ns(self) -> int | None:
        state = self._state
        if state.phase == CLOSED:
            return None
        if state.phase == LIVE:
            return min(state.heard_ns + SILENT_NS, self._probe_due_ns())
        if state.phase == REFUSED:
            return state.asked_ns + KEEP_ALIVE_NS
        retry_ns = state.asked_ns + RETRY_NS
        return retry_ns if self.refusal else min(retry_ns, state.set_up_ns + SILENT_NS)

    def _probe_due_ns(self) -> int:
        """The next question of a live reader: to keep it alive, or sooner to prove an absence."""
        state = self._state
        if state.probe_ns is not None:
            return state.probe_ns + KEEP_ALIVE_NS
        expiry_ns = self._translate.reader.next_expiry_ns()
        keep_alive_ns = state.asked_ns + KEEP_ALIVE_NS
        if expiry_ns is None:
            return keep_alive_ns
        return min(keep_alive_ns, max(expiry_ns, state.asked_ns + LEAST_PROBE_NS))

    def tick(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """A deadline came due; calls that come early or late do no harm."""
        state = self._state
        if state.phase == SETTING_UP:
            self._tick_setting_up(at_mono_ns, out)
        elif state.phase == REFUSED and at_mono_ns >= state.asked_ns + KEEP_ALIVE_NS:
            self._probe(at_mono_ns)
        elif (
            state.phase == LIVE
            and not self._is_lost_by_silence(at_mono_ns, out)
            and at_mono_ns >= self._probe_due_ns()
        ):
            state.is_answer_missing = state.is_answer_missing or state.probe_ns is not None
            state.probe_ns = at_mono_ns
            self._probe(at_mono_ns)

    def _probe(self, at_mono_ns: int) -> None:
        self._state.asked_ns = at_mono_ns
        self._command("dummy")

    def _tick_setting_up(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        state = self._state
        if at_mono_ns >= state.set_up_ns + SILENT_NS:
            self.refusal = self.refusal or self._no_answer_sentence(state.has_noise)
            self._lose(at_mono_ns, "the device does not answer", out)
        if at_mono_ns < state.asked_ns + RETRY_NS:
            return
        if _QUESTIONS[state.step].is_needed or state.tries < MOST_TRIES:
            self._ask_step(state.step, at_mono_ns)
        else:
            self._next_step(at_mono_ns, out)

    def _is_lost_by_silence(self, at_mono_ns: int, out: list[AnyObservation]) -> bool:
        state = self._state
        if at_mono_ns < state.heard_ns + SILENT_NS:
            return False
        heard_ns = self._after_stall_ns(state.heard_ns, at_mono_ns)
        if heard_ns is not None:
            state.heard_ns = heard_ns
            return False
        self._counters["silences"] += 1
        self._lose(at_mono_ns, "the device is silent", out)
        self._set_up(at_mono_ns)
        return True

    # -- storage

    def snapshot(self) -> bytes:
        state = self._state
        state.is_lost = self._is_lost
        return msgspec.msgpack.encode(state)

    def restore(self, data: bytes) -> None:
        state = msgspec.msgpack.decode(data, type=PepperState)
        self._state = state
        self._is_lost = state.is_lost


def _echo(answer: str) -> str:
    """The command that a reply to `device_name` echoes: replies do not tell sub-commands."""
    return "protocol_configuration" if answer == "device_name" else answer
