"""Cards, and the tags that carry them: what a deck looks like to a reader.

Tags are ISO 15693: 8 bytes as upper-case hex with `E0` (the standard) and `04` (NXP) in front. For readers
that know ISO 14443 A only they are of 7 bytes with `04` in front. The rest is drawn from a hash of deck and
card, so that a deck has the same tags in every run and neighbours do not look alike.
"""

from collections.abc import Iterable, Mapping
from hashlib import blake2b

import msgspec

from shoe_bridge.errors import UsageError

RANKS = "23456789TJQKA"
SUITS = "shdc"
STANDARD_52 = tuple(rank + suit for suit in SUITS for rank in RANKS)
JOKER = "joker"
UNKNOWN = "unknown"
DEFAULT_DECK = "blue"
UNREGISTERED_DECK = "unregistered"


ISO15693 = "E004"
ISO14443A = "04"


def technology_for(reader: str | None) -> str:
    """What the tags begin with that a kind of reader can read."""
    return ISO14443A if reader == "pn532" else ISO15693


def technology_for_all(readers: Iterable[str]) -> str:
    """What the tags begin with that all these kinds of reader can read, as far as one deck can serve them."""
    return ISO14443A if ISO14443A in map(technology_for, readers) else ISO15693


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
    `technology` is what they begin with."""

    in_use: str
    registered: dict[str, RegisteredTag]
    unregistered: frozenset[str]
    technology: str = ISO15693

    def tag_of(self, ref: CardRef, number: int) -> str:
        """The tag of a named card. `number` tells unregistered cards apart."""
        return tag_of(ref, self.in_use, number, self.technology)

    def tag_in_use(self, card: str) -> str:
        """The tag of a card of the deck in use."""
        return tag_uid(self.in_use, card, technology=self.technology)

    def tags_in_use(self) -> tuple[str, ...]:
        """The 52 tags of the deck in use."""
        return deck_tags(self.in_use, self.technology)


def tag_uid(deck: str, card: str, label: str = "", technology: str = ISO15693) -> str:
    """The tag of a card of a deck in hex. `label` names further tags of the same card."""
    digest = blake2b(f"{deck}/{card}/{label}".encode(), digest_size=6).hexdigest()
    return technology + digest.upper()


def tag_of(ref: CardRef, in_use: str, number: int, technology: str = ISO15693) -> str:
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


def deck_tags(deck: str, technology: str = ISO15693) -> tuple[str, ...]:
    """The 52 tags of a standard deck, in the order of `STANDARD_52`."""
    return tuple(tag_uid(deck, card, technology=technology) for card in STANDARD_52)


def decks_of(
    names: Iterable[str],
    refs: Mapping[int, CardRef] | Iterable[tuple[int, CardRef]] = (),
    technology: str = ISO15693,
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
