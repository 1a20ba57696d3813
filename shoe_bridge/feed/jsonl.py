"""The embedded sink: one event a line, appended and synced to a file before it counts as acknowledged.

Nothing that stands in the file is ever overwritten. A line torn by a crash or a full disk is closed with a
newline, and the event follows whole on a line of its own: a reader passes over lines that are no JSON, and
drops repeats by `id`. When the file was moved away (rotation), the next event begins a new one.
"""

import os
from pathlib import Path

from shoe_bridge.errors import ConfigError


class JsonLinesSink:
    """Appends to `path`. `open` once, then `send`; all of it blocks for as long as the disk does."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = -1
        self._is_torn = False

    def open(self) -> None:
        """Open or make the file. Raises ConfigError: the folder is missing, the path is a folder, no
        permission; OSError for what may pass by itself (a full or failing disk)."""
        try:
            self._open()
        except (FileNotFoundError, NotADirectoryError):
            raise ConfigError(
                f"{self._path}: the folder of the feed's file does not exist; make it with "
                f"`mkdir -p {self._path.parent}` or change `path` under [feed]."
            ) from None
        except IsADirectoryError:
            raise ConfigError(
                f"{self._path}: the feed's file is a folder; name a file in it as `path` under [feed]."
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
        flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC
        try:
            self._descriptor = os.open(self._path, flags)
        except FileNotFoundError:
            self._descriptor = os.open(self._path, flags | os.O_CREAT, 0o640)
            _sync_folder(self._path.parent)
        size = os.fstat(self._descriptor).st_size
        self._is_torn = size > 0 and os.pread(self._descriptor, 1, size - 1) != b"\n"

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


def _sync_folder(folder: Path) -> None:
    """Make a new file's name survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
