"""Observations: what the table's sensors said, in table words. An event is an observation with its seq.

Times are the bridge's monotonic clock in ns. Places are strings: `seat 1` to `seat 10`, `board`, `burn`,
`muck`, `dealer`, `stub`, `shoe`. `device` is the house's name of the box that said it.
"""

import msgspec


class Observation(msgspec.Struct, frozen=True, tag_field="kind", tag=True):
    """Base of all observations; `kind` on the outside is the class name."""


class CardArrived(Observation, frozen=True, tag=True):
    """A tag is now at a place. It was not there at `not_before_ns` (the last clean poll without it) and was
    there at `not_after_ns` (the first with it)."""

    place: str
    tag: str
    not_before_ns: int
    not_after_ns: int
    device: str
    rssi: int | None = None


class CardReadAgain(Observation, frozen=True, tag=True):
    """A tag was read at the place where it arrived for the `reads`-th time, counted from its arrival (1).
    Only the first few reads are told, and only where the deal is inferred."""

    place: str
    tag: str
    reads: int
    at_mono_ns: int
    device: str


class CardStays(Observation, frozen=True, tag=True):
    """A tag was read at `place` again after it had arrived elsewhere and has not departed from either."""

    place: str
    tag: str
    at_mono_ns: int
    device: str


class CardDeparted(Observation, frozen=True, tag=True):
    """A tag is no longer at a place: last read at `not_before_ns`, proven absent at `not_after_ns`."""

    place: str
    tag: str
    not_before_ns: int
    not_after_ns: int
    device: str


class CardDrawn(Observation, frozen=True, tag=True):
    """A card left the shoe; `card` where the shoe itself names it, `face` is `up`, `down` or None."""

    at_mono_ns: int
    device: str
    tag: str | None = None
    card: str | None = None
    face: str | None = None


class CardUnread(Observation, frozen=True, tag=True):
    """A card passed the shoe and could not be read."""

    at_mono_ns: int
    device: str


class KeyPressed(Observation, frozen=True, tag=True):
    """A whole press (down, at least the minimum width, up) of the key that the configuration names so."""

    key: str
    at_mono_ns: int
    device: str


class DealerEntered(Observation, frozen=True, tag=True):
    """An entry on the dealer's pad: `word`, a seat or card number, an amount in cents."""

    word: str
    number: int | None
    amount: int | None
    at_mono_ns: int
    device: str


class LinkLost(Observation, frozen=True, tag=True):
    """The byte path to a device ended, or the device fell silent."""

    device: str
    places: tuple[str, ...]
    why: str
    at_mono_ns: int


class LinkRestored(Observation, frozen=True, tag=True):
    """A device is back and has proven who it is. `missed_events` is how many events it could not replay
    (None: the device keeps none, so it cannot be known)."""

    device: str
    places: tuple[str, ...]
    missed_events: int | None
    at_mono_ns: int


class EventsMissed(Observation, frozen=True, tag=True):
    """A gap in a device's event numbers that no replay closed."""

    device: str
    places: tuple[str, ...]
    count: int
    at_mono_ns: int


class DeviceFaulted(Observation, frozen=True, tag=True):
    """A device reported a fault of its own, or that it is over."""

    device: str
    code: int
    text: str
    cleared: bool
    at_mono_ns: int


class AlertOverdue(Observation, frozen=True, tag=True):
    """Nobody has dealt with alert `alert` in the time that the table gives the dealer."""

    alert: int
    at_mono_ns: int


class TimePassed(Observation, frozen=True, tag=True):
    """Nothing was said, and that tells something by now. `device` is empty: no device says it."""

    at_mono_ns: int
    device: str = ""


AnyObservation = (
    CardArrived
    | CardReadAgain
    | CardStays
    | CardDeparted
    | CardDrawn
    | CardUnread
    | KeyPressed
    | DealerEntered
    | LinkLost
    | LinkRestored
    | EventsMissed
    | DeviceFaulted
    | AlertOverdue
    | TimePassed
)


def time_of(observation: AnyObservation) -> int:
    """When it was known, in monotonic ns: an arrival or departure at the end of its window."""
    if isinstance(observation, CardArrived | CardDeparted):
        return observation.not_after_ns
    return observation.at_mono_ns


class Event(msgspec.Struct, frozen=True):
    """One observation in its place in the journal: `seq` is gap-free per table."""

    seq: int
    observation: AnyObservation
