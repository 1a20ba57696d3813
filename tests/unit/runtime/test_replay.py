"""Replay and verification: what a journal concluded must be concluded again, and nothing else."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from shoe_bridge.errors import JournalError
from shoe_bridge.journal import Journal, JournalReader
from shoe_bridge.runtime.core import Core
from shoe_bridge.runtime.inputs import to_row
from shoe_bridge.runtime.opening import OPENED, Opening, record_body
from shoe_bridge.runtime.ports import Chunk
from shoe_bridge.runtime.replay import bodies_of, runs_of, steps_of, verify

ERROR = ("shuffle", "cut", "deal 1 -> seat 1", "deal 2 -> seat 2")
encode = msgspec.json.encode
Body = tuple[str, bytes]


def opening_of(table: Any) -> Opening:
    core: Core = table.core
    return Opening(core.setup, tuple(link.config for link in core.links.values()), "nz-1999", None, {}, False)


def write(
    journal: Journal, table: Any, alter: Callable[[int, Body], Body | None] = lambda n, body: body
) -> None:
    """Write a run as the bridge does; `alter(n, body)` changes the n-th conclusion, or leaves it out."""
    journal.append_record(OPENED, 1, record_body(opening_of(table)))
    number = 0
    for given, step in table.taken:
        journal.append_input(*to_row(given))
        for body in bodies_of(step):
            number += 1
            altered = alter(number, body)
            if altered is not None:
                journal.append_record(altered[0], given.at_mono_ns, altered[1])


@pytest.fixture
def reader(state: Any) -> Callable[[], JournalReader]:
    return lambda: JournalReader(state)


def test_a_sound_journal_says_the_same_again(played, open_journal, reader):
    table = played(*ERROR)
    journal = open_journal()
    write(journal, table)
    journal.close()
    seen: list[int] = []
    verdict = verify(reader(), seen.append)
    assert verdict.problems == ()
    assert (verdict.runs, verdict.inputs) == (1, len(table.inputs))
    assert verdict.events == table.core.state.last_seq
    assert verdict.findings == 1
    assert seen == list(range(1, len(table.inputs) + 1))


def test_replayed_steps_are_the_live_ones(played, open_journal, reader):
    table = played(*ERROR)
    journal = open_journal()
    write(journal, table)
    journal.close()
    with reader() as stored:
        [run] = runs_of(stored)
        steps = [step for _, step in steps_of(stored, run)]
    assert encode(steps) == encode(table.steps)
    assert (run.is_clean, run.is_whole, run.first_input_n) == (True, True, 1)


def lie(n: int, body: Body) -> Body:
    if body[0] != "change":
        return body
    change = json.loads(body[1])
    change["finding"]["got"] = "seat 5"
    return "change", encode(change)


@pytest.mark.parametrize(
    ("alter", "said"),
    [
        (lie, "the journal says change"),
        (lambda n, body: None if body[0] == "alert" else body, "the journal lacks alert"),
        (lambda n, body: None if n == 3 else body, "the journal says"),
    ],
)
def test_a_journal_that_says_otherwise_is_found_out(played, open_journal, reader, alter, said):
    journal = open_journal()
    write(journal, played(*ERROR[:3]), alter)
    journal.close()
    [problem] = verify(reader()).problems
    assert said in problem
    assert problem.startswith("run 1")
    assert problem.endswith(".")
    assert "\n" not in problem


def test_a_conclusion_that_nothing_led_to_is_found_out(played, open_journal, reader):
    table = played(*ERROR)
    journal = open_journal()
    write(journal, table)
    journal.append_record("alert", 1, encode(table.steps[-1].events[0]))
    journal.close()
    [problem] = verify(reader()).problems
    assert "the replay does not come to alert" in problem


def test_a_killed_run_may_lack_its_last_conclusions(played, open_journal, reader):
    journal = open_journal()
    write(journal, played(*ERROR[:3]), lambda n, body: None if body[0] == "alert" else body)
    assert journal.sync(5)
    assert verify(reader()).problems == ()  # no clean stop yet: it may have been killed here
    journal.close()
    assert len(verify(reader()).problems) == 1


def test_each_run_starts_from_its_own_opening(played, open_journal, reader):
    first, second = played(*ERROR[:3]), played(*ERROR)
    for table in (first, second):
        journal = open_journal()
        write(journal, table)
        journal.close()
    verdict = verify(reader())
    assert verdict.problems == ()
    assert verdict.runs == 2
    assert verdict.inputs == len(first.inputs) + len(second.inputs)


def test_an_input_that_failed_live_is_passed_over(played, open_journal, reader):
    table = played(*ERROR[:3])
    journal = open_journal()
    journal.append_record(OPENED, 1, record_body(opening_of(table)))
    journal.append_input(*to_row(Chunk("a device of another table", 1, b"x")))
    for given, step in table.taken:
        journal.append_input(*to_row(given))
        for kind, body in bodies_of(step):
            journal.append_record(kind, given.at_mono_ns, body)
    journal.close()
    assert verify(reader()).problems == ()


@pytest.mark.parametrize("kind", ["journal.inputs_dropped", "journal.raw_pruned"])
def test_a_run_without_its_bytes_says_that_it_cannot_be_replayed(played, open_journal, reader, kind):
    journal = open_journal()
    write(journal, played(*ERROR[:2]))
    journal.append_record(kind, 1, b'{"volume":"","first":1,"last":1,"count":1}')
    journal.close()
    verdict = verify(reader())
    assert verdict.problems == ()
    assert verdict.notes == ("run 1: raw inputs of it are gone (pruned or dropped): it cannot be replayed.",)


def test_only_the_run_whose_bytes_are_gone_is_passed_over(played, open_journal, reader):
    first = open_journal()
    write(first, played(*ERROR[:2]))
    first.close()
    second = open_journal()
    write(second, played(*ERROR[:2]))
    second.append_record("journal.raw_pruned", 1, b'{"volume":"","first":1,"last":2,"count":2}')
    second.close()
    verdict = verify(reader())
    assert (verdict.runs, verdict.problems, len(verdict.notes)) == (2, (), 1)
    assert verdict.inputs > 0


def test_a_journal_without_a_run_is_an_error(open_journal, reader):
    open_journal().close()
    with pytest.raises(JournalError, match="holds no run of a bridge yet"):
        runs_of(reader())


def test_damage_that_stops_check_and_replay_is_told_once(played, open_journal, reader, state):
    journal = open_journal()
    write(journal, played(*ERROR))
    journal.close()
    (volume,) = state.glob("journal-*.sqlite")
    data = volume.read_bytes()
    volume.write_bytes(data[:4096] + bytes(len(data) - 4096))
    problems = verify(reader()).problems
    assert len(problems) == len(set(problems)) >= 1


def test_records_of_other_kinds_are_no_conclusions(played, open_journal, reader):
    table = played(*ERROR[:2])
    journal = open_journal()
    write(journal, table)
    for kind in ("light", "bridge.stalled", "bridge.fault"):
        journal.append_record(kind, 1, b"{}")
    journal.close()
    assert verify(reader()).problems == ()
