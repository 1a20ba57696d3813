from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.messages import CardDrawn, DealerEntry, KeyPressed, KeyReleased, TagGone, TagSeen
from shoe_bridge.errors import ConfigError, UsageError
from shoe_bridge.runtime.ports import LinkClosed, LinkOpened
from shoe_bridge.sim.player import Player, player_for
from shoe_bridge.sim.scenario import Scenario, deck_for, load_scenario, parse_scenario
from shoe_bridge.sim.sim_table import table_for
from shoe_bridge.sim.steps import KEY_NAMES, PLACES, UnsupportedStepError
from shoe_bridge.sim.tags import CardRef, deck_tags

SCENARIOS = Path(__file__).parents[2] / "scenarios"


def scenario(*steps: str, more: str = "") -> Scenario:
    lines = ", ".join(f'"{step}"' for step in steps)
    return parse_scenario(
        f'id = "X"\ntitle = "t"\nprofile = "nz-1999"\ngame = "holdem"\nseats = [1, 2, 3]\nbutton = 3\n'
        f"{more}\nsteps = [{lines}]\n",
        "x.toml",
    )


@pytest.fixture
def play(fake_bridge) -> Callable[..., object]:
    def play(scene: Scenario, reader: str = "tablelink"):
        bridges: list = []

        def host_sends(name: str) -> list[bytes]:
            return bridges[0].host_sends(name)

        player = player_for(scene, host_sends, reader)
        bridges.append(fake_bridge(player.stage.table.devices))
        bridges[0].player = player
        bridges[0].watch(player.start())
        return bridges[0].watch(player.play(scene.actions))

    return play


def seen(bridge, step: int, place: str) -> list[str]:
    """Tags that the tablelink antenna of a place reported within a step, in order, each once."""
    antenna = PLACES.index(place) + 1
    return list(dict.fromkeys(m.tag for m in bridge.heard(TagSeen, step) if m.antenna == antenna))


def test_links_open_first_and_every_device_is_greeted(play) -> None:
    bridge = play(scenario("shuffle"))
    assert [(step, given.device, given.generation) for step, given in bridge.links] == [
        (0, "reader-1", 1),
        (0, "keys-1", 1),
    ]
    assert [KEY_NAMES[m.key - 1] for m in bridge.heard(KeyPressed, 1)] == ["shuffle"]
    assert len(bridge.heard(KeyReleased, 1)) == 1


def test_each_card_is_shown_within_its_step(play) -> None:
    bridge = play(scenario("deal 1 -> seat 1", "deal 2 9d -> board", "move 1 -> seat 2", "end deal"))
    (first,) = seen(bridge, 1, "seat 1")
    (board,) = seen(bridge, 2, "board")
    assert board == deck_for(scenario("deal 1 9d -> board")).tag_of(CardRef("9d"), 1)
    assert seen(bridge, 3, "seat 2") == [first]
    assert bridge.heard(TagGone, 3) == [TagGone(first, 1)]
    assert bridge.heard(KeyPressed, 4)


def test_unnamed_cards_are_distinct_and_none_that_the_file_names(play) -> None:
    steps = [f"deal {n} -> board" for n in range(1, 52)]
    scene = scenario(*steps, "scan missing Qd", more="scan_ms = 40")
    bridge = play(scene)
    dealt = {m.tag for m in bridge.heard(TagSeen) if m.antenna == 11}
    queen = deck_for(scene).tag_of(CardRef("Qd"), 0)
    assert len(dealt) == 51
    assert queen not in dealt


def test_a_used_up_deck_is_one_sentence(play) -> None:
    steps = [f"deal {n} -> board" for n in range(1, 54)]
    with pytest.raises(UsageError, match="card 53 cannot be dealt: the deck is used up"):
        play(scenario(*steps, more="scan_ms = 20"))


def test_a_stray_read_is_exactly_one_poll(play) -> None:
    bridge = play(scenario("deal 1 9d -> seat 2", "read 9d -> seat 3", "read 9d -> seat 2"))
    antennas = [m.antenna for m in bridge.heard(TagSeen, 2)]
    assert antennas.count(3) == 1
    assert antennas.count(2) == 4
    assert {m.antenna for m in bridge.heard(TagSeen, 3)} == {2}


def test_the_pad_speaks(play) -> None:
    bridge = play(
        scenario(
            "deal 1 -> seat 2",
            "blind 1 1.50",
            "act 2 fold",
            "exposed 1",
            "button -> seat 3",
            "pot 20.00",
            "muck 2",
        )
    )
    assert bridge.heard(DealerEntry) == [
        DealerEntry("blind", 1, 150),
        DealerEntry("fold", 2),
        DealerEntry("exposed", 1),
        DealerEntry("button", 3),
        DealerEntry("pot", None, 2000),
        DealerEntry("muck", 2),
    ]
    assert seen(bridge, 7, "muck") == seen(bridge, 1, "seat 2")


def test_the_cards_are_gathered_after_the_key_and_numbers_start_again(play) -> None:
    bridge = play(scenario("deal 1 -> seat 1", "next hand", "deal 1 -> seat 2"))
    order = [type(m) for at, _, m in bridge.said if at == 2 and isinstance(m, KeyPressed | TagGone)]
    assert order == [KeyPressed, TagGone]
    assert len(seen(bridge, 3, "seat 2")) == 1


def test_a_scan_shows_the_whole_deck_but_the_missing_cards(play) -> None:
    scene = scenario("deal 1 9d -> seat 1", "scan missing Qd 2c", "scan complete", more="scan_ms = 100")
    bridge = play(scene)
    decks = deck_for(scene)
    missing = {decks.tag_of(CardRef(card), 0) for card in ("Qd", "2c")}
    assert set(seen(bridge, 2, "stub")) == set(deck_tags("blue")) - missing
    assert set(seen(bridge, 3, "stub")) == set(deck_tags("blue"))
    keys = [KEY_NAMES[m.key - 1] for m in bridge.heard(KeyPressed)]
    assert keys == ["scan", "scan end"] * 2
    kinds = [m for at, _, m in bridge.said if at == 2 and isinstance(m, KeyPressed | TagGone)]
    assert isinstance(kinds[0], KeyPressed)
    assert isinstance(kinds[1], TagGone)
    assert isinstance(kinds[-1], KeyPressed)


def test_replug_closes_and_opens_the_link_and_loses_no_card(play) -> None:
    bridge = play(scenario("deal 1 -> seat 1", "replug reader-1", "replug keys-1", "deal 2 -> seat 2"))
    assert [(step, type(given), given.device) for step, given in bridge.links[2:]] == [
        (2, LinkClosed, "reader-1"),
        (2, LinkOpened, "reader-1"),
        (3, LinkClosed, "keys-1"),
        (3, LinkOpened, "keys-1"),
    ]
    assert bridge.links[3][1].generation == 2
    assert bridge.links[3][1].at_mono_ns - bridge.links[2][1].at_mono_ns == pytest.approx(2e9, abs=6e7)
    assert len(seen(bridge, 4, "seat 2")) == 1
    with pytest.raises(ConfigError, match="no device 'reader-9': it has reader-1, keys-1"):
        play(scenario("replug reader-9"))


def test_unread_silent_and_waiting(play) -> None:
    bridge = play(
        scenario(
            "deal 1 -> seat 1",
            "unread 1",
            "wait 2000",
            "seen 1",
            "silence seat 1",
            "wait 2000",
            "wake seat 1",
            "wait 1000",
        )
    )
    is_heard = [bool(bridge.heard(TagSeen, step)) for step in (1, 3, 6, 8)]
    assert is_heard == [True, False, False, True]


def test_the_shoe_draws_the_card_that_lands(play) -> None:
    bridge = play(scenario("deal 1 -> seat 1 up", "deal 2 -> seat 2", more='sensors = "shoe+antennas"'))
    drawn = bridge.heard(CardDrawn)
    assert [card.face for card in drawn] == ["up", "down"]
    assert [card.tag for card in drawn] == [*seen(bridge, 1, "seat 1"), *seen(bridge, 2, "seat 2")]
    alone = play(scenario("deal 1 -> seat 1", more='sensors = "shoe"'))
    assert len(alone.heard(CardDrawn)) == 1
    assert alone.heard(TagSeen) == []


def test_pace_is_the_time_between_two_cards(play) -> None:
    bridge = play(scenario("deal 1 -> seat 1", "deal 2 -> seat 1", "end deal", more="pace_ms = 130"))
    first = min(at for at, _, m in bridge.said if isinstance(m, TagSeen))
    assert first in (1, 2)
    assert len({m.tag for m in bridge.heard(TagSeen) if m.antenna == 1}) == 2


def test_one_table_alone_has_no_other_table_to_go_to(play) -> None:
    with pytest.raises(UnsupportedStepError, match="'at table A' cannot be simulated: this is one table"):
        play(scenario("shuffle", "at table A"))


def test_a_wall_time_is_a_label_and_takes_no_time(play) -> None:
    plain, labelled = play(scenario("shuffle", "cut")), play(scenario("time 10:00:00", "shuffle", "cut"))
    assert [message for _, _, message in labelled.said] == [message for _, _, message in plain.said]
    assert [at for at, _, m in labelled.said if isinstance(m, KeyPressed)] == [2, 3]


def test_pepper_tables_have_two_boards_and_tablelink_keys(play) -> None:
    bridge = play(scenario("deal 1 -> seat 1", "deal 2 -> board", "move 2 -> burn", "cut"), "pepper_c1")
    assert [given.device for _, given in bridge.links] == ["reader-1", "reader-2", "keys-1"]
    boards = {(name, m.antenna) for at, name, m in bridge.said if isinstance(m, TagSeen) and at == 2}
    assert boards == {("reader-1", 1), ("reader-2", 3)}
    gone_to = {(name, m.antenna) for at, name, m in bridge.said if isinstance(m, TagSeen) and at == 3}
    assert ("reader-2", 4) in gone_to
    assert bridge.heard(KeyPressed, 4)


@pytest.mark.parametrize("name", ["S01", "S12", "S41d", "S46a"])
@pytest.mark.parametrize("reader", ["tablelink", "pepper_c1"])
def test_whole_scenarios_play_and_repeat_exactly(play, name: str, reader: str) -> None:
    scene = load_scenario(SCENARIOS / f"{name}.toml")
    first, second = play(scene, reader), play(scene, reader)
    assert first.said == second.said
    dealt = sum(step.startswith("deal") for step in scene.steps)
    assert len({m.tag for m in first.heard(TagSeen)}) == dealt


def test_noise_spoils_reads_but_deals_the_same_cards(play) -> None:
    steps = [f"deal {n} -> seat {1 + n % 3}" for n in range(1, 7)]
    clean = play(scenario(*steps, "wait 4000"))
    noisy = play(scenario(*steps, "wait 4000", more='noise = "poor"\nseed = 3'))
    again = play(scenario(*steps, "wait 4000", more='noise = "poor"\nseed = 3'))
    assert noisy.said == again.said
    cards = {m.tag for m in clean.heard(TagSeen)}
    assert len(noisy.heard(TagSeen, 7)) < len(clean.heard(TagSeen, 7))
    assert len(cards & {m.tag for m in noisy.heard(TagSeen)}) == 6


def test_a_player_goes_on_where_it_stopped(play) -> None:
    scene = scenario("shuffle", "cut")
    bridge = play(scene)
    bridge.watch(bridge.player.play(scene.actions))
    assert [at for at, _, m in bridge.said if isinstance(m, KeyPressed)] == [1, 2, 3, 4]
    assert isinstance(bridge.player, Player)


def test_a_moment_comes_at_least_every_fifty_ms(play) -> None:
    bridge = play(scenario("wait 5000", more='sensors = "shoe"'))
    assert bridge.moments >= 100


def test_the_configuration_is_that_of_the_scenario() -> None:
    config = table_for(scenario("shuffle", more="scan_ms = 200"), "tablelink")
    assert config["table"] == {
        "id": "X",
        "game": "holdem",
        "profile": "nz-1999",
        "seats": 10,
        "occupied": [1, 2, 3],
        "button": 3,
    }
    assert config["device"][0]["cycle_ms"] == 200
