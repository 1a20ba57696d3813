"""Exposed cards of the deal: a misdeal or none where the profile speaks of them, else a text not held."""

from collections.abc import Iterator

from shoe_bridge.rules.action import has_substantial_action
from shoe_bridge.rules.profile import ExposedCheck, Profile
from shoe_bridge.table.findings import Conclusion, MisdealAdvised, NotMisdeal, PlayOut
from shoe_bridge.table.hand import Hand
from shoe_bridge.table.procedures import DRAW, Procedure

Exposed = list[tuple[int, int]]  # (card number, event seq)


def is_exposure_held(profile: Profile, hand: Hand, game: Procedure, number: int) -> bool:
    """Does the profile say what follows from card `number` having been exposed?"""
    check = _check_for(profile, game)
    if check is None:
        return False
    if check.is_replaced:
        return True
    if number > _size(hand, game):
        return check.is_used_in_draw
    if check.players:
        return number <= len(hand.order)
    return _is_misdeal(check, hand, game, _initial(hand, game)) or _is_early(check, hand, game, number)


def exposed_in_the_deal(profile: Profile, hand: Hand, game: Procedure) -> Iterator[Conclusion]:
    """What follows from the exposed cards of the deal; nothing where the profile says nothing."""
    check = _check_for(profile, game)
    if check is None or hand.play_on_seq is not None:
        return
    initial = _initial(hand, game)
    if check.players:
        yield from _face_up(profile, check, hand)
    elif _is_misdeal(check, hand, game, initial):
        yield from _misdeal(profile, check.rule, hand, tuple(seq for _, seq in initial))
    elif initial and check.one_is_none:
        yield Conclusion(NotMisdeal(check.rule, "one_card"), tuple(seq for _, seq in initial))
    later = tuple(seq for number, seq in hand.exposures if number is not None and number > _size(hand, game))
    if later and check.is_used_in_draw and game.has_target(DRAW):
        yield Conclusion(NotMisdeal(check.rule, "draw"), later)


def _check_for(profile: Profile, game: Procedure) -> ExposedCheck | None:
    return next((check for check in profile.checks.exposed if game.follows in check.games), None)


def _size(hand: Hand, game: Procedure) -> int:
    return len(hand.order) * game.passes


def _initial(hand: Hand, game: Procedure) -> Exposed:
    size = _size(hand, game)
    return [(number, seq) for number, seq in hand.exposures if number is not None and number <= size]


def _is_misdeal(check: ExposedCheck, hand: Hand, game: Procedure, initial: Exposed) -> bool:
    numbers = {number for number, _ in initial}
    if check.cards and len(numbers) >= check.cards:
        return True
    return any(_is_early(check, hand, game, number) for number in numbers)


def _is_early(check: ExposedCheck, hand: Hand, game: Procedure, number: int) -> bool:
    """One of the first cards off the deck, or a down card of the first passes: one of them is enough."""
    if number <= check.first_cards:
        return True
    dealt_in = (number - 1) // max(1, len(hand.order)) + 1
    return dealt_in <= check.first_passes and dealt_in not in game.up_passes


def _misdeal(profile: Profile, rule: str, hand: Hand, evidence: tuple[int, ...]) -> Iterator[Conclusion]:
    """Found after substantial action, by reading A16: the alert stands, or play goes on."""
    if profile.settings.exposed_after_action == "play_out" and has_substantial_action(profile.settings, hand):
        yield Conclusion(NotMisdeal(rule, "substantial_action"), evidence)
        yield Conclusion(PlayOut(rule), evidence)
    else:
        yield Conclusion(MisdealAdvised(rule), evidence)


def _face_up(profile: Profile, check: ExposedCheck, hand: Hand) -> Iterator[Conclusion]:
    """The first card of each player is meant to be down; the key says which one was seen."""
    first_round = [(number, seq) for number, seq in hand.exposures if number is not None]
    first_round = [each for each in first_round if each[0] <= len(hand.order)]
    evidence = tuple(seq for _, seq in first_round)
    players = {card.at for card in hand.cards if card.number in {number for number, _ in first_round}}
    if not players:
        return
    if len(players) >= check.players:
        yield from _misdeal(profile, check.rule, hand, evidence)
        return
    if check.one_is_none:
        yield Conclusion(NotMisdeal(check.rule, "one_player"), evidence)
    if check.uncorrected_rule is None:
        return
    if hand.cannot_correct_seq is not None:
        yield from _misdeal(profile, check.uncorrected_rule, hand, (*evidence, hand.cannot_correct_seq))
    elif hand.end_deal_seq is not None:
        yield Conclusion(NotMisdeal(check.uncorrected_rule, "corrected"), (*evidence, hand.end_deal_seq))
