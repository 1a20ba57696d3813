"""The writing end of one journal: groups into the newest volume, a new volume when the day or the part is
over.

Used by one thread at a time. After any error the connection is thrown away and the volume read back, because
only the disk knows whether a failed commit happened: a group whose seal is already there is not written
twice.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from shoe_bridge.errors import JournalError
from shoe_bridge.journal.chain import RawHash, audit_hash, chain_hash, pack_inputs
from shoe_bridge.journal.group import Group
from shoe_bridge.journal.rows import QueuedEvent, QueuedRecord, Seal, VolumeHead
from shoe_bridge.journal.schema import connect_writer, create_volume
from shoe_bridge.journal.tail import Tail, read_head, read_tail, tail_of_head, tail_of_seal
from shoe_bridge.journal.volumes import day_of, volume_key, volume_name

_PAGE_BYTES = 4096  # of every volume, as SQLite makes them
_STRIDES = (512, 64, 8, 1)  # rows per INSERT: few statements, few changes of the interpreter's lock


class ForeignTailError(JournalError):
    """The volume does not end where this writer left it."""


class VolumeGoneError(JournalError):
    """The volume is no longer where its path says: removed, moved away, or another file stands there."""


class VolumeWriter:
    """Appends groups. `tail` is what is committed; `part_bytes` the size at which a day gets a further
    part; `gone` are the volumes that were removed while they were written, and gone on without."""

    def __init__(
        self,
        tail: Tail,
        *,
        table_id: str,
        boot_id: str,
        part_bytes: int,
        carry: tuple[int, bytes] | None = None,
    ) -> None:
        """`carry`: the newest snapshot, when the volume of `tail` holds none yet."""
        self.tail = tail
        self._snapshot = carry  # the newest one, so that each volume holds the one that a start needs
        self._owes_snapshot = carry is not None
        self._table_id = table_id
        self._boot_id = boot_id
        self._part_bytes = part_bytes
        self.gone: list[Path] = []
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None  # device and inode of the open volume
        self._was_missed = False
        self._attempted: bytes | None = None  # the chain hash of a group that may or may not be committed

    def commit(self, group: Group, at_wall_ns: int) -> bool:
        """Write one group; returns whether a new volume was begun. Raises sqlite3.Error, OSError,
        ForeignTailError, VolumeGoneError; then call again with the same group."""
        try:
            connection, has_rolled = self._connected(at_wall_ns)
            if self._attempted == self.tail.chain_hash:
                self._attempted = None
                return has_rolled
            if self._is_over(connection, at_wall_ns):
                connection, has_rolled = self._roll(at_wall_ns), True
            self._write(connection, group, at_wall_ns)
        except BaseException:
            self._disconnect()
            raise
        self._attempted = None
        return has_rolled

    def is_in_place(self) -> bool:
        """Whether the open volume is still the file that its path names; True while none is open."""
        return self._connection is None or _identity_of(self.tail.volume) == self._identity

    def finish(self) -> None:
        """Fold the write-ahead log into the volume and leave one plain file behind, if readers allow it."""
        if self._connection is not None:
            _finish(self._connection)
            self._connection = None

    def _disconnect(self) -> None:
        if self._connection is not None:
            try:
                self._connection.close()
            except sqlite3.Error:
                pass  # a disk that refuses the commit may refuse the close; what counts is read back
            self._connection = None

    def _connected(self, at_wall_ns: int) -> tuple[sqlite3.Connection, bool]:
        """The connection to the newest volume, and whether that is a new one."""
        if self._connection is not None:
            self._demand_place()
            return self._connection, False
        if not self.tail.volume.exists():  # connecting would make an empty file of that name
            return self._go_on_without(at_wall_ns), True
        if self._identity not in (None, _identity_of(self.tail.volume)):
            # not even a good copy: SQLite would mix it with the log of the file that was there
            raise VolumeGoneError("another file stands in its place")
        self._was_missed = False
        connection = self._open(self.tail.volume)
        found = read_tail(self.tail.volume, connection)
        if found == self.tail:
            return connection, False
        if found is None or self._attempted is None or found.chain_hash != self._attempted:
            raise ForeignTailError("it does not end where this bridge left it")
        # The failed commit is in the log, yet its sync failed: copy it into the volume with a sync of its
        # own.
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.tail = found
        return connection, False

    def _open(self, volume: Path) -> sqlite3.Connection:
        connection = self._connection = connect_writer(volume)
        self._identity = _identity_of(volume)
        return connection

    def _demand_place(self) -> None:
        if not self.is_in_place():
            raise VolumeGoneError("it was removed or replaced while in use")

    def _go_on_without(self, at_wall_ns: int) -> sqlite3.Connection:
        """The volume is gone and its folder is there: a new volume, whose head says what it continues. Once
        more round before, so that it is said first and a file that is only being moved can come back."""
        volume = self.tail.volume
        if not self._was_missed:
            self._was_missed = True
            raise VolumeGoneError("it was removed or replaced while in use")
        connection = self._roll(at_wall_ns)
        self.gone.append(volume)
        self._was_missed = False
        return connection

    def _is_over(self, connection: sqlite3.Connection, at_wall_ns: int) -> bool:
        key = volume_key(self.tail.volume.name)
        if key is not None and day_of(at_wall_ns) > key[0]:
            return True
        (pages,) = connection.execute("PRAGMA page_count").fetchone()  # with those that are still in the log
        return bool(pages * _PAGE_BYTES > self._part_bytes)

    def _roll(self, at_wall_ns: int) -> sqlite3.Connection:
        """Begin the next volume, then finish the old one: at every moment one of them can be gone on from."""
        head = next_head(self.tail, self._table_id, at_wall_ns)
        volume = self.tail.volume.with_name(head.name)
        if volume.exists():  # made before an error struck; it is ours if it follows on our tail
            with closing(connect_writer(volume)) as connection:
                found = read_head(connection)
            if found is None or found.prev_hash != self.tail.chain_hash:
                raise ForeignTailError(f"a file {volume.name} that does not continue it is in the way")
            head = found
        else:
            create_volume(volume, head)
        self.finish()
        connection = self._open(volume)
        self.tail, self._owes_snapshot = tail_of_head(volume, head), True
        return connection

    def _write(self, connection: sqlite3.Connection, group: Group, at_wall_ns: int) -> None:
        tail, seal_n = self.tail, self.tail.seal_n + 1
        snapshot = group.snapshot or (self._snapshot if self._owes_snapshot else None)
        raw = RawHash()
        connection.execute("BEGIN IMMEDIATE")
        for first_n, last_n, packed in pack_inputs(group.inputs):
            connection.execute("INSERT INTO input VALUES (?,?,?,?)", (first_n, last_n, seal_n, packed))
            raw.take_pack(first_n, last_n, packed)
        if snapshot is not None:
            connection.execute("INSERT INTO snapshot VALUES (?,?,?)", (seal_n, *snapshot))
            raw.take_snapshot(*snapshot)
        _insert(connection, "record", group.records, seal_n)
        _insert(connection, "outbox", group.outbox, seal_n)
        seal = Seal(
            n=seal_n,
            boot_id=self._boot_id,
            at_wall_ns=at_wall_ns,
            input_n=group.inputs[-1][0] if group.inputs else tail.input_n,
            record_n=group.records[-1][0] if group.records else tail.record_n,
            outbox_seq=group.outbox[-1][0] if group.outbox else tail.outbox_seq,
            acked_seq=max(group.acked_seq, tail.acked_seq),
            raw_hash=raw.digest(),
            audit_hash=audit_hash(group.records, group.outbox),
            chain_hash=b"",
        )
        seal = msgspec.structs.replace(seal, chain_hash=chain_hash(tail.chain_hash, seal))
        connection.execute("INSERT INTO seal VALUES (?,?,?,?,?,?,?,?,?,?)", msgspec.structs.astuple(seal))
        self._attempted = seal.chain_hash
        connection.execute("COMMIT")
        self._demand_place()  # a commit into a file that has no name any more is none
        self.tail, self._owes_snapshot = tail_of_seal(tail.volume, seal), False
        self._snapshot = snapshot or self._snapshot


def _identity_of(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino)


def next_head(tail: Tail, table_id: str, at_wall_ns: int) -> VolumeHead:
    """The head of the volume after `tail`: today's first, or the next part of the day that is being written
    (the name never sorts before the volume that it continues, whatever the wall clock says)."""
    day, part = volume_key(tail.volume.name) or ("", 0)
    today = day_of(at_wall_ns)
    return VolumeHead(
        table_id=table_id,
        name=volume_name((today, 1) if today > day else (day, part + 1)),
        at_wall_ns=at_wall_ns,
        prev_volume=tail.volume.name,
        prev_hash=tail.chain_hash,
        set_aside="",
        seal_n=tail.seal_n,
        input_n=tail.input_n,
        record_n=tail.record_n,
        outbox_seq=tail.outbox_seq,
        acked_seq=tail.acked_seq,
    )


def _insert(
    connection: sqlite3.Connection, table: str, rows: list[QueuedRecord] | list[QueuedEvent], seal_n: int
) -> None:
    """Insert rows with many of them to a statement, each with the number of its seal behind it."""
    start = 0
    for stride in _STRIDES:
        while len(rows) - start >= stride:
            part = rows[start : start + stride]
            places = "(" + ",".join("?" * (len(part[0]) + 1)) + ")"
            values = [value for row in part for value in (*row, seal_n)]
            connection.execute(f"INSERT INTO {table} VALUES {','.join([places] * stride)}", values)
            start += stride


def _finish(connection: sqlite3.Connection) -> None:
    """Turn a volume into one plain file. A reader that still has it open keeps its log alive: that is no
    error, the next start or pruning finishes it."""
    try:
        connection.execute("PRAGMA busy_timeout=200")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.Error:
        pass
    finally:
        connection.close()
