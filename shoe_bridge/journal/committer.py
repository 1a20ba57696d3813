"""The journal's thread: takes groups from the queue and puts them on disk, whatever the disk says."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from shoe_bridge.errors import JournalError
from shoe_bridge.journal import rows
from shoe_bridge.journal.faults import SIGNS_OF_DAMAGE
from shoe_bridge.journal.group import Group
from shoe_bridge.journal.lock import FolderLock
from shoe_bridge.journal.prune import prune, raw_range, volumes_to_prune
from shoe_bridge.journal.queue import AppendQueue
from shoe_bridge.journal.rows import Position
from shoe_bridge.journal.writer import VolumeGoneError, VolumeWriter

_FIRST_RETRY_S, _LAST_RETRY_S = 0.1, 5.0
_TRIES_AT_CLOSE = 3
_LOOK_S = 2.0  # between two looks whether the volume is still there, while nothing is written

_Said = TypeVar("_Said")


class Committer:
    """Runs until the queue closes. `durable` is what is committed; `lost` is set at the end if rows were
    not."""

    def __init__(
        self,
        queue: AppendQueue,
        writer: VolumeWriter,
        lock: FolderLock,
        raw_budget_bytes: int,
        group_s: float,
        raw_s: float,
        on_durable: Callable[[Position], None] | None,
        on_trouble: Callable[[str | None], None] | None,
    ) -> None:
        self.durable = Position(writer.tail.input_n, writer.tail.record_n, writer.tail.outbox_seq)
        self.lost: str | None = None
        self._queue = queue
        self._writer = writer
        self._lock = lock
        self._raw_budget_bytes = raw_budget_bytes
        self._group_s, self._raw_s = group_s, raw_s
        self._on_durable, self._on_trouble = on_durable, on_trouble
        self._trouble: str | None = None
        self._fix = _fix_of(None, writer.tail.volume)
        self._is_gone_noted = False
        self._prune_due: list[tuple[int, Path]] = []  # each after its record is committed

    def run(self) -> None:
        self._plan_pruning()
        while (group := self._queue.take(self._group_s, self._raw_s, _LOOK_S)) is not None:
            if group.is_empty:
                self._look()
                continue
            if not self._commit(group):
                break
            if not self._queue.is_closing:  # the mark of a clean stop is the last record
                self._prune()
        self._writer.finish()
        self.lost = self.lost or self._sentence_of_gone()

    def _look(self) -> None:
        """Nothing was written for a while: is the volume still there? A record of it goes the way of all
        rows."""
        if not self._writer.is_in_place():
            self._note_gone()

    def _note_gone(self) -> None:
        if not self._is_gone_noted:
            self._is_gone_noted = True
            self._queue.append_own(rows.VOLUME_GONE, volume=self._writer.tail.volume.name)

    def _commit(self, group: Group) -> bool:
        """Write one group, for as long as it takes; False when the journal closes and the disk still
        refuses."""
        at_wall_ns = self._queue.now_wall_ns()
        wait_s, tries_left = _FIRST_RETRY_S, _TRIES_AT_CLOSE
        while True:
            try:
                self._hold()
                has_rolled = self._writer.commit(group, at_wall_ns)
                break
            except VolumeGoneError as error:
                self._note_gone()
                self._report(error)
            except Exception as error:  # of any kind: rows wait, people are told, and it is tried again
                self._report(error)
            with self._queue.turn:
                if self._queue.is_closing:
                    tries_left -= 1
                if tries_left < 0:
                    self.lost = self._sentence_of_loss(group)
                    return False
                self._queue.turn.wait_for(lambda: self._queue.is_closing, wait_s)
            wait_s = min(wait_s * 2, _LAST_RETRY_S)
        self._done()
        if has_rolled:
            self._note_volume()
        if has_rolled and not self._queue.is_closing:
            self._plan_pruning()
        return True

    def _hold(self) -> None:
        """Who removed the volume may have removed the lock with it, and another bridge may have begun."""
        if not self._writer.tail.volume.parent.is_dir():
            raise VolumeGoneError("the state folder was removed while in use")
        self._lock.renew()

    def _note_volume(self) -> None:
        try:
            self._lock.note(self._writer.tail.volume.name)
        except OSError:
            pass  # the note lags by a volume; a start goes by the newest volume that it finds

    def _done(self) -> None:
        tail = self._writer.tail
        self._is_gone_noted = False
        with self._queue.turn:
            self.durable = Position(tail.input_n, tail.record_n, tail.outbox_seq)
            self._queue.committed_groups += 1
            self._queue.turn.notify_all()
        if self._trouble is not None:
            self._trouble = None
            self._call(self._on_trouble, None)
        self._call(self._on_durable, self.durable)

    def _report(self, error: Exception) -> None:
        """Say it once for each change of state, not once for each try."""
        what = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        if what == self._trouble:
            return
        self._trouble = what
        volume = self._writer.tail.volume
        self._fix = _fix_of(error, volume)
        sentence = (
            f"{volume}: the journal cannot be written ({what}); {self._fix}: the bridge keeps the rows in "
            "memory and goes on trying."
        )
        is_sentence = type(error) is JournalError  # of the lock
        self._call(self._on_trouble, what if is_sentence else sentence)

    def _sentence_of_loss(self, group: Group) -> str:
        rest = self._queue.group
        return (
            f"{self._writer.tail.volume}: the journal could not be written ({self._trouble}) and the bridge "
            f"ended with {len(group.records) + len(rest.records)} of its records and "
            f"{len(group.inputs) + len(rest.inputs)} of its raw inputs unwritten; "
            f"{self._fix} before the next start."
        )

    def _sentence_of_gone(self) -> str | None:
        """The journal goes on, and yet a part of it is missing."""
        gone = [path for path in self._writer.gone if not path.exists()]
        if not gone:
            return None
        return (
            f"{gone[0]}: the journal volume was removed while the bridge wrote it, and its rows are not held "
            "any more; put the file back."
        )

    def _call(self, callback: Callable[[_Said], None] | None, said: _Said) -> None:
        if callback is None:
            return
        try:
            callback(said)
        except Exception:  # a listener that fails must not stop the commits
            threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))

    def _plan_pruning(self) -> None:
        """Choose the volumes whose raw rows must go, and put it on record first."""
        newest = self._writer.tail.volume
        try:
            for path in volumes_to_prune(newest.parent, newest, self._raw_budget_bytes):
                if path in (due for _, due in self._prune_due):
                    continue
                first, last = raw_range(path)
                record_n = self._queue.append_own(rows.RAW_PRUNED, volume=path.name, first=first, last=last)
                self._prune_due.append((record_n, path))
        except (*SIGNS_OF_DAMAGE, OSError) as error:
            self._queue.append_own(rows.PRUNE_FAILED, why=str(error))

    def _prune(self) -> None:
        while self._prune_due and self._prune_due[0][0] <= self.durable.record_n:
            _, path = self._prune_due.pop(0)
            try:
                prune(path, self._queue.now_wall_ns())
            except (*SIGNS_OF_DAMAGE, OSError) as error:  # the next new volume tries it again
                self._queue.append_own(rows.PRUNE_FAILED, volume=path.name, why=str(error))


def _fix_of(error: Exception | None, volume: Path) -> str:
    if not isinstance(error, VolumeGoneError):
        return "free space on that disk or repair it"
    return "put it back" if volume.parent.is_dir() else f"put it back or make {volume.parent} again"
