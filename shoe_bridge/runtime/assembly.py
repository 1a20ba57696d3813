"""From a configuration to the parts that the core is made of."""

from collections.abc import Sequence

import msgspec

from protocol.text_presets import is_repeated
from shoe_bridge.adapters.usb_names import is_usb
from shoe_bridge.errors import DeckError
from shoe_bridge.link.device_link import LinkConfig
from shoe_bridge.rules.ranking import check_installed
from shoe_bridge.runtime.config import DeviceConfig, JackpotConfig, TableConfig
from shoe_bridge.runtime.config_check import game_of
from shoe_bridge.runtime.deck_fit import check_deck_fits
from shoe_bridge.runtime.decks import load_register
from shoe_bridge.table.deal_model import (
    NS_PER_MS,
    SENSOR_LEVELS,
    Certainty,
    DealModel,
    Level,
    certainty_for,
)
from shoe_bridge.table.deck import Register
from shoe_bridge.table.money import Money, cents_of
from shoe_bridge.table.procedures import Procedure
from shoe_bridge.table.state import Setup


def setup_of(config: TableConfig) -> Setup:
    """The table's setup, its deck register read from disk. DeckError when that register is not sound, its
    deck is not the one that the table is configured for, or a reader cannot read it."""
    table = config.table
    register = load_register(table.decks) if table.decks is not None else Register(())
    check_deck_fits(config, register)
    devices = tuple(device.name for device in config.devices)
    keys = tuple(key for device in config.devices for key in device.keys.values())
    game = _with_deck(game_of(config), config, register)
    return Setup(
        table.id,
        game,
        table.occupied,
        table.button,
        register,
        devices,
        keys,
        tracks_button=table.tracks_button,
        money=_money_of(config),
        escalate_after_s=table.escalate_after_s,
        model=None
        if table.reads == "certain"
        else deal_model(config.devices, table.reads, certainty_for(table.false_alarms)),
    )


def _money_of(config: TableConfig) -> Money:
    """The lowest chip and the jackpot's pool, as far as the file names them. MissingPackageError where hands
    cannot be ranked for them."""
    jackpot = config.jackpot or JackpotConfig()
    amounts = (config.table.chip, jackpot.pool, jackpot.pool_major, jackpot.pool_minor)
    if any(amount is not None for amount in amounts):
        check_installed()
    return Money(*(None if amount is None else cents_of(amount) for amount in amounts))


def _with_deck(game: Procedure, config: TableConfig, register: Register) -> Procedure:
    """The game with as many cards as the registered deck has, where it can be played with so many."""
    cards, wanted = len(register.cards_in_use()), config.table.deck_cards
    if cards and wanted and cards != wanted:
        raise DeckError(
            f"deck {register.decks[0].id} has {cards} cards and deck_cards is {wanted}: register the deck in"
            " play, or correct deck_cards in [table]."
        )
    return msgspec.structs.replace(game, deck_cards=cards) if cards in game.decks else game


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
        mode=device.mode,
        preset=device.preset,
        patterns=device.patterns,
        chatter=device.chatter,
        repeats=is_repeated(device.preset) if device.repeats is None else device.repeats,
        heartbeat_s=device.heartbeat_s,
        typed=device.typed,
        layout=device.layout,
        is_by_report=device.kind == "hid_keyboard" and is_usb(device.port),
    )


def deal_model(
    devices: Sequence[DeviceConfig], level: Level, certainty: Certainty | None = None
) -> DealModel | None:
    """How the deal of a table with these devices is inferred; None where no antenna looks at it. An antenna's
    neighbours are those with the next lower and higher number of the same device."""
    neighbours: dict[str, tuple[str, ...]] = {}
    cycle_ms = 0
    for device in devices:
        for number, place in device.antennas.items():
            cycle_ms = max(cycle_ms, device.cycle_ms)
            near = [device.antennas.get(other) for other in (number - 1, number + 1)]
            beside = (name for name in near if name not in (None, place))
            known = neighbours.get(place, ())
            neighbours[place] = tuple(dict.fromkeys((*known, *filter(None, beside))))
    if not neighbours:
        return None
    sensor = msgspec.structs.replace(SENSOR_LEVELS[level], cycle_ns=cycle_ms * NS_PER_MS)
    return DealModel(sensor=sensor, certainty=certainty or Certainty(), neighbours=neighbours)
