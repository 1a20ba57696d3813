"""The hash chain: what a seal covers, byte for byte. SHA-256 over MessagePack, which has one form per
value."""

from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from shoe_bridge.journal.rows import QueuedEvent, QueuedInput, QueuedRecord, Seal, VolumeHead

if TYPE_CHECKING:
    from hashlib import _Hash

PACK_ROWS = 4096  # inputs per stored row: bounds the memory of one encode, not the size of a group

_encode = msgspec.msgpack.Encoder().encode
_decode_pack = msgspec.msgpack.Decoder(list[QueuedInput]).decode


def pack_inputs(inputs: list[QueuedInput]) -> Iterable[tuple[int, int, bytes]]:
    """Cut a group's inputs into stored rows: (first number, last number, MessagePack of the inputs)."""
    for start in range(0, len(inputs), PACK_ROWS):
        part = inputs[start : start + PACK_ROWS]
        yield part[0][0], part[-1][0], _encode(part)


def unpack_inputs(packed: bytes) -> list[QueuedInput]:
    """The inputs of one stored row. Raises `msgspec.DecodeError` (or its child ValidationError) if it is
    none."""
    return _decode_pack(packed)


class RawHash:
    """Hash of a group's prunable part: its packed inputs in order, then its snapshot if it has one."""

    def __init__(self) -> None:
        self._hash: _Hash = sha256()

    def take_pack(self, first_n: int, last_n: int, packed: bytes) -> None:
        self._hash.update(_encode((first_n, last_n, len(packed))))
        self._hash.update(packed)

    def take_snapshot(self, record_n: int, body: bytes) -> None:
        self._hash.update(_encode(("snapshot", record_n, body)))

    def digest(self) -> bytes:
        return self._hash.digest()


def audit_hash(records: list[QueuedRecord], outbox: list[QueuedEvent]) -> bytes:
    return sha256(_encode((records, outbox))).digest()


def head_hash(head: VolumeHead) -> bytes:
    """What the first seal of a volume chains from: it covers the last seal of the volume before."""
    return sha256(_encode(head)).digest()


def chain_hash(before: bytes, seal: Seal) -> bytes:
    """The hash of `seal` (whose own `chain_hash` is not looked at) on top of the chain so far."""
    return sha256(_encode((before, msgspec.structs.astuple(seal)[:-1]))).digest()
