"""What saves time changes nothing: bounds that leave beginnings out, explanations that are weighed anew
instead of looked for, and explanations that go on with one more card. Held against the search that knows
nothing."""

from collections import Counter
from random import Random

import pytest
from deal_sampler import sample, table_model
from msgspec.structs import replace

from shoe_bridge.table import reconstruct
from shoe_bridge.table.bounds import Bounds
from shoe_bridge.table.card_times import Memo
from shoe_bridge.table.reconstruct import explain, explain_next
from shoe_bridge.table.window import Explanation, Stand, Taken, Window

MODEL = table_model("typical")
NS_PER_MS = 1_000_000
LEFT_OUT = 2 * reconstruct._LEAST_SHARE  # so improbable an explanation may be missing
Key = tuple[tuple[Taken, ...], tuple[Stand, ...], tuple[str, ...], tuple[str, ...]]


def windows(count: int, seed: str) -> list[Window]:
    """At six seats, with none, one or two slips, before and after the deal is called complete."""
    rng = Random(seed)
    return [
        sample(
            rng, MODEL, 6, number % 3, certain=number % 4, is_complete=number % 5 == 0, longest_s=4.0
        ).window
        for number in range(count)
    ]


def key(one: Explanation) -> Key:
    """Two slips can come to the same cards in two ways, which differ in the gaps between them."""
    return one.cards, one.stands, one.deaf, tuple(f"{step.gap} {step.slips}" for step in one.steps)


def by_key(explanations: tuple[Explanation, ...]) -> dict[Key, float]:
    shares: dict[Key, float] = {}
    for one in explanations:
        shares[key(one)] = shares.get(key(one), 0.0) + one.probability
    return shares


def as_shares(explanations: tuple[Explanation, ...], of: set[Key]) -> dict[Key, float]:
    """Their probabilities, where only those that are `of` these may be true."""
    kept = {one: share for one, share in by_key(explanations).items() if one in of}
    whole = sum(kept.values())
    return {one: share / whole for one, share in kept.items()}


def assert_same_shares(some: tuple[Explanation, ...], all_of_them: tuple[Explanation, ...]) -> None:
    """What both give stands in the same proportion."""
    both = by_key(some).keys() & by_key(all_of_them).keys()
    assert as_shares(some, both) == pytest.approx(as_shares(all_of_them, both))


@pytest.mark.interpreted
def test_bounds_leave_nothing_out_that_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    with_bounds = [explain(window, MODEL) for window in windows(150, "bounds")]
    monkeypatch.setattr(Bounds, "at_best", lambda *_: 1.0)
    monkeypatch.setattr(reconstruct, "_MOST_STEPS", 1_000_000)
    for window, found in zip(windows(150, "bounds"), with_bounds, strict=True):
        every = by_key(explain(window, MODEL))
        assert by_key(found) == pytest.approx(every, abs=LEFT_OUT)


def test_weighed_anew_is_as_looked_for_anew() -> None:
    """Half a second later, with no further read: silence tells more of each of them."""
    weighed = Counter[bool]()
    for window in windows(150, "later"):
        later = replace(window, now_ns=window.now_ns + 500 * NS_PER_MS)
        known = explain(window, MODEL)
        again, every = explain(later, MODEL, known=known), explain(later, MODEL)
        assert Counter(map(key, again)) <= Counter(map(key, known))
        assert_same_shares(again, every)
        weighed[len(again) > 1] += 1
    assert weighed[True] > 40


def test_others_with_fewer_slips_are_found_beside_the_known_ones() -> None:
    seen = 0
    for window in windows(150, "others"):
        every = explain(window, MODEL)
        erring = tuple(one for one in every if one.slips)
        if not erring or not any(one.slips == 0 for one in every):
            continue
        seen += 1
        assert by_key(explain(window, MODEL, known=erring, others=1)) == pytest.approx(
            by_key(every), abs=LEFT_OUT
        )
    assert seen > 15


def test_known_explanations_go_on_with_the_next_card() -> None:
    """Without its last sighting the window is explained, then the sighting is added: what is found is found
    by the search that knows nothing, in the same proportion, and none of it twice."""
    gone_on = 0
    for window in windows(300, "next"):
        *before, last = window.sightings
        if not before or window.is_complete or len(last.heard) > 1:
            continue
        known = explain(replace(window, sightings=tuple(before)), MODEL)
        found, every = explain_next(window, MODEL, Memo(), known), explain(window, MODEL)
        if not found:
            continue
        gone_on += 1
        looked_for = Counter(map(key, every))
        assert all(one.probability < LEFT_OUT for one in found if not looked_for[key(one)])
        assert all(count <= max(1, looked_for[one]) for one, count in Counter(map(key, found)).items())
        assert_same_shares(found, every)
        assert key(found[0]) == key(every[0])
    assert gone_on > 60


def test_what_was_not_expected_is_looked_for_among_all() -> None:
    """One card lies at seat 1; the next one is heard at seat 5, which is not due for four more."""
    window = next(each for each in windows(300, "unexpected") if len(each.sightings) == 1 and not each.served)
    (first,) = window.sightings
    known = explain(window, MODEL)
    assert known[0].cards[-1].place == first.heard[0].place
    heard = replace(first.heard[0], place="seat 5", first_ns=window.now_ns, last_ns=window.now_ns)
    window = replace(window, sightings=(first, replace(first, tag="other", heard=(heard,))))
    assert explain_next(window, MODEL, Memo(), known) == ()


def test_an_explanation_that_does_not_say_how_it_came_about_is_not_weighed_anew() -> None:
    """One that an older program left in a snapshot."""
    (window,) = windows(1, "older")
    known = tuple(replace(one, steps=()) for one in explain(window, MODEL))
    assert explain(window, MODEL, known=known) == ()
