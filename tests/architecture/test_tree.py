"""What a newcomer sees first: the visible top level is the fixed one, and every file is of it."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOP_LEVEL = {"pyproject.toml", "shoe_bridge", "protocol", "tests", "udev", "README.md", "LICENSE"}
BUILT = {"build", "dist", "PKG-INFO"}  # made by packaging, in a tree that is no checkout


def tracked() -> set[str]:
    """First parts of all files that belong to the project: those of git, or of the folder without git."""
    if not (ROOT / ".git").exists():
        return set(os.listdir(ROOT)) - BUILT
    # the tree may belong to another user than the one who runs the tests, as in a container
    command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {name.partition("/")[0] for name in listed.split("\0") if name}


def test_visible_top_level_is_the_fixed_one() -> None:
    assert {name for name in tracked() if not name.startswith(".")} == TOP_LEVEL


def test_every_room_says_what_it_is() -> None:
    """Each package's docstring is one line for those who look around."""
    rooms = [
        path for package in ("protocol", "shoe_bridge") for path in (ROOT / package).rglob("__init__.py")
    ]
    assert rooms
    silent = [
        str(room.relative_to(ROOT)) for room in rooms if not room.read_text().lstrip().startswith('"""')
    ]
    assert not silent
