"""From arrivals in the order in which readers told them to the hand as it was dealt: what opens the window,
what settles it, and what remains of its doubts."""

from collections.abc import Callable

import msgspec
import pytest
from read_deal import CYCLE_MS, NS_PER_MS, TAGS, ReadTable, ring_model, seats, two_passes

from shoe_bridge.rules.games import open_game
from shoe_bridge.table.deal_model import Level
from shoe_bridge.table.findings import (
    CountError,
    DealOk,
    Equipment,
    ExtraHand,
    MissingBurn,
    OrderError,
    PrematureCard,
)
from shoe_bridge.table.following import Following, carried_on
from shoe_bridge.table.hand import Hand, new_hand
from shoe_bridge.table.observations import CardArrived, CardDeparted, TimePassed
from shoe_bridge.table.redeal import UNHEARD, plan_of

HORIZON_MS = 20 * CYCLE_MS
PATIENCE_MS = 4 * CYCLE_MS
THIRD_BURN = TAGS[14]  # eight cards at the seats, burn and flop, burn and turn were before it

Dealt = tuple[str, ...]


def hand_of(*numbers: int) -> Hand:
    return new_hand(1, numbers, numbers[-1], numbers[-1], "ready")


def dealt(table: ReadTable, *places: str, pace_ms: int = 400) -> ReadTable:
    """After these cards and the key that ends the deal, and all polls that tell of them."""
    table.lay(*places, pace_ms=pace_ms)
    table.press("end deal")
    table.run_for(3_000)
    return table


def with_flop(table: ReadTable) -> ReadTable:
    dealt(table, *two_passes(table)).press("end bet")
    table.lay("burn", "board", "board", "board")
    table.run_for(1_200)
    return table


def with_turn(table: ReadTable) -> ReadTable:
    with_flop(table).press("end bet")
    table.lay("burn", "board")
    table.run_for(1_200)
    table.press("end bet")
    return table


# -- the plan


def test_the_plan_of_a_hand_is_its_passes_and_streets() -> None:
    plan, size = plan_of(hand_of(3, 5), open_game("holdem"))
    assert size == 4
    assert [due.place for due in plan[:4]] == ["seat 3", "seat 5"] * 2
    streets = ["burn", "board", "board", "board", "burn", "board", "burn", "board"]
    assert [due.place for due in plan[4:]] == streets
    assert [due.is_open for due in plan] == [True, *[False] * 3, True, *[False] * 3, True, False, True, False]
    assert [due.pass_places for due in plan[:4]] == [seats(3, 5), (), seats(3, 5), ()]
    assert [due.run for due in plan] == [0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 4, 4]
    assert [due.is_of_pass for due in plan] == [True] * 4 + [False] * 8


def test_a_street_that_belongs_to_the_deal_is_counted_with_it() -> None:
    plan, size = plan_of(hand_of(1, 2), open_game("manila2"))
    first = plan[4:size]
    assert {due.place for due in first} <= {"burn", "board"}
    assert first
    assert not first[0].is_open  # it comes at the dealer's pace


# -- as expected


def test_cards_as_due_are_cards_of_the_hand_at_once() -> None:
    table = ReadTable()
    for number, place in enumerate(two_passes(table), start=1):
        table.lay(place)
        table.run_for(CYCLE_MS)
        assert len(table.places) == number
    table.run_for(CYCLE_MS)
    assert not table.following.is_open
    assert table.state.look_ns is None  # no silence tells anything
    assert table.following.pointer == 8
    assert table.following.served == table.places


@pytest.mark.parametrize(
    ("places", "is_open"),
    [
        (seats(1, 2, 3), False),
        (seats(1, 3), True),
        (
            seats(
                2,
            ),
            True,
        ),
        (("burn",), True),
    ],
)
def test_a_card_elsewhere_than_due_opens_the_window(places: Dealt, is_open: bool) -> None:
    table = ReadTable()
    table.lay(*places)
    table.run_for(CYCLE_MS)
    assert table.following.is_open is is_open


def test_a_card_that_comes_too_late_is_thought_about_and_settled() -> None:
    """Two seconds after the one before is no pace: it was a pause, and teaches nothing of the pace."""
    table = ReadTable()
    table.lay(*seats(1, 2))
    table.run_for(CYCLE_MS)
    gaps = table.state.learned.gaps
    table.lay("seat 3", after_ms=2_000)
    table.run_for(CYCLE_MS)
    assert table.places == seats(1, 2, 3)
    assert (table.following.is_open, table.following.pointer) == (False, 3)
    assert table.state.learned.gaps == gaps
    dealt(table, *seats(4, 1, 2, 3, 4))
    assert table.places == seats(1, 2, 3, 4) * 2


# -- what the window makes of it


def late(table: ReadTable) -> Dealt:
    """Seat 3's card is heard after seat 4's."""
    table.lay(*seats(1, 2))
    table.silence("seat 3", 700)
    table.lay(*seats(3, 4, 1, 2, 3, 4))
    return seats(1, 2, 3, 4) * 2


def stuck(table: ReadTable) -> Dealt:
    table.lay(*seats(1, 2))
    table.lay("seat 2", after_ms=0)
    table.lay(*seats(3, 4, 1, 2, 3, 4))
    return seats(1, 2, 2, 3, 4, 1, 2, 3, 4)


def heard_late_as_extra(table: ReadTable) -> Dealt:
    """The second card of seat 2 is heard when those of seats 3 and 4 were settled long ago."""
    table.lay(*seats(1, 2))
    [tag] = table.lay("seat 2")
    table.hide(tag)
    table.lay(*seats(3, 4))
    assert not table.following.is_open
    table.hide(tag, False)
    table.lay(*seats(1, 2, 3, 4))
    return seats(1, 2, 2, 3, 4, 1, 2, 3, 4)


def crossed_first(table: ReadTable) -> Dealt:
    """Seat 2's antenna hears seat 1's first card before its own does."""
    table.silence("seat 1", 900)
    [tag] = table.lay("seat 1")
    table.cross(tag, "seat 2")
    table.lay(*seats(2, 3, 4, 1, 2, 3, 4))
    return seats(1, 2, 3, 4) * 2


def crossed_and_settled(table: ReadTable) -> Dealt:
    """Seat 2 is skipped, and its antenna hears seat 3's card first: so it is taken for seat 2's, until it is
    heard where it lies."""
    table.lay("seat 1")
    table.silence("seat 3", 600)
    [tag] = table.lay("seat 3")
    table.cross(tag, "seat 2")
    table.run_for(10)
    assert table.places == seats(1, 2)
    assert not table.following.is_open
    table.lay(*seats(4, 1, 2, 3, 4))
    return seats(1, 3, 4, 1, 2, 3, 4)


def plain(*numbers: int) -> Callable[[ReadTable], Dealt]:
    def lay(table: ReadTable) -> Dealt:
        table.lay(*seats(*numbers))
        return seats(*numbers)

    return lay


@pytest.mark.parametrize(
    "deal",
    [
        pytest.param(late, id="a late read"),
        pytest.param(plain(1, 2, 4, 1, 2, 3, 4), id="a skip"),
        pytest.param(plain(1, 2, 2, 3, 4, 1, 2, 3, 4), id="an extra card"),
        pytest.param(stuck, id="two cards stuck together"),
        pytest.param(plain(1, 2, 4, 4, 1, 2, 3, 4), id="a wrong seat"),
        pytest.param(plain(3, 4, 1, 2, 1, 2, 3, 4), id="a turned pass"),
        pytest.param(plain(1, 2, 3, 4, 7, 1, 2, 3, 4, 7), id="a seat dealt in, twice"),
        pytest.param(plain(1, 2, 4, 1, 2, 4), id="a seat skipped, twice"),
        pytest.param(heard_late_as_extra, id="a settled card opened again by its place"),
        pytest.param(crossed_first, id="a cross read first"),
        pytest.param(crossed_and_settled, id="a settled card heard elsewhere"),
    ],
)
def test_the_hand_is_as_it_was_dealt(deal: Callable[[ReadTable], Dealt]) -> None:
    table = ReadTable()
    expected = deal(table)
    table.press("end deal")
    table.run_for(3_000)
    assert table.places == expected
    assert not any(card.tag.startswith(UNHEARD) for card in table.state.hand.cards)


def test_a_turned_pass_is_settled_in_the_middle_of_its_queue() -> None:
    """What is left of it is due next, and comes as due."""
    table = ReadTable((1, 2, 3, 4, 5, 6))
    table.lay(*seats(4, 5, 6))
    table.run_for(HORIZON_MS + 2 * CYCLE_MS)
    assert not table.following.is_open
    assert table.following.queue == seats(1, 2, 3)
    table.lay("seat 1", after_ms=300)
    table.run_for(CYCLE_MS)
    table.lay(*seats(2, 3), *seats(1, 2, 3, 4, 5, 6))
    table.press("end deal")
    table.run_for(3_000)
    assert table.places == seats(4, 5, 6, 1, 2, 3) + seats(1, 2, 3, 4, 5, 6)
    assert table.standing(OrderError) == [OrderError(1, "seat 4", "seat 1", "19.1(c)")]


def test_the_habit_of_a_seat_is_kept_from_pass_to_pass() -> None:
    table = ReadTable()
    table.lay(*seats(1, 2, 3, 4, 7, 1))
    table.run_for(2 * CYCLE_MS)
    assert "seat 7" in {*table.following.habits, *(h for e in table.following.explanations for h in e.habits)}
    table.lay(*seats(2, 3, 4, 7))
    table.press("end deal")
    table.run_for(2_000)
    assert table.following.habits == ("seat 7",)
    assert table.standing(ExtraHand) == [ExtraHand(7, "19.1(d)")]


def test_a_swap_that_the_readers_cannot_tell_is_settled_with_its_doubts() -> None:
    """Nothing more can be told of it after the horizon: what it was stays less than certain in this hand."""
    table = ReadTable()
    table.lay(*seats(1, 3, 2, 4), pace_ms=600)
    table.run_for(HORIZON_MS + 2 * CYCLE_MS)
    assert not table.following.is_open
    assert 0.5 < table.following.settled < 0.998
    dealt(table, *seats(1, 2, 3, 4))
    assert not table.following.is_open
    assert table.following.settled < 0.95
    assert "certain" not in table.words(OrderError)
    assert table.standing(DealOk) == []  # nobody vouches for it


def test_a_street_before_the_round_was_closed_is_dealt_all_the_same() -> None:
    table = dealt(ReadTable(), *seats(1, 2, 3, 4) * 2)
    table.lay("burn")
    table.run_for(3 * CYCLE_MS)
    assert table.places[-1] == "burn"
    assert table.state.hand.cards[-1].is_premature


def test_a_deal_called_complete_waits_for_the_card_that_is_unheard() -> None:
    """Within the time of a few polls it counts as dealt; then silence says that there is none."""
    table = ReadTable()
    table.hide(TAGS[7])
    table.lay(*seats(1, 2, 3, 4) * 2)
    table.press("end deal")
    table.run_for(CYCLE_MS)
    last = table.state.hand.cards[-1]
    assert (last.at, last.tag.startswith(UNHEARD), table.following.is_open) == ("seat 4", True, True)
    assert last.seq <= (table.state.hand.end_deal_seq or 0)
    table.run_for(HORIZON_MS + 2 * CYCLE_MS)
    assert table.places == seats(1, 2, 3, 4, 1, 2, 3)
    assert not table.following.is_open


def test_a_card_that_was_waited_for_and_heard_is_that_card() -> None:
    table = ReadTable()
    table.lay(*seats(1, 2, 3, 4, 1, 2, 3))
    table.silence("seat 4", 1_500)
    [tag] = table.lay("seat 4")
    table.press("end deal")
    table.run_for(3_000)
    assert [(card.at, card.tag) for card in table.state.hand.cards[-1:]] == [("seat 4", tag)]
    assert not table.following.is_open


# -- a card that nobody hears


def test_a_card_deep_in_a_stack_that_is_not_heard_is_asked_for_and_found() -> None:
    table = with_turn(ReadTable())
    table.hide(THIRD_BURN)
    [tag, _] = table.lay("burn", "board")
    table.run_for(CYCLE_MS)
    assert table.places[-2:] == ("burn", "board")
    assert table.following.asked == ()
    table.run_for(PATIENCE_MS + CYCLE_MS)
    assert table.following.asked == ("burn",)
    assert table.standing(Equipment) == [Equipment("unread_card", "burn")]
    table.hide(THIRD_BURN, False)
    table.run_for(2 * CYCLE_MS)
    assert table.following.asked == ()
    assert table.standing(Equipment) == []
    assert table.state.hand.cards[-2].tag == tag


def test_a_drawn_card_that_no_antenna_hears_lies_where_it_is_due_and_is_settled_there() -> None:
    """It is the first card of its hand, and the deal is called complete: nothing was settled before it, and
    no read says in which event it came."""
    table = ReadTable()
    table.draw(1)
    drawn = table.events[-1].seq
    table.run_for(CYCLE_MS)
    assert [(card.at, card.tag, card.seq) for card in table.state.hand.cards] == [("seat 1", TAGS[0], drawn)]
    table.press("end deal")
    table.run_for(HORIZON_MS + 2 * CYCLE_MS)
    assert not table.following.is_open
    assert table.places[:1] == ("seat 1",)
    assert all(1 <= seq <= change.seq for change in table.changes for seq in change.evidence)


def test_the_deal_stays_called_complete_though_its_last_card_is_heard_after_the_key() -> None:
    """With a shoe: nothing but that card is open then."""
    table = ReadTable()
    for number, place in enumerate(two_passes(table), start=1):
        table.run_for(280)
        table.draw(number)
        tags = table.lay(place, after_ms=120)
        if number == 8:
            table.hide(tags[0])
    table.run_for(200)
    table.press("end deal")
    table.run_for(3 * CYCLE_MS)
    table.hide(TAGS[7], is_hidden=False)
    table.run_for(2 * CYCLE_MS)
    assert table.state.hand.cards[-1].tag == TAGS[7]
    assert table.state.hand.end_deal_seq is not None


def test_a_round_may_be_over_before_the_last_card_of_its_street_is_read() -> None:
    """Players check in no time, and the antenna misses the turn: the river behind it is not early."""
    table = with_flop(ReadTable())
    table.press("end bet")
    table.lay("burn")
    [tag] = table.lay("board")
    table.hide(tag)
    table.run_for(1_000)
    table.press("end bet")
    table.run_for(CYCLE_MS)
    table.hide(tag, is_hidden=False)
    table.run_for(2_000)
    table.lay("burn", "board")
    table.run_for(3 * CYCLE_MS)
    assert table.places[-4:] == ("burn", "board", "burn", "board")
    assert table.standing(PrematureCard, OrderError, MissingBurn) == []


def test_what_was_so_before_the_last_news_does_not_turn_time_back() -> None:
    """That a card has left an antenna is told when it was missed twice: another one was drawn since then."""
    table = ReadTable()
    table.draw(1)
    table.hide(table.lay("seat 1", after_ms=120)[0])
    table.cross(TAGS[0], "seat 2", in_ms=20)
    table.run_for(280)
    table.draw(2)
    table.run_for(CYCLE_MS)
    early_ns = (table.now_ms - CYCLE_MS - 100) * NS_PER_MS
    table.take(CardDeparted("seat 2", TAGS[0], early_ns - 100 * NS_PER_MS, early_ns, "reader-1"))
    assert len(table.places) == 2
    assert table.following.explanations


# -- bounds


def test_no_window_is_fuller_than_it_may_be() -> None:
    """Seat 1 is silent in the second pass of ten: everything after it waits for it."""
    table = ReadTable(tuple(range(1, 11)))
    table.lay(*seats(*range(1, 11)))
    table.silence("seat 1")
    most = 0
    for place in (*seats(*range(1, 11)), *["burn"] * 6):
        table.lay(place, pace_ms=300)
        most = max(most, len(table.following.sightings))
    assert 3 < most <= 14


def test_no_card_stays_open_for_longer_than_the_horizon() -> None:
    table = ReadTable()
    table.lay(*seats(1, 2, 4))
    table.run_for(CYCLE_MS)
    opened_ms = table.now_ms
    while table.following.is_open:
        table.run_for(50)
        assert table.now_ms < opened_ms + HORIZON_MS + 3 * CYCLE_MS


def test_more_slips_than_the_model_thinks_of_are_taken_as_they_were_told() -> None:
    """Three cards at once for seats that are not in the hand: each where it was heard, in the order in which
    they were heard."""
    table = ReadTable((1, 2))
    table.lay(*seats(9, 6, 4), pace_ms=0, after_ms=CYCLE_MS)
    table.run_for(CYCLE_MS - 1)
    heard = [each.observation for each in table.events if isinstance(each.observation, CardArrived)]
    assert [card.tag for card in table.state.hand.cards] == [seen.tag for seen in heard]
    assert table.places == tuple(seen.place for seen in heard)
    assert sorted(table.places) == sorted(seats(4, 6, 9))
    assert not table.following.is_open


def test_a_settled_card_that_is_moved_leaves_the_deal_to_go_on_from_there() -> None:
    table = ReadTable()
    [*_, tag] = table.lay(*seats(1, 2, 4))
    table.run_for(HORIZON_MS + 2 * CYCLE_MS)
    assert not table.following.is_open
    table.move(tag, "seat 3")
    table.run_for(6 * CYCLE_MS)
    assert table.places == seats(1, 2, 3)
    assert (table.following.pointer, table.following.served) == (3, seats(1, 2, 3))
    table.lay("seat 4")
    table.run_for(CYCLE_MS)
    assert table.places == seats(1, 2, 3, 4)
    assert not table.standing(CountError)


def test_a_new_hand_begins_with_nothing_open() -> None:
    table = ReadTable()
    table.lay(*seats(1, 2, 4, 1))
    table.next_hand()
    assert table.following.number in (0, table.state.hand.number)
    assert not table.following.is_open
    assert table.following.sightings == ()
    dealt(table, *two_passes(table))
    assert table.places == seats(2, 3, 4, 1) * 2


# -- the record of it


def test_it_says_the_same_only_where_all_that_is_told_is_the_same() -> None:
    table = ReadTable()
    table.lay(*seats(1, 2, 4))
    table.run_for(2 * CYCLE_MS)
    now = table.following
    assert now.explanations
    assert now.is_as_told(msgspec.structs.replace(now, last_ns=1))
    for changed in ({"asked": ("burn",)}, {"settled": 0.5}, {"certainty": 0.5}, {"explanations": ()}):
        assert not now.is_as_told(msgspec.structs.replace(now, **changed))


@pytest.mark.parametrize(
    ("before_ms", "now_ms", "board_ms", "carried_ms"),
    [
        (10_000, 18_020, 9_000, 17_822),  # the cycle has shifted by 20 ms in 8 s, and by 22 in 9
        (10_000, 17_980, 12_000, 17_586),  # and the other way
        (10_000, 12_000, 9_000, 9_000),  # too soon
        (10_000, 18_100, 9_000, 9_000),  # a quarter of a cycle: polled in another order
        (10_000, 41_000, 12_000, 12_000),  # too long ago
        (10_000, 39_000, 8_000, 8_000),
    ],
)
def test_what_one_antenna_shows_of_its_readers_cycle_holds_for_the_others(
    before_ms: int, now_ms: int, board_ms: int, carried_ms: int
) -> None:
    phases = {"seat 1": now_ms * NS_PER_MS, "board": board_ms * NS_PER_MS, "burn": board_ms * NS_PER_MS}
    told = carried_on(phases, "seat 1", before_ms * NS_PER_MS, CYCLE_MS * NS_PER_MS, ("seat 1", "board"))
    assert told["seat 1"] == phases["seat 1"]
    assert abs(told["board"] - carried_ms * NS_PER_MS) < NS_PER_MS
    assert told["burn"] == phases["burn"]  # another reader's


def test_time_that_passes_says_nothing_where_nothing_is_open() -> None:
    table = ReadTable()
    table.lay(*seats(1, 2))
    table.run_for(CYCLE_MS)
    before = table.following
    assert table.take(TimePassed(table.now_ms * 1_000_000 + 1)) == []
    assert table.following is before
    assert isinstance(before, Following)


@pytest.mark.parametrize("level", ["clean", "poor"])
def test_a_clean_deal_is_as_dealt_at_any_level(level: Level) -> None:
    table = ReadTable((1, 2, 3, 4, 5, 6), ring_model(level))
    dealt(table, *two_passes(table))
    assert table.places == seats(1, 2, 3, 4, 5, 6) * 2
    assert not table.standing(OrderError)
