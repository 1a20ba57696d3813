"""The session with a USB keypad: a HID keyboard whose keys do something.

Each report says which keys are down; what is new in it is a press, told at once. So a key that is held, or
whose report is repeated, is one press, and a release that was lost is made good by the next report, whatever
it says. Its life is that of `plugged_session`.

What was down before the link was there is no press. A keypad that is plugged in with a key held down says so
within `WAS_DOWN_NS`: at once, or with its next repeat, which HID puts at 500 ms. A key that was down when the
link was lost counts as down until a report without it; but one that comes again as the only one, as it was,
was released meanwhile, for a keypad reports what changed. A press in that first time is lost, and pressed
again by whoever sees that nothing happened; one too many could rule on a misdeal.
"""

from collections import Counter

from protocol.messages import KeysDown, Message, Stamp
from shoe_bridge.link.keys import Keys
from shoe_bridge.link.plugged_session import CLOSED, OPEN, PluggedSession, PluggedState
from shoe_bridge.link.session import NS_PER_MS, LinkLabel
from shoe_bridge.table.observations import AnyObservation

WAS_DOWN_NS = 600 * NS_PER_MS


class KeypadState(PluggedState):
    """`down` are the keys of the newest report, `has_reported` whether that one is of this life of the
    link."""

    has_reported: bool = False
    down: tuple[int, ...] = ()


class KeypadSession(PluggedSession[KeypadState]):
    """One per hid_keyboard device with keys; `layout` is the form of its reports."""

    def __init__(self, label: LinkLabel, counters: Counter[str], keys: Keys, layout: str) -> None:
        super().__init__(label, counters, KeypadState())
        self._keys = keys
        self._layout = layout

    def opened(self, at_mono_ns: int) -> None:
        self.refusal = None
        self._keys.forget()
        self._open(KeypadState(OPEN, opened_ns=at_mono_ns, down=self._state.down))

    def closed(self, at_mono_ns: int, why: str, out: list[AnyObservation]) -> None:
        self._keys.forget()
        super().closed(at_mono_ns, why, out)

    def take(
        self, messages: tuple[Message, ...], stamp: Stamp | None, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        """One report."""
        if self._state.phase == CLOSED:
            return
        self._go_live(at_mono_ns, out)
        for message in messages:
            if isinstance(message, KeysDown):
                self._take_keys(message.keys, at_mono_ns, out)

    def _take_keys(self, keys: tuple[int, ...] | None, at_mono_ns: int, out: list[AnyObservation]) -> None:
        state = self._state
        if keys is None:
            self._counters["rollovers"] += 1
            return
        at_ms = at_mono_ns // NS_PER_MS
        is_first, state.has_reported = not state.has_reported, True
        was_down = is_first and at_mono_ns - state.opened_ns <= WAS_DOWN_NS
        if is_first and not was_down and len(keys) == 1 and keys == state.down:
            state.down = ()
        for key in state.down:
            if key not in keys and key in self._keys.presses:
                self._keys.up(key, at_ms, at_mono_ns, out)
        for key in keys:
            if key in state.down:
                continue
            if was_down:
                self._keys.was_down(key, at_ms, at_mono_ns)
            else:
                self._keys.struck(key, at_ms, at_mono_ns, out)
        state.down = keys

    def noise(self, at_mono_ns: int) -> None:
        """Whole reports of the layout are never noise on USB: those of another one are."""
        self._refuse_layout(self._layout)

    def next_deadline_ns(self) -> int | None:
        if self._state.phase == CLOSED:
            return None
        if self._state.phase == OPEN:
            return self._state.opened_ns
        return self._keys.next_deadline_ns()

    def tick(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        if self._state.phase == CLOSED:
            return
        self._go_live(at_mono_ns, out)
        self._keys.tick(at_mono_ns, out)
