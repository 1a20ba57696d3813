"""One wrong card at a real table: the light changes, the finding is told, the feed says so and no more."""

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from shoe_bridge.feed.jsonl import JsonLinesSink
from shoe_bridge.journal import JournalReader
from shoe_bridge.sim.tags import STANDARD_52, tag_uid

TO_SEAT_5_FIRST = ("seat 5", "seat 1", "seat 2", "seat 3")  # the button lies at seat 3
RELAY_OF_ATTENTION = (False, True, False, False)


async def settled(live: Any, rig: Any, seq: int) -> None:
    """Until the feed holds the event of that number."""
    await live.until(lambda: any(event["seq"] == seq for event in rig.feed_events()), f"feed event {seq}")


def test_an_order_error_reaches_light_people_and_feed(rig: Callable[..., Any]) -> None:
    table = rig()

    async def main() -> None:
        async with table.running() as live:
            await live.until_armed()
            await live.until(lambda: table.devices["relay"].shown == (True, False, False, False), "all well")
            await table.play("shuffle", "cut", "deal 1 -> seat 1")
            finding = await live.until_seen(type="finding", kind="order_error", raised=True)
            assert (finding["card"], finding["got"], finding["want"]) == (1, "seat 1", "seat 5")
            assert finding["rule"] == "19.1(c)"
            assert finding["sentence"] == "Card 1 went to seat 1, it was due at seat 5 (19.1(c))."
            assert live.light == "attention"
            lamp = table.devices["keys-1"].lamps[1]
            await live.until(lambda: lamp.shown == ("slow_blink", 255, 140, 0), "the lamp blinks amber")
            await live.until(lambda: table.devices["relay"].shown == RELAY_OF_ATTENTION, "the relay switches")
            await live.until_seen(type="lamp", light="relay", shown="attention")
            await live.until(lambda: live.seen(type="feed"), "a feed event was acknowledged")
            await live.until(
                lambda: any(e["type"].endswith("finding.raised") for e in table.feed_events()), "on the feed"
            )

    asyncio.run(main())
    [raised] = [event for event in table.feed_events() if event["type"] == "shoe-bridge.finding.raised"]
    assert raised["data"]["finding"] == {
        "kind": "order_error",
        "card": 1,
        "got": "seat 1",
        "want": "seat 5",
        "rule": "19.1(c)",
    }
    assert raised["hand"] == 1
    verdict = table.verified()
    assert verdict.problems == ()
    assert verdict.findings >= 1


def test_a_feed_line_leaves_only_after_what_it_rests_on_is_on_disk(
    rig: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = rig()
    sent: list[tuple[int, int]] = []  # number of an event that leaves, newest number on disk at that moment
    send = JsonLinesSink.send

    def watched(sink: JsonLinesSink, events: list[bytes]) -> int:
        with JournalReader(table.state) as reader:
            on_disk = reader.position()
        sent.extend((json.loads(event)["seq"], on_disk.outbox_seq) for event in events)
        return send(sink, events)

    monkeypatch.setattr(JsonLinesSink, "send", watched)

    async def main() -> None:
        async with table.running() as live:
            await live.until_armed()
            await table.play("shuffle", "cut", "deal 1 -> seat 1")
            await live.until_seen(type="feed")
            await live.until_seen(type="finding", kind="order_error")

    asyncio.run(main())
    assert len(sent) >= 5
    assert [pair for pair in sent if pair[0] > pair[1]] == []


def test_the_feed_names_no_tag_and_no_card(rig: Callable[..., Any]) -> None:
    table = rig()

    async def main() -> None:
        async with table.running() as live:
            await live.until_armed()
            await table.play("shuffle", "cut", "deal 1 -> seat 1")
            await table.deal(*TO_SEAT_5_FIRST[1:], first=2)
            await table.play("exposed", "end deal", "supervisor misdeal")
            await live.until_seen(type="alert", what="closed")
            screen = json.dumps(live.reports)
            assert "E004" not in screen

    asyncio.run(main())
    text = table.feed_file.read_text()
    events = table.feed_events()
    assert {"shoe-bridge.finding.raised", "shoe-bridge.alert.closed"} <= {event["type"] for event in events}
    assert not [card for card in STANDARD_52 if tag_uid("blue", card) in text.upper()]
    assert re.findall(r'"(?:10|[2-9TJQKAtjqka])[cdhsCDHS]"', text) == []
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert {event["source"] for event in events} == {"t-1"}


def test_a_clean_deal_raises_nothing(rig: Callable[..., Any]) -> None:
    table = rig()

    async def main() -> None:
        async with table.running() as live:
            await live.until_armed()
            await table.play("shuffle", "cut")
            await table.deal(*TO_SEAT_5_FIRST, *TO_SEAT_5_FIRST)
            await table.play("end deal")
            await live.until_seen(type="finding", kind="deal_ok", raised=True)
            assert live.light == "all_well"
            assert live.seen(type="alert") == []
            assert {report["kind"] for report in live.seen(type="finding")} == {
                "deal_ok",
                "substantial_action",
            }

    asyncio.run(main())
    assert table.verified().problems == ()
