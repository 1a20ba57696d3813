"""Strict building blocks for bodies, on top of construct.

Every block fails on what it does not know: enums are closed, numbers have bounds, a struct ends where its
body ends. `lower` turns a struct of fixed fields into one `struct.Struct` when the module loads, so that the
construct definition stays the single source and decoding costs one C call.
"""

import struct as _struct
from collections.abc import Mapping
from typing import Any

import construct as cs

from protocol.messages import Failure, Reason

Value = int | str | bytes | None


class ClosedEnum(cs.Adapter):  # type: ignore[misc]
    """An integer field with a fixed set of meanings; any other value fails in both directions."""

    def __init__(self, subcon: Any, meanings: Mapping[int, Value]) -> None:
        super().__init__(subcon)
        self.meanings = dict(meanings)
        self.wire = {meaning: value for value, meaning in self.meanings.items()}
        if len(self.wire) != len(self.meanings):
            raise ValueError("a closed enum gives two wire values the same meaning")

    def _decode(self, obj: int, context: Any, path: str) -> Value:
        if obj not in self.meanings:
            raise cs.MappingError(f"value {obj} is not in the closed set", path=path)
        return self.meanings[obj]

    def _encode(self, obj: Value, context: Any, path: str) -> int:
        if obj not in self.wire:
            raise cs.MappingError(f"{obj!r} is not in the closed set", path=path)
        return self.wire[obj]


class TagUid(cs.Adapter):  # type: ignore[misc]
    """A tag's identity of `size` bytes, most significant first <-> upper-case hex."""

    def __init__(self, size: int) -> None:
        super().__init__(cs.Bytes(size))
        self.size = size

    def _decode(self, obj: bytes, context: Any, path: str) -> str:
        return obj.hex().upper()

    def _encode(self, obj: str, context: Any, path: str) -> bytes:
        return uid_bytes(obj, self.size)


def uid_bytes(tag: Value, size: int) -> bytes:
    """The `size` bytes of a tag given as hex. Raises ValueError when it is no such tag."""
    raw = bytes.fromhex(tag) if isinstance(tag, str) else b""
    if len(raw) != size:
        raise ValueError(f"{tag!r} is not a tag of {size} bytes")
    return raw


def closed(subcon: Any, meanings: Mapping[int, Value]) -> ClosedEnum:
    """The closed enum `meanings` (wire value -> meaning) over the integer field `subcon`."""
    return ClosedEnum(subcon, meanings)


def bounded(subcon: Any, low: int, high: int) -> ClosedEnum:
    """A small integer field whose value lies from `low` to `high`, both included."""
    return ClosedEnum(subcon, {value: value for value in range(low, high + 1)})


def flag() -> ClosedEnum:
    """One byte that is 0 or 1 and nothing else."""
    return bounded(cs.Int8ub, 0, 1)


def device_clock() -> Any:
    """The device's clock: ms since its boot, modulo 2**32, little-endian."""
    return cs.Int32ul


def exact_struct(*fields: Any) -> Any:
    """A struct that fails when a byte stands behind its last field."""
    return cs.Struct(*fields, cs.Terminated)


class HexOf(dict[bytes, str]):
    """Bytes -> upper-case hex. Remembers the tags of a few decks, because a reader names the same ones over
    and over; beyond that it works each out anew, so that strange tags cannot fill the memory."""

    ROOM = 4096

    def __missing__(self, raw: bytes) -> str:
        text = raw.hex().upper()
        if len(self) < self.ROOM:
            self[raw] = text
        return text


class Lowered:
    """A struct of fixed fields as one C call.

    `names` are the fields in wire order and `size` is the exact body length in bytes. `unpack` gives the wire
    values of a body of that length, with no meaning given to any. Made by `lower`.
    """

    __slots__ = ("_by_value", "_meanings", "_pack", "_uid_size", "names", "size", "unpack")

    def __init__(self, layout: _struct.Struct, names: tuple[str, ...], adapters: dict[int, Any]) -> None:
        self.names = names
        self.size = layout.size
        self.unpack = layout.unpack
        self._pack = layout.pack
        # field number -> wire value -> meaning
        self._meanings: tuple[tuple[int, dict[Any, Any]], ...] = tuple(
            (index, adapter.meanings if isinstance(adapter, ClosedEnum) else HexOf())
            for index, adapter in adapters.items()
        )
        self._by_value = {
            index: adapter.wire for index, adapter in adapters.items() if isinstance(adapter, ClosedEnum)
        }
        self._uid_size = {
            index: adapter.size for index, adapter in adapters.items() if isinstance(adapter, TagUid)
        }

    def parse(self, body: bytes) -> list[Any] | Reason:
        """The fields of `body` in the order of `names`, or why it is not one. Never raises."""
        if len(body) != self.size:
            return Reason.TOO_SHORT if len(body) < self.size else Reason.TRAILING
        row: list[Any] = [*self.unpack(body)]
        try:
            for index, meanings in self._meanings:
                row[index] = meanings[row[index]]
        except KeyError:
            return Reason.IMPLAUSIBLE
        return row

    def build(self, *values: Value) -> bytes:
        """The body that holds `values`, in the order of `names`. Raises ValueError if one does not fit."""
        row: list[Any] = list(values)
        if len(row) != len(self.names):
            raise ValueError(f"{len(row)} values for {len(self.names)} fields ({', '.join(self.names)})")
        for index, size in self._uid_size.items():
            row[index] = uid_bytes(row[index], size)
        for index, wire in self._by_value.items():
            if row[index] not in wire:
                raise ValueError(f"{self.names[index]} cannot be {row[index]!r}")
            row[index] = wire[row[index]]
        try:
            return self._pack(*row)
        except _struct.error as error:
            raise ValueError(f"a value does not fit its field ({', '.join(self.names)}): {error}") from error


def lower(definition: Any) -> Lowered:
    """Lower an exact struct of fixed fields (integers, fixed bytes, closed enums, tag uids).

    Raises TypeError at load time on a field that has no fixed form, on mixed byte orders, or on a struct that
    is not exact.
    """
    *fields, last = definition.subcons
    if last is not cs.Terminated:
        raise TypeError("only an exact struct can be lowered")
    orders: set[str] = set()
    letters: list[str] = []
    names: list[str] = []
    adapters: dict[int, Any] = {}
    for index, field in enumerate(fields):
        inner = field.subcon
        if isinstance(inner, ClosedEnum | TagUid):
            adapters[index] = inner
            inner = inner.subcon
        if isinstance(inner, cs.FormatField):
            order, letter = inner.fmtstr[0], inner.fmtstr[1:]
            if inner.length > 1:
                orders.add(order)
        elif isinstance(inner, cs.Bytes):
            letter = f"{inner.length}s"
        else:
            raise TypeError(f"field {field.name} has no fixed form")
        letters.append(letter)
        names.append(field.name)
    if len(orders) > 1:
        raise TypeError("a lowered struct has one byte order")
    layout = _struct.Struct((orders.pop() if orders else "<") + "".join(letters))
    return Lowered(layout, tuple(names), adapters)


def parsed(layout: Any, body: bytes, what: str) -> Any | Failure:
    """The container of one body, or why it is none. `what` the body is, for the log."""
    try:
        return layout.parse(body)
    except cs.StreamError:
        reason = Reason.TOO_SHORT
    except cs.TerminatedError:
        reason = Reason.TRAILING
    except cs.ConstructError:
        reason = Reason.IMPLAUSIBLE
    return Failure(reason, f"{what} of {len(body)} bytes")
