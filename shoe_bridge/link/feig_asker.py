"""How a FEIG OBID reader is asked: by inventories, by reading its buffer, or not at all (it notifies).

inventory      One antenna after the other; `more data follows` is followed up within the poll.
buffered       The reader polls by itself and keeps records; they are read, then cleared, until it has none.
notification   The reader sends its records by itself; each frame is acknowledged by clearing the buffer.

Records name their antenna. Inventories do not: each asks for one antenna by the antenna mask; a reader with
antenna 1 only is asked without a mask, for many such readers know none. Every answer is one frame that was
asked for, so bytes dropped beside it spoil nothing.
"""

from protocol.feig_layout import MODE_MORE, MODE_NEW, MORE_DATA, NO_VALID_DATA, OVERFLOW
from protocol.messages import (
    Ack,
    DeviceInfo,
    HostCommand,
    Message,
    PollEmpty,
    Refused,
    TagSeen,
)
from shoe_bridge.link.asker import WHOLE, Asker, Failed, Pending, Question, Told, Verdict
from shoe_bridge.link.link_config import LinkConfig

WHOLE_READER = 0  # as the turn of a poll that asks for all antennas at once
MOST_RECORDS = 64  # asked for at once, so that a reply stays well below the longest frame

_VERSION = Question(HostCommand("software_version"), DeviceInfo)
_RF_RESET = Question(HostCommand("rf_reset"), "rf_reset", is_needed=False)
_CLEAR = HostCommand("clear_buffer")
_READ = HostCommand("read_buffer", {"sets": MOST_RECORDS})


class InventoryAsker(Asker):
    """Polls by inventories. An error of the radio field proves nothing about any tag."""

    start_up = (_VERSION, _RF_RESET)
    keep_alive = _VERSION

    def __init__(self, config: LinkConfig) -> None:
        self.turns = tuple(sorted(config.antennas))
        self._has_mask = self.turns != (1,)

    def begin(self, antenna: int) -> HostCommand:
        return self._inventory(MODE_NEW, antenna)

    def judge(self, antenna: int, asked: HostCommand, messages: tuple[Message, ...]) -> Verdict | None:
        last = messages[-1]
        if isinstance(last, TagSeen | PollEmpty):
            return WHOLE
        if isinstance(last, Refused) and last.command == "host_command":
            return Failed(last.status, last.text or f"status {last.status}")
        if isinstance(last, Ack) and last.command == "host_command" and last.status == MORE_DATA:
            return Pending(self._inventory(MODE_MORE, antenna))
        return None

    def _inventory(self, mode: int, antenna: int) -> HostCommand:
        args: dict[str, int | str] = {"mode": mode}
        if self._has_mask:
            args["antennas"] = 1 << antenna - 1
        return HostCommand("inventory", args)


class BufferAsker(Asker):
    """Reads the records that the reader has kept. They are cleared only after they were read, so a reply that
    is lost is read again."""

    start_up = (_VERSION,)
    keep_alive = _VERSION
    turns: tuple[int, ...] = (WHOLE_READER,)

    def begin(self, antenna: int) -> HostCommand:
        return _READ

    def judge(self, antenna: int, asked: HostCommand, messages: tuple[Message, ...]) -> Verdict | None:
        last = messages[-1]
        if isinstance(last, Refused) and last.command == asked.command:
            return Failed(last.status, last.text or f"status {last.status}")
        if asked.command == "clear_buffer":
            is_cleared = isinstance(last, Ack) and last.command == "clear_buffer"
            return Pending(_READ) if is_cleared else None
        if isinstance(last, TagSeen):
            return Pending(_CLEAR)
        if not isinstance(last, Ack) or last.command != "read_buffer":
            return None
        if last.status == NO_VALID_DATA:
            return WHOLE
        return Pending(_CLEAR, is_gap=last.status == OVERFLOW)


class NotificationAsker(BufferAsker):
    """Asks nothing but whether the reader is alive."""

    turns = ()

    def unasked(self, messages: tuple[Message, ...]) -> Told | None:
        last = messages[-1]
        if isinstance(last, TagSeen) or (isinstance(last, Ack) and last.command == "read_buffer"):
            return Told(_CLEAR)
        if isinstance(last, Ack | Refused) and last.command == "clear_buffer":
            return Told()
        return None
