"""The question that the deframer asks of one position: does a frame begin here?

The answer is the end of the frame, or minus the count of bytes from that position that must be there before
asking again, or the reason why no frame begins there. It depends on the bytes from that position on only.
"""

from collections.abc import Callable
from typing import NamedTuple

from protocol.checksums import CHECKSUMS
from protocol.envelopes import Envelope, FrameEnvelope, TextEnvelope
from protocol.json_text import JsonWalk
from protocol.messages import Reason

# of `data`, the position, and the end of what is there
Ask = Callable[[bytes, int, int], int | Reason]


class FrameStart(NamedTuple):
    """One envelope, ready to be asked for. The body of a frame stands from `body_from` after its start up to
    `body_until` before its end. `forget` drops what `ask` remembers of a begun frame."""

    name: str
    ask: Ask
    body_from: int
    body_until: int
    forget: Callable[[], None]


def start_of(envelope: Envelope) -> FrameStart:
    """The question for `envelope`."""
    if isinstance(envelope, TextEnvelope):
        text = _TextQuestion(envelope)
        return FrameStart(envelope.name, text.ask, 0, 0, text.forget)
    width = CHECKSUMS[envelope.check.name].width
    return FrameStart(envelope.name, _frame_question(envelope), envelope.body_offset, width, lambda: None)


def _frame_question(envelope: FrameEnvelope) -> Ask:
    """For a binary frame. All that the envelope says is bound once, because this is asked of every frame."""
    rule, checksum = envelope.length, CHECKSUMS[envelope.check.name]
    start, shortest, longest = envelope.start, envelope.shortest, envelope.longest
    length_at, width, order, bias = rule.offset, rule.size, rule.order, rule.bias
    complement_at, all_ones = rule.complement_offset, (1 << 8 * rule.size) - 1
    header = max(length_at, complement_at or 0) + width
    compute, checked_from = checksum.compute, envelope.check.first
    check_width = checksum.width
    # the check read byte by byte; one of a single byte is read twice and or-ed with itself
    low_at, high_at = (0, check_width - 1) if envelope.check.order == "little" else (check_width - 1, 0)
    high_shift = 8 * (check_width - 1)

    def ask(data: bytes, at: int, stop: int) -> int | Reason:
        if stop - at < header:
            return -header if data.startswith(start[: stop - at], at) else Reason.IMPLAUSIBLE
        if len(start) > 1 and not data.startswith(start, at):
            return Reason.IMPLAUSIBLE
        field = at + length_at
        value = data[field] if width == 1 else int.from_bytes(data[field : field + width], order)
        if complement_at is not None:
            field = at + complement_at
            if int.from_bytes(data[field : field + width], order) ^ all_ones != value:
                return Reason.BAD_LENGTH
        size = value + bias
        if not shortest <= size <= longest:
            return Reason.TOO_LONG if size > longest else Reason.BAD_LENGTH
        end = at + size
        if end > stop:
            return -size
        check_at = end - check_width
        check = data[check_at + low_at] | data[check_at + high_at] << high_shift
        return end if compute(data[at + checked_from : check_at]) == check else Reason.BAD_CHECK

    return ask


class _TextQuestion:
    """For a JSON object. Remembers how far it has walked the begun text at the head of what is held, so that
    a text that comes byte by byte is walked once."""

    def __init__(self, envelope: TextEnvelope) -> None:
        self._longest, self._deepest = envelope.longest, envelope.deepest
        self._walk: JsonWalk | None = None

    def forget(self) -> None:
        self._walk = None

    def ask(self, data: bytes, at: int, stop: int) -> int | Reason:
        walk = self._walk or JsonWalk(self._deepest)
        self._walk = None
        limit = min(stop, at + self._longest)
        end = walk.walk(data, at + walk.walked, limit)
        if end > 0:
            return end
        if end < 0:
            return Reason.IMPLAUSIBLE
        if limit - at == self._longest:
            return Reason.TOO_LONG
        self._walk = walk
        return -(limit - at + 1)
