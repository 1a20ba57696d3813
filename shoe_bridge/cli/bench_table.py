"""The table of the benchmark, and the folds that watch it: the product's, the baseline's, a perfect
observer's.

The baseline is the same fold without a model of the deal: it takes the first read of each tag for the truth.
The perfect observer is that fold too, and is told the cards in the order in which they came to rest.
"""

from collections.abc import Iterable
from functools import cache
from time import perf_counter_ns
from typing import Any

import msgspec

from shoe_bridge.cli.bench_reads import KEYS, SHOE, mono_ns
from shoe_bridge.rules.book import Book, open_book
from shoe_bridge.rules.games import open_game
from shoe_bridge.sim.deal_polls import KEY_DOWN_MS, antennas_of
from shoe_bridge.sim.deal_score import Known, Lit, Tally, Told
from shoe_bridge.sim.deal_truth import PACES, TABLE_SEATS, TrueHand
from shoe_bridge.sim.sim_table import equipment
from shoe_bridge.sim.steps import KEY_NAMES
from shoe_bridge.sim.tags import DEFAULT_DECK, STANDARD_52, tag_uid
from shoe_bridge.table.alerts import AlertChange
from shoe_bridge.table.deal_model import SENSOR_LEVELS, DealerModel, DealModel, Level
from shoe_bridge.table.deck import Deck, Register
from shoe_bridge.table.findings import Change
from shoe_bridge.table.fold import Fold
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    Event,
    KeyPressed,
    LinkRestored,
    TimePassed,
)
from shoe_bridge.table.state import Setup

PROFILE = "nz-1999"
KEYS_USED = (*KEY_NAMES, "acknowledge")
LIT_SEVERITIES = ("attention", "misdeal")
_NS_PER_MS = 1_000_000


class Case(msgspec.Struct, frozen=True):
    """One line of the benchmark: `reader` is tablelink or pepper_c1, `level` one of noise."""

    reader: str
    level: Level
    has_shoe: bool = False

    @property
    def sensors(self) -> str:
        return "shoe+antennas" if self.has_shoe else self.reader

    @property
    def pace(self) -> tuple[int, int]:
        return PACES[self.level]


@cache
def book() -> Book:
    return open_book(PROFILE)


@cache
def register() -> Register:
    return Register((Deck(DEFAULT_DECK, {tag_uid(DEFAULT_DECK, card): card for card in STANDARD_52}),))


def model_for(case: Case) -> DealModel:
    """The model of the deal as a table with these readers is configured."""
    pace_ns = (case.pace[0] * _NS_PER_MS, case.pace[1] * _NS_PER_MS)
    neighbours = {antenna.place: antenna.neighbours for antenna in antennas_of(case.reader)}
    return DealModel(
        dealer=DealerModel(pace_ns=pace_ns), sensor=SENSOR_LEVELS[case.level], neighbours=neighbours
    )


def config_for(case: Case) -> dict[str, Any]:
    """The devices and the light of the table, as its configuration file would have them."""
    config = equipment(case.reader, has_shoe=case.has_shoe)
    for device in config["device"]:
        if "keys" in device:
            device["keys"] = {str(number): key for number, key in enumerate(KEYS_USED, start=1)}
    return config


def setup_for(case: Case, button: int, model: DealModel | None) -> Setup:
    """Ten seats in play; `model` None takes first reads for the truth."""
    devices = [device["name"] for device in config_for(case)["device"]]
    return Setup(
        "bench",
        book().fit(open_game("holdem")),
        tuple(range(1, TABLE_SEATS + 1)),
        button,
        register(),
        tuple(devices),
        KEYS_USED,
        model=model,
    )


class Watcher:
    """One fold that follows a table, and what it says of the hand in play."""

    def __init__(self, setup: Setup, tally: Tally | None = None, *, is_erring: bool = False) -> None:
        self.fold = Fold(setup, book())
        self.state = self.fold.start()
        self._tally = tally
        self._is_erring = is_erring  # the hands that it watches
        self._given: dict[int, tuple[dict[str, Any], float]] = {}
        self._told: list[tuple[dict[str, Any], float]] = []
        self._lit: list[Lit] = []
        self._equipment = 0
        self._lit_devices: set[int] = set()  # the alerts of equipment that were lit, of all hands

    def take(self, observations: Iterable[AnyObservation], at_ms: int) -> None:
        """Fold them; `at_ms` is when the bridge knew of them."""
        for observation in observations:
            event = Event(self.state.last_seq + 1, observation)
            before_ns = perf_counter_ns()
            self.state, outcome = self.fold.apply(self.state, event)
            duration_ns = perf_counter_ns() - before_ns
            if self._tally is not None:
                self._tally.add_duration(duration_ns, self._is_erring)
            if outcome.changes or outcome.alerts:
                self.note(outcome.changes, outcome.alerts, at_ms)

    def pass_time(self, at_ms: int) -> None:
        """Where nothing was said, that too may tell something by now."""
        look_ns = self.state.look_ns
        if look_ns is not None and look_ns <= mono_ns(at_ms):
            self.take([TimePassed(mono_ns(at_ms))], at_ms)

    def restart_tally(self) -> Tally:
        """What was counted so far; the count begins anew."""
        tally, self._tally = self._tally or Tally({}), Tally({})
        return tally

    def note(self, changes: Iterable[Change], alerts: Iterable[AlertChange], at_ms: int) -> None:
        """What a fold concluded."""
        for change in changes:
            if not change.raised:
                self._given.pop(change.number, None)
                continue
            given = (msgspec.to_builtins(change.finding), probability_of(change))
            self._given[change.number] = given
            self._told.append(given)
        for told in alerts:
            if not _is_lit(told):
                continue
            if told.alert.is_of_equipment:
                self._equipment += told.alert.number not in self._lit_devices
                self._lit_devices.add(told.alert.number)
            else:
                self._lit.append(Lit(at_ms, told.alert.number))

    def told(self) -> Told:
        """All that was said of this hand until now; what stands, stands now."""
        return Told(tuple(self._lit), self._equipment, tuple(self._given.values()), tuple(self._told))

    def next_hand(self) -> None:
        """What was said is of the past; what stands goes on standing."""
        self._told, self._lit, self._equipment = [], [], 0


def _is_lit(change: AlertChange) -> bool:
    return change.what in ("raised", "amended") and change.alert.severity in LIT_SEVERITIES


def probability_of(change: Change) -> float:
    """The probability that a finding is given with; what is certain without a number is given with 1."""
    probability = getattr(change, "probability", None)
    return 1.0 if probability is None else float(probability)


def perfect(case: Case, hand: TrueHand) -> Known:
    """What an observer concludes who sees each card come to rest, by the end of the deal."""
    watcher = Watcher(setup_for(case, hand.button, None))
    start = [LinkRestored(name, (), 0, 0) for name in watcher.fold.setup.devices]
    watcher.take(start, 0)
    for at_ms, observation in _seen(hand):
        if at_ms <= hand.judged_ms:
            watcher.take([observation], at_ms)
    told = watcher.told()
    return Known(tuple(finding for finding, _ in told.given), tuple(finding for finding, _ in told.standing))


def _seen(hand: TrueHand) -> list[tuple[int, AnyObservation]]:
    cards = {card.tag: card for card in hand.cards}
    seen: list[tuple[int, AnyObservation]] = []
    for deed in hand.deeds:
        at_ns = mono_ns(deed.at_ms)
        if deed.what == "key":
            at_ms = deed.at_ms + KEY_DOWN_MS
            seen.append((at_ms, KeyPressed(deed.name, mono_ns(at_ms), KEYS)))
        elif deed.what == "lay":
            place = cards[deed.name].place
            seen.append((deed.at_ms, CardArrived(place, deed.name, at_ns - 1, at_ns, SHOE)))
    return sorted(seen, key=lambda each: each[0])
