"""The configuration loader: what it gives, and the one sentence it says about each thing wrong."""

import os
from pathlib import Path

import pytest

from shoe_bridge.errors import ConfigError
from shoe_bridge.rules.games import game_names, open_game
from shoe_bridge.runtime.assembly import links_of
from shoe_bridge.runtime.config import JackpotConfig, TableConfig, load, parse
from shoe_bridge.runtime.config_check import game_of
from shoe_bridge.runtime.config_example import example

FILE = Path("/etc/shoe-bridge/table.toml")
GOOD = """\
[table]
id = "holdem-07"
game = "holdem"
seats = 2

[[device]]
name = "reader-1"
kind = "pepper_c1"
port = "/dev/shoe-bridge/reader-1"
antennas = { 1 = "seat 1", 2 = "seat 2", 3 = "board", 4 = "burn" }

[[device]]
name = "keys-1"
kind = "tablelink"
port = "socket://10.0.0.7:4001"
keys = { 1 = "shuffle", 2 = "cut" }

[[light]]
name = "dealer"
kind = "tablelink"
device = "keys-1"
"""


def complaint(text: str) -> str:
    """What the loader says about `text`, without the path; it is one whole sentence."""
    with pytest.raises(ConfigError) as caught:
        parse(text, FILE)
    sentence = str(caught.value)
    assert caught.value.exit_code == 2
    assert "\n" not in sentence
    assert sentence.startswith(f"{FILE}, ")
    assert sentence.endswith(".")
    return sentence.removeprefix(f"{FILE}, ")


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


def test_good_file_gives_every_part_with_its_defaults() -> None:
    config = parse(GOOD, FILE)
    assert config.table.id == "holdem-07"
    assert (config.table.seats, config.table.occupied, config.table.button) == (2, (1, 2), 2)
    assert config.table.profile == "nz-1999"
    assert config.table.decks is None
    reader, keys = config.devices
    assert reader.antennas == {1: "seat 1", 2: "seat 2", 3: "board", 4: "burn"}
    assert (reader.baud, reader.cycle_ms, reader.gone_after_polls, reader.hold_ms) == (115_200, 400, 2, 500)
    assert keys.keys == {1: "shuffle", 2: "cut"}
    assert keys.identity is None
    (light,) = config.lights
    assert (light.device, light.lamp, light.port) == ("keys-1", 1, None)
    assert (config.feed.sink, config.feed.path, config.journal.raw_cap_mib) == ("jsonl", "feed.jsonl", 2048)


def test_a_line_is_as_its_kind_comes_unless_the_file_says_otherwise() -> None:
    reader, keys = parse(GOOD, FILE).devices
    assert (reader.baud, reader.parity, keys.parity) == (115_200, "N", "N")
    feig = changed('"pepper_c1"', '"feig_obid"')
    reader, _ = parse(feig, FILE).devices
    assert (reader.baud, reader.parity, reader.mode) == (38_400, "E", "inventory")
    written = feig.replace('"feig_obid"', '"feig_obid"\nbaud = 9600\nparity = "N"\nmode = "buffered"')
    reader, _ = parse(written, FILE).devices
    assert (reader.baud, reader.parity, reader.mode) == (9_600, "N", "buffered")
    (link, _) = links_of(parse(written, FILE).devices)
    assert link.mode == "buffered"


def test_a_port_may_wait_for_the_device_to_connect() -> None:
    config = parse(changed("socket://10.0.0.7:4001", "listen://0.0.0.0:10005"), FILE)
    assert config.devices[1].port == "listen://0.0.0.0:10005"


@pytest.mark.parametrize("scheme", ["socket", "rfc2217"])
def test_a_serial_server_is_one_port_however_it_is_spoken_to(scheme: str) -> None:
    text = changed("/dev/shoe-bridge/reader-1", f"{scheme}://10.0.0.7:04001")
    assert complaint(text).startswith("line 15: port socket://10.0.0.7:4001 belongs to reader-1 already")
    other = changed("/dev/shoe-bridge/reader-1", "listen://10.0.0.7:4001")
    assert parse(other, FILE).devices[0].port == "listen://10.0.0.7:4001"


def test_lamps_of_one_device_are_told_apart_by_their_numbers() -> None:
    second = '[[light]]\nname = "floor"\nkind = "tablelink"\ndevice = "keys-1"\nlamp = 2\n'
    assert [light.lamp for light in parse(GOOD + second, FILE).lights] == [1, 2]


def test_written_values_are_taken() -> None:
    text = changed("seats = 2", 'seats = 2\noccupied = [2, 1]\nbutton = 1\ndecks = "d/decks.toml"')
    config = parse(text + '[feed]\npath = "/srv/f.jsonl"\n[journal]\nraw_cap_mib = 64\n', FILE)
    assert (config.table.occupied, config.table.button) == ((1, 2), 1)
    assert config.table.decks == Path("/etc/shoe-bridge/d/decks.toml")
    assert (config.feed.path, config.journal.raw_cap_mib) == ("/srv/f.jsonl", 64)


def test_device_id_is_taken_in_either_case() -> None:
    port = 'port = "socket://10.0.0.7:4001"'
    config = parse(changed(port, f'{port}\nidentity = "00112233aabbccdd"'), FILE)
    assert config.devices[1].identity == "00112233AABBCCDD"


def test_button_defaults_to_the_highest_occupied_seat() -> None:
    assert parse(changed("seats = 2", "seats = 2\noccupied = [1]"), FILE).table.button == 1


def test_configuration_cannot_be_changed_after_loading() -> None:
    config = parse(GOOD, FILE)
    with pytest.raises(AttributeError):
        config.table.seats = 9  # type: ignore[misc]


def test_board_and_stub_may_have_several_antennas() -> None:
    config = parse(changed('4 = "burn"', '4 = "burn", 5 = "board", 6 = "stub", 7 = "stub"'), FILE)
    assert list(config.devices[0].antennas.values()).count("board") == 2


def test_relay_board_takes_channels_and_own_port() -> None:
    text = GOOD + (
        '[[light]]\nname = "floor"\nkind = "lcus_relay"\nport = "/dev/ttyUSB3"\n'
        "channels = { all_well = 4, attention = 5, misdeal_advised = 6 }\n"
        '[[light]]\nname = "screen"\nkind = "console"\n'
    )
    floor = parse(text, FILE).lights[1]
    assert floor.channels == {"all_well": 4, "attention": 5, "misdeal_advised": 6}
    assert floor.baud == 9600


TABLES = [
    (game, seats) for game in game_names() for seats in range(1, min(10, open_game(game).seats_most) + 1)
]
OTHER_PLACES = {
    **{game: {"board", "burn"} for game in ("holdem", "omaha", "manila2", "manila3")},
    **{game: {"burn"} for game in ("five_card_stud", "seven_card_stud")},
    "draw": {"burn", "muck"},
    "caribbean_stud": {"dealer"},
}


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_example_is_valid_for_every_table(game: str, seats: int) -> None:
    config = parse(example(game, seats), FILE)
    assert isinstance(config, TableConfig)
    places = [place for device in config.devices for place in device.antennas.values()]
    assert sorted(places) == sorted({*(f"seat {n}" for n in range(1, seats + 1)), *OTHER_PLACES[game]})
    assert config.table.game == game


def test_example_refuses_what_it_cannot_write() -> None:
    with pytest.raises(ValueError, match="razz is no game of this build: choose one of caribbean_stud"):
        example("razz", 9)
    with pytest.raises(ValueError, match="a table of holdem has 1 to 10 seats, not 11"):
        example("holdem", 11)
    with pytest.raises(ValueError, match="a table of seven_card_stud has 1 to 8 seats, not 9"):
        example("seven_card_stud", 9)


def table_of(game: str, places: str, lines: str = "") -> str:
    antennas = ", ".join(f'{number} = "{place}"' for number, place in enumerate(places.split(","), start=1))
    text = GOOD.replace('"holdem"', f'"{game}"').replace("seats = 2", f"seats = 2\n{lines}")
    return text.replace('1 = "seat 1", 2 = "seat 2", 3 = "board", 4 = "burn"', antennas)


@pytest.mark.parametrize("game", game_names())
def test_an_antenna_is_needed_where_the_game_deals_and_nowhere_else(game: str) -> None:
    others = sorted(OTHER_PLACES[game])
    assert parse(table_of(game, ",".join(["seat 1", "seat 2", *others])), FILE).table.game == game
    for place in others:
        left = [other for other in others if other != place]
        said = complaint(table_of(game, ",".join(["seat 1", "seat 2", *left])))
        assert f"no antenna looks at {place}, expected one for each" in said


# -- games and rules of the house


def test_a_game_is_a_file_beside_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_text('extends = "manila3"\ngame = "manila-36"\ndecks = [36]\n')
    config = parse(table_of("house.toml", "seat 1,seat 2,board,burn"), tmp_path / "table.toml")
    assert config.table.game == str(tmp_path / "house.toml")
    game = game_of(config)
    assert (game.game, game.follows, game.deck_cards) == ("manila-36", "manila3", 36)


def test_a_profile_is_a_file_beside_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(
        'extends = "nz-1999"\nprofile = "house"\n[settings]\nburn_before_first_board = true\n'
    )
    text = table_of("manila3", "seat 1,seat 2,board,burn", 'profile = "rules.toml"')
    config = parse(text, tmp_path / "table.toml")
    assert config.table.profile == str(tmp_path / "rules.toml")
    assert game_of(config).streets[0].burn


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "house.toml",
            'extends = "holdem"\npasses = 0\n',
            "house.toml, line 2: passes is 0, expected a whole",
        ),
        ("house.toml", 'extends = "holdm"\n', 'house.toml, line 1: extends is "holdm", expected'),
        ("other.toml", "", "table.toml, line 3: game names the file"),
    ],
)
def test_a_game_file_that_is_not_sound_is_named_with_its_own_line(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError) as caught:
        parse(table_of("house.toml", "seat 1,seat 2,board,burn"), tmp_path / "table.toml")
    assert said in str(caught.value)


def test_a_game_file_may_quote_the_rules_of_the_table_s_own_profile(tmp_path: Path) -> None:
    street = '[[street]]\nburn = true\ncards = 3\ntarget = "board"\nrule = "H1"\n'
    game = 'extends = "holdem"\ngame = "short"\nbetting_rounds = 2\n'
    (tmp_path / "game.toml").write_text(game + street)
    (tmp_path / "rules.toml").write_text(
        'extends = "tda"\nprofile = "house"\n[rules.H1]\nstatus = "held"\nsays = "burn first"\n'
    )
    places = "seat 1,seat 2,board,burn"
    config = parse(table_of("game.toml", places, 'profile = "rules.toml"'), tmp_path / "table.toml")
    assert game_of(config).streets[0].rule == "H1"
    with pytest.raises(ConfigError, match=r'game.toml, line 8: rule "H1" is in no profile'):
        parse(table_of("game.toml", places), tmp_path / "table.toml")


@pytest.mark.parametrize(
    ("game", "lines", "said"),
    [
        ("manila3", "deck_cards = 40", "line 5: deck_cards is 40, expected 52, 36 or 32 for manila3."),
        ("holdem", "deck_cards = 32", "line 5: deck_cards is 32, expected 52 for holdem."),
        ("holdem", "deck_cards = 0", "line 5: deck_cards is 0, expected a whole number from 1 to 104."),
    ],
)
def test_a_deck_that_the_game_does_not_know(game: str, lines: str, said: str) -> None:
    assert said in complaint(table_of(game, "seat 1,seat 2,board,burn", lines))


def test_more_players_than_the_game_or_its_deck_can_serve(tmp_path: Path) -> None:
    nine = ",".join([*(f"seat {n}" for n in range(1, 10)), "burn"])
    stud = (
        table_of("seven_card_stud", nine).replace("pepper_c1", "tablelink").replace("seats = 2", "seats = 9")
    )
    assert "line 4: 9 seats are dealt in, expected at most 8 in seven_card_stud." in complaint(stud)
    assert parse(stud.replace("seats = 9", "seats = 9\noccupied = [1, 2]"), FILE).table.occupied == (1, 2)
    (tmp_path / "short.toml").write_text('extends = "omaha"\ngame = "short"\ndecks = [52, 32]\n')
    short = table_of("short.toml", f"{nine},board", "deck_cards = 32").replace("pepper_c1", "tablelink")
    with pytest.raises(
        ConfigError, match="line 4: 9 seats are dealt in, expected so few that 32 cards do for"
    ):
        parse(short.replace("seats = 2", "seats = 9"), tmp_path / "table.toml")


def test_money_and_the_button_are_taken_as_written() -> None:
    plain = parse(GOOD, FILE)
    assert (plain.table.chip, plain.table.tracks_button, plain.jackpot) == (None, False, None)
    config = parse(changed("seats = 2", 'seats = 2\nchip = "0.50"\ntracks_button = true'), FILE)
    assert (config.table.chip, config.table.tracks_button) == ("0.50", True)


STUD = table_of("caribbean_stud", "seat 1,seat 2,dealer")


@pytest.mark.parametrize(
    ("lines", "amounts"),
    [
        ('pool = "23400.00"', ("23400.00", None, None)),
        ('pool = "0.00"', ("0.00", None, None)),
        ('pool_major = "40000.00"\npool_minor = "3000.00"', (None, "40000.00", "3000.00")),
    ],
)
def test_a_pool_is_one_or_in_two_parts(lines: str, amounts: tuple[str | None, ...]) -> None:
    jackpot = parse(f"{STUD}\n[jackpot]\n{lines}\n", FILE).jackpot
    assert jackpot is not None
    assert (jackpot.pool, jackpot.pool_major, jackpot.pool_minor) == amounts


@pytest.mark.parametrize(
    ("lines", "line", "said"),
    [
        ("", 0, "[jackpot] has no pool, expected pool, or pool_major and pool_minor."),
        ('pool_major = "1.00"', 0, "[jackpot] has no pool_minor, expected both parts of the pool."),
        ('pool_minor = "1.00"', 0, "[jackpot] has no pool_major, expected both parts of the pool."),
        (
            'pool = "1.00"\npool_minor = "1.00"',
            2,
            "pool_minor stands beside pool, expected either pool or both pool_major and pool_minor.",
        ),
        ("pool = 23400.00", 1, 'pool is 23400.0, expected an amount in quotes such as "1.00".'),
        ('pool = "23400"', 1, 'pool is "23400", expected an amount in quotes such as "1.00".'),
        ('pool = "-1.00"', 1, 'pool is "-1.00", expected an amount in quotes such as "1.00".'),
        ('pol = "1.00"', 1, 'unknown key "pol" in [jackpot] (did you mean "pool"?).'),
    ],
)
def test_a_pool_that_cannot_be_followed(lines: str, line: int, said: str) -> None:
    head = STUD.count("\n") + 2
    assert complaint(f"{STUD}\n[jackpot]\n{lines}\n") == f"line {head + line}: {said}"


def test_a_jackpot_is_of_caribbean_stud_and_a_button_of_games_that_have_one() -> None:
    said = complaint(GOOD + '[jackpot]\npool = "1.00"\n')
    assert said == "line 22: holdem has no jackpot, expected [jackpot] with Caribbean stud only."
    said = complaint(STUD.replace("seats = 2", "seats = 2\ntracks_button = true"))
    assert said.endswith("caribbean_stud has no button, expected tracks_button = false or no such key.")


@pytest.mark.parametrize(("written", "value"), [("0.01", 0.01), ("10", 10.0), ("1e-1", 0.1)])
def test_false_alarms_is_a_whole_or_broken_number(written: str, value: float) -> None:
    config = parse(GOOD.replace("seats = 2", f"seats = 2\nfalse_alarms = {written}"), FILE)
    assert config.table.false_alarms == value


@pytest.mark.parametrize("written", ["99", "0", "-0.1", "nan", "inf", '"0.1"', "true", "[0.1]"])
def test_false_alarms_that_no_table_can_have(written: str) -> None:
    said = complaint(GOOD.replace("seats = 2", f"seats = 2\nfalse_alarms = {written}"))
    assert "false_alarms is " in said
    assert said.endswith("expected a number from 0.01 to 10.")


def uncommented(text: str, *lines: str) -> TableConfig:
    for line in lines:
        assert text.count(f"# {line}") == 1
        text = text.replace(f"# {line}", line)
    return parse(text, FILE)


def test_the_commented_lines_of_the_example_are_valid() -> None:
    table = uncommented(example("holdem", 2), 'chip = "1.00"', "tracks_button = true").table
    assert (table.chip, table.tracks_button) == ("1.00", True)
    table = uncommented(example("holdem", 2), 'reads = "typical"', "false_alarms = 0.1").table
    assert (table.reads, table.false_alarms) == ("typical", 0.1)
    stud = example("caribbean_stud", 2)
    assert uncommented(stud, "[jackpot]", 'pool = "23400.00"').jackpot == JackpotConfig("23400.00")
    parts = uncommented(stud, "[jackpot]", 'pool_major = "40000.00"', 'pool_minor = "3000.00"').jackpot
    assert parts == JackpotConfig(None, "40000.00", "3000.00")
    assert "jackpot" not in example("holdem", 2)
    assert "tracks_button" not in stud


TABLE = [
    ("seats = 2", 'seats = 2\nchip = "0.00"', 'line 5: chip is "0.00", expected the lowest chip in play'),
    ("seats = 2", "seats = 2\nchip = 1.00", "line 5: chip is 1.0, expected an amount in quotes such as"),
    ("seats = 2", "seats = 2\ntracks_button = 1", "line 5: tracks_button is 1, expected true or false."),
    ("seats = 2", "seats = 11", "line 4: seats is 11, expected a whole number from 1 to 10."),
    ("seats = 2", "seats = 2.0", "line 4: seats is 2.0, expected a whole number from 1 to 10."),
    ("seats = 2", "seats = true", "line 4: seats is true, expected a whole number from 1 to 10."),
    ("seats = 2", "seat = 2", 'line 4: unknown key "seat" in [table] (did you mean "seats"?).'),
    ("seats = 2\n", "", 'line 1: the key "seats" is missing in [table], expected such as seats = 9.'),
    ("seats = 2", "seats = 2\nbutton = 3", "line 5: button is seat 3, expected 1 to 2 (seats)."),
    (
        "seats = 2",
        "seats = 2\noccupied = [1, 3]",
        "line 5: occupied names seat 3, expected seats 1 to",
    ),
    (
        "seats = 2",
        "seats = 2\noccupied = [1, 1]",
        "line 5: occupied names seat 1 twice, expected each seat once.",
    ),
    (
        "seats = 2",
        "seats = 2\noccupied = []",
        "line 5: occupied is an empty list, expected at least one entry.",
    ),
    (
        "seats = 2",
        "seats = 2\noccupied = [\n  1,\n  0]",
        "line 7: occupied[2] is 0, expected a whole number from 1 to 10.",
    ),
    ("seats = 2", "seats = 2\noccupied = 1", "line 5: occupied is 1, expected a list in square brackets."),
    ("seats = 2", "seats = 2\ndecks = 1", "line 5: decks is 1, expected a path in quotes."),
    (
        "seats = 2",
        'seats = 2\nprofile = "nz-2000"',
        'line 5: profile is "nz-2000", expected nz-1999 or tda.',
    ),
    ('"holdem"', '"holdm"', 'line 3: game is "holdm", expected caribbean_stud, draw,'),
    (
        '"holdem"',
        '"games/house.toml"',
        "line 3: game names the file /etc/shoe-bridge/games/house.toml, which",
    ),
    ('"holdem-07"', '"table seven"', 'line 2: id is "table seven", expected a name of up to 32 letters'),
    ('"holdem-07"', "7", "line 2: id is 7, expected a name of up to 32 letters"),
    ("[table]", "[tabel]", 'line 1: unknown key "tabel" at the top level (did you mean "table"?).'),
    ("[[light]]", "[light]", "line 18: [light] is one section, expected a list of them: write [[light]]."),
]
DEVICES = [
    (
        '"pepper_c1"',
        '"peper_c1"',
        'line 8: kind is "peper_c1", expected tablelink, pepper_c1,',
    ),
    ('"pepper_c1"', '"gpio"', 'line 8: kind "gpio" is not yet supported, expected tablelink,'),
    ('name = "keys-1"', 'name = "reader-1"', 'line 13: name "reader-1" is taken by another [[device]]'),
    ('name = "dealer"', 'name = "keys-1"', 'line 19: name "keys-1" is taken by another [[device]]'),
    ('name = "keys-1"\n', "", 'line 12: the key "name" is missing in [[device]], expected such as name ='),
    ('"/dev/shoe-bridge/reader-1"', '"COM3"', 'line 9: port is "COM3", expected a path such as'),
    ('"/dev/shoe-bridge/reader-1"', '"usb:0AB1:0004"', 'line 9: port is "usb:0AB1:0004", expected a USB'),
    ('"pepper_c1"', '"pn532"', "line 10: antenna 2 does not exist, expected 1 to 1 at a pn532."),
    (
        'kind = "pepper_c1"',
        'kind = "r2000"\nidentity = "Impinj"',
        "line 9: a r2000 has no name to give, expected no identity: give it a port of its own",
    ),
    (
        '"pepper_c1"\nport = "/dev/shoe-bridge/reader-1"\nantennas',
        '"yrm100"\nport = "/dev/shoe-bridge/reader-1"\nantennas = {}\nkeys = {}\n# antennas',
        "line 6: reader-1 has no antennas, expected such as antennas =",
    ),
    ('"/dev/shoe-bridge/reader-1"', '"/"', 'line 9: port is "/", which is a folder, expected a path such as'),
    ('"/dev/shoe-bridge/reader-1"', '"/dev/"', 'line 9: port is "/dev/", which is a folder, expected'),
    ('"/dev/shoe-bridge/reader-1"', '"/dev/.."', 'line 9: port is "/dev/..", which is a folder, expected'),
    ("socket://10.0.0.7:4001", "listen://", "connects by itself, listen://HOST:PORT."),
    *(
        ("socket://10.0.0.7:4001", same, f"line 15: port {same} belongs to reader-1 already, expected a port")
        for same in (
            "//dev//shoe-bridge//reader-1",
            "/dev/shoe-bridge/./reader-1",
            "///dev/x/../shoe-bridge/reader-1",
        )
    ),
    ("10.0.0.7:4001", "10.0.0.7:99999", 'line 15: port is "socket://10.0.0.7:99999", expected'),
    ("10.0.0.7:4001", "10.0.0.7", 'line 15: port is "socket://10.0.0.7", expected'),
    (
        "socket://10.0.0.7:4001",
        "/dev//shoe-bridge/./reader-1",
        "line 15: port /dev//shoe-bridge/./reader-1 belongs to reader-1 already, expected a port of its own",
    ),
    ('"pepper_c1"', '"pepper_c1"\nparity = "X"', 'line 9: parity is "X", expected'),
    (
        '"pepper_c1"',
        '"pepper_c1"\nmode = "buffered"',
        'line 9: a pepper_c1 has no mode, expected mode with kind = "feig_obid" only',
    ),
    ('"pepper_c1"', '"feig_obid"\nmode = "loud"', 'line 9: mode is "loud", expected'),
    ('4 = "burn"', '9 = "burn"', "line 10: antenna 9 does not exist, expected 1 to 8 at a pepper_c1."),
    ('4 = "burn"', '0 = "burn"', "line 10: antenna 0 does not exist, expected 1 to 8 at a pepper_c1."),
    (
        '4 = "burn"',
        'x = "burn"',
        'line 10: "x" in antennas is no number, expected a whole number before the =.',
    ),
    ('4 = "burn"', "4 = 7", "line 10: 4 is 7, expected a text in quotes."),
    (
        '4 = "burn"',
        '4 = "brun"',
        'line 10: antenna 4 looks at "brun", expected seat 1 to seat 2, board, burn,',
    ),
    ('4 = "burn"', '4 = "burn", 5 = "shoe"', 'line 10: antenna 5 looks at "shoe", expected seat 1 to'),
    ('4 = "burn"', '4 = "burn", 5 = "seat 3"', "line 10: antenna 5 looks at seat 3, expected seats 1 to 2"),
    (
        '4 = "burn"',
        '4 = "burn", 5 = "seat 1"',
        "line 10: seat 1 has a second antenna, 5 of reader-1 besides 1 of reader-1, expected exactly one.",
    ),
    (
        '4 = "burn"',
        '4 = "burn", 5 = "burn"',
        "line 10: burn has a second antenna, 5 of reader-1 besides 4 of",
    ),
    (', 4 = "burn"', "", "line 4: no antenna looks at burn, expected one for each"),
    ('3 = "board", 4 = "burn"', '3 = "muck"', "line 4: no antenna looks at board and burn, expected one for"),
    ('1 = "seat 1", 2', "2", "line 4: no antenna looks at seat 1, expected one for each"),
    ('2 = "cut"', '33 = "cut"', "line 16: key 33 does not exist, expected 1 to 32 at a tablelink."),
    ('2 = "cut"', '2 = "shufle"', 'line 16: key 2 is "shufle" (did you mean "shuffle"?).'),
    (
        '2 = "cut"',
        '2 = "zzz"',
        'line 16: key 2 is "zzz", expected shuffle, cut, cut begin, end deal, exposed,',
    ),
    (
        '2 = "cut"',
        '2 = "shuffle"',
        'line 16: key 2 is a second "shuffle", expected each name once per device.',
    ),
    (
        '4 = "burn" }',
        '4 = "burn" }\nkeys = { 1 = "cut" }',
        "line 11: a pepper_c1 has no keys, expected keys at",
    ),
    (
        '4 = "burn" }',
        '4 = "burn" }\nhold_ms = 1',
        "line 11: hold_ms is 1, expected a whole number from 50 to",
    ),
    (
        'port = "socket://10.0.0.7:4001"',
        'port = "socket://10.0.0.7:4001"\nidentity = "keys"',
        'line 16: identity is "keys", expected the 16 hex digits of a tablelink device id.',
    ),
]
LIGHTS = [
    (
        'device = "keys-1"',
        'device = "key-1"',
        'line 21: there is no device "key-1", expected keys-1 (did you mean',
    ),
    (
        'device = "keys-1"',
        'device = "reader-1"',
        "line 21: reader-1 is a pepper_c1 and has no lamps, expected a",
    ),
    ('device = "keys-1"\n', "", "line 18: dealer names no device, expected device = NAME of a tablelink"),
    (
        'device = "keys-1"',
        'device = "keys-1"\nlamp = 0',
        "line 22: lamp is 0, expected a whole number from 1 to 32.",
    ),
    ('device = "keys-1"', 'device = "keys-1"\nport = "/dev/x"', "line 22: dealer shares its device's port"),
    (
        'device = "keys-1"',
        'device = "keys-1"\n[[light]]\nname = "floor"\nkind = "tablelink"\ndevice = "keys-1"\nlamp = 1',
        "line 26: lamp 1 of keys-1 belongs to dealer already, expected a lamp of its own for floor.",
    ),
    (
        'device = "keys-1"',
        'device = "keys-1"\nchannels = { all_well = 1 }',
        "line 22: a tablelink has no channels",
    ),
]


@pytest.mark.parametrize(("old", "new", "said"), TABLE + DEVICES + LIGHTS)
def test_each_mistake_is_named_with_its_line(old: str, new: str, said: str) -> None:
    assert said in complaint(changed(old, new))


RELAY = 'kind = "lcus_relay"\nport = "/dev/r"\n[light.channels]\n'


@pytest.mark.parametrize(
    ("light", "said"),
    [
        ('kind = "gpio"', 'line 20: kind "gpio" is not yet supported, expected tablelink, lcus_relay,'),
        ('kind = "console"\nport = "/dev/x"', "line 21: a console light has no port, expected no port here."),
        (
            'kind = "console"\ndevice = "keys-1"',
            "line 21: a console hangs on no device, expected device only with",
        ),
        ('kind = "lcus_relay"', "line 18: dealer has no port, expected a path such as"),
        ('kind = "lcus_relay"\nport = "ttyUSB0"', 'line 21: port is "ttyUSB0", expected a path such as'),
        ('kind = "adafruit_tower"\nport = "/dev/shoe-bridge/reader-1"', "belongs to reader-1 already"),
        (
            'kind = "lcus_relay"\nport = "/dev/r"\nchannels = { all_well = 1, attention = 2, red = 3 }',
            'line 22: channels names "red", expected all_well, attention or misdeal_advised.',
        ),
        (
            'kind = "lcus_relay"\nport = "/dev/r"\nchannels = { all_well = 1, attention = 2 }',
            "line 22: channels has none for misdeal_advised, expected one for each.",
        ),
        (
            RELAY + "all_well = 1\nattention = 2\nmisdeal_advised = 2",
            "line 22: channels gives one channel to two states, expected a channel of its own for each.",
        ),
        (
            RELAY + "all_well = 1\nattention = 2\nmisdeal_advised = 9",
            "line 25: channel 9 does not exist, expected 1 to 8.",
        ),
    ],
)
def test_light_kinds_have_their_own_rules(light: str, said: str) -> None:
    assert said in complaint(changed('kind = "tablelink"\ndevice = "keys-1"', light))


def test_first_mistake_of_the_file_is_the_one_reported() -> None:
    text = changed("seats = 2", "seats = 99").replace("10.0.0.7:4001", "nowhere")
    assert complaint(text).startswith("line 4: ")


def test_reader_without_antennas_is_refused() -> None:
    text = changed('antennas = { 1 = "seat 1", 2 = "seat 2", 3 = "board", 4 = "burn" }\n', "")
    assert 'line 6: reader-1 has no antennas, expected such as antennas = { 1 = "seat 1" }' in complaint(text)


def test_sink_other_than_jsonl_is_not_yet_supported() -> None:
    said = complaint(GOOD + '[feed]\nsink = "mqtt"\n')
    assert said == 'line 23: sink "mqtt" is not yet supported, expected jsonl.'


def test_toml_mistake_is_named_with_tomllibs_line() -> None:
    assert complaint(changed('"holdem-07"', "holdem-07")) == "line 2: this is not TOML: invalid value."
    said = complaint('[table]\nid = "x"\ngame = """\n')
    assert said.startswith("line 3: this is not TOML: ")


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_empty_file_is_named(text: str) -> None:
    assert complaint(text) == "line 1: the file is empty, expected a [table] section and its devices."


def test_load_reads_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert load(file) == parse(GOOD, file)


def test_missing_file_and_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none.toml does not exist: give the path"):
        load(tmp_path / "none.toml")
    with pytest.raises(ConfigError, match=r"is a folder: name the TOML file in it"):
        load(tmp_path)


def test_another_file_of_ours_is_named_for_what_it_is(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    for text, what in (
        ("[[deck]]\nid = 'blue'\n", "a deck register, expected the configuration of a table"),
        ("game = 'holdem'\nsteps = []\ntables = {}\n", "a scenario, expected the configuration of a table"),
        ("game = 'x'\npasses = 2\n", "the file of a game, expected the configuration of a table"),
    ):
        file.write_text(text)
        with pytest.raises(ConfigError, match=f"x.toml: this is {what}: name the right file"):
            load(file)
    file.write_text("[[deck]]\nid = 'blue'\n")
    with pytest.raises(ConfigError, match="this is a deck register, expected the file of a game"):
        parse(changed('"holdem"', f'"{file}"'), FILE)
    with pytest.raises(ConfigError, match="this is a deck register, expected a rule profile"):
        parse(changed("seats = 2", f'seats = 2\nprofile = "{file}"'), FILE)


def test_unreadable_file_says_why(tmp_path: Path) -> None:
    loop = tmp_path / "loop.toml"
    os.symlink(loop, loop)
    with pytest.raises(ConfigError, match=r"cannot be read \(too many levels of symbolic links\)"):
        load(loop)


@pytest.mark.parametrize("marks", [1, 2])
def test_the_mark_that_editors_put_before_a_text_is_no_mistake(tmp_path: Path, marks: int) -> None:
    file = tmp_path / "table.toml"
    file.write_text("\ufeff" * marks + example(), encoding="utf-8")
    assert load(file) == parse(example(), file)


def test_bytes_that_are_not_utf8_are_named_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_bytes(b'[table]\nid = "caf\xe9"\n')
    with pytest.raises(ConfigError, match=r"line 2: a byte 0xE9 is not UTF-8 text: save the file as UTF-8\."):
        load(file)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("seats = 9", "seats = " + "9" * 5000, "thousands of digits"),
        ("seats = 9", "seats = 0x" + "F" * 6000, "thousands of digits"),
        ("seats = 9", "seats = 9\na = " + "[" * 3000, "nested too deep"),
        ('# decks = "decks.toml"', 'decks = "\\u0000"', "expected a path"),
        ('path = "feed.jsonl"', 'path = "\\u0000"', "expected a text"),
        ('id = "holdem-01"', 'id = "holdem\\n"', "expected a name"),
        ('path = "feed.jsonl"', 'path = "journal.lock"', "the journal's"),
        ('path = "feed.jsonl"', 'path = "journal-2026-11-30.sqlite"', "the journal's"),
    ],
)
def test_values_that_no_system_takes_are_refused_in_one_sentence(tmp_path, old, new, what):
    text = example()
    assert old in text
    with pytest.raises(ConfigError, match=what):
        parse(text.replace(old, new, 1), tmp_path / "table.toml")
