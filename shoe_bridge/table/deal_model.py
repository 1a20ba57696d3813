"""The model of a deal seen through readers: its parameters. What they mean, with all symbols, stands in
`deal_model.md` beside this file; `reconstruct` infers under it.

All chances are between 0 and 1, all times are whole ns. Pure numbers: nothing here is random or takes time.
"""

from typing import Literal

import msgspec

Level = Literal["clean", "typical", "poor"]

NS_PER_MS = 1_000_000
_BELIEVE_BELOW = 1e-9
_MOST_TO_BELIEVE = 6
_HANDS_PER_SUSPICION = 25
_LATE_POLL = 16  # such a part of a cycle
_READS_COUNTED = 3  # for the place of a card that is not settled
MOST_SLIPS = 2  # of the dealer within one window: a third one is no explanation any more


class DealerModel(msgspec.Struct, frozen=True):
    """How often a dealer errs, per card due, and how fast cards follow one another.

    `skip`: the place that is due gets no card, `skip_board`: no community card, which everybody would
    see. `extra`: the place served last gets another card. `stuck`: the same, the two cards being one to
    the hand, so without time between them. `wrong`: the card goes to some other place, all being as
    likely. `swap`: this place and the next one are served in the wrong order. `turned`: a pass begins at
    another seat (per pass). `short`: the dealer stops before a card that is due. `dealt_in`: a card goes
    to some seat that is not in the hand, before the one that is due. `early`: a street is begun while
    the betting round is open. `again` is the chance that a seat that was skipped or dealt in is so in
    the next pass, too.

    A gap between two cards of one pass is `pace_ns` (shortest, longest), all lengths as likely, but for a
    share `pause`, which is up to `longest_ns`.
    """

    skip: float = 1e-3
    skip_board: float = 1e-6
    extra: float = 3e-4
    stuck: float = 5e-4
    wrong: float = 5e-4
    swap: float = 2e-4
    turned: float = 2e-4
    short: float = 3e-4
    dealt_in: float = 3e-4
    early: float = 3e-5
    again: float = 0.8
    pace_ns: tuple[int, int] = (250 * NS_PER_MS, 600 * NS_PER_MS)
    pause: float = 0.01
    longest_ns: int = 30_000 * NS_PER_MS

    @property
    def slips(self) -> tuple[float, ...]:
        """The chances of all that the dealer can do else than what is due."""
        at_a_place = (self.skip, self.extra, self.stuck, self.wrong, self.swap, self.turned)
        return (*at_a_place, self.short, self.dealt_in, self.early)

    @property
    def likeliest_slip(self) -> float:
        """The chance of the likeliest: so much a slip costs at least."""
        return max(*self.slips, self.extra + self.stuck)

    @property
    def as_due(self) -> float:
        """The chance that the card goes where it is due."""
        left = 1.0
        for slip in self.slips:
            left -= slip
        return left


class SensorModel(msgspec.Struct, frozen=True):
    """How well the antennas of one kind of reader hear.

    `missed` is the chance that one poll does not hear a card, by depth in its stack (the last entry for all
    deeper ones). `cross` is the chance that a poll of a card is also heard by the neighbours' antennas
    together, `ghost` that some other antenna hears it. `dead` is the chance that a card is never heard
    again, `deaf` that an antenna hears nothing in this hand, `unproven` that one does which has never heard
    anything yet. `cycle_ns` is the time between two polls of
    one antenna.
    """

    missed: tuple[float, ...] = (0.10, 0.15, 0.60)
    cross: float = 0.005
    ghost: float = 1e-6
    dead: float = 1e-6
    deaf: float = 2e-5
    unproven: float = 5e-3
    cycle_ns: int = 400 * NS_PER_MS

    @property
    def late_ns(self) -> int:
        """A poll is over, and its reads are told, when so much time has passed."""
        return self.cycle_ns // _LATE_POLL

    def missed_at(self, depth: int) -> float:
        """The chance that a poll misses a card at `depth` (counted from 1)."""
        return self.missed[min(depth, len(self.missed)) - 1]


class Certainty(msgspec.Struct, frozen=True):
    """From which probability on a finding is called certain, probable, possible; below the last it is not
    reported. Only what is certain may light the dealer's light."""

    certain: float = 0.9975
    probable: float = 0.5
    possible: float = 0.05

    def word_for(self, probability: float) -> str | None:
        if probability >= self.certain:
            return "certain"
        if probability >= self.probable:
            return "probable"
        return "possible" if probability >= self.possible else None


def certainty_for(false_alarms: float) -> Certainty:
    """So that at most so many of 1,000 hands light the light for nothing. A finding that is certain with
    probability `p` is false with `1 - p` at most. One hand in ten comes so far that anything can be called
    certain, mostly with a probability so near to 1 that a fifth of the bound is false: `1 - p` may be the
    budget of a hand times twenty-five. The benchmark counts what comes of it."""
    return Certainty(certain=min(0.9999, max(0.9, 1.0 - false_alarms / 1000 * _HANDS_PER_SUSPICION)))


class DealModel(msgspec.Struct, frozen=True):
    """All of it, for one table. `neighbours` are the places whose antennas lie beside a place's own, `flat`
    the places where no card covers another. `learns_pace`: the pace is the table's own as soon as it has
    shown one."""

    dealer: DealerModel = DealerModel()
    sensor: SensorModel = SensorModel()
    certainty: Certainty = Certainty()
    neighbours: dict[str, tuple[str, ...]] = {}
    flat: tuple[str, ...] = ("board",)
    learns_pace: bool = True

    @property
    def reads_told(self) -> int:
        """How many reads of a card at a place the readers tell."""
        return max(
            [
                _READS_COUNTED,
                *(self.reads_to_believe(one, near[0]) for one, near in self.neighbours.items() if near),
            ]
        )

    def reads_to_believe(self, place: str, heard_at: str) -> int:
        """How many reads at another place say that a card has left `place`, where it is not heard any
        more."""
        near = self.neighbours.get(place, ())
        if heard_at not in near:
            return 1
        chance = self.sensor.cross / len(near) * self.sensor.missed_at(2)
        reads, left = 1, chance
        while left > _BELIEVE_BELOW and reads < _MOST_TO_BELIEVE:
            reads, left = reads + 1, left * chance
        return reads


SENSOR_LEVELS: dict[Level, SensorModel] = {
    "clean": SensorModel((0.01, 0.02, 0.05), 1e-5, 1e-7),
    "typical": SensorModel(),
    "poor": SensorModel((0.30, 0.50, 0.90), 0.03, 1e-5),
}
