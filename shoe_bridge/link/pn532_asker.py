"""How a PN532 is asked: wake it, limit its retries, then list what its antenna has, two tags at a time.

A poll:   radio field off -> list two -> fewer than two answered: that was all
                                      -> two answered: halt them (deselect), list again

The chip holds two targets at most, and halted tags stay silent until the field goes off: so a list of fewer
than two ends the poll, and every tag has been named. Passive activation is tried a few times only, for with
the endless tries of a fresh chip an empty antenna gives no answer at all. Every answer is one frame that was
asked for. Where tags cannot be halted the chip lists the same two again, which ends the poll too: of them an
antenna shows two at most.
"""

from protocol.messages import Ack, DeviceInfo, HostCommand, Message, PollEmpty, Refused, TagSeen
from protocol.pn532 import ANY_COMMAND
from protocol.pn532_layout import MOST_TARGETS
from shoe_bridge.link.asker import WHOLE, Asker, Failed, Pending, Question, Verdict
from shoe_bridge.link.link_config import LinkConfig

ANSWER_MS = 250
PASSIVE_TRIES = 2

_FIRMWARE = Question(HostCommand("firmware_version"), DeviceInfo)
_RETRIES = HostCommand("rf_retries", {"atr": 0xFF, "psl": 0x01, "passive": PASSIVE_TRIES})
_FIELD_OFF = HostCommand("rf_field", {"on": 0})
_LIST = HostCommand("list_passive_target", {"most": MOST_TARGETS, "type": "iso14443a"})
_HALT = HostCommand("deselect", {"target": 0})


class Pn532Asker(Asker):
    """Polls the single antenna of a PN532."""

    start_up = (
        Question(HostCommand("wake_up"), "sam_configuration"),
        _FIRMWARE,
        Question(_RETRIES, "rf_configuration"),
    )
    keep_alive = _FIRMWARE
    answer_ms = ANSWER_MS

    def __init__(self, config: LinkConfig) -> None:
        self.turns = tuple(sorted(config.antennas))

    def begin(self, antenna: int) -> HostCommand:
        return _FIELD_OFF

    def judge(self, antenna: int, asked: HostCommand, messages: tuple[Message, ...]) -> Verdict | None:
        last = messages[-1]
        if isinstance(last, Refused) and last.command == _HALT.command == asked.command:
            return Pending(_LIST)  # whether they were halted all the same shows in the next list
        if isinstance(last, Refused):
            return Failed(last.status, f"{asked.command}: {last.text or f'status {last.status:02X}'}")
        if asked.command == _LIST.command:
            if isinstance(last, PollEmpty):
                return WHOLE
            if isinstance(last, TagSeen):
                return WHOLE if len(messages) < MOST_TARGETS else Pending(_HALT, needs_new=True)
            return None
        answer = "rf_configuration" if asked == _FIELD_OFF else asked.command
        return Pending(_LIST) if isinstance(last, Ack) and last.command == answer else None

    def is_receipt(self, messages: tuple[Message, ...]) -> bool:
        return isinstance(messages[0], Ack) and messages[0].command == ANY_COMMAND
