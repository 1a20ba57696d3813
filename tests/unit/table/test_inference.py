"""The inference as the fold uses it: how certain findings are, what is held back, and what is asked for."""

import pytest
from msgspec.structs import replace
from read_deal import (
    CYCLE_MS,
    NS_PER_MS,
    TAGS,
    ReadTable,
    kinds_of,
    ring_model,
    seats,
    two_passes,
    without_pause,
)

from shoe_bridge.rules.games import open_game
from shoe_bridge.table.deal_model import Certainty, DealModel, certainty_for
from shoe_bridge.table.findings import (
    BurnMoved,
    Change,
    CountError,
    DealOk,
    DealtOut,
    Equipment,
    ExposedCard,
    LookAt,
    MisdealAdvised,
    MissingBurn,
    OrderError,
    PrematureCard,
    Repairable,
    RuleTextMissing,
)
from shoe_bridge.table.following import Following, begun
from shoe_bridge.table.observations import DealerEntered

HORIZON_MS = 20 * CYCLE_MS
ORDER = OrderError(3, "seat 4", "seat 3", "19.1(c)")
DEAF = Equipment("deaf_antenna", "seat 3")
UNREAD = Equipment("unread_card", "burn")
THIRD_BURN = TAGS[14]  # eight cards at the seats, burn and flop, burn and turn were before it


def quick() -> DealModel:
    """A dealer so regular that the time tells whether a card lies between two."""
    model = ring_model()
    return replace(
        model, dealer=replace(model.dealer, pace_ns=(350 * NS_PER_MS, 450 * NS_PER_MS), pause=0.001)
    )


def of_kind(changes: list[Change], kind: type) -> list[Change]:
    return [change for change in changes if isinstance(change.finding, kind)]


def with_turn(table: ReadTable) -> ReadTable:
    """A hand as due up to the turn, whose betting round is closed."""
    table.lay(*two_passes(table))
    table.press("end deal")
    table.run_for(1_200)
    for places in (("burn", "board", "board", "board"), ("burn", "board")):
        table.press("end bet")
        table.lay(*places)
        table.run_for(1_200)
    table.press("end bet")
    return table


def unheard_at_the_end(table: ReadTable, after_ms: int = 1_800) -> ReadTable:
    """The last card of the deal is not heard, though its antenna heard the one under it."""
    table.hide(TAGS[7])
    table.lay(*seats(1, 2, 3, 4) * 2)
    table.press("end deal")
    table.run_for(after_ms)
    return table


# -- how certain


@pytest.mark.parametrize(
    ("probability", "word"),
    [
        (1.0, "certain"),
        (0.9975, "certain"),
        (0.9949, "probable"),
        (0.5, "probable"),
        (0.4999, "possible"),
        (0.05, "possible"),
        (0.0499, None),
    ],
)
def test_each_probability_has_its_word(probability: float, word: str | None) -> None:
    assert Certainty().word_for(probability) == word


def test_fewer_false_alarms_ask_for_more() -> None:
    assert certainty_for(0.1).certain > certainty_for(1.0).certain > certainty_for(4.0).certain
    assert (certainty_for(0.0).certain, certainty_for(1_000).certain) == (0.9999, 0.9)


def test_a_finding_grows_certain_as_silence_tells() -> None:
    """With another certainty it is withdrawn and raised anew, under a number of its own."""
    table = ReadTable()
    table.lay(*seats(1, 2, 4, 1, 2, 3, 4))
    table.run_for(3 * CYCLE_MS)
    told = of_kind(table.changes, OrderError)
    assert [change.certainty for change in told if change.raised][-1] == "certain"
    assert len({change.certainty for change in told}) >= 2
    standing: dict[int, Change] = {}
    for change in told:
        if change.raised:
            assert change.number not in standing
            assert change.finding not in [each.finding for each in standing.values()]
            standing[change.number] = change
        else:
            raised = standing.pop(change.number)
            assert (raised.finding, raised.certainty) == (change.finding, change.certainty)
    assert [change.finding for change in standing.values()] == [ORDER]


def test_the_word_fits_the_probability_that_is_given_with_it() -> None:
    table = ReadTable()
    table.lay(*seats(1, 2, 4, 1, 2, 3, 4))
    table.press("end deal")
    table.run_for(3_000)
    given = [change for change in table.changes if change.raised and change.probability is not None]
    assert len(given) >= 3
    for change in given:
        assert Certainty().word_for(change.probability or 0.0) == change.certainty


def test_only_what_is_certain_lights_the_light() -> None:
    table = ReadTable()
    table.lay(*seats(1, 2, 4, 1, 2, 3, 4))
    table.run_for(3 * CYCLE_MS)
    words = {change.number: change.certainty for change in table.changes if change.raised}
    seen = set()
    for told in table.alerts:
        for number, severity in told.alert.standing:
            assert (severity == "notice") is (words[number] != "certain")
            seen.add(severity)
    assert seen == {"notice", "attention"}


def test_what_else_may_be_true_is_told_as_possible() -> None:
    """The most probable hand has nothing wrong with it."""
    table = ReadTable()
    table.lay(*seats(1, 2, 4))
    table.run_for(200)
    assert table.places == seats(1, 2, 3, 4)
    assert table.standing(OrderError) == [ORDER]
    assert table.words(OrderError) == ["possible"]


def test_what_the_cards_tell_beyond_doubt_has_no_probability() -> None:
    table = ReadTable()
    table.lay(*two_passes(table))
    table.run_for(CYCLE_MS)
    changes = table.press("end deal")
    assert [(change.certainty, change.probability) for change in of_kind(changes, DealOk)] == [
        ("certain", None)
    ]


def test_doubts_of_the_horizon_stay_with_what_rests_on_the_order() -> None:
    """Nobody heard the third burn for eight seconds: it is rather missing, and that is never certain."""
    table = with_turn(ReadTable())
    table.hide(THIRD_BURN)
    table.lay("burn", "board")
    table.run_for(HORIZON_MS + 4 * CYCLE_MS)
    assert not table.following.is_open
    assert table.standing(MissingBurn) == [MissingBurn(5)]
    assert table.words(MissingBurn) == ["probable"]
    assert table.words(RuleTextMissing) == ["probable"]  # its rule's text is no surer than what it is about
    assert table.standing(DealOk) == []


def test_what_does_not_rest_on_the_order_is_not_doubted_with_it() -> None:
    table = with_turn(ReadTable())
    table.hide(THIRD_BURN)
    table.lay("burn", "board")
    table.run_for(HORIZON_MS + 4 * CYCLE_MS)
    table.press("exposed")
    assert table.words(MissingBurn) == ["probable"]
    assert table.words(ExposedCard) == ["certain"]
    topics = {
        entry.finding.topic: entry.certainty
        for entry in table.entries(RuleTextMissing)
        if isinstance(entry.finding, RuleTextMissing)
    }
    assert topics == {"missed_burn": "probable", "single_exposed_card": "certain"}


# -- advice that is held back


def test_advice_is_held_back_and_what_decides_it_is_asked_for() -> None:
    table = unheard_at_the_end(ReadTable())
    assert table.words(CountError) == ["probable"]
    assert table.standing(Repairable, MisdealAdvised, DealOk) == []
    assert table.standing(LookAt) == [LookAt("seat 4")]
    table.hide(TAGS[7], is_hidden=False)
    table.run_for(2 * CYCLE_MS)
    assert table.standing(LookAt, CountError) == []
    assert table.standing(DealOk) == [DealOk(8, 0, 0, 8)]


def test_advice_comes_when_silence_has_told_enough() -> None:
    table = unheard_at_the_end(ReadTable())
    table.run_for(HORIZON_MS)
    assert table.standing(LookAt) == []
    assert [finding.moves for finding in table.standing(Repairable)] == [("next -> seat 4",)]  # type: ignore[union-attr]


@pytest.mark.parametrize("dead", [2, 5, 6, 8])
def test_no_misdeal_is_advised_for_a_card_that_may_only_be_unheard(dead: int) -> None:
    table = ReadTable()
    table.hide(TAGS[dead - 1])
    table.lay(*seats(1, 2, 3, 4) * 2)
    table.press("end deal")
    table.run_for(CYCLE_MS)
    table.take(DealerEntered("fold", 1, None, table.now_ms * NS_PER_MS, "keys-1"))
    table.run_for(HORIZON_MS)
    assert len(table.standing(CountError)) == 1
    assert "certain" not in table.words(MisdealAdvised)
    assert {alert.severity for alert in table.state.alerts.open} <= {"attention", "notice"}


def test_a_pause_of_any_length_is_no_error() -> None:
    for pause_ms in (5_000, 8_300, 20_400, 35_000, 90_000):
        table = ReadTable()
        table.lay(*seats(1, 2, 3, 4))
        table.lay(*seats(1, 2, 3, 4), after_ms=pause_ms)
        table.press("end deal")
        table.run_for(HORIZON_MS)
        assert (pause_ms, table.standing(OrderError, CountError)) == (pause_ms, [])
        assert table.standing(DealOk) == [DealOk(8, 0, 0, 8)]


def test_which_card_was_too_many_does_not_make_it_doubtful_that_one_was() -> None:
    table = ReadTable((5, 7))
    table.lay(*seats(5, 7, 5, 5, 7))
    table.press("end deal")
    table.run_for(2 * HORIZON_MS)
    assert table.words(CountError) == ["certain"]


def test_nobody_is_asked_to_look_for_what_is_advised_already() -> None:
    """Whatever the probability, either the moves stand, or the question."""
    both = []
    for silent in (*seats(1, 2, 3, 4, 5, 6),):
        table = ReadTable((1, 2, 3, 4, 5, 6))
        table.silence(silent)
        table.lay(*two_passes(table))
        table.press("end deal")
        for _ in range(12):
            table.run_for(CYCLE_MS // 2)
            both.append((len(table.standing(Repairable)), len(table.standing(LookAt))))
    assert {(1, 0), (0, 1)} <= set(both)
    assert (1, 1) not in both


def test_a_deal_is_not_called_in_order_while_that_is_only_likely() -> None:
    """The last card is unheard, and it is still rather there than not."""
    table = unheard_at_the_end(ReadTable(), after_ms=1_000)
    assert table.places == two_passes(table)
    assert table.words(CountError) == ["possible"]
    assert 0.5 < table.following.certainty < 0.95
    assert table.standing(DealOk) == []


# -- cards and antennas that are not heard


def test_an_antenna_that_hears_nothing_of_its_whole_pile_is_deaf_and_no_burn_is_missing() -> None:
    table = with_turn(ReadTable())
    table.silence("burn")
    table.lay("burn", "board")
    table.run_for(8 * CYCLE_MS)
    assert table.standing(Equipment) == [Equipment("deaf_antenna", "burn")]
    assert table.words(MissingBurn) in ([], ["possible"])


def test_a_burn_is_not_missing_for_certain_where_its_antenna_has_not_been_heard_in_the_hand() -> None:
    """It may have fallen deaf since the hand before: with that burn never heard, one in fifty."""
    table = ReadTable()
    table.lay(*two_passes(table))
    table.press("end deal")
    table.run_for(1_200)
    table.press("end bet")
    table.lay("board", "board", "board")
    table.run_for(HORIZON_MS)
    assert table.words(MissingBurn) == ["probable"]


def test_a_card_that_nobody_hears_is_asked_for_and_that_is_withdrawn_when_it_is_heard() -> None:
    table = with_turn(ReadTable())
    table.hide(THIRD_BURN)
    table.lay("burn", "board")
    table.run_for(CYCLE_MS)
    assert table.standing(Equipment) == []
    table.run_for(5 * CYCLE_MS)
    assert table.standing(Equipment) == [UNREAD]
    table.hide(THIRD_BURN, False)
    table.run_for(2 * CYCLE_MS)
    assert [(change.raised, change.finding) for change in of_kind(table.changes, Equipment)] == [
        (True, UNREAD),
        (False, UNREAD),
    ]
    assert table.standing(DealOk) == [DealOk(8, 5, 3, 16)]


def deaf_table(*places: str, model: DealModel | None = None) -> ReadTable:
    table = ReadTable((1, 2, 3, 4, 5, 6), model or quick())
    table.silence("seat 3")
    table.lay(*(places or two_passes(table)))
    table.press("end deal")
    table.run_for(3_000)
    return table


def test_a_deaf_antenna_is_found_within_one_hand() -> None:
    """By the time that each of its cards took: equipment, and no seat that was dealt out."""
    table = deaf_table()
    assert table.standing(Equipment) == [DEAF]  # and not a card that is asked for
    assert table.words(Equipment) == ["certain"]
    assert table.standing(DealtOut, OrderError, CountError, MisdealAdvised) == []
    assert table.standing(DealOk) == [DealOk(12, 0, 0, 12)]
    assert table.places == seats(1, 2, 3, 4, 5, 6) * 2


def test_what_is_wrong_elsewhere_is_found_all_the_same() -> None:
    """Seat 5 gets two cards in the second pass, and seat 6 none."""
    table = deaf_table(*seats(1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 5))
    assert DEAF in table.standing(Equipment)
    assert table.standing(OrderError) == [OrderError(12, "seat 5", "seat 6", "19.1(c)")]
    assert {(f.place, f.got) for f in table.standing(CountError)} == {("seat 5", 3), ("seat 6", 1)}  # type: ignore[union-attr]


def test_an_antenna_that_falls_silent_in_the_middle_of_a_deal_is_deaf() -> None:
    """It heard the first card there, and hears neither that one nor the second now: no card is missing."""
    table = ReadTable((1, 2, 3, 4, 5, 6))
    table.lay(*seats(1, 2, 3, 4, 5, 6, 1))
    table.silence("seat 3")
    table.lay(*seats(2, 3, 4, 5, 6))
    table.press("end deal")
    table.run_for(HORIZON_MS)
    assert table.standing(Equipment) == [DEAF]
    assert table.words(Equipment) == ["certain"]
    assert table.standing(CountError, OrderError, Repairable, LookAt) == []


def test_one_card_that_falls_silent_makes_no_antenna_deaf() -> None:
    table = ReadTable((1, 2, 3, 4, 5, 6))
    table.hide(TAGS[8])
    table.lay(*seats(1, 2, 3, 4, 5, 6) * 2)
    table.press("end deal")
    table.run_for(HORIZON_MS)
    assert DEAF not in table.standing(Equipment)
    assert len(table.standing(CountError)) == 1


def test_an_alert_of_a_deaf_antenna_never_advises_a_misdeal() -> None:
    table = deaf_table()
    lit = [alert for alert in table.state.alerts.open if alert.standing]
    assert [(alert.severity, alert.is_of_equipment) for alert in lit] == [("attention", True)]
    assert all(told.alert.severity != "misdeal" for told in table.alerts)
    assert kinds_of(table.changes) & {"misdeal_advised", "repairable", "dealt_out"} == set()


def test_an_antenna_that_is_deaf_goes_on_being_so_in_the_next_hand() -> None:
    table = deaf_table()
    table.press("acknowledge")
    assert table.state.alerts.open == ()
    table.next_hand()
    assert table.following.deaf == ()  # it may have been put right
    table.lay(*two_passes(table))
    table.press("end deal")
    table.run_for(3_000)
    assert table.standing(Equipment) == [DEAF]
    assert table.standing(DealtOut, OrderError) == []


def test_an_antenna_that_was_put_right_is_trusted_in_the_next_hand() -> None:
    table = deaf_table()
    table.next_hand()
    table.wake("seat 3")
    table.lay(*two_passes(table))
    table.press("end deal")
    table.run_for(3_000)
    assert table.standing(Equipment, OrderError) == []
    assert table.standing(DealOk) == [DealOk(12, 0, 0, 12)]


def test_an_antenna_that_hears_again_is_no_longer_called_deaf() -> None:
    table = deaf_table()
    table.wake("seat 3")
    table.run_for(2 * CYCLE_MS)
    assert DEAF not in table.standing(Equipment)
    assert table.standing(DealtOut, CountError) == []


@pytest.mark.parametrize("pace_ms", [400, 450, 520, 700])
def test_a_deaf_antenna_is_found_in_the_first_hand_of_a_table_that_learns_its_pace(pace_ms: int) -> None:
    """No card behind the first that it does not hear is settled: what is open shows the pace, too."""
    table = ReadTable(tuple(range(1, 7)), ring_model(learns_pace=True))
    table.state = replace(table.state, following=begun(0, Following(0)))  # nobody has played here yet
    table.silence("seat 4")
    table.lay(*two_passes(table), pace_ms=pace_ms)
    table.press("end deal")
    table.run_for(HORIZON_MS)
    assert table.standing(Equipment) == [Equipment("deaf_antenna", "seat 4")]
    assert table.standing(DealtOut, OrderError, CountError, Repairable) == []


def test_a_card_of_a_deaf_antenna_that_a_neighbour_hears_later_is_no_further_card() -> None:
    """Nor when the antenna hears it itself after that."""
    table = deaf_table()
    table.run_for(HORIZON_MS)
    table.cross(TAGS[2], "seat 4")
    table.run_for(2 * CYCLE_MS)
    assert len(table.places) == 12
    assert table.standing(OrderError, CountError) == []
    assert table.standing(DealOk) == [DealOk(12, 0, 0, 12)]
    table.wake("seat 3")
    table.run_for(3 * CYCLE_MS)
    assert len(table.places) == 12
    assert table.standing(OrderError, CountError) == []
    assert table.state.hand.find(TAGS[2]).at == "seat 3"  # type: ignore[union-attr]


def test_where_a_seat_is_deaf_or_was_dealt_out_somebody_is_asked_to_look_and_no_card_is_moved() -> None:
    """The pace fits both, and goes on to do so when the deal is settled at the horizon."""
    model = without_pause(ring_model())
    even = replace(model, sensor=replace(model.sensor, deaf=7e-4))
    table = ReadTable((1, 2, 3, 4, 5, 6), even)
    table.silence("seat 4")
    for place in two_passes(table):
        table.lay(place, after_ms={"seat 4": 250, "seat 5": 330}.get(place, 400))
    table.press("end deal")
    table.run_for(2 * HORIZON_MS)
    told = {change.finding for change in table.changes if change.raised}
    assert not [finding for finding in told if isinstance(finding, Repairable)]
    assert table.words(DealtOut) == ["probable"]
    assert table.standing(LookAt) == [LookAt("seat 4")]


# -- pauses


@pytest.mark.parametrize("pause_ms", [3_000, 7_500, 12_000, 25_000])
def test_a_last_card_after_a_pause_that_is_not_heard_yet_is_not_lacking_for_certain(pause_ms: int) -> None:
    table = ReadTable()
    *places, last = two_passes(table)
    table.lay(*places)
    (tag,) = table.lay(last, after_ms=pause_ms)
    table.hide(tag)
    table.run_for(800)
    table.press("end deal")
    assert table.words(CountError) == ["probable"]
    assert "certain" not in table.words(Repairable)
    table.hide(tag, is_hidden=False)
    table.run_for(2_000)
    assert table.standing(DealOk) == [DealOk(8, 0, 0, 8)]
    assert table.standing(CountError) == []


@pytest.mark.parametrize("late_ms", [1_000, 1_200, 1_400])
def test_that_the_dealer_waits_makes_no_error_certain_that_a_search_does_not(late_ms: int) -> None:
    """The first card is heard late, behind the two others of its pass. The last one was added to what was
    found without a search: at the next look it is searched for."""
    table = ReadTable((7, 9, 10))
    first, *others = two_passes(table)[:3]
    tags = table.lay(first)
    table.hide(tags[0])
    table.lay(*others)
    table.run_for(late_ms - 800)
    table.hide(tags[0], is_hidden=False)
    table.run_for(12_000)
    raised = [change.finding for change in table.changes if change.raised and change.certainty == "certain"]
    assert not [one for one in raised if isinstance(one, OrderError)]


@pytest.mark.parametrize("game", ["draw", "seven_card_stud", "five_card_stud"])
def test_a_card_that_is_heard_late_is_no_card_too_many_where_streets_go_to_the_seats(game: str) -> None:
    table = ReadTable((1, 2, 3, 4), game=game)
    *places, late, last = seats(1, 2, 3, 4) * open_game(game).passes
    table.lay(*places)
    tags = table.lay(late)
    table.hide(tags[0])
    table.lay(last)
    table.run_for(800)
    table.hide(tags[0], is_hidden=False)
    table.run_for(1_000)
    table.press("end deal")
    table.run_for(1_000)
    assert table.places == (*places, late, last)
    assert table.words(OrderError, CountError) == []


def test_a_street_to_the_seats_goes_on_where_the_last_card_of_the_deal_was_probably_skipped() -> None:
    """The most probable explanation of the open window has no card then, another one has."""
    table = ReadTable((1, 2, 3, 4), game="five_card_stud")
    *places, last = seats(1, 2, 3, 4) * 2
    table.lay(*places)
    (tag,) = table.lay(last)
    table.hide(tag)
    table.run_for(800)
    table.press("end deal")
    table.run_for(2_000)
    assert table.following.explanations
    assert not table.following.explanations[0].cards
    table.lay("seat 1")
    table.run_for(2_000)
    assert table.places.count("seat 1") == 3


# -- what it learns


def test_a_table_that_learns_has_its_own_pace_after_one_hand() -> None:
    table = ReadTable(tuple(range(1, 7)), ring_model(learns_pace=True))
    table.lay(*two_passes(table), pace_ms=700)
    table.run_for(CYCLE_MS)
    assert table.state.learned.gaps >= 8
    assert table.state.learned.gap_ns == pytest.approx(700 * NS_PER_MS, rel=0.1)


def test_reads_teach_how_often_polls_miss() -> None:
    """Nothing is missed here, so that a table with poor light takes its antennas for better and better."""
    table = ReadTable((1, 2, 3, 4), ring_model("poor"))
    table.lay(*two_passes(table))
    table.run_for(3 * CYCLE_MS)
    configured = table.setup.model.sensor.missed if table.setup.model else ()
    assert table.state.learned.missed[0] < configured[0]
    assert table.state.learned.missed[1] < configured[1]
    assert table.state.learned.missed[2] == configured[2]


# -- hands in a row


def test_two_hands_in_a_row_are_judged_each_for_itself() -> None:
    table = ReadTable()
    table.lay(*seats(1, 2, 4, 1, 2, 3, 4))
    table.press("end deal")
    table.run_for(2_000)
    assert table.standing(OrderError) == [ORDER]
    table.next_hand()
    assert table.standing() == []
    before = len(table.changes)
    table.lay(*two_passes(table))
    table.press("end deal")
    table.run_for(2_000)
    assert "order_error" not in kinds_of(table.changes[before:])
    assert table.standing(DealOk) == [DealOk(8, 0, 0, 8)]


def test_a_card_before_the_round_was_closed_is_premature() -> None:
    table = ReadTable()
    table.lay(*two_passes(table))
    table.press("end deal")
    table.run_for(1_000)
    table.lay("burn")
    table.run_for(1_200)
    assert table.standing(PrematureCard) == [PrematureCard(9)]
    assert table.words(PrematureCard) == ["certain"]


def test_a_round_that_was_closed_is_closed_in_all_hands_that_may_have_been_dealt() -> None:
    """The order of two neighbours is still in doubt when the first street begins in time."""
    table = ReadTable()
    table.lay(*seats(1, 2, 3, 4))
    table.lay(*seats(1, 3, 2, 4), pace_ms=600)
    table.press("end deal")
    table.run_for(1_200)
    assert table.following.others
    table.press("end bet")
    assert all(not hand.round_open for hand, _ in table.following.others)
    table.lay("burn", "board", "board", "board")
    assert "premature_card" not in kinds_of(table.changes)


def test_a_card_that_only_neighbours_hear_has_not_been_thrown_away() -> None:
    """The burn lies between the board and the discards, and both antennas hear it before its own does."""
    table = ReadTable()
    table.lay(*two_passes(table))
    table.press("end deal")
    table.run_for(1_200)
    table.press("end bet")
    [burned] = table.lay("burn")
    table.hide(burned)
    table.cross(burned, "board")
    table.run_for(50)
    table.cross(burned, "muck")
    table.run_for(200)
    assert table.following.holds(burned)
    table.hide(burned, is_hidden=False)
    table.lay("board", "board", "board")
    table.run_for(2_000)
    assert table.places[-4:] == ("burn", "board", "board", "board")
    assert table.standing(OrderError, CountError, MissingBurn, BurnMoved) == []


def test_reads_of_an_earlier_stay_do_not_make_a_cross_read_a_move() -> None:
    """The board's antenna hears the burned card five times, much later once, and its own misses it then."""
    table = ReadTable()
    table.lay(*two_passes(table))
    table.press("end deal")
    table.run_for(1_200)
    table.press("end bet")
    [burned, *_] = table.lay("burn", "board", "board", "board")
    table.run_for(HORIZON_MS + 2_000)
    for _ in range(5):
        table.cross(burned, "board")
        table.run_for(CYCLE_MS)
    table.run_for(4 * CYCLE_MS)
    table.hide(burned)
    table.run_for(CYCLE_MS)
    table.cross(burned, "board")
    table.run_for(3 * CYCLE_MS)
    assert table.standing(BurnMoved) == []


def test_a_cross_read_is_no_error_of_the_dealer() -> None:
    table = ReadTable()
    [tag, *_] = table.lay(*two_passes(table))
    table.cross(tag, "seat 2")
    table.press("end deal")
    table.run_for(2_000)
    assert table.standing(OrderError, CountError) == []
    assert "order_error" not in kinds_of(table.changes)


# -- put right


@pytest.mark.parametrize(("swapped", "pace_ms"), [((3, 4), 500), ((0, 1), 600), ((4, 5), 500), ((2, 5), 400)])
@pytest.mark.parametrize("is_called", [False, True])
def test_cards_that_are_moved_as_advised_were_put_right(
    swapped: tuple[int, int], pace_ms: int, is_called: bool
) -> None:
    """Also where it takes several reads to believe that a card lies elsewhere now."""
    table = ReadTable((1, 2, 3, 4, 5, 6))
    places = list(two_passes(table))
    first, second = swapped
    places[first], places[second] = places[second], places[first]
    tags = table.lay(*places, pace_ms=pace_ms)
    table.run_for(2_000)
    if is_called:
        table.press("end deal")
    assert table.standing(OrderError)
    table.move(tags[first], places[second])
    table.move(tags[second], places[first])
    table.run_for(4_000)
    assert not table.standing(OrderError, CountError, Repairable)
    ends = [told.why for told in table.alerts if told.what in ("settled", "closed")]
    assert ends
    assert set(ends) == {"put right"}
