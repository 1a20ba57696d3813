"""Which hand is better, which cards make it, and which hole cards stand for it."""

import subprocess
import sys
from pathlib import Path

import pytest
from phevaluator.card import Card  # type: ignore[import-untyped]

from shoe_bridge.rules.ranking import HEIGHT, Best, best_hand, category, strength
from shoe_bridge.table.cards import STANDARD_52

# One hand of each category at its lower and its upper end, from the lowest hand to the highest.
LADDER = [
    ("high_card", "7c 5d 4h 3s 2c"),
    ("high_card", "As Kd Qh Jc 9s"),
    ("pair", "2c 2d 5h 4s 3c"),
    ("pair", "As Ad Kh Qc Js"),
    ("two_pair", "3c 3d 2h 2s 4c"),
    ("two_pair", "As Ad Kh Kc Qs"),
    ("three_of_a_kind", "2c 2d 2h 4s 3c"),
    ("three_of_a_kind", "As Ad Ah Kc Qs"),
    ("straight", "5c 4d 3h 2s Ac"),
    ("straight", "As Kd Qh Jc Ts"),
    ("flush", "7c 5c 4c 3c 2c"),
    ("flush", "As Ks Qs Js 9s"),
    ("full_house", "2c 2d 2h 3s 3c"),
    ("full_house", "As Ad Ah Kc Ks"),
    ("four_of_a_kind", "2c 2d 2h 2s 3c"),
    ("four_of_a_kind", "As Ad Ah Ac Ks"),
    ("straight_flush", "5c 4c 3c 2c Ac"),
    ("straight_flush", "Kh Qh Jh Th 9h"),
    ("royal_flush", "Ad Kd Qd Jd Td"),
]


def cards(text: str) -> tuple[str, ...]:
    return tuple(text.split())


@pytest.mark.parametrize(("name", "five"), LADDER)
def test_category_at_both_ends(name: str, five: str) -> None:
    assert category(cards(five)) == name
    assert category(cards(five)[::-1]) == name


def test_ladder_rises() -> None:
    rungs = [strength(cards(five)) for _, five in LADDER]
    assert rungs == sorted(set(rungs))
    assert (rungs[0], rungs[-1]) == (1, 7462)


def test_suits_do_not_rank_hands() -> None:
    assert strength(cards("As Ks Qs Js Ts")) == strength(cards("Ac Kc Qc Jc Tc"))
    assert strength(cards("As Kd Qh Jc 9s")) == strength(cards("Ac Kh Qd Js 9c"))


def test_best_five_of_six_and_seven() -> None:
    assert strength(cards("As Ks Qs Js Ts 2c 2d")) == strength(cards("As Ks Qs Js Ts"))
    assert strength(cards("9c 8d 7h 6s 5c Kd")) == strength(cards("9c 8d 7h 6s 5c"))
    assert strength(cards("Kc Kd Qh Qs Jc Jd 2s")) == strength(cards("Kc Kd Qh Qs Jc"))


def test_a_short_deck_changes_nothing() -> None:
    """No text held ranks a flush above a full house, or lets ace to nine be a straight."""
    assert strength(cards("7c 7d 7h 8s 8c")) > strength(cards("Ad Kd Qd Jd 9d"))
    assert category(cards("Ac 6d 7h 8s 9c")) == "high_card"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("As Ks Qs Js", "4 cards"),
        ("As Ks Qs Js Ts 9s 8s 7s", "8 cards"),
        ("As Ks Qs Js As", "twice"),
        ("As Ks Qs Js joker", "'joker'"),
        ("As Ks Qs Js 10s", "'10s'"),
        ("As Ks Qs Js ts", "'ts'"),
    ],
)
def test_what_is_no_hand_is_refused(given: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        strength(cards(given))


def test_category_is_of_five_cards_only() -> None:
    with pytest.raises(ValueError, match="6 cards are no hand"):
        category(cards("As Ks Qs Js Ts 2c"))


@pytest.mark.parametrize(
    ("hole", "board", "uses", "five", "used"),
    [
        # three hole cards, two count: the tens and the aces would be better with all three
        ("Ac Td 8h", "Ks Qh Jd 9c 7s", 2, "Ac Ks Qh Jd Td", "Ac Td"),
        # a straight with the nine on the board, or with his own: his own jack is the higher used card
        ("Jd 8c Ah", "Qh Jc Td 9c 7h", 2, "Qh Jd Td 9c 8c", "Jd 8c"),
        ("9s 8s 7s", "Qh Jc Td 9c 7h", 2, "Qh Jc Td 9s 8s", "9s 8s"),
        # omaha: one spade more would be a flush, but exactly two count
        ("As 2d 3h 4c", "Ks Qs Js 9s 5d", 2, "As Ks Qs Js 4c", "As 4c"),
        # hold-em: both, one, none
        ("As Ad", "Ah Kc Kd 7s 2c", None, "As Ah Ad Kd Kc", "As Ad"),
        ("As 2d", "Ks Qs Js 9s 5d", None, "As Ks Qs Js 9s", "As"),
        ("2c 3d", "Ah Kd Qc Js Th", None, "Ah Kd Qc Js Th", ""),
        # his own ace does as well as the board's and stands for him
        ("Ac 3d", "Ah Kd Qc Js Th", None, "Ac Kd Qc Js Th", "Ac"),
        # draw, five card stud, Caribbean stud: all of them
        ("2c 9d Kh 9s 4c", "", None, "Kh 9s 9d 4c 2c", "Kh 9s 9d 4c 2c"),
        # seven card stud: the higher suit of the spare king, and with a shared last card
        ("Kc Kd Kh Ks Qd Qs 2c", "", None, "Ks Kh Kd Kc Qs", "Ks Kh Kd Kc Qs"),
        ("Kc Kd 7h 6s 3d 2s", "Ah", None, "Ah Kd Kc 7h 6s", "Kd Kc 7h 6s"),
    ],
)
def test_best_hand(hole: str, board: str, uses: int | None, five: str, used: str) -> None:
    best = best_hand(cards(hole), cards(board), uses)
    assert best == Best(strength(cards(five)), cards(five), cards(used))


def test_order_of_the_cards_given_does_not_matter() -> None:
    hole, board = cards("Jd 8c Ah"), cards("Qh Jc Td 9c 7h")
    assert best_hand(hole[::-1], board[::-1], 2) == best_hand(hole, board, 2)


@pytest.mark.parametrize(
    ("hole", "board", "uses", "says"),
    [
        ("As Ad", "Ah Kc", None, "2 hole and 2 board cards make no hand with any number from the hole"),
        ("As", "Ah Kc Kd 7s 2c", 2, "make no hand with 2 from the hole"),
        ("As Ad", "Ah Kc Kd 7s 2c", -1, "make no hand with -1"),
        ("As Ad", "As Kc Kd 7s 2c", None, "twice"),
        ("As joker", "Ah Kc Kd 7s 2c", None, "'joker'"),
    ],
)
def test_no_hand_can_be_made(hole: str, board: str, uses: int | None, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        best_hand(cards(hole), cards(board), uses)


def test_heights_are_the_numbers_of_the_library() -> None:
    assert {card: Card(card).id_ for card in STANDARD_52} == HEIGHT


def test_the_library_is_loaded_at_the_first_hand_and_numpy_never() -> None:
    code = """
import sys
from shoe_bridge.rules import jackpot, pots, ranking
print("phevaluator" in sys.modules)
ranking.strength(("As", "Ks", "Qs", "Js", "Ts"))
print("phevaluator" in sys.modules, "numpy" in sys.modules)
"""
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["False", "True", "False"], done.stderr
