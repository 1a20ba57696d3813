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


def event(seq: int, source: str = "holdem-07") -> bytes:
    return b'{"source":"%s","seq":%d,"type":"t"}' % (source.encode(), seq)


def sink_at(path: Path, next_seq: int, said: list[str]) -> JsonLinesSink:
    return JsonLinesSink(path, source="holdem-07", next_seq=next_seq, on_moved=said.append)


def fill(path: Path, *lines: bytes) -> None:
    path.write_bytes(b"".join(line + b"\n" for line in lines))


def test_a_file_that_is_ahead_of_the_journal_is_moved_aside_whole(tmp_path: Path) -> None:
    path, said = tmp_path / "feed.jsonl", list[str]()
    fill(path, event(1), event(2), event(3))
    before = path.read_bytes()
    sink = sink_at(path, 1, said)
    sink.open()
    assert sink.send([event(1)]) == 1
    sink.close()
    assert path.read_bytes() == event(1) + b"\n"
    assert (tmp_path / "feed.jsonl.until-3").read_bytes() == before
    (sentence,) = said
    assert (
        f"ended with event 3 of holdem-07 and the journal goes on with event 1, so that file is now {path}"
        in (sentence)
    )


@pytest.mark.parametrize("next_seq", [1, 3])
def test_no_file_that_was_moved_aside_is_overwritten(tmp_path: Path, next_seq: int) -> None:
    path, said = tmp_path / "feed.jsonl", list[str]()
    for round_ in range(3):
        fill(path, event(3), b'{"round":%d}' % round_)
        sink = sink_at(path, next_seq, said)
        sink.open()
        sink.close()
        assert path.read_bytes() == b""
    names = ["feed.jsonl.until-3", "feed.jsonl.until-3.2", "feed.jsonl.until-3.3"]
    for round_, name in enumerate(names):
        assert b'{"round":%d}' % round_ in (tmp_path / name).read_bytes()
    assert len(said) == 3


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [event(1), event(2), event(3)],  # events that are sent again are no other numbering
        [event(3), event(9, "omaha-01")],  # of another table
        [b"dear diary"],
        [event(3), b'{"source":"holdem-07","seq":99'],  # torn: it was never sent whole
    ],
)
def test_a_file_of_this_numbering_goes_on(tmp_path: Path, lines: list[bytes]) -> None:
    path, said = tmp_path / "feed.jsonl", list[str]()
    fill(path, *lines)
    sink = sink_at(path, 4, said)
    sink.open()
    sink.send([event(4)])
    sink.close()
    assert path.read_bytes() == b"".join(line + b"\n" for line in [*lines, event(4)])
    assert said == []
    assert [entry.name for entry in tmp_path.iterdir()] == ["feed.jsonl"]


def test_the_last_event_is_found_behind_a_long_file_and_through_a_link(tmp_path: Path) -> None:
    real, path, said = tmp_path / "disk" / "real.jsonl", tmp_path / "feed.jsonl", list[str]()
    real.parent.mkdir()
    fill(real, b"x" * 3_000_000, event(8), b"torn")
    path.symlink_to(real)
    sink = sink_at(path, 8, said)
    sink.open()
    sink.close()
    assert path.is_symlink()
    assert real.read_bytes() == b""
    assert (tmp_path / "disk" / "real.jsonl.until-8").stat().st_size > 3_000_000


def test_a_file_that_could_not_be_matched_at_the_start_is_matched_by_the_first_send(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, said = tmp_path / "feed.jsonl", list[str]()
    fill(path, event(5))
    sink = sink_at(path, 1, said)
    with monkeypatch.context() as broken:
        broken.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(OSError, match="No space"):
            sink.open()
    assert [entry.name for entry in tmp_path.iterdir()] == ["feed.jsonl"]
    assert sink.send([event(1)]) == 1
    sink.close()
    assert path.read_bytes() == event(1) + b"\n"
    assert len(said) == 1


def test_a_link_that_leads_nowhere_is_named_as_one(tmp_path: Path) -> None:
    path = tmp_path / "feed.jsonl"
    path.symlink_to(tmp_path / "gone" / "feed.jsonl")
    with pytest.raises(ConfigError, match=f"is a link that leads nowhere; make {tmp_path}/gone or change"):
        JsonLinesSink(path).open()
    path.unlink()
    path.symlink_to(path)
    with pytest.raises(ConfigError, match="is a link that leads nowhere; remove it or change"):
        JsonLinesSink(path).open()


@pytest.mark.parametrize("path", [Path("/dev/null"), "pipe"])
def test_a_device_or_a_pipe_keeps_nothing(tmp_path: Path, path: Path | str) -> None:
    if path == "pipe":
        path = tmp_path / "pipe"
        os.mkfifo(path)
    with pytest.raises(ConfigError, match="a device or a pipe, which keeps nothing; name a file"):
        JsonLinesSink(Path(path)).open()
