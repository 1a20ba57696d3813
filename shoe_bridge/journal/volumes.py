"""Names of the journal's files, and how they sort: `journal-2026-07-01.sqlite`, then
`journal-2026-07-01.2.sqlite`.

A day's second part is begun when the first has its share of the cap. A volume under construction ends in
`.new`, one that a person has set aside ends in `.damaged`; neither is a volume.
"""

import re
from datetime import UTC, datetime
from pathlib import Path

DAMAGED, NEW = ".damaged", ".new"
LOCK_NAME = "journal.lock"
_NAME = re.compile(r"journal-(\d{4}-\d{2}-\d{2})(?:\.([1-9]\d*))?\.sqlite\Z")

VolumeKey = tuple[str, int]  # day, part


def volume_key(name: str) -> VolumeKey | None:
    """(day, part) of a volume's file name, None for any other name."""
    found = _NAME.match(name)
    return None if found is None else (found[1], int(found[2] or 1))


def volume_name(key: VolumeKey) -> str:
    day, part = key
    return f"journal-{day}.sqlite" if part == 1 else f"journal-{day}.{part}.sqlite"


def volumes_of(folder: Path) -> list[Path]:
    """The volumes in a folder, oldest first."""
    keys = [(key, path) for path in folder.iterdir() if (key := volume_key(path.name)) is not None]
    return [path for _, path in sorted(keys)]


def set_aside_of(folder: Path) -> list[str]:
    """Names of the volumes that a person has set aside as damaged (without the ending), oldest first."""
    names = [path.name.removesuffix(DAMAGED) for path in folder.glob(f"journal-*{DAMAGED}")]
    return sorted((name for name in names if volume_key(name)), key=lambda name: volume_key(name) or ("", 0))


def day_of(at_wall_ns: int) -> str:
    """The UTC day of a wall time; a clock that is out of all range counts as unset."""
    try:
        return datetime.fromtimestamp(at_wall_ns // 10**9, UTC).strftime("%Y-%m-%d")
    except (ValueError, OverflowError, OSError):
        return "1970-01-01"
