"""Holds a built wheel against the tree: everything that belongs in it is there, and nothing else."""

import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def expected() -> set[str]:
    """Paths inside the wheel of all files of the two packages; the udev folder as shared data."""
    files = [
        path
        for package in ("shoe_bridge", "protocol")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    return {path.relative_to(ROOT).as_posix() for path in files}


def main(wheel: Path) -> int:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    shared = {name for name in names if ".data/data/share/shoe-bridge/udev/" in name}
    packaged = {name for name in names - shared if ".dist-info/" not in name}
    machine_code = {name for name in packaged if name.endswith(".so")}
    packaged -= machine_code
    problems = [f"{name} is missing in the wheel" for name in sorted(expected() - packaged)]
    problems += [f"{name} does not belong in the wheel" for name in sorted(packaged - expected())]
    rules = {path.name for path in (ROOT / "udev").iterdir()}
    problems += [
        f"udev/{name} is missing in the wheel" for name in sorted(rules - {Path(n).name for n in shared})
    ]
    problems += [
        f"no file of {folder} is in the wheel"
        for folder in ("protocol/spec/", "protocol/vectors/")
        if not any(name.startswith(folder) for name in packaged)
    ]
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        counts = f"{len(packaged)} files of the packages, {len(machine_code)} compiled, {len(shared)} of udev"
        print(f"{wheel.name}: {counts}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
