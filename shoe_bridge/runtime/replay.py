"""Replay: take a journal's inputs again, with no devices and no clock, and compare what is concluded.

A journal is a row of runs, each beginning with a `bridge.opened` record that holds all the run started
from. The inputs after it are taken by the same core that took them live.
"""

from collections.abc import Callable, Iterator

import msgspec

from shoe_bridge.errors import JournalError
from shoe_bridge.journal import JournalReader, RecordRow
from shoe_bridge.rules.book import open_book
from shoe_bridge.runtime.core import NOTHING, TABLE, Core, Step
from shoe_bridge.runtime.inputs import from_row
from shoe_bridge.runtime.opening import OPENED, REFUSED, Opening, read_record

_CONCLUSIONS = ("event", "change", "alert")
_CLEAN = "journal.clean_stop"


class Run(msgspec.Struct):
    """One run of the bridge as the journal has it: inputs from `first_input_n` on, up to `last_input_n`.
    `number` counts from 1; 0 is a start that was refused, which is no run of the table."""

    opened: Opening
    boot_id: str
    at_mono_ns: int
    first_input_n: int
    last_input_n: int | None = None
    is_clean: bool = False
    number: int = 0
    is_whole: bool = True

    @property
    def words(self) -> str:
        return f"run {self.number}" if self.number else "a start that was refused"


class Verdict(msgspec.Struct, frozen=True):
    """What a verification found. `problems` is empty when the journal is sound and says the same again;
    `notes` name the runs that cannot be replayed any more because their raw inputs are gone, which is no
    contradiction. `refused` are starts that were refused and are no runs."""

    runs: int
    inputs: int
    events: int
    findings: int
    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()
    refused: int = 0


def runs_of(reader: JournalReader) -> list[Run]:
    """The runs of a journal, in order. JournalError when it holds none that can be replayed."""
    runs, refused = list[Run](), set[int]()
    for record in reader.records():
        if record.kind == OPENED:
            if runs:
                runs[-1].last_input_n = record.input_n
            opened = read_record(record.body)
            runs.append(Run(opened, record.boot_id, record.at_mono_ns, record.input_n + 1))
        elif runs and record.kind == REFUSED:
            refused.add(len(runs) - 1)
        elif runs and record.kind == _CLEAN:
            runs[-1].is_clean = True
    if not runs:
        if reader.is_folder:
            raise JournalError(
                f"{reader.folder} holds no run of a bridge yet: start one with `shoe-bridge run`."
            )
        raise JournalError(
            f"{reader.volumes[0]} does not hold the start of a run: give the whole state folder instead."
        )
    for number, at in enumerate((at for at in range(len(runs)) if at not in refused), start=1):
        runs[at].number = number
    for first_n, last_n, _ in reader.lost_inputs():
        for run in runs:
            if first_n <= (run.last_input_n or last_n) and last_n >= run.first_input_n:
                run.is_whole = False
    return runs


def steps_of(
    reader: JournalReader, run: Run, on_input: Callable[[int], None] | None = None
) -> Iterator[tuple[Core, Step]]:
    """Take the run's inputs again; each step that led to something, with the core after it."""
    opened = run.opened
    core = Core(opened.setup, opened.links, open_book(opened.profile), opened.state)
    core.restore(opened.stored)
    if opened.is_resumed:
        yield core, core.resume(run.at_mono_ns)
    for row in reader.inputs(run.first_input_n - 1):
        if run.last_input_n is not None and row.n > run.last_input_n:
            return
        if on_input is not None:
            on_input(row.n)
        try:
            step = core.take(from_row(row.kind, row.device, row.at_mono_ns, row.data))
        except Exception:  # it failed live too: that is on the record, and the link began anew
            continue
        if row.device != TABLE:
            core.links[row.device].sends()
            core.links[row.device].light_reports()
        if step is not NOTHING:
            yield core, step


def bodies_of(step: Step) -> list[tuple[str, bytes]]:
    """The audit records of a step, kind and body, in the order in which they are appended."""
    return [
        *(("event", msgspec.json.encode(event)) for event in step.events),
        *(("change", msgspec.json.encode(change)) for change in step.changes),
        *(("alert", msgspec.json.encode(alert)) for alert in step.alerts),
    ]


def verify(reader: JournalReader, on_input: Callable[[int], None] | None = None) -> Verdict:
    """Check the journal's own proof, then every conclusion in it."""
    problems, notes = list(reader.check()), list[str]()
    inputs = events = findings = 0

    def count(n: int) -> None:
        nonlocal inputs
        inputs += 1
        if on_input is not None:
            on_input(n)

    try:
        runs = runs_of(reader)
    except JournalError as error:
        # the damage that stopped the check may be what stops this
        return Verdict(0, 0, 0, 0, tuple(dict.fromkeys((*problems, str(error)))))
    recorded = _conclusions_by_run(reader)
    for run, rows in zip(runs, recorded, strict=True):
        if not run.is_whole:
            notes.append(
                f"{run.words}: raw inputs of it are gone (pruned or dropped): it cannot be replayed."
            )
            continue
        made: list[tuple[str, bytes]] = []
        for _, step in steps_of(reader, run, count):
            made += bodies_of(step)
            events += len(step.events)
            findings += len(step.changes)
        problems += _compare(run, rows, made)
    refused = sum(not run.number for run in runs)
    return Verdict(len(runs) - refused, inputs, events, findings, tuple(problems), tuple(notes), refused)


def _conclusions_by_run(reader: JournalReader) -> list[list[RecordRow]]:
    found: list[list[RecordRow]] = []
    for record in reader.records():
        if record.kind == OPENED:
            found.append([])
        elif found and record.kind in _CONCLUSIONS:
            found[-1].append(record)
    return found


def _compare(run: Run, rows: list[RecordRow], made: list[tuple[str, bytes]]) -> list[str]:
    """The first difference of a run. A run that was killed may have inputs whose conclusions never reached
    the disk: nothing had been done on them outside, so they are no contradiction."""
    for row, (kind, body) in zip(rows, made, strict=False):
        if (row.kind, row.body) != (kind, body):
            return [
                f"{run.words}, record {row.n}: the journal says {row.kind} {_short(row.body)}, "
                f"the replay says {kind} {_short(body)}."
            ]
    if len(rows) > len(made):
        row = rows[len(made)]
        return [f"{run.words}, record {row.n}: the replay does not come to {row.kind} {_short(row.body)}."]
    if len(made) > len(rows) and run.is_clean:
        kind, body = made[len(rows)]
        return [f"{run.words}: the journal lacks {kind} {_short(body)}, to which the replay comes."]
    return []


def _short(body: bytes) -> str:
    text = body.decode("utf-8", "replace")
    return text if len(text) <= 160 else text[:157] + "..."
