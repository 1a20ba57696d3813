"""Decks: which tag is which card, and what is known of where its cards are. Identities, never an order."""

import msgspec

from shoe_bridge.table.cards import JOKER, is_card


class Deck(msgspec.Struct, frozen=True):
    """One deck of tagged cards: `tags` maps a tag (upper-case hex) to its card. Two tags may be one card."""

    id: str
    tags: dict[str, str]

    @property
    def doubled(self) -> frozenset[str]:
        """The cards that more than one tag of this deck stands for."""
        once, twice = set[str](), set[str]()
        for card in self.tags.values():
            (twice if card in once else once).add(card)
        return frozenset(twice - {JOKER})

    @property
    def has_paired_tags(self) -> bool:
        """Its cards were made with two tags each, as against one tag too many in the register."""
        return 2 * len(self.doubled) > len(set(self.tags.values()))


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


class Sighting(msgspec.Struct, frozen=True, array_like=True):
    """Where one identity was last known to be. `seq` is the event that said so, `at_mono_ns` the last time it
    was read there (monotonic ns), `hand` the number of the hand.

    Cards that come to the stub one after the other share the seq and the time of the first of them, so that
    sightings of a stub are a set and tell no order.
    """

    place: str
    seq: int
    at_mono_ns: int
    hand: int


class Proven(msgspec.Struct, frozen=True, array_like=True):
    """The deck was whole: every identity was seen, each once. `through_hand` is the last hand that was dealt
    from it by then (0: none), `how` is `scan`, or `seen` when every card turned up at some place."""

    seq: int
    at_mono_ns: int
    through_hand: int
    how: str


class PastDeal(msgspec.Struct, frozen=True, array_like=True):
    """The cards of a hand that is over, in the order in which they were dealt, two letters each; `--` is a
    card that was not read or is of no deck."""

    hand: int
    cards: str


class DeckWatch(msgspec.Struct, frozen=True):
    """What the table carries to prove its deck from event to event.

    `sightings` has every identity of the deck in use, in the alphabet's order, None for one that was never
    seen. `unseen` counts the identities that were not seen since event `since_seq` (the last shuffle or
    beginning of a hand). `batch` is the event and time that the cards now coming to the stub share. `blind`
    are devices with antennas that are lost. `runs` are the numbers of the hands that were dealt since the
    last proof and are over, as runs (first, last). `scan_seq` is the end of the last full scan that counts,
    `lost` the identities that two scans running missed and that have not turned up since, `strangers` the
    tags of no deck that the last scan saw. `deals` are the last hands, kept only once they are over.
    `dead_since` is the first hand in which a card was dealt that no antenna heard, 0 where all were heard or
    every card of the deck has turned up since.
    """

    sightings: dict[str, Sighting | None] = {}
    since_seq: int = 0
    unseen: int = 0
    batch: tuple[int, int] | None = None
    blind: tuple[str, ...] = ()
    proven: Proven | None = None
    runs: tuple[tuple[int, int], ...] = ()
    scan_seq: int = 0
    lost: tuple[str, ...] = ()
    strangers: tuple[str, ...] = ()
    deals: tuple[PastDeal, ...] = ()
    dead_since: int = 0


def watch_of(register: Register) -> DeckWatch:
    """A deck of which nothing was seen yet."""
    cards = sorted(register.cards_in_use())
    return DeckWatch(dict.fromkeys(cards), unseen=len(cards))
