"""Reading a journal: also while a bridge writes it, after a crash, and from a medium that cannot be
written."""

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import TracebackType

import msgspec

from shoe_bridge.errors import JournalError
from shoe_bridge.journal.chain import unpack_inputs
from shoe_bridge.journal.check import check_volumes
from shoe_bridge.journal.faults import damage, reading
from shoe_bridge.journal.proven import (
    NO_HEAD,
    audit_groups,
    is_pruned,
    newest_snapshot,
    proven_tail,
    raw_groups,
)
from shoe_bridge.journal.rows import (
    INPUTS_DROPPED,
    RAW_PRUNED,
    InputRow,
    LostInputs,
    OutboxRow,
    Position,
    RecordRow,
    VolumeHead,
)
from shoe_bridge.journal.schema import check_file, connect_reader
from shoe_bridge.journal.tail import Tail, read_head
from shoe_bridge.journal.volumes import volumes_of


class JournalReader:
    """A state folder, or one volume of it. Nothing is changed by reading.

    Rows come out only as they were sealed: each group's hash is compared before its first row is given.
    Raises JournalError: nothing there, not a journal, damaged where it was read. Use as a context manager, or
    not: nothing stays open between calls, except during an iteration.
    """

    def __init__(self, path: Path) -> None:
        path = path.absolute()
        self.is_folder = path.is_dir()
        self.folder = path if self.is_folder else path.parent
        try:
            self.volumes = volumes_of(path) if self.is_folder else [path]
        except OSError as error:
            raise JournalError(
                f"{path}: the state folder cannot be read ({error.strerror}); give this user the right to "
                f"read it, for example with `sudo chmod a+rx {path}`."
            ) from None
        if not self.volumes:
            raise JournalError(
                f"{path}: there is no journal in this folder; name the state folder of a bridge."
            )
        if not self.is_folder:
            check_file(path)

    def __enter__(self) -> "JournalReader":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def inputs(self, after_n: int = 0) -> Iterator[InputRow]:
        """Raw inputs in order, from the first that is still held."""
        for volume in self._from(lambda head: head.input_n, after_n):
            with self._reading(volume) as connection:
                if is_pruned(volume, connection):
                    continue
                for seal, packs in raw_groups(volume, connection, after_n):
                    for _, _, packed in packs:
                        for n, kind, device, at_mono_ns, at_wall_ns, data in unpack_inputs(packed):
                            if n > after_n:
                                yield InputRow(n, kind, device, at_mono_ns, at_wall_ns, seal.boot_id, data)

    def records(self, after_n: int = 0) -> Iterator[RecordRow]:
        """Audit records in order; those whose kind begins with `journal.` are the journal's own."""
        for volume in self._from(lambda head: head.record_n, after_n):
            with self._reading(volume) as connection:
                for seal, records, _ in audit_groups(volume, connection, "record", after_n):
                    for n, kind, at_mono_ns, at_wall_ns, input_n, body in records:
                        if n > after_n:
                            yield RecordRow(n, kind, at_mono_ns, at_wall_ns, seal.boot_id, input_n, body)

    def outbox(self, after_seq: int = 0, limit: int = -1) -> list[OutboxRow]:
        """Events that the far side has not acknowledged, oldest first, at most `limit` (-1: all)."""
        after_seq = max(after_seq, self.tail().acked_seq)
        owed = self._outbox_rows(after_seq)
        return list(owed if limit < 0 else islice(owed, limit))

    def latest_snapshot(self) -> tuple[int, bytes] | None:
        """(number of the record that it stands after, body) of the newest snapshot."""
        for volume in reversed(self.volumes):
            with self._reading(volume) as connection:
                snapshot = newest_snapshot(volume, connection)
            if snapshot is not None:
                return snapshot
        return None

    def lost_inputs(self) -> list[tuple[int, int, str]]:
        """The raw inputs that are gone for a reason on record: (first number, last number, kind of the
        record: `journal.raw_pruned` or `journal.inputs_dropped`), by number. What they led to cannot be
        replayed any more; that is no fault."""
        held = self._unpruned() if self.is_folder else set()
        lost: list[tuple[int, int, str]] = []
        for volume in self.volumes:
            with self._reading(volume) as connection:
                rows = connection.execute(
                    "SELECT kind, body FROM record WHERE kind IN (?, ?)", (INPUTS_DROPPED, RAW_PRUNED)
                )
                for kind, body in rows:
                    gone = msgspec.json.decode(body, type=LostInputs)
                    if gone.first > 0 and gone.volume not in held:
                        lost.append((gone.first, gone.last, kind))
        return sorted(lost)

    def tail(self) -> Tail:
        """Where the newest volume stands."""
        with self._reading(self.volumes[-1]) as connection:
            return proven_tail(self.volumes[-1], connection)

    def position(self) -> Position:
        """The newest numbers committed."""
        tail = self.tail()
        return Position(tail.input_n, tail.record_n, tail.outbox_seq)

    def table_id(self) -> str:
        """The table that the journal belongs to."""
        volume = self.volumes[-1]
        with self._reading(volume) as connection:
            head = read_head(connection)
            if head is None:
                raise damage(volume, NO_HEAD)
        return head.table_id

    def check(self, progress: Callable[[Path], None] | None = None) -> list[str]:
        """All that is wrong, each in one sentence: structure, numbers, the chain of seals, missing volumes.
        Reads everything; `progress` is told each volume as it is begun. An unclean stop is not a fault."""
        return check_volumes(self.volumes, self.folder if self.is_folder else None, open_volume, progress)

    def _from(self, before: Callable[[VolumeHead], int], after_n: int) -> list[Path]:
        """The volumes that can hold rows after a number; `before` says what a head knows of the rows before
        it."""
        if after_n <= 0:
            return self.volumes
        for index in range(len(self.volumes) - 1, 0, -1):
            with self._reading(self.volumes[index]) as connection:
                head = read_head(connection)
            if head is not None and before(head) <= after_n:
                return self.volumes[index:]
        return self.volumes

    def _outbox_rows(self, after_seq: int) -> Iterator[OutboxRow]:
        for volume in self._from(lambda head: head.outbox_seq, after_seq):
            with self._reading(volume) as connection:
                for _, _, outbox in audit_groups(volume, connection, "outbox", after_seq):
                    for row in outbox:
                        if row[0] > after_seq:
                            yield OutboxRow(*row)

    def _unpruned(self) -> set[str]:
        """Names of the volumes that still hold their raw inputs: a record may precede a pruning that
        failed."""
        names: set[str] = set()
        for volume in self.volumes:
            with self._reading(volume) as connection:
                if not is_pruned(volume, connection):
                    names.add(volume.name)
        return names

    @contextmanager
    def _reading(self, volume: Path) -> Iterator[sqlite3.Connection]:
        check_file(volume)
        with reading(volume), open_volume(volume) as connection:
            yield connection


@contextmanager
def open_volume(volume: Path) -> Iterator[sqlite3.Connection]:
    """A connection that cannot write. Where SQLite may not make the files that it reads a write-ahead log
    with (a read-only medium, another user's folder), a copy is read. Raises sqlite3.Error."""
    connection = connect_reader(volume)
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema")
    except sqlite3.OperationalError as error:
        connection.close()
        if not getattr(error, "sqlite_errorname", "").startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")):
            raise
        with copied_volume(volume) as copy:
            yield copy
        return
    except BaseException:
        connection.close()
        raise
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def copied_volume(volume: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a temporary copy of the volume and its logs."""
    with tempfile.TemporaryDirectory(prefix="shoe-bridge-") as folder:
        for ending in ("", "-wal", "-journal"):
            path = volume.with_name(volume.name + ending)
            if path.exists():
                shutil.copyfile(path, Path(folder, path.name))
        connection = sqlite3.connect(Path(folder, volume.name), isolation_level=None)
        try:
            connection.execute("PRAGMA query_only=ON")
            yield connection
        finally:
            connection.close()
