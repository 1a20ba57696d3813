"""The proof of the deck: at every moment the cards that lie somewhere and those not located are the deck as
configured, each identity once.

    never seen ──arrival──► located ──departure──► unread ──missed by two full scans running──► missing
                               ▲                      │
                               └──────arrival─────────┘

A card that no antenna sees is unread, which says nothing about the deck: only a full scan can call it
missing, and only the second one running. The deck is proven by a full scan that sees every card and nothing
else, and when every card has turned up at some place since the last shuffle. From the last proof to the
discovery of a defect every hand that was dealt is at risk.
"""

from collections.abc import Iterator

import msgspec

from shoe_bridge.table.deck import DeckWatch, Proven, Sighting, watch_of
from shoe_bridge.table.findings import Conclusion, DeckAtRisk, DeckDefect
from shoe_bridge.table.hand import STUB, Hand
from shoe_bridge.table.state import Setup, TableState

replace = msgspec.structs.replace

_LIVE_PHASES = ("ready", "cutting", "dealing", "dealt", "showdown")


# -- sightings


def see(watch: DeckWatch, card: str | None, place: str, seq: int, at_mono_ns: int, hand: int) -> DeckWatch:
    """Card `card` has come to `place`. What is no card of the deck in use is not watched."""
    sightings = watch.sightings
    if card is None or card not in sightings:
        return watch
    batch = None
    if place == STUB:
        batch = watch.batch or (seq, at_mono_ns)
        seq, at_mono_ns = batch
    old = sightings[card]
    unseen = watch.unseen - (old is None or old.seq <= watch.since_seq)
    seen = {**sightings, card: Sighting(place, seq, at_mono_ns, hand)}
    lost = tuple(each for each in watch.lost if each != card) if watch.lost else ()
    return replace(watch, sightings=seen, unseen=unseen, batch=batch, lost=lost)


def leave(watch: DeckWatch, card: str | None, place: str, last_read_ns: int) -> DeckWatch:
    """Card `card` is gone from `place`, where it was read last at `last_read_ns`."""
    last = watch.sightings.get(card) if card is not None else None
    if card is None or last is None or last.place != place or place == STUB:
        return watch
    seen = {**watch.sightings, card: replace(last, at_mono_ns=max(last.at_mono_ns, last_read_ns))}
    return replace(watch, sightings=seen)


def begin_count(watch: DeckWatch, seq: int) -> DeckWatch:
    """From event `seq` on (a shuffle, a hand that begins) every card is looked for anew."""
    return replace(watch, since_seq=seq, unseen=len(watch.sightings), batch=None)


# -- proof


def prove(watch: DeckWatch, hand: Hand, seq: int, at_mono_ns: int, how: str) -> DeckWatch:
    """The deck is whole now, and so it was for the hand in play and those before it."""
    through = hand.number if hand.has_begun else hand.number - 1
    return replace(watch, proven=Proven(seq, at_mono_ns, through, how), runs=())


def close_hand(watch: DeckWatch, hand: Hand, setup: Setup, seq: int) -> DeckWatch:
    """Hand `hand` ends: if it was dealt after the last proof, it is at risk until the next one. A watch of a
    state that an earlier version stored begins here."""
    if not watch.sightings:
        watch = watch_of(setup.register)
    runs = watch.runs
    if hand.has_begun and not _is_covered(watch, hand.number):
        is_next = bool(runs) and runs[-1][1] + 1 == hand.number
        runs = (*runs[:-1], (runs[-1][0], hand.number)) if is_next else (*runs, (hand.number, hand.number))
    return begin_count(replace(watch, runs=runs), seq)


def hands_at_risk(watch: DeckWatch, hand: Hand) -> tuple[int, ...]:
    """The numbers of all hands dealt since the last proof, the one in play included."""
    hands = [number for first, last in watch.runs for number in range(first, last + 1)]
    if hand.has_begun and not _is_covered(watch, hand.number):
        hands.append(hand.number)
    return tuple(hands)


def _is_covered(watch: DeckWatch, number: int) -> bool:
    return watch.proven is not None and number <= watch.proven.through_hand


# -- defects


def with_defect(state: TableState, defect: DeckDefect, evidence: tuple[int, ...]) -> TableState:
    """The deck is defective, and the hands dealt since it was last proven are at risk. `evidence` ends with
    the event of the discovery."""
    hand = state.hand
    if any(known.finding == defect for known in hand.defects):
        return state
    hand = replace(hand, defects=(*hand.defects, Conclusion(defect, evidence)))
    hands, proven = hands_at_risk(state.watch, hand), state.watch.proven
    risk = DeckAtRisk(hands, None if proven is None else proven.through_hand)
    if hands and not any(known.finding == risk for known in hand.warnings):
        rests_on = evidence if proven is None else (proven.seq, *evidence)
        hand = replace(hand, warnings=(*hand.warnings, Conclusion(risk, rests_on)))
    return replace(state, hand=hand)


# -- what the proof says


class Unlocated(msgspec.Struct, frozen=True):
    """A card that no antenna sees: `status` is `unread`, or `missing` when two full scans running did not see
    it; `last` is its last sighting, None when it was never seen."""

    card: str
    status: str
    last: Sighting | None


class Proof(msgspec.Struct, frozen=True):
    """How the deck stands. `located` and `unread` always add up to `cards`; `missing` of the unread ones were
    missed by two scans running. `defects` are the reasons of what was found wrong with the deck in this hand.
    `hands_since` counts the hands at risk, which are all dealt since `last_proven` (None: the deck was never
    proven). `unlocated` has the identities, the longest unseen first; it is empty while a hand is live
    (`is_sealed`), for it would tell which cards are in play.
    """

    deck: str | None
    cards: int
    located: int
    unread: int
    missing: int
    seen_since_shuffle: int
    last_proven: Proven | None
    hands_at_risk: tuple[int, ...]
    is_sealed: bool
    defects: tuple[str, ...] = ()
    unlocated: tuple[Unlocated, ...] = ()

    @property
    def hands_since(self) -> int:
        return len(self.hands_at_risk)

    @property
    def is_proven(self) -> bool:
        """No hand was dealt since the deck was whole, and nothing is wrong with it."""
        return self.last_proven is not None and not (self.hands_at_risk or self.defects or self.missing)

    @property
    def says(self) -> str:
        """One sentence for people."""
        if self.deck is None:
            return "No deck is registered, so none can be proven."
        if self.defects:
            return f"Deck {self.deck} is defective: {', '.join(self.defects).replace('_', ' ')}."
        if self.last_proven is None:
            return f"Deck {self.deck} was never proven: {_hands(self.hands_since)} dealt from it."
        if not self.hands_since:
            return f"Deck {self.deck} is proven."
        return f"Deck {self.deck} was last proven {_hands(self.hands_since)} ago."


def proof_of(state: TableState, setup: Setup) -> Proof:
    """How the deck of the table stands: a pure function of its state, live, replayed or from a snapshot."""
    register, watch, hand = setup.register, state.watch, state.hand
    in_use = register.decks[0].tags if register.decks else {}
    cards = register.cards_in_use()
    located = {in_use[tag] for tag in state.lies if tag in in_use} & cards
    away = cards - located
    is_sealed = hand.has_begun and hand.phase in _LIVE_PHASES
    missing = away.intersection(watch.lost)
    return Proof(
        deck=register.decks[0].id if register.decks else None,
        cards=len(cards),
        located=len(located),
        unread=len(away),
        missing=len(missing),
        seen_since_shuffle=len(watch.sightings) - watch.unseen,
        last_proven=watch.proven,
        hands_at_risk=hands_at_risk(watch, hand),
        is_sealed=is_sealed,
        defects=tuple(dict.fromkeys(_reasons(hand))),
        unlocated=() if is_sealed else _unlocated(watch, away, missing),
    )


def _reasons(hand: Hand) -> Iterator[str]:
    for known in hand.defects:
        if isinstance(known.finding, DeckDefect):
            yield known.finding.reason


def _unlocated(watch: DeckWatch, away: frozenset[str], missing: frozenset[str]) -> tuple[Unlocated, ...]:
    def age(card: str) -> tuple[int, str]:
        last = watch.sightings.get(card)
        return (-1 if last is None else last.seq, card)

    return tuple(
        Unlocated(card, "missing" if card in missing else "unread", watch.sightings.get(card))
        for card in sorted(away, key=age)
    )


def _hands(count: int) -> str:
    return "1 hand" if count == 1 else f"{count} hands"
