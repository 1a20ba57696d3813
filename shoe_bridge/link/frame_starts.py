"""The question that the deframer asks of one position: does a frame begin here?

The answer is the end of the frame, or minus the count of bytes from that position that must be there before
asking again, or the reason why no frame begins there. It depends on the bytes from that position on only.
"""

import re
from collections.abc import Callable, Container
from typing import NamedTuple

from protocol.checksums import CHECKSUMS
from protocol.envelopes import (
    Envelope,
    FixedEnvelope,
    FormsEnvelope,
    FrameEnvelope,
    LineEnvelope,
    MarkedEnvelope,
    ReportsEnvelope,
    TextEnvelope,
)
from protocol.hid_reports import LAYOUTS, is_line, line_question, lines_of, typed
from protocol.json_text import JsonWalk
from protocol.messages import Reason
from shoe_bridge.link.long_checks import LONG, LongChecks

# of `data`, the position, and the end of what is there
Ask = Callable[[bytes, int, int], int | Reason]
# of the same, and the bytes with which any frame of the device may begin
Skip = Callable[[bytes, int, int, Container[int]], int]

_LF = 0x0A


class FrameStart(NamedTuple):
    """One envelope, ready to be asked for. The body of a frame stands from `body_from` after its start up to
    `body_until` before its end. `forget` drops what `ask` remembers of a begun frame.

    `at_quiet`, where silence says more than that a start was false: what the quiet makes of a begun frame.
    Its size: it is whole. -1: none of its bytes can be the beginning of a frame. 0: nothing is known.
    `skip`, where no frame begins at a position: the next one at which the answer may be another than there.
    """

    name: str
    ask: Ask
    body_from: int
    body_until: int
    forget: Callable[[], None]
    at_quiet: Callable[[bytes], int] | None = None
    skip: Skip | None = None


def start_of(envelope: Envelope) -> FrameStart:
    """The question for `envelope`."""
    if isinstance(envelope, LineEnvelope):
        ask, skip = _line_question(envelope)
        return FrameStart(envelope.name, ask, 0, 0, lambda: None, _line_at_quiet, skip)
    if isinstance(envelope, ReportsEnvelope):
        ask, at_quiet, skip = _reports_question(envelope)
        return FrameStart(envelope.name, ask, 0, 0, lambda: None, at_quiet, skip)
    if isinstance(envelope, MarkedEnvelope):
        ask = _marked_question(envelope)
        return FrameStart(envelope.name, ask, len(envelope.start), envelope.behind_body, lambda: None)
    if isinstance(envelope, TextEnvelope):
        text = _TextQuestion(envelope)
        return FrameStart(envelope.name, text.ask, 0, 0, text.forget)
    if isinstance(envelope, FormsEnvelope):
        return FrameStart(envelope.name, _forms_question(envelope), 0, 0, lambda: None)
    if isinstance(envelope, FixedEnvelope):
        size = envelope.size
        return FrameStart(
            envelope.name,
            lambda data, at, stop: at + size if at + size <= stop else -size,
            0,
            0,
            lambda: None,
            lambda begun: -1,  # what is left over when the line is quiet belongs to no answer
        )
    ask = _frame_question(envelope)
    if envelope.end or envelope.length.balance_offset is not None:
        ask = _strict_question(envelope)
    width = CHECKSUMS[envelope.check.name].width + len(envelope.end)
    past_lengths = None if envelope.start else _lengths_skip(envelope)
    return FrameStart(envelope.name, ask, envelope.body_offset, width, lambda: None, None, past_lengths)


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
    mirror = checksum.mirror if envelope.check.order == "little" else None
    is_whole = None if mirror is None else LongChecks(mirror).is_whole

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
        if size > LONG and is_whole is not None:
            return end if is_whole(data, at + checked_from, end) else Reason.BAD_CHECK
        check_at = end - check_width
        check = data[check_at + low_at] | data[check_at + high_at] << high_shift
        return end if compute(data[at + checked_from : check_at]) == check else Reason.BAD_CHECK

    return ask


def _lengths_skip(envelope: FrameEnvelope) -> Skip | None:
    """For frames that begin with a length of one byte, so that nearly every byte may begin one: past the
    bytes that begin a frame whose check does not fit, and those that begin none. The image of the bytes is
    made once for all of them."""
    rule, check, mirror = envelope.length, envelope.check, CHECKSUMS[envelope.check.name].mirror
    if mirror is None or (rule.offset, rule.size, check.first, check.order) != (0, 1, 0, "little"):
        return None
    sizes = [byte + rule.bias for byte in range(0x100)]
    sizes = [size if envelope.shortest <= size <= envelope.longest else 0 for size in sizes]
    image, compute, first = mirror.image, mirror.compute, mirror.first
    seen = seen_image = b""

    def skip(data: bytes, at: int, stop: int, firsts: Container[int]) -> int:
        nonlocal seen, seen_image
        if data is not seen:
            seen, seen_image = data, image(data)
        here = at + 1
        while here < stop:
            byte = data[here]
            if size := sizes[byte]:
                end = here + size
                if end > stop or not compute(seen_image[here:end], first):
                    return here
            elif byte in firsts:
                return here
            here += 1
        return here

    return skip


def _strict_question(envelope: FrameEnvelope) -> Ask:
    """For a frame whose length is balanced, or that closes with fixed bytes."""
    start, header, measured = envelope.start, _header_size(envelope), _measure(envelope)

    def ask(data: bytes, at: int, stop: int) -> int | Reason:
        if not data.startswith(start[: stop - at], at):
            return Reason.IMPLAUSIBLE
        if stop - at < header:
            # the next byte may contradict the start: no waiting for more than it
            return -header if stop - at >= len(start) else at - stop - 1
        return measured(data, at, stop)

    return ask


def _header_size(envelope: FrameEnvelope) -> int:
    rule = envelope.length
    balanced = 0 if rule.balance_offset is None else rule.balance_offset + 1
    return max(rule.offset + rule.size, len(envelope.start), balanced)


def _measure(envelope: FrameEnvelope) -> Ask:
    """For a frame whose start and header are there. Its length and its last bytes are held against it before
    the check is computed, so that a false start is given up as early as it can be. The position may lie one
    byte before the data, where that byte is part of the start and missing."""
    rule, check, end_mark = envelope.length, envelope.check, envelope.end
    checksum = CHECKSUMS[check.name]
    compute, checked_from, check_width, check_order = (
        checksum.compute,
        check.first,
        checksum.width,
        check.order,
    )
    length_at, width, order, bias, balance_at = (
        rule.offset,
        rule.size,
        rule.order,
        rule.bias,
        rule.balance_offset,
    )
    shortest, longest, end_width = envelope.shortest, envelope.longest, len(end_mark)

    def ask(data: bytes, at: int, stop: int) -> int | Reason:
        field = at + length_at
        value = data[field] if width == 1 else int.from_bytes(data[field : field + width], order)
        if balance_at is not None:
            sent = value if width == 1 else sum(data[field : field + width])
            if (sent + data[at + balance_at]) & 0xFF:
                return Reason.BAD_LENGTH
        size = value + bias
        if not shortest <= size <= longest:
            return Reason.TOO_LONG if size > longest else Reason.BAD_LENGTH
        end = at + size
        if end > stop:
            return -size
        check_until = end - end_width
        if data[check_until:end] != end_mark:
            return Reason.BAD_LENGTH
        check_at = check_until - check_width
        sent = data[check_at] if check_width == 1 else int.from_bytes(data[check_at:check_until], check_order)
        return end if compute(data[at + checked_from : check_at]) == sent else Reason.BAD_CHECK

    return ask


def _forms_question(envelope: FormsEnvelope) -> Ask:
    """For frames of several forms: the mark behind the common start chooses whose question is asked."""
    start = envelope.start
    marks = [frame.start[len(start) :] for frame in envelope.marked]
    header = len(start) + len(marks[0])
    forms = dict(zip(marks, map(_marked_form, envelope.marked), strict=True))
    forms |= {frame[len(start) : header]: _fixed_form(frame, header) for frame in envelope.fixed}
    plain = _marked_form(envelope.plain)

    bare, lead = start[envelope.lead :], envelope.lead

    def ask(data: bytes, at: int, stop: int) -> int | Reason:
        if data.startswith(start, at):
            lost = 0
        elif data.startswith(bare, at):
            lost = lead
        else:
            here = data[at : at + len(start)]
            is_begun = start.startswith(here) or bare.startswith(here)
            return at - stop - 1 if is_begun else Reason.IMPLAUSIBLE
        begin = at - lost
        if stop - begin < header:
            return lost - header
        answer = forms.get(data[begin + len(start) : begin + header], plain)(data, begin, stop)
        return answer + lost if isinstance(answer, int) and answer < 0 else answer

    return ask


def _marked_form(envelope: FrameEnvelope) -> Ask:
    header, measured = _header_size(envelope), _measure(envelope)
    return lambda data, at, stop: measured(data, at, stop) if stop - at >= header else -header


def _fixed_form(frame: bytes, header: int) -> Ask:
    """For a frame that never differs, once its mark is there."""
    rest = frame[header:]

    def ask(data: bytes, at: int, stop: int) -> int | Reason:
        if at + len(frame) > stop:
            return -len(frame)
        return at + len(frame) if data[at + header : at + len(frame)] == rest else Reason.BAD_LENGTH

    return ask


def _marked_question(envelope: MarkedEnvelope) -> Ask:
    """For a frame that goes from mark to mark: given up at the first byte that its texts cannot hold."""
    text_from = re.compile(b"[" + re.escape(envelope.text) + b"]*").match
    start, marks = envelope.start, envelope.marks[1:]
    shortest, longest = envelope.shortest, envelope.longest
    compute = None if envelope.check is None else CHECKSUMS[envelope.check].compute
    checked_from = envelope.check_first

    def ask(data: bytes, at: int, stop: int) -> int | Reason:
        if not data.startswith(start[: stop - at], at):
            return Reason.IMPLAUSIBLE
        limit = min(stop, at + longest)
        more = Reason.TOO_LONG if limit - at == longest else -(limit - at + 1)
        here = at + len(start)
        for mark in marks:
            if here >= limit:
                return more
            text = text_from(data, here, limit)
            until = here if text is None else text.end()
            if not data.startswith(mark[: limit - until], until):
                return Reason.IMPLAUSIBLE
            here = until + len(mark)
        if here > limit:
            return more
        end = here if compute is None else here + 2
        if not shortest <= end - at <= longest:
            return Reason.TOO_LONG if end - at > longest else Reason.BAD_LENGTH
        if end > stop:
            return at - end
        if compute is None or data[here:end] == b"%02X" % compute(data[at + checked_from : here]):
            return end
        return Reason.BAD_CHECK

    return ask


def _line_question(envelope: LineEnvelope) -> tuple[Ask, Skip]:
    """For a line of text. After CR one more byte must be there: LF belongs to the line. An endless line is
    dropped at once up to where its end would be within reach."""
    longest = envelope.longest
    line_end = re.compile(rb"[\r\n]").search

    def ask(data: bytes, at: int, stop: int) -> int | Reason:
        limit = min(stop, at + longest)
        found = line_end(data, at, limit)
        if found is None:
            return Reason.TOO_LONG if limit - at == longest else -(limit - at + 1)
        end = found.end()
        if data[end - 1] == _LF:
            return end
        if end == stop:
            return -(end - at + 1)
        return end + (data[end] == _LF)

    def skip(data: bytes, at: int, stop: int, firsts: Container[int]) -> int:
        found = line_end(data, at, stop)
        return max(at + 1, (stop + 1 if found is None else found.end()) - longest)

    return ask, skip


def _line_at_quiet(begun: bytes) -> int:
    """A line that ended with CR is whole; one without its end has lost it, and what comes next is another."""
    return len(begun) if begun.endswith(b"\r") else -1


def _reports_question(
    envelope: ReportsEnvelope,
) -> tuple[Ask, Callable[[bytes], int], Skip]:
    """For what a keyboard types. The layouts are tried in their order: a later one counts only where the
    bytes contradict those before it."""
    layouts = [LAYOUTS[name] for name in envelope.layouts]
    questions = [line_question(layout) for layout in layouts]
    next_line = lines_of(layouts).search

    def ask(data: bytes, at: int, stop: int) -> int | Reason:
        for question in questions:
            answer = question(data, at, stop)
            if answer is not None:
                return at + answer if answer < 0 else answer
        return Reason.IMPLAUSIBLE

    def skip(data: bytes, at: int, stop: int, firsts: Container[int]) -> int:
        found = next_line(data, at + 1, stop)
        return stop if found is None else found.start()

    def at_quiet(begun: bytes) -> int:
        """Not every reader types Enter: whole reports that typed something are a line. Releases alone are
        none."""
        for layout in layouts:
            found = typed(layout, begun)
            if found is not None and (is_line(layout, found) or not found.text):
                return len(begun) if found.text else -1
        return 0

    return ask, at_quiet, skip


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
