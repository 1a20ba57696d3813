"""Lights of busylight-core: found among HID devices only, never a reader's adapter, beside the loop."""

import asyncio
import builtins
import threading
from collections.abc import Callable
from typing import Any

import pytest
from busylight_core.hardware import ConnectionType, Hardware

from shoe_bridge.adapters.busylight import BusylightPort, reader_with
from shoe_bridge.errors import PortError
from shoe_bridge.runtime.light_driver import port_light
from shoe_bridge.table.light_state import LightState

EMBRAVA = "usb:0e53:2516"
WAIT_S = 5.0
# what busylight-core 2.5.0 writes to a Blynclight for red
RED_ON_A_BLYNCLIGHT = "00FF00000000" + "00FF22"


class Handle:
    """Stands for the open HID device; `hold` makes each write wait."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.is_open = False
        self.free = threading.Event()
        self.free.set()
        self.fault: Exception | None = None

    def open_path(self, path: bytes) -> None:
        self.is_open = True

    def write(self, report: bytes) -> int:
        self.free.wait(WAIT_S)
        if self.fault is not None:
            raise self.fault
        self.written.append(bytes(report))
        return len(report)

    def close(self) -> None:
        self.is_open = False


def hardware(vendor: int, product: int, *, serial: str = "", name: str = "") -> Hardware:
    made = Hardware(ConnectionType.HID, b"/dev/hidraw7", vendor, product, serial, name, name)
    made.__dict__["handle"] = Handle()
    return made


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Plugs in these devices and no other; whoever asks for serial ports fails the test."""

    def plugged(*devices: Hardware) -> None:
        def enumerate_(by_type: ConnectionType = ConnectionType.ANY) -> list[Hardware]:
            assert by_type is ConnectionType.HID
            return list(devices)

        monkeypatch.setattr(Hardware, "enumerate", enumerate_)

    return plugged


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not is_so():  # noqa: ASYNC110  what is waited for comes from a thread
            await asyncio.sleep(0.002)


class Told:
    def __init__(self) -> None:
        self.taken: list[bytes] = []
        self.lost: list[str] = []

    async def open(self, port: BusylightPort) -> None:
        await port.open_async(lambda colour, at_mono_ns: self.taken.append(colour), self.lost.append)


def test_colours_reach_the_light_and_come_back(plug: Callable[..., None]) -> None:
    light = hardware(0x0E53, 0x2516)
    plug(light)
    handle: Any = light.handle

    async def main() -> None:
        told, port = Told(), BusylightPort(EMBRAVA)
        await told.open(port)
        assert handle.is_open
        assert port.write(b"\xff\x00\x00")
        await until(lambda: told.taken == [b"\xff\x00\x00"])
        port.close()
        port.close()
        assert not port.write(b"\0\0\0")
        await until(lambda: not handle.is_open)
        assert told.lost == []

    asyncio.run(main())
    assert len(handle.written) == 1
    assert handle.written[0].hex().upper() == RED_ON_A_BLYNCLIGHT


def test_a_light_that_hangs_costs_the_loop_nothing_and_takes_one_colour_at_a_time(
    plug: Callable[..., None],
) -> None:
    light = hardware(0x0E53, 0x2516)
    plug(light)
    handle: Any = light.handle

    async def main() -> None:
        told, port = Told(), BusylightPort(EMBRAVA)
        await told.open(port)
        handle.free.clear()
        assert port.write(b"\x01\0\0")
        assert not port.write(b"\x02\0\0")
        handle.free.set()
        await until(lambda: told.taken == [b"\x01\0\0"])
        assert port.write(b"\x03\0\0")
        await until(lambda: len(told.taken) == 2)
        port.close()
        await until(lambda: not handle.is_open)

    asyncio.run(main())


def test_a_light_that_fails_is_lost_once(plug: Callable[..., None]) -> None:
    light = hardware(0x0E53, 0x2516)
    plug(light)
    handle: Any = light.handle

    async def main() -> None:
        told, port = Told(), BusylightPort(EMBRAVA)
        await told.open(port)
        handle.fault = OSError("gone")
        assert port.write(b"\x01\0\0")
        await until(lambda: told.lost)
        assert not port.write(b"\x01\0\0")
        await until(lambda: not handle.is_open)
        assert len(told.lost) == 1
        assert told.lost[0].startswith("it takes no colour")

    asyncio.run(main())


def refusal(port: str) -> str:
    with pytest.raises(PortError) as caught:
        asyncio.run(Told().open(BusylightPort(port)))
    return str(caught.value)


def test_a_readers_adapter_is_never_asked_for(plug: Callable[..., None]) -> None:
    mutesync = hardware(0x10C4, 0xEA60, name="MuteSync")
    plug(mutesync)
    assert refusal("usb:10c4:ea60") == (
        "usb:10c4:ea60 is no light but a cp210x (Pepper C1 boards, ESP32 boards); name the ids of the light."
    )
    handle: Any = mutesync.handle
    assert not handle.is_open


def test_what_is_no_light_of_ours(plug: Callable[..., None]) -> None:
    plug(hardware(0x1234, 0x0001), hardware(0x0E53, 0x2516, serial="A"))
    assert "busylight-core knows no light with these ids" in refusal("usb:1234:0001")
    assert "it is not plugged in" in refusal("usb:0e53:2516:B")
    assert "is no name of a light" in refusal("usb@1-1")


def test_without_the_extra_the_sentence_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name.startswith("busylight_core"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    assert refusal(EMBRAVA) == (
        f"{EMBRAVA} needs busylight-core, which is not installed: .venv/bin/pip install -e '.[lights]'"
        " (outside a clone: pip install 'shoe-bridge[lights]')."
    )


@pytest.mark.parametrize(
    ("usb_id", "is_reader"),
    [("10c4:ea60", True), ("0ab1:0004", True), ("27b8:01ed", False), ("0e53:2516", False)],
)
def test_which_ids_are_never_lights(usb_id: str, is_reader: bool) -> None:
    assert (reader_with(usb_id) is not None) is is_reader


def test_a_table_light_of_that_kind_is_shown_and_confirmed(plug: Callable[..., None]) -> None:
    light = hardware(0x0E53, 0x2516)
    plug(light)
    handle: Any = light.handle

    async def main() -> None:
        dealer = port_light("dealer", "busylight", EMBRAVA)
        dealer.driver.desire(LightState.ALL_WELL)
        task = asyncio.ensure_future(dealer.run())
        await until(lambda: dealer.driver.effect.is_showing(LightState.ALL_WELL))
        task.cancel()
        await asyncio.wait([task])
        await until(lambda: not handle.is_open)

    asyncio.run(main())
    assert {report.hex().upper() for report in handle.written} == {"000000FF000000FF22"}
