"""How a table's deck stands, from its journal: the recorded events folded once more, to their end."""

from collections.abc import Callable
from typing import Any

import msgspec

from shoe_bridge.cli.counted import counted
from shoe_bridge.errors import JournalError
from shoe_bridge.feed.events import rfc3339
from shoe_bridge.journal import JournalReader
from shoe_bridge.rules.book import open_book
from shoe_bridge.runtime.opening import OPENED, read_record
from shoe_bridge.table.fold import Fold
from shoe_bridge.table.observations import Event
from shoe_bridge.table.proof import Proof, Unlocated, proof_of
from shoe_bridge.table.state import TableState


class _Numbered(msgspec.Struct):
    """An event of which nothing but its number is wanted."""

    seq: int


class DeckReport:
    """The proof of the deck at the end of a journal, and when each event that it names happened (wall time).

    JournalError when the journal holds no run of a bridge."""

    def __init__(self, reader: JournalReader, on_input: Callable[[int], None] | None = None) -> None:
        self.table, self.proof = _fold_all(reader, on_input)
        self._at_wall_ns = _wall_times(reader, self.proof)

    def line(self) -> dict[str, Any]:
        proof = self.proof
        line: dict[str, Any] = msgspec.to_builtins(proof)
        last = proof.last_proven
        return {
            "type": "proof",
            "table": self.table,
            **line,
            "last_proven": None if last is None else {**_named(last), "at": self._when(last.seq)},
            "hands_since": proof.hands_since,
            "says": proof.says,
            "unlocated": [
                {
                    "card": each.card,
                    "status": each.status,
                    "last": None
                    if each.last is None
                    else {**_named(each.last), "at": self._when(each.last.seq)},
                }
                for each in proof.unlocated
            ],
        }

    def text(self) -> str:
        proof = self.proof
        lines = [proof.says]
        if proof.hands_at_risk:
            lines.append(f"  hands at risk: {_runs(proof.hands_at_risk)}")
        located = f"{proof.located} of {counted(proof.cards, 'card')} {_are(proof.located)} located"
        lines.append(f"  {located}, {proof.unread} {_are(proof.unread)} not")
        if proof.is_sealed and proof.unread:
            lines.append("  which ones is not told while the hand is live")
        lines += [f"  {self._unlocated(each)}" for each in proof.unlocated]
        return "\n".join(lines)

    def _unlocated(self, each: Unlocated) -> str:
        if each.last is None:
            return f"{each.card} is {each.status} and was never seen"
        last = each.last
        when = f"event {last.seq}, {self._when(last.seq) or 'at an unknown time'}"
        return f"{each.card} is {each.status}, last seen at {last.place} in hand {last.hand} ({when})"

    def _when(self, seq: int) -> str | None:
        at = self._at_wall_ns.get(seq)
        return None if at is None else rfc3339(at)


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _fold_all(reader: JournalReader, on_input: Callable[[int], None] | None) -> tuple[str, Proof]:
    fold: Fold | None = None
    state: TableState | None = None
    for record in reader.records():
        if on_input is not None:
            on_input(record.input_n)
        if record.kind == OPENED:
            opened = read_record(record.body)
            fold = Fold(opened.setup, open_book(opened.profile))
            state = opened.state if opened.state is not None else fold.start()
        elif record.kind == "event" and fold is not None and state is not None:
            state, _ = fold.apply(state, msgspec.json.decode(record.body, type=Event))
    if fold is None or state is None:
        raise JournalError(
            f"{reader.folder} holds no start of a run, so no deck can be told: give a table's state folder."
        )
    return fold.setup.table, proof_of(state, fold.setup)


def _wall_times(reader: JournalReader, proof: Proof) -> dict[int, int]:
    wanted = {each.last.seq for each in proof.unlocated if each.last is not None}
    if proof.last_proven is not None:
        wanted.add(proof.last_proven.seq)
    found: dict[int, int] = {}
    for record in reader.records():
        if record.kind == "event":
            seq = msgspec.json.decode(record.body, type=_Numbered).seq
            if seq in wanted:
                found[seq] = record.at_wall_ns
    return found


def _named(struct: msgspec.Struct) -> dict[str, Any]:
    """Its fields by name: sightings travel as arrays."""
    return {name: getattr(struct, name) for name in struct.__struct_fields__}


def _runs(numbers: tuple[int, ...]) -> str:
    """`3, 5 to 9`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number])
    return ", ".join(" to ".join(map(str, run)) for run in runs)
