"""A deal too regular for a shuffled deck: new-deck order, or an earlier deal over again.

A shuffler left in its sorting mode, and a deck that nobody shuffled, deal cards in an order that chance does
not give. Two statistics are taken of the cards in the order in which they left the deck:

- new-deck order: the longest chain of `r` links, a link being two cards that follow each other among those
  seen, of one suit, and as far apart in rank as in the deal, all of a chain in one direction. In an honest
  deal of `n` cards from a deck of `N` (`R` ranks in each of its suits) the expected number of chains of `r`
  links, and so the chance of one, is at most `(n - r) * 2 * suits * (R - r) / (N * (N-1) * ... * (N-r))`.
- repeat: the most cards that stand as far apart in this deal as in an earlier one of `n` cards, over all
  distances between the two (a cut moves them all alike). For `m` cards the chance is at most
  `(C(n, m) + 2 * C(n, m + 1)) / (N * (N-1) * ... * (N-m+1))` for each earlier deal.

The thresholds are the least `r` and `m` for which these bounds, times the earlier deals that are kept, stay
under `FALSE_FLAG_RATE`: so many honest deals in a million are flagged at the most by each look and statistic.

Only what may lawfully be seen is looked at: the board when it is complete, the hands laid open in the
showdown with it, and all cards once the hand is over. The last `KEPT_DEALS` deals are kept for the second
statistic, in the state of the table, from the end of their hand on; another deck begins another state,
without them.
"""

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from math import comb, perm

import msgspec

from shoe_bridge.table.cards import JOKER, RANKS, STANDARD_52
from shoe_bridge.table.deck import PastDeal
from shoe_bridge.table.findings import Conclusion, DealTooRegular
from shoe_bridge.table.hand import BOARD, Card, Hand
from shoe_bridge.table.layout import seat_of
from shoe_bridge.table.state import Setup, TableState

FALSE_FLAG_RATE = 1e-6
KEPT_DEALS = 20
NEW_DECK_ORDER, REPEAT = "new_deck_order", "repeat"
_UNREAD = "--"
_FEWEST_LINKS = 3  # no threshold is lower
_NEVER = 99  # a threshold that no deal reaches: so few cards prove nothing

_RANK = {rank: at for at, rank in enumerate(RANKS)}
# Cards, places and distances as bytes. A distance is 5 to 123; 141 to 200 where a card is not in both deals.
_NUMBER: dict[str | None, int] = {card: number for number, card in enumerate(STANDARD_52)}
_NO_CARD, _NOWHERE, _ZERO, _MOST_CARDS = 255, 200, 64, 60
_PLACES = bytes(range(_MOST_CARDS))

Deal = Sequence[str | None]  # the cards in the order of the deal, None for one that may not be looked at

replace = msgspec.structs.replace


# -- statistics


def longest_chain(deal: Deal) -> tuple[int, ...]:
    """The places in `deal` of the longest chain in new-deck order, rising or falling; the first of equals. A
    chain of one card is none: its links are one fewer than its places."""
    best: list[int] = []
    chain: list[int] = []
    direction = 0
    last: str | None = None
    for at, card in enumerate(deal):
        if card is None:
            continue
        step = 0
        if last is not None and last[1] == card[1]:
            apart = _RANK[card[0]] - _RANK[last[0]]
            step = (apart > 0) - (apart < 0) if abs(apart) == at - chain[-1] else 0
        if step and step == direction:
            chain.append(at)
        else:
            chain = [chain[-1], at] if step else [at]
            direction = step
        if len(chain) > len(best):
            best = list(chain)
        last = card
    return tuple(best)


def most_alike(deal: Deal, earlier: Deal) -> tuple[int, ...]:
    """The places in `deal` of the cards that stand as in `earlier`, all moved by one distance: the distance
    with the most of them, the least of equals."""
    return _alike(_numbers_of(deal), _table_of(earlier), 1)


def _numbers_of(deal: Deal) -> bytes:
    return bytes([_NUMBER.get(card, _NO_CARD) for card in deal[:_MOST_CARDS]])


def _table_of(deal: Deal) -> bytes:
    """From the number of a card to its place in `deal`, moved up by `_ZERO`; `_NOWHERE` for all others."""
    table = bytearray([_NOWHERE]) * 256
    for at, number in enumerate(_numbers_of(deal)):
        if number != _NO_CARD:
            table[number] = _ZERO + at
    return bytes(table)


def _alike(numbers: bytes, table: bytes, enough: int) -> tuple[int, ...]:
    """As `most_alike`, none where they are fewer than `enough`. All distances are taken in one subtraction of
    long integers, a byte a card and no byte ever borrowing from the next: each hand is held against twenty
    others, and hardly any goes further than the first test. A card that is not in both has a distance of its
    own, which no other one shares."""
    size = len(numbers)
    there = int.from_bytes(numbers.translate(table))
    distances = (there - int.from_bytes(_PLACES[:size])).to_bytes(size)
    if size - len(set(distances)) < enough - 1:
        return ()
    shared = [each for each in set(distances) if each < _NOWHERE - _MOST_CARDS]
    best = max(shared, key=lambda each: (distances.count(each), -abs(each - _ZERO), each), default=_NOWHERE)
    alike = tuple([at for at, each in enumerate(distances) if each == best and best != _NOWHERE])
    return alike if len(alike) >= enough else ()


# -- thresholds


def chain_bound(cards: int, links: int, deck: int = 52, ranks: int = 13) -> float:
    """The chance, at the most, of a chain of `links` links in an honest deal of `cards` cards."""
    if links >= min(cards, ranks):
        return 0.0
    return (cards - links) * 2 * (deck // ranks) * (ranks - links) / perm(deck, links + 1)


def repeat_bound(cards: int, alike: int, deck: int = 52) -> float:
    """The chance, at the most, that `alike` cards of an honest deal of `cards` cards stand as in one earlier
    deal of as many."""
    if alike > cards:
        return 0.0
    return (comb(cards, alike) + 2 * comb(cards, alike + 1)) / perm(deck, alike)


@cache
def least_links(cards: int, deck: int = 52, ranks: int = 13) -> int:
    """So many links are too many for an honest deal of `cards` cards."""
    for links in range(_FEWEST_LINKS, min(cards, ranks)):
        if chain_bound(cards, links, deck, ranks) <= FALSE_FLAG_RATE:
            return links
    return _NEVER


@cache
def least_alike(cards: int, deck: int = 52) -> int:
    """So many cards alike are too many for an honest deal of `cards` cards beside `KEPT_DEALS` others."""
    for alike in range(2, cards + 1):
        if KEPT_DEALS * repeat_bound(cards, alike, deck) <= FALSE_FLAG_RATE:
            return alike
    return _NEVER


# -- looking at a hand


def look(state: TableState, setup: Setup, seq: int) -> TableState:
    """Look at what lies open while the hand goes on: the board, and the hands shown with it."""
    hand = state.hand
    if hand.is_tabled or hand.phase not in ("dealing", "dealt", "showdown"):
        return state
    cards = [card for card in hand.cards if card.is_in_play]
    is_open = [card.at == BOARD or seat_of(card.at) in hand.shown for card in cards]
    names = _names(cards, setup)
    deal = [name if may_see else None for name, may_see in zip(names, is_open, strict=True)]
    return _flag_order(state, setup, cards, deal, seq)


def close_deal(state: TableState, setup: Setup, seq: int) -> TableState:
    """The hand is over: look at all its cards, and keep them beside those of the hands before. What was kept
    already is not looked at again."""
    hand, deals = state.hand, state.watch.deals
    is_kept = bool(deals) and deals[-1].hand == hand.number
    if is_kept or hand.is_tabled or not hand.has_begun or not setup.register.decks:
        return state
    cards = [card for card in hand.cards if card.is_in_play]
    deal = _names(cards, setup)
    state = _flag_order(state, setup, cards, deal, seq)
    state = _flag_repeat(state, setup, cards, deal, seq)
    past = PastDeal(hand.number, "".join(name or _UNREAD for name in deal))
    return replace(state, watch=replace(state.watch, deals=(*deals, past)[-KEPT_DEALS:]))


def _names(cards: list[Card], setup: Setup) -> list[str | None]:
    in_use = setup.register.decks[0].tags if setup.register.decks else {}
    names = [in_use.get(card.tag) for card in cards]
    return [None if name == JOKER else name for name in names]


def _flag_order(state: TableState, setup: Setup, cards: list[Card], deal: Deal, seq: int) -> TableState:
    chain = longest_chain(deal)  # most deals end here, without a look at the make-up of the deck
    if len(chain) <= _FEWEST_LINKS:
        return state
    deck = setup.register.cards_in_use()
    seen = sum(card is not None for card in deal)
    if len(chain) - 1 < least_links(seen, len(deck), len({card[0] for card in deck})):
        return state
    return _flag(state, DealTooRegular(NEW_DECK_ORDER, state.hand.number), cards, chain, seq)


def _flag_repeat(state: TableState, setup: Setup, cards: list[Card], deal: Deal, seq: int) -> TableState:
    """Beside the earlier deal that is most alike, the newest of equals."""
    size, numbers = len(setup.register.cards_in_use()), _numbers_of(deal)
    worst: tuple[tuple[int, ...], int] | None = None
    for past in state.watch.deals:
        enough = least_alike(max(len(deal), len(past.cards) // 2), size)
        alike = _alike(numbers, _table_in(past.cards), enough)
        if alike and (worst is None or len(alike) >= len(worst[0])):
            worst = (alike, past.hand)
    if worst is None:
        return state
    alike, of_hand = worst
    return _flag(state, DealTooRegular(REPEAT, state.hand.number, of_hand), cards, alike, seq)


@lru_cache(maxsize=2 * KEPT_DEALS)
def _table_in(cards: str) -> bytes:
    """The table of a past deal. It is taken apart once, and not for each hand that comes after it."""
    names = [cards[at : at + 2] for at in range(0, len(cards), 2)]
    return _table_of([None if name == _UNREAD else name for name in names])


def _flag(
    state: TableState, finding: DealTooRegular, cards: list[Card], places: Iterable[int], seq: int
) -> TableState:
    hand: Hand = state.hand
    if any(known.finding == finding for known in hand.warnings):
        return state
    evidence = (*sorted({cards[at].seq for at in places} - {seq}), seq)
    warned = replace(hand, warnings=(*hand.warnings, Conclusion(finding, evidence)))
    return replace(state, hand=warned)
