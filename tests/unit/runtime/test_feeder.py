"""The feeder: events leave in order once they are on disk, and wait for a far side that takes none."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from shoe_bridge.errors import ConfigError
from shoe_bridge.feed.jsonl import JsonLinesSink
from shoe_bridge.journal import Position
from shoe_bridge.runtime.feeder import Feeder, sink_of


class FarSide:
    """A sink that the test makes fail."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.failure: OSError | None = None
        self.most = 100
        self.is_open = False

    def open(self) -> None:
        if self.failure is not None:
            raise self.failure
        self.is_open = True

    def send(self, events: list[bytes]) -> int:
        if self.failure is not None:
            raise self.failure
        self.lines += events[: self.most]
        return min(len(events), self.most)

    def close(self) -> None:
        self.is_open = False


class Store:
    """What the feeder needs of a journal."""

    def __init__(self, acked: int = 0, owed: tuple[bytes, ...] = ()) -> None:
        self.acked = acked
        self.rows = [SimpleNamespace(seq=acked + n, body=body) for n, body in enumerate(owed, start=1)]
        position = Position(0, 0, acked + len(owed))
        self.recovered = SimpleNamespace(acknowledged_seq=acked, position=position)

    def acknowledge_outbox(self, upto_seq: int) -> None:
        self.acked = upto_seq

    def read_outbox(self, after_seq: int, limit: int) -> list[Any]:
        return [row for row in self.rows if row.seq > after_seq][:limit]


def body(number: int) -> bytes:
    return json.dumps({"seq": number}).encode()


class Desk:
    def __init__(self, far: FarSide, store: Store) -> None:
        self.far, self.store = far, store
        self.reports: list[dict[str, Any]] = []
        self.now_ns = 0

    def tick(self) -> int:
        self.now_ns += 50_000_000  # back-offs are over soon
        return self.now_ns

    def run(self, act: Callable[[Feeder], Coroutine[Any, Any, None]]) -> None:
        async def main() -> None:
            feeder = Feeder(self.far, self.store, mono_ns=self.tick, report=self.reports.append)  # type: ignore[arg-type]
            job = asyncio.ensure_future(feeder.run())
            try:
                await act(feeder)
            finally:
                job.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await job
                await feeder.finish(1.0)

        asyncio.run(main())

    async def until(self, is_so: Callable[[], Any]) -> None:
        async with asyncio.timeout(10):
            while not is_so():  # noqa: ASYNC110  (nothing tells of it)
                await asyncio.sleep(0.001)


def test_nothing_leaves_before_it_is_on_disk() -> None:
    desk = Desk(FarSide(), Store())

    async def act(feeder: Feeder) -> None:
        for number in (1, 2, 3):
            feeder.append(number, body(number))
        await asyncio.sleep(0.01)
        assert desk.far.lines == []
        assert feeder.depth == 3
        feeder.durable(Position(0, 0, 2))
        await desk.until(lambda: len(desk.far.lines) == 2)
        await desk.until(lambda: feeder.depth == 1)
        feeder.durable(Position(0, 0, 3))
        await desk.until(lambda: feeder.depth == 0)

    desk.run(act)
    assert desk.far.lines == [body(1), body(2), body(3)]
    assert desk.store.acked == 3
    assert [report["event"]["seq"] for report in desk.reports if report["type"] == "feed"] == [1, 2, 3]
    assert not desk.far.is_open


def test_a_far_side_that_takes_none_is_told_of_once_and_tried_again() -> None:
    desk = Desk(FarSide(), Store())
    desk.far.failure = OSError(28, "No space left on device")

    async def act(feeder: Feeder) -> None:
        feeder.append(1, body(1))
        feeder.durable(Position(0, 0, 1))
        await desk.until(lambda: desk.reports)
        feeder.append(2, body(2))
        feeder.durable(Position(0, 0, 2))
        await asyncio.sleep(0.01)
        desk.far.failure = None
        await desk.until(lambda: feeder.depth == 0)

    desk.run(act)
    trouble = [report for report in desk.reports if report["type"] == "trouble"]
    assert [(report["text"], report["over"]) for report in trouble] == [
        ("the feed's sink takes nothing: No space left on device", False),
        ("the feed's sink takes events", True),
    ]
    assert desk.far.lines == [body(1), body(2)]


def test_what_is_taken_in_part_goes_on_from_there() -> None:
    desk = Desk(FarSide(), Store())
    desk.far.most = 2

    async def act(feeder: Feeder) -> None:
        for number in range(1, 6):
            feeder.append(number, body(number))
        feeder.durable(Position(0, 0, 5))
        await desk.until(lambda: feeder.depth == 0)

    desk.run(act)
    assert desk.far.lines == [body(number) for number in range(1, 6)]
    assert desk.store.acked == 5


def test_what_an_earlier_run_owed_is_sent_first() -> None:
    desk = Desk(FarSide(), Store(acked=7, owed=(body(8), body(9))))

    async def act(feeder: Feeder) -> None:
        assert feeder.depth == 2
        desk.store.rows.append(SimpleNamespace(seq=10, body=body(10)))
        feeder.append(10, body(10))
        feeder.durable(Position(0, 0, 10))
        await desk.until(lambda: feeder.depth == 0)

    desk.run(act)
    assert desk.far.lines == [body(8), body(9), body(10)]


def test_the_end_sends_what_is_due() -> None:
    desk = Desk(FarSide(), Store())

    async def act(feeder: Feeder) -> None:
        feeder.append(1, body(1))
        feeder.durable(Position(0, 0, 1))

    desk.run(act)
    assert desk.far.lines == [body(1)]


def test_the_end_waits_for_no_far_side_that_is_gone() -> None:
    desk = Desk(FarSide(), Store())
    desk.far.failure = OSError(5, "Input/output error")

    async def act(feeder: Feeder) -> None:
        feeder.append(1, body(1))
        feeder.durable(Position(0, 0, 1))
        await desk.until(lambda: desk.reports)
        assert feeder.depth == 1

    desk.run(act)
    assert desk.far.lines == []
    assert desk.store.acked == 0


def test_a_sink_that_may_recover_by_itself_stops_no_start() -> None:
    desk = Desk(FarSide(), Store())
    desk.far.failure = OSError(28, "No space left on device")

    async def act(feeder: Feeder) -> None:
        feeder.append(1, body(1))
        feeder.durable(Position(0, 0, 1))
        await asyncio.sleep(0.01)
        desk.far.failure = None
        await desk.until(lambda: feeder.depth == 0)

    desk.run(act)
    assert desk.far.lines == [body(1)]


def test_a_sink_that_no_waiting_helps_stops_the_start(tmp_path: Path) -> None:
    async def main() -> None:
        Feeder(
            JsonLinesSink(tmp_path / "none" / "feed.jsonl"),
            Store(),  # type: ignore[arg-type]
            mono_ns=lambda: 0,
            report=lambda report: None,
        )

    with pytest.raises(ConfigError, match="mkdir -p"):
        asyncio.run(main())


def test_a_relative_path_lies_in_the_state_folder(
    document: dict[str, Any], configured: Callable[..., Any], tmp_path: Path
) -> None:
    for path, where in (
        ("feed.jsonl", tmp_path / "state" / "feed.jsonl"),
        (str(tmp_path / "f"), tmp_path / "f"),
    ):
        where.parent.mkdir(exist_ok=True)
        journal = SimpleNamespace(recovered=SimpleNamespace(position=Position()))
        sink = sink_of(configured({**document, "feed": {"path": path}}), tmp_path / "state", journal)
        sink.open()
        assert sink.send([msgspec.json.encode({"a": 1})]) == 1
        sink.close()
        assert where.read_text() == '{"a":1}\n'


def test_a_feed_file_of_another_numbering_is_moved_aside_and_told(
    document: dict[str, Any], configured: Callable[..., Any], tmp_path: Path
) -> None:
    config = configured(document)
    path = tmp_path / config.feed.path
    path.write_bytes(msgspec.json.encode({"source": config.table.id, "seq": 41}) + b"\n")
    told: list[str] = []
    journal = SimpleNamespace(recovered=SimpleNamespace(position=Position()))
    sink = sink_of(config, tmp_path, journal, told.append)
    sink.open()
    sink.close()
    assert len(told) == 1
    assert [file.name for file in tmp_path.glob("*.until-*")] == [f"{path.name}.until-41"]
