"""The session with a keyboard-wedge reader: it types a line when a card is laid on it, and nothing else.

    CLOSED ---opened-----------------------------> OPEN
    OPEN -----the first tick, or line: LinkRestored-> LIVE
    any ------closed: LinkLost-------------------> CLOSED

Such a reader has no name, no heartbeat and no antenna number; USB itself tells that it is there and what it
is. It serves one place. A line names a tag by the configured rule; without a rule, the typed text stands for
the tag, which is good among readers of this kind only.
"""

from collections import Counter

import msgspec

from protocol.messages import Message, Stamp, TagSeen, TypedLine
from shoe_bridge.link.line_codecs import tag_of_name
from shoe_bridge.link.line_reader import LineReader
from shoe_bridge.link.session import LinkLabel, Session
from shoe_bridge.table.observations import AnyObservation, EventsMissed

CLOSED, OPEN, LIVE = "closed", "open", "live"


class TypedState(msgspec.Struct):
    """All that the session remembers, as `snapshot` stores it. `missed`: what was typed and could not be
    read, still to be told."""

    phase: str = CLOSED
    is_lost: bool = False
    opened_ns: int = 0
    missed: int = 0


class TypedSession(Session):
    """One per hid_keyboard link. `antenna` is the number that its one place has; `has_rule`: typed lines name
    tags by a rule."""

    def __init__(
        self,
        label: LinkLabel,
        counters: Counter[str],
        reader: LineReader,
        *,
        antenna: int | None,
        has_rule: bool,
    ) -> None:
        super().__init__(label, None, counters)
        self._reader = reader
        self._antenna = antenna
        self._has_rule = has_rule
        self._state = TypedState()

    @property
    def is_verified(self) -> bool:
        """Whether the reader is there."""
        return self._state.phase == LIVE

    def opened(self, at_mono_ns: int) -> None:
        self._is_lost = False
        self._state = TypedState(OPEN, opened_ns=at_mono_ns)

    def closed(self, at_mono_ns: int, why: str, out: list[AnyObservation]) -> None:
        if self._state.phase == CLOSED:
            return
        self._state.phase = CLOSED
        self._lose(at_mono_ns, why, out)

    def take(
        self, messages: tuple[Message, ...], stamp: Stamp | None, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        """One typed line: the tag that the rule made of it, or its text."""
        if self._state.phase == CLOSED:
            return
        self._go_live(at_mono_ns, out)
        tag = next((message.tag for message in messages if isinstance(message, TagSeen)), None)
        text = next((message.text for message in messages if isinstance(message, TypedLine)), None)
        if tag is None and text is not None:
            if self._has_rule:
                self._counters["unfit_lines"] += 1
                self._state.missed += 1
                return
            tag = tag_of_name(text)
        if tag is not None:
            self._reader.tag_seen(self._antenna, tag, None, at_mono_ns, out)

    def noise(self, at_mono_ns: int) -> None:
        """Reports came that type nothing that can be read. Releases alone are no loss, so nothing is."""

    def next_deadline_ns(self) -> int | None:
        state = self._state
        return state.opened_ns if state.phase == OPEN or state.missed else None

    def tick(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        state = self._state
        if state.phase == CLOSED:
            return
        self._go_live(at_mono_ns, out)
        if state.missed:
            self._counters["events_missed"] += state.missed
            out.append(EventsMissed(self.label.device, self.label.places, state.missed, at_mono_ns))
            state.missed = 0

    def _go_live(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        if self._state.phase == OPEN:
            self._state.phase = LIVE
            self._reader.restored(at_mono_ns)
            self._restore_link(at_mono_ns, None, out)

    # -- storage

    def snapshot(self) -> bytes:
        self._state.is_lost = self._is_lost
        return msgspec.msgpack.encode(self._state)

    def restore(self, data: bytes) -> None:
        self._state = msgspec.msgpack.decode(data, type=TypedState)
        self._is_lost = self._state.is_lost
