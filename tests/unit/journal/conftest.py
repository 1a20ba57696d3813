"""A journal in a temporary folder, on a wall clock that the test sets."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from shoe_bridge.errors import JournalError
from shoe_bridge.journal import Journal

DAY_NS = 86_400 * 10**9
NOON_NS = 1_782_907_200 * 10**9  # 2026-07-01 12:00 UTC


class Wall:
    """A wall clock that moves only when told."""

    def __init__(self) -> None:
        self.ns = NOON_NS

    def __call__(self) -> int:
        return self.ns


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def open_journal(tmp_path: Path, wall: Wall) -> Iterator[Callable[..., Journal]]:
    """Opens journals in `tmp_path / "state"`; those that a test leaves open are closed after it."""
    opened: list[Journal] = []

    def opener(folder: Path = tmp_path / "state", **changes: Any) -> Journal:
        settings: dict[str, Any] = {"table": "holdem-07", "boot_id": "boot-a", "now_wall_ns": wall}
        journal = Journal.open(folder, **(settings | {"group_ms": 2, "raw_ms": 10} | changes))
        opened.append(journal)
        return journal

    yield opener
    for journal in opened:
        with suppress(JournalError):
            journal.close()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"
