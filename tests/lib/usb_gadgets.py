"""Virtual USB devices of the kinds that a table has: a keyboard-wedge reader, a keypad, a FEIG reader,
lights."""

import threading
import time
from collections.abc import Callable
from typing import Any

from usb_bus import Gadget
from usbip import In, Interface, Out
from usbip.classes.device import hid
from usbip.core import Stall

from shoe_bridge.sim.device import SimDevice
from shoe_bridge.sim.hid_keypad_device import HidKeypadDevice
from shoe_bridge.sim.light_looks import Shown
from shoe_bridge.sim.patlite_device import ANSWER_MS, PatliteDevice
from shoe_bridge.sim.usb_light_device import UsbLightDevice
from shoe_bridge.usb_kinds import LIGHTS

SET_REPORT, FEATURE = 0x09, 3


class KeyboardGadget(Gadget):
    """It has a mouse on its first interface and the keyboard that types on its second, as some readers do."""

    def __init__(
        self, *, serial: str | None = None, has_mouse: bool = False, vid: int = 0xFFFF, pid: int = 0x0035
    ) -> None:
        super().__init__(vid, pid, serial=serial)
        if has_mouse:
            self.add(
                hid.HID(hid.mouse_report_descriptor(), subclass=1, protocol=hid.PROTOCOL_MOUSE, in_mps=8)
            )
        self._keys = self.add(
            hid.HID(
                hid.keyboard_report_descriptor(),
                subclass=hid.SUBCLASS_BOOT,
                protocol=hid.PROTOCOL_KEYBOARD,
                in_ep=0x82 if has_mouse else 0x81,
                in_mps=8,
            )
        )

    def type(self, reports: bytes) -> None:
        for start in range(0, len(reports), 8):
            self._keys.send_report(reports[start : start + 8])

    def stall(self) -> None:
        self._keys.in_ep.stall()


class HidGadget(Gadget):
    """One HID interface with any descriptor; `packet` is the most bytes that its endpoint sends at once. It
    sends boot reports while it is told to, where `is_boot` and it obeys. `protocol` is what it was told."""

    def __init__(
        self,
        descriptor: bytes,
        *,
        is_boot: bool = False,
        protocol: int = 0,
        packet: int = 8,
        obeys: bool = True,
    ) -> None:
        super().__init__(0x1189, 0x8890)
        subclass = hid.SUBCLASS_BOOT if is_boot else hid.SUBCLASS_NONE
        self._pipe = self.add(_Hid(descriptor, subclass=subclass, protocol=protocol, in_mps=packet))
        self._pipe.obeys = obeys

    @property
    def protocol(self) -> int:
        return int(self._pipe.protocol)

    def send(self, report: bytes) -> None:
        self._pipe.send_report(report)

    def press(self, usage: int) -> None:
        """A key goes down and up: as boot reports, or as reports with a bit for each of 120 keys."""
        if self.protocol == hid.BOOT_PROTOCOL:
            reports = [bytes((0, 0, usage, 0, 0, 0, 0, 0)), bytes(8)]
        else:
            reports = [bytes(1) + (1 << usage).to_bytes(15, "little"), bytes(16)]
        for report in reports:
            self.send(report)


class _Hid(hid.HID):  # type: ignore[misc]
    obeys = True

    def on_control(self, setup: Any, data: bytes = b"") -> Any:
        if not self.obeys and setup.bRequest == hid.SET_PROTOCOL:
            raise Stall
        return super().on_control(setup, data)


class KeypadGadget(KeyboardGadget):
    """The keypad `device` behind an interrupt endpoint; its time is that of the clock `now_ms`."""

    def __init__(self, device: HidKeypadDevice, now_ms: Callable[[], int]) -> None:
        super().__init__(vid=0x1189, pid=0x8890)
        self._device, self._now_ms = device, now_ms
        self._moving = threading.Lock()

    def act(self, deed: Callable[[HidKeypadDevice], None]) -> None:
        """Somebody does something with it; its reports go out when they are due."""
        with self._moving:
            self._device.advance(self._now_ms())
            deed(self._device)
        self._go_on()

    def _go_on(self) -> None:
        with self._moving:
            self.type(self._device.advance(self._now_ms()))
            due_ms = self._device.next_due_ms()
        if due_ms is not None:
            threading.Timer(max(0, due_ms - self._now_ms()) / 1000 + 0.001, self._go_on).start()


class _Bulk(Interface):  # type: ignore[misc]
    bulk_out = Out(0x01, "bulk", mps=64)
    bulk_in = In(0x81, "bulk", mps=64)

    def __init__(self, heard: Callable[[bytes], None]) -> None:
        super().__init__()
        self._heard = heard

    def on_out(self, ep: Any, data: bytes) -> None:
        self._heard(bytes(data))


class FeigGadget(Gadget):
    """`device` behind a bulk endpoint each way; its time is that of the clock `now_ms`."""

    def __init__(self, device: SimDevice, now_ms: Callable[[], int]) -> None:
        super().__init__(0x0AB1, 0x0004, has_driver=False)
        self._device, self._now_ms = device, now_ms
        self._talking = threading.Lock()
        self._pipe = self.add(_Bulk(self._heard))

    def _heard(self, data: bytes) -> None:
        with self._talking:
            self._device.take(data, self._now_ms())
            due_ms = self._device.next_due_ms()
        self._answer_at(due_ms)

    def _answer_at(self, due_ms: int | None) -> None:
        if due_ms is not None:
            wait_s = max(0, due_ms - self._now_ms()) / 1000 + 0.001
            threading.Timer(wait_s, self._answer).start()

    def _answer(self) -> None:
        with self._talking:
            said = self._device.advance(self._now_ms())
            due_ms = self._device.next_due_ms()
        if said:
            self._pipe.bulk_in.write(said)
        else:
            self._answer_at(due_ms)


class LightGadget(Gadget):
    """The simulated light `device` behind a HID interface: every report that it has taken stands in `taken`.
    `has_out`: it has an interrupt OUT endpoint (None: as lights of its kind have it)."""

    def __init__(
        self,
        kind: str,
        *,
        has_out: bool | None = None,
        serial: str | None = None,
        device: UsbLightDevice | PatliteDevice | None = None,
    ) -> None:
        self.device = device or UsbLightDevice("light", kind)
        self._talking = threading.Lock()  # the bus has a thread of its own
        model = LIGHTS[kind].ids[-1]
        super().__init__(int(model.vendor, 16), int(model.product, 16), serial=serial)
        self.taken: list[bytes] = []
        self.setups: list[tuple[int, int]] = []  # type and id of each SET_REPORT
        self._started_s = time.monotonic()
        is_by_endpoint = LIGHTS[kind].wire.writes == "report" if has_out is None else has_out
        self._pipe = self.add(
            hid.HID(
                hid.vendor_report_descriptor(8, 64),
                out_ep=0x01 if is_by_endpoint else None,
                set_report=self._set_report,
                on_output=self._output,
            )
        )

    @property
    def is_deaf(self) -> bool:
        """Its electronics take nothing off the bus."""
        return isinstance(self.device, UsbLightDevice) and not self.device.is_reading

    @is_deaf.setter
    def is_deaf(self, is_deaf: bool) -> None:
        if isinstance(self.device, UsbLightDevice):
            self.device.is_reading = not is_deaf

    @property
    def now_ms(self) -> int:
        return int((time.monotonic() - self._started_s) * 1000)

    @property
    def seen(self) -> Shown:
        """What an eye sees of it."""
        assert isinstance(self.device, UsbLightDevice)
        with self._talking:
            return self.device.seen(self.now_ms)

    def forget(self) -> None:
        """It loses what it was told, and stays plugged in."""
        assert isinstance(self.device, UsbLightDevice)
        with self._talking:
            self.device.advance(self.now_ms)
            self.device.forget()

    def power(self, is_on: bool) -> None:
        with self._talking:
            if is_on:
                self.device.replug()
            else:
                self.device.unplug()

    def _set_report(self, kind: int, number: int, report: bytes) -> None:
        self._obey(bytes(report))
        self.setups.append((kind, number))

    def _output(self, report: bytes) -> None:
        self._obey(bytes(report))

    def _obey(self, report: bytes) -> None:
        assert isinstance(self.device, UsbLightDevice)
        with self._talking:
            if not self.device.obey(report, self.now_ms):
                raise Stall
            self.taken.append(report)


class TouchLightGadget(LightGadget):
    """A Patlite NE-USB with its touch sensor."""

    def __init__(self) -> None:
        self.touch = PatliteDevice("touch")
        super().__init__("patlite_ne", device=self.touch)

    def press(self, held_ms: int = 200) -> None:
        with self._talking:
            self.touch.advance(self.now_ms)
            self.touch.press(held_ms=held_ms)

    def _obey(self, report: bytes) -> None:
        with self._talking:
            asked = self.touch.asked
            self.touch.advance(self.now_ms)
            self.touch.take(report, self.touch.now_ms)
            answers = self.touch.advance(self.touch.now_ms + ANSWER_MS)
            if self.touch.asked == asked:  # it was told, not asked
                self.taken.append(report)
        for start in range(0, len(answers), 2):
            self._pipe.send_report(answers[start : start + 2])
