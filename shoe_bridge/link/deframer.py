"""Bytes -> frames and junk. The answer depends on the bytes only, never on how they were cut into chunks.

At each position one question has three answers: here is a frame, more bytes are needed, or no frame begins
here. On the last, one byte is dropped and the next position is asked. Bytes that are dropped one after the
other form a run; a run is given out as one `Junk` when it ends: at a frame, when the reason changes, or when
it reaches the longest frame. Bytes that begin no frame take the reason of the failure before them in the run.

What is held back is at most one begun frame and one run, together less than two longest frames.
"""

import re
from collections.abc import Iterable

import msgspec

from protocol.checksums import CHECKSUMS
from protocol.envelopes import Envelope, FrameEnvelope, TextEnvelope
from protocol.json_text import JsonWalk
from protocol.messages import Reason


class Frame(msgspec.Struct, frozen=True, gc=False):
    """One whole frame: `raw` as it stood on the wire, `body` without its envelope."""

    envelope: str
    raw: bytes
    body: bytes


class Junk(msgspec.Struct, frozen=True, gc=False):
    """Bytes that were dropped, in stream order, and why."""

    raw: bytes
    reason: Reason


class _Held(msgspec.Struct, frozen=True):
    """What a snapshot holds."""

    begun: bytes
    run: bytes
    reason: Reason | None
    counters: dict[str, int]


class _FrameStart:
    """Asks one position for a binary frame. The answer is the end of the frame, or minus the count of bytes
    from that position that must be there before asking again, or the reason why none begins there."""

    def __init__(self, envelope: FrameEnvelope) -> None:
        rule = envelope.length
        checksum = CHECKSUMS[envelope.check.name]
        self.envelope = envelope
        self.name = envelope.name
        self.body_from = envelope.body_offset
        self.body_until = checksum.width
        self._start = envelope.start
        self._shortest, self._longest, self._bias = envelope.shortest, envelope.longest, rule.bias
        self._length, self._complement = rule.offset, rule.complement_offset
        self._width, self._order = rule.size, rule.order
        self._all_ones = (1 << 8 * rule.size) - 1
        self._header = max(rule.offset, rule.complement_offset or 0) + rule.size
        self._compute, self._checked_from = checksum.compute, envelope.check.first
        self._check_order = envelope.check.order

    def ask(self, data: bytes, at: int, stop: int) -> int | Reason:
        if stop - at < self._header:
            begins = data.startswith(self._start[: stop - at], at)
            return -self._header if begins else Reason.IMPLAUSIBLE
        if len(self._start) > 1 and not data.startswith(self._start, at):
            return Reason.IMPLAUSIBLE
        first = at + self._length
        value = data[first]
        if self._width > 1:
            value = int.from_bytes(data[first : first + self._width], self._order)
        if self._complement is not None:
            first = at + self._complement
            inverted = int.from_bytes(data[first : first + self._width], self._order)
            if inverted ^ self._all_ones != value:
                return Reason.BAD_LENGTH
        size = value + self._bias
        if size > self._longest:
            return Reason.TOO_LONG
        if size < self._shortest:
            return Reason.BAD_LENGTH
        end = at + size
        if end > stop:
            return -size
        check_at = end - self.body_until
        check = int.from_bytes(data[check_at:end], self._check_order)
        return end if self._compute(data[at + self._checked_from : check_at]) == check else Reason.BAD_CHECK


class _TextStart:
    """Asks one position for a JSON object. Remembers how far it has walked the text at the head of what is
    held, so that a text that comes byte by byte is walked once."""

    def __init__(self, envelope: TextEnvelope) -> None:
        self.envelope = envelope
        self.name = envelope.name
        self.body_from = 0
        self.body_until = 0
        self._walk: JsonWalk | None = None

    def forget(self) -> None:
        self._walk = None

    def ask(self, data: bytes, at: int, stop: int) -> int | Reason:
        walk = self._walk or JsonWalk(self.envelope.deepest)
        self._walk = None
        limit = min(stop, at + self.envelope.longest)
        end = walk.walk(data, at + walk.walked, limit)
        if end > 0:
            return end
        if end < 0:
            return Reason.IMPLAUSIBLE
        if limit - at == self.envelope.longest:
            return Reason.TOO_LONG
        self._walk = walk
        return -(limit - at + 1)


class Deframer:
    """Takes one device's stream apart. Never raises on any input; linear in time.

    `counters` counts frames, and dropped bytes by reason. `idle_gap_ms` is the quiet time after which `idle`
    is due while `pending` is not 0. Raises ValueError when two envelopes begin with the same byte.
    """

    def __init__(self, envelopes: Iterable[Envelope]) -> None:
        askers: list[_FrameStart | _TextStart] = [
            _FrameStart(envelope) if isinstance(envelope, FrameEnvelope) else _TextStart(envelope)
            for envelope in envelopes
        ]
        self._by_first: dict[int, _FrameStart | _TextStart] = {
            asker.envelope.start[0]: asker for asker in askers
        }
        if not askers or len(self._by_first) != len(askers):
            raise ValueError("each envelope of a device needs a first byte of its own")
        self._texts = [asker for asker in askers if isinstance(asker, _TextStart)]
        self._next_start = re.compile(b"[" + re.escape(bytes(self._by_first)) + b"]").search
        self._longest = max(asker.envelope.longest for asker in askers)
        self.idle_gap_ms = max(asker.envelope.idle_gap_ms for asker in askers)
        self.counters: dict[str, int] = {"frames": 0}
        self._begun = bytearray()
        self._needed = 0
        self._run = bytearray()
        self._reason: Reason | None = None

    @property
    def pending(self) -> int:
        """Bytes that are held back: a begun frame, and dropped bytes whose run may still go on."""
        return len(self._begun) + len(self._run)

    def feed(self, data: bytes) -> list[Frame | Junk]:
        """Take the next bytes of the stream; give what they complete, in stream order."""
        if self._begun:
            self._begun += data
            if len(self._begun) < self._needed:
                return []
            data = bytes(self._begun)
        results: list[Frame | Junk] = []
        self._scan(data, results)
        return results

    def idle(self) -> list[Frame | Junk]:
        """The line was quiet for the idle gap: a begun frame is a false start, or its end was lost.

        Drops one byte and asks again. Where a whole frame stands among the bytes held, goes on dropping until
        it is out; a begun frame behind it stays. The run ends here.
        """
        results: list[Frame | Junk] = []
        if self._begun:
            self._drop_to(len(self._begun) - 1, results)
        while (remaining := self._whole_frame_ahead()) is not None:
            self._drop_to(remaining, results)
        self._end_run(results)
        self._reason = None
        return results

    def finish(self) -> list[Frame | Junk]:
        """The stream has ended: give out the run. What is still `pending` then is a begun frame."""
        results: list[Frame | Junk] = []
        self._end_run(results)
        self._reason = None
        return results

    def snapshot(self) -> bytes:
        """All that decides the further answers, for `restore` in another deframer of the same envelopes."""
        held = _Held(bytes(self._begun), bytes(self._run), self._reason, self.counters)
        return msgspec.msgpack.encode(held)

    def restore(self, snapshot: bytes) -> None:
        """Go on where the snapshot was taken. Raises ValueError on bytes that are no snapshot."""
        try:
            held = msgspec.msgpack.decode(snapshot, type=_Held)
        except msgspec.MsgspecError as error:
            raise ValueError(f"not a snapshot of a deframer: {error}") from error
        self._run = bytearray(held.run)
        self._reason = held.reason
        self._begun = bytearray()
        self._forget_walks()
        if held.begun:
            self._scan(held.begun, [])
        self.counters = dict(held.counters)

    def _scan(self, data: bytes, results: list[Frame | Junk]) -> None:
        """Take `data` apart from a position where nothing is begun; keep what more bytes may complete."""
        by_first = self._by_first
        at, stop = 0, len(data)
        while at < stop:
            asker = by_first.get(data[at])
            if asker is None:
                found = self._next_start(data, at)
                until = found.start() if found else stop
                self._drop(data[at:until], self._reason or Reason.IMPLAUSIBLE, results)
                at = until
                continue
            answer = asker.ask(data, at, stop)
            if not isinstance(answer, int):
                reason = self._reason if answer is Reason.IMPLAUSIBLE else answer
                self._drop(data[at : at + 1], reason or answer, results)
                at += 1
            elif answer > 0:
                if self._reason is not None:
                    self._end_run(results)
                    self._reason = None
                body = data[at + asker.body_from : answer - asker.body_until]
                results.append(Frame(asker.name, data[at:answer], body))
                self.counters["frames"] += 1
                at = answer
            else:
                self._needed = -answer
                break
        if at or not self._begun:
            self._begun = bytearray(data[at:])

    def _drop(self, dropped: bytes, reason: Reason, results: list[Frame | Junk]) -> None:
        if reason is not self._reason:
            self._end_run(results)
            self._reason = reason
        run = self._run
        run += dropped
        self.counters[reason] = self.counters.get(reason, 0) + len(dropped)
        # a full run is cut, and the rest goes on under the same reason
        while len(run) >= self._longest:
            results.append(Junk(bytes(run[: self._longest]), reason))
            del run[: self._longest]

    def _end_run(self, results: list[Frame | Junk]) -> None:
        if self._run and self._reason is not None:
            results.append(Junk(bytes(self._run), self._reason))
            self._run.clear()

    def _drop_to(self, remaining: int, results: list[Frame | Junk]) -> None:
        """Drop begun bytes one at a time, asking again after each, until at most `remaining` are left."""
        while len(self._begun) > remaining:
            begun = bytes(self._begun)
            self._begun = bytearray()
            self._forget_walks()
            self._drop(begun[:1], Reason.IDLE_EXPIRED, results)
            self._scan(begun[1:], results)

    def _whole_frame_ahead(self) -> int | None:
        """How many of the begun bytes are left from the next whole frame on; None when there is none."""
        begun = bytes(self._begun)
        at, stop = 0, len(begun)
        while found := self._next_start(begun, at + 1):
            at = found.start()
            self._forget_walks()
            answer = self._by_first[begun[at]].ask(begun, at, stop)
            if isinstance(answer, int) and answer > 0:
                self._forget_walks()
                return stop - at
        self._forget_walks()
        return None

    def _forget_walks(self) -> None:
        for text in self._texts:
            text.forget()
