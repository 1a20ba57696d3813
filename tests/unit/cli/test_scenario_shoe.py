"""`shoe-bridge scenario --shoe`: the kind of shoe at tables that have one."""

from pathlib import Path

import msgspec
import pytest

from shoe_bridge.cli import run_command

SCENARIO = """\
id = "SHOE"
title = "Two cards out of a shoe"
profile = "nz-1999"
game = "holdem"
seats = [1, 2]
button = 2
sensors = "shoe+antennas"
steps = ["shuffle", "cut", "deal 1 -> seat 1", "deal 2 joker -> seat 2"]
"""


def findings(tmp_path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[dict[str, object]]:
    file = tmp_path / "SHOE.toml"
    file.write_text(SCENARIO)
    assert run_command(["scenario", str(file), "--json", *options]) == 0
    found: list[dict[str, object]] = msgspec.json.decode(capsys.readouterr().out)["findings"]
    return [finding for finding in found if finding.get("device") == "shoe-1"]


@pytest.mark.parametrize("shoe", ["angel_eye", "bee_tek"])
def test_a_shoe_that_reads_cards_cannot_read_a_joker_and_one_that_reads_tags_can(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], shoe: str
) -> None:
    assert findings(tmp_path, capsys) == findings(tmp_path, capsys, "--shoe", "tablelink") == []
    assert [finding["cause"] for finding in findings(tmp_path, capsys, "--shoe", shoe)] == ["unread_card"]


def test_a_shoe_that_is_not_simulated_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["scenario", str(tmp_path), "--shoe", "boot"]) == 2
    assert "'boot' is no shoe that is simulated: use tablelink or angel_eye" in capsys.readouterr().err
