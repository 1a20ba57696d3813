"""One link to one device, whole: bytes in, observations out, bytes to write.

    take(data) -> decoder -> session (who, alive, in order) -> translate -> presence, keys -> observations

Sans-IO and without a clock: every time comes with a call, and the same calls give the same answers. The
deadlines that the device's silence must meet are told by `next_deadline_ns`; `tick` is due at or after it.
"""

from collections import Counter
from collections.abc import Callable

import msgspec

from protocol.messages import HostCommand, LightReport, Reason
from shoe_bridge.errors import ConfigError
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.link.deframer import Junk
from shoe_bridge.link.keys import Keys, Press
from shoe_bridge.link.kinds import KINDS, Making
from shoe_bridge.link.line_codecs import codec_of, transfer_question
from shoe_bridge.link.link_config import LinkConfig
from shoe_bridge.link.presence import Presence
from shoe_bridge.table.observations import AnyObservation

__all__ = ["DeviceLink", "LinkConfig"]

NS_PER_MS = 1_000_000


class LinkState(msgspec.Struct, frozen=True):
    """What `snapshot` stores; presence is the table's and stored by its owner."""

    session: bytes
    reader: bytes
    decoder: bytes
    counters: dict[str, int]
    presses: dict[int, Press]
    is_open: bool
    fed_ns: int
    quiet_ns: int


class DeviceLink:
    """The link to one device. Raises ConfigError for a kind that it does not know."""

    def __init__(self, config: LinkConfig, presence: Presence, is_known_tag: Callable[[str], bool]) -> None:
        if config.kind not in KINDS:
            raise ConfigError(
                f"device {config.name} is of kind '{config.kind}', which has no link: use one of "
                f"{', '.join(KINDS)}"
            )
        self.config = config
        self.counters: Counter[str] = Counter()
        self._codec = codec_of(config)
        self._decoder = Decoder(self._codec)
        # where one chunk is one report: whether a chunk is one
        self._is_transfer: Callable[[bytes], bool] | None = None
        if config.is_by_report:
            self._is_transfer = transfer_question(bool(config.keys), config.layout)
        self._keys = Keys(config.name, config.keys, self.counters)
        making = Making(config, presence, is_known_tag, self._keys, self.counters)
        self._reader, self._session = KINDS[config.kind](making)
        self._session.is_remembered = config.is_remembered
        self._session.others = config.others
        self._session.remembered = config.remembered
        self._out: list[bytes] = []
        self._is_open = False
        self._frames_before = 0
        self._fed_ns = 0  # when the newest bytes arrived
        self._quiet_ns = 0  # from when on the line is quiet: the next idle gap counts from here

    # -- what happens to the link

    def opened(self, at_mono_ns: int, generation: int) -> list[AnyObservation]:
        """The byte path was opened for the `generation`-th time (counted from 1)."""
        out = self.closed(at_mono_ns, "the port was opened again") if self._is_open else []
        self.counters["reconnects"] = max(0, generation - 1)
        self._decoder = Decoder(self._codec)
        self._is_open = True
        self._frames_before = self.counters["frames"]
        self._out.clear()
        self._session.opened(at_mono_ns)
        return out

    def closed(self, at_mono_ns: int, why: str) -> list[AnyObservation]:
        """The byte path ended; `why` is one short phrase. One LinkLost for each life of the link."""
        out: list[AnyObservation] = []
        if not self._is_open:
            return out
        # a line that has ended is as quiet as a line can be
        self._taken(self._decoder.idle(), self._fed_ns, out)
        self._session.closed(at_mono_ns, why, out)
        self._session.commands.clear()
        self._out.clear()
        self._is_open = False
        return out

    def take(self, data: bytes, at_mono_ns: int) -> list[AnyObservation]:
        """Bytes as one read returned them; of a USB keyboard one transfer."""
        out: list[AnyObservation] = []
        if self._is_open and self._is_transfer is not None and not self._is_transfer(data):
            # its parts may look like reports, and a line that is begun has nothing to do with it
            self.counters[f"junk_{Reason.BAD_LENGTH.lower()}"] += 1
            self._session.foreign(at_mono_ns)
        elif self._is_open:
            self._fed_ns = self._quiet_ns = at_mono_ns
            self._taken(self._decoder.feed(data), at_mono_ns, out)
        else:
            self.counters["bytes_after_close"] += len(data)
        return out

    def tick(self, at_mono_ns: int) -> list[AnyObservation]:
        """A deadline came due. Early and repeated calls do no harm."""
        out: list[AnyObservation] = []
        if not self._is_open:
            return out
        if self._decoder.pending and at_mono_ns >= self._idle_due_ns():
            self._quiet_ns = at_mono_ns
            self._taken(self._decoder.idle(), self._fed_ns, out)
        self._session.has_begun = self._decoder.pending > 0
        self._session.tick(at_mono_ns, out)
        return out

    def next_deadline_ns(self) -> int | None:
        """When `tick` is due next: an idle gap, a question without an answer, silence, a key held down."""
        if not self._is_open:
            return None
        due_ns = self._session.next_deadline_ns()
        if self._decoder.pending:
            idle_ns = self._idle_due_ns()
            return idle_ns if due_ns is None else min(due_ns, idle_ns)
        return due_ns

    # -- towards the device

    def sends(self) -> list[bytes]:
        """The bytes to write to the device since the last call, one whole frame each."""
        commands = self._session.commands
        if commands:
            self._out += map(self._codec.encode, commands)
            commands.clear()
        if not self._out:
            return []
        sends, self._out = self._out, []
        return sends

    def set_light(self, lamp: int, pattern: str, red: int, green: int, blue: int, hold_ms: int) -> None:
        """Queue a lamp's new look, which it keeps for `hold_ms` (tablelink only; no effect while the link is
        closed). Raises ValueError on values that the device cannot take."""
        args: dict[str, int | str] = {
            "lamp": lamp,
            "pattern": pattern,
            "red": red,
            "green": green,
            "blue": blue,
            "hold_ms": hold_ms,
        }
        frame = self._codec.encode(HostCommand("set_light", args))
        if self._is_open:
            self._out.append(frame)

    def light_reports(self) -> list[LightReport]:
        """What lamps reported since the last call; of a flood only the newest."""
        reports = list(self._session.light_reports)
        self._session.light_reports.clear()
        return reports

    # -- how it stands

    @property
    def places(self) -> tuple[str, ...]:
        """The places of the device's antennas, each once."""
        return self.config.places

    @property
    def is_verified(self) -> bool:
        """Whether the device is proven to be the right one, alive, and owes no events."""
        return self._is_open and self._session.is_verified

    @property
    def has_proof(self) -> bool:
        """Whether the device is verified, and a whole frame of it was read since the path was opened."""
        has_frames = self.counters["frames"] > self._frames_before
        return self.is_verified and has_frames and self._session.has_spoken

    @property
    def identity(self) -> str | None:
        """Who the device is or must be, by its own word; None while that is not known."""
        return self._session.identity

    @property
    def refusal(self) -> str | None:
        """One sentence why the device is refused; None when nothing is held against it."""
        return self._session.refusal

    @property
    def waits_for(self) -> str | None:
        """One sentence: what people must do so that the device proves itself; None where nobody has to."""
        return self._session.waits_for

    # -- storage

    def snapshot(self) -> bytes:
        """All that decides the further answers, without presence. Call it when `sends` was drained."""
        return msgspec.msgpack.encode(
            LinkState(
                session=self._session.snapshot(),
                reader=self._reader.snapshot(),
                decoder=self._decoder.snapshot(),
                counters=dict(self.counters),
                presses=self._keys.presses,
                is_open=self._is_open,
                fed_ns=self._fed_ns,
                quiet_ns=self._quiet_ns,
            )
        )

    def restore(self, data: bytes) -> None:
        """Go on where the snapshot was taken; restore presence too. Raises ValueError on other bytes."""
        try:
            state = msgspec.msgpack.decode(data, type=LinkState)
            self._session.restore(state.session)
            self._reader.restore(state.reader)
        except msgspec.MsgspecError as error:
            raise ValueError(f"not a snapshot of the link to {self.config.name}: {error}") from error
        self._decoder.restore(state.decoder)
        self.counters.clear()
        self.counters.update(state.counters)
        self._keys.presses = dict(state.presses)
        self._is_open = state.is_open
        self._fed_ns = state.fed_ns
        self._quiet_ns = state.quiet_ns

    # -- inside

    def _taken(self, results: list[DecodedFrame | Junk], at_mono_ns: int, out: list[AnyObservation]) -> None:
        session, frames = self._session, 0
        for result in results:
            if type(result) is DecodedFrame:
                if result.messages:
                    frames += 1
                    session.raw = result.raw
                    session.take(result.messages, result.stamp, at_mono_ns, out)
            elif isinstance(result, Junk):
                self.counters[f"junk_{result.reason.lower()}"] += 1
                self._session.noise(at_mono_ns)
        self.counters["frames"] += frames

    def _idle_due_ns(self) -> int:
        return self._quiet_ns + self._decoder.idle_gap_ms * NS_PER_MS
