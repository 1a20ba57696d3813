"""What must hold of each light: that it hangs on something, and that no two are one."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoe_bridge.articles import an
from shoe_bridge.lights.kinds import LAMP_KINDS
from shoe_bridge.runtime.config_kinds import LIGHT_KINDS, choice
from shoe_bridge.runtime.config_ports import PORT_FORMS, own_port_rules
from shoe_bridge.runtime.config_usb import USB_FORMS, is_only_usb
from shoe_bridge.table.light_state import LightState
from shoe_bridge.toml_lines import KeyPath
from shoe_bridge.toml_schema import Complaint, near_miss, shown, words
from shoe_bridge.usb_kinds import LIGHTS

if TYPE_CHECKING:
    from shoe_bridge.runtime.config import LightConfig, TableConfig

CHANNEL_MAX = 8
LIT_STATES = tuple(state.value for state in LightState if state is not LightState.NOT_MONITORED)


def light_rules(config: "TableConfig") -> Iterator[Complaint]:
    for number, light in enumerate(config.lights):
        path: KeyPath = ("light", number)
        if light.kind not in LIGHT_KINDS:
            yield from choice(light.kind, LIGHT_KINDS, (*path, "kind"))
        elif light.kind == "tablelink" or (light.kind in LAMP_KINDS and light.device is not None):
            yield from _lamp_rules(light, path, config)
        else:
            yield from _light_port_rules(light, path)
        if light.channels:
            yield from _channel_rules(light, path)
    yield from _single_lamp_rules(config)


def _single_lamp_rules(config: "TableConfig") -> Iterator[Complaint]:
    """Two lights on one lamp would overwrite each other."""
    owners: dict[tuple[str, int], str] = {}
    for number, light in enumerate(config.lights):
        if light.device is None:
            continue
        owner = owners.setdefault((light.device, light.lamp), light.name)
        if owner != light.name:
            yield Complaint(
                ("light", number, "lamp"),
                f"lamp {light.lamp} of {light.device} belongs to {owner} already, expected a lamp of its own"
                f" for {light.name}",
            )


def _lamp_rules(light: "LightConfig", path: KeyPath, config: "TableConfig") -> Iterator[Complaint]:
    kinds = {device.name: device.kind for device in config.devices}
    links = [name for name, kind in kinds.items() if kind == light.kind]
    if light.port is not None:
        yield Complaint(
            (*path, "port"), f"{light.name} shares its device's port, expected device = NAME instead of port"
        )
    if light.kind != "tablelink" and light.lamp != 1:
        yield Complaint((*path, "lamp"), f"{an(light.kind)} has one lamp, expected lamp = 1 or no such key")
    if light.device is None:
        yield Complaint(
            path,
            f"{light.name} names no device, expected device = NAME of {an(light.kind)} [[device]]",
        )
    elif light.device not in kinds:
        sentence = (
            f"there is no device {shown(light.device)},"
            f" expected {words(links) or f'{an(light.kind)} [[device]]'}"
        )
        yield Complaint((*path, "device"), (sentence + near_miss(light.device, links)))
    elif light.device not in links:
        yield Complaint(
            (*path, "device"),
            f"{light.device} is {an(kinds[light.device])} and has no lamps, expected {an(light.kind)} "
            "[[device]]",
        )


def _light_port_rules(light: "LightConfig", path: KeyPath) -> Iterator[Complaint]:
    if light.device is not None:
        yield Complaint(
            (*path, "device"),
            f'{an(light.kind)} hangs on no device, expected device only with kind = "tablelink"',
        )
    if light.kind == "console":
        if light.port is not None:
            yield Complaint((*path, "port"), "a console light has no port, expected no port here")
    elif light.port is None:
        forms = USB_FORMS if is_only_usb(light.kind, "light") else PORT_FORMS
        yield Complaint(path, f"{light.name} has no port, expected {forms}")
    else:
        yield from own_port_rules(light, path, LIGHTS)


def _channel_rules(light: "LightConfig", path: KeyPath) -> Iterator[Complaint]:
    where: KeyPath = (*path, "channels")
    if light.kind != "lcus_relay":
        sentence = f'{an(light.kind)} has no channels, expected them with kind = "lcus_relay" only'
        yield Complaint(where, sentence)
        return
    for state, channel in light.channels.items():
        if state not in LIT_STATES:
            sentence = (
                f"channels names {shown(state)}, expected {words(LIT_STATES)}{near_miss(state, LIT_STATES)}"
            )
            yield Complaint((*where, state), sentence)
        elif not 1 <= channel <= CHANNEL_MAX:
            yield Complaint((*where, state), f"channel {channel} does not exist, expected 1 to {CHANNEL_MAX}")
    if set(light.channels) < set(LIT_STATES):
        absent = [state for state in LIT_STATES if state not in light.channels]
        yield Complaint(where, f"channels has none for {words(absent, 'and')}, expected one for each")
    if len(set(light.channels.values())) < len(light.channels):
        yield Complaint(
            where, "channels gives one channel to two states, expected a channel of its own for each"
        )
