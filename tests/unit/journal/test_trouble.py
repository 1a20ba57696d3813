"""A disk that cannot be written: said once, nothing raised, rows kept in order, written when it recovers."""

import shutil
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
    assert "2 of its records and 7 of its raw inputs unwritten" in str(caught.value)
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


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(committer, "_LOOK_S", 0.005)
    monkeypatch.setattr(committer, "_FIRST_RETRY_S", 0.005)
    monkeypatch.setattr(committer, "_LAST_RETRY_S", 0.01)


def kinds_in(state: Path) -> list[str]:
    return [row.kind for row in JournalReader(state).records()]


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("is_busy", [True, False], ids=["while rows come", "while nothing is written"])
def test_a_volume_removed_is_noticed_and_the_journal_goes_on_in_a_new_one(
    open_journal: Opener, state: Path, is_busy: bool
) -> None:
    said: list[str | None] = []
    journal = open_journal(on_trouble=said.append)
    journal.append_record("event", 1, b"{}")
    journal.append_outbox("id-1", b"{}")
    journal.save_snapshot(b"state")
    assert journal.sync(5)
    (volume,) = JournalReader(state).volumes
    for path in state.iterdir():
        path.unlink()  # the lock with it
    if is_busy:
        journal.append_record("event", 2, b"{}")
    wait_for(lambda: len(said) == 2)
    assert said[0] is not None
    assert (
        f"{volume}: the journal cannot be written (it was removed or replaced while in use); put it"
        in said[0]
    )
    assert said[1] is None
    journal.append_outbox("id-2", b"{}")
    with pytest.raises(JournalError, match="another shoe-bridge is writing"):
        open_journal()
    with pytest.raises(JournalError, match=r"was removed while the bridge wrote it.* put the file back"):
        journal.close()
    reader = JournalReader(state)
    assert [path.name for path in reader.volumes] == ["journal-2026-07-01.2.sqlite"]
    assert kinds_in(state).count("journal.volume_gone") == 1
    assert next(row.n for row in reader.records()) == 3  # the next number, none twice
    assert [row.seq for row in reader.outbox()] == [2]
    assert reader.latest_snapshot() == (2, b"state")
    (fault,) = reader.check()
    assert f"continues {volume.name}, which is missing" in fault
    later = open_journal()
    assert later.recovered.missing == volume.name
    later.close()


@pytest.mark.usefixtures("soon")
def test_a_state_folder_removed_is_waited_for_with_all_rows_kept(open_journal: Opener, state: Path) -> None:
    said: list[str | None] = []
    journal = open_journal(on_trouble=said.append)
    assert journal.sync(5)
    state.rename(state.with_name("elsewhere"))
    wait_for(lambda: len(said) == 1)
    assert said[0] is not None
    assert f"(the state folder was removed while in use); put it back or make {state} again" in said[0]
    for n in range(20):
        journal.append_input("chunk", "r", n, b"x")
        journal.append_record("event", n, b"{}")
    assert not journal.sync(0.05)
    assert not state.exists()
    state.with_name("elsewhere").rename(state)
    assert journal.sync(10)
    assert said[-1] is None
    journal.close()
    reader = JournalReader(state)
    assert len(reader.volumes) == 1
    assert [row.n for row in reader.inputs()] == list(range(1, 21))
    assert kinds_in(state).count("journal.volume_gone") == 1
    assert reader.check() == []


@pytest.mark.usefixtures("soon")
def test_a_state_folder_made_again_gets_a_new_volume(open_journal: Opener, state: Path) -> None:
    said: list[str | None] = []
    journal = open_journal(on_trouble=said.append)
    assert journal.sync(5)
    shutil.rmtree(state)
    journal.append_record("event", 1, b"{}")
    wait_for(lambda: len(said) == 1)
    state.mkdir()
    assert journal.sync(10)
    assert said[-1] is None
    assert "event" in kinds_in(state)
    with pytest.raises(JournalError, match="was removed while the bridge wrote it"):
        journal.close()


@pytest.mark.usefixtures("soon")
def test_a_state_folder_that_never_comes_back_is_no_clean_end(open_journal: Opener, state: Path) -> None:
    journal = open_journal()
    assert journal.sync(5)
    shutil.rmtree(state)
    journal.append_record("event", 1, b"{}")
    with pytest.raises(JournalError, match="unwritten"):
        journal.close()
    assert not state.exists()


@pytest.mark.usefixtures("soon")
def test_another_file_in_the_volume_s_place_is_not_written_on(open_journal: Opener, state: Path) -> None:
    said: list[str | None] = []
    journal = open_journal(on_trouble=said.append)
    assert journal.sync(5)
    (volume,) = JournalReader(state).volumes
    other = open_journal(folder=state.with_name("other"))
    other.append_record("event", 7, b"{}")
    other.close()
    before = (state.with_name("other") / volume.name).read_bytes()
    (state.with_name("other") / volume.name).replace(volume)
    journal.append_record("event", 1, b"{}")
    wait_for(lambda: len(said) == 2)
    assert said[1] is not None
    assert "(another file stands in its place); put it back" in said[1]
    assert volume.read_bytes() == before
    volume.unlink()  # nothing in its place is better: the journal goes on
    wait_for(lambda: said[-1] is None)
    with pytest.raises(JournalError, match="was removed while the bridge wrote it"):
        journal.close()
    assert "event" in kinds_in(state)


def test_a_noisy_line_does_not_pile_up_in_memory(open_journal: Opener, state: Path) -> None:
    journal = open_journal(group_ms=0, raw_ms=60_000)
    journal.append_input("chunk", "r", 0, b"x")
    for n in range(1, 200):
        journal.append_input("chunk", "r", n, bytes(4096))
    wait_for(lambda: journal.durable().input_n > 100)  # long before `raw_ms`
    journal.close()
    assert len(list(JournalReader(state).inputs())) == 200


@pytest.mark.usefixtures("soon")
def test_another_bridge_that_took_the_folder_over_stops_this_one_s_writing(
    open_journal: Opener, state: Path
) -> None:
    said: list[str | None] = []
    journal = open_journal(on_trouble=said.append)
    assert journal.sync(5)
    (state / "journal.lock").unlink()
    other = open_journal(boot_id="boot-b")  # it cannot know: the lock was removed under the first
    journal.append_record("event", 1, b"{}")
    wait_for(lambda: len(said) == 1)
    assert said[0] is not None
    assert said[0].startswith(f"{state}: another shoe-bridge is writing to this state folder; stop it")
    other.close()
    with pytest.raises(JournalError, match="unwritten"):
        journal.close()
    assert "event" not in kinds_in(state)
    assert JournalReader(state).check() == []
