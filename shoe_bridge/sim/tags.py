"""Cards, and the tags that carry them: what a deck looks like to a reader.

Tags are ISO 15693: 8 bytes as upper-case hex with `E0` (the standard) and `04` (NXP) in front. For readers
that know no such tags they are of another technology. The rest is drawn from a hash of deck and card, so that
a deck has the same tags in every run and neighbours do not look alike.
"""

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import NamedTuple, Protocol

import msgspec

from shoe_bridge.errors import UsageError

RANKS = "23456789TJQKA"
SUITS = "shdc"
STANDARD_52 = tuple(rank + suit for suit in SUITS for rank in RANKS)
JOKER = "joker"
UNKNOWN = "unknown"
DEFAULT_DECK = "blue"
UNREGISTERED_DECK = "unregistered"


class Technology(NamedTuple):
    """A kind of tag: the hex that it begins with, and how many bytes are drawn for each card behind that.
    Where none are, the identity is the characters of the card's name: some programs print cards, no tags."""

    begins: str
    drawn: int


ISO15693 = Technology("E004", 6)
ISO14443A = Technology("04", 6)
SINGLE_SIZE = Technology("04", 3)  # ISO 14443 A with its shortest identity, of 4 bytes
EPC = Technology("E20030160000", 6)  # EPC Gen2, 96 bits
NAMES = Technology("", 0)
TECHNOLOGIES = (ISO15693, ISO14443A, SINGLE_SIZE, EPC, NAMES)
_OF_READER = {"pn532": ISO14443A, "yrm100": EPC, "r2000": EPC}


def technology_for(reader: str | None) -> Technology:
    """The tags that a kind of reader is simulated with."""
    return _OF_READER.get(reader or "", ISO15693)


class Reader(Protocol):
    """A simulated reader, as far as its tags go."""

    kind: str

    def can_read(self, tag: str) -> bool:
        """Whether it can name a tag (hex)."""


def technology_for_all(readers: Iterable[Reader]) -> Technology:
    """The first technology of which each reader can name all 52 tags, first of all one that is some reader's
    own; ISO 15693 where there is none: one deck cannot serve them then."""
    asked = tuple(readers)
    own = [_OF_READER[each.kind] for each in asked if each.kind in _OF_READER]
    for technology in (*own, *TECHNOLOGIES):
        if all(each.can_read(tag) for each in asked for tag in deck_tags(DEFAULT_DECK, technology)):
            return technology
    return ISO15693


class CardRef(msgspec.Struct, frozen=True):
    """A card as a scenario names it: `9d`, `9d@red` (of another deck), `9d#u77` (on another tag), `joker`,
    `unknown`."""

    card: str
    deck: str | None = None
    tag_label: str | None = None


class RegisteredTag(msgspec.Struct, frozen=True):
    """What the deck register says about one tag; `card` is rank then suit, or `joker`."""

    deck: str
    card: str


class Decks(msgspec.Struct, frozen=True):
    """All tags that can turn up at a table: `registered` by tag in upper-case hex, and those in no register.
    `technology` is what kind of tags they are."""

    in_use: str
    registered: dict[str, RegisteredTag]
    unregistered: frozenset[str]
    technology: Technology = ISO15693

    def tag_of(self, ref: CardRef, number: int) -> str:
        """The tag of a named card. `number` tells unregistered cards apart."""
        return tag_of(ref, self.in_use, number, self.technology)

    def tag_in_use(self, card: str) -> str:
        """The tag of a card of the deck in use."""
        return tag_uid(self.in_use, card, technology=self.technology)

    def tags_in_use(self) -> tuple[str, ...]:
        """The 52 tags of the deck in use."""
        return deck_tags(self.in_use, self.technology)


def tag_uid(deck: str, card: str, label: str = "", technology: Technology = ISO15693) -> str:
    """The tag of a card of a deck in hex. `label` names further tags of the same card."""
    if not technology.drawn:
        return card.encode("ascii").hex().upper()  # the same in each deck: such a program knows only one
    digest = blake2b(f"{deck}/{card}/{label}".encode(), digest_size=6).hexdigest()
    return technology.begins + digest[: 2 * technology.drawn].upper()


def tag_of(ref: CardRef, in_use: str, number: int, technology: Technology = ISO15693) -> str:
    """The tag that carries `ref` when the deck `in_use` is dealt; `number` tells unregistered cards apart."""
    if ref.card == UNKNOWN:
        return tag_uid(UNREGISTERED_DECK, UNKNOWN, str(number), technology)
    return tag_uid(ref.deck or in_use, ref.card, ref.tag_label or "", technology)


def parse_card(text: str) -> CardRef:
    """`9d`, `9d@red`, `9d#u77`, `joker` or `unknown`; raises UsageError for anything else."""
    card, mark, label = text, "", ""
    for separator in "@#":
        if separator in text:
            card, mark, label = text.partition(separator)
            break
    is_playing_card = len(card) == 2 and card[0] in RANKS and card[1] in SUITS
    is_special = card in (JOKER, UNKNOWN) and not mark
    if not (is_playing_card or is_special) or (mark and not label):
        raise UsageError(
            f"'{text}' is no card: write rank then suit (9d, Th), with @DECK or #TAG, or joker, or unknown"
        )
    return CardRef(card, label if mark == "@" else None, label if mark == "#" else None)


def deck_tags(deck: str, technology: Technology = ISO15693) -> tuple[str, ...]:
    """The 52 tags of a standard deck, in the order of `STANDARD_52`."""
    return tuple(tag_uid(deck, card, technology=technology) for card in STANDARD_52)


def decks_of(
    names: Iterable[str],
    refs: Mapping[int, CardRef] | Iterable[tuple[int, CardRef]] = (),
    technology: Technology = ISO15693,
) -> Decks:
    """The decks called `names` (the first is in use), with the extra tags that `refs` (number, card) need.

    A joker and a second tag of a card are registered with their deck; a card called unknown is not.
    """
    deck_names = tuple(names) or (DEFAULT_DECK,)
    registered = {
        tag_uid(deck, card, technology=technology): RegisteredTag(deck, card)
        for deck in deck_names
        for card in STANDARD_52
    }
    unregistered = set()
    for number, ref in refs.items() if isinstance(refs, Mapping) else refs:
        tag = tag_of(ref, deck_names[0], number, technology)
        if ref.card == UNKNOWN:
            unregistered.add(tag)
        else:
            registered.setdefault(tag, RegisteredTag(ref.deck or deck_names[0], ref.card))
    return Decks(deck_names[0], registered, frozenset(unregistered), technology)
