from itertools import islice

import pytest

from shoe_bridge.errors import UsageError
from shoe_bridge.sim.dealer import ERRORS, GAMES, ScriptedHand, hands
from shoe_bridge.sim.steps import Deal, Move, Press, parse_step


def places(hand: ScriptedHand) -> list[str]:
    """Where the cards of the last deal of the hand went, in order."""
    dealt: list[str] = []
    for action in map(parse_step, hand.steps):
        if action == Press("supervisor misdeal"):
            dealt = []
        elif isinstance(action, Deal):
            assert action.number == len(dealt) + 1
            dealt.append(action.place)
    return dealt


def test_a_clean_holdem_hand() -> None:
    (hand,) = islice(hands("holdem", [1, 3, 4], 3, seed=1), 1)
    order = ["seat 4", "seat 1", "seat 3"]
    assert places(hand) == [*order, *order, "burn", *["board"] * 3, "burn", "board", "burn", "board"]
    assert hand.error is None
    assert hand.steps[:2] == ("shuffle", "cut")
    assert hand.steps[-4:] == ("showdown", "push", "next hand", "button -> seat 4")


def test_omaha_is_holdem_with_four_cards_each() -> None:
    (hand,) = islice(hands("omaha", [1, 3, 4], 3, seed=1), 1)
    (like,) = islice(hands("holdem", [1, 3, 4], 3, seed=1), 1)
    assert places(hand) == [*places(like)[:6], *places(like)]


def test_a_clean_manila_hand_has_its_first_board_card_without_a_burn() -> None:
    (hand,) = islice(hands("manila3", [1, 2], 2, seed=1), 1)
    assert places(hand) == [*["seat 1", "seat 2"] * 3, "board", *["burn", "board"] * 4]
    assert hand.steps[hand.steps.index("deal 7 -> board") + 1] == "end deal"


def test_the_button_goes_round_the_occupied_seats() -> None:
    buttons = [hand.button for hand in islice(hands("holdem", [2, 5, 9], 9, seed=1), 5)]
    assert buttons == [9, 2, 5, 9, 2]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("seed", range(8))
def test_every_slip_is_followed_by_a_clean_hand(game: str, error: str, seed: int) -> None:
    first, second = islice(hands(game, [1, 2, 4], 4, seed, [error]), 2)
    (clean,) = islice(hands(game, [1, 2, 4], 4, seed), 1)
    assert (first.error, second.error) == (error, None)
    assert first.steps != clean.steps
    assert len(places(second)) == len(places(clean))
    assert all(parse_step(step) for step in first.steps)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(8))
def test_swapped_cards_are_moved_to_where_they_belong(game: str, seed: int) -> None:
    (hand,) = islice(hands(game, [1, 2, 4], 4, seed, ["order_error"]), 1)
    (clean,) = islice(hands(game, [1, 2, 4], 4, seed), 1)
    dealt = places(hand)
    assert dealt != places(clean)
    for action in map(parse_step, hand.steps):
        if isinstance(action, Move):
            dealt[action.number - 1] = action.place
    assert dealt == places(clean)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("error", ["count_error", "dealt_out", "extra_hand"])
def test_wrong_hands_are_ruled_a_misdeal_and_dealt_again(game: str, error: str) -> None:
    (hand,) = islice(hands(game, [1, 2, 4], 4, 7, [error]), 1)
    (clean,) = islice(hands(game, [1, 2, 4], 4, 7), 1)
    at = hand.steps.index("cannot correct")
    assert hand.steps[at + 1] == "supervisor misdeal"
    assert places(hand) == places(clean)


@pytest.mark.parametrize(("error", "change"), [("missing_burn", -1), ("extra_burn", 1)])
def test_wrong_burns_are_played_on(error: str, change: int) -> None:
    (hand,) = islice(hands("holdem", [1, 2], 2, 3, [error]), 1)
    assert places(hand).count("burn") == 3 + change
    assert places(hand).count("board") == 5
    assert "supervisor play on" in hand.steps


def test_slips_come_in_turn_and_the_same_seed_gives_the_same_hands() -> None:
    first = list(islice(hands("holdem", [1, 2, 3], 3, 5, ["dealt_out", "exposed_card"]), 6))
    assert [hand.error for hand in first] == ["dealt_out", None, "exposed_card", None, "dealt_out", None]
    assert first == list(islice(hands("holdem", [1, 2, 3], 3, 5, ["dealt_out", "exposed_card"]), 6))
    assert first != list(islice(hands("holdem", [1, 2, 3], 3, 6, ["dealt_out", "exposed_card"]), 6))


@pytest.mark.parametrize(
    ("game", "seats", "errors", "wrong"),
    [
        ("draw", [1, 2], [], "cannot deal 'draw'"),
        ("holdem", [1], [], "two or more seats"),
        ("holdem", [1, 11], [], "seats from 1 to 10"),
        ("holdem", [1, 2], ["yawn"], "cannot make the error 'yawn'"),
        ("holdem", list(range(1, 11)), ["extra_hand"], "needs an empty seat"),
    ],
)
def test_what_this_dealer_cannot_do(game: str, seats: list[int], errors: list[str], wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong):
        next(hands(game, seats, 1, 1, errors))
