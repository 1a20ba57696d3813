"""The order of one device's numbered frames: gaps are noticed, asked for, waited for, and told if lost.

    in order --a number is missing: resume------------> replaying (frames wait)
    replaying -the device says done, all there--------> in order, what waited is taken in its order
    replaying -done, but frames were lost on the line-> asks again: at once, then every 500 ms, thrice in all
    replaying -lost for good--------------------------> in order, the loss is told

What is accepted goes to `translate`, commands go to `command`.
"""

from collections import Counter
from collections.abc import Callable

import msgspec

from protocol.messages import Message, Stamp
from shoe_bridge.link.clock_map import ClockMap
from shoe_bridge.link.replay import Held, Numbered, Replay, ahead
from shoe_bridge.link.session import NS_PER_MS, RETRY_NS, LinkLabel
from shoe_bridge.link.translate import PolledTranslate
from shoe_bridge.table.observations import AnyObservation, EventsMissed

ACK_EVENTS = 16
ACK_NS = 500 * NS_PER_MS


class OrderState(msgspec.Struct):
    """`last_seq` is the newest event of boot `boot_id` that was taken (None: no hello yet); `unacked` events
    since `unacked_ns` (monotonic) are not acknowledged; `replay` is the one under way."""

    boot_id: int | None = None
    last_seq: int = 0
    replay: Replay | None = None
    unacked: int = 0
    unacked_ns: int = 0


class EventOrder:
    """One per tablelink session. `state` is open to the session, which checks the common case itself."""

    def __init__(
        self,
        label: LinkLabel,
        counters: Counter[str],
        translate: PolledTranslate,
        command: Callable[..., None],
    ) -> None:
        self.state = OrderState()
        self._label = label
        self._counters = counters
        self._translate = translate
        self._command = command

    def connect(self, newest: int, is_new_boot: bool, at_mono_ns: int) -> None:
        """The device said hello and names its newest event: ask for all after the last one that was taken."""
        self._ask_replay(True, is_new_boot, at_mono_ns).heard(newest)

    def break_off(self) -> None:
        """The link was lost: what waits will be replayed again."""
        self.state.replay = None
        self.state.unacked = 0

    def noise(self) -> None:
        """Bytes were dropped."""
        if self.state.replay is not None:
            self.state.replay.is_noisy = True

    def took_event(self, at_mono_ns: int) -> None:
        """An event was taken and is to be acknowledged."""
        state = self.state
        if state.unacked == 0:
            state.unacked_ns = at_mono_ns
        state.unacked += 1
        if state.unacked >= ACK_EVENTS:
            self._ack()

    def take_early(
        self,
        message: Message,
        stamp: Stamp,
        at_ms: int,
        at_mono_ns: int,
        clock: ClockMap,
        out: list[AnyObservation],
    ) -> int | None:
        """A frame that is not the next one, or that came during a replay. Returns the number of lost events
        when that ended a replay after a hello."""
        state = self.state
        replay = state.replay
        if replay is None:
            if ahead(stamp.seq, state.last_seq) <= 0:
                self._counters["repeats" if stamp.is_event else "implausible_seq"] += 1
                return None
            self._counters["gaps"] += 1
            replay = self._ask_replay(False, False, at_mono_ns)
        replay.heard(stamp.seq)
        if not isinstance(message, Numbered):
            return None
        replay.hold(Held(message, stamp, at_ms), at_mono_ns)
        self._counters["replayed"] += stamp.is_replay
        return self._release(replay, at_mono_ns, clock, out) if replay.is_full() else None

    def replay_done(
        self, is_complete: bool, at_mono_ns: int, clock: ClockMap, out: list[AnyObservation]
    ) -> int | None:
        """The device has told all that it holds. What is missing though it says that all came was lost on
        the line, and is asked for again. Returns as `take_early`."""
        replay = self.state.replay
        if replay is None:
            return None
        after = replay.first_missing_after()
        if after is not None and is_complete and replay.may_ask_again():
            if replay.asked == 1:
                self._ask_again(replay, after, at_mono_ns)
            # else it is left to `tick`: a disturbance of the line may last for a while
            return None
        return self._release(replay, at_mono_ns, clock, out)

    def next_deadline_ns(self) -> int | None:
        """When a replay is overdue, or an acknowledgement is."""
        state = self.state
        if state.replay is not None:
            return state.replay.asked_ns + RETRY_NS
        return state.unacked_ns + ACK_NS if state.unacked else None

    def tick(self, at_mono_ns: int, clock: ClockMap, out: list[AnyObservation]) -> int | None:
        """A deadline came due. Returns as `take_early`."""
        state = self.state
        replay = state.replay
        if replay is not None:
            if at_mono_ns < replay.asked_ns + RETRY_NS:
                return None
            if not replay.may_ask_again():
                return self._release(replay, at_mono_ns, clock, out)
            after = replay.first_missing_after()
            self._ask_again(replay, replay.newest if after is None else after, at_mono_ns)
        elif state.unacked and at_mono_ns >= state.unacked_ns + ACK_NS:
            self._ack()
        return None

    # -- inside

    def _release(
        self, replay: Replay, at_mono_ns: int, clock: ClockMap, out: list[AnyObservation]
    ) -> int | None:
        state = self.state
        state.replay = None
        state.last_seq = replay.newest
        placed, missed_behind, repeats = replay.in_order()
        self._counters["repeats"] += repeats
        for one in placed:
            self._miss(one.missed, replay.is_connecting, at_mono_ns, out)
            if replay.is_noisy:
                self._translate.noise()
            held = one.held
            at_ns = clock.to_mono_ns(held.at_ms)
            self._translate.take(held.message, held.stamp, held.at_ms, at_ns, out)
            if held.stamp.is_event:
                self.took_event(at_mono_ns)
        self._miss(missed_behind, replay.is_connecting, at_mono_ns, out)
        return missed_behind + sum(one.missed for one in placed) if replay.is_connecting else None

    def _miss(self, count: int, is_connecting: bool, at_mono_ns: int, out: list[AnyObservation]) -> None:
        if not count:
            return
        self._counters["events_missed"] += count
        self._translate.distrust()
        if not is_connecting:
            # after a hello the link's restoration tells the loss
            out.append(EventsMissed(self._label.device, self._label.places, count, at_mono_ns))

    def _ask_replay(self, is_connecting: bool, is_new_boot: bool, at_mono_ns: int) -> Replay:
        last_seq = self.state.last_seq
        replay = self.state.replay = Replay(last_seq, last_seq, is_connecting, at_mono_ns)
        self._resume(last_seq, is_new_boot)
        return replay

    def _ask_again(self, replay: Replay, after: int, at_mono_ns: int) -> None:
        replay.asked += 1
        replay.asked_ns = at_mono_ns
        self._resume(after, False)

    def _resume(self, after: int, nothing_seen: bool) -> None:
        self._command(
            "resume", boot_id=self.state.boot_id or 0, after_seq=after, nothing_seen=int(nothing_seen)
        )

    def _ack(self) -> None:
        self.state.unacked = 0
        self._command("ack_events", seq=self.state.last_seq)
