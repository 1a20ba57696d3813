"""Bytes between a thread that receives them and one that takes them, bounded."""

import threading
from collections import deque

MOST_BYTES = 256 * 1024  # 20 s of the fastest line that a serial server is likely to have, 115200 baud


class Backlog:
    """Parts in order, `most_bytes` in all and one part more at most. For one thread at each end.

    Until `flow` is called nobody takes anything: of what comes until then the newest is kept. From then on
    whoever puts waits for room, so that TCP holds up a far side that sends too fast, and nothing is lost.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._parts: deque[bytes] = deque()
        self._turn = threading.Condition()
        self._is_flowing = False
        self._is_ended = False
        self.size = 0  # bytes

    def put(self, part: bytes) -> None:
        """Add a part; waits while there is no room. Does nothing once it is closed."""
        with self._turn:
            while self.size >= self._most_bytes and not self._is_ended:
                if self._is_flowing:
                    self._turn.wait()
                else:
                    self.size -= len(self._parts.popleft())
            if not self._is_ended:
                self._parts.append(part)
                self.size += len(part)
                self._turn.notify_all()

    def take(self) -> bytes:
        """The oldest part; waits for one. Empty when all was taken and none comes any more."""
        with self._turn:
            self._turn.wait_for(lambda: self._parts or self._is_ended)
            if not self._parts:
                return b""
            part = self._parts.popleft()
            self.size -= len(part)
            self._turn.notify_all()
            return part

    def clear(self) -> None:
        """Forget what waits."""
        with self._turn:
            self._parts.clear()
            self.size = 0
            self._turn.notify_all()

    def flow(self) -> None:
        """There is somebody who takes: lose nothing from now."""
        with self._turn:
            self._is_flowing = True

    def end(self) -> None:
        """No part comes any more; what waits can still be taken. Harmless when repeated."""
        with self._turn:
            self._is_ended = True
            self._turn.notify_all()
