"""Progress of long work, on stderr and only where somebody looks at it."""

import os
import sys
import time
from pathlib import Path
from types import TracebackType

from shoe_bridge.errors import JournalError, UsageError
from shoe_bridge.journal import JournalReader
from shoe_bridge.journal.schema import APPLICATION_ID
from shoe_bridge.journal.volumes import volume_key

_EVERY_S = 0.2
_ID_AT = 68  # where an SQLite file says whose it is


def open_journal(path: Path) -> JournalReader:
    """The journal that the command line names. UsageError for a path that leads nowhere or to no journal,
    JournalError for a journal that is damaged."""
    if not path.exists():
        raise UsageError(f"{path} does not exist: name the state folder of a bridge, or a journal file in it")
    try:
        return JournalReader(path)
    except JournalError as error:
        if _is_journal(path):
            raise
        raise UsageError(str(error)) from None


def _is_journal(path: Path) -> bool:
    """Whether a path that cannot be read as a journal is one all the same, by its name or its header."""
    if path.is_dir():
        return not os.access(path, os.R_OK | os.X_OK)
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            start = file.read(_ID_AT + 4)
    except OSError:
        return True
    is_marked = start[_ID_AT:] == APPLICATION_ID.to_bytes(4, "big")
    return volume_key(path.name) is not None or is_marked


class Progress:
    """How far through a journal's inputs a verb has come: `verify 41 %`. Else silent."""

    def __init__(self, verb: str, reader: JournalReader) -> None:
        self._verb = verb
        self._is_shown = sys.stderr.isatty()
        self._total = reader.position().input_n if self._is_shown else 0
        self._next_s = time.monotonic() + _EVERY_S

    def __enter__(self) -> "Progress":
        return self

    def at(self, input_n: int) -> None:
        if not self._is_shown or time.monotonic() < self._next_s:
            return
        self._next_s = time.monotonic() + _EVERY_S
        percent = 100 * input_n // max(1, self._total)
        print(f"\r{self._verb} {percent} %", end="", file=sys.stderr, flush=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
