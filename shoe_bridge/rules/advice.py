"""Advice to the supervisor: which rule's conditions hold for this hand now, which do not and why.

Each check is a function of the profile and the hand alone, so advice follows the hand: it stands while its
conditions hold. All of it is advice; only a supervisor declares a misdeal. Where the text says nothing about
money, nothing is said, and what the profile is silent about is said to be silent.
"""

from collections.abc import Iterator

from shoe_bridge.rules import irregular
from shoe_bridge.rules.action import count_action, has_substantial_action
from shoe_bridge.rules.defects import boxed_in_the_deal, defective_deck
from shoe_bridge.rules.exposure import exposed_in_the_deal
from shoe_bridge.rules.profile import Profile
from shoe_bridge.table.findings import (
    Conclusion,
    MisdealAdvised,
    NotMisdeal,
    PlayOut,
    ReshuffleRequired,
    RuleTextMissing,
)
from shoe_bridge.table.hand import Hand
from shoe_bridge.table.procedures import Procedure


def advise(profile: Profile, hand: Hand, game: Procedure, is_in_order: bool) -> list[Conclusion]:
    """What may be said now, check by check."""
    if game.family != "poker":
        return []
    found = [*_exposed_in_the_cut(profile, hand), *_shuffle_and_cut(profile, hand)]
    if not is_in_order:
        found += irregular.initial_deal(profile, hand, game)
        if profile.settings.missed_burn_is_out_of_order:
            found += _missed_burns(profile, hand)
    if hand.exposures:
        found += exposed_in_the_deal(profile, hand, game)
    if hand.boxed:
        found += boxed_in_the_deal(profile, hand)
    if hand.defects or hand.boxed:
        found += defective_deck(profile, hand)
    return found


def _exposed_in_the_cut(profile: Profile, hand: Hand) -> Iterator[Conclusion]:
    """One or more cards are exposed while cutting."""
    if hand.phase != "cutting" or not hand.exposures:
        return
    evidence = tuple(seq for number, seq in hand.exposures if number is None)
    check = profile.checks.exposed_in_cut
    if not evidence:
        return
    if check is None:
        yield Conclusion(RuleTextMissing("exposed_in_cut"), evidence)
    else:
        yield Conclusion(MisdealAdvised(check.rule), evidence)
        yield Conclusion(ReshuffleRequired(check.rule), evidence)


def _shuffle_and_cut(profile: Profile, hand: Hand) -> Iterator[Conclusion]:
    """Not shuffled or not cut before the deal, noticed before substantial action; after it, play on."""
    seq = hand.first_card_seq
    if seq is None or not hand.tracks_shuffle or None not in (hand.shuffle_seq, hand.cut_seq):
        return
    check = profile.checks.shuffle_and_cut
    is_acted = has_substantial_action(profile.settings, hand)
    if check is None:
        if not is_acted and hand.play_on_seq is None:
            yield Conclusion(RuleTextMissing("no_shuffle_or_cut"), (seq,))
    elif is_acted or hand.play_on_seq is not None:
        since = hand.play_on_seq or count_action(profile.settings, hand).evidence[-1]
        yield Conclusion(PlayOut(check.rule), (seq, since))
    else:
        yield Conclusion(MisdealAdvised(check.rule), (seq,))


def _missed_burns(profile: Profile, hand: Hand) -> Iterator[Conclusion]:
    """Another reading than A7: a missed burn is dealing out of order."""
    evidence = tuple(card.seq for card in hand.cards if card.fault == "missing_burn")
    check = profile.checks.order
    if not evidence or check is None or hand.play_on_seq is not None:
        return
    if has_substantial_action(profile.settings, hand):
        yield Conclusion(NotMisdeal(check.rule, "substantial_action"), evidence)
    else:
        yield Conclusion(MisdealAdvised(check.rule), evidence)
