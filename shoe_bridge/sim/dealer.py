"""A dealer for simulated tables: whole hands as step lines, clean ones and ones with a single slip.

What this dealer knows of dealing is its own, so that it can be held against the bridge's reconstruction.

holdem    2 passes face down from the seat left of the button; burn and 3 board cards; burn and 1; burn and 1
omaha     the same with 4 passes
manila2   2 passes face down and 1 board card without a burn; then four times burn and 1
manila3   the same with 3 passes
"""

from collections.abc import Iterator, Sequence
from random import Random

import msgspec

from shoe_bridge.errors import UsageError
from shoe_bridge.sim.tags import STANDARD_52, UNKNOWN

TABLE_SEATS = 10


class _Game(msgspec.Struct, frozen=True):
    passes: int
    opening_board: int  # board cards that belong to the initial deal
    streets: tuple[int, ...]  # board cards of each later round, a burn before each


_GAMES = {
    "holdem": _Game(2, 0, (3, 1, 1)),
    "omaha": _Game(4, 0, (3, 1, 1)),
    "manila2": _Game(2, 1, (1, 1, 1, 1)),
    "manila3": _Game(3, 1, (1, 1, 1, 1)),
}
GAMES = tuple(_GAMES)

ERRORS = (
    "order_error",
    "count_error",
    "dealt_out",
    "extra_hand",
    "missing_burn",
    "extra_burn",
    "exposed_card",
    "equipment",
    "unknown_tag",
)
# these end in a misdeal: the deal cannot be put right
DEALT_AGAIN = frozenset({"count_error", "dealt_out", "extra_hand"})
_BURN_ERRORS = frozenset({"missing_burn", "extra_burn"})


class ScriptedHand(msgspec.Struct, frozen=True):
    """One hand up to the next: `steps` in the format of scenario files, `error` the slip in it or None.

    `button` is the seat with the button in this hand.
    """

    number: int
    game: str
    button: int
    error: str | None
    steps: tuple[str, ...]


def hands(
    game: str,
    seats: Sequence[int],
    button: int,
    seed: int,
    errors: Sequence[str] = (),
    *,
    table_seats: int = TABLE_SEATS,
) -> Iterator[ScriptedHand]:
    """Hands without end. Without `errors` all are clean; with them every other hand, from the first on, has
    one slip, taken from `errors` in turn. Raises UsageError on a game, seats or slip that this dealer cannot
    do."""
    _check(game, seats, errors, table_seats)
    rng = Random(seed)
    number = 0
    while True:
        number += 1
        error = errors[(number // 2) % len(errors)] if errors and number % 2 else None
        order = _clockwise(seats, button)
        script = _Script(_GAMES[game], order, rng)
        empty = [seat for seat in range(1, table_seats + 1) if seat not in seats]
        script.play(error, rng.choice(empty) if error == "extra_hand" else None)
        next_button = order[0]
        script.add("next hand", f"button -> seat {next_button}")
        yield ScriptedHand(number, game, button, error, tuple(script.steps))
        button = next_button


def _check(game: str, seats: Sequence[int], errors: Sequence[str], table_seats: int) -> None:
    if game not in _GAMES:
        raise UsageError(f"the simulated dealer cannot deal '{game}': use one of {', '.join(GAMES)}")
    if len(set(seats)) < 2 or not all(1 <= seat <= table_seats for seat in seats):
        raise UsageError(
            f"the simulated dealer needs two or more seats from 1 to {table_seats}, got {list(seats)}"
        )
    for error in errors:
        if error not in ERRORS:
            raise UsageError(
                f"the simulated dealer cannot make the error '{error}': use one of {', '.join(ERRORS)}"
            )
    if "extra_hand" in errors and len(set(seats)) >= table_seats:
        raise UsageError("extra_hand needs an empty seat at the table: take one out of the occupied seats")


def _clockwise(seats: Sequence[int], button: int) -> list[int]:
    """The seats in the order of the deal: from the first one left of the button round to the button."""
    ordered = sorted(set(seats))
    return [seat for seat in ordered if seat > button] + [seat for seat in ordered if seat <= button]


class _Script:
    """The steps of one hand, growing; cards are numbered off the deck since the last cut."""

    def __init__(self, game: _Game, order: list[int], rng: Random) -> None:
        self.steps: list[str] = []
        self._game = game
        self._order = order
        self._rng = rng
        self._dealt = 0

    def add(self, *steps: str) -> None:
        self.steps.extend(steps)

    def play(self, error: str | None, extra_seat: int | None = None) -> None:
        """The hand from the shuffle to the push, with `error` in it and what staff do about it."""
        self._initial_deal(error, extra_seat)
        if error in DEALT_AGAIN:
            # a card that would have to move has been looked at: the dealer says so, the supervisor decides
            self.add("cannot correct", "supervisor misdeal")
            self._dealt = 0
            self._initial_deal(None, None)
        self._later_streets(error)
        self.add("showdown", "push")

    # -- the initial deal

    def _initial_deal(self, error: str | None, extra_seat: int | None) -> None:
        self.add("shuffle", "cut")
        targets = self._targets(error, extra_seat)
        swapped = self._swap(targets) if error == "order_error" else None
        slip_at = self._rng.randrange(len(targets))
        for index, place in enumerate(targets):
            is_crossing = error == "equipment" and index == slip_at
            card = self._rng.choice(STANDARD_52) if is_crossing else None
            self._deal(place, card)
            if card is not None:
                self.add(f"read {card} -> {self._other_seat(place)}")
            if error == "exposed_card" and index == slip_at:
                self.add("exposed")
        if error != "count_error":
            for _ in range(self._game.opening_board):
                self._deal("board")
        self.add("end deal")
        if swapped is not None:
            self._put_right(*swapped)
        elif error == "exposed_card":
            self.add("supervisor play on")
        if error not in DEALT_AGAIN:
            self.add("end bet")

    def _targets(self, error: str | None, extra_seat: int | None) -> list[str]:
        order = list(self._order)
        if error == "dealt_out":
            order.remove(self._rng.choice(order[1:]))
        if extra_seat is not None:
            order = _clockwise([*order, extra_seat], order[-1])
        targets = [f"seat {seat}" for _ in range(self._game.passes) for seat in order]
        return targets[:-1] if error == "count_error" else targets

    def _swap(self, targets: list[str]) -> tuple[int, str, int, str]:
        """Two neighbours in the deal get each other's card; gives the two card numbers and where each
        belongs."""
        at = self._rng.randrange(len(targets) - 1)
        first, second = targets[at], targets[at + 1]
        targets[at], targets[at + 1] = second, first
        return at + 1, first, at + 2, second

    def _put_right(self, first: int, first_place: str, second: int, second_place: str) -> None:
        self.add(f"move {first} -> {first_place}", f"move {second} -> {second_place}", "corrected")

    def _other_seat(self, place: str) -> str:
        return f"seat {self._rng.choice([seat for seat in self._order if f'seat {seat}' != place])}"

    # -- the board

    def _later_streets(self, error: str | None) -> None:
        streets = self._game.streets
        slip_at = self._rng.randrange(len(streets))
        for index, board_cards in enumerate(streets):
            slip = error if index == slip_at else None
            burns = {"missing_burn": 0, "extra_burn": 2}.get(slip or "", 1)
            for _ in range(burns):
                self._deal("burn")
            for position in range(board_cards):
                is_unknown = slip == "unknown_tag" and position == 0
                self._deal("board", UNKNOWN if is_unknown else None)
            if slip in _BURN_ERRORS:
                self.add("supervisor play on")
            self.add("end bet")

    def _deal(self, place: str, card: str | None = None) -> None:
        self._dealt += 1
        self.add(f"deal {self._dealt} {card} -> {place}" if card else f"deal {self._dealt} -> {place}")
