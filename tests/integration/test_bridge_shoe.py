"""A table with a shoe that only speaks: it is not armed before the shoe has spoken, and says why."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shoe_bridge.sim.angel_eye_shoe import AngelEyeShoe
from shoe_bridge.sim.bee_tek_shoe import BeeTekShoe
from shoe_bridge.sim.pty_host import PtyHost


@pytest.mark.parametrize("make", [AngelEyeShoe, BeeTekShoe])
def test_run_says_that_it_waits_for_the_shoe(
    rig: Callable[..., Any], tmp_path: Path, make: type[AngelEyeShoe | BeeTekShoe]
) -> None:
    shoe = make("shoe-1")
    with PtyHost([shoe], tmp_path / "shoe") as shoes:

        def with_shoe(config: dict[str, Any]) -> None:
            path = str(shoes.paths()["shoe-1"])
            config["device"].append({"name": "shoe-1", "kind": shoe.kind, "port": path})

        table = rig(with_shoe)

        async def test() -> None:
            async with table.running() as live:
                await live.until(lambda: live.seen(type="waiting"))
                (waiting,) = live.seen(type="waiting")
                assert waiting["device"] == "shoe-1"
                assert "draw a card or press a button on the shoe" in waiting["text"]
                assert not live.seen(type="armed", armed=True)
                with shoes.table():
                    shoe.draw("9d")
                await live.until(lambda: live.seen(type="armed", armed=True))
                assert live.seen(type="waiting")[1:] == [
                    {"type": "waiting", "device": "shoe-1", "text": None}
                ]

        asyncio.run(test())
