"""A commented configuration to start from: Pepper C1 MUX boards, a key box with a lamp, a JSON-lines feed."""

from shoe_bridge.rules.book import profile_names
from shoe_bridge.rules.games import game_names, open_game
from shoe_bridge.runtime.config_check import places_of
from shoe_bridge.runtime.config_kinds import ANTENNA_MAX
from shoe_bridge.table.layout import SEAT_MAX, seat_place
from shoe_bridge.toml_schema import words

_MUX_PORTS = ANTENNA_MAX["pepper_c1"]

_HEAD = """\
# One table of shoe-bridge. `shoe-bridge run --check --config FILE` checks this file and starts nothing.

[table]
# `id` names the table in the journal and in the feed. `game` is {games},
# or a file of the house. `profile` names the rules that findings quote: {profiles}, or a file of
# the house. Seat 1 is at the dealer's left, numbers rise clockwise.
id = "{game}-01"
game = "{game}"
profile = "nz-1999"
seats = {seats}

# Who is dealt in when the bridge starts, and where the button lies then. Left out: every seat, the highest.
# occupied = [1, 2, 3]
# button = 1

# How well the antennas hear: clean, typical or poor. The deal is inferred accordingly, and the bridge learns
# from the table. certain: each first read is taken for the truth, which suits only antennas that miss nothing
# and are polled faster than cards are dealt. false_alarms: so many of 1,000 hands may light the light for
# nothing.
# reads = "typical"
# false_alarms = 0.1

# The register of the decks' tags, relative to this file. A short deck: how many cards it has.
# decks = "decks.toml"
# deck_cards = 32

# The lowest chip in play: pots that are entered after the showdown are divided down to it. Left out: none is.
# chip = "1.00"
{button}{jackpot}"""

_BUTTON = """
# Each move of the button is entered on the dealer's pad, so that it can be held against where it must be.
# tracks_button = true
"""

_JACKPOT = """
# The jackpot's pool when a round's wagers are locked, in one or in two parts; the bridge does not follow it
# from round to round. Left out: no jackpot is settled.
# [jackpot]
# pool = "23400.00"
# pool_major = "40000.00"     # instead of pool: for straight and royal flushes,
# pool_minor = "3000.00"      # and for four of a kind, full houses and flushes
"""

_READER = """
[[device]]
name = "{name}"
kind = "pepper_c1"
port = "/dev/shoe-bridge/{name}"   # or socket://HOST:PORT, rfc2217://HOST:PORT
# identity = "Pepper_C1-MUX-8FC334"   # refuse any other board on this port
antennas = {{ {antennas} }}
"""

_TAIL = """
[[device]]
name = "keys-1"
kind = "tablelink"
port = "/dev/shoe-bridge/keys-1"

# or a USB keypad: kind = "hid_keyboard", port = "usb:1189:8890", keys by their names, such as F1 = "shuffle"

[device.keys]                 # key number of the box = what the key means
1 = "shuffle"
2 = "cut"
3 = "end deal"
4 = "exposed"
5 = "boxed"
6 = "end bet"
7 = "showdown"
8 = "push"
9 = "next hand"
10 = "supervisor misdeal"
11 = "supervisor play on"
12 = "acknowledge"

[[light]]
name = "dealer"
kind = "tablelink"            # or lcus_relay, adafruit_tower (each with a port of its own), console
device = "keys-1"
lamp = 1

# A USB light: blink1, luxafor, kuando, blinkstick, blinkstick_square, patlite_ne, patlite_lr6, qlight,
# delcom, or busylight for one that busylight-core knows.
# [[light]]
# name = "dealer-2"
# kind = "blink1"
# port = "usb:27b8:01ed"      # vendor and product, :SERIAL behind them where there are two; or usb@1-1.2

[feed]
sink = "jsonl"
path = "feed.jsonl"           # relative to the state folder

[journal]
raw_cap_mib = 2048            # raw bytes kept before the oldest day goes; audit records always stay
"""


def example(game: str = "holdem", seats: int = 9) -> str:
    """The text of a whole, valid configuration for a table of `seats` seats (1 to 10).

    Raises ValueError for a game that does not come with this build, a seat that does not exist, or more seats
    than the game can serve.
    """
    if game not in game_names():
        raise ValueError(f"{game} is no game of this build: choose one of {', '.join(game_names())}")
    procedure = open_game(game)
    most = min(SEAT_MAX, procedure.seats_most)
    if not 1 <= seats <= most:
        raise ValueError(f"a table of {game} has 1 to {most} seats, not {seats}")
    places = [*(seat_place(seat) for seat in range(1, seats + 1)), *places_of(procedure)]
    boards = [places[start : start + _MUX_PORTS] for start in range(0, len(places), _MUX_PORTS)]
    readers = [_reader(number, board) for number, board in enumerate(boards, start=1)]
    games, profiles = words(game_names()), words(profile_names())
    head = _HEAD.format(
        game=game,
        seats=seats,
        games=games,
        profiles=profiles,
        button=_BUTTON if procedure.has_button else "",
        jackpot=_JACKPOT if procedure.family == "caribbean" else "",
    )
    return head + "".join(readers) + _TAIL


def _reader(number: int, places: list[str]) -> str:
    antennas = ", ".join(f'{antenna} = "{place}"' for antenna, place in enumerate(places, start=1))
    return _READER.format(name=f"reader-{number}", antennas=antennas)
