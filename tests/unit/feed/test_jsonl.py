"""The file sink: whole lines, nothing overwritten, one sentence when it cannot."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoe_bridge.errors import ConfigError
from shoe_bridge.feed.jsonl import JsonLinesSink


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "feed.jsonl"


@pytest.fixture
def sink(path: Path) -> Iterator[JsonLinesSink]:
    sink = JsonLinesSink(path)
    sink.open()
    yield sink
    sink.close()


def test_events_are_lines(sink: JsonLinesSink, path: Path) -> None:
    assert sink.send([b'{"n":1}', b'{"n":2}']) == 2
    assert sink.send([b'{"n":3}']) == 1
    assert path.read_bytes() == b'{"n":1}\n{"n":2}\n{"n":3}\n'
    assert stat.S_IMODE(path.stat().st_mode) & 0o007 == 0


def test_what_stands_in_the_file_stays(path: Path) -> None:
    path.write_bytes(b"before\n")
    sink = JsonLinesSink(path)
    sink.open()
    sink.send([b"after"])
    sink.close()
    assert path.read_bytes() == b"before\nafter\n"


def test_a_torn_last_line_is_closed(path: Path) -> None:
    path.write_bytes(b'whole\n{"n":')
    sink = JsonLinesSink(path)
    sink.open()
    sink.send([b'{"n":1}'])
    sink.close()
    assert path.read_bytes() == b'whole\n{"n":\n{"n":1}\n'


def test_a_file_that_was_moved_away_is_begun_anew(sink: JsonLinesSink, path: Path) -> None:
    sink.send([b"1"])
    path.rename(path.with_suffix(".old"))
    sink.send([b"2"])
    path.unlink()
    path.write_bytes(b"another\n")
    sink.send([b"3"])
    assert path.with_suffix(".old").read_bytes() == b"1\n"
    assert path.read_bytes() == b"another\n3\n"


def test_a_file_cut_short_in_place_goes_on_at_its_end(sink: JsonLinesSink, path: Path) -> None:
    sink.send([b"1", b"2"])
    os.truncate(path, 0)
    sink.send([b"3"])
    assert path.read_bytes() == b"3\n"


def test_it_counts_only_after_the_sync(
    sink: JsonLinesSink, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        with pytest.raises(OSError, match="Input/output"):
            sink.send([b"1"])
    assert sink.send([b"1"]) == 1
    assert path.read_bytes() == b"1\n1\n"


def test_a_disk_that_fills_up_in_a_line(
    sink: JsonLinesSink, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, room = os.write, [5]

    def full(descriptor: int, rest: memoryview) -> int:
        if not room[0]:
            raise OSError(28, "No space left on device")
        count = write(descriptor, rest[: room[0]])
        room[0] -= count
        return count

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        for _ in range(2):
            with pytest.raises(OSError, match="No space"):
                sink.send([b"one", b"two"])
    assert sink.send([b"one", b"two"]) == 2
    assert path.read_bytes() == b"one\nt\none\ntwo\n"


def test_a_send_after_a_close_opens_again(sink: JsonLinesSink, path: Path) -> None:
    sink.close()
    assert sink.send([b"1"]) == 1
    assert path.read_bytes() == b"1\n"


@pytest.mark.parametrize(
    ("place", "what"),
    [
        ("missing/feed.jsonl", "the folder of the feed's file does not exist; make it with `mkdir -p "),
        ("a-file/feed.jsonl", "the folder of the feed's file does not exist"),
        (".", "the feed's file is a folder"),
    ],
)
def test_a_path_that_cannot_be_is_one_sentence(tmp_path: Path, place: str, what: str) -> None:
    (tmp_path / "a-file").touch()
    with pytest.raises(ConfigError) as caught:
        JsonLinesSink(tmp_path / place).open()
    assert what in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_no_permission_is_one_sentence(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(*args: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refusing)
    with pytest.raises(ConfigError, match="may not be written; give it to this user with `sudo chown"):
        JsonLinesSink(path).open()


def test_a_folder_that_vanished_while_running_may_come_back(sink: JsonLinesSink, path: Path) -> None:
    moved = path.parent.rename(path.parent.with_name("elsewhere"))
    with pytest.raises(OSError, match="No such file"):
        sink.send([b"1"])
    moved.rename(path.parent)
    assert sink.send([b"1"]) == 1
    assert path.read_bytes() == b"1\n"
