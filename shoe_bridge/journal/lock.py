"""One writer to a state folder: the lock, and the note of the volume that was begun last."""

import fcntl
import os
from pathlib import Path

from shoe_bridge.errors import JournalError
from shoe_bridge.journal.volumes import LOCK_NAME, volume_key


class FolderLock:
    """The exclusive lock on a state folder, and in it the name of the volume that was begun last."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOCK_NAME
        try:
            folder.mkdir(mode=0o750, parents=True, exist_ok=True)
        except OSError as error:
            raise _no_folder(folder, error) from None
        self._descriptor = self._take()

    def _take(self) -> int:
        folder = self._path.parent
        try:
            if self._path.exists() and not self._path.is_file():
                raise JournalError(
                    f"{self._path}: this is no file that can be locked; move it out of the way."
                )
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        except OSError as error:
            raise _no_folder(folder, error) from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise JournalError(
                f"{folder}: another shoe-bridge is writing to this state folder; stop it, or give this one a "
                "folder of its own."
            ) from None
        return descriptor

    def renew(self) -> None:
        """Lock the folder again if the lock file was removed with what lay beside it. Raises JournalError,
        OSError."""
        mine = os.fstat(self._descriptor)
        try:
            named = self._path.stat()
        except FileNotFoundError:
            named = None
        if named is None or (named.st_dev, named.st_ino) != (mine.st_dev, mine.st_ino):
            noted, descriptor = self.newest_volume(), self._take()
            os.close(self._descriptor)
            self._descriptor = descriptor
            if noted:
                self.note(noted)

    def newest_volume(self) -> str:
        """The name noted last, empty when none was."""
        name = os.pread(self._descriptor, 200, 0).decode("ascii", "replace").split("\n")[0]
        return name if volume_key(name) else ""

    def note(self, name: str) -> None:
        """Note the newest volume. One short write into the same block: a torn note reads as none."""
        if name != self.newest_volume():
            os.pwrite(self._descriptor, f"{name}\n".encode(), 0)
            os.fsync(self._descriptor)

    def release(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _no_folder(folder: Path, error: OSError) -> JournalError:
    """Why a state folder cannot be made or written, by what stands at its path."""
    if folder.is_dir() or not os.path.lexists(folder):
        why = f"cannot be written ({error.strerror}); name another one, or make it with "
        return JournalError(f"{folder}: the state folder {why}`sudo install -d -o $USER {folder}`.")
    if folder.is_symlink() and not folder.exists():
        where = f"a link that leads nowhere ({os.readlink(folder)})"
        return JournalError(f"{folder}: this is {where}; make that folder, or name a state folder.")
    what = "a file" if folder.is_file() else "a device or a pipe"
    return JournalError(f"{folder}: this is {what} and no folder; name a folder for the state.")
