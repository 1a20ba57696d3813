"""The independent judge of the inference is itself right: it is held against deals drawn from its own model.
And the inference is held against it."""

import math
from random import Random

import pytest
from compare_posterior import TOLERANCE, compared, setup_for
from deal_sampler import PLACES, Sample, hold_em_plan, sample, table_model
from exact_posterior import Cards, exact, finding_probabilities, findings_of
from msgspec.structs import replace

from shoe_bridge.table.deal_model import DealModel
from shoe_bridge.table.findings import DealtOut, OrderError
from shoe_bridge.table.reconstruct import explain
from shoe_bridge.table.window import Density, Heard, Sighting, Window

OFTEN = table_model("typical", slip_factor=10)  # slips so frequent that some are among a few hundred hands
SECOND_NS = 1_000_000_000


def windows(count: int, seed: str, model: DealModel = OFTEN, **kept: bool) -> list[Sample]:
    rng = Random(seed)
    return [sample(rng, model, rng.choice((2, 3)), longest_s=1.0, **kept) for _ in range(count)]


def by_places(sequences: dict[Cards, float]) -> dict[tuple[str, ...], float]:
    sums: dict[tuple[str, ...], float] = {}
    for cards, probability in sequences.items():
        places = tuple(place for place, _ in cards)
        sums[places] = sums.get(places, 0.0) + probability
    return sums


def heard(place: str, at_s: float, reads: int = 3) -> Heard:
    return Heard(place, int(at_s * SECOND_NS), 1, reads)


def window_of(*reads: tuple[str, float], now_s: float, seats: int = 2) -> Window:
    """Tags A, B … read first at these places and times."""
    sightings = tuple(Sighting(chr(65 + n), (heard(*read),)) for n, read in enumerate(reads))
    phases = {place: int(at_s * SECOND_NS) for place, at_s in reads}
    plan = hold_em_plan(seats)
    return Window(
        plan, sightings=sightings, phases=phases, now_ns=int(now_s * SECOND_NS), deal_size=2 * seats
    )


def test_the_judge_is_right_as_often_as_it_says() -> None:
    """The chance that it gives a sequence of places is how often that is the truth: per band of chances, the
    count of true ones lies within four standard deviations of the sum of chances."""
    bands: dict[int, list[tuple[float, bool]]] = {}
    for taken in windows(200, "calibration"):
        for places, chance in by_places(exact(taken.window, OFTEN, 1e-2)).items():
            is_true = places == tuple(place for place, _ in taken.truth)
            band = sum(chance >= edge for edge in (0.02, 0.1, 0.5, 0.9))
            bands.setdefault(band, []).append((chance, is_true))
    assert set(bands) == {0, 1, 2, 3, 4}
    for band, seen in bands.items():
        expected = math.fsum(chance for chance, _ in seen)
        spread = math.sqrt(math.fsum(chance * (1 - chance) for chance, _ in seen))
        true = sum(is_true for _, is_true in seen)
        assert abs(true - expected) <= 4 * spread + 0.3, (band, true, expected)


def test_probabilities_sum_to_one() -> None:
    for taken in windows(12, "sum"):
        chances = exact(taken.window, OFTEN, 1e-2)
        assert math.fsum(chances.values()) == pytest.approx(1)
        assert all(0 < chance <= 1 for chance in chances.values())


def test_the_order_of_the_sightings_says_nothing() -> None:
    for number, taken in enumerate(windows(6, "order")):
        sightings = list(taken.window.sightings)
        Random(number).shuffle(sightings)
        other = replace(taken.window, sightings=tuple(sightings))
        expected = exact(taken.window, OFTEN, 1e-3)
        told = exact(other, OFTEN, 1e-3)
        off = (abs(told.get(cards, 0.0) - expected.get(cards, 0.0)) for cards in {*told, *expected})
        assert max(off) <= 1e-3


@pytest.mark.parametrize("is_complete", [False, True])
@pytest.mark.parametrize(
    "places", [("seat 1",), ("seat 2",), ("seat 1", "seat 2"), ("seat 1", "seat 3"), ("seat 5",)]
)
def test_what_is_left_out_weighs_less_than_was_asked(places: tuple[str, ...], is_complete: bool) -> None:
    """Against the enumeration of all that is not exactly zero, of one pass."""
    reads = [(place, 100.1 + 0.35 * n) for n, place in enumerate(places)]
    window = window_of(*reads, now_s=101.4)
    window = replace(window, plan=window.plan[:2], deal_size=2, is_complete=is_complete)
    whole = exact(window, OFTEN, 0.0)
    for remainder in (1e-1, 1e-2, 1e-4):
        part = exact(window, OFTEN, remainder)
        assert len(part) < len(whole)
        missing = math.fsum(chance for cards, chance in whole.items() if cards not in part)
        assert missing <= remainder
        assert all(abs(chance - whole[cards]) <= remainder for cards, chance in part.items())


def test_a_skip_against_an_unheard_card_is_as_reckoned_by_hand() -> None:
    """Seat 2 is heard first, just now. Either seat 1 got nothing, or its card was not polled yet. A poll
    misses nothing and comes every 0.4 s, gaps are even from 0.25 to 0.6 s: the card of seat 2 lies there
    since up to 0.4 s; what seat 1's silence is worth, over both times, is 0.15³ / (6 · 0.4 · 0.35) s. The
    card behind it would have come, too, and been heard: one to seat 2 again, as it would be if seat 1 was
    passed, with 0.15² / (2 · 0.4 · 0.35), one to seat 1 with 0.15³ / (6 · 0.4 · 0.35 · 0.4)."""
    model = table_model("clean")
    dealer = replace(model.dealer, pause=0.0)
    model = replace(model, dealer=dealer, sensor=replace(model.sensor, missed=(0.0,), dead=0.0, deaf=0.0))
    chances = exact(window_of(("seat 2", 100.0), now_s=100.0), model, 1e-5)
    kinds = (dealer.skip, dealer.extra, dealer.stuck, dealer.wrong, dealer.swap, dealer.turned, dealer.short)
    keep = 1 - sum(kinds) - dealer.dealt_in
    goes_on = 1 - dealer.short
    slip = (dealer.skip * keep + dealer.wrong / 11) * (1 - goes_on * 0.15**2 / (2 * 0.14))
    slip += (dealer.swap + dealer.turned) * (1 - goes_on * 0.15**3 / (6 * 0.4 * 0.14))
    unheard = keep**2 * 0.15**3 / (6 * 0.4 * 0.35)
    found = chances[("seat 1", None), ("seat 2", "A")] / chances[(("seat 2", "A"),)]
    assert found == pytest.approx(unheard / (slip * 0.4), rel=0.02)


def test_a_seat_that_stays_silent_is_no_skip_before_it_was_polled() -> None:
    """The next seat was heard at once; the silent one is unheard so far, or was skipped."""
    early = exact(window_of(("seat 1", 100.0), ("seat 1", 100.8), now_s=100.81), OFTEN)
    late = exact(window_of(("seat 1", 100.0), ("seat 1", 100.8), now_s=103.0), OFTEN)

    def unheard(chances: dict[Cards, float]) -> float:
        return math.fsum(p for cards, p in chances.items() if ("seat 2", None) in cards)

    assert unheard(early) > 0.5 > unheard(late)


def test_findings_of_places_are_those_of_the_rule_book() -> None:
    setup = setup_for(3)
    assert findings_of(("seat 1", "seat 2"), setup, False) == set()
    found = findings_of(("seat 1", "seat 3"), setup, False)
    assert [(f.card, f.got, f.want) for f in found if isinstance(f, OrderError)] == [(2, "seat 3", "seat 2")]
    out = findings_of(("seat 1", "seat 3", "seat 1", "seat 3", "burn", "board"), setup, True)
    assert [f.seat for f in out if isinstance(f, DealtOut)] == [2]


def test_a_finding_is_as_probable_as_the_sequences_in_which_it_stands() -> None:
    window = window_of(("seat 1", 100.0), ("seat 3", 100.4), ("seat 1", 100.9), now_s=103.0, seats=3)
    places = by_places(exact(window, OFTEN))
    expected = math.fsum(p for seen, p in places.items() if seen[:2] == ("seat 1", "seat 3"))
    chances = finding_probabilities(window, OFTEN, setup_for(3))
    order = {f.got: p for f, p in chances.items() if isinstance(f, OrderError) and f.card == 2}
    assert order["seat 3"] == pytest.approx(expected, abs=1e-5)
    assert order["seat 3"] > 0.9


@pytest.mark.parametrize("slips", [0, 1, 2])
def test_samples_hold_what_they_say(slips: int) -> None:
    rng = Random(slips)
    model = table_model()
    for _ in range(30):
        taken = sample(rng, model, 3, slips, certain=0)
        assert taken.slips == slips
        laid = {card.tag: card for card in taken.laid}
        told = {sighting.tag for sighting in taken.window.sightings}
        assert told == {tag for _, tag in taken.truth if tag is not None}
        assert taken.truth[-1][1] is not None
        assert all(card.place in PLACES for card in taken.laid)
        for sighting in taken.window.sightings:
            for read in sighting.heard:
                assert laid[sighting.tag].at_ns <= read.first_ns <= taken.window.now_ns
                assert (read.first_ns - taken.window.phases[read.place]) % model.sensor.cycle_ns == 0


def test_the_same_seed_makes_the_same_sample() -> None:
    assert sample(Random(5), OFTEN, 3) == sample(Random(5), OFTEN, 3)


def test_the_inference_agrees_with_the_judge() -> None:
    """The same places first (or as good as), and every finding as probable within the tolerance."""
    seen = [one for seats in (2, 3) for one in compared(12, seats, seed=3, longest_s=2.5)]
    assert {one.slips for one in seen} >= {0, 1}
    assert not [one for one in seen if not one.agrees], TOLERANCE


@pytest.mark.parametrize("dead", [1e-6, 1e-3])
@pytest.mark.parametrize("after_s", [1.0, 3.0, 30.0])
def test_silence_speaks_for_a_missing_burn_as_long_as_the_judge_says(after_s: float, dead: float) -> None:
    """Nobody heard a burn before the flop: however long that lasts, it may be dead, or its antenna deaf."""
    model = table_model("typical")
    model = replace(model, sensor=replace(model.sensor, dead=dead))
    window = window_of(("board", 20.0), ("board", 20.01), ("board", 20.02), now_s=20.0 + after_s)
    window = replace(
        window,
        phases={**window.phases, "burn": int(20.03 * SECOND_NS)},
        pointer=4,
        served=("seat 1", "seat 2") * 2,
        anchor=Density(int(15.0 / 0.025), (1.0,)),
    )

    def is_without_burn(places: tuple[str, ...]) -> bool:
        return "burn" not in places

    judged = math.fsum(
        chance for places, chance in by_places(exact(window, model, 1e-3)).items() if is_without_burn(places)
    )
    told = math.fsum(
        one.probability
        for one in explain(window, model)
        if is_without_burn(tuple(card.place for card in one.cards))
    )
    assert told == pytest.approx(judged, abs=0.005)


@pytest.mark.parametrize("reads_s", [(4.13, 4.506, 4.822, 5.38), (4.13, 4.2, 4.822, 5.38)])
def test_a_deal_that_begins_with_an_empty_seat_is_as_the_judge_says(reads_s: tuple[float, ...]) -> None:
    """The first card that was due follows the one before it at the dealer's pace."""
    model = table_model("typical")
    places = ("seat 7", "seat 1", "seat 2", "seat 3")
    window = window_of(*zip(places, reads_s, strict=True), now_s=6.0, seats=3)
    judged = by_places(exact(window, model, 1e-4))
    told: dict[tuple[str, ...], float] = {}
    for one in explain(window, model):
        order = tuple(card.place for card in one.cards)
        told[order] = told.get(order, 0.0) + one.probability
    assert len([chance for chance in judged.values() if chance > 0.005]) > 1
    for order, chance in judged.items():
        assert told.get(order, 0.0) == pytest.approx(chance, abs=0.005)


@pytest.mark.parametrize("then", [None, "seat 1", "seat 2", "seat 3"])
def test_a_drawn_card_that_nobody_hears_lies_where_the_judge_has_it(then: str | None) -> None:
    """It may be one too many: by what is heard of the card behind it."""
    model = table_model("typical")
    window = window_of(("seat 1", 2.0), ("seat 2", 2.4), now_s=3.6, seats=3)
    drawn = [replace(one, drawn_ns=one.heard[0].first_ns - SECOND_NS) for one in window.sightings]
    drawn.append(Sighting("C", (), 2 * SECOND_NS))
    if then is not None:
        drawn.append(Sighting("D", (heard(then, 2.8),), int(2.5 * SECOND_NS)))
    phases = {f"seat {seat}": int((2.0 + 0.1 * seat) * SECOND_NS) for seat in (1, 2, 3)}
    window = replace(window, sightings=tuple(drawn), phases=phases, has_shoe=True)
    told: dict[tuple[str, ...], float] = {}
    for one in explain(window, model):
        order = tuple(card.place for card in one.cards)
        told[order] = told.get(order, 0.0) + one.probability
    judged = by_places(exact(window, model, 1e-4))
    first, second = sorted(judged, key=lambda order: judged[order], reverse=True)[:2]
    assert max(told, key=lambda order: told[order]) == first
    # there are more empty seats than beginnings that go on: those left out count against all others
    assert told[first] == pytest.approx(judged[first], abs=TOLERANCE)
    if judged[second] > TOLERANCE:
        assert told[second] / told[first] == pytest.approx(judged[second] / judged[first], rel=0.05)
