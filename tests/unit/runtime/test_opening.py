"""Where a run begins: afresh, or from what the last one left."""

import msgspec
import pytest

from protocol import feig_obid
from shoe_bridge.errors import ConfigError, DeckError, JournalError
from shoe_bridge.link.device_link import DeviceLink
from shoe_bridge.link.presence import Presence
from shoe_bridge.runtime import opening
from shoe_bridge.runtime.config import DeviceConfig
from shoe_bridge.runtime.opening import (
    Snapshot,
    known_links,
    open_table,
    read_record,
    record_body,
    snapshot_body,
)
from shoe_bridge.table.state import TableState

ERROR = ("shuffle", "cut", "deal 1 -> seat 1", "deal 2 -> seat 2")
encode = msgspec.json.encode


def leave(open_journal, table) -> None:
    """Write what a run leaves: its events, and a snapshot that stands after them."""
    journal = open_journal()
    for step in table.steps:
        for event in step.events:
            journal.append_record("event", 1, encode(event))
    journal.save_snapshot(snapshot_body(table.core))
    journal.close()


def untimed(state: TableState) -> TableState:
    """A new run gives every open alert to the floor at once: their times are of another clock."""
    is_open = tuple(msgspec.structs.replace(alert, raised_at_ns=0) for alert in state.alerts.open)
    state = msgspec.structs.replace(state, watched_from=dict.fromkeys(state.watched_from, 0))
    return msgspec.structs.replace(state, alerts=msgspec.structs.replace(state.alerts, open=is_open))


def test_an_empty_journal_is_a_fresh_start(config, open_journal):
    opened = open_table(config, open_journal())
    assert (opened.state, opened.stored, opened.is_resumed) == (None, {}, False)
    assert opened.profile == "nz-1999"
    assert [link.name for link in opened.links] == ["reader-1", "keys-1"]


def test_the_same_table_goes_on_where_it_was(config, open_journal, played):
    table = played(*ERROR)
    leave(open_journal, table)
    opened = open_table(config, open_journal())
    assert opened.is_resumed
    assert opened.setup == table.core.setup
    assert encode(untimed(opened.state)) == encode(untimed(table.core.state))
    seen = Presence()
    seen.restore(opened.stored[""])
    assert [seen.places_of(tag) for tag in opened.state.lies] == [["seat 1"], ["seat 2"]]
    assert set(opened.stored) == {"", "reader-1", "keys-1"}


def test_events_after_the_snapshot_are_folded_once_more(config, open_journal, played):
    table = played(*ERROR[:3])
    old = snapshot_body(table.core)
    table.play("deal 2 -> seat 2", "exposed")
    journal = open_journal()
    for step in table.steps:
        for event in step.events:
            journal.append_record("event", 1, encode(event))
    journal.save_snapshot(old)
    journal.close()
    reopened = open_journal()
    record_n, body = reopened.recovered.snapshot
    assert body == old
    early = msgspec.structs.replace(reopened.recovered, snapshot=(record_n - 3, body))
    reopened.recovered = early
    opened = open_table(config, reopened)
    last = msgspec.json.decode(old, type=Snapshot).state.last_seq
    assert last < opened.state.last_seq == table.core.state.last_seq
    assert opened.state.hand == table.core.state.hand
    assert opened.state.alerts == untimed(table.core.state).alerts


@pytest.mark.parametrize(
    "change",
    [
        {"occupied": [1, 2, 3]},
        {"button": 5},
        {"game": "manila3"},
    ],
)
def test_another_table_keeps_its_alerts_and_its_numbers_only(
    config, document, configured, open_journal, played, change
):
    table = played(*ERROR)
    leave(open_journal, table)
    document["table"] |= change
    opened = open_table(configured(document), open_journal())
    assert opened.is_resumed
    assert opened.state.alerts == untimed(table.core.state).alerts
    assert opened.state.alerts.open
    assert opened.state.last_seq == table.core.state.last_seq
    assert opened.state.next_finding == table.core.state.next_finding
    assert opened.state.hand.cards == ()
    assert opened.state.standing == ()
    assert opened.stored == {}


def test_a_tag_that_presence_no_longer_knows_lies_nowhere(config, open_journal, played):
    table = played(*ERROR)
    snapshot = msgspec.json.decode(snapshot_body(table.core), type=Snapshot)
    emptied = {**snapshot.stored, "": Presence().snapshot()}
    journal = open_journal()
    journal.append_record("event", 1, encode(table.steps[-1].events[-1]))
    journal.save_snapshot(encode(msgspec.structs.replace(snapshot, stored=emptied)))
    journal.close()
    opened = open_table(config, open_journal())
    assert opened.state.lies == {}
    assert opened.state.hand == table.core.state.hand


def test_a_register_that_is_gone_stops_the_start(config, open_journal, tmp_path):
    (tmp_path / "decks.toml").unlink()
    with pytest.raises(DeckError, match="does not exist"):
        open_table(config, open_journal())


def test_the_record_of_a_start_holds_all_of_it(config, open_journal, played):
    leave(open_journal, played(*ERROR))
    opened = open_table(config, open_journal())
    stored = read_record(record_body(opened))
    assert record_body(stored) == record_body(opened)
    assert stored.setup == opened.setup
    assert stored.links == opened.links
    assert opening.OPENED == "bridge.opened"


def test_a_state_of_another_version_stops_the_start_in_one_sentence(config, open_journal):
    journal = open_journal()
    journal.save_snapshot(b'{"setup": 1}')
    journal.close()
    with pytest.raises(JournalError, match="another version"):
        open_table(config, open_journal())


def links_after(config, open_journal, exchanged=()):
    return {link.name: link for link in open_table(config, open_journal(), exchanged).links}


def test_who_a_device_was_is_remembered_where_nothing_is_configured(config, open_journal, played):
    table = played(*ERROR)
    leave(open_journal, table)
    links = links_after(config, open_journal)
    keys = links["keys-1"]
    assert (keys.identity, keys.is_remembered) == (table.devices["keys-1"].device_id, True)
    reader = links["reader-1"]
    assert (reader.identity, reader.is_remembered) == (table.devices["reader-1"].device_id, False)
    assert reader.others == {keys.identity: "keys-1"}
    assert keys.others == {reader.identity: "reader-1"}


def test_who_the_devices_are_is_known_without_a_run(config, open_journal, played, tmp_path):
    table = played(*ERROR)
    leave(open_journal, table)
    journal = open_journal()
    journal.close()
    keys = {link.name: link for link in known_links(config, journal.folder)}["keys-1"]
    assert (keys.identity, keys.is_remembered) == (table.devices["keys-1"].device_id, True)
    nothing = {link.name: link for link in known_links(config, tmp_path / "none")}
    assert nothing["keys-1"].identity is None
    other = msgspec.structs.replace(config, table=msgspec.structs.replace(config.table, id="other"))
    assert {link.name: link for link in known_links(other, journal.folder)}["keys-1"].identity is None


def test_an_exchanged_box_is_whoever_comes_and_brings_nothing_along(config, open_journal, played):
    leave(open_journal, played(*ERROR))
    journal = open_journal()
    opened = open_table(config, journal, ("keys-1",))
    assert {link.name: link.identity for link in opened.links}["keys-1"] is None
    assert set(opened.stored) == {"", "reader-1"}
    with pytest.raises(ConfigError, match="--exchanged names keys-9"):
        open_table(config, journal, ("keys-9",))


def test_an_identity_that_the_configuration_gives_to_another_device_is_not_remembered(
    config, open_journal, played
):
    table = played(*ERROR)
    leave(open_journal, table)
    theirs = table.devices["keys-1"].device_id
    devices = tuple(
        msgspec.structs.replace(device, identity=theirs if device.name == "reader-1" else None)
        for device in config.devices
    )
    links = links_after(msgspec.structs.replace(config, devices=devices), open_journal)
    assert (links["reader-1"].identity, links["keys-1"].identity) == (theirs, None)


def test_a_state_of_a_version_without_identities_is_taken_up(config, open_journal, played):
    table = played(*ERROR)
    body = msgspec.json.decode(snapshot_body(table.core))
    del body["identities"]
    journal = open_journal()
    journal.append_record("event", 1, encode(table.steps[-1].events[-1]))
    journal.save_snapshot(encode(body))
    journal.close()
    opened = open_table(config, open_journal())
    assert {link.name: link.identity for link in opened.links}["keys-1"] is None
    assert set(opened.stored) == {"", "reader-1", "keys-1"}


def test_a_second_reader_of_the_same_model_is_not_taken_for_the_first(config, open_journal):
    more = (
        DeviceConfig(name="feig-1", kind="feig_obid", port="/dev/x1", identity="ISC.M02.M8"),
        DeviceConfig(name="feig-2", kind="feig_obid", port="/dev/x2"),
    )
    both = msgspec.structs.replace(config, devices=(*config.devices, *more))
    links = {link.name: link for link in open_table(both, open_journal()).links}
    assert links["feig-1"].identity == "ISC.M02.M8"
    assert "ISC.M02.M8" not in links["feig-2"].others
    told = DeviceLink(links["feig-2"], Presence(), lambda tag: True)
    told.opened(0, 1)
    told.take(feig_obid.encode_version((3, 3, 0), 0x44, 33), 1)
    assert told.refusal is None
    assert told.identity == "ISC.M02.M8"
