"""What a card is: of which deck, and whether its identity is there once.

Two tags of one identity in the deck in use are one card as long as they travel together, that is come to
one place in one window. The card is dealt under the tag that came first; the other one is its twin. They are
two cards, a duplicate, when the second comes to another place, comes to the same place in another window, or
stays behind when the first one goes.
"""

import msgspec

from shoe_bridge.table.cards import JOKER
from shoe_bridge.table.deck import Deck
from shoe_bridge.table.findings import Conclusion, DeckDefect, Equipment
from shoe_bridge.table.hand import Card, Hand
from shoe_bridge.table.observations import CardArrived, CardDrawn
from shoe_bridge.table.proof import with_defect
from shoe_bridge.table.state import Setup, TableState

replace = msgspec.structs.replace

# A reader that misses the second tag of a card for a poll or two proves it absent while the first is there.
# In a deck made with two tags a card that is no sign of a second card; the time is a few slow polls. Where
# one card alone has a second tag, that is rather the tag of a card that was replaced, so one poll decides.
_PAIR_SPREAD_NS = 1_000_000_000
# A tag that stays behind is proven gone within the hysteresis of its antenna; after this long it lies there.
_PARTED_NS = 3_000_000_000


class Identities:
    """What the register says of the cards of one table."""

    def __init__(self, setup: Setup) -> None:
        register = setup.register
        in_use = register.decks[0] if register.decks else Deck("", {})
        self._register = register
        self._in_use = in_use.tags
        self._doubled = in_use.doubled
        self._tags = {card: tag for tag, card in in_use.tags.items() if card not in self._doubled}
        self._spread_ns = _PAIR_SPREAD_NS if in_use.has_paired_tags else 0

    def watched(self, tag: str) -> str | None:
        """The identity of a tag of the deck in use; a joker's is JOKER, None for any other tag."""
        return self._in_use.get(tag)

    def tag_of(self, card: str | None) -> str | None:
        """The tag of a card of the deck in use; None for a card that has none or two."""
        return None if card is None else self._tags.get(card)

    def is_unknown(self, drawn: CardDrawn) -> bool:
        """Did the shoe read a tag that no deck knows? Without a register no tag is unknown."""
        decks = self._register.decks
        return bool(decks) and drawn.tag is not None and self._register.card_of(drawn.tag) is None

    # -- twins

    def twin_of(self, state: TableState, seen: CardArrived) -> str | None:
        """The tag under which the card that `seen` belongs to is dealt already, None when it is a card of its
        own."""
        card = self._in_use.get(seen.tag)
        if card not in self._doubled:
            return None
        other = self._dealt(state.hand, card, seen.tag)
        is_one = other is not None and other.at == seen.place and self._is_together(state, card, seen)
        return other.tag if other is not None and is_one else None

    def check_twins(self, state: TableState, seen: CardArrived, seq: int) -> TableState:
        """Do the tags of each card still travel together? `seen` is an arrival that the state does not know
        of yet. Once the hands are shown, cards are swept together tag by tag, and nobody can tell."""
        if state.hand.phase in ("gathering", "showdown", "over"):
            return state
        for twin, tag in state.hand.twins.items():
            card = self._in_use[tag]
            at, twin_at = state.lies.get(tag, ()), state.lies.get(twin, ())
            last = state.watch.sightings.get(card)
            if seen.tag in (tag, twin):
                others = at if seen.tag == twin else twin_at
                is_parted = seen.place in others and not self._is_together(state, card, seen)
            else:
                is_late = last is not None and seen.not_before_ns - last.at_mono_ns > _PARTED_NS
                is_parted = is_late and bool(at) and bool(twin_at) and not set(at) & set(twin_at)
            if is_parted:
                state = self._part(state, twin, card, seq)
        return state

    def is_second(self, state: TableState, seen: CardArrived) -> bool:
        """The other tag of this card has come to this place before."""
        twins, tag = state.hand.twins, seen.tag
        others = [twins[tag]] if tag in twins else [twin for twin, of in twins.items() if of == tag]
        return any(seen.place in state.lies.get(other, ()) for other in others)

    def _is_together(self, state: TableState, card: str, seen: CardArrived) -> bool:
        """The poll that saw the other tag first did not prove this one absent."""
        last = state.watch.sightings.get(card)
        return last is not None and seen.not_before_ns < last.at_mono_ns + self._spread_ns

    def _part(self, state: TableState, twin: str, card: str, seq: int) -> TableState:
        twins = {tag: of for tag, of in state.hand.twins.items() if tag != twin}
        state = replace(state, hand=replace(state.hand, twins=twins))
        last = state.watch.sightings[card]
        return with_defect(state, DeckDefect("duplicate", card), (seq,) if last is None else (last.seq, seq))

    def _dealt(self, hand: Hand, card: str, but: str) -> Card | None:
        """The newest card of that identity under another tag."""
        return next(
            (c for c in reversed(hand.cards) if c.tag != but and self._in_use.get(c.tag) == card), None
        )

    # -- a card that is dealt

    def check(self, state: TableState, seen: CardArrived, seq: int) -> TableState:
        """Is it a card of the deck in use, and the only one of its rank and suit in this hand?"""
        register = self._register
        if not register.decks or state.hand.phase == "gathering":
            return state
        card = self._in_use.get(seen.tag) or register.card_of(seen.tag)
        if card is None:
            unknown = Conclusion(Equipment("unknown_tag", seen.place, seen.device), (seq,))
            if any(known.finding == unknown.finding for known in state.equipment):
                return state
            return replace(state, equipment=(*state.equipment, unknown))
        if card == JOKER:
            return with_defect(state, DeckDefect("joker"), (seq,))
        if seen.tag not in self._in_use:
            return with_defect(state, DeckDefect("foreign_deck", card), (seq,))
        other = self._dealt(state.hand, card, seen.tag) if card in self._doubled else None
        if other is None:
            return state
        return with_defect(state, DeckDefect("duplicate", card), (other.seq, seq))
