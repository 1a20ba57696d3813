import json

import pytest

from shoe_bridge.cli import golden, run_command
from shoe_bridge.cli.selftest import check_golden, check_owner, check_vectors, checks, outcome
from shoe_bridge.errors import ShoeBridgeError


def test_this_build_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["selftest", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(line["passed"] and line["type"] == "check" for line in lines)
    names = [line["name"] for line in lines]
    assert {"vectors of tablelink", "vectors of hid_keys", "package protocol"} <= set(names)
    assert [name for name in names if name.startswith("golden journal")]


def test_a_failed_check_is_one_line_and_exit_code_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(golden, "text_of", lambda name: b"")
    assert run_command(["selftest"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(list(checks()))
    assert sum(line.startswith("FAILED golden journal") for line in lines) == len(golden.PLANS)


@pytest.mark.parametrize("name", golden.PLANS)
def test_the_stored_golden_journal_is_what_this_code_makes(name: str) -> None:
    assert name in golden.names()
    assert golden.make(name) == golden.text_of(name), "see shoe_bridge/cli/golden.py for how it is made anew"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"got":"seat 4"', b'"got":"seat 1"'),  # a conclusion says something else
        (b'{"input":"chunk","device":"keys-1"', b'{"input":"chunk","device":"reader-1"'),  # an input does
    ],
)
def test_a_golden_journal_that_was_changed_fails(old: bytes, new: bytes) -> None:
    text = golden.text_of("holdem")
    assert old in text
    with pytest.raises(ShoeBridgeError, match="run 1, record"):
        check_golden(text.replace(old, new))


def test_a_golden_journal_without_findings_shows_nothing() -> None:
    first_line = golden.text_of("holdem").splitlines()[0]
    with pytest.raises(ShoeBridgeError, match="no findings"):
        check_golden(first_line)


def test_vectors_that_decode_otherwise_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from protocol import vectors

    wrong = vectors.Vector("a frame of noise", "00", [], "made up")
    monkeypatch.setattr(vectors, "vectors_of", lambda kind: [wrong])
    with pytest.raises(ShoeBridgeError, match="1 of 1 decode otherwise than documented: 'a frame of noise'"):
        check_vectors("tablelink")


def test_a_second_owner_of_the_name_protocol_is_found() -> None:
    owned = {"protocol": ["shoe-bridge"]}
    assert "installed by shoe-bridge" in check_owner(lambda: owned)
    assert "source tree" in check_owner(dict)
    with pytest.raises(ShoeBridgeError, match="protocol-buffers-of-old"):
        check_owner(lambda: {"protocol": ["shoe-bridge", "protocol-buffers-of-old"]})


def test_another_package_of_that_name_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    import protocol

    monkeypatch.setattr(protocol, "__path__", ["/usr/lib/elsewhere/protocol"])
    with pytest.raises(ShoeBridgeError, match="/usr/lib/elsewhere/protocol is imported"):
        check_owner(dict)


def test_a_check_that_breaks_down_has_failed() -> None:
    def broken() -> str:
        raise FileNotFoundError("no such vectors")

    passed, text = outcome(broken)
    assert not passed
    assert "no such vectors" in text
