"""The full scan: all places are read, and what lies there is held against the deck as configured.

It runs from the key `scan` to the key `scan end`. What it sees of the deck was seen by one event, as a set. A
card that it does not see is unread; only one that two scans running do not see, and that turned up nowhere in
between, is missing.
"""

import msgspec

from shoe_bridge.table.cards import JOKER
from shoe_bridge.table.deck import DeckWatch, Sighting
from shoe_bridge.table.findings import Conclusion, DeckDefect, Equipment
from shoe_bridge.table.hand import STUB
from shoe_bridge.table.proof import prove, with_defect
from shoe_bridge.table.state import Setup, TableState

replace = msgspec.structs.replace


class Picture:
    """What lies on the antennas at the end of a full scan, by what the register says of it. What does not
    belong to the deck counts only where it lies with it: a guest's key card at a seat is no card too many."""

    def __init__(self, state: TableState, setup: Setup) -> None:
        register = setup.register
        in_use = register.decks[0].tags if register.decks else {}
        self.cards: dict[str, tuple[str, ...]] = {}  # of the deck in use: where each lies
        self.doubled: set[str] = set()  # two tags of one identity at different places
        self.foreign: set[str] = set()
        self.strangers: set[str] = set()
        self.has_joker = False
        for tag, places in state.lies.items():
            card = in_use.get(tag)
            if card is not None and card != JOKER:
                self._lay(card, places)
            elif STUB in places:
                self._lay_stray(tag, card or register.card_of(tag))

    def _lay(self, card: str, places: tuple[str, ...]) -> None:
        others = self.cards.get(card)
        if others is not None and not set(others) & set(places):
            self.doubled.add(card)
        self.cards[card] = places if others is None else (*others, *places)

    def _lay_stray(self, tag: str, card: str | None) -> None:
        if card is None:
            self.strangers.add(tag)
        elif card == JOKER:
            self.has_joker = True
        else:
            self.foreign.add(card)

    @property
    def is_pure(self) -> bool:
        return not (self.doubled or self.foreign or self.strangers or self.has_joker)

    def place_of(self, card: str) -> str:
        places = self.cards[card]
        return STUB if STUB in places else places[-1]


def end_scan(state: TableState, setup: Setup, seq: int, at_mono_ns: int) -> TableState:
    """A full scan is over. What it did not see is unread; what two running did not see is missing. A scan
    with a reader lost, or that saw nothing at all, says nothing about what is missing. Where no deck is
    registered there is nothing to hold it against."""
    if not setup.register.decks:
        return replace(state, is_scanning=False)
    picture, watch, hand = Picture(state, setup), state.watch, state.hand
    unseen = tuple(sorted(setup.register.cards_in_use().difference(picture.cards)))
    is_blind = bool(watch.blind) or not picture.cards
    before, missed_seq, sightings = state.missing, watch.scan_seq, watch.sightings
    twice = [] if is_blind else [card for card in unseen if _is_missed_twice(card, before, watch)]
    state = replace(
        state,
        is_scanning=False,
        missing=before if is_blind else unseen,
        equipment=_with_unread(state.equipment, bool(unseen), seq),
        watch=_scanned(watch, picture, Sighting(STUB, seq, at_mono_ns, hand.number), is_blind, twice),
    )
    for card in twice:
        last = sightings.get(card)
        rests_on = (0 if last is None else last.seq, missed_seq, seq)
        state = with_defect(state, DeckDefect("missing", card), tuple(filter(None, rests_on)))
    state = _with_what_is_too_many(state, picture, watch, seq)
    if not unseen and sightings and picture.is_pure:
        state = replace(state, watch=prove(state.watch, hand, seq, at_mono_ns, "scan"))
    return state


def _is_missed_twice(card: str, before: tuple[str, ...], watch: DeckWatch) -> bool:
    """The scan before missed it too, and it turned up nowhere in between."""
    last = watch.sightings.get(card)
    return card in before and (last is None or last.seq <= watch.scan_seq)


def _with_unread(equipment: tuple[Conclusion, ...], is_unread: bool, seq: int) -> tuple[Conclusion, ...]:
    unread = Equipment("unread_card", STUB)
    kept = tuple(known for known in equipment if known.finding != unread)
    return (*kept, Conclusion(unread, (seq,))) if is_unread else kept


def _scanned(
    watch: DeckWatch, picture: Picture, scan: Sighting, is_blind: bool, twice: list[str]
) -> DeckWatch:
    """Every card that the scan saw was seen by this one event: a set, whatever the order of the reads."""
    sightings = {
        card: replace(scan, place=picture.place_of(card)) if card in picture.cards else last
        for card, last in watch.sightings.items()
    }
    return replace(
        watch,
        sightings=sightings,
        unseen=sum(last is None or last.seq <= watch.since_seq for last in sightings.values()),
        batch=None,
        scan_seq=watch.scan_seq if is_blind else scan.seq,
        strangers=tuple(sorted(picture.strangers)),
        lost=tuple(sorted({*watch.lost, *twice}.difference(picture.cards))),
    )


def _with_what_is_too_many(state: TableState, picture: Picture, before: DeckWatch, seq: int) -> TableState:
    """More cards than the deck has. A tag that no deck knows can be a misread one until two scans see it."""
    found = [DeckDefect("duplicate", card) for card in sorted(picture.doubled)]
    found += [DeckDefect("foreign_deck", card) for card in sorted(picture.foreign)]
    found += [DeckDefect("joker")] * picture.has_joker
    for defect in found:
        state = with_defect(state, defect, (seq,))
    if picture.strangers & set(before.strangers):
        return with_defect(state, DeckDefect("wrong_count"), tuple(filter(None, (before.scan_seq, seq))))
    if picture.strangers and not any(_is_stranger_noted(known) for known in state.equipment):
        noted = Conclusion(Equipment("unknown_tag", STUB), (seq,))
        state = replace(state, equipment=(*state.equipment, noted))
    return state


def _is_stranger_noted(known: Conclusion) -> bool:
    return isinstance(known.finding, Equipment) and known.finding.cause == "unknown_tag"


def is_every_card_seen(state: TableState, setup: Setup) -> bool:
    """Every identity turned up since the last shuffle, and nothing that does not belong with them."""
    watch, hand = state.watch, state.hand
    if watch.unseen or not watch.sightings or hand.defects or not Picture(state, setup).is_pure:
        return False
    return all(setup.register.card_of(card.tag) is not None for card in hand.cards)
