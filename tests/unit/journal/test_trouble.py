"""A disk that cannot be written: said once, nothing raised, rows kept in order, written when it recovers."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from shoe_bridge.errors import JournalError
from shoe_bridge.journal import Journal, JournalReader, committer
from shoe_bridge.journal.writer import VolumeWriter

Opener = Callable[..., Journal]


class Disk:
    """Stands between the writer and its volume: refuses while `error` is set."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.tries = 0


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    disk = Disk()
    write = VolumeWriter._write

    def refusing(self: VolumeWriter, *args: Any) -> None:
        if disk.error is not None:
            disk.tries += 1
            raise disk.error
        write(self, *args)

    monkeypatch.setattr(VolumeWriter, "_write", refusing)
    monkeypatch.setattr(committer, "_FIRST_RETRY_S", 0.005)
    monkeypatch.setattr(committer, "_LAST_RETRY_S", 0.01)
    yield disk
    disk.error = None


def wait_for(condition: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.002)


def test_it_is_said_once_and_once_more_when_it_is_over(open_journal: Opener, state: Path, disk: Disk) -> None:
    said: list[str | None] = []
    journal = open_journal(on_trouble=said.append)
    assert journal.sync(5)
    disk.error = sqlite3.OperationalError("database or disk is full")
    for n in range(50):
        journal.append_input("chunk", "r", n, b"x")
        journal.append_record("event", n, b"{}")
    wait_for(lambda: disk.tries > 5)
    assert not journal.sync(0.01)
    disk.error = OSError(5, "Input/output error")
    wait_for(lambda: len(said) == 2)
    disk.error = None
    assert journal.sync(5)
    assert len(said) == 3
    assert said[0] is not None
    assert "journal-2026-07-01.sqlite: the journal cannot be written (database or disk is full)" in said[0]
    assert said[1] is not None
    assert "(Input/output error)" in said[1]
    assert said[2] is None
    journal.close()
    assert [row.n for row in JournalReader(state).inputs()] == list(range(1, 51))
    assert JournalReader(state).check() == []


def test_beyond_the_cap_inputs_go_oldest_first_and_it_is_on_record(
    open_journal: Opener, state: Path, disk: Disk
) -> None:
    journal = open_journal(memory_cap_mib=0.05)
    assert journal.sync(5)
    disk.error = sqlite3.OperationalError("disk I/O error")
    journal.append_record("event", 0, b"{}")
    wait_for(lambda: disk.tries > 0)
    for n in range(1000):
        journal.append_input("chunk", "r", n, bytes(100))
        journal.append_record("event", n, b"{}")
        journal.append_outbox(f"id-{n}", b"{}")
    assert journal.group.held_bytes <= 0.05 * 2**20
    disk.error = None
    assert journal.sync(5)
    journal.close()
    reader = JournalReader(state)
    numbers = [row.n for row in reader.inputs()]
    assert numbers == list(range(numbers[0], 1001))
    assert 0 < len(numbers) < 300
    records = list(reader.records())
    assert [row.n for row in records] == list(range(1, len(records) + 1))
    assert [row.kind for row in records].count("event") == 1001
    assert [row.seq for row in reader.outbox()] == list(range(1, 1001))
    dropped = [row for row in records if row.kind == "journal.inputs_dropped"]
    assert dropped[0].body.startswith(b'{"first":1,')
    assert reader.check() == []


def test_inputs_that_are_missing_without_a_record_are_a_fault(open_journal: Opener, state: Path) -> None:
    journal = open_journal()
    journal.append_input("chunk", "r", 1, b"x")
    journal._input_n += 3
    journal.append_input("chunk", "r", 1, b"x")
    journal.close()
    (fault,) = JournalReader(state).check()
    assert "lacks the raw inputs 2 to 4 and no record says why" in fault


def test_closing_on_a_dead_disk_says_what_is_lost_and_gives_the_folder_up(
    open_journal: Opener, state: Path, disk: Disk
) -> None:
    journal = open_journal()
    assert journal.sync(5)
    disk.error = sqlite3.OperationalError("disk I/O error")
    for n in range(7):
        journal.append_input("chunk", "r", n, b"x")
    journal.append_record("event", 1, b"{}")
    with pytest.raises(JournalError) as caught:
        journal.close()
    assert "2 records and 7 raw inputs unwritten" in str(caught.value)
    disk.error = None
    assert not open_journal().recovered.was_clean


class Doubtful:
    """A connection whose next commit happens and yet reports an error, as a failed sync may."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._is_armed = True

    def execute(self, statement: str, *values: Any) -> Any:
        answer = self._connection.execute(statement, *values)
        if statement == "COMMIT" and self._is_armed:
            self._is_armed = False
            raise sqlite3.OperationalError("disk I/O error")
        return answer

    def close(self) -> None:
        self._connection.close()


def test_a_commit_that_happened_although_it_failed_is_not_written_twice(
    open_journal: Opener, state: Path
) -> None:
    said: list[str | None] = []
    journal = open_journal(on_trouble=said.append)
    assert journal.sync(5)
    writer: Any = journal._committer._writer
    writer._connection = Doubtful(writer._connection)
    journal.append_record("event", 1, b"{}")
    assert journal.sync(5)
    assert len(said) == 2
    assert journal.durable().record_n == 2
    journal.append_record("event", 2, b"{}")
    journal.close()
    assert [row.kind for row in JournalReader(state).records()].count("event") == 2
    assert JournalReader(state).check() == []


def test_a_volume_that_another_hand_added_to_is_not_written_on(open_journal: Opener, state: Path) -> None:
    said: list[str | None] = []
    journal = open_journal(on_trouble=said.append)
    assert journal.sync(5)
    writer = journal._committer._writer
    intruder = VolumeWriter(writer.tail, table_id="holdem-07", boot_id="x", part_bytes=2**30)
    intruder.commit(type(journal.group)(), 1)
    intruder.finish()
    writer._disconnect()
    journal.append_record("event", 1, b"{}")
    wait_for(lambda: len(said) == 1)
    assert said[0] is not None
    assert "it does not end where this bridge left it" in said[0]
    with pytest.raises(JournalError, match="unwritten"):
        journal.close()


def test_a_volume_removed_while_in_use_is_said_and_never_made_afresh(
    open_journal: Opener, state: Path
) -> None:
    said: list[str | None] = []
    journal = open_journal(on_trouble=said.append)
    assert journal.sync(5)
    journal._committer._writer._disconnect()
    (volume,) = JournalReader(state).volumes
    volume.rename(state / "elsewhere")
    journal.append_record("event", 1, b"{}")
    wait_for(lambda: len(said) == 1)
    assert not volume.exists()
    (state / "elsewhere").rename(volume)
    assert journal.sync(10)
    assert said[1] is None
    journal.close()
    assert JournalReader(state).check() == []
