"""A scenario at several tables: what happens at which, in one virtual time, with a deck for each."""

from collections.abc import Callable

import pytest

from protocol.messages import KeyPressed, TagSeen
from shoe_bridge.errors import UsageError
from shoe_bridge.sim.linked_tables import Act, LinkedPlayer, acts_of, scenario_at
from shoe_bridge.sim.player import Player, player_for
from shoe_bridge.sim.scenario import Scenario, parse_scenario
from shoe_bridge.sim.steps import Deal, Press, Time


def scenario(*steps: str, more: str = "") -> Scenario:
    lines = ", ".join(f'"{step}"' for step in steps)
    return parse_scenario(
        'id = "X"\ntitle = "t"\nprofile = "nz-1999"\ngame = "caribbean_stud"\n'
        f'tables = {{ A = [2], B = [6, 1] }}\npool = "100.00"\nchip = "1.00"\n{more}\nsteps = [{lines}]\n',
        "x.toml",
    )


def test_each_step_has_its_table_and_its_number_in_the_file() -> None:
    acts = acts_of(scenario("shuffle", "at table B", "cut", "at table A", "push"))
    assert acts == (Act(1, "A", Press("shuffle")), Act(3, "B", Press("cut")), Act(5, "A", Press("push")))


def test_a_time_goes_with_the_next_step_that_happens() -> None:
    steps = ("time 00:00:01.5", "at table B", "cut", "push", "time 00:00:02.0", "time 00:00:03.0", "cut")
    acts = acts_of(scenario(*steps))
    assert [(act.number, act.at_wall_ms) for act in acts] == [(3, 1_500), (4, None), (7, 3_000)]


def test_the_pace_is_of_cards_that_follow_at_the_same_table() -> None:
    acts = acts_of(scenario("deal 1 -> seat 2", "deal 2 -> seat 2", "at table B", "deal 1 -> seat 6"))
    assert [act.is_deal_next for act in acts] == [True, False, False]
    assert all(isinstance(act.step, Deal) for act in acts)


def test_a_table_that_is_not_there_is_named_with_its_step() -> None:
    with pytest.raises(UsageError, match="X: step 2 is at table C, and 'tables' has A, B: add it there or"):
        acts_of(scenario("shuffle", "at table C"))


def test_a_table_has_its_own_seats_steps_noise_and_name_and_no_pool() -> None:
    whole = scenario("shuffle", "at table B", "time 00:00:01.5", "cut", more="seed = 5")
    one, other = scenario_at(whole, "A"), scenario_at(whole, "B")
    assert (one.id, one.seats, one.steps, one.seed) == ("X-A", (2,), ("shuffle",), 5)
    assert (other.id, other.seats, other.steps, other.seed) == ("X-B", (6, 1), ("cut",), 6)
    assert (other.pool, other.chip, other.tables) == (None, "1.00", {})
    assert not any(isinstance(action, Time) for action in other.actions)


@pytest.fixture
def play(fake_bridge) -> Callable[..., tuple[dict, dict[str, Player]]]:
    def play(scene: Scenario, reader: str = "tablelink") -> tuple[dict, dict[str, Player]]:
        bridges: dict = {}
        players = {
            name: player_for(
                scenario_at(scene, name), lambda device, name=name: bridges[name].host_sends(device), reader
            )
            for name in scene.tables
        }
        bridges |= {name: fake_bridge(player.stage.table.devices) for name, player in players.items()}
        linked = LinkedPlayer(players)
        for name, moment in linked.start():
            bridges[name].watch([moment])
        linked.reserve(scene)
        for act in acts_of(scene):
            for name, moment in linked.act(act):
                assert moment.step == act.number
                bridges[name].watch([moment])
            assert len({player.now_ms for player in players.values()}) == 1
        return bridges, players

    return play


@pytest.mark.parametrize("reader", ["tablelink", "pepper_c1"])
def test_a_step_reaches_its_table_and_no_other(play, reader: str) -> None:
    bridges, _ = play(scenario("shuffle", "at table B", "hand 6 5d 6d 7d 8d 9d", "cut"), reader)
    heard = {
        name: [at for at, _, m in bridge.said if isinstance(m, KeyPressed)]
        for name, bridge in bridges.items()
    }
    assert heard == {"A": [1], "B": [4]}
    tags = {name: {m.tag for m in bridge.heard(TagSeen)} for name, bridge in bridges.items()}
    assert (len(tags["A"]), len(tags["B"])) == (0, 5)


def test_a_table_that_stands_by_lives_on(play) -> None:
    bridges, players = play(scenario("at table B", "wait 20000"))
    assert bridges["A"].moments == pytest.approx(bridges["B"].moments, abs=5)
    assert players["A"].now_ms >= 20_000


def test_no_table_deals_a_card_that_the_file_names_anywhere(play) -> None:
    steps = [f"deal {n} -> board" for n in range(1, 48)]
    bridges, _ = play(scenario(*steps, "at table B", "hand 6 5d 6d 7d 8d 9d", more="scan_ms = 40"))
    dealt, named = ({m.tag for m in bridges[name].heard(TagSeen)} for name in ("A", "B"))
    assert (len(dealt), len(named)) == (47, 5)
    assert not dealt & named
