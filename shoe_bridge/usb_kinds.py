"""The kinds of device that are reached over USB itself: their ids, and how their bytes cross the cable.

One table serves the adapter (what to claim), the lights (what to write), the udev rules (what to permit) and
the check of a configuration (which ports a kind may have). A new model is one new id here.

Serial chips are not here: the kernel makes a tty of those.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

import msgspec

HID_CLASS = 0x03
KEYBOARD_PROTOCOL = 0x01

Transfer = Literal["interrupt", "bulk"]
Writing = Literal["report", "feature", "bulk"]


class UsbId(msgspec.Struct, frozen=True):
    """One model: `vendor` and `product` as four lower-case hex digits, `name` as rules and people call it,
    `serves` what it is."""

    vendor: str
    product: str
    name: str
    serves: str


class UsbWire(msgspec.Struct, frozen=True):
    """How bytes cross the cable.

    `reads`: the type of the IN endpoint that is read (None: nothing is). `writes`: `bulk`, an OUT endpoint;
    `report`, an interrupt OUT endpoint, or SET_REPORT (output, id 0) where the interface has none; `feature`,
    SET_REPORT (feature), whose id is the first byte of the report; None: nothing is written.
    `interface_class` and `protocol` tell the right interface of several (None: any); `write_ms` is how long
    one write may take.
    """

    reads: Transfer | None
    writes: Writing | None
    interface_class: int | None = None
    protocol: int | None = None
    write_ms: int = 1000


class UsbKind(msgspec.Struct, frozen=True):
    """One kind of the configuration. `is_closed`: no other ids than these are of it."""

    wire: UsbWire
    ids: tuple[UsbId, ...]
    is_closed: bool = True


_BLINKSTICK = UsbId("20a0", "41e5", "blinkstick", "BlinkStick lights")
_PATLITE_NE = UsbId("191a", "6001", "patlite-ne", "Patlite NE-USB lights and their touch sensors")
_FEATURE = UsbWire(None, "feature", HID_CLASS, write_ms=250)
_REPORT = UsbWire(None, "report", HID_CLASS, write_ms=250)
_TOWER = UsbWire(None, "report", write_ms=250)  # the class of its interface is in no source that we know

DEVICES: Mapping[str, UsbKind] = MappingProxyType(
    {
        "hid_keyboard": UsbKind(
            UsbWire("interrupt", None, HID_CLASS, KEYBOARD_PROTOCOL),
            (
                UsbId("ffff", "0035", "wedge-sycreader", "keyboard-wedge readers of 125 kHz (Sycreader)"),
                UsbId("1a86", "dd01", "wedge-dd01", "keyboard-wedge readers of 13.56 MHz"),
                UsbId("16c0", "27db", "wedge-27db", "keyboard-wedge readers of 125 kHz (Neuftech)"),
                UsbId("08ff", "0009", "wedge-0009", "keyboard-wedge readers"),
                UsbId("413d", "2107", "wedge-2107", "keyboard-wedge readers"),
            ),
            is_closed=False,
        ),
        "feig_obid": UsbKind(
            UsbWire("bulk", "bulk"),
            (UsbId("0ab1", "0004", "feig", "FEIG CPR40 and CPR74 readers"),),
            is_closed=False,
        ),
        "patlite_ne": UsbKind(UsbWire("interrupt", "report", write_ms=250), (_PATLITE_NE,)),
    }
)
"""Readers and keys, by their kind in the configuration."""

LIGHTS: Mapping[str, UsbKind] = MappingProxyType(
    {
        "blink1": UsbKind(_FEATURE, (UsbId("27b8", "01ed", "blink1", "blink(1) lights"),)),
        "luxafor": UsbKind(_REPORT, (UsbId("04d8", "f372", "luxafor", "Luxafor lights"),)),
        "kuando": UsbKind(
            _REPORT,
            (
                UsbId("27bb", "3bca", "kuando-alpha", "Kuando Busylight Alpha"),
                UsbId("27bb", "3bcb", "kuando-alpha-2", "Kuando Busylight Alpha"),
                UsbId("27bb", "3bce", "kuando-alpha-3", "Kuando Busylight Alpha"),
                UsbId("04d8", "f848", "kuando-alpha-4", "Kuando Busylight Alpha"),
                UsbId("27bb", "3bcd", "kuando-omega", "Kuando Busylight Omega"),
                UsbId("27bb", "3bcf", "kuando-omega-2", "Kuando Busylight Omega"),
            ),
        ),
        "blinkstick": UsbKind(_FEATURE, (_BLINKSTICK,)),
        "blinkstick_square": UsbKind(_FEATURE, (_BLINKSTICK,)),
        "patlite_ne": UsbKind(_TOWER, (_PATLITE_NE,)),
        "patlite_lr6": UsbKind(_TOWER, (UsbId("191a", "8003", "patlite-lr6", "Patlite LR6-USB towers"),)),
        "qlight": UsbKind(_TOWER, (UsbId("04d8", "e73c", "qlight", "QLight USB towers"),)),
        "delcom": UsbKind(_FEATURE, (UsbId("0fc5", "b080", "delcom", "Delcom indicators, generation 2"),)),
    }
)
"""Lights, by their kind in the configuration."""


def all_ids() -> tuple[UsbId, ...]:
    """Every id of the table, readers first, each once."""
    kinds = (*DEVICES.values(), *LIGHTS.values())
    return tuple({(one.vendor, one.product): one for kind in kinds for one in kind.ids}.values())
