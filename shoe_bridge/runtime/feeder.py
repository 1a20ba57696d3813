"""Drives the feed's outbox on the loop: what is durable goes to the sink, in a thread, in order."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from shoe_bridge.errors import ConfigError
from shoe_bridge.feed.jsonl import JsonLinesSink
from shoe_bridge.feed.outbox import Outbox
from shoe_bridge.journal import Journal, Position
from shoe_bridge.runtime.config import TableConfig
from shoe_bridge.runtime.ports import Sink


def sink_of(
    config: TableConfig, state_folder: Path, journal: Journal, tell: Callable[[str], None] | None = None
) -> Sink:
    """The sink that the configuration names; a relative path lies in the state folder. A file that holds
    another numbering than the journal's is moved aside, and `tell` gets the sentence."""
    return JsonLinesSink(
        state_folder / config.feed.path,
        source=config.table.id,
        next_seq=journal.recovered.position.outbox_seq + 1,
        on_moved=tell,
    )


class Feeder:
    """Owns the outbox of one table. `report` gets each event once the far side has acknowledged it.

    Raises ConfigError when the sink cannot be opened and no waiting would help.
    """

    def __init__(
        self,
        sink: Sink,
        journal: Journal,
        *,
        mono_ns: Callable[[], int],
        report: Callable[[dict[str, Any]], None],
    ) -> None:
        self._sink = sink
        self._mono_ns = mono_ns
        self._report = report
        recovered = journal.recovered
        self._outbox = Outbox(
            sink,
            journal,
            acknowledged_seq=recovered.acknowledged_seq,
            durable_seq=recovered.position.outbox_seq,
        )
        self._wake = asyncio.Event()
        self._trouble: str | None = None
        try:
            sink.open()
        except ConfigError:
            raise
        except OSError as error:  # it may pass by itself: the outbox tries again
            self._outbox.fail(error.strerror or str(error), mono_ns())

    @property
    def depth(self) -> int:
        """How many events are owed to the far side."""
        return self._outbox.depth

    def append(self, seq: int, body: bytes) -> None:
        self._outbox.append(seq, body)

    def durable(self, position: Position) -> None:
        """The journal holds all up to here."""
        self._outbox.durable(position.outbox_seq)
        self._wake.set()

    async def run(self) -> None:
        """Sends until cancelled."""
        while True:
            self._wake.clear()
            await self._send_due()
            await self._wait()

    async def finish(self, timeout_s: float) -> None:
        """Send what is owed, at most for `timeout_s`, and close the sink. The rest stays in the journal."""
        try:
            async with asyncio.timeout(timeout_s):
                while self._outbox.next_due_ns() == 0:
                    await self._send_due()
        except TimeoutError:
            pass
        self._sink.close()

    async def _wait(self) -> None:
        due = self._outbox.next_due_ns()
        timeout_s = None if due is None else max(0, due - self._mono_ns()) / 1e9
        try:
            await asyncio.wait_for(self._wake.wait(), timeout_s)
        except TimeoutError:
            pass

    async def _send_due(self) -> None:
        batch = self._outbox.due(self._mono_ns())
        if batch:
            sending = asyncio.ensure_future(asyncio.to_thread(self._sink.send, batch))
            try:
                count = await asyncio.shield(sending)
            except OSError as error:
                self._outbox.fail(error.strerror or str(error), self._mono_ns())
            except asyncio.CancelledError:
                self._settle(batch, await sending)
                raise
            else:
                self._settle(batch, count)
        self._tell_trouble()

    def _settle(self, batch: list[bytes], count: int) -> None:
        self._outbox.acknowledge(count, self._mono_ns())
        for body in batch[:count]:
            self._report({"type": "feed", "event": msgspec.json.decode(body)})

    def _tell_trouble(self) -> None:
        trouble = self._outbox.trouble
        if trouble != self._trouble:
            self._trouble = trouble
            text = f"the feed's sink takes nothing: {trouble}" if trouble else "the feed's sink takes events"
            self._report({"type": "trouble", "device": None, "text": text, "over": trouble is None})
