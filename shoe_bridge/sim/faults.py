"""A bad cable between a device and the host: lost bytes, flipped bits, late bytes."""

from random import Random

import msgspec

from shoe_bridge.sim.device import SimDevice


class LineFaults(msgspec.Struct, frozen=True):
    """Chances per byte between 0 and 1; `delay_ms` is the longest time by which a burst of bytes comes
    late."""

    drop: float = 0.0
    flip: float = 0.0
    delay_ms: int = 0


class FaultyLine:
    """A device behind a bad cable: has the interface of a device and spoils what it sends. Order is kept."""

    def __init__(self, device: SimDevice, faults: LineFaults, rng: Random) -> None:
        self.device = device
        self.faults = faults
        self.dropped = 0
        self.flipped = 0
        self._rng = rng
        self._under_way: list[tuple[int, bytes]] = []

    @property
    def name(self) -> str:
        return self.device.name

    @property
    def kind(self) -> str:
        return self.device.kind

    @property
    def is_plugged(self) -> bool:
        return self.device.is_plugged

    def unplug(self) -> None:
        self._under_way.clear()
        self.device.unplug()

    def replug(self) -> None:
        self.device.replug()

    def take(self, data: bytes, at_ms: int) -> None:
        self.device.take(data, at_ms)

    def advance(self, at_ms: int) -> bytes:
        while (due_ms := self.device.next_due_ms()) is not None and due_ms <= at_ms:
            self._send(self.device.advance(due_ms), due_ms)
        self._send(self.device.advance(at_ms), at_ms)
        arrived = b"".join(data for due, data in self._under_way if due <= at_ms)
        self._under_way = [(due, data) for due, data in self._under_way if due > at_ms]
        return arrived

    def next_due_ms(self) -> int | None:
        dues = [due for due, _ in self._under_way[:1]]
        device_due_ms = self.device.next_due_ms()
        if device_due_ms is not None:
            dues.append(device_due_ms)
        return min(dues, default=None)

    def _send(self, data: bytes, at_ms: int) -> None:
        if not data:
            return
        due_ms = at_ms + (self._rng.randint(0, self.faults.delay_ms) if self.faults.delay_ms else 0)
        if self._under_way:
            due_ms = max(due_ms, self._under_way[-1][0])
        self._under_way.append((due_ms, self._spoil(data)))

    def _spoil(self, data: bytes) -> bytes:
        spoilt = bytearray()
        for byte in data:
            if self.faults.drop and self._rng.random() < self.faults.drop:
                self.dropped += 1
            elif self.faults.flip and self._rng.random() < self.faults.flip:
                self.flipped += 1
                spoilt.append(byte ^ (1 << self._rng.randrange(8)))
            else:
                spoilt.append(byte)
        return bytes(spoilt)
