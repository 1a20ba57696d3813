"""What the system answers when a file is written, as a phrase with the fix, and files that are read whole."""

import errno
import stat
from pathlib import Path

from shoe_bridge.errors import UsageError

MOST_BYTES = 4 * 1024 * 1024  # of a file that a person wrote; more is another file, or one without an end
_FULL = (errno.ENOSPC, errno.EDQUOT)
_KINDS = (
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a disk"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)


class NotPlainError(UsageError):
    """Why a file is not one that is read whole, as a phrase: `it is a pipe`."""


def read_plain(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """All of a regular file of at most so many bytes. NotPlainError where it is another thing or is longer,
    OSError (IsADirectoryError for a folder) where it cannot be read."""
    mode = path.stat().st_mode
    for is_kind, what in _KINDS:
        if is_kind(mode):
            raise NotPlainError(f"it is {what}")
    return read_bounded(path, most_bytes)


def read_bounded(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """All that the file, pipe or device gives. NotPlainError where that is more than so many bytes, OSError
    where it cannot be read."""
    with path.open("rb") as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise NotPlainError(f"it has more than {most_bytes // 1_048_576} MB")
    return data


def write_fault(error: OSError) -> str:
    """The system's reason in brackets and what to do about it: `(no space left on device): free some space
    on that disk`."""
    reason = (error.strerror or "unwritable").lower()
    if is_full(error):
        return f"({reason}): free some space on that disk"
    if error.errno == errno.EFBIG:
        return f"({reason}): raise the limit on the size of files, `ulimit -f`"
    return f"({reason}): choose a folder you may write"


def is_full(error: OSError) -> bool:
    """Whether the disk, or what of it this user may have, is used up."""
    return error.errno in _FULL
