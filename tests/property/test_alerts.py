"""Whatever is lost, when, and in which order it comes back: a device has one alert, and no misdeal is advised
on cards that it did not see.

Three readers share the places of a table. A reader that is lost keeps what it sees (its places are told late,
in its own order) or loses it; it comes back or not.
"""

from collections.abc import Callable, Iterable, Iterator

import msgspec
from felt import REGISTER
from game_sheets import GAMES, SHEETS, clockwise, deal_plan, game_in_use
from hypothesis import given, settings
from hypothesis import strategies as st
from played_words import KEYS, TAGS

from shoe_bridge.rules.book import open_book
from shoe_bridge.table import doubt
from shoe_bridge.table.findings import Equipment
from shoe_bridge.table.fold import Fold
from shoe_bridge.table.layout import ANTENNA_PLACES
from shoe_bridge.table.light_state import LightState
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    CardUnread,
    DeviceFaulted,
    Event,
    EventsMissed,
    KeyPressed,
    LinkLost,
    LinkRestored,
)
from shoe_bridge.table.state import Outcome, Setup, TableState

READERS = ("reader-1", "reader-2", "reader-3")
CARD_NS = 400_000_000
BOOK = open_book("nz-1999")
law = settings(max_examples=150, deadline=None, derandomize=True)


class Trouble(msgspec.Struct, frozen=True):
    """Reader `reader` is lost before deed `lost_at` and back before deed `back_at` (never, where there are
    not so many). `missed`: 0 when it tells late what it saw, else how much it lost (None: it does not know).
    `notice_after`: so many deeds later the loss is known."""

    reader: str
    lost_at: int
    back_at: int
    missed: int | None
    notice_after: int = 0


def troubles(*missed: int | None, notice_after: int = 0) -> st.SearchStrategy[list[Trouble]]:
    """At most one trouble for each reader."""
    one = st.tuples(
        st.sampled_from(READERS),
        st.integers(0, 30),
        st.integers(1, 40),
        st.sampled_from(missed),
        st.integers(0, notice_after),
    ).map(lambda t: Trouble(t[0], t[1], t[1] + t[4] + t[2], t[3], t[4]))
    return st.lists(one, min_size=1, max_size=3, unique_by=lambda trouble: trouble.reader)


class Game(msgspec.Struct, frozen=True):
    """A table and the deeds of one hand: places for cards, other words for keys. `owner` says which reader
    looks at a place."""

    setup: Setup
    deeds: tuple[str, ...]
    owner: dict[str, str]

    def __repr__(self) -> str:
        """Short: without the register and the procedure."""
        setup = self.setup
        return f"{setup.game.game} {setup.seated} button {setup.button}: {self.deeds} of {self.owner}"


@st.composite
def games(draw: Callable[..., object]) -> Game:
    """A hand that is dealt as it must be."""
    name = draw(st.sampled_from(GAMES))
    sheet = SHEETS[name]
    most = min(sheet.most_seats, 6)
    seats = tuple(sorted(draw(st.sets(st.integers(1, 10), min_size=2, max_size=most))))
    button = draw(st.sampled_from(seats)) if sheet.has_button else None
    owner = {place: draw(st.sampled_from(READERS)) for place in ANTENNA_PLACES}
    order = clockwise(seats, button)
    deeds = [*deal_plan(sheet, order), "end deal", "end bet"]
    for kind, cards in sheet.streets:
        deeds.append("burn")
        deeds += ["board"] * cards if kind == "board" else []
        deeds += [f"seat {seat}" for seat in order] if kind == "each" else []
        deeds.append("end bet")
    setup = Setup("t", game_in_use(name), seats, button, REGISTER, READERS, KEYS)
    return Game(setup, tuple(deeds), owner)


def told(game: Game, troubled: Iterable[Trouble]) -> Iterator[AnyObservation]:
    """What the bridge is told of the hand with these troubles."""
    by_reader = {trouble.reader: trouble for trouble in troubled}
    places = {name: tuple(place for place in game.owner if game.owner[place] == name) for name in READERS}
    late: dict[str, list[AnyObservation]] = {name: [] for name in READERS}
    yield from (LinkRestored(name, places[name], None, 0) for name in READERS)
    yield from (KeyPressed(key, 0, "keys-1") for key in ("shuffle", "cut"))
    tags = iter(TAGS)
    for index, deed in enumerate((*game.deeds, *[""] * 80)):
        now_ns = (index + 1) * CARD_NS
        for trouble in by_reader.values():
            if index == trouble.lost_at + trouble.notice_after:
                yield LinkLost(trouble.reader, places[trouble.reader], "unplugged", now_ns)
            if index == trouble.back_at:
                yield from late[trouble.reader] if trouble.missed == 0 else ()
                yield LinkRestored(trouble.reader, places[trouble.reader], trouble.missed, now_ns)
        if deed not in game.owner:
            if deed:
                yield KeyPressed(deed, now_ns, "keys-1")
            continue
        reader = game.owner[deed]
        card = CardArrived(deed, next(tags), now_ns - 1, now_ns, reader)
        trouble = by_reader.get(reader)
        if trouble is not None and trouble.lost_at <= index < trouble.back_at:
            late[reader].append(card)
        else:
            yield card


def folded(setup: Setup, seen: Iterable[AnyObservation]) -> Iterator[tuple[TableState, Outcome]]:
    fold = Fold(setup, BOOK)
    state = fold.start()
    for observation in seen:
        state, outcome = fold.apply(state, Event(state.last_seq + 1, observation))
        yield state, outcome


def assert_lawful(state: TableState) -> None:
    """One alert for each device, each finding in one alert, and doubt advises no misdeal."""
    of_equipment = [alert.cause for alert in state.alerts.open if alert.is_of_equipment]
    assert len(of_equipment) == len(set(of_equipment))
    standing = [number for alert in state.alerts.open for number, _ in alert.standing]
    assert len(standing) == len(set(standing))
    is_equipment = {each.number: isinstance(each.finding, Equipment) for each in state.standing}
    for alert in state.alerts.open:
        assert alert.severity != "misdeal" or not alert.is_of_equipment
        assert set(alert.follows) <= {number for number, _ in alert.standing}
        assert not alert.follows or alert.is_of_equipment
        assert not any(is_equipment.get(number) for number in alert.follows)


def one_alert_a_reader(state: TableState, troubled: list[Trouble]) -> None:
    causes = {alert.cause for alert in state.alerts.open}
    assert causes <= {f"equipment: {trouble.reader}" for trouble in troubled}


# -- a dealer who makes no mistake


@law
@given(game=games(), troubled=troubles(None, 3))
def test_a_clean_hand_that_was_not_wholly_seen_has_one_alert_a_reader_and_no_other(
    game: Game, troubled: list[Trouble]
) -> None:
    for state, _ in folded(game.setup, told(game, troubled)):
        assert_lawful(state)
        one_alert_a_reader(state, troubled)
        assert state.light is not LightState.MISDEAL_ADVISED


@law
@given(game=games(), troubled=troubles(None, 3, notice_after=7))
def test_a_silent_reader_takes_over_what_came_up_before_it_was_missed(
    game: Game, troubled: list[Trouble]
) -> None:
    state = None
    for state, _ in folded(game.setup, told(game, troubled[:1])):
        assert_lawful(state)
    assert state is not None
    one_alert_a_reader(state, troubled[:1])


@law
@given(game=games(), troubled=troubles(0))
def test_a_reader_that_tells_all_late_leaves_nothing_in_doubt(game: Game, troubled: list[Trouble]) -> None:
    """Until one of them is back nothing of the deal is told; at the end nothing is put down to a reader."""
    seen = list(told(game, troubled))
    is_any_back = False
    state = None
    for observation, (state, _) in zip(seen, folded(game.setup, seen), strict=True):
        is_any_back = is_any_back or (
            isinstance(observation, LinkRestored) and observation.missed_events == 0
        )
        assert_lawful(state)
        if not is_any_back:
            one_alert_a_reader(state, troubled)
    assert state is not None
    assert state.watch.blind == ()
    assert state.alerts.doubtful == frozenset()


# -- anything at all


def anything() -> st.SearchStrategy[AnyObservation]:
    places = st.sampled_from(("seat 1", "seat 2", "seat 3", "board", "burn"))
    reader, times = st.sampled_from(READERS), st.integers(0, 10**10)
    split = {
        "reader-1": ("seat 1", "seat 2"),
        "reader-2": ("seat 3", "board"),
        "reader-3": ("burn", "seat 2"),
    }
    keys = st.sampled_from((*KEYS, "acknowledge", "supervisor misdeal", "supervisor play on"))
    return st.one_of(
        st.builds(CardArrived, places, st.sampled_from(TAGS[:12]), times, times, reader),
        st.builds(CardArrived, places, st.sampled_from(TAGS[:12]), times, times, reader),
        st.builds(CardDeparted, places, st.sampled_from(TAGS[:12]), times, times, reader),
        st.builds(KeyPressed, keys, times, st.just("keys-1")),
        reader.flatmap(
            lambda name: st.one_of(
                st.builds(LinkLost, st.just(name), st.just(split[name]), st.just("unplugged"), times),
                st.builds(
                    LinkRestored, st.just(name), st.just(split[name]), st.sampled_from((None, 0, 3)), times
                ),
                st.builds(EventsMissed, st.just(name), st.just(split[name]), st.integers(1, 9), times),
                st.builds(DeviceFaulted, st.just(name), st.just(1), st.just("fault"), st.booleans(), times),
                st.builds(CardUnread, times, st.just(name)),
            )
        ),
    )


@law
@given(seen=st.lists(anything(), max_size=60), button=st.integers(1, 3))
def test_any_order_of_losses_arrivals_and_restorations_keeps_one_alert_a_device(
    seen: list[AnyObservation], button: int
) -> None:
    setup = Setup("t", game_in_use("holdem"), (1, 2, 3), button, REGISTER, READERS, KEYS)
    for state, outcome in folded(setup, seen):
        assert_lawful(state)
        assert len({told.alert.number for told in outcome.alerts if told.what == "raised"}) == len(
            [told for told in outcome.alerts if told.what == "raised"]
        )
        if not doubt.devices_in_doubt(state):
            current = {each.number for each in state.standing if each.hand == state.hand.number}
            assert not state.alerts.doubtful & current
