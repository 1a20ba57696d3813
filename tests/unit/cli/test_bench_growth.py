"""A long evening at one table: its first and its last tenth."""

import json

from shoe_bridge.cli import run_command
from shoe_bridge.cli.bench_growth import grow
from shoe_bridge.cli.bench_table import Case


def test_state_and_cost_of_the_first_and_the_last_tenth():
    first, last = grow(Case("tablelink", "clean"), 1, 20)
    assert first.state_bytes > 1_000
    assert last.state_bytes < 4 * first.state_bytes  # it fills up: past deals are kept, twenty of them
    assert last.peak_kib >= first.peak_kib
    for tenth in (first, last):
        assert 0 < tenth.p50_us <= tenth.p99_us


def test_growth_is_a_line_and_a_table_of_its_own(capsys):
    words = ["bench", "deal", "--hands", "1", "--bytes", "0", "--level", "clean", "--reader", "tablelink"]
    assert run_command([*words, "--growth", "2", "--json"]) == 0
    line = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (line["type"], line["sensors"], line["level"], line["hands"]) == (
        "growth",
        "tablelink",
        "clean",
        2,
    )
    assert set(line["first"]) == set(line["last"]) == {"p50_us", "p99_us", "state_bytes", "peak_kib"}
    assert run_command([*words, "--growth", "2"]) == 0
    assert "2 hands at one table" in capsys.readouterr().out
