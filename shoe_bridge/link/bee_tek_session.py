"""The session with a Bee-Tek shoe: records in the order of the stream, and doubt where bytes were dropped.

Its records have neither checksum nor number, so a card whose record was garbled leaves nothing but junk. Junk
on a line that was proven is therefore told as one missed event (at most one a second, for noise comes in
bursts); records that are lost whole leave no trace at all. For the same reason a record whose meaning is not
known does not prove the shoe: a pair of angle brackets in noise looks like one.
"""

from protocol.messages import CardDrawn, Message, UnknownBody
from shoe_bridge.link.listening_session import HEARD, LISTENING, ListeningSession
from shoe_bridge.link.session import NS_PER_MS
from shoe_bridge.table.observations import AnyObservation

DOUBT_NS = 1_000 * NS_PER_MS


class BeeTekSession(ListeningSession):
    """One per Bee-Tek link. The line is one-way."""

    def _report(self, message: Message, at_mono_ns: int, out: list[AnyObservation]) -> None:
        if self._state.phase == LISTENING and isinstance(message, UnknownBody):
            self._counters["unclear_before_proof"] += 1
            super().noise(at_mono_ns)
            return
        self._pay_doubt(out)
        if self._state.phase == LISTENING:
            self._heard(at_mono_ns, None, out)
        if isinstance(message, CardDrawn):
            self._end_faults(at_mono_ns, out)
        self._tell(message, at_mono_ns, out)

    def noise(self, at_mono_ns: int) -> None:
        """Bytes were dropped: they may have been a card."""
        super().noise(at_mono_ns)
        state = self._state
        if state.phase != HEARD:
            return
        if state.doubted_ns is None or not 0 <= at_mono_ns - state.doubted_ns <= DOUBT_NS:
            state.doubted_ns = at_mono_ns
            state.is_doubt_owed = True
