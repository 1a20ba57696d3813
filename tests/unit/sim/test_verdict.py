import pytest

from shoe_bridge.sim.scenario import Scenario, parse_scenario
from shoe_bridge.sim.verdict import compare

HEAD = """
id = "X1"
title = "t"
profile = "nz-1999"
game = "holdem"
seats = [1, 2]
steps = ["shuffle", "cut", "end deal", "end bet", "push"]
"""


def scenario(more: str) -> Scenario:
    return parse_scenario(HEAD + more, "x.toml")


def found(kind: str, after: int, withdrawn_after: int | None = None, **keys: object) -> dict[str, object]:
    return {"kind": kind, "after": after, "withdrawn_after": withdrawn_after, **keys}


ORDER = '[[expect]]\nafter = 3\nkind = "order_error"\ncard = 1\ngot = "seat 1"\n'


def test_all_named_keys_must_be_equal_in_one_finding() -> None:
    wanted = scenario(ORDER)
    right = found("order_error", 3, card=1, got="seat 1", want="seat 2")
    assert compare(wanted, [right]).passed
    assert compare(wanted, [{**right, "certainty": "certain"}]).passed
    halves = [found("order_error", 3, card=1, got="seat 2"), found("order_error", 3, card=2, got="seat 1")]
    verdict = compare(wanted, halves)
    assert not verdict.passed
    assert verdict.missing == wanted.expect
    assert not compare(wanted, [found("order_error", 3, card=1)]).passed


@pytest.mark.parametrize(
    ("after", "withdrawn", "is_there"),
    [
        (3, None, True),
        (1, None, True),
        (4, None, False),
        (3, 4, True),
        (3, 3, False),
        (1, 3, False),
        (1, 5, True),
    ],
)
def test_after_means_standing_once_that_step_is_processed(
    after: int, withdrawn: int | None, is_there: bool
) -> None:
    wanted = scenario('[[expect]]\nafter = 3\nkind = "count_error"\n')
    assert compare(wanted, [found("count_error", after, withdrawn)]).passed is is_there


def test_without_after_it_must_stand_at_the_end() -> None:
    wanted = scenario('[[expect]]\nkind = "deal_ok"\nhole = 4\n')
    assert compare(wanted, [found("deal_ok", 5, hole=4)]).passed
    assert not compare(wanted, [found("deal_ok", 3, 5, hole=4)]).passed
    assert compare(wanted, [found("deal_ok", 3, 5, hole=4), found("deal_ok", 5, hole=4, board=3)]).passed


def test_moves_are_a_set_and_seats_a_list() -> None:
    wanted = scenario(
        '[[expect]]\nkind = "repairable"\nmoves = ["1 -> seat 5", "5 -> seat 5"]\nseats = [1, 2]\n'
    )
    assert compare(
        wanted, [found("repairable", 3, moves=("5 -> seat 5", "1 -> seat 5"), seats=(1, 2))]
    ).passed
    assert not compare(wanted, [found("repairable", 3, moves=["5 -> seat 5"], seats=[1, 2])]).passed
    assert not compare(
        wanted, [found("repairable", 3, moves=["1 -> seat 5", "5 -> seat 5"], seats=[2, 1])]
    ).passed


def test_true_is_not_one() -> None:
    wanted = scenario('[[expect]]\nkind = "substantial_action"\nreached = true\n')
    assert compare(wanted, [found("substantial_action", 3, reached=True)]).passed
    assert not compare(wanted, [found("substantial_action", 3, reached=1)]).passed


def test_tables_of_money_are_equal_as_a_whole() -> None:
    wanted = scenario('[[expect]]\nkind = "pot_split"\nshares = { "2" = "45.00", "5" = "40.00" }\n')
    assert compare(wanted, [found("pot_split", 5, shares={"5": "40.00", "2": "45.00"})]).passed
    assert not compare(wanted, [found("pot_split", 5, shares={"2": "45.00"})]).passed


def test_absent_kinds_never_appear_and_standing_ones_may_pass() -> None:
    wanted = scenario('[absent]\nkinds = ["misdeal_advised"]\nstanding = ["count_error"]\n')
    assert compare(wanted, [found("count_error", 2, 4), found("deal_ok", 3)]).passed
    assert not compare(wanted, [found("misdeal_advised", 2, 3)]).passed
    verdict = compare(wanted, [found("count_error", 2)])
    assert [(each.finding["kind"], each.why) for each in verdict.forbidden] == [
        ("count_error", "[absent] standing")
    ]


@pytest.mark.parametrize(("after", "is_allowed"), [(0, True), (1, True), (2, False), (3, False), (4, True)])
def test_silent_steps(after: int, is_allowed: bool) -> None:
    wanted = scenario('[[silent]]\nfrom = 2\nto = 3\nkinds = ["deal_ok"]\n')
    assert compare(wanted, [found("deal_ok", after)]).passed is is_allowed


def test_silent_without_bounds_is_all_steps_and_an_amendment_counts() -> None:
    wanted = scenario('[[silent]]\nkinds = ["deal_ok"]\n')
    assert not compare(wanted, [found("deal_ok", 0)]).passed
    assert not compare(wanted, [found("deal_ok", 5)]).passed
    later = scenario('[[silent]]\nfrom = 4\nkinds = ["deal_ok"]\n')
    assert not compare(later, [found("deal_ok", 3, 4, hole=4), found("deal_ok", 4, hole=5)]).passed


def test_exact_kinds_standing_at_the_end_must_be_expected() -> None:
    wanted = scenario('[[expect]]\nafter = 3\nkind = "hand_dead"\nseat = 1\n[exact]\nkinds = ["hand_dead"]\n')
    dead = found("hand_dead", 3, seat=1)
    assert compare(wanted, [dead, found("hand_dead", 3, 4, seat=2)]).passed
    verdict = compare(wanted, [dead, found("hand_dead", 4, seat=2)])
    assert [each.finding["seat"] for each in verdict.forbidden] == [2]


def test_no_order_error_before_the_first_expected_one() -> None:
    wanted = scenario(ORDER + '[[expect]]\nafter = 5\nkind = "order_error"\ncard = 2\n')
    right = [found("order_error", 3, card=1, got="seat 1"), found("order_error", 4, card=2)]
    assert compare(wanted, right).passed
    verdict = compare(wanted, [*right, found("order_error", 2, 3, card=9)])
    assert [each.why for each in verdict.forbidden] == ["order_error before step 3"]


def test_unsupported_and_unchecked_kinds_are_told_apart() -> None:
    wanted = scenario('[[expect]]\nkind = "restart"\n[absent]\nkinds = ["button_error", "deal_ok"]\n')
    verdict = compare(wanted, [found("restart", 3)], supported={"deal_ok", "order_error"})
    assert verdict.unsupported == ("restart",)
    assert verdict.unchecked == ("button_error",)
    assert not verdict.passed
    assert compare(wanted, [found("restart", 3)]).passed
    only_forbids = scenario('[absent]\nkinds = ["button_error"]\n')
    assert compare(only_forbids, [], supported={"deal_ok"}).passed
