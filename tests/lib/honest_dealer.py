"""A dealer and players who make no mistake: any number of legal hands of one game at one table.

Everything random comes from one `Random`. The dealer knows the table as people do (who is marked in, where
the button lies, whose turn it is) and so also what the bridge must conclude of each hand.
"""

from collections.abc import Callable, Sequence
from random import Random

from felt import REGISTER, TAG_OF
from game_sheets import DECK_SIZE, SHEETS, clockwise, deal_plan, game_in_use
from players import Players
from table_habits import BET_KEYS, OTHER_KEYS, SHUFFLE_KEYS, Habits

from shoe_bridge.table.deck import Register
from shoe_bridge.table.findings import AnyFinding, DealOk, HandOver, SubstantialAction
from shoe_bridge.table.state import Setup


class Dealer(Players):
    """One table from its opening on. `hand` plays one hand; the parts of it are there for those who play a
    hand with a slip in it. `at_card` is called with the number of each card off the deck once it has been
    laid, `odd_cards` are tags dealt instead of the cards of these numbers.

    `dealt` and `tags` are the places and tags of all cards off the deck since the cut.
    """

    def __init__(
        self,
        rng: Random,
        game: str,
        habits: Habits,
        register: Register = REGISTER,
        seats: Sequence[int] | None = None,
    ) -> None:
        if seats is None:
            seats = rng.sample(range(1, 11), rng.randint(2, SHEETS[game].most_seats))
        super().__init__(rng, SHEETS[game], habits, seats)
        self.number = 0
        self.at_card: Callable[[int], None] = lambda number: None
        self.odd_cards: dict[int, str] = {}
        keys: tuple[str, ...] = OTHER_KEYS
        keys += BET_KEYS if habits.has_bet_keys else ()
        keys += SHUFFLE_KEYS if habits.has_shuffle_keys else ()
        self.setup = Setup(
            f"{game} table",
            game_in_use(game),
            tuple(self.seated),
            self.button,
            register,
            ("reader-1", "keys-1", "shoe-1"),
            keys,
            tracks_button=habits.tracks_button and self.sheet.has_button,
            is_first_hand=habits.is_first_hand and self.sheet.has_button,
        )
        self._clear()

    # -- a whole hand

    def hand(self) -> None:
        """One legal hand from the end of the one before to the end of the gathering after its push."""
        self.begin()
        self.deal_initial()
        self.play_streets()
        self.finish()

    def conclusions(self) -> list[AnyFinding]:
        """What must stand when the hand is played out, and nothing else."""
        board, burns, cards = self.dealt.count("board"), self.dealt.count("burn"), len(self.dealt)
        found: list[AnyFinding] = [DealOk(cards - board - burns, board, burns, cards)]
        if self.sheet.is_poker:
            found.append(SubstantialAction(len(self.acted), len(self.acted) >= 2))
            if len(self.left) == 1:
                found.append(HandOver(self.left[0]))
        return found

    # -- before the cards

    def begin(self) -> None:
        """The hand before is closed, players come and go, the button moves, the deck is shuffled and cut."""
        is_shuffled = self.open_hand()
        if self.habits.has_shuffle_keys:
            self.shuffle_and_cut(is_shuffled)
        self.post_blinds()

    def open_hand(self) -> bool:
        """Up to the shuffle; True where the shuffle itself has begun the hand."""
        self.number += 1
        is_shuffled = False
        if self.number > 1:
            is_shuffled = not self.habits.has_next_key  # there, the shuffle begins the next hand
            gathers_after = (
                self.habits.has_next_key and self.habits.has_shuffle_keys and self.rng.random() < 0.5
            )
            if not gathers_after:
                self.gather()
            self.felt.press("shuffle" if is_shuffled else "next hand")
            if not self.habits.moves_button_at_once:
                self.move_button()
            if gathers_after:
                self.gather()
        self._clear()
        self.settle_seats()
        return is_shuffled

    def shuffle_and_cut(self, is_shuffled: bool = False) -> None:
        if not is_shuffled:
            self.felt.press("shuffle")
        if self.rng.random() < 0.1:
            self.felt.press("cut begin")
        self.felt.press("cut")

    def move_button(self) -> None:
        """One place clockwise when a hand is concluded (16.1(b)): to the next player then marked in."""
        if self.button is not None:
            self.button = clockwise(self.seated, self.button)[0]
            if self.habits.tracks_button:
                self.felt.enter("button", self.button)

    def settle_seats(self) -> None:
        """Players sit down and leave before the first card; who leaves the button makes it a dead button."""
        rng = self.rng
        while rng.random() < 0.15:
            self.one_comes_or_goes(self.seated)
        if self.number == 1 and self.habits.is_first_hand and self.button is not None:
            highest = max(self.seated)
            if highest != self.button:
                self.button = highest
                if self.habits.tracks_button:
                    self.felt.enter("button", highest)
        elif self.button is not None and not self.habits.tracks_button and rng.random() < 0.05:
            self.button = rng.randint(1, 10)
            self.felt.enter("button", self.button)
        self.order = clockwise(self.seated, self.button)
        self.left = list(self.order)

    # -- the cards

    def deal(self, place: str) -> None:
        """The next card off the deck to `place`."""
        top = self.deck.pop()
        tag = self.odd_cards.get(len(self.dealt) + 1, top)
        self.felt.draw(tag)
        self.felt.lay(tag, place)
        self._note(tag, place)

    def _note(self, tag: str, place: str) -> None:
        self.dealt.append(place)
        self.tags.append(tag)
        self.at_card(len(self.dealt))

    def deal_initial(self) -> None:
        plan = deal_plan(self.sheet, self.order)
        comes_at = self.rng.randrange(len(plan)) if self.rng.random() < 0.1 else None
        for index, place in enumerate(plan):
            self.deal(place)
            if index == comes_at:
                self.one_comes_or_goes([])
        self.end_deal()

    def end_deal(self) -> None:
        self.felt.press("end deal")

    def play_streets(self, first: int = 0) -> None:
        """The betting rounds and the streets from `first` on, as far as more than one player is left."""
        self.betting_round(is_first=first == 0)
        for street in range(first, len(self.sheet.streets)):
            if len(self.left) == 1 or not self.has_cards_for(street):
                return
            self.deal_street(street)
            self.betting_round(is_first=False)

    def has_cards_for(self, street: int) -> bool:
        kind, cards = self.sheet.streets[street]
        return len(self.deck) > (len(self.left) if kind == "each" else cards)

    def deal_street(self, street: int) -> None:
        self.deal("burn")
        self.deal_cards_of(street)

    def deal_cards_of(self, street: int) -> None:
        kind, cards = self.sheet.streets[street]
        if kind == "each":
            for seat in list(self.left):
                self.deal(f"seat {seat}")
        elif kind == "draw":
            self._draw()
        elif cards > 1 and self.habits.has_shoe:
            self._lay_flop(cards)
        else:
            for _ in range(cards):
                self.deal("board")

    def _lay_flop(self, cards: int) -> None:
        """The cards of a flop leave the shoe one by one, are laid down together and read in any order."""
        tags = [self.deck.pop() for _ in range(cards)]
        for tag in tags:
            self.felt.draw(tag)
        self.rng.shuffle(tags)
        for tag in tags:
            self.felt.lay(tag, "board")
            self._note(tag, "board")

    def _draw(self) -> None:
        """Each in turn. Where an error is to be made somebody draws, or it could be in no card."""
        for seat in list(self.left):
            held = self.felt.tags_at(f"seat {seat}")
            count = self.rng.choice((0, 0, 1, 2, 3, 3, 4, 5))
            if self.keeps > 1 and seat == self.left[0]:
                count = max(count, 1)
            count = min(count, len(self.deck), len(held))
            for tag in self.rng.sample(held, count):
                self.felt.lay(tag, "muck")
            for _ in range(count):
                self.deal(f"seat {seat}")

    # -- after the cards

    def finish(self) -> None:
        """Showdown where two or more are left, the pot, and the beginning of the gathering."""
        rng = self.rng
        if len(self.left) > 1 or not self.sheet.is_poker:
            if self.habits.has_bet_keys:
                self.felt.press("showdown")
            for seat in list(self.left):
                if rng.random() < 0.3:
                    self.felt.enter("show", seat)
                elif self.habits.has_bet_keys and len(self.left) > 1 and rng.random() < 0.2:
                    self.felt.enter("muck", seat)
                    self.left.remove(seat)
                    self.muck(seat)
        self.felt.press("push")
        if self.habits.moves_button_at_once:
            self.move_button()
        elif rng.random() < 0.1:
            self.one_comes_or_goes(self.left if len(self.seated) > 2 else [])
        if rng.random() < 0.5 or not self.habits.has_shuffle_keys:
            self.gather()

    def gather(self) -> None:
        """All cards come together: by way of the muck, across other antennas, each in its own time."""
        rng, felt = self.rng, self.felt
        tags = list(felt.lies)
        rng.shuffle(tags)
        goes_by_muck = rng.random() < 0.3
        for tag in tags:
            while rng.random() < 0.15:
                felt.lay(tag, rng.choice((*(f"seat {seat}" for seat in range(1, 11)), "board", "burn")))
            if goes_by_muck:
                felt.lay(tag, "muck")
        for tag in tags:
            felt.lift(tag)

    def take_out_odd_cards(self) -> None:
        """Cards that are none of the deck are not gathered with it."""
        for tag in self.odd_cards.values():
            if tag in self.felt.lies:
                self.felt.lift(tag)
        self.odd_cards = {}

    # -- inside

    def _clear(self) -> None:
        self.deck = list(TAG_OF.values())[:DECK_SIZE]
        self.rng.shuffle(self.deck)
        self.dealt: list[str] = []
        self.tags: list[str] = []
        self.begin_play()
        if self.habits.sees_stub:
            for tag in self.rng.sample(self.deck, 12):
                self.felt.lay(tag, "stub")

    def deal_again(self) -> None:
        """After a misdeal: the same players in the same order, a new shuffle and cut, the blinds again."""
        order = self.order
        self.prepare()
        self.order, self.left = order, list(order)
        self.post_blinds()

    def prepare(self, keys: Sequence[str] = SHUFFLE_KEYS) -> None:
        """The cards are gathered and made ready for the deal, with these keys only."""
        self.gather()
        self._clear()
        for key in keys:
            self.felt.press(key)
