"""One table at the fold: what was said is folded, and what was concluded is kept."""

from collections.abc import Iterable

from shoe_bridge.rules.book import open_book
from shoe_bridge.table.findings import AnyFinding, Change
from shoe_bridge.table.fold import Fold
from shoe_bridge.table.observations import AnyObservation, Event
from shoe_bridge.table.state import Setup

BOOK = open_book("nz-1999")


class WatchedTable:
    """`state` is the fold's, `events` counts what it took."""

    def __init__(self, setup: Setup) -> None:
        self._fold = Fold(setup, BOOK)
        self.state = self._fold.start()

    @property
    def events(self) -> int:
        return self.state.last_seq

    def take(self, seen: Iterable[AnyObservation]) -> list[Change]:
        """Fold these; the changes of all of them."""
        apply, state = self._fold.apply, self.state
        changes: list[Change] = []
        for observation in seen:
            state, outcome = apply(state, Event(state.last_seq + 1, observation))
            changes += outcome.changes
        self.state = state
        return changes

    def standing(self) -> list[AnyFinding]:
        return [standing.finding for standing in self.state.standing]
