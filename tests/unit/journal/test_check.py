"""What `JournalReader.check` finds, and what it does not mind."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from shoe_bridge.errors import JournalError
from shoe_bridge.journal import Journal, JournalReader
from shoe_bridge.journal.chain import unpack_inputs
from shoe_bridge.journal.reader import copied_volume
from shoe_bridge.journal.schema import forbid_changes

Opener = Callable[..., Journal]
DAY_NS = 86_400 * 10**9
NOON_NS = 1_782_907_200 * 10**9  # 2026-07-01 12:00 UTC


@pytest.fixture(scope="module")
def sound_journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three volumes, each with inputs, records, events owed and a snapshot."""
    folder, now_ns = tmp_path_factory.mktemp("sound") / "state", NOON_NS
    for day in range(3):
        journal = Journal.open(
            folder, table="holdem-07", boot_id=f"boot-{day}", now_wall_ns=partial(int, now_ns)
        )
        for n in range(30):
            journal.append_input("chunk", "r", n, b"payload %d" % n)
            journal.append_record("event", n, b'{"n":%d}' % n)
            journal.append_outbox(f"id-{day}-{n}", b"{}")
        journal.save_snapshot(b"state %d" % day)
        journal.close()
        now_ns += DAY_NS
    return folder


@pytest.fixture
def three_days(sound_journal: Path, state: Path) -> list[Path]:
    """A copy of the sound journal to spoil."""
    shutil.copytree(sound_journal, state)
    volumes = JournalReader(state).volumes
    assert len(volumes) == 3
    assert JournalReader(state).check() == []
    return volumes


def tamper(volume: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(volume, isolation_level=None)
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(statement, values)
    forbid_changes(connection)  # whoever goes so far also covers the traces
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE record SET body = x'7b7d' WHERE n = 40", "not as they were sealed"),
        ("UPDATE record SET at_mono_ns = at_mono_ns + 1 WHERE n = 40", "not as they were sealed"),
        ("UPDATE record SET input_n = 1 WHERE n = 40", "not as they were sealed"),
        ("DELETE FROM record WHERE n = 40", "not as they were sealed"),
        ("INSERT INTO record VALUES (9999, 'event', 1, 1, 1, x'7b7d', 2)", "should hold record rows"),
        ("UPDATE outbox SET event_id = 'other' WHERE seq = 45", "not as they were sealed"),
        ("DELETE FROM outbox WHERE seq = 45", "not as they were sealed"),
        ("UPDATE input SET rows = x'90' WHERE first_n = (SELECT min(first_n) FROM input)", "raw inputs"),
        ("DELETE FROM input", "raw inputs"),
        ("INSERT INTO input VALUES (9999, 9999, 2, x'90')", "no seal covers"),
        ("UPDATE snapshot SET body = x'00'", "snapshot"),
        ("UPDATE seal SET at_wall_ns = at_wall_ns + 1", "does not continue the chain"),
        ("UPDATE seal SET acked_seq = acked_seq + 1", "does not continue the chain"),
        ("UPDATE seal SET raw_hash = x'00'", "does not continue the chain"),
        ("UPDATE volume SET at_wall_ns = 1", "does not continue the chain"),
        ("DELETE FROM volume", "no head"),
        ("UPDATE volume SET prev_hash = x'00'", "does not continue"),
    ],
)
def test_a_row_edited_behind_our_back_is_found(
    three_days: list[Path], state: Path, statement: str, what: str
) -> None:
    tamper(three_days[1], statement)
    faults = JournalReader(state).check()
    assert any(what in fault and str(three_days[1]) in fault for fault in faults), faults
    assert all(fault.endswith(".") and "\n" not in fault for fault in faults)


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TRIGGER record_no_delete",
        "DROP TRIGGER seal_no_update; CREATE TRIGGER seal_no_update AFTER UPDATE ON seal BEGIN SELECT 1; END",
        "CREATE TABLE extra (n INTEGER)",
        "CREATE INDEX by_kind ON record (kind)",
        "ALTER TABLE record RENAME COLUMN kind TO kinb",
    ],
)
def test_a_changed_schema_is_found_and_no_start_goes_on_from_it(
    three_days: list[Path], state: Path, open_journal: Opener, statement: str
) -> None:
    connection = sqlite3.connect(three_days[2], isolation_level=None)
    connection.executescript(statement)
    connection.close()
    faults = JournalReader(state).check()
    assert any("tables or triggers that are not as they were made" in fault for fault in faults), faults
    with pytest.raises(JournalError, match="not as they were made"):
        open_journal()


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE record SET seal_n = seal_n + 1 WHERE n = 40", "1 record rows under a seal"),
        ("UPDATE outbox SET seal_n = 999 WHERE seq = 40", "1 outbox rows under a seal"),
        ("UPDATE input SET seal_n = 1 WHERE first_n = (SELECT max(first_n) FROM input)", "1 input rows"),
        ("INSERT INTO snapshot VALUES (999, 1, x'00')", "a snapshot that no seal covers"),
    ],
)
def test_a_row_under_another_seal_is_found(
    three_days: list[Path], state: Path, statement: str, what: str
) -> None:
    tamper(three_days[1], statement)
    assert any(what in fault for fault in JournalReader(state).check())


def test_one_byte_of_one_input_is_found(three_days: list[Path], state: Path) -> None:
    connection = sqlite3.connect(three_days[0])
    first_n, packed = connection.execute("SELECT first_n, rows FROM input LIMIT 1").fetchone()
    connection.close()
    changed = packed.replace(b"payload 0", b"payload 1", 1)
    assert changed != packed
    assert len(unpack_inputs(changed)) == len(unpack_inputs(packed))
    tamper(three_days[0], "UPDATE input SET rows = ? WHERE first_n = ?", changed, first_n)
    (fault,) = JournalReader(state).check()
    assert "raw inputs" in fault


def test_the_last_groups_cut_off_are_found_by_the_next_volume(three_days: list[Path], state: Path) -> None:
    connection = sqlite3.connect(three_days[1], isolation_level=None)
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    (last,) = connection.execute("SELECT max(n) FROM seal").fetchone()
    for table, column in (("seal", "n"), ("record", "seal_n"), ("outbox", "seal_n"), ("input", "seal_n")):
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (last,))
    forbid_changes(connection)
    connection.close()
    faults = JournalReader(state).check()
    assert any("does not continue journal-2026-07-02.sqlite" in fault for fault in faults)


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_a_missing_volume_is_named(three_days: list[Path], state: Path, gone: int) -> None:
    three_days[gone].unlink()
    (fault,) = JournalReader(state).check()
    assert three_days[gone].name in fault
    assert "missing" in fault


def test_a_renamed_volume_is_found(three_days: list[Path], state: Path) -> None:
    three_days[2].rename(state / "journal-2026-08-01.sqlite")
    assert any("under the name journal-2026-07-03.sqlite" in fault for fault in JournalReader(state).check())


def test_torn_and_foreign_files_are_named_and_the_others_still_checked(
    three_days: list[Path], state: Path
) -> None:
    three_days[0].write_bytes(b"")
    three_days[1].write_bytes(three_days[1].read_bytes()[:8192])
    tamper(three_days[2], "DELETE FROM record WHERE n = (SELECT max(n) FROM record)")
    faults = JournalReader(state).check()
    for volume, what in zip(three_days, ("is empty", "is cut off", "not as they were sealed"), strict=True):
        assert any(str(volume) in fault and what in fault for fault in faults), faults


def test_a_flipped_bit_in_a_page_is_found_wherever_it_is(three_days: list[Path], state: Path) -> None:
    """Every tenth byte of the used part of pages of one volume, one bit each: nothing changed stays unseen,
    and nothing raises. Bytes that no row uses may change without a fault."""
    volume = three_days[1]
    sound = volume.read_bytes()
    reference = everything(volume)
    for at in range(100, len(sound), 331):
        flipped = bytearray(sound)
        flipped[at] ^= 0x10
        volume.write_bytes(flipped)
        if not JournalReader(state).check():
            assert everything(volume) == reference, f"byte {at} changed the rows and no one noticed"
    volume.write_bytes(sound)
    assert JournalReader(state).check() == []


def everything(volume: Path) -> list[object]:
    reader = JournalReader(volume)
    return [list(reader.inputs()), list(reader.records()), reader.outbox(), reader.latest_snapshot()]


def test_one_volume_by_itself_is_sound(three_days: list[Path]) -> None:
    reader = JournalReader(three_days[1])
    assert reader.check() == []
    assert [row.boot_id for row in reader.inputs()] == ["boot-1"] * 30
    assert reader.latest_snapshot() == (63, b"state 1")
    assert reader.table_id() == "holdem-07"


def test_the_reader_follows_over_all_volumes(three_days: list[Path], state: Path) -> None:
    reader = JournalReader(state)
    assert [row.n for row in reader.inputs()] == list(range(1, 91))
    assert [row.n for row in reader.inputs(after_n=59)] == list(range(60, 91))
    assert [row.n for row in reader.records()] == list(range(1, 97))
    assert [row.seq for row in reader.outbox()] == list(range(1, 91))
    assert [row.seq for row in reader.outbox(after_seq=28, limit=4)] == [29, 30, 31, 32]
    assert reader.outbox(limit=0) == []
    assert reader.position().input_n == 90


def test_progress_is_told_each_volume(three_days: list[Path], state: Path) -> None:
    seen: list[Path] = []
    JournalReader(state).check(seen.append)
    assert seen == three_days


def test_a_journal_is_checked_while_it_is_written(open_journal: Opener, state: Path) -> None:
    journal = open_journal(group_ms=0, raw_ms=0)
    for n in range(600):
        journal.append_input("chunk", "r", n, b"x")
        journal.append_record("event", n, b"{}")
        if n % 100 == 0:
            assert JournalReader(state).check() == []
    journal.close()


def test_a_copy_is_read_where_the_folder_cannot_be_written(open_journal: Opener, state: Path) -> None:
    journal = open_journal()
    journal.append_record("event", 1, b"{}")
    assert journal.sync(5)
    volume = JournalReader(state).volumes[0]
    with copied_volume(volume) as connection:
        assert connection.execute("SELECT count(*) FROM record").fetchone() == (2,)
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("DELETE FROM record")
    assert JournalReader(state).check() == []


def test_reading_damage_is_one_sentence(three_days: list[Path], state: Path) -> None:
    three_days[0].write_bytes(three_days[0].read_bytes()[:8192])
    reader = JournalReader(state)
    with pytest.raises(JournalError, match="is cut off"):
        list(reader.records())
    with pytest.raises(JournalError, match="is cut off"):
        list(reader.inputs())


def test_where_no_journal_is(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="there is no journal in this folder"):
        JournalReader(tmp_path)
    with pytest.raises(JournalError, match="there is no such journal volume"):
        JournalReader(tmp_path / "journal-2026-07-01.sqlite")


@pytest.mark.parametrize("what", ["device", "text", "pipe", "database", "empty"])
def test_what_is_no_journal_is_left_its_name(tmp_path: Path, what: str) -> None:
    path = tmp_path / "table.toml"
    if what == "device":
        path = Path("/dev/null")
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "database":
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE hens (name TEXT)")
        connection.close()
    else:
        path.write_text("[table]\n" * 20 if what == "text" else "")
    with pytest.raises(JournalError) as caught:
        JournalReader(path)
    sentence = str(caught.value)
    assert "name the state folder of a bridge" in sentence
    assert "mv " not in sentence
    assert sentence.startswith(str(path))


def test_inputs_that_are_gone_on_purpose_are_told(open_journal: Opener, state: Path) -> None:
    journal = open_journal(memory_cap_mib=0.01)
    with journal.together:  # all in one group, of which the first must go
        for n in range(200):
            journal.append_input("chunk", "r", n, bytes(100))
    journal.close()
    reader = JournalReader(state)
    (first, last, kind), *more = reader.lost_inputs()
    assert (first, kind) == (1, "journal.inputs_dropped")
    held = {row.n for row in reader.inputs()}
    lost = {n for begin, end, _ in reader.lost_inputs() for n in range(begin, end + 1)}
    assert held | lost == set(range(1, 201))
    assert not held & lost
    assert last >= first
    assert all(kind == "journal.inputs_dropped" for _, _, kind in more)
