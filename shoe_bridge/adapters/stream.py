"""A byte port that only writes: an open stream of this process, such as its standard output."""

import io
import select
from collections.abc import Callable
from typing import BinaryIO


class StreamPort:
    """Writes to `stream`, which stays open when the port closes. Nothing is ever read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream: BinaryIO | None = stream
        self._on_lost: Callable[[str], None] | None = None

    def open(self, on_data: Callable[[bytes, int], None], on_lost: Callable[[str], None]) -> None:
        del on_data
        self._on_lost = on_lost

    async def open_async(self, on_data: Callable[[bytes, int], None], on_lost: Callable[[str], None]) -> None:
        self.open(on_data, on_lost)

    def write(self, data: bytes) -> bool:
        """False, with nothing written, when the stream takes no bytes now (a stopped terminal) or is gone."""
        if self._stream is None or not _takes_bytes(self._stream):
            return False
        try:
            self._stream.write(data)
            self._stream.flush()
        except (OSError, ValueError) as error:  # ValueError: the stream was closed by its owner
            self._stream = None
            if self._on_lost is not None:
                self._on_lost(f"the stream cannot be written ({error})")
            return False
        return True

    def drop_unsent(self) -> None:
        """Nothing waits here."""

    def close(self) -> None:
        self._stream = None
        self._on_lost = None


def _takes_bytes(stream: BinaryIO) -> bool:
    """Asked before each write, because a full pipe or a stopped terminal would hold the whole loop."""
    try:
        fd = stream.fileno()
    except (OSError, io.UnsupportedOperation, ValueError):  # a stream in memory, or a closed one
        return True
    poll = select.poll()
    poll.register(fd, select.POLLOUT)
    return bool(poll.poll(0))
