"""A writer killed at any moment: what it said was on disk is there, the chain holds, the numbers go on."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shoe_bridge.journal import Journal, JournalReader

WRITER = """
import itertools, os, sys, time
from pathlib import Path
from shoe_bridge.journal import Journal

def say(position):
    os.write(1, b"%d %d %d\\n" % (position.input_n, position.record_n, position.outbox_seq))

day_ns = [1_782_907_200 * 10**9]
journal = Journal.open(
    Path(sys.argv[1]), table="t", boot_id=sys.argv[2], now_wall_ns=lambda: day_ns[0], on_durable=say,
    group_ms=1, raw_ms=5, raw_cap_mib=1,
)
for n in itertools.count():
    with journal.together:
        journal.append_input("chunk", "r", n, bytes(400))
        if n % 5 == 0:
            journal.append_record("event", n, b'{"n":%d}' % n)
            journal.append_outbox("id-%d" % n, b"{}")
            journal.save_snapshot(b"state after %d" % n)
    if n % 7 == 0:
        journal.acknowledge_outbox(journal.durable().outbox_seq)
    if n % 500 == 499:
        day_ns[0] += 86_400 * 10**9  # a new volume, so that the kill may strike while one is begun
    time.sleep(0.0005)
"""


def run_and_kill(state: Path, boot: str, after_s: float) -> tuple[int, int, int]:
    """Start a writer, kill it a while after its first commit; returns the last position that it reported."""
    command = [sys.executable, "-c", WRITER, str(state), boot]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        first = writer.stdout.readline()
        time.sleep(after_s)
        writer.send_signal(signal.SIGKILL)
        whole = [
            line for line in (first + writer.stdout.read()).splitlines(keepends=True) if line.endswith("\n")
        ]
    input_n, record_n, outbox_seq = map(int, whole[-1].split())
    return input_n, record_n, outbox_seq


@pytest.mark.parametrize("seed", range(3))
def test_killed_again_and_again(tmp_path: Path, seed: int) -> None:
    state = tmp_path / "state"
    for life in range(3):
        after_s = (seed * 3 + life) * 0.037 % 0.3
        input_n, record_n, outbox_seq = run_and_kill(state, f"boot-{life}", after_s)
        reader = JournalReader(state)
        position = reader.position()
        assert position.input_n >= input_n
        assert position.record_n >= record_n
        assert position.outbox_seq >= outbox_seq
        assert reader.check() == []
        records = list(reader.records())
        assert [row.n for row in records] == list(range(1, position.record_n + 1))
        last_event = max((row.n for row in records if row.kind == "event"), default=None)
        snapshot = reader.latest_snapshot()
        assert (None if snapshot is None else snapshot[0]) == last_event, "they were saved in one block"
        owed = reader.outbox()
        assert [row.seq for row in owed] == list(range(reader.tail().acked_seq + 1, position.outbox_seq + 1))

    before = JournalReader(state).position()
    journal = Journal.open(state, table="t", boot_id="last", now_wall_ns=lambda: 0)
    assert not journal.recovered.was_clean
    assert journal.recovered.position == before
    assert journal.append_input("chunk", "r", 1, b"") == before.input_n + 1
    journal.close()
    assert JournalReader(state).check() == []
    kinds = [row.kind for row in JournalReader(state).records()]
    assert kinds.count("journal.unclean_stop") == 3
    assert kinds[-1] == "journal.clean_stop"
