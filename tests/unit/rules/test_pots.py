"""Equal shares down to the lowest chip; the rest in one piece to the highest used hole card."""

import pytest

from shoe_bridge.rules.games import game_names, open_game
from shoe_bridge.rules.pots import ODD_CHIP_RULE, divide, odd_chip_status
from shoe_bridge.rules.ranking import Best, best_hand

CHIP = 5_00


def tied(*hole_used: str, strength: int = 100) -> dict[int, Best]:
    """Seats 1, 2, ... with hands of one strength, each using these hole cards."""
    hands = {}
    for seat, used in enumerate(hole_used, 1):
        hands[seat] = Best(strength, ("Ks", "Qh", "Jd", "9c", "7s"), tuple(used.split()))
    return hands


def hands(game: str, board: str, **holes: str) -> dict[int, Best]:
    """`s4="Ac Td 8h"` is seat 4's hole cards."""
    uses = open_game(game).uses_hole
    return {
        int(seat[1:]): best_hand(tuple(hole.split()), tuple(board.split()), uses)
        for seat, hole in holes.items()
    }


@pytest.mark.parametrize(
    ("pot", "seats", "shares"),
    [
        (85_00, ("As", "Kd"), {1: 45_00, 2: 40_00}),
        (85_00, ("Kd", "As"), {1: 40_00, 2: 45_00}),
        (175_00, ("2c", "Th", "9s"), {1: 55_00, 2: 65_00, 3: 55_00}),
        (90_00, ("As", "Kd"), {1: 45_00, 2: 45_00}),
        (90_00, ("", ""), {1: 45_00, 2: 45_00}),
        # what lies below the lowest chip goes with the rest, and alone is the rest
        (87_50, ("As", "Kd"), {1: 47_50, 2: 40_00}),
        (82_01, ("As", "Kd"), {1: 42_01, 2: 40_00}),
        # less than a chip for each: one piece to one player
        (5_00, ("2c", "2d", "2h"), {3: 5_00}),
        (0, ("As", "Kd"), {}),
    ],
)
def test_shares(pot: int, seats: tuple[str, ...], shares: dict[int, int]) -> None:
    assert divide(pot, tied(*seats), CHIP) == shares


@pytest.mark.parametrize(
    ("one", "two", "winner"),
    [
        ("2s", "3c", 2),  # rank goes before suit
        ("As", "Ah", 1),
        ("Ad", "Ah", 2),
        ("Ac", "Ad", 2),
        ("Ks 2c", "Kh Qs", 1),  # the highest card alone decides
        ("4c Kd", "Kc 9s", 1),  # wherever it stands
    ],
)
def test_the_rest_goes_to_the_highest_card(one: str, two: str, winner: int) -> None:
    shares = divide(5_00, tied(one, two), CHIP)
    assert shares == {winner: 5_00}


def test_the_best_hand_takes_all_whatever_the_chip() -> None:
    better = {7: Best(101, ("As",), ()), **tied("Ad", "Ah")}
    assert divide(87_53, better, CHIP) == {7: 87_53}


def test_main_pot_and_side_pot() -> None:
    """Seats 1 and 4 tie for the main pot; seat 1 is not in the side pot, which seat 4 takes alone."""
    in_main = hands("manila3", "Ks Qh Jd 9c 7s", s1="Ac Td 8h", s4="Ad Tc 9h", s6="Kd Kc 8c")
    assert divide(155_00, in_main, CHIP) == {1: 75_00, 4: 80_00}
    in_side = {seat: hand for seat, hand in in_main.items() if seat != 1}
    assert divide(60_00, in_side, CHIP) == {4: 60_00}


def test_three_tie_for_the_main_pot_and_two_for_the_side_pot() -> None:
    in_main = hands("manila3", "Qs Jh Tc 8d 7c", s2="Kd 9s 7d", s3="Kc 9h 8h", s5="Kh 9d 7s")
    assert divide(175_00, in_main, CHIP) == {2: 55_00, 3: 55_00, 5: 65_00}
    in_side = {seat: hand for seat, hand in in_main.items() if seat != 5}
    assert divide(45_00, in_side, CHIP) == {2: 25_00, 3: 20_00}


def test_an_unused_hole_card_does_not_count() -> None:
    """Seat 6 holds the ace of hearts beside the two cards that it uses; its jack decides."""
    tie = hands("manila3", "Qh Jc Td 9c 7h", s3="9s 8s 7s", s6="Jd 8c Ah")
    assert divide(95_00, tie, CHIP) == {3: 45_00, 6: 50_00}
    without = hands("manila3", "Qh Jc Td 9c 7h", s3="9s 8s 7s", s6="9d 8c Ah")
    assert divide(95_00, without, CHIP) == {3: 50_00, 6: 45_00}


def test_no_rule_assigns_the_rest_where_the_board_plays() -> None:
    both = hands("holdem", "Ah Kd Qc Js Th", s1="2c 3d", s4="2h 4d")
    assert divide(85_00, both, CHIP) is None
    assert divide(90_00, both, CHIP) == {1: 45_00, 4: 45_00}
    one = hands("holdem", "Ah Kd Qc Js Th", s1="As 3d", s4="2h 4d")
    assert divide(85_00, one, CHIP) is None


def test_no_rule_assigns_the_rest_where_two_claim_one_card() -> None:
    """A deck with the card twice: 19.1(h) speaks then, not the odd chip."""
    assert divide(85_00, tied("As", "As 2c"), CHIP) is None
    assert divide(90_00, tied("As", "As 2c"), CHIP) == {1: 45_00, 2: 45_00}


@pytest.mark.parametrize(
    ("pot", "seats", "chip", "says"),
    [
        (-1, ("As",), CHIP, "pot of -1 cents"),
        (100, ("As",), 0, "lowest chip of 0 cents"),
        (100, ("As",), -5, "lowest chip of -5 cents"),
        (100, (), CHIP, "nobody contests the pot"),
    ],
)
def test_nonsense_is_refused(pot: int, seats: tuple[str, ...], chip: int, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        divide(pot, tied(*seats), chip)


def test_only_section_15_has_its_own_text() -> None:
    assert {game for game in game_names() if odd_chip_status(game) == "held"} == {"manila3"}
    assert open_game("manila3").section == ODD_CHIP_RULE.partition(".")[0]
    assert odd_chip_status("holdem") == odd_chip_status("a game of the house") == "inferred"
