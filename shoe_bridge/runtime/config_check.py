"""What must hold between the parts of a configuration and no type can say: places, names, kinds. The rules of
lights are in `config_lights`, those of ports in `config_ports`.

Each rule yields complaints; the loader reports the one that stands first in the file.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from protocol.line_pattern import line_pattern
from protocol.text_presets import names_antenna
from shoe_bridge.articles import an
from shoe_bridge.link.line_codecs import line_codec
from shoe_bridge.rules.book import open_book, profile_names
from shoe_bridge.rules.files import is_path
from shoe_bridge.rules.games import game_names, open_game
from shoe_bridge.runtime.config_keys import key_rules
from shoe_bridge.runtime.config_kinds import (
    ANTENNA_MAX,
    DEVICE_KINDS,
    NAMELESS,
    NEEDS_ANTENNAS,
    SHOES,
    SINKS,
    choice,
)
from shoe_bridge.runtime.config_lights import light_rules
from shoe_bridge.runtime.config_ports import own_port_rules, port_rules
from shoe_bridge.table.layout import ANTENNA_PLACES, may_have_antenna, seat_of, seat_place
from shoe_bridge.table.money import cents_of
from shoe_bridge.table.procedures import DRAW, Procedure, cards_of_deal
from shoe_bridge.toml_lines import KeyPath
from shoe_bridge.toml_schema import Complaint, near_miss, shown, words
from shoe_bridge.usb_kinds import DEVICES

replace = msgspec.structs.replace

if TYPE_CHECKING:
    from shoe_bridge.runtime.config import DeviceConfig, TableConfig

_DEVICE_ID = re.compile(r"[0-9A-Fa-f]{16}")


def complaints(config: "TableConfig") -> list[Complaint]:
    """All broken rules of a configuration that fits its types. What the game asks for is named only when
    nothing else is wrong: a misspelt place or a doubled one leaves a gap, and is the better thing to say.
    ConfigError where a file that the configuration names is itself not sound."""
    rules: tuple[Callable[[TableConfig], Iterator[Complaint]], ...] = (
        _table_rules,
        _money_rules,
        _name_rules,
        _device_rules,
        _single_place_rules,
        light_rules,
        port_rules,
    )
    found = [complaint for rule in rules for complaint in rule(config)]
    return found or [*_game_rules(config), *_missing_place_rules(config)]


def _table_rules(config: "TableConfig") -> Iterator[Complaint]:
    table = config.table
    yield from _name_or_file(table.game, "game", game_names())
    yield from _name_or_file(table.profile, "profile", profile_names())
    yield from choice(config.feed.sink, SINKS, ("feed", "sink"))
    if Path(config.feed.path).name.startswith("journal"):
        yield Complaint(
            ("feed", "path"),
            f"path is {shown(config.feed.path)}, expected a name that does not begin with journal: those"
            " files are the journal's",
        )
    for number, seat in enumerate(table.occupied):
        if seat > table.seats:
            yield Complaint(
                ("table", "occupied"),
                f"occupied names seat {seat}, expected seats 1 to {table.seats} (seats)",
            )
        elif seat in table.occupied[:number]:
            yield Complaint(
                ("table", "occupied"), f"occupied names seat {seat} twice, expected each seat once"
            )
    if table.button > table.seats:
        yield Complaint(
            ("table", "button"), f"button is seat {table.button}, expected 1 to {table.seats} (seats)"
        )


def _money_rules(config: "TableConfig") -> Iterator[Complaint]:
    """A pot is divided down to a chip that is worth something; a pool is one, or two parts."""
    if config.table.chip is not None and not cents_of(config.table.chip):
        yield Complaint(("table", "chip"), 'chip is "0.00", expected the lowest chip in play such as "1.00"')
    jackpot = config.jackpot
    if jackpot is None:
        return
    parts = {"pool_major": jackpot.pool_major, "pool_minor": jackpot.pool_minor}
    named = [key for key, amount in parts.items() if amount is not None]
    if jackpot.pool is not None and named:
        yield Complaint(
            ("jackpot", named[0]),
            f"{named[0]} stands beside pool, expected either pool or both pool_major and pool_minor",
        )
    elif jackpot.pool is None and len(named) < len(parts):
        missing = words((key for key in parts if key not in named), "and")
        expected = "pool, or pool_major and pool_minor" if not named else "both parts of the pool"
        yield Complaint(("jackpot",), f"[jackpot] has no {missing if named else 'pool'}, expected {expected}")


def _name_or_file(name: str, key: str, known: tuple[str, ...]) -> Iterator[Complaint]:
    if not is_path(name):
        yield from choice(name, known, ("table", key))
    elif not Path(name).is_file():
        yield Complaint(
            ("table", key),
            f"{key} names the file {name}, which does not exist, expected {words(known)} or a file",
        )


def game_of(config: "TableConfig") -> Procedure:
    """The game as this table plays it: as its file says, with the profile's readings and the table's deck.
    ConfigError (file, line, reason) where the game's or the profile's own file is not sound."""
    book = open_book(config.table.profile)
    game = book.fit(open_game(config.table.game, book.rules_known))
    cards = config.table.deck_cards
    return replace(game, deck_cards=cards) if cards else game


def _game_rules(config: "TableConfig") -> Iterator[Complaint]:
    """What the game asks of the table: a make-up of the deck that it knows, and players whom it can serve."""
    table, game = config.table, game_of(config)
    if config.jackpot is not None and game.family != "caribbean":
        yield Complaint(
            ("jackpot",), f"{game.game} has no jackpot, expected [jackpot] with Caribbean stud only"
        )
    if table.tracks_button and not game.has_button:
        yield Complaint(
            ("table", "tracks_button"),
            f"{game.game} has no button, expected tracks_button = false or no such key",
        )
    if table.deck_cards and table.deck_cards not in game.decks:
        sizes = words(str(size) for size in game.decks)
        yield Complaint(
            ("table", "deck_cards"), f"deck_cards is {table.deck_cards}, expected {sizes} for {game.game}"
        )
        return
    players = len(table.occupied)
    key = "occupied" if players < table.seats else "seats"
    if players > game.seats_most:
        yield Complaint(
            ("table", key), f"{players} seats are dealt in, expected at most {game.seats_most} in {game.game}"
        )
    elif cards_of_deal(game, players) > game.deck_cards:
        yield Complaint(
            ("table", key),
            f"{players} seats are dealt in, expected so few that {game.deck_cards} cards do for the deal of"
            f" {game.game}",
        )


def places_of(game: Procedure) -> tuple[str, ...]:
    """The places besides the seats at which this game needs an antenna."""
    needed = {
        "board": game.board > 0,
        "burn": any(street.burn for street in game.streets),
        "muck": game.has_target(DRAW),  # what is thrown away says what a player is due
        "dealer": game.to_dealer,
    }
    return tuple(place for place, is_needed in needed.items() if is_needed)


def _name_rules(config: "TableConfig") -> Iterator[Complaint]:
    """Devices and lights share one name space: logs, alerts and the feed call a box by its name alone."""
    taken: dict[str, str] = {}
    boxes: list[tuple[str, int, str]] = [("device", n, box.name) for n, box in enumerate(config.devices)]
    boxes += [("light", n, box.name) for n, box in enumerate(config.lights)]
    for section, number, name in boxes:
        if name in taken:
            yield Complaint(
                (section, number, "name"),
                f"name {shown(name)} is taken by another [[{taken[name]}]], expected one of its own for each",
            )
        taken.setdefault(name, section)


def _device_rules(config: "TableConfig") -> Iterator[Complaint]:
    for number, device in enumerate(config.devices):
        path: KeyPath = ("device", number)
        if device.kind not in DEVICE_KINDS:
            yield from choice(device.kind, DEVICE_KINDS, (*path, "kind"))
            continue
        yield from own_port_rules(device, path, DEVICES)
        yield from _antenna_rules(device, path, config.table.seats)
        yield from key_rules(device, path)
        yield from _line_rules(device, path)
        if device.mode != "inventory" and device.kind != "feig_obid":
            sentence = f'{an(device.kind)} has no mode, expected mode with kind = "feig_obid" only'
            yield Complaint((*path, "mode"), sentence)
        if device.kind == "tablelink" and device.identity and not _DEVICE_ID.fullmatch(device.identity):
            yield Complaint(
                (*path, "identity"),
                f"identity is {shown(device.identity)}, expected the 16 hex digits of a tablelink device id",
            )
        elif device.kind in NAMELESS and device.identity is not None:
            yield Complaint(
                (*path, "identity"),
                f"{an(device.kind)} has no name to give, expected no identity: give it a port of its own, by"
                " USB path",
            )


def _antenna_rules(device: "DeviceConfig", path: KeyPath, seats: int) -> Iterator[Complaint]:
    least, most = _antenna_min(device.kind), ANTENNA_MAX[device.kind]
    if device.kind in NEEDS_ANTENNAS and not device.antennas:
        yield Complaint(
            path, f'{device.name} has no antennas, expected such as antennas = {{ 1 = "seat 1" }}'
        )
    for antenna, place in device.antennas.items():
        where: KeyPath = (*path, "antennas", str(antenna))
        if most == 0:
            box = "shoe" if device.kind in SHOES else device.kind
            yield Complaint(where, f"{an(device.kind)} has no antennas, expected none at {an(box)}")
            return
        if not least <= antenna <= most:
            yield Complaint(
                where,
                f"antenna {antenna} does not exist, expected {least} to {most} at {an(device.kind)}",
            )
        if not may_have_antenna(place):
            yield Complaint(
                where,
                f"antenna {antenna} looks at {shown(place)}, expected seat 1 to seat {seats}, "
                f"{words(p for p in ANTENNA_PLACES if seat_of(p) is None)}"
                f"{near_miss(place, ANTENNA_PLACES)}",
            )
        elif (seat_of(place) or 0) > seats:
            yield Complaint(where, f"antenna {antenna} looks at {place}, expected seats 1 to {seats} (seats)")


def _antenna_min(kind: str) -> int:
    """Home-made readers number their antennas from 0 or from 1."""
    return 0 if kind == "text_line" else 1


_LINE_KEYS = {
    "text_line": ("preset", "patterns", "chatter", "repeats", "heartbeat_s"),
    "hid_keyboard": ("typed", "layout"),
}


def _line_rules(device: "DeviceConfig", path: KeyPath) -> Iterator[Complaint]:
    """What a device prints or types is said of the kinds that do so, and can be decoded."""
    for kind, keys in _LINE_KEYS.items():
        for key in keys:
            value = getattr(device, key)
            if kind != device.kind and (value or (key == "repeats" and value is not None)):
                sentence = f"{an(device.kind)} has no {key}, expected it with kind = {shown(kind)} only"
                yield Complaint((*path, key), sentence)
                return
    key = "patterns" if device.patterns else "preset" if device.preset is not None else "typed"
    try:
        line_codec(device.kind, preset=device.preset, patterns=device.patterns, typed=device.typed)
    except ValueError as error:
        yield Complaint((*path, key), str(error))
        return
    if device.kind == "text_line" and len(device.antennas) > 1:
        own = tuple(map(line_pattern, device.patterns))
        if not names_antenna(device.preset, own):
            said = "no pattern names" if own else f"the lines of {device.preset} do not name"
            sentence = f"{said} the antenna, expected a single antenna at such a device"
            yield Complaint((*path, "antennas"), f"{sentence}: its tags could lie at any of several")


def _single_place_rules(config: "TableConfig") -> Iterator[Complaint]:
    """A seat and the burn pile have one antenna each; the board and the rest may have several."""
    seen: dict[str, str] = {}
    for number, device in enumerate(config.devices):
        for antenna, place in device.antennas.items():
            if place in seen and (place == "burn" or seat_of(place) is not None):
                yield Complaint(
                    ("device", number, "antennas", str(antenna)),
                    f"{place} has a second antenna, {antenna} of {device.name} besides {seen[place]},"
                    " expected exactly one",
                )
            seen.setdefault(place, f"{antenna} of {device.name}")


def _missing_place_rules(config: "TableConfig") -> Iterator[Complaint]:
    """Every seat is read, and every other place that the game deals to."""
    seen = {place for device in config.devices for place in device.antennas.values()}
    seats = [seat_place(seat) for seat in range(1, config.table.seats + 1)]
    needed = [*seats, *places_of(game_of(config))]
    missing = [place for place in needed if place not in seen]
    if missing:
        yield Complaint(
            ("table", "seats"),
            f"no antenna looks at {words(missing, 'and')}, expected one for each: add to the antennas of a"
            f' [[device]], such as antennas = {{ 1 = "{missing[0]}" }}',
        )
