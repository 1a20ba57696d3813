"""The golden journals: whole hands as text, every input and every conclusion, from which a journal is made.

    {"record":"bridge.opened","at":1000000000000,"body":{...}}
    {"input":"chunk","device":"reader-1","at":1000000401000,"hex":"7E12..."}
    {"record":"event","at":1000000401000,"body":{...}}

They lie in `shoe_bridge/runtime/golden`, one file a plan, and are made from simulated devices in virtual
time, so that the same code makes the same bytes. After a change that is meant to change what is concluded,
make them anew and read the difference before it is committed:

    python -m shoe_bridge.cli.golden
"""

import sys
import tempfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import msgspec

from shoe_bridge.cli.demo_table import DemoPlan
from shoe_bridge.cli.rehearsal import rehearse
from shoe_bridge.journal import InputRow, Journal, JournalReader, RecordRow

PLANS = {
    "holdem": DemoPlan(seed=7, hands=1, game="holdem", seats=4, error="order_error", pace_ms=1200),
    "manila3": DemoPlan(seed=7, hands=1, game="manila3", seats=3, error="missing_burn", pace_ms=1200),
}
_BOOT_ID = "golden"
_PACKAGE = "shoe_bridge.runtime"


class Input(msgspec.Struct, frozen=True):
    """One raw input; `hex` are its bytes."""

    input: str
    device: str
    at: int
    hex: str


class Record(msgspec.Struct, frozen=True):
    """One audit record of the bridge; `body` is kept byte for byte."""

    record: str
    at: int
    body: msgspec.Raw


def names() -> list[str]:
    """The golden journals that come with this build."""
    files = resources.files(_PACKAGE).joinpath("golden").iterdir()
    return sorted(file.name.removesuffix(".jsonl") for file in files if file.name.endswith(".jsonl"))


def text_of(name: str) -> bytes:
    """The stored golden journal of that name. Raises FileNotFoundError."""
    return resources.files(_PACKAGE).joinpath("golden", f"{name}.jsonl").read_bytes()


def make(name: str) -> bytes:
    """The golden journal as this code makes it. Raises KeyError for a name without a plan."""
    with tempfile.TemporaryDirectory(prefix="shoe-bridge-golden-") as folder:
        for _ in rehearse(PLANS[name], Path(folder), _BOOT_ID):
            pass
        with JournalReader(Path(folder, "state")) as reader:
            return b"".join(msgspec.json.encode(line) + b"\n" for line in _lines(reader))


def unfold(text: bytes, state_folder: Path) -> None:
    """Make the journal of a golden text in `state_folder`. Raises msgspec.DecodeError on a damaged text."""
    journal = Journal.open(state_folder, table="golden", boot_id=_BOOT_ID, now_wall_ns=lambda: 0)
    try:
        for line in text.splitlines():
            if line.startswith(b'{"input"'):
                given = msgspec.json.decode(line, type=Input)
                journal.append_input(given.input, given.device, given.at, bytes.fromhex(given.hex))
            else:
                record = msgspec.json.decode(line, type=Record)
                journal.append_record(record.record, record.at, bytes(record.body))
    finally:
        journal.close()


def _lines(reader: JournalReader) -> Iterator[Input | Record]:
    """The journal's rows in the order in which they were appended; its own records are left out."""
    inputs = reader.inputs()
    given = next(inputs, None)
    for record in reader.records():
        while given is not None and given.n <= record.input_n:
            yield _input_line(given)
            given = next(inputs, None)
        if not record.kind.startswith("journal."):
            yield _record_line(record)
    while given is not None:
        yield _input_line(given)
        given = next(inputs, None)


def _input_line(row: InputRow) -> Input:
    return Input(row.kind, row.device, row.at_mono_ns, row.data.hex().upper())


def _record_line(row: RecordRow) -> Record:
    return Record(row.kind, row.at_mono_ns, msgspec.Raw(row.body))


def main() -> int:
    """Make all golden journals anew, in the source tree."""
    folder = Path(str(resources.files(_PACKAGE).joinpath("golden")))
    folder.mkdir(exist_ok=True)
    for name in PLANS:
        text = make(name)
        (folder / f"{name}.jsonl").write_bytes(text)
        print(f"{folder / name}.jsonl: {len(text.splitlines())} lines, {len(text)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
