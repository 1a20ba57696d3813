"""Doubt: what a device did not see, and which findings are put down to that device for it.

A place is in doubt while its device is lost, and for the rest of the hand once that device could not replay
all that happened in it. A place that a second device watches too is in doubt only with both of them.

| finding | is put down to the device when |
|---|---|
| of equipment | the device is named, or it watches the place that is |
| of a card or count | a place that it names is in doubt, or the place of the card that it names |
| `order_error` between places that were seen | without the places in doubt, the seen cards are in order |
| of the burns, and cards out of turn in a street | a place that the streets deal to is in doubt |
| advice | it rests on such a finding, and no trusted one speaks for the same rule or seat |

A card that is not seen shifts the order for all that follow, so the places in a finding do not tell alone.
Buttons, exposed cards and the deck itself do not depend on where cards are seen.
"""

from collections.abc import Iterator

import msgspec

from shoe_bridge.table.findings import (
    AnyFinding,
    BurnMoved,
    CardAfterEnd,
    Change,
    CountError,
    DealtOut,
    Equipment,
    ExtraBurn,
    ExtraHand,
    HandDead,
    HandVoid,
    MisdealAdvised,
    MissingBurn,
    OrderError,
    PrematureCard,
    RefundAll,
)
from shoe_bridge.table.hand import BOARD, BURN, Card, Hand, places_of_the_deal
from shoe_bridge.table.layout import SEATS, seat_place
from shoe_bridge.table.observations import AnyObservation, Event, EventsMissed, LinkLost, time_of
from shoe_bridge.table.procedures import TO_BOARD, Procedure
from shoe_bridge.table.state import Standing, TableState

replace = msgspec.structs.replace

_OF_CARDS = (OrderError, CountError, DealtOut, ExtraHand, PrematureCard, CardAfterEnd, BurnMoved)
_OF_BURNS = (MissingBurn, ExtraBurn)
_ADVICE = (MisdealAdvised, HandVoid, HandDead, RefundAll)

NOTICED_NS = 4_000_000_000  # within this time the silence of a device is noticed, with some reserve

Doubts = dict[str, str]  # place -> the device that did not see all of it


def devices_in_doubt(state: TableState) -> tuple[str, ...]:
    """The devices with places that are lost, or did not see all of the hand in play."""
    with_gap = [name for name, hand in state.gaps.items() if hand == state.hand.number]
    return tuple(dict.fromkeys((*state.watch.blind, *with_gap)))


def places_in_doubt(state: TableState) -> Doubts:
    """Each place that no device watched throughout, with the device to blame."""
    doubted = devices_in_doubt(state)
    if not doubted:
        return {}
    seen = {place for name, places in state.served.items() if name not in doubted for place in places}
    found: Doubts = {}
    for name in doubted:
        for place in state.served.get(name, ()):
            if place not in seen:
                found.setdefault(place, name)
    return found


def with_places(state: TableState, device: str, places: tuple[str, ...]) -> TableState:
    """The link to `device` told which places it has."""
    if not places or state.served.get(device) == places:
        return state
    return replace(state, served={**state.served, device: places})


def heard_now(state: TableState, seen: AnyObservation) -> dict[str, int]:
    """`heard` after this observation."""
    device = getattr(seen, "device", None)  # what only says that time has passed is of none
    if device not in state.served or state.heard.get(device) == state.next_finding:
        return state.heard
    return {**state.heard, device: state.next_finding}


def is_concerned(before: TableState, old: Standing, event: Event) -> bool:
    """May finding `old` be judged otherwise, now that `event` changed which devices are in doubt? A device
    that falls silent is noticed some time later: what came up meanwhile may follow from that."""
    if isinstance(old.finding, Equipment):
        return False
    if old.number in before.alerts.doubtful:
        return True
    seen = event.observation
    if not isinstance(seen, LinkLost | EventsMissed) or old.number < before.heard.get(seen.device, 1):
        return False
    alert = before.alerts.holder(old.number)
    return alert is not None and alert.raised_at_ns >= time_of(seen) - NOTICED_NS


def blamed_for(
    state: TableState, game: Procedure, change: Change, doubtful: frozenset[int] = frozenset()
) -> str | None:
    """The device that `change` is put down to: the cause of an equipment finding, or the device that did not
    see what a finding of the deal rests on. None: the finding stands for itself. `doubtful` are the numbers
    of findings that were put down to a device before."""
    finding = change.finding
    if isinstance(finding, Equipment):
        return _blamed_for_equipment(state, finding)
    doubts = places_in_doubt(state)
    if not doubts or change.hand != state.hand.number:
        return None
    if isinstance(finding, _OF_BURNS):
        return _of_the_streets(state.hand, game, doubts)
    if isinstance(finding, _OF_CARDS):
        return _blamed_for_cards(state.hand, game, change, doubts)
    if isinstance(finding, _ADVICE):
        return _blamed_for_advice(state, game, change, doubts, doubtful)
    return None


def _blamed_for_equipment(state: TableState, finding: Equipment) -> str | None:
    if finding.device is not None:
        return finding.device
    if finding.cause == "unread_card":  # it may lie wherever nobody looks
        doubted = devices_in_doubt(state)
        if doubted:
            return places_in_doubt(state).get(finding.place or "") or doubted[0]
    watching = (name for name, places in state.served.items() if finding.place in places)
    return next(watching, None)


# -- findings of the deal -------------------------------------------------------------------------------


def _blamed_for_cards(hand: Hand, game: Procedure, change: Change, doubts: Doubts) -> str | None:
    finding = change.finding
    blamed = next((doubts[place] for place in _places_named(change, hand) if place in doubts), None)
    if blamed is not None or not isinstance(finding, OrderError | PrematureCard):
        return blamed
    card = _card_of(hand, finding.card)
    return _shifting(hand, game, card, doubts) if card is not None else None


def _places_named(change: Change, hand: Hand) -> Iterator[str]:
    """The places that a finding is about, as it says itself or as the card lies that it names."""
    finding = change.finding
    if isinstance(finding, OrderError):
        yield from (finding.got, finding.want)
    elif isinstance(finding, CountError):
        yield finding.place
    elif isinstance(finding, DealtOut | ExtraHand | HandVoid | HandDead):
        yield SEATS[finding.seat - 1]
    elif isinstance(finding, PrematureCard | CardAfterEnd | BurnMoved):
        card = _card_of(hand, finding.card)
        if card is not None:
            yield card.at


def _card_of(hand: Hand, number: int) -> Card | None:
    return next((card for card in hand.cards if card.number == number), None)


def _shifting(hand: Hand, game: Procedure, card: Card, doubts: Doubts) -> str | None:
    """The device whose unseen cards explain that `card` looks out of turn: without its places the cards that
    were seen come in the order of the deal."""
    if not card.is_hole:
        return _of_the_streets(hand, game, doubts)
    deal = places_of_the_deal(hand, game.passes, game.to_dealer)
    due = [place for place in deal if place not in doubts]
    seen = [each for each in hand.cards if each.is_hole and each.is_in_play and each.at not in doubts]
    index = next((at for at, each in enumerate(seen) if each.number == card.number), 0)
    is_next = due[index] == card.at if index < len(due) else card.at in (BOARD, BURN)
    return next((doubts[place] for place in deal if place in doubts), None) if is_next else None


def _of_the_streets(hand: Hand, game: Procedure, doubts: Doubts) -> str | None:
    """The device to blame for what comes after the initial deal: which card is of which street, and when a
    betting round opens, is counted by the cards that were seen."""
    places = [BURN]
    if any(street.target == TO_BOARD for street in game.streets):
        places.append(BOARD)
    if any(street.target != TO_BOARD for street in game.streets):
        places += map(seat_place, hand.eligible)
    return next((doubts[place] for place in places if place in doubts), None)


def _blamed_for_advice(
    state: TableState, game: Procedure, change: Change, doubts: Doubts, doubtful: frozenset[int]
) -> str | None:
    """A misdeal is not advised on cards that nobody saw. It is trusted where a trusted finding gives the same
    rule or seat, and where other things than the initial deal speak for it."""
    hand = state.hand
    named = next((doubts[place] for place in _places_named(change, hand) if place in doubts), None)
    if named is not None:
        return named
    reasons = [each for each in state.standing if _is_reason(each, hand)]
    if any(each.number not in doubtful and _speaks_for(each.finding, change.finding) for each in reasons):
        return None
    behind = (card for card in hand.cards if card.is_misplaced and card.seq in change.evidence)
    for card in behind:
        blamed = doubts.get(card.at) or doubts.get(card.want) or _shifting(hand, game, card, doubts)
        if blamed is not None:
            return blamed
    is_of_the_deal = hand.end_deal_seq is not None and hand.end_deal_seq in change.evidence
    if is_of_the_deal and any(each.number in doubtful for each in reasons):
        return next(iter(doubts.values()))
    return None


def _is_reason(standing: Standing, hand: Hand) -> bool:
    return standing.hand == hand.number and isinstance(standing.finding, (*_OF_CARDS, *_OF_BURNS))


def _speaks_for(reason: AnyFinding, advice: AnyFinding) -> bool:
    if isinstance(advice, HandVoid | HandDead):
        return isinstance(reason, CountError) and reason.place == SEATS[advice.seat - 1]
    rule = getattr(reason, "rule", None)
    return rule is not None and rule == getattr(advice, "rule", None)
