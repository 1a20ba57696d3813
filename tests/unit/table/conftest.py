"""Plays scenario-like words as observations on the fold, without bytes, and keeps what was concluded."""

from collections.abc import Callable

import pytest

from shoe_bridge.rules.book import open_book
from shoe_bridge.rules.games import open_game
from shoe_bridge.table.alerts import AlertChange
from shoe_bridge.table.cards import JOKER, STANDARD_52
from shoe_bridge.table.deck import Deck, Register
from shoe_bridge.table.findings import AnyFinding, Change
from shoe_bridge.table.fold import Fold
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    CardStays,
    DealerEntered,
    Event,
    KeyPressed,
    LinkRestored,
)
from shoe_bridge.table.state import Setup

TAGS = tuple(f"E0040150A0{number:06X}" for number in range(54))
KEYS = ("shuffle", "cut", "end deal", "end bet", "push", "next hand")
CARDS = tuple(STANDARD_52[7 * number % 52] for number in range(52))  # dealt in turn, they are in no sequence
REGISTER = Register((Deck("blue", {**dict(zip(TAGS, CARDS, strict=False)), TAGS[52]: JOKER}),))


class Table:
    """One table at the fold. Words: `shuffle` and other keys, `N > PLACE` deals the next card or moves card
    N, `N < PLACE` lifts it, `N = PLACE` reads it again there, `fold 3` and other pad words."""

    def __init__(
        self, game: str, seats: tuple[int, ...], button: int | None, register: Register = REGISTER
    ) -> None:
        self.setup = Setup("t", open_game(game), seats, button, register, ("reader-1",), KEYS)
        self.fold = Fold(self.setup, open_book("nz-1999"))
        self.state = self.fold.start()
        self.changes: list[Change] = []
        self.alerts: list[AlertChange] = []
        self.events: list[Event] = []
        self.first_tag = 0
        self.take(LinkRestored("reader-1", (), 0, -1))
        self.play("shuffle", "cut")

    def take(self, observation: AnyObservation) -> list[Change]:
        event = Event(self.state.last_seq + 1, observation)
        self.events.append(event)
        self.state, outcome = self.fold.apply(self.state, event)
        self.changes += outcome.changes
        self.alerts += outcome.alerts
        return list(outcome.changes)

    def play(self, *words: str) -> list[Change]:
        """Play the words; the changes of all of them, in order."""
        return [change for word in words for change in self._play(word)]

    def deal(self, *places: str, first: int = 1) -> list[Change]:
        """Deal the next cards, numbered from `first`, one to each place."""
        return self.play(*(f"{n} > {place}" for n, place in enumerate(places, start=first)))

    def _play(self, word: str) -> list[Change]:
        for sign, kind in ((" > ", CardArrived), (" < ", CardDeparted)):
            if sign in word:
                number, _, place = word.partition(sign)
                return self.take(kind(place, self.tag(int(number)), 0, 0, "reader-1"))
        if " = " in word:
            number, _, place = word.partition(" = ")
            return self.take(CardStays(place, self.tag(int(number)), 0, "reader-1"))
        head, _, tail = word.rpartition(" ")
        if tail.isdigit():
            return self.take(DealerEntered(head, int(tail), None, 0, "keys-1"))
        return self.take(KeyPressed(word, 0, "keys-1"))

    def tag(self, number: int) -> str:
        return TAGS[(self.first_tag + number - 1) % 52]

    def standing(self, *kinds: type) -> list[AnyFinding]:
        """The findings of these kinds that stand now, of all kinds when none is named."""
        return [s.finding for s in self.state.standing if not kinds or isinstance(s.finding, kinds)]


@pytest.fixture
def table() -> Callable[..., Table]:
    def make(
        game: str = "holdem",
        seats: tuple[int, ...] = (1, 2, 3, 4),
        button: int | None = 4,
        register: Register = REGISTER,
    ) -> Table:
        return Table(game, seats, button, register)

    return make
