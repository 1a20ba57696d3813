"""A group: rows that are committed together, as the callers queued them."""

from shoe_bridge.journal.rows import QueuedEvent, QueuedInput, QueuedRecord

ROW_COST = 160  # bytes of memory that a queued input costs beside its own bytes


class Group:
    """Rows on their way to the disk. `held_bytes` estimates the memory of the inputs alone."""

    __slots__ = ("acked_seq", "held_bytes", "inputs", "outbox", "records", "snapshot")

    def __init__(self) -> None:
        self.inputs: list[QueuedInput] = []
        self.records: list[QueuedRecord] = []
        self.outbox: list[QueuedEvent] = []
        self.snapshot: tuple[int, bytes] | None = None
        self.acked_seq = 0
        self.held_bytes = 0

    @property
    def is_empty(self) -> bool:
        return not (self.inputs or self.records or self.outbox or self.snapshot or self.acked_seq)

    def shed(self, cap_bytes: int) -> tuple[int, int, int]:
        """Drop the oldest inputs until half the cap is free. Returns (first number, last number, count)."""
        kept_bytes, cut = self.held_bytes, 0
        while cut < len(self.inputs) and kept_bytes > cap_bytes // 2:
            kept_bytes -= len(self.inputs[cut][5]) + ROW_COST
            cut += 1
        first_n, last_n = self.inputs[0][0], self.inputs[cut - 1][0]
        del self.inputs[:cut]
        self.held_bytes = kept_bytes
        return first_n, last_n, cut
