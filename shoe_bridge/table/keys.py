"""What the keys and the dealer's pad do to the hand, as one table of words."""

from collections.abc import Callable

import msgspec

from shoe_bridge.table import betting, dead_tags, dealing, full_scan, proof, regularity
from shoe_bridge.table.findings import Conclusion, Equipment, ReshuffleRequired, Restart
from shoe_bridge.table.hand import Hand, deal_order, new_hand, next_clockwise
from shoe_bridge.table.layout import SEAT_MAX
from shoe_bridge.table.state import Setup, TableState, fit_to_table

replace = msgspec.structs.replace

RULINGS = {"supervisor misdeal": "misdeal declared", "supervisor play on": "play on"}


def press(state: TableState, setup: Setup, key: str, seq: int, at_mono_ns: int) -> TableState:
    """A key was pressed; a key that means nothing in this phase changes nothing."""
    if key == "scan":
        return replace(state, is_scanning=True)
    if key == "scan end":
        return full_scan.end_scan(state, setup, seq, at_mono_ns) if state.is_scanning else state
    if key == "next hand" or (key == "shuffle" and state.hand.phase == "over"):
        state = _next_hand(state, setup, seq)
    if key == "supervisor misdeal":
        return _redeal(state, setup, seq)
    if key == "end bet":
        hand = betting.close_round(dealing.close_draw(state.hand, setup.game))
        return replace(state, hand=hand)
    step = _ON_HAND.get(key)
    if step is None:
        return state
    hand = step(state.hand, seq)
    if key == "end deal":
        hand = dealing.sync_opening(hand, setup.game)
    if hand is state.hand:
        return state
    state = replace(state, hand=hand)
    if key == "shuffle":
        return replace(state, watch=proof.begin_count(state.watch, seq))
    return regularity.close_deal(state, setup, seq) if key == "push" else state


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
    if word == "show":
        return _show(state, setup, number, seq)
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
        return _seat(state, setup, seated)
    return state


def _show(state: TableState, setup: Setup, seat: int, seq: int) -> TableState:
    """A hand is laid open. Where no card was seen yet, hands are shown whose deal is not judged."""
    hand = state.hand
    if not hand.cards:
        return replace(state, hand=replace(hand, is_tabled=True))
    if hand.phase != "showdown" or seat in hand.shown:
        return state
    return regularity.look(replace(state, hand=replace(hand, shown=(*hand.shown, seat))), setup, seq)


def _seat(state: TableState, setup: Setup, seated: tuple[int, ...]) -> TableState:
    """Who is in is settled by the first card (reading A18); later changes are for the next hand."""
    state = replace(state, seated=seated)
    hand = state.hand
    if hand.has_begun:
        return state
    due = hand.button_due
    if setup.is_first_hand and hand.number == 1 and due is not None and seated:
        due = max(seated)
        hand = replace(hand, button_due=due, button=hand.button if setup.tracks_button else due)
    order = deal_order(seated, due)
    return replace(state, hand=replace(hand, eligible=seated, order=order))


def _move_button(state: TableState, setup: Setup, seat: int) -> TableState:
    """Where the button lies now. On a table that tells each of its moves it is held against where it must
    lie; elsewhere an entry corrects what was assumed."""
    hand = state.hand
    if hand.has_begun and hand.phase == "over" and setup.tracks_button:
        return replace(state, hand=replace(hand, button_next=seat))
    if hand.has_begun or not setup.game.has_button:
        return state
    if setup.tracks_button:
        return replace(state, hand=replace(hand, button=seat))
    order = deal_order(hand.eligible, seat)
    return replace(state, hand=replace(hand, button=seat, button_due=seat, order=order))


def _next_hand(state: TableState, setup: Setup, seq: int) -> TableState:
    """The hand is concluded: the button moves one place clockwise (16.1(b))."""
    old = state.hand
    due = None if old.button_due is None else next_clockwise(state.seated, old.button_due)
    lies = (old.button_next or old.button) if setup.tracks_button else due
    return _begin(state, setup, new_hand(old.number + 1, state.seated, lies, due, "gathering"), seq)


def _redeal(state: TableState, setup: Setup, seq: int) -> TableState:
    """A misdeal is no concluded hand: the button stays and the same player is first (19.1)."""
    old = state.hand
    lies = old.button if setup.tracks_button else old.button_due
    hand = new_hand(old.number + 1, old.eligible, lies, old.button_due, "gathering")
    owed = [Conclusion(ReshuffleRequired("19.1"), (seq,))]
    if hand.order:
        owed.append(Conclusion(Restart(hand.order[0], hand.button_due), (seq,)))
    return _begin(state, setup, replace(hand, owed=tuple(owed)), seq)


def _begin(state: TableState, setup: Setup, hand: Hand, seq: int) -> TableState:
    """Equipment that is still broken stays known; what was only about the last hand's cards goes with it. A
    table that cannot tell of a shuffle is ready for the deal at once. What the deal of the old hand says is
    said with the new one where nobody pushed the pot."""
    old = state.hand
    state = regularity.close_deal(state, setup, seq)
    news = state.hand.warnings[len(old.warnings) :]
    hand = replace(fit_to_table(hand, setup), warnings=news)
    if not hand.tracks_shuffle:
        hand = replace(hand, phase="ready")
    kept = tuple(
        c
        for c in state.equipment
        if isinstance(c.finding, Equipment) and c.finding.cause in ("device_fault", "unread_card")
    )
    watch, learned = proof.close_hand(state.watch, old, setup, seq), state.learned
    if setup.model is not None:
        watch = dead_tags.close_hand(watch, old, state.following, setup.model)
        dead = dead_tags.chance_of_dead(watch, old.number, setup.model.sensor.dead)
        learned = replace(learned, dead=dead)
    return replace(
        state, hand=hand, equipment=kept, unverified=(), drawn=(), strays={}, watch=watch, learned=learned
    )


def _shuffle(hand: Hand, seq: int) -> Hand:
    if hand.has_begun:
        return hand
    return replace(_gathered(hand), shuffle_seq=seq, cut_seq=None, exposures=())


def _gathered(hand: Hand) -> Hand:
    """The deck is together: what antennas saw of it while it was gathered was no deal."""
    return replace(
        hand,
        phase="ready",
        cards=(),
        twins={},
        first_card_seq=None,
        burns_moved=(),
        discards=(),
        replaced=(),
        given=0,
        street=0,
        burn_given=False,
    )


def _cut_begin(hand: Hand, seq: int) -> Hand:
    return hand if hand.has_begun else replace(hand, phase="cutting", cards=(), twins={})


def _cut(hand: Hand, seq: int) -> Hand:
    if hand.has_begun:
        return hand
    owed = hand.owed if hand.shuffle_seq is None else ()
    return replace(_gathered(hand), cut_seq=seq, owed=owed)


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
    if not hand.has_begun or hand.phase == "over":
        return hand
    return replace(hand, phase="showdown", showdown_seq=seq)


def _push(hand: Hand, seq: int) -> Hand:
    return replace(hand, phase="over", push_seq=seq) if hand.has_begun else hand


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
