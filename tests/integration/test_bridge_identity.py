"""Two boxes that look alike change places between two runs: refused, with both named."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from shoe_bridge.cli import run_command
from shoe_bridge.runtime.config import parse


def nameless(config: dict[str, Any]) -> None:
    for device in config["device"]:
        device.pop("identity", None)


def exchange_ports(table: Any) -> None:
    """The configuration says of each of two boxes what is true of the other."""
    text = table.file.read_text()
    one, other = (f'port = "{table.ports}/{name}"' for name in ("reader-1", "keys-1"))
    text = text.replace(one, "port = X").replace(other, one).replace("port = X", other)
    table.file.write_text(text)
    table.config = parse(text, table.file)


def doctors_troubles(table: Any, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """What doctor says of the devices, by where; of the host it may say what it likes."""
    capsys.readouterr()
    run_command(["doctor", "--config", str(table.file), "--state", str(table.state), "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    troubles = [line for line in lines if line["type"] == "trouble"]
    return {one["where"]: one["what"] for one in troubles if " at /" in one["where"]}


def test_exchanged_boxes_are_refused_and_both_are_named(
    rig: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    table = rig(nameless)

    async def first() -> None:
        async with table.running() as live:
            await live.until_armed()

    async def second() -> None:
        async with table.running() as live:
            reader = await live.until_seen(type="trouble", device="reader-1")
            keys = await live.until_seen(type="trouble", device="keys-1")
            assert f"device {table.devices['keys-1'].device_id}, which is keys-1" in reader["text"]
            assert f"device {table.devices['reader-1'].device_id}, which is reader-1" in keys["text"]
            assert "`--exchanged reader-1 --exchanged keys-1`" in reader["text"]
            assert not live.armed

    async def third() -> None:
        async with table.running(exchanged=("reader-1", "keys-1")) as live:
            await live.until_armed()

    asyncio.run(first())
    exchange_ports(table)
    asyncio.run(second())
    told = doctors_troubles(table, capsys)
    for name, other in (("reader-1", "keys-1"), ("keys-1", "reader-1")):
        where = f"{name} at {table.ports}/{other}"
        assert f"says that it is device {table.devices[other].device_id}, which is {other}" in told[where]
    asyncio.run(third())
    assert not set(doctors_troubles(table, capsys)) & set(told)
    assert table.verified().problems == ()
