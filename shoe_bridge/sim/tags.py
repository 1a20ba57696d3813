"""Cards, and the tags that carry them: what a deck looks like to a reader.

Tags are ISO 15693: 8 bytes as upper-case hex with `E0` (the standard) and `04` (NXP) in front. The rest is
drawn from a hash of deck and card, so that a deck has the same tags in every run and neighbours do not look
alike.
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
    """All tags that can turn up at a table: `registered` by tag in upper-case hex, and those in no
    register."""

    in_use: str
    registered: dict[str, RegisteredTag]
    unregistered: frozenset[str]

    def tag_of(self, ref: CardRef, number: int) -> str:
        """The tag of a named card. `number` tells unregistered cards apart."""
        return tag_of(ref, self.in_use, number)


def tag_uid(deck: str, card: str, label: str = "") -> str:
    """The tag of a card of a deck: 16 hex digits. `label` names further tags of the same card."""
    digest = blake2b(f"{deck}/{card}/{label}".encode(), digest_size=6).hexdigest()
    return "E004" + digest.upper()


def tag_of(ref: CardRef, in_use: str, number: int) -> str:
    """The tag that carries `ref` when the deck `in_use` is dealt; `number` tells unregistered cards apart."""
    if ref.card == UNKNOWN:
        return tag_uid(UNREGISTERED_DECK, UNKNOWN, str(number))
    return tag_uid(ref.deck or in_use, ref.card, ref.tag_label or "")


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


def deck_tags(deck: str) -> tuple[str, ...]:
    """The 52 tags of a standard deck, in the order of `STANDARD_52`."""
    return tuple(tag_uid(deck, card) for card in STANDARD_52)


def decks_of(names: Iterable[str], refs: Mapping[int, CardRef] | Iterable[tuple[int, CardRef]] = ()) -> Decks:
    """The decks called `names` (the first is in use), with the extra tags that `refs` (number, card) need.

    A joker and a second tag of a card are registered with their deck; a card called unknown is not.
    """
    deck_names = tuple(names) or (DEFAULT_DECK,)
    registered = {
        tag_uid(deck, card): RegisteredTag(deck, card) for deck in deck_names for card in STANDARD_52
    }
    unregistered = set()
    for number, ref in refs.items() if isinstance(refs, Mapping) else refs:
        tag = tag_of(ref, deck_names[0], number)
        if ref.card == UNKNOWN:
            unregistered.add(tag)
        else:
            registered.setdefault(tag, RegisteredTag(ref.deck or deck_names[0], ref.card))
    return Decks(deck_names[0], registered, frozenset(unregistered))
