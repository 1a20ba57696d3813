"""What the keys and the dealer's pad do to the hand, as one table of words."""

from collections.abc import Callable

import msgspec

from shoe_bridge.table import betting, dealing
from shoe_bridge.table.findings import Conclusion, DeckDefect, Equipment, ReshuffleRequired, Restart
from shoe_bridge.table.hand import STUB, Hand, deal_order, new_hand, next_clockwise
from shoe_bridge.table.layout import SEAT_MAX
from shoe_bridge.table.state import Setup, TableState, fit_to_table

replace = msgspec.structs.replace

RULINGS = {"supervisor misdeal": "misdeal declared", "supervisor play on": "play on"}


def press(state: TableState, setup: Setup, key: str, seq: int) -> TableState:
    """A key was pressed; a key that means nothing in this phase changes nothing."""
    if key in ("scan", "scan end"):
        return _scan(state, setup, key, seq)
    if key == "next hand" or (key == "shuffle" and state.hand.phase == "over"):
        state = _next_hand(state, setup)
    if key == "supervisor misdeal":
        return _redeal(state, setup, seq)
    if key == "end bet":
        hand = betting.close_round(dealing.close_draw(state.hand, setup.game))
        return replace(state, hand=hand)
    step = _ON_HAND.get(key)
    if step is None:
        return state
    hand = step(state.hand, seq)
    return state if hand is state.hand else replace(state, hand=hand)


def enter(
    state: TableState, setup: Setup, word: str, number: int | None, cents: int | None, seq: int
) -> TableState:
    """An entry on the pad; `number` is a seat, for `exposed` a card."""
    hand = state.hand
    if word == "pot" and cents is not None:
        pots = (*hand.pots, (cents, hand.contest, seq))
        return replace(state, hand=replace(hand, pots=pots, contest=()))
    if number is None or (word != "exposed" and number not in range(1, SEAT_MAX + 1)):
        return state  # the wire carries any byte, and there is no such seat
    if word in betting.ACTIONS:
        return replace(state, hand=betting.act(hand, number, word, cents, seq))
    if word == "blind":
        return replace(state, hand=betting.post_blind(hand, number, cents))
    if word == "muck":
        return replace(state, hand=betting.leave(hand, number, seq))
    if word == "show" and not hand.cards:
        return replace(state, hand=replace(hand, is_tabled=True))
    if word == "contest":
        return replace(state, hand=replace(hand, contest=(*hand.contest, number)))
    if word == "jackpot_wager":
        return replace(state, hand=replace(hand, wagers=(*hand.wagers, number)))
    if word == "exposed":
        return replace(state, hand=replace(hand, exposures=(*hand.exposures, (number, seq))))
    if word == "button":
        return _move_button(state, setup, number)
    if word in ("sit", "leave"):
        others = tuple(seat for seat in state.seated if seat != number)
        seated = tuple(sorted((*others, number))) if word == "sit" else others
        return _seat(state, seated)
    return state


def _has_begun(hand: Hand) -> bool:
    return bool(hand.cards) and hand.phase != "gathering"


def _seat(state: TableState, seated: tuple[int, ...]) -> TableState:
    """Who is in is settled by the first card (reading A18); later changes are for the next hand."""
    state = replace(state, seated=seated)
    hand = state.hand
    if _has_begun(hand):
        return state
    order = deal_order(seated, hand.button_due)
    return replace(state, hand=replace(hand, eligible=seated, order=order))


def _move_button(state: TableState, setup: Setup, seat: int) -> TableState:
    """Where the button lies now. On a table that tells each of its moves it is held against where it must
    lie; elsewhere an entry corrects what was assumed."""
    hand = state.hand
    if _has_begun(hand) or not setup.game.has_button:
        return state
    if setup.tracks_button:
        return replace(state, hand=replace(hand, button=seat))
    order = deal_order(hand.eligible, seat)
    return replace(state, hand=replace(hand, button=seat, button_due=seat, order=order))


def _next_hand(state: TableState, setup: Setup) -> TableState:
    """The hand is concluded: the button moves one place clockwise (16.1(b))."""
    old = state.hand
    due = None if old.button_due is None else next_clockwise(state.seated, old.button_due)
    lies = old.button if setup.tracks_button else due
    return _begin(state, setup, new_hand(old.number + 1, state.seated, lies, due, "gathering"))


def _redeal(state: TableState, setup: Setup, seq: int) -> TableState:
    """A misdeal is no concluded hand: the button stays and the same player is first (19.1)."""
    old = state.hand
    lies = old.button if setup.tracks_button else old.button_due
    hand = new_hand(old.number + 1, old.eligible, lies, old.button_due, "gathering")
    owed = [Conclusion(ReshuffleRequired("19.1"), (seq,))]
    if hand.order:
        owed.append(Conclusion(Restart(hand.order[0], hand.button_due), (seq,)))
    return _begin(state, setup, replace(hand, owed=tuple(owed)))


def _begin(state: TableState, setup: Setup, hand: Hand) -> TableState:
    """Equipment that is still broken stays known; what was only about the last hand's cards goes with it. A
    table that cannot tell of a shuffle is ready for the deal at once."""
    hand = fit_to_table(hand, setup)
    if not hand.tracks_shuffle:
        hand = replace(hand, phase="ready")
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
    twice = [card for card in missing if card in state.missing]
    hand = state.hand
    for card in twice:
        hand = with_defect(hand, DeckDefect("missing", card), seq)
    return replace(state, hand=hand, is_scanning=False, missing=missing, equipment=equipment)


def with_defect(hand: Hand, defect: DeckDefect, seq: int) -> Hand:
    if any(known.finding == defect for known in hand.defects):
        return hand
    return replace(hand, defects=(*hand.defects, Conclusion(defect, (seq,))))


def _shuffle(hand: Hand, seq: int) -> Hand:
    if _has_begun(hand):
        return hand
    return replace(hand, phase="ready", cards=(), shuffle_seq=seq, cut_seq=None, exposures=())


def _cut_begin(hand: Hand, seq: int) -> Hand:
    return hand if _has_begun(hand) else replace(hand, phase="cutting", cards=())


def _cut(hand: Hand, seq: int) -> Hand:
    if _has_begun(hand):
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
    return replace(hand, phase="dealt", end_deal_seq=seq, round_open=hand.tracks_betting)


def _boxed(hand: Hand, seq: int) -> Hand:
    return replace(hand, boxed=(*hand.boxed, seq))


def _notice(hand: Hand, seq: int) -> Hand:
    return replace(hand, notice_seq=seq)


def _showdown(hand: Hand, seq: int) -> Hand:
    if not _has_begun(hand) or hand.phase == "over":
        return hand
    return replace(hand, phase="showdown", showdown_seq=seq)


def _push(hand: Hand, seq: int) -> Hand:
    return replace(hand, phase="over", push_seq=seq) if _has_begun(hand) else hand


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
    "boxed": _boxed,
    "notice": _notice,
    "showdown": _showdown,
    "push": _push,
    "cannot correct": _cannot_correct,
    "supervisor play on": _play_on,
}
