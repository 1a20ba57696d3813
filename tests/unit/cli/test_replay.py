"""`replay --explain`: each finding of a journal with what it rests on."""

import json
from pathlib import Path

import pytest

from shoe_bridge.cli import golden, run_command


@pytest.fixture
def journal(tmp_path: Path) -> str:
    golden.unfold(golden.text_of("holdem"), tmp_path / "state")
    return str(tmp_path / "state")


def test_findings_are_explained_when_asked(journal: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["replay", journal]) == 0
    plain = capsys.readouterr().out
    assert run_command(["replay", "--explain", journal]) == 0
    explained = capsys.readouterr().out
    assert "It rests on this" not in plain
    assert [line for line in explained.splitlines() if "It rests on this" not in line] == plain.splitlines()
    raised = sum(": + " in line for line in plain.splitlines())
    assert explained.count("It would be different if") == raised > 0


def test_the_same_for_programs(journal: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["replay", "--explain", "--json", journal]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    findings = [line for line in lines if line["type"] == "finding"]
    assert all(("why" in line) is line["raised"] for line in findings)
    first = findings[0]
    assert first["why"]["short"] == "Seat 4 was next when card 3 came to seat 1."
    assert first["why"]["long"].startswith("Card 3 went to seat 1, it was due at seat 4 (19.1(c)).")


def test_a_damaged_journal_is_told_once_and_is_no_bad_usage(
    journal: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (volume,) = Path(journal).glob("journal-*.sqlite")
    data = bytearray(volume.read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    volume.write_bytes(data)
    assert run_command(["verify", journal]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(set(lines)) >= 2
    assert lines[-1].startswith(f"{journal}: NOT sound")
    volume.write_bytes(b"no database")
    for verb in (["verify"], ["deck", "proof"]):
        assert run_command([*verb, str(volume)]) == 1
