"""A damaged volume, whatever the damage: sentences and no other exception, no row that was not written, and
never "sound" where what is read differs. 300 cases from fixed seeds."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from shoe_bridge.errors import JournalError
from shoe_bridge.journal import Journal, JournalReader

NOON_NS = 1_782_907_200 * 10**9  # 2026-07-01 12:00 UTC
DAY_NS = 86_400 * 10**9
PAGE = 4096
CASES = 25  # of each kind of damage, for each of two volumes

SNAPSHOTS: set[object] = set()  # all that the sound journal was given

Damage = Callable[[random.Random, bytearray], None]


def _page(rng: random.Random, data: bytearray) -> int:
    return rng.randrange(len(data) // PAGE) * PAGE


def flip_a_bit(rng: random.Random, data: bytearray) -> None:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def flip_in_the_header_and_schema(rng: random.Random, data: bytearray) -> None:
    at = rng.choice((rng.randrange(100), rng.randrange(PAGE)))
    data[at] ^= 1 << rng.randrange(8)


def zero_a_page(rng: random.Random, data: bytearray) -> None:
    at = _page(rng, data)
    data[at : at + PAGE] = bytes(PAGE)


def copy_a_page_over_another(rng: random.Random, data: bytearray) -> None:
    source, target = _page(rng, data), _page(rng, data)
    data[target : target + PAGE] = data[source : source + PAGE]


def scribble(rng: random.Random, data: bytearray) -> None:
    at, size = rng.randrange(len(data)), rng.randrange(1, 200)
    data[at : at + size] = rng.randbytes(len(data[at : at + size]))


def cut(rng: random.Random, data: bytearray) -> None:
    del data[rng.randrange(len(data)) :]


DAMAGES: list[Damage] = [
    flip_a_bit,
    flip_in_the_header_and_schema,
    zero_a_page,
    copy_a_page_over_another,
    scribble,
    cut,
]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Two days of a small journal, by file name."""
    folder = tmp_path_factory.mktemp("sound") / "state"
    for day in range(2):
        journal = open_at(folder, NOON_NS + day * DAY_NS)
        for n in range(40):
            journal.append_input("chunk", "reader-1", n, b"payload %d" % n * 9)
            journal.append_record("event", n, b'{"seq":%d,"text":"%s"}' % (n, b"x" * 150))
            journal.append_outbox(f"id-{day}-{n}", b'{"seq":%d}' % n)
            if n % 10 == 0:
                journal.save_snapshot(b"state %d" % n * 40)
                assert journal.sync(5)
                SNAPSHOTS.add((journal.newest.record_n, b"state %d" % n * 40))
        journal.acknowledge_outbox(10)
        journal.close()
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def open_at(folder: Path, at_wall_ns: int) -> Journal:
    return Journal.open(
        folder, table="holdem-07", boot_id="boot", now_wall_ns=partial(int, at_wall_ns), group_ms=0, raw_ms=0
    )


def lay_out(folder: Path, files: dict[str, bytes]) -> None:
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)


READS: dict[str, Callable[[JournalReader], Any]] = {
    "inputs": lambda reader: reader.inputs(),
    "some inputs": lambda reader: reader.inputs(50),
    "records": lambda reader: reader.records(),
    "some records": lambda reader: reader.records(45),
    "outbox": lambda reader: reader.outbox(),
    "snapshot": lambda reader: [reader.latest_snapshot()],
    "tail": lambda reader: [reader.tail()],
    "lost": lambda reader: reader.lost_inputs(),
    "table": lambda reader: [reader.table_id()],
}


def read_all(folder: Path) -> dict[str, tuple[list[object], bool]]:
    """What each way of reading gave, and whether it came to its end."""
    seen: dict[str, tuple[list[object], bool]] = {}
    for name, read in READS.items():
        rows: list[object] = []
        try:
            for row in read(JournalReader(folder)):
                rows.append(row)
        except JournalError as error:
            demand_sentence(str(error), folder)
            seen[name] = (rows, False)
        else:
            seen[name] = (rows, True)
    return seen


def demand_sentence(said: str, folder: Path) -> None:
    assert said.startswith(str(folder))
    assert said.endswith(".")
    assert "\n" not in said


@pytest.mark.parametrize("which", [0, 1], ids=["older volume", "newest volume"])
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damage_is_sentences_and_never_another_content(
    damage: Damage, which: int, sound: dict[str, bytes], tmp_path: Path
) -> None:
    folder = tmp_path / "state"
    lay_out(folder, sound)
    reference = read_all(folder)
    assert all(is_whole for _, is_whole in reference.values())
    assert JournalReader(folder).check() == []
    name = sorted(name for name in sound if name.endswith(".sqlite"))[which]
    rng = random.Random(f"{damage.__name__} {which}")
    faulty = 0
    for _ in range(CASES):
        data = bytearray(sound[name])
        damage(rng, data)
        lay_out(folder, sound | {name: bytes(data)})
        seen = read_all(folder)
        faults = JournalReader(folder).check()
        faulty += bool(faults)
        if not faults:
            assert seen == reference
        for way, (rows, is_whole) in seen.items():
            if (
                way == "snapshot" and is_whole
            ):  # where the newest is gone, one before it is given: `check` says so
                assert all(row is None or row in SNAPSHOTS for row in rows)
            else:
                assert rows == reference[way][0][: None if is_whole else len(rows)], way
        for fault in faults:
            demand_sentence(fault, folder)
        try:
            open_at(folder, NOON_NS + DAY_NS).close()
        except JournalError as error:
            demand_sentence(str(error), folder)
            assert (folder / name).read_bytes() == bytes(data)
    assert faulty > CASES // 5


def test_a_letter_of_a_trigger_is_found(sound: dict[str, bytes], tmp_path: Path) -> None:
    """SQLite takes it and no row differs; what changed is what the volume refuses."""
    lay_out(tmp_path / "state", sound)
    volume = sorted((tmp_path / "state").glob("*.sqlite"))[1]
    data = volume.read_bytes()
    assert data.count(b"record_no_delete BEFORE DELETE") == 1
    volume.write_bytes(data.replace(b"record_no_delete BEFORE DELETE", b"record_no_delete BEFORE INSERT"))
    with closing(sqlite3.connect(volume)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    (fault,) = JournalReader(tmp_path / "state").check()
    assert "record_no_delete" in fault
