"""Profiles are files: whole, honest about what is not held, and refused where they cannot be followed."""

from pathlib import Path

import msgspec
import pytest

from shoe_bridge.errors import ConfigError
from shoe_bridge.rules.profile_file import open_profile, profile_names, rules_of_build

GOOD = """\
profile = "house"
version = "3"
title = "House rules"
decides = "floor"

[rules.H1]
status = "held"
says = "cards out of order"
games = ["holdem"]

[rules.H2]
status = "missing"

[rules.H3]
status = "inferred"
says = "put it right"
stands_in_for = "H2"

[findings]
order_error = ["H1"]

[topics]
boxed_card = "missing"

[checks.order]
rule = "H1"

[[checks.exposed]]
rule = "H1"
games = ["draw"]
cards = 2

[settings]
action_players = 2

[readings.A1]
point = "who acted"
reading = "players"
switches = ["action_players"]
"""
LETTERS = [f"19.1({letter})" for letter in "abcdefghijk"]


def test_a_good_file_is_a_profile(tmp_path):
    path = tmp_path / "house.toml"
    path.write_text(GOOD)
    profile = open_profile(str(path))
    assert (profile.profile, profile.version) == ("house", "3")
    assert profile.rules["H2"].says is None
    assert profile.checks.exposed[0].cards == 2
    assert profile.checks.counts is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'status = "missing"',
            'status = "mising"',
            'line 12: status is "mising", expected follows, held, inf',
        ),
        (
            'status = "missing"',
            'status = "missing"\nthen = "void"',
            "line 11: rule H2 is missing and yet says",
        ),
        (
            'says = "cards out of order"\n',
            "",
            "line 6: rule H1 is held and says nothing, expected says = ...",
        ),
        (
            'games = ["holdem"]',
            'games = ["holdm"]',
            'line 9: there is no game "holdm" (did you mean "holdem"?)',
        ),
        ('games = ["draw"]', 'games = ["drew"]', 'line 30: there is no game "drew" (did you mean "draw"?)'),
        ('order_error = ["H1"]', 'order_error = ["H9"]', 'line 20: there is no rule "H9" in this profile'),
        ('order_error = ["H1"]', 'order_eror = ["H1"]', 'line 20: there is no finding "order_eror" (did you'),
        ('[checks.order]\nrule = "H1"', '[checks.order]\nrule = "H7"', 'line 26: there is no rule "H7" in'),
        (
            '[checks.order]\nrule = "H1"',
            '[checks.order]\nrule = "H2"',
            "line 26: the text of rule H2 is missing",
        ),
        (
            "[checks.order]",
            "[checks.ordre]",
            'line 25: unknown key "ordre" in [checks] (did you mean "order"?)',
        ),
        ("cards = 2", "cards = -1", "line 31: cards is -1, expected a whole number from 0 to 60"),
        ("action_players = 2", "action_players = 0", "line 33: nothing makes substantial action, expected"),
        ('["action_players"]', '["action_player"]', 'line 39: there is no setting "action_player" (did you'),
        ('stands_in_for = "H2"', 'stands_in_for = "H8"', 'line 17: there is no rule or topic "H8".'),
        ('stands_in_for = "H2"', 'stands_in_for = "H3"', "line 17: rule H3 stands in for itself, H3 and H3"),
        (
            'status = "missing"',
            'status = "inferred"\nsays = "that"\nstands_in_for = "H3"',
            "line 14: rule H2 stands in for itself, H2, H3 and H2, expected a text that is missing",
        ),
        ('profile = "house"', 'profile = "tda"', 'line 1: "tda" is a profile of this build, expected a name'),
        ('version = "3"', 'version = ""', 'line 2: version is "", expected a text in quotes'),
        (
            'version = "3"\n',
            "",
            'line 1: the key "version" is missing at the top level, expected such as version',
        ),
        (
            'version = "3"',
            'version = "3"\nextends = "nz"',
            'line 3: extends is "nz", expected nz-1999 or tda',
        ),
        ('version = "3"', 'version = "3"\nextends = "house.toml"', "line 3: extends goes round in a cycle"),
        ("[rules.H2]", "[rules.H1]", "line 11: this is not TOML: cannot declare"),
    ],
)
def test_what_no_profile_may_say(tmp_path, refusal, old, new, said):
    assert GOOD.count(old) == 1, old
    path = tmp_path / "house.toml"
    path.write_text(GOOD.replace(old, new))
    assert f"house.toml, {said}" in refusal(open_profile, path)


def test_a_house_says_only_what_differs(house):
    profile, base = house("[settings]\naction_players = 3"), open_profile("nz-1999")
    assert (profile.profile, profile.version) == ("house", "7")
    assert profile.settings.action_players == 3
    assert msgspec.structs.replace(profile.settings, action_players=2) == base.settings
    assert (profile.rules, profile.checks, profile.topics) == (base.rules, base.checks, base.topics)


def test_a_mistake_in_a_house_s_file_is_named_by_its_own_line(tmp_path, refusal):
    path = tmp_path / "house.toml"
    path.write_text('extends = "nz-1999"\nprofile = "house"\n[checks.order]\nrule = "19.1(z)"\n')
    assert 'house.toml, line 4: there is no rule "19.1(z)" in this profile' in refusal(open_profile, path)


def test_a_profile_that_is_not_there():
    with pytest.raises(ConfigError, match=r"there is no rule profile 'nz-2030': choose one of nz-1999, tda"):
        open_profile("nz-2030")


# -- the profiles of this build


@pytest.mark.parametrize("name", profile_names())
def test_nothing_is_asserted_on_a_text_that_is_missing(name):
    profile = open_profile(name)
    missing = {number for number, rule in profile.rules.items() if rule.status == "missing"}
    assert all(profile.rules[number].then is None for number in missing)
    assert not missing & {rule for rules in profile.findings.values() for rule in rules}


@pytest.mark.parametrize("name", profile_names())
def test_each_check_rests_on_a_rule_with_its_condition_and_consequence(name):
    checks = open_profile(name).checks
    found = [getattr(checks, field.name) for field in msgspec.structs.fields(checks)]
    named = {
        each.rule for check in found for each in (check if isinstance(check, tuple) else (check,)) if each
    }
    rules = open_profile(name).rules
    assert len(named) >= 8
    assert all(rules[number].when and rules[number].then and rules[number].unless for number in named)


def test_each_letter_of_the_held_section_is_there_with_its_games():
    rules = open_profile("nz-1999").rules
    assert all(rules[letter].status == "held" and rules[letter].source for letter in LETTERS)
    assert rules["19.1(i)"].games == ("draw",)
    assert rules["19.1(j)"].games == rules["19.1(k)"].games == ("five_card_stud",)
    assert {rules[number].status for number in ("19.1(l)", "19.2", "4.1(b)", "17", "18", "11.11")} == {
        "missing"
    }


def test_all_nineteen_ambiguities_are_read_and_those_that_can_be_are_switched():
    readings = open_profile("nz-1999").readings
    assert list(readings) == [f"A{number}" for number in range(1, 20)]
    assert [name for name, reading in readings.items() if reading.switches] == [
        *("A1", "A2", "A3", "A6", "A7", "A12", "A13", "A14", "A15", "A16")
    ]


def test_every_setting_is_the_switch_of_some_reading():
    switched = {
        switch
        for name in profile_names()
        for reading in open_profile(name).readings.values()
        for switch in reading.switches
    }
    assert switched == {field.name for field in msgspec.structs.fields(open_profile("tda").settings)}


def test_the_stand_ins_for_what_is_missing_are_marked_as_such():
    rules = open_profile("nz-1999").rules
    stand_ins = {number: rule for number, rule in rules.items() if rule.stands_in_for}
    assert set(stand_ins) == {*(f"INF-{number}" for number in range(1, 11)), "CS-1", "CS-2"}
    assert {rule.status for rule in stand_ins.values()} == {"inferred"}


def test_the_numbers_that_game_files_may_quote():
    assert {"15.3(a)", "TDA 36"} <= rules_of_build()


def test_the_files_are_the_ones_that_are_named():
    folder = Path(__file__).parents[3] / "shoe_bridge" / "rules" / "profiles"
    assert tuple(sorted(file.stem for file in folder.glob("*.toml"))) == profile_names()
    assert all(open_profile(name).profile == name for name in profile_names())
