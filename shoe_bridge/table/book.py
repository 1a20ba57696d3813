"""What the fold needs of a rule book. The book itself lives in `rules` and is given to the fold."""

from collections.abc import Callable
from typing import Protocol

import msgspec

from shoe_bridge.table.findings import Conclusion
from shoe_bridge.table.hand import Hand
from shoe_bridge.table.money import Money
from shoe_bridge.table.procedures import Procedure, Street


class ActionCount(msgspec.Struct, frozen=True):
    """How far players have acted since the initial deal: `count` of players, or of actions where the profile
    counts those; `evidence` are the events of the actions."""

    count: int
    is_substantial: bool
    evidence: tuple[int, ...]


class RuleBook(Protocol):
    @property
    def profile(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def boxed_defect(self) -> int:
        """So many boxed cards make a deck defective; 0: none do."""
        ...

    def rule_of(self, kind: str, game: Procedure) -> str | None:
        """The rule that a finding of this kind touches in this game, None where the profile names none."""
        ...

    def rule_of_street(self, kind: str, game: Procedure, street: Street) -> str | None:
        """The rule that orders the street's burn, else the one that such a finding touches."""
        ...

    def is_text_held(self, topic: str) -> bool:
        """Does the profile hold what follows from this topic (`missed_burn`, `single_exposed_card` ...)?"""
        ...

    def is_exposure_held(self, hand: Hand, game: Procedure, number: int) -> bool:
        """Does the profile hold what follows from card `number` of this hand having been exposed?"""
        ...

    def is_boxed_held(self, hand: Hand) -> bool:
        """Does the profile hold what follows from the boxed cards of this hand?"""
        ...

    def accepts_order(self, hand: Hand, game: Procedure) -> bool:
        """Do the cards of the initial deal lie in another order that the profile finds no fault with?"""
        ...

    def count_action(self, hand: Hand) -> ActionCount:
        """How far players have acted, by the profile's reading of substantial action."""
        ...

    def owed_after_misdeal(self, owed: tuple[Conclusion, ...]) -> tuple[Conclusion, ...]:
        """What is owed after a misdeal, by the profile's own rule."""
        ...

    def settle(
        self, hand: Hand, game: Procedure, money: Money, card_of: Callable[[str], str | None]
    ) -> list[Conclusion]:
        """How the pots that were named divide and what the jackpot pays, once hands are shown. `card_of`
        gives the card of a tag."""
        ...

    def advise(self, hand: Hand, game: Procedure, is_in_order: bool) -> list[Conclusion]:
        """What the supervisor may be told now: how to put the deal right, that a misdeal rule holds or why it
        does not. `is_in_order`: the cards lie where the procedure puts them."""
        ...
