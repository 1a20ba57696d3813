"""Appending, committing, numbering, and going on after a stop."""

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from shoe_bridge.journal import Journal, JournalReader, Position
from shoe_bridge.journal.schema import APPLICATION_ID, SCHEMA_VERSION, connect_writer

Opener = Callable[..., Journal]


def kinds(state: Path) -> list[str]:
    return [record.kind for record in JournalReader(state).records()]


def test_all_that_was_appended_is_read_back_in_order(open_journal: Opener, state: Path) -> None:
    journal = open_journal()
    numbers = [journal.append_input("chunk", f"reader-{n % 2}", n * 10, bytes([n])) for n in range(200)]
    record_n = journal.append_record("event", 2000, b'{"seq":1}')
    assert journal.sync(5)
    assert numbers == list(range(1, 201))
    rows = list(JournalReader(state).inputs())
    assert [(row.n, row.device, row.at_mono_ns, row.data) for row in rows] == [
        (n + 1, f"reader-{n % 2}", n * 10, bytes([n])) for n in range(200)
    ]
    assert {(row.kind, row.boot_id) for row in rows} == {("chunk", "boot-a")}
    record = list(JournalReader(state).records())[-1]
    assert (record.n, record.kind, record.input_n, record.body) == (record_n, "event", 200, b'{"seq":1}')


def test_reading_goes_on_after_a_number_also_inside_a_pack(open_journal: Opener, state: Path) -> None:
    journal = open_journal()
    for n in range(5000):
        journal.append_input("chunk", "r", n, b"x")
    journal.append_record("event", 1, b"{}")
    assert journal.sync(5)
    reader = JournalReader(state)
    assert [row.n for row in reader.inputs(after_n=4093)][:5] == [4094, 4095, 4096, 4097, 4098]
    assert [row.n for row in reader.inputs(after_n=4999)] == [5000]
    assert list(reader.inputs(after_n=5000)) == []
    assert [row.n for row in reader.records(after_n=1)] == [2]


def test_the_listener_hears_each_position_once_it_is_on_disk(open_journal: Opener, state: Path) -> None:
    heard: list[tuple[Position, int]] = []

    def on_durable(position: Position) -> None:
        heard.append((position, sum(1 for _ in JournalReader(state).records())))

    journal = open_journal(on_durable=on_durable)
    journal.append_record("event", 1, b"{}")
    assert journal.sync(5)
    journal.append_outbox("id-1", b"{}")
    assert journal.sync(5)
    journal.close()
    assert heard[-1][0] == journal.durable() == Position(0, 3, 1)
    assert all(on_disk >= position.record_n for position, on_disk in heard)


def test_rows_of_one_block_are_never_parted(open_journal: Opener, state: Path) -> None:
    """Many small groups while blocks are being written: no group ends inside a block."""
    journal = open_journal(group_ms=0, raw_ms=0)
    for n in range(300):
        with journal.together:
            journal.append_record("event", n, b"{}")
            if n % 3 == 0:
                journal.sync(0)  # would part the block if anything could
            journal.append_outbox(f"id-{n}", b"{}")
    journal.close()
    connection = sqlite3.connect(JournalReader(state).volumes[0])
    parted = connection.execute(
        "SELECT count(*) FROM outbox JOIN record ON record.n = outbox.record_n WHERE record.seal_n <> "
        "outbox.seal_n"
    ).fetchone()
    together = connection.execute(
        "SELECT count(*) FROM outbox JOIN record ON record.n = outbox.record_n"
    ).fetchone()
    connection.close()
    assert (parted, together) == ((0,), (300,))


def test_raw_inputs_alone_wait_longer_than_a_record(open_journal: Opener) -> None:
    journal = open_journal(raw_ms=60_000)
    assert journal.sync(5)
    before = journal.durable()
    journal.append_input("chunk", "r", 1, b"x")
    assert journal.durable() == before
    done = threading.Event()
    journal._committer._on_durable = lambda position: done.set()
    journal.append_record("event", 2, b"{}")
    assert done.wait(5)
    assert journal.durable().input_n == 1


def test_a_restart_goes_on_with_the_numbers_and_keeps_what_is_owed(open_journal: Opener, state: Path) -> None:
    journal = open_journal()
    journal.append_input("chunk", "r", 1, b"a")
    for n in range(3):
        assert journal.next_outbox_seq == n + 1
        assert journal.append_outbox(f"id-{n}", b'{"n":%d}' % n) == n + 1
    journal.save_snapshot(b"state")
    journal.acknowledge_outbox(1)
    newest = journal.newest
    journal.close()

    second = open_journal(boot_id="boot-b")
    found = second.recovered
    assert (found.is_new, found.was_clean, found.boot_id) == (False, True, "boot-a")
    assert found.position == Position(newest.input_n, newest.record_n + 1, newest.outbox_seq)
    assert (found.acknowledged_seq, found.snapshot) == (1, (1, b"state"))
    assert [(row.seq, row.event_id, row.body) for row in second.read_outbox(0, 10)] == [
        (2, "id-1", b'{"n":1}'),
        (3, "id-2", b'{"n":2}'),
    ]
    assert second.read_outbox(2, 10)[0].seq == 3
    assert second.append_input("chunk", "r", 1, b"b") == 2
    second.close()
    assert [row.boot_id for row in JournalReader(state).inputs()] == ["boot-a", "boot-b"]
    assert kinds(state) == ["journal.opened", "journal.clean_stop"] * 2
    assert JournalReader(state).check() == []


def test_acknowledging_never_goes_back_nor_beyond_what_is_owed(open_journal: Opener, state: Path) -> None:
    journal = open_journal()
    for n in range(4):
        journal.append_outbox(f"id-{n}", b"{}")
    journal.acknowledge_outbox(3)
    journal.acknowledge_outbox(1)
    assert journal.sync(5)
    assert [row.seq for row in JournalReader(state).outbox()] == [4]
    journal.acknowledge_outbox(99)
    journal.close()
    assert JournalReader(state).tail().acked_seq == 4


def test_of_several_snapshots_the_newest_counts(open_journal: Opener, state: Path) -> None:
    journal = open_journal()
    assert JournalReader(state).latest_snapshot() is None
    journal.save_snapshot(b"one")
    assert journal.sync(5)
    journal.append_record("event", 1, b"{}")
    journal.save_snapshot(b"two")
    journal.save_snapshot(b"three")
    assert journal.sync(5)
    assert JournalReader(state).latest_snapshot() == (2, b"three")


def test_a_stop_without_close_is_on_record_at_the_next_start(open_journal: Opener, state: Path) -> None:
    journal = open_journal()
    journal.append_record("event", 1, b"{}")
    assert journal.sync(5)
    journal._lock.release()  # as the kernel does when the process is gone
    second = open_journal(boot_id="boot-b")
    assert not second.recovered.was_clean
    assert second.sync(5)
    assert kinds(state) == ["journal.opened", "event", "journal.unclean_stop", "journal.opened"]


def test_nothing_is_left_but_the_volume_and_the_lock(open_journal: Opener, state: Path) -> None:
    open_journal().close()
    assert sorted(path.name for path in state.iterdir()) == ["journal-2026-07-01.sqlite", "journal.lock"]


def test_hole_cards_are_not_for_everyone_to_read(open_journal: Opener, state: Path) -> None:
    journal = open_journal()
    assert journal.sync(5)
    assert {path.suffix for path in state.iterdir()} >= {".sqlite", ".sqlite-wal", ".lock"}
    assert not [path for path in (state, *state.iterdir()) if path.stat().st_mode & 0o007]


def test_closing_twice_is_closing_once(open_journal: Opener, state: Path) -> None:
    journal = open_journal()
    journal.close()
    journal.close()
    assert kinds(state) == ["journal.opened", "journal.clean_stop"]


def test_every_commit_is_synced_and_the_file_says_whose_it_is(open_journal: Opener, state: Path) -> None:
    journal = open_journal()
    assert journal.sync(5)
    connection = journal._committer._writer._connection
    assert connection is not None
    asked = ("journal_mode", "synchronous", "application_id", "user_version")
    answers = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in asked]
    assert answers == ["wal", 2, APPLICATION_ID, SCHEMA_VERSION]


@pytest.mark.parametrize("table", ["volume", "record", "outbox", "snapshot", "seal"])
@pytest.mark.parametrize("statement", ["DELETE FROM {}", "UPDATE {} SET rowid = rowid + 1"])
def test_rows_are_only_ever_added(open_journal: Opener, state: Path, table: str, statement: str) -> None:
    journal = open_journal()
    journal.append_outbox("id", b"{}")
    journal.save_snapshot(b"s")
    journal.close()
    connection = connect_writer(JournalReader(state).volumes[0])
    with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
        connection.execute(statement.format(table))
    connection.close()


def test_the_listener_that_fails_does_not_stop_the_commits(
    open_journal: Opener, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[type[BaseException] | None] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: seen.append(args.exc_type))

    def on_durable(position: Position) -> None:
        raise ValueError("no one listens")

    journal = open_journal(on_durable=on_durable)
    for n in range(3):
        journal.append_record("event", n, b"{}")
        assert journal.sync(5)
    journal.close()
    assert set(seen) == {ValueError}
    assert kinds(state).count("event") == 3
