"""A model of a USB light: it shows what the reports of its host say, and remembers what it showed when.

Each call of `take` is one report, as USB keeps them apart. Its power comes over the plug: pulled out it is
dark and has forgotten everything. It never says anything by itself.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from shoe_bridge.errors import ConfigError
from shoe_bridge.sim.light_looks import OFF, Head, Shown, rhythm_of
from shoe_bridge.sim.usb_light_heads import (
    Blink1Head,
    BlinkstickHead,
    BlinkstickSquareHead,
    KuandoHead,
    LuxaforHead,
)
from shoe_bridge.sim.usb_tower_heads import DelcomHead, PatliteLr6Head, PatliteNeHead, QlightHead

HEADS: Mapping[str, Callable[[], Head]] = MappingProxyType(
    {
        "blink1": Blink1Head,
        "luxafor": LuxaforHead,
        "kuando": KuandoHead,
        "blinkstick": BlinkstickHead,
        "blinkstick_square": BlinkstickSquareHead,
        "patlite_ne": PatliteNeHead,
        "patlite_lr6": PatliteLr6Head,
        "qlight": QlightHead,
        "delcom": DelcomHead,
    }
)
"""By the kind of light in the configuration."""

_WATCHED_MS = 2_500  # a rhythm that the host makes is seen if it went on so long ago


class UsbLightDevice:
    """One light of a kind of `HEADS`. ConfigError for another kind.

    `shown` is what it shows now, `history` each change as (when, shown); `taken` counts the reports that it
    obeyed, `ignored` those that are no command. `is_reading` False: it takes nothing off the bus.
    """

    def __init__(self, name: str, kind: str) -> None:
        if kind not in HEADS:
            raise ConfigError(f"light {name} is a '{kind}': of USB lights {', '.join(HEADS)} are simulated")
        self.name = name
        self.kind = kind
        self.is_plugged = True
        self.is_reading = True
        self.shown = OFF
        self.history: list[tuple[int, Shown]] = []
        self.taken = 0
        self.ignored = 0
        self._head: Head = HEADS[kind]()
        self._now_ms = 0

    # -- the host's side

    def take(self, data: bytes, at_ms: int) -> None:
        """One report of the host arrives; without effect while unplugged or not reading."""
        self.obey(data, at_ms)

    def obey(self, report: bytes, at_ms: int) -> bool:
        """As `take`; gives whether it is a command of this light: USB lets a light refuse another one."""
        self.advance(at_ms)
        if not (self.is_plugged and self.is_reading):
            return False
        is_known = self._head.take(report, self._now_ms)
        self.taken += is_known
        self.ignored += not is_known
        self._look(self._now_ms)
        return is_known

    def advance(self, at_ms: int) -> bytes:
        """Let time pass to `at_ms`: it may go dark, or show that nobody renews what it shows."""
        while (due_ms := self.next_due_ms()) is not None and due_ms <= at_ms:
            self._now_ms = due_ms
            self._look(due_ms)
        self._now_ms = max(self._now_ms, at_ms)
        return b""

    def next_due_ms(self) -> int | None:
        """When it changes by itself."""
        due_ms = self._head.next_change_ms() if self.is_plugged else None
        return due_ms if due_ms is not None and due_ms > self._now_ms else None

    # -- what happens to it

    def unplug(self) -> None:
        self.forget()
        self.is_plugged = False

    def replug(self) -> None:
        self.is_plugged = True

    def forget(self) -> None:
        """It loses its power for a moment, and with it all that it was told; the bus does not notice."""
        self._head = HEADS[self.kind]()
        self._look(self._now_ms)

    # -- what is seen

    def seen(self, at_ms: int) -> Shown:
        """What an eye sees that has watched it up to `at_ms`: a light that blinks as its host writes is seen
        to blink, once it has been lit and dark."""
        self.advance(at_ms)
        if not self._head.is_blinked or not self.history or at_ms - self.history[-1][0] > _WATCHED_MS:
            return self.shown
        for (lit_at_ms, lit), (dark_at_ms, dark), (end_ms, again) in zip(
            self.history[-3::-1], self.history[-2::-1], self.history[::-1], strict=False
        ):
            if dark == OFF and lit != OFF and again == lit and end_ms >= at_ms - _WATCHED_MS:
                if self.shown in (OFF, lit):
                    return Shown(lit.colour, rhythm_of(dark_at_ms - lit_at_ms, end_ms - dark_at_ms))
                break
        return self.shown

    def _look(self, at_ms: int) -> None:
        shown = self._head.shown(at_ms)
        if shown != self.shown:
            self.shown = shown
            self.history.append((at_ms, shown))
