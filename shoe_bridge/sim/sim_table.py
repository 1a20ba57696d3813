"""A simulated table: its devices built from a configuration of the bridge, and the table's configuration
built from a scenario.

The configuration is the structure of the bridge's own TOML file, so that the same file makes the devices and
the bridge that listens to them.
"""

from collections.abc import Mapping
from typing import Any

from protocol.hid_keys import usage_of
from protocol.text_presets import is_repeated
from shoe_bridge.errors import ConfigError
from shoe_bridge.sim.angel_eye_shoe import AngelEyeShoe
from shoe_bridge.sim.bee_tek_shoe import BeeTekShoe
from shoe_bridge.sim.device import SimDevice
from shoe_bridge.sim.feig_device import FeigDevice
from shoe_bridge.sim.hid_keyboard_device import HidKeyboardDevice
from shoe_bridge.sim.hid_keypad_device import HidKeypadDevice
from shoe_bridge.sim.light_devices import LcusRelay, TowerLight
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.patlite_device import PatliteDevice
from shoe_bridge.sim.pepper_device import PepperDevice
from shoe_bridge.sim.pn532_device import Pn532Device
from shoe_bridge.sim.scenario import Scenario
from shoe_bridge.sim.steps import KEY_NAMES, PLACES
from shoe_bridge.sim.tablelink_device import TablelinkDevice
from shoe_bridge.sim.text_line_device import TextLineDevice, form_for
from shoe_bridge.sim.uhf_devices import R2000Device, Yrm100Device
from shoe_bridge.sim.usb_light_device import HEADS, UsbLightDevice

SHOES = ("tablelink", "angel_eye", "bee_tek")
READERS = ("tablelink", "pepper_c1", "feig_obid", "text_line", "pn532", "yrm100", "r2000")
PORT_FOLDER = "/dev/shoe-bridge"
SHOE_NAME = "shoe-1"
LIGHT_NAME = "light-1"  # beside the lamp of the key box
TABLE_SEATS = 10
# of one box, where not all places fit into one
BOARD_ANTENNAS = {"pepper_c1": 8, "feig_obid": 8, "pn532": 1, "yrm100": 1, "r2000": 4}
ASKED: Mapping[str, type[Pn532Device | Yrm100Device | R2000Device]] = {
    "pn532": Pn532Device,
    "yrm100": Yrm100Device,
    "r2000": R2000Device,
}
PN532_DECK_MS = 600  # to list 52 tags, two at a time
ASKED_MS = 200  # by which an asked reader may fall behind its cycle
DEFAULT_CYCLE_MS = 400
DEFAULT_HOLD_MS = 500

Config = Mapping[str, Any]


class SimTable:
    """The devices of one table in one world. `devices` are by name, in the order of the configuration.

    `cycle_ms` is the longest polling cycle of its readers, `settle_ms` the time after which a reader has
    proven that a card is gone, `deck_ms` how much longer a poll takes that reads a whole deck.
    """

    def __init__(self, config: Config, air: Air) -> None:
        self.air = air
        self.world = air.world
        self.devices: dict[str, SimDevice] = {}
        self._keys: dict[str, tuple[TablelinkDevice | PatliteDevice | HidKeypadDevice, int]] = {}
        self._pad: TablelinkDevice | None = None
        self._shoe: TablelinkDevice | AngelEyeShoe | BeeTekShoe | None = None
        self.cycle_ms = 0
        self.settle_ms = 0
        self.deck_ms = 0
        lamps = _lamp_counts(config)
        for entry in config.get("device", ()):
            self._add_device(entry, lamps.get(entry["name"], 0))
        for entry in config.get("light", ()):
            self._add_light(entry)

    def _add_device(self, entry: Config, lamps: int) -> None:
        name, kind = entry["name"], entry["kind"]
        antennas = _numbered(entry.get("antennas", {}))
        keys = _key_numbers(kind, entry.get("keys", {}))
        cycle_ms = entry.get("cycle_ms", DEFAULT_CYCLE_MS)
        if antennas:
            self.cycle_ms = max(self.cycle_ms, cycle_ms)
        if kind == "pepper_c1":
            self.devices[name] = PepperDevice(
                name, air=self.air, antennas=antennas, cycle_ms=cycle_ms, device_name=entry.get("identity")
            )
            # silence proves absence only while the reader shows that it lives, once a second at least
            self.settle_ms = max(self.settle_ms, 2 * cycle_ms + entry.get("hold_ms", DEFAULT_HOLD_MS) + 1_100)
        elif kind == "feig_obid":
            self._add_feig(name, entry, antennas, cycle_ms)
        elif kind in ASKED:
            self.devices[name] = ASKED[kind](name, air=self.air, antennas=antennas)
            polls_ms = (entry.get("gone_after_polls", 2) + 1) * cycle_ms
            self.settle_ms = max(self.settle_ms, polls_ms + ASKED_MS)
            if kind == "pn532":
                self.deck_ms = PN532_DECK_MS
        elif kind in ("angel_eye", "bee_tek"):
            self._shoe = AngelEyeShoe(name) if kind == "angel_eye" else BeeTekShoe(name)
            self.devices[name] = self._shoe
        elif kind == "text_line":
            self._add_text_line(name, entry, antennas, cycle_ms)
        elif kind == "hid_keyboard" and keys:
            keypad = self.devices[name] = HidKeypadDevice(name, layout=entry.get("layout") or "boot")
            self._keys.update({key: (keypad, number) for number, key in keys.items()})
        elif kind == "hid_keyboard":
            self.devices[name] = HidKeyboardDevice(
                name, air=self.air, antennas=antennas, cycle_ms=cycle_ms, rule=entry.get("typed") or "hex"
            )
        elif kind == "patlite_ne":
            touch = self.devices[name] = PatliteDevice(name)
            self._keys.update({key: (touch, number) for number, key in keys.items()})
        elif kind == "tablelink":
            self._add_tablelink(name, entry, antennas, keys, lamps)
            self.settle_ms = max(self.settle_ms, 3 * cycle_ms if antennas else 0)
        else:
            raise ConfigError(f"device {name} is a '{kind}': the simulation has {' and '.join(READERS)} only")

    def _add_feig(self, name: str, entry: Config, antennas: dict[int, str], cycle_ms: int) -> None:
        mode = entry.get("mode", "inventory")
        hold_ms = entry.get("hold_ms", DEFAULT_HOLD_MS)
        self.devices[name] = FeigDevice(
            name, air=self.air, antennas=antennas, cycle_ms=cycle_ms, mode=mode, valid_ms=hold_ms // 2
        )
        polls_ms = (entry.get("gone_after_polls", 2) + 1) * cycle_ms
        kept_ms = 2 * cycle_ms + hold_ms + 1_100
        gone_ms = polls_ms if mode == "inventory" else kept_ms
        self.settle_ms = max(self.settle_ms, gone_ms + ASKED_MS)

    def _add_text_line(self, name: str, entry: Config, antennas: dict[int, str], cycle_ms: int) -> None:
        preset, patterns, repeats = entry.get("preset"), entry.get("patterns", ()), entry.get("repeats")
        self.devices[name] = TextLineDevice(
            name,
            air=self.air,
            antennas=antennas,
            cycle_ms=cycle_ms,
            form=form_for(name, preset, patterns, antennas),
            repeats=is_repeated(preset) if repeats is None else repeats,
            patterns=patterns,
        )
        # a tag's silence is put to question when the hold time is over, and answered by a later tick
        hold_ms = entry.get("hold_ms", DEFAULT_HOLD_MS)
        self.settle_ms = max(self.settle_ms, 2 * cycle_ms + hold_ms + 300)

    def _add_tablelink(
        self, name: str, entry: Config, antennas: dict[int, str], keys: dict[int, str], lamps: int
    ) -> None:
        device = TablelinkDevice(
            name,
            air=self.air,
            antennas=antennas,
            keys=max(keys, default=0),
            lamps=lamps,
            has_shoe=not antennas and not keys and not lamps,
            cycle_ms=entry.get("cycle_ms", DEFAULT_CYCLE_MS),
            gone_after_polls=entry.get("gone_after_polls", 2),
            device_id=entry.get("identity"),
        )
        self.devices[name] = device
        self._keys.update({key: (device, number) for number, key in keys.items()})
        if keys and self._pad is None:
            self._pad = device
        if not antennas and not keys and not lamps:
            self._shoe = device

    def _add_light(self, entry: Config) -> None:
        name, kind = entry["name"], entry["kind"]
        if kind == "lcus_relay":
            self.devices[name] = LcusRelay(name, max(4, *(entry.get("channels") or {"": 4}).values()))
        elif kind == "adafruit_tower":
            self.devices[name] = TowerLight(name)
        elif kind in HEADS and "device" not in entry:
            self.devices[name] = UsbLightDevice(name, kind)

    # -- what people do

    def press(self, key: str) -> None:
        """Press the key that the configuration names so; raises ConfigError where no device has it."""
        if key not in self._keys:
            raise ConfigError(f"no device of this table has the key '{key}': add it to the keys of one")
        device, number = self._keys[key]
        device.press(number)

    def press_at(self, name: str, number: int) -> None:
        """Press the key of that number at the device; of several keys with one name the one that is meant."""
        device = self.devices[name]
        if not isinstance(device, TablelinkDevice | PatliteDevice | HidKeypadDevice):
            raise ConfigError(f"device {name} has no keys: name one that has")
        device.press(number)

    def enter(self, word: str, number: int | None = None, amount: int | None = None) -> None:
        """Enter something on the dealer's pad, which belongs to the first device with keys."""
        if self._pad is None:
            raise ConfigError("no device of this table has keys, so there is no pad: add a device with keys")
        self._pad.enter(word, number, amount)

    def draw(self, tag: str | None, face: str | None, card: str | None = None) -> None:
        """A card leaves the shoe: the tablelink device that has neither antennas, keys nor lamps, which reads
        its tag and its face, or a shoe that reads the `card` itself (None where it cannot)."""
        if self._shoe is None:
            raise ConfigError(
                f"no device of this table is a shoe: add {SHOE_NAME}, a tablelink device of its own"
            )
        if isinstance(self._shoe, TablelinkDevice):
            self._shoe.draw(None if tag is None else self.world.real(tag), face)
        else:
            self._shoe.draw(card)

    @property
    def has_shoe(self) -> bool:
        return self._shoe is not None

    def device(self, name: str) -> SimDevice:
        if name not in self.devices:
            raise ConfigError(f"this table has no device '{name}': it has {', '.join(self.devices)}")
        return self.devices[name]


def table_for(
    scenario: Scenario, reader: str | None = None, port_folder: str = PORT_FOLDER
) -> dict[str, Any]:
    """The configuration of the table that a scenario is played at, as the bridge's TOML file would hold it.

    `reader` is one of `READERS` (None: what the scenario says, or tablelink). Devices are
    `reader-1` (and `reader-2` with Pepper), `keys-1` with the dealer's lamp, and `shoe-1` where the scenario
    has a shoe; a USB light that it names is `light-1`.
    """
    button = {} if scenario.button is None else {"button": scenario.button}
    seats = scenario.seats or tuple(sorted({seat for group in scenario.tables.values() for seat in group}))
    table = {"id": scenario.id, "game": scenario.game, "profile": scenario.profile, "seats": TABLE_SEATS}
    boxes = equipment(
        reader or scenario.reader or "tablelink",
        has_antennas="antennas" in scenario.sensors,
        has_shoe="shoe" in scenario.sensors,
        shoe=scenario.shoe or "tablelink",
        cycle_ms=scenario.scan_ms,
        port_folder=port_folder,
    )
    if scenario.light is not None:
        boxes["light"].append({"name": LIGHT_NAME, "kind": scenario.light, "port": "usb@1-1"})
    return {"table": {**table, "occupied": list(seats), **button}, **boxes}


def equipment(
    reader: str = "tablelink",
    *,
    has_antennas: bool = True,
    has_shoe: bool = False,
    shoe: str = "tablelink",
    cycle_ms: int = DEFAULT_CYCLE_MS,
    port_folder: str = PORT_FOLDER,
) -> dict[str, Any]:
    """The `device` and `light` tables of a full table of ten seats; raises ConfigError on an unknown reader
    or shoe."""
    if shoe not in SHOES:
        raise ConfigError(f"shoe '{shoe}' is not simulated: use {' or '.join(SHOES)}")
    if reader not in READERS:
        raise ConfigError(f"reader '{reader}' is not simulated: use {' or '.join(READERS)}")
    per_box = BOARD_ANTENNAS.get(reader, len(PLACES))
    boxes = [PLACES[at : at + per_box] for at in range(0, len(PLACES), per_box)] if has_antennas else []
    devices: list[dict[str, Any]] = []
    for index, places in enumerate(boxes, start=1):
        devices.append(_reader(f"reader-{index}", reader, places, cycle_ms))
    devices.append({"name": "keys-1", "kind": "tablelink", "keys": _numbers(KEY_NAMES)})
    if has_shoe:
        devices.append({"name": SHOE_NAME, "kind": shoe})
    for device in devices:
        device["port"] = f"{port_folder}/{device['name']}"
    light = {"name": "dealer", "kind": "tablelink", "device": "keys-1", "lamp": 1}
    return {"device": devices, "light": [light]}


def _reader(name: str, kind: str, places: tuple[str, ...], cycle_ms: int) -> dict[str, Any]:
    reader: dict[str, Any] = {"name": name, "kind": kind, "antennas": _numbers(places), "cycle_ms": cycle_ms}
    if kind == "pepper_c1":
        reader["hold_ms"] = 2 * cycle_ms + 100
        reader["identity"] = PepperDevice(name).device_name
    elif kind == "text_line":
        reader["hold_ms"] = 2 * cycle_ms + 100
        reader["preset"] = "whywaita"
        reader["repeats"] = True  # as its first versions, so that departures are told as by other readers
    elif kind == "tablelink":
        reader["identity"] = TablelinkDevice(name).device_id
    return reader


def _numbers(names: tuple[str, ...]) -> dict[str, str]:
    return {str(number): name for number, name in enumerate(names, start=1)}


def _numbered(mapping: Mapping[Any, str]) -> dict[int, str]:
    return {int(number): name for number, name in mapping.items()}


def _key_numbers(kind: str, keys: Mapping[Any, str]) -> dict[int, str]:
    """A keypad's keys have names in the file, those of other devices numbers."""
    if kind != "hid_keyboard":
        return _numbered(keys)
    usages = {word: usage_of(word) for word in keys}
    if None in usages.values():
        unknown = ", ".join(word for word, usage in usages.items() if usage is None)
        raise ConfigError(f"a keypad has no key {unknown}: name its keys such as F1, KP1 or A")
    return {usage: keys[word] for word, usage in usages.items() if usage is not None}


def _lamp_counts(config: Config) -> dict[str, int]:
    counts: dict[str, int] = {}
    for entry in config.get("light", ()):
        if entry["kind"] == "tablelink":
            counts[entry["device"]] = max(counts.get(entry["device"], 0), entry.get("lamp", 1))
    return counts
