"""USB lights from one table: what each kind is written, how often, and what becomes of it without the bridge.

kind                rhythm of its own    without renewal
blink1              yes                  plays "not monitored" by itself after 5 s
kuando              yes                  goes dark by itself after 15 s
luxafor             yes                  keeps what it showed; a blinking stops in the end
patlite_ne          yes                  keeps what it showed
patlite_lr6         yes                  keeps what it showed
qlight              one rhythm           keeps what it showed
delcom              yes                  keeps what it showed
blinkstick          no: by renewals      keeps what it showed, lit or dark
blinkstick_square   no: by renewals      keeps what it showed, lit or dark
busylight           no: by renewals      as busylight-core leaves it

Where a light keeps what it showed, feed it from the bridge's own USB port, so that both go dark together.

None of them says what it shows. But USB acknowledges: the port gives each report back once the light has
taken it, and a state counts as shown when all reports of it came back. Sources: see `usb_reports`.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import msgspec

from shoe_bridge.lights import usb_reports
from shoe_bridge.lights.policy import LOOKS, Look
from shoe_bridge.lights.usb_reports import DARK, RHYTHMS, Reports
from shoe_bridge.table.light_state import LightState

_RENEWAL_MS = 5000
_BLINK_MS = 125  # half a period of the fastest rhythm
_CONFIRM_MS = 600


class UsbLook(msgspec.Struct, frozen=True):
    """What one kind is written. `reports` gives those of a look; `keep_alive_ms` is how often it is shown
    anew, `dark_after_ms` when it forgets by itself (None: never). `has_rhythm`: it blinks by itself."""

    reports: Callable[[Look], Reports]
    keep_alive_ms: int = _RENEWAL_MS
    dark_after_ms: int | None = None
    has_rhythm: bool = True


def _colour_only(look: Look) -> Reports:
    """What the port of busylight-core takes: the colour, and it knows the light's own bytes."""
    return (bytes((look.red, look.green, look.blue)),)


LOOKS_OF_KIND: Mapping[str, UsbLook] = MappingProxyType(
    {
        "blink1": UsbLook(usb_reports.blink1, 1500, dark_after_ms=5000),
        "luxafor": UsbLook(usb_reports.luxafor),
        "kuando": UsbLook(usb_reports.kuando, dark_after_ms=usb_reports.KUANDO_HOLD_S * 1000),
        "blinkstick": UsbLook(usb_reports.blinkstick, _BLINK_MS, has_rhythm=False),
        "blinkstick_square": UsbLook(usb_reports.blinkstick_square, _BLINK_MS, has_rhythm=False),
        "patlite_ne": UsbLook(usb_reports.patlite_ne),
        "patlite_lr6": UsbLook(usb_reports.patlite_lr6),
        "qlight": UsbLook(usb_reports.qlight),
        "delcom": UsbLook(usb_reports.delcom),
        "busylight": UsbLook(_colour_only, _BLINK_MS, has_rhythm=False),
    }
)


class UsbLight:
    """A light of a kind of `LOOKS_OF_KIND`. Reports taken by the device come back by `take`."""

    min_gap_ms = 0
    confirm_ms = _CONFIRM_MS
    can_confirm = True

    def __init__(self, kind: str) -> None:
        self._look = LOOKS_OF_KIND[kind]
        self.keep_alive_ms = self._look.keep_alive_ms
        self._shown: LightState | None = None
        self._owed: list[bytes] = []
        self._renewals = 0

    def show(self, state: LightState) -> list[bytes]:
        self._renewals = 0 if state is not self._shown else self._renewals + 1
        self._shown = state
        look = LOOKS[state]
        if not self._look.has_rhythm and not _is_lit(look, self._renewals * self.keep_alive_ms):
            look = DARK
        self._owed = list(self._look.reports(look))
        return list(self._owed)

    def verify(self) -> list[bytes]:
        """Nothing to ask: the acknowledgement of the last report is all that such a light can say."""
        return []

    def take(self, report: bytes) -> LightState | None:
        """A report that the device has taken; one of an earlier state confirms nothing."""
        if not self._owed or report != self._owed[0]:
            return None
        del self._owed[0]
        return None if self._owed else self._shown


def _is_lit(look: Look, since_ms: int) -> bool:
    lit_ms, dark_ms = RHYTHMS.get(look.pattern, (1, 0))
    return since_ms % (lit_ms + dark_ms) < lit_ms
