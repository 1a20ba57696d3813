"""Reading a journal: also while a bridge writes it, after a crash, and from a medium that cannot be
written."""

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import msgspec

from shoe_bridge.errors import JournalError
from shoe_bridge.journal.chain import unpack_inputs
from shoe_bridge.journal.check import check_volumes
from shoe_bridge.journal.rows import InputRow, OutboxRow, Position, RecordRow, VolumeHead
from shoe_bridge.journal.schema import check_file, connect_reader, damage
from shoe_bridge.journal.tail import Tail, read_head, read_tail
from shoe_bridge.journal.volumes import volumes_of


class JournalReader:
    """A state folder, or one volume of it. Nothing is changed by reading.

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
        check_file(self.volumes[-1])

    def __enter__(self) -> "JournalReader":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def inputs(self, after_n: int = 0) -> Iterator[InputRow]:
        """Raw inputs in order, from the first that is still held."""
        for connection in self._each(self._from(lambda head: head.input_n, after_n)):
            packs = connection.execute(
                """SELECT input.rows, seal.boot_id FROM input JOIN seal ON seal.n = input.seal_n
                WHERE input.last_n > ? ORDER BY input.first_n""",
                (after_n,),
            )
            for packed, boot_id in packs:
                for n, kind, device, at_mono_ns, at_wall_ns, data in unpack_inputs(packed):
                    if n > after_n:
                        yield InputRow(n, kind, device, at_mono_ns, at_wall_ns, boot_id, data)

    def records(self, after_n: int = 0) -> Iterator[RecordRow]:
        """Audit records in order; those whose kind begins with `journal.` are the journal's own."""
        for connection in self._each(self._from(lambda head: head.record_n, after_n)):
            rows = connection.execute(
                """SELECT r.n, r.kind, r.at_mono_ns, r.at_wall_ns, seal.boot_id, r.input_n, r.body
                FROM record AS r JOIN seal ON seal.n = r.seal_n WHERE r.n > ? ORDER BY r.n""",
                (after_n,),
            )
            for row in rows:
                yield RecordRow(*row)

    def outbox(self, after_seq: int = 0, limit: int = -1) -> list[OutboxRow]:
        """Events that the far side has not acknowledged, oldest first, at most `limit` (-1: all)."""
        after_seq = max(after_seq, self.tail().acked_seq)
        owed: list[OutboxRow] = []
        for connection in self._each(self._from(lambda head: head.outbox_seq, after_seq)):
            rest = limit - len(owed) if limit >= 0 else -1
            rows = connection.execute(
                "SELECT seq, event_id, record_n, body FROM outbox WHERE seq > ? ORDER BY seq LIMIT ?",
                (after_seq, rest),
            )
            owed.extend(OutboxRow(*row) for row in rows)
            if len(owed) == limit:
                break
        return owed

    def latest_snapshot(self) -> tuple[int, bytes] | None:
        """(number of the record that it stands after, body) of the newest snapshot."""
        for volume in reversed(self.volumes):
            with self._reading(volume) as connection:
                row = connection.execute(
                    "SELECT record_n, body FROM snapshot ORDER BY seal_n DESC LIMIT 1"
                ).fetchone()
            if row is not None:
                return (row[0], row[1])
        return None

    def tail(self) -> Tail:
        """Where the newest volume stands."""
        volume = self.volumes[-1]
        with self._reading(volume) as connection:
            tail = read_tail(volume, connection)
        if tail is None:
            raise damage(volume, "has no head of its own, so that its place in the chain is unknown")
        return tail

    def position(self) -> Position:
        """The newest numbers committed."""
        tail = self.tail()
        return Position(tail.input_n, tail.record_n, tail.outbox_seq)

    def table_id(self) -> str:
        """The table that the journal belongs to."""
        with self._reading(self.volumes[-1]) as connection:
            head = read_head(connection)
        return "" if head is None else head.table_id

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

    def _each(self, volumes: list[Path]) -> Iterator[sqlite3.Connection]:
        for volume in volumes:
            with self._reading(volume) as connection:
                yield connection

    @contextmanager
    def _reading(self, volume: Path) -> Iterator[sqlite3.Connection]:
        check_file(volume)
        try:
            with open_volume(volume) as connection:
                yield connection
        except (sqlite3.DatabaseError, msgspec.DecodeError) as error:
            raise damage(volume, f"is damaged ({error})") from None


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
