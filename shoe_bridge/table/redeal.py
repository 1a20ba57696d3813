"""A hand dealt again: its plan, and what an explanation makes of the hand before the window."""

from collections.abc import Callable, Iterable, Sequence

import msgspec

from shoe_bridge.table.dealing import deal_card
from shoe_bridge.table.following import Following, keys_of, told_seq
from shoe_bridge.table.hand import BOARD, BURN, Hand, places_of_the_deal
from shoe_bridge.table.observations import Event
from shoe_bridge.table.procedures import Procedure
from shoe_bridge.table.window import Due, Explanation, Taken

replace = msgspec.structs.replace

UNHEARD = "?"  # how the tag of a card begins that no antenna has heard
_MOST_HANDS = 12  # that are judged, as long as more
_HANDS_SHARE = 0.9998  # of the probability is not told; what is not judged counts against each finding
_MOST_PLANS = 64


def plan_of(hand: Hand, game: Procedure) -> tuple[tuple[Due, ...], int]:
    """The plan of the hand as far as it can be known when it begins, and how many of its entries are the
    initial deal: the passes, and the streets up to the first that does not go to the board."""
    plan: list[Due] = []
    one_pass = tuple(places_of_the_deal(hand, 1, game.to_dealer))
    for run in range(game.passes):
        for number, place in enumerate(one_pass):
            plan.append(Due(place, run, run == number == 0, () if number else one_pass))
    size = len(plan)
    for index, street in enumerate(game.streets[: game.streets_to_board]):
        run = game.passes + index
        places = (BURN,) * street.burn + (BOARD,) * street.cards
        is_of_deal = game.with_deal and index == 0
        plan += [
            Due(place, run, n == 0 and not is_of_deal, is_of_pass=False) for n, place in enumerate(places)
        ]
        size += len(places) * is_of_deal
    return tuple(plan), size


class Redeal:
    """Deals hands of one game again. `replay` applies a key's event to a hand."""

    def __init__(self, game: Procedure, replay: Callable[[Hand, Event], Hand]) -> None:
        self._game = game
        self._replay = replay
        self._plans: dict[tuple[int, ...], tuple[tuple[Due, ...], int]] = {}

    def plan(self, hand: Hand) -> tuple[tuple[Due, ...], int]:
        """The plan of the hand, and how many of its entries are the initial deal."""
        plan = self._plans.get(hand.order)
        if plan is None:
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            plan = self._plans[hand.order] = plan_of(hand, self._game)
        return plan

    def deal(self, base: Hand, log: Sequence[Event], cards: Sequence[Taken], slots: Sequence[int]) -> Hand:
        """Deal the cards on top of `base`, with the keys in between where they were pressed."""
        hand, keys = base, list(log)
        for card, slot in zip(cards, slots, strict=True):
            while keys and keys[0].seq < slot:
                hand = self._replay(hand, keys.pop(0))
            tag = f"{UNHEARD}{len(hand.cards) + 1}" if card.tag is None else card.tag
            hand = deal_card(hand, self._game, tag, card.place, slot)
        for event in keys:
            hand = self._replay(hand, event)
        return hand

    def as_explained(self, now: Following, hand: Hand, size: int) -> tuple[Following, Hand]:
        """The hand as the most probable explanation has it, and what may have been dealt instead."""
        assert now.base is not None
        hands = self.hands(now, now.base, hand, size)
        return replace(now, others=tuple(hands[1:]), certainty=hands[0][1]), hands[0][0]

    def hands(self, now: Following, base: Hand, hand: Hand, size: int) -> list[tuple[Hand, float]]:
        """The hands that the explanations make, the most probable first, until next to nothing is left."""
        chances: dict[tuple[tuple[str, bool], ...], tuple[Explanation, float]] = {}
        for one in now.explanations:
            key = tuple([(card.place, card.tag is None) for card in one.cards])
            first, chance = chances.get(key, (one, 0.0))
            chances[key] = (first, chance + one.probability)
        hands = []
        told = 0.0
        for one, chance in sorted(chances.values(), key=lambda entry: entry[1], reverse=True)[:_MOST_HANDS]:
            dealt = self.deal(base, keys_of(now), one.cards, slots_of(one, now, size))
            hands.append((with_what_is_known(dealt, hand), chance))
            told += chance
            if told > _HANDS_SHARE:
                break
        return hands


def slots_of(one: Explanation, now: Following, size: int) -> list[int]:
    """The event at which each card counts as dealt: its first read, its draw where only a shoe told of it, or
    an earlier one of a later card; a card of the initial deal at the latest when that was called complete.
    The last cards, where nothing told of them, count as dealt with the card before them, else with the
    window's first event."""
    slots: list[int | None] = []
    following = None
    for card, stand in zip(reversed(one.cards), reversed(one.stands), strict=True):
        seq = told_seq(now, card)
        if seq is not None:
            following = seq if following is None else min(following, seq)
        if now.complete is not None and stand.pointer <= size:
            following = now.complete[0] if following is None else min(following, now.complete[0])
        slots.append(following)
    last, told = now.since + 1, list[int]()
    for slot in reversed(slots):
        last = last if slot is None else slot
        told.append(last)
    return told


def filled_in(hand: Hand, tag: str, places: Iterable[str]) -> Hand | None:
    """A card that was given up for unheard is heard after all; None where there is none at any of the places,
    the likeliest first."""
    for place in places:
        for card in hand.cards:
            if card.at == place and card.tag.startswith(UNHEARD):
                heard = replace(card, tag=tag)
                cards = tuple([heard if each.number == card.number else each for each in hand.cards])
                return replace(hand, cards=cards)
    return None


def with_what_is_known(dealt: Hand, hand: Hand) -> Hand:
    """What the hand knows besides the order of its cards stays known."""
    return replace(
        dealt,
        defects=hand.defects,
        warnings=hand.warnings,
        twins=hand.twins,
        is_tabled=hand.is_tabled,
    )
