"""What a start does with the state folder that it finds: go on, or one sentence with the way out."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from shoe_bridge.errors import JournalError
from shoe_bridge.journal import Journal, JournalReader
from shoe_bridge.journal.recover import SKIP_EVENTS, SKIP_ROWS

Opener = Callable[..., Journal]
DAY_NS = 86_400 * 10**9


@pytest.fixture
def volume(open_journal: Opener, state: Path) -> Path:
    """A finished journal of some size with events owed."""
    journal = open_journal()
    for n in range(400):
        journal.append_input("chunk", "r", n, bytes(100))
        journal.append_record("event", n, b'{"text":"%s"}' % (b"x" * 60))
        journal.append_outbox(f"id-{n}", b"{}")
    journal.close()
    return JournalReader(state).volumes[0]


def refusal(open_journal: Opener, **changes: object) -> str:
    with pytest.raises(JournalError) as caught:
        open_journal(**changes)
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize(
    ("ruin", "what"),
    [
        (lambda path: path.write_bytes(b""), "is empty"),
        (lambda path: path.write_text("dear diary\n" * 100), "is not a journal"),
        (lambda path: path.write_bytes(path.read_bytes()[:60]), "is cut off within its header"),
        (lambda path: path.write_bytes(path.read_bytes()[:8192]), "is cut off at 8192"),
        (lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]), "is cut off"),
        (
            lambda path: path.write_bytes(path.read_bytes()[:200] + bytes(4000) + path.read_bytes()[4200:]),
            "damaged",
        ),
    ],
)
def test_a_damaged_volume_is_refused_and_left_as_it_is(
    open_journal: Opener, volume: Path, ruin: Callable[[Path], object], what: str
) -> None:
    ruin(volume)
    before = volume.read_bytes()
    sentence = refusal(open_journal)
    assert what in sentence
    assert f"mv {volume} {volume}.damaged" in sentence
    assert volume.read_bytes() == before


def test_a_changed_row_at_the_end_is_refused(open_journal: Opener, volume: Path) -> None:
    tamper(volume, "record", "UPDATE record SET body = x'7b7d' WHERE n = 400")
    assert "records" in (sentence := refusal(open_journal))
    assert "not as they were sealed" in sentence


def tamper(volume: Path, table: str, statement: str) -> None:
    connection = sqlite3.connect(volume, isolation_level=None)
    query = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?"
    triggers = connection.execute(query, (table,)).fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(statement)
    for _, sql in triggers:
        connection.execute(sql)
    connection.close()


def test_a_foreign_database_is_refused_and_not_touched(open_journal: Opener, volume: Path) -> None:
    volume.unlink()
    connection = sqlite3.connect(volume)
    connection.execute("CREATE TABLE hens (name TEXT)")
    connection.commit()
    connection.close()
    before = volume.read_bytes()
    assert "is an SQLite file but not a journal" in refusal(open_journal)
    assert volume.read_bytes() == before


@pytest.fixture
def half_changed(volume: Path) -> Path:
    """The volume as a crash leaves it while SQLite writes to the plain file: half new, the old pages in a
    journal beside it."""
    whole = sorted(row[0] for row in rows_of(volume))
    copy = volume.parent.with_name("crashed") / volume.name
    copy.parent.mkdir()
    connection = sqlite3.connect(volume, isolation_level=None)
    connection.execute("PRAGMA cache_size=1")
    connection.execute("BEGIN")
    for n in range(10_000, 10_400):
        connection.execute("INSERT INTO record VALUES (?, 'torn', 1, 1, 1, zeroblob(2000), 1)", (n,))
    for ending in ("", "-journal"):
        shutil.copyfile(f"{volume}{ending}", f"{copy}{ending}")
    connection.execute("ROLLBACK")
    connection.close()
    assert Path(f"{copy}-journal").stat().st_size > 0
    assert copy.read_bytes() != volume.read_bytes()
    assert sorted(row[0] for row in rows_of(volume)) == whole
    return copy


def rows_of(volume: Path) -> list[tuple[int]]:
    with closing(sqlite3.connect(volume)) as connection:
        return connection.execute("SELECT n FROM record").fetchall()


def test_a_change_that_a_crash_cut_short_is_read_past(half_changed: Path) -> None:
    before = half_changed.read_bytes()
    reader = JournalReader(half_changed)
    assert [row.kind for row in reader.records()] == [
        "journal.opened",
        *["event"] * 400,
        "journal.clean_stop",
    ]
    assert reader.check() == []
    assert half_changed.read_bytes() == before


def test_a_change_that_a_crash_cut_short_is_undone_by_the_next_start(
    open_journal: Opener, half_changed: Path
) -> None:
    journal = open_journal(folder=half_changed.parent)
    assert journal.recovered.position.record_n == 402
    journal.close()
    assert JournalReader(half_changed.parent).check() == []


def test_a_newer_schema_asks_for_the_newer_program(open_journal: Opener, volume: Path) -> None:
    connection = sqlite3.connect(volume, isolation_level=None)
    connection.execute("PRAGMA user_version=9")
    connection.close()
    assert "schema version 9" in (sentence := refusal(open_journal))
    assert "install the newer shoe-bridge" in sentence


def test_a_journal_of_another_table_is_refused(open_journal: Opener, volume: Path) -> None:
    assert "belongs to the table holdem-07 and not to holdem-08" in refusal(open_journal, table="holdem-08")


def test_the_newest_volume_gone_is_no_fresh_start(open_journal: Opener, volume: Path) -> None:
    volume.unlink()
    sentence = refusal(open_journal)
    assert "is gone" in sentence
    assert f"touch {volume}.damaged" in sentence
    assert not list(volume.parent.glob("*.sqlite"))
    Path(f"{volume}.damaged").touch()
    assert open_journal().recovered.set_aside == volume.name


def test_going_on_without_a_damaged_volume_uses_no_number_twice(open_journal: Opener, volume: Path) -> None:
    volume.rename(f"{volume}.damaged")
    journal = open_journal(boot_id="boot-b")
    found = journal.recovered
    assert (found.set_aside, found.is_new, found.was_clean) == (volume.name, False, False)
    assert journal.append_input("chunk", "r", 1, b"") == SKIP_ROWS + 1
    assert journal.append_outbox("id", b"{}") == SKIP_EVENTS + 1
    assert found.acknowledged_seq == SKIP_EVENTS
    journal.close()
    reader = JournalReader(volume.parent)
    assert [path.name for path in reader.volumes] == ["journal-2026-07-01.2.sqlite"]
    assert [row.kind for row in reader.records()][:2] == ["journal.volume_set_aside", "journal.opened"]
    (fault,) = reader.check()
    assert "set aside as damaged" in fault
    open_journal().close()  # and the start after that is an ordinary one
    assert [row.kind for row in reader.records()][-3:] == [
        "journal.clean_stop",
        "journal.opened",
        "journal.clean_stop",
    ]


def test_events_owed_before_a_damaged_volume_stay_owed(open_journal: Opener, volume: Path, wall: Any) -> None:
    wall.ns += DAY_NS
    open_journal().close()
    newest = JournalReader(volume.parent).volumes[-1]
    assert newest.name == "journal-2026-07-02.sqlite"
    newest.write_bytes(b"")
    newest.rename(f"{newest}.damaged")
    journal = open_journal()
    assert journal.append_outbox("later", b"{}") == 400 + SKIP_EVENTS + 1
    assert journal.sync(5)
    assert [row.seq for row in journal.read_outbox(398, 10)] == [399, 400, 400 + SKIP_EVENTS + 1]


def test_the_volume_before_the_newest_missing_is_on_record(
    open_journal: Opener, volume: Path, wall: Any
) -> None:
    wall.ns += DAY_NS
    open_journal().close()
    volume.unlink()
    journal = open_journal()
    assert journal.recovered.missing == volume.name
    journal.close()
    assert "journal.volume_missing" in [row.kind for row in JournalReader(volume.parent).records()]


def test_a_volume_that_was_being_made_is_made_again(open_journal: Opener, volume: Path, wall: Any) -> None:
    wall.ns += DAY_NS
    Path(volume.parent, "journal-2026-07-02.sqlite.new").write_bytes(b"half")
    open_journal().close()
    assert sorted(path.name for path in volume.parent.iterdir()) == [
        "journal-2026-07-01.sqlite",
        "journal-2026-07-02.sqlite",
        "journal.lock",
    ]
    assert JournalReader(volume.parent).check() == []


def test_a_folder_that_cannot_be_made_is_one_sentence(open_journal: Opener, tmp_path: Path) -> None:
    (tmp_path / "a-file").write_text("in the way")
    place = tmp_path / "a-file/state"
    sentence = refusal(open_journal, folder=place)
    assert "the state folder cannot be written" in sentence
    assert f"sudo install -d -o $USER {place}" in sentence
    assert (tmp_path / "a-file").read_text() == "in the way"


def test_what_is_no_folder_is_named_as_what_it_is(open_journal: Opener, tmp_path: Path) -> None:
    (tmp_path / "a-file").write_text("in the way")
    (tmp_path / "a-link").symlink_to(tmp_path / "nowhere")
    for place, what in (
        (tmp_path / "a-file", "is a file and no folder; name a folder"),
        (Path("/dev/null"), "is a device or a pipe and no folder; name a folder"),
        (tmp_path / "a-link", f"is a link that leads nowhere ({tmp_path}/nowhere); make that folder"),
    ):
        assert what in (sentence := refusal(open_journal, folder=place))
        assert "mv " not in sentence
    assert (tmp_path / "a-file").read_text() == "in the way"
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "journal.lock").mkdir()
    assert "journal.lock: this is no file that can be locked; move it out of the way" in refusal(open_journal)


def test_a_folder_in_a_volume_s_place_is_no_volume(open_journal: Opener, state: Path, volume: Path) -> None:
    volume.unlink()
    volume.mkdir()
    assert "is a folder and no file" in (sentence := refusal(open_journal))
    assert f"mv {volume} {volume}.damaged" in sentence
    assert any("is a folder and no file" in fault for fault in JournalReader(state).check())


def test_a_folder_of_the_kernel_is_one_sentence(open_journal: Opener) -> None:
    assert "cannot be written" in refusal(open_journal, folder=Path("/proc/shoe-bridge"))


def test_two_journals_on_one_folder(open_journal: Opener, state: Path) -> None:
    journal = open_journal()
    assert "another shoe-bridge is writing to this state folder" in refusal(open_journal)
    journal.close()
    open_journal().close()


def test_two_processes_on_one_folder(open_journal: Opener, state: Path) -> None:
    open_journal()
    script = (
        "import sys; from pathlib import Path; from shoe_bridge.journal import Journal\n"
        "try: Journal.open(Path(sys.argv[1]), table='holdem-07', boot_id='b', now_wall_ns=lambda: 0)\n"
        "except Exception as error: print(error)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script, str(state)], capture_output=True, text=True, check=True
    )
    assert "another shoe-bridge is writing" in answer.stdout
    assert answer.stderr == ""


def test_a_clock_that_was_reset_never_writes_behind_the_newest_volume(
    open_journal: Opener, volume: Path, wall: Any
) -> None:
    wall.ns = 0
    journal = open_journal()
    journal.append_record("event", 1, b"{}")
    journal.close()
    assert [path.name for path in JournalReader(volume.parent).volumes] == [volume.name]
    assert JournalReader(volume.parent).check() == []
