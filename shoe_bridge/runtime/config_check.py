"""What must hold between the parts of a configuration and no type can say: places, ports, names, kinds.

Each rule yields complaints; the loader reports the one that stands first in the file.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from shoe_bridge.adapters.port_match import PortMatch
from shoe_bridge.adapters.usb_names import is_usb
from shoe_bridge.lights.kinds import LAMP_KINDS
from shoe_bridge.link.line_codecs import line_codec
from shoe_bridge.rules.book import open_book, profile_names
from shoe_bridge.rules.files import is_path
from shoe_bridge.rules.games import game_names, open_game
from shoe_bridge.runtime.config_usb import BUSYLIGHT, USB_FORMS, is_only_usb, same_usb_device, usb_port_form
from shoe_bridge.table.layout import ANTENNA_PLACES, may_have_antenna, seat_of, seat_place
from shoe_bridge.table.light_state import LightState
from shoe_bridge.table.money import cents_of
from shoe_bridge.table.procedures import DRAW, Procedure, cards_of_deal
from shoe_bridge.toml_lines import KeyPath
from shoe_bridge.toml_schema import Complaint, near_miss, shown, words
from shoe_bridge.usb_kinds import DEVICES, LIGHTS, UsbKind

replace = msgspec.structs.replace

if TYPE_CHECKING:
    from shoe_bridge.runtime.config import DeviceConfig, LightConfig, TableConfig

DEVICE_KINDS = (
    *("tablelink", "pepper_c1", "feig_obid", "angel_eye", "bee_tek"),
    *("text_line", "hid_keyboard", "pn532", "yrm100", "r2000", "patlite_ne"),
)
LIGHT_KINDS = ("tablelink", "lcus_relay", "adafruit_tower", "console", *LIGHTS, BUSYLIGHT)
SINKS = ("jsonl",)
# Named in the documents or met at tables, and not spoken yet: worth another sentence than a slip of the pen.
_LATER = {
    *("gpio", "mqtt", "nats"),
}
ANTENNA_MAX = {
    "tablelink": 32,
    "pepper_c1": 8,
    "feig_obid": 8,
    "angel_eye": 0,
    "bee_tek": 0,
    "text_line": 255,
    "hid_keyboard": 1,
    "pn532": 1,
    "yrm100": 1,
    "r2000": 4,
    "patlite_ne": 0,
}
KEY_MAX = {
    "tablelink": 32,
    "pepper_c1": 0,
    "feig_obid": 0,
    "angel_eye": 0,
    "bee_tek": 0,
    "text_line": 0,
    "hid_keyboard": 0,
    "pn532": 0,
    "yrm100": 0,
    "r2000": 0,
    "patlite_ne": 1,  # its touch sensor
}
SHOES = ("angel_eye", "bee_tek")  # they only speak, and have no name to give
NEEDS_ANTENNAS = ("pepper_c1", "feig_obid", "text_line", "hid_keyboard", "pn532", "yrm100", "r2000")
# told apart by their ports alone
NAMELESS = (*SHOES, "pn532", "yrm100", "r2000", "hid_keyboard", "patlite_ne")
CHANNEL_MAX = 8
LIT_STATES = tuple(state.value for state in LightState if state is not LightState.NOT_MONITORED)
KEY_NAMES = (
    *("shuffle", "cut", "cut begin", "end deal", "exposed", "boxed", "end bet", "showdown", "push", "notice"),
    *("cannot correct", "corrected", "supervisor misdeal", "supervisor play on", "next hand"),
    *("scan", "scan end", "acknowledge"),
)
_NETWORK_PORT = re.compile(r"(?:socket|rfc2217|listen)://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\]):([0-9]{1,5})")
_DEVICE_ID = re.compile(r"[0-9A-Fa-f]{16}")
_PORT_FORMS = "a path such as /dev/shoe-bridge/reader-1, socket://HOST:PORT or rfc2217://HOST:PORT"


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
        _light_rules,
        _port_rules,
    )
    found = [complaint for rule in rules for complaint in rule(config)]
    return found or [*_game_rules(config), *_missing_place_rules(config)]


def _choice(value: str, known: tuple[str, ...], path: KeyPath) -> Iterator[Complaint]:
    if value in known:
        return
    if value in _LATER:
        sentence = f"{path[-1]} {shown(value)} is not yet supported, expected {words(known)}"
    else:
        sentence = f"{path[-1]} is {shown(value)}, expected {words(known)}{near_miss(value, known)}".rstrip(
            "?"
        )
    yield Complaint(path, sentence)


def _table_rules(config: "TableConfig") -> Iterator[Complaint]:
    table = config.table
    yield from _name_or_file(table.game, "game", game_names())
    yield from _name_or_file(table.profile, "profile", profile_names())
    yield from _choice(config.feed.sink, SINKS, ("feed", "sink"))
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
        yield from _choice(name, known, ("table", key))
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
            yield from _choice(device.kind, DEVICE_KINDS, (*path, "kind"))
            continue
        yield from _own_port_rules(device, path, DEVICES)
        yield from _antenna_rules(device, path, config.table.seats)
        yield from _key_rules(device, path)
        yield from _line_rules(device, path)
        if device.mode != "inventory" and device.kind != "feig_obid":
            sentence = f'a {device.kind} has no mode, expected mode with kind = "feig_obid" only'
            yield Complaint((*path, "mode"), sentence)
        if device.kind == "tablelink" and device.identity and not _DEVICE_ID.fullmatch(device.identity):
            yield Complaint(
                (*path, "identity"),
                f"identity is {shown(device.identity)}, expected the 16 hex digits of a tablelink device id",
            )
        elif device.kind in NAMELESS and device.identity is not None:
            yield Complaint(
                (*path, "identity"),
                f"a {device.kind} has no name to give, expected no identity: give it a port of its own, by"
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
            yield Complaint(where, f"a {device.kind} has no antennas, expected none at a {box}")
            return
        if not least <= antenna <= most:
            yield Complaint(
                where, f"antenna {antenna} does not exist, expected {least} to {most} at a {device.kind}"
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
    "text_line": ("preset", "patterns", "chatter", "heartbeat_s"),
    "hid_keyboard": ("typed", "layout"),
}


def _line_rules(device: "DeviceConfig", path: KeyPath) -> Iterator[Complaint]:
    """What a device prints or types is said of the kinds that do so, and can be decoded."""
    for kind, keys in _LINE_KEYS.items():
        for key in keys:
            if kind != device.kind and getattr(device, key):
                sentence = f"a {device.kind} has no {key}, expected it with kind = {shown(kind)} only"
                yield Complaint((*path, key), sentence)
                return
    key = "patterns" if device.patterns else "preset" if device.preset is not None else "typed"
    try:
        line_codec(device.kind, preset=device.preset, patterns=device.patterns, typed=device.typed)
    except ValueError as error:
        yield Complaint((*path, key), str(error))


def _key_rules(device: "DeviceConfig", path: KeyPath) -> Iterator[Complaint]:
    most = KEY_MAX[device.kind]
    names: set[str] = set()
    for key, name in device.keys.items():
        where: KeyPath = (*path, "keys", str(key))
        if most == 0:
            yield Complaint(where, f"a {device.kind} has no keys, expected keys at a tablelink device only")
            return
        if not 1 <= key <= most:
            yield Complaint(where, f"key {key} does not exist, expected 1 to {most} at a {device.kind}")
        if name not in KEY_NAMES:
            expected = near_miss(name, KEY_NAMES) or f", expected {words(KEY_NAMES)}"
            yield Complaint(where, f"key {key} is {shown(name)}{expected}")
        elif name in names:
            yield Complaint(where, f"key {key} is a second {shown(name)}, expected each name once per device")
        names.add(name)


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


def _light_rules(config: "TableConfig") -> Iterator[Complaint]:
    for number, light in enumerate(config.lights):
        path: KeyPath = ("light", number)
        if light.kind not in LIGHT_KINDS:
            yield from _choice(light.kind, LIGHT_KINDS, (*path, "kind"))
        elif light.kind == "tablelink" or (light.kind in LAMP_KINDS and light.device is not None):
            yield from _lamp_rules(light, path, config)
        else:
            yield from _light_port_rules(light, path)
        if light.channels:
            yield from _channel_rules(light, path)


def _lamp_rules(light: "LightConfig", path: KeyPath, config: "TableConfig") -> Iterator[Complaint]:
    kinds = {device.name: device.kind for device in config.devices}
    links = [name for name, kind in kinds.items() if kind == light.kind]
    if light.port is not None:
        yield Complaint(
            (*path, "port"), f"{light.name} shares its device's port, expected device = NAME instead of port"
        )
    if light.device is None:
        yield Complaint(
            path, f"{light.name} names no device, expected device = NAME of a {light.kind} [[device]]"
        )
    elif light.device not in kinds:
        sentence = (
            f"there is no device {shown(light.device)},"
            f" expected {words(links) or f'a {light.kind} [[device]]'}"
        )
        yield Complaint((*path, "device"), (sentence + near_miss(light.device, links)))
    elif light.device not in links:
        yield Complaint(
            (*path, "device"),
            f"{light.device} is a {kinds[light.device]} and has no lamps, expected a {light.kind} [[device]]",
        )


def _light_port_rules(light: "LightConfig", path: KeyPath) -> Iterator[Complaint]:
    if light.device is not None:
        yield Complaint(
            (*path, "device"),
            f'a {light.kind} hangs on no device, expected device only with kind = "tablelink"',
        )
    if light.kind == "console":
        if light.port is not None:
            yield Complaint((*path, "port"), "a console light has no port, expected no port here")
    elif light.port is None:
        forms = USB_FORMS if is_only_usb(light.kind, "light") else _PORT_FORMS
        yield Complaint(path, f"{light.name} has no port, expected {forms}")
    else:
        yield from _own_port_rules(light, path, LIGHTS)


def _channel_rules(light: "LightConfig", path: KeyPath) -> Iterator[Complaint]:
    where: KeyPath = (*path, "channels")
    if light.kind != "lcus_relay":
        yield Complaint(where, f'a {light.kind} has no channels, expected them with kind = "lcus_relay" only')
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


def _port_rules(config: "TableConfig") -> Iterator[Complaint]:
    """Two boxes on one port would read half of each other's bytes."""
    owners: dict[str, str] = {}
    ports: list[tuple[KeyPath, str, str]] = [
        (("device", n, "port"), box.name, box.port) for n, box in enumerate(config.devices)
    ]
    ports += [(("light", n, "port"), box.name, box.port) for n, box in enumerate(config.lights) if box.port]
    for path, name, port in ports:
        same = _normal_port(port)
        owner = owners.get(same) or same_usb_device(port, owners)
        if owner is not None:
            yield Complaint(
                path, f"port {port} belongs to {owner} already, expected a port of its own for {name}"
            )
        owners.setdefault(same, name)


def _normal_port(port: str) -> str:
    return posixpath.normpath(port) if port.startswith("/") else port.lower()


def port_complaints(device: "DeviceConfig") -> list[Complaint]:
    """What is wrong with the port of one device that no file names, as a configuration's would be."""
    return list(_own_port_rules(device, ("device", 0), DEVICES))


def _own_port_rules(
    box: "DeviceConfig | LightConfig", path: KeyPath, usb: Mapping[str, UsbKind]
) -> Iterator[Complaint]:
    """A box has a port by its name, or by what it is."""
    match, port = box.match, box.port or ""
    if match is None and not port:
        yield Complaint(path, f"{box.name} has no port, expected {_PORT_FORMS}, or match = {{ ... }}")
    elif match is None:
        yield from _port_form(port, (*path, "port"), box.kind, usb)
    elif port != match.url:
        yield Complaint((*path, "match"), "match stands beside port, expected one of the two")
    elif match == PortMatch():
        sentence = "match names nothing, expected vendor, product, serial or usb_path"
        yield Complaint((*path, "match"), sentence)
    elif is_only_usb(box.kind, str(path[0])):
        sentence = f"a {box.kind} is no serial port, expected {USB_FORMS} as its port instead of match"
        yield Complaint((*path, "match"), sentence)


def _port_form(port: str, path: KeyPath, kind: str, usb: Mapping[str, UsbKind]) -> Iterator[Complaint]:
    if is_usb(port) or is_only_usb(kind, str(path[0])):
        yield from usb_port_form(port, kind, path, usb)
    elif not port.startswith("/"):
        network = _NETWORK_PORT.fullmatch(port)
        if not network or not 1 <= int(network[1]) <= 65_535:
            yield Complaint(path, f"port is {shown(port)}, expected {_PORT_FORMS}")
