"""The edge of the command line: exit codes, and one sentence for whatever goes wrong."""

import json
from pathlib import Path

import pytest

from shoe_bridge import __version__
from shoe_bridge.cli import run_command
from shoe_bridge.cli.counted import counted

PATLITE = "mean nothing but on the link that asks for them"
REGISTER = ["deck", "register", "--file", "/no/decks.toml", "--deck", "red"]


def test_version_and_bare_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["--version"]) == 0
    assert capsys.readouterr().out.strip() == __version__
    assert run_command([]) == 0
    assert "demo" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["no-such-verb"], "No such command"),
        (["run"], "--config"),
        (["decode", "--device", "tablelink"], "--hex"),
        (["verify", "/no/such/folder"], "does not exist"),
        (["deck", "proof", "/no/such/folder"], "does not exist"),
        (["verify", "/usr"], "there is no journal in this folder"),
        (["replay", "/usr"], "there is no journal in this folder"),
        (["deck", "proof", "/usr"], "there is no journal in this folder"),
        (["verify", __file__], "is not a journal"),
        (["deck", "proof", __file__], "is not a journal"),
        (["doctor", "--suggest", "--json"], "leave out --json"),
        (["capture", "--device", "pepper_c1", "--port", "usb:1234:5678", "/no/f"], "a USB name for"),
        (["capture", "--device", "pepper_c1", "--port", "usb@1-1", "/no/f"], "a USB name for"),
        (["capture", "--device", "pepper_c1", "--port", "usb@", "/no/f"], "a USB name for"),
        (["capture", "--device", "patlite_ne", "--port", "/dev/x", "/no/f"], "expected usb:VID:PID"),
        (["capture", "--device", "patlite_ne", "--port", "usb@1-1", "/no/f", "--redact"], PATLITE),
        (["decode", "--device", "patlite_ne", "--hex", "00"], PATLITE),
        ([*REGISTER, "--device", "pn532", "--port", "usb:1234:5678"], "a USB name for"),
        ([*REGISTER, "--device", "pn532", "--port", "/dev/x", "--typed", "hex"], "a pn532 types nothing"),
        ([*REGISTER, "--device", "hid_keyboard", "--port", "/dev/x", "--typed", "octal"], "is no rule for"),
        ([*REGISTER, "--config", "/no/t.toml", "--place", "muck", "--typed", "hex"], "goes with --device"),
        ([*REGISTER, "--tags", "-", "--typed", "octal"], "--typed: 'octal' is no rule for"),
        ([*REGISTER, "--tags", "-", "--typed", "hex", "--device", "pn532"], "in one way"),
        (["scenario", "/no/such.toml"], "does not exist"),
        (
            ["run", "--config", "/no/t.toml", "--state", ""],
            "--state is empty: give it a value, or leave it out",
        ),
        (["run", "--config", "/no/t.toml", "--state="], "--state is empty"),
        (["run", "--config", ""], "--config is empty"),
        (["verify", ""], "an argument is empty"),
    ],
)
def test_bad_usage_is_one_sentence_and_two(
    capsys: pytest.CaptureFixture[str], arguments: list[str], what: str
) -> None:
    assert run_command(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert what in said.err


@pytest.mark.parametrize(
    ("fault", "code", "what"),
    [
        (OSError(28, "No space left on device", "/x"), 1, "no space left"),
        (ValueError("odd"), 1, "SHOE_BRIDGE_DEBUG"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_no_traceback_reaches_people(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    fault: BaseException,
    code: int,
    what: str,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.delenv("SHOE_BRIDGE_DEBUG", raising=False)
    monkeypatch.setattr("shoe_bridge.cli._drop_output", lambda: None)
    monkeypatch.setattr("shoe_bridge.cli._run", fail)
    assert run_command(["selftest"]) == code
    said = capfd.readouterr().err
    assert what in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 scenarios"), (1, "1 scenario"), (2, "2 scenarios"), (-1, "-1 scenarios")]
)
def test_numbers_and_words_agree(number: int, said: str) -> None:
    assert counted(number, "scenario") == said
    assert counted(1, "change of findings", "changes of findings") == "1 change of findings"
    assert counted(number, "x", "y").endswith("x" if number == 1 else "y")


def test_a_checked_configuration_is_told_to_people_and_to_programs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table.toml"
    file.write_text(
        '[table]\nid = "t-1"\ngame = "holdem"\nseats = 2\n[[device]]\nname = "r"\nkind = "pepper_c1"\n'
        'port = "/dev/r"\nantennas = { 1 = "seat 1", 2 = "seat 2", 3 = "board", 4 = "burn" }\n'
    )
    check = ["run", "--check", "--config", str(file)]
    assert run_command(check) == 0
    assert capsys.readouterr().out == f"{file}: in order, table t-1, 1 device, 0 lights\n"
    assert run_command([*check, "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    told = {"type": "checked", "file": str(file), "table": "t-1", "devices": 1, "lights": 0}
    assert json.loads(line) == told


def test_help_names_numbers_plainly_and_every_verb_of_the_deck(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["bench", "deal", "--help"]) == 0
    assert "range>" not in capsys.readouterr().out
    assert run_command(["--help"]) == 0
    assert "proof" in capsys.readouterr().out
