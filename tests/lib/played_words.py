"""One hand in a few words, for tests that show a single thing."""

from random import Random
from typing import Any

from felt import REGISTER, TAG_OF
from game_sheets import game_in_use
from table_habits import BET_KEYS, OTHER_KEYS, SHUFFLE_KEYS
from watched_table import WatchedTable

from shoe_bridge.table.findings import AnyFinding, DealOk, HandOver, SubstantialAction
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    DealerEntered,
    KeyPressed,
    LinkRestored,
)
from shoe_bridge.table.state import Setup

TAGS = Random(1).sample(list(TAG_OF.values()), len(TAG_OF))  # a deck in new-deck order would be told
KEYS = (*BET_KEYS, *SHUFFLE_KEYS, *OTHER_KEYS)


class Played:
    """A hand in words: keys, entries on the pad (`fold 1`), and moves: `3 > muck` lays card 3 there,
    `3 < seat 1` lifts it. `settings` are further settings of the table."""

    def __init__(self, game: str, seats: tuple[int, ...], button: int | None, **settings: Any) -> None:
        devices = ("reader-1", "keys-1")
        setup = Setup("t", game_in_use(game), seats, button, REGISTER, devices, KEYS, **settings)
        self.table = WatchedTable(setup)
        self.raised: list[AnyFinding] = []
        self._top = self._at_ns = 0
        self.take(*(LinkRestored(name, (), 0, -1) for name in devices))

    def take(self, *seen: AnyObservation) -> None:
        self.raised += [change.finding for change in self.table.take(seen) if change.raised]

    def play(self, *words: str) -> "Played":
        for word in words:
            self.take(self._observation(word))
        return self

    def deal(self, *places: str) -> "Played":
        for place in places:
            self._top += 1
            self.play(f"{self._top} > {place}")
        return self

    def new_deck(self) -> "Played":
        self._top = 0
        return self

    def doubts(self) -> list[AnyFinding]:
        """All that was raised beside what a legal hand is said to be."""
        lawful = (DealOk, SubstantialAction, HandOver)
        return [finding for finding in self.raised if not isinstance(finding, lawful)]

    def standing(self, kind: type) -> list[AnyFinding]:
        return [finding for finding in self.table.standing() if isinstance(finding, kind)]

    def _observation(self, word: str) -> AnyObservation:
        self._at_ns += 2
        for sign, kind in ((" > ", CardArrived), (" < ", CardDeparted)):
            if sign in word:
                number, _, place = word.partition(sign)
                return kind(place, TAGS[int(number) - 1], self._at_ns - 1, self._at_ns, "reader-1")
        head, _, tail = word.rpartition(" ")
        if tail.isdigit():
            return DealerEntered(head, int(tail), 200, self._at_ns, "keys-1")
        return KeyPressed(word, self._at_ns, "keys-1")
