"""One device on its real link, live, without a table around it: for the verbs that look at one box.

Three levels are counted: raw bytes received, frames received, observations made. A device that sends bytes
and no frames has the wrong kind or speed; one that sends frames and makes nothing has nothing to tell.
"""

from collections.abc import Callable

import msgspec

from shoe_bridge.adapters.clock import SystemClock
from shoe_bridge.adapters.listening import ACCEPT_S
from shoe_bridge.adapters.port_faults import kept_waiting
from shoe_bridge.errors import UsageError
from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.kinds import KINDS
from shoe_bridge.link.presence import Presence
from shoe_bridge.link.text_session import UNNUMBERED
from shoe_bridge.runtime.assembly import links_of
from shoe_bridge.runtime.config import DeviceConfig
from shoe_bridge.runtime.config_kinds import ANTENNA_MAX
from shoe_bridge.runtime.config_ports import port_complaints
from shoe_bridge.runtime.device_ports import device_port
from shoe_bridge.table.observations import AnyObservation, LinkLost, LinkRestored

TURN_S = 0.02

OnBytes = Callable[[str, bytes, int], None]
_OF_THE_LINK = (LinkLost, LinkRestored)


class Levels(msgspec.Struct, frozen=True):
    """How far a device's bytes have come: `received` in bytes, `junk` pieces that were no frame, `events`
    observations about the table."""

    received: int
    frames: int
    junk: int
    events: int


class LiveDevice:
    """The link to one device. `on_bytes` gets each piece that crossed the port: its direction (`<` from the
    device, `>` to it), the bytes, the monotonic time in ns. `is_known_tag` as the link needs it,
    `accept_s` as the port does; `config` is the link's where more is known of the device than its own table
    of the configuration says."""

    def __init__(
        self,
        device: DeviceConfig,
        on_bytes: OnBytes | None = None,
        is_known_tag: Callable[[str], bool] = lambda tag: True,
        accept_s: float | None = ACCEPT_S,
        config: LinkConfig | None = None,
    ) -> None:
        self.device = device
        self.lost: str | None = None
        self._link = DeviceLink(config or links_of((device,))[0], Presence(), is_known_tag)
        self._port = device_port(device, accept_s=accept_s, is_proven=lambda: self._link.has_proof)
        self._clock = SystemClock()
        self._on_bytes = on_bytes
        self._seen: list[AnyObservation] = []
        self._received = 0
        self._events = 0

    async def open(self) -> None:
        """Open the port and begin the conversation. Raises PortError."""
        await self._port.open_async(self._on_data, self._on_lost)
        self._link.opened(self._clock.mono_ns(), 1)
        self._write()

    def turn(self) -> list[AnyObservation]:
        """What was observed since the last call; due every `TURN_S`, since deadlines are met here."""
        now = self._clock.mono_ns()
        deadline_ns = self._link.next_deadline_ns()
        if deadline_ns is not None and deadline_ns <= now:
            self._take(self._link.tick(now))
        self._write()
        seen, self._seen = self._seen, []
        return seen

    def close(self) -> None:
        """Give the port back. Harmless when repeated."""
        self._port.close()

    @property
    def levels(self) -> Levels:
        counters = self._link.counters
        junk = sum(count for name, count in counters.items() if name.startswith("junk_"))
        return Levels(self._received, counters["frames"], junk, self._events)

    @property
    def is_verified(self) -> bool:
        """Whether the device has proven itself and is alive."""
        return self.lost is None and self._link.is_verified

    @property
    def trouble(self) -> str | None:
        """Why nothing good can come from it, as a phrase or sentence; None while nothing is known against
        it."""
        refusal = self._link.refusal
        if refusal is not None and not self._received:
            return f"{refusal}{kept_waiting(self.device.port)}"
        return refusal or self.lost

    @property
    def link(self) -> DeviceLink:
        return self._link

    def flush(self) -> None:
        """Write what was queued on the link by others."""
        self._write()

    def _on_data(self, data: bytes, at_mono_ns: int) -> None:
        self._received += len(data)
        if self._on_bytes is not None:
            self._on_bytes("<", data, at_mono_ns)
        self._take(self._link.take(data, at_mono_ns))
        self._write()

    def _on_lost(self, why: str) -> None:
        self.lost = why
        self._take(self._link.closed(self._clock.mono_ns(), why))

    def _take(self, observations: list[AnyObservation]) -> None:
        self._events += sum(not isinstance(seen, _OF_THE_LINK) for seen in observations)
        self._seen += observations

    def _write(self) -> None:
        for data in self._link.sends():
            if self._port.write(data) and self._on_bytes is not None:
                self._on_bytes(">", data, self._clock.mono_ns())


def whole_device(kind: str, port: str, baud: int = 0, parity: str = "") -> DeviceConfig:
    """A device of that kind with all its antennas, each a place of its own. UsageError for a kind without a
    link, for a parity that is none, and for a port that `run --check` would refuse."""
    if kind not in KINDS:
        raise UsageError(f"{kind!r} is no kind of device: use one of {', '.join(KINDS)}")
    if parity not in ("", "N", "E", "O"):
        raise UsageError(f"--parity is {parity!r}: use N, E or O")
    if baud and not 300 <= baud <= 4_000_000:
        raise UsageError(f"--baud is {baud}: use 300 to 4,000,000 bit/s")
    first = UNNUMBERED if kind == "text_line" else 1
    # antenna 1 alone is asked for without a mask, which many FEIG readers do not know
    last = first if kind == "feig_obid" else ANTENNA_MAX[kind]
    antennas = {number: f"antenna {number}" for number in range(first, last + 1)}
    plain = DeviceConfig(name="reader", kind=kind, port=port, antennas=antennas)
    for complaint in port_complaints(plain):
        raise UsageError(f"--port: {complaint.sentence}")
    return msgspec.structs.replace(plain, baud=baud or plain.baud, parity=parity or plain.parity)
