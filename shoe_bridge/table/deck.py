"""Decks: which tag is which card. The register knows identities, never an order."""

import msgspec

from shoe_bridge.table.cards import JOKER, is_card


class Deck(msgspec.Struct, frozen=True):
    """One deck of tagged cards: `tags` maps a tag (upper-case hex) to its card. Two tags may be one card."""

    id: str
    tags: dict[str, str]


class Register(msgspec.Struct, frozen=True):
    """All decks that the table knows; the first is the one in use."""

    decks: tuple[Deck, ...]

    def card_of(self, tag: str) -> str | None:
        """The card of a tag, `joker` for a registered joker, None for a tag that no deck knows."""
        for deck in self.decks:
            card = deck.tags.get(tag)
            if card is not None:
                return card
        return None

    def deck_of(self, tag: str) -> str | None:
        return next((deck.id for deck in self.decks if tag in deck.tags), None)

    def cards_in_use(self) -> frozenset[str]:
        """The identities that the deck in use must show in a full scan."""
        if not self.decks:
            return frozenset()
        return frozenset(card for card in self.decks[0].tags.values() if card != JOKER)

    def problems(self) -> list[str]:
        """What contradicts itself: a tag in two decks, an identity that is no card. Empty when sound."""
        found = []
        owner: dict[str, str] = {}
        for deck in self.decks:
            for tag, card in deck.tags.items():
                if card != JOKER and not is_card(card):
                    found.append(f"deck {deck.id}: tag {tag} is registered as {card!r}, which is no card")
                if tag in owner:
                    found.append(f"tag {tag} is registered in deck {owner[tag]} and in deck {deck.id}")
                owner[tag] = deck.id
        return found
