"""The whole proof of a journal: every volume, every number, every seal; each fault one sentence with the
fix."""

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

import msgspec

from shoe_bridge.errors import JournalError
from shoe_bridge.journal.chain import unpack_inputs
from shoe_bridge.journal.faults import SIGNS_OF_DAMAGE, fault_of, reading
from shoe_bridge.journal.proven import NO_HEAD, is_pruned
from shoe_bridge.journal.rows import INPUTS_DROPPED, RAW_PRUNED, LostInputs, VolumeHead
from shoe_bridge.journal.schema import check_file, schema_fault
from shoe_bridge.journal.tail import (
    Tail,
    group_fault,
    read_head,
    read_seals,
    tail_of_head,
    tail_of_seal,
)
from shoe_bridge.journal.volumes import LOCK_NAME, volume_key

_FAULTS_PER_VOLUME = 5  # a volume with more is not read better by naming them all
_FROM_COPY = "keep the file as it is for whoever investigates, and take the rows from a good copy"

Opener = Callable[[Path], AbstractContextManager[sqlite3.Connection]]
Range = tuple[int, int]  # first and last number
_Seen = TypeVar("_Seen")


class _Check:
    """What one pass over the volumes gathers."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.gaps: list[tuple[Path, Range]] = []
        self.dropped: list[Range] = []
        self.pruned: list[Path] = []
        self.noted_pruned: set[str] = set()

    def volume(
        self, path: Path, connection: sqlite3.Connection, before: Tail | None, is_first: bool
    ) -> Tail | None:
        """Check one volume after the one before (None: it could not be read, or there is none). Each part is
        looked at, whatever the parts before it were like."""
        self._try(path, lambda: self._structure(path, connection))
        head = self._try(path, lambda: read_head(connection))
        if head is None:
            self._say(path, NO_HEAD)
            return None
        self._try(path, lambda: self._head(path, head, before, is_first))
        has_no_raw = self._try(path, lambda: is_pruned(path, connection)) or False
        tail = self._try(path, lambda: self._seals(path, connection, head, has_no_raw))
        if tail is not None:
            self._try(path, lambda: self._numbers(path, connection, head, tail))
            self._try(path, lambda: self._owners(path, connection, head))
        self._try(path, lambda: self._own_records(connection))
        if has_no_raw:
            self.pruned.append(path)
        else:
            self._try(path, lambda: self._inputs(path, connection, head.input_n))
        return tail

    def _try(self, path: Path, look: Callable[[], _Seen]) -> _Seen | None:
        """What was seen, or None and a fault where that cannot be read."""
        try:
            return look()
        except (*SIGNS_OF_DAMAGE, OSError) as error:
            fault = str(fault_of(path, error))
            if fault not in self.faults:
                self.faults.append(fault)
            return None

    def _structure(self, path: Path, connection: sqlite3.Connection) -> None:
        fault = schema_fault(connection)
        if fault is not None:
            self._say(path, fault)
        (answer,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if answer != "ok":
            self._say(path, f"is damaged ({answer.splitlines()[-1]})")

    def finish(self) -> None:
        for path, gap in self.gaps:
            if not _is_covered(gap, self.dropped):
                self._say(path, f"lacks the raw inputs {gap[0]} to {gap[1]} and no record says why")
        for path in self.pruned:
            if path.name not in self.noted_pruned:
                self._say(path, "lost its raw inputs and no record says that they were pruned")

    def _say(self, path: Path, what: str) -> None:
        self.faults.append(f"{path}: the journal volume {what}; {_FROM_COPY}.")

    def _head(self, path: Path, head: VolumeHead, before: Tail | None, is_first: bool) -> None:
        if head.name != path.name:
            self._say(path, f"was written under the name {head.name}")
        if head.set_aside:
            self._say(
                path,
                f"follows {head.set_aside}, which was set aside as damaged, so that its rows are not held",
            )
        if before is None:
            if head.prev_volume and is_first:
                self._say(path, f"continues {head.prev_volume}, which is missing")
            return
        if head.prev_volume != before.volume.name:
            self._say(
                path,
                f"continues {head.prev_volume or 'nothing'} and not {before.volume.name}: one is missing",
            )
        elif head.prev_hash != before.chain_hash or not (head.set_aside or _follows(head, before)):
            self._say(path, f"does not continue {before.volume.name} from where that ends")

    def _seals(self, path: Path, connection: sqlite3.Connection, head: VolumeHead, is_pruned: bool) -> Tail:
        tail, found = tail_of_head(path, head), 0
        for seal in read_seals(connection):
            fault = group_fault(connection, tail, seal, is_pruned)
            if fault is not None and found < _FAULTS_PER_VOLUME:
                found += 1
                self._say(path, fault)
            tail = tail_of_seal(path, seal)
        return tail

    def _numbers(self, path: Path, connection: sqlite3.Connection, head: VolumeHead, tail: Tail) -> None:
        for table, number, first, last in (
            ("record", "n", head.record_n, tail.record_n),
            ("outbox", "seq", head.outbox_seq, tail.outbox_seq),
            ("seal", "n", head.seal_n, tail.seal_n),
        ):
            count, lowest, highest = connection.execute(
                f"SELECT count(*), coalesce(min({number}), 0), coalesce(max({number}), 0) FROM {table}"
            ).fetchone()
            expected = (last - first, first + 1, last) if last > first else (0, 0, 0)
            if (count, lowest, highest) != expected:
                self._say(
                    path,
                    f"should hold {table} rows {first + 1} to {last} and holds {count}, {lowest} to "
                    f"{highest}",
                )
        (stray,) = connection.execute(
            "SELECT count(*) FROM input WHERE first_n <= ? OR last_n > ?", (head.input_n, tail.input_n)
        ).fetchone()
        if stray:
            self._say(path, "holds raw inputs that no seal covers")

    def _owners(self, path: Path, connection: sqlite3.Connection, head: VolumeHead) -> None:
        """Each row names the seal that covers it; the hashes cover the rows and not that name."""
        for table, number, place in (
            ("input", "last_n", "input_n"),
            ("record", "n", "record_n"),
            ("outbox", "seq", "outbox_seq"),
        ):
            (stray,) = connection.execute(
                f"""SELECT count(*) FROM {table} AS r LEFT JOIN seal ON seal.n = r.seal_n
                LEFT JOIN seal AS before ON before.n = r.seal_n - 1
                WHERE seal.n IS NULL OR r.{number} > seal.{place} OR r.{number} <= coalesce(before.{place}, ?)
                """,
                (getattr(head, place),),
            ).fetchone()
            if stray:
                self._say(path, f"holds {stray} {table} rows under a seal that does not cover them")
        (stray,) = connection.execute(
            "SELECT count(*) FROM snapshot WHERE seal_n NOT IN (SELECT n FROM seal)"
        ).fetchone()
        if stray:
            self._say(path, "holds a snapshot that no seal covers")

    def _own_records(self, connection: sqlite3.Connection) -> None:
        for (body,) in connection.execute("SELECT body FROM record WHERE kind = ?", (INPUTS_DROPPED,)):
            dropped = msgspec.json.decode(body, type=LostInputs)
            self.dropped.append((dropped.first, dropped.last))
        for (body,) in connection.execute("SELECT body FROM record WHERE kind = ?", (RAW_PRUNED,)):
            self.noted_pruned.add(msgspec.json.decode(body, type=LostInputs).volume)

    def _inputs(self, path: Path, connection: sqlite3.Connection, before_n: int) -> None:
        for (packed,) in connection.execute("SELECT rows FROM input ORDER BY first_n"):
            for n, *_ in unpack_inputs(packed):
                if n > before_n + 1:
                    self.gaps.append((path, (before_n + 1, n - 1)))
                before_n = n


def check_volumes(
    volumes: list[Path], folder: Path | None, opened: Opener, progress: Callable[[Path], None] | None
) -> list[str]:
    """Check volumes in order. `folder` is None where a volume is checked by itself, without its
    neighbours."""
    check, before = _Check(), None
    for index, path in enumerate(volumes):
        if progress is not None:
            progress(path)
        is_first = index == 0 and folder is not None
        try:
            check_file(path)
            with reading(path), opened(path) as connection:
                connection.execute("BEGIN")  # one view of a volume that may be growing
                before = check.volume(path, connection, before, is_first)
        except JournalError as error:
            check.faults.append(str(error))
            before = None
    check.finish()
    if folder is not None:
        check.faults.extend(_missing_newest(folder, volumes[-1]))
    return check.faults


def _missing_newest(folder: Path, newest: Path) -> list[str]:
    """The lock file names the volume that was begun last."""
    try:
        noted = (folder / LOCK_NAME).read_text("ascii", "replace").split("\n")[0]
    except OSError:
        return []
    key = volume_key(noted)
    if key is None or key <= (volume_key(newest.name) or ("", 0)) or (folder / noted).exists():
        return []  # it exists where a running bridge has begun it just now
    return [f"{folder / noted}: the journal volume that was written last is missing; put it back."]


def _follows(head: VolumeHead, before: Tail) -> bool:
    """Whether a volume begins with the numbers that the one before it ends with."""
    numbers = (head.seal_n, head.input_n, head.record_n, head.outbox_seq, head.acked_seq)
    return numbers == (before.seal_n, before.input_n, before.record_n, before.outbox_seq, before.acked_seq)


def _is_covered(gap: Range, dropped: list[Range]) -> bool:
    """Whether the dropped ranges together hold the whole gap."""
    next_n = gap[0]
    for first, last in sorted(dropped):
        if first <= next_n <= last:
            next_n = last + 1
    return next_n > gap[1]
