"""PN532: the targets in the chip's answers, one list of each kind. Sources: `spec/pn532.md`."""

from protocol.messages import Decoded, Failure, Message, PollEmpty, Reason, TagSeen, UnknownBody
from protocol.pn532_layout import (
    AUTO_POLL_TYPE_A,
    CASCADE_TAG,
    ISO14443_4,
    MOST_TARGETS,
    SIZE_AT,
    TAG_TYPES,
    TARGETS,
    UID_SIZES,
)


def kept_as_it_is(packet: bytes) -> Decoded:
    """A packet that is in no table here."""
    command = packet[1] if len(packet) > 1 else packet[0]
    return Decoded((UnknownBody(command, packet.hex().upper()),))


def _type_a(data: bytes, number: int, is_last: bool) -> tuple[TagSeen, int] | Failure:
    """The target `number` at the head of `data`, and how many bytes it takes."""
    if len(data) <= SIZE_AT:
        return Failure(Reason.TOO_SHORT, "a target")
    size = data[SIZE_AT]
    layout = TARGETS.get(size)
    if layout is None or data[0] != number:
        return Failure(Reason.IMPLAUSIBLE, f"target {data[0]} with a UID of {size} bytes")
    row = layout.parse(data[: layout.size])
    if not isinstance(row, list):
        return Failure(row, "the UID of a target")
    sak, tag = row[2], row[4]
    if size == UID_SIZES[0] and tag.startswith(CASCADE_TAG):
        return Failure(Reason.IMPLAUSIBLE, "half of a longer UID")
    taken = layout.size
    if sak & ISO14443_4 and (len(data) > taken or not is_last):
        ats_size = data[taken] if len(data) > taken else 0
        if not 1 <= ats_size <= len(data) - taken:
            return Failure(Reason.TOO_SHORT if ats_size else Reason.IMPLAUSIBLE, "the ATS of a target")
        taken += ats_size
    return TagSeen(tag, None, None, TAG_TYPES.get(sak) or f"SAK {sak:02X}"), taken


def listed(data: bytes) -> Decoded | Failure:
    """What a reply to `list_passive_target` says behind its command, where type A was asked for."""
    if not data:
        return Failure(Reason.TOO_SHORT, "a list without its count")
    count, rest = data[0], data[1:]
    if count > MOST_TARGETS:
        return Failure(Reason.IMPLAUSIBLE, f"{count} targets")
    seen: list[Message] = []
    for number in range(1, count + 1):
        found = _type_a(rest, number, number == count)
        if isinstance(found, Failure):
            return found
        seen.append(found[0])
        rest = rest[found[1] :]
    if rest:
        return Failure(Reason.TRAILING, "behind the last target")
    return Decoded(tuple(seen) or (PollEmpty(),))


def auto_polled(packet: bytes) -> Decoded | Failure:
    """What the packet of a reply to `auto_poll` says: a list, each target behind its type and length. One
    with any other type than A is kept as it is."""
    data = packet[2:]
    if not data:
        return Failure(Reason.TOO_SHORT, "a list without its count")
    count, rest = data[0], data[1:]
    if count > MOST_TARGETS:
        return Failure(Reason.IMPLAUSIBLE, f"{count} targets")
    seen: list[Message] = []
    for number in range(1, count + 1):
        if len(rest) < 2 or len(rest) < 2 + rest[1]:
            return Failure(Reason.TOO_SHORT, "a polled target")
        kind, size = rest[:2]
        if kind not in AUTO_POLL_TYPE_A:
            return kept_as_it_is(packet)
        found = _type_a(rest[2 : 2 + size], number, True)
        if isinstance(found, Failure):
            return found
        if found[1] != size:
            return Failure(Reason.TRAILING, "behind a polled target")
        seen.append(found[0])
        rest = rest[2 + size :]
    if rest:
        return Failure(Reason.TRAILING, "behind the last target")
    return Decoded(tuple(seen or (PollEmpty(),)))
