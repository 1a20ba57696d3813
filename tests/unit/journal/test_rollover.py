"""A volume a day, further parts by size, and raw data that goes while the audit stays."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shoe_bridge.journal import Journal, JournalReader, writer
from shoe_bridge.journal.prune import is_pruned
from shoe_bridge.journal.schema import connect_writer

Opener = Callable[..., Journal]
DAY_NS = 86_400 * 10**9


def test_midnight_begins_a_volume_and_loses_nothing(open_journal: Opener, state: Path, wall: Any) -> None:
    journal = open_journal()
    for day in range(3):
        for n in range(10):
            journal.append_input("chunk", "r", n, b"x")
            journal.append_outbox(f"id-{day}-{n}", b"{}")
        if day == 0:
            journal.save_snapshot(b"first day")
        assert journal.sync(5)
        wall.ns += DAY_NS
    journal.acknowledge_outbox(15)
    journal.close()
    reader = JournalReader(state)
    assert [path.name for path in reader.volumes] == [f"journal-2026-07-0{n}.sqlite" for n in (1, 2, 3, 4)]
    assert [row.n for row in reader.inputs()] == list(range(1, 31))
    assert [row.seq for row in reader.outbox()] == list(range(16, 31))
    assert reader.check() == []
    assert not list(state.glob("*-wal"))
    assert JournalReader(reader.volumes[-1]).latest_snapshot() == (1, b"first day")
    assert (state / "journal.lock").read_text() == "journal-2026-07-04.sqlite\n"


def test_a_day_that_outgrows_its_share_gets_parts(open_journal: Opener, state: Path) -> None:
    fill(open_journal(raw_cap_mib=64), 3)
    assert len(JournalReader(state).volumes) == 1
    fill(open_journal(raw_cap_mib=1), 12)
    names = [path.name for path in JournalReader(state).volumes]
    assert names[:3] == [
        "journal-2026-07-01.sqlite",
        "journal-2026-07-01.2.sqlite",
        "journal-2026-07-01.3.sqlite",
    ]
    assert JournalReader(state).check() == []


def fill(journal: Journal, groups: int) -> None:
    for group in range(groups):
        with journal.together:
            for n in range(40):
                journal.append_input("chunk", "r", n, bytes([group]) * 2000)
            journal.append_record("event", group, b'{"group":%d}' % group)
            journal.save_snapshot(b"after %d" % group)
        assert journal.sync(5)
    journal.close()


def test_beyond_the_cap_the_oldest_raw_rows_go_and_no_record(open_journal: Opener, state: Path) -> None:
    fill(open_journal(raw_cap_mib=1), 40)
    reader = JournalReader(state)
    assert reader.check() == []
    pruned = [path for path in reader.volumes if is_pruned(path)]
    assert pruned
    assert pruned == reader.volumes[: len(pruned)]
    held = sum(path.stat().st_size for path in reader.volumes if path not in pruned)
    assert held < 1.2 * 2**20
    records = list(reader.records())
    assert [row.n for row in records] == list(range(1, len(records) + 1))
    assert [row.body for row in records if row.kind == "event"] == [
        b'{"group":%d}' % group for group in range(40)
    ]
    assert [row.kind for row in records].count("journal.raw_pruned") == len(pruned)
    numbers = [row.n for row in reader.inputs()]
    assert numbers == list(range(numbers[0], 1601))
    assert reader.latest_snapshot() is not None
    open_journal(raw_cap_mib=1).close()
    assert reader.check() == []


def test_raw_rows_that_are_gone_without_a_record_are_a_fault(open_journal: Opener, state: Path) -> None:
    fill(open_journal(raw_cap_mib=64), 2)
    volume = JournalReader(state).volumes[0]
    connection = sqlite3.connect(volume, isolation_level=None)
    for table in ("input", "snapshot"):
        name = f"{table}_no_delete"
        (sql,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (name,)).fetchone()
        connection.execute(f"DROP TRIGGER {name}")
        connection.execute(f"DELETE FROM {table}")
        connection.execute(sql)
    connection.execute("INSERT INTO pruned VALUES (1, 1, 80)")
    connection.close()
    (fault,) = JournalReader(state).check()
    assert "no record says that they were pruned" in fault


def test_a_reader_that_holds_a_volume_puts_its_pruning_off(open_journal: Opener, state: Path) -> None:
    fill(open_journal(raw_cap_mib=64), 6)
    volume = JournalReader(state).volumes[0]
    reading = connect_writer(volume)
    reading.execute("BEGIN")
    reading.execute("SELECT count(*) FROM record").fetchone()
    fill(open_journal(raw_cap_mib=0.3), 6)
    assert not is_pruned(volume)
    assert "journal.prune_failed" in [row.kind for row in JournalReader(state).records()]
    reading.close()
    journal = open_journal(raw_cap_mib=0.3)
    assert journal.sync(5)
    journal.append_record("event", 1, b"{}")
    assert journal.sync(5)
    journal.close()
    assert is_pruned(volume)
    assert JournalReader(state).check() == []


@pytest.fixture
def failing_after(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Makes the next step named in the list fail once while a volume is begun."""
    names: list[str] = []

    def once(name: str) -> None:
        real = getattr(writer, name)

        def step(*args: object) -> object:
            result = real(*args) if name == "create_volume" else None
            if name in names:
                names.remove(name)
                raise sqlite3.OperationalError("disk I/O error")
            return result if name == "create_volume" else real(*args)

        monkeypatch.setattr(writer, name, step)

    once("create_volume")
    once("connect_writer")
    return names


@pytest.mark.parametrize("step", ["create_volume", "connect_writer"])
def test_an_error_while_a_volume_is_begun_neither_loses_nor_doubles(
    open_journal: Opener, state: Path, wall: Any, failing_after: list[str], step: str
) -> None:
    said: list[str | None] = []
    journal = open_journal(on_trouble=said.append)
    assert journal.sync(5)
    wall.ns += DAY_NS
    failing_after.append(step)
    for n in range(5):
        journal.append_record("event", n, b"{}")
    assert journal.sync(5)
    journal.close()
    assert len(JournalReader(state).volumes) == 2
    assert [row.kind for row in JournalReader(state).records()].count("event") == 5
    assert JournalReader(state).check() == []
    assert [sentence is None for sentence in said] == [False, True]
