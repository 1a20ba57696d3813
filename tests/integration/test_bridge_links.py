"""Links that fail: a pulled plug, another device, a fault of ours, a hung device. Only that link suffers."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shoe_bridge.link.backoff import Backoff
from shoe_bridge.link.device_link import DeviceLink
from shoe_bridge.runtime import bridge as bridge_module
from shoe_bridge.runtime.core import TABLE, Core
from shoe_bridge.runtime.inputs import Tick


def test_a_replug_in_mid_hand_loses_no_card(rig: Callable[..., Any]) -> None:
    table = rig()

    async def main() -> None:
        async with table.running() as live:
            await live.until_armed()
            await table.play("shuffle", "cut", "deal 1 -> seat 5")
            with table.host.table():
                table.devices["reader-1"].unplug()
            await live.until_seen(type="event", kind="LinkLost", device="reader-1")
            assert live.light == "not_monitored"
            await table.deal("seat 1", "seat 3", first=2)  # nobody hears it: seat 2 was due
            with table.host.table():
                table.devices["reader-1"].replug()
            await live.until_seen(type="event", kind="LinkRestored", missed_events=0)
            await live.until(lambda: len(live.bridge.core.state.hand.cards) == 3, "the cards are told")
            finding = await live.until_seen(type="finding", kind="order_error")
            assert (finding["card"], finding["got"], finding["want"]) == (3, "seat 3", "seat 2")
            note = await live.until_seen(type="finding", cause="link_lost")
            assert note["device"] == "reader-1"
            assert live.bridge.core.state.unverified
            await live.until(lambda: live.light == "attention", "lit again")

    asyncio.run(main())
    assert table.verified().problems == ()
    lost = [event for event in table.feed_events() if event["type"] == "shoe-bridge.device.lost"]
    assert [event["data"]["device"] for event in lost] == ["reader-1"]


def test_a_device_that_is_another_one_is_refused(rig: Callable[..., Any]) -> None:
    def expect_another(config: dict[str, Any]) -> None:
        config["device"][0]["identity"] = "0102030405060708"

    table = rig(expect_another)

    async def main() -> None:
        async with table.running() as live:
            told = await live.until_seen(type="trouble", device="reader-1")
            assert told["text"].count(". ") == 0
            assert "0102030405060708" in told["text"]
            assert table.devices["reader-1"].device_id in told["text"]
            await live.until_seen(type="event", kind="LinkRestored", device="keys-1")
            await table.play("shuffle", "cut", "deal 1 -> seat 1")
            await live.until_seen(type="event", kind="KeyPressed", key="cut")
            assert live.light in (None, "not_monitored")
            assert not live.armed
            assert live.seen(type="event", kind="CardArrived") == []
            lamp = table.devices["keys-1"].lamps[1]
            assert lamp.shown[0] == "flash"

    asyncio.run(main())


def failing_at(count: int) -> Callable[..., Any]:
    """`DeviceLink.take` that raises at the `count`-th chunk of each link to reader-1, replayed ones too."""
    take = DeviceLink.take
    seen: dict[int, int] = {}

    def faulty(link: DeviceLink, data: bytes, at_mono_ns: int) -> Any:
        if link.config.name == "reader-1":
            seen[id(link)] = seen.get(id(link), 0) + 1
            if seen[id(link)] == count:
                raise ZeroDivisionError("a fault of ours")
        return take(link, data, at_mono_ns)

    return faulty


def test_a_fault_of_ours_in_one_link_restarts_that_link_alone(
    rig: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = rig()
    monkeypatch.setattr(DeviceLink, "take", failing_at(40))

    async def main() -> None:
        async with table.running() as live:
            await live.until_seen(type="armed", armed=True)
            told = await live.until_seen(type="trouble", device="reader-1")
            assert told["text"] == "the link of reader-1 failed and starts anew"
            await live.until(lambda: len(restored(live, "reader-1")) == 2, "reader-1 is back")
            await live.until(lambda: live.armed, "armed again")
            assert len(restored(live, "keys-1")) == 1
            await table.play("shuffle", "cut", "deal 1 -> seat 1")
            await live.until_seen(type="finding", kind="order_error")

    asyncio.run(main())
    [fault] = table.records("bridge.fault")
    assert fault["device"] == "reader-1"
    assert "ZeroDivisionError: a fault of ours" in fault["traceback"]
    assert table.verified().problems == ()


def test_a_fault_of_ours_in_a_look_at_the_table_stops_nothing(
    rig: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = rig()
    take = Core.take

    def faulty(core: Core, given: Any) -> Any:
        if given.device == TABLE:
            raise ZeroDivisionError("a fault of ours")
        return take(core, given)

    monkeypatch.setattr(Core, "take", faulty)

    async def main() -> None:
        async with table.running() as live:
            await live.until_armed()
            live.bridge.take(Tick(TABLE, live.bridge.clock.mono_ns()))
            told = await live.until_seen(type="trouble", device=None)
            assert told["text"] == "a look at the table failed"
            await table.play("shuffle", "cut", "deal 1 -> seat 1")
            await live.until_seen(type="finding", kind="order_error")

    asyncio.run(main())
    [fault] = table.records("bridge.fault")
    assert "ZeroDivisionError: a fault of ours" in fault["traceback"]


def restored(live: Any, device: str) -> list[dict[str, Any]]:
    return live.seen(type="event", kind="LinkRestored", device=device)  # type: ignore[no-any-return]


def fill(path: Path) -> None:
    """Write into a port until nobody takes more, as if its device had hung long ago."""
    far = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        while True:
            os.write(far, bytes(4096))
    except BlockingIOError:
        pass
    finally:
        os.close(far)


def test_a_device_that_never_reads_delays_no_other(rig: Callable[..., Any]) -> None:
    def add_sick(config: dict[str, Any]) -> None:
        config["device"].insert(0, {"name": "shoe-1", "kind": "tablelink", "port": str(sick_path)})

    near, far = os.openpty()
    sick_path = Path(os.ttyname(far))
    os.close(far)
    fill(sick_path)
    table = rig(add_sick)

    async def main() -> None:
        async with table.running() as live:
            await live.until_seen(type="event", kind="LinkRestored", device="reader-1")
            await live.until_seen(type="event", kind="LinkRestored", device="keys-1")
            await table.play("shuffle", "cut", "deal 1 -> seat 1")
            await live.until_seen(type="finding", kind="order_error")
            told = await live.until_seen(type="trouble", device="shoe-1")
            assert "shoe-1" in told["text"]
            assert live.light == "not_monitored"

    try:
        asyncio.run(main())
    finally:
        os.close(near)
    assert table.verified().problems == ()


def test_a_start_that_waits_needs_no_port(rig: Callable[..., Any]) -> None:
    table = rig()
    with table.host.table():
        for device in table.devices.values():
            device.unplug()

    async def main() -> None:
        async with table.running(is_patient=True) as live:
            told = await live.until_seen(type="device", device="reader-1", what="lost")
            assert str(table.ports / "reader-1") in told["text"]
            await live.until(lambda: live.bridge.is_running, "running")
            assert not live.armed
            with table.host.table():
                for device in table.devices.values():
                    device.replug()
            await live.until_armed()
            await live.until_seen(type="device", device="reader-1", what="opened")
            await live.until(lambda: live.light == "all_well", "all well")

    asyncio.run(main())


class BriefPort:
    """A port that opens, holds a descriptor, and is lost at once."""

    lives = 0

    def __init__(self) -> None:
        self._fd = -1

    async def open_async(self, on_data: Callable[[bytes, int], None], on_lost: Callable[[str], None]) -> None:
        self._fd = os.open(os.devnull, os.O_RDWR)
        BriefPort.lives += 1
        on_data(b"\x7e", 1)
        on_lost("unplugged")

    def write(self, data: bytes) -> bool:
        return self._fd >= 0

    def close(self) -> None:
        os.close(self._fd)
        self._fd = -1


def test_a_thousand_reconnects_leave_nothing_open(
    rig: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = rig(has_relay=False)
    monkeypatch.setattr(BriefPort, "lives", 0)
    monkeypatch.setattr(bridge_module, "Backoff", lambda random: Backoff(random, first_s=0.0, longest_s=0.0))
    counts: list[int] = []

    async def main() -> None:
        async with table.running(make_port=lambda device: BriefPort()) as live:
            await live.until(lambda: BriefPort.lives >= 200, "200 lives")
            counts.append(open_files())
            await live.until(lambda: BriefPort.lives >= 2_200, "1,000 more for each of two devices")
            counts.append(open_files())
            assert len(live.seen(type="device", device="reader-1", what="lost")) == 1  # the rest whisper

    asyncio.run(main())
    # the journal's own come and go, and a port of each device is open or not at the moment of counting
    assert abs(counts[1] - counts[0]) <= 4
    assert table.verified().problems == ()


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))
