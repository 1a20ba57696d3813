"""Places of a table: the words that antennas, observations and findings use for where a card lies.

`seat 1` is at the dealer's left; numbers rise clockwise. `shoe` is a place that cards leave and at which no
antenna looks, so that an antenna can stand at any place but that one.
"""

SEAT_MAX = 10
_SEAT_PREFIX = "seat "

SEATS: tuple[str, ...] = tuple(f"{_SEAT_PREFIX}{number}" for number in range(1, SEAT_MAX + 1))
ANTENNA_PLACES: tuple[str, ...] = (*SEATS, "board", "burn", "muck", "dealer", "stub")
PLACES: tuple[str, ...] = (*ANTENNA_PLACES, "shoe")

_SEAT_NUMBERS = {place: number for number, place in enumerate(SEATS, start=1)}


def seat_place(seat: int) -> str:
    """The place of seat 1 to 10: `seat 3`. Raises ValueError for any other number."""
    if not 1 <= seat <= SEAT_MAX:
        raise ValueError(f"seat {seat} does not exist: seats are 1 to {SEAT_MAX}")
    return SEATS[seat - 1]


def seat_of(place: str) -> int | None:
    """The seat number of `seat 3`; None for a place that is no seat."""
    return _SEAT_NUMBERS.get(place)


def is_place(name: str) -> bool:
    return name in PLACES


def may_have_antenna(name: str) -> bool:
    return name in ANTENNA_PLACES
