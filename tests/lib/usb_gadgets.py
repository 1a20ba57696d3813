"""Virtual USB devices of the kinds that a table has: a keyboard-wedge reader, a keypad, a FEIG reader,
lights."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

from usb_bus import Gadget
from usbip import In, Interface, Out
from usbip.classes.device import hid
from usbip.core import Stall

from shoe_bridge.sim.device import SimDevice
from shoe_bridge.sim.hid_keypad_device import HidKeypadDevice

SET_REPORT, FEATURE = 0x09, 3
GET_STATE = b"\x00\x80" + bytes(6)


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
    """A light: every report that it has taken stands in `taken`. `has_out`: it has an interrupt OUT endpoint.
    `knows`: the only feature reports that it has, by their ids."""

    def __init__(
        self,
        vid: int,
        pid: int,
        *,
        has_out: bool = False,
        serial: str | None = None,
        knows: set[int] | None = None,
    ) -> None:
        super().__init__(vid, pid, serial=serial)
        self.taken: list[bytes] = []
        self.setups: list[tuple[int, int]] = []  # type and id of each SET_REPORT
        self._knows = knows
        self._pipe = self.add(
            hid.HID(
                hid.vendor_report_descriptor(8, 64),
                out_ep=0x01 if has_out else None,
                set_report=self._set_report,
                on_output=self._output,
            )
        )

    def _set_report(self, kind: int, number: int, report: bytes) -> None:
        if self._knows is not None and number not in self._knows:
            raise Stall
        self.setups.append((kind, number))
        self.taken.append(bytes(report))

    def _output(self, report: bytes) -> None:
        self.taken.append(bytes(report))


class TouchLightGadget(LightGadget):
    """A Patlite NE-USB: `is_touched` is what its sensor says when it is asked."""

    def __init__(self) -> None:
        super().__init__(0x191A, 0x6001, has_out=True)
        self.is_touched = False
        self.asked = 0

    def _output(self, report: bytes) -> None:
        if report == GET_STATE:
            self.asked += 1
            self._pipe.send_report(bytes((0, self.is_touched)))
        else:
            super()._output(report)


def light_gadget(vendor: str, product: str, options: Mapping[str, Any] | None = None) -> LightGadget:
    return LightGadget(int(vendor, 16), int(product, 16), **(options or {}))
