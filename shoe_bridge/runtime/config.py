"""The configuration of one table: one TOML file, read once, checked whole before anything starts.

`load` gives frozen structs or raises ConfigError with one sentence: file, line, what was found, what was
expected. The structs are the schema: a key that is not a field here is unknown. Rules that no type can say
(which places need an antenna, who may share a port) are in `config_check`.
"""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import force_setattr, replace

from shoe_bridge.errors import ConfigError
from shoe_bridge.runtime.config_check import complaints
from shoe_bridge.runtime.config_locate import key_lines, line_of
from shoe_bridge.runtime.config_schema import Complaint, schema_complaints
from shoe_bridge.table.layout import SEAT_MAX

Name = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$",
        description="a name of up to 32 letters, digits, dots, dashes and underscores",
    ),
]
Seat = Annotated[int, Meta(ge=1, le=SEAT_MAX)]
Baud = Annotated[int, Meta(ge=300, le=4_000_000)]


class TableSection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[table]`. After construction `occupied` and `button` hold seats even if the file left them out: all
    seats, and the highest occupied one. `decks` is absolute: the file names it relative to itself."""

    id: Name
    game: str
    seats: Seat
    profile: str = "nz-1999"
    occupied: tuple[Seat, ...] = ()
    button: Annotated[int, Meta(ge=1, le=SEAT_MAX)] = 0
    decks: Path | None = None

    def __post_init__(self) -> None:
        seats = self.occupied or range(1, self.seats + 1)
        force_setattr(self, "occupied", tuple(sorted(seats)))
        seated = [seat for seat in self.occupied if seat <= self.seats]
        force_setattr(self, "button", self.button or max(seated, default=self.seats))


class DeviceConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[[device]]`: a reader, shoe or key box. `antennas` and `keys` map the device's numbers to places and
    key names. `identity` is the device id (tablelink) or device name (Pepper) it must prove; None binds to
    the first one seen."""

    name: Name
    kind: str
    port: str
    antennas: dict[int, str] = {}
    keys: dict[int, str] = {}
    identity: str | None = None
    baud: Baud = 115_200
    cycle_ms: Annotated[int, Meta(ge=10, le=10_000)] = 400
    gone_after_polls: Annotated[int, Meta(ge=1, le=100)] = 2
    hold_ms: Annotated[int, Meta(ge=50, le=60_000)] = 500


class LightConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[[light]]`. A `tablelink` lamp shares its device's port (`device`, `lamp`), `console` needs no port,
    the others have their own. `channels` of a relay board: light state -> channel (1-based), empty for the
    board's default."""

    name: Name
    kind: str
    port: str | None = None
    device: str | None = None
    lamp: Annotated[int, Meta(ge=1, le=32)] = 1
    baud: Baud = 9_600
    channels: dict[str, int] = {}


class FeedConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[feed]`. `path` may be relative: it then lies in the state folder, which the bridge may write."""

    sink: str = "jsonl"
    path: Annotated[str, Meta(min_length=1)] = "feed.jsonl"


class JournalConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[journal]`. `raw_cap_mib`: raw bytes kept before the oldest are pruned; audit records always stay."""

    raw_cap_mib: Annotated[int, Meta(ge=16, le=1_048_576)] = 2_048


class TableConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file. `devices` and `lights` keep the order of the file."""

    table: TableSection
    devices: tuple[DeviceConfig, ...] = msgspec.field(name="device", default=())
    lights: tuple[LightConfig, ...] = msgspec.field(name="light", default=())
    feed: FeedConfig = FeedConfig()
    journal: JournalConfig = JournalConfig()


def load(path: Path) -> TableConfig:
    """Read and check the file at `path`. Raises ConfigError; its sentence names file and line."""
    return parse(_read(path), path)


def parse(text: str, path: Path) -> TableConfig:
    """The same for a text that is at hand; `path` names it in errors and is where relative paths start."""
    document = _toml(text, path)
    _refuse(schema_complaints(document, TableConfig), text, path)
    config = msgspec.convert(document, TableConfig, str_keys=True, dec_hook=_decode_path)
    _refuse(complaints(config), text, path)
    return _settled(config, path.parent)


def _refuse(found: list[Complaint], text: str, path: Path) -> None:
    """Raises for the complaint that stands first in the file; nothing if there is none."""
    if not found:
        return
    lines = key_lines(text)
    line, sentence = min((line_of(lines, complaint.path), complaint.sentence) for complaint in found)
    raise ConfigError(f"{path}, line {line}: {sentence}.")


def _decode_path(kind: type, value: object) -> object:
    return kind(value)


def _read(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise ConfigError(
            f"The configuration {path} does not exist: give the path of a table's TOML file with --config."
        ) from None
    except IsADirectoryError:
        raise ConfigError(f"The configuration {path} is a folder: name the TOML file in it.") from None
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise ConfigError(
            f"The configuration {path} cannot be read ({reason}): make it readable for this user, for example"
            f" with `sudo chmod o+r {path}`."
        ) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path}, line {line}: a byte 0x{raw[error.start]:02X} is not UTF-8 text: save the file as UTF-8."
        ) from None


def _toml(text: str, path: Path) -> dict[str, Any]:
    if not text.strip():
        raise ConfigError(f"{path}, line 1: the file is empty, expected a [table] section and its devices.")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        what, line = _toml_place(str(error), text)
        raise ConfigError(f"{path}, line {line}: this is not TOML: {what}.") from None


def _toml_place(said: str, text: str) -> tuple[str, int]:
    """tomllib's `What (at line 3, column 7)` or `What (at end of document)`, taken apart."""
    what, _, where = said.rpartition(" (at ")
    number = re.search(r"line (\d+)", where)
    line = int(number[1]) if number else text.rstrip("\n").count("\n") + 1
    return (what[:1].lower() + what[1:], line)


def _settled(config: TableConfig, folder: Path) -> TableConfig:
    """The checked configuration with what needs more than the words of the file: paths from `folder`, and
    device ids in upper case, as every other part writes them."""
    table = config.table
    if table.decks is not None:
        table = replace(table, decks=(folder / table.decks).absolute())
    devices = tuple(
        replace(device, identity=device.identity.upper())
        if device.kind == "tablelink" and device.identity
        else device
        for device in config.devices
    )
    return replace(config, table=table, devices=devices)
