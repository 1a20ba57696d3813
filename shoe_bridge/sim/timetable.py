"""Virtual time: what a simulated device has to do, and when. Times are ms of the simulation, never a
clock's.
"""

import heapq
from collections.abc import Callable


class Timetable:
    """Deeds in the order of their time; deeds of one ms are done in the order in which they were entered."""

    def __init__(self, now_ms: int = 0) -> None:
        self.now_ms = now_ms
        self._entries: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0

    def at(self, at_ms: int, deed: Callable[[], None]) -> None:
        """Enter a deed; one whose time has passed is done at the next `run`."""
        heapq.heappush(self._entries, (at_ms, self._count, deed))
        self._count += 1

    def run(self, until_ms: int) -> None:
        """Do all that is due up to `until_ms`, which is the time afterwards; `now_ms` is each deed's own
        meanwhile."""
        while self._entries and self._entries[0][0] <= until_ms:
            at_ms, _, deed = heapq.heappop(self._entries)
            self.now_ms = max(self.now_ms, at_ms)
            deed()
        self.now_ms = max(self.now_ms, until_ms)

    def clear(self) -> None:
        self._entries.clear()

    def next_due_ms(self) -> int | None:
        return self._entries[0][0] if self._entries else None
