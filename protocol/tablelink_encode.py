"""tablelink, the way out: messages and host commands -> whole frames. Layouts as in `protocol.tablelink`."""

from collections.abc import Callable
from typing import Any

from protocol.envelopes import TABLELINK
from protocol.framing import frame_around
from protocol.messages import (
    Ack,
    CardDrawn,
    CardUnread,
    ClockSample,
    DealerEntry,
    DeviceFault,
    Heartbeat,
    Hello,
    HostCommand,
    KeyPressed,
    KeyReleased,
    LightReport,
    Message,
    PollEmpty,
    Refused,
    Stamp,
    TagGone,
    TagSeen,
)
from protocol.primitives import Value
from protocol.tablelink_layout import (
    ABSENT_AMOUNT,
    ABSENT_NUMBER,
    ABSENT_RSSI,
    CAPABILITIES,
    EVENT_TYPES,
    HOST_TYPES,
    LOWERED,
    PROTOCOL_VERSION,
    REPLAYED,
    REPORT_TYPES,
)

# what a message becomes: the name of its type, the name of its layout, the values after the header
Fields = tuple[str, str, tuple[Value, ...]]


def _tag(name: str, tag: str | None, *values: Value) -> Fields:
    layout = "card_drawn" if name == "CARD_DRAWN" else "tag"
    if tag is None:
        raise ValueError("tablelink sends no tag frame without a tag")
    return name, f"{layout}/{len(tag) // 2}", (*values, tag)


def _plain(message: Message, *absent: str) -> None:
    for field in absent:
        if getattr(message, field) is not None:
            raise ValueError(f"tablelink has no {field} in a {type(message).__name__}")


def _tag_seen(message: TagSeen, is_event: bool) -> Fields:
    _plain(message, "device_name")
    rssi = ABSENT_RSSI if message.rssi is None else message.rssi
    name = "TAG_SEEN" if is_event else "TAG_STILL"
    return _tag(name, message.tag, message.antenna, rssi, message.tag_type)


def _tag_gone(message: TagGone) -> Fields:
    return _tag("TAG_GONE", message.tag, message.antenna, ABSENT_RSSI, None)


def _card_drawn(message: CardDrawn) -> Fields:
    _plain(message, "card", "target", "context")
    return _tag("CARD_DRAWN", message.tag, message.face, None)


def _entry(message: DealerEntry) -> Fields:
    number = ABSENT_NUMBER if message.number is None else message.number
    amount = ABSENT_AMOUNT if message.amount is None else message.amount
    return "ENTRY", "entry", (message.word, number, amount)


def _hello(message: Hello) -> Fields:
    unknown = set(message.capabilities) - set(CAPABILITIES)
    if unknown:
        raise ValueError(f"no such capabilities: {', '.join(sorted(unknown))}")
    version = [int(part) for part in message.firmware.split(".")]
    if len(version) != 3:
        raise ValueError(f"firmware {message.firmware!r} is not of the form 1.2.3")
    bits = sum(1 << bit for bit, name in enumerate(CAPABILITIES) if name in message.capabilities)
    counts = (message.antennas, message.keys, message.lamps)
    ring = (0, 0) if message.oldest_seq is None else (1, message.oldest_seq)
    numbers: tuple[int, ...] = (*version, message.boot_id, bits, *counts, *ring)
    return "HELLO", "hello", (PROTOCOL_VERSION, message.device_id, *numbers)


def _heartbeat(message: Heartbeat) -> Fields:
    counters = (message.polls, message.bad_replies, message.dropped_events)
    return "HEARTBEAT", "heartbeat", (message.boot_id, message.uptime_s, *counters)


def _light_report(message: LightReport) -> Fields:
    colour = (message.red, message.green, message.blue)
    return "LIGHT_REPORT", "light_report", (message.lamp, message.pattern, *colour, int(message.expired))


def _ack(message: Ack) -> Fields:
    if message.command == "resume":
        return "REPLAY_DONE", "replay_done", (message.status,)
    return "ACK", "ack", (message.command, message.status)


_FIELDS: dict[type[Message], Callable[[Any], Fields]] = {
    TagGone: _tag_gone,
    CardDrawn: _card_drawn,
    CardUnread: lambda message: ("CARD_UNREAD", "card_unread", (message.face,)),
    KeyPressed: lambda message: ("KEY_DOWN", "key", (message.key,)),
    KeyReleased: lambda message: ("KEY_UP", "key", (message.key,)),
    DealerEntry: _entry,
    DeviceFault: lambda message: ("FAULT", "fault", (message.code, int(message.cleared))),
    PollEmpty: lambda message: ("POLL_EMPTY", "poll_empty", (message.antenna,)),
    Hello: _hello,
    Heartbeat: _heartbeat,
    LightReport: _light_report,
    ClockSample: lambda message: ("CLOCK_SAMPLE", "clock_sample", (message.token, message.at_device_ms)),
    Ack: _ack,
    Refused: lambda message: ("REFUSED", "refused", (message.command, message.status)),
}


def _fields_of(message: Message, is_event: bool) -> Fields:
    if isinstance(message, TagSeen):
        return _tag_seen(message, is_event)
    give = _FIELDS.get(type(message))
    if give is None:
        raise ValueError(f"tablelink has no frame for a {type(message).__name__}")
    return give(message)


def encode(message: Message, stamp: Stamp) -> bytes:
    """The whole frame with which a device says `message`.

    A TagSeen is TAG_SEEN in an event's stamp and TAG_STILL in a report's. Raises ValueError on a message or
    a value that the link cannot carry, on a stamp of the wrong class, and on a replayed report.
    """
    name, layout, values = _fields_of(message, stamp.is_event)
    if (name in EVENT_TYPES) != stamp.is_event:
        raise ValueError(f"{name} is no {'event' if stamp.is_event else 'report'}, as its stamp says")
    if stamp.is_replay and not stamp.is_event:
        raise ValueError(f"{name} is a report, and reports are never replayed")
    if layout not in LOWERED:
        raise ValueError(f"tablelink carries no tag of {layout.rpartition('/')[2]} bytes")
    number = EVENT_TYPES[name] if stamp.is_event else REPORT_TYPES[name]
    header = (number | REPLAYED if stamp.is_replay else number, stamp.seq, stamp.at_device_ms)
    return frame_around(TABLELINK, LOWERED[layout].build(*header, *values))


def encode_command(command: HostCommand) -> bytes:
    """The whole frame of a host command; its arguments are the fields of the layout. Raises ValueError."""
    if command.command not in HOST_TYPES:
        raise ValueError(f"tablelink has no command {command.command!r}")
    layout = LOWERED[command.command]
    names = layout.names[1:]
    if set(command.args) != set(names):
        raise ValueError(f"{command.command} takes {', '.join(names) or 'no arguments'}")
    values = [command.args[name] for name in names]
    return frame_around(TABLELINK, layout.build(HOST_TYPES[command.command], *values))
