"""The initial deal does not lie as ordered: what the profile lets be said, and who may be helped.

Three irregularities: seats that got a hand or none against the list of players, wrong counts, and cards out
of order. Each is put right where the profile allows it (the working test is `_may_be_put_right`), else it is
a misdeal before substantial action; after it the hand goes on, and wrong hands are void or dead where a rule
says so.
"""

from collections.abc import Iterator

import msgspec

from shoe_bridge.rules.action import has_substantial_action
from shoe_bridge.rules.profile import CountCheck, OrderCheck, Profile, SeatsCheck
from shoe_bridge.rules.repair import exposed_cards, is_affected_seat_active, repair_moves
from shoe_bridge.table.betting import contributed
from shoe_bridge.table.findings import (
    Conclusion,
    HandDead,
    HandVoid,
    MisdealAdvised,
    NotMisdeal,
    PlayOut,
    RefundAll,
    Repairable,
    RuleTextMissing,
)
from shoe_bridge.table.hand import Hand, places_of_the_deal
from shoe_bridge.table.layout import seat_of, seat_place
from shoe_bridge.table.money import decimal
from shoe_bridge.table.procedures import Procedure

Counts = dict[int, int]  # eligible seat -> cards of the initial deal


class Irregularity(msgspec.Struct, frozen=True):
    """What is wrong with an initial deal. `rule` is None where the profile does not cover it; then `topic`
    says what is not held."""

    check: OrderCheck | SeatsCheck | CountCheck | None
    rule: str | None
    topic: str

    @property
    def may_put_right(self) -> bool:
        return self.check is not None and self.check.may_put_right


def initial_deal(profile: Profile, hand: Hand, game: Procedure) -> Iterator[Conclusion]:
    """From the end of the deal on; a first card that is a misdeal by itself, at once."""
    moves = repair_moves(hand, game)
    if not moves:
        return
    if hand.end_deal_seq is None:
        yield from _first_card(profile, hand)
        return
    counts = _counts(hand)
    evidence = (*(card.seq for card in hand.cards if card.is_misplaced), hand.end_deal_seq)
    short = _short_button(profile, hand, game, counts)
    if short is not None:
        yield from _complete_button(profile, hand, short, game.passes - counts[short], evidence)
        return
    wrong = _irregularity(profile, hand, game, counts)
    is_acted = has_substantial_action(profile.settings, hand)
    if wrong.rule is None:
        yield from _not_covered(hand, wrong, is_acted, evidence)
    elif hand.play_on_seq is not None:
        yield Conclusion(PlayOut(wrong.rule), (*evidence, hand.play_on_seq))
    elif hand.over_seq is not None or is_acted:
        yield from _after_action(profile, hand, game, wrong, is_acted, evidence)
    elif wrong.may_put_right and _may_be_put_right(hand, moves):
        yield Conclusion(Repairable(wrong.rule, moves), evidence)
    elif _has_dead_actor(profile, hand, game, wrong, counts):
        yield from _wrong_counts(wrong, hand, _wrong_seats(hand, game), evidence)
    else:
        yield Conclusion(MisdealAdvised(wrong.rule), evidence)


def accepts_order(profile: Profile, hand: Hand, game: Procedure) -> bool:
    """Do the cards of the initial deal lie in another order that the profile finds no fault with: two
    running to the button?"""
    check = profile.checks.order
    if check is None or not check.may_double_button or not hand.order or game.passes < 2:
        return False
    dealt = [card.at for card in hand.cards if card.is_hole and card.is_in_play]
    due = places_of_the_deal(hand, game.passes, game.to_dealer)
    if len(dealt) > len(due):
        return False
    players = len(due) // game.passes
    for first in range(1, game.passes):  # the button's card of a later pass comes right after this one
        at = first * players
        doubled = [*due[:at], due[at - 1], *due[at : at + players - 1], *due[at + players :]]
        if dealt == doubled[: len(dealt)]:
            return True
    return False


def _first_card(profile: Profile, hand: Hand) -> Iterator[Conclusion]:
    check = profile.checks.order
    if check is None or not check.first_card_only or hand.play_on_seq is not None:
        return
    if not _is_first_card_right(hand):
        yield Conclusion(MisdealAdvised(check.rule), (hand.cards[0].seq,))


def _is_first_card_right(hand: Hand) -> bool:
    first = hand.cards[0] if hand.cards else None
    return first is None or not first.is_misplaced


def _irregularity(profile: Profile, hand: Hand, game: Procedure, counts: Counts) -> Irregularity:
    """The check that fits: a player left out or an extra hand, a wrong count, else the order."""
    checks = profile.checks
    if _has_extra_hand(hand) or 0 in counts.values():
        seats = checks.seats
        return Irregularity(seats, seats.rule if seats else None, "wrong_seats")
    if any(count != game.passes for count in counts.values()):
        return _wrong_count(profile, hand, game, counts)
    order = checks.order
    is_covered = order is not None and (not order.first_card_only or not _is_first_card_right(hand))
    return Irregularity(order, order.rule if order and is_covered else None, "out_of_order")


def _wrong_count(profile: Profile, hand: Hand, game: Procedure, counts: Counts) -> Irregularity:
    check = profile.checks.counts
    extra = sum(max(0, count - game.passes) for count in counts.values())
    if check is None or extra < check.extra_cards:
        return Irregularity(check, None, "wrong_count")
    is_literal = not profile.settings.counts_put_right_first
    rule = check.later_rule if check.later_rule and (hand.acted or is_literal) else check.rule
    if is_literal:  # another reading than A2: 19.1(f) does not ask whether it can be put right
        check = msgspec.structs.replace(check, may_put_right=False)
    return Irregularity(check, rule, "wrong_count")


def _has_extra_hand(hand: Hand) -> bool:
    return any(
        (seat := seat_of(card.at)) is not None and seat not in hand.eligible
        for card in hand.cards
        if card.is_hole and card.is_in_play
    )


def _counts(hand: Hand) -> Counts:
    places = [card.at for card in hand.cards if card.is_hole]
    return {seat: places.count(seat_place(seat)) for seat in hand.eligible}


def _wrong_seats(hand: Hand, game: Procedure) -> list[int]:
    return [seat for seat, count in sorted(_counts(hand).items()) if count not in (0, game.passes)]


def _may_be_put_right(hand: Hand, moves: tuple[str, ...]) -> bool:
    """The working test: no card that would change hands was exposed, no seat concerned has acted, and the
    dealer has not said that it cannot be done."""
    moving = {move.split(" ", 1)[0] for move in moves}
    is_exposed = any(str(number) in moving for number in exposed_cards(hand))
    return hand.cannot_correct_seq is None and not is_exposed and not is_affected_seat_active(hand, moves)


def _not_covered(
    hand: Hand, wrong: Irregularity, is_acted: bool, evidence: tuple[int, ...]
) -> Iterator[Conclusion]:
    """Nothing held covers it. After substantial action an order is past arguing; a count is not."""
    if hand.play_on_seq is None and not (is_acted and wrong.topic == "out_of_order"):
        yield Conclusion(RuleTextMissing(wrong.topic), evidence)


# -- after action ---------------------------------------------------------------------------------------


def _has_dead_actor(
    profile: Profile, hand: Hand, game: Procedure, wrong: Irregularity, counts: Counts
) -> bool:
    """Another reading than A3: a hand that was acted on with a wrong count is dead at once."""
    if profile.settings.early_actor != "dead" or not isinstance(wrong.check, CountCheck):
        return False
    return any(counts[seat] not in (0, game.passes) for seat, _ in hand.acted if seat in counts)


def _after_action(
    profile: Profile,
    hand: Hand,
    game: Procedure,
    wrong: Irregularity,
    is_acted: bool,
    evidence: tuple[int, ...],
) -> Iterator[Conclusion]:
    """After substantial action, or when one player is left: no misdeal; wrong hands are void or dead."""
    rule = wrong.rule or ""
    if isinstance(wrong.check, CountCheck) and wrong.check.is_void_or_dead:
        if hand.over_seq is not None:
            yield from _last_player(profile, wrong.check, hand, game, evidence)
        else:
            yield from _wrong_counts(wrong, hand, _wrong_seats(hand, game), evidence)
        return
    if not is_acted:
        return
    yield Conclusion(NotMisdeal(rule, "substantial_action"), evidence)
    yield Conclusion(PlayOut(rule), evidence)
    if isinstance(wrong.check, CountCheck):
        yield Conclusion(RuleTextMissing(wrong.topic), evidence)
    if any(seat_of(card.at) not in (None, *hand.eligible) for card in hand.cards if card.is_in_play):
        yield Conclusion(RuleTextMissing("extra_hand_disposal"), evidence)


def _last_player(
    profile: Profile, check: CountCheck, hand: Hand, game: Procedure, evidence: tuple[int, ...]
) -> Iterator[Conclusion]:
    """The last player left has a wrong count: dead, and all money back."""
    last = hand.winner
    if check.last_rule is None or last not in _wrong_seats(hand, game):
        return
    if profile.settings.last_player_needs_showdown and hand.showdown_seq is None:
        return  # another reading than A15
    yield Conclusion(HandDead(last, check.last_rule), (*evidence, hand.over_seq or 0))
    yield Conclusion(RefundAll(check.last_rule), (*evidence, hand.over_seq or 0))


def _wrong_counts(
    wrong: Irregularity, hand: Hand, seats: list[int], evidence: tuple[int, ...]
) -> Iterator[Conclusion]:
    """Void with its money back if that player has not acted, dead if he has."""
    check = wrong.check
    rule = (check.later_rule if isinstance(check, CountCheck) else None) or wrong.rule or ""
    has_acted = {seat for seat, _ in hand.acted}
    pot = contributed(hand)
    for seat in seats:
        if seat in has_acted:
            yield Conclusion(HandDead(seat, rule), evidence)
            continue
        refund = contributed(hand, seat)
        yield Conclusion(HandVoid(seat, _decimal(refund), rule), evidence)
        pot = None if pot is None or refund is None else pot - refund
    playing = tuple(sorted(seat for seat in hand.remaining() if seat not in seats))
    yield Conclusion(PlayOut(rule, playing, _decimal(pot)), evidence)


def _decimal(cents: int | None) -> str | None:
    return None if cents is None else decimal(cents)


# -- a button that is short -----------------------------------------------------------------------------


def _short_button(profile: Profile, hand: Hand, game: Procedure, counts: Counts) -> int | None:
    """The button's seat, where the profile lets it be completed and it is the only one that is short."""
    check = profile.checks.counts
    if check is None or check.button_rule is None or not hand.order or _has_extra_hand(hand):
        return None
    last = hand.order[-1]
    others_right = all(count == game.passes for seat, count in counts.items() if seat != last)
    return last if others_right and 0 < counts[last] < game.passes else None


def _complete_button(
    profile: Profile, hand: Hand, seat: int, missing: int, evidence: tuple[int, ...]
) -> Iterator[Conclusion]:
    """It may be completed, after substantial action too, unless it acted: then the hand is dead."""
    check = profile.checks.counts
    rule = (check.button_rule if check else None) or ""
    action = [seq for other, seq in hand.acted if other == seat]
    if action:
        yield Conclusion(HandDead(seat, rule), (*evidence, *action))
        playing = tuple(sorted(other for other in hand.remaining() if other != seat))
        yield Conclusion(PlayOut(rule, playing), (*evidence, *action))
    elif hand.play_on_seq is None and seat not in hand.folded:
        moves = tuple([f"next -> {seat_place(seat)}"] * missing)
        yield Conclusion(Repairable(rule, moves), evidence)
