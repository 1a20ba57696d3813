"""The players at a table: who sits where, whose turn it is, who folds, raises, comes and goes."""

from collections.abc import Sequence
from random import Random

from felt import Felt
from game_sheets import SHEETS, Sheet, clockwise
from table_habits import Habits

MOST_RAISES = 3


class Players:
    """Those who are marked in at one table (`seated`), and where the button lies.

    Of the hand: `order` are its seats in the order of the deal, `left` those still in it, `turn` the seat
    that acts first, `acted` those who have acted in turn since the deal, `paid` what each has put in, in
    cents. `keeps` players at least are left after a round.
    """

    def __init__(self, rng: Random, sheet: Sheet, habits: Habits, seats: Sequence[int]) -> None:
        self.rng = rng
        self.sheet = sheet
        self.habits = habits
        self.felt = Felt(rng, habits.early, habits.late, has_shoe=habits.has_shoe)
        self.seated = sorted(seats)
        self.button = self._first_button()
        self.keeps = 1

    def begin_play(self) -> None:
        """A new hand: nobody has acted."""
        self.acted: list[int] = []
        self.paid: dict[int, int] = {}
        self.order = clockwise(self.seated, self.button)
        self.left = list(self.order)
        self.turn = self.order[0]
        self.enters_actions = self.habits.has_bet_keys and self.rng.random() < 0.8

    def post_blinds(self) -> None:
        """One to three blinds from the left of the button, or none; the turn begins after the last one."""
        self.turn = self.order[0]
        if self.sheet.by_turn and self.rng.random() < 0.8:
            seats = self.order[: min(len(self.order), self.rng.randint(1, 3))]
            for index, seat in enumerate(seats):
                self._pay("blind", seat, 100 << index)
            self.turn = clockwise(self.order, seats[-1])[0]

    def betting_round(self, is_first: bool, closes: bool = True) -> None:
        """Everybody acts in turn until all have matched the last bet, or nobody's action is entered. Without
        `closes` the dealer forgets that the round must be closed."""
        self._look_at_cards()
        if not self.sheet.is_poker:
            self._decide_against_the_dealer()
        elif self.enters_actions:
            self._bet(self.turn if is_first else clockwise(self.left, self.button)[0])
        if closes and self.habits.has_bet_keys and len(self.left) > 1:
            self.felt.press("end bet")

    def _bet(self, first: int) -> None:
        """`first` acts first; in the stud games any player may, for the lowest card begins."""
        rng = self.rng
        if not self.sheet.by_turn:
            first = rng.choice(self.left)
        to_act = [first, *(seat for seat in clockwise(self.left, first) if seat != first)]
        is_open, raises = False, 0
        while to_act and len(self.left) > 1:
            seat = to_act.pop(0)
            chance = rng.random()
            if chance < 0.22 and len(self.left) > self.keeps:
                self.act(seat, "fold")
            elif chance < 0.4 and raises < MOST_RAISES:
                self.act(seat, "raise" if is_open else "open", 400 << raises)
                is_open, raises = True, raises + 1
                to_act = [other for other in clockwise(self.left, seat) if other != seat]
            else:
                self.act(seat, "call" if is_open else "check", 400 << raises if is_open else None)
            is_turn_left = self.sheet.by_turn and len(to_act) > 1
            if is_turn_left and len(self.left) > max(2, self.keeps) and rng.random() < 0.03:
                other = rng.choice(to_act[1:])  # out of turn
                to_act.remove(other)
                self.fold(other)

    def act(self, seat: int, word: str, cents: int | None = None) -> None:
        """`seat` acts in turn."""
        if seat not in self.acted:
            self.acted.append(seat)
        if word == "fold":
            self.fold(seat)
        elif cents is None:
            self.felt.enter(word, seat)
        else:
            self._pay(word, seat, cents)

    def _pay(self, word: str, seat: int, cents: int) -> None:
        self.felt.enter(word, seat, cents)
        self.paid[seat] = self.paid.get(seat, 0) + cents

    def fold(self, seat: int) -> None:
        """The pad's entry, and the cards to the muck before it, after it, or at the end of the hand. In draw
        poker they would look like discards before it."""
        when = self.rng.random()
        if self.sheet == SHEETS["draw"]:
            when = max(when, 0.3)
        if when < 0.3:
            self.muck(seat)
        self.felt.enter("fold", seat)
        if 0.3 <= when < 0.8:
            self.muck(seat, self.habits.tossed)
        if self.rng.random() < 0.1:
            self.felt.enter("muck", seat)
        self.left.remove(seat)
        if self.rng.random() < 0.02 and len(self.seated) > 2:
            self.leave_table(seat)

    def muck(self, seat: int, tossed: float = 0.0) -> None:
        """The cards of a seat go to the muck; `tossed`: how often one is read at another seat on its way."""
        for tag in self.felt.tags_at(f"seat {seat}"):
            if self.rng.random() < tossed:
                self.felt.lay(tag, f"seat {self.rng.choice(self.order)}")
            self.felt.lay(tag, "muck")

    def _decide_against_the_dealer(self) -> None:
        for seat in list(self.left):
            if self.enters_actions:
                if self.rng.random() < 0.3 and len(self.left) >= self.keeps:
                    self.fold(seat)
                else:
                    self.felt.enter("raise", seat, 1000)

    def _look_at_cards(self) -> None:
        """A player lifts his cards off the antenna and puts them back."""
        if self.rng.random() < 0.15:
            place = f"seat {self.rng.choice(self.left)}" if self.left else "board"
            for tag in self.felt.tags_at(place):
                self.felt.lift(tag)
                self.felt.lay(tag, place)

    def one_comes_or_goes(self, may_leave: Sequence[int]) -> None:
        empty = [seat for seat in range(1, 11) if seat not in self.seated]
        if empty and len(self.seated) < self.sheet.most_seats and (not may_leave or self.rng.random() < 0.5):
            seat = self.rng.choice(empty)
            self.felt.enter("sit", seat)
            self.seated = sorted([*self.seated, seat])
        elif may_leave and len(self.seated) > 2:
            self.leave_table(self.rng.choice(list(may_leave)))

    def leave_table(self, seat: int) -> None:
        self.felt.enter("leave", seat)
        self.seated.remove(seat)

    def _first_button(self) -> int | None:
        if not self.sheet.has_button:
            return None
        if self.habits.is_first_hand:
            return max(self.seated)
        return self.rng.choice(self.seated) if self.rng.random() < 0.8 else self.rng.randint(1, 10)
