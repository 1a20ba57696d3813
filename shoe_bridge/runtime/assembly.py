"""From a configuration to the parts that the core is made of."""

from shoe_bridge.link.device_link import LinkConfig
from shoe_bridge.runtime.config import DeviceConfig, TableConfig
from shoe_bridge.runtime.decks import load_register
from shoe_bridge.table.deck import Register
from shoe_bridge.table.procedures import PROCEDURES
from shoe_bridge.table.state import Setup


def setup_of(config: TableConfig) -> Setup:
    """The table's setup, its deck register read from disk. DeckError when that register is not sound."""
    table = config.table
    register = load_register(table.decks) if table.decks is not None else Register(())
    devices = tuple(device.name for device in config.devices)
    keys = tuple(key for device in config.devices for key in device.keys.values())
    return Setup(table.id, PROCEDURES[table.game], table.occupied, table.button, register, devices, keys)


def links_of(devices: tuple[DeviceConfig, ...]) -> tuple[LinkConfig, ...]:
    return tuple(_link_of(device) for device in devices)


def _link_of(device: DeviceConfig) -> LinkConfig:
    return LinkConfig(
        name=device.name,
        kind=device.kind,
        antennas=device.antennas,
        keys=device.keys,
        identity=device.identity,
        cycle_ms=device.cycle_ms,
        gone_after_polls=device.gone_after_polls,
        hold_ms=device.hold_ms,
    )
