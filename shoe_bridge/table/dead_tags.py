"""Cards whose tags no antenna hears any more: what the table shows of them from hand to hand, and how
probable it is then that the next card that nobody hears is one."""

import msgspec

from shoe_bridge.table.cards import STANDARD_52
from shoe_bridge.table.deafness import known_deaf
from shoe_bridge.table.deal_model import DealModel
from shoe_bridge.table.deck import DeckWatch
from shoe_bridge.table.following import Following
from shoe_bridge.table.hand import Hand
from shoe_bridge.table.redeal import UNHEARD
from shoe_bridge.table.settling import HORIZON_CYCLES
from shoe_bridge.table.timing import missed_all

_UNHEARD_IS_DEAD = 0.5  # the chance that the tag of a card that nobody heard in a whole hand is dead
_ONLY_MISSED = 0.001  # the chance that a card was only missed until it was settled
_LEAST_ODDS = 0.01  # that a tag is dead; below it is not minded
_LEAST_HANDS = 0.05  # that a card waits on the average to be seen
_MOST_HANDS = 200  # are counted


def close_hand(watch: DeckWatch, hand: Hand, now: Following, model: DealModel) -> DeckWatch:
    """Hand `hand` ends: was a card dealt in it that nobody heard? That counts until every card of the deck
    has been seen since."""
    since = watch.dead_since
    if since and all(last is not None and last.hand >= since for last in watch.sightings.values()):
        since = 0
    if not since and _has_dead(hand, now, model):
        since = hand.number
    return watch if since == watch.dead_since else msgspec.structs.replace(watch, dead_since=since)


def _has_dead(hand: Hand, now: Following, model: DealModel) -> bool:
    """Lies a card that nobody heard where an antenna heard others, and not so deep in the pile that it was
    only missed?"""
    deaf, lying = known_deaf(now), dict[str, int]()
    for card in hand.cards if now.base is None else now.base.cards:  # open ones may still be heard
        depth = lying[card.at] = 1 if card.at in model.flat else lying.get(card.at, 0) + 1
        if card.tag.startswith(UNHEARD) and card.at in now.live and card.at not in deaf:
            missed = missed_all(model.sensor.missed_at(depth), HORIZON_CYCLES)
            if missed < _ONLY_MISSED:
                return True
    return False


def chance_of_dead(watch: DeckWatch, number: int, dead: float) -> float:
    """The share of the deck whose tags are dead, as far as hands up to `number` tell. Where a card was dealt
    that nobody heard, that is one of them, if it was not only heard badly. Else it are those that were not
    seen for so long that this is no chance any more, `dead` being the chance that a tag dies in a hand."""
    cards = len(watch.sightings)
    if cards < 2 or not watch.runs:  # no deck is registered, or nothing was dealt from it yet
        return 0.0
    deck = max(cards, len(STANDARD_52))
    if watch.dead_since:
        return _UNHEARD_IS_DEAD / deck
    before = watch.runs[0][0] - 1 if watch.proven is None else number  # the deck's first hand
    unseen = sorted(number - (before if last is None else last.hand) for last in watch.sightings.values())
    usual = max(_LEAST_HANDS, sum(unseen[:-1]) / (cards - 1))  # without the one that may be dead
    passed_over = usual / (1.0 + usual)  # the chance that a card is not seen in a hand
    suspected = 0.0
    for hands in unseen:
        odds, by_chance = 0.0, 1.0
        for _ in range(min(hands, _MOST_HANDS)):  # dead for so many of them, and not seen by chance before
            by_chance /= passed_over
            odds += dead * by_chance
        if odds > _LEAST_ODDS:
            suspected += odds / (1.0 + odds)
    return suspected / deck
