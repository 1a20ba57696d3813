"""Games are files: what the eight say, how a house varies one, and what no file may say."""

from pathlib import Path

import pytest

from shoe_bridge.errors import ConfigError
from shoe_bridge.rules.book import open_book
from shoe_bridge.rules.games import cards_needed, game_names, open_game
from shoe_bridge.table.procedures import cards_of_deal

GOOD = """\
game = "pairs"
title = "Two each, then three"
status = "inferred"
passes = 2
faces = ["down", "down"]
betting_rounds = 2

[[street]]
burn = true
cards = 3
target = "board"
"""


def file_of(folder: Path, text: str, name: str = "pairs.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_the_eight_games():
    assert set(game_names()) == {
        *("manila2", "manila3", "holdem", "omaha"),
        *("draw", "five_card_stud", "seven_card_stud", "caribbean_stud"),
    }


@pytest.mark.parametrize(
    ("game", "passes", "board", "burns", "seats", "needed"),
    [
        ("manila2", 2, 5, 4, 9, 2 * 9 + 9),
        ("manila3", 3, 5, 4, 9, 3 * 9 + 9),
        ("holdem", 2, 5, 3, 10, 2 * 10 + 8),
        ("omaha", 4, 5, 3, 10, 4 * 10 + 8),
        ("draw", 5, 0, 1, 6, 5 * 6 + 1),
        ("five_card_stud", 2, 0, 3, 8, 5 * 8 + 3),
        ("seven_card_stud", 3, 0, 4, 7, 7 * 7 + 4),
        ("caribbean_stud", 5, 0, 0, 6, 5 * 7),
    ],
)
def test_each_deal_adds_up(game, passes, board, burns, seats, needed):
    dealt = open_game(game)
    assert dealt.game == dealt.follows == game
    assert (dealt.passes, dealt.board) == (passes, board)
    assert sum(street.burn for street in dealt.streets) == burns
    assert cards_needed(dealt, seats) == needed


def test_what_sets_the_games_apart():
    assert {name for name in game_names() if not open_game(name).has_button} == {
        *("five_card_stud", "seven_card_stud", "caribbean_stud")
    }
    assert [name for name in game_names() if open_game(name).to_dealer] == ["caribbean_stud"]
    assert {name: open_game(name).uses_hole for name in ("manila3", "holdem", "omaha")} == {
        "manila3": 2,
        "holdem": None,
        "omaha": 2,
    }
    assert open_game("seven_card_stud").up_passes == (3,)
    assert [street.face for street in open_game("seven_card_stud").streets] == ["up", "up", "up", "down"]
    assert open_game("manila3").status == "held"
    assert open_game("manila2").decks == (52, 36, 32)
    assert cards_of_deal(open_game("manila3"), 4) == 13  # its first community card comes with the deal


def test_a_file_is_a_game(tmp_path):
    game = open_game(str(file_of(tmp_path, GOOD)))
    assert (game.game, game.follows, game.passes, game.board) == ("pairs", "pairs", 2, 3)


def test_a_variation_says_only_what_differs(tmp_path):
    text = 'extends = "draw"\ngame = "draw-32"\ndecks = [32]\nseats_most = 5\n'
    game = open_game(str(file_of(tmp_path, text)))
    base = open_game("draw")
    assert (game.game, game.follows) == ("draw-32", "draw")
    assert (game.deck_cards, game.seats_most) == (32, 5)
    assert (game.passes, game.streets) == (base.passes, base.streets)


def test_a_variation_of_a_variation_follows_the_first(tmp_path):
    file_of(tmp_path, 'extends = "draw"\ngame = "one"\n', "one.toml")
    path = file_of(tmp_path, 'extends = "one.toml"\ngame = "two"\ntitle = "Two"\n', "two.toml")
    assert (open_game(str(path)).follows, open_game(str(path)).title) == ("draw", "Two")


def test_the_rules_of_a_game_go_on_applying_to_its_variation(tmp_path):
    game = open_game(str(file_of(tmp_path, 'extends = "manila3"\ngame = "manila-36"\ndecks = [36]\n')))
    assert open_book("nz-1999").rule_of("card_after_end", game) == "15.4(c)(i)"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("passes = 2", "passes = 0", "line 4: passes is 0, expected a whole number from 1 to 10"),
        ("passes = 2", "passes = -2", "line 4: passes is -2, expected a whole number from 1 to 10"),
        ("passes = 2", "passes = 3", "line 5: faces has 2 for 3 passes, expected one each"),
        ('"down", "down"', '"down", "side"', 'line 5: faces[2] is "side", expected down or up'),
        ("betting_rounds", "bettingrounds", 'line 6: unknown key "bettingrounds" at the top level (did you'),
        ("betting_rounds = 2", "betting_rounds = 5", "line 6: betting_rounds is 5, expected 2"),
        (
            "betting_rounds = 2\n",
            "",
            'line 1: the key "betting_rounds" is missing at the top level, expected',
        ),
        ('"pairs"', '"holdem"', 'line 1: "holdem" is a game of this build, expected a name of the house'),
        ('"pairs"', '"Two Pairs"', 'line 1: game is "Two Pairs", expected a name of small letters'),
        ("burn = true", "burn = 1", "line 9: burn is 1, expected true or false"),
        ("cards = 3", "cards = -1", "line 10: cards is -1, expected a whole number from 0 to 10"),
        ("cards = 3", "cards = 0", "line 10: cards is 0, expected 1 or more"),
        (
            '"board"',
            '"bord"',
            'line 11: target is "bord", expected board, draw or each (did you mean "board"?)',
        ),
        ('"board"', '"draw"', "line 10: cards is 3, expected 0 in a draw"),
        ('"board"', '"board"\nrule = "19.1(z)"', 'line 12: rule "19.1(z)" is in no profile (did you mean'),
        ('"board"', '"board"\nface = "down"', "line 12: community cards lie face up"),
        ('"board"', '"board"\ndraw_limit = 3', 'line 12: draw_limit is for target = "draw" only'),
        (
            "passes = 2",
            "passes = 2\nseats_least = 9\nseats_most = 3",
            "line 5: seats_least is 9, expected at",
        ),
        (
            "passes = 2",
            "passes = 2\ndecks = [7]",
            "line 5: decks has one of 7 cards, expected at least the 8",
        ),
        (
            "passes = 2",
            "passes = 2\ndecks = [19]",
            "line 1: seats_most is 10, expected so few that 19 cards do",
        ),
        ("passes = 2", "passes = 2\ndecks = [52, 52]", "line 5: decks names 52 cards twice"),
        ("passes = 2", "passes = 2\nhole_used = 3", "line 5: hole_used is 3, expected at most 2"),
        ("passes = 2", "passes = 2\nhole_used = 1", "line 5: hole_used is 1, expected at most 2 and with 3"),
        ("passes = 2", 'passes = 2\nrecipients = ["dealer"]', "line 5: recipients names the seats once"),
        ("passes = 2", "passes = 2\npasses = 2", "line 5: this is not TOML: cannot overwrite a value"),
    ],
)
def test_what_no_file_may_say(tmp_path, refusal, old, new, said):
    assert GOOD.count(old) == 1, old
    path = file_of(tmp_path, GOOD.replace(old, new))
    known = open_book("nz-1999").rules_known
    assert f"pairs.toml, {said}" in refusal(lambda name: open_game(name, known), path)


@pytest.mark.parametrize(
    ("extended", "said"),
    [
        ('"holdm"', 'line 1: extends is "holdm", expected caribbean_stud, draw'),
        ('"gone.toml"', "which does not exist, expected a name or a path"),
        ("7", "line 1: extends is 7, expected a name or a path in quotes"),
        ('"pairs.toml"', "line 1: extends goes round in a cycle, pairs.toml and pairs.toml, expected a file"),
    ],
)
def test_a_file_extends_one_that_is_there_and_not_itself(tmp_path, refusal, extended, said):
    path = file_of(tmp_path, f"extends = {extended}\n{GOOD}")
    assert said in refusal(open_game, path)


def test_two_files_that_extend_each_other_are_refused(tmp_path, refusal):
    file_of(tmp_path, 'extends = "two.toml"\ngame = "one"\n', "one.toml")
    path = file_of(tmp_path, 'extends = "one.toml"\ngame = "two"\n', "two.toml")
    said = refusal(open_game, path)
    assert "one.toml, line 1: extends goes round in a cycle, two.toml, one.toml and two.toml" in said


def test_a_file_that_is_not_there_or_not_text(tmp_path, refusal):
    assert "The game gone.toml does not exist: name one of" in refusal(open_game, tmp_path / "gone.toml")
    assert "line 1: the file is empty, expected a game" in refusal(open_game, file_of(tmp_path, "  \n"))
    torn = tmp_path / "torn.toml"
    torn.write_bytes(b'game = "x"\ntitle = "\xff"\n')
    assert "torn.toml, line 2: a byte 0xFF is not UTF-8 text" in refusal(open_game, torn)


def test_a_name_that_is_no_game_is_answered_with_those_that_are():
    with pytest.raises(ConfigError, match=r"there is no game 'holdm': choose one of caribbean_stud, draw"):
        open_game("holdm")


def test_a_draw_limit_counts_into_what_a_hand_can_need(tmp_path):
    street = '[[street]]\nburn = true\ncards = 0\ntarget = "draw"\nface = "down"\ndraw_limit = 3\n'
    text = f'extends = "draw"\ngame = "draw-3"\n{street}'
    assert cards_needed(open_game(str(file_of(tmp_path, text))), 4) == 4 * 5 + 1 + 4 * 3
    over = text.replace("draw_limit = 3", "draw_limit = 6")
    with pytest.raises(ConfigError, match="draw_limit is 6, expected at most the 5 cards of a hand"):
        open_game(str(file_of(tmp_path, over)))
