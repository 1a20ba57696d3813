import tomllib
from pathlib import Path

import pytest

from shoe_bridge.errors import ConfigError
from shoe_bridge.runtime.config import parse
from shoe_bridge.sim.light_devices import LcusRelay, TowerLight
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.pepper_device import PepperDevice
from shoe_bridge.sim.pn532_device import Pn532Device
from shoe_bridge.sim.sim_table import SimTable, equipment
from shoe_bridge.sim.steps import KEY_NAMES, PLACES
from shoe_bridge.sim.tablelink_device import TablelinkDevice
from shoe_bridge.sim.toml_text import as_toml
from shoe_bridge.sim.uhf_devices import R2000Device, Yrm100Device
from shoe_bridge.sim.world import World


def build(config) -> SimTable:
    return SimTable(config, Air(World()))


@pytest.mark.parametrize("reader", ["tablelink", "pepper_c1", "feig_obid", "pn532", "yrm100", "r2000"])
def test_every_place_and_key_is_there_once(reader: str) -> None:
    config = equipment(reader, port_folder="/tmp/ports")
    places = [place for device in config["device"] for place in device.get("antennas", {}).values()]
    assert places == list(PLACES)
    (keys,) = [device["keys"] for device in config["device"] if "keys" in device]
    assert list(keys.values()) == list(KEY_NAMES)
    assert config["device"][0]["port"] == "/tmp/ports/reader-1"
    assert all(len(device.get("antennas", {})) <= 8 or reader == "tablelink" for device in config["device"])


@pytest.mark.parametrize(
    ("reader", "per_box", "device"),
    [("pn532", 1, Pn532Device), ("yrm100", 1, Yrm100Device), ("r2000", 4, R2000Device)],
)
def test_readers_with_few_antennas_are_many(reader: str, per_box: int, device: type) -> None:
    config = equipment(reader)
    boxes = [entry for entry in config["device"] if entry["kind"] == reader]
    assert len(boxes) == -(-len(PLACES) // per_box)
    assert all(1 <= len(entry["antennas"]) <= per_box for entry in boxes)
    table = build(config)
    assert all(isinstance(table.devices[entry["name"]], device) for entry in boxes)
    # a bridge that loads the file that the simulation was built from accepts it
    header = {"table": {"id": "t", "game": "holdem", "seats": 10}}
    loaded = parse(as_toml({**header, **config}), Path("/tmp/table.toml"))
    assert [entry.kind for entry in loaded.devices][: len(boxes)] == [reader] * len(boxes)


def test_the_devices_prove_the_identity_of_the_configuration() -> None:
    for reader in ("tablelink", "pepper_c1"):
        config = equipment(reader)
        table = build(config)
        for entry in config["device"]:
            device = table.devices[entry["name"]]
            if isinstance(device, PepperDevice):
                assert device.device_name == entry["identity"]
            elif "identity" in entry:
                assert isinstance(device, TablelinkDevice)
                assert device.device_id == entry["identity"]


def test_the_text_of_the_file_is_the_same_configuration() -> None:
    config = {
        "table": {"id": 'a "b" \\', "seats": 2, "occupied": [1, 2], "flag": True},
        **equipment("tablelink"),
    }
    assert tomllib.loads(as_toml(config)) == config


def test_lights_with_a_port_are_devices_and_lamps_belong_to_theirs() -> None:
    config = equipment()
    config["light"] += [
        {"name": "relay", "kind": "lcus_relay", "channels": {"all_well": 6}},
        {"name": "tower", "kind": "adafruit_tower"},
        {"name": "screen", "kind": "console"},
    ]
    table = build(config)
    assert isinstance(table.devices["tower"], TowerLight)
    relay = table.devices["relay"]
    assert isinstance(relay, LcusRelay)
    assert len(relay.shown) == 6
    assert "screen" not in table.devices
    keys = table.devices["keys-1"]
    assert isinstance(keys, TablelinkDevice)
    assert list(keys.lamps) == [1]


def test_what_is_not_there_is_named() -> None:
    table = build({"device": [{"name": "reader-1", "kind": "tablelink", "antennas": {"1": "seat 1"}}]})
    with pytest.raises(ConfigError, match="no device of this table has the key 'cut'"):
        table.press("cut")
    with pytest.raises(ConfigError, match="there is no pad"):
        table.enter("sit", 1)
    with pytest.raises(ConfigError, match="no device of this table is a shoe"):
        table.draw("E00401500000000A", None)
    with pytest.raises(ConfigError, match="reader 'thingmagic' is not simulated"):
        equipment("thingmagic")
    with pytest.raises(ConfigError, match="device r is a 'thingmagic'"):
        build({"device": [{"name": "r", "kind": "thingmagic"}]})
