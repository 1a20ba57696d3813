"""Deal procedures as data: what the dealer does with the cards of one hand, in order.

The initial deal goes one card at a time over the eligible seats, one pass after the other, beginning left
of the button or, where the game has none, at the dealer's left. The streets follow, each with its burn:
community cards to the board, one card to each player who is left, or the draw. Where `with_deal` is set,
the first street belongs to the initial deal and no betting round lies before it.

Sources: NZ Gazette 1999 No. 11, division 13. Held: 15.1(d), 15.3(a), 15.4(a) for manila3; 14.3(a),
14.4(a) for manila2, but not its number of hole cards; 16.1(b) for the button. The rest of the deals
(holdem, omaha, draw, the studs, Caribbean stud of division 6) follows common practice; their deal text
is not held.
"""

from typing import Literal

import msgspec

TO_BOARD: Literal["board"] = "board"
EACH: Literal["each"] = "each"
DRAW: Literal["draw"] = "draw"
Target = Literal["board", "each", "draw"]


class Street(msgspec.Struct, frozen=True):
    """One dealing round after the initial deal. `cards` to the board, or to each player who is left; in
    a draw each player gets as many as he threw away. `rule` orders it, None where the text is not held."""

    burn: bool
    cards: int
    rule: str | None = None
    target: Target = TO_BOARD


class Procedure(msgspec.Struct, frozen=True):
    """One game. `uses_hole` is how many hole cards a hand must use (None: any), `has_button` whether the
    order of the deal follows a button, `to_dealer` whether the dealer's own hand is dealt too, `family`
    which irregularity rules apply (poker: 19.1; caribbean: none held), `up_passes` the passes that are
    dealt face up."""

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

    @property
    def board(self) -> int:
        """How many community cards a whole hand has."""
        return sum(street.cards for street in self.streets if street.target == TO_BOARD)

    def first_board(self, street: int) -> int:
        """The number of the first community card of a street (1 for the flop); in a game that deals to the
        seats, which card of each player it is."""
        if street < len(self.streets) and self.streets[street].target != TO_BOARD:
            return self.passes + street + 1
        return 1 + sum(s.cards for s in self.streets[:street] if s.target == TO_BOARD)


def _flop_game(game: str, section: str, passes: int, uses_hole: int | None) -> Procedure:
    streets = (Street(True, 3), Street(True, 1), Street(True, 1))
    return Procedure(game, section, passes, streets, uses_hole=uses_hole)


def _one_by_one(game: str, section: str, passes: int, rules: tuple[str, str, str]) -> Procedure:
    first, middle, last = rules
    later = [Street(True, 1, middle)] * 3
    streets = (Street(False, 1, first), *later, Street(True, 1, last))
    return Procedure(game, section, passes, streets, with_deal=True, uses_hole=2)


def _stud(game: str, section: str, passes: int, streets: int, up_passes: tuple[int, ...]) -> Procedure:
    rounds = tuple([Street(True, 1, target=EACH)] * streets)
    return Procedure(game, section, passes, rounds, has_button=False, up_passes=up_passes)


PROCEDURES: dict[str, Procedure] = {
    p.game: p
    for p in (
        Procedure("draw", "11", 5, (Street(True, 0, target=DRAW),)),
        _stud("five_card_stud", "12", 2, 3, (2,)),
        _stud("seven_card_stud", "13", 3, 4, (3,)),
        _one_by_one("manila2", "14", 2, ("14.1(d)", "14.3(a)", "14.4(a)")),
        _one_by_one("manila3", "15", 3, ("15.1(d)", "15.3(a)", "15.4(a)")),
        _flop_game("holdem", "16", 2, None),
        _flop_game("omaha", "17", 4, 2),
        Procedure("caribbean_stud", "", 5, (), has_button=False, to_dealer=True, family="caribbean"),
    )
}
