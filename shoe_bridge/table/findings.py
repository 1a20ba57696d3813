"""Findings: what the fold concluded, one type per kind.

`kind` on the outside is the tag given below. A finding never names the identity of a card of a live hand:
`card` is its number off the deck since the cut. Places are strings, counts and seats are integers.
`rule` is the number in the rule profile where one applies.
"""

import msgspec


class Finding(msgspec.Struct, frozen=True, tag_field="kind", omit_defaults=True):
    """Base of all findings."""


class DealOk(Finding, frozen=True, tag="deal_ok"):
    """The hand's cards went where the procedure says; counts are of all cards dealt so far."""

    hole: int
    board: int
    burns: int
    cards: int


class OrderError(Finding, frozen=True, tag="order_error"):
    """Card `card` lies at `got` and belongs at `want` (`none` when no card was due)."""

    card: int
    got: str
    want: str
    rule: str | None = None


class CountError(Finding, frozen=True, tag="count_error"):
    place: str
    got: int
    want: int
    rule: str | None = None


class DealtOut(Finding, frozen=True, tag="dealt_out"):
    """An eligible seat got no card in the initial deal."""

    seat: int
    rule: str | None = None


class ExtraHand(Finding, frozen=True, tag="extra_hand"):
    """A seat that is not in the hand was dealt in."""

    seat: int
    rule: str | None = None


class MissingBurn(Finding, frozen=True, tag="missing_burn"):
    before_board: int
    rule: str | None = None


class ExtraBurn(Finding, frozen=True, tag="extra_burn"):
    before_board: int
    rule: str | None = None


class ExposedCard(Finding, frozen=True, tag="exposed_card"):
    """The dealer pressed the exposed-card key for card `card` (None: before the first card)."""

    card: int | None
    rule: str | None = None


class Repairable(Finding, frozen=True, tag="repairable"):
    """The deal can be put right by `moves`: `3 -> seat 1`, `7 -> stub`, `next -> seat 4`."""

    rule: str
    moves: tuple[str, ...]


class MisdealAdvised(Finding, frozen=True, tag="misdeal_advised"):
    """This rule's conditions for a misdeal hold. Only a supervisor declares one."""

    rule: str


class ReshuffleRequired(Finding, frozen=True, tag="reshuffle_required"):
    """A new shuffle and cut are due before the next card."""

    rule: str


class Restart(Finding, frozen=True, tag="restart"):
    """After an accepted misdeal: who must get the first card, and where the button must be."""

    first: int
    button: int | None


class SubstantialAction(Finding, frozen=True, tag="substantial_action"):
    """How many different players have acted in turn since the initial deal; `reached` from two on."""

    count: int
    reached: bool


class HandOver(Finding, frozen=True, tag="hand_over"):
    """One player remains; that seat wins the pot."""

    winner: int


class CardAfterEnd(Finding, frozen=True, tag="card_after_end"):
    card: int
    rule: str | None = None


class BurnMoved(Finding, frozen=True, tag="burn_moved"):
    """A burned card was put with the discards or back in play before the pot was pushed."""

    card: int
    rule: str | None = None


class PrematureCard(Finding, frozen=True, tag="premature_card"):
    """A card left the stub while a betting round was open."""

    card: int
    rule: str | None = None


class ButtonError(Finding, frozen=True, tag="button_error"):
    """The button lies before seat `got` and must lie before seat `want`."""

    got: int
    want: int
    rule: str | None = None


class NotMisdeal(Finding, frozen=True, tag="not_misdeal"):
    """Why `rule` does not apply: substantial_action, one_card, draw, corrected, one_player, pot_pushed."""

    rule: str
    why: str


class PlayOut(Finding, frozen=True, tag="play_out"):
    """The hand continues: `seats` play on for `pot` (a decimal string), where a hand has left it."""

    rule: str
    seats: tuple[int, ...] | None = None
    pot: str | None = None


class HandVoid(Finding, frozen=True, tag="hand_void"):
    """That hand is void; `refund` (a decimal string, None: amounts were not told) goes back to its player."""

    seat: int
    refund: str | None
    rule: str


class HandDead(Finding, frozen=True, tag="hand_dead"):
    """That hand is dead and its money stays."""

    seat: int
    rule: str


class RefundAll(Finding, frozen=True, tag="refund_all"):
    """All wagers, forced bets and blinds go back."""

    rule: str


class DeckDefect(Finding, frozen=True, tag="deck_defect"):
    """`reason`: duplicate, missing, foreign_deck, joker, boxed, wrong_count. `card` is an identity: it stays
    in the box until the hand is over."""

    reason: str
    card: str | None = None


class DeckAtRisk(Finding, frozen=True, tag="deck_at_risk"):
    """With a defect of the deck: the numbers of all `hands` dealt since it was last proven whole, the one in
    play included. `last_proven_hand` is the last hand that it is proven for, 0 when that was before the first
    one, None when it never was."""

    hands: tuple[int, ...]
    last_proven_hand: int | None = None


class DealTooRegular(Finding, frozen=True, tag="deal_too_regular"):
    """The cards of hand `in_hand` came in an order that no shuffled deck gives: `pattern` is `new_deck_order`
    (a suit in sequence), or `repeat` of the deal of hand `of_hand`, perhaps cut elsewhere."""

    pattern: str
    in_hand: int
    of_hand: int | None = None


class PotSplit(Finding, frozen=True, tag="pot_split"):
    """Pot `pot` (1: the main pot) divided: `shares` by seat, only the seats that get something."""

    pot: int
    shares: dict[str, str]

    def __hash__(self) -> int:
        return hash((self.pot, *self.shares.items()))


class Jackpot(Finding, frozen=True, tag="jackpot"):
    """What the jackpot pays: `awards` by seat, `2`, or by table and seat, `A:2`; only those that win, as
    decimal strings. `order`: the tables in the order of payment that the figures are for, where there are
    several. `has_fraction`: a figure is no whole cent, and shown as the profile reads that."""

    awards: dict[str, str]
    shortfall: str
    pool_after: str | None = None
    pool_major_after: str | None = None
    pool_minor_after: str | None = None
    order: tuple[str, ...] = ()
    has_fraction: bool = False

    def __hash__(self) -> int:
        return hash((self.shortfall, self.pool_after, self.order, *self.awards.items()))


class JackpotOrder(Finding, frozen=True, tag="jackpot_order"):
    """The proposed order of payment of linked tables, earliest first. `times`: when each had its first
    qualifying hand whole, by its own clock, UTC; the supervisor rules."""

    tables: tuple[str, ...]
    times: tuple[str, ...] = ()


class RuleTextMissing(Finding, frozen=True, tag="rule_text_missing"):
    """The profile does not hold the rule's text for this; no outcome is asserted."""

    topic: str


class LookAt(Finding, frozen=True, tag="look_at"):
    """The readers do not say enough to put the deal right: what lies at `place` decides it."""

    place: str


class Equipment(Finding, frozen=True, tag="equipment"):
    """A reading problem, not a dealing one: cross_read, unread_card, unknown_tag, link_lost, device_fault."""

    cause: str
    place: str | None = None
    device: str | None = None


AnyFinding = (
    DealOk
    | OrderError
    | CountError
    | DealtOut
    | ExtraHand
    | MissingBurn
    | ExtraBurn
    | ExposedCard
    | Repairable
    | MisdealAdvised
    | ReshuffleRequired
    | Restart
    | SubstantialAction
    | HandOver
    | CardAfterEnd
    | BurnMoved
    | PrematureCard
    | ButtonError
    | NotMisdeal
    | PlayOut
    | HandVoid
    | HandDead
    | RefundAll
    | DeckDefect
    | DeckAtRisk
    | DealTooRegular
    | PotSplit
    | Jackpot
    | JackpotOrder
    | RuleTextMissing
    | LookAt
    | Equipment
)


class Conclusion(msgspec.Struct, frozen=True):
    """A finding with the event numbers that it rests on, before it has a number of its own."""

    finding: AnyFinding
    evidence: tuple[int, ...]


class Change(msgspec.Struct, frozen=True):
    """One change of what stands: a finding was raised or withdrawn by event `seq`.

    `number` names the finding within its table for ever (raise and withdrawal carry the same one),
    `evidence` are the event numbers it rests on, `profile` and `version` the rules it was judged by,
    `hand` the number of the hand.
    """

    raised: bool
    number: int
    finding: AnyFinding
    seq: int
    evidence: tuple[int, ...]
    hand: int
    profile: str
    version: str
    certainty: str = "certain"
    probability: float | None = None  # None: the order of the cards was told beyond doubt
