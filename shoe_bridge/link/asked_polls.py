"""The polls of a reader that speaks only when it is asked: whose turn it is, what the answers of a poll come
to, and how its antennas fare. The states of the session stand in `asked_session`.
"""

from protocol.messages import Message, TagSeen
from shoe_bridge.link.asked_start import AskedStart
from shoe_bridge.link.asked_state import LIVE, Poll
from shoe_bridge.link.asker import WHOLE, Failed, Pending, Whole
from shoe_bridge.link.session import NS_PER_MS
from shoe_bridge.link.translate import plain
from shoe_bridge.table.observations import AnyObservation, DeviceFaulted

MOST_FRAMES = 1_024  # of one poll: a reader that never comes to an end of it is at fault
MOST_TAGS = 512  # of one poll
FAILURES_TO_FAULT = 3
NO_ANSWER = 0x100  # as the code of a fault: larger than any status byte


class AskedPolls(AskedStart):
    """One poll after the other, and what the reader says unasked."""

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

    def _ends_quietly(self) -> bool:
        return self._state.poll is not None and self._state.poll.ends_quietly

    # -- the antennas

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

    # -- what nobody asked

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
