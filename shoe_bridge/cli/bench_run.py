"""Runs the benchmark: chunks of hands at tables of their own, each seeded by its place, in any number of
processes.

A chunk is what one table plays in a row, so hands end and begin as they do in a house: cards are gathered
across the antennas, alerts are ruled on. The same seed gives the same figures for any number of processes;
only the durations are the machine's.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from typing import Any

import msgspec

from shoe_bridge.cli.bench_reads import Readers
from shoe_bridge.cli.bench_table import Case, Watcher, model_for, perfect, register, setup_for
from shoe_bridge.runtime.core import Step
from shoe_bridge.sim.deal_evidence import Chances, ReadLog
from shoe_bridge.sim.deal_polls import Poll, Polls, quiet_air
from shoe_bridge.sim.deal_reference import Reference
from shoe_bridge.sim.deal_score import Known, Tally, Told
from shoe_bridge.sim.deal_truth import CLEAN, SLIPS, TrueHand, hands
from shoe_bridge.sim.sim_table import equipment
from shoe_bridge.table.deal_model import DealModel
from shoe_bridge.table.observations import AnyObservation, CardReadAgain, TimePassed

replace = msgspec.structs.replace

CHUNK_HANDS = 50
FIRST_BUTTON = 10
COUNTS_FROM = 0.5
MOST_MISSES = 1_000  # kept of one case
TIMED_EACH = 10  # of so many hands with a slip, one is asked from when on it could be known
TOLD_TO_PRODUCT = (CardReadAgain, TimePassed)  # the baseline takes first reads
_NS_PER_MS = 1_000_000


class Chunk(msgspec.Struct, frozen=True):
    """`count` hands of one table, the `index`-th of its case. `is_clean`: without slips."""

    case: Case
    seed: int
    index: int
    count: int
    is_clean: bool

    @property
    def name(self) -> str:
        what = "clean" if self.is_clean else "erring"
        return f"{self.seed} {self.case.sensors} {self.case.level} {what} {self.index}"


class Miss(msgspec.Struct, frozen=True, tag_field="type", tag="hand"):
    """A hand of which the product said something wrong: `truth` is what a perfect observer finds at the end
    of the deal, `told` what the product found, each with its probability."""

    table: str
    hand: int
    slip: str
    slip_card: int | None
    truth: tuple[dict[str, Any], ...]
    told: tuple[tuple[dict[str, Any], float], ...]


class Played(msgspec.Struct):
    """The product and the baseline on the same reads, and the hands with which the product went wrong."""

    product: Tally
    baseline: Tally
    misses: list[Miss] = []


def chunks(case: Case, seed: int, count: int) -> list[Chunk]:
    """`count` clean hands and as many with one slip."""
    return [
        Chunk(case, seed, index, min(CHUNK_HANDS, count - index * CHUNK_HANDS), is_clean)
        for is_clean in (True, False)
        for index in range(-(-count // CHUNK_HANDS))
    ]


def run(
    work: list[Chunk],
    play_one: Callable[[Chunk], Played],
    jobs: int = 1,
    tell: Callable[[int], None] = lambda _: None,
) -> Played:
    """Play all chunks of one case; `tell` is told how many are done."""
    whole = Played(Tally({}), Tally({}))
    for done, played in enumerate(_played(work, play_one, jobs), start=1):
        whole.product.merge(played.product)
        whole.baseline.merge(played.baseline)
        whole.misses += played.misses[: MOST_MISSES - len(whole.misses)]
        tell(done)
    return whole


def _played(work: list[Chunk], play_one: Callable[[Chunk], Played], jobs: int) -> Iterator[Played]:
    if jobs == 1:
        yield from map(play_one, work)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from pool.map(play_one, work)


def play(chunk: Chunk) -> Played:
    """The hands of one table, from the reads on."""
    polls = Polls(chunk.case.reader, quiet_air(chunk.case.level, chunk.name))
    table = Table(chunk)
    readers = readers_for(chunk.case, polls)
    table.take(readers.start(), 0)
    log = None
    for hand in dealt_in(chunk):
        log = ReadLog(polls.antennas, log)
        for happening in polls.follow(hand):
            if happening.at_ms > hand.judged_ms:
                table.judge()
            elif isinstance(happening, Poll):
                log.take(happening)
            table.take(readers.take(happening), happening.at_ms)
        table.close(hand, known_of(chunk.case, hand, log))
    return table.played


def dealt_in(chunk: Chunk, replug_per_hand: float = 0.0) -> Iterator[TrueHand]:
    """The true hands of a chunk."""
    case = chunk.case
    dealt = hands(
        chunk.name,
        case.pace,
        (CLEAN,) if chunk.is_clean else tuple(SLIPS),
        has_shoe=case.has_shoe,
        first_button=FIRST_BUTTON,
        readers=[device["name"] for device in equipment(case.reader)["device"] if "antennas" in device],
        replug_per_hand=replug_per_hand,
    )
    return islice(dealt, chunk.count)


class Table:
    """Product and baseline at one table, and what they are found to say."""

    def __init__(self, chunk: Chunk) -> None:
        case = chunk.case
        self.played = Played(Tally({}), Tally({}))
        self._name = chunk.name
        self._longest_pace_ms = case.pace[1]
        self._product = Watcher(
            setup_for(case, FIRST_BUTTON, model_for(case)), self.played.product, is_erring=not chunk.is_clean
        )
        self._baseline = Watcher(setup_for(case, FIRST_BUTTON, None))
        self._judged: tuple[Told, Told] | None = None

    def take(self, observations: list[AnyObservation], at_ms: int) -> None:
        """Fold what was observed by now, perhaps nothing."""
        self._product.pass_time(at_ms)
        if observations:
            self._product.take(observations, at_ms)
            self._baseline.take(
                (each for each in observations if not isinstance(each, TOLD_TO_PRODUCT)), at_ms
            )

    def note(self, step: Step, at_ms: int) -> None:
        """What the product made of one input: the baseline is given the same observations."""
        self._product.note(step.changes, step.alerts, at_ms)
        self._baseline.take(_first_reads(event.observation for event in step.events), at_ms)

    def judge(self) -> None:
        """It is the end of the deal: what stands now counts."""
        if self._judged is None:
            self._judged = self._product.told(), self._baseline.told()

    def close(self, hand: TrueHand, known: Known) -> None:
        """The cards are gathered. In a clean hand also an alert after the end of the deal was false."""
        self.judge()
        product, baseline = self._judged or (Told(), Told())
        told = replace(self._product.told(), standing=product.standing)
        if not self.played.product.add(hand, known, told, self._longest_pace_ms):
            self._miss(hand, known, told)
        told = replace(self._baseline.told(), standing=baseline.standing)
        self.played.baseline.add(hand, known, told, self._longest_pace_ms)
        self._product.next_hand()
        self._baseline.next_hand()
        self._judged = None

    def _miss(self, hand: TrueHand, known: Known, told: Told) -> None:
        said = told.given if hand.is_clean else told.standing
        self.played.misses.append(
            Miss(self._name, hand.number, hand.slip, hand.slip_card, known.standing, said)
        )


def _first_reads(seen: Iterable[AnyObservation]) -> list[AnyObservation]:
    return [each for each in seen if not isinstance(each, TOLD_TO_PRODUCT)]


def readers_for(case: Case, polls: Polls) -> Readers:
    """The bridge's readers for the antennas that are polled."""
    device = equipment(case.reader)["device"][0]
    is_known = register().card_of
    return Readers(
        case.reader,
        polls.antennas,
        lambda tag: is_known(tag) is not None,
        hold_ms=device.get("hold_ms", 0),
        reads_told=model_for(case).reads_told,
        has_shoe=case.has_shoe,
    )


def known_of(case: Case, hand: TrueHand, log: ReadLog) -> Known:
    """What a perfect observer and the reference say of a hand."""
    if hand.is_clean:
        return Known()
    known = perfect(case, hand)
    model = model_for(case)
    reference = Reference(hand, log, chances_of(model), has_shoe=case.has_shoe)
    is_counted = reference.at_end().of_truth > COUNTS_FROM
    is_timed = is_counted and hand.number % TIMED_EACH == 1
    known_ms = reference.known_ms(model.certainty.certain) if is_timed else None
    return replace(known, is_counted=is_counted, known_ms=known_ms)


def chances_of(model: DealModel) -> Chances:
    """The numbers of the model as the reference takes them."""
    dealer, sensor = model.dealer, model.sensor
    return Chances(
        skip=dealer.skip,
        extra=dealer.extra,
        stuck=dealer.stuck,
        wrong=dealer.wrong,
        swap=dealer.swap,
        turned=dealer.turned,
        short=dealer.short,
        missed=sensor.missed,
        cross=sensor.cross,
        ghost=sensor.ghost,
        dead=sensor.dead,
        deaf=sensor.deaf,
        unproven=sensor.unproven,
        pace_ms=(dealer.pace_ns[0] // _NS_PER_MS, dealer.pace_ns[1] // _NS_PER_MS),
        pause=dealer.pause,
        longest_ms=dealer.longest_ns // _NS_PER_MS,
    )
