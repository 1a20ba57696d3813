"""Where a run of the bridge begins: from its configuration, and from what the last run left in the journal.

Who each device was is left there too: names are not identity, and ports that look alike change places. A
device that is another one now is refused, unless the configuration says who it is or that it was exchanged.

The last run's state is its newest snapshot and the events recorded after it, folded once more. It is taken up
only if the table is still the same; alerts outlive even that. What was present then is restored too, so that
a card which lies where it lay is no new arrival.
"""

from pathlib import Path

import msgspec

from shoe_bridge.errors import ConfigError, JournalError
from shoe_bridge.journal import Journal, JournalReader
from shoe_bridge.journal.volumes import volumes_of
from shoe_bridge.link.device_link import LinkConfig
from shoe_bridge.link.presence import Presence
from shoe_bridge.rules.book import open_book
from shoe_bridge.runtime.assembly import links_of, setup_of
from shoe_bridge.runtime.config import TableConfig
from shoe_bridge.runtime.config_kinds import NAMED_BY_MODEL
from shoe_bridge.runtime.core import Core
from shoe_bridge.table.alerts import Alerts
from shoe_bridge.table.fold import Fold
from shoe_bridge.table.observations import Event
from shoe_bridge.table.state import Setup, TableState

OPENED = "bridge.opened"
REFUSED = "bridge.refused"  # a start that was opened and then refused for its ports: no run of the table


class Snapshot(msgspec.Struct, frozen=True):
    """What a later start goes on from. `stored` is what `Core.store` gave (bytes stand in JSON as base64),
    `identities` who the devices are by their own word, by name."""

    setup: Setup
    links: tuple[LinkConfig, ...]
    state: TableState
    stored: dict[str, bytes]
    identities: dict[str, str] = {}


class Opening(msgspec.Struct, frozen=True):
    """The parts of a run, and whether it goes on from an earlier one."""

    setup: Setup
    links: tuple[LinkConfig, ...]
    profile: str
    state: TableState | None
    stored: dict[str, bytes]
    is_resumed: bool


def open_table(config: TableConfig, journal: Journal, exchanged: tuple[str, ...] = ()) -> Opening:
    """Read the configuration's parts and what the journal recovered; `exchanged` names the devices whose
    boxes are new ones. Raises ConfigError (no device has such a name), DeckError, JournalError."""
    _check_names(exchanged, config)
    setup, links, profile = setup_of(config), links_of(config.devices), config.table.profile
    stored = journal.recovered.snapshot
    if stored is None:
        return Opening(setup, _with_others(links), profile, None, {}, False)
    record_n, body = stored
    snapshot = _read_snapshot(body, journal.folder)
    links = _with_others(_remembered(links, snapshot, exchanged))
    state = _fold_on(snapshot, record_n, journal, profile)
    if not _is_same_table(snapshot.setup, setup):
        fresh = Fold(setup, open_book(profile)).start()
        state = msgspec.structs.replace(
            fresh,
            alerts=_without_times(state.alerts),
            last_seq=state.last_seq,
            next_finding=state.next_finding,
        )
        return Opening(setup, links, profile, state, {}, True)
    state = msgspec.structs.replace(state, alerts=_without_times(state.alerts))
    seen = Presence()
    seen.restore(snapshot.stored[""])
    lies = {tag: places for tag in state.lies if (places := tuple(seen.places_of(tag)))}
    kept = _of_same_devices(snapshot, links, exchanged)
    watched_from = {name: 0 for name in state.watched_from if name in kept}
    state = msgspec.structs.replace(state, lies=lies, watched_from=watched_from)
    return Opening(setup, links, profile, state, kept, True)


def known_links(config: TableConfig, folder: Path) -> tuple[LinkConfig, ...]:
    """The links as the next run would have them, with the identities that the journal in `folder` remembers;
    with those of the configuration alone where no run of this table has left one there. Nothing is written,
    and a bridge may be running. Raises JournalError."""
    links = links_of(config.devices)
    if not folder.is_dir():
        return _with_others(links)
    try:
        has_journal = bool(volumes_of(folder))
    except OSError:
        has_journal = True  # the reader says what is wrong with the folder
    if not has_journal:
        return _with_others(links)
    with JournalReader(folder) as reader:
        stored = reader.latest_snapshot() if reader.table_id() == config.table.id else None
    if stored is None:
        return _with_others(links)
    return _with_others(_remembered(links, _read_snapshot(stored[1], folder), ()))


def _read_snapshot(body: bytes, folder: Path) -> Snapshot:
    try:
        return msgspec.json.decode(body, type=Snapshot)
    except msgspec.MsgspecError:
        raise JournalError(
            f"{folder}: the last state in it was written by another version of the bridge; end the "
            "hand with that version, then name a new folder with --state."
        ) from None


def snapshot_body(core: Core) -> bytes:
    identities = {name: link.identity for name, link in core.links.items() if link.identity is not None}
    return msgspec.json.encode(Snapshot(core.setup, core.link_configs, core.state, core.store(), identities))


def record_body(opened: Opening) -> bytes:
    """The record that a replay starts from: everything but the bytes to come."""
    return msgspec.json.encode(opened)


def read_record(body: bytes) -> Opening:
    """What `record_body` wrote. Raises JournalError for a run of a version that recorded other parts."""
    try:
        return msgspec.json.decode(body, type=Opening)
    except msgspec.MsgspecError:
        raise JournalError(
            "A run in this journal was recorded by another version of the bridge: replay it with that one."
        ) from None


def _fold_on(snapshot: Snapshot, record_n: int, journal: Journal, profile: str) -> TableState:
    """The snapshot's state and the events recorded after it."""
    fold, state = Fold(snapshot.setup, open_book(profile)), snapshot.state
    with JournalReader(journal.folder) as reader:
        for record in reader.records(record_n):
            if record.kind == "event":
                event = msgspec.json.decode(record.body, type=Event)
                if event.seq > state.last_seq:
                    state, _ = fold.apply(state, event)
    return state


def _without_times(alerts: Alerts) -> Alerts:
    """Their times are of a clock that may have begun anew: what nobody dealt with goes to the floor now."""
    return msgspec.structs.replace(
        alerts, open=tuple(msgspec.structs.replace(alert, raised_at_ns=0) for alert in alerts.open)
    )


def _check_names(exchanged: tuple[str, ...], config: TableConfig) -> None:
    names = [device.name for device in config.devices]
    for name in exchanged:
        if name not in names:
            raise ConfigError(f"--exchanged names {name}, which is no device: use one of {', '.join(names)}.")


def _remembered(
    links: tuple[LinkConfig, ...], snapshot: Snapshot, exchanged: tuple[str, ...]
) -> tuple[LinkConfig, ...]:
    """The links with the identities that their devices had, where none is configured. The configuration has
    the last word: an identity that it gives to another device is not remembered."""
    kinds = {link.name: link.kind for link in snapshot.links}
    taken = {link.identity for link in links}
    return tuple(
        msgspec.structs.replace(link, identity=known, is_remembered=True)
        if link.identity is None
        and link.name not in exchanged
        and link.kind == kinds.get(link.name)
        and (known := snapshot.identities.get(link.name)) not in taken
        else link
        for link in links
    )


def _with_others(links: tuple[LinkConfig, ...]) -> tuple[LinkConfig, ...]:
    """Each link with the identities of the others, so that an exchange of two is named as one. The name of
    a model is nobody's own."""
    known = {
        link.identity: link.name
        for link in links
        if link.identity is not None and link.kind not in NAMED_BY_MODEL
    }
    remembered = [link.name for link in links if link.is_remembered]
    return tuple(
        msgspec.structs.replace(
            link,
            others={who: name for who, name in known.items() if name != link.name},
            remembered=tuple(name for name in remembered if name != link.name),
        )
        for link in links
    )


def _of_same_devices(
    snapshot: Snapshot, links: tuple[LinkConfig, ...], exchanged: tuple[str, ...]
) -> dict[str, bytes]:
    """What is stored of a device counts only while it is configured as it was: another kind, identity or
    another map of its antennas is another device, and so is an exchanged box."""
    old = {link.name: link for link in snapshot.links}
    same = set()
    for link in links:
        before = old.get(link.name)
        if before is not None and link.name not in exchanged and _without_who(link) == _without_who(before):
            was = snapshot.identities.get(link.name, before.identity)
            if link.identity is None or was is None or link.identity == was:
                same.add(link.name)
    return {name: stored for name, stored in snapshot.stored.items() if name in same or not name}


def _without_who(link: LinkConfig) -> LinkConfig:
    return msgspec.structs.replace(link, identity=None, is_remembered=False, others={}, remembered=())


def _is_same_table(old: Setup, new: Setup) -> bool:
    """Seats, game, places and decks decide how a hand is read; a hand of another table cannot go on."""
    return old == new
