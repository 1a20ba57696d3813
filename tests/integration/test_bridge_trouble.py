"""A disk that is full, a feed that is away, a light that hangs: said, survived, and made good afterwards."""

import asyncio
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STOP_S = 2.0  # what an orderly end may take


@contextmanager
def full_disk() -> Iterator[None]:
    """No file of this process can grow: what writing to a full disk comes to."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_told_and_survived(rig: Callable[..., Any]) -> None:
    table = rig()

    async def main() -> None:
        async with table.running() as live:
            await live.until_armed()
            await live.until(lambda: live.light == "all_well", "all well")
            await live.until(lambda: feed_is_idle(live, table), "the feed is told")
            with full_disk():
                told = await live.until_seen(type="trouble", device=None, over=False)
                assert str(table.state) in told["text"]
                lamp = table.devices["keys-1"].lamps[1]
                await live.until(lambda: lamp.shown[0] == "flash", "the lamp says not monitored")
                before = len(table.feed_lines())
                await table.play("shuffle", "cut", "deal 1 -> seat 1")
                await live.until_seen(type="finding", kind="order_error")
                await live.until(lambda: lamp.shown[0] == "slow_blink", "an alert is lit all the same")
                assert len(table.feed_lines()) == before  # nothing leaves before its cause is on disk
            await live.until_seen(type="trouble", text="the journal can be written again")
            await live.until(
                lambda: any(e["type"].endswith("finding.raised") for e in table.feed_events()), "on the feed"
            )

    asyncio.run(main())
    verdict = table.verified()
    assert verdict.problems == ()
    events = table.feed_events()
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))


def feed_is_idle(live: Any, table: Any) -> bool:
    newest = live.bridge._journal.newest.outbox_seq
    return len(table.feed_events()) == newest


def test_a_feed_whose_folder_went_away_is_made_good(rig: Callable[..., Any], tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    table = rig(lambda config: config.update(feed={"path": str(folder / "feed.jsonl")}))

    async def main() -> None:
        async with table.running() as live:
            await live.until_armed()
            folder.rename(tmp_path / "moved")
            await table.play("shuffle", "cut", "deal 1 -> seat 1")
            told = await live.until_seen(type="trouble", device=None, over=False)
            assert told["text"].startswith("the feed's sink takes nothing")
            assert live.light == "attention"
            (tmp_path / "moved").rename(folder)
            await live.until_seen(type="trouble", text="the feed's sink takes events")

    asyncio.run(main())
    text = (folder / "feed.jsonl").read_text()
    assert "order_error" in text
    assert table.verified().problems == ()


def test_a_light_that_takes_nothing_delays_neither_alert_nor_end(rig: Callable[..., Any]) -> None:
    near, far = os.openpty()
    path = os.ttyname(far)
    fill(far)
    os.close(far)
    table = rig(
        lambda config: config["light"].append({"name": "hung", "kind": "lcus_relay", "port": path}),
        has_relay=True,
    )

    async def main() -> None:
        async with table.running() as live:
            await live.until_armed()
            await live.until_seen(type="lamp", light="hung", shown=None)
            await table.play("shuffle", "cut", "deal 1 -> seat 1")
            await live.until_seen(type="lamp", light="relay", shown="attention")
            live.stop.set()
            await asyncio.wait_for(asyncio.shield(live.task), STOP_S)

    try:
        asyncio.run(main())
    finally:
        os.close(near)
    assert table.devices["relay"].shown == (False, False, False, False)
    assert table.devices["keys-1"].lamps[1].shown[0] == "flash"
    assert table.verified().problems == ()


def fill(far: int) -> None:
    """Write into the port until nobody takes more, as if its light had hung long ago."""
    os.set_blocking(far, False)
    try:
        while True:
            os.write(far, bytes(4096))
    except BlockingIOError:
        pass


def test_the_lights_say_not_monitored_at_the_end(rig: Callable[..., Any]) -> None:
    table = rig()

    async def main() -> None:
        async with table.running() as live:
            await live.until_armed()
            await live.until(lambda: table.devices["relay"].shown == (True, False, False, False), "all well")

    asyncio.run(main())
    assert table.devices["relay"].shown == (False, False, False, False)
    assert table.devices["keys-1"].lamps[1].shown[0] == "flash"
