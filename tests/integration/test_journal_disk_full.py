"""A file that may not grow any further, as on a full disk: the writer goes on, says so, and recovers."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from shoe_bridge.journal import JournalReader

WRITER = """
import json, resource, sys, time
from pathlib import Path
from shoe_bridge.journal import Journal

said = []
journal = Journal.open(
    Path(sys.argv[1]), table="t", boot_id="b", now_wall_ns=lambda: 1_782_907_200 * 10**9,
    on_trouble=said.append, group_ms=1, raw_ms=5,
)
assert journal.sync(5)
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, hard))
slowest_s = 0.0
for n in range(1000):
    begun_s = time.perf_counter()
    with journal.together:
        journal.append_input("chunk", "r", n, bytes(500))
        journal.append_record("event", n, b"{}")
        journal.append_outbox("id-%d" % n, b"{}")
    slowest_s = max(slowest_s, time.perf_counter() - begun_s)
    if n % 10 == 0:
        time.sleep(0.002)
stuck = not journal.sync(0.3)
durable = journal.durable().record_n
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
recovered = journal.sync(20)
journal.close()
print(json.dumps({"said": said, "stuck": stuck, "durable": durable, "recovered": recovered}))
"""


def test_a_full_disk_degrades_and_recovers(tmp_path: Path) -> None:
    state = tmp_path / "state"
    answer = subprocess.run(
        [sys.executable, "-c", WRITER, str(state)], capture_output=True, text=True, check=True, timeout=60
    )
    assert answer.stderr == ""
    report = json.loads(answer.stdout)
    assert report["stuck"]
    assert 0 < report["durable"] < 1001
    assert report["recovered"]
    said = report["said"]  # reopening frees the log, so that it may get over it and get stuck again
    assert said[-1] is None
    assert all(one != other for one, other in pairwise(said))
    troubles = [sentence for sentence in said if sentence is not None]
    assert troubles
    assert all("the journal cannot be written" in sentence for sentence in troubles)
    reader = JournalReader(state)
    assert reader.check() == []
    assert [row.n for row in reader.inputs()] == list(range(1, 1001))
    assert [row.kind for row in reader.records()] == [
        "journal.opened",
        *["event"] * 1000,
        "journal.clean_stop",
    ]
    assert [row.seq for row in reader.outbox()] == list(range(1, 1001))
