"""Raw data goes, audit records stay: the oldest volumes are made again without their raw rows.

A volume is pruned by building a new file with everything but the inputs and snapshots, and giving it the old
one's name in one step; the file that held the raw rows is thereby removed. Each seal hashes its raw part and
its audit part apart, so the chain of a pruned volume still proves its records. A `journal.raw_pruned` record
is committed first: raw rows that are gone without one are a fault that `JournalReader.check` names.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from shoe_bridge.journal import proven
from shoe_bridge.journal.faults import SIGNS_OF_DAMAGE
from shoe_bridge.journal.schema import AUDIT_TABLES, building, connect_reader
from shoe_bridge.journal.volumes import volumes_of


def volumes_to_prune(folder: Path, newest: Path, cap_bytes: int) -> list[Path]:
    """The oldest volumes whose raw rows must go so that those before `newest` fit into `cap_bytes` together.
    One that is damaged stays as it is. Raises OSError."""
    unpruned = [path for path in volumes_of(folder) if path != newest and _may_be_pruned(path)]
    sizes = [path.stat().st_size for path in unpruned]
    excess, chosen = sum(sizes) - cap_bytes, []
    for path, size in zip(unpruned, sizes, strict=True):
        if excess <= 0:
            break
        chosen.append(path)
        excess -= size
    return chosen


def _may_be_pruned(path: Path) -> bool:
    try:
        return not is_pruned(path)
    except SIGNS_OF_DAMAGE:
        return False


def is_pruned(path: Path) -> bool:
    with closing(connect_reader(path)) as connection:
        return proven.is_pruned(path, connection)


def raw_range(path: Path) -> tuple[int, int]:
    """First and last number of the raw inputs in a volume, (0, 0) if it holds none."""
    with closing(connect_reader(path)) as connection:
        row = connection.execute(
            "SELECT coalesce(min(first_n), 0), coalesce(max(last_n), 0) FROM input"
        ).fetchone()
        return (row[0], row[1])


def prune(path: Path, at_wall_ns: int) -> None:
    """Remove the raw rows of a finished volume. Raises sqlite3.Error, OSError; then nothing has changed."""
    if is_pruned(path):
        return
    first_input, last_input = raw_range(path)
    _settle(path)
    with building(path) as connection:
        connection.execute("COMMIT")
        connection.execute("ATTACH ? AS old", (f"{path.as_uri()}?mode=ro",))
        connection.execute("BEGIN")
        for table in AUDIT_TABLES:
            connection.execute(f"INSERT INTO {table} SELECT * FROM old.{table}")
        connection.execute("INSERT INTO pruned VALUES (?,?,?)", (at_wall_ns, first_input, last_input))


def _settle(path: Path) -> None:
    """Make sure that no write-ahead log of the old file stays behind: beside the new file it would be
    foreign."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=2.0)) as connection:
        (mode,) = connection.execute("PRAGMA journal_mode=DELETE").fetchone()
    if mode != "delete":
        raise sqlite3.OperationalError("a reader holds its log open")
