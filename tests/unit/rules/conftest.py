"""A house's own files, made from what the test says is different, and a table that is followed under them."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from shoe_bridge.errors import ConfigError
from shoe_bridge.rules.book import Book
from shoe_bridge.rules.games import open_game
from shoe_bridge.rules.profile import Profile
from shoe_bridge.rules.profile_file import open_profile
from shoe_bridge.table.deck import Register
from shoe_bridge.table.findings import AnyFinding, Change
from shoe_bridge.table.fold import Fold
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    DealerEntered,
    Event,
    KeyPressed,
)
from shoe_bridge.table.state import Setup

House = Callable[..., Profile]


@pytest.fixture
def house(tmp_path: Path) -> House:
    """The profile of a house that extends another one (`nz-1999`) by the given lines."""

    def make(lines: str, base: str = "nz-1999") -> Profile:
        file = tmp_path / "house.toml"
        file.write_text(f'extends = "{base}"\nprofile = "house"\nversion = "7"\n{lines}\n')
        return open_profile(str(file))

    return make


@pytest.fixture
def refusal() -> Callable[..., str]:
    """What is said about a file that is refused: one whole sentence, without the folder it is in."""

    def said(open_file: Callable[[str], object], file: Path) -> str:
        with pytest.raises(ConfigError) as caught:
            open_file(str(file))
        sentence = str(caught.value)
        assert caught.value.exit_code == 2
        assert sentence.endswith(".")
        assert "\n" not in sentence
        return sentence.replace(f"{file.parent}/", "")

    return said


class Followed:
    """A table at the fold under a profile. `deal` lays the next cards; `play` presses keys, or enters a word
    with its seat (`call 3`)."""

    def __init__(
        self, profile: Profile, game: str, seats: tuple[int, ...], button: int | None, deck_cards: int = 52
    ) -> None:
        book = Book(profile)
        keys = ("shuffle", "cut", "end deal", "end bet")
        dealt = msgspec.structs.replace(book.fit(open_game(game)), deck_cards=deck_cards)
        setup = Setup("t", dealt, seats, button, Register(()), (), keys)
        self.setup = setup
        self.fold = Fold(setup, book)
        self.state = self.fold.start()
        self.changes: list[Change] = []
        self.events: list[Event] = []
        self.dealt = 0
        self.play("shuffle", "cut")

    def take(self, observation: AnyObservation) -> None:
        event = Event(self.state.last_seq + 1, observation)
        self.events.append(event)
        self.state, outcome = self.fold.apply(self.state, event)
        self.changes += outcome.changes

    def deal(self, *places: str) -> None:
        for place in places:
            self.dealt += 1
            at_ns = self.dealt * 400_000_000
            self.take(CardArrived(place, f"E00401{self.dealt:010X}", at_ns, at_ns, "reader-1"))

    def discard(self, tag: str, place: str) -> None:
        """The card goes to the discards."""
        self.take(CardDeparted(place, tag, 0, 0, "reader-1"))
        self.take(CardArrived("muck", tag, 0, 0, "reader-1"))

    def play(self, *words: str) -> None:
        for word in words:
            head, _, number = word.rpartition(" ")
            if number.isdigit():
                self.take(DealerEntered(head, int(number), None, 0, "keys-1"))
            else:
                self.take(KeyPressed(word, 0, "keys-1"))

    def standing(self) -> list[AnyFinding]:
        return [standing.finding for standing in self.state.standing]

    def kinds(self) -> set[str]:
        return {str(finding.__struct_config__.tag) for finding in self.standing()}


@pytest.fixture
def fold_of() -> type[Followed]:
    return Followed
