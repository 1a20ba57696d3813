"""From accepted messages to table words. Sessions decide what is accepted and when it happened.

| message | becomes |
|---|---|
| TagSeen, TagGone, PollEmpty | CardArrived, CardDeparted, CardStays, by way of presence |
| KeyPressed, KeyReleased | KeyPressed: one whole press |
| KeysDown | KeyPressed for each key that was not down before |
| DealerEntry | DealerEntered |
| CardDrawn, CardUnread | the same |
| DeviceFault | DeviceFaulted |
"""

from collections import Counter

from protocol import messages as said
from shoe_bridge.link.held_reader import HeldReader
from shoe_bridge.link.keys import Keys
from shoe_bridge.link.polled_reader import PolledReader
from shoe_bridge.table import observations as seen
from shoe_bridge.table.observations import AnyObservation


class PolledTranslate:
    """Messages of a device that stamps its frames and tells its polls. `at_ms` is its unwrapped clock,
    `at_mono_ns` the same moment in the bridge's time; observations are appended to `out`."""

    def __init__(self, device: str, reader: PolledReader, keys: Keys, counters: Counter[str]) -> None:
        self._device = device
        self._counters = counters
        self.reader = reader
        self.keys = keys

    def take(
        self,
        message: said.Message,
        stamp: said.Stamp,
        at_ms: int,
        at_mono_ns: int,
        out: list[AnyObservation],
    ) -> None:
        """One accepted message, in the device's order."""
        if isinstance(message, said.TagSeen):
            self.reader.tag_seen(message, stamp, at_mono_ns, out)
        elif isinstance(message, said.PollEmpty):
            self.reader.poll_empty(message, stamp, at_mono_ns, out)
        elif isinstance(message, said.TagGone):
            self.reader.tag_gone(message, stamp, at_mono_ns, out)
        elif isinstance(message, said.Heartbeat):
            self.reader.other_frame(stamp, out)
        elif isinstance(message, said.KeyPressed):
            self.keys.down(message.key, at_ms, at_mono_ns)
        elif isinstance(message, said.KeyReleased):
            self.keys.up(message.key, at_ms, at_mono_ns, out)
        elif (observation := plain(message, self._device, at_mono_ns)) is not None:
            out.append(observation)
        else:
            self._counters["untold"] += 1

    def noise(self) -> None:
        """Bytes were dropped on the line."""
        self.reader.noise()

    def broke_off(self) -> None:
        """The link was lost."""
        self.reader.broke_off()
        self.keys.forget()

    def distrust(self) -> None:
        """Events were lost for good."""
        self.reader.distrust()
        self.keys.forget()


class HeldTranslate:
    """Messages of a device that neither stamps its frames nor tells its polls. An event without an antenna
    can only be placed where there is a single antenna."""

    def __init__(self, device: str, reader: HeldReader, antennas: list[int], counters: Counter[str]) -> None:
        self._device = device
        self._counters = counters
        self._single = antennas[0] if len(antennas) == 1 else None
        self.needs_antenna = self._single is None
        self.reader = reader

    def take(self, message: said.Message, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """One accepted message, in the order of the stream."""
        if isinstance(message, said.TagSeen):
            antenna = self._single if message.antenna is None else message.antenna
            if antenna is None:
                self._counters["no_antenna"] += 1
                return
            self.reader.tag_seen(antenna, message.tag, message.rssi, at_mono_ns, out)
        elif (observation := plain(message, self._device, at_mono_ns)) is not None:
            out.append(observation)
        else:
            self._counters["untold"] += 1


def plain(message: said.Message, device: str, at_mono_ns: int) -> AnyObservation | None:
    """The observation of a message that needs no memory; None for messages that the table is not told."""
    if isinstance(message, said.CardDrawn):
        return seen.CardDrawn(at_mono_ns, device, message.tag, message.card, message.face)
    if isinstance(message, said.CardUnread):
        return seen.CardUnread(at_mono_ns, device)
    if isinstance(message, said.DealerEntry):
        return seen.DealerEntered(message.word, message.number, message.amount, at_mono_ns, device)
    if isinstance(message, said.DeviceFault):
        text = message.text or f"fault {message.code}"
        return seen.DeviceFaulted(device, message.code, text, message.cleared, at_mono_ns)
    return None
