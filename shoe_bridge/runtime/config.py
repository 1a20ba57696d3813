"""The configuration of one table: one TOML file, read once, checked whole before anything starts.

`load` gives frozen structs or raises ConfigError with one sentence: file, line, what was found, what was
expected. The structs are the schema: a key that is not a field here is unknown. Rules that no type can say
(which places need an antenna, who may share a port) are in `config_check`.
"""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import force_setattr, replace

from shoe_bridge.adapters.port_match import PortMatch
from shoe_bridge.rules.files import is_path
from shoe_bridge.runtime.config_check import complaints
from shoe_bridge.runtime.config_keys import with_key_numbers
from shoe_bridge.table.layout import SEAT_MAX
from shoe_bridge.toml_file import CONFIGURATION, fit, read_document, read_text, refuse, refuse_foreign

_EXAMPLES = {
    "table": "a section [table] with id, game and seats",
    "id": 'such as id = "holdem-07"',
    "game": 'such as game = "holdem"',
    "seats": "such as seats = 9",
    "name": 'such as name = "reader-1"',
    "kind": 'such as kind = "tablelink"',
    "port": 'such as port = "/dev/shoe-bridge/reader-1"',
}
Name = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,31}\Z",
        description="a name of up to 32 letters, digits, dots, dashes and underscores",
    ),
]
Seat = Annotated[int, Meta(ge=1, le=SEAT_MAX)]
Baud = Annotated[int, Meta(ge=300, le=4_000_000)]
Amount = Annotated[
    str, Meta(pattern=r"^[0-9]{1,12}\.[0-9]{2}\Z", description='an amount in quotes such as "1.00"')
]

# the speed in bit/s and the parity that a kind of device comes with, and those of all others
OTHER_LINE = (115_200, "N")
LINE_OF_KIND = {
    "feig_obid": (38_400, "E"),
    "angel_eye": (4_800, "N"),
    "bee_tek": (9_600, "N"),
    "text_line": (9_600, "N"),
}


Reads = Literal["certain", "clean", "typical", "poor"]


class TableSection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[table]`. After construction `occupied` and `button` hold seats even if the file left them out: all
    seats, and the highest occupied one. `game` and `profile` are names, or absolute paths of files of the
    house; `deck_cards` is how many cards the game is played with here (None: as many as its file says);
    `escalate_after_s` is how long an alert is the dealer's before it goes to the floor. `chip` is the
    lowest chip in play (None: no pot is divided), `tracks_button` says that each move of the button is
    entered. `reads` is how well the antennas hear: by it the deal is inferred; `certain`: each first read
    is taken for the truth. `false_alarms` is how many of 1,000 hands may light the light for nothing.
    `decks`, too, is absolute: the file names paths relative to itself."""

    id: Name
    game: str
    seats: Seat
    profile: str = "nz-1999"
    occupied: tuple[Seat, ...] = ()
    button: Annotated[int, Meta(ge=1, le=SEAT_MAX)] = 0
    decks: Path | None = None
    deck_cards: Annotated[int, Meta(ge=1, le=104)] | None = None
    escalate_after_s: Annotated[int, Meta(ge=5, le=3600)] = 30
    chip: Amount | None = None
    tracks_button: bool = False
    reads: Reads = "typical"
    false_alarms: Annotated[float, Meta(ge=0.01, le=10)] = 0.1

    def __post_init__(self) -> None:
        seats = self.occupied or range(1, self.seats + 1)
        force_setattr(self, "occupied", tuple(sorted(seats)))
        seated = [seat for seat in self.occupied if seat <= self.seats]
        force_setattr(self, "button", self.button or max(seated, default=self.seats))


class DeviceConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[[device]]`: a reader, shoe or key box. `port` is where it is, or `match` what its serial port is:
    after construction `port` says either. `antennas` and `keys` map the device's numbers to places and key
    names. `identity` is the device id (tablelink) or device name (Pepper) it must prove; None binds to the
    one that the journal knows, else to the first one seen. After construction `baud` and `parity` (N, E, O)
    hold what the kind comes with even if the file left them out. `mode` is how a FEIG reader is asked.
    `preset`, `patterns`, `chatter`, `repeats` (None: as the preset's program) and `heartbeat_s` say what a
    text_line device prints, `typed` how a hid_keyboard reader types a tag, `layout` how its reports or those
    of a keypad look (see `link_config`). A keypad's keys stand in the file by their names (see
    `config_keys`)."""

    name: Name
    kind: str
    port: str = ""
    antennas: dict[int, str] = {}
    keys: dict[int, str] = {}
    identity: str | None = None
    baud: Baud = 0
    parity: Literal["N", "E", "O", ""] = ""
    cycle_ms: Annotated[int, Meta(ge=10, le=10_000)] = 400
    gone_after_polls: Annotated[int, Meta(ge=1, le=100)] = 2
    hold_ms: Annotated[int, Meta(ge=50, le=60_000)] = 500
    mode: Literal["inventory", "buffered", "notification"] = "inventory"
    preset: str | None = None
    patterns: Annotated[tuple[str, ...], Meta(max_length=16)] = ()
    chatter: Annotated[tuple[str, ...], Meta(max_length=64)] = ()
    repeats: bool | None = None
    heartbeat_s: Annotated[int, Meta(ge=0, le=3_600)] = 0
    typed: str | None = None
    layout: Literal["boot", "boot with id", "short", "short with id"] | None = None
    match: PortMatch | None = None

    def __post_init__(self) -> None:
        if self.match is not None:
            force_setattr(self, "port", self.port or self.match.url)
        baud, parity = LINE_OF_KIND.get(self.kind, OTHER_LINE)
        force_setattr(self, "baud", self.baud or baud)
        force_setattr(self, "parity", self.parity or parity)


class LightConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[[light]]`. A `tablelink` lamp shares its device's port (`device`, `lamp`), `console` needs no port,
    the others have their own: `port` is where it is, or `match` what it is, and after construction `port`
    says either. `channels` of a relay board: light state -> channel (1-based), empty for the board's
    default."""

    name: Name
    kind: str
    port: str | None = None
    device: str | None = None
    lamp: Annotated[int, Meta(ge=1, le=32)] = 1
    baud: Baud = 9_600
    channels: dict[str, int] = {}
    match: PortMatch | None = None

    def __post_init__(self) -> None:
        if self.match is not None:
            force_setattr(self, "port", self.port or self.match.url)


class FeedConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[feed]`. `path` may be relative: it then lies in the state folder, which the bridge may write."""

    sink: str = "jsonl"
    path: Annotated[str, Meta(min_length=1)] = "feed.jsonl"


class JournalConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[journal]`. `raw_cap_mib`: raw bytes kept before the oldest are pruned; audit records always stay."""

    raw_cap_mib: Annotated[int, Meta(ge=16, le=1_048_576)] = 2_048


class JackpotConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[jackpot]`: the pool that a round's prizes are worked out on, as it stands when the round's wagers are
    locked: in one, or in two parts. It is not followed from round to round. Left out: no jackpot is settled
    here."""

    pool: Amount | None = None
    pool_major: Amount | None = None
    pool_minor: Amount | None = None


class TableConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file. `devices` and `lights` keep the order of the file."""

    table: TableSection
    devices: tuple[DeviceConfig, ...] = msgspec.field(name="device", default=())
    lights: tuple[LightConfig, ...] = msgspec.field(name="light", default=())
    jackpot: JackpotConfig | None = None
    feed: FeedConfig = FeedConfig()
    journal: JournalConfig = JournalConfig()


def load(path: Path) -> TableConfig:
    """Read and check the file at `path`. Raises ConfigError; its sentence names file and line."""
    fix = "give the path of a table's TOML file with --config"
    return parse(read_text(path, "configuration", fix), path)


def parse(text: str, path: Path) -> TableConfig:
    """The same for a text that is at hand; `path` names it in errors and is where relative paths start."""
    document = read_document(text, path, "a [table] section and its devices")
    refuse_foreign(document, path, CONFIGURATION)
    numbered, found = with_key_numbers(document)
    config = _with_whole_paths(fit(numbered, TableConfig, text, path, _EXAMPLES, found), path.parent)
    refuse(complaints(config), text, path)
    return _with_upper_case_ids(config)


def _with_whole_paths(config: TableConfig, folder: Path) -> TableConfig:
    """Paths of the file start from its own `folder`."""
    table = config.table
    decks = table.decks and (folder / table.decks).absolute()
    game, profile = (
        str((folder / name).absolute()) if is_path(name) else name for name in (table.game, table.profile)
    )
    return replace(config, table=replace(table, decks=decks, game=game, profile=profile))


def _with_upper_case_ids(config: TableConfig) -> TableConfig:
    """Device ids as every other part writes them."""
    devices = tuple(
        replace(device, identity=device.identity.upper())
        if device.kind == "tablelink" and device.identity
        else device
        for device in config.devices
    )
    return replace(config, devices=devices)
