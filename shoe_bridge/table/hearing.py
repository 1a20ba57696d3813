"""Who hears a card: what the reads of a sighting are worth where the card lies, and why an antenna may say
nothing of one. Each is worked out once for a window.
"""

from shoe_bridge.table.beginnings import Rest
from shoe_bridge.table.card_times import CardTimes
from shoe_bridge.table.deal_model import SensorModel
from shoe_bridge.table.sighted import Sighted
from shoe_bridge.table.timing import Profile
from shoe_bridge.table.window import Window

Silence = tuple[float, float, tuple[str, ...]]


class Hearing:
    """Of one window."""

    def __init__(self, window: Window, sensor: SensorModel, sighted: Sighted, times: CardTimes) -> None:
        self._deafness = window.deafness
        self._usual = sensor.deaf
        self._sighted = sighted
        self._times = times
        self._sightings = window.sightings
        self._heard: dict[tuple[int, str, float, int], tuple[float, Profile]] = {}
        self._silent: dict[tuple[str, float, int], Profile] = {}

    def as_heard(self, place: str, missed: float, number: int, rest: Rest) -> tuple[float, Profile]:
        """What the reads of a sighting are worth where the card lies at a place, and when it came."""
        until = min(rest.until, self._sighted.latest[number])
        key = (number, place, missed, until)
        known = self._heard.get(key)
        if known is None:
            sighting = self._sightings[number]
            share = self._sighted.strayed[number][place] * self._sighted.told_by(sighting, place, missed)
            known = self._heard[key] = (share, self._times.profile(place, missed, sighting, until))
        return known

    def silences(self, deaf: tuple[str, ...], place: str, missed: float) -> tuple[Silence, ...]:
        """Why an antenna does not hear a card: it missed it until now, or is deaf. As the chance that a poll
        misses it, the cost, and the antennas that are deaf then, those of `deaf` among them."""
        if place in deaf:
            return ((1.0, 1.0, deaf),)
        usual = 0.0 if place in self._sighted.was_heard else self._usual
        deafness = self._deafness.get(place, usual)
        by_chance = (missed, 1.0, deaf)
        return (by_chance, (1.0, deafness, (*deaf, place))) if deafness else (by_chance,)

    def silent(self, place: str, missed: float, number: int, until: int) -> Profile:
        """When a card came that no antenna has heard, of which a shoe told (sighting `number`) or nobody
        (-1)."""
        if number >= 0:
            return self._times.profile(place, missed, self._sightings[number], until)
        key = (place, missed, until)
        known = self._silent.get(key)
        if known is None:
            known = self._silent[key] = self._times.profile(place, missed, None, until)
        return known
