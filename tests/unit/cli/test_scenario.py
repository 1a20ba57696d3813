"""`scenario`: files are judged under their own profile, and only played under another."""

import json
import sys
from pathlib import Path

import pytest

from shoe_bridge.cli import run_command
from shoe_bridge.cli.scenario_run import play
from shoe_bridge.errors import ConfigError
from shoe_bridge.rules.ranking import _evaluator
from shoe_bridge.sim.scenario import load_scenario

FOLDER = Path(__file__).parents[2] / "scenarios"
DEALT_OUT = FOLDER / "S04.toml"  # a player is dealt out: nz-1999
FIRST_CARD = FOLDER / "tda" / "T01.toml"
MONEY = FOLDER / "S21.toml"  # its hands are ranked


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = run_command(["scenario", *words])
    return code, capsys.readouterr().out


def test_a_file_is_judged_under_its_own_profile(capsys):
    assert said(capsys, str(FIRST_CARD)) == (
        0,
        "pass   T01    Tournament: the first card goes to the wrong seat\n1 of 1 scenario passes\n",
    )
    assert said(capsys, "--profile", "tda", str(FIRST_CARD))[1].endswith("1 of 1 scenario passes\n")


def test_under_another_profile_it_is_played_and_not_judged(capsys):
    code, text = said(capsys, "--profile", "nz-1999", str(FIRST_CARD))
    lines = text.splitlines()
    assert code == 0
    assert lines[0].startswith("played under nz-1999: T01")
    assert "         after 5    order_error card=1 got=seat 2 want=seat 1 rule=19.1(c)" in lines
    assert any("repairable rule=19.1(c)" in line for line in lines)
    assert lines[-1] == "1 scenario is for another profile: played, not judged"


def test_both_kinds_together(capsys):
    code, text = said(capsys, "--profile", "nz-1999", str(FIRST_CARD), str(DEALT_OUT))
    assert code == 0
    assert text.endswith("played, not judged\n1 of 1 scenario passes\n")


def test_as_json(capsys):
    code, text = said(capsys, "--json", "--profile", "tda", str(DEALT_OUT))
    [line] = [json.loads(each) for each in text.splitlines()]
    assert code == 0
    assert (line["id"], line["passed"], line["played_under"]) == ("S04", True, "tda")
    assert (line["missing"], line["forbidden"], line["unsupported"]) == ([], [], [])
    assert {finding["kind"] for finding in line["findings"]} >= {
        "order_error",
        "dealt_out",
        "misdeal_advised",
    }
    assert json.loads(said(capsys, "--json", str(DEALT_OUT))[1])["played_under"] is None


def test_a_house_s_own_profile_is_named_by_its_path(capsys, tmp_path):
    path = tmp_path / "house.toml"
    path.write_text('extends = "tda"\nprofile = "house"\n[checks.order]\nmay_put_right = true\n')
    code, text = said(capsys, "--profile", str(path), str(FIRST_CARD))
    assert code == 0
    assert "played under house: T01" in text
    assert "repairable rule=TDA 35-A(2)" in text


def test_a_profile_that_there_is_not(capsys):
    assert run_command(["scenario", "--profile", "nz-2030", str(DEALT_OUT)]) == 2
    assert "there is no rule profile 'nz-2030': choose one of nz-1999, tda" in capsys.readouterr().err
    with pytest.raises(ConfigError):
        play(load_scenario(DEALT_OUT), profile="nz-2030")


def test_a_scenario_that_needs_an_extra_is_not_played_and_the_rest_go_on(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "phevaluator.evaluator", None)
    _evaluator.cache_clear()
    code, text = said(capsys, str(MONEY), str(DEALT_OUT))
    assert code == 1
    assert f"not played {load_scenario(MONEY).id}" in text
    assert text.count("needs phevaluator: .venv/bin/pip install -e '.[money]'") == 2
    assert "pass   S04" in text
    assert "\n1 of 2 scenarios pass\n" in text
    code, text = said(capsys, "--json", str(MONEY), str(DEALT_OUT))
    lines = [json.loads(line) for line in text.splitlines()]
    assert (code, [line["passed"] for line in lines]) == (1, [False, True])
    assert lines[0]["unplayable"].startswith("needs phevaluator: .venv/bin/pip")
