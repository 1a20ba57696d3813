"""The only objects that leave `protocol`: what one body said, as frozen values.

Shapes follow one rule: an absent value is None, never 0. A tag is upper-case hex, most significant byte
first (`E0` leads for ISO 15693), without a check byte. A card is rank then suit: `9d`, `Th`, `As`.
"""

from enum import StrEnum

import msgspec


class Reason(StrEnum):
    """Why bytes did not become a message: the closed set of decode failures."""

    TOO_SHORT = "TOO_SHORT"  # the body ends inside a field
    TOO_LONG = "TOO_LONG"  # the length field names more than the longest frame
    BAD_CHECK = "BAD_CHECK"  # the checksum does not fit
    BAD_LENGTH = "BAD_LENGTH"  # the length field contradicts itself or names less than the shortest frame
    UNKNOWN_ID = "UNKNOWN_ID"  # no body of that name exists for this device
    TRAILING = "TRAILING"  # bytes stand behind the last field
    IMPLAUSIBLE = "IMPLAUSIBLE"  # begins no frame, or a value that no such device can send
    LINE_ERROR = "LINE_ERROR"  # the line reported a framing, parity or overrun error
    IDLE_EXPIRED = "IDLE_EXPIRED"  # a frame was begun and the line went quiet


class Message(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag=True):
    """Base of all messages; `kind` on the outside is the class name."""


class TagSeen(Message, frozen=True, gc=False, tag=True):
    """A tag answered at an antenna. `rssi` in dB or device units as the spec page of the device says."""

    tag: str
    antenna: int | None = None
    rssi: int | None = None
    tag_type: str | None = None
    device_name: str | None = None


class TagGone(Message, frozen=True, gc=False, tag=True):
    """The device says that a tag which it saw before was not there in a clean poll."""

    tag: str
    antenna: int | None = None


class PollEmpty(Message, frozen=True, gc=False, tag=True):
    """A clean answer that no tag is there."""

    antenna: int | None = None


class CardDrawn(Message, frozen=True, gc=False, tag=True):
    """A card left the shoe. `face` is what the shoe's face sensor saw: `up`, `down` or None."""

    card: str | None = None
    tag: str | None = None
    target: str | None = None
    context: str | None = None
    face: str | None = None


class CardUnread(Message, frozen=True, gc=False, tag=True):
    """A card passed the shoe mouth and could not be read."""

    face: str | None = None


class KeyPressed(Message, frozen=True, gc=False, tag=True):
    key: int


class KeyReleased(Message, frozen=True, gc=False, tag=True):
    key: int


class KeysDown(Message, frozen=True, gc=False, tag=True):
    """All keys that are down, by their numbers, where a device tells that and not what changed. None: it
    cannot tell, because they are too many at once."""

    keys: tuple[int, ...] | None


class DealerEntry(Message, frozen=True, gc=False, tag=True):
    """What the dealer entered on the pad: a word of `ENTRY_WORDS`, a seat or card number, cents."""

    word: str
    number: int | None = None
    amount: int | None = None


class ShoeReport(Message, frozen=True, gc=False, tag=True):
    """`what`: started, standby, cut_card, locked, unlocked, result, preset."""

    what: str
    value: str | None = None


class DeviceFault(Message, frozen=True, gc=False, tag=True):
    code: int
    text: str | None = None
    cleared: bool = False


class DeviceInfo(Message, frozen=True, gc=False, tag=True):
    firmware: str | None = None
    hardware: str | None = None
    model: str | None = None
    device_name: str | None = None


class Ack(Message, frozen=True, gc=False, tag=True):
    """The device carried out a command. `command` is its name in the device's spec page."""

    command: str
    status: int = 0
    text: str | None = None


class Refused(Message, frozen=True, gc=False, tag=True):
    command: str
    status: int
    text: str | None = None


class Hello(Message, frozen=True, gc=False, tag=True):
    """A tablelink device names itself. `device_id` is 8 bytes as upper-case hex; `oldest_seq` is the oldest
    event that it can still replay (None when it holds none); `capabilities` are names."""

    device_id: str
    firmware: str
    boot_id: int
    capabilities: tuple[str, ...] = ()
    antennas: int = 0
    keys: int = 0
    lamps: int = 0
    oldest_seq: int | None = None


class Heartbeat(Message, frozen=True, gc=False, tag=True):
    """Sign of life with counters since boot; `uptime_s` in seconds."""

    boot_id: int
    uptime_s: int
    polls: int
    bad_replies: int
    dropped_events: int


class LightReport(Message, frozen=True, gc=False, tag=True):
    """What a lamp shows now. `expired`: the host's promise ran out and the lamp fell back by itself."""

    lamp: int
    pattern: str
    red: int
    green: int
    blue: int
    expired: bool = False


class ClockSample(Message, frozen=True, gc=False, tag=True):
    """The device's clock when it answered the host's token; `at_device_ms` in ms since its boot."""

    token: int
    at_device_ms: int


class TypedLine(Message, frozen=True, gc=False, tag=True):
    text: str


class HostCommand(Message, frozen=True, gc=False, tag=True):
    """A frame of the host, where both directions are recorded; also what `encode` takes."""

    command: str
    args: dict[str, int | str] = {}


class UnknownBody(Message, frozen=True, gc=False, tag=True):
    """A checksum-valid body of a command that is not in our tables: kept, never guessed at."""

    command: int
    hex: str


class Stamp(msgspec.Struct, frozen=True, gc=False):
    """Numbering that some devices put on each frame (tablelink).

    `seq` counts events modulo 65536: an event carries its own number, a report the number of the newest
    event. `at_device_ms` is the device's clock in ms since its boot, modulo 2**32.
    """

    seq: int
    is_event: bool
    is_replay: bool
    at_device_ms: int


class Decoded(msgspec.Struct, frozen=True, gc=False):
    """What one body meant: its messages in order, and its stamp if the device numbers its frames."""

    messages: tuple[Message, ...]
    stamp: Stamp | None = None


class Failure(msgspec.Struct, frozen=True):
    """A body that could not be decoded: the reason and one sentence for the log."""

    reason: Reason
    detail: str = ""
