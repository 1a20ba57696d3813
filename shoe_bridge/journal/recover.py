"""What a start does with the state folder that it finds.

1. The folder is made if it is missing, and locked: two bridges on one folder would break the chain.
2. `journal.lock` names the volume that was written last. If that is gone, it is an error and not a fresh
   start.
3. A volume that a person has renamed to `….damaged` is gone on without: numbering jumps far ahead, so that no
   number is ever used twice, and a record says so.
4. The newest volume's length, identity and last groups are proven before anything is written to it, and its
   whole structure too when it is small and the last stop was not clean.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from shoe_bridge.errors import JournalError
from shoe_bridge.journal.faults import damage, reading
from shoe_bridge.journal.lock import FolderLock
from shoe_bridge.journal.proven import NO_HEAD, is_pruned, newest_snapshot, proven_tail
from shoe_bridge.journal.rows import CLEAN_STOP, Position, Recovered, Seal, VolumeHead
from shoe_bridge.journal.schema import (
    check_file,
    connect_reader,
    connect_writer,
    create_volume,
    discard,
    schema_fault,
)
from shoe_bridge.journal.tail import (
    Tail,
    group_fault,
    last_seal,
    read_head,
    read_seals,
    tail_of_head,
)
from shoe_bridge.journal.volumes import (
    DAMAGED,
    NEW,
    day_of,
    set_aside_of,
    volume_key,
    volume_name,
    volumes_of,
)

SKIP_ROWS, SKIP_EVENTS = 10**10, 10**7  # more than one volume can hold
PROVEN_GROUPS = 16  # last groups whose hashes are proven at every start
WHOLE_CHECK_BYTES = 32 * 2**20


class Found(msgspec.Struct, frozen=True):
    """A recovered folder: where to go on, what the caller is told, the snapshot that the next group carries
    on."""

    tail: Tail
    recovered: Recovered
    carry: tuple[int, bytes] | None


def recover(folder: Path, lock: FolderLock, table_id: str, at_wall_ns: int) -> Found:
    """Find or make the volume to go on with. Raises JournalError with the way out in it."""
    for leftover in folder.glob(f"journal-*{NEW}"):
        discard(leftover)
    volumes, set_aside = volumes_of(folder), _set_aside_after(folder, lock)
    if not volumes:
        tail = _begin(folder, None, table_id, at_wall_ns, set_aside)
        recovered = Recovered(
            _position(tail), tail.acked_seq, not set_aside, not set_aside, None, None, set_aside, ""
        )
        return Found(tail, recovered, None)
    newest = volumes[-1]
    head, tail, was_clean, boot_id = _prove(newest, table_id)
    is_missing = head.prev_volume and not (folder / head.prev_volume).exists()
    snapshot, is_own = _newest_snapshot(volumes)
    if set_aside:
        tail, is_own = _begin(folder, tail, table_id, at_wall_ns, set_aside), False
    recovered = Recovered(
        position=_position(tail),
        acknowledged_seq=tail.acked_seq,
        is_new=False,
        was_clean=was_clean and not set_aside,
        boot_id=boot_id,
        snapshot=snapshot,
        set_aside=set_aside,
        missing=head.prev_volume if is_missing else "",
    )
    return Found(tail, recovered, None if is_own else snapshot)


def _position(tail: Tail) -> Position:
    return Position(tail.input_n, tail.record_n, tail.outbox_seq)


def _set_aside_after(folder: Path, lock: FolderLock) -> str:
    """The damaged volume that was the newest of all, empty if none was; an error if the newest is simply
    gone."""
    names = [path.name for path in volumes_of(folder)]
    damaged = set_aside_of(folder)
    if damaged and (not names or _key(damaged[-1]) > _key(names[-1])):
        return damaged[-1]
    noted = lock.newest_volume()
    if noted and noted not in names and (not names or _key(noted) > _key(names[-1])):
        path = folder / noted
        raise JournalError(
            f"{path}: the journal volume that was written last is gone; put it back, or go on without it "
            f"with `touch {path}{DAMAGED}`."
        )
    return ""


def _key(name: str) -> tuple[str, int]:
    return volume_key(name) or ("", 0)


def _begin(folder: Path, before: Tail | None, table_id: str, at_wall_ns: int, set_aside: str) -> Tail:
    """Make the first volume of a journal, or the one after a volume that was set aside."""
    skip_rows, skip_events = (SKIP_ROWS, SKIP_EVENTS) if set_aside else (0, 0)
    today = day_of(at_wall_ns)
    day, part = _key(set_aside) if set_aside else ("", 0)
    outbox_seq = (before.outbox_seq if before else 0) + skip_events
    head = VolumeHead(
        table_id=table_id,
        name=volume_name((today, 1) if today > day else (day, part + 1)),
        at_wall_ns=at_wall_ns,
        prev_volume=before.volume.name if before else "",
        prev_hash=before.chain_hash if before else b"",
        set_aside=set_aside,
        seal_n=(before.seal_n if before else 0) + skip_rows,
        input_n=(before.input_n if before else 0) + skip_rows,
        record_n=(before.record_n if before else 0) + skip_rows,
        outbox_seq=outbox_seq,
        acked_seq=before.acked_seq if before else outbox_seq,
    )
    volume = folder / head.name
    try:
        create_volume(volume, head)
    except (OSError, sqlite3.Error) as error:
        raise JournalError(
            f"{volume}: the journal volume cannot be made ({error}); free space on that disk or name another "
            "state folder."
        ) from None
    return tail_of_head(volume, head)


def _prove(volume: Path, table_id: str) -> tuple[VolumeHead, Tail, bool, str | None]:
    """Open the newest volume and prove its end. Returns its head and tail, whether the last stop was clean,
    and the boot id of the last run. Raises JournalError."""
    check_file(volume)
    with reading(volume):
        _roll_back(volume)
        with closing(connect_reader(volume)) as connection:
            head, seal = read_head(connection), last_seal(connection)
            if head is None or head.name != volume.name:
                raise damage(volume, NO_HEAD)
            if head.table_id != table_id:
                raise JournalError(
                    f"{volume}: the journal belongs to the table {head.table_id} and not to {table_id}; give "
                    f"each table a state folder of its own."
                )
            fault = schema_fault(connection)
            if fault is not None:
                raise damage(volume, fault)
            tail = proven_tail(volume, connection)
            was_clean = _ends_cleanly(connection, tail.record_n)
            if not was_clean and volume.stat().st_size <= WHOLE_CHECK_BYTES:
                _prove_structure(volume, connection)
            _prove_groups(volume, connection, head, tail)
        with closing(connect_writer(volume)) as connection:  # not before: a damaged file stays as it is
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    return head, tail, was_clean, None if seal is None else seal.boot_id


def _roll_back(volume: Path) -> None:
    """Undo a change of mode between log and plain file that a crash cut short: only a writer may do that."""
    if volume.with_name(volume.name + "-journal").exists():
        with closing(sqlite3.connect(volume, isolation_level=None, timeout=2.0)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()


def _ends_cleanly(connection: sqlite3.Connection, record_n: int) -> bool:
    row = connection.execute("SELECT kind FROM record WHERE n = ?", (record_n,)).fetchone()
    return row is not None and row[0] == CLEAN_STOP


def _prove_structure(volume: Path, connection: sqlite3.Connection) -> None:
    (answer,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if answer != "ok":
        raise damage(volume, f"is damaged ({answer.splitlines()[-1]})")


def _prove_groups(volume: Path, connection: sqlite3.Connection, head: VolumeHead, tail: Tail) -> None:
    (first_n,) = connection.execute("SELECT coalesce(min(n), 0) FROM seal").fetchone()
    seals = list(read_seals(connection, tail.seal_n - PROVEN_GROUPS - 1))
    has_no_raw = is_pruned(volume, connection)
    before: list[Tail | Seal] = [tail_of_head(volume, head)] if seals and seals[0].n == first_n else []
    for earlier, seal in zip([*before, *seals], seals if before else seals[1:], strict=False):
        fault = group_fault(connection, earlier, seal, has_no_raw)
        if fault is not None:
            raise damage(volume, fault)


def _newest_snapshot(volumes: list[Path]) -> tuple[tuple[int, bytes] | None, bool]:
    """The newest snapshot, and whether the newest volume holds one itself. Each volume begins with the newest
    snapshot before it, so that only a volume without any group sends us to the one before."""
    for path in (volumes[-1], *volumes[-2:-1]):
        try:
            with reading(path), closing(connect_reader(path)) as connection:
                snapshot = newest_snapshot(path, connection)
        except JournalError:
            if path == volumes[-1]:
                raise
            continue  # an older volume that cannot be read stops no table; `verify` names it
        if snapshot is not None:
            return snapshot, path == volumes[-1]
    return None, False
