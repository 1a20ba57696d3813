"""From polls to observations without bytes: the link's own readers are given what the devices' frames would
say.

So what an arrival, a further read or a departure is, is decided by the bridge's own code; only framing,
sessions and clocks are left out. A device that speaks tablelink is modelled as far as it follows its tags; a
Pepper is asked whether it lives as its session would ask.
"""

from collections import Counter
from collections.abc import Callable, Iterable

from protocol.messages import PollEmpty, Stamp, TagGone, TagSeen
from shoe_bridge.link.held_reader import HeldReader
from shoe_bridge.link.pepper_session import KEEP_ALIVE_NS, LEAST_PROBE_NS
from shoe_bridge.link.polled_reader import PolledReader
from shoe_bridge.link.presence import Presence
from shoe_bridge.sim.antenna_poll import GONE_AFTER_POLLS, AntennaMemory
from shoe_bridge.sim.deal_polls import Antenna, Done, Happening, Poll
from shoe_bridge.sim.deal_truth import CYCLE_MS
from shoe_bridge.sim.player import LINE_MS, START_MONO_NS
from shoe_bridge.table.observations import AnyObservation, CardDrawn, KeyPressed, LinkRestored

NS_PER_MS = 1_000_000
KEYS, SHOE = "keys-1", "shoe-1"

_ANSWER_NS = 4 * NS_PER_MS  # from a question to a Pepper to its answer


def mono_ns(at_ms: int) -> int:
    """The bridge's time of what a device said at `at_ms` of the simulation."""
    return START_MONO_NS + (at_ms + LINE_MS) * NS_PER_MS


class Readers:
    """The readers of one table. `hold_ms` as the table's configuration has it."""

    def __init__(
        self,
        reader: str,
        antennas: Iterable[Antenna],
        is_known_tag: Callable[[str], bool],
        *,
        hold_ms: int,
        reads_told: int,
        has_shoe: bool = False,
        cycle_ms: int = CYCLE_MS,
    ) -> None:
        self._places: dict[str, dict[int, str]] = {}
        for antenna in antennas:
            self._places.setdefault(antenna.device, {})[antenna.number] = antenna.place
        self._others = (KEYS, SHOE) if has_shoe else (KEYS,)
        make = _Tablelink if reader == "tablelink" else _Pepper
        presence = Presence(reads_told)
        self._devices: dict[str, _Tablelink | _Pepper] = {
            name: make(name, presence, places, is_known_tag, hold_ms, cycle_ms)
            for name, places in self._places.items()
        }

    def start(self) -> list[AnyObservation]:
        """All devices have proven who they are."""
        found: list[AnyObservation] = []
        for name, device in self._devices.items():
            device.restored(mono_ns(0))
            places = tuple(self._places[name][number] for number in sorted(self._places[name]))
            found.append(LinkRestored(name, places, device.missed_events, mono_ns(0)))
        return found + [LinkRestored(name, (), 0, mono_ns(0)) for name in self._others]

    def take(self, happening: Happening) -> list[AnyObservation]:
        """What the bridge is told of one poll, key or draw."""
        out: list[AnyObservation] = []
        at_ns = mono_ns(happening.at_ms)
        for device in self._devices.values():
            device.let_pass(at_ns, out)
        if isinstance(happening, Poll):
            self._devices[happening.antenna.device].poll(happening, at_ns, out)
        else:
            out.append(_observed(happening, at_ns))
        return out


def _observed(done: Done, at_ns: int) -> AnyObservation:
    if done.what == "draw":
        return CardDrawn(at_ns, SHOE, done.name, None, "down")
    return KeyPressed(done.name, at_ns, KEYS)


class _Tablelink:
    """One device: events for tags that come and go, reports for tags that stay, each poll told."""

    missed_events = 0

    def __init__(
        self,
        name: str,
        presence: Presence,
        places: dict[int, str],
        is_known_tag: Callable[[str], bool],
        hold_ms: int,
        cycle_ms: int,
    ) -> None:
        del hold_ms
        self._reader = PolledReader(
            presence,
            name,
            places,
            cycle_ms=cycle_ms,
            gone_after_polls=GONE_AFTER_POLLS,
            is_known_tag=is_known_tag,
            counters=Counter(),
        )
        self._memories = {number: AntennaMemory(GONE_AFTER_POLLS) for number in places}

    def restored(self, at_ns: int) -> None:
        self._reader.restored(at_ns)

    def let_pass(self, at_ns: int, out: list[AnyObservation]) -> None:
        """It tells by itself what is gone."""

    def poll(self, poll: Poll, at_ns: int, out: list[AnyObservation]) -> None:
        number = poll.antenna.number
        outcome = self._memories[number].take(poll.reads)
        event = Stamp(0, True, False, poll.at_ms)
        report = Stamp(0, False, False, poll.at_ms)
        for tag in outcome.gone:
            self._reader.tag_gone(TagGone(tag, number), event, at_ns, out)
        for read in outcome.seen:
            self._reader.tag_seen(TagSeen(read.tag, number, read.rssi), event, at_ns, out)
        for read in outcome.still:
            self._reader.tag_seen(TagSeen(read.tag, number, read.rssi), report, at_ns, out)
        if not outcome.seen and not outcome.still:
            self._reader.poll_empty(PollEmpty(number), report, at_ns, out)


class _Pepper:
    """One reader: an event for each tag in each poll. It is asked as `pepper_session` would ask it."""

    missed_events = None

    def __init__(
        self,
        name: str,
        presence: Presence,
        places: dict[int, str],
        is_known_tag: Callable[[str], bool],
        hold_ms: int,
        cycle_ms: int,
    ) -> None:
        self._reader = HeldReader(
            presence,
            name,
            places,
            cycle_ms=cycle_ms,
            hold_ms=hold_ms,
            is_known_tag=is_known_tag,
            counters=Counter(),
        )
        self._asked_ns = 0
        self._is_open = False  # a question has no answer yet

    def restored(self, at_ns: int) -> None:
        self._reader.restored(at_ns)
        self._asked_ns = at_ns

    def poll(self, poll: Poll, at_ns: int, out: list[AnyObservation]) -> None:
        for read in poll.reads:
            self._reader.tag_seen(poll.antenna.number, read.tag, None, at_ns, out)

    def let_pass(self, at_ns: int, out: list[AnyObservation]) -> None:
        """The answer to the question asked before has come, or a question is due."""
        if self._is_open and at_ns >= self._asked_ns + _ANSWER_NS:
            self._is_open = False
            self._reader.answered(self._asked_ns, self._asked_ns + _ANSWER_NS, out)
        expiry_ns = self._reader.next_expiry_ns()
        due_ns = self._asked_ns + KEEP_ALIVE_NS
        if expiry_ns is not None:
            due_ns = min(due_ns, max(expiry_ns, self._asked_ns + LEAST_PROBE_NS))
        if not self._is_open and at_ns >= due_ns:
            self._asked_ns = at_ns
            self._is_open = True
