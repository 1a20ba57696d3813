"""FEIG OBID: the records of a buffer, and what tags they tell of. Sources: `spec/feig_obid.md`.

Body     address u8, 22, status u8 | TR-DATA1 u8, [TR-DATA2 u8] | count u16 BE | count records
Record   size u16 BE with itself | the fields that TR-DATA1 and TR-DATA2 name, in the order of `RECORDS`
"""

from collections.abc import Iterator
from typing import Any

from protocol.feig_layout import (
    HAS_ANTENNA_LIST,
    HAS_ANTENNAS,
    HAS_DATA,
    HAS_DATE,
    HAS_ID,
    HAS_INPUTS,
    HAS_MAC,
    HAS_STATISTICS,
    HAS_TIME,
    IS_EXTENDED,
    LONGEST_UID,
    RECORDS,
    TAG_TYPES,
)
from protocol.messages import Failure, Message, TagSeen
from protocol.primitives import HexOf, parsed

_TR_DATA_AT = 3
_HEX = HexOf()
_NUMBERS = [tuple(bit + 1 for bit in range(8) if mask >> bit & 1) or (None,) for mask in range(0x100)]
_IN_LIST = 6  # bytes of an antenna in a list: number, signal strength, phase u16, two that are reserved


def _sums(sizes: dict[int, int]) -> bytes:
    """For each byte of flags, the sizes of the fields whose flag is set, together."""
    return bytes(sum(size for flag, size in sizes.items() if flags & flag) for flags in range(0x100))


_TIMES = _sums({HAS_TIME: 4, HAS_DATE: 5})
_BEHIND_TIMES = _sums({HAS_ANTENNAS: 1})
_EXTRAS = _sums({HAS_STATISTICS: 7, HAS_INPUTS: 2, HAS_MAC: 6})


def tags_of_records(body: bytes) -> list[Message] | Failure:
    """One TagSeen for each antenna that a record names; without an antenna where it names none."""
    seen = walked(body)
    if seen is not None:
        return seen
    found = parsed(RECORDS, body, "records of a buffer")
    if isinstance(found, Failure):
        return found
    return [message for record in found.records for message in _tags_of(record)]


def _tags_of(record: Any) -> Iterator[TagSeen]:
    if record.tag is None:
        return
    tag, tag_type = record.tag.uid, TAG_TYPES.get(record.tag.tag_type)
    if record.antenna_list:
        for one in record.antenna_list:
            yield TagSeen(tag, one.number, one.rssi, tag_type)
        return
    for number in _NUMBERS[record.antennas or 0]:
        yield TagSeen(tag, number, tag_type=tag_type)


def walked(body: bytes) -> list[Message] | None:
    """The same without the layout, which takes twenty times as long, for sound records with an identity and
    no data; None for all others, of which the layout says what they are."""
    flags, at = body[_TR_DATA_AT], _TR_DATA_AT + 1
    if flags & (HAS_ID | HAS_DATA) != HAS_ID:
        return None
    more = 0
    if flags & IS_EXTENDED:
        more, at = body[at] if len(body) > at else 0, at + 1
    times, has_list = _TIMES[flags], more & HAS_ANTENNA_LIST
    fixed = times + _BEHIND_TIMES[flags] + _EXTRAS[more]
    count, at, stop = int.from_bytes(body[at : at + 2], "big"), at + 2, len(body)
    seen: list[Message] = []
    for _ in range(count):
        # size u16, type, description, size of the identity: five bytes, and all that is read below
        if at + 5 + fixed > stop:
            return None
        end, size = at + (body[at] << 8 | body[at + 1]), body[at + 4]
        uid_end = at + 5 + size
        if not uid_end + fixed <= end <= stop or not 1 <= size <= LONGEST_UID:
            return None
        tag, tag_type = _HEX[body[at + 5 : uid_end]], TAG_TYPES.get(body[at + 2])
        listed = _listed(body[uid_end + fixed : end]) if has_list else ()
        if listed is None or (not has_list and uid_end + fixed != end):
            return None
        if listed:
            seen += [TagSeen(tag, number, rssi, tag_type) for number, rssi in listed]
        else:
            mask = body[uid_end + times] if flags & HAS_ANTENNAS else 0
            for number in _NUMBERS[mask]:
                seen.append(TagSeen(tag, number, None, tag_type))
        at = end
    return seen if at == stop else None


def _listed(field: bytes) -> tuple[tuple[int, int], ...] | None:
    """Number and signal strength of each antenna in a list; None where it is none."""
    if not field or len(field) != 1 + _IN_LIST * field[0]:
        return None
    numbers = field[1::_IN_LIST]
    return None if 0 in numbers else tuple(zip(numbers, field[2::_IN_LIST], strict=True))
