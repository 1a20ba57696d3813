"""A model of the firmware that speaks tablelink: antennas, shoe, keys, pad and lamps of one microcontroller.

States of the link:   unplugged -> waiting -hello_request-> greeted -resume-> live
Only a live link carries events and polls as they happen; events of the other states wait in the ring for the
replay. Heartbeats and answers go out whenever the plug is in. The device keeps its power without the plug.
"""

from collections.abc import Callable, Mapping

from protocol import tablelink
from protocol.envelopes import TABLELINK
from protocol.messages import (
    Ack,
    CardDrawn,
    CardUnread,
    ClockSample,
    DealerEntry,
    Decoded,
    DeviceFault,
    Heartbeat,
    Hello,
    HostCommand,
    KeyPressed,
    KeyReleased,
    Message,
    PollEmpty,
    Refused,
    Stamp,
    TagGone,
    TagSeen,
)
from shoe_bridge.sim.antenna_poll import GONE_AFTER_POLLS, AntennaMemory
from shoe_bridge.sim.device import identity_bytes, identity_number
from shoe_bridge.sim.event_ring import EventRing, KeptEvent
from shoe_bridge.sim.host_frames import HostFrames
from shoe_bridge.sim.lamps import Lamp
from shoe_bridge.sim.noise import Air, Read
from shoe_bridge.sim.timed_device import ReadingDevice

HEARTBEAT_MS = 500
LIGHT_REPORT_MS = 1000
ANSWER_MS = 1  # from the last byte of a command to its answer
FIRMWARE = "1.0.0"
TAG_FAMILY = "iso15693"
NO_SUCH_LAMP = 1


class TablelinkDevice(ReadingDevice):
    """One device. `antennas` maps antenna numbers to places; `keys` and `lamps` are counts, numbered from
    1."""

    kind = "tablelink"

    def __init__(
        self,
        name: str,
        *,
        air: Air | None = None,
        antennas: Mapping[int, str] | None = None,
        keys: int = 0,
        lamps: int = 0,
        has_shoe: bool = False,
        cycle_ms: int = 400,
        gone_after_polls: int = GONE_AFTER_POLLS,
        device_id: str | None = None,
    ) -> None:
        super().__init__(name, air, antennas)
        self.device_id = device_id or identity_bytes(name, "device id", 8).hex().upper()
        self.lamps = {number: Lamp(number) for number in range(1, lamps + 1)}
        self._keys = keys
        self._has_shoe = has_shoe
        self._cycle_ms = cycle_ms
        self._gone_after_polls = gone_after_polls
        self._frames = HostFrames(TABLELINK)
        self._boots = 0
        self._boot(up_for_ms=2_000 + identity_number(name, "uptime", 14))

    # -- power

    def _boot(self, up_for_ms: int) -> None:
        now_ms = self._begin_anew()
        self._boots += 1
        self.boot_id = identity_number(self.name, f"boot {self._boots}")
        self._booted_at_ms = now_ms - up_for_ms
        self._ring = EventRing()
        self._is_live = False
        self._polls = 0
        self._frames.clear()
        self._memories = {number: AntennaMemory(self._gone_after_polls) for number in self._antennas}
        for lamp in self.lamps.values():
            lamp.until_ms = now_ms
            lamp.expire(now_ms)
        self._poll_in_turn(now_ms, self._cycle_ms, self._poll)
        self._every(HEARTBEAT_MS, self._heartbeat)
        if self.lamps:
            self._every(LIGHT_REPORT_MS, self._report_lamps)

    def reboot(self) -> None:
        """Restart: a new boot id, an empty ring, a clock from 0, lamps in their own pattern."""
        self._boot(up_for_ms=0)

    def unplug(self) -> None:
        super().unplug()
        self._is_live = False
        self._frames.clear()

    # -- the host's side

    def take(self, data: bytes, at_ms: int) -> None:
        """Bytes of the host arrive."""
        if not self.is_plugged:
            return
        for body in self._frames.feed(data):
            decoded = tablelink.decode(TABLELINK.name, body)
            if isinstance(decoded, Decoded):
                for message in decoded.messages:
                    if isinstance(message, HostCommand):
                        self._obey_at(at_ms + ANSWER_MS, message)

    def _obey_at(self, at_ms: int, command: HostCommand) -> None:
        self._timetable.at(at_ms, lambda: self._obey(command))

    def _obey(self, command: HostCommand) -> None:
        args = {name: value for name, value in command.args.items() if isinstance(value, int)}
        match command.command:
            case "hello_request":
                self._is_live = False
                self._report(self._hello())
            case "resume":
                self._resume(args["boot_id"], args["after_seq"], bool(args["nothing_seen"]))
            case "ack_events":
                self._ring.acknowledge(args["seq"])
            case "set_light":
                self._set_light(args, str(command.args["pattern"]))
            case "clock_request":
                self._report(ClockSample(args["token"], self._clock_ms()))

    def _hello(self) -> Hello:
        parts = {
            "antennas": bool(self._antennas),
            "shoe": self._has_shoe,
            "face_sensor": self._has_shoe,
            "keys": bool(self._keys),
            "lamps": bool(self.lamps),
            "pad": bool(self._keys),
            "rssi": bool(self._antennas),
        }
        return Hello(
            device_id=self.device_id,
            firmware=FIRMWARE,
            boot_id=self.boot_id,
            capabilities=tuple(name for name, is_there in parts.items() if is_there),
            antennas=max(self._antennas, default=0),
            keys=self._keys,
            lamps=len(self.lamps),
            oldest_seq=self._ring.oldest_seq,
        )

    def _resume(self, boot_id: int, after_seq: int, is_nothing_seen: bool) -> None:
        if boot_id == self.boot_id and not is_nothing_seen:
            events, is_complete = self._ring.after(after_seq)
        else:
            events, is_complete = tuple(self._ring), self._ring.dropped == 0
        for event in events:
            self._send_event(event, is_replay=True)
        self._report(Ack("resume", 0 if is_complete else 1))
        self._is_live = True

    def _set_light(self, args: Mapping[str, int], pattern: str) -> None:
        lamp = self.lamps.get(args["lamp"])
        if lamp is None:
            self._report(Refused("set_light", NO_SUCH_LAMP))
            return
        until_ms = self._timetable.now_ms + args["hold_ms"]
        shown = (pattern, args["red"], args["green"], args["blue"])
        if lamp.set(shown, until_ms, self._timetable.now_ms):
            self._report(lamp.report())
        self._timetable.at(until_ms, lambda: self._expire(lamp))

    def _expire(self, lamp: Lamp) -> None:
        if lamp.expire(self._timetable.now_ms):
            self._report(lamp.report())

    # -- what happens at the table

    def press(self, key: int, held_ms: int = 80) -> None:
        """Key number `key` goes down now and up after `held_ms`."""
        now_ms = self._timetable.now_ms
        self._happen_now(KeyPressed(key))
        self._timetable.at(now_ms + held_ms, lambda: self._happen(KeyReleased(key)))

    def enter(self, word: str, number: int | None = None, amount: int | None = None) -> None:
        """The dealer enters `word` on the pad; `amount` in cents."""
        self._happen_now(DealerEntry(word, number, amount))

    def draw(self, tag: str | None, face: str | None = None) -> None:
        """A card leaves the shoe; without a tag it could not be read."""
        self._happen_now(CardUnread(face) if tag is None else CardDrawn(tag=tag, face=face))

    def fault(self, code: int, is_cleared: bool = False) -> None:
        self._happen_now(DeviceFault(code, cleared=is_cleared))

    # -- time

    def _clock_ms(self) -> int:
        return (self._timetable.now_ms - self._booted_at_ms) & 0xFFFFFFFF

    def _every(self, period_ms: int, deed: Callable[[], None]) -> None:
        timetable = self._timetable

        def do_and_go_on() -> None:
            deed()
            timetable.at(timetable.now_ms + period_ms, do_and_go_on)

        timetable.at(timetable.now_ms + period_ms, do_and_go_on)

    # -- what goes out

    def _poll(self, antenna: int) -> None:
        self._polls += 1
        outcome = self._memories[antenna].take(self._reads_at(antenna))
        for tag in outcome.gone:
            self._happen(TagGone(tag, antenna))
        for read in outcome.seen:
            self._happen(_tag_seen(read, antenna))
        if not self._is_live:
            return
        for read in outcome.still:
            self._report(_tag_seen(read, antenna))
        if not outcome.seen and not outcome.still:
            self._report(PollEmpty(antenna))

    def _heartbeat(self) -> None:
        uptime_s = self._clock_ms() // 1000
        self._report(Heartbeat(self.boot_id, uptime_s, self._polls, 0, min(self._ring.dropped, 0xFFFF)))

    def _report_lamps(self) -> None:
        for lamp in self.lamps.values():
            self._report(lamp.report())

    def _happen_now(self, message: Message) -> None:
        self._timetable.at(self._timetable.now_ms, lambda: self._happen(message))

    def _happen(self, message: Message) -> None:
        event = self._ring.append(message, self._clock_ms())
        if self._is_live:
            self._send_event(event, is_replay=False)

    def _send_event(self, event: KeptEvent, is_replay: bool) -> None:
        self._send(event.message, Stamp(event.seq, True, is_replay, event.at_device_ms))

    def _report(self, message: Message) -> None:
        self._send(message, Stamp(self._ring.newest_seq, False, False, self._clock_ms()))

    def _send(self, message: Message, stamp: Stamp) -> None:
        self._put(tablelink.encode(message, stamp))


def _tag_seen(read: Read, antenna: int) -> TagSeen:
    return TagSeen(read.tag, antenna, read.rssi, TAG_FAMILY)
