"""Replaces a file whole: a power cut leaves the old one or the new one, never half of one."""

import contextlib
import os
from pathlib import Path

from shoe_bridge.errors import UsageError
from shoe_bridge.plain_file import write_fault


def replace_file(path: Path, text: str) -> None:
    """Put `text` in the place of the file at `path`, with the mode that it had. UsageError where that cannot
    be; the old file is then untouched."""
    target = path.resolve()  # a link stays a link
    beside = target.with_name(f".{target.name}.new")
    try:
        with beside.open("w", encoding="utf-8", newline="") as file:
            if target.exists():
                os.chmod(beside, target.stat().st_mode & 0o7777)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise UsageError(f"{path} cannot be written {write_fault(error)}") from None
