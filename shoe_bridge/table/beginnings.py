"""Beginnings of explanations, as plain values: the nodes of the search in `reconstruct`."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from shoe_bridge.table.card_times import Timed
from shoe_bridge.table.window import Explanation


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
    says when the last card came and with it how probable all times are; `whole` is both. `is_passing`: the
    dealer has just passed an entry of the plan without a card. `is_presumed`: what was taken for true before
    begins so, or went so far. `branch`: where only some explanations are to be weighed, those that begin
    so."""

    __slots__ = (
        "branch",
        "deaf",
        "habits",
        "is_passing",
        "is_presumed",
        "is_reopened",
        "numbers",
        "parent",
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
        self.is_reopened = False
        self.is_passing = False
        self.is_presumed = False
        self.branch: Branch | None = None

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
        )
        node.is_reopened = is_reopened
        node.is_passing = True
        node.is_presumed = self.is_presumed
        node.branch = self.branch
        return node


class Branch:
    """The cards with which some of the explanations begin that are to be weighed: how they go on, by place
    and sighting, and how many slips they hold at most."""

    __slots__ = ("on", "slips")

    def __init__(self) -> None:
        self.on: dict[tuple[str, int], Branch] = {}
        self.slips = 0


def branches_of(explanations: Sequence[Explanation], numbers: Mapping[str | None, int]) -> Branch | None:
    """The root of their branches, None without any; `numbers` are those of the sightings by their tags."""
    if not explanations:
        return None
    root = Branch()
    for one in explanations:
        branch = root
        branch.slips = max(branch.slips, one.slips)
        for card in one.cards:
            branch = branch.on.setdefault((card.place, numbers.get(card.tag, -1)), Branch())
            branch.slips = max(branch.slips, one.slips)
    return root
