"""What a table teaches about itself: the pace and the misses, slowly and within bounds."""

from random import Random

import msgspec
import pytest

from shoe_bridge.table.deal_model import DealerModel, DealModel
from shoe_bridge.table.learned import Learned, fitted, waits_ms2

MS = 1_000_000
MODEL = DealModel()
START = MODEL.sensor.missed


def with_gaps(*gaps_ms: int) -> Learned:
    learned = Learned()
    for gap_ms in gaps_ms:
        learned = learned.with_gap(gap_ms * MS, 0.0)
    return learned


def test_the_first_gaps_are_simply_their_mean() -> None:
    assert with_gaps(300, 500, 400).gap_ns == pytest.approx(400 * MS)
    assert with_gaps(300, 500, 400).gaps == 3


def test_later_gaps_move_the_mean_slowly() -> None:
    learned = with_gaps(*[400] * 600).with_gap(700 * MS, 0.0)
    assert learned.gap_ns == pytest.approx((400 + 300 / 512) * MS)


@pytest.mark.parametrize("gap_ms", [-5_001, 5_001])
def test_what_is_no_gap_of_one_deal_teaches_nothing(gap_ms: int) -> None:
    learned = with_gaps(400, 400)
    assert learned.with_gap(gap_ms * MS, 0.0) is learned


@pytest.mark.parametrize("pause_ms", [2_000, 3_000, 4_000])
def test_pauses_teach_no_pace(pause_ms: int) -> None:
    """One in each hand of a few cards: the dealer is no slower for that."""
    learned = Learned()
    for _ in range(12):
        for gap_ms in (350, 450, 400, pause_ms, 420, 380):
            learned = learned.with_gap(gap_ms * MS, waits_ms2(400 * MS, 0.1, 0.1))
    assert fitted(MODEL, learned).dealer.pace_ns == MODEL.dealer.pace_ns


def test_until_enough_gaps_were_seen_a_wide_range_stands_in() -> None:
    """A few are enough to agree with the pace that is configured, more are asked for another one."""
    wide = (100 * MS, 2_000 * MS)
    for learned in (Learned(), with_gaps(*[425] * 3), with_gaps(*[800] * 5)):
        assert fitted(MODEL, learned).dealer.pace_ns == wide
    assert fitted(MODEL, with_gaps(*[425] * 4)).dealer.pace_ns == MODEL.dealer.pace_ns
    assert fitted(MODEL, with_gaps(*[800] * 6)).dealer.pace_ns == (450 * MS, 1_150 * MS)


def test_cards_that_were_read_out_of_order_show_no_pace() -> None:
    """A first card that several polls missed makes the first gaps less than nothing."""
    waits = waits_ms2(400 * MS, 0.1, 0.1)
    for gaps_ms in ((-900, 250, 300, 57), (-900, *[90] * 20), (0, *[5] * 40)):
        learned = Learned()
        for gap_ms in gaps_ms:
            learned = learned.with_gap(gap_ms * MS, waits)
        shortest, longest = fitted(MODEL, learned).dealer.pace_ns
        assert (shortest, longest) == (100 * MS, 2_000 * MS)


def test_a_configured_pace_agrees_from_the_first_gaps_on() -> None:
    """The waits for the polls make the first means waver: for 99 of 100 dealers that is no other pace."""
    waits, agrees = waits_ms2(400 * MS, 0.1, 0.1), 0
    for number in range(1_000):
        rng, learned, at_ms, last_ms = Random(f"first gaps {number}"), Learned(), 0.0, 0.0
        for card in range(5 + number % 16):
            at_ms += rng.uniform(250, 600)
            read_ms = at_ms + rng.uniform(0, 400)
            while rng.random() < 0.1:
                read_ms += 400
            if card:
                learned = learned.with_gap(round((read_ms - last_ms) * MS), waits)
            last_ms = read_ms
        agrees += learned.agrees_with(MODEL.dealer.pace_ns)
    assert agrees >= 990


@pytest.mark.parametrize(
    ("pace_ms", "agrees"),
    [((250, 600), True), ((300, 550), True), ((350, 700), False), ((700, 900), False), ((50, 800), False)],
)
def test_the_configured_pace_stands_as_long_as_the_gaps_agree_with_it(
    pace_ms: tuple[int, int], agrees: bool
) -> None:
    for missed in (0.02, 0.10, 0.15):
        fit = fitted(MODEL, read(800, pace_ms, missed)).dealer.pace_ns
        assert (fit == MODEL.dealer.pace_ns) is agrees


def test_the_pace_moves_in_steps_so_that_what_was_worked_out_stays_good() -> None:
    one, other = with_gaps(*[800] * 20), with_gaps(*[800] * 20, 805)
    assert one.gap_ns != other.gap_ns
    assert fitted(MODEL, one) == fitted(MODEL, other)


def test_a_pace_that_is_given_stays() -> None:
    model = msgspec.structs.replace(MODEL, learns_pace=False)
    assert fitted(model, with_gaps(*[900] * 50)) is model
    assert fitted(model, Learned()).dealer.pace_ns == DealerModel().pace_ns


def read(gaps: int, pace_ms: tuple[int, int], missed: float, cycle_ms: int = 400) -> Learned:
    """After so many gaps at this pace, each card's first read being as late as its polls make it."""
    rng, learned = Random(f"gaps {pace_ms} {missed}"), Learned()
    waits = waits_ms2(cycle_ms * MS, missed, missed)
    at_ms = last_ms = 0.0
    for _ in range(gaps):
        at_ms += rng.uniform(*pace_ms)
        read_ms = at_ms + rng.uniform(0, cycle_ms)
        while rng.random() < missed:
            read_ms += cycle_ms
        learned = learned.with_gap(round((read_ms - last_ms) * MS), waits)
        last_ms = read_ms
    return learned


@pytest.mark.parametrize(
    ("pace_ms", "missed"), [((250, 600), 0.10), ((700, 900), 0.30), ((700, 900), 0.05), ((450, 550), 0.10)]
)
def test_how_evenly_a_dealer_deals_is_learned_through_the_waits(
    pace_ms: tuple[int, int], missed: float
) -> None:
    """What he really does lies within it, give or take a fifth of his range; and it is narrower than at the
    start where he deals evenly."""
    learned = read(8_000, pace_ms, missed)
    shortest, longest = (each / MS for each in fitted(MODEL, learned).dealer.pace_ns)
    slack = 0.2 * (pace_ms[1] - pace_ms[0])
    assert shortest <= pace_ms[0] + slack
    assert longest >= pace_ms[1] - slack
    if fitted(MODEL, learned).dealer.pace_ns != MODEL.dealer.pace_ns:
        assert longest - shortest < 0.75 * 0.9 * (learned.gap_ns / MS)


def test_one_pause_does_not_make_an_even_dealer_uneven() -> None:
    even = with_gaps(*[400] * 4_000)
    paused = even.with_gap(4_500 * MS, 0.0)
    assert paused.half_width_ms() < 1.1 * even.half_width_ms()


def polled(depth: int, missed: list[bool]) -> Learned:
    learned = Learned()
    for is_missed in missed:
        learned = learned.with_poll(depth, is_missed, START)
    return learned


def test_misses_are_learned_at_the_depth_at_which_they_happen() -> None:
    learned = polled(2, [True, True, True, False] * 5_000)
    assert learned.missed[0] == START[0]
    assert learned.missed[2] == START[2]
    assert learned.missed[1] == pytest.approx(0.75, abs=0.02)
    assert fitted(MODEL, learned).sensor.missed[1] == pytest.approx(0.75, abs=0.02)


def test_one_card_moves_them_little_and_a_deep_one_counts_as_the_deepest_known() -> None:
    assert polled(1, [True]).missed[0] == pytest.approx(START[0], abs=0.01)
    assert polled(9, [True] * 200).missed[2] > START[2]


def test_what_is_configured_counts_for_as_many_polls_as_are_presumed() -> None:
    """So a guess does not waver with every few cards that are missed."""
    learned = polled(1, ([True] + [False] * 3) * 512)
    assert learned.missed[0] == pytest.approx((START[0] + 0.25) / 2, abs=0.002)
    assert learned.polls == (2_048, 0, 0)


def test_misses_stay_within_bounds() -> None:
    assert polled(1, [False] * 30_000).missed[0] == 0.002
    assert polled(1, [True] * 30_000).missed[0] <= 0.9
    assert fitted(MODEL, polled(1, [False] * 30_000)).sensor.missed[0] == 0.002


def test_a_table_that_taught_nothing_is_as_configured() -> None:
    model = msgspec.structs.replace(MODEL, learns_pace=False)
    assert fitted(model, Learned()) is model
    assert fitted(MODEL, Learned()).sensor is MODEL.sensor
