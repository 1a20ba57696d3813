"""The session with a tablelink device: hello, heartbeat, silence. The order of its frames is `event_order`'s.

    CLOSED ---opened: hello_request----------------> GREETING (asks again every 500 ms)
    GREETING -HELLO of the right device: resume----> TALKING, verified when the replay is over: LinkRestored
    GREETING -HELLO of another device--------------> REFUSED (asks again every 5 s)
    TALKING --3 s of silence: LinkLost-------------> GREETING
    TALKING --another boot id: LinkLost------------> GREETING (the device restarted)
    any ------closed: LinkLost---------------------> CLOSED

LinkLost is said once until the link is restored, and at least once in each life that ends.
"""

from collections import Counter
from typing import get_args

import msgspec

from protocol.messages import (
    Ack,
    ClockSample,
    Heartbeat,
    Hello,
    LightReport,
    Message,
    Refused,
    Stamp,
)
from shoe_bridge.link.clock_map import ClockMap
from shoe_bridge.link.event_order import EventOrder, OrderState
from shoe_bridge.link.replay import SEQ_WRAP, Numbered, ahead
from shoe_bridge.link.session import (
    MOST_LIGHT_REPORTS,
    NS_PER_MS,
    REFUSED_RETRY_NS,
    RETRY_NS,
    SILENT_NS,
    LinkLabel,
    Session,
)
from shoe_bridge.link.translate import PolledTranslate
from shoe_bridge.table.observations import AnyObservation

CLOSED, GREETING, REFUSED, TALKING = "closed", "greeting", "refused", "talking"
CLOCK_NS = 10_000 * NS_PER_MS

_ANNOUNCEMENTS = frozenset((Hello, Heartbeat))
_NUMBERED = frozenset(get_args(Numbered))


class TablelinkState(msgspec.Struct):
    """All that the session remembers, as `snapshot` stores it. Times are monotonic ns.

    `has_restarted`: the device has restarted since the link was last restored, so what it had not yet told
    cannot be known. `has_noise`: bytes were dropped since it was greeted.
    """

    phase: str = CLOSED
    is_lost: bool = False
    clock: ClockMap = msgspec.field(default_factory=ClockMap)
    order: OrderState = msgspec.field(default_factory=OrderState)
    has_restarted: bool = False
    has_noise: bool = False
    greeted_ns: int = 0
    heard_ns: int = 0
    asked_ns: int = 0
    clock_due_ns: int = 0


class TablelinkSession(Session):
    """One per tablelink link; gives accepted messages in the device's order to `translate`."""

    def __init__(
        self, label: LinkLabel, identity: str | None, counters: Counter[str], translate: PolledTranslate
    ) -> None:
        super().__init__(label, identity, counters)
        self._translate = translate
        self._order = EventOrder(label, counters, translate, self._command)
        self._state = TablelinkState(order=self._order.state)

    @property
    def is_verified(self) -> bool:
        """Whether the device is the right one, alive, and has told all its events."""
        return self._state.phase == TALKING and self._state.order.replay is None

    # -- the life of the link

    def opened(self, at_mono_ns: int) -> None:
        """The byte path is there: ask who is at the other end."""
        self._is_lost = False
        self._greet(at_mono_ns)

    def closed(self, at_mono_ns: int, why: str, out: list[AnyObservation]) -> None:
        """The byte path ended."""
        if self._state.phase == CLOSED:
            return
        self._lose_device(at_mono_ns, why, out)
        self._state.phase = CLOSED

    def _greet(self, at_mono_ns: int) -> None:
        state = self._state
        state.phase = GREETING
        state.has_noise = False
        state.greeted_ns = at_mono_ns
        self._ask_hello(at_mono_ns)

    def _lose_device(self, at_mono_ns: int, why: str, out: list[AnyObservation]) -> None:
        self._order.break_off()
        self._translate.broke_off()
        self._lose(at_mono_ns, why, out)

    # -- frames

    def take(
        self, messages: tuple[Message, ...], stamp: Stamp | None, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        """One decoded frame that arrived at `at_mono_ns`; one tablelink body is one message."""
        state = self._state
        message = messages[0]
        if stamp is None:
            self._counters["not_of_a_device"] += 1
            return
        if type(message) in _ANNOUNCEMENTS and self._announced(message, stamp, at_mono_ns, out):
            return
        if state.phase != TALKING:
            self._counters["before_hello"] += 1
            return
        at_ms = state.clock.take(stamp.at_device_ms, at_mono_ns, stamp.is_replay)
        if at_ms is None:
            self._counters["implausible_clock"] += 1
            return
        state.heard_ns = at_mono_ns
        order = state.order
        if type(message) not in _NUMBERED:
            self._answered(message, stamp, at_ms, at_mono_ns, out)
        elif order.replay is None and (stamp.seq - order.last_seq) & 0xFFFF == stamp.is_event:
            # the next event, or a report that knows of no newer one
            order.last_seq = stamp.seq
            self._translate.take(message, stamp, at_ms, state.clock.to_mono_ns(at_ms), out)
            if stamp.is_event:
                self._order.took_event(at_mono_ns)
        else:
            lost = self._order.take_early(message, stamp, at_ms, at_mono_ns, state.clock, out)
            self._connected(lost, at_mono_ns, out)

    def noise(self, at_mono_ns: int) -> None:
        """Bytes were dropped."""
        self._state.has_noise = True
        self._order.noise()
        self._translate.noise()

    def _answered(
        self, message: Message, stamp: Stamp, at_ms: int, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        """A frame that becomes no observation and need not wait. Its number may tell of a lost event."""
        lost: int | None = None
        if stamp.seq != self._state.order.last_seq:
            lost = self._order.take_early(message, stamp, at_ms, at_mono_ns, self._state.clock, out)
        if isinstance(message, LightReport):
            self.light_reports.append(message)
            del self.light_reports[:-MOST_LIGHT_REPORTS]
        elif isinstance(message, ClockSample):
            self._state.clock.answered(message.token, message.at_device_ms)
        elif isinstance(message, Ack | Refused) and message.command == "resume":
            is_complete = isinstance(message, Ack) and message.status == 0
            lost = self._order.replay_done(is_complete, at_mono_ns, self._state.clock, out)
        elif isinstance(message, Refused):
            self._counters["refused_commands"] += 1
        self._connected(lost, at_mono_ns, out)

    def _connected(self, lost: int | None, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """If a replay after a hello is over with so many lost events: the link is whole again."""
        if lost is not None:
            self._restore_link(at_mono_ns, None if self._state.has_restarted else lost, out)
            self._state.has_restarted = False

    # -- who is it

    def _announced(self, message: Message, stamp: Stamp, at_mono_ns: int, out: list[AnyObservation]) -> bool:
        """A hello or a heartbeat; whether nothing else remains to be done with it."""
        state = self._state
        if isinstance(message, Hello) and state.phase != CLOSED:
            self._hello(message, stamp, at_mono_ns, out)
            return True
        is_other_boot = isinstance(message, Heartbeat) and message.boot_id != state.order.boot_id
        if is_other_boot and state.phase == TALKING:
            self._restarted(at_mono_ns, out)
            return True
        return False

    def _hello(self, hello: Hello, stamp: Stamp, at_mono_ns: int, out: list[AnyObservation]) -> None:
        state, order = self._state, self._state.order
        if self._is_other_device(hello.device_id):
            self._refuse(hello.device_id, at_mono_ns, out)
            return
        if state.phase == TALKING:
            if hello.boot_id == order.boot_id:
                return
            self._restarted(at_mono_ns, out)
        state.clock.start(stamp.at_device_ms, at_mono_ns)
        is_new_boot = hello.boot_id != order.boot_id
        if is_new_boot:
            state.has_restarted = state.has_restarted or order.boot_id is not None
            order.boot_id = hello.boot_id
            order.last_seq = stamp.seq if hello.oldest_seq is None else (hello.oldest_seq - 1) % SEQ_WRAP
            self._translate.distrust()
        elif ahead(stamp.seq, order.last_seq) < 0:
            # one boot cannot have fewer events than it had
            self._counters["implausible_seq"] += 1
            order.last_seq = stamp.seq
            self._translate.distrust()
        self.refusal = None
        state.phase = TALKING
        state.heard_ns = at_mono_ns
        self._translate.reader.restored(at_mono_ns)
        self._order.connect(stamp.seq, is_new_boot, at_mono_ns)
        self._ask_clock(at_mono_ns)

    def _refuse(self, said: str, at_mono_ns: int, out: list[AnyObservation]) -> None:
        self._counters["other_device"] += 1
        self.refusal = self._other_device_sentence(said)
        self._lose_device(at_mono_ns, "another device answers", out)
        self._state.phase = REFUSED
        self._state.asked_ns = at_mono_ns

    def _restarted(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        self._counters["restarts"] += 1
        self._lose_device(at_mono_ns, "the device restarted", out)
        self._greet(at_mono_ns)

    # -- commands

    def _ask_hello(self, at_mono_ns: int) -> None:
        self._state.asked_ns = at_mono_ns
        self._command("hello_request")

    def _ask_clock(self, at_mono_ns: int) -> None:
        self._state.clock_due_ns = at_mono_ns + CLOCK_NS
        self._command("clock_request", token=self._state.clock.ask(at_mono_ns))

    # -- deadlines

    def next_deadline_ns(self) -> int | None:
        state = self._state
        if state.phase == CLOSED:
            return None
        if state.phase == GREETING:
            retry_ns = state.asked_ns + RETRY_NS
            return retry_ns if self.refusal else min(retry_ns, state.greeted_ns + SILENT_NS)
        if state.phase == REFUSED:
            return state.asked_ns + REFUSED_RETRY_NS
        due_ns = min(state.heard_ns + SILENT_NS, state.clock_due_ns)
        for other_ns in (self._order.next_deadline_ns(), self._translate.keys.next_deadline_ns()):
            if other_ns is not None and other_ns < due_ns:
                due_ns = other_ns
        return due_ns

    def tick(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """A deadline came due; calls that come early or late do no harm."""
        state = self._state
        if state.phase == GREETING:
            self._tick_greeting(at_mono_ns, out)
        elif state.phase == REFUSED and at_mono_ns >= state.asked_ns + REFUSED_RETRY_NS:
            self._ask_hello(at_mono_ns)
        elif state.phase == TALKING and not self._is_lost_by_silence(at_mono_ns, out):
            self._translate.keys.tick(at_mono_ns, out)
            self._connected(self._order.tick(at_mono_ns, state.clock, out), at_mono_ns, out)
            if at_mono_ns >= state.clock_due_ns:
                self._ask_clock(at_mono_ns)

    def _tick_greeting(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        state = self._state
        if at_mono_ns >= state.greeted_ns + SILENT_NS:
            self.refusal = self.refusal or self._no_answer_sentence(state.has_noise)
            self._lose(at_mono_ns, "the device does not answer", out)
        if at_mono_ns >= state.asked_ns + RETRY_NS:
            self._ask_hello(at_mono_ns)

    def _is_lost_by_silence(self, at_mono_ns: int, out: list[AnyObservation]) -> bool:
        state = self._state
        if at_mono_ns < state.heard_ns + SILENT_NS:
            return False
        heard_ns = self._after_stall_ns(state.heard_ns, at_mono_ns)
        if heard_ns is not None:
            state.heard_ns = heard_ns
            return False
        self._counters["silences"] += 1
        self._lose_device(at_mono_ns, "the device is silent", out)
        self._greet(at_mono_ns)
        return True

    # -- storage

    def snapshot(self) -> bytes:
        state = self._state
        state.is_lost = self._is_lost
        return msgspec.msgpack.encode(state)

    def restore(self, data: bytes) -> None:
        state = msgspec.msgpack.decode(data, type=TablelinkState)
        self._state = state
        self._order.state = state.order
        self._is_lost = state.is_lost
