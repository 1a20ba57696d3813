"""`bench deal`: the same seed gives the same figures in any number of processes."""

import json

import pytest

from shoe_bridge.cli import run_command
from shoe_bridge.cli.bench_run import Chunk, chunks, dealt_in, play
from shoe_bridge.cli.bench_table import Case, Watcher, model_for, perfect, setup_for
from shoe_bridge.sim.deal_truth import CLEAN, SLIPS

TYPICAL = Case("tablelink", "typical")
TIMES = ("p50_us", "p99_us", "p99_erring_us")


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str]]:
    code = run_command(["bench", "deal", "--reader", "tablelink", *words])
    return code, capsys.readouterr().out.splitlines()


def lines(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict]:
    code, out = said(capsys, "--level", "clean", "--hands", "1", "--bytes", "1", "--json", *words)
    assert code == 0
    found = [json.loads(line) for line in out]
    for line in found:
        for name in TIMES:
            line.pop(name)
    return found


def test_json_has_a_line_for_each_path_and_bridge(capsys):
    found = lines(capsys)
    assert [(line["path"], line["bridge"]) for line in found] == [
        (path, bridge) for path in ("reads", "bytes") for bridge in ("product", "baseline")
    ]
    for line in found:
        assert (line["type"], line["sensors"], line["level"]) == ("deal", "tablelink", "clean")
        assert line["clean_hands"] == line["erring_hands"] == 1
        assert set(line["by_slip"]) <= set(SLIPS)


def test_the_same_seed_gives_the_same_figures_in_any_number_of_processes(capsys):
    first = lines(capsys, "--seed", "3")
    assert lines(capsys, "--seed", "3", "--jobs", "2") == first
    assert lines(capsys, "--seed", "4") != first


def test_the_table_has_a_row_for_each_bridge(capsys):
    code, out = said(capsys, "--level", "clean", "--hands", "1", "--bytes", "0")
    assert code == 0
    assert [line.split()[:4] for line in out if " reads " in line and "%" not in line] == [
        ["tablelink", "clean", "reads", bridge] for bridge in ("product", "baseline")
    ]
    headings = next(line for line in out if "in time" in line).split()
    legend = [line.split()[0] for line in out[2:] if line.startswith(" ")]
    assert set(headings) - {"in", "off", "p50", "p99"} >= {"found", "kind", "moves", "lit"}
    assert {"clean", "false", "erring", "told", "found", "kind", "moves", "lit"} <= set(legend)
    assert [line for line in out if line != line.rstrip()] == []


@pytest.mark.parametrize("words", [("--level", "awful"), ("--reader", "abacus")])
def test_unknown_names_are_bad_usage(words, capsys):
    assert run_command(["bench", "deal", *words]) == 2
    assert f"'{words[1]}' is no {words[0][2:]} of the benchmark: use one of" in capsys.readouterr().err


def test_chunks_cover_the_hands_and_are_seeded_by_their_place():
    work = chunks(TYPICAL, 1, 120)
    assert [chunk.count for chunk in work] == [50, 50, 20] * 2
    assert len({chunk.name for chunk in work}) == 6
    clean, erring = (
        [hand for chunk in work if chunk.is_clean is is_clean for hand in dealt_in(chunk)]
        for is_clean in (True, False)
    )
    assert {hand.slip for hand in clean} == {CLEAN}
    assert {hand.slip for hand in erring} == set(SLIPS)


def test_a_perfect_observer_names_each_slip():
    kinds = {
        "wrong": {"order_error"},
        "swap": {"order_error"},
        "turned": {"order_error"},
        "missing_burn": {"missing_burn"},
        "extra_burn": {"extra_burn"},
        "early": {"premature_card"},
        "skip": {"order_error", "count_error"},
        "extra": {"order_error", "count_error"},
        "stuck": {"order_error", "count_error"},
    }
    for hand in dealt_in(Chunk(TYPICAL, 2, 0, 40, False)):
        found = {finding["kind"] for finding in perfect(TYPICAL, hand).standing}
        assert found & kinds[hand.slip], hand.slip
    for hand in dealt_in(Chunk(TYPICAL, 2, 0, 3, True)):
        known = perfect(TYPICAL, hand)
        assert {finding["kind"] for finding in known.ever} == {"deal_ok", "substantial_action"}


def test_the_baseline_takes_first_reads_for_the_truth():
    """Antennas that miss nothing are still polled one after the other: cards are first read out of order."""
    baseline = play(Chunk(Case("tablelink", "clean"), 1, 0, 6, True)).baseline
    assert baseline.clean().hands == 6
    assert baseline.clean().false_alerts > 0


def test_the_product_is_given_the_model_and_the_baseline_none():
    model = model_for(TYPICAL)
    assert setup_for(TYPICAL, 10, model).model == model
    assert Watcher(setup_for(TYPICAL, 10, None)).fold.setup.model is None
    assert model.neighbours["seat 2"] == ("seat 1", "seat 3")
    assert model.dealer.pace_ns == (250_000_000, 600_000_000)
