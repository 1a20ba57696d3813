"""Laws of the fold: pure, resumable at any event, findings consistent; clean deals silent, a slip exact."""

from collections.abc import Iterable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoe_bridge.rules.book import open_book
from shoe_bridge.rules.games import game_names, open_game
from shoe_bridge.table.alerts import AlertChange
from shoe_bridge.table.cards import JOKER, STANDARD_52
from shoe_bridge.table.deck import Deck, Register
from shoe_bridge.table.findings import (
    Change,
    DealOk,
    ExtraBurn,
    ExtraHand,
    MissingBurn,
    OrderError,
    SubstantialAction,
)
from shoe_bridge.table.fold import Fold
from shoe_bridge.table.hand import BOARD, BURN
from shoe_bridge.table.layout import ANTENNA_PLACES, PLACES, SEATS, seat_of
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    CardDrawn,
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
from shoe_bridge.table.procedures import Procedure
from shoe_bridge.table.state import Outcome, Setup, TableState

TAGS = tuple(f"E0040150A0{number:06X}" for number in range(54))
STRANGERS = ("E00401FF00000001", "E00401FF00000002")
CARDS = tuple(STANDARD_52[7 * number % 52] for number in range(52))  # dealt in turn, they are in no sequence
REGISTER = Register((Deck("blue", {**dict(zip(TAGS, CARDS, strict=False)), TAGS[52]: JOKER}),))
DEVICES = ("reader-1", "keys-1")
_KEYS = """shuffle, cut, cut begin, end deal, exposed, boxed, end bet, showdown, push, notice, cannot correct,
corrected, supervisor misdeal, supervisor play on, next hand, scan, scan end, acknowledge,
a key of no meaning"""
_WORDS = """check open call raise fold blind exposed show muck sit leave button pot jackpot_wager
a_word_of_no_meaning"""
KEYS = [key.strip() for key in _KEYS.split(",")]
WORDS = _WORDS.split()
BOOK = open_book("nz-1999")
encode = msgspec.json.encode
law = settings(max_examples=100, deadline=None, derandomize=True)


def setups() -> st.SearchStrategy[Setup]:
    seats = st.sets(st.integers(1, 10), min_size=0, max_size=10).map(lambda found: tuple(sorted(found)))
    return st.builds(
        Setup,
        st.just("t"),
        st.sampled_from([open_game(name) for name in game_names()]),
        seats,
        st.none() | st.integers(1, 10),
        st.just(REGISTER),
        st.just(DEVICES),
        st.just(()) | st.just(tuple(KEYS)),
        st.booleans(),
        st.booleans(),
    )


def observations() -> st.SearchStrategy[AnyObservation]:
    """Whatever a link could say, in any order; few tags and places, so that they meet."""
    tags = st.sampled_from((*TAGS[:12], TAGS[52], *STRANGERS))
    places = st.sampled_from(("seat 1", "seat 2", "seat 3", "seat 9", *ANTENNA_PLACES[10:]))
    times, device = st.integers(0, 10**12), st.sampled_from((*DEVICES, "a device of no configuration"))
    reading = (places, tags, times, times, device)
    return st.one_of(
        st.builds(CardArrived, *reading),
        st.builds(CardArrived, *reading),
        st.builds(CardDeparted, *reading),
        st.builds(CardStays, places, tags, times, device),
        st.builds(
            CardDrawn, times, device, st.none() | tags, st.none(), st.sampled_from((None, "up", "down"))
        ),
        st.builds(CardUnread, times, device),
        st.builds(KeyPressed, st.sampled_from(KEYS), times, device),
        st.builds(KeyPressed, st.sampled_from(KEYS), times, device),
        st.builds(
            DealerEntered,
            st.sampled_from(WORDS),
            st.none() | st.integers(-1, 11),
            st.none() | st.integers(0, 10**6),
            times,
            device,
        ),
        st.builds(LinkLost, device, st.just(PLACES[:2]), st.just("unplugged"), times),
        st.builds(LinkRestored, device, st.just(PLACES[:2]), st.sampled_from((None, 0, 3)), times),
        st.builds(EventsMissed, device, st.just(()), st.integers(1, 9), times),
        st.builds(DeviceFaulted, device, st.integers(0, 3), st.just("antenna"), st.booleans(), times),
    )


TABLES = {"setup": setups(), "seen": st.lists(observations(), max_size=60)}


def fold_all(
    setup: Setup, seen: Iterable[AnyObservation], state: TableState | None = None
) -> tuple[TableState, list[Outcome]]:
    fold = Fold(setup, BOOK)
    state = fold.start() if state is None else state
    outcomes = []
    for observation in seen:
        state, outcome = fold.apply(state, Event(state.last_seq + 1, observation))
        outcomes.append(outcome)
    return state, outcomes


def changes_of(outcomes: Iterable[Outcome]) -> list[Change]:
    return [change for outcome in outcomes for change in outcome.changes]


def alerts_of(outcomes: Iterable[Outcome]) -> list[AlertChange]:
    return [change for outcome in outcomes for change in outcome.alerts]


# -- what holds whatever is seen


@law
@given(**TABLES)
def test_same_events_same_bytes(setup: Setup, seen: list[AnyObservation]) -> None:
    first, again = fold_all(setup, seen), fold_all(setup, seen)
    assert encode(first[0]) == encode(again[0])
    assert encode(first[1]) == encode(again[1])


@law
@given(**TABLES, cut=st.integers(0, 60))
def test_folding_on_from_any_stored_state_is_folding_in_one_go(
    setup: Setup, seen: list[AnyObservation], cut: int
) -> None:
    whole, outcomes = fold_all(setup, seen)
    state, before = fold_all(setup, seen[:cut])
    stored = msgspec.json.decode(encode(state), type=TableState)
    stored_setup = msgspec.json.decode(encode(setup), type=Setup)
    assert stored == state
    resumed, after = fold_all(stored_setup, seen[cut:], stored)
    assert encode(resumed) == encode(whole)
    assert encode([*before, *after]) == encode(outcomes)


@law
@given(**TABLES)
def test_events_survive_their_storage(setup: Setup, seen: list[AnyObservation]) -> None:
    events = [Event(seq, observation) for seq, observation in enumerate(seen, start=1)]
    stored = msgspec.json.decode(encode(events), type=list[Event])
    assert encode(fold_all(setup, seen)) == encode(fold_all(setup, [event.observation for event in stored]))


@law
@given(**TABLES)
def test_a_state_that_was_given_is_never_changed(setup: Setup, seen: list[AnyObservation]) -> None:
    fold = Fold(setup, BOOK)
    state = fold.start()
    for observation in seen:
        before = encode(state)
        after, _ = fold.apply(state, Event(state.last_seq + 1, observation))
        assert encode(state) == before
        state = after


@law
@given(**TABLES)
def test_findings_are_raised_once_and_withdrawn_after_that(setup: Setup, seen: list[AnyObservation]) -> None:
    state, outcomes = fold_all(setup, seen)
    raised: dict[int, Change] = {}
    standing: dict[int, Change] = {}
    for seq, outcome in enumerate(outcomes, start=1):
        for change in outcome.changes:
            assert change.seq == seq
            assert (change.profile, change.version) == (BOOK.profile, BOOK.version)
            assert change.evidence
            assert all(1 <= number <= seq for number in change.evidence)
            if change.raised:
                assert change.number not in raised
                raised[change.number] = standing[change.number] = change
            else:
                withdrawn = standing.pop(change.number)
                assert (withdrawn.finding, withdrawn.hand) == (change.finding, change.hand)
    assert sorted(raised) == list(range(1, len(raised) + 1))
    assert {(s.number, s.hand): s.finding for s in state.standing} == {
        (change.number, change.hand): change.finding for change in standing.values()
    }


@law
@given(**TABLES)
def test_alerts_are_raised_once_and_closed_for_good(setup: Setup, seen: list[AnyObservation]) -> None:
    state, outcomes = fold_all(setup, seen)
    open_alerts = {}
    numbers = set()
    found = {change.number for change in changes_of(outcomes) if change.raised}
    for told in alerts_of(outcomes):
        alert = told.alert
        assert set(alert.findings) <= found
        assert {number for number, _ in alert.standing} <= set(alert.findings)
        if told.what == "raised":
            assert alert.number not in numbers
            numbers.add(alert.number)
        else:
            assert alert.number in open_alerts
        open_alerts[alert.number] = alert
        if told.what == "closed":
            del open_alerts[alert.number]
    assert {alert.number: alert for alert in state.alerts.open} == open_alerts


# -- whole hands

Players = tuple[Procedure, tuple[int, ...], int]


def tables_of_players() -> st.SearchStrategy[Players]:
    """A game, 2 to 10 seats, and a button that may lie before an empty seat."""
    return st.tuples(
        st.sampled_from([open_game(name) for name in game_names()]),
        st.sets(st.integers(1, 10), min_size=2, max_size=10).map(lambda found: tuple(sorted(found))),
        st.integers(1, 10),
    ).filter(lambda table: len(places_of_a_hand(*table)) <= 52)


def places_of_a_hand(game: Procedure, seats: tuple[int, ...], button: int) -> list[str]:
    """Where a dealer who makes no mistake lays the cards of one hand, and `|` where a betting round is. In a
    draw nobody throws a card away."""
    last = button if game.has_button else 10
    order = [f"seat {seat}" for seat in [*(s for s in seats if s > last), *(s for s in seats if s <= last)]]
    places = [*order, *(["dealer"] if game.to_dealer else [])] * game.passes
    places += [] if game.with_deal else ["|"]
    for street in game.streets:
        cards = {"board": [BOARD] * street.cards, "each": order, "draw": []}[street.target]
        places += [*([BURN] if street.burn else []), *cards, "|"]
    return places


def setup_of(players: Players) -> Setup:
    game, seats, button = players
    return Setup("t", game, seats, button, REGISTER, DEVICES, tuple(KEYS))


def hand_of(places: list[str]) -> list[AnyObservation]:
    """One hand as it is seen: the cards in their places; the first `|` ends the deal, each one the round."""
    seen: list[AnyObservation] = [LinkRestored(name, (), 0, -1) for name in DEVICES]
    seen += [KeyPressed("shuffle", 0, "keys-1"), KeyPressed("cut", 0, "keys-1")]
    tags = iter(TAGS)
    has_ended = False
    for place in places:
        if place != "|":
            seen.append(CardArrived(place, next(tags), 0, 0, "reader-1"))
        else:
            keys = ["end bet"] if has_ended else ["end deal", "end bet"]
            seen += [KeyPressed(key, 0, "keys-1") for key in keys]
            has_ended = True
    return seen


@law
@given(table=tables_of_players())
def test_a_clean_hand_says_nothing_but_that_it_is_clean(table: Players) -> None:
    game, places = table[0], places_of_a_hand(*table)
    seen = [*hand_of(places), KeyPressed("showdown", 0, "keys-1"), KeyPressed("push", 0, "keys-1")]
    state, outcomes = fold_all(setup_of(table), seen)
    kinds = {type(change.finding) for change in changes_of(outcomes)}
    assert kinds == ({DealOk, SubstantialAction} if game.family == "poker" else {DealOk})
    assert alerts_of(outcomes) == []
    assert state.unverified == ()
    [ok] = [standing.finding for standing in state.standing if isinstance(standing.finding, DealOk)]
    cards = len(places) - places.count("|")
    assert (ok.cards, ok.board, ok.burns) == (cards, game.board, places.count(BURN))
    assert ok.hole == cards - ok.board - ok.burns


@settings(law, max_examples=200)
@given(table=tables_of_players(), choice=st.data())
def test_one_misplaced_card_is_reported_at_exactly_that_card(table: Players, choice: st.DataObject) -> None:
    game, seats, _ = table
    places = places_of_a_hand(*table)
    at = choice.draw(st.sampled_from([index for index, place in enumerate(places) if place != "|"]))
    want = places[at]
    got = choice.draw(st.sampled_from([place for place in (*SEATS, BOARD, BURN) if place != want]))
    seen = hand_of([*places[:at], got, *places[at + 1 :]])
    number = at + 1 - places[:at].count("|")
    arrivals = [seq for seq, each in enumerate(seen, start=1) if isinstance(each, CardArrived)]
    _, outcomes = fold_all(setup_of(table), seen)
    found = [
        change
        for change in changes_of(outcomes)
        if change.raised and isinstance(change.finding, OrderError | ExtraHand | MissingBurn | ExtraBurn)
    ]
    first = found[0]  # cards that follow may look shifted
    assert first.seq == arrivals[number - 1]
    assert first.evidence == (first.seq,)
    is_of_the_deal = number <= len(places[: places.index("|")])
    if is_of_the_deal or game.board:
        expect_slip(first, number, got, want, seats)


def expect_slip(change: Change, number: int, got: str, want: str, seats: tuple[int, ...]) -> None:
    finding, seat = change.finding, seat_of(got)
    if seat is not None and seat not in seats:
        assert isinstance(finding, ExtraHand)
        assert finding.seat == seat
    elif {got, want} == {BOARD, BURN}:
        assert isinstance(finding, MissingBurn if got == BOARD else ExtraBurn)
    else:
        assert isinstance(finding, OrderError)
        assert (finding.card, finding.got, finding.want) == (number, got, want)


@pytest.mark.parametrize("game", game_names())
def test_a_card_seen_face_up_before_it_lies_rests_on_that_event(game: str) -> None:
    setup = Setup("t", open_game(game), (1, 2), 2, REGISTER, DEVICES, tuple(KEYS))
    _, outcomes = fold_all(setup, [CardDrawn(0, "shoe-1", TAGS[0], face="up")])
    assert {change.evidence for change in changes_of(outcomes)} == {(1,)}


@pytest.mark.parametrize("seat", [0, 11, 254])
@pytest.mark.parametrize("word", WORDS)
def test_an_entry_for_a_seat_that_does_not_exist_seats_nobody(word: str, seat: int) -> None:
    setup = Setup("t", open_game("holdem"), (1, 2), 2, REGISTER, DEVICES, tuple(KEYS), tracks_button=True)
    before = [KeyPressed("shuffle", 0, "keys-1"), KeyPressed("cut", 0, "keys-1")]
    entry = DealerEntered(word, seat, 500, 0, "keys-1")
    cards = [
        CardArrived(place, tag, 0, 0, "reader-1") for place, tag in zip(SEATS[:2] * 2, TAGS, strict=False)
    ]
    state, outcomes = fold_all(setup, [*before, entry, *cards, KeyPressed("end deal", 0, "keys-1")])
    assert state.seated == (1, 2)
    assert state.hand.order == (1, 2)
    assert DealOk(4, 0, 0, 4) in [change.finding for change in changes_of(outcomes)]
