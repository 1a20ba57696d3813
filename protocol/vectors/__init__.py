"""Documented byte strings with their meaning: one JSON object per line and device, in `<kind>.jsonl`.

`hex` is a whole stream; `expect` are the lines that `decode --json` prints for it, without `stamp` where the
device numbers no frames. `source` says where the bytes come from.
"""

from importlib.resources import files
from typing import Any

import msgspec


class Vector(msgspec.Struct, frozen=True):
    name: str
    hex: str
    expect: list[dict[str, Any]]
    source: str

    @property
    def stream(self) -> bytes:
        return bytes.fromhex(self.hex)

    @property
    def is_negative(self) -> bool:
        """Whether some of its bytes do not become a message."""
        return any(line["type"] != "frame" for line in self.expect)


def vectors_of(kind: str) -> list[Vector]:
    """The vectors of one kind of device. Raises FileNotFoundError for a kind that has none."""
    lines = (files("protocol.vectors") / f"{kind}.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Vector) for line in lines]
