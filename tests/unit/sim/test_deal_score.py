"""The scorer: each figure counts what it says, on hands and sayings made by hand."""

from itertools import islice
from math import sqrt

import pytest

from shoe_bridge.sim.deal_evidence import Chances
from shoe_bridge.sim.deal_figures import figures
from shoe_bridge.sim.deal_score import Known, Lit, Tally, Told, cards_late, error_keys, moves_in
from shoe_bridge.sim.deal_truth import CLEAN, PACES, TrueHand, hands, slip_ms

LONGEST_MS = 600
WRONG = {"kind": "order_error", "card": 4, "got": "seat 9", "want": "seat 4", "rule": "19.1(c)"}
MOVES = {"kind": "repairable", "rule": "19.1(c)", "moves": ["4 -> seat 4"]}
CHANCES = {"skip": 1e-3, "extra": 3e-4, "stuck": 5e-4, "wrong": 5e-4, "swap": 2e-4, "turned": 2e-4}


def hand_with(slip: str) -> TrueHand:
    return next(islice(hands("score", PACES["typical"], (slip,)), 1))


def counted(known_ms: int | None = None) -> Known:
    return Known((WRONG, MOVES), (WRONG, MOVES), is_counted=True, known_ms=known_ms)


def scored(hand: TrueHand, known: Known, told: Told) -> dict:
    tally = Tally({})
    tally.add(hand, known, told, LONGEST_MS)
    chances = Chances(*CHANCES.values(), 3e-4, (0.1,), 0.0, 0.0, 0.0, 0.0, 0.0, (250, 600), 0.01, 5_000)
    return figures(tally, chances)


def test_a_false_alert_is_one_alert_however_often_it_is_amended():
    told = Told((Lit(10, 1), Lit(20, 1), Lit(30, 2)), equipment=3)
    found = scored(hand_with(CLEAN), Known(), told)
    assert (found["clean_hands"], found["false_alerts"], found["equipment_alerts"]) == (1, 2, 3)
    assert (found["erring_hands"], found["found"]) == (0, None)


def test_an_error_that_does_not_count_is_not_looked_for():
    hand = hand_with("wrong")
    found = scored(hand, Known((WRONG,), (WRONG,)), Told((Lit(slip_ms(hand), 1),)))
    assert (found["erring_hands"], found["counts"], found["found"]) == (1, 0.0, None)


def test_found_right_and_with_the_right_moves():
    hand = hand_with("wrong")
    told = Told((Lit(hand.judged_ms, 1),), standing=((WRONG, 0.9), (MOVES, 0.9)))
    found = scored(hand, counted(), told)
    assert [found[name] for name in ("counts", "found", "right", "moves", "lit")] == [1.0] * 5


@pytest.mark.parametrize("when", ["before the slip", "after the deal"])
def test_an_alert_outside_of_the_time_of_the_error_is_not_about_it(when):
    hand = hand_with("wrong")
    at_ms = slip_ms(hand) - 1 if when == "before the slip" else hand.judged_ms + 1
    assert scored(hand, counted(), Told((Lit(at_ms, 1),)))["lit"] == 0.0


def test_found_is_any_error_that_is_probable_at_the_end():
    hand, other = hand_with("wrong"), {**WRONG, "got": "seat 8"}
    for standing, is_found in ((((other, 0.5),), 1.0), (((other, 0.4),), 0.0), (((MOVES, 1.0),), 0.0)):
        assert scored(hand, counted(), Told(standing=standing))["found"] == is_found


def test_a_hand_is_a_miss_where_anything_is_wrong():
    clean, wrong = hand_with(CLEAN), hand_with("wrong")
    right = Told(standing=((WRONG, 0.9), (MOVES, 0.9)))
    assert Tally({}).add(clean, Known(), Told(), LONGEST_MS)
    assert not Tally({}).add(clean, Known(), Told((Lit(1, 1),)), LONGEST_MS)
    assert Tally({}).add(wrong, Known(), Told(), LONGEST_MS)  # it does not count
    assert Tally({}).add(wrong, counted(), right, LONGEST_MS)
    assert not Tally({}).add(wrong, counted(), Told(standing=((WRONG, 0.9),)), LONGEST_MS)


@pytest.mark.parametrize(
    ("standing", "is_right"),
    [
        (((WRONG, 0.5),), True),
        ((({**WRONG, "card": 5}, 1.0),), True),  # the card's number is not part of kind and seat
        (((WRONG, 0.49),), False),
        ((({**WRONG, "got": "seat 8"}, 1.0),), False),
        (((WRONG, 1.0), ({**WRONG, "want": "seat 5"}, 0.6)), False),
        (((WRONG, 1.0), ({**WRONG, "want": "seat 5"}, 0.4)), True),
        ((), False),
    ],
)
def test_right_is_the_same_errors_and_no_others_that_are_probable(standing, is_right):
    hand = hand_with("wrong")
    assert scored(hand, counted(), Told(standing=standing))["right"] == float(is_right)


def test_moves_must_be_exactly_the_right_ones():
    hand = hand_with("wrong")
    more = {**MOVES, "moves": [*MOVES["moves"], "5 -> seat 5"]}
    assert scored(hand, counted(), Told(standing=((more, 1.0),)))["moves"] == 0.0
    reordered = Known((), ({**MOVES, "moves": ["a", "b"]},), is_counted=True)
    told = Told(standing=(({**MOVES, "moves": ["b", "a"]}, 1.0),))
    assert scored(hand, reordered, told)["moves"] == 1.0
    assert moves_in([WRONG]) is None


def test_a_hand_that_cannot_be_put_right_asks_for_no_moves():
    known = Known((WRONG,), (WRONG,), is_counted=True)
    assert scored(hand_with("wrong"), known, Told())["moves"] is None


def test_lateness_counts_cards_and_idle_time_as_cards():
    hand = hand_with(CLEAN)
    first, second, third = hand.cards[:3]
    assert cards_late(hand, first.at_ms, first.at_ms, LONGEST_MS) == 0
    assert cards_late(hand, first.at_ms, second.at_ms - 1, LONGEST_MS) == 0
    assert cards_late(hand, first.at_ms, second.at_ms, LONGEST_MS) == 1
    assert cards_late(hand, first.at_ms, third.at_ms, LONGEST_MS) == 2
    last = hand.cards[19].at_ms  # a betting round follows
    assert cards_late(hand, last, last + 599, LONGEST_MS) == 0
    assert cards_late(hand, last, last + 1_800, LONGEST_MS) == 3


def test_in_time_is_at_most_one_card_after_it_could_be_known():
    hand = hand_with("wrong")
    at = hand.slip_card - 1
    known = counted(known_ms=hand.cards[at].at_ms + 100)
    times = [card.at_ms for card in hand.cards[at + 1 : at + 3]]
    if len(times) == 2:
        assert scored(hand, known, Told((Lit(times[0] + 1, 1),)))["in_time"] == 1.0
        assert scored(hand, known, Told((Lit(times[1] + 1, 1),)))["in_time"] == 0.0
    assert scored(hand, known, Told())["in_time"] == 0.0
    assert scored(hand, counted(), Told())["in_time"] is None


def test_errors_are_compared_by_kind_and_place():
    deal_ok = {"kind": "deal_ok", "hole": 20, "board": 0, "burns": 0, "cards": 20}
    assert error_keys([WRONG, MOVES, deal_ok]) == error_keys([{**WRONG, "card": 9, "rule": None}])


def test_calibration_weighs_hands_as_a_dealer_errs():
    """A clean hand and one with a card astray, both with a finding given with 0.55. By the model that slip is
    made at one of twenty cards which go as due in the clean hand, all others going as due in both."""
    tally = Tally({})
    told = Told(given=((WRONG, 0.55),))
    tally.add(hand_with(CLEAN), Known(), told, LONGEST_MS)
    tally.add(hand_with("wrong"), counted(), told, LONGEST_MS)
    [(given, true, count, _)] = tally.reliability(CHANCES)
    odds = 20 * 5e-4 / (1 - sum(CHANCES.values()))
    assert given == pytest.approx(0.55)
    assert true == pytest.approx(odds / (1 + odds))
    assert count == 2


def test_the_error_of_the_calibration_is_that_between_hands():
    """One of four findings was true; those of one hand are no independent trials."""
    tally, apart = Tally({}), Tally({})
    true, false = {**WRONG}, {**WRONG, "got": "seat 8"}
    for given in ([true], [false], [false], [false]):
        told = Told(given=tuple((each, 0.25) for each in given))
        apart.add(hand_with("wrong"), counted(), told, LONGEST_MS)
    told = Told(given=((true, 0.25), (false, 0.25), (false, 0.25), (false, 0.25)))
    tally.add(hand_with("wrong"), counted(), told, LONGEST_MS)
    assert apart.reliability(CHANCES) == [
        (pytest.approx(0.25), pytest.approx(0.25), 4, pytest.approx(sqrt(0.75**2 + 3 * 0.25**2) / 4))
    ]
    assert tally.reliability(CHANCES)[0][3] == 0.0  # the only hand: nothing is known of others
    tally.add(hand_with("wrong"), counted(), Told(given=((false, 0.25),) * 4), LONGEST_MS)
    [(_, share, _, error)] = tally.reliability(CHANCES)
    assert (share, error) == (pytest.approx(1 / 8), pytest.approx(sqrt(0.5**2 + 0.5**2) / 8))


def test_a_finding_is_true_if_a_perfect_observer_ever_had_it():
    tally = Tally({})
    other = {**WRONG, "got": "seat 8"}
    given = ((WRONG, 0.99), (WRONG, 1.0), (other, 0.05), ({"kind": "substantial_action"}, 1.0))
    tally.add(hand_with("wrong"), counted(), Told(given=given), LONGEST_MS)
    low, high = tally.reliability(CHANCES)
    assert (low[0], low[1], low[2]) == (0.05, 0.0, 1)
    assert (high[0], high[1], high[2]) == (pytest.approx(0.995), 1.0, 2)


def test_merged_tallies_are_the_sum():
    one, other, both = Tally({}), Tally({}), Tally({})
    known_told = (
        counted(),
        Told((Lit(slip_ms(hand_with("wrong")), 1),), 1, ((WRONG, 1.0),), ((WRONG, 1.0),)),
    )
    for tally in (one, both):
        tally.add(hand_with(CLEAN), Known(), Told((Lit(1, 1),)), LONGEST_MS)
        tally.add_duration(1_000)
    for tally in (other, both):
        tally.add(hand_with("wrong"), *known_told, LONGEST_MS)
        tally.add(hand_with("extra"), *known_told, LONGEST_MS)
        tally.add_duration(5_000, is_erring=True)
    one.merge(other)
    assert one == both
    assert one.erring().hands == 2


def test_quantiles_are_right_to_two_percent():
    tally = Tally({})
    for duration_ns in range(1_000, 101_000, 1_000):
        tally.add_duration(duration_ns)
    assert tally.quantile_us(0.5) == pytest.approx(50, rel=0.02)
    assert tally.quantile_us(0.99) == pytest.approx(99, rel=0.02)
    assert Tally({}).quantile_us(0.5) is None
    assert tally.quantile_us(0.5, is_erring=True) is None
