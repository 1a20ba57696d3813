"""What the fold needs of a rule book. The book itself lives in `rules` and is given to the fold."""

from collections.abc import Callable
from typing import Protocol

from shoe_bridge.table.findings import Conclusion
from shoe_bridge.table.hand import Hand
from shoe_bridge.table.money import Money
from shoe_bridge.table.procedures import Procedure


class RuleBook(Protocol):
    @property
    def profile(self) -> str: ...

    @property
    def version(self) -> str: ...

    def rule_of(self, kind: str) -> str | None:
        """The rule that a finding of this kind touches, None where the profile names none."""
        ...

    def is_text_held(self, topic: str) -> bool:
        """Does the profile hold what follows from this topic (`missed_burn`, `single_exposed_card` ...)?"""
        ...

    def is_exposure_held(self, hand: Hand, game: Procedure, number: int) -> bool:
        """Does the profile hold what follows from card `number` of this hand having been exposed?"""
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
