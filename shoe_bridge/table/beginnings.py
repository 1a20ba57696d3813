"""Beginnings of explanations, as plain values: the nodes of the search in `reconstruct`."""

from typing import NamedTuple

from shoe_bridge.table.card_times import Timed


class Move(NamedTuple):
    """One way to go on: a card to `place`. `may_be_unheard`: it is due there, so nobody need have heard
    it."""

    place: str
    cost: float
    pointer: int
    gap: str
    run: int
    slips: int
    queue: tuple[str, ...] = ()
    habits: tuple[str, ...] = ()
    may_be_unheard: bool = False


class Rest:
    """What is left of the sightings when those of the bits `used`, `known` of them, are explained: one of
    them was heard in the cell `until`, so that the card before them had come by then. They can be worth
    `most`, and are usually worth `guess`."""

    __slots__ = ("guess", "known", "most", "until", "used")

    def __init__(self, used: int, until: int, most: float, guess: float) -> None:
        self.used = used
        self.known = used.bit_count()
        self.until = until
        self.most = most
        self.guess = guess


class Node:
    """A beginning. `pointer` counts the plan's entries that are passed; `queue` are places still due in a
    swap or a turned pass; `used` has a bit per sighting, `rest` are the others; `places` and `numbers` say
    for each card where it lies and which sighting it is (-1: it is unheard); `weight` are all costs, `timed`
    says when the last card came and with it how probable all times are; `whole` is both. The last card's own
    `cost` is what the dealer does, it came after `gap`, and `passed` is the cost of the entries that were
    passed since. `is_passing`: the dealer has just passed an entry of the plan without a card. `is_presumed`:
    what was taken for true before begins so, or went so far."""

    __slots__ = (
        "cost",
        "deaf",
        "gap",
        "habits",
        "is_passing",
        "is_presumed",
        "is_reopened",
        "numbers",
        "parent",
        "passed",
        "places",
        "pointer",
        "queue",
        "rest",
        "run",
        "slips",
        "timed",
        "unheard",
        "used",
        "weight",
        "whole",
    )

    def __init__(
        self,
        parent: "Node | None",
        timed: Timed,
        weight: float,
        whole: float,
        used: int,
        rest: Rest,
        places: tuple[str, ...],
        numbers: tuple[int, ...],
        pointer: int,
        slips: int,
        queue: tuple[str, ...],
        deaf: tuple[str, ...],
        habits: tuple[str, ...],
        run: int,
        unheard: int,
        cost: float,
        gap: str,
    ) -> None:
        self.parent = parent
        self.timed = timed
        self.weight = weight
        self.whole = whole
        self.used = used
        self.rest = rest
        self.places = places
        self.numbers = numbers
        self.pointer = pointer
        self.slips = slips
        self.queue = queue
        self.deaf = deaf
        self.habits = habits
        self.run = run
        self.unheard = unheard
        self.cost = cost
        self.gap = gap
        self.passed = 1.0
        self.is_reopened = False
        self.is_passing = False
        self.is_presumed = False

    def passing(
        self, pointer: int, cost: float, slips: int, is_reopened: bool, habits: tuple[str, ...]
    ) -> "Node":
        """The same cards, with the dealer further on."""
        node = Node(
            self.parent,
            self.timed,
            self.weight * cost,
            self.whole * cost,
            self.used,
            self.rest,
            self.places,
            self.numbers,
            pointer,
            slips,
            (),
            self.deaf,
            habits,
            self.run,
            self.unheard,
            self.cost,
            self.gap,
        )
        node.passed = self.passed * cost
        node.is_reopened = is_reopened
        node.is_passing = True
        node.is_presumed = self.is_presumed
        return node
