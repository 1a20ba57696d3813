"""The edge of the command line: exit codes, and one sentence for whatever goes wrong."""

import pytest

from shoe_bridge import __version__
from shoe_bridge.cli import run_command


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
        (["scenario", "/no/such.toml"], "cannot be read"),
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
