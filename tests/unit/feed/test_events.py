"""The envelope: CloudEvents, stable, one line, and no identity of a card in it."""

import json
import re
from typing import Any
from uuid import UUID

import msgspec
import pytest

from shoe_bridge.feed.events import (
    AlertRaised,
    AlertState,
    AnyFeedEvent,
    DeviceLost,
    DeviceRestored,
    DeviceState,
    FeedEvent,
    FindingRaised,
    FindingWithdrawn,
    HandClosed,
    HandStarted,
    HandState,
    Integrity,
    LightChanged,
    LightShown,
    Origin,
    Payload,
    TableOpened,
    TableState,
    decode_event,
    encode_event,
    event_id,
    finding_state,
    make_event,
    rfc3339,
)
from shoe_bridge.feed.schema import json_schema
from shoe_bridge.table.findings import Change, DeckDefect, OrderError
from shoe_bridge.table.light_state import LightState

ORIGIN = Origin(
    source="holdem-07",
    profile="nz-1999",
    boot_id="boot-a",
    record_n=41,
    at_mono_ns=12_345_678_901_234,
    at_wall_ns=1_782_907_200_123_456_789,
    is_wall_trusted=True,
    hand=12,
)
CHANGE = Change(
    raised=True,
    number=3,
    finding=OrderError(card=1, got="seat 1", want="seat 5", rule="19.1(c)"),
    seq=77,
    evidence=(70, 77),
    hand=12,
    profile="nz-1999",
    version="1",
)
SAMPLES: list[tuple[type[FeedEvent], Payload]] = [
    (TableOpened, TableState("holdem", (1, 2, 3, 5), after_unclean_stop=False)),
    (FindingRaised, finding_state(CHANGE)),
    (FindingWithdrawn, finding_state(CHANGE)),
    (AlertRaised, AlertState(1, "deal", "attention", "raised", (3,), "card 1 to seat 1")),
    (LightChanged, LightShown("dealer", LightState.ATTENTION, confirmed=True)),
    (DeviceLost, DeviceState("reader-1", ("seat 1", "seat 2"), why="unplugged")),
    (DeviceRestored, DeviceState("reader-1", ("seat 1", "seat 2"), missed_events=0)),
    (HandStarted, HandState((1, 2, 3, 5), Integrity.VERIFIED)),
    (HandClosed, HandState((1, 2, 3, 5), Integrity.UNVERIFIED, ("reader-1 was away",))),
]


def test_the_wrong_first_card_as_it_leaves_the_house() -> None:
    event = json.loads(encode_event(make_event(FindingRaised, finding_state(CHANGE), ORIGIN, seq=9)))
    assert event == {
        "specversion": "1.0",
        "id": event["id"],
        "source": "holdem-07",
        "type": "shoe-bridge.finding.raised",
        "time": "2026-07-01T12:00:00.123456Z",
        "datacontenttype": "application/json",
        "seq": 9,
        "hand": 12,
        "profile": "nz-1999",
        "walltrusted": True,
        "monons": "12345678901234",
        "bootid": "boot-a",
        "schemaversion": "1",
        "data": {
            "number": 3,
            "finding": {
                "kind": "order_error",
                "card": 1,
                "got": "seat 1",
                "want": "seat 5",
                "rule": "19.1(c)",
            },
            "certainty": "certain",
            "event": 77,
            "evidence": [70, 77],
        },
    }
    UUID(event["id"])


def test_a_finding_that_was_inferred_tells_how_probable_it_is() -> None:
    inferred = msgspec.structs.replace(CHANGE, certainty="probable", probability=0.9713)
    event = json.loads(encode_event(make_event(FindingRaised, finding_state(inferred), ORIGIN, seq=9)))
    assert (event["data"]["certainty"], event["data"]["probability"]) == ("probable", 0.9713)


@pytest.mark.parametrize(("event_type", "payload"), SAMPLES)
def test_each_type_survives_the_wire_and_keeps_the_rules_of_cloudevents(
    event_type: type[FeedEvent], payload: Payload
) -> None:
    event = make_event(event_type, payload, ORIGIN, seq=1)
    line = encode_event(event)
    assert decode_event(line) == event
    assert line == encode_event(make_event(event_type, payload, ORIGIN, seq=1))
    assert b"\n" not in line
    attributes = json.loads(line)
    assert attributes["type"].startswith("shoe-bridge.")
    assert all(re.fullmatch("[a-z0-9]{1,20}", name) for name in attributes)
    assert all(-(2**31) <= value < 2**31 for value in attributes.values() if isinstance(value, int)), (
        "CloudEvents integers have 32 bits"
    )


def test_the_id_is_that_of_the_fact() -> None:
    one = event_id(FindingRaised, ORIGIN)
    later = msgspec.structs.replace(ORIGIN, at_mono_ns=1, at_wall_ns=2, is_wall_trusted=False, profile="p")
    assert event_id(FindingRaised, later) == one
    others = {
        event_id(FindingWithdrawn, ORIGIN),
        event_id(FindingRaised, ORIGIN, ordinal=1),
        *(
            event_id(FindingRaised, msgspec.structs.replace(ORIGIN, **change))
            for change in (
                {"record_n": 42},
                {"source": "holdem-08"},
                {"boot_id": "boot-b"},
                {"run": "2"},
            )
        ),
    }
    assert len(others | {one}) == 7


def test_the_id_never_changes_between_versions() -> None:
    assert event_id(FindingRaised, ORIGIN) == "ecbe8f98-c72e-5732-a402-ccaa64a44fe5"


def test_a_payload_of_another_type_is_refused() -> None:
    with pytest.raises(TypeError, match="LightChanged does not carry a HandState"):
        make_event(LightChanged, HandState((), Integrity.VERIFIED), ORIGIN, seq=1)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"specversion": "2.0"}, "specversion"),
        ({"type": "shoe-bridge.finding.eaten"}, "eaten"),
        ({"seq": "one"}, "seq"),
        ({"data": {}}, "data"),
    ],
)
def test_what_breaks_the_contract_is_refused(change: dict[str, Any], what: str) -> None:
    event = json.loads(encode_event(make_event(FindingRaised, finding_state(CHANGE), ORIGIN, seq=9)))
    with pytest.raises(msgspec.ValidationError, match=what):
        decode_event(json.dumps(event | change).encode())


@pytest.mark.parametrize(
    ("at_wall_ns", "text"),
    [
        (0, "1970-01-01T00:00:00.000000Z"),
        (999_999_999, "1970-01-01T00:00:00.999999Z"),
        (1_782_907_200 * 10**9, "2026-07-01T12:00:00.000000Z"),
        (10**30, "1970-01-01T00:00:00.000000Z"),
    ],
)
def test_times_are_rfc_3339(at_wall_ns: int, text: str) -> None:
    assert rfc3339(at_wall_ns) == text


def field_names(schema: Any) -> set[str]:
    if isinstance(schema, dict):
        own = set(schema.get("properties", {}))
        return own.union(*(field_names(value) for value in schema.values()))
    if isinstance(schema, list):
        return set().union(*(field_names(value) for value in schema))
    return set()


def test_no_field_of_the_contract_can_name_a_card() -> None:
    schema = json_schema()
    assert not field_names(schema) & {"tag", "rank", "suit", "identity", "tags", "deck", "stub", "hex"}
    assert "DeckDefect" not in schema["$defs"], "it names a card; DeckFault stands for it"
    for definition in schema["$defs"].values():
        card = definition.get("properties", {}).get("card")
        if card is not None:
            types = {option["type"] for option in card.get("anyOf", [card])}
            assert types <= {"integer", "null"}, "a card is its number off the deck"


def test_a_defect_of_the_deck_leaves_without_its_card() -> None:
    change = msgspec.structs.replace(CHANGE, finding=DeckDefect("duplicate", "9d"))
    line = encode_event(make_event(FindingRaised, finding_state(change), ORIGIN, seq=1))
    assert b"duplicate" in line
    assert b"9d" not in line.split(b'"data"')[1]


def test_the_schema_holds_every_type() -> None:
    schema = json_schema()
    types = {event_type.__struct_config__.tag for event_type in AnyFeedEvent.__args__}
    assert set(schema["discriminator"]["mapping"]) == types
    assert {str(kind.__struct_config__.tag) for kind, _ in SAMPLES} <= types
    finding = schema["$defs"]["FindingRaised"]
    assert {"specversion", "id", "source", "type", "time", "seq", "hand", "data"} <= set(
        finding["properties"]
    )
    assert "id" in finding["required"]
    json.dumps(schema)
