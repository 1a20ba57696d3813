"""The session with an Angel Eye shoe: one event of the three copies of a report, and a gap where one is lost.

    report --same bytes as the newest, or as one of the last second-> a copy: no event
           --S------------------------------------------------------> an event, whatever its number
           --newest number, other data, within a second of it-------> a garbled copy: EventsMissed(1)
           --any other number, k behind the one due (modulo 9)------> EventsMissed(k) if k, then an event

The same S again after more than a second is a new start: nothing else may come between two of them. Any other
report with the bytes of the newest is its copy however late it comes: the numbers of nine others lie between
it and the next one that may look like it.

R is a card sent again to one public program and a re-deal to the other. It becomes no card here: it is
counted, and the hand is in doubt.
"""

from protocol.angel_eye import sequence_of
from protocol.messages import CardDrawn, Message, ShoeReport
from shoe_bridge.link.listening_session import LISTENING, ListeningSession
from shoe_bridge.link.session import NS_PER_MS
from shoe_bridge.table.observations import AnyObservation

COPIES_NS = 1_000 * NS_PER_MS  # the copies of a report come within this time of each other
SEQUENCES = 9
UNCLEAR = "redeal_or_repeat"


class AngelEyeSession(ListeningSession):
    """One per Angel Eye link. Sends nothing, ever."""

    def _report(self, message: Message, at_mono_ns: int, out: list[AnyObservation]) -> None:
        is_start = message == ShoeReport("started")
        is_copy = self._is_copy(is_start, at_mono_ns)
        missed = 0 if is_copy or is_start else self._missed(at_mono_ns)
        if self._state.phase == LISTENING:
            self._heard(at_mono_ns, missed or None, out)
            missed = None if missed is None else 0
        if is_copy:
            self._counters["copies"] += 1
            self._state.copied[self.raw] = at_mono_ns
        elif missed is None:
            self._counters["garbled_copies"] += 1
            self._doubt(1, at_mono_ns, out)
        else:
            if missed:
                self._doubt(missed, at_mono_ns, out)
            self._take_new(message, is_start, at_mono_ns, out)

    # -- copies

    def _is_copy(self, is_start: bool, at_mono_ns: int) -> bool:
        state = self._state
        heard_ns = state.copied.get(self.raw)
        if heard_ns is not None and 0 <= at_mono_ns - heard_ns <= COPIES_NS:
            return True
        return self.raw == state.newest and not is_start

    def _missed(self, at_mono_ns: int) -> int | None:
        """How many reports lie between the newest and this one; None where this can only be a garbled copy of
        the newest."""
        state = self._state
        if state.sequence is None:
            return 0
        number = sequence_of(self.raw)
        newest_ns = state.copied.get(state.newest)
        is_near = newest_ns is not None and 0 <= at_mono_ns - newest_ns <= COPIES_NS
        if number == state.sequence and is_near:
            return None
        return (number - state.sequence - 1) % SEQUENCES

    # -- a new report

    def _take_new(self, message: Message, is_start: bool, at_mono_ns: int, out: list[AnyObservation]) -> None:
        state = self._state
        state.sequence = sequence_of(self.raw)
        state.newest = self.raw
        state.copied = {
            raw: heard_ns for raw, heard_ns in state.copied.items() if 0 <= at_mono_ns - heard_ns <= COPIES_NS
        }
        state.copied[self.raw] = at_mono_ns
        if isinstance(message, CardDrawn) and message.context == UNCLEAR:
            self._unclear(at_mono_ns, out)
            return
        if is_start or (isinstance(message, CardDrawn) and message.context == "game"):
            self._end_faults(at_mono_ns, out)
        self._tell(message, at_mono_ns, out)
