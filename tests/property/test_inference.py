"""Laws of the inference: resumable in the middle of an open window, blind to how bytes were chopped and to
late ticks, never at a loss, bounded, and silent where nothing is wrong."""

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from read_deal import BOOK, KEYS, REGISTER, TAGS, ring_model

from shoe_bridge.cli.bench_run import FIRST_BUTTON, dealt_in, readers_for
from shoe_bridge.cli.bench_run import Chunk as Hands
from shoe_bridge.cli.bench_table import Case, Watcher, model_for, setup_for
from shoe_bridge.cli.scenario_table import PlayedTable
from shoe_bridge.rules.games import open_game
from shoe_bridge.runtime.core import TABLE, Core
from shoe_bridge.runtime.ports import Chunk, Input, Tick
from shoe_bridge.sim.deal_polls import Polls, quiet_air
from shoe_bridge.sim.player import Moment
from shoe_bridge.sim.scenario import load_scenario
from shoe_bridge.table.alerts import AlertChange
from shoe_bridge.table.deal_model import DealModel, Level
from shoe_bridge.table.findings import Change
from shoe_bridge.table.fold import Fold
from shoe_bridge.table.following import Following
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    CardDrawn,
    CardReadAgain,
    CardStays,
    DealerEntered,
    Event,
    KeyPressed,
    LinkLost,
    LinkRestored,
    TimePassed,
)
from shoe_bridge.table.state import Outcome, Setup, TableState

SCENARIOS = Path(__file__).parents[1] / "scenarios" / "reads"
NS_PER_MS = 1_000_000
LATEST_TICK_MS = 100
MOST_SIGHTINGS, MOST_RECENT, MOST_OTHERS = 14, 8, 11
encode = msgspec.json.encode


# -- hands as the readers of the benchmark tell them


class Recording(Watcher):
    """A fold that also keeps what it was given."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.seen: list[AnyObservation] = []

    def take(self, observations: Iterable[AnyObservation], at_ms: int) -> None:
        given = list(observations)
        self.seen += given
        super().take(given, at_ms)


def play_hands(hands: Hands, watcher: Watcher) -> Iterator[None]:
    """Hand after hand; the watcher has taken all of one when it is given."""
    polls = Polls(hands.case.reader, quiet_air(hands.case.level, hands.name))
    readers = readers_for(hands.case, polls)
    watcher.take(readers.start(), 0)
    for hand in dealt_in(hands):
        for happening in polls.follow(hand):
            watcher.pass_time(happening.at_ms)
            watcher.take(readers.take(happening), happening.at_ms)
        yield


def setup_of(hands: Hands) -> Setup:
    return setup_for(hands.case, FIRST_BUTTON, model_for(hands.case))


@pytest.mark.parametrize(
    ("reader", "level", "seed"),
    [("tablelink", "typical", 1), ("pepper_c1", "typical", 4), ("tablelink", "poor", 3)],
)
def test_folding_on_from_a_stored_state_is_folding_in_one_go(reader: str, level: Level, seed: int) -> None:
    """Hands with a slip, and states in the middle of open windows, each folded on by a fold that remembers
    nothing of the time before."""
    hands = Hands(Case(reader, level), seed, 0, 1 if level == "poor" else 3, is_clean=False)
    watcher = Recording(setup_of(hands))
    list(play_hands(hands, watcher))
    fold = Fold(setup_of(hands), BOOK)
    state, states, outcomes = fold.start(), list[TableState](), list[Outcome]()
    for observation in watcher.seen:
        state, outcome = fold.apply(state, Event(state.last_seq + 1, observation))
        states.append(state)
        outcomes.append(outcome)
    is_open = [index for index, each in enumerate(states) if each.following.is_open]
    assert len(is_open) > 20
    for index in Random(seed).sample(is_open, 5):
        stored = msgspec.json.decode(encode(states[index]), type=TableState)
        assert stored == states[index]
        resumed, after = stored, list[Outcome]()
        other = Fold(setup_of(hands), BOOK)
        for observation in watcher.seen[index + 1 :]:
            resumed, outcome = other.apply(resumed, Event(resumed.last_seq + 1, observation))
            after.append(outcome)
        assert encode(resumed) == encode(state)
        assert encode(after) == encode(outcomes[index + 1 :])


CLEAN_HANDS = [
    ("tablelink", "typical", 60),
    ("pepper_c1", "typical", 60),
    ("tablelink", "poor", 40),
    ("pepper_c1", "poor", 40),
]


class Lit(Watcher):
    """A fold with the hands and causes of all alerts that are louder than a notice."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.lit: set[tuple[int, str]] = set()

    def note(self, changes: Iterable[Change], alerts: Iterable[AlertChange], at_ms: int) -> None:
        told = list(alerts)
        super().note(changes, told, at_ms)
        self.lit |= {
            (self.state.hand.number, each.alert.cause)
            for each in told
            if each.alert.standing and each.alert.severity != "notice"
        }


@cache
def lit_in(reader: str, level: Level, count: int) -> tuple[int, frozenset[tuple[int, str]]]:
    """How many clean hands were played, and what was lit in them."""
    hands = Hands(Case(reader, level), 2, 0, count, is_clean=True)
    watcher = Lit(setup_of(hands))
    played_hands = sum(1 for _ in play_hands(hands, watcher))
    return played_hands, frozenset(watcher.lit)


def test_clean_hands_are_two_hundred() -> None:
    assert sum(count for _, _, count in CLEAN_HANDS) == 200


@pytest.mark.parametrize(("reader", "level", "count"), CLEAN_HANDS)
def test_no_clean_hand_lights_an_alert_of_the_deal(reader: str, level: Level, count: int) -> None:
    """Whatever is suspected in between."""
    played_hands, lit = lit_in(reader, level, count)
    assert played_hands == count
    assert {each for each in lit if not each[1].startswith("equipment")} == set()


@pytest.mark.parametrize(("reader", "level", "count"), CLEAN_HANDS)
def test_no_clean_hand_lights_the_light(reader: str, level: Level, count: int) -> None:
    assert lit_in(reader, level, count)[1] == frozenset()


# -- bytes in any pieces, ticks at any time


@cache
def played(name: str, reader: str) -> tuple[PlayedTable, tuple[Moment, ...]]:
    """What reached the host, moment by moment, in one scenario, and the table that took it."""
    scenario = load_scenario(SCENARIOS / f"{name}.toml")
    table = PlayedTable(scenario, reader, BOOK, [])
    moments = []
    for part in (table.player.start(), table.player.play(scenario.actions)):
        for moment in part:
            table.take(moment)
            moments.append(moment)
    return table, tuple(moments)


class Bridge:
    """A core that is given the inputs of a table again: each chunk in pieces, and each tick of the table up
    to `late_ms` after it was due."""

    def __init__(self, table: PlayedTable, rng: Random, late_ms: int) -> None:
        self.core = Core(table.core.setup, table.core.link_configs, BOOK)
        self._rng = rng
        self._late_ms = late_ms
        self._due_ns: int | None = None
        self._look_ns: int | None = None
        self.changes: list[bytes] = []
        self.alerts: list[bytes] = []
        self.ticks = 0

    def take(self, moment: Moment) -> None:
        for whole in moment.inputs:
            if whole.device in self.core.links:
                for piece in self._pieces(whole):
                    self._say(piece)
        for name, link in self.core.links.items():
            link.sends()
            deadline_ns = link.next_deadline_ns()
            if deadline_ns is not None and deadline_ns <= moment.at_mono_ns:
                self._say(Tick(name, moment.at_mono_ns))
        if self._is_due(moment.at_mono_ns):
            self.ticks += 1
            self._say(Tick(TABLE, moment.at_mono_ns))

    def _is_due(self, now_ns: int) -> bool:
        due_ns = self.core.next_deadline_ns()
        if due_ns != self._look_ns:
            self._look_ns = due_ns
            late_ns = self._rng.randint(0, self._late_ms) * NS_PER_MS
            self._due_ns = None if due_ns is None else due_ns + late_ns
        return self._due_ns is not None and self._due_ns <= now_ns

    def _pieces(self, whole: Input) -> Iterator[Input]:
        if not isinstance(whole, Chunk):
            yield whole
            return
        cuts = sorted(self._rng.randrange(len(whole.data) + 1) for _ in range(self._rng.randint(0, 3)))
        for first, last in zip([0, *cuts], [*cuts, len(whole.data)], strict=True):
            if last > first:
                yield Chunk(whole.device, whole.at_mono_ns, whole.data[first:last])

    def _say(self, piece: Input) -> None:
        step = self.core.take(piece)
        self.changes += [encode(change) for change in step.changes]
        self.alerts += [encode(change) for change in step.alerts]

    def standing(self) -> set[tuple[bytes, str]]:
        return {(encode(each.finding), each.certainty) for each in self.core.state.standing}


NAMES = ("R02", "R03", "R06", "R08", "R13", "R14")


@pytest.mark.parametrize("reader", ["tablelink", "pepper_c1"])
@pytest.mark.parametrize("name", NAMES)
def test_the_same_bytes_give_the_same_findings_however_they_are_chopped(name: str, reader: str) -> None:
    table, moments = played(name, reader)
    whole = Bridge(table, Random(0), 0)
    for moment in moments:
        whole.take(moment)
    assert encode(whole.core.state) == encode(table.core.state)
    chopped = Bridge(table, Random(name), 0)
    for moment in moments:
        chopped.take(moment)
    assert chopped.changes == whole.changes
    assert chopped.alerts == whole.alerts
    assert encode(chopped.core.state) == encode(whole.core.state)
    assert len(whole.changes) > 0


@pytest.mark.parametrize("reader", ["tablelink", "pepper_c1"])
@pytest.mark.parametrize("name", NAMES)
def test_late_ticks_change_nothing_that_stands_at_the_end(name: str, reader: str) -> None:
    table, moments = played(name, reader)
    expected = {(encode(each.finding), each.certainty) for each in table.core.state.standing}
    ticks = 0
    for seed in range(3):
        late = Bridge(table, Random(seed), LATEST_TICK_MS)
        for moment in moments:
            late.take(moment)
        assert late.standing() == expected
        ticks += late.ticks
    assert ticks > 0 or name == "R08"


# -- whatever is seen

PLACES = ("seat 1", "seat 2", "seat 3", "seat 9", "board", "burn", "muck", "stub")
MODELS = (
    ring_model("typical"),
    ring_model("poor"),
    ring_model("typical", learns_pace=True),
    ring_model("clean"),
)


def sayings() -> st.SearchStrategy[tuple[int, AnyObservation]]:
    """Whatever a link could say, and how many ms after the word before; few tags and places, so that they
    meet."""
    tags = st.sampled_from(TAGS[:10])
    places = st.sampled_from(PLACES)
    steps = st.sampled_from((0, 0, 30, 150, 300, 450, 800, 2_500, 9_000, -200))
    words = st.one_of(
        st.builds(CardArrived, places, tags, st.just(0), st.just(0), st.just("reader-1")),
        st.builds(CardArrived, places, tags, st.just(0), st.just(0), st.just("reader-1")),
        st.builds(CardReadAgain, places, tags, st.integers(2, 4), st.just(0), st.just("reader-1")),
        st.builds(CardDeparted, places, tags, st.just(0), st.just(0), st.just("reader-1")),
        st.builds(CardStays, places, tags, st.just(0), st.just("reader-1")),
        st.builds(CardDrawn, st.just(0), st.just("shoe-1"), tags),
        st.builds(KeyPressed, st.sampled_from(KEYS), st.just(0), st.just("keys-1")),
        st.builds(
            DealerEntered,
            st.sampled_from(("fold", "call", "sit", "leave", "exposed")),
            st.integers(1, 10),
            st.none(),
            st.just(0),
            st.just("keys-1"),
        ),
        st.builds(LinkLost, st.just("reader-1"), st.just(PLACES), st.just("unplugged"), st.just(0)),
        st.builds(LinkRestored, st.just("reader-1"), st.just(PLACES), st.sampled_from((None, 0)), st.just(0)),
        st.builds(TimePassed, st.just(0)),
    )
    return st.tuples(steps, words)


def timed(observation: AnyObservation, at_ns: int) -> AnyObservation:
    if isinstance(observation, CardArrived | CardDeparted):
        before_ns = max(0, at_ns - 400 * NS_PER_MS)
        return replace(observation, not_before_ns=before_ns, not_after_ns=at_ns)
    return replace(observation, at_mono_ns=at_ns)


def bounded(now: Following) -> bool:
    return (
        len(now.sightings) <= MOST_SIGHTINGS + 1
        and len(now.recent) <= MOST_RECENT
        and len(now.others) <= MOST_OTHERS
        and all(len(one.cards) <= 2 * MOST_SIGHTINGS for one in now.explanations)
    )


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    model=st.sampled_from(MODELS),
    count=st.integers(2, 4),
    said=st.lists(sayings(), min_size=5, max_size=60),
    has_ticks=st.booleans(),
)
def test_whatever_is_seen_it_goes_on_and_stays_small(
    model: DealModel, count: int, said: list[tuple[int, AnyObservation]], has_ticks: bool
) -> None:
    seated = tuple(range(1, count + 1))
    setup = Setup("t", open_game("holdem"), seated, count, REGISTER, ("reader-1",), KEYS, model=model)
    fold = Fold(setup, BOOK)
    state, at_ns = fold.start(), 10_000 * NS_PER_MS
    begin: list[AnyObservation] = [LinkRestored("reader-1", PLACES, 0, 0)]
    begin += [KeyPressed(key, at_ns, "keys-1") for key in ("shuffle", "cut")]
    for observation in begin:
        state, _ = fold.apply(state, Event(state.last_seq + 1, observation))
    for step_ms, observation in said:
        at_ns += step_ms * NS_PER_MS
        if has_ticks and state.look_ns is not None and state.look_ns <= at_ns:
            state, _ = fold.apply(state, Event(state.last_seq + 1, TimePassed(at_ns)))
        state, outcome = fold.apply(state, Event(state.last_seq + 1, timed(observation, at_ns)))
        assert bounded(state.following)
        for change in outcome.changes:
            assert change.evidence
            assert all(1 <= seq <= state.last_seq for seq in change.evidence)
        tags = [card.tag for card in state.hand.cards if card.is_in_play]
        assert len(tags) == len(set(tags))
