"""What was heard of each tag, by the place where its card may lie: where that is, what its reads are worth
there, and how often polls miss it there. The symbols are those of `deal_model.md`.
"""

from shoe_bridge.table import timing
from shoe_bridge.table.deal_model import DealModel
from shoe_bridge.table.window import MOST_READS, Heard, Sighting, Window

EVER = 1 << 60  # a cell behind all others
_POLLS_TO_BE_GONE = 2  # so many in a row that miss a card prove it gone
_NO_CROSS_READ = 1e-7  # three reads that are less probable as cross reads are none


class Sighted:
    """The sightings of one window, by their numbers: `own` are the places whose antennas heard it, `strayed`
    those where it can lie, with what its reads elsewhere are worth then; `worth` is what all its reads can be
    worth at best, `shares` by place how much of that they can be worth there; it had come in the cell
    `latest`. `candidates` are by place those that can be a card there, `was_heard` the places whose antennas
    have heard anything."""

    def __init__(self, window: Window, model: DealModel) -> None:
        self._window = window
        self._sensor = model.sensor
        self._neighbours = model.neighbours
        self._flat = model.flat
        self._missed: dict[tuple[str, int], float] = {}
        self._depths: dict[str, int] = {}
        for place in window.served:
            self._depths[place] = self._depths.get(place, 0) + 1
        self.sightings = window.sightings
        self.was_heard = {heard.place for sighting in self.sightings for heard in sighting.heard}
        self.was_heard.update(window.live)
        self.own = [{heard.place for heard in sighting.heard} for sighting in self.sightings]
        self.strayed = [self._strayed(sighting) for sighting in self.sightings]
        self.candidates: dict[str, list[int]] = {}
        for number, places in enumerate(self.strayed):
            for place in places:
                self.candidates.setdefault(place, []).append(number)
        worth_at = [self._worth(number) for number in range(len(self.sightings))]
        self.worth = [max(worth.values(), default=1.0) or 1.0 for worth in worth_at]
        self.shares = [
            {place: worth / most for place, worth in places.items()}
            for places, most in zip(worth_at, self.worth, strict=True)
        ]
        self.latest = [
            sighting.heard[0].first_ns // timing.CELL_NS if sighting.heard else EVER
            for sighting in self.sightings
        ]

    def missed_at(self, place: str, served: int) -> float:
        """The chance that a poll misses the next card at a place that got `served` in the window so far."""
        missed = self._missed.get((place, served))
        if missed is None:
            depth = 1 if place in self._flat else 1 + self._depths.get(place, 0) + served
            missed = self._missed[place, served] = self._sensor.missed_at(depth)
        return missed

    def _strayed(self, sighting: Sighting) -> dict[str, float]:
        """Where the card can lie, and how probable its reads at other places are then, as a share of the most
        probable: what all places have in common must not count against those that have used the sighting."""
        places = dict.fromkeys((heard.place for heard in sighting.heard), 1.0)
        for heard in sighting.heard:
            near = self._neighbours.get(heard.place, ())
            cross = self._sensor.cross / len(near) if near else 0.0
            if heard.reads <= 2 or cross * cross * cross > _NO_CROSS_READ:
                places.update(dict.fromkeys(near, 1.0))
        for place in places:
            near = self._neighbours.get(place, ())
            for heard in sighting.heard:
                if heard.place != place:
                    chance = self._sensor.cross / len(near) if heard.place in near else self._sensor.ghost
                    for _ in range(heard.reads):
                        places[place] *= chance
                else:
                    places[place] *= timing.missed_all(self._sensor.missed_at(1), self._missed_polls(heard))
        most = max(places.values(), default=1.0)
        return {place: chance / most for place, chance in places.items()}

    def _worth(self, number: int) -> dict[str, float]:
        """What the reads of a sighting can be worth at best, by the place where the card lies."""
        sighting, worth = self.sightings[number], dict[str, float]()
        for place, share in self.strayed[number].items():
            is_own = any(heard.place == place for heard in sighting.heard)
            worth[place] = 0.0
            for missed in self._missed_from(place):
                chance = share * (1.0 - missed) if is_own else share
                worth[place] = max(worth[place], chance * self.told_by(sighting, place, missed))
        return worth

    def _missed_from(self, place: str) -> tuple[float, ...]:
        """By depth, from the one at which the next card at a place lies."""
        missed = self._sensor.missed
        if place in self._flat:
            return missed[:1]
        return missed[min(self._depths.get(place, 0), len(missed) - 1) :]

    def told_by(self, sighting: Sighting, place: str, missed: float) -> float:
        """What the reads are worth at the place of the card itself, but for the first."""
        worth = 1.0
        for heard in sighting.heard:
            if heard.place == place:
                for _ in range(heard.reads - 1):
                    worth *= 1.0 - missed
                worth *= timing.missed_all(missed / self._sensor.missed_at(1), self._missed_polls(heard))
        return worth

    def _missed_polls(self, heard: Heard) -> int:
        """How many polls have missed the card since it was first read there, if it lies there. A read that is
        told no more, after the third, says nothing by its absence."""
        polls = _POLLS_TO_BE_GONE * heard.gone
        if heard.reads < MOST_READS and not heard.is_gone and heard.place in self._window.retold:
            silent_ns = self._window.now_ns - self._window.late_ns - heard.last_ns
            polls += min(_POLLS_TO_BE_GONE, max(0, silent_ns // self._sensor.cycle_ns))
        return polls
