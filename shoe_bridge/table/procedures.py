"""Deal procedures: what the dealer does with the cards of one hand, in order. The games are files (`rules`).

The initial deal goes one card at a time over the eligible seats, one pass after the other, beginning left
of the button or, where the game has none, at the dealer's left. The streets follow, each with its burn:
community cards to the board, one card to each player who is left, or the draw. Where `with_deal` is set,
the first street belongs to the initial deal and no betting round lies before it.
"""

from typing import Literal

import msgspec

TO_BOARD: Literal["board"] = "board"
EACH: Literal["each"] = "each"
DRAW: Literal["draw"] = "draw"
Target = Literal["board", "each", "draw"]
Face = Literal["up", "down"]
Status = Literal["held", "follows", "inferred", "missing"]


class Street(msgspec.Struct, frozen=True):
    """One dealing round after the initial deal. `cards` to the board, or to each player who is left; in
    a draw each player gets as many as he threw away, at most `draw_limit` (None: no limit is known).
    `rule` orders it, None where the text is not held."""

    burn: bool
    cards: int
    rule: str | None = None
    target: Target = TO_BOARD
    face: Face = "up"
    draw_limit: int | None = None


class Procedure(msgspec.Struct, frozen=True):
    """One game as it is dealt at a table.

    `uses_hole` is how many hole cards a hand must use (None: any), `has_button` whether the order of the
    deal follows a button, `to_dealer` whether the dealer's own hand is dealt too, `family` which
    irregularity rules apply (poker, or caribbean), `up_passes` the passes that are dealt face up, `plays_as`
    the game whose rules a house's variation follows (empty: its own). `status` says where the deal text
    comes from. `deck_cards` is how many cards this table plays with, `decks` the make-ups that the game
    allows, the usual one first.
    """

    game: str
    section: str
    passes: int
    streets: tuple[Street, ...]
    with_deal: bool = False
    uses_hole: int | None = None
    has_button: bool = True
    to_dealer: bool = False
    family: str = "poker"
    up_passes: tuple[int, ...] = ()
    plays_as: str = ""
    title: str = ""
    status: Status = "inferred"
    decks: tuple[int, ...] = (52,)
    deck_cards: int = 52
    seats_least: int = 2
    seats_most: int = 10
    betting_rounds: int = 0

    @property
    def follows(self) -> str:
        """The name by which rules know this game."""
        return self.plays_as or self.game

    @property
    def board(self) -> int:
        """How many community cards a whole hand has."""
        return sum(street.cards for street in self.streets if street.target == TO_BOARD)

    @property
    def streets_to_board(self) -> int:
        """How many streets come before the first that does not go to the board."""
        return next(
            (n for n, street in enumerate(self.streets) if street.target != TO_BOARD), len(self.streets)
        )

    def first_board(self, street: int) -> int:
        """The number of the first community card of a street (1 for the flop); in a game that deals to the
        seats, which card of each player it is."""
        if street < len(self.streets) and self.streets[street].target != TO_BOARD:
            return self.passes + street + 1
        return 1 + sum(s.cards for s in self.streets[:street] if s.target == TO_BOARD)

    def has_target(self, target: Target) -> bool:
        return any(street.target == target for street in self.streets)


def cards_of_deal(game: Procedure, seats: int) -> int:
    """Cards of the initial deal to so many seats, with the community cards that belong to it."""
    hands = seats + (1 if game.to_dealer else 0)
    opening = game.streets[0] if game.with_deal else None
    return hands * game.passes + (cards_of_street(opening, seats) if opening else 0)


def cards_of_street(street: Street, seats: int) -> int:
    """Cards that a street takes off the deck, its burn included, with so many players left: in a draw the
    most that its limit allows, only the burn where no limit is known."""
    each = street.draw_limit or 0 if street.target == DRAW else street.cards
    return int(street.burn) + (each if street.target == TO_BOARD else each * seats)


def cards_needed(game: Procedure, seats: int) -> int:
    """Cards off the deck when nobody of so many seats leaves the hand before its end."""
    later = game.streets[1:] if game.with_deal else game.streets
    return cards_of_deal(game, seats) + sum(cards_of_street(street, seats) for street in later)
