"""Ports: the interfaces that the runtime needs from its edges, and the inputs that cross them.

An `Input` is everything that can move the bridge. All inputs are journalled before they are taken, so that a
replay of the inputs is a replay of the table.
"""

from collections.abc import Callable
from typing import Protocol

import msgspec


class Chunk(msgspec.Struct, frozen=True, tag_field="input", tag="chunk"):
    """Bytes as one read returned them."""

    device: str
    at_mono_ns: int
    data: bytes


class LinkOpened(msgspec.Struct, frozen=True, tag_field="input", tag="opened"):
    """The byte path to a device was opened for the `generation`-th time."""

    device: str
    at_mono_ns: int
    generation: int


class LinkClosed(msgspec.Struct, frozen=True, tag_field="input", tag="closed"):
    """The byte path ended; `why` is one short phrase for people."""

    device: str
    at_mono_ns: int
    generation: int
    why: str


class Tick(msgspec.Struct, frozen=True, tag_field="input", tag="tick"):
    """A deadline of that device's link came due (idle gap, missing heartbeat, presence time-out)."""

    device: str
    at_mono_ns: int


Input = Chunk | LinkOpened | LinkClosed | Tick


class Clock(Protocol):
    def mono_ns(self) -> int: ...

    def wall_ns(self) -> int: ...


class BytePort(Protocol):
    """One life of one byte path. Used once: after `close` or a loss make a new one.

    `open` raises `PortError`; the callbacks are called on the event loop, `on_lost` exactly once, also when a
    write notices the loss first. `write` never blocks: it queues and returns False when the far side does not
    take bytes and the queue is full (the bytes of that call are then not sent).
    """

    def open(self, on_data: Callable[[bytes, int], None], on_lost: Callable[[str], None]) -> None: ...

    def write(self, data: bytes) -> bool: ...

    def close(self) -> None: ...


class Sink(Protocol):
    """Where feed events go. `send` gives whole encoded events in order and returns how many the far side has
    acknowledged (those, and only those, leave the outbox). Raises OSError when it cannot take any now."""

    def open(self) -> None: ...

    def send(self, events: list[bytes]) -> int: ...

    def close(self) -> None: ...
