"""Bytes -> frames and junk. The answer depends on the bytes only, never on how they were cut into chunks.

At each position one question has three answers: here is a frame, more bytes are needed, or no frame begins
here. On the last, one byte is dropped and the next position is asked. Bytes that are dropped one after the
other form a run; a run is given out as one `Junk` when it ends: at a frame, when the reason changes, or when
it reaches the longest frame. Bytes that begin no frame take the reason of the failure before them in the run.

What is held back is at most one begun frame and one run, together less than two longest frames.
"""

import re
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

import msgspec

from protocol.envelopes import Envelope, first_bytes
from protocol.messages import Reason
from shoe_bridge.link.frame_starts import FrameStart, start_of


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


Whole = TypeVar("Whole")


class Scanner(Generic[Whole]):
    """Takes one device's stream apart. Never raises on any input; linear in time.

    `make(envelope name, raw, body)` says what becomes of a whole frame. `is_proof(envelope name, body)` says
    whether a whole frame inside a begun one proves at the end of a stream that the begun one is a false
    start. `counters` counts frames, and dropped bytes by reason. `idle_gap_ms` is the quiet time after which
    `idle` is due while `pending` is not 0. Raises ValueError when two envelopes begin with the same byte.
    """

    def __init__(
        self,
        envelopes: Iterable[Envelope],
        make: Callable[[str, bytes, bytes], Whole],
        is_proof: Callable[[str, bytes], bool] = lambda name, body: True,
    ) -> None:
        envelopes = tuple(envelopes)
        self._make = make
        self._is_proof = is_proof
        self._starts = [start_of(envelope) for envelope in envelopes]
        firsts = [first_bytes(envelope) for envelope in envelopes]
        self._by_first: dict[int, FrameStart] = {
            first: start for start, each in zip(self._starts, firsts, strict=True) for first in each
        }
        if not envelopes or len(self._by_first) != sum(map(len, firsts)):
            raise ValueError("each envelope of a device needs a first byte of its own")
        self._next_start = re.compile(b"[" + re.escape(bytes(self._by_first)) + b"]").search
        self._longest = max(envelope.longest for envelope in envelopes)
        self.idle_gap_ms = max(envelope.idle_gap_ms for envelope in envelopes)
        self.counters: dict[str, int] = {"frames": 0}
        self._begun = bytearray()
        self._needed = 0
        self._run = bytearray()
        self._reason: Reason | None = None

    @property
    def pending(self) -> int:
        """Bytes that are held back: a begun frame, and dropped bytes whose run may still go on."""
        return len(self._begun) + len(self._run)

    def feed(self, data: bytes) -> list[Whole | Junk]:
        """Take the next bytes of the stream; give what they complete, in stream order."""
        if self._begun:
            self._begun += data
            if len(self._begun) < self._needed:
                return []
            data = bytes(self._begun)
        results: list[Whole | Junk] = []
        self._scan(data, results)
        return results

    def idle(self) -> list[Whole | Junk]:
        """The line was quiet for the idle gap: a begun frame is a false start, or its end was lost.

        Drops one byte and asks again. Where a whole frame stands among the bytes held, goes on dropping until
        it is out; a begun frame behind it stays. The run ends here.
        """
        results: list[Whole | Junk] = []
        if self._begun and not self._is_settled_by_quiet(results):
            self._drop_to(len(self._begun) - 1, results)
        while (remaining := self._whole_frame_ahead(lambda name, body: True)) is not None:
            self._drop_to(remaining, results)
        self._end_run(results)
        return results

    def finish(self) -> list[Whole | Junk]:
        """The stream has ended: give out the run, and the whole frames that a false start held back.

        What is still `pending` then is a begun frame that no whole frame inside it contradicts.
        """
        results: list[Whole | Junk] = []
        self._close_at_end(results)
        while (remaining := self._whole_frame_ahead(self._is_proof)) is not None:
            self._drop_to(remaining, results)
        self._end_run(results)
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

    def _scan(self, data: bytes, results: list[Whole | Junk]) -> None:
        """Take `data` apart from a position where nothing is begun; keep what more bytes may complete."""
        by_first, make = self._by_first, self._make
        at, stop, frames = 0, len(data), 0
        # of the run that goes on here, and where its bytes begin that `_drop` has not seen
        reason, dropped_from = self._reason, 0
        while at < stop:
            start = by_first.get(data[at])
            if start is None:
                found = self._next_start(data, at)
                at = found.start() if found else stop
                reason = reason or Reason.IMPLAUSIBLE
                continue
            name, ask, body_from, body_until, _, _, skip = start
            answer = ask(data, at, stop)
            if not isinstance(answer, int):
                if reason is None or (answer is not reason and answer is not Reason.IMPLAUSIBLE):
                    if reason is not None and dropped_from < at:
                        self._drop(data[dropped_from:at], reason, results)
                    reason, dropped_from = answer, at
                at = at + 1 if skip is None else skip(data, at, stop, by_first)
            elif answer > 0:
                if reason is not None:
                    if dropped_from < at:
                        self._drop(data[dropped_from:at], reason, results)
                    self._end_run(results)
                    reason = None
                results.append(make(name, data[at:answer], data[at + body_from : answer - body_until]))
                frames += 1
                at = dropped_from = answer
            else:
                self._needed = -answer
                break
        if reason is not None and dropped_from < at:
            self._drop(data[dropped_from:at], reason, results)
        if frames:
            self.counters["frames"] += frames
        if at == stop:
            if self._begun:
                self._begun = bytearray()
        elif at or not self._begun:
            self._begun = bytearray(data[at:])

    def _drop(self, dropped: bytes, reason: Reason, results: list[Whole | Junk]) -> None:
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

    def _end_run(self, results: list[Whole | Junk]) -> None:
        if self._run and self._reason is not None:
            results.append(Junk(bytes(self._run), self._reason))
            self._run.clear()
        self._reason = None

    def _drop_to(self, remaining: int, results: list[Whole | Junk]) -> None:
        """Drop begun bytes one at a time, asking again after each, until at most `remaining` are left."""
        while len(self._begun) > remaining:
            begun = bytes(self._begun)
            self._begun = bytearray()
            self._forget_walks()
            self._drop(begun[:1], Reason.IDLE_EXPIRED, results)
            self._scan(begun[1:], results)

    def _whole_frame_ahead(self, counts: Callable[[str, bytes], bool]) -> int | None:
        """How many of the begun bytes are left from the next whole frame on that `counts(envelope name,
        body)`; None when there is none."""
        begun = bytes(self._begun)
        at, stop = 0, len(begun)
        while found := self._next_start(begun, at + 1):
            at = found.start()
            self._forget_walks()
            name, ask, body_from, body_until, *_ = self._by_first[begun[at]]
            answer = ask(begun, at, stop)
            if not isinstance(answer, int) or answer <= 0:
                continue
            if counts(name, begun[at + body_from : answer - body_until]):
                break
        self._forget_walks()
        return stop - at if found else None

    def _is_settled_by_quiet(self, results: list[Whole | Junk]) -> bool:
        """Whether the quiet itself says what the begun bytes are: a whole frame, or nothing at all."""
        begun, size = self._made_of_quiet()
        if size > 0:
            self._take_begun(begun, results)
        elif size < 0:
            self._begun = bytearray()
            self._drop(begun, Reason.IDLE_EXPIRED, results)
        return size != 0

    def _close_at_end(self, results: list[Whole | Junk]) -> None:
        """At the end of a stream: a begun frame that the quiet would end, or that proves itself whole."""
        begun, size = self._made_of_quiet()
        if size > 0 or (size < 0 and self._is_proof(self._by_first[begun[0]].name, begun)):
            self._take_begun(begun, results)

    def _made_of_quiet(self) -> tuple[bytes, int]:
        begun = bytes(self._begun)
        at_quiet = self._by_first[begun[0]].at_quiet if begun else None
        return begun, 0 if at_quiet is None else at_quiet(begun)

    def _take_begun(self, begun: bytes, results: list[Whole | Junk]) -> None:
        self._begun = bytearray()
        self._end_run(results)
        results.append(self._make(self._by_first[begun[0]].name, begun, begun))
        self.counters["frames"] += 1

    def _forget_walks(self) -> None:
        for start in self._starts:
            start.forget()


class Deframer(Scanner[Frame]):
    """Bytes -> `Frame` and `Junk`."""

    def __init__(self, envelopes: Iterable[Envelope]) -> None:
        super().__init__(envelopes, Frame)
