"""What an eye sees of a light, in words, and what every simulated light's electronics can be asked."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import NamedTuple


class Shown(NamedTuple):
    """What an eye sees: `colour` (off, red, amber, green, blue, white, mixed, or lamps joined by +) and
    `rhythm`: off, steady, slow (1 Hz or so), fast, flash (short, or every 2 s), blink (of no known speed)."""

    colour: str
    rhythm: str


OFF = Shown("off", "off")
_SLOW_MS, _FLASH_MS = 600, 1_500  # periods from which on


def rhythm_of(lit_ms: int, dark_ms: int) -> str:
    """The word for so long lit and so long dark, in turn."""
    if not lit_ms:
        return "off"
    if not dark_ms:
        return "steady"
    period_ms = lit_ms + dark_ms
    if 4 * lit_ms <= dark_ms or period_ms >= _FLASH_MS:
        return "flash"
    return "slow" if period_ms >= _SLOW_MS else "fast"


def colour_of(red: int, green: int, blue: int) -> str:
    """The word for a mixture of any scale."""
    most = max(red, green, blue)
    if not most:
        return "off"
    strong, some = ([part * 4 >= share * most for part in (red, green, blue)] for share in (3, 1))
    words = {
        (True, False, False): "red",
        (False, True, False): "green",
        (False, False, True): "blue",
        (True, True, True): "white",
    }
    if strong[0] and some[1] and not some[2]:
        return "amber"
    return words.get((some[0], some[1], some[2]), "mixed")


def one_colour(colours: Iterable[str]) -> str:
    """The colour that all have; `mixed` where they differ."""
    found = set(colours)
    return found.pop() if len(found) == 1 else "mixed"


def shown_as(colour: str, lit_ms: int = 1, dark_ms: int = 0) -> Shown:
    return OFF if colour == "off" or not lit_ms else Shown(colour, rhythm_of(lit_ms, dark_ms))


class Head(ABC):
    """One light since it got power: dark. `is_blinked`: it has no rhythm and blinks as the host writes."""

    is_blinked = False

    @abstractmethod
    def take(self, report: bytes, at_ms: int) -> bool:
        """Obey one report; False where it is no command of this kind, which changes nothing."""

    @abstractmethod
    def shown(self, at_ms: int) -> Shown:
        """What it shows at that time."""

    def next_change_ms(self) -> int | None:
        """When it shows something else by itself."""
        return None
