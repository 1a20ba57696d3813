"""Enrolling a deck: one tag after the other becomes the next card. Pure, but for where the file lies.

Unless another order is told it is spades, hearts, diamonds, clubs, each from ace to king, as a new deck lies
in its box.
"""

import os
from pathlib import Path

import msgspec

from shoe_bridge.cli.counted import counted
from shoe_bridge.cli.deck_tags import TagRead, shown_tag
from shoe_bridge.errors import DeckError, UsageError
from shoe_bridge.plain_file import NotPlainError, read_bounded
from shoe_bridge.runtime.decks import load_register, tag_fault
from shoe_bridge.table.deck import Deck, Register

ORDER = tuple(rank + suit for suit in "shdc" for rank in "A23456789TJQK")
_RANKS = {"A": "ace", "T": "10", "J": "jack", "Q": "queen", "K": "king"}
CLONE = (
    "it answers at two antennas at once, so another tag is a clone of it or both antennas hear the one card "
    "(lay it down alone, on one antenna)"
)
_SUITS = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}
_NAME_CHARACTERS = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


class Offered(msgspec.Struct, frozen=True):
    """What became of a tag: the `card` it now is, or `refused` with the reason as a sentence."""

    card: str | None = None
    refused: str | None = None


class Enrolment:
    """One deck being enrolled beside the `others` of its register; `tags` is tag to card."""

    def __init__(
        self,
        name: str,
        others: Register,
        tags: dict[str, str] | None = None,
        order: tuple[str, ...] = ORDER,
    ) -> None:
        self.name = name
        self.tags = dict(tags or {})
        self._others = others
        self._order = order

    @property
    def due(self) -> str | None:
        """The card whose tag comes next; None when all 52 are there."""
        have = set(self.tags.values())
        return next((card for card in self._order if card not in have), None)

    @property
    def missing(self) -> list[str]:
        have = set(self.tags.values())
        return [card for card in self._order if card not in have]

    def offer(self, read: TagRead) -> Offered:
        """Take the next tag, or say why not; a refused tag leaves the same card due. A tag that turns out to
        be a clone is taken back from the card that it was given to."""
        if read.is_clone:
            taken = self.tags.pop(read.tag, None)
            lost = f", and the {card_name(taken)} is without a tag again" if taken is not None else ""
            return Offered(refused=f"{shown_tag(read.tag)} was refused: {CLONE}{lost}.")
        card = read.card or self.due
        fault = read.fault or tag_fault(read.tag) or self._contradiction(read.tag, card)
        if fault is not None or card is None:
            why = fault or "all 52 cards have a tag"
            return Offered(refused=f"{shown_tag(read.tag)} was refused: {why}.")
        self.tags[read.tag] = card
        return Offered(card=card)

    def deck(self) -> Deck:
        return Deck(self.name, dict(self.tags))

    def _contradiction(self, tag: str, card: str | None) -> str | None:
        known = self.tags.get(tag)
        if known is not None:
            return f"that tag is the {card_name(known)} already"
        owner = self._others.deck_of(tag)
        if owner is not None:
            return f"that tag belongs to deck {owner}"
        if card in self.tags.values():
            return f"the {card_name(card)} has a tag already"
        return None


def card_name(card: str | None) -> str:
    """`As` as `ace of spades`."""
    if card is None or len(card) != 2:
        return card or "card"
    return f"{_RANKS.get(card[0], card[0])} of {_SUITS[card[1]]}"


def order_of(path: Path) -> tuple[str, ...]:
    """The order of the cards in a file: their names with blanks, commas or line ends between them. UsageError
    unless it has each of the 52 once."""
    try:
        words = read_bounded(path).decode("utf-8-sig").replace(",", " ").split()
    except (OSError, UnicodeDecodeError, NotPlainError):
        raise UsageError(
            f"The order in {path} cannot be read: name a file with 52 cards such as As."
        ) from None
    for at, word in enumerate(words):
        if word not in ORDER:
            raise UsageError(f"The order in {path} has {word!r}, which is no card: write As, Td, 9h.")
        if word in words[:at]:
            raise UsageError(f"The order in {path} has the {card_name(word)} twice: name each card once.")
    if len(words) != len(ORDER):
        missing = next(card for card in ORDER if card not in words)
        lacks = counted(len(ORDER) - len(words), "card")
        raise UsageError(f"The order in {path} lacks {lacks}, such as {missing}.")
    return tuple(words)


def without_cards(file: Path, name: str, cards: list[str]) -> Enrolment:
    """The registered deck, ready to take new tags for `cards`; their old ones are let go. DeckError where
    there is no such deck, UsageError where there is no such card in it."""
    register = load_register(file)
    deck = next((deck for deck in register.decks if deck.id == name), None)
    if deck is None:
        known = ", ".join(deck.id for deck in register.decks) or "none yet"
        raise DeckError(f"Deck {name} is not in {file}: use one of {known}.")
    have = set(deck.tags.values())
    for card in cards:
        if card not in have:
            raise UsageError(f"--replace {card!r} is no card of deck {name}: write such as As, Td or 9h.")
    kept = {tag: card for tag, card in deck.tags.items() if card not in cards}
    others = Register(tuple(other for other in register.decks if other.id != name))
    return Enrolment(name, others, kept)


def check_name(name: str) -> None:
    """UsageError for a name that could not stand in a file name or in quotes."""
    if not name or not set(name) <= _NAME_CHARACTERS or len(name) > 32:
        raise UsageError(
            f"{name!r} is no name for a deck: use up to 32 letters, digits, dots, dashes and underscores."
        )


def check_folder(file: Path) -> None:
    """DeckError where the register could not be written at the end, so that nobody lays down cards for it."""
    folder = file.parent
    if not folder.is_dir():
        raise DeckError(
            f"The folder {folder} of the deck register {file} does not exist: make it, or name another "
            "--file."
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise DeckError(
            f"The folder {folder} of the deck register {file} may not be written: name a file in one that "
            "you may write."
        )


def partial_path(file: Path, name: str) -> Path:
    """Where an enrolment that was broken off is kept."""
    return file.with_name(f"{file.name}.{name}.partial")


def register_beside(file: Path, name: str, may_replace: bool) -> Register:
    """The other decks of the register in `file`, none if there is no such file. DeckError when the deck is
    there already and may not be replaced."""
    if not file.exists():
        return Register(())
    register = load_register(file)
    if any(deck.id == name for deck in register.decks) and not may_replace:
        raise DeckError(
            f"Deck {name} is in {file} already: choose another --deck, give --anew to register it anew, or "
            "--replace CARD for a card of it."
        )
    return Register(tuple(deck for deck in register.decks if deck.id != name))


def resumed_tags(partial: Path, name: str, may_resume: bool) -> dict[str, str]:
    """What an earlier enrolment has read. DeckError when there is one and nobody asked to go on with it."""
    if not partial.exists():
        return {}
    if not may_resume:
        raise DeckError(
            f"An enrolment of deck {name} was broken off and is kept in {partial}: "
            "go on with --resume, or remove that file to begin anew."
        )
    decks = load_register(partial).decks
    return dict(decks[0].tags) if decks else {}


def with_deck(file: Path, deck: Deck) -> Register:
    """The register in `file` with `deck` in its old place, or as the last one."""
    decks = list(load_register(file).decks) if file.exists() else []
    places = [at for at, old in enumerate(decks) if old.id == deck.id]
    if places:
        decks[places[0]] = deck
    else:
        decks.append(deck)
    return Register(tuple(decks))
