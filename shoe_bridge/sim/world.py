"""The physical table: which tag lies at which place, how deep in its stack, and what the antennas can see of
it.
"""

from collections.abc import Iterator

import msgspec

SIDE_BY_SIDE = frozenset({"board", "stub"})  # laid out next to each other: no card shields another


class Sighting(msgspec.Struct, frozen=True):
    """One tag within an antenna's field. `depth` counts from 1, the card nearest to the antenna; `is_stray`
    says that the tag lies elsewhere and is heard over its neighbour's antenna."""

    tag: str
    depth: int
    is_stray: bool = False


class World:
    """Tags in stacks at places. A tag lies at one place at most; cards in a hand or in the deck lie
    nowhere."""

    def __init__(self, side_by_side: frozenset[str] = SIDE_BY_SIDE) -> None:
        self._side_by_side = side_by_side
        self._stacks: dict[str, list[str]] = {}
        self._place_of: dict[str, str] = {}
        self._unread: set[str] = set()
        self._silent: set[str] = set()
        self._strays: dict[str, dict[str, int]] = {}

    def real(self, tag: str) -> str:
        """The tag that a reader hears of a card which the dealer knows by `tag`: here the same."""
        return tag

    def place(self, tag: str, place: str) -> None:
        """The tag comes to rest on top of what lies at `place`, leaving where it lay before."""
        self.lift(tag)
        self._stacks.setdefault(place, []).append(tag)
        self._place_of[tag] = place

    def lift(self, tag: str) -> None:
        """The tag is picked up; lifting a tag that lies nowhere changes nothing."""
        place = self._place_of.pop(tag, None)
        if place is not None:
            self._stacks[place].remove(tag)

    def lift_all(self) -> tuple[str, ...]:
        """Every card is gathered; gives the tags that lay somewhere, place by place."""
        tags = tuple(tag for stack in self._stacks.values() for tag in stack)
        self._stacks.clear()
        self._place_of.clear()
        self._strays.clear()
        return tags

    def where(self, tag: str) -> str | None:
        return self._place_of.get(tag)

    def tags_at(self, place: str) -> tuple[str, ...]:
        """The tags at a place, the nearest to the antenna first."""
        return tuple(self._stacks.get(place, ()))

    def audible_at(self, place: str) -> tuple[str, ...]:
        """Those of them that antennas can hear."""
        return tuple(tag for tag in self.tags_at(place) if tag not in self._unread)

    def hide(self, tag: str) -> None:
        """From now on no antenna hears the tag (a broken chip, a coin on the card)."""
        self._unread.add(tag)

    def reveal(self, tag: str) -> None:
        self._unread.discard(tag)

    def silence(self, place: str) -> None:
        """The antenna there hears nothing while its reader goes on answering."""
        self._silent.add(place)

    def wake(self, place: str) -> None:
        self._silent.discard(place)

    def is_hearing(self, place: str) -> bool:
        return place not in self._silent

    def stray(self, tag: str, place: str, polls: int = 1) -> None:
        """In the next `polls` polls the antenna at `place` hears the tag too, wherever it lies."""
        strays = self._strays.setdefault(place, {})
        strays[tag] = strays.get(tag, 0) + polls

    def poll(self, place: str) -> list[Sighting]:
        """What the antenna at `place` can hear now; uses up one poll of each stray read that waits there."""
        strays = list(self._take_strays(place))
        if place in self._silent:
            return []
        stack = self._stacks.get(place, [])
        flat = place in self._side_by_side
        seen = [
            Sighting(tag, 1 if flat else depth)
            for depth, tag in enumerate(stack, start=1)
            if tag not in self._unread
        ]
        seen += [
            Sighting(tag, 1, is_stray=True) for tag in strays if tag not in stack and tag not in self._unread
        ]
        return seen

    def _take_strays(self, place: str) -> Iterator[str]:
        strays = self._strays.get(place, {})
        for tag, polls in list(strays.items()):
            if polls > 1:
                strays[tag] = polls - 1
            else:
                del strays[tag]
            yield tag
