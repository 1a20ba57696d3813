"""The embedded sink: one event a line, appended and synced to a file before it counts as acknowledged.

Nothing that stands in the file is ever overwritten. A line torn by a crash or a full disk is closed with a
newline, and the event follows whole on a line of its own: a reader passes over lines that are no JSON, and
drops repeats by `id`. When the file was moved away (rotation), the next event begins a new one.

A file holds one gap-free numbering. Where it ends with events that this journal has not given out (the
journal was lost, or an older copy was put back), it is moved aside and a new file begins.
"""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import msgspec

from shoe_bridge.errors import ConfigError

_TAIL_BYTES = 1 << 20  # of the file's end are searched for its last event


class _Numbered(msgspec.Struct):
    """What tells an event's place in its feed."""

    source: str
    seq: int


class JsonLinesSink:
    """Appends to `path`. `open` once, then `send`; all of it blocks for as long as the disk does.

    `source` and `next_seq` say whose events come and which number the journal gives out next; without them
    the file is taken as it is. `on_moved` is told, in one sentence, when the file was moved aside: in `open`,
    or in the first `send` after an `open` that failed.
    """

    def __init__(
        self,
        path: Path,
        *,
        source: str = "",
        next_seq: int = 0,
        on_moved: Callable[[str], None] | None = None,
    ) -> None:
        self._path = path
        self._source, self._next_seq = source, next_seq
        self._on_moved = on_moved
        self._is_matched = not source  # whether the file was held against the journal's numbering
        self._descriptor = -1
        self._is_torn = False

    def open(self) -> None:
        """Open or make the file. Raises ConfigError: the folder is missing, the path is no file, a link leads
        nowhere, no permission; OSError for what may pass by itself (a full or failing disk)."""
        fault = _fault_of(self._path)
        if fault is not None:
            raise ConfigError(f"{self._path}: {fault}.")
        try:
            self._open()
        except (FileNotFoundError, NotADirectoryError):
            raise ConfigError(
                f"{self._path}: the folder of the feed's file does not exist; make it with "
                f"`mkdir -p {self._path.parent}` or change `path` under [feed]."
            ) from None
        except PermissionError:
            raise ConfigError(
                f"{self._path}: the feed's file may not be written; give it to this user with "
                f"`sudo chown $USER {self._path.parent}` or change `path` under [feed]."
            ) from None

    def send(self, events: list[bytes]) -> int:
        """Append and sync; returns the count of all events given. Raises OSError, and then none counts: some
        may stand in the file and will stand there again."""
        if not self._is_current():
            self.close()
            self._open()
        lines = b"".join(event + b"\n" for event in events)
        if self._is_torn:
            lines = b"\n" + lines
        self._is_torn = True  # until all of it is there
        rest = memoryview(lines)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
        self._is_torn = False
        os.fsync(self._descriptor)
        return len(events)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _open(self) -> None:
        if not self._is_matched:
            self._match_numbers()
            self._is_matched = True
        flags = (
            os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK
        )  # a pipe with no reader must not hold us
        try:
            self._descriptor = os.open(self._path, flags)
        except FileNotFoundError:
            self._descriptor = os.open(self._path, flags | os.O_CREAT, 0o640)
            _sync_folder(self._path.resolve().parent)
        size = os.fstat(self._descriptor).st_size
        self._is_torn = size > 0 and os.pread(self._descriptor, 1, size - 1) != b"\n"

    def _match_numbers(self) -> None:
        """Move the file aside when its last event of our source has a number that is not given out yet."""
        last_seq = _last_seq(self._path, self._source)
        if last_seq is None or last_seq < self._next_seq:
            return
        aside = _move_aside(self._path.resolve(), last_seq)
        if self._on_moved is not None:
            self._on_moved(
                f"{self._path}: the feed's file ended with event {last_seq} of {self._source} and the "
                f"journal goes on with event {self._next_seq}, so that file is now {aside} and a new one "
                "begins; let consumers begin anew with it."
            )

    def _is_current(self) -> bool:
        """Whether the open file is still the one that the path names."""
        if self._descriptor < 0:
            return False
        mine = os.fstat(self._descriptor)
        try:
            named = self._path.stat()
        except FileNotFoundError:
            return False
        return (mine.st_dev, mine.st_ino) == (named.st_dev, named.st_ino)


def _fault_of(path: Path) -> str | None:
    """What stands at the feed's path and can never be its file, with the fix; None when nothing does."""
    change = "or change `path` under [feed]"
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if path.is_symlink() and not path.resolve().parent.is_dir():
            target = path.resolve()
            return f"the feed's file is a link that leads nowhere; make {target.parent} {change}"
        return None
    except OSError as error:
        if not isinstance(error, PermissionError) and path.is_symlink():
            return f"the feed's file is a link that leads nowhere; remove it {change}"
        return None
    if stat.S_ISDIR(mode):
        return "the feed's file is a folder; name a file in it as `path` under [feed]"
    if not stat.S_ISREG(mode):
        return (
            "the feed's file is a device or a pipe, which keeps nothing; name a file as `path` under [feed]"
        )
    return None


def _last_seq(path: Path, source: str) -> int | None:
    """The number of the last event of `source` in a file; None when it has none near its end."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL_BYTES))
            lines = file.read(_TAIL_BYTES).split(b"\n")
    except FileNotFoundError:
        return None
    for line in reversed(lines):
        try:
            event = msgspec.json.decode(line, type=_Numbered)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            continue  # a torn line, or a text of another kind
        if event.source == source:
            return event.seq
    return None


def _move_aside(path: Path, last_seq: int) -> Path:
    """Give the file a name that says where it ends, never one that is taken. Raises OSError."""
    copy = 1
    while True:
        aside = path.with_name(f"{path.name}.until-{last_seq}" + (f".{copy}" if copy > 1 else ""))
        try:
            os.close(os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o640))
            break
        except FileExistsError:
            copy += 1
    try:
        os.replace(path, aside)  # over the empty file that holds the name for us
    except OSError:
        aside.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)
    return aside


def _sync_folder(folder: Path) -> None:
    """Make a new file's name survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
