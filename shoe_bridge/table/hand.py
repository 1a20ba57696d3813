"""The hand: the cards off the deck since the cut, where each was due, and where each lies.

The order of the deal is one list: card `i` of the initial deal is due at seat `order[(i - 1) mod k]`, then
the streets of the procedure follow. A card is judged once, when it lands; where it *counts* (`at`) can
change later by a repair. So a slip is known at the card where it happens, and a repair is known by the
cards lying where the order puts them.
"""

import msgspec

from shoe_bridge.table.findings import Conclusion
from shoe_bridge.table.layout import seat_of, seat_place
from shoe_bridge.table.procedures import Procedure

BOARD, BURN, STUB, MUCK = "board", "burn", "stub", "muck"
NONE = "none"


class Card(msgspec.Struct, frozen=True):
    """The `number`-th card off the deck. `at` is where it counts, `want` where it was due (`none`: nowhere).
    `slip` marks the card at which the dealer left the order, as against those that follow shifted. `fault` is
    `missing_burn` or `extra_burn`, `before_board` its street."""

    number: int
    tag: str
    at: str
    want: str
    seq: int
    is_hole: bool = True
    slip: bool = False
    fault: str | None = None
    before_board: int = 0

    @property
    def is_in_play(self) -> bool:
        return self.at != STUB

    @property
    def is_misplaced(self) -> bool:
        return self.at not in (self.want, STUB)


class Hand(msgspec.Struct, frozen=True):
    """One hand of one table, from the end of the one before to its own.

    `phase`: `gathering` (cards are collected, nothing is judged), `ready`, `cutting`, `dealing`, `dealt`,
    `showdown`, `over`. The sequence numbers say which event did it, None when it did not happen.
    """

    number: int
    eligible: tuple[int, ...]
    button: int | None
    order: tuple[int, ...]
    phase: str = "ready"
    cards: tuple[Card, ...] = ()
    boards: int = 0
    burn_given: bool = False
    round_open: bool = False
    shuffle_seq: int | None = None
    cut_seq: int | None = None
    first_card_seq: int | None = None
    end_deal_seq: int | None = None
    exposures: tuple[tuple[int | None, int], ...] = ()  # (card number, event seq); None: in the cut
    blinds: tuple[int, ...] = ()
    folded: tuple[int, ...] = ()
    turn: int | None = None  # the seat that must act next, None: nobody has acted in this round
    acted: tuple[tuple[int, int], ...] = ()  # (seat, event seq): who acted in turn since the deal, each once
    over_seq: int | None = None  # the event after which one player remained
    owed: tuple[Conclusion, ...] = ()  # what stands until the new shuffle and cut after a misdeal
    cannot_correct_seq: int | None = None
    play_on_seq: int | None = None

    def counted(self) -> int:
        return sum(card.is_in_play for card in self.cards)

    def count_at(self, place: str) -> int:
        return sum(card.at == place for card in self.cards)

    def find(self, tag: str) -> Card | None:
        """The newest card of that tag (a card put back on the stub can be dealt again)."""
        return next((card for card in reversed(self.cards) if card.tag == tag), None)


def deal_order(eligible: tuple[int, ...], button: int | None) -> tuple[int, ...]:
    """The eligible seats clockwise, first the one left of the button (rules 16.1(b)); a dead button lies
    before an empty seat. Without a button the order begins at the dealer's left."""
    seats = sorted(eligible)
    if button is None:
        return tuple(seats)
    return tuple([s for s in seats if s > button] + [s for s in seats if s <= button])


def next_clockwise(eligible: tuple[int, ...], seat: int) -> int | None:
    """The next eligible seat after `seat`; None when no seat is eligible."""
    order = deal_order(eligible, seat)
    return order[0] if order else None


def new_hand(number: int, eligible: tuple[int, ...], button: int | None, phase: str) -> Hand:
    return Hand(number, eligible, button, deal_order(eligible, button), phase)


def due_place(hand: Hand, game: Procedure) -> str:
    """Where the next card off the deck is due, `none` when no card is."""
    index = hand.counted()
    if hand.end_deal_seq is None and index < len(hand.order) * game.passes:
        return seat_place(hand.order[index % len(hand.order)])
    if hand.round_open or (hand.end_deal_seq is None and not game.with_deal):
        return NONE
    return _due_community(hand, game)


def _due_community(hand: Hand, game: Procedure) -> str:
    found = game.street_at(hand.boards)
    if found is None:
        return NONE
    street, first = found
    burn_is_due = street.burn and not hand.burn_given and hand.boards == first - 1
    return BURN if burn_is_due else BOARD


def deal_card(hand: Hand, game: Procedure, tag: str, place: str, seq: int) -> Hand:
    """The next card off the deck has come to rest at `place`."""
    number = len(hand.cards) + 1
    phase = "dealing" if hand.phase in ("ready", "cutting") else hand.phase
    hand = msgspec.structs.replace(
        hand, phase=phase, first_card_seq=hand.first_card_seq if hand.first_card_seq is not None else seq
    )
    is_hole_due = hand.end_deal_seq is None and hand.counted() < len(hand.order) * game.passes
    if place in (BOARD, BURN) and not is_hole_due:
        return _deal_community(hand, game, number, tag, place, seq)
    want = place if _is_short(hand, game, place) else due_place(hand, game)
    card = Card(number, tag, place, want, seq, slip=_is_slip(hand, place, want))
    return msgspec.structs.replace(hand, cards=(*hand.cards, card))


def _is_short(hand: Hand, game: Procedure, place: str) -> bool:
    """After the dealer called the deal complete, a card for a seat that is short is the repair of it."""
    seat = seat_of(place)
    is_entitled = hand.end_deal_seq is not None and seat in hand.eligible
    return is_entitled and hand.count_at(place) < game.passes


def _is_slip(hand: Hand, place: str, want: str) -> bool:
    """Is this the card at which the dealer left the order? One slip shifts all that follow: a card that goes
    on clockwise from a card already out of place is no new slip. A seat that is not in the hand is a finding
    of its own (extra hand)."""
    seat = seat_of(place)
    if place == want or (seat is not None and seat not in hand.eligible):
        return False
    last = hand.cards[-1] if hand.cards else None
    if last is None or seat is None or not last.is_misplaced:
        return True
    last_seat = seat_of(last.at)
    return last_seat is None or next_clockwise(hand.eligible, last_seat) != seat


def _deal_community(hand: Hand, game: Procedure, number: int, tag: str, place: str, seq: int) -> Hand:
    due = _due_community(hand, game)
    found = game.street_at(hand.boards)
    first = found[1] if found else game.board + 1
    if due in (place, NONE):
        fault, want = None, due
    elif place == BOARD:
        fault, want = "missing_burn", BOARD
    else:
        fault, want = "extra_burn", BURN
    card = Card(number, tag, place, want, seq, False, want == NONE, fault, first if fault else 0)
    hand = msgspec.structs.replace(hand, cards=(*hand.cards, card))
    if place == BURN:
        return msgspec.structs.replace(hand, burn_given=True)
    return _after_board(hand, game)


def _after_board(hand: Hand, game: Procedure) -> Hand:
    """Count a community card; the last of its street opens the next betting round."""
    boards = hand.boards + 1
    found = game.street_at(boards)
    street_is_done = found is None or found[1] - 1 == boards
    in_deal = hand.end_deal_seq is None
    return msgspec.structs.replace(
        hand,
        boards=boards,
        burn_given=hand.burn_given and not street_is_done,
        round_open=(street_is_done and not in_deal) or hand.round_open,
    )


def replace_card(hand: Hand, card: Card) -> Hand:
    cards = tuple(card if old.number == card.number else old for old in hand.cards)
    return msgspec.structs.replace(hand, cards=cards)


def move_card(hand: Hand, card: Card, place: str) -> Hand:
    """Card `card` now counts at `place`: a repair, or a card put back on the stub."""
    hand = replace_card(hand, msgspec.structs.replace(card, at=place))
    if card.is_hole or place != STUB:
        return hand
    if card.at == BOARD:
        return msgspec.structs.replace(hand, boards=hand.boards - 1)
    return msgspec.structs.replace(hand, burn_given=card.fault == "extra_burn")
