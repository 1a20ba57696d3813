"""The kinds of light that a configuration may name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import msgspec

from protocol.messages import LightReport
from shoe_bridge.lights.adafruit_tower import AdafruitTower
from shoe_bridge.lights.console import ConsoleLight
from shoe_bridge.lights.lcus_relay import LcusRelay
from shoe_bridge.lights.light import Light
from shoe_bridge.lights.patlite_lamp import PatliteLamp
from shoe_bridge.lights.tablelink_lamp import SetLight, TablelinkLamp
from shoe_bridge.lights.usb_lights import LOOKS_OF_KIND, UsbLight
from shoe_bridge.table.light_state import LightState

ByteLight = Light[bytes, bytes]


class PortKind(msgspec.Struct, frozen=True):
    """A kind of light that takes bytes: `baud` of its serial port (None: it has none),
    and how one is made from its name and its relays (state to relay number; None: the usual ones)."""

    baud: int | None
    make: Callable[[str, dict[LightState, int] | None], ByteLight]


def _relay(name: str, channels: dict[LightState, int] | None) -> ByteLight:
    del name
    return LcusRelay(channels)


def _tower(name: str, channels: dict[LightState, int] | None) -> ByteLight:
    del name, channels
    return AdafruitTower()


def _console(name: str, channels: dict[LightState, int] | None) -> ByteLight:
    del channels
    return ConsoleLight(name)


def _usb(kind: str) -> Callable[[str, dict[LightState, int] | None], ByteLight]:
    def make(name: str, channels: dict[LightState, int] | None) -> ByteLight:
        del name, channels
        return UsbLight(kind)

    return make


PORT_KINDS: Mapping[str, PortKind] = MappingProxyType(
    {
        "lcus_relay": PortKind(9600, _relay),
        "adafruit_tower": PortKind(9600, _tower),
        "console": PortKind(None, _console),
        **{kind: PortKind(None, _usb(kind)) for kind in LOOKS_OF_KIND},
    }
)

LAMP_KINDS: Mapping[str, Callable[[int], Light[SetLight, LightReport]]] = MappingProxyType(
    {"tablelink": TablelinkLamp, "patlite_ne": PatliteLamp}
)
"""Kinds that sit on a device's link, made from the number of the lamp there."""

KINDS = frozenset(PORT_KINDS) | frozenset(LAMP_KINDS)
