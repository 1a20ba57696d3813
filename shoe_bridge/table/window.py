"""What an inference is made from: the part of a deal that is still open, as the readers heard it.

The words and symbols are those of `deal_model.md`.
"""

from typing import NamedTuple

import msgspec

MOST_READS = 3  # of a card at a place that are counted


class Due(msgspec.Struct, frozen=True):
    """One entry of the plan: `place` is due. `run` numbers the pass or street that it belongs to, within
    which cards follow at the dealer's pace; a street's first card comes at any time. `pass_places` is the
    whole pass where this is the first card of one that could begin at another seat (else empty)."""

    place: str
    run: int
    is_open: bool = False  # it comes at any time after the card before
    pass_places: tuple[str, ...] = ()
    is_of_pass: bool = True  # as against a street


class Heard(msgspec.Struct, frozen=True):
    """One tag at one place: first read at `first_ns` in the event `seq`, read `reads` times (3: thrice or
    more), the last time at `last_ns` (0: not told). `gone`: so often proven gone from there (3: thrice or
    more); `is_gone`: and not read there since."""

    place: str
    first_ns: int
    seq: int
    reads: int = 1
    gone: int = 0
    is_gone: bool = False
    last_ns: int = 0


class Sighting(msgspec.Struct, frozen=True):
    """One tag and where it was heard, the earliest first. `drawn_ns` is when it left the shoe, by the event
    `drawn_seq`, None where no shoe told."""

    tag: str
    heard: tuple[Heard, ...]
    drawn_ns: int | None = None
    drawn_seq: int = 0


class Density(msgspec.Struct, frozen=True):
    """Density of a time over a grid: cell `n` is the time `(start + n) * 25 ms`, `mass` what falls into
    it."""

    start: int
    mass: tuple[float, ...]


class Taken(msgspec.Struct, frozen=True):
    """One card of an explanation: it went to `place`; `tag` None: no antenna has heard it yet."""

    place: str
    tag: str | None


class Window(msgspec.Struct, frozen=True):
    """The open part of one deal. `plan` is the whole hand's, `pointer` the index of its entry that is due
    next, `served` the places of all cards before the window (their order is certain), `anchor` the time of
    the last of them (None: any time). It is `now_ns`, and what polls heard is known of those that are
    `late_ns` ago at least. `phases` gives a time at which the antenna of a place was polled.
    `is_complete`: the dealer called the initial deal complete, which is the plan's first `deal_size`
    entries. `deaf` are antennas that are known to hear nothing in this hand, `habits` the seats that were
    skipped or dealt in before the window, `queue` what is left of a swap or a turned pass. `streets` is how
    many streets may have begun in the window, by the betting rounds that were closed (None: nobody tells).
    `has_shoe`: every card that leaves the deck is told, so that none is dealt untold. `live` are the places
    whose antennas have heard something in this hand. `deafness` gives the chance that an antenna is deaf
    where it is not the usual one, or where it has heard something but may have fallen deaf since. `presumed`
    are the first cards as they were taken to be until now: they are tried first, which saves time. `retold`
    are the places whose antennas tell the second and third read of a card, too.
    """

    plan: tuple[Due, ...]
    pointer: int = 0
    served: tuple[str, ...] = ()
    anchor: Density | None = None
    sightings: tuple[Sighting, ...] = ()
    phases: dict[str, int] = {}
    now_ns: int = 0
    late_ns: int = 0
    is_complete: bool = False
    deal_size: int = 0
    deaf: tuple[str, ...] = ()
    habits: tuple[str, ...] = ()
    queue: tuple[str, ...] = ()
    streets: int | None = None
    has_shoe: bool = False
    live: tuple[str, ...] = ()
    deafness: dict[str, float] = {}
    presumed: tuple[Taken, ...] = ()
    retold: tuple[str, ...] = ()


class Stand(NamedTuple):
    """Where the dealer stands after a card: the pointer, what is left of a swap or a turned pass, and the
    seats that he skips or deals in."""

    pointer: int
    queue: tuple[str, ...] = ()
    habits: tuple[str, ...] = ()


class Step(NamedTuple):
    """What a card takes, so that it need not be found anew to be weighed anew: `cost` is the chance that the
    dealer deals it there then, whatever was heard; it comes after `gap`, in the plan's `run`. `slips` were
    made by then. `is_deaf`: it is unheard because the antenna there is deaf."""

    cost: float
    gap: str
    run: int
    slips: int = 0
    is_deaf: bool = False


class Explanation(msgspec.Struct, frozen=True):
    """What the dealer did in the window, card by card, with its probability. `stands` says where the dealer
    stood after each card. `pointer` is where he stands now, `slips` how often he erred, `deaf` the places
    whose antennas hear nothing, `habits` the seats that he skips or deals in. `times` are the times of the
    cards as the cards up to each tell them (only of the most probable explanation). `steps` are what each
    card takes, `after` is the chance of what the dealer passed behind the last one."""

    probability: float
    cards: tuple[Taken, ...]
    pointer: int
    slips: int = 0
    deaf: tuple[str, ...] = ()
    habits: tuple[str, ...] = ()
    stands: tuple[Stand, ...] = ()
    times: tuple[Density, ...] = ()
    steps: tuple[Step, ...] = ()
    after: float = 1.0
