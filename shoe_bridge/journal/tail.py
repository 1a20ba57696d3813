"""The tail of a volume: where its chain stands, read back and proven before anything is added to it."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from shoe_bridge.journal.chain import RawHash, audit_hash, chain_hash, head_hash
from shoe_bridge.journal.rows import QueuedEvent, QueuedRecord, Seal, VolumeHead

_SEAL = "n, boot_id, at_wall_ns, input_n, record_n, outbox_seq, acked_seq, raw_hash, audit_hash, chain_hash"
_HEAD = """table_id, name, at_wall_ns, prev_volume, prev_hash, set_aside,
    seal_n, input_n, record_n, outbox_seq, acked_seq"""

_Row = TypeVar("_Row", Seal, VolumeHead)


class Tail(msgspec.Struct, frozen=True):
    """Where the journal stands: the volume and the last number of each sort that is committed."""

    volume: Path
    seal_n: int
    input_n: int
    record_n: int
    outbox_seq: int
    acked_seq: int
    chain_hash: bytes


def read_head(connection: sqlite3.Connection) -> VolumeHead | None:
    rows = connection.execute(f"SELECT {_HEAD} FROM volume").fetchall()
    return _typed(rows[0], VolumeHead) if len(rows) == 1 else None


def read_seals(connection: sqlite3.Connection, after_n: int = 0) -> Iterator[Seal]:
    for row in connection.execute(f"SELECT {_SEAL} FROM seal WHERE n > ? ORDER BY n", (after_n,)):
        yield _typed(row, Seal)


def read_seal(connection: sqlite3.Connection, n: int) -> Seal | None:
    row = connection.execute(f"SELECT {_SEAL} FROM seal WHERE n = ?", (n,)).fetchone()
    return None if row is None else _typed(row, Seal)


def last_seal(connection: sqlite3.Connection) -> Seal | None:
    row = connection.execute(f"SELECT {_SEAL} FROM seal ORDER BY n DESC LIMIT 1").fetchone()
    return None if row is None else _typed(row, Seal)


def _typed(row: tuple[object, ...], kind: type[_Row]) -> _Row:
    """A row whose every value is of its column's type. Raises msgspec.ValidationError: a damaged page may
    give anything."""
    return msgspec.convert(dict(zip(kind.__struct_fields__, row, strict=True)), kind)


def tail_of_head(volume: Path, head: VolumeHead) -> Tail:
    """The tail of a volume in which nothing is sealed yet."""
    return Tail(
        volume, head.seal_n, head.input_n, head.record_n, head.outbox_seq, head.acked_seq, head_hash(head)
    )


def tail_of_seal(volume: Path, seal: Seal) -> Tail:
    return Tail(volume, seal.n, seal.input_n, seal.record_n, seal.outbox_seq, seal.acked_seq, seal.chain_hash)


def read_tail(volume: Path, connection: sqlite3.Connection) -> Tail | None:
    """Where the volume stands; None when it has no head, so that it is none of ours."""
    head = read_head(connection)
    if head is None:
        return None
    seal = last_seal(connection)
    return tail_of_head(volume, head) if seal is None else tail_of_seal(volume, seal)


Pack = tuple[int, int, bytes]  # first number, last number, MessagePack of the inputs
Before = Tail | Seal  # where a group begins


def seal_number(place: Before) -> int:
    return place.seal_n if isinstance(place, Tail) else place.n


def audit_rows(
    connection: sqlite3.Connection, before: Before, seal: Seal
) -> tuple[list[QueuedRecord], list[QueuedEvent]]:
    """The records and outbox events of one group."""
    records = connection.execute(
        "SELECT n, kind, at_mono_ns, at_wall_ns, input_n, body FROM record WHERE n > ? AND n <= ? ORDER BY n",
        (before.record_n, seal.record_n),
    ).fetchall()
    outbox = connection.execute(
        "SELECT seq, event_id, record_n, body FROM outbox WHERE seq > ? AND seq <= ? ORDER BY seq",
        (before.outbox_seq, seal.outbox_seq),
    ).fetchall()
    return records, outbox


def raw_rows(
    connection: sqlite3.Connection, before: Before, seal: Seal
) -> tuple[list[Pack], tuple[int, bytes] | None]:
    """The packed inputs of one group, and its snapshot if it has one."""
    packs = connection.execute(
        "SELECT first_n, last_n, rows FROM input WHERE first_n > ? AND first_n <= ? ORDER BY first_n",
        (before.input_n, seal.input_n),
    ).fetchall()
    snapshot = connection.execute(
        "SELECT record_n, body FROM snapshot WHERE seal_n = ?", (seal.n,)
    ).fetchone()
    return packs, snapshot


def chain_fault(before: Before, seal: Seal) -> str | None:
    """Whether a seal follows on what was before, as the end of a sentence; None when it does."""
    before_n = seal_number(before)
    if seal.n != before_n + 1:
        return f"has no seal {before_n + 1}"
    if chain_hash(before.chain_hash, seal) != seal.chain_hash:
        return f"has a seal {seal.n} that does not continue the chain"
    return None


def audit_fault(
    before: Before, seal: Seal, records: list[QueuedRecord], outbox: list[QueuedEvent]
) -> str | None:
    """Whether the records and outbox events of a group are as they were sealed; None when they are."""
    if audit_hash(records, outbox) == seal.audit_hash:
        return None
    return (
        f"has records {before.record_n + 1} to {seal.record_n} or outbox events {before.outbox_seq + 1} "
        f"to {seal.outbox_seq} that are not as they were sealed"
    )


def raw_fault(
    before: Before, seal: Seal, packs: list[Pack], snapshot: tuple[int, bytes] | None
) -> str | None:
    """Whether the inputs and the snapshot of a group are as they were sealed; None when they are."""
    raw = RawHash()
    for pack in packs:
        raw.take_pack(*pack)
    if snapshot is not None:
        raw.take_snapshot(*snapshot)
    if raw.digest() == seal.raw_hash:
        return None
    return f"has raw inputs {before.input_n + 1} to {seal.input_n} or a snapshot not as they were sealed"


def group_fault(connection: sqlite3.Connection, before: Before, seal: Seal, is_pruned: bool) -> str | None:
    """What is wrong with one sealed group, as the end of a sentence; None when its hashes hold."""
    fault = chain_fault(before, seal) or audit_fault(before, seal, *audit_rows(connection, before, seal))
    if fault is not None or is_pruned:
        return fault
    return raw_fault(before, seal, *raw_rows(connection, before, seal))
