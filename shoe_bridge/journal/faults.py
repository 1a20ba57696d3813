"""Damage has many faces; people get one sentence with the way out, whatever SQLite or a decoder said."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from shoe_bridge.errors import JournalError
from shoe_bridge.journal.volumes import DAMAGED, volume_key

# What code that reads a volume may meet when a page, a row or a value is not what it was.
SIGNS_OF_DAMAGE = (
    JournalError,
    sqlite3.Error,
    msgspec.MsgspecError,
    ValueError,  # text that is no UTF-8 among them
    TypeError,
    ArithmeticError,
    LookupError,
    MemoryError,  # a length that was changed
    RecursionError,
)
_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")
_REFUSED = ("SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_FULL", "SQLITE_AUTH")


def damage(path: Path, what: str) -> JournalError:
    """The sentence for a volume that cannot be trusted, with the way to go on without losing it."""
    if volume_key(path.name) is None:  # of whatever file was named: no bridge will look for it
        return JournalError(
            f"{path} {what}; name the state folder of a bridge, or a good copy of one of its "
            "journal-YYYY-MM-DD.sqlite files."
        )
    return JournalError(
        f"{path}: the journal volume {what}; put a good copy of it back, or go on without it by renaming it "
        f"with `mv {path} {path}{DAMAGED}`."
    )


def unreadable(path: Path, error: OSError) -> JournalError:
    """The sentence for a file that the system does not let us read."""
    return JournalError(
        f"{path}: the journal volume cannot be read ({error.strerror or error}); give this user the right to "
        f"read it, for example with `sudo chmod a+r {path}`."
    )


def fault_of(path: Path, error: BaseException) -> JournalError:
    """The sentence for what reading a volume raised."""
    if isinstance(error, JournalError):
        return error
    if isinstance(error, OSError):
        return unreadable(path, error)
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(_BUSY):
        return JournalError(
            f"{path}: another program holds the journal volume locked; close it and try again."
        )
    if name.startswith(_REFUSED):
        return JournalError(
            f"{path}: the journal volume cannot be opened ({error}); give this user the right to it, free "
            "space on that disk, or repair it."
        )
    return damage(path, f"is damaged ({_one_line(error)})")


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Whatever shows inside that the volume is damaged, or cannot be read, leaves as JournalError."""
    try:
        yield
    except (*SIGNS_OF_DAMAGE, OSError) as error:
        raise fault_of(path, error) from None


def _one_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
