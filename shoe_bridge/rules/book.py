"""The rule book: one profile, read from its file, as the fold needs it."""

from collections.abc import Callable

import msgspec

from shoe_bridge.rules import advice, defects, exposure, irregular, odd_chip, settling
from shoe_bridge.rules.action import count_action
from shoe_bridge.rules.profile import Profile, Rule
from shoe_bridge.rules.profile_file import open_profile, profile_names, rules_of_build
from shoe_bridge.table.book import ActionCount
from shoe_bridge.table.findings import Conclusion, ReshuffleRequired
from shoe_bridge.table.hand import Hand
from shoe_bridge.table.money import Money
from shoe_bridge.table.procedures import TO_BOARD, Procedure, Street

__all__ = ["Book", "open_book", "profile_names"]

_BOARD_ONLY = ("missing_burn", "extra_burn")


class Book:
    """A profile, and the advice that follows from it. Shape: `table.book.RuleBook`."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._rules: dict[tuple[str, str], str | None] = {}
        self.boxed_defect = defects.boxed_defect(profile)

    @property
    def profile(self) -> str:
        return self._profile.profile

    @property
    def version(self) -> str:
        return self._profile.version

    @property
    def content(self) -> Profile:
        """The whole profile."""
        return self._profile

    @property
    def rules_known(self) -> frozenset[str]:
        """The rule numbers that a game file may quote: of this profile and of those of this build."""
        return rules_of_build() | frozenset(self._profile.rules)

    def fit(self, game: Procedure) -> Procedure:
        """The game as this profile's readings deal it (A6: a burn before community card 1)."""
        if not game.with_deal or not self._profile.settings.burn_before_first_board:
            return game
        first = msgspec.structs.replace(game.streets[0], burn=True)
        return msgspec.structs.replace(game, streets=(first, *game.streets[1:]))

    def rule(self, number: str) -> Rule | None:
        return self._profile.rules.get(number)

    def says(self, rule: str) -> str | None:
        """The rule in our words, None when the profile has no such rule or does not hold its text."""
        found = self._profile.rules.get(rule)
        return found.says if found else None

    def stand_ins(self, topic: str, game: Procedure) -> tuple[tuple[str, Rule], ...]:
        """What other rule books say about a topic or rule whose text is not held: hints, no outcome."""
        return tuple(
            (number, rule)
            for number, rule in self._profile.rules.items()
            if rule.stands_in_for == topic and _is_about(rule, game)
        )

    def rule_of(self, kind: str, game: Procedure) -> str | None:
        key = (kind, game.follows)
        if key not in self._rules:
            rules = self._profile.findings.get(kind, ())
            about = (number for number in rules if _is_about(self._profile.rules[number], game))
            self._rules[key] = next(about, None)
        return self._rules[key]

    def rule_of_street(self, kind: str, game: Procedure, street: Street) -> str | None:
        if street.rule is not None and street.rule in self._profile.rules:
            return street.rule
        return self.rule_of(kind, game) if street.target == TO_BOARD or kind not in _BOARD_ONLY else None

    def is_text_held(self, topic: str) -> bool:
        return self._profile.topics.get(topic) != "missing"

    def is_exposure_held(self, hand: Hand, game: Procedure, number: int) -> bool:
        return exposure.is_exposure_held(self._profile, hand, game, number)

    def is_boxed_held(self, hand: Hand) -> bool:
        return defects.is_boxed_held(self._profile, hand)

    def accepts_order(self, hand: Hand, game: Procedure) -> bool:
        return irregular.accepts_order(self._profile, hand, game)

    def count_action(self, hand: Hand) -> ActionCount:
        return count_action(self._profile.settings, hand)

    def owed_after_misdeal(self, owed: tuple[Conclusion, ...]) -> tuple[Conclusion, ...]:
        check = self._profile.checks.redeal
        if check is None:
            return tuple(c for c in owed if not isinstance(c.finding, ReshuffleRequired))
        return tuple(
            Conclusion(ReshuffleRequired(check.rule), c.evidence)
            if isinstance(c.finding, ReshuffleRequired)
            else c
            for c in owed
        )

    def settle(
        self, hand: Hand, game: Procedure, money: Money, card_of: Callable[[str], str | None]
    ) -> list[Conclusion]:
        settings = self._profile.settings
        found = settling.settle(hand, game, money, card_of, settings.cent_fractions)
        return odd_chip.as_read(found, settings, hand, game, money, card_of)

    def advise(self, hand: Hand, game: Procedure, is_in_order: bool) -> list[Conclusion]:
        return advice.advise(self._profile, hand, game, is_in_order)


def _is_about(rule: Rule, game: Procedure) -> bool:
    """A rule that names no games is about all poker games of its book."""
    return game.follows in rule.games if rule.games else game.family == "poker"


def open_book(profile: str) -> Book:
    """The book of a profile, by its name or the path of its file; ConfigError when there is none such, or its
    file cannot be followed."""
    return Book(open_profile(profile))
