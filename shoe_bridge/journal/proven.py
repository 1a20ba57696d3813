"""Groups of a volume for those who read rows: none is given out before its hash was compared.

So whoever decodes a row's body decodes the bytes that were written, and damage shows here, as one sentence,
and nowhere else.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from shoe_bridge.journal.faults import damage
from shoe_bridge.journal.rows import QueuedEvent, QueuedRecord, Seal
from shoe_bridge.journal.tail import (
    Before,
    Pack,
    Tail,
    audit_fault,
    audit_rows,
    chain_fault,
    last_seal,
    raw_fault,
    raw_rows,
    read_head,
    read_seal,
    read_seals,
    seal_number,
    tail_of_head,
    tail_of_seal,
)

Table = Literal["input", "record", "outbox"]
_FIRSTS: dict[Table, str] = {"input": "first_n", "record": "n", "outbox": "seq"}
_NUMBERS: dict[Table, str] = {"input": "last_n", "record": "n", "outbox": "seq"}
NO_HEAD = "has no head of its own, so that its place in the chain is unknown"


def audit_groups(
    volume: Path, connection: sqlite3.Connection, table: Table, after_n: int
) -> Iterator[tuple[Seal, list[QueuedRecord], list[QueuedEvent]]]:
    """The groups that hold rows of `table` after a number, with their records and events. Raises JournalError
    and what a damaged volume makes SQLite raise."""
    for before, seal in _groups(volume, connection, table, after_n):
        records, outbox = audit_rows(connection, before, seal)
        _demand(volume, audit_fault(before, seal, records, outbox))
        yield seal, records, outbox


def raw_groups(
    volume: Path, connection: sqlite3.Connection, after_n: int
) -> Iterator[tuple[Seal, list[Pack]]]:
    """The groups that hold inputs after a number, with their packs. Raises as `audit_groups`."""
    for before, seal in _groups(volume, connection, "input", after_n):
        packs, snapshot = raw_rows(connection, before, seal)
        _demand(volume, raw_fault(before, seal, packs, snapshot))
        yield seal, packs


def newest_snapshot(volume: Path, connection: sqlite3.Connection) -> tuple[int, bytes] | None:
    """(record number, body) of the newest snapshot in a volume. Raises as `audit_groups`."""
    row = connection.execute("SELECT max(seal_n) FROM snapshot").fetchone()
    if row[0] is None:
        return None
    seal = read_seal(connection, row[0])
    if seal is None:
        raise damage(volume, "holds a snapshot that no seal covers")
    before = _before(volume, connection, seal.n)
    _demand(volume, chain_fault(before, seal))
    packs, snapshot = raw_rows(connection, before, seal)
    _demand(volume, raw_fault(before, seal, packs, snapshot))
    return snapshot


def proven_tail(volume: Path, connection: sqlite3.Connection) -> Tail:
    """Where a volume stands, by a seal that follows on the one before and behind which no row stands. Raises
    as `audit_groups`."""
    newest = [  # before the seal is read: a volume may be growing
        connection.execute(f"SELECT {number} FROM {table} ORDER BY {_FIRSTS[table]} DESC LIMIT 1").fetchone()
        for table, number in _NUMBERS.items()
    ]
    seal, head = last_seal(connection), _head(volume, connection)
    if seal is not None:
        _demand(volume, chain_fault(_before(volume, connection, seal.n), seal))
    tail = head if seal is None else tail_of_seal(volume, seal)
    for row, table in zip(newest, _NUMBERS, strict=True):
        if row is not None and row[0] > _number(tail, table):
            raise damage(volume, f"holds {table} rows that no seal covers")
    return tail


def is_pruned(volume: Path, connection: sqlite3.Connection) -> bool:
    """Whether the raw rows of a volume were removed. Raises as `audit_groups`."""
    notes = connection.execute("SELECT at_wall_ns, first_input, last_input FROM pruned").fetchall()
    if not notes:
        return False
    (raw,) = connection.execute(
        "SELECT (SELECT count(*) FROM input) + (SELECT count(*) FROM snapshot)"
    ).fetchone()
    if raw or len(notes) > 1:
        raise damage(volume, "says that its raw inputs were pruned and holds some")
    return True


def _groups(
    volume: Path, connection: sqlite3.Connection, table: Table, after_n: int
) -> Iterator[tuple[Before, Seal]]:
    """Each group that holds rows of a table after a number, behind what it follows on."""
    number, first = _NUMBERS[table], _FIRSTS[table]
    connection.execute("BEGIN")  # one view of a volume that may be growing
    newest, head = proven_tail(volume, connection), _head(volume, connection)
    row = connection.execute(
        f"SELECT seal_n FROM {table} WHERE {number} > ? ORDER BY {first} LIMIT 1", (after_n,)
    ).fetchone()
    before = newest if row is None else _before(volume, connection, row[0])
    connection.execute("COMMIT")
    # where a volume begins, its head speaks of rows that other volumes hold
    if _number(before, table) > max(after_n, _number(head, table)):
        raise damage(volume, f"lacks {table} rows that are sealed")
    for seal in read_seals(connection, seal_number(before)):
        if _number(seal, table) > _number(before, table):
            _demand(volume, chain_fault(before, seal))
            yield before, seal
        before = seal


def _before(volume: Path, connection: sqlite3.Connection, seal_n: int) -> Before:
    """What the seal of a number follows on: the seal before it, or the head of the volume."""
    return read_seal(connection, seal_n - 1) or _head(volume, connection)


def _head(volume: Path, connection: sqlite3.Connection) -> Tail:
    head = read_head(connection)
    if head is None:
        raise damage(volume, NO_HEAD)
    return tail_of_head(volume, head)


def _number(place: Before, table: Table) -> int:
    if table == "input":
        return place.input_n
    return place.record_n if table == "record" else place.outbox_seq


def _demand(volume: Path, fault: str | None) -> None:
    if fault is not None:
        raise damage(volume, fault)
