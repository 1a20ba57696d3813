"""Antennas that hear nothing: how probable that is, and since when it is taken for granted."""

from shoe_bridge.table.deal_model import SensorModel
from shoe_bridge.table.following import Following
from shoe_bridge.table.settling import AGREED
from shoe_bridge.table.timing import missed_all
from shoe_bridge.table.window import Due, Explanation

_DEAF_FROM = 0.5  # the probability from which on it is told


def known_deaf(now: Following) -> tuple[str, ...]:
    """The antennas that are taken to hear nothing, whatever comes: beyond doubt, or as cards that are settled
    have it. What is open tells for itself."""
    return tuple([place for place, chance in now.deaf if chance > AGREED or place in now.deafened])


def deafness(now: Following, plan: tuple[Due, ...], sensor: SensorModel, at_ns: int) -> dict[str, float]:
    """How probable it is that an antenna is deaf that never heard anything, or that hears no more of a card
    that lies there: for one that hears would have missed that card all the time."""
    chances = {due.place: sensor.unproven for due in plan if due.place not in now.proven}
    for place, (last_ns, depth) in now.quiet.items():
        polls = (at_ns - last_ns - sensor.late_ns) // sensor.cycle_ns
        missed = missed_all(sensor.missed_at(depth), polls)
        chances[place] = sensor.deaf / max(missed, sensor.deaf)
    return chances


def deaf_among(now: Following, explanations: tuple[Explanation, ...]) -> tuple[tuple[str, float], ...]:
    """The antennas that hear nothing, with the probability: at most that with which cards were settled on
    it."""
    chances = dict.fromkeys((place for place, _ in now.deaf), 0.0)
    for one in explanations:
        for place in one.deaf:
            chances[place] = chances.get(place, 0.0) + one.probability
    return tuple(
        [
            (place, told)
            for place, chance in chances.items()
            if (told := chance * now.deafened.get(place, 1.0)) > _DEAF_FROM
        ]
    )
