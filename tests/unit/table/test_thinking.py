"""What is known of an open window from event to event: when it holds, and when all is looked for anew."""

from msgspec.structs import replace
from read_deal import ring_model, seats

from shoe_bridge.rules.games import open_game
from shoe_bridge.table.card_times import PACE, Memo
from shoe_bridge.table.follow import Follower, _is_expected
from shoe_bridge.table.following import Following
from shoe_bridge.table.hand import Hand, new_hand
from shoe_bridge.table.procedures import Procedure
from shoe_bridge.table.reconstruct import explain, explain_next
from shoe_bridge.table.redeal import Redeal, plan_of
from shoe_bridge.table.settling import Settling, _behind
from shoe_bridge.table.teaching import Teaching
from shoe_bridge.table.thinking import Thinking
from shoe_bridge.table.window import Due, Explanation, Heard, Sighting, Stand, Step, Taken, Window

S_NS = 1_000_000_000
TYPICAL = ring_model("typical")
CYCLE_NS = TYPICAL.sensor.cycle_ns
PLAN = tuple(Due(place, run, run == n == 0) for run in (0, 1) for n, place in enumerate(seats(1, 2, 3, 4)))


def heard(place: str, at_s: float, reads: int = 3) -> Heard:
    at_ns = round(at_s * S_NS)
    return Heard(place, at_ns, 1, reads, last_ns=at_ns)


def explanation(probability: float, *cards: tuple[str, str | None], slips: int = 0) -> Explanation:
    """Each card as it is due, the slips with the first of them."""
    return Explanation(
        probability,
        tuple(Taken(place, tag) for place, tag in cards),
        len(cards),
        slips,
        stands=tuple(Stand(n) for n in range(1, len(cards) + 1)),
        steps=tuple(Step(1.0, PACE, 0, slips) for _ in cards),
    )


def thinking() -> Thinking:
    redeal = Redeal(open_game("holdem"), lambda hand, _: hand)
    return Thinking(TYPICAL, redeal, Settling(TYPICAL, redeal), Teaching(TYPICAL))


# -- before an error is certain


def test_two_orders_of_one_place_make_an_error_certain_together() -> None:
    """Which of two community cards came first is all the same: neither explanation is certain alone."""
    cards = [("seat 1", "A"), ("board", "B"), ("board", "C")]
    other = [("seat 1", "A"), ("board", "C"), ("board", "B")]
    before = Following(1, explanations=(explanation(0.9, *cards, slips=1), explanation(0.1, *cards)))
    found = explanation(0.5, *cards, slips=1), explanation(0.5, *other, slips=1)
    assert thinking()._makes_certain(before, found)
    assert not thinking()._makes_certain(replace(before, explanations=found), found)


def test_what_is_as_uncertain_as_before_makes_nothing_certain() -> None:
    cards = [("seat 1", "A")]
    found = explanation(0.9, *cards, slips=1), explanation(0.1, *cards)
    assert not thinking()._makes_certain(Following(1, explanations=found), found)


# -- what goes on with the next card


def test_two_cards_that_one_poll_heard_at_a_place_have_no_order() -> None:
    """A card at the place that is due is expected; where another one was just heard there, either was
    first."""
    known = explanation(1.0, ("seat 1", "A"))
    first, new = Sighting("A", (heard("seat 1", 10.0),)), heard("seat 2", 10.6)
    now = Following(1, explanations=(known,), sightings=(first, Sighting("B", (new,))))
    assert _is_expected(now, PLAN, new, CYCLE_NS)
    twin = Sighting("C", (heard("seat 2", 10.6),))
    assert not _is_expected(replace(now, sightings=(first, twin, Sighting("B", (new,)))), PLAN, new, CYCLE_NS)


def test_a_card_at_an_antenna_taken_for_deaf_is_looked_for_among_all() -> None:
    """That it hears makes nearly all impossible that was known: what is left is no measure."""
    sightings = (Sighting("A", (heard("seat 2", 10.6),)),)
    window = Window(
        PLAN,
        served=("seat 4",),
        sightings=sightings,
        phases={"seat 1": round(10.05 * S_NS), "seat 2": round(10.6 * S_NS)},
        now_ns=round(12.5 * S_NS),
        deal_size=8,
        deafness={"seat 1": 0.9},
    )
    known = explain(window, TYPICAL)
    assert known[0].deaf == ("seat 1",)
    late = Sighting("B", (heard("seat 1", 12.6, 1),))
    window = replace(window, sightings=(*sightings, late), now_ns=round(12.6 * S_NS), deafness={})
    assert explain_next(window, TYPICAL, Memo(), known) == ()
    assert explain(window, TYPICAL)


# -- what is settled


def test_slips_of_settled_cards_are_no_slips_of_those_behind() -> None:
    one = explanation(1.0, ("seat 2", "A"), ("seat 1", "B"), ("seat 3", "C"), slips=1)
    behind = _behind(one, 2)
    assert (behind.slips, [step.slips for step in behind.steps]) == (0, [0])
    assert behind.cards == one.cards[2:]


# -- with a shoe


def follower(game: Procedure) -> Follower:
    return Follower(game, TYPICAL, lambda hand, _: hand)


def hand_of_two() -> Hand:
    return new_hand(1, (1, 2), 2, 2, "dealing")


def test_a_draw_behind_the_plan_is_no_card_of_it() -> None:
    """In stud the streets go to the seats: the card that is drawn after the deal's last one, which no antenna
    has heard yet, is the street's."""
    stud = open_game("seven_card_stud")
    plan, _ = plan_of(hand_of_two(), stud)
    following = Following(1, has_shoe=True)
    for number in range(len(plan)):
        following = follower(stud).drawn(following, hand_of_two(), f"tag {number}", number * S_NS, number + 1)
    assert len(following.sightings) == len(plan)
    last = follower(stud).drawn(following, hand_of_two(), "a street's", 60 * S_NS, 60)
    assert last is following


def test_a_memo_knows_a_drawn_card_that_a_neighbour_hears_from_one_that_nobody_hears() -> None:
    """Both at one moment: what was worked out for one says nothing of the other."""
    drawn_ns, now_ns = round(10.5 * S_NS), round(10.9 * S_NS)
    silent = Sighting("A", (), drawn_ns)
    stray = Sighting("A", (heard("seat 3", 10.9, 1),), drawn_ns)
    first = Sighting("Z", (heard("seat 1", 10.3),), round(10.1 * S_NS))
    phases = dict.fromkeys(seats(1, 2, 3, 4), now_ns - 50000000)
    memo = Memo()
    for sighting in (silent, stray, silent):
        window = Window(
            PLAN, sightings=(first, sighting), phases=phases, now_ns=now_ns, deal_size=8, has_shoe=True
        )
        assert explain(window, TYPICAL, memo) == explain(window, TYPICAL)
