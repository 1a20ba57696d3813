"""Rule profiles: whole, consistent with what the fold says, and honest about text that is not held."""

from typing import get_args

import pytest

from shoe_bridge.errors import ConfigError
from shoe_bridge.rules.book import open_book, profile_names
from shoe_bridge.rules.games import game_names, open_game
from shoe_bridge.table.findings import AnyFinding, Conclusion, ReshuffleRequired, Restart

KINDS = {str(kind.__struct_config__.tag) for kind in get_args(AnyFinding)}
LETTERS = [f"19.1({letter})" for letter in "abcdefghijk"]


@pytest.fixture
def book():
    return open_book("nz-1999")


def test_the_profiles_of_this_build():
    assert profile_names() == ("nz-1999", "tda")


def test_a_profile_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(ConfigError, match=r"no rule profile 'nz-2030': choose one of nz-1999") as caught:
        open_book("nz-2030")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("name", profile_names())
def test_a_profile_names_itself_and_its_version(name):
    book = open_book(name)
    assert book.profile == name
    assert book.version


@pytest.mark.parametrize("rule", ["19.1", *LETTERS, "16.1(b)"])
def test_rules_that_are_held_say_what_they_say(book, rule):
    assert len(book.says(rule)) > 20
    assert not book.says(rule).endswith(".")


def test_a_rule_that_is_not_held_says_nothing(book):
    assert book.says("19.1(l)") is None
    assert book.says("19.2") is None


def test_each_finding_that_touches_a_rule_touches_one_of_the_profile(book):
    game = open_game("holdem")
    rules = {kind: rule for kind in KINDS if (rule := book.rule_of(kind, game)) is not None}
    assert rules == {
        "order_error": "19.1(c)",
        "count_error": "19.1(e)",
        "dealt_out": "19.1(d)",
        "extra_hand": "19.1(d)",
        "button_error": "16.1(b)",
        "burn_moved": "def. Burn",
        "deck_defect": "def. Defective Deck",
        "substantial_action": "def. Substantial Action",
    }
    assert all(book.says(rule) for rule in rules.values())


def test_a_rule_about_some_games_is_quoted_in_those_alone(book):
    assert book.rule_of("card_after_end", open_game("manila3")) == "15.4(c)(i)"
    assert book.rule_of("card_after_end", open_game("holdem")) is None
    assert book.rule_of("order_error", open_game("caribbean_stud")) is None


def test_a_street_s_rule_of_another_book_is_not_quoted(book):
    game = open_game("manila3")
    assert book.rule_of_street("missing_burn", game, game.streets[1]) == "15.3(a)"
    assert open_book("tda").rule_of_street("missing_burn", game, game.streets[1]) is None
    holdem = open_game("holdem")
    assert open_book("tda").rule_of_street("missing_burn", holdem, holdem.streets[0]) == "WSOP missing burn"


def test_a_misdeal_is_owed_what_the_profile_s_own_rule_says(book):
    owed = (Conclusion(ReshuffleRequired("19.1"), (4,)), Conclusion(Restart(1, 3), (4,)))
    assert book.owed_after_misdeal(owed) == owed
    assert open_book("tda").owed_after_misdeal(owed) == (
        Conclusion(ReshuffleRequired("TDA 35-C"), (4,)),
        owed[1],
    )


def test_stand_ins_are_of_the_topic_and_the_game(book):
    told = [number for number, _ in book.stand_ins("single_exposed_card", open_game("holdem"))]
    assert told == ["INF-1", "INF-10"]
    assert [n for n, _ in book.stand_ins("single_exposed_card", open_game("seven_card_stud"))] == ["INF-9"]
    assert book.stand_ins("stub_short", open_game("holdem")) == ()


def test_each_street_that_has_a_rule_has_one_of_the_profile(book):
    rules = {street.rule for game in map(open_game, game_names()) for street in game.streets if street.rule}
    assert rules == {"14.1(d)", "14.3(a)", "14.4(a)", "15.1(d)", "15.3(a)", "15.4(a)"}
    assert all(book.says(rule) for rule in rules)


@pytest.mark.parametrize(
    "topic",
    [
        "missed_burn",
        "extra_burn",
        "single_exposed_card",
        "early_community_card",
        "boxed_card",
        "extra_hand_disposal",
        "caribbean_irregularity",
    ],
)
def test_text_that_was_not_found_is_not_held(book, topic):
    assert not book.is_text_held(topic)
