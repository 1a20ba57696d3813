"""Which tag a typed text names. Keyboard-wedge readers type a tag's identity in ways of their own.

A rule is a few words:

    base         `hex`: hex digits; `decimal`: one decimal integer
    `reversed`   the bytes are typed the other way round
    `first N`    only the first N bytes of the tag are typed, `last N`: only the last N

`decimal reversed first 4` is a reader that takes the first four bytes, last one first, as one number. Without
a rule a text names nothing but itself: the same digits are another tag under another rule.
"""

import re

import msgspec

from protocol.messages import Failure, Reason

_RULE = re.compile(r"(hex|decimal)( reversed)?(?: (first|last) ([1-9]))?")
_SENTINELS = ";%?"
TAG_SIZES = (4, 7, 8, 10)
LEAST_BYTES = 3
MOST_DIGITS = 24
LEAST_DECIMALS = 8  # readers pad with zeros, so that a shorter number has lost its first digits


class TypedRule(msgspec.Struct, frozen=True):
    """How a reader types a tag. `size` bytes of it at its `end` (`first`, `last`; None: all of it)."""

    is_decimal: bool
    is_reversed: bool
    end: str | None = None
    size: int = 0


def typed_rule(text: str) -> TypedRule:
    """The rule that the words of `text` name. Raises ValueError on others."""
    found = _RULE.fullmatch(" ".join(text.split()))
    if found is None or (found[4] is not None and int(found[4]) < LEAST_BYTES):
        raise ValueError(
            f"{text!r} is no rule for typed tags: use hex or decimal, then reversed, then first N or last N"
            f" with N from {LEAST_BYTES} to 9"
        )
    base, is_reversed, end, size = found.groups()
    return TypedRule(base == "decimal", is_reversed is not None, end, int(size or 0))


def tag_typed(text: str, rule: TypedRule) -> str | Failure:
    """The tag, or the part of one, that `text` names: upper-case hex, most significant byte first."""
    digits = text.strip().strip(_SENTINELS).strip()
    if not digits or len(digits) > MOST_DIGITS:
        return Failure(Reason.IMPLAUSIBLE, f"{text!r} is no tag")
    raw = _decimal(digits, rule) if rule.is_decimal else _hex(digits, rule)
    if raw is None:
        return Failure(Reason.IMPLAUSIBLE, f"{text!r} does not fit the rule for typed tags")
    return (raw[::-1] if rule.is_reversed else raw).hex().upper()


def _decimal(digits: str, rule: TypedRule) -> bytes | None:
    """A number says nothing of its leading zero bytes: its size is the rule's, or the least size of a tag."""
    if not (digits.isascii() and digits.isdigit()) or len(digits) < LEAST_DECIMALS:
        return None
    number = int(digits)
    sizes = (rule.size,) if rule.end else TAG_SIZES
    return next((number.to_bytes(size, "big") for size in sizes if not number >> 8 * size), None)


def _hex(digits: str, rule: TypedRule) -> bytes | None:
    try:
        raw = bytes.fromhex(digits)
    except ValueError:
        return None
    return raw if len(raw) in ((rule.size,) if rule.end else TAG_SIZES) else None


def is_of_tag(typed: str, tag: str, rule: TypedRule) -> bool:
    """Whether `typed` (what `tag_typed` gave) is what a reader of that rule makes of the whole tag `tag`."""
    if rule.end == "first":
        return tag[: 2 * rule.size] == typed
    return tag.endswith(typed) if rule.end == "last" else tag == typed


def text_of(tag: str, rule: TypedRule) -> str:
    """What a reader of that rule types for `tag` (hex): ten decimal digits and more, or hex digits."""
    raw = bytes.fromhex(tag)
    if rule.end is not None:
        raw = raw[: rule.size] if rule.end == "first" else raw[-rule.size :]
    if rule.is_reversed:
        raw = raw[::-1]
    return f"{int.from_bytes(raw, 'big'):010d}" if rule.is_decimal else raw.hex().upper()
