"""Names of volumes, and how they sort."""

from pathlib import Path

import pytest

from shoe_bridge.journal.volumes import day_of, set_aside_of, volume_key, volume_name, volumes_of


@pytest.mark.parametrize("key", [("2026-07-01", 1), ("2026-07-01", 2), ("2026-12-31", 117)])
def test_a_name_is_its_key(key: tuple[str, int]) -> None:
    assert volume_key(volume_name(key)) == key


@pytest.mark.parametrize(
    "name",
    [
        "journal.lock",
        "journal-2026-07-01.sqlite-wal",
        "journal-2026-07-01.sqlite.new",
        "journal-2026-07-01.sqlite.damaged",
        "journal-2026-07-01.0.sqlite",
        "journal-26-7-1.sqlite",
        "xjournal-2026-07-01.sqlite",
        "journal-2026-07-01.sqlite\n",
    ],
)
def test_other_files_are_no_volumes(name: str) -> None:
    assert volume_key(name) is None


def test_parts_sort_by_number(tmp_path: Path) -> None:
    keys = [("2026-06-30", 3), ("2026-07-01", 1), ("2026-07-01", 2), ("2026-07-01", 10), ("2026-07-02", 1)]
    for key in reversed(keys):
        (tmp_path / volume_name(key)).touch()
    (tmp_path / "notes.txt").touch()
    assert [volume_key(path.name) for path in volumes_of(tmp_path)] == keys


def test_set_aside_volumes_go_by_their_old_names(tmp_path: Path) -> None:
    for name in (
        "journal-2026-07-02.sqlite.damaged",
        "journal-2026-07-01.10.sqlite.damaged",
        "other.damaged",
    ):
        (tmp_path / name).touch()
    assert set_aside_of(tmp_path) == ["journal-2026-07-01.10.sqlite", "journal-2026-07-02.sqlite"]


@pytest.mark.parametrize(
    ("at_wall_ns", "day"),
    [
        (0, "1970-01-01"),
        (1_782_950_399 * 10**9 + 999_999_999, "2026-07-01"),
        (1_782_950_400 * 10**9, "2026-07-02"),
        (10**30, "1970-01-01"),
    ],
)
def test_the_day_is_that_of_utc(at_wall_ns: int, day: str) -> None:
    assert day_of(at_wall_ns) == day
