"""USB readers over USB/IP on loopback: found, claimed, read, unplugged, plugged in again, and refused."""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from usb_bus import Bus, Gadget
from usb_gadgets import KeyboardGadget, LightGadget

from protocol.hid_keyboard import encode_text
from shoe_bridge.adapters import usb_device, usb_faults
from shoe_bridge.adapters.usb import UsbPort
from shoe_bridge.errors import PortError
from shoe_bridge.usb_kinds import DEVICES, LIGHTS

WAIT_S = 8.0
WEDGE = "usb:ffff:0035"
LINE = encode_text("0004981422")


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bus]:
    made = Bus()
    monkeypatch.setattr(usb_device, "open_backend", made.backend().itself)
    yield made
    made.close()


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not is_so():  # noqa: ASYNC110  what is waited for comes from a thread
            await asyncio.sleep(0.002)


class Heard:
    """What one life of a port told the loop."""

    def __init__(self) -> None:
        self.chunks: list[tuple[bytes, int]] = []
        self.lost: list[tuple[str, float]] = []

    def take(self, data: bytes, at_mono_ns: int) -> None:
        assert threading.current_thread() is threading.main_thread()
        self.chunks.append((data, at_mono_ns))

    def lose(self, why: str) -> None:
        self.lost.append((why, time.monotonic()))

    @property
    def bytes(self) -> bytes:
        return b"".join(data for data, _ in self.chunks)


def wedge(port: str = WEDGE) -> UsbPort:
    return UsbPort(port, "hid_keyboard", DEVICES["hid_keyboard"])


async def ended(gadget: Gadget) -> None:
    """Until nobody holds the device any more."""
    await until(lambda: not gadget.claimed)


def test_a_wedge_reader_types_and_the_kernels_driver_comes_back(bus: Bus) -> None:
    reader = KeyboardGadget()
    bus.plug(reader)

    async def main() -> None:
        heard, port = Heard(), wedge()
        await port.open_async(heard.take, heard.lose)
        assert reader.log == ["driver of 0 detached", "interface 0 claimed"]
        before_ns = time.monotonic_ns()
        reader.type(LINE)
        await until(lambda: heard.bytes == LINE)
        assert all(len(data) == 8 for data, _ in heard.chunks)
        stamps = [at_ns for _, at_ns in heard.chunks]
        assert before_ns <= stamps[0] <= stamps[-1] <= time.monotonic_ns()
        assert stamps == sorted(stamps)
        port.close()
        port.close()
        await until(lambda: reader.log[-1] == "driver of 0 given back")
        assert heard.lost == []

    asyncio.run(main())
    assert reader.driven == {0, 1}


def test_the_stamp_is_the_threads_and_not_the_loops(bus: Bus) -> None:
    reader = KeyboardGadget()
    bus.plug(reader)

    async def main() -> None:
        heard, port = Heard(), wedge()
        await port.open_async(heard.take, heard.lose)
        reader.type(LINE[:8])
        time.sleep(0.3)  # noqa: ASYNC251  the loop itself is held up
        behind_ns = time.monotonic_ns()
        await until(lambda: heard.chunks)
        assert behind_ns - heard.chunks[0][1] > 200_000_000
        port.close()
        await ended(reader)

    asyncio.run(main())


def test_an_unplugged_reader_is_lost_once_within_100_ms_and_read_again_when_it_is_back(bus: Bus) -> None:
    reader = KeyboardGadget()
    bus.plug(reader)

    async def main() -> None:
        heard, port = Heard(), wedge()
        await port.open_async(heard.take, heard.lose)
        reader.type(LINE[:16])
        await until(lambda: heard.bytes == LINE[:16])
        pulled_s = time.monotonic()
        bus.unplug(reader)
        await until(lambda: heard.lost)
        assert heard.lost[0][0] == "it was unplugged"
        assert heard.lost[0][1] - pulled_s < 0.1
        assert not port.write(b"x")
        with pytest.raises(PortError, match=f"{WEDGE} is not plugged in, and no other USB device"):
            await wedge().open_async(heard.take, heard.lose)
        bus.plug(reader)
        reader.driven = {0, 1}
        again = wedge()
        await again.open_async(heard.take, heard.lose)
        reader.type(LINE[16:])
        await until(lambda: heard.bytes == LINE)
        again.close()
        await ended(reader)
        assert len(heard.lost) == 1

    asyncio.run(main())


def test_a_new_life_waits_for_the_end_of_the_one_before(bus: Bus) -> None:
    reader = KeyboardGadget()
    bus.plug(reader)

    async def main() -> None:
        for _ in range(3):
            heard, port = Heard(), wedge()
            await port.open_async(heard.take, heard.lose)
            port.close()
        await ended(reader)

    asyncio.run(main())
    assert reader.log == ["driver of 0 detached", "interface 0 claimed", "driver of 0 given back"] * 3


def test_descriptors_and_threads_are_flat_over_many_lives(bus: Bus) -> None:
    reader = KeyboardGadget()

    async def main() -> None:
        held = []
        for _ in range(25):
            reader.driven = {0, 1}
            bus.plug(reader)
            heard, port = Heard(), wedge()
            await port.open_async(heard.take, heard.lose)
            held.append((len(os.listdir("/proc/self/fd")), threading.active_count()))
            bus.unplug(reader)
            await until(lambda heard=heard: heard.lost)
        assert max(fds for fds, _ in held[1:]) <= held[0][0] + 2  # the end of the life before, at most
        assert max(threads for _, threads in held) <= held[0][1] + 2

    asyncio.run(main())


def test_a_stalled_endpoint_is_cleared_and_read_on(bus: Bus) -> None:
    reader = KeyboardGadget()
    bus.plug(reader)

    async def main() -> None:
        heard, port = Heard(), wedge()
        await port.open_async(heard.take, heard.lose)
        reader.stall()
        reader.type(LINE[:8])
        await until(lambda: heard.bytes == LINE[:8])
        assert heard.lost == []
        port.close()
        await ended(reader)

    asyncio.run(main())


def test_the_keyboard_is_found_behind_a_mouse(bus: Bus) -> None:
    reader = KeyboardGadget(has_mouse=True)
    bus.plug(reader)

    async def main() -> None:
        heard, port = Heard(), wedge()
        await port.open_async(heard.take, heard.lose)
        assert reader.claimed == {1}
        assert reader.driven == {0}
        reader.type(LINE)
        await until(lambda: heard.bytes == LINE)
        assert not port.write(b"it takes nothing")
        port.close()
        await ended(reader)

    asyncio.run(main())


def test_one_of_two_is_named_by_serial_number_or_path(bus: Bus) -> None:
    readers = [KeyboardGadget(serial=serial) for serial in ("A1", "B2")]
    for number, reader in enumerate(readers, start=3):
        bus.plug(reader, number)

    async def main() -> None:
        with pytest.raises(PortError) as caught:
            wedge().connect()
        assert str(caught.value) == (
            f"{WEDGE} names 2 devices that are plugged in; write the USB path of one of them: usb@1-3,"
            " usb@1-4."
        )
        for port_name, reader in ((f"{WEDGE}:B2", readers[1]), ("usb@1-3", readers[0])):
            heard, port = Heard(), wedge(port_name)
            await port.open_async(heard.take, heard.lose)
            assert reader.claimed == {0}
            port.close()
            await ended(reader)

    asyncio.run(main())


def refusal(port: UsbPort) -> str:
    with pytest.raises(PortError) as caught:
        port.connect()
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


def test_what_is_wrong_is_one_sentence_with_the_fix(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = KeyboardGadget()
    bus.plug(reader, 2)
    reader.claimed = {0}
    reader.driven = set()
    assert refusal(wedge()) == (
        f"{WEDGE} is in use by another program; stop that program, or name another port."
    )
    reader.claimed = set()
    reader.is_denied = True
    assert refusal(wedge()).startswith(
        f"{WEDGE}: this user may not open /dev/bus/usb/001/002; run: sudo install"
    )
    reader.is_denied = False
    blink1 = UsbPort("usb@1-2", "blink1", LIGHTS["blink1"])
    assert refusal(blink1) == (
        "usb@1-2 holds a device ffff:0035, which is no blink1; plug a blink1 in there (27b8:01ed), or correct"
        " the port."
    )
    feig = UsbPort("usb@1-2", "feig_obid", DEVICES["feig_obid"])
    assert refusal(feig) == "usb@1-2 has no interface as a feig_obid has it; correct the kind or the port."
    assert refusal(wedge("usb@1-9")) == (
        "usb@1-9 is not plugged in; plug it in, or use one of the USB devices that are there: usb:ffff:0035."
    )
    monkeypatch.setattr(usb_device, "open_backend", usb_device.libusb)
    monkeypatch.setattr(usb_device, "_LIBRARY", "libusb-that-nobody-has.so.0")
    monkeypatch.setattr("usb.backend.libusb1._lib", None)
    monkeypatch.setattr("usb.backend.libusb1._lib_object", None)
    assert refusal(wedge()) == usb_faults.NO_LIBRARY


def test_after_a_refusal_the_kernels_driver_has_its_interface(bus: Bus) -> None:
    reader = KeyboardGadget()
    bus.plug(reader)
    reader.is_snatched = True
    assert "is in use" in refusal(wedge())
    assert reader.log == ["driver of 0 detached", "driver of 0 given back"]
    assert "no interface" in refusal(UsbPort(WEDGE, "feig_obid", DEVICES["feig_obid"]))
    assert reader.driven == {0, 1}


def test_an_idle_light_that_is_unplugged_is_noticed(bus: Bus) -> None:
    light = LightGadget("blink1")
    bus.plug(light)

    async def main() -> None:
        heard = Heard()
        port = UsbPort("usb:27b8:01ed", "blink1", LIGHTS["blink1"])
        await port.open_async(heard.take, heard.lose)
        bus.unplug(light)
        await until(lambda: heard.lost)
        assert [why for why, _ in heard.lost] == ["it was unplugged"]

    asyncio.run(main())


def test_a_port_that_is_closed_while_it_opens_gives_everything_back(bus: Bus) -> None:
    reader = KeyboardGadget()
    bus.plug(reader)

    async def main() -> None:
        heard, port = Heard(), wedge()
        opening = asyncio.ensure_future(port.open_async(heard.take, heard.lose))
        await asyncio.sleep(0)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        await until(lambda: "driver of 0 given back" in reader.log or not reader.log)
        with pytest.raises(PortError, match="was closed while it was opening"):
            port.connect()

    asyncio.run(main())
    assert not reader.claimed
