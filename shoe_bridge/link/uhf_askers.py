"""How the UHF readers are asked: one inventory after the other.

YRM100   It does not mark the last tag of a round: the round is over when no further one comes.
R2000    Antenna after antenna: work there, take an inventory, wait for the frame that says it is over.

Both send a frame per tag, and a lost one leaves no trace but dropped bytes: a poll beside which bytes were
dropped proves no absence.
"""

from protocol.messages import Ack, DeviceInfo, HostCommand, Message, PollEmpty, Refused, TagSeen
from shoe_bridge.link.asker import WHOLE, Asker, Failed, Pending, Question, Verdict
from shoe_bridge.link.link_config import LinkConfig

ROUND_OVER_MS = 60
INVENTORY = "inventory"

_HARDWARE = Question(HostCommand("module_info", {"item": "hardware"}), DeviceInfo)
_FIRMWARE = Question(HostCommand("firmware_version"), DeviceInfo)


def _failed(refused: Refused) -> Failed:
    return Failed(refused.status, refused.text or f"status {refused.status:02X}")


class Yrm100Asker(Asker):
    """Polls the single antenna of a YRM100. Another program may have left it polling by itself."""

    start_up = (_HARDWARE, Question(HostCommand("stop_inventory"), "stop_inventory", is_needed=False))
    keep_alive = _HARDWARE
    noise_spoils_polls = True

    def __init__(self, config: LinkConfig) -> None:
        self.turns = tuple(sorted(config.antennas))

    def begin(self, antenna: int) -> HostCommand:
        return HostCommand(INVENTORY)

    def judge(self, antenna: int, asked: HostCommand, messages: tuple[Message, ...]) -> Verdict | None:
        last = messages[-1]
        if isinstance(last, TagSeen):
            return Pending(over_after_ms=ROUND_OVER_MS)
        if isinstance(last, PollEmpty):
            return WHOLE
        return _failed(last) if isinstance(last, Refused) else None


class R2000Asker(Asker):
    """Polls up to four antennas of an R2000 board."""

    start_up = (_FIRMWARE,)
    keep_alive = _FIRMWARE
    noise_spoils_polls = True

    def __init__(self, config: LinkConfig) -> None:
        self.turns = tuple(sorted(config.antennas))

    def begin(self, antenna: int) -> HostCommand:
        return HostCommand("set_work_antenna", {"antenna": antenna})

    def judge(self, antenna: int, asked: HostCommand, messages: tuple[Message, ...]) -> Verdict | None:
        last = messages[-1]
        if isinstance(last, Refused):
            return _failed(last) if last.command == asked.command else None
        if asked.command != INVENTORY:
            is_there = isinstance(last, Ack) and last.command == asked.command
            return Pending(HostCommand(INVENTORY, {"repeat": 1})) if is_there else None
        if isinstance(last, TagSeen):
            return Pending()
        is_over = isinstance(last, PollEmpty) or (isinstance(last, Ack) and last.command == INVENTORY)
        return WHOLE if is_over else None
