"""The hand: the cards off the deck since the cut, where each was due, and where each lies.

The order of the deal is one list: card `i` of the initial deal is due at `order[(i - 1) mod k]`, then
the streets of the procedure follow. A card is judged once, when it lands; where it *counts* (`at`) can
change later by a repair. So a slip is known at the card where it happens, and a repair is known by the
cards lying where the order puts them.
"""

import msgspec

from shoe_bridge.table.findings import Conclusion
from shoe_bridge.table.layout import seat_of, seat_place

BOARD, BURN, STUB, MUCK, DEALER = "board", "burn", "stub", "muck", "dealer"
NONE = "none"


class Card(msgspec.Struct, frozen=True):
    """The `number`-th card off the deck. `at` is where it counts, `want` where it was due (`none`:
    nowhere). `is_hole` marks the cards of the initial deal. `slip` marks the card at which the dealer
    left the order, as against those that follow shifted. `fault` is `missing_burn` or `extra_burn`,
    `street` the street it fell in (None: the initial deal). `is_premature`: it left the stub while a
    betting round was open."""

    number: int
    tag: str
    at: str
    want: str
    seq: int
    is_hole: bool = True
    slip: bool = False
    fault: str | None = None
    street: int | None = None
    is_premature: bool = False

    @property
    def is_in_play(self) -> bool:
        return self.at != STUB

    @property
    def is_misplaced(self) -> bool:
        return self.at not in (self.want, STUB)


class Hand(msgspec.Struct, frozen=True):
    """One hand of one table, from the end of the one before to its own.

    `phase`: `gathering` (cards are collected, nothing is judged), `ready`, `cutting`, `dealing`,
    `dealt`, `showdown`, `over`. `button` is where the button lies as far as anybody said, `button_due`
    where it must be; the order follows the latter. `street` is the street that comes next or is being
    dealt, `given` counts its cards, `drawn` who got one in it. Sequence numbers say which event did it,
    None when it did not happen.
    """

    number: int
    eligible: tuple[int, ...]
    button: int | None
    button_due: int | None
    order: tuple[int, ...]
    phase: str = "ready"
    tracks_shuffle: bool = True  # the table has the keys (or frames) that say so
    tracks_betting: bool = True
    cards: tuple[Card, ...] = ()
    street: int = 0
    given: int = 0
    burn_given: bool = False
    round_open: bool = False
    is_closed_ahead: bool = False  # the round behind the street under way: its last card is not seen yet
    shuffle_seq: int | None = None
    cut_seq: int | None = None
    first_card_seq: int | None = None
    end_deal_seq: int | None = None
    push_seq: int | None = None
    showdown_seq: int | None = None
    notice_seq: int | None = None
    exposures: tuple[tuple[int | None, int], ...] = ()  # (card number, event seq); None: in the cut
    boxed: tuple[int, ...] = ()  # event seqs of the boxed-card key
    defects: tuple[Conclusion, ...] = ()  # what was found wrong with the deck
    warnings: tuple[Conclusion, ...] = ()  # what else its cards say: hands at risk, a deal too regular
    twins: dict[str, str] = {}  # a card with two tags: the second one, and the one it is dealt under
    shown: tuple[int, ...] = ()  # seats that laid their hand open in the showdown
    burns_moved: tuple[tuple[int, int], ...] = ()  # (card number, event seq)
    bets: tuple[tuple[int, int | None], ...] = ()  # (seat, cents), blinds included; None: amount not told
    blinds: tuple[int, ...] = ()
    folded: tuple[int, ...] = ()
    had_round: bool = False  # a betting round was closed
    turn: int | None = None  # the seat that must act next, None: nobody has acted in this round
    acted: tuple[tuple[int, int], ...] = ()  # (seat, event seq): who acted in turn since the deal, each once
    actions: tuple[tuple[int, str, int], ...] = ()  # (seat, word, event seq): each one in turn since the deal
    over_seq: int | None = None  # the event after which one player remained
    winner: int | None = None  # that player
    cannot_correct_seq: int | None = None
    play_on_seq: int | None = None
    owed: tuple[Conclusion, ...] = ()  # what stands until the new shuffle and cut after a misdeal
    is_tabled: bool = False  # cards lie there whose deal was not seen: it is not judged
    wagers: tuple[int, ...] = ()  # seats whose jackpot wager is locked in
    contest: tuple[int, ...] = ()  # seats entered for the side pot that comes next
    pots: tuple[tuple[int, tuple[int, ...], int], ...] = ()  # (cents, seats that contest it, event seq)
    thrown: tuple[str, ...] = ()  # tags seen at the discards in the draw before their seat had lost them
    button_next: int | None = None  # where the button was put after the pot was pushed: for the next hand
    discards: tuple[int, ...] = ()  # seats that threw a card away in the draw, one entry a card
    replaced: tuple[int, ...] = ()  # seats that got one in the draw, one entry a card

    @property
    def has_begun(self) -> bool:
        """Cards were dealt in it; what lies about while cards are gathered is not its deal."""
        return bool(self.cards) and self.phase != "gathering"

    def counted(self) -> int:
        return len(self.cards) - self.count_at(STUB)

    def count_at(self, place: str) -> int:
        return [card.at for card in self.cards].count(place)

    def find(self, tag: str) -> Card | None:
        """The newest card of that tag (a card put back on the stub can be dealt again)."""
        if self.twins:
            tag = self.twins.get(tag, tag)
        for card in reversed(self.cards):
            if card.tag == tag:
                return card
        return None

    def remaining(self) -> tuple[int, ...]:
        """The seats still in the hand, in the order of the deal."""
        return tuple(seat for seat in self.order if seat not in self.folded)


def deal_order(eligible: tuple[int, ...], button: int | None) -> tuple[int, ...]:
    """The eligible seats clockwise, first the one left of the button (16.1(b)); a dead button lies before an
    empty seat. Without a button the order begins at the dealer's left."""
    seats = sorted(eligible)
    if button is None:
        return tuple(seats)
    return tuple([s for s in seats if s > button] + [s for s in seats if s <= button])


def next_clockwise(eligible: tuple[int, ...], seat: int) -> int | None:
    """The next eligible seat after `seat`; None when no seat is eligible."""
    order = deal_order(eligible, seat)
    return order[0] if order else None


def new_hand(
    number: int, eligible: tuple[int, ...], button: int | None, button_due: int | None, phase: str
) -> Hand:
    """A hand that has not begun."""
    return Hand(number, eligible, button, button_due, deal_order(eligible, button_due), phase)


def places_of_the_deal(hand: Hand, passes: int, to_dealer: bool) -> list[str]:
    """Where card 1, 2, 3 ... of the initial deal is due, pass after pass; the dealer comes last in each."""
    places = [seat_place(seat) for seat in hand.order]
    if to_dealer:
        places.append(DEALER)
    return places * passes


def replace_card(hand: Hand, card: Card) -> Hand:
    cards = tuple(card if old.number == card.number else old for old in hand.cards)
    return msgspec.structs.replace(hand, cards=cards)


def seat_left_of(hand: Hand, place: str) -> str | None:
    """The place that comes after `place` when the dealer goes on clockwise; None where `place` is no seat."""
    seat = seat_of(place)
    following = None if seat is None else next_clockwise(hand.eligible, seat)
    return None if following is None else seat_place(following)
