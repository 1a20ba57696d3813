"""What a volume holds, and how it is opened.

| table | one row is | goes with raw data |
|---|---|---|
| `volume` | the head: whose it is, where the volume before ended | no |
| `input` | up to 4,096 inputs, MessagePack of `[n, kind, device, at_mono_ns, at_wall_ns, bytes]` | yes |
| `record` | one audit record, its body JSON | no |
| `outbox` | one event owed to the far side, as it is sent | no |
| `snapshot` | the state after record `record_n` | yes |
| `seal` | the end of a group, with its hashes | no |
| `pruned` | the note that this volume's raw rows were removed | no |

Raw inputs are packed because each row of its own costs two changes of the interpreter's lock: beside a busy
main thread that is milliseconds a row. Triggers refuse every change and removal of a row. `user_version` is
the version of this schema, `application_id` says that the file is ours.
"""

import os
import sqlite3
import stat
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

import msgspec

from shoe_bridge.errors import JournalError
from shoe_bridge.journal.faults import damage, unreadable
from shoe_bridge.journal.rows import VolumeHead

APPLICATION_ID = 0x53424A4C  # "SBJL"
SCHEMA_VERSION = 1
_MAGIC = b"SQLite format 3\0"
_LENGTH = struct.Struct(">H6xII60xI")  # from byte 16: page size, change counter, pages, for which change
_IDENTITY = struct.Struct(">i4xi")  # user_version at byte 60 of the header, application_id at 68

_TABLES = {
    "volume": "table_id TEXT, name TEXT, at_wall_ns INTEGER, prev_volume TEXT, prev_hash BLOB, "
    "set_aside TEXT, seal_n INTEGER, input_n INTEGER, record_n INTEGER, outbox_seq INTEGER, acked_seq "
    "INTEGER",
    "input": "first_n INTEGER PRIMARY KEY, last_n INTEGER, seal_n INTEGER, rows BLOB",
    "record": "n INTEGER PRIMARY KEY, kind TEXT, at_mono_ns INTEGER, at_wall_ns INTEGER, input_n INTEGER, "
    "body BLOB, seal_n INTEGER",
    "outbox": "seq INTEGER PRIMARY KEY, event_id TEXT, record_n INTEGER, body BLOB, seal_n INTEGER",
    "snapshot": "seal_n INTEGER PRIMARY KEY, record_n INTEGER, body BLOB",
    "seal": "n INTEGER PRIMARY KEY, boot_id TEXT, at_wall_ns INTEGER, input_n INTEGER, record_n INTEGER, "
    "outbox_seq INTEGER, acked_seq INTEGER, raw_hash BLOB, audit_hash BLOB, chain_hash BLOB",
    "pruned": "at_wall_ns INTEGER, first_input INTEGER, last_input INTEGER",
}
AUDIT_TABLES = ("volume", "record", "outbox", "seal")  # what pruning keeps


def connect_writer(path: Path) -> sqlite3.Connection:
    """The one writing connection of a volume: WAL, every commit synced. The thread of the journal uses it."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=2.0)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA journal_size_limit=8388608")
        connection.execute("PRAGMA trusted_schema=OFF")
    except BaseException:
        connection.close()
        raise
    return connection


def connect_reader(path: Path) -> sqlite3.Connection:
    """A connection that reads a volume and its write-ahead log and cannot write."""
    return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None, timeout=5.0)


def make_tables(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
    for table, columns in _TABLES.items():
        required = ", ".join(f"{column} NOT NULL" for column in columns.split(", "))
        connection.execute(f"CREATE TABLE {table} ({required}) STRICT")


def forbid_changes(connection: sqlite3.Connection) -> None:
    """Rows are only ever added: any other statement fails, whoever runs it."""
    for table in _TABLES:
        for verb in ("UPDATE", "DELETE"):
            connection.execute(
                f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, 'rows of a journal are only ever added'); END"
            )


@contextmanager
def building(path: Path) -> Iterator[sqlite3.Connection]:
    """Fill a new volume at `path` and give it its `.new`-less name in one step, or leave nothing changed."""
    unfinished = path.with_name(path.name + ".new")
    discard(unfinished)
    # Hole cards stand in it: not for everyone to read. Its log takes over the same permissions.
    os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o640))
    connection = sqlite3.connect(unfinished.as_uri(), isolation_level=None, uri=True)
    try:
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("BEGIN")
        make_tables(connection)
        yield connection
        forbid_changes(connection)
        connection.execute("COMMIT")
        connection.close()
        os.replace(unfinished, path)
    except BaseException:
        connection.close()
        discard(unfinished)
        raise
    sync_folder(path.parent)


def discard(path: Path) -> None:
    for ending in ("", "-journal", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def create_volume(path: Path, head: VolumeHead) -> None:
    """Make the volume that `head` opens. Raises OSError or sqlite3.Error; then no file of that name
    exists."""
    values = msgspec.structs.astuple(head)
    with building(path) as connection:
        connection.execute(f"INSERT INTO volume VALUES ({','.join('?' * len(values))})", values)


def sync_folder(folder: Path) -> None:
    """Make a new name in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@cache
def _expected_schema() -> frozenset[tuple[str, str, str, str]]:
    """Type, name, table and text of all that `sqlite_schema` names in a volume."""
    with closing(sqlite3.connect(":memory:")) as connection:
        make_tables(connection)
        forbid_changes(connection)
        return frozenset(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"))


def schema_fault(connection: sqlite3.Connection) -> str | None:
    """What is wrong with the tables and triggers of a volume, as the end of a sentence; None when they are as
    they were made. A changed name of a column or verb of a trigger harms no row, and yet no row is safe."""
    held = frozenset(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"))
    differing = sorted({str(row[1]) for row in held ^ _expected_schema()})
    return (
        f"has tables or triggers that are not as they were made ({', '.join(differing)})"
        if differing
        else None
    )


def check_file(path: Path) -> None:
    """Refuse what is no volume of ours, or of a newer version, before SQLite touches it: SQLite would fill an
    empty file afresh and change a foreign one. Raises JournalError."""
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise damage(path, f"is {'a folder' if stat.S_ISDIR(mode) else 'a device or a pipe'} and no file")
        with path.open("rb") as file:
            start = file.read(100)
    except (FileNotFoundError, NotADirectoryError):
        raise JournalError(f"{path}: there is no such journal volume; check the path.") from None
    except OSError as error:
        raise unreadable(path, error) from None
    if not start:
        raise damage(path, "is empty")
    if not start.startswith(_MAGIC):
        raise damage(path, "is not a journal (it does not begin as an SQLite file does)")
    if len(start) < 100:
        raise damage(path, "is cut off within its header")
    version, application_id = _IDENTITY.unpack_from(start, 60)
    if application_id != APPLICATION_ID:
        raise damage(path, "is an SQLite file but not a journal")
    if version > SCHEMA_VERSION:
        raise JournalError(
            f"{path}: the journal volume has schema version {version} and this shoe-bridge knows versions up "
            f"to {SCHEMA_VERSION}; install the newer shoe-bridge that wrote it."
        )
    if version < 1:
        raise damage(path, f"has the impossible schema version {version}")
    _check_length(path, start)


def _check_length(path: Path, start: bytes) -> None:
    """Refuse a file that is shorter than its header says, unless a log beside it may hold the rest."""
    try:
        if path.with_name(path.name + "-wal").stat().st_size:
            return
    except FileNotFoundError:
        pass  # no log: the file must be whole by itself
    page_bytes, changes, pages, pages_as_of = _LENGTH.unpack_from(start, 16)
    size, stated = path.stat().st_size, pages * (65536 if page_bytes == 1 else page_bytes)
    if changes == pages_as_of and size < stated:
        raise damage(path, f"is cut off at {size} of {stated} bytes")
