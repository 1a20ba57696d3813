"""The rule book: one profile, read from its file, as the fold needs it."""

from collections.abc import Callable
from importlib import resources

import msgspec

from shoe_bridge.errors import ConfigError
from shoe_bridge.rules import advice, settling
from shoe_bridge.table.findings import Conclusion
from shoe_bridge.table.hand import Hand
from shoe_bridge.table.money import Money
from shoe_bridge.table.procedures import Procedure


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One rule in our words. `status`: held, follows, inferred, missing."""

    status: str
    says: str


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A versioned set of rules, as its file says it."""

    profile: str
    version: str
    title: str
    decides: str
    rules: dict[str, Rule]
    findings: dict[str, str]
    topics: dict[str, str]


class Book:
    """A profile, and the advice that follows from it. Shape: `table.book.RuleBook`."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile

    @property
    def profile(self) -> str:
        return self._profile.profile

    @property
    def version(self) -> str:
        return self._profile.version

    def rule_of(self, kind: str) -> str | None:
        return self._profile.findings.get(kind)

    def says(self, rule: str) -> str | None:
        """The rule in our words, None when the profile has no such rule."""
        found = self._profile.rules.get(rule)
        return found.says if found else None

    def is_text_held(self, topic: str) -> bool:
        return self._profile.topics.get(topic) != "missing"

    def is_exposure_held(self, hand: Hand, game: Procedure, number: int) -> bool:
        return advice.is_exposure_held(hand, game, number)

    def settle(
        self, hand: Hand, game: Procedure, money: Money, card_of: Callable[[str], str | None]
    ) -> list[Conclusion]:
        return settling.settle(hand, game, money, card_of)

    def advise(self, hand: Hand, game: Procedure, is_in_order: bool) -> list[Conclusion]:
        return advice.advise(hand, game, is_in_order)


def profile_names() -> list[str]:
    """The profiles that come with this build."""
    files = resources.files("shoe_bridge.rules").joinpath("profiles").iterdir()
    return sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))


def open_book(profile: str) -> Book:
    """The book of a profile; ConfigError when there is no such profile."""
    if profile not in profile_names():
        known = ", ".join(profile_names())
        raise ConfigError(f"there is no rule profile {profile!r}: choose one of {known}")
    text = resources.files("shoe_bridge.rules").joinpath("profiles", f"{profile}.toml").read_bytes()
    return Book(msgspec.toml.decode(text, type=Profile))
