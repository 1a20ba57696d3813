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

The way to the first poll is in `asked_start`, the polls are in `asked_polls`; here is what moves them: frames
and deadlines. What a kind of reader supplies is an `Asker` (see `asker`). What becomes of its polls is the
business of an `asked_reader.AskedReader`, or of anything with the methods of `asked_state.PollReader`. The
reader keeps no events, so `missed_events` is never known. An antenna whose polls fail `FAILURES_TO_FAULT`
times running is a DeviceFaulted, for nobody watches its place; the fault is over when all antennas answer
again.
"""

import msgspec

from protocol.messages import HostCommand, Message, Stamp
from shoe_bridge.link.asked_polls import NO_ANSWER, AskedPolls
from shoe_bridge.link.asked_state import CLOSED, LIVE, REFUSED, SETTING_UP, AskedState
from shoe_bridge.link.asker import Failed, Whole
from shoe_bridge.link.session import NS_PER_MS, RETRY_NS, SILENT_NS, STALLED_NS
from shoe_bridge.table.observations import AnyObservation

KEEP_ALIVE_NS = 1_000 * NS_PER_MS
NOISE_NS = 100 * NS_PER_MS  # an answer that was garbled is not waited for longer than this
MOST_TRIES = 2  # of a question that may remain unanswered


class AskedSession(AskedPolls):
    """One per link to such a reader."""

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

    def noise(self, at_mono_ns: int) -> None:
        """Bytes were dropped: they may have been the answer."""
        state = self._state
        state.has_noise = True
        self._reader.noise(at_mono_ns)
        if state.poll is not None and self._asker.noise_spoils_polls:
            state.poll.is_noisy = True
        if state.phase in (SETTING_UP, LIVE) and state.due_ns is not None and not self._ends_quietly():
            state.due_ns = min(state.due_ns, at_mono_ns + NOISE_NS)

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
