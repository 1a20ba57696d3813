"""The journal as its callers see it: appends that never wait for the disk, and one thread that commits them.

    append_* ──► group (memory) ──► thread: one transaction, one seal ──► on_durable(position)

A record, an event owed or a snapshot is committed within `group_ms`; raw inputs on their own, on which
nothing rests yet, within `raw_ms`, which spares the flash card of a table whose readers only poll.
"""

import threading
from collections.abc import Callable
from pathlib import Path

from shoe_bridge.errors import JournalError
from shoe_bridge.journal import rows
from shoe_bridge.journal.committer import Committer
from shoe_bridge.journal.lock import FolderLock
from shoe_bridge.journal.queue import AppendQueue
from shoe_bridge.journal.reader import JournalReader
from shoe_bridge.journal.recover import recover
from shoe_bridge.journal.rows import OutboxRow, Position, Recovered
from shoe_bridge.journal.writer import VolumeWriter

_MIB = 2**20
_PARTS_OF_CAP = 8  # a day gets a further part at this share of the raw cap, so that one day cannot exceed it
_SMALLEST_PART = 64 * 2**10


class Journal(AppendQueue):
    """Made by `open`; then all appends come from one thread. `recovered` says what was found."""

    recovered: Recovered
    folder: Path
    _committer: Committer
    _thread: threading.Thread
    _lock: FolderLock

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        table: str,
        boot_id: str,
        now_wall_ns: Callable[[], int],
        on_durable: Callable[[Position], None] | None = None,
        on_trouble: Callable[[str | None], None] | None = None,
        group_ms: float = 20,
        raw_ms: float = 500,
        raw_cap_mib: float = 2048,
        memory_cap_mib: float = 64,
    ) -> "Journal":
        """Lock the folder (made if missing), recover it, start the thread.

        `on_durable(position)` and `on_trouble(sentence, or None when it is over)` are called on that thread.
        `raw_cap_mib` bounds the files that hold raw inputs; `memory_cap_mib` the inputs that wait while the
        disk cannot be written (beyond it the oldest are dropped and a record says so; nothing else is ever
        dropped). Raises JournalError: folder unwritable or in use, volume missing, damaged, not a journal, of
        another table or of a newer version.
        """
        folder = folder.absolute()
        lock = FolderLock(folder)
        try:
            found = recover(folder, lock, table, now_wall_ns())
            lock.note(found.tail.volume.name)
        except OSError as error:
            lock.release()
            raise JournalError(
                f"{folder}: the state folder cannot be used ({error.strerror}); free space on that disk, or "
                "name another one."
            ) from None
        except BaseException:
            lock.release()
            raise
        recovered = found.recovered
        journal = cls(recovered.position, recovered.acknowledged_seq, now_wall_ns, int(memory_cap_mib * _MIB))
        journal.folder, journal.recovered, journal._lock = folder, recovered, lock
        journal._note_start(table, boot_id, found.tail.volume.name)
        cap_bytes = int(raw_cap_mib * _MIB)
        part_bytes = max(cap_bytes // _PARTS_OF_CAP, _SMALLEST_PART)
        writer = VolumeWriter(
            found.tail, table_id=table, boot_id=boot_id, part_bytes=part_bytes, carry=found.carry
        )
        journal._committer = Committer(
            journal,
            writer,
            lock,
            max(cap_bytes - part_bytes, 0),
            group_ms / 1000,
            raw_ms / 1000,
            on_durable,
            on_trouble,
        )
        journal._thread = threading.Thread(target=journal._committer.run, name="journal", daemon=True)
        journal._thread.start()
        return journal

    def durable(self) -> Position:
        """What is committed: all rows up to these numbers survive a power cut."""
        return self._committer.durable

    def sync(self, timeout_s: float) -> bool:
        """Commit all that was appended so far without waiting for the group; returns whether it is on
        disk."""
        return self.flush(timeout_s)

    def read_outbox(self, after_seq: int, limit: int) -> list[OutboxRow]:
        """Committed events that the far side has not acknowledged, oldest first. Reads the disk: a few ms.
        Raises JournalError."""
        with JournalReader(self.folder) as reader:
            return reader.outbox(max(after_seq, self._acked_seq), limit)

    def close(self) -> None:
        """Commit the rest and the mark of a clean stop, leave one plain file, give up the folder.

        Raises JournalError when the disk did not take the rest, or a volume was removed while this journal
        wrote it and is not back; the folder is given up all the same.
        """
        if not self._thread.is_alive():
            return
        with self.turn:
            self.append_own(rows.CLEAN_STOP)
            self.is_closing = True
            self.turn.notify_all()
        self._thread.join()
        self._lock.release()
        lost = self._committer.lost
        if lost is not None:
            raise JournalError(lost)

    def _note_start(self, table: str, boot_id: str, volume: str) -> None:
        found = self.recovered
        if found.set_aside:
            self.append_own(rows.VOLUME_SET_ASIDE, volume=found.set_aside)
        elif not found.was_clean:
            self.append_own(rows.UNCLEAN_STOP, boot_id=found.boot_id)
        if found.missing:
            self.append_own(rows.VOLUME_MISSING, volume=found.missing)
        self.append_own(
            rows.OPENED, table=table, boot_id=boot_id, volume=volume, input=found.position.input_n
        )
