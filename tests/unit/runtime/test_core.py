"""The core: inputs in, steps out, the same for ever, however the bytes were cut."""

import msgspec
import pytest

from shoe_bridge.rules.book import open_book
from shoe_bridge.runtime.core import NOTHING, RESTARTED, Core
from shoe_bridge.runtime.ports import Chunk, LinkClosed, LinkOpened, Tick
from shoe_bridge.table.findings import OrderError
from shoe_bridge.table.light_state import LightState
from shoe_bridge.table.observations import LinkLost
from shoe_bridge.table.state import TableState

encode = msgspec.json.encode
ERROR = ("shuffle", "cut", "deal 1 -> seat 1", "deal 2 -> seat 2")


def fresh(core: Core, state: TableState | None = None) -> Core:
    configs = tuple(link.config for link in core.links.values())
    return Core(core.setup, configs, open_book("nz-1999"), state)


def test_a_wrong_card_becomes_a_finding_an_alert_and_a_light(played):
    table = played(*ERROR)
    changes = [change for step in table.steps for change in step.changes]
    assert [change.finding for change in changes] == [OrderError(1, "seat 1", "seat 5", "19.1(c)")]
    assert [told.what for step in table.steps for told in step.alerts] == ["raised"]
    assert table.core.light is LightState.ATTENTION


def test_events_are_numbered_without_a_gap(played):
    table = played(*ERROR)
    seqs = [event.seq for step in table.steps for event in step.events]
    assert seqs == list(range(1, len(seqs) + 1))
    assert table.core.state.last_seq == seqs[-1]


def test_most_inputs_change_nothing_and_cost_no_step(played):
    table = played(*ERROR)
    empty = [step for _, step in table.taken if step is NOTHING]
    assert len(empty) > 0.8 * len(table.taken)
    assert all(step.events for _, step in table.taken if step is not NOTHING)


def test_the_same_inputs_give_the_same_steps_byte_for_byte(played):
    table = played(*ERROR)
    again = fresh(table.core)
    assert encode([again.take(given) for given in table.inputs]) == encode([step for _, step in table.taken])
    assert encode(again.state) == encode(table.core.state)


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.8, 1.0])
def test_a_core_goes_on_from_what_another_one_stored(played, share):
    table = played(*ERROR)
    at = int(share * len(table.inputs))
    first = fresh(table.core)
    for given in table.inputs[:at]:
        first.take(given)
        first.links[given.device].sends()
    second = fresh(table.core, msgspec.json.decode(encode(first.state), type=TableState))
    second.restore(first.store())
    steps = [second.take(given) for given in table.inputs[at:]]
    assert encode(steps) == encode([step for _, step in table.taken[at:]])
    assert encode(second.state) == encode(table.core.state)


def test_the_cut_of_the_bytes_changes_nothing(played):
    table = played(*ERROR)
    again = fresh(table.core)
    events = []
    for given in table.inputs:
        parts = [given]
        if isinstance(given, Chunk):
            parts = [Chunk(given.device, given.at_mono_ns, bytes((byte,))) for byte in given.data]
        events += [event for part in parts for event in again.take(part).events]
    assert encode(events) == encode([event for step in table.steps for event in step.events])


def test_nobody_is_proven_before_the_devices_have_spoken(played):
    table = played()
    new = fresh(table.core)
    assert new.state.unproven == ("reader-1", "keys-1")
    assert new.light is LightState.NOT_MONITORED
    assert table.core.state.unproven == ()
    assert table.core.light is LightState.ALL_WELL


def test_a_resumed_core_has_lost_every_device_and_says_why(played):
    table = played(*ERROR)
    resumed = fresh(table.core, table.core.state)
    step = resumed.resume(77)
    assert [event.observation for event in step.events] == [
        LinkLost(name, link.places, RESTARTED, 77) for name, link in resumed.links.items()
    ]
    assert step.events[0].seq == table.core.state.last_seq + 1
    assert resumed.light is LightState.NOT_MONITORED
    assert resumed.state.unverified
    assert resumed.state.alerts.open[0].cause == "deal"


def test_a_link_that_closes_is_lost_once(played):
    table = played()
    at_ns = table.inputs[-1].at_mono_ns + 1
    first = table.core.take(LinkClosed("reader-1", at_ns, 1, "unplugged"))
    assert [type(event.observation) for event in first.events] == [LinkLost]
    assert table.core.take(LinkClosed("reader-1", at_ns, 1, "unplugged")) is NOTHING
    assert table.core.take(Chunk("reader-1", at_ns, b"late bytes")) is NOTHING
    assert table.core.light is LightState.NOT_MONITORED


@pytest.mark.parametrize(
    "given",
    [Chunk("nobody", 1, b""), Tick("nobody", 1), LinkOpened("nobody", 1, 1), LinkClosed("nobody", 1, 1, "")],
)
def test_a_device_of_another_table_is_an_error_of_the_caller(played, given):
    with pytest.raises(KeyError, match="nobody"):
        played().core.take(given)
