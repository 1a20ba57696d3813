"""A session: is the device at the far end alive, and the one that it should be? One per link, in two kinds.

What all sessions share stands here: LinkLost and LinkRestored alternate, the refusal is one sentence, host
commands are collected for `sends`. No clock, no I/O: times come with the calls.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping

import msgspec

from protocol.messages import HostCommand, LightReport, Message, Stamp
from shoe_bridge.articles import an
from shoe_bridge.table.observations import AnyObservation, LinkLost, LinkRestored

NS_PER_MS = 1_000_000
RETRY_NS = 500 * NS_PER_MS  # a question without an answer is asked again
SILENT_NS = 3_000 * NS_PER_MS  # a device that says nothing for so long is lost
REFUSED_RETRY_NS = 5_000 * NS_PER_MS  # another device at the port may be swapped for the right one
STALLED_NS = 500 * NS_PER_MS  # a deadline that is told so late was told by a host that had stopped itself
MOST_LIGHT_REPORTS = 64


class LinkLabel(msgspec.Struct, frozen=True):
    """How the house names the link: the device, its kind, its places in the order of the antennas."""

    device: str
    kind: str
    places: tuple[str, ...]


class Session(ABC):
    """Base of the sessions. Subclasses say when the device has proven itself and when it is silent.

    The methods append observations to `out`. A snapshot does not hold who the device was: that is for
    whoever starts the link to say, and the configuration has the last word. `identity` is who the
    device must be (None: whoever comes first, but none of `others`, which are known by their names);
    `is_remembered`: it is known from an earlier run only, as those of the others that `remembered` names.
    `is_verified` says that it has proven who it is, is
    alive, and owes no events. `raw` is the frame that `take` is told of, as it stood on the wire.
    `has_begun`: at a `tick`, whether bytes of a frame are there that has not ended yet.
    """

    def __init__(self, label: LinkLabel, identity: str | None, counters: Counter[str]) -> None:
        self.label = label
        self.identity = identity
        self.is_remembered = False
        self.others: Mapping[str, str] = {}
        self.remembered: tuple[str, ...] = ()
        self.refusal: str | None = None
        self.commands: list[HostCommand] = []
        self.light_reports: list[LightReport] = []
        self.raw = b""
        self.has_begun = False
        self._counters = counters
        self._is_lost = False

    @property
    @abstractmethod
    def is_verified(self) -> bool:
        """Has the device proven who it is, is it alive, and does it owe no events?"""

    @property
    def has_spoken(self) -> bool:
        """Whether a frame of this life can only be of such a device. Where frames have no checksum, and
        silence counts as a device, that is more than being verified."""
        return True

    @property
    def waits_for(self) -> str | None:
        """One sentence: what people must do so that the device proves itself; None where it does so, or is
        asked to, by itself."""
        return None

    @abstractmethod
    def opened(self, at_mono_ns: int) -> None:
        """The byte path is there: begin to ask."""

    @abstractmethod
    def closed(self, at_mono_ns: int, why: str, out: list[AnyObservation]) -> None:
        """The byte path has ended."""

    @abstractmethod
    def take(
        self, messages: tuple[Message, ...], stamp: Stamp | None, at_mono_ns: int, out: list[AnyObservation]
    ) -> None:
        """What one frame of the device said."""

    @abstractmethod
    def noise(self, at_mono_ns: int) -> None:
        """Bytes came that mean nothing."""

    def foreign(self, at_mono_ns: int) -> None:
        """A transfer came whose size no report of the device has."""
        self.noise(at_mono_ns)

    @abstractmethod
    def tick(self, at_mono_ns: int, out: list[AnyObservation]) -> None:
        """A deadline came due."""

    @abstractmethod
    def next_deadline_ns(self) -> int | None:
        """When `tick` is due; None while only the device or the host can change anything."""

    @abstractmethod
    def snapshot(self) -> bytes:
        """What the session carries from frame to frame."""

    @abstractmethod
    def restore(self, data: bytes) -> None:
        """Go on from a snapshot."""

    # -- shared

    def _after_stall_ns(self, heard_ns: int, at_mono_ns: int) -> int | None:
        """The silence of a device has come due. If it is told far too late, the host itself had stopped and
        the device's bytes may wait unread: then what to take as its last sign of life. Else None."""
        if at_mono_ns < heard_ns + SILENT_NS + STALLED_NS:
            return None
        self._counters["host_stalls"] += 1
        return at_mono_ns - SILENT_NS + RETRY_NS

    def _lose(self, at_mono_ns: int, why: str, out: list[AnyObservation]) -> None:
        if not self._is_lost:
            self._is_lost = True
            out.append(LinkLost(self.label.device, self.label.places, why, at_mono_ns))

    def _restore_link(self, at_mono_ns: int, missed_events: int | None, out: list[AnyObservation]) -> None:
        self._is_lost = False
        self.refusal = None
        out.append(LinkRestored(self.label.device, self.label.places, missed_events, at_mono_ns))

    def _command(self, name: str, **args: int | str) -> None:
        self.commands.append(HostCommand(command=name, args=args))

    def _is_other_device(self, said: str) -> bool:
        """Whether the device is not the one it should be; the first one to come is the one from then on."""
        if self.identity is None and said not in self.others:
            self.identity = said
        return said != self.identity

    def _other_device_sentence(self, said: str) -> str:
        device, other = self.label.device, self.others.get(said)
        if other is not None:
            mine = f", where {self.identity} is expected" if self.identity is not None else ""
            return (
                f"{device} says that it is device {said}, which is {other}{mine}: exchange the cables of "
                f"{device} and {other}, or {self._as_exchanged(other)}"
            )
        if self.is_remembered:
            return (
                f"{device} says that it is device {said}, and it was {self.identity} when it was used here "
                f"last: plug the right device into this port or, if it was exchanged, start with "
                f"`--exchanged {device}`"
            )
        return (
            f"{self.label.device} says that it is device {said} where {self.identity} is expected: plug the "
            f"right device into this port or correct its `identity` in the configuration"
        )

    def _as_exchanged(self, other: str) -> str:
        """How to say that this device and the other are rightly where they are: one that was remembered is
        forgotten by `--exchanged`, one that is configured stands in the file."""
        known = {self.label.device: self.is_remembered, other: other in self.remembered}
        if self.identity is None:
            del known[self.label.device]  # nothing is known of it that could be wrong
        forgotten = [name for name, is_remembered in known.items() if is_remembered]
        written = [name for name, is_remembered in known.items() if not is_remembered]
        ways = []
        if forgotten:
            options = " ".join(f"--exchanged {name}" for name in forgotten)
            ways.append(f"if they are to stay as they are, start with `{options}`")
        if written:
            ways.append(f"correct the `identity` of {' and '.join(written)} in the configuration")
        return " and ".join(ways)

    def _no_answer_sentence(self, has_noise: bool) -> str:
        if has_noise:
            return (
                f"{self.label.device} sends bytes that are not {self.label.kind}: check `kind` and `baud` of "
                f"this device in the configuration"
            )
        return (
            f"{self.label.device} does not answer as {an(self.label.kind)} device: check its power, its "
            f"cable and its `port` in the configuration"
        )
