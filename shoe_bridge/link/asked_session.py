"""The session with a reader that speaks only when it is asked: one question at a time, poll after poll.

    CLOSED ---opened: the first question-------------------------> SETTING_UP
    SETTING_UP -each question answered, in order-----------------> LIVE: LinkRestored, unless it was not lost
    LIVE -----a question is not answered in time-----------------> SETTING_UP (late answers come before its
                                                                   first answer, and count for nothing)
    SETTING_UP, LIVE -3 s without an answer: LinkLost------------> SETTING_UP, asks ever more rarely, to 5 s
    SETTING_UP -a needed question is refused: LinkLost-----------> REFUSED (asks again every 5 s)
    any ------another device's name: LinkLost--------------------> REFUSED
    REFUSED --another 5 s----------------------------------------> SETTING_UP
    any ------closed: LinkLost-----------------------------------> CLOSED

What a kind of reader supplies is an `Asker` (see `asker`). What becomes of its polls is the business of an
`asked_reader.AskedReader`, or of anything with the methods of `asked_state.PollReader`. The reader keeps no
events, so `missed_events` is never known. An antenna whose polls fail `FAILURES_TO_FAULT` times running is a
DeviceFaulted, for nobody watches its place; the fault is over when all antennas answer again.
"""

from collections import Counter

import msgspec

from protocol.messages import DeviceInfo, HostCommand, Message, Refused, Stamp, TagSeen
from shoe_bridge.link.asked_state import CLOSED, LIVE, REFUSED, SETTING_UP, AskedState, Poll, PollReader
from shoe_bridge.link.asker import WHOLE, Asker, Failed, Pending, Question, Whole
from shoe_bridge.link.session import (
    NS_PER_MS,
    REFUSED_RETRY_NS,
    RETRY_NS,
    SILENT_NS,
    STALLED_NS,
    LinkLabel,
    Session,
)
from shoe_bridge.link.translate import plain
from shoe_bridge.table.observations import AnyObservation, DeviceFaulted

KEEP_ALIVE_NS = 1_000 * NS_PER_MS
NOISE_NS = 100 * NS_PER_MS  # an answer that was garbled is not waited for longer than this
MOST_TRIES = 2  # of a question that may remain unanswered
MOST_FRAMES = 1_024  # of one poll: a reader that never comes to an end of it is at fault
MOST_TAGS = 512  # of one poll
FAILURES_TO_FAULT = 3
SLOWEST_RETRY_NS = 5_000 * NS_PER_MS
NO_ANSWER = 0x100  # as the code of a fault: larger than any status byte


class AskedSession(Session):
    """One per link to such a reader. `cycle_ms` is the time in which each antenna is polled once, if the
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

    # -- frames

    def take(
        self, messages: tuple[Message, ...], stamp: Stamp | None, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        """One decoded frame that arrived at `at_mono_ns`."""
        state = self._state
        if state.phase == CLOSED:
            return
        if isinstance(messages[0], HostCommand):
            # a line with one pair of wires gives back what we send
            self._counters["echoes"] += 1
            return
        if self._asker.is_receipt(messages):
            return
        if any(self._is_stranger(message, at_mono_ns, out) for message in messages):
            return
        if state.phase == SETTING_UP:
            self._take_setting_up(messages, at_mono_ns, out)
        elif state.phase == LIVE:
            self._take_live(messages, at_mono_ns, out)
        else:
            self._counters["of_another_device"] += 1

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

    def _answered(self) -> None:
        """An answer that was waited for has come."""
        state = self._state
        state.due_ns = state.mute_ns = None
        state.misses = 0

    def noise(self, at_mono_ns: int) -> None:
        """Bytes were dropped: they may have been the answer."""
        state = self._state
        state.has_noise = True
        self._reader.noise(at_mono_ns)
        if state.poll is not None and self._asker.noise_spoils_polls:
            state.poll.is_noisy = True
        if state.phase in (SETTING_UP, LIVE) and state.due_ns is not None and not self._ends_quietly():
            state.due_ns = min(state.due_ns, at_mono_ns + NOISE_NS)

    def _ends_quietly(self) -> bool:
        return self._state.poll is not None and self._state.poll.ends_quietly

    # -- the start-up

    def _ask(self, command: HostCommand, wait_ns: int, at_mono_ns: int) -> None:
        state = self._state
        state.asked_ns = at_mono_ns
        state.due_ns = at_mono_ns + wait_ns
        if state.mute_ns is None:
            state.mute_ns = at_mono_ns
        self.commands.append(command)

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

    # -- the polls

    def _go_on(self, at_mono_ns: int) -> None:
        """Nothing is asked: poll the antenna whose turn it is, if it is time."""
        state, turns = self._state, self._asker.turns
        state.due_ns = None
        if not turns or at_mono_ns < state.next_poll_ns:
            return
        # one slot may be caught up with, more are dropped: a slow reader is not asked ever faster for it
        is_far_behind = at_mono_ns - state.next_poll_ns > self._slot_ns
        state.next_poll_ns = (at_mono_ns if is_far_behind else state.next_poll_ns) + self._slot_ns
        antenna = turns[state.turn % len(turns)]
        command = self._asker.begin(antenna)
        state.poll = Poll(antenna, at_mono_ns, command)
        self._ask(command, self._answer_ns, at_mono_ns)

    def _take_live(self, messages: tuple[Message, ...], at_mono_ns: int, out: list[AnyObservation]) -> None:
        poll = self._state.poll
        if poll is not None:
            verdict = self._asker.judge(poll.antenna, poll.command, messages)
            if verdict is not None:
                found = [one for one in messages if isinstance(one, TagSeen)]
                if isinstance(verdict, Pending) and verdict.needs_new:
                    named = {one.tag for one in poll.tags}
                    verdict = WHOLE if named.issuperset(one.tag for one in found) else verdict
                poll.tags += found
                self._judged(poll, verdict, at_mono_ns, out)
                return
        elif self._state.due_ns is not None and any(map(self._asker.keep_alive.is_answer, messages)):
            asked_ns = self._state.asked_ns
            self._answered()
            self._reader.alive(asked_ns, at_mono_ns, out)
            self._go_on(at_mono_ns)
            return
        self._take_unasked(messages, at_mono_ns, out)

    def _judged(
        self, poll: Poll, verdict: Pending | Whole | Failed, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        self._answered()
        poll.frames += 1
        poll.is_noisy = poll.is_noisy or (isinstance(verdict, Pending) and verdict.is_gap)
        if not isinstance(verdict, Pending):
            self._finish(poll, verdict, at_mono_ns, out)
        elif poll.frames >= MOST_FRAMES or len(poll.tags) > MOST_TAGS:
            self._finish(poll, Failed(NO_ANSWER, "a poll that does not end"), at_mono_ns, out)
        elif verdict.command is not None:
            poll.command = verdict.command
            poll.ends_quietly = False
            self._ask(verdict.command, self._answer_ns, at_mono_ns)
        else:
            poll.ends_quietly = verdict.over_after_ms is not None
            quiet_ms = verdict.over_after_ms
            wait_ns = self._answer_ns if quiet_ms is None else quiet_ms * NS_PER_MS
            self._state.due_ns = at_mono_ns + wait_ns
            self._state.mute_ns = at_mono_ns

    def _finish(
        self, poll: Poll, verdict: Whole | Failed, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        """The poll is over, by the reader's word or because its time is up."""
        is_clean = isinstance(verdict, Whole) and not poll.is_noisy
        self._counters["polls_clean" if is_clean else "polls_failed"] += 1
        self._reader.polled(poll.antenna, poll.tags, poll.asked_ns, at_mono_ns, is_clean, out)
        self._note_health(poll.antenna, verdict, at_mono_ns, out)
        state = self._state
        state.poll = None
        state.turn = (state.turn + 1) % max(1, len(self._asker.turns))
        if state.phase == LIVE:
            self._go_on(at_mono_ns)

    def _note_health(
        self, antenna: int, verdict: Whole | Failed, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        failures = self._state.failures
        device = self.label.device
        if isinstance(verdict, Failed):
            failures[antenna] = failures.get(antenna, 0) + 1
            if failures[antenna] == FAILURES_TO_FAULT:
                text = f"antenna {antenna}: {verdict.text}" if antenna else verdict.text
                out.append(DeviceFaulted(device, verdict.code, text, False, at_mono_ns))
        elif antenna in failures:
            was_fault = failures.pop(antenna) >= FAILURES_TO_FAULT
            if was_fault and not any(count >= FAILURES_TO_FAULT for count in failures.values()):
                out.append(DeviceFaulted(device, 0, "all antennas answer again", True, at_mono_ns))

    def _take_unasked(
        self, messages: tuple[Message, ...], at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        told = self._asker.unasked(messages)
        if told is not None:
            self._reader.told([one for one in messages if isinstance(one, TagSeen)], at_mono_ns, out)
            if told.command is not None:
                self.commands.append(told.command)
            return
        for message in messages:
            observation = plain(message, self.label.device, at_mono_ns)
            if observation is None:
                self._counters["unasked"] += 1
            else:
                out.append(observation)

    # -- deadlines

    def next_deadline_ns(self) -> int | None:
        state = self._state
        if state.phase == CLOSED:
            return None
        if state.due_ns is None:
            keep_alive_ns = state.asked_ns + KEEP_ALIVE_NS
            return min(state.next_poll_ns, keep_alive_ns) if self._asker.turns else keep_alive_ns
        if state.phase == REFUSED or state.mute_ns is None or self._is_lost:
            return state.due_ns
        return min(state.due_ns, state.mute_ns + SILENT_NS)

    def tick(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """A deadline came due; calls that come early or late do no harm."""
        state = self._state
        if state.phase == CLOSED:
            return
        if state.phase == REFUSED:
            if state.due_ns is None or at_mono_ns >= state.due_ns:
                state.mute_ns = None
                self._set_up(at_mono_ns)
            return
        if state.due_ns is None:
            self._tick_at_rest(at_mono_ns)
        elif self._ends_quietly():
            self._tick_quiet(state.due_ns, at_mono_ns, out)
        else:
            self._tick_asked(state.due_ns, at_mono_ns, out)

    def _tick_at_rest(self, at_mono_ns: int) -> None:
        state = self._state
        self._go_on(at_mono_ns)
        if state.due_ns is None and at_mono_ns >= state.asked_ns + KEEP_ALIVE_NS:
            self._ask(self._asker.keep_alive.command, self._answer_ns, at_mono_ns)

    def _tick_quiet(self, due_ns: int, at_mono_ns: int, out: list[AnyObservation]) -> None:
        if at_mono_ns < due_ns:
            return
        poll = self._state.poll
        assert poll is not None
        if at_mono_ns >= due_ns + STALLED_NS:
            # frames of the poll may wait unread
            self._counters["host_stalls"] += 1
            poll.is_noisy = True
        self._answered()
        self._finish(poll, Whole(), at_mono_ns, out)

    def _tick_asked(self, due_ns: int, at_mono_ns: int, out: list[AnyObservation]) -> None:
        state = self._state
        if at_mono_ns >= due_ns + STALLED_NS:
            # the host itself had stopped: the answer may wait unread
            self._counters["host_stalls"] += 1
            state.due_ns = at_mono_ns + RETRY_NS
            state.mute_ns = at_mono_ns
            return
        if state.mute_ns is not None and at_mono_ns >= state.mute_ns + SILENT_NS:
            self._silent(at_mono_ns, out)
        if at_mono_ns >= due_ns:
            self._unanswered(at_mono_ns, out)

    def _silent(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """No question was answered for 3 s."""
        if self._is_lost:
            return
        why = "the device is silent"
        if not self._state.is_restored:
            why = "the device does not answer"
            self.refusal = self.refusal or self._no_answer_sentence(self._state.has_noise)
        self._counters["silences"] += 1
        self._lose_reader(at_mono_ns, why, out)

    def _unanswered(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """The outstanding question has had its time."""
        state = self._state
        self._counters["no_answer"] += 1
        state.misses += 1
        if state.phase == SETTING_UP:
            question = self._asker.start_up[state.step]
            if not question.is_needed and state.tries >= MOST_TRIES:
                self._next_step(at_mono_ns, out)
            elif question.is_needed and state.step:
                # it may have restarted in between: begin anew
                self._set_up(at_mono_ns)
            else:
                self._ask_step(state.step, at_mono_ns)
            return
        poll = state.poll
        self._set_up(at_mono_ns)
        if poll is not None:
            turn = state.turn
            self._finish(poll, Failed(NO_ANSWER, "polls get no answer"), at_mono_ns, out)
            if state.failures.get(poll.antenna) == 1:
                state.turn = turn  # once it is asked again at once

    # -- storage

    def snapshot(self) -> bytes:
        self._state.is_lost = self._is_lost
        return msgspec.msgpack.encode(self._state)

    def restore(self, data: bytes) -> None:
        state = msgspec.msgpack.decode(data, type=AskedState)
        self._state = state
        self._is_lost = state.is_lost
