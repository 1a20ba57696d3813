"""Linked tables at wire level: findings by table and of the jackpot, and the wall time of a reading."""

import pytest

from shoe_bridge.cli.scenario_linked import WallClock
from shoe_bridge.cli.scenario_run import play
from shoe_bridge.errors import UsageError
from shoe_bridge.rules.linked_round import WallTime
from shoe_bridge.sim.scenario import Scenario, parse_scenario
from shoe_bridge.table.observations import CardArrived, Event, KeyPressed

SETTLED = ("jackpot", "jackpot_order", "rule_text_missing")
HANDS = ["jackpot wager 2", "at table B", "jackpot wager 6", "at table A"]


def scenario(*steps: str, more: str = "") -> Scenario:
    lines = ", ".join(f'"{step}"' for step in steps)
    return parse_scenario(
        'id = "X"\ntitle = "t"\nprofile = "nz-1999"\ngame = "caribbean_stud"\n'
        f'tables = {{ A = [2], B = [6] }}\npool = "20000.05"\n{more}\nsteps = [{lines}]\n',
        "x.toml",
    )


def settled(scene: Scenario, **options) -> list[dict]:
    return [finding for finding in play(scene, **options).findings if finding["kind"] in SETTLED]


def both(*, time_a: str = "", time_b: str = "", cards_a: str = "5d 6d 7d 8d 9d") -> Scenario:
    def at(time: str) -> list[str]:
        return [f"time {time}"] if time else []

    return scenario(
        *HANDS,
        *at(time_a),
        f"hand 2 {cards_a}",
        "showdown",
        "at table B",
        *at(time_b),
        "hand 6 As Ks Qs Js Ts",
        "showdown",
    )


@pytest.mark.parametrize("reader", ["tablelink", "pepper_c1"])
def test_the_last_card_of_the_step_bears_the_time(reader: str) -> None:
    found = settled(both(time_a="21:14:03.2", time_b="21:14:02.9"), reader=reader)
    assert [finding["kind"] for finding in found] == ["jackpot_order", "rule_text_missing", "jackpot"]
    assert found[0]["tables"] == ("B", "A")
    assert found[0]["times"] == ("21:14:02.900", "21:14:03.200")
    assert {finding["after"] for finding in found} == {11}


@pytest.mark.parametrize(("time_a", "time_b"), [("", ""), ("21:14:03.2", ""), ("", "21:14:02.9")])
def test_a_table_without_a_time_is_put_in_no_order(time_a: str, time_b: str) -> None:
    found = settled(both(time_a=time_a, time_b=time_b))
    assert [(finding["kind"], finding.get("topic")) for finding in found] == [
        ("rule_text_missing", "jackpot_order_between_tables")
    ]


def test_the_fractions_of_a_cent_follow_the_profile(tmp_path) -> None:
    path = tmp_path / "house.toml"
    path.write_text('extends = "nz-1999"\nprofile = "house"\n[settings]\ncent_fractions = "down"\n')
    scene = both(time_a="10:00:00", time_b="11:00:00")
    assert settled(scene)[-1]["awards"]["A:2"] == "2000.01"
    assert settled(scene)[-1]["has_fraction"] is True
    assert settled(scene, profile=str(path))[-1]["awards"]["A:2"] == "2000.00"


def test_what_one_table_concludes_says_which() -> None:
    played = play(scenario("at table B", "deal 1 -> seat 3"))
    found = [(finding["table"], finding["kind"], finding["after"]) for finding in played.findings]
    assert ("B", "extra_hand", 2) in found
    assert {table for table, _, _ in found} == {"B"}


def test_a_finding_of_the_jackpot_is_withdrawn_with_the_hand() -> None:
    scene = both(time_a="10:00:00", time_b="11:00:00")
    steps = (*scene.steps, "push", "next hand")
    found = settled(scenario(*steps))
    assert [(finding["after"], finding["withdrawn_after"]) for finding in found] == [(11, 13)] * 3


def test_a_misdeal_at_one_table_takes_back_what_was_said_and_waits_for_its_new_deal() -> None:
    scene = both(time_a="10:00:00", time_b="11:00:00", cards_a="2s 2h 2d 2c Kd")
    again = ("at table A", "supervisor misdeal", "shuffle", "cut", "jackpot wager 2", "hand 2 Ac Kc 9c 3s 3h")
    found = settled(scenario(*scene.steps, *again, "showdown"))
    assert [(finding["after"], finding["withdrawn_after"]) for finding in found] == [(11, 13)] * 3 + [
        (18, None)
    ]
    assert found[2]["awards"] == {"A:2": "500.00", "B:6": "19500.05"}
    assert (found[3]["awards"], found[3]["order"]) == ({"B:6": "20000.05"}, ("B",))


def test_a_table_that_is_not_there_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="step 1 is at table C"):
        play(scenario("at table C"))


# -- the wall clock of a table


def arrived(seq: int, at_ns: int) -> Event:
    return Event(seq, CardArrived("seat 2", f"T{seq}", 0, at_ns, "reader-1"))


def test_the_others_of_a_step_bear_earlier_times_and_later_ones_run_on() -> None:
    clock = WallClock()
    step = [arrived(1, 100), Event(2, KeyPressed("cut", 900, "keys-1")), arrived(3, 400)]
    clock.take([arrived(0, 50), *step])
    clock.set(5_000, step, 990)
    clock.take([arrived(4, 700)])
    times = [clock.wall_time_of(seq) for seq in (0, 1, 2, 3, 4, 5)]
    assert times == [None, WallTime(4_700), None, WallTime(5_000), WallTime(5_300), None]


def test_a_clock_may_be_set_back_and_what_was_read_keeps_its_time() -> None:
    clock = WallClock()
    for seq, at_ns, at_wall_ns in ((1, 100, 5_000), (2, 200, 3_000)):
        clock.take([arrived(seq, at_ns)])
        clock.set(at_wall_ns, [arrived(seq, at_ns)], at_ns)
    assert (clock.wall_time_of(1), clock.wall_time_of(2)) == (WallTime(5_000), WallTime(3_000))


def test_a_step_in_which_no_card_is_read_sets_the_clock_at_its_end() -> None:
    clock = WallClock()
    clock.set(5_000, [], 300)
    clock.take([arrived(1, 200), arrived(2, 340)])
    assert (clock.wall_time_of(1), clock.wall_time_of(2)) == (None, WallTime(5_040))
