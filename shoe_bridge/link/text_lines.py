"""What a home-made reader's antennas are told by one line of it."""

from collections import Counter

from protocol.messages import CardDrawn, Message, PollEmpty, TagGone, TagSeen
from shoe_bridge.link.line_codecs import tag_of_name
from shoe_bridge.link.line_reader import LineReader
from shoe_bridge.table.observations import AnyObservation


def tell(
    message: Message,
    reader: LineReader,
    single: int | None,
    counters: Counter[str],
    at_mono_ns: int,
    out: list[AnyObservation],
) -> None:
    """Take what one line says to `reader`. `single` is its only antenna (None: it has several), for lines
    that name none. Chatter, and lines of the host where both directions are on the wire, tell nothing."""
    if isinstance(message, TagGone):
        antenna = single if message.antenna is None else message.antenna
        reader.tag_gone(antenna, message.tag, at_mono_ns, out)
        return
    if not isinstance(message, TagSeen | PollEmpty | CardDrawn):
        return
    number = _number_in(message.target) if isinstance(message, CardDrawn) else message.antenna
    antenna = single if number is None else number
    if antenna is None:
        counters["no_antenna"] += 1
    elif isinstance(message, TagSeen):
        reader.tag_seen(antenna, message.tag, message.rssi, at_mono_ns, out)
    elif isinstance(message, PollEmpty):
        reader.poll_empty(antenna, at_mono_ns, out)
    elif message.card is not None:
        reader.tag_seen(antenna, tag_of_name(message.card), None, at_mono_ns, out)


def _number_in(target: str | None) -> int | None:
    """The number of `player 3` and `reader 3`."""
    return None if target is None else int(target.rpartition(" ")[2])
