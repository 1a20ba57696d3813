"""Substantial action: how far players have acted, by the settings of the profile (reading A1).

Each way of counting leaves out what was done out of turn and, unless `forced_bets_count`, what was posted
before the cards.
"""

from shoe_bridge.rules.profile import Settings
from shoe_bridge.table.betting import WITH_CHIPS
from shoe_bridge.table.book import ActionCount
from shoe_bridge.table.hand import Hand


def count_action(settings: Settings, hand: Hand) -> ActionCount:
    """How many players, or actions where the profile counts those, since the initial deal; whether that is
    substantial action; and the events of the actions."""
    by_player = settings.action_players
    count = _players(settings, hand) if by_player else len(hand.actions)
    seqs = tuple([seq for _, seq in hand.acted] if by_player else [seq for _, _, seq in hand.actions])
    return ActionCount(count, has_substantial_action(settings, hand), seqs)


def has_substantial_action(settings: Settings, hand: Hand) -> bool:
    if not hand.acted:
        return False
    if settings.action_players and _players(settings, hand) >= settings.action_players:
        return True
    if not (settings.action_count or settings.action_count_chips):
        return False
    count = len(hand.actions)
    if settings.forced_bets_count:
        count += len(hand.blinds)
    if settings.action_count and count >= settings.action_count:
        return True
    has_chips = any(word in WITH_CHIPS for _, word, _ in hand.actions)
    return bool(settings.action_count_chips) and has_chips and count >= settings.action_count_chips


def _players(settings: Settings, hand: Hand) -> int:
    if not settings.forced_bets_count:
        return len(hand.acted)
    return len({seat for seat, _ in hand.acted} | set(hand.blinds))
