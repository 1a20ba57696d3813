"""Where the deal of a hand stands, as plain values: what is settled, what is open, and how it was heard.

`follow` says what becomes of it, `settling` what leaves the window and when.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from shoe_bridge.table.hand import Hand
from shoe_bridge.table.observations import Event
from shoe_bridge.table.window import MOST_READS, Density, Due, Explanation, Heard, Sighting, Stand, Taken

replace = msgspec.structs.replace

PHASE_LASTS_NS = 30_000_000_000  # after so long a polling cycle may have shifted
_CARRIED_ON_NS = 4_000_000_000  # it is looked at again after so long
_MOST_SHIFTED = 8  # such a part of a cycle is more than a cycle shifts by then
LOOK_BACK_CARDS = 2  # so many are opened again whatever their places, if they were heard lately
_MOST_RECENT = 8  # settled cards that can be opened again


class Settled(msgspec.Struct, frozen=True):
    """A card that was settled lately, with all that held before it: a read that comes late can open it
    again. It was first heard at `at_ns` and counts as dealt in event `seq`."""

    sighting: Sighting
    at_ns: int
    seq: int
    run: int
    before: Hand
    pointer: int
    queue: tuple[str, ...]
    habits: tuple[str, ...]
    served: int
    anchor: Density | None
    last_ns: int


class Following(msgspec.Struct, frozen=True):
    """Where the deal of hand `number` stands. `pointer` counts the entries of the plan that are passed by
    settled cards, `served` their places, `anchor` is the time of the last of them and `last_ns` its first
    read. The window is open where `base` is set: the hand before its first card and after event `since`;
    `log` are the keys since the first of its cards or of the `recent` ones. `phases` gives for each place a
    time at which its antenna was polled lately. `complete` is the event and the time at which
    the dealer called the initial deal complete. `others` are the hands that may have been dealt instead,
    with their probabilities."""

    number: int
    pointer: int = 0
    served: tuple[str, ...] = ()
    read_ns: tuple[int, ...] = ()  # when each of them was read first, 0 where it was not
    taught: int = 0  # so many of them have taught the pace
    anchor: Density | None = None
    last_ns: int = 0
    base: Hand | None = None
    since: int = 0
    log: tuple[Event, ...] = ()
    sightings: tuple[Sighting, ...] = ()
    phases: dict[str, int] = {}
    live: tuple[str, ...] = ()  # the places whose antennas heard something in this hand
    proven: tuple[str, ...] = ()  # and those that ever did
    retold: tuple[str, ...] = ()  # and those that ever told the second read of a card
    # where a card that lies there is not heard any more: when it was last, and how deep it lies
    quiet: dict[str, tuple[int, int]] = {}
    complete: tuple[int, int] | None = None
    explanations: tuple[Explanation, ...] = ()
    presumed: tuple[Taken, ...] = ()  # the window's first cards as they were before they were opened again
    others: tuple[tuple[Hand, float], ...] = ()
    certainty: float = 1.0  # of the hand as it is taken to be, the window's doubts only
    settled: float = 1.0  # the same of what was settled at the horizon
    counted: float = 1.0  # and of how many cards each place got, as far as that was settled so
    aligned: float = 1.0  # and of where the dealer stood then
    erred: float = 0.0  # that what was settled so holds an error, whichever, where it is taken to hold one
    doubted: int = 0  # the last event that was settled so
    unsure: tuple[str, ...] = ()  # places that may hold a card that nobody heard, though settled otherwise
    deaf: tuple[tuple[str, float], ...] = ()  # places whose antennas hear nothing, with the probability
    deafened: dict[str, float] = {}  # those of them by which cards were settled, and how sure that was
    habits: tuple[str, ...] = ()  # seats that were skipped or dealt in
    queue: tuple[str, ...] = ()  # what is left of a swap or a turned pass that is settled so far
    has_shoe: bool = False  # a shoe tells each card that leaves the deck
    is_shoe_out: bool = False  # it has not told which card one was, so that its draws are no order of them
    is_stale: bool = False  # cards came as due since the explanations were weighed
    recent: tuple[Settled, ...] = ()  # the last cards that were settled
    known_ns: int = 0  # what is known is known by then: what is told later may have been so before
    asked: tuple[str, ...] = ()  # places where a card lies unheard for so long that it is asked for

    @property
    def is_open(self) -> bool:
        return self.base is not None

    def is_as_told(self, other: "Following") -> bool:
        """Does it say the same of the deal as `other` did, from which it was made?"""
        return self is other or (
            self.explanations is other.explanations
            and self.others is other.others
            and self.asked == other.asked
            and self.deaf == other.deaf
            and self.settled == other.settled
            and self.counted == other.counted
            and self.erred == other.erred
            and self.certainty == other.certainty
        )

    def holds(self, tag: str) -> bool:
        """Is the card of this tag still open?"""
        return any(sighting.tag == tag for sighting in self.sightings)

    def awaits(self, tag: str) -> bool:
        """Has the card of this tag left the shoe, and no antenna heard it yet?"""
        return any(sighting.tag == tag and not sighting.heard for sighting in self.sightings)


def is_called_open(now: Following, size: int) -> bool:
    """Did the dealer call the initial deal, the plan's first `size` entries, complete while cards of it are
    still open?"""
    return now.complete is not None and (now.pointer < size or (now.pointer == size and bool(now.queue)))


def begun(number: int, before: Following) -> Following:
    """Nothing was dealt yet in hand `number`: the readers are polled as they were."""
    return Following(number, phases=before.phases, proven=before.proven, retold=before.retold)


def without_shoe(now: Following) -> Following:
    """The shoe's draws are no order of all cards any more: what they told is forgotten for this hand."""
    heard = tuple([replace(one, drawn_ns=None) for one in now.sightings if one.heard])
    return replace(now, has_shoe=False, is_shoe_out=True, sightings=heard)


def keys_of(now: Following) -> list[Event]:
    """The keys that were pressed since the window's first card."""
    return [event for event in now.log if event.seq > now.since]


def last_stand(now: Following, one: Explanation) -> Stand:
    """Where the dealer stands behind all cards of an explanation, entries that were skipped since passed."""
    stand = one.stands[-1] if one.stands else Stand(now.pointer, now.queue)
    return Stand(max(stand.pointer, one.pointer), stand.queue, one.habits)


def next_place(now: Following, plan: tuple[Due, ...], one: Explanation) -> str | None:
    """Where the next card is due behind all cards of an explanation; None behind the plan's end."""
    pointer, queue, _ = last_stand(now, one)
    return queue[0] if queue else plan[pointer].place if pointer < len(plan) else None


def heard_at(now: Following, card: Taken) -> Heard | None:
    """How the card was heard first: at its place, else elsewhere; None where it was not heard."""
    place, tag = card.place, card.tag
    if tag is None:
        return None
    for sighting in now.sightings:
        if sighting.tag == tag:
            for each in sighting.heard:
                if each.place == place:
                    return each
            return sighting.heard[0] if sighting.heard else None
    return None


def told_seq(now: Following, card: Taken) -> int | None:
    """The event that told of the card: its first read as in `heard_at`, else its draw."""
    heard = heard_at(now, card)
    if heard is not None:
        return heard.seq
    return next((one.drawn_seq for one in now.sightings if one.tag == card.tag and one.drawn_seq), None)


def is_placed(now: Following, tag: str, place: str) -> bool:
    """Do all explanations have the tag at `place`? Then hearing it there again tells nothing."""
    for one in now.explanations:
        if not any(card.tag == tag and card.place == place for card in one.cards):
            return False
    return bool(now.explanations)


def is_placed_at_best(now: Following, tag: str, place: str) -> bool:
    """Does the most probable explanation have the tag at `place`?"""
    best = now.explanations[:1]
    return any(card.tag == tag and card.place == place for one in best for card in one.cards)


def share_erring(explanations: tuple[Explanation, ...]) -> float:
    """The probability that the dealer erred in the window."""
    share = 0.0
    for one in explanations:
        share += one.probability * (one.slips > 0)
    return share


def can_silence_tell(now: Following) -> bool:
    """Does any explanation have a card that is unheard where it is said to lie?"""
    return not now.explanations or any(_is_silent(now, one) for one in now.explanations)


def share_heard(now: Following) -> float:
    """The probability of the explanations that have none."""
    share = 0.0
    for one in now.explanations:
        share += one.probability * (not _is_silent(now, one))
    return share


def _is_silent(now: Following, one: Explanation) -> bool:
    for card in one.cards:
        heard = heard_at(now, card)
        if heard is None or heard.place != card.place:
            return True
    return False


def silent_places(now: Following) -> set[str]:
    """Where the two most probable explanations have a card that nobody has heard, or only elsewhere: and
    there, too."""
    places = set()
    for one in now.explanations[:2]:
        for card in one.cards:
            heard = heard_at(now, card)
            if heard is None or heard.place != card.place:
                places.add(card.place)
            if heard is not None and heard.place != card.place:
                places.add(heard.place)
    return places


def carried_on(
    phases: dict[str, int], place: str, before_ns: int, cycle_ns: int, places: Iterable[str]
) -> dict[str, int]:
    """`phases`, in which that of `place` is new and was `before_ns`: a reader polls its antennas, which are
    at `places`, in one order, so that what its cycle has shifted since then has shifted theirs."""
    at_ns = phases[place]
    passed_ns = at_ns - before_ns
    if not _CARRIED_ON_NS < passed_ns < PHASE_LASTS_NS:
        return phases
    shifted_ns = (passed_ns + cycle_ns // 2) % cycle_ns - cycle_ns // 2
    if abs(shifted_ns) > cycle_ns // _MOST_SHIFTED:
        return phases  # polled in another order, or at no steady pace
    carried = dict(phases)
    for other in places:
        poll_ns = phases.get(other, 0)
        age_ns = at_ns - poll_ns
        if other != place and 0 < age_ns < PHASE_LASTS_NS:
            carried[other] = poll_ns + age_ns // cycle_ns * cycle_ns + shifted_ns * age_ns // passed_ns
    return carried


def closed(now: Following, pointer: int) -> Following:
    return replace(
        now,
        pointer=pointer,
        base=None,
        sightings=(),
        explanations=(),
        presumed=(),
        others=(),
        certainty=1.0,
        is_stale=False,
        recent=(),
        log=(),
    )


def opened_again(now: Following, count: int) -> Following:
    """With the last `count` settled cards in the window again."""
    again = now.recent[-count:]
    first = again[0]
    presumed = [
        Taken(place, one.sighting.tag) for place, one in zip(now.served[first.served :], again, strict=False)
    ]
    return replace(
        now,
        base=first.before,
        since=first.seq - 1,
        pointer=first.pointer,
        queue=first.queue,
        habits=first.habits,
        served=now.served[: first.served],
        read_ns=now.read_ns[: first.served],
        anchor=first.anchor,
        last_ns=first.last_ns,
        sightings=(*(one.sighting for one in again), *now.sightings),
        recent=now.recent[:-count],
        presumed=(*presumed, *(now.explanations[0].cards if now.explanations else now.presumed)),
    )


def remembering(now: Following, *settled: Settled) -> dict[str, Any]:
    """`recent` with more cards, and the keys since the first of them or since the window was opened."""
    recent = (*now.recent, *settled)[-_MOST_RECENT:]
    log = now.log
    if log and recent:
        # a card counts as dealt by the key that ended the deal, where that was pressed before it was heard
        first = min(now.since + 1, recent[0].seq) if now.is_open else recent[0].seq
        log = tuple([event for event in log if event.seq >= first])
    return {"recent": recent, "log": log}


def last_heard_ns(now: Following) -> int:
    """When a card was last heard that had not been heard before; 0: none was."""
    return max(now.last_ns, *(each.heard[0].first_ns for each in now.sightings if each.heard), 0)


def with_heard(sightings: tuple[Sighting, ...], number: int, heard: Heard) -> tuple[Sighting, ...]:
    old = sightings[number]
    if any(each.place == heard.place for each in old.heard):
        new = read_once_more(old, heard.place, heard.last_ns)
    else:
        new = replace(old, heard=(*old.heard, heard))
    return (*sightings[:number], new, *sightings[number + 1 :])


def read_once_more(sighting: Sighting, place: str, at_ns: int) -> Sighting:
    heard = [
        replace(each, reads=min(MOST_READS, each.reads + 1), is_gone=False, last_ns=at_ns)
        if each.place == place
        else each
        for each in sighting.heard
    ]
    return replace(sighting, heard=tuple(heard))


def gone_from(sighting: Sighting, place: str) -> Sighting:
    heard = [
        replace(each, gone=min(MOST_READS, each.gone + 1), is_gone=True) if each.place == place else each
        for each in sighting.heard
    ]
    return replace(sighting, heard=tuple(heard))
