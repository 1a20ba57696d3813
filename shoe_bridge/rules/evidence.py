"""The events that a finding rests on, in words: card numbers, places and keys, never what a card is."""

from collections.abc import Iterator, Mapping, Sequence

from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    CardDrawn,
    CardReadAgain,
    CardStays,
    CardUnread,
    DealerEntered,
    DeviceFaulted,
    Event,
    EventsMissed,
    KeyPressed,
    LinkLost,
    LinkRestored,
)

_SHOWN = 6  # of a long row, so many at each end


def in_words(events: Sequence[Event], cards: Mapping[int, int]) -> Iterator[str]:
    """A phrase for each event, with its time after the first; the middle of a long row is only counted.
    `cards`: the number off the deck of the card that an event dealt, by the event's seq."""
    if not events:
        return
    first_ns = at_mono_ns(events[0].observation)
    for place, event in enumerate(events):
        if _SHOWN <= place < len(events) - _SHOWN:
            if place == _SHOWN:
                yield f"{len(events) - 2 * _SHOWN} more like these"
            continue
        later_ns = at_mono_ns(event.observation) - first_ns
        after = f", {later_ns / 1e9:.1f} s later" if place else ""
        yield f"{phrase(event.observation, cards.get(event.seq))} (event {event.seq}{after})"


def at_mono_ns(seen: AnyObservation) -> int:
    """When it was observed: for a card at a place, when it was first read there or proven absent."""
    return seen.not_after_ns if isinstance(seen, CardArrived | CardDeparted) else seen.at_mono_ns


def phrase(seen: AnyObservation, card: int | None) -> str:
    """What was observed."""
    subject = "a card" if card is None else f"card {card}"
    match seen:
        case CardArrived(place=place):
            return f"{subject} came to {place}"
        case CardDeparted(place=place):
            return f"{subject} left {place}"
        case CardReadAgain(place=place):
            return f"{subject} was read again at {place}"
        case CardStays(place=place):
            return f"{subject} was still read at {place}"
        case CardDrawn(face=face):
            return f"{subject} left the shoe" + (f" face {face}" if face else "")
        case CardUnread():
            return f"{subject} passed the shoe unread"
        case KeyPressed(key=key):
            return f"the key {key!r} was pressed"
        case DealerEntered(word="exposed", number=number):
            return f"card {number} was entered as exposed"
        case DealerEntered(word=word, number=number):
            return f"{word!r} was entered" + ("" if number is None else f" for seat {number}")
        case LinkLost(device=device, why=why):
            return f"{device} was lost ({why})"
        case LinkRestored(device=device):
            return f"{device} came back"
        case EventsMissed(device=device, count=count):
            return f"1 event of {device} was lost" if count == 1 else f"{count} events of {device} were lost"
        case DeviceFaulted(device=device, cleared=cleared):
            return f"{device} reported {'the end of a fault' if cleared else 'a fault'}"
        case _:
            return "time passed"
