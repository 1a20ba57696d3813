"""Progress of long work, on stderr and only where somebody looks at it."""

import sys
import time
from pathlib import Path
from types import TracebackType

from shoe_bridge.errors import UsageError
from shoe_bridge.journal import JournalReader

_EVERY_S = 0.2


def open_journal(path: Path) -> JournalReader:
    """The journal that the command line names; a path that leads nowhere is bad usage, not a bad journal."""
    if not path.exists():
        raise UsageError(f"{path} does not exist: name the state folder of a bridge, or a journal file in it")
    return JournalReader(path)


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
