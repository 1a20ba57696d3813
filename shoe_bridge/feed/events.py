"""What leaves the house: CloudEvents 1.0 in JSON, one type per fact.

| attribute | holds |
|---|---|
| `specversion` `id` `source` `type` `time` `datacontenttype` | as CloudEvents says; `source` is the table |
| `seq` | the number of the event, gap-free per source |
| `hand` | the number of the hand, null between hands |
| `profile` | the rule profile and its version that the table is judged by |
| `walltrusted` | whether the clock behind `time` is known to be right |
| `monons`, `bootid` | the monotonic clock in ns, a string as CloudEvents integers have 32 bits; its boot |
| `schemaversion` | of this contract |

`id` is made from the fact (table, boot, journal record, type), so a repeat carries the same id and the same
bytes. No type has a field for the identity of a card: a card of a live hand is a number off the deck.
"""

from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeVar, Union, get_args, get_type_hints
from uuid import UUID, uuid5

import msgspec

from shoe_bridge.table.findings import AnyFinding, Change, DeckDefect
from shoe_bridge.table.light_state import LightState

SCHEMA_VERSION = "1"
_IDS = UUID("6c1a6f0e-6f6d-5d0a-9a43-0a3f1f5d7e11")  # the name space of this feed's ids
_encode = msgspec.json.Encoder(order="deterministic").encode


class Integrity(StrEnum):
    VERIFIED = "verified"
    UNVERIFIED = "unverified"


class TableState(msgspec.Struct, frozen=True):
    """A bridge began to follow a table. `after_unclean_stop`: the one before it did not end on purpose."""

    game: str
    seats: tuple[int, ...]
    after_unclean_stop: bool


class DeckFault(msgspec.Struct, frozen=True, tag_field="kind", tag="deck_defect"):
    """The deck is defective; which card it lacks or has twice stays in the box."""

    reason: str


if TYPE_CHECKING:
    PublicFinding = AnyFinding | DeckFault
else:
    PublicFinding = Union[(*(kind for kind in get_args(AnyFinding) if kind is not DeckDefect), DeckFault)]


class FindingState(msgspec.Struct, frozen=True, omit_defaults=True):
    """A finding by its number, the event that raised or withdrew it, and the events that it rests on.
    `certainty` is certain, probable or possible; `probability` (0 to 1) stands where the order of the cards
    was inferred."""

    number: int
    finding: PublicFinding
    certainty: str
    event: int
    evidence: tuple[int, ...]
    probability: float | None = None


class AlertState(msgspec.Struct, frozen=True):
    """An alert by its number: its cause and severity, the findings in it, and what changed it."""

    number: int
    cause: str
    severity: str
    status: str
    findings: tuple[int, ...]
    why: str


class LightShown(msgspec.Struct, frozen=True):
    """What a light shows. `confirmed`: it said so itself."""

    light: str
    state: LightState
    confirmed: bool


class DeviceState(msgspec.Struct, frozen=True):
    """A device and its places. `why` it was lost; `missed_events` that it could not replay (null:
    unknown)."""

    device: str
    places: tuple[str, ...]
    why: str | None = None
    missed_events: int | None = None


class HandState(msgspec.Struct, frozen=True):
    """A hand: the seats in it, and whether every device was there for all of it, else why not."""

    seats: tuple[int, ...]
    integrity: Integrity
    reasons: tuple[str, ...] = ()


Payload = TableState | FindingState | AlertState | LightShown | DeviceState | HandState


class FeedEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """The envelope; each type of event narrows `data`."""

    specversion: Literal["1.0"] = "1.0"
    id: str
    source: str
    time: str
    datacontenttype: Literal["application/json"] = "application/json"
    seq: int
    hand: int | None
    profile: str
    walltrusted: bool
    monons: str
    bootid: str
    schemaversion: str = SCHEMA_VERSION
    data: Payload


class TableOpened(FeedEvent, frozen=True, kw_only=True, tag="shoe-bridge.table.opened"):
    data: TableState


class FindingRaised(FeedEvent, frozen=True, kw_only=True, tag="shoe-bridge.finding.raised"):
    data: FindingState


class FindingWithdrawn(FeedEvent, frozen=True, kw_only=True, tag="shoe-bridge.finding.withdrawn"):
    data: FindingState


class AlertRaised(FeedEvent, frozen=True, kw_only=True, tag="shoe-bridge.alert.raised"):
    data: AlertState


class AlertChanged(FeedEvent, frozen=True, kw_only=True, tag="shoe-bridge.alert.changed"):
    data: AlertState


class AlertClosed(FeedEvent, frozen=True, kw_only=True, tag="shoe-bridge.alert.closed"):
    data: AlertState


class LightChanged(FeedEvent, frozen=True, kw_only=True, tag="shoe-bridge.light.changed"):
    data: LightShown


class DeviceLost(FeedEvent, frozen=True, kw_only=True, tag="shoe-bridge.device.lost"):
    data: DeviceState


class DeviceRestored(FeedEvent, frozen=True, kw_only=True, tag="shoe-bridge.device.restored"):
    data: DeviceState


class HandStarted(FeedEvent, frozen=True, kw_only=True, tag="shoe-bridge.hand.started"):
    data: HandState


class HandClosed(FeedEvent, frozen=True, kw_only=True, tag="shoe-bridge.hand.closed"):
    data: HandState


AnyFeedEvent = (
    TableOpened
    | FindingRaised
    | FindingWithdrawn
    | AlertRaised
    | AlertChanged
    | AlertClosed
    | LightChanged
    | DeviceLost
    | DeviceRestored
    | HandStarted
    | HandClosed
)
_decode = msgspec.json.Decoder(AnyFeedEvent).decode


class Origin(msgspec.Struct, frozen=True):
    """Where and when a fact arose: what all events of one moment share.

    `record_n` is the journal record that states the fact. Events of one type that rest on one record differ
    in the `ordinal` given to `make_event`. `run` tells apart the runs of one boot: a journal begun anew
    numbers its records from 1 again.
    """

    source: str
    profile: str
    boot_id: str
    record_n: int
    at_mono_ns: int
    at_wall_ns: int
    is_wall_trusted: bool
    run: str = ""
    hand: int | None = None


_Kind = TypeVar("_Kind", bound=FeedEvent)


def make_event(
    event_type: type[_Kind], payload: Payload, origin: Origin, seq: int, ordinal: int = 0
) -> _Kind:
    """Put a fact into its envelope. `seq` is the outbox number that it is about to get. Raises TypeError when
    the payload is not of that type of event."""
    if not isinstance(payload, _payload_type(event_type)):
        raise TypeError(f"{event_type.__name__} does not carry a {type(payload).__name__}")
    return event_type(
        id=event_id(event_type, origin, ordinal),
        source=origin.source,
        time=rfc3339(origin.at_wall_ns),
        seq=seq,
        hand=origin.hand,
        profile=origin.profile,
        walltrusted=origin.is_wall_trusted,
        monons=str(origin.at_mono_ns),
        bootid=origin.boot_id,
        data=payload,
    )


@cache
def _payload_type(event_type: type[FeedEvent]) -> type[Payload]:
    payload_type: type[Payload] = get_type_hints(event_type)["data"]
    return payload_type


def event_id(event_type: type[FeedEvent], origin: Origin, ordinal: int = 0) -> str:
    """The same for the same fact, on any machine and after any restart."""
    fact = (
        origin.source,
        origin.boot_id + origin.run,
        origin.record_n,
        str(event_type.__struct_config__.tag),
        ordinal,
    )
    return str(uuid5(_IDS, "\n".join(map(str, fact))))


def finding_state(change: Change) -> FindingState:
    """What the feed says of a finding that was raised or withdrawn."""
    found: PublicFinding = change.finding
    if isinstance(found, DeckDefect):
        found = DeckFault(found.reason)
    return FindingState(
        change.number, found, change.certainty, change.seq, change.evidence, change.probability
    )


def encode_event(event: FeedEvent) -> bytes:
    """One line of JSON without its newline; equal events give equal bytes."""
    return _encode(event)


def decode_event(line: bytes) -> AnyFeedEvent:
    """The event in one line. Raises `msgspec.DecodeError` (ValidationError where it breaks the contract)."""
    return _decode(line)


def rfc3339(at_wall_ns: int) -> str:
    """A wall time as RFC 3339 in UTC to the microsecond; a clock out of all range reads as 1970."""
    try:
        moment = datetime.fromtimestamp(at_wall_ns // 10**9, UTC)
    except (ValueError, OverflowError, OSError):
        moment, at_wall_ns = datetime.fromtimestamp(0, UTC), 0
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{at_wall_ns % 10**9 // 1000:06d}Z"
