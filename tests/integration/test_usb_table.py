"""A whole table on USB alone: a FEIG reader, a wedge reader, a keypad, a touch sensor and its light."""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from usb_bus import Bus
from usb_gadgets import FeigGadget, HidGadget, KeyboardGadget, KeypadGadget, TouchLightGadget

from protocol.hid_keyboard import encode_tag
from shoe_bridge.adapters import usb_device
from shoe_bridge.cli.calibrate_map import MapProof
from shoe_bridge.cli.calibrate_run import Calibration
from shoe_bridge.journal import JournalReader
from shoe_bridge.runtime.bridge import Bridge
from shoe_bridge.runtime.config import parse
from shoe_bridge.runtime.decks import save_register
from shoe_bridge.runtime.replay import verify
from shoe_bridge.sim.feig_device import FeigDevice
from shoe_bridge.sim.hid_keypad_device import HidKeypadDevice
from shoe_bridge.sim.light_looks import Shown
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

[[device]]
name = "pad-1"
kind = "hid_keyboard"
port = "usb:1189:8890"
keys = { F1 = "cut", F2 = "end deal", KP0 = "acknowledge" }

[[light]]
name = "dealer"
kind = "patlite_ne"
device = "touch-1"
"""
BITMAP = bytes.fromhex("0501 0906 A101 0507 7501 9580 8102 C0")  # reports of 16 bytes: a bit for each key
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
        now_ms = lambda: int((time.monotonic() - started_s) * 1000)  # noqa: E731
        self.feig = FeigGadget(feig, now_ms)
        self.keypad = HidKeypadDevice("pad-1", repeat_ms=40)
        self.pad = KeypadGadget(self.keypad, now_ms)
        self.wedge = KeyboardGadget()
        self.touch = TouchLightGadget()
        for gadget in (self.feig, self.wedge, self.touch, self.pad):
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

    def pressed(self) -> list[str]:
        return [event["observation"]["key"] for event in self.observed(kind="KeyPressed", device="pad-1")]

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

        touch.press()
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
    assert touch.touch.look == Shown("blue", "flash")
    assert touch.touch.asked > 3
    assert len(table.observed(kind="KeyPressed")) == 1
    assert table.wedge.driven == touch.driven == {0, 1}
    with JournalReader(table.folder / "state") as reader:
        assert verify(reader).problems == ()


def test_keys_of_a_keypad_are_heard_once_each_through_chords_repeats_and_a_pulled_plug(
    table: UsbTable,
) -> None:
    pad, f1, f2, kp0 = table.pad, 0x3A, 0x3B, 0x62

    async def main() -> None:
        stop = asyncio.Event()
        bridge = Bridge(table.config, table.folder / "state", report=table.reports.append)
        task = asyncio.ensure_future(bridge.run(stop))
        await table.until(lambda: table.is_armed)
        await asyncio.sleep(0.8)  # what is down until then was down before
        pad.act(lambda keypad: keypad.press(f1, held_ms=400))  # and its report is repeated ten times
        await table.until(lambda: table.pressed() == ["cut"])
        await asyncio.sleep(0.5)
        pad.act(lambda keypad: keypad.hold(f2, kp0, modifiers=0x02))
        await table.until(lambda: table.pressed() == ["cut", "end deal", "acknowledge"])

        table.bus.unplug(pad)
        pad.act(lambda keypad: keypad.unplug())
        await table.until(lambda: not table.is_armed)
        pad.driven = {0, 1}
        table.bus.plug(pad)
        pad.act(lambda keypad: keypad.replug())  # with both keys still down
        await table.until(lambda: table.is_armed)
        await asyncio.sleep(0.8)
        pad.act(lambda keypad: keypad.release())
        await asyncio.sleep(0.2)
        pad.act(lambda keypad: keypad.press(f2))
        await table.until(lambda: len(table.pressed()) == 4)
        stop.set()
        await task
        await table.until(lambda: not pad.claimed)

    asyncio.run(main())
    assert table.pressed() == ["cut", "end deal", "acknowledge", "end deal"]
    assert len(table.observed(kind="LinkLost", device="pad-1")) == 1
    assert pad.driven == {0, 1}
    with JournalReader(table.folder / "state") as reader:
        assert verify(reader).problems == ()


def test_a_keypad_with_a_bit_for_each_key_presses_nothing_live_and_in_the_replay(table: UsbTable) -> None:
    pad = HidGadget(BITMAP, packet=16)

    async def main() -> None:
        stop = asyncio.Event()
        bridge = Bridge(table.config, table.folder / "state", report=table.reports.append)
        task = asyncio.ensure_future(bridge.run(stop))
        await table.until(lambda: table.is_armed)
        table.bus.unplug(table.pad)
        await table.until(lambda: not table.is_armed)
        table.bus.plug(pad)
        await table.until(lambda: table.is_armed)
        await asyncio.sleep(0.8)  # what is down until then was down before
        for usage in range(0x04, 0x78):
            pad.press(usage)
        await table.until(lambda: table.seen(type="trouble", device="pad-1"))
        pad.press(0x3A)
        await asyncio.sleep(0.5)
        stop.set()
        await task
        await table.until(lambda: not pad.claimed)

    asyncio.run(main())
    (said,) = table.seen(type="trouble", device="pad-1")
    assert "sends reports that are not of the layout `boot`: set `layout`" in said["text"]
    assert table.observed(kind="KeyPressed") == []
    with JournalReader(table.folder / "state") as reader:
        assert verify(reader).problems == ()


def test_calibrate_proves_no_key_of_such_a_keypad_and_says_why(table: UsbTable) -> None:
    pad = HidGadget(BITMAP, packet=16)
    table.bus.unplug(table.pad)
    table.bus.plug(pad)
    (device,) = (one for one in table.config.devices if one.name == "pad-1")
    device = msgspec.structs.replace(device, keys={0x3A: "cut"})
    proof = MapProof(msgspec.structs.replace(table.config, devices=(device,), lights=()), ("keys",))
    told: list[dict[str, Any]] = []
    hands: list[threading.Thread] = []
    is_over = threading.Event()

    def try_keys() -> None:
        while not is_over.wait(0.05):  # a press that came before the port was open was heard by nobody
            for usage in range(0x04, 0x78):
                pad.press(usage)

    def tell(line: dict[str, Any]) -> None:
        told.append(line)
        if line["type"] == "ask":  # whoever is asked tries one key after the other
            hands.append(threading.Thread(target=try_keys))
            hands[-1].start()

    async def main() -> None:
        await Calibration(proof, tell, wait_s=4.0).run()
        is_over.set()
        await table.until(lambda: not pad.claimed)

    asyncio.run(main())
    hands[0].join()
    assert [line["type"] for line in told] == ["ask", "unproven"]
    assert told[-1]["text"] == (
        "cut: not proven; pad-1 sends reports that are not of the layout `boot`: set `layout` of this device"
        " in the configuration to another one"
    )
