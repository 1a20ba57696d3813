"""Puts simulated devices where a configuration expects the real ones: links at the configured port paths.

    /dev/shoe-bridge/reader-1 ──► FOLDER/reader-1 ──► /dev/pts/7

FOLDER is made for one simulation and held locked by it. A link into a folder that nobody holds any more is
what a killed simulation left behind, and is replaced; anything else at a path is never touched.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

from shoe_bridge.adapters.usb_names import is_usb
from shoe_bridge.errors import UsageError
from shoe_bridge.runtime.config import TableConfig

_PREFIX = "shoe-bridge-sim-"
_LOCK = ".lock"


def port_paths(config: TableConfig) -> dict[str, Path]:
    """The path at which each device and light of its own port is expected; a light on USB is left out, since
    no path is one. UsageError for a device on USB, and for a network port."""
    boxes = [(device.name, device.port) for device in config.devices]
    boxes += [(light.name, light.port) for light in config.lights if light.port and not is_usb(light.port)]
    for name, port in boxes:
        if not port.startswith("/"):
            raise UsageError(
                f"{name} is at {port}, and simulated devices are at paths only: give it a path in the "
                "configuration that is simulated."
            )
    return {name: Path(port) for name, port in boxes}


class SimPorts:
    """The links of one simulation. Used as a context: `folder` is where the ptys get their names; the links
    are made by `link`, and gone afterwards."""

    def __init__(self, paths: dict[str, Path]) -> None:
        self.paths = paths
        self._linked: list[Path] = []

    def __enter__(self) -> "SimPorts":
        self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock = os.open(self.folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        return self

    def __exit__(self, *_: object) -> None:
        for link in self._linked:
            with contextlib.suppress(OSError):
                if _folder_of(link) == self.folder:
                    link.unlink()
        os.close(self._lock)
        shutil.rmtree(self.folder, ignore_errors=True)

    def link(self) -> None:
        """Make all links, or none of them. UsageError (one sentence) where that cannot be."""
        for path in self.paths.values():
            _check_free(path)
        for name, path in self.paths.items():
            self._link(name, path)

    def _link(self, name: str, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_symlink():
                path.unlink()
            path.symlink_to(self.folder / name)
        except OSError as error:
            reason = (error.strerror or "no right to").lower()
            raise UsageError(
                f"{path} cannot be made for the simulated {name} ({reason}): give it a port in a folder that "
                "you may write."
            ) from None
        self._linked.append(path)


def _check_free(path: Path) -> None:
    if not path.is_symlink() and not path.exists():
        return
    folder = _folder_of(path)
    if folder is None:
        raise UsageError(
            f"{path} exists and is not of a simulation: unplug that device, or give the simulated one "
            "another port."
        )
    if _is_held(folder):
        raise UsageError(f"{path} belongs to a simulation that is running: stop that one first.")
    shutil.rmtree(folder, ignore_errors=True)


def _folder_of(path: Path) -> Path | None:
    """The simulation's folder that the link points into; None for anything that is no such link."""
    if not path.is_symlink():
        return None
    folder = Path(os.readlink(path)).parent
    is_ours = folder.name.startswith(_PREFIX) and folder.parent == Path(tempfile.gettempdir())
    return folder if is_ours else None


def _is_held(folder: Path) -> bool:
    """Whether a living simulation holds the folder. A folder that cannot be asked is taken for held."""
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False
