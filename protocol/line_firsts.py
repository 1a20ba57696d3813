"""With which characters a line begins that fits a pattern: what most patterns need not be held against."""

from re import _constants as _op  # type: ignore[attr-defined]
from typing import Any

# any character, or none at all where the whole may be empty
ANY = frozenset((*map(chr, range(0x100)), ""))
_REPEATS = {_op.MAX_REPEAT, _op.MIN_REPEAT, _op.POSSESSIVE_REPEAT}


def firsts_of(tree: Any) -> frozenset[str]:
    """The first characters of what `tree` fits, with "" where it fits the empty text: all that are possible,
    and where that is not plain from the tree, more. In the pattern, case must count."""
    firsts: frozenset[str] = frozenset(("",))
    for op, argument in tree:
        if "" not in firsts:
            break
        firsts = firsts - {""} | _firsts_of(op, argument)
    return firsts


def _firsts_of(op: Any, argument: Any) -> frozenset[str]:
    if op is _op.LITERAL:
        return frozenset((chr(argument),))
    if op is _op.IN:
        return frozenset().union(*(_members(*each) for each in argument))
    if op is _op.AT:
        return frozenset(("",))
    if op is _op.SUBPATTERN:
        _, added_flags, _, inner = argument
        return ANY if added_flags else firsts_of(inner)
    if op is _op.ATOMIC_GROUP:
        return firsts_of(argument)
    if op is _op.BRANCH:
        return frozenset().union(*map(firsts_of, argument[1]))
    if op in _REPEATS:
        least, _, repeated = argument
        return firsts_of(repeated) | ({""} if least == 0 else frozenset())
    return ANY


def _members(op: Any, argument: Any) -> frozenset[str]:
    """Those of one part of a set of characters."""
    if op is _op.LITERAL:
        return frozenset((chr(argument),))
    if op is _op.RANGE:
        first, last = argument
        return frozenset(map(chr, range(first, last + 1)))
    return ANY
