"""The session with a keyboard-wedge reader: it types a line when a card is laid on it, and nothing else.

Its life is that of `plugged_session`. It has no antenna number and serves one place. A line names a tag by
the configured rule; without a rule, the typed text stands for the tag, which is good among readers of this
kind only.
"""

from collections import Counter

from protocol.messages import Message, Stamp, TagSeen, TypedLine
from shoe_bridge.link.line_codecs import tag_of_name
from shoe_bridge.link.line_reader import LineReader
from shoe_bridge.link.plugged_session import CLOSED, OPEN, PluggedSession, PluggedState
from shoe_bridge.link.session import LinkLabel
from shoe_bridge.table.observations import AnyObservation, EventsMissed


class TypedState(PluggedState):
    """`missed`: what was typed and could not be read, still to be told."""

    missed: int = 0


class TypedSession(PluggedSession[TypedState]):
    """One per hid_keyboard link. `antenna` is the number that its one place has; `has_rule`: typed lines name
    tags by a rule; `layout` is the form of its reports (None: told from them)."""

    def __init__(
        self,
        label: LinkLabel,
        counters: Counter[str],
        reader: LineReader,
        *,
        antenna: int | None,
        has_rule: bool,
        layout: str | None = None,
    ) -> None:
        super().__init__(label, counters, TypedState())
        self._reader = reader
        self._antenna = antenna
        self._has_rule = has_rule
        self._layout = layout

    def opened(self, at_mono_ns: int) -> None:
        self._open(TypedState(OPEN, opened_ns=at_mono_ns))

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

    def foreign(self, at_mono_ns: int) -> None:
        """What it types cannot be read at all."""
        if self._layout is not None:
            self._refuse_layout(self._layout)
            return
        self.refusal = (
            f"{self.label.device} sends reports that no `layout` describes: set the reader to type as a boot "
            f"keyboard does, or use another one"
        )

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
            self._reader.restored(at_mono_ns)
        super()._go_live(at_mono_ns, out)
