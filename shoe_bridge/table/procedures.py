"""Deal procedures as data: what the dealer does with the cards of one hand, in order.

The initial deal goes one card at a time over the eligible seats, `passes` times round, beginning left of the
button. Then the streets follow: a burn where `burn` is set, and `cards` community cards. Where `with_deal` is
set, the first street belongs to the initial deal and no betting round lies before it.

Sources: NZ Gazette 1999 No. 11, division 13: 15.1(d), 15.3(a), 15.4(a) for manila3 (text held); 14.3(a),
14.4(a) for manila2 (text held but for the number of hole cards); 16.1(b) for the button of hold-em, the
rest of hold-em and of omaha inferred from common practice, their deal text is not held.
"""

import msgspec


class Street(msgspec.Struct, frozen=True):
    burn: bool
    cards: int
    rule: str | None = None  # the rule that orders this street, None where the text is not held


class Procedure(msgspec.Struct, frozen=True):
    """One game. `uses_hole` is how many hole cards a hand must use (None: any)."""

    game: str
    section: str
    passes: int
    streets: tuple[Street, ...]
    with_deal: bool = False
    uses_hole: int | None = None

    @property
    def board(self) -> int:
        """How many community cards a whole hand has."""
        return sum(street.cards for street in self.streets)

    def street_at(self, boards: int) -> tuple[Street, int] | None:
        """The street that the next community card belongs to, and the number of that street's first card
        (1 for the flop); None when all community cards are dealt. `boards` is how many lie already."""
        first = 1
        for street in self.streets:
            if boards < first - 1 + street.cards:
                return street, first
            first += street.cards
        return None


_FLOP_TURN_RIVER = (Street(True, 3), Street(True, 1), Street(True, 1))


def _one_by_one(first: str, middle: str, last: str) -> tuple[Street, ...]:
    return (Street(False, 1, first), *(Street(True, 1, middle) for _ in range(3)), Street(True, 1, last))


PROCEDURES: dict[str, Procedure] = {
    p.game: p
    for p in (
        Procedure("holdem", "16", 2, _FLOP_TURN_RIVER),
        Procedure("omaha", "17", 4, _FLOP_TURN_RIVER, uses_hole=2),
        Procedure("manila2", "14", 2, _one_by_one("14.1(d)", "14.3(a)", "14.4(a)"), True, 2),
        Procedure("manila3", "15", 3, _one_by_one("15.1(d)", "15.3(a)", "15.4(a)"), True, 2),
    )
}
