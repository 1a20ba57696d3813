"""The felt: cards with tags, where they lie, and what the antennas, the keys and the pad say of it.

What is done here is done by people; what is said is what the link would make of it. A card that is moved can
be seen at its new place before the old one is known to be empty.
"""

from random import Random

from shoe_bridge.table.cards import JOKER, STANDARD_52
from shoe_bridge.table.deck import Deck, Register
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    CardDrawn,
    DealerEntered,
    KeyPressed,
    LinkRestored,
)

DEVICES = ("reader-1", "keys-1", "shoe-1")
STEP_NS = 400_000_000

TAG_OF = {card: f"E0040150A0{number:06X}" for number, card in enumerate(STANDARD_52)}
RED_TAG_OF = {card: f"E0040150A1{number:06X}" for number, card in enumerate(STANDARD_52)}
TWIN_TAG_OF = {card: f"E0040150A2{number:06X}" for number, card in enumerate(STANDARD_52)}
JOKER_TAG = "E0040150A3000000"
STRANGE_TAG = "E0040150A4000000"

_BLUE = Deck("blue", {tag: card for card, tag in TAG_OF.items()})
REGISTER = Register((_BLUE, Deck("red", {tag: card for card, tag in RED_TAG_OF.items()})))
ODD_REGISTER = Register(
    (
        Deck("blue", {**_BLUE.tags, JOKER_TAG: JOKER, **{tag: card for card, tag in TWIN_TAG_OF.items()}}),
        *REGISTER.decks[1:],
    )
)


class Felt:
    """One table's sensors. `seen` is all that was said, in order, until somebody takes it.

    `early` is how often a moved card is seen at its new place before it has left the old one, `late` how
    often that it has left is only known after what happens next.
    """

    def __init__(self, rng: Random, early: float, late: float, *, has_shoe: bool) -> None:
        self.rng = rng
        self.seen: list[AnyObservation] = []
        self.lies: dict[str, str] = {}
        self._early = early
        self._late = late
        self._unproven: list[tuple[str, str]] = []  # departures that no antenna has proven yet
        self._has_shoe = has_shoe
        self._at_ns = STEP_NS  # the antennas have been watched for a while
        self.seen += [LinkRestored(name, (), 0, -1) for name in DEVICES]

    def take(self) -> list[AnyObservation]:
        """What was said since the last call."""
        self._prove_departures()
        said, self.seen = self.seen, []
        return said

    def press(self, key: str) -> None:
        self._prove_departures()
        self.seen.append(KeyPressed(key, self._now(), "keys-1"))

    def enter(self, word: str, number: int | None, cents: int | None = None) -> None:
        self.seen.append(DealerEntered(word, number, cents, self._now(), "keys-1"))

    def draw(self, tag: str) -> None:
        """The card leaves the shoe, where the table has one."""
        if self._has_shoe:
            face = self.rng.choice((None, "down"))
            self.seen.append(CardDrawn(self._now(), "shoe-1", tag, None, face))

    def lay(self, tag: str, place: str) -> None:
        """The card comes to rest at `place`, whether it lay anywhere before or not."""
        at_ns = self._now()
        old = self.lies.get(tag)
        is_early = self.rng.random() < self._early
        if self._unproven and any(tag == each for each, _ in self._unproven):
            self._prove_departures()
        if old is not None and not is_early:
            self._leave(tag, old)
        self.seen.append(CardArrived(place, tag, at_ns - STEP_NS, at_ns, "reader-1"))
        if old is not None and is_early:
            if self.rng.random() < self._late:
                self._unproven.append((tag, old))
            else:
                self._leave(tag, old)
        self.lies[tag] = place

    def lift(self, tag: str) -> None:
        """The card is no longer at any place."""
        self._prove_departures()
        self._leave(tag, self.lies.pop(tag))

    def tags_at(self, place: str) -> list[str]:
        return [tag for tag, at in self.lies.items() if at == place]

    def _prove_departures(self) -> None:
        for tag, place in self._unproven:
            self._leave(tag, place)
        self._unproven.clear()

    def _leave(self, tag: str, place: str) -> None:
        self.seen.append(CardDeparted(place, tag, self._at_ns, self._now(), "reader-1"))

    def _now(self) -> int:
        self._at_ns += STEP_NS
        return self._at_ns
