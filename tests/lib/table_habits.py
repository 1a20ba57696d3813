"""What differs from table to table and does not change on one: keys, sensors, the ways of its people."""

from random import Random
from typing import NamedTuple

BET_KEYS = ("end bet", "showdown")
SHUFFLE_KEYS = ("shuffle", "cut")
OTHER_KEYS = ("end deal", "push", "next hand")


class Habits(NamedTuple):
    """One table. `is_first_hand`: it has just been opened, so that the button begins at the highest seat."""

    has_bet_keys: bool = True
    has_shuffle_keys: bool = True
    has_next_key: bool = True
    tracks_button: bool = False
    is_first_hand: bool = False
    has_shoe: bool = False
    sees_stub: bool = False
    moves_button_at_once: bool = False  # when the pot is pushed, not when the next hand is begun
    early: float = 0.5  # how often a card is seen at its new place before it has left the old one
    late: float = 0.0  # how often, of those, that it has left is only known later
    tossed: float = 0.0  # how often a folded card is read at another seat on its way to the muck


def any_habits(rng: Random) -> Habits:
    has_shuffle_keys = rng.random() < 0.85
    return Habits(
        has_bet_keys=rng.random() < 0.85,
        has_shuffle_keys=has_shuffle_keys,
        has_next_key=not has_shuffle_keys or rng.random() < 0.7,
        tracks_button=rng.random() < 0.4,
        is_first_hand=rng.random() < 0.3,
        has_shoe=rng.random() < 0.15,
        sees_stub=rng.random() < 0.15,
        moves_button_at_once=rng.random() < 0.3,
        early=rng.choice((0.0, 0.3, 0.7, 1.0)),
        late=rng.choice((0.0, 0.0, 0.5)),
        tossed=rng.choice((0.0, 0.0, 0.1)),
    )
