"""The session with a reader that speaks only when it is asked, up to its first poll: the life of the link,
one question at a time, and the questions that set the reader up. The states stand in `asked_session`.
"""

from abc import abstractmethod
from collections import Counter

from protocol.messages import DeviceInfo, HostCommand, Message, Refused
from shoe_bridge.link.asked_state import CLOSED, LIVE, REFUSED, SETTING_UP, AskedState, PollReader
from shoe_bridge.link.asker import Asker, Question
from shoe_bridge.link.session import NS_PER_MS, REFUSED_RETRY_NS, RETRY_NS, LinkLabel, Session
from shoe_bridge.table.observations import AnyObservation

SLOWEST_RETRY_NS = 5_000 * NS_PER_MS


class AskedStart(Session):
    """What stands before the polls. `cycle_ms` is the time in which each antenna is polled once, if the
    reader is fast enough."""

    def __init__(
        self,
        label: LinkLabel,
        identity: str | None,
        counters: Counter[str],
        asker: Asker,
        reader: PollReader,
        cycle_ms: int,
    ) -> None:
        super().__init__(label, identity, counters)
        self._asker = asker
        self._reader = reader
        self._state = AskedState()
        self._answer_ns = asker.answer_ms * NS_PER_MS
        self._slot_ns = cycle_ms * NS_PER_MS // max(1, len(asker.turns))

    @property
    def is_verified(self) -> bool:
        """Whether the reader was set up, has answered lately, and has not named itself as another one."""
        return self._state.is_restored

    @abstractmethod
    def _go_on(self, at_mono_ns: int) -> None:
        """The reader is set up and nothing is asked."""

    # -- the life of the link

    def opened(self, at_mono_ns: int) -> None:
        """The byte path is there: ask the first question."""
        self._is_lost = False
        state = self._state
        state.is_restored = False
        state.has_noise = False
        state.mute_ns = None
        state.misses = 0
        state.next_poll_ns = 0  # a stored one may be of a clock that has started anew since
        self._set_up(at_mono_ns)

    def closed(self, at_mono_ns: int, why: str, out: list[AnyObservation]) -> None:
        """The byte path ended."""
        if self._state.phase == CLOSED:
            return
        self._lose_reader(at_mono_ns, why, out)
        self._state.phase = CLOSED
        self._state.due_ns = self._state.poll = None

    def _set_up(self, at_mono_ns: int) -> None:
        state = self._state
        state.phase = SETTING_UP
        state.poll = None
        state.tries = 0
        self._ask_step(0, at_mono_ns)

    def _lose_reader(self, at_mono_ns: int, why: str, out: list[AnyObservation]) -> None:
        self._state.is_restored = False
        self._lose(at_mono_ns, why, out)

    # -- who answers

    def _is_stranger(self, message: Message, at_mono_ns: int, out: list[AnyObservation]) -> bool:
        if not isinstance(message, DeviceInfo):
            return False
        said = message.device_name or message.model
        if said is None or not self._is_other_device(said):
            return False
        self._counters["other_device"] += 1
        self._refuse(self._other_device_sentence(said), "another device answers", at_mono_ns, out)
        return True

    def _refuse(self, sentence: str, why: str, at_mono_ns: int, out: list[AnyObservation]) -> None:
        state = self._state
        if state.phase == REFUSED:
            return
        self.refusal = sentence
        self._lose_reader(at_mono_ns, why, out)
        state.phase = REFUSED
        state.poll = None
        state.due_ns = at_mono_ns + REFUSED_RETRY_NS

    # -- one question

    def _ask(self, command: HostCommand, wait_ns: int, at_mono_ns: int) -> None:
        state = self._state
        state.asked_ns = at_mono_ns
        state.due_ns = at_mono_ns + wait_ns
        if state.mute_ns is None:
            state.mute_ns = at_mono_ns
        self.commands.append(command)

    def _answered(self) -> None:
        """An answer that was waited for has come."""
        state = self._state
        state.due_ns = state.mute_ns = None
        state.misses = 0

    # -- the start-up

    def _ask_step(self, step: int, at_mono_ns: int) -> None:
        state = self._state
        if step != state.step:
            state.tries = 0
        state.step = step
        state.tries += 1
        # a reader that stays mute is asked ever more rarely
        wait_ns = self._answer_ns
        if state.misses:
            wait_ns = max(wait_ns, min(RETRY_NS << min(state.misses - 1, 8), SLOWEST_RETRY_NS))
        self._ask(self._asker.start_up[step].command, wait_ns, at_mono_ns)

    def _take_setting_up(
        self, messages: tuple[Message, ...], at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        question = self._asker.start_up[self._state.step]
        answer = next((message for message in messages if question.is_answer(message)), None)
        if answer is None:
            self._counters["late_answers"] += 1
            return
        self._answered()
        if isinstance(answer, Refused):
            self._counters["refused_commands"] += 1
            if question.is_needed:
                sentence = self._refused_sentence(question, answer)
                self._refuse(sentence, "the device refuses its set-up", at_mono_ns, out)
                return
        self._next_step(at_mono_ns, out)

    def _refused_sentence(self, question: Question, refused: Refused) -> str:
        return (
            f"{self.label.device} refuses the command {question.command.command} "
            f"({refused.text or f'status {refused.status}'}): check `kind` and `antennas` of this device in "
            f"the configuration, and its firmware"
        )

    def _next_step(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        state = self._state
        if state.step + 1 < len(self._asker.start_up):
            self._ask_step(state.step + 1, at_mono_ns)
            return
        state.phase = LIVE
        if not state.is_restored:
            state.is_restored = True
            self._reader.restored(at_mono_ns)
            self._restore_link(at_mono_ns, None, out)
        self._go_on(at_mono_ns)
