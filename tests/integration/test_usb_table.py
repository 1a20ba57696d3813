"""A whole table on USB alone: a FEIG reader, a keyboard-wedge reader, a touch sensor and its light."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from usb_bus import Bus
from usb_gadgets import FeigGadget, KeyboardGadget, TouchLightGadget

from protocol.hid_keyboard import encode_tag
from shoe_bridge.adapters import usb_device
from shoe_bridge.journal import JournalReader
from shoe_bridge.runtime.bridge import Bridge
from shoe_bridge.runtime.config import parse
from shoe_bridge.runtime.decks import save_register
from shoe_bridge.runtime.replay import verify
from shoe_bridge.sim.feig_device import FeigDevice
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.tags import STANDARD_52, tag_uid
from shoe_bridge.sim.world import World
from shoe_bridge.table.deck import Deck, Register

WAIT_S = 15.0
DECK = Register((Deck("blue", {tag_uid("blue", card): card for card in STANDARD_52}),))
TABLE = """\
[table]
id = "usb-1"
game = "holdem"
seats = 2
decks = "decks.toml"

[[device]]
name = "reader-1"
kind = "feig_obid"
port = "usb:0ab1:0004"
antennas = { 1 = "seat 1", 2 = "seat 2", 3 = "board" }

[[device]]
name = "burn-1"
kind = "hid_keyboard"
port = "usb:ffff:0035"
typed = "hex"
layout = "boot"
antennas = { 1 = "burn" }

[[device]]
name = "touch-1"
kind = "patlite_ne"
port = "usb:191a:6001"
keys = { 1 = "shuffle" }

[[light]]
name = "dealer"
kind = "patlite_ne"
device = "touch-1"
"""
GREEN = bytes.fromhex("0000FF0F21000000")
UNMONITORED = bytes.fromhex("0000FF0F45000000")


class UsbTable:
    """The devices, the bridge, and what it has reported."""

    def __init__(self, folder: Path, bus: Bus) -> None:
        self.folder, self.bus = folder, bus
        self.world = World()
        antennas = {1: "seat 1", 2: "seat 2", 3: "board"}
        started_s = time.monotonic()
        feig = FeigDevice("reader-1", air=Air(self.world), antennas=antennas)
        self.feig = FeigGadget(feig, lambda: int((time.monotonic() - started_s) * 1000))
        self.wedge = KeyboardGadget()
        self.touch = TouchLightGadget()
        for gadget in (self.feig, self.wedge, self.touch):
            bus.plug(gadget)
        save_register(folder / "decks.toml", DECK)
        self.config = parse(TABLE, folder / "table.toml")
        self.reports: list[dict[str, Any]] = []

    def seen(self, **wanted: object) -> list[dict[str, Any]]:
        return [report for report in self.reports if wanted.items() <= report.items()]

    def observed(self, **wanted: object) -> list[dict[str, Any]]:
        """The journal's events whose observations have these keys with these values."""
        with JournalReader(self.folder / "state") as reader:
            events = [json.loads(record.body) for record in reader.records() if record.kind == "event"]
        return [event for event in events if wanted.items() <= event["observation"].items()]

    async def until(self, is_so: Callable[[], object]) -> None:
        try:
            async with asyncio.timeout(WAIT_S):
                while not is_so():  # noqa: ASYNC110  some of it no report tells
                    await asyncio.sleep(0.01)
        except TimeoutError:
            raise AssertionError(f"it did not happen; the last reports: {self.reports[-8:]}") from None

    @property
    def is_armed(self) -> bool:
        told = self.seen(type="armed")
        return bool(told) and bool(told[-1]["armed"])


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[UsbTable]:
    bus = Bus()
    monkeypatch.setattr(usb_device, "open_backend", bus.backend().itself)
    yield UsbTable(tmp_path, bus)
    bus.close()


def test_a_table_on_usb_is_armed_read_pressed_lit_unplugged_and_armed_again(table: UsbTable) -> None:
    touch = table.touch

    async def main() -> None:
        stop = asyncio.Event()
        bridge = Bridge(table.config, table.folder / "state", report=table.reports.append)
        task = asyncio.ensure_future(bridge.run(stop))
        await table.until(lambda: table.is_armed)
        await table.until(lambda: touch.taken[-1:] == [GREEN])

        touch.is_touched = True
        await asyncio.sleep(0.2)
        touch.is_touched = False
        await table.until(lambda: table.observed(kind="KeyPressed", key="shuffle"))
        table.world.place(tag_uid("blue", "As"), "seat 1")
        await table.until(lambda: table.observed(kind="CardArrived", place="seat 1"))
        table.wedge.type(encode_tag(tag_uid("blue", "Kd"), "hex"))
        await table.until(lambda: table.observed(kind="CardArrived", place="burn"))

        table.bus.unplug(table.feig)
        await table.until(lambda: not table.is_armed)
        [lost] = table.seen(type="device", device="reader-1", what="lost")
        assert "it was unplugged" in lost["text"]
        table.bus.plug(table.feig)
        await table.until(lambda: table.is_armed)
        assert len(table.observed(kind="LinkLost", device="reader-1")) == 1

        stop.set()
        await task
        await table.until(lambda: not (table.feig.claimed or table.wedge.claimed or touch.claimed))

    asyncio.run(main())
    assert touch.taken[-1] == UNMONITORED
    assert touch.asked > 3
    assert len(table.observed(kind="KeyPressed")) == 1
    assert table.wedge.driven == touch.driven == {0, 1}
    with JournalReader(table.folder / "state") as reader:
        assert verify(reader).problems == ()
