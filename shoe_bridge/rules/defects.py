"""The deck is not what it must be: defective, or with cards lying face up in it."""

from collections.abc import Iterator

from shoe_bridge.rules.action import has_substantial_action
from shoe_bridge.rules.profile import DefectCheck, Profile
from shoe_bridge.table.findings import (
    Conclusion,
    DeckDefect,
    HandDead,
    MisdealAdvised,
    NotMisdeal,
    RefundAll,
    RuleTextMissing,
)
from shoe_bridge.table.hand import Hand
from shoe_bridge.table.layout import seat_of

_TOPICS = {"missing": "missing_card", "joker": "joker"}


def boxed_defect(profile: Profile) -> int:
    """So many boxed cards make a deck defective; 0: none do."""
    return profile.checks.deck.boxed_cards if profile.checks.deck else 0


def is_boxed_held(profile: Profile, hand: Hand) -> bool:
    """Does the profile say what follows from the boxed cards found so far?"""
    check = profile.checks.boxed
    return check is not None and len(_boxed_in_deal(hand)) >= check.cards


def boxed_in_the_deal(profile: Profile, hand: Hand) -> Iterator[Conclusion]:
    """So many boxed cards of the initial deal are a misdeal before substantial action."""
    check, found = profile.checks.boxed, _boxed_in_deal(hand)
    if check is None or len(found) < check.cards or hand.play_on_seq is not None:
        return
    if has_substantial_action(profile.settings, hand):
        yield Conclusion(NotMisdeal(check.rule, "substantial_action"), found)
    else:
        yield Conclusion(MisdealAdvised(check.rule), found)


def _boxed_in_deal(hand: Hand) -> tuple[int, ...]:
    end = hand.end_deal_seq
    return tuple(seq for seq in hand.boxed if end is None or seq < end)


def defective_deck(profile: Profile, hand: Hand) -> Iterator[Conclusion]:
    """Found defective at any time before the dealer pushes the pot: the money goes back."""
    check = profile.checks.deck
    if check is None:
        return
    for defect in hand.defects:
        reason = defect.finding.reason if isinstance(defect.finding, DeckDefect) else ""
        if reason in check.reasons:
            yield from _refund(check, hand, defect, reason)
        elif reason == "joker" and check.joker_rule is not None:
            yield from _joker(check.joker_rule, hand, defect)
        elif reason in _TOPICS:
            yield Conclusion(RuleTextMissing(_TOPICS[reason]), defect.evidence)
    if check.boxed_cards and len(hand.boxed) >= check.boxed_cards and "boxed" in check.reasons:
        seq = hand.boxed[check.boxed_cards - 1]
        push, notice = hand.push_seq, hand.notice_seq
        is_late = push is not None and not (notice is not None and notice < push)
        yield Conclusion(
            NotMisdeal(check.rule, "pot_pushed") if is_late else RefundAll(check.rule),
            (seq,),
        )


def _refund(check: DefectCheck, hand: Hand, defect: Conclusion, reason: str) -> Iterator[Conclusion]:
    """A card of another deck is only known for one when somebody has looked at its back."""
    notice, push = hand.notice_seq, hand.push_seq
    found_seq = defect.evidence[-1] if reason != "foreign_deck" else notice
    if found_seq is None:
        return
    noticed_seq = found_seq if notice is None else min(notice, push or notice)
    if push is None or (found_seq < push and noticed_seq < push and notice is not None and notice < push):
        yield Conclusion(RefundAll(check.rule), (*defect.evidence, found_seq))
    else:
        yield Conclusion(NotMisdeal(check.rule, "pot_pushed"), (*defect.evidence, push))


def _joker(rule: str, hand: Hand, defect: Conclusion) -> Iterator[Conclusion]:
    """Who has acted on a joker has a dead hand; before that nothing is held."""
    holder = next((seat_of(card.at) for card in hand.cards if card.seq == defect.evidence[0]), None)
    action = [seq for seat, seq in hand.acted if seat == holder]
    if holder is not None and action:
        yield Conclusion(HandDead(holder, rule), (*defect.evidence, *action))
    else:
        yield Conclusion(RuleTextMissing("joker"), defect.evidence)
