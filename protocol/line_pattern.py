r"""Patterns for lines that other people's firmware prints: regular expressions with named groups, made safe.

A pattern comes from a configuration and the lines come from a device, so a pattern may not be able to take
long, whatever the line. The engine backtracks: the time of a match is bounded by the number of ways in which
the pattern's repeats and choices can be gone through. That number is computed when the pattern is read:

    one character                     1
    one after the other               product
    choice                            sum
    repeat, from m to n times         sum over k = m..n of (ways of what is repeated) to the power of k

A repeat without an end is bounded by the longest line. Nested repeats such as `(a+)+` come out astronomical
and are refused, `\d{1,3}` in place of `\d+` brings an honest pattern below the bound. Look-around and
back-references, whose cost this does not bound, are refused.

| group | says |
|---|---|
| `uid` | the tag in hex; blanks, colons and dashes between its bytes are fine |
| `bytes` | the tag as decimal numbers 0 to 255, one per byte |
| `dec4`, `dec5`, `dec7`, `dec8` | the tag as one decimal integer of so many bytes, most significant first |
| `card` | the card's name, where the firmware knows the deck |
| `antenna`, `player` | number of the antenna; of the player, which is the antenna's number there |
| `gone`, `empty` | matched at all: the tag left; no tag is there |
| `rssi`, `type`, `name` | signal strength, tag type, the device's own name |
"""

import re
from collections.abc import Iterable
from re import _constants as _op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import msgspec

from protocol.line_firsts import ANY, firsts_of

LONGEST_LINE = 256
LONGEST_PATTERN = 512
MOST_WAYS = 250_000

DECIMAL_GROUPS = {"dec4": 4, "dec5": 5, "dec7": 7, "dec8": 8}
IDENTITY_GROUPS = ("uid", "bytes", *DECIMAL_GROUPS, "card")
GROUPS = frozenset((*IDENTITY_GROUPS, "antenna", "player", "gone", "empty", "rssi", "type", "name"))

_SINGLE = {_op.LITERAL, _op.NOT_LITERAL, _op.ANY, _op.IN, _op.AT}
_REPEATS = {_op.MAX_REPEAT, _op.MIN_REPEAT, _op.POSSESSIVE_REPEAT}


class LinePattern(msgspec.Struct, frozen=True):
    """One pattern, ready to be held against whole lines: a line that fits begins with one of `firsts`, and is
    empty only where "" is one of them."""

    source: str
    regex: re.Pattern[str]
    firsts: frozenset[str]

    def match(self, line: str) -> dict[str, str] | None:
        """The named groups that took part, or None where the line as a whole does not fit."""
        found = self.regex.fullmatch(line)
        if found is None:
            return None
        groups: dict[str, str] = found.groupdict()
        if None not in groups.values():
            return groups
        return {name: text for name, text in groups.items() if text is not None}


def line_pattern(source: str) -> LinePattern:
    """The pattern `source`. Raises ValueError with what is wrong and the fix."""
    if len(source) > LONGEST_PATTERN:
        raise ValueError(f"the pattern has {len(source)} characters: use at most {LONGEST_PATTERN}")
    try:
        tree = _parser.parse(source, re.ASCII)
        regex = re.compile(source, re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"the pattern is no regular expression: {error}") from error
    strange = sorted(set(regex.groupindex) - GROUPS)
    if strange:
        raise ValueError(f"the pattern names a group {strange[0]!r}: use {', '.join(sorted(GROUPS))}")
    if not {*IDENTITY_GROUPS, "empty"} & set(regex.groupindex):
        raise ValueError("the pattern names no tag: give it a group such as (?P<uid>[0-9A-F]{8,20})")
    if _ways(tree) > MOST_WAYS:
        raise ValueError(r"the pattern could take too long: bound its repeats, such as \d{1,3} for \d+")
    return LinePattern(source, regex, ANY if regex.flags & re.IGNORECASE else firsts_of(tree))


class LinePatterns:
    """Patterns in their order, and which of them a line may fit by its first character."""

    def __init__(self, patterns: Iterable[LinePattern]) -> None:
        self._all = tuple(patterns)
        self._by_first = {
            first: tuple(pattern for pattern in self._all if first in pattern.firsts) for first in sorted(ANY)
        }

    def may_fit(self, line: str) -> tuple[LinePattern, ...]:
        return self._by_first.get(line[:1], self._all)


def _ways(tree: Any) -> int:
    """In how many ways the engine can go through `tree`, counted up to just above the bound."""
    ways = 1
    for op, argument in tree:
        ways = min(ways * _ways_of(op, argument), MOST_WAYS + 1)
    return ways


def _ways_of(op: Any, argument: Any) -> int:
    if op in _SINGLE:
        return 1
    if op is _op.SUBPATTERN:
        return _ways(argument[-1])
    if op is _op.ATOMIC_GROUP:
        return _ways(argument)
    if op is _op.BRANCH:
        return sum(_ways(branch) for branch in argument[1])
    if op in _REPEATS:
        least, most, repeated = argument
        return _ways_of_repeat(int(least), min(int(most), LONGEST_LINE), _ways(repeated))
    raise ValueError("the pattern looks around or refers back: use plain groups, sets and bounded repeats")


def _ways_of_repeat(least: int, most: int, once: int) -> int:
    ways = 0
    for times in range(least, most + 1):
        # bounded first: a power of 256 is a number of many pages
        ways += once**times if once == 1 or times < 20 else MOST_WAYS + 1
        if ways > MOST_WAYS:
            return MOST_WAYS + 1
    return max(ways, 1)
