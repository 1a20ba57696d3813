"""Deals drawn from the model of `shoe_bridge/table/deal_model.md` itself: what the dealer did, and the window
that the readers make of it up to any moment. What an inference says of such windows must hold as often as it
says.
"""

from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from shoe_bridge.table.deal_model import MOST_SLIPS, SENSOR_LEVELS, DealerModel, DealModel, Level
from shoe_bridge.table.hand import BOARD, BURN
from shoe_bridge.table.layout import SEATS, seat_of, seat_place
from shoe_bridge.table.window import Density, Due, Heard, Sighting, Window

PLACES = (*SEATS, BOARD, BURN)
FLOP = 3
OPEN_NS = 60_000_000_000  # the longest wait for the first card of a street
DENSITY_CELL_NS = 25_000_000
READS_COUNTED = 3
GONE_AFTER = 2  # missed polls in a row

Cards = tuple[tuple[str, str | None], ...]
_SLIPS = ("skip", "extra", "stuck", "wrong", "swap", "turned", "short", "dealt_in")


class Laid(NamedTuple):
    """One card off the deck: its tag, where it came to rest, and when."""

    tag: str
    place: str
    at_ns: int


class Sample(NamedTuple):
    """`truth`: the cards of the window as far as an explanation goes, those that no antenna heard without
    their tag. `laid`: all cards of the hand, also those that come after the window. `slips` counts those
    of the whole hand."""

    truth: Cards
    window: Window
    laid: tuple[Laid, ...]
    slips: int


class _Deal(NamedTuple):
    laid: tuple[Laid, ...]
    slips: int
    first_slip: int  # how many cards were laid before it
    ended_ns: int  # when the initial deal was over


def table_model(level: Level = "typical", slip_factor: float = 1.0) -> DealModel:
    """A table of ten seats in a round, burn and board side by side, with slips so many times as frequent."""
    ring = {seat_place(n): (seat_place((n - 2) % 10 + 1), seat_place(n % 10 + 1)) for n in range(1, 11)}
    dealer = DealerModel()
    dealer = replace(dealer, **{kind: getattr(dealer, kind) * slip_factor for kind in _SLIPS})
    return DealModel(dealer, SENSOR_LEVELS[level], neighbours={**ring, BOARD: (BURN,), BURN: (BOARD,)})


def hold_em_plan(seats: int, streets: int = 1) -> tuple[Due, ...]:
    """Two passes to seats 1 to `seats`, then burn and flop, and further streets of burn and one card."""
    order = tuple(seat_place(seat) for seat in range(1, seats + 1))
    plan = []
    for run in (0, 1):
        for index, place in enumerate(order):
            plan.append(Due(place, run, run == index == 0, order if index == 0 else ()))
    for street in range(streets):
        cards = FLOP if street == 0 else 1
        plan.append(Due(BURN, 2 + street, True, is_of_pass=False))
        plan += [Due(BOARD, 2 + street, is_of_pass=False)] * cards
    return tuple(plan)


def sample(
    rng: Random,
    model: DealModel,
    seats: int,
    slips: int | None = None,
    *,
    certain: int = 0,
    is_complete: bool = False,
    streets: int = 1,
    longest_s: float = 6.0,
) -> Sample:
    """A hand to so many seats, as of a moment up to `longest_s` after the first card of the window, with at
    least one read. `slips`: exactly so many of them (None: as many as the model gives, at most `MOST_SLIPS`).
    `certain` cards lie before the window, all as due. With `is_complete` the dealer has called the deal
    complete, and the moment is up to `longest_s` after that; only then he may have stopped short."""
    plan = hold_em_plan(seats, streets)
    while True:
        deal = _Dealer(rng, model, plan, 2 * seats, slips, may_be_short=is_complete).deal()
        if deal.slips > MOST_SLIPS or (slips is not None and deal.slips != slips):
            continue
        if len(deal.laid) <= certain or deal.first_slip < certain:
            continue
        begins_ns = deal.ended_ns if is_complete else deal.laid[certain].at_ns
        now_ns = begins_ns + int(rng.uniform(0, longest_s) * 1e9)
        reads = _Readers(rng, model, now_ns).hear(deal.laid)
        window = _window(plan, deal, reads, certain, now_ns, is_complete, 2 * seats)
        if window.sightings:
            return Sample(_truth(deal, window, certain), window, deal.laid, deal.slips)


class _Dealer:
    """Deals one hand. To get an exact number of slips they are made more frequent, each kind alike."""

    def __init__(
        self,
        rng: Random,
        model: DealModel,
        plan: tuple[Due, ...],
        deal_size: int,
        slips: int | None,
        may_be_short: bool,
    ) -> None:
        self.rng, self.plan, self.deal_size = rng, plan, deal_size
        self.may_be_short = may_be_short
        chances = {kind: getattr(model.dealer, kind) for kind in _SLIPS}
        factor = 1.0 if slips is None else slips / len(plan) / sum(chances.values())
        self.chances = {kind: chance * factor for kind, chance in chances.items()}
        self.dealer = model.dealer
        self.open_runs = {due.run for due in plan if due.is_open}
        self.laid: list[Laid] = []
        self.run: int | None = None
        self.seats = tuple(dict.fromkeys(due.place for due in plan[:deal_size]))
        self.guests = [place for place in SEATS if place not in self.seats]
        self.habits: list[tuple[str, int]] = []  # seat and run
        self.is_guest_last = False
        self.pointer = self.slips = 0
        self.first_slip = len(plan)
        self.ended_ns: int | None = None

    def deal(self) -> _Deal:
        while self.pointer < len(self.plan):
            if self.ended_ns is None and self.pointer >= self.deal_size:
                self.ended_ns = self._at_ns()
            self._step()
        ended_ns = self._at_ns() if self.ended_ns is None else self.ended_ns
        return _Deal(tuple(self.laid), self.slips, self.first_slip, ended_ns)

    def _at_ns(self) -> int:
        return self.laid[-1].at_ns if self.laid else 0

    def _step(self) -> None:
        i = self.pointer
        due = self.plan[i]
        guest = next((place for place in self.guests if self._is_due_again(place)), None)
        if guest is not None and self.rng.random() < self.dealer.again:
            self._deal_in(guest)
            return
        if self._has_habit(due.place) and self.rng.random() < self.dealer.again:
            self._skip()
            return
        kind = self._kind()
        if kind != "due":
            self.slips += 1
            self.first_slip = min(self.first_slip, len(self.laid))
        if kind == "skip":
            self._skip()
        elif kind == "dealt_in":
            self._deal_in(self.rng.choice(self.guests))
        elif kind == "short":
            self.pointer = self.deal_size
        elif kind in ("extra", "stuck"):
            self._lay(self.laid[-1].place, self.run, kind == "stuck")
        elif kind == "wrong":
            self._lay(self.rng.choice([place for place in PLACES if place != due.place]), due.run)
            self.pointer += 1
        elif kind == "swap":
            self._lay(self.plan[i + 1].place, due.run)
            self._lay(due.place, due.run)
            self.pointer += 2
        elif kind == "turned":
            places = due.pass_places
            j = self.rng.randrange(1, len(places))
            for place in (*places[j:], *places[:j]):
                self._lay(place, due.run)
            self.pointer += len(places)
        else:
            self._lay(due.place, due.run)
            self.pointer += 1

    def _skip(self) -> None:
        due = self.plan[self.pointer]
        if due.is_of_pass:
            self.habits.append((due.place, due.run))
        self.pointer += 1

    def _deal_in(self, guest: str) -> None:
        due = self.plan[self.pointer]
        self.habits.append((guest, due.run))
        self._lay(guest, due.run if due.is_of_pass else self.run)
        self.is_guest_last = True

    def _has_habit(self, place: str) -> bool:
        return any(seat == place and run < self.plan[self.pointer].run for seat, run in self.habits)

    def _is_in_a_pass(self) -> bool:
        last = [due for due in self.plan if due.run == self.run and due.is_of_pass]
        return self.plan[self.pointer].is_of_pass or bool(last)

    def _is_due_again(self, guest: str) -> bool:
        """It was dealt in before, and the dealer passes it on his way to the seat that is due."""
        if not self.laid or self.is_guest_last or not self._has_habit(guest) or not self._is_in_a_pass():
            return False
        due = self.plan[self.pointer]
        after = seat_of(self.laid[-1].place)
        before = seat_of(due.place if due.is_of_pass else self.seats[0])
        if after is None or before is None:
            return False
        passed = [(after + step) % 10 + 1 for step in range((before - after - 1) % 10)]
        return seat_of(guest) in passed

    def _kind(self) -> str:
        """A slip that is not possible here is none."""
        draw = self.rng.random()
        for kind, chance in self.chances.items():
            draw -= chance
            if draw < 0:
                return kind if self._is_possible(kind) else "due"
        return "due"

    def _is_possible(self, kind: str) -> bool:
        i, plan = self.pointer, self.plan
        if kind in ("extra", "stuck"):
            return bool(self.laid)
        if kind == "swap":
            return i + 1 < len(plan) and plan[i + 1].run == plan[i].run and plan[i + 1].place != plan[i].place
        if kind == "dealt_in":
            return bool(self.guests) and not self.is_guest_last and self._is_in_a_pass()
        if kind == "turned":
            return len(plan[i].pass_places) > 1
        return kind != "short" or (self.may_be_short and bool(self.laid) and i < self.deal_size)

    def _lay(self, place: str, run: int | None, is_stuck: bool = False) -> None:
        gap_ns = 0 if is_stuck else self._gap_ns(place, run)
        self.laid.append(Laid(f"tag {len(self.laid) + 1}", place, self._at_ns() + gap_ns))
        self.run, self.is_guest_last = run, False

    def _gap_ns(self, place: str, run: int | None) -> int:
        rng, dealer = self.rng, self.dealer
        if not self.laid or (run in self.open_runs and run != self.run):
            return rng.randrange(OPEN_NS)
        if run == self.run and place == BOARD == self.laid[-1].place:
            return rng.randrange(dealer.pace_ns[1])
        if rng.random() < dealer.pause:
            return rng.randrange(dealer.longest_ns)
        return rng.randrange(*dealer.pace_ns)


class _Readers:
    """The antennas of all places, each polled in its own phase, until now."""

    def __init__(self, rng: Random, model: DealModel, now_ns: int) -> None:
        self.rng, self.model, self.now_ns = rng, model, now_ns
        self.cycle_ns = model.sensor.cycle_ns
        self.phases = {place: rng.randrange(self.cycle_ns) for place in PLACES}
        self.deaf = {place for place in PLACES if rng.random() < model.sensor.deaf}

    def hear(self, laid: tuple[Laid, ...]) -> dict[str, tuple[Heard, ...]]:
        """By tag what was heard of it, the earliest first; `seq` is 0 as yet."""
        depths: dict[str, int] = {}
        heard = {}
        for card in laid:
            depths[card.place] = depths.get(card.place, 0) + 1
            is_dead = self.rng.random() < self.model.sensor.dead
            if is_dead or card.at_ns > self.now_ns:
                continue
            depth = 1 if card.place in self.model.flat else depths[card.place]
            reads = [self._at(place, card, depth) for place in PLACES if place not in self.deaf]
            heard[card.tag] = tuple(sorted((h for h in reads if h), key=lambda h: h.first_ns))
        return {tag: reads for tag, reads in heard.items() if reads}

    def _at(self, place: str, card: Laid, depth: int) -> Heard | None:
        chance = self._chance(place, card.place, depth)
        first = card.at_ns + (self.phases[place] - card.at_ns) % self.cycle_ns
        polls = [at for at in range(first, self.now_ns + 1, self.cycle_ns) if self.rng.random() < chance]
        if not polls:
            return None
        missed = (self.now_ns - polls[-1]) // self.cycle_ns
        return Heard(place, polls[0], 0, min(len(polls), READS_COUNTED), int(missed >= GONE_AFTER))

    def _chance(self, place: str, lies: str, depth: int) -> float:
        sensor, near = self.model.sensor, self.model.neighbours.get(lies, ())
        if place == lies:
            return 1 - sensor.missed_at(depth)
        return sensor.cross / len(near) if place in near else sensor.ghost


def _window(
    plan: tuple[Due, ...],
    deal: _Deal,
    reads: dict[str, tuple[Heard, ...]],
    certain: int,
    now_ns: int,
    is_complete: bool,
    deal_size: int,
) -> Window:
    order = sorted({h.first_ns for heard in reads.values() for h in heard})
    phases = {h.place: h.first_ns for heard in reads.values() for h in heard}
    open_tags = [card.tag for card in deal.laid[certain:] if card.tag in reads]
    sightings = [
        Sighting(tag, tuple(replace(h, seq=order.index(h.first_ns) + 1) for h in reads[tag]))
        for tag in open_tags
    ]
    before = deal.laid[:certain]
    return Window(
        plan,
        pointer=certain,
        served=tuple(card.place for card in before),
        anchor=Density(before[-1].at_ns // DENSITY_CELL_NS, (1.0,)) if before else None,
        sightings=tuple(sorted(sightings, key=lambda sighting: sighting.heard[0].first_ns)),
        phases=phases,
        now_ns=now_ns,
        is_complete=is_complete,
        deal_size=deal_size,
    )


def _truth(deal: _Deal, window: Window, certain: int) -> Cards:
    heard = {sighting.tag for sighting in window.sightings}
    cards = [
        (card.place, card.tag if card.tag in heard else None)
        for card in deal.laid[certain:]
        if card.at_ns <= window.now_ns
    ]
    while (
        cards and cards[-1][1] is None and not (window.is_complete and len(cards) + certain <= _dealt(deal))
    ):
        cards.pop()
    return tuple(cards)


def _dealt(deal: _Deal) -> int:
    """How many cards the initial deal took off the deck."""
    return sum(card.at_ns <= deal.ended_ns for card in deal.laid)
