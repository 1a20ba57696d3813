"""Keyboards over USB/IP whose reports are not those of the boot keyboard, and what is plugged in instead."""

import asyncio
import time
from collections.abc import Callable, Iterator

import pytest
from usb_bus import Bus
from usb_gadgets import HidGadget, KeyboardGadget
from usbip.classes.device import hid

from protocol.hid_keys import NAMES
from shoe_bridge.adapters import usb_device
from shoe_bridge.errors import PortError
from shoe_bridge.link.device_link import DeviceLink
from shoe_bridge.link.presence import Presence
from shoe_bridge.runtime.assembly import links_of
from shoe_bridge.runtime.config import DeviceConfig
from shoe_bridge.runtime.device_ports import device_port
from shoe_bridge.table.observations import AnyObservation, KeyPressed

WAIT_S = 8.0
BITMAP = bytes.fromhex("0501 0906 A101 0507 7501 9580 8102 C0")  # 16 bytes: a bit for each key
KEYS = {usage: name for usage, name in NAMES.items() if usage < 0x78}


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bus]:
    made = Bus()
    monkeypatch.setattr(usb_device, "open_backend", made.backend().itself)
    yield made
    made.close()


class Keypad:
    """The port and the link of a keypad as the bridge makes them; `chunks` is what the port gave."""

    def __init__(self, port: str = "usb:1189:8890", layout: str | None = None) -> None:
        device = DeviceConfig("pad-1", "hid_keyboard", port, keys=KEYS, layout=layout)  # type: ignore[arg-type]
        (config,) = links_of((device,))
        self.link = DeviceLink(config, Presence(), lambda tag: True)
        self.port = device_port(device)
        self.chunks: list[bytes] = []
        self.seen: list[AnyObservation] = []

    async def open(self) -> None:
        await self.port.open_async(self._take, lambda why: None)
        self.link.opened(0, 1)
        self.link.tick(1)

    def _take(self, data: bytes, at_mono_ns: int) -> None:
        self.chunks.append(data)
        self.seen += self.link.take(data, at_mono_ns)

    @property
    def pressed(self) -> list[str]:
        return [one.key for one in self.seen if isinstance(one, KeyPressed)]


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not is_so():  # noqa: ASYNC110  what is waited for comes from a thread
            await asyncio.sleep(0.002)


async def closed(keypad: Keypad, gadget: HidGadget | KeyboardGadget) -> None:
    keypad.port.close()
    await until(lambda: not gadget.claimed)


@pytest.mark.parametrize(
    ("descriptor", "packet"),
    [
        (BITMAP, 8),
        (BITMAP, 16),
        (BITMAP, 64),
        (hid.keyboard_report_descriptor(), 16),  # it hides how long they are
        (hid.keyboard_report_descriptor(), 64),
    ],
)
def test_reports_with_a_bit_for_each_key_press_nothing_and_are_refused(
    bus: Bus, descriptor: bytes, packet: int
) -> None:
    gadget = HidGadget(descriptor, packet=packet)
    bus.plug(gadget)

    async def main() -> None:
        keypad = Keypad()
        await keypad.open()
        for usage in KEYS:
            gadget.press(usage)
        await until(lambda: sum(map(len, keypad.chunks)) == 32 * len(KEYS))
        assert keypad.pressed == []
        assert 8 not in map(len, keypad.chunks)
        assert keypad.link.refusal == (
            "pad-1 sends reports that are not of the layout `boot`: set `layout` of this device in the"
            " configuration to another one"
        )
        await closed(keypad, gadget)

    asyncio.run(main())


@pytest.mark.parametrize("packet", [8, 16])
def test_a_keypad_that_has_boot_reports_is_told_to_send_them_as_long_as_it_is_used(
    bus: Bus, packet: int
) -> None:
    gadget = HidGadget(BITMAP, is_boot=True, protocol=hid.PROTOCOL_KEYBOARD, packet=packet)
    bus.plug(gadget)

    async def main() -> None:
        assert gadget.protocol == hid.REPORT_PROTOCOL
        keypad = Keypad()
        await keypad.open()
        await asyncio.sleep(0.7)  # what is down when it is plugged in is no press
        keypad.link.tick(time.monotonic_ns())
        for usage in KEYS:
            gadget.press(usage)
        await until(lambda: len(keypad.chunks) == 2 * len(KEYS))
        assert keypad.pressed == list(KEYS.values())
        assert keypad.link.refusal is None
        await closed(keypad, gadget)
        assert gadget.protocol == hid.REPORT_PROTOCOL
        other = Keypad(layout="boot with id")
        await other.open()
        assert gadget.protocol == hid.REPORT_PROTOCOL
        await closed(other, gadget)

    asyncio.run(main())


def test_a_keypad_that_does_not_obey_is_heard_as_it_is(bus: Bus) -> None:
    gadget = HidGadget(BITMAP, is_boot=True, protocol=hid.PROTOCOL_KEYBOARD, packet=8, obeys=False)
    bus.plug(gadget)

    async def main() -> None:
        keypad = Keypad()
        await keypad.open()
        for usage in KEYS:
            gadget.press(usage)
        await until(lambda: sum(map(len, keypad.chunks)) == 32 * len(KEYS))
        assert set(map(len, keypad.chunks)) == {16}
        assert keypad.pressed == []
        await closed(keypad, gadget)

    asyncio.run(main())


def test_a_mouse_in_the_socket_of_a_keypad_is_refused_by_its_name(bus: Bus) -> None:
    pad = KeyboardGadget(vid=0x1189, pid=0x8890)
    bus.plug(pad, 2)

    async def main() -> None:
        keypad = Keypad("usb@1-2")
        await keypad.open()
        await closed(keypad, pad)
        bus.unplug(pad)
        for mouse in (
            HidGadget(hid.mouse_report_descriptor(), is_boot=True, protocol=hid.PROTOCOL_MOUSE),
            HidGadget(hid.mouse_report_descriptor(), protocol=hid.PROTOCOL_MOUSE),
            HidGadget(hid.vendor_report_descriptor(), is_boot=True, protocol=hid.PROTOCOL_MOUSE),
            HidGadget(hid.mouse_report_descriptor()),  # it tells in its descriptor alone
        ):
            bus.plug(mouse, 2)
            with pytest.raises(PortError) as caught:
                await Keypad("usb@1-2").open()
            assert str(caught.value) == (
                "usb@1-2 holds a mouse (1189:8890), which is no hid_keyboard; plug a hid_keyboard in there,"
                " or correct the port."
            )
            assert mouse.claimed == set()
            assert 0 in mouse.driven
            bus.unplug(mouse)

    asyncio.run(main())


def test_a_keypad_that_does_not_say_what_it_is_is_heard(bus: Bus) -> None:
    gadget = HidGadget(hid.keyboard_report_descriptor())
    bus.plug(gadget)

    async def main() -> None:
        keypad = Keypad()
        await keypad.open()
        await asyncio.sleep(0.7)
        gadget.send(bytes((0, 0, 0x3A, 0, 0, 0, 0, 0)))
        await until(lambda: keypad.chunks)
        assert keypad.pressed == ["F1"]
        await closed(keypad, gadget)

    asyncio.run(main())
