"""A bridge that ended, on purpose or not, goes on where it was: alerts, lights, the hand, its feed."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from shoe_bridge.adapters.clock import SystemClock

DAY_NS = 86_400 * 10**9


class SteppedClock(SystemClock):
    """The host's clocks, with a wall clock that can be put forward."""

    ahead_ns = 0

    def wall_ns(self) -> int:
        return super().wall_ns() + self.ahead_ns


def test_an_open_alert_and_its_light_outlive_a_restart(rig: Callable[..., Any]) -> None:
    table = rig()

    async def err() -> None:
        async with table.running() as live:
            await live.until_armed()
            await table.play("shuffle", "cut", "deal 1 -> seat 1")
            await live.until_seen(type="alert", what="raised", cause="deal")

    async def go_on() -> None:
        async with table.running() as live:
            await live.until_armed()
            assert live.light == "attention"
            alerts = {alert.number: alert for alert in live.bridge.core.state.alerts.open}
            assert (alerts[1].cause, alerts[1].status) == ("deal", "raised")
            lamp = table.devices["keys-1"].lamps[1]
            await live.until(lambda: lamp.shown[0] == "slow_blink", "the lamp blinks again")
            assert live.seen(type="finding", kind="order_error") == []
            await table.play("supervisor play on")
            closed = await live.until_seen(type="alert", what="closed")
            assert closed["number"] == 1

    asyncio.run(err())
    asyncio.run(go_on())
    verdict = table.verified()
    assert verdict.problems == ()
    assert verdict.runs == 2


def test_a_restart_between_hands_starts_verified(rig: Callable[..., Any]) -> None:
    table = rig()

    async def once() -> None:
        async with table.running() as live:
            await live.until_armed()
            assert live.bridge.core.state.unverified == ()
            await live.until(lambda: live.light == "all_well", "all well")

    asyncio.run(once())
    asyncio.run(once())
    assert table.verified().problems == ()


@pytest.mark.parametrize(
    "until", [{"type": "event", "kind": "CardArrived"}, {"type": "feed"}, {"type": "alert"}]
)
def test_killed_in_mid_hand(
    rig: Callable[..., Any], start: Callable[..., Any], until: dict[str, str]
) -> None:
    table = rig()
    bridge = start(table)
    bridge.until_seen(type="armed", armed=True)
    asyncio.run(table.play("shuffle", "cut", "deal 1 -> seat 5", "deal 2 -> seat 2"))
    bridge.until_seen(type="finding", kind="order_error", raised=True)
    bridge.until_seen(type="alert", what="raised")
    told = {"event": "deal 3 -> seat 3", "feed": "deal 3 -> seat 3", "alert": "exposed"}[until["type"]]
    asyncio.run(table.play(told))
    bridge.until_seen(**until)
    bridge.kill()
    before = lines_by_id(table)

    async def go_on() -> None:
        async with table.running() as live:
            await live.until_armed()
            assert live.light == "attention"
            state = live.bridge.core.state
            assert "deal" in {alert.cause for alert in state.alerts.open}
            assert state.unverified
            assert [card.at for card in state.hand.cards][:2] == ["seat 5", "seat 2"]
            # what lay there before is no new card; what was dealt while nobody looked is not lost
            await live.until(
                lambda: count_cards(live) == (2 if told == "exposed" else 3), "all cards are known"
            )
            await table.play(f"deal {count_cards(live) + 1} -> seat 1")
            await live.until(lambda: count_cards(live) == (3 if told == "exposed" else 4), "the next card")

    asyncio.run(go_on())
    after = lines_by_id(table)
    assert {number: after[number] for number in before} == before
    assert all(len(lines) == 1 for lines in after.values()), "one id with different bytes"
    events = table.feed_events()
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    opened = [event for event in events if event["type"] == "shoe-bridge.table.opened"]
    assert [event["data"]["after_unclean_stop"] for event in opened] == [False, True]
    verdict = table.verified()
    assert verdict.problems == ()
    assert verdict.runs == 2


def count_cards(live: Any) -> int:
    return len(live.bridge.core.state.hand.cards)


def lines_by_id(table: Any) -> dict[str, set[str]]:
    """The different lines of the feed's file under each id."""
    found: dict[str, set[str]] = {}
    for line in table.feed_lines():
        found.setdefault(line.split('"id":"', 1)[1].split('"', 1)[0], set()).add(line)
    return found


def test_midnight_in_mid_hand(rig: Callable[..., Any]) -> None:
    table = rig()
    clock = SteppedClock()

    async def over_midnight() -> None:
        async with table.running(clock=clock) as live:
            await live.until_armed()
            await table.play("shuffle", "cut", "deal 1 -> seat 5")
            await live.until_seen(type="event", kind="CardArrived")
            clock.ahead_ns = DAY_NS
            await table.play("deal 2 -> seat 2")
            await live.until_seen(type="finding", kind="order_error")

    async def next_day() -> None:
        async with table.running(clock=clock) as live:
            await live.until_armed()
            assert [card.at for card in live.bridge.core.state.hand.cards] == ["seat 5", "seat 2"]
            assert live.light == "attention"

    asyncio.run(over_midnight())
    assert len(list(table.state.glob("journal-*.sqlite"))) == 2
    assert table.verified().problems == ()
    asyncio.run(next_day())
    verdict = table.verified()
    assert verdict.problems == ()
    assert verdict.runs == 2
