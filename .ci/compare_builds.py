"""Holds two builds against each other: from the same reads both must say the same, to the last digit of each
probability. Call: compare_builds.py INTERPRETED COMPILED, two `shoe-bridge` commands.
"""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HANDS = "20"
SCENARIOS = sorted((Path(__file__).parent.parent / "tests" / "scenarios").rglob("*.toml"))
MACHINES_OWN = ("build", "p50_us", "p99_us", "p99_erring_us")


def said(command: str) -> list[dict[str, Any]]:
    """What the build says of the scenarios and of hands of each reader at each level."""
    told = ""
    for words in (
        ["bench", "deal", "--hands", HANDS, "--bytes", "1", "--json", "--misses"],
        ["scenario", "--json", *map(str, SCENARIOS)],
    ):
        done = subprocess.run([command, *words], check=False, capture_output=True, text=True)
        if done.returncode not in (0, 1):  # 1: scenarios that need an extra
            raise SystemExit(f"{command} {words[0]} ended with {done.returncode}: {done.stderr}")
        told += done.stdout
    return [json.loads(line) for line in told.splitlines()]


def main(commands: list[str]) -> int:
    with ThreadPoolExecutor() as pool:
        interpreted, compiled = pool.map(said, commands)
    builds = [{line["build"] for line in lines if "build" in line} for lines in (interpreted, compiled)]
    if builds != [{"interpreted"}, {"compiled"}]:
        print(f"an interpreted and a compiled build are asked for, these are {builds}", file=sys.stderr)
        return 1
    for line in [*interpreted, *compiled]:
        for name in MACHINES_OWN:
            line.pop(name, None)
    if interpreted != compiled:
        differing = [pair for pair in zip(interpreted, compiled, strict=False) if pair[0] != pair[1]]
        print(f"the compiled build says otherwise, first in {differing[:1]}", file=sys.stderr)
        return 1
    print(f"interpreted and compiled say the same in {len(compiled)} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
