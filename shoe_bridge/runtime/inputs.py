"""How an input is kept in the journal's raw table: its kind, its device, its time, and bytes."""

import msgspec

from shoe_bridge.runtime.ports import Chunk, Input, LinkClosed, LinkOpened, Tick

_decode = msgspec.json.decode


class _Closing(msgspec.Struct, frozen=True):
    generation: int
    why: str


def to_row(given: Input) -> tuple[str, str, int, bytes]:
    """(kind, device, at_mono_ns, data) of an input."""
    match given:
        case Chunk(device=device, at_mono_ns=at, data=data):
            return "chunk", device, at, data
        case Tick(device=device, at_mono_ns=at):
            return "tick", device, at, b""
        case LinkOpened(device=device, at_mono_ns=at, generation=generation):
            return "opened", device, at, str(generation).encode()
        case LinkClosed(device=device, at_mono_ns=at, generation=generation, why=why):
            return "closed", device, at, msgspec.json.encode(_Closing(generation, why))


def from_row(kind: str, device: str, at_mono_ns: int, data: bytes) -> Input:
    """The input of a row. ValueError for a kind or bytes that no bridge writes."""
    if kind == "chunk":
        return Chunk(device, at_mono_ns, data)
    if kind == "tick":
        return Tick(device, at_mono_ns)
    if kind == "opened":
        return LinkOpened(device, at_mono_ns, int(data))
    if kind == "closed":
        closing = _decode(data, type=_Closing)
        return LinkClosed(device, at_mono_ns, closing.generation, closing.why)
    raise ValueError(f"{kind!r} is no kind of input")
