from pathlib import Path

import pytest

from shoe_bridge.errors import UsageError
from shoe_bridge.sim.scenario import deck_for, load_scenario, parse_scenario
from shoe_bridge.sim.steps import (
    KEY_NAMES,
    AtTable,
    Deal,
    Enter,
    Hide,
    LayHand,
    Move,
    MuckHand,
    Pot,
    Press,
    Replug,
    Scan,
    Silence,
    StrayRead,
    Time,
    Wait,
    parse_step,
)
from shoe_bridge.sim.tags import STANDARD_52, CardRef, RegisteredTag, deck_tags, parse_card

SCENARIOS = sorted((Path(__file__).parents[2] / "scenarios").glob("*.toml"))

HEAD = """
id = "X1"
title = "t"
profile = "nz-1999"
game = "holdem"
seats = [1, 2]
button = 2
"""


def scenario(more: str = "", steps: str = '["shuffle"]'):
    return parse_scenario(f"{HEAD}\nsteps = {steps}\n{more}", "x.toml")


def test_there_are_scenarios() -> None:
    assert len(SCENARIOS) >= 120


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_each_scenario_file_is_understood(path: Path) -> None:
    loaded = load_scenario(path)
    assert loaded.id == path.stem
    assert len(loaded.actions) == len(loaded.steps)
    decks = deck_for(loaded)
    assert set(deck_tags(decks.in_use)) <= set(decks.registered)
    assert not decks.unregistered & set(decks.registered)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("deal 3 -> seat 10", Deal(3, "seat 10")),
        ("deal 12 -> board up", Deal(12, "board", face="up")),
        ("deal 1 Th -> burn", Deal(1, "burn", CardRef("Th"))),
        ("deal 1 Qc@red -> seat 3", Deal(1, "seat 3", CardRef("Qc", deck="red"))),
        ("deal 15 9d#u77 -> board", Deal(15, "board", CardRef("9d", tag_label="u77"))),
        ("deal 5 joker -> seat 5", Deal(5, "seat 5", CardRef("joker"))),
        ("deal 12 unknown -> stub", Deal(12, "stub", CardRef("unknown"))),
        ("move 4 -> dealer", Move(4, "dealer")),
        ("read 9d -> seat 3", StrayRead(CardRef("9d"), "seat 3")),
        ("act 3 raise 2.50", Enter("raise", 3, 250)),
        ("act 3 fold", Enter("fold", 3)),
        ("blind 1 1.00", Enter("blind", 1, 100)),
        ("exposed", Press("exposed")),
        ("exposed 4", Enter("exposed", 4)),
        ("show 2", Enter("show", 2)),
        ("muck 2", MuckHand(2)),
        ("button -> seat 3", Enter("button", 3)),
        ("sit 3", Enter("sit", 3)),
        ("jackpot wager 6", Enter("jackpot_wager", 6)),
        ("pot 85", Pot(8500)),
        ("pot 20.00 1 2", Pot(2000, (1, 2))),
        ("hand 3 9d 8d", LayHand("seat 3", (CardRef("9d"), CardRef("8d")))),
        ("hand dealer Kc", LayHand("dealer", (CardRef("Kc"),))),
        ("board Jh Th", LayHand("board", (CardRef("Jh"), CardRef("Th")))),
        ("scan missing Qd As", Scan((CardRef("Qd"), CardRef("As")))),
        ("scan complete", Scan()),
        ("unread 4", Hide(4)),
        ("seen 4", Hide(4, is_seen=True)),
        ("silence seat 4", Silence("seat 4")),
        ("wake board", Silence("board", is_over=True)),
        ("replug reader-1", Replug("reader-1")),
        ("wait 500", Wait(500)),
        ("at table A", AtTable("A")),
        ("time 00:00:00", Time(0)),
        ("time 21:14:02.9", Time(76_442_900)),
        ("time 23:59:59.999", Time(86_399_999)),
        ("supervisor play on", Press("supervisor play on")),
    ],
)
def test_steps_become_actions(text: str, action: object) -> None:
    assert parse_step(text) == action


def test_every_key_but_the_scan_keys_is_a_step() -> None:
    steps = [key for key in KEY_NAMES if not key.startswith("scan")]
    assert [parse_step(key) for key in steps] == [Press(key) for key in steps]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "deal",
        "deal 0 -> seat 1",
        "deal 1 -> seat 11",
        "deal 1 -> seat 0",
        "deal 1 -> lap",
        "deal 1 1d -> seat 1",
        "deal 1 9x -> seat 1",
        "deal 1 9d@ -> seat 1",
        "deal 1 -> seat 1 sideways",
        "act 3 shout",
        "blind 1 1.5",
        "scan",
        "scan missing",
        "read joker@red -> board",
        "Shuffle",
        "wait -1",
        "at table",
        "time 24:00:00",
        "time 10:60:00",
        "time 1:02:03",
        "time 10:00:00.",
    ],
)
def test_what_is_no_step_is_refused_with_its_text(text: str) -> None:
    with pytest.raises(UsageError, match=r"is not a step|is no card"):
        parse_step(text)


@pytest.mark.parametrize("text", ["9d", "Th", "As", "2c", "joker", "unknown"])
def test_cards_are_rank_then_suit(text: str) -> None:
    assert parse_card(text) == CardRef(text)


def test_all_tags_of_two_decks_differ_and_look_like_iso_15693() -> None:
    tags = [*deck_tags("blue"), *deck_tags("red")]
    assert len(set(tags)) == 104
    assert all(len(tag) == 16 and tag.startswith("E004") for tag in tags)
    assert deck_tags("blue") == deck_tags("blue")


def test_jokers_duplicates_other_decks_and_unregistered_tags() -> None:
    cards = ("9d", "9d#u7", "joker", "unknown")
    steps = [f'"deal {n} {card} -> seat 1"' for n, card in enumerate(cards, start=1)]
    decks = deck_for(scenario(steps=f"[{', '.join(steps)}]"))
    nine = [tag for tag, held in decks.registered.items() if held == RegisteredTag("blue", "9d")]
    assert len(nine) == 2
    assert list(decks.registered.values()).count(RegisteredTag("blue", "joker")) == 1
    assert len(decks.unregistered) == 1
    assert len(decks.registered) == 54
    two = deck_for(
        scenario('[decks]\nblue = "standard52"\nred = "standard52"', '["deal 1 Qc@red -> seat 1"]')
    )
    assert two.in_use == "blue"
    assert len(two.registered) == 104
    assert two.registered[two.tag_of(CardRef("Qc", deck="red"), 1)] == RegisteredTag("red", "Qc")
    assert {held.card for held in two.registered.values()} == set(STANDARD_52)


@pytest.mark.parametrize(
    ("more", "steps", "wrong"),
    [
        ("", "[]", "'steps' is empty"),
        ("", '["shuffle", "dance"]', "step 2: 'dance' is not a step"),
        ("", '["deal 2 -> seat 1"]', "step 1 deals card 2: the next off the deck is 1"),
        ("", '["deal 1 -> seat 1", "next hand", "deal 2 -> seat 1"]', "step 3 deals card 2"),
        ("", '["move 1 -> board"]', "step 1 names card 1: only 0 are dealt"),
        ("", '["deal 1 9d@green -> seat 1"]', "no deck 'green' is listed"),
        ("colour = 3", '["shuffle"]', "'colour' is not a key of scenario files: see"),
        ("pace = 3", '["shuffle"]', "'pace' is not a key of scenario files (did you mean \"pace_ms\"?)"),
        ("actions = []", '["shuffle"]', "'actions' is not a key"),
        ("scan_ms = 5", '["shuffle"]', "'scan_ms' is at least 20"),
        ("pace_ms = 0", '["shuffle"]', "'pace_ms' is at least 1"),
        ('noise = "loud"', '["shuffle"]', "noise 'loud' is not known"),
        ('sensors = "eyes"', '["shuffle"]', "sensors 'eyes' is not known"),
        ("[tables]\nA = [1]", '["shuffle"]', "either 'seats' or 'tables'"),
        ('[decks]\nblue = "pinochle"', '["shuffle"]', "deck 'blue' is a 'pinochle'"),
        ("[[expect]]\nafter = 1", '["shuffle"]', "expect 1 names no kind"),
        ('[[expect]]\nkind = "deal_ok"\nafter = 2', '["shuffle"]', "after = 2 is no step: there are 1"),
        ('[[expect]]\nkind = "deal_ok"\nafter = true', '["shuffle"]', "after = True is no step"),
        ('[[silent]]\nkinds = ["deal_ok"]\nfrom = 2', '["shuffle"]', "silent from 2"),
        ('[[silent]]\nkinds = ["deal_ok"]\ntill = 2', '["shuffle"]', "unknown field `till`"),
        ("[absent]\nkind = []", '["shuffle"]', "unknown field `kind`"),
    ],
)
def test_wrong_files_are_named_with_what_is_wrong(more: str, steps: str, wrong: str) -> None:
    with pytest.raises(UsageError) as raised:
        scenario(more, steps)
    message = str(raised.value)
    assert message.startswith("x.toml")
    assert wrong in message
    assert "\n" not in message


def test_card_numbers_start_again_after_a_misdeal_and_a_hand() -> None:
    steps = ("deal 1 -> seat 1", "supervisor misdeal", "deal 1 -> seat 1", "next hand", "deal 1 -> seat 2")
    loaded = scenario(steps="[" + ", ".join(f'"{step}"' for step in steps) + "]")
    assert len(loaded.actions) == 5


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"missing\.toml does not exist: name a scenario"):
        load_scenario(tmp_path / "missing.toml")
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b"id = \xff")
    with pytest.raises(UsageError, match="is not UTF-8 text"):
        load_scenario(bad)
    bad.write_text("id = ")
    with pytest.raises(UsageError, match="is not TOML"):
        load_scenario(bad)
    bad.write_text("[[deck]]\nid = 'blue'\n")
    with pytest.raises(
        UsageError, match=r"bad\.toml: this is a deck register, expected a scenario: name the"
    ):
        load_scenario(bad)


def test_the_mark_before_a_text_is_no_mistake(tmp_path: Path) -> None:
    marked = tmp_path / "x.toml"
    marked.write_text(f'\ufeff{HEAD}\nsteps = ["shuffle"]\n', encoding="utf-8")
    assert load_scenario(marked) == scenario(steps='["shuffle"]')


def test_each_of_several_tables_numbers_its_own_cards() -> None:
    text = (
        'id = "X"\ntitle = "t"\nprofile = "nz-1999"\ngame = "caribbean_stud"\ntables = { A = [2], B = [6] }\n'
        'steps = ["deal 1 -> seat 2", "at table B", "deal 1 -> seat 6", "at table A", "deal 2 -> dealer"%s]\n'
    )
    assert len(parse_scenario(text % "", "X.toml").actions) == 5
    with pytest.raises(UsageError, match="step 6 deals card 2: the next off the deck is 3"):
        parse_scenario(text % ', "deal 2 -> dealer"', "X.toml")
