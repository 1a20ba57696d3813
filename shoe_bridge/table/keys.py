"""What the keys and the dealer's pad do to the hand, as one table of words."""

from collections.abc import Callable

import msgspec

from shoe_bridge.table import betting
from shoe_bridge.table.findings import Conclusion, Equipment, ReshuffleRequired, Restart
from shoe_bridge.table.hand import STUB, Hand, new_hand, next_clockwise
from shoe_bridge.table.state import Setup, TableState

replace = msgspec.structs.replace

RULINGS = {"supervisor misdeal": "misdeal declared", "supervisor play on": "play on"}


def press(state: TableState, setup: Setup, key: str, seq: int) -> TableState:
    """A key was pressed; a key that means nothing in this phase changes nothing."""
    if key in ("scan", "scan end"):
        return _scan(state, setup, key, seq)
    if key == "next hand" or (key == "shuffle" and state.hand.phase == "over"):
        state = _next_hand(state)
    if key == "supervisor misdeal":
        return _redeal(state, seq)
    step = _ON_HAND.get(key)
    if step is None:
        return state
    hand = step(state.hand, seq)
    return state if hand is state.hand else replace(state, hand=hand)


def enter(state: TableState, word: str, number: int | None, seq: int) -> TableState:
    """An entry on the pad; `number` is a seat, for `exposed` a card."""
    hand = state.hand
    if number is None:
        return state
    if word in betting.ACTIONS:
        return replace(state, hand=betting.act(hand, number, word, seq))
    if word == "blind":
        return replace(state, hand=betting.post_blind(hand, number))
    if word == "exposed":
        return replace(state, hand=replace(hand, exposures=(*hand.exposures, (number, seq))))
    if word == "button":
        return _seat(state, state.seated, number)
    if word in ("sit", "leave"):
        others = tuple(seat for seat in state.seated if seat != number)
        seated = tuple(sorted((*others, number))) if word == "sit" else others
        return _seat(state, seated, hand.button)
    return state


def _seat(state: TableState, seated: tuple[int, ...], button: int | None) -> TableState:
    """Who is in is settled by the first card (reading A18); later changes are for the next hand."""
    state = replace(state, seated=seated)
    hand = state.hand
    if hand.cards and hand.phase != "gathering":
        return state
    fresh = new_hand(hand.number, seated, button, hand.phase)
    return replace(state, hand=replace(hand, eligible=seated, button=button, order=fresh.order))


def _next_hand(state: TableState) -> TableState:
    """The hand is concluded: the button moves one place clockwise (16.1(b))."""
    hand = state.hand
    button = None if hand.button is None else next_clockwise(state.seated, hand.button)
    return _begin(state, new_hand(hand.number + 1, state.seated, button, "gathering"))


def _redeal(state: TableState, seq: int) -> TableState:
    """A misdeal is no concluded hand: the button stays and the same player is first (19.1)."""
    old = state.hand
    hand = new_hand(old.number + 1, old.eligible, old.button, "gathering")
    owed = [Conclusion(ReshuffleRequired("19.1"), (seq,))]
    if hand.order:
        owed.append(Conclusion(Restart(hand.order[0], hand.button), (seq,)))
    return _begin(state, replace(hand, owed=tuple(owed)))


def _begin(state: TableState, hand: Hand) -> TableState:
    """Equipment that is still broken stays known; what was only about the last hand's cards goes with it."""
    kept = tuple(
        c
        for c in state.equipment
        if isinstance(c.finding, Equipment) and c.finding.cause in ("device_fault", "unread_card")
    )
    return replace(state, hand=hand, equipment=kept, unverified=(), drawn=())


def _scan(state: TableState, setup: Setup, key: str, seq: int) -> TableState:
    """A full scan of the gathered deck: what it does not see is unread, not missing."""
    if key == "scan":
        return replace(state, is_scanning=True)
    if not state.is_scanning:
        return state
    seen = {setup.register.card_of(tag) for tag, places in state.lies.items() if STUB in places}
    missing = tuple(sorted(setup.register.cards_in_use() - seen))
    unread = Equipment("unread_card", "stub")
    equipment = tuple(c for c in state.equipment if c.finding != unread)
    if missing:
        equipment = (*equipment, Conclusion(unread, (seq,)))
    return replace(state, is_scanning=False, missing=missing, equipment=equipment)


def _shuffle(hand: Hand, seq: int) -> Hand:
    if hand.cards and hand.phase != "gathering":
        return hand
    return replace(
        hand, phase="ready", cards=(), boards=0, burn_given=False, shuffle_seq=seq, cut_seq=None, exposures=()
    )


def _cut_begin(hand: Hand, seq: int) -> Hand:
    return hand if hand.cards and hand.phase != "gathering" else replace(hand, phase="cutting", cards=())


def _cut(hand: Hand, seq: int) -> Hand:
    if hand.cards and hand.phase != "gathering":
        return hand
    owed = hand.owed if hand.shuffle_seq is None else ()
    return replace(hand, phase="ready", cards=(), cut_seq=seq, owed=owed)


def _exposed(hand: Hand, seq: int) -> Hand:
    """For the last card; while cutting, for a card of the cut."""
    number = hand.cards[-1].number if hand.cards and hand.phase != "cutting" else None
    return replace(hand, exposures=(*hand.exposures, (number, seq)))


def _end_deal(hand: Hand, seq: int) -> Hand:
    if hand.end_deal_seq is not None or not hand.cards:
        return hand
    return replace(hand, phase="dealt", end_deal_seq=seq, round_open=True)


def _end_bet(hand: Hand, seq: int) -> Hand:
    return betting.close_round(hand)


def _showdown(hand: Hand, seq: int) -> Hand:
    return replace(hand, phase="showdown") if hand.phase == "dealt" else hand


def _push(hand: Hand, seq: int) -> Hand:
    return replace(hand, phase="over") if hand.cards and hand.phase != "gathering" else hand


def _cannot_correct(hand: Hand, seq: int) -> Hand:
    return replace(hand, cannot_correct_seq=seq)


def _play_on(hand: Hand, seq: int) -> Hand:
    return replace(hand, play_on_seq=seq)


_ON_HAND: dict[str, Callable[[Hand, int], Hand]] = {
    "shuffle": _shuffle,
    "cut begin": _cut_begin,
    "cut": _cut,
    "exposed": _exposed,
    "end deal": _end_deal,
    "end bet": _end_bet,
    "showdown": _showdown,
    "push": _push,
    "cannot correct": _cannot_correct,
    "supervisor play on": _play_on,
}
