"""Where the lines of a capture go: a file, in which each line stands as soon as it happened, or stdout."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from shoe_bridge.errors import UsageError
from shoe_bridge.plain_file import write_fault

Put = Callable[[str], None]

_PRIVATE, _SHARED = 0o600, 0o666  # the second is narrowed by the umask


@contextlib.contextmanager
def opened(file: Path, *, is_private: bool = False) -> Iterator[Put]:
    """What writes one line to `file`, or to stdout for `-`; raises OSError where it cannot, at once and not
    when the file is closed. UsageError where the file cannot be opened. `is_private`: for this user alone."""
    if str(file) == "-":
        yield _put_to_stdout
        return
    # a private one is a new one: it has the mode that is asked for, and is no link to elsewhere
    way, mode = (os.O_EXCL, _PRIVATE) if is_private else (os.O_TRUNC, _SHARED)
    try:
        number = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | way, mode)
    except OSError as error:
        raise UsageError(f"{file} cannot be written {write_fault(error)}") from None
    try:
        yield lambda line: _put(number, line)
    finally:
        with contextlib.suppress(OSError):  # nothing is held back that could fail now
            os.close(number)


def _put(number: int, line: str) -> None:
    left = memoryview(f"{line}\n".encode())
    while left:
        left = left[os.write(number, left) :]


def _put_to_stdout(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
