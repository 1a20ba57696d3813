"""What every simulated device has in common: the interface of its byte stream, and its identity.

Devices are sans-IO and live in virtual time. The host's bytes go in by `take`, time passes by `advance`,
which gives the bytes that the device sent until then. Only bytes that cross the plug count: what an unplugged
device says is lost.
"""

from hashlib import blake2b
from typing import Protocol


class SimDevice(Protocol):
    """One simulated device. `name` is the house's name of the box, `kind` its key in `protocol.codec.CODECS`
    or the kind of light."""

    name: str
    kind: str
    is_plugged: bool

    def take(self, data: bytes, at_ms: int) -> None:
        """Bytes of the host arrive; without effect while unplugged."""
        ...

    def advance(self, at_ms: int) -> bytes:
        """Let time pass to `at_ms` (never backwards) and give what was sent meanwhile."""
        ...

    def next_due_ms(self) -> int | None:
        """When `advance` has something to do next."""
        ...

    def unplug(self) -> None: ...

    def replug(self) -> None: ...


def identity_bytes(name: str, purpose: str, size: int) -> bytes:
    """Bytes that are the device's own for ever: the same for the same name in every run."""
    return blake2b(f"{purpose}/{name}".encode(), digest_size=size).digest()


def identity_number(name: str, purpose: str, bits: int = 32) -> int:
    """As `identity_bytes`, as an unsigned number of `bits` bits."""
    return int.from_bytes(identity_bytes(name, purpose, 8), "big") & ((1 << bits) - 1)
