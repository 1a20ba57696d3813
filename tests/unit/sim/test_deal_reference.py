"""The reference: likelihoods and odds that can be worked out by hand, and what it says of generated hands."""

from itertools import islice

import msgspec
import pytest
from msgspec.structs import replace

from shoe_bridge.sim.deal_evidence import CELL_MS, Chances, Evidence, ReadLog
from shoe_bridge.sim.deal_polls import Antenna, Poll, Polls, antennas_of, quiet_air
from shoe_bridge.sim.deal_reference import Reference
from shoe_bridge.sim.deal_truth import CYCLE_MS, PACES, SLIPS, TrueHand, hands, slip_ms
from shoe_bridge.sim.noise import Read

CHANCES = Chances(
    skip=1e-3,
    extra=3e-4,
    stuck=5e-4,
    wrong=5e-4,
    swap=2e-4,
    turned=2e-4,
    short=3e-4,
    missed=(0.1, 0.15, 0.6),
    cross=0.005,
    ghost=1e-6,
    dead=1e-5,
    deaf=1e-6,
    unproven=1e-6,
    pace_ms=(250, 600),
    pause=0.01,
    longest_ms=5_000,
)
KNOWN = 0.99
ANTENNAS = antennas_of("tablelink")


def log_of(*polls: tuple[int, str, tuple[str, ...]]) -> ReadLog:
    log = ReadLog(ANTENNAS)
    by_place = {antenna.place: antenna for antenna in ANTENNAS}
    for at_ms, place, tags in polls:
        antenna: Antenna = by_place[place]
        log.take(Poll(at_ms, antenna, [Read(tag, -42) for tag in tags]))
    return log


def judged(
    slip: str, count: int, level: str = "typical", seed: str = "ref"
) -> list[tuple[TrueHand, Reference]]:
    polls = Polls("tablelink", quiet_air(level, seed))
    found = []
    for hand in islice(hands(seed, PACES[level], (slip,)), count):
        log = ReadLog(polls.antennas)
        for happening in polls.follow(hand):
            if isinstance(happening, Poll):
                log.take(happening)
        found.append((hand, Reference(hand, log, CHANCES)))
    return found


# -- the likelihoods


def test_each_poll_that_missed_costs_its_chance():
    log = log_of(*((at_ms, "seat 1", ("A",) if at_ms >= 1_000 else ()) for at_ms in range(200, 2_000, 400)))
    start, values = Evidence(log, CHANCES, 1_100).of_card("A", "seat 1", 1)
    at = {(start + n) * CELL_MS: value for n, value in enumerate(values)}
    best = at[1_000]
    assert at[625] == pytest.approx(best)  # behind the poll at 600
    assert at[600] == pytest.approx(0.1 * best)  # a poll at the card's own time may hear it
    assert at[225] == pytest.approx(0.1 * best)
    assert at[200] == pytest.approx(0.01 * best)
    assert max(at) == 1_000  # it cannot have come after it was heard


def test_an_unheard_card_was_missed_by_every_poll_since_or_is_dead():
    log = log_of(*((at_ms, "seat 1", ()) for at_ms in range(200, 2_000, 400)))
    start, values = Evidence(log, CHANCES, 1_850).of_card(None, "seat 1", 2)
    at = {(start + n) * CELL_MS: value for n, value in enumerate(values)}
    for at_ms, polls in ((1_825, 0), (1_800, 1), (1_425, 1), (1_400, 2), (625, 3)):
        assert at[at_ms] == pytest.approx(1e-5 + (1 - 1e-5) * 0.15**polls)


def test_a_card_that_is_heard_at_two_places_lies_where_it_is_heard_more_often():
    polls = [(at_ms, "seat 1", ("A",)) for at_ms in (600, 1_000, 1_400)] + [(620, "seat 2", ("A",))]
    evidence = Evidence(log_of(*sorted(polls)), CHANCES, 1_500)
    # heard once at seat 2, so that it may lie at seat 3 as well, where its own antenna misses it
    assert sorted(evidence.places_of("A")) == ["seat 1", "seat 2", "seat 3"]
    here, there = (max(evidence.of_card("A", place, 1)[1]) for place in ("seat 1", "seat 2"))
    # three reads of its own and one cross read, against one of its own and three cross reads
    assert there / here == pytest.approx((0.9 * 0.0025**3) / (0.9**3 * 0.005), rel=1e-6)


def test_reads_to_come_are_not_known_yet():
    log = log_of((600, "seat 1", ("A",)), (1_000, "seat 1", ("A",)))
    assert log.first_heard_ms("A", 599) is None
    assert log.first_heard_ms("A", 600) == 600
    assert Evidence(log, CHANCES, 599).places_of("A") == []


# -- the posterior


def test_a_missing_burn_stands_against_a_burn_that_nobody_heard():
    """Turn: burn and board due, one board card heard. The burn is the second card of its stack there."""
    for hand, reference in judged("missing_burn", 40):
        if hand.slip_part != 2:
            continue
        card = hand.cards[-1]
        burn = next(antenna for antenna in ANTENNAS if antenna.place == "burn")
        since = [t for t in range(burn.offset_ms, hand.judged_ms + 1, 400) if t >= card.at_ms]
        unheard = 0.15 ** len(since) + 1e-5  # and the polls between burn and board: one more at the most
        odds = CHANCES.skip / CHANCES.as_due
        least, most = odds / (odds + unheard), odds / (odds + unheard * 0.15**2)
        assert least * 0.97 <= reference.at_end().of_truth <= min(1.0, most * 1.03)


def test_nothing_is_known_before_any_card_out_of_order_is_heard():
    for hand, reference in judged("wrong", 2):
        before = reference.at(slip_ms(hand) - 1)
        assert before.of_error < 0.2
        assert reference.at_end().of_error > 0.99


def test_a_swap_of_two_cards_between_two_polls_stays_unknown():
    """Two neighbours' antennas are polled one after the other: as a rule the reads cannot tell."""
    known = [reference.at_end().of_truth > 0.5 for _, reference in judged("swap", 8)]
    assert sum(known) < 4


@pytest.mark.parametrize("slip", [slip for slip in SLIPS if slip != "swap"])
def test_most_other_slips_are_distinguished(slip):
    told = [reference.at_end().of_truth > 0.5 for _, reference in judged(slip, 5)]
    assert sum(told) >= 4


def test_it_is_known_from_a_read_on_and_not_before():
    timed = 0
    for hand, reference in judged("wrong", 2):
        known_ms = reference.known_ms(KNOWN)
        if known_ms is None:
            continue
        timed += 1
        assert slip_ms(hand) <= known_ms <= hand.judged_ms
        assert reference.at(known_ms).of_error >= KNOWN
        assert reference.at(known_ms - CYCLE_MS).of_error < KNOWN  # silence is asked once a cycle
    assert timed


def test_probabilities_are_probabilities_and_the_truth_is_part_of_the_errors():
    for slip in ("extra", "turned", "extra_burn"):
        for _, reference in judged(slip, 3, "poor"):
            judgement = reference.at_end()
            assert 0 <= judgement.of_truth <= judgement.of_error + 1e-9 <= 1 + 2e-9


def test_a_dealer_who_never_skips_has_not_skipped():
    [(hand, reference)] = judged("skip", 1)
    assert reference.at_end().of_truth > 0.5
    never = replace(CHANCES, skip=0.0)
    assert Reference(hand, reference.log, never).at_end().of_truth < 0.5


def test_an_antenna_that_has_never_been_heard_is_deaf_more_probably() -> None:
    chances = msgspec.structs.replace(CHANCES, unproven=5e-3)
    first = log_of((100, "seat 1", ("A",)))
    assert [Evidence(first, chances, ms).deafness("seat 1") for ms in (99, 100)] == [5e-3, 0.0]
    assert Evidence(first, chances, 100).deafness("burn") == 5e-3
    second = ReadLog(ANTENNAS, first)
    third = ReadLog(ANTENNAS, second)
    for log in (second, third):
        places = ("seat 1", "burn")
        assert [Evidence(log, chances, 100).deafness(place) for place in places] == [CHANCES.deaf, 5e-3]
